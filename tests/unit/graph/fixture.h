/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the tests of the graph: a graph on a small machine, vertex types without a compiler, and the check of an
 * error. */
#ifndef TESTS_GRAPH_FIXTURE_H
#define TESTS_GRAPH_FIXTURE_H

#include "graph/graph.h"
#include "graph/store/store.h"

#include <poplar/poplar.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static const struct codelet_field add_fields[] = {
    { .name = "a", .direction = FIELD_INPUT, .shape = SHAPE_SCALAR, .type = POP_FLOAT },
    { .name = "b", .direction = FIELD_INPUT, .shape = SHAPE_SCALAR, .type = POP_FLOAT },
    { .name = "c", .direction = FIELD_OUTPUT, .shape = SHAPE_SCALAR, .type = POP_FLOAT },
};
static const struct codelet_field mix_fields[] = {
    { .name = "in", .direction = FIELD_INPUT, .shape = SHAPE_VECTOR, .type = POP_FLOAT },
    { .name = "io", .direction = FIELD_INOUT, .shape = SHAPE_VECTOR, .type = POP_FLOAT, .layout = LAYOUT_SHORT_SPAN },
    { .name = "rows", .direction = FIELD_INPUT, .shape = SHAPE_VECTORS, .type = POP_FLOAT },
    { .name = "list",
      .direction = FIELD_OUTPUT,
      .shape = SHAPE_VECTOR_LIST,
      .type = POP_HALF,
      .inner_layout = LIST_COMPACT_DELTAN },
    { .name = "ins", .direction = FIELD_INPUT, .shape = SHAPE_SCALARS, .type = POP_INT },
    { .name = "chars", .direction = FIELD_INPUT, .shape = SHAPE_VECTOR, .type = POP_SIGNED_CHAR },
    { .name = "n", .direction = FIELD_STATE, .shape = SHAPE_SCALAR, .type = POP_UNSIGNED_SHORT, .offset = 0 },
    { .name = "scale", .direction = FIELD_STATE, .shape = SHAPE_SCALAR, .type = POP_HALF, .offset = 2 },
    { .name = "wide", .direction = FIELD_STATE, .shape = SHAPE_SCALAR, .type = POP_LONGLONG, .offset = 8 },
    { .name = "table", .direction = FIELD_STATE, .shape = SHAPE_VECTOR, .type = POP_INT },
    { .name = "tables", .direction = FIELD_STATE, .shape = SHAPE_VECTORS, .type = POP_UNSIGNED_CHAR },
};

static inline struct module *fixture_module(const char *file, const char *code)
{
    static const unsigned char defaults[64] = { 7 };
    struct module *module = MEM_NEW(struct module);
    module->references = 1;
    module->name = arena_string(&module->arena, file);
    module->objects = arena_alloc(&module->arena, sizeof(*module->objects));
    module->objects[0] = (struct module_object){ .data = (const unsigned char *)code, .size = strlen(code) };
    module->object_count = 1;
    module->codelet_count = 2;
    module->codelets = arena_alloc(&module->arena, 2 * sizeof(*module->codelets));
    module->codelets[0] =
        (struct codelet){ .name = "Add", .fields = (struct codelet_field *)add_fields, .field_count = 3 };
    module->codelets[1] = (struct codelet){ .name = "test::Mix<float>", .fields = (struct codelet_field *)mix_fields };
    module->codelets[1].field_count = sizeof(mix_fields) / sizeof(mix_fields[0]);
    for (int i = 0; i < 2; ++i) {
        module->codelets[i].defaults = defaults;
        module->codelets[i].module = module;
    }
    return module;
}

static inline pop_graph *fixture_graph(unsigned ipus, unsigned tiles)
{
    pop_target target;
    assert_int_equal(pop_target_create_ipu(ipus, "ipu2", &target, NULL), POP_OK);
    target.tiles_per_ipu = tiles;
    pop_graph *graph = pop_graph_create(&target);
    assert_null(pop_graph_error(graph));
    assert_true(store_add_module(graph->store, NO_WHERE, "test", fixture_module("fixture.gp", "code")));
    return graph;
}

/* The pending error has this kind, these words and the caller's file; the check takes it. */
static inline void expect_error(pop_graph *graph, pop_status status, const char *words, const char *file)
{
    pop_error error;
    pop_graph_take_error(graph, &error);
    if (error.status != status || !strstr(error.text, words) ||
        (file && (!error.where.file || strcmp(error.where.file, file) != 0)))
        fail_msg("expected %s with '%s' at %s, got %s: '%s' at %s (%s)", pop_status_name(status), words,
                 file ? file : "", pop_status_name(error.status), error.text, error.where.file ? error.where.file : "",
                 error.api);
    assert_true(error.api[0]);
}
#define EXPECT_ERROR(graph, status, words) expect_error(graph, status, words, __FILE__)

static inline void expect_no_error(pop_graph *graph)
{
    const pop_error *error = pop_graph_error(graph);
    if (error)
        fail_msg("unexpected %s: %s", pop_status_name(error->status), error->text);
}

#endif
