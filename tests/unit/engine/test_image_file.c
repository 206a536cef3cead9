/* SPDX-License-Identifier: Apache-2.0 */
/* Executables as files: what was written comes back; a truncated or altered file is refused; a file whose checksum was
 * computed again after an alteration is either refused or runs without leaving its memory (the sanitizers say so). */
#include "builder.h"
#include "image/file.h"
#include "rounds.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <pthread.h>
#include <unistd.h>

static pop_device *device;
static pthread_t watcher;
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
    *vec_push(&m->shares) = (struct model_share){ 0, 1, 30 };
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

/* A bit of everything, small enough to alter each byte of. */
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
    *vec_push(&image->gathers) = (struct image_gather){ 0, build_strided(image, 28, -8, 0, 4, 4, 4) + 1, 0, 0, 16 };
    *vec_push(&image->sets) = (struct image_set){
        .name = build_string(image, "set"), .groups = 1, .gathers = 1, .vertices = 1, .scratch_bytes = 64
    };
    *vec_push(&image->vertex_ids) = 0;
    *vec_push(&image->edge_first) = 0;
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
        (struct image_print){ build_string(image, "out"), operand, 0, 1, pop_print_format_default(), 1 };
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

static pop_status ignore(const void *const *inputs, void *const *outputs, void *user)
{
    (void)inputs;
    (void)outputs;
    (void)user;
    return POP_OK;
}

static FILE *nowhere;
/* Runs that would not end are stopped every few milliseconds. */
static pthread_mutex_t running_lock = PTHREAD_MUTEX_INITIALIZER;
static pop_engine *running; /* NULL: none */
static bool watching = true;
static void set_running(pop_engine *engine)
{
    pthread_mutex_lock(&running_lock);
    running = engine;
    pthread_mutex_unlock(&running_lock);
}
static void *watch(void *user)
{
    for (bool more = true; more;) {
        usleep(2000);
        pthread_mutex_lock(&running_lock);
        if (running)
            pop_engine_stop(running);
        more = watching;
        pthread_mutex_unlock(&running_lock);
    }
    return user;
}

/* Whoever reads the model. */
static void profile_all(pop_engine *engine)
{
    pop_cycles cycles;
    pop_profile_value graph = { 0 }, execution = { 0 };
    pop_status status = pop_engine_cycles(engine, &cycles, NULL);
    status = pop_engine_graph_profile(engine, &graph, NULL);
    if (cycles.steps < 10000)
        status = pop_engine_execution_profile(engine, &execution, NULL);
    (void)status;
    pop_profile_free(&graph);
    pop_profile_free(&execution);
}

/* Runs all programs of an image; endless ones are stopped.  Errors are fine. */
static void run_all(struct image *image, pop_options options)
{
    static int32_t data[1 << 16];
    if (image->storage_bytes > 1 << 18 || image->scratch_bytes > 1 << 18)
        return; /* legal, and slow */
    for (size_t i = 0; i < image->remotes.count; ++i)
        if (image->remotes.data[i].elements * image->remotes.data[i].repeats > 1 << 18)
            return;
    for (size_t i = 0; i < image->operands.count; ++i)
        if (image->operands.data[i].elements > 1 << 18)
            return;
    for (size_t i = 0; i < image->copies.count; ++i)
        if (image->copies.data[i].bytes > 1 << 18) /* repeats the same bytes */
            return;
    pop_executable executable = { .image = image };
    pop_engine *engine = pop_engine_create_from(&executable, options, &(pop_error){ .status = POP_OK });
    if (!engine)
        return;
    pop_engine_set_print_stream(engine, nowhere);
    rewind(nowhere);
    for (size_t i = 0; i < image->streams.count; ++i)
        if (engine->replicas[0].streams[i].bytes <= sizeof(data)) {
            engine->replicas[0].streams[i].kind = STREAM_BUFFER;
            engine->replicas[0].streams[i].at = engine->replicas[0].streams[i].begin = (unsigned char *)data;
        }
    for (size_t i = 0; i < image->host_functions.count; ++i)
        engine->replicas[0].host_functions[i].callback = ignore;
    engine->image->target = *pop_device_target(device);
    if (pop_engine_load(engine, device, NULL) == POP_OK) {
        for (unsigned p = 0; p < image->programs.count; ++p) {
            set_running(engine);
            pop_status status = pop_engine_run(engine, p, NULL);
            (void)status;
            set_running(NULL);
        }
        profile_all(engine);
    }
    pop_engine_destroy(engine);
}

static void what_was_written_comes_back(void **state)
{
    (void)state;
    struct image *image = make(), *read;
    char *data, *again;
    size_t size, again_size;
    image_write(image, &data, &size);
    pop_error error = { .status = POP_OK };
    if (image_read("x.exe", data, size, &read, &error) != POP_OK)
        fail_msg("%s", error.text);
    image_write(read, &again, &again_size);
    assert_int_equal(size, again_size);
    assert_memory_equal(data, again, size);
    assert_true(pop_target_equal(&read->target, &image->target));
    assert_string_equal(options_get(&read->options, "engine", "target.hostThreads"), "1");
    image_release(image);
    pop_executable executable = { .image = read };
    pop_engine *engine = pop_engine_create_from(&executable, POP_NO_OPTIONS, NULL);
    int32_t in[8], stream[8] = { 1, 1, 1, 1, 1, 1, 1, 1 }, out;
    assert_int_equal(pop_engine_load(engine, device, NULL), POP_OK);
    pop_engine_set_print_stream(engine, nowhere);
    rewind(nowhere);
    assert_int_equal(pop_engine_read_tensor(engine, "in", in, 32, NULL), POP_OK);
    assert_int_equal(in[7], 8);
    assert_int_equal(pop_engine_connect_stream(engine, "s", stream, NULL), POP_OK);
    assert_int_equal(pop_engine_connect_host_function(engine, "f", ignore, NULL, NULL), POP_OK);
    assert_int_equal(pop_engine_run(engine, 0, NULL), POP_OK);
    assert_int_equal(pop_engine_read_tensor(engine, "out", &out, 4, NULL), POP_OK);
    assert_int_equal(out, 7);
    pop_engine_destroy(engine);
    image_release(read);
    free(data);
    free(again);
}

static void truncated_files_are_refused_at_every_length(void **state)
{
    (void)state;
    struct image *image = make(), *read;
    char *data;
    size_t size;
    image_write(image, &data, &size);
    for (size_t length = 0; length < size; length += length < 2048 || size - length < 512 ? 1 : 89) {
        char *part = mem_copy(data, length); /* its end is the allocation's: reading on is seen */
        assert_fails(image_read("x.exe", part, length, &read, error), POP_FILE_LOAD_ERROR, "x.exe");
        assert_null(read);
        free(part);
    }
    free(data);
    image_release(image);
}

static void altered_files_are_refused_whatever_the_byte(void **state)
{
    (void)state;
    struct image *image = make(), *read;
    char *data;
    size_t size;
    image_write(image, &data, &size);
    for (size_t i = 0; i < size; i += i < 2048 || size - i < 512 ? 1 : 89) {
        data[i] ^= 0x10;
        assert_fails(image_read("x.exe", data, size, &read, error), POP_FILE_LOAD_ERROR, "x.exe");
        data[i] ^= 0x10;
    }
    assert_int_equal(image_read("x.exe", data, size, &read, NULL), POP_OK);
    image_release(read);
    free(data);
    image_release(image);
}

static void seal(char *data, size_t size)
{
    XXH128_canonical_t hash;
    XXH128_canonicalFromHash(&hash, XXH3_128bits(data, size - 16));
    memcpy(data + size - 16, &hash, 16);
}

/* Where a section lies in the file, by its name in the table. */
static bool find_section(const char *data, const char *name, uint64_t *offset, uint64_t *bytes)
{
    uint32_t sections;
    memcpy(&sections, data + 12, 4);
    for (uint32_t i = 0; i < sections; ++i)
        if (strncmp(data + 16 + 32 * i, name, 16) == 0) {
            memcpy(offset, data + 16 + 32 * i + 16, 8);
            memcpy(bytes, data + 16 + 32 * i + 24, 8);
            return true;
        }
    return false;
}

/* Each byte is altered in one way, with more rounds in each.  Bytes of the objects in the modules are code: who alters
 * those can do anything. */
static void forged_files_cannot_make_the_engine_leave_its_memory(void **state)
{
    (void)state;
    static const unsigned char changes[] = { 0x01, 0x48, 0xff };
    struct image *image = make(), *read;
    char *data;
    size_t size, refused = 0, accepted = 0, ways = rounds(1) < sizeof(changes) ? rounds(1) : sizeof(changes);
    uint64_t modules = 0, module_bytes = 0;
    image_write(image, &data, &size);
    assert_true(find_section(data, "modules", &modules, &module_bytes));
    pop_option checked[] = { { "debug.checkedExecution", "true" } };
    for (size_t i = 0; i < size - 16; ++i) {
        if (i >= modules && i < modules + module_bytes)
            continue;
        for (size_t way = 0; way < ways; ++way) {
            size_t c = (i + way) % sizeof(changes);
            data[i] ^= (char)changes[c];
            seal(data, size);
            if (image_read("x.exe", data, size, &read, NULL) == POP_OK) {
                ++accepted;
                module_release(read->modules.data[0]); /* one that is linked already */
                read->modules.data[0] = module_retain(image->modules.data[0]);
                run_all(read, POP_NO_OPTIONS);
                if (c == 0)
                    run_all(read, (pop_options){ checked, 1 });
                image_release(read);
            } else {
                ++refused;
            }
            data[i] ^= (char)changes[c];
        }
    }
    assert_true(refused > 1000 && accepted > 100);
    free(data);
    image_release(image);
}

/* More of them; false when there is none of that number. */
static bool break_another(struct image *image, unsigned rule, const char **words)
{
    switch (rule) {
    case 0: /* more cases than there are */
        for (size_t i = 0; i < image->ops.count; ++i)
            image->ops.data[i].c += image->ops.data[i].kind == OP_SWITCH;
        break;
    case 1: /* the digits of a move end one behind their array */
        image->moves.data[0].first_digit += 1;
        *words = "digits of a move";
        break;
    case 2:
        image->model.sets.data[0].parts += 2;
        *words = "parts of a modelled set";
        break;
    case 3:
        image->model.shares.data[0].type = (uint32_t)image->model.types.count;
        *words = "vertices of a set are of type 1 of 1";
        break;
    case 4:
        image->model.shares.data[0].active = UINT64_MAX;
        *words = "vertices of a set";
        break;
    case 5:
        image->model.types.data[0].estimate = MODEL_ESTIMATES;
        break;
    case 6: /* the clock of the tile behind the last */
        image->ops.data[0] = (struct image_op){ .kind = OP_STAMP, .a = 0, .c = pop_target_num_tiles(&image->target) };
        *words = "reads the clock of tile";
        break;
    case 7:
        image->groups.data[0].count = UINT64_MAX;
        break;
    default:
        return false;
    }
    return true;
}

/* Rules that a byte's change rarely meets, each broken by itself. */
static void each_rule_is_checked(void **state)
{
    (void)state;
    for (unsigned rule = 0;; ++rule) {
        struct image *image = make();
        const char *words = "damaged";
        bool last = false;
        switch (rule) {
        case 0:
            image->moves.data[0].source = image->storage_bytes;
            words = "leaves its block";
            break;
        case 1:
            image->move_digits.data[0].source = INT64_MIN;
            break;
        case 2:
            image->move_digits.data[0].extent = UINT64_MAX;
            break;
        case 3:
            image->copies.data[0].bytes += 1;
            break;
        case 4:
            image->copies.data[0].first_move = UINT64_MAX;
            break;
        case 5:
            image->ops.data[image->ops.count - 1].kind = OP_STEP;
            words = "last op";
            break;
        case 6:
            image->ops.data[0].kind = OP_KINDS;
            break;
        case 7:
            image->programs.data[0] = (uint32_t)image->ops.count;
            break;
        case 8: { /* a row's pointer leads into the vertex's own state */
            uint64_t own = IMAGE_REF(BLOCK_STATE, 0);
            memcpy(image->states.data + 24, &own, 8);
            words = "overlaps";
            break;
        }
        case 9: { /* an input longer than the scratch block */
            uint64_t long_size = 17;
            memcpy(image->states.data + 8, &long_size, 8);
            words = "'in' leaves its block";
            break;
        }
        case 10: { /* size * 4 overflows */
            uint64_t size = ((uint64_t)1 << 62) + 1;
            memcpy(image->states.data + 8, &size, 8);
            break;
        }
        case 11: { /* an edge to the states */
            uint64_t own = IMAGE_REF(BLOCK_STATE, 0);
            memcpy(image->states.data + 16, &own, 8);
            words = "'out'";
            break;
        }
        case 12: /* two vertices in one place */
            image->groups.data[0].count = 2;
            image->sets.data[0].vertices = 2;
            image->groups.data[0].stride = 0;
            break;
        case 13:
            image->gathers.data[0].vertex_in_set = 1;
            break;
        case 14:
            image->gathers.data[0].scratch = 60;
            break;
        case 15:
            image->initials.data[1].times = 1000;
            break;
        case 16:
            image->initials.data[0].times = UINT64_MAX;
            break;
        case 17:
            image->edge_bytes.data[0] = 65;
            break;
        case 18:
            image->edge_bytes.count = 4;
            break;
        case 19:
            image->edge_bytes.data[2] = 3;
            words = "another number of edges";
            break;
        case 20:
            image->dims.data[0] = 2;
            break;
        case 21:
            image->streams.data[0].direction = POP_DEVICE_TO_HOST_FIFO;
            break;
        case 22:
            image->remotes.data[0].repeats = UINT64_MAX / 4;
            break;
        case 23:
            image->strings.data[image->strings.count - 1] = 'x';
            words = "not terminated";
            break;
        case 24:
            image->host_functions.data[0].inputs = 2;
            break;
        case 25:
            image->codelets.data[0].index = 1;
            break;
        case 26:
            image->groups.data[0].first_vertex_in_set = 1;
            break;
        case 27:
            image->sets.data[0].missing_estimate = (uint32_t)image->strings.count;
            break;
        case 28:
            memset(&image->prints.data[0].format.guide, 2, 1);
            break;
        case 29:
            image->storage_bytes = UINT64_MAX;
            break;
        default:
            last = !break_another(image, rule - 30, &words);
        }
        char *data;
        size_t size;
        struct image *read;
        image_write(image, &data, &size);
        if (!last)
            assert_fails(image_read("x.exe", data, size, &read, error), POP_FILE_LOAD_ERROR, words);
        free(data);
        image_release(image);
        if (last)
            return;
    }
}

/* The modelled program: damages one thing; false when there are no more. */
static bool break_model(struct model *m, unsigned rule)
{
    uint32_t *broken[] = { &m->steps.data[4].index,
                           &m->steps.data[5].index,
                           &m->steps.data[10].index,
                           &m->steps.data[1].index,
                           &m->steps.data[9].index,
                           &m->steps.data[0].name,
                           &m->steps.data[0].children,
                           &m->steps.data[2].first_child,
                           &m->children.data[3],
                           &m->controls.data[0],
                           &m->functions.data[0],
                           &m->entry.data[0],
                           &m->op_steps.data[4],
                           &m->op_first.data[1],
                           &m->op_first.data[0],
                           &m->types.data[0].name,
                           &m->sets.data[0].name,
                           &m->sets.data[0].parts,
                           &m->sets.data[0].shares,
                           &m->parts.data[0].tile,
                           &m->parts.data[1].tiles,
                           &m->shares.data[0].type,
                           &m->exchanges.data[0].flows,
                           &m->flows.data[1].tile,
                           &m->flows.data[1].tiles,
                           &m->metrics.data[0].name,
                           &m->uses.data[0].tile,
                           &m->uses.data[1].tiles,
                           &m->set_vertices.data[0].of,
                           &m->type_vertices.data[0].of,
                           &m->type_vertices.data[0].tiles,
                           &m->live.data[0].name,
                           &m->live_lists.data[1].count,
                           &m->step_live.data[1] };
    enum { BROKEN = sizeof(broken) / sizeof(broken[0]) };
    if (rule < BROKEN) {
        *broken[rule] = 0x7fffffff;
        return true;
    }
    switch (rule - BROKEN) {
    case 0: /* a cycle through the function */
        m->functions.data[0] = 0;
        return true;
    case 1:
        m->children.data[5] = 2;
        return true;
    case 2: /* entry and ops go through leaves alone */
        m->entry.data[0] = 0;
        return true;
    case 3:
        m->op_steps.data[0] = 3;
        return true;
    case 4:
        m->op_first.count -= 1;
        return true;
    case 5: /* two runs on one tile */
        m->parts.data[1].tile = 2;
        return true;
    case 6:
        m->flows.data[0].tiles = 0;
        return true;
    case 7:
        m->parts.data[0].cycles = UINT64_MAX;
        return true;
    case 8:
        m->uses.data[1].category = 0;
        return true;
    case 9:
        m->uses.data[0].region = MODEL_REGIONS;
        return true;
    case 10:
        m->steps.data[0].kind = MODEL_KINDS;
        return true;
    case 11:
        m->steps.data[7].detail = 2;
        return true;
    default:
        return false;
    }
}

static void each_rule_of_the_model_is_checked(void **state)
{
    (void)state;
    for (unsigned rule = 0;; ++rule) {
        struct image *image = make(), *read;
        bool more = break_model(&image->model, rule);
        char *data;
        size_t size;
        image_write(image, &data, &size);
        if (more)
            assert_fails(image_read("x.exe", data, size, &read, error), POP_FILE_LOAD_ERROR, "damaged");
        free(data);
        image_release(image);
        if (!more)
            return;
    }
}

static void files_on_disk(void **state)
{
    (void)state;
    pop_executable executable = { .image = make() }, *read;
    char path[] = "engine-test-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(pop_executable_save(&executable, path, NULL), POP_OK);
    assert_int_equal(pop_executable_load(path, &read, NULL), POP_OK);
    assert_int_equal(pop_executable_num_programs(read), 1);
    assert_true(pop_target_equal(pop_executable_target(read), &executable.image->target));
    pop_executable_destroy(read);
    FILE *file = fopen(path, "r+b");
    assert_int_equal(pop_executable_write(&executable, file, NULL), POP_OK);
    rewind(file);
    assert_int_equal(pop_executable_read(file, &read, NULL), POP_OK);
    pop_executable_destroy(read);
    assert_int_equal(ftruncate(fileno(file), 100), 0);
    fclose(file);
    assert_fails(pop_executable_load(path, &read, error), POP_FILE_LOAD_ERROR, path);
    remove(path);
    assert_fails(pop_executable_load(path, &read, error), POP_FILE_LOAD_ERROR, path);
    assert_fails(pop_executable_load(NULL, &read, error), POP_FILE_LOAD_ERROR, "NULL");
    assert_fails(pop_executable_read(NULL, &read, error), POP_FILE_LOAD_ERROR, "NULL");
    assert_fails(pop_executable_save(NULL, path, error), POP_POPLAR_ERROR, "NULL");
    assert_fails(pop_executable_save(&executable, "/nonexistent/x", error), POP_POPLAR_ERROR, "/nonexistent/x");
    assert_fails(pop_executable_write(&executable, NULL, error), POP_POPLAR_ERROR, "NULL");
    assert_int_equal(pop_executable_num_programs(NULL), 0);
    assert_null(pop_executable_target(NULL));
    pop_executable_destroy(NULL);
    image_release(executable.image);
}

static int setup(void **state)
{
    (void)state;
    device = pop_ipu_model_create_device(&(pop_ipu_model){ .version = "ipu2", .tiles_per_ipu = 16 },
                                         NULL); /* few tiles: thousands of runs */
    const struct codelet_field fields[] = { build_field("in", FIELD_INPUT, SHAPE_VECTOR, POP_INT, 0),
                                            build_field("out", FIELD_OUTPUT, SHAPE_SCALAR, POP_INT, 16),
                                            build_field("rows", FIELD_INPUT, SHAPE_VECTORS, POP_INT, 24) };
    module = build_module(source);
    build_codelet(module, "SumVertex", "run_sum", VERTEX_WORKER, 40, fields, 3);
    nowhere = tmpfile();
    return nowhere ? pthread_create(&watcher, NULL, watch, NULL) : 1;
}

static int teardown(void **state)
{
    (void)state;
    pthread_mutex_lock(&running_lock);
    watching = false;
    pthread_mutex_unlock(&running_lock);
    pthread_join(watcher, NULL);
    fclose(nowhere);
    module_release(module);
    pop_device_destroy(device);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_written_comes_back),
        cmocka_unit_test(truncated_files_are_refused_at_every_length),
        cmocka_unit_test(altered_files_are_refused_whatever_the_byte),
        cmocka_unit_test(forged_files_cannot_make_the_engine_leave_its_memory),
        cmocka_unit_test(each_rule_is_checked),
        cmocka_unit_test(each_rule_of_the_model_is_checked),
        cmocka_unit_test(files_on_disk),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
