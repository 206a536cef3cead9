/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs for the compiler's tests: vertex types are declared by hand, so that no codelet compiler is needed. */
#ifndef TEST_COMPILER_FIXTURE_H
#define TEST_COMPILER_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "compiler/common/compiler.h"
#include "compiler/pipeline.h"
#include "graph/graph.h"
#include "graph/store/store.h"
#include "popc/module/module.h"

#include <poplar/poplar.h>

static inline struct codelet_field make_field(const char *name, int direction, int shape, unsigned offset, bool size,
                                              unsigned alignment)
{
    return (struct codelet_field){ .name = name,
                                   .direction = (uint8_t)direction,
                                   .shape = (uint8_t)shape,
                                   .type = POP_FLOAT,
                                   .has_size = size,
                                   .inner_has_size = shape == SHAPE_VECTORS,
                                   .alignment = alignment,
                                   .offset = offset,
                                   .bytes = direction == FIELD_STATE && shape == SHAPE_SCALAR ? 4
                                            : size                                            ? 16
                                                                                              : 8,
                                   .inner_stride = shape == SHAPE_VECTORS   ? 16
                                                   : shape == SHAPE_SCALARS ? 8
                                                                            : 0 };
}

static inline void add_codelet(struct module *module, const char *name, unsigned state_bytes,
                               const struct codelet_field *fields, uint32_t count)
{
    struct codelet *codelet = &module->codelets[module->codelet_count++];
    struct codelet_field *copy = arena_alloc(&module->arena, count * sizeof(*copy));
    unsigned char *defaults = arena_alloc(&module->arena, state_bytes);
    memcpy(copy, fields, count * sizeof(*copy));
    memset(defaults, 0, state_bytes);
    *codelet = (struct codelet){ .name = name,
                                 .state_bytes = state_bytes,
                                 .state_alignment = 8,
                                 .fields = copy,
                                 .field_count = count,
                                 .defaults = defaults,
                                 .symbol = "",
                                 .module = module };
}

/* Sum: in vector, out scalar.  Map: in vector, out vector.  Scale: data InOut vector.  Wide: in aligned to 16.
 * Scalar: out scalar.  Sink: in vector.  Fill and popops::Fill: out vector.
 * Rows: in vector of vectors, taps vector state (pointer alone), gain scalar state, out.  Two: a and b Output vectors.
 * Join: in and other vectors, out vector.  Pass: in scalar, out scalar.
 */
static inline struct module *make_module(void)
{
    struct module *module = module_create("test", 1);
    module->codelets = arena_alloc(&module->arena, 12 * sizeof(*module->codelets));
    struct codelet_field sum[] = { make_field("in", FIELD_INPUT, SHAPE_VECTOR, 0, true, 4),
                                   make_field("out", FIELD_OUTPUT, SHAPE_SCALAR, 16, false, 4) };
    struct codelet_field map[] = { make_field("in", FIELD_INPUT, SHAPE_VECTOR, 0, true, 4),
                                   make_field("out", FIELD_OUTPUT, SHAPE_VECTOR, 16, true, 4) };
    struct codelet_field scale[] = { make_field("data", FIELD_INOUT, SHAPE_VECTOR, 0, true, 4) };
    struct codelet_field wide[] = { make_field("in", FIELD_INPUT, SHAPE_VECTOR, 0, true, 16),
                                    make_field("out", FIELD_OUTPUT, SHAPE_SCALAR, 16, false, 4) };
    struct codelet_field rows[] = { make_field("in", FIELD_INPUT, SHAPE_VECTORS, 0, true, 4),
                                    make_field("taps", FIELD_STATE, SHAPE_VECTOR, 16, false, 4),
                                    make_field("gain", FIELD_STATE, SHAPE_SCALAR, 24, false, 4),
                                    make_field("out", FIELD_OUTPUT, SHAPE_SCALARS, 32, false, 4) };
    struct codelet_field two[] = { make_field("a", FIELD_OUTPUT, SHAPE_VECTOR, 0, true, 4),
                                   make_field("b", FIELD_OUTPUT, SHAPE_VECTOR, 16, true, 4) };
    struct codelet_field join[] = { make_field("in", FIELD_INPUT, SHAPE_VECTOR, 0, true, 4),
                                    make_field("other", FIELD_INPUT, SHAPE_VECTOR, 16, true, 4),
                                    make_field("out", FIELD_OUTPUT, SHAPE_VECTOR, 32, true, 4) };
    struct codelet_field scalar[] = { make_field("out", FIELD_OUTPUT, SHAPE_SCALAR, 0, false, 4) };
    struct codelet_field sink[] = { make_field("in", FIELD_INPUT, SHAPE_VECTOR, 0, true, 4) };
    struct codelet_field fill[] = { make_field("out", FIELD_OUTPUT, SHAPE_VECTOR, 0, true, 4) };
    struct codelet_field pass[] = { make_field("in", FIELD_INPUT, SHAPE_SCALAR, 0, false, 4),
                                    make_field("out", FIELD_OUTPUT, SHAPE_SCALAR, 8, false, 4) };
    add_codelet(module, "Sum", 24, sum, 2);
    add_codelet(module, "Map", 32, map, 2);
    add_codelet(module, "Scale", 16, scale, 1);
    add_codelet(module, "Wide", 24, wide, 2);
    add_codelet(module, "Rows", 40, rows, 4);
    add_codelet(module, "Two", 32, two, 2);
    add_codelet(module, "Scalar", 8, scalar, 1);
    add_codelet(module, "Sink", 16, sink, 1);
    add_codelet(module, "Fill", 16, fill, 1);
    add_codelet(module, "popops::Fill", 16, fill, 1);
    add_codelet(module, "Join", 48, join, 3);
    add_codelet(module, "Pass", 16, pass, 2);
    return module;
}

struct fixture {
    pop_graph *graph;
    struct image *image;
    struct option_set options;
    pop_error error;
};

static inline void begin(struct fixture *f)
{
    memset(f, 0, sizeof(*f));
    pop_target target;
    assert_int_equal(pop_target_create_ipu(1, "ipu1", &target, &f->error), POP_OK);
    target.type = POP_TARGET_IPU_MODEL; /* graphs that exceed tile memory are compiled too */
    f->graph = pop_graph_create(&target);
    assert_true(store_add_module(f->graph->store, POP_HERE, "test", make_module()));
}

static inline void end(struct fixture *f)
{
    image_release(f->image);
    pop_graph_destroy(f->graph);
    options_free(&f->options);
}

/* progress: NULL for none. */
static inline pop_status compile_watched(struct fixture *f, const pop_program *programs, size_t count,
                                         pop_progress progress, void *user)
{
    const struct compile_request request = { f->graph->store, { count, programs }, &f->options, true, progress, user };
    return compile_graph(&request, &f->image, &f->error);
}

static inline pop_status compile_programs(struct fixture *f, const pop_program *programs, size_t count)
{
    return compile_watched(f, programs, count, NULL, NULL);
}

static inline pop_status compile(struct fixture *f, pop_program program)
{
    const pop_error *building = pop_graph_error(f->graph);
    if (building)
        fail_msg("building failed: %s", building->text);
    image_release(f->image);
    return compile_programs(f, &program, 1);
}

static inline void compiled(struct fixture *f, pop_program program)
{
    if (compile(f, program) != POP_OK)
        fail_msg("compiling failed: %s", f->error.text);
}

/* Compiling fails with this kind of error and this text. */
static inline void refused(struct fixture *f, pop_program program, pop_status status, const char *text)
{
    assert_int_equal(compile(f, program), status);
    assert_true(!f->image || (status == POP_GRAPH_MEMORY_ALLOCATION_ERROR &&
                              f->image->model.tiles.count)); /* kept for a memory report */
    image_release(f->image);
    f->image = NULL;
    if (!strstr(f->error.text, text))
        fail_msg("'%s' does not contain '%s'", f->error.text, text);
}

static inline pop_tensor variable(struct fixture *f, size_t elements, unsigned tile, const char *name)
{
    pop_tensor t = pop_graph_add_variable(f->graph, POP_FLOAT, POP_SHAPE(elements), name);
    pop_graph_set_tile_mapping(f->graph, t, tile);
    return t;
}

static inline pop_vertex vertex(struct fixture *f, pop_compute_set set, const char *type, unsigned tile,
                                uint64_t cycles)
{
    pop_vertex v = pop_graph_add_vertex(f->graph, set, type);
    pop_graph_map_vertex(f->graph, v, tile);
    if (cycles)
        pop_graph_set_perf_estimate(f->graph, v, cycles, 0);
    return v;
}

/* A vertex with fields in and out. */
static inline pop_vertex in_out(struct fixture *f, pop_compute_set set, const char *type, unsigned tile, pop_tensor in,
                                pop_tensor out)
{
    pop_vertex v = vertex(f, set, type, tile, 10);
    pop_graph_connect(f->graph, v, "in", in);
    pop_graph_connect(f->graph, v, "out", out);
    return v;
}

static inline uint64_t state_word(const struct fixture *f, uint64_t at)
{
    uint64_t word;
    assert_true(at + 8 <= f->image->states.count);
    memcpy(&word, f->image->states.data + at, sizeof(word));
    return word;
}

/* The bytes that a tile sends and receives in an exchange of the model. */
struct tile_traffic {
    uint64_t sent, received, cycles;
};
static inline struct tile_traffic traffic_of(const struct fixture *f, size_t exchange, uint32_t tile)
{
    const struct model *model = &f->image->model;
    if (exchange >= model->exchanges.count)
        return (struct tile_traffic){ 0 };
    const struct model_exchange *e = &model->exchanges.data[exchange];
    for (uint64_t i = e->first_flow; i < e->first_flow + e->flows; ++i)
        if (tile >= model->flows.data[i].tile && tile - model->flows.data[i].tile < model->flows.data[i].tiles)
            return (struct tile_traffic){ model->flows.data[i].sent, model->flows.data[i].received,
                                          model->flows.data[i].cycles };
    return (struct tile_traffic){ 0 };
}

#endif
