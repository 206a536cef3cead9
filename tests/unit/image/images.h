/* SPDX-License-Identifier: Apache-2.0 */
/* An image with one of each thing, for tests of files and of checks. */
#ifndef TESTS_UNIT_IMAGE_IMAGES_H
#define TESTS_UNIT_IMAGE_IMAGES_H

#include "unit/engine/builder.h"

static pop_device *device;
static struct module *module; /* of all images: compiled once */

static const char source[] = "struct vec { int *data; size_t size; };\n"
                             "struct sum { struct vec in; int *out; struct vec *rows; size_t row_count; };\n"
                             "bool run_sum(struct codelet_call *call)\n"
                             "{\n"
                             "    EACH(struct sum, v) {\n"
                             "        int sum = 0;\n"
                             "        for (size_t i = 0; i < v->in.size; ++i)\n"
                             "            sum += v->in.data[i];\n"
                             "        for (size_t r = 0; r < v->row_count; ++r)\n"
                             "            for (size_t i = 0; i < v->rows[r].size; ++i)\n"
                             "                sum += v->rows[r].data[i];\n"
                             "        *v->out = sum;\n"
                             "    }\n"
                             "    return true;\n"
                             "}\n";

static void add_numbers(void *vec, const uint32_t *numbers, size_t count)
{
    VEC(uint32_t) *to = vec;
    memcpy(vec_extend(to, count), numbers, count * sizeof(*numbers));
}
#define NUMBERS(vec, ...)                                                                                              \
    add_numbers(&(vec), (const uint32_t[]){ __VA_ARGS__ }, sizeof((const uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t))

/* A modelled program with each kind of step and table: a Sequence of a copy, a loop around a set and an exchange, a
 * choice, a call. */
static void add_model(struct image *image)
{
    struct model *m = &image->model;
    static const struct model_step steps[] = {
        { MODEL_SEQUENCE, 0, 0, 1, 0, 0, 5, 1 },        { MODEL_STREAM_COPY, 2, 0, 0, 0, 0, 0, 1 },
        { MODEL_REPEAT, 0, 0, 0, 0, 5, 1, 1 },          { MODEL_SEQUENCE, 0, 0, 0, 0, 6, 2, 1 },
        { MODEL_EXECUTE, 0, 0, 1, 0, 0, 0, 1 },         { MODEL_EXCHANGE, 0, 0, 0, 0, 0, 0, 1 },
        { MODEL_IF_ELSE, 0, 0, 0, 0, 8, 2, 1 },         { MODEL_SYNC, 1, 0, 0, 0, 0, 0, 1 },
        { MODEL_WRITE_UNDEF, 0, 0, 0, 0, 0, 0, 1 },     { MODEL_CALL, 0, 0, 0, 0, 0, 0, 1 },
        { MODEL_GLOBAL_EXCHANGE, 0, 0, 0, 0, 0, 0, 1 }, { MODEL_SWITCH, 0, 0, 0, 0, 10, 1, 1 },
        { MODEL_SEQUENCE, 0, 0, 0, 0, 11, 1, 1 },
    };
    memcpy(vec_extend(&m->steps, sizeof(steps) / sizeof(steps[0])), steps, sizeof(steps));
    NUMBERS(m->children, 1, 2, 6, 9, 11, 3, 4, 5, 7, 8, 10, 4);
    NUMBERS(m->controls, 0);
    NUMBERS(m->functions, 12);
    NUMBERS(m->entry, 7);
    for (uint32_t op = 0; op <= image->ops.count; ++op) /* one leaf step for each of the first ops */
        *vec_push(&m->op_first) = op < 5 ? op : 5;
    NUMBERS(m->op_steps, 1, 7, 4, 5, 10);
    *vec_push(&m->types) = (struct model_type){ 1, 12, MODEL_GUESSED };
    *vec_push(&m->sets) = (struct model_set){ 1, 0, 2, 1, 0, 0, 3 };
    *vec_push(&m->parts) = (struct model_part){ 0, 3, 60, 10 };
    *vec_push(&m->parts) = (struct model_part){ 12, 4, 12, 2 };
    *vec_push(&m->shares) = (struct model_share){ 0, 1, 30, 0 };
    *vec_push(&m->exchanges) = (struct model_exchange){ .name = 1, .flows = 2, .instructions = { 4, 8 } };
    *vec_push(&m->global_exchanges) = (struct model_exchange){ .flows = 1, .first_flow = 1 };
    *vec_push(&m->host_exchanges) = (struct model_exchange){ .flows = 1, .first_flow = 1 };
    *vec_push(&m->flows) = (struct model_flow){ 0, 1, 4, 0, 50, 8, 1 };
    *vec_push(&m->flows) = (struct model_flow){ 1, 15, 0, 4, 60, 12, 1 };
    *vec_push(&m->metrics) = (struct model_metric){ 1, 2.5 };
    *vec_push(&m->tiles) = (struct model_tile){ .bytes = { 5, 6 }, .with_gaps = { 5, 9 }, .total_with_gaps = 14 };
    *vec_push(&m->uses) = (struct model_use){ 1, 0, 0, 0, 2, 6 };
    *vec_push(&m->uses) = (struct model_use){ 1, 1, 0, 1, 2, 6 };
    *vec_push(&m->set_vertices) = (struct model_vertices){ 0, 0, 2, 1, 2, 3, 4, 5, 6 };
    *vec_push(&m->type_vertices) = (struct model_vertices){ 0, 0, 2, 1, 2, 3, 4, 5, 6 };
    *vec_push(&m->live) = (struct model_live){ 1, 8 };
    *vec_push(&m->live_lists) = (struct model_live_list){ 0, 0, 0 };
    *vec_push(&m->live_lists) = (struct model_live_list){ 0, 1, 8 };
    NUMBERS(m->step_live, 0, 1);
}

/* One of each structure, small enough to alter each byte; the caller releases it. */
static struct image *make(void)
{
    struct image *image = build_image(512);
    image->target = *pop_device_target(device);
    *vec_push(&image->modules) = module_retain(module);
    *vec_push(&image->codelets) = (struct image_codelet){ 0, 0 };
    uint64_t words[] = { IMAGE_REF(BLOCK_SCRATCH, 0),
                         4,
                         IMAGE_REF(BLOCK_STORAGE, 128),
                         IMAGE_REF(BLOCK_STATE, 40),
                         2,
                         IMAGE_REF(BLOCK_STORAGE, 0),
                         2,
                         IMAGE_REF(BLOCK_STORAGE, 8),
                         1 };
    memcpy(vec_extend(&image->states, sizeof(words)), words, sizeof(words));
    *vec_push(&image->groups) = (struct image_group){ 0, 0, 1, 0, 40 };
    image->scratch_bytes = 64;
    *vec_push(&image->gathers) = (struct image_gather){ 0, 0, build_strided(image, 28, -8, 0, 4, 4, 4) + 1, 0, 0, 16 };
    *vec_push(&image->sets) = (struct image_set){
        .name = build_string(image, "set"), .groups = 1, .gathers = 1, .vertices = 1, .scratch_bytes = 64
    };
    *vec_push(&image->vertex_ids) = 0;
    *vec_push(&image->edge_first) = 0;
    *vec_push(&image->vertex_places) = (struct image_place){ build_string(image, "set.c"), 3, 12 };
    static const uint64_t sizes[] = { 16, 4, 2, 8, 4 };
    memcpy(vec_extend(&image->edge_bytes, 5), sizes, sizeof(sizes));
    int32_t in[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
    build_initial(image, 0, in, 32, 1);
    build_initial(image, 256, &in[2], 4, 5);
    build_handle(image, "in", 0, 32);
    build_handle(image, "out", 128, 4);
    *vec_push(&image->variables) = (struct image_variable){ 0, 32, build_string(image, "v"), POP_INT };
    uint32_t operand = build_operand(image, 128, POP_INT, 1), row = build_operand(image, 320, POP_INT, 1);
    *vec_push(&image->dims) = 1;
    *vec_push(&image->prints) =
        (struct image_print){ build_string(image, "out"), operand, 0, 1, 0, pop_print_format_default(), 1 };
    uint32_t stream = build_stream(image, "s", POP_INT, POP_HOST_TO_DEVICE_FIFO, 8);
    *vec_push(&image->remotes) = (struct image_remote){ build_string(image, "r"), POP_INT, 2, 3, 1, 0 };
    *vec_push(&image->arguments) = (struct image_argument){ POP_INT, 1 };
    *vec_push(&image->host_functions) = (struct image_host_function){ build_string(image, "f"), 0, 1, 0 };
    *vec_push(&image->cases) = (struct image_case){ 4, 0 };
    *vec_push(&image->cases) = (struct image_case){ 0, 0 };
    build_program(image);
    build_op(image, OP_STREAM_IN, stream, build_copy(image, 0, 0, 32, 4), 0, 0);
    uint32_t repeat = build_op(image, OP_REPEAT, 0, 0, 0, 3);
    build_op(image, OP_EXECUTE, 0, 0, 0, 0);
    image->ops.data[repeat].a = build_op(image, OP_REPEAT_END, repeat + 1, 0, 0, 0) + 1;
    build_op(image, OP_PRINT, 0, 0, 0, 0);
    uint32_t overlap = build_copy(image, 0, 4, 28, 4);
    image->copies.data[overlap].overlaps = 1;
    build_op(image, OP_COPY, overlap, 0, 0, 0);
    build_op(image, OP_REMOTE_OUT, 0, build_copy(image, 0, 0, 8, 4), row + 1, 1);
    build_op(image, OP_CALL_HOST, 0, build_copy(image, 128, 0, 4, 4), 0, 0);
    uint32_t call = build_op(image, OP_CALL, 0, 0, 0, 0);
    uint32_t select = build_op(image, OP_SWITCH, 0, operand, 1, 0);
    uint32_t end = build_op(image, OP_END, 0, 0, 0, 0);
    image->ops.data[call].a = end;
    image->cases.data[0].target = image->cases.data[1].target = end;
    (void)select;
    build_op(image, OP_ABORT_IF, 0, operand, 0, 0);
    build_op(image, OP_END, 0, 0, 0, 0);
    add_model(image);
    pop_options options = POP_OPTIONS({ "target.hostThreads", "1" });
    assert_int_equal(options_apply(&image->options, "engine", options, NULL, NO_WHERE, NULL, NULL), POP_OK);
    return image;
}

static void images_begin(void)
{
    const pop_ipu_model few_tiles = { .version = "ipu2", .tiles_per_ipu = 16 }; /* for thousands of runs */
    const struct codelet_field fields[] = { build_field("in", FIELD_INPUT, SHAPE_VECTOR, POP_INT, 0),
                                            build_field("out", FIELD_OUTPUT, SHAPE_SCALAR, POP_INT, 16),
                                            build_field("rows", FIELD_INPUT, SHAPE_VECTORS, POP_INT, 24) };
    device = pop_ipu_model_create_device(&few_tiles, NULL);
    module = build_module(source);
    build_codelet(module, "SumVertex", "run_sum", VERTEX_WORKER, 40, fields, 3);
}

static void images_end(void)
{
    module_release(module);
    pop_device_destroy(device);
}

#endif
