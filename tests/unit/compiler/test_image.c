/* SPDX-License-Identifier: Apache-2.0 */
/* What the image holds: vertex states and their references, gathers, ops, costs, initial contents. */
#include "compiler/pipeline.h"
#include "fixture.h"
#include "graph/graph.h"

static uint64_t storage_of(const struct fixture *f, const char *name)
{
    for (size_t i = 0; i < f->image->variables.count; ++i)
        if (strcmp(image_string(f->image, f->image->variables.data[i].name), name) == 0)
            return f->image->variables.data[i].offset;
    fail_msg("no variable '%s'", name);
    return 0;
}

/* Vertices are grouped by type whatever the order of creation; references point to the variables. */
static void test_groups_and_references(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    pop_tensor a = variable(&f, 12, 0, "a"), b = variable(&f, 6, 0, "b"), c = variable(&f, 6, 0, "c");
    pop_compute_set set = pop_graph_add_compute_set(f.graph, "mixed");
    for (unsigned i = 0; i < 6; ++i) {
        in_out(&f, set, "Sum", 5 - i, pop_tensor_slice(a, 2 * i, 2 * i + 2, 0), pop_tensor_at(b, i));
        pop_graph_connect(f.graph, vertex(&f, set, "Scale", i, 1), "data", pop_tensor_slice(c, i, i + 1, 0));
    }
    compiled(&f, pop_execute(set, NULL));
    assert_int_equal(f.image->sets.count, 1);
    assert_int_equal(f.image->groups.count, 2);
    assert_string_equal(image_string(f.image, f.image->sets.data[0].name), "mixed");
    assert_int_equal(f.image->codelets.count, 2);
    assert_int_equal(f.image->modules.count, 1);
    const struct image_group *sums = &f.image->groups.data[0];
    assert_int_equal(sums->count, 6);
    assert_int_equal(f.image->groups.data[1].first_vertex_in_set, 6);
    assert_int_equal(f.image->gathers.count, 0);
    uint64_t at_a = storage_of(&f, "a"), at_b = storage_of(&f, "b");
    assert_int_equal(at_a % 64, 0);
    for (unsigned i = 0; i < 6; ++i) { /* by tile: the last one created comes first */
        uint64_t at = sums->states + i * sums->stride;
        assert_int_equal(state_word(&f, at), IMAGE_REF(BLOCK_STORAGE, at_a + (5 - i) * 8));
        assert_int_equal(state_word(&f, at + 8), 2);
        assert_int_equal(state_word(&f, at + 16), IMAGE_REF(BLOCK_STORAGE, at_b + (5 - i) * 4));
    }
    end(&f);
}

static void test_gathers(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    pop_tensor a = variable(&f, 20, 0, "a"), b = variable(&f, 20, 0, "b");
    pop_compute_set set = pop_graph_add_compute_set(f.graph, "set");
    in_out(&f, set, "Map", 0, pop_tensor_sub_sample(a, 2, 0),
           pop_tensor_sub_sample(b, 2, 0)); /* both gathered, out scattered */
    in_out(&f, set, "Map", 1, pop_tensor_slice(a, 0, 4, 0), pop_tensor_slice(b, 1, 2, 0)); /* neither */
    compiled(&f, pop_execute(set, NULL));
    assert_int_equal(f.image->gathers.count, 2);
    const struct image_gather *in = &f.image->gathers.data[0], *out = in + 1;
    assert_true(in->before && !in->after);
    assert_true(out->before && out->after);
    assert_int_equal(in->bytes, 40);
    assert_int_equal(out->scratch % 64, 0);
    assert_true(out->scratch >= 40);
    assert_true(f.image->scratch_bytes >= out->scratch + out->bytes + 64);
    assert_int_equal(state_word(&f, f.image->groups.data[0].states), IMAGE_REF(BLOCK_SCRATCH, in->scratch));
    assert_int_equal(state_word(&f, f.image->groups.data[0].states + 8), 10);
    end(&f);
}

/* Neighbours that read the same elements share what is gathered, in runs of at most 16 vertices; other elements end a
 * run. */
static void test_shared_gathers(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    pop_tensor a = variable(&f, 20, 0, "a"), b = variable(&f, 40, 0, "b");
    pop_compute_set set = pop_graph_add_compute_set(f.graph, "set");
    for (unsigned i = 0; i < 20; ++i)
        in_out(&f, set, "Map", 0, pop_tensor_sub_sample(pop_tensor_slice(a, i < 18, 20, 0), 2, 0),
               pop_tensor_slice(b, i, i + 1, 0));
    compiled(&f, pop_execute(set, NULL));
    static const unsigned owners[][2] = { { 0, 15 }, { 16, 17 }, { 18, 19 } };
    assert_int_equal(f.image->gathers.count, 3);
    for (unsigned i = 0; i < 3; ++i) {
        const struct image_gather *gather = &f.image->gathers.data[i];
        assert_int_equal(gather->vertex_in_set, owners[i][0]);
        assert_int_equal(gather->last_vertex, owners[i][1]);
        for (unsigned v = owners[i][0]; v <= owners[i][1]; ++v)
            assert_int_equal(state_word(&f, f.image->groups.data[0].states + v * f.image->groups.data[0].stride),
                             IMAGE_REF(BLOCK_SCRATCH, gather->scratch));
    }
    assert_int_equal(f.image->copies.count, 3); /* none is left of the gathers that were dropped */
    end(&f);
}

/* An Input that its own vertex writes in place is copied first; one next to the output, and an aligned one, are used
 * without a copy. */
static void test_snapshot_and_alignment(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    pop_tensor a = variable(&f, 20, 0, "a"), b = variable(&f, 20, 0, "b");
    pop_compute_set first = pop_graph_add_compute_set(f.graph, "first"),
                    second = pop_graph_add_compute_set(f.graph, "second");
    in_out(&f, first, "Map", 0, pop_tensor_slice(a, 0, 5, 0), pop_tensor_slice(a, 4, 9, 0));
    in_out(&f, first, "Map", 0, pop_tensor_slice(a, 10, 15, 0), pop_tensor_slice(a, 15, 20, 0));
    in_out(&f, second, "Wide", 0, pop_tensor_slice(a, 4, 9, 0), pop_tensor_at(b, 0));
    in_out(&f, second, "Wide", 0, pop_tensor_slice(a, 5, 9, 0), pop_tensor_at(b, 1));
    compiled(&f, pop_sequence_of(f.graph, POP_PROGRAMS(pop_execute(first, NULL), pop_execute(second, NULL)), NULL));
    assert_int_equal(f.image->sets.data[0].gathers, 1);
    assert_int_equal(f.image->gathers.data[0].vertex_in_set, 0);
    assert_int_equal(f.image->gathers.data[0].after, 0);
    assert_int_equal(f.image->sets.data[1].gathers, 1);
    assert_int_equal(f.image->gathers.data[1].vertex_in_set, 1);
    assert_int_equal(f.image->gathers.data[1].scratch, 0); /* each set can use all of the scratch memory */
    end(&f);
}

/* The same for many outputs, which are found by a search, not compared one by one: row i of 40 is written, one of them
 * is read. */
static void test_snapshot_of_many(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    struct module *module = module_create("many", 1);
    module->codelets = arena_alloc(&module->arena, sizeof(*module->codelets));
    struct codelet_field fields[] = { make_field("in", FIELD_INPUT, SHAPE_VECTOR, 0, true, 4),
                                      make_field("out", FIELD_OUTPUT, SHAPE_VECTORS, 16, true, 4) };
    add_codelet(module, "Many", 32, fields, 2);
    assert_true(store_add_module(f.graph->store, POP_HERE, "test", module));
    pop_tensor a = pop_graph_add_variable(f.graph, POP_FLOAT, POP_SHAPE(40, 10), "a");
    pop_graph_set_tile_mapping(f.graph, a, 0);
    pop_tensor rows = pop_tensor_slice(a, 0, 5, 1), flat = pop_tensor_flatten(a);
    for (unsigned begin_at = 0; begin_at < 60; ++begin_at) {
        pop_compute_set set = pop_graph_add_compute_set(f.graph, "set");
        pop_vertex v = vertex(&f, set, "Many", 0, 1);
        pop_graph_connect(f.graph, v, "in", pop_tensor_slice(flat, begin_at, begin_at + 3, 0));
        pop_graph_connect(f.graph, v, "out", rows);
        compiled(&f, pop_execute(set, NULL));
        bool meets = begin_at % 10 < 5 || begin_at % 10 + 3 > 10;
        assert_int_equal(f.image->gathers.count, meets);
    }
    end(&f);
}

static void test_tables_and_state(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    pop_tensor a = variable(&f, 20, 0, "a"), b = variable(&f, 3, 0, "b");
    pop_compute_set set = pop_graph_add_compute_set(f.graph, "set");
    pop_vertex v = vertex(&f, set, "Rows", 0, 1);
    const double taps[] = { 1.5, 2.5, -3 };
    pop_graph_connect_list(
        f.graph, v, "in",
        POP_TENSORS(pop_tensor_slice(a, 0, 7, 0), pop_tensor_slice(a, 9, 9, 0), pop_tensor_slice(a, 9, 11, 0)));
    pop_graph_set_field_vector(f.graph, v, ((pop_field){ "taps", POP_WHOLE }), POP_DOUBLE, taps, 3);
    pop_graph_set_field_double(f.graph, v, "gain", 7);
    pop_graph_set_field_double(f.graph, v, "gain", 8);
    pop_graph_connect(f.graph, v, "out", b);
    options_apply(&f.options, "engine", POP_OPTIONS({ "debug.checkedExecution", "true" }), NULL, POP_HERE, "test",
                  &f.error);
    compiled(&f, pop_execute(set, NULL));
    uint64_t at = f.image->groups.data[0].states, table = IMAGE_REF_OFFSET(state_word(&f, at));
    assert_int_equal(IMAGE_REF_BLOCK(state_word(&f, at)), BLOCK_STATE);
    assert_int_equal(state_word(&f, at + 8), 3);
    assert_int_equal(state_word(&f, table), IMAGE_REF(BLOCK_STORAGE, storage_of(&f, "a")));
    assert_int_equal(state_word(&f, table + 8), 7);
    assert_int_equal(IMAGE_REF_BLOCK(state_word(&f, table + 16)), BLOCK_STORAGE); /* empty, but a valid address */
    assert_int_equal(state_word(&f, table + 24), 0);
    assert_int_equal(state_word(&f, table + 40), 2);
    uint64_t data = IMAGE_REF_OFFSET(state_word(&f, at + 16)), out = IMAGE_REF_OFFSET(state_word(&f, at + 32));
    float values[3], gain;
    memcpy(values, f.image->states.data + data, sizeof(values));
    memcpy(&gain, f.image->states.data + at + 24, sizeof(gain));
    assert_true(values[0] == 1.5f && values[1] == 2.5f && values[2] == -3.0f && gain == 8.0f);
    assert_int_equal(state_word(&f, data - 8), 3); /* these pointers have no size */
    assert_int_equal(state_word(&f, out - 8), 3);
    assert_int_equal(state_word(&f, out + 16), IMAGE_REF(BLOCK_STORAGE, storage_of(&f, "b") + 8));
    const uint64_t bytes[] = { 3, 28, 0, 8, 3, 4, 4, 4 };
    assert_int_equal(f.image->edge_bytes.count, 8);
    assert_memory_equal(f.image->edge_bytes.data, bytes, sizeof(bytes));
    assert_int_equal(f.image->vertex_ids.count, 1);
    assert_int_equal(f.image->edge_first.data[0], 0);
    end(&f);
}

static void test_control_flow(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    pop_tensor p = pop_graph_add_variable(f.graph, POP_INT, POP_SHAPE(), "p");
    pop_graph_set_tile_mapping(f.graph, p, 0);
    pop_program sync = pop_sync(f.graph, POP_SYNC_INTERNAL, NULL), nothing = pop_sequence(f.graph, NULL);
    pop_program choice = pop_switch(p, NULL);
    pop_switch_add(choice, -4, sync);
    pop_switch_add(choice, 9, nothing);
    pop_switch_unreachable_default(choice);
    pop_program all = pop_sequence_of(f.graph,
                                      POP_PROGRAMS(pop_repeat(0, sync, NULL), pop_repeat(3, sync, NULL),
                                                   pop_if(p, sync, nothing, NULL),
                                                   pop_repeat_while_true(nothing, p, sync, NULL), choice),
                                      NULL);
    compiled(&f, all);
    const enum image_op_kind expected[] = { OP_REPEAT, OP_STEP,        OP_REPEAT_END, OP_JUMP_UNLESS, OP_STEP,
                                            OP_JUMP,   OP_JUMP_UNLESS, OP_STEP,       OP_JUMP,        OP_SWITCH,
                                            OP_STEP,   OP_JUMP,        OP_JUMP,       OP_ABORT,       OP_END };
    enum { COUNT = sizeof(expected) / sizeof(expected[0]) };
    assert_int_equal(f.image->ops.count, COUNT);
    for (unsigned i = 0; i < COUNT; ++i)
        assert_int_equal(f.image->ops.data[i].kind, expected[i]);
    const struct image_op *ops = f.image->ops.data;
    assert_int_equal(ops[0].a, 3);
    assert_int_equal(ops[0].d, 3);
    assert_int_equal(ops[2].a, 1);
    assert_int_equal(ops[3].a, 6);
    assert_int_equal(ops[5].a, 6);
    assert_int_equal(ops[6].a, 9);
    assert_int_equal(ops[8].a, 6);
    assert_int_equal(ops[9].c, 2);
    assert_int_equal(ops[11].a, 14);
    assert_int_equal(ops[12].a, 14);
    const struct image_case *cases = f.image->cases.data;
    assert_true(cases[0].value == -4 && cases[0].target == 10 && cases[1].value == 9 && cases[1].target == 12 &&
                cases[2].target == 13);
    end(&f);
}

/* A program that doubles forty times is emitted once at each level. */
static void test_shared_programs_are_called(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    pop_program program = pop_sequence_of(f.graph, POP_PROGRAMS(pop_sync(f.graph, POP_SYNC_INTERNAL, NULL)), NULL);
    for (int i = 0; i < 40; ++i)
        program = pop_sequence_of(f.graph, POP_PROGRAMS(program, program), NULL);
    compiled(&f, program);
    assert_int_equal(f.image->ops.count, 40 * 3 + 2);
    end(&f);
}

static void test_deep_nesting(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    pop_program program = pop_sync(f.graph, POP_SYNC_INTERNAL, NULL);
    for (int i = 0; i < 100000; ++i)
        program = pop_sequence_of(f.graph, POP_PROGRAMS(program), NULL);
    compiled(&f, program);
    assert_int_equal(f.image->ops.count, 2);
    for (int i = 0; i < 100000; ++i)
        program = pop_repeat(2, program, NULL);
    compiled(&f, program);
    assert_int_equal(f.image->ops.count, 200002);
    end(&f);
}

/* 13 workers of 10 cycles on one tile: 3 rounds on 6 contexts. */
static void test_compute_cost(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    pop_tensor a = variable(&f, 20, 7, "a");
    pop_compute_set set = pop_graph_add_compute_set(f.graph, "set");
    for (unsigned i = 0; i < 13; ++i)
        pop_graph_connect(f.graph, vertex(&f, set, "Scale", 7, 10), "data", pop_tensor_slice(a, i, i + 1, 0));
    compiled(&f, pop_execute(set, NULL));
    const struct model *model = &f.image->model;
    assert_int_equal(model->parts.count, 1);
    assert_int_equal(model->parts.data[0].tile, 7);
    assert_int_equal(model->parts.data[0].cycles, 6 * 30);
    assert_int_equal(model->parts.data[0].active, 130);
    assert_int_equal(model->exchanges.count, 0); /* nothing is exchanged: tiles do not wait for each other */
    pop_graph_connect(f.graph, vertex(&f, set, "Scale", 7, 0), "data", pop_tensor_slice(a, 13, 14, 0));
    compiled(&f, pop_execute(set, NULL)); /* the type's code cannot be counted: its estimate is a guess */
    assert_int_equal(f.image->sets.data[0].missing_estimate, 0);
    assert_int_equal(f.image->model.types.data[0].estimate, MODEL_GUESSED);
    assert_true(f.image->model.parts.data[0].active > 130);
    end(&f);
}

/* Estimates whose sum does not fit in the image: the call refuses a single one, the compiler the sum. */
static void test_estimates_that_are_too_large(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    pop_tensor a = variable(&f, 20, 7, "a");
    pop_compute_set set = pop_graph_add_compute_set(f.graph, "set");
    pop_vertex first = vertex(&f, set, "Scale", 7, (uint64_t)1 << 45);
    pop_graph_connect(f.graph, first, "data", pop_tensor_slice(a, 0, 1, 0));
    compiled(&f, pop_execute(set, NULL));
    image_release(f.image);
    f.image = NULL;
    pop_graph_connect(f.graph, vertex(&f, set, "Scale", 7, (uint64_t)1 << 45), "data", pop_tensor_slice(a, 1, 2, 0));
    refused(&f, pop_execute(set, NULL), POP_OVERFLOW_ERROR, "more than 2^48");
    pop_graph_set_perf_estimate(f.graph, first, ((uint64_t)1 << 48) + 1, 0);
    assert_int_equal(pop_graph_take_error(f.graph, &f.error), POP_OVERFLOW_ERROR);
    assert_non_null(strstr(f.error.text, "281474976710657"));
    end(&f);
}

/* A tile receives an element once for all of its vertices, and sends it once to all other tiles. */
static void test_exchange_cost(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    pop_tensor a = variable(&f, 100, 0, "a"), b = pop_graph_add_variable(f.graph, POP_FLOAT, POP_SHAPE(40), "b");
    pop_compute_set set = pop_graph_add_compute_set(f.graph, "set");
    for (unsigned i = 0; i < 40; ++i) {
        pop_graph_set_tile_mapping(f.graph, pop_tensor_at(b, i), i / 10 + 1);
        in_out(&f, set, "Sum", i / 10 + 1, a, pop_tensor_at(b, i));
    }
    compiled(&f, pop_execute(set, NULL));
    assert_int_equal(traffic_of(&f, 0, 0).sent, 400);
    for (unsigned tile = 1; tile <= 4; ++tile)
        assert_int_equal(traffic_of(&f, 0, tile).received, 400);
    compiled(&f, pop_copy(pop_tensor_slice(a, 0, 40, 0), b, false,
                          NULL)); /* 40 words sent, 10 received by each of four tiles */
    assert_int_equal(traffic_of(&f, 0, 0).sent, 160);
    assert_int_equal(traffic_of(&f, 0, 4).received, 40);
    compiled(&f, pop_copy(pop_tensor_slice(a, 0, 40, 0), pop_tensor_slice(a, 40, 80, 0), false, NULL));
    assert_int_equal(f.image->model.exchanges.count, 0);
    assert_int_equal(f.image->model.sets.count, 1);
    end(&f);
}

/* A tile that holds part of what it reads receives the rest once, even if the runs of its vertices overlap. */
static void test_exchange_of_overlapping_runs(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    pop_tensor a = pop_graph_add_variable(f.graph, POP_FLOAT, POP_SHAPE(90), "a"), b = variable(&f, 3, 1, "b");
    for (unsigned i = 0; i < 3; ++i)
        pop_graph_set_tile_mapping(f.graph, pop_tensor_slice(a, 30 * i, 30 * i + 30, 0), i);
    pop_compute_set narrow = pop_graph_add_compute_set(f.graph, "narrow"),
                    wide = pop_graph_add_compute_set(f.graph, "wide");
    in_out(&f, narrow, "Sum", 1, pop_tensor_slice(a, 29, 60, 0), pop_tensor_at(b, 0)); /* 1 word from tile 0 */
    in_out(&f, wide, "Sum", 1, pop_tensor_slice(a, 10, 60, 0), pop_tensor_at(b, 0));   /* 20 words from tile 0 */
    in_out(&f, wide, "Sum", 1, pop_tensor_slice(a, 15, 65, 0), pop_tensor_at(b, 1));   /* 5 more from tile 2 */
    in_out(&f, wide, "Sum", 1, pop_tensor_slice(a, 12, 63, 0), pop_tensor_at(b, 2));   /* nothing new */
    compiled(&f, pop_execute(narrow, NULL));
    assert_int_equal(traffic_of(&f, 0, 0).sent, 4);
    assert_int_equal(traffic_of(&f, 0, 1).received, 4);
    compiled(&f, pop_execute(wide, NULL));
    assert_int_equal(traffic_of(&f, 0, 0).sent, 80);
    assert_int_equal(traffic_of(&f, 0, 1).received, 100);
    end(&f);
}

static void test_initial_contents_and_handles(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    const float values[] = { 1, 2, 3 }, fill = 9;
    pop_tensor a = variable(&f, 5, 0, "a"),
               c = pop_graph_add_constant(f.graph, POP_FLOAT, POP_SHAPE(3), POP_FLOAT, values, "c");
    pop_graph_set_tile_mapping(f.graph, c, 0);
    pop_graph_set_initial_fill(f.graph, pop_tensor_slice(a, 1, 5, 0), POP_FLOAT, &fill);
    pop_graph_create_host_read(f.graph, "out", pop_tensor_reverse(a, 0));
    compiled(&f, pop_copy(c, pop_tensor_slice(a, 0, 3, 0), false, NULL));
    uint64_t at_a = storage_of(&f, "a"), at_c = storage_of(&f, "c");
    assert_int_equal(f.image->initials.count, 2);
    assert_int_equal(f.image->initials.data[0].offset, at_c);
    assert_int_equal(f.image->initials.data[0].bytes, 12);
    assert_int_equal(f.image->initials.data[1].offset, at_a + 4);
    assert_int_equal(f.image->initials.data[1].times, 4);
    assert_int_equal(f.image->reads.count, 1);
    assert_int_equal(f.image->reads.data[0].bytes, 20);
    assert_true(f.image->storage_bytes >= at_c + 12 + 64);
    end(&f);
}

/* Compiling does not modify the graph's store: compiling again gives the same bytes. */
static void test_compiling_twice(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    pop_tensor a = variable(&f, 20, 3, "a"), b = variable(&f, 20, 4, "b");
    pop_compute_set set = pop_graph_add_compute_set(f.graph, "set");
    in_out(&f, set, "Map", 0, pop_tensor_sub_sample(a, 3, 0), pop_tensor_reverse(b, 0));
    pop_program program = pop_execute(set, NULL);
    compiled(&f, program);
    struct image *first = image_retain(f.image);
    compiled(&f, program);
    assert_int_equal(first->states.count, f.image->states.count);
    assert_memory_equal(first->states.data, f.image->states.data, first->states.count);
    assert_int_equal(first->moves.count, f.image->moves.count);
    assert_memory_equal(first->moves.data, f.image->moves.data, first->moves.count * sizeof(*first->moves.data));
    image_release(first);
    end(&f);
}

static void count_progress(int done, int total, void *user)
{
    int *last = user;
    double share, before;
    assert_int_equal(done, *last + 1);
    assert_true(done <= total);
    assert_true(*pop_compile_pass(done, &share));
    assert_string_not_equal(pop_compile_pass(done, NULL), pop_compile_pass(done - 1, &before));
    assert_true(before <= share && (share == 1) >= (done == total));
    *last = done == total ? -1 : done;
}

struct cancelling {
    pop_graph *graph;
    int at, last;
};
static void cancel_at(int done, int total, void *user)
{
    struct cancelling *cancelling = user;
    assert_true(done <= total);
    cancelling->last = done;
    if (done == cancelling->at)
        pop_cancel_compilation(cancelling->graph);
}
/* No step is compiled after the one that cancels, and the graph can be compiled again. */
static void test_cancel(void **state)
{
    (void)state;
    for (int at = 1; at <= 3; ++at) {
        struct fixture f;
        begin(&f);
        pop_program program = pop_sequence(f.graph, NULL);
        struct cancelling cancelling = { f.graph, at, 0 };
        pop_executable *executable;
        assert_int_equal(pop_compile_graph(f.graph, POP_PROGRAMS(program), POP_NO_OPTIONS, cancel_at, &cancelling,
                                           &executable, &f.error),
                         POP_RUNTIME_ERROR);
        assert_non_null(strstr(f.error.text, "cancelled after step"));
        assert_int_equal(cancelling.last, at);
        assert_null(executable);
        pop_cancel_compilation(f.graph); /* none is in progress */
        assert_int_equal(
            pop_compile_graph(f.graph, POP_PROGRAMS(program), POP_NO_OPTIONS, NULL, NULL, &executable, &f.error),
            POP_OK);
        pop_executable_destroy(executable);
        end(&f);
    }
}

static void test_progress(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    pop_program program = pop_sequence(f.graph, NULL);
    int last = 0;
    assert_int_equal(compile_watched(&f, &program, 1, count_progress, &last), POP_OK);
    assert_int_equal(last, -1);
    double share = 1;
    assert_string_equal(pop_compile_pass(1000, &share), "");
    assert_true(share == 0);
    end(&f);
}

/* Calls of callbacks that change the graph being compiled are refused, and the compilation fails. */
struct changer {
    pop_graph *graph;
    pop_program program;
    pop_compute_set set;
    bool take, done;
    unsigned called;
};

static void change_graph(struct changer *m)
{
    for (int i = 0; i < 100 && !m->done; ++i) {
        pop_graph_add_variable(m->graph, POP_FLOAT, POP_SHAPE(2), "late");
        if (i == 50 && m->take)
            assert_int_equal(pop_graph_take_error(m->graph, NULL), POP_POPLAR_ERROR);
        pop_sequence_add(m->program, pop_sequence(m->graph, NULL));
        pop_graph_add_vertex(m->graph, m->set, "Sum");
    }
    ++m->called;
}

static void changing_progress(int done, int total, void *user)
{
    (void)done, (void)total;
    change_graph(user);
}

static pop_perf changing_estimator(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)vertex, (void)target;
    change_graph(user);
    return (pop_perf){ .cycles = 1 };
}

static void test_callbacks_cannot_change_the_graph(void **state)
{
    (void)state;
    for (int way = 0; way < 4; ++way) {
        struct fixture f;
        begin(&f);
        pop_compute_set set = pop_graph_add_compute_set(f.graph, "set");
        pop_vertex sum = vertex(&f, set, "Sum", 0, 0);
        pop_graph_connect(f.graph, sum, "in", variable(&f, 4, 0, "x"));
        pop_graph_connect(f.graph, sum, "out", pop_tensor_at(variable(&f, 1, 0, "y"), 0));
        pop_program program = pop_sequence(f.graph, NULL);
        pop_sequence_add(program, pop_execute(set, NULL));
        struct changer m = { f.graph, program, set, way & 1, false, 0 };
        if (way & 2)
            pop_graph_register_perf_estimator(f.graph, "Sum", changing_estimator, &m);
        size_t variables = pop_graph_num_variables(f.graph), vertices = pop_graph_num_vertices(f.graph);
        assert_int_equal(compile_watched(&f, &program, 1, way & 2 ? NULL : changing_progress, &m), POP_POPLAR_ERROR);
        assert_non_null(strstr(f.error.text, "being compiled"));
        assert_true(m.called > 0);
        assert_int_equal(pop_graph_num_variables(f.graph), variables);
        assert_int_equal(pop_graph_num_vertices(f.graph), vertices);
        assert_int_equal(pop_graph_take_error(f.graph, NULL), POP_POPLAR_ERROR);
        m.done = true;
        assert_int_equal(compile_programs(&f, &program, 1), POP_OK);
        end(&f);
    }
}

static void destroying_progress(int done, int total, void *user)
{
    (void)total;
    if (done == 2)
        pop_graph_destroy(user);
}

static void test_a_graph_destroyed_while_it_is_compiled(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    pop_program program = pop_sequence(f.graph, NULL);
    assert_int_equal(compile_watched(&f, &program, 1, destroying_progress, f.graph), POP_OK);
    f.graph = NULL;
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_groups_and_references),
        cmocka_unit_test(test_gathers),
        cmocka_unit_test(test_shared_gathers),
        cmocka_unit_test(test_snapshot_and_alignment),
        cmocka_unit_test(test_snapshot_of_many),
        cmocka_unit_test(test_tables_and_state),
        cmocka_unit_test(test_control_flow),
        cmocka_unit_test(test_shared_programs_are_called),
        cmocka_unit_test(test_deep_nesting),
        cmocka_unit_test(test_compute_cost),
        cmocka_unit_test(test_estimates_that_are_too_large),
        cmocka_unit_test(test_exchange_cost),
        cmocka_unit_test(test_exchange_of_overlapping_runs),
        cmocka_unit_test(test_initial_contents_and_handles),
        cmocka_unit_test(test_compiling_twice),
        cmocka_unit_test(test_progress),
        cmocka_unit_test(test_cancel),
        cmocka_unit_test(test_callbacks_cannot_change_the_graph),
        cmocka_unit_test(test_a_graph_destroyed_while_it_is_compiled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
