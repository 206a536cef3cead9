/* SPDX-License-Identifier: Apache-2.0 */
/* Many rows at once against loops in C: without a plan, with plans that split everything, from unsuitable layouts;
 * indices out of range. */
#include "poplibs/numeric.h"

#include <popops/codelets.h>
#include <popops/dynamic_slice.h>

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

enum { ROWS = 19, COLUMNS = 13, LOOKUPS = 23 };

static const char *const constraints[] = {
    NULL,
    "{}",
    "{\"slicedDimSplit\": 1, \"lookupSplit\": 3 , \"unslicedDimSplit\": 2}",
    "{\"slicedDimSplit\":3,\"lookupSplit\":1,\"unslicedGrainSize\":5}",
    "{\"slicedDimSplit\":4, \"lookupSplit\":2}",
    "{\"slicedDimSplit\":5, \"lookupSplit\":3, \"unslicedDimSplit\":1}",
};

/* A plan with constraint i; without one for i == 0. */
static popops_slice_plan plan_of(struct fixture *fixture, pop_type type, size_t i)
{
    if (!constraints[i] || pop_target_num_tiles(pop_graph_target(fixture->graph)) == 1)
        return (popops_slice_plan){ 0 };
    popops_slice_plan plan = popops_embedding_plan(fixture->graph, type, ROWS, COLUMNS, POP_SHAPE(5, LOOKUPS),
                                                   POP_OPTIONS({ "planConstraints", constraints[i] }));
    assert_built(fixture->graph);
    assert_int_equal(plan.lookups, LOOKUPS);
    assert_true(plan.row_splits * plan.column_splits * plan.lookup_splits <= 17);
    return plan;
}

static pop_tensor input_rows(struct fixture *fixture, pop_type type, const popops_slice_plan *plan, bool scattered)
{
    if (scattered)
        return fixture_input(fixture, type, POP_SHAPE(ROWS, COLUMNS), FIXTURE_SCATTERED);
    pop_tensor t = popops_create_sliceable_tensor_planned(fixture->graph, type, POP_SHAPE(ROWS, COLUMNS), POP_DIMS(0),
                                                          POP_SHAPE(1), plan, "t", POP_NO_OPTIONS);
    fixture_write(fixture, t, NULL, type == POP_HALF || type == POP_FLOAT ? -1 : 0,
                  type == POP_HALF || type == POP_FLOAT ? 1 : 8);
    return t;
}
static pop_tensor input_slices(struct fixture *fixture, pop_type type, const popops_slice_plan *plan, bool scattered)
{
    if (scattered)
        return fixture_input(fixture, type, POP_SHAPE(LOOKUPS, 1, COLUMNS), FIXTURE_SCATTERED);
    pop_tensor s = popops_create_slice_tensor_planned(fixture->graph, type, POP_SHAPE(ROWS, COLUMNS), POP_DIMS(0),
                                                      POP_SHAPE(1), LOOKUPS, plan, "s", POP_NO_OPTIONS);
    fixture_write(fixture, s, NULL, 0, type == POP_HALF || type == POP_FLOAT ? 1 : 8);
    return s;
}
/* Some of them more than once, and two out of range. */
static pop_tensor input_offsets(struct fixture *fixture, const popops_slice_plan *plan, double *offsets)
{
    pop_tensor t = popops_create_indices_tensor(fixture->graph, POP_DIMS(0), LOOKUPS, plan, "offsets", POP_NO_OPTIONS);
    for (size_t i = 0; i < LOOKUPS; ++i)
        offsets[i] = i == 4 ? ROWS : i == 9 ? 4294967295.0 : next_random(&fixture->random) % ROWS;
    fixture_write(fixture, t, offsets, 0, 0);
    return t;
}

static void test_slices_of_every_type_and_plan(void **state)
{
    (void)state;
    static const pop_type types[] = { POP_HALF, POP_FLOAT, POP_INT, POP_BOOL, POP_LONGLONG };
    for (enum fixture_device device = FIXTURE_CPU; device < FIXTURE_DEVICES; ++device)
        for (size_t k = 0; k < COUNT(types) * COUNT(constraints) * 2; ++k) {
            size_t c = k / 2 % COUNT(constraints);
            if (c && device == FIXTURE_CPU) /* which has one tile, and no plans */
                continue;
            pop_type type = types[k / 2 / COUNT(constraints)];
            struct fixture fixture = fixture_open(device, 17, popops_add_codelets_at);
            popops_slice_plan plan = plan_of(&fixture, type, c);
            double offsets[LOOKUPS];
            pop_tensor t = input_rows(&fixture, type, &plan, k % 2), indices = input_offsets(&fixture, &plan, offsets);
            pop_tensor out = popops_multi_slice(fixture.graph, t, indices, POP_DIMS(0), POP_SHAPE(1), fixture.program,
                                                &plan, "x", POP_NO_OPTIONS);
            assert_built(fixture.graph);
            double *got = fixture_run(&fixture, out), *given = fixture_given(&fixture, t);
            for (size_t i = 0; i < LOOKUPS * COLUMNS; ++i)
                assert_true(
                    got[i] ==
                    given[(offsets[i / COLUMNS] < ROWS ? (size_t)offsets[i / COLUMNS] : 0) * COLUMNS + i % COLUMNS]);
            fixture_close(&fixture);
        }
}

enum update { SET, ADD, MAX, MUL };

static void check_update(enum fixture_device device, pop_type type, size_t c, enum update update, bool scattered)
{
    if (c && device == FIXTURE_CPU)
        return;
    struct fixture fixture = fixture_open(device, 17, popops_add_codelets_at);
    popops_slice_plan plan = plan_of(&fixture, type, c);
    double offsets[LOOKUPS], wanted[ROWS * COLUMNS];
    pop_tensor t = input_rows(&fixture, type, &plan, scattered), s = input_slices(&fixture, type, &plan, scattered),
               indices = input_offsets(&fixture, &plan, offsets);
    pop_tensor scale = fixture_input_of(&fixture, type == POP_HALF && scattered ? POP_FLOAT : type, POP_SHAPE(1),
                                        FIXTURE_ONE_TILE, type == POP_INT ? -3 : 0.25, 2.99);
    pop_dims dims = POP_DIMS(0);
    pop_shape sizes = POP_SHAPE(1);
    double *given = fixture_given(&fixture, t), *slices = fixture_given(&fixture, s),
           factor = *fixture_given(&fixture, scale);
    memcpy(wanted, given, sizeof(wanted));
    if (update == ADD)
        popops_multi_update_add(fixture.graph, t, s, indices, scale, dims, sizes, fixture.program, &plan, "x",
                                POP_NO_OPTIONS);
    else if (update == MAX)
        popops_multi_update_max(fixture.graph, t, s, indices, dims, sizes, fixture.program, &plan, "x", POP_NO_OPTIONS);
    else if (update == MUL)
        popops_multi_update_mul(fixture.graph, t, s, indices, dims, sizes, fixture.program, &plan, "x", POP_NO_OPTIONS);
    else
        popops_multi_update(fixture.graph, t, s, indices, dims, sizes, fixture.program, &plan, "x", POP_NO_OPTIONS);
    assert_built(fixture.graph);
    for (size_t i = 0; i < LOOKUPS * COLUMNS; ++i) {
        if (offsets[i / COLUMNS] >= ROWS)
            continue;
        double *at = &wanted[(size_t)offsets[i / COLUMNS] * COLUMNS + i % COLUMNS], by = slices[i];
        *at = update == ADD ? *at + factor * by : update == MAX ? fmax(*at, by) : update == MUL ? *at * by : by;
    }
    double tolerance = update == SET || update == MAX || type == POP_INT || type == POP_UNSIGNED_INT ? 0
                       : type == POP_HALF                                                            ? 4e-3
                                                                                                     : 2e-6;
    double *got = fixture_run(&fixture, t);
    if (type == POP_UNSIGNED_INT || type == POP_INT)
        for (size_t i = 0; i < ROWS * COLUMNS; ++i)
            wanted[i] =
                type == POP_INT ? (double)(int32_t)(uint32_t)(int64_t)wanted[i] : (double)(uint32_t)(int64_t)wanted[i];
    fixture_check(got, wanted, ROWS * COLUMNS, tolerance, tolerance);
    fixture_close(&fixture);
}

static void test_updates(void **state)
{
    (void)state;
    static const pop_type types[] = { POP_HALF, POP_FLOAT, POP_BOOL, POP_UNSIGNED_SHORT };
    for (enum fixture_device device = FIXTURE_CPU; device < FIXTURE_DEVICES; ++device)
        for (size_t i = 0; i < COUNT(types); ++i)
            for (size_t c = 0; c < COUNT(constraints); ++c)
                check_update(device, types[i], c, SET, c % 2);
}

static void test_updates_that_calculate(void **state)
{
    (void)state;
    static const pop_type types[] = { POP_HALF, POP_FLOAT, POP_INT, POP_UNSIGNED_INT };
    for (enum fixture_device device = FIXTURE_CPU; device < FIXTURE_DEVICES; ++device)
        for (size_t i = 0; i < COUNT(types); ++i)
            for (size_t c = 0; c < COUNT(constraints); ++c) {
                check_update(device, types[i], c, ADD, c % 2);
                check_update(device, types[i], c, c % 3 ? MAX : ADD, c % 2 == 0);
                check_update(device, types[i], c, MUL, c % 2);
            }
}

/* A dimension other than the first, of a tensor of rank 3; and slices with indices out of range. */
static void test_other_dims(void **state)
{
    (void)state;
    static const double places[] = { 4, 0, 6, 2, 2 };
    static const double pairs[] = { 1, 3, 0, 4, 2, 0, 1, 1 };
    for (enum fixture_device device = FIXTURE_CPU; device < FIXTURE_DEVICES; ++device)
        for (int one_by_one = 0; one_by_one < 2; ++one_by_one)
            for (size_t n = 2; n <= 4; n += 2) {
                struct fixture fixture = fixture_open(device, 5, popops_add_codelets_at);
                pop_tensor t = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(3, 7, 5), FIXTURE_SCATTERED), out, s;
                pop_tensor indices = pop_graph_add_variable(fixture.graph, POP_UNSIGNED_INT,
                                                            POP_SHAPE(n, 1 + (size_t)one_by_one), "indices");
                fixture_map(&fixture, indices, FIXTURE_LINEAR);
                fixture_write(&fixture, indices, one_by_one ? pairs : places, 0, 0);
                size_t size[3] = { one_by_one ? 1 : 3, one_by_one ? 2 : 1, 5 };
                s = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(n, size[0], size[1], 5), FIXTURE_SCATTERED);
                pop_dims dims = one_by_one ? POP_DIMS(0, 1) : POP_DIMS(1);
                pop_shape sizes = one_by_one ? POP_SHAPE(1, 2) : POP_SHAPE(1);
                out = popops_multi_slice(fixture.graph, t, indices, dims, sizes, fixture.program, NULL, "slice",
                                         POP_NO_OPTIONS);
                popops_multi_update(fixture.graph, t, s, indices, dims, sizes, fixture.program, NULL, "update",
                                    POP_NO_OPTIONS);
                assert_built(fixture.graph);
                assert_int_equal(pop_tensor_rank(out), 4);
                double *given = fixture_given(&fixture, t), *by = fixture_given(&fixture, s), *results[2], wanted[105];
                memcpy(wanted, given, sizeof(wanted));
                fixture_run_all(&fixture, (const pop_tensor[]){ out, t }, results, 2);
                for (size_t i = 0; i < n * size[0] * size[1] * 5; ++i) {
                    size_t which = i / (size[0] * size[1] * 5), a = i / (size[1] * 5) % size[0], b = i / 5 % size[1];
                    size_t at = ((a + (one_by_one ? (size_t)pairs[2 * which] : 0)) * 7 + b +
                                 (size_t)(one_by_one ? pairs[2 * which + 1] : places[which])) *
                                    5 +
                                i % 5;
                    assert_true(results[0][i] == given[at]);
                    wanted[at] = by[i];
                }
                fixture_check(results[1], wanted, 105, 0, 0);
                fixture_close(&fixture);
            }
}

/* The run ends with an error only if an option of the call or of the plan is set. */
static void test_checked_indices(void **state)
{
    (void)state;
    for (unsigned test = 0; test < 2 * 2 * 4; ++test) {
        bool bad = test % 2, by_plan = test / 2 % 2;
        unsigned kind = test / 4;
        struct fixture fixture = fixture_open(FIXTURE_MODEL, 4, popops_add_codelets_at);
        pop_options options = POP_OPTIONS({ "validateIndices", "true" }), none = POP_NO_OPTIONS;
        popops_slice_plan plan =
            popops_embedding_plan(fixture.graph, POP_FLOAT, 6, 5, POP_SHAPE(3), by_plan ? options : none);
        pop_tensor t = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(6, 5), FIXTURE_LINEAR),
                   s = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(3, 1, 5), FIXTURE_LINEAR);
        pop_tensor indices = pop_graph_add_variable(fixture.graph, POP_UNSIGNED_INT, POP_SHAPE(3, 1), "indices");
        fixture_map(&fixture, indices, FIXTURE_LINEAR);
        fixture_write(&fixture, indices, (double[]){ 0, 5, bad ? 6 : 2 }, 0, 0);
        pop_tensor scale = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(1), FIXTURE_LINEAR);
        const popops_slice_plan *use = by_plan ? &plan : NULL;
        if (kind == 0)
            popops_multi_slice(fixture.graph, t, indices, POP_DIMS(0), POP_SHAPE(1), fixture.program, use, "look",
                               by_plan ? none : options);
        else if (kind == 1)
            popops_multi_update(fixture.graph, t, s, indices, POP_DIMS(0), POP_SHAPE(1), fixture.program, use, "look",
                                by_plan ? none : options);
        else if (kind == 2)
            popops_multi_update_add(fixture.graph, t, s, indices, scale, POP_DIMS(0), POP_SHAPE(1), fixture.program,
                                    use, "look", by_plan ? none : options);
        else
            popops_multi_slice(fixture.graph, pop_tensor_transpose(t), indices, POP_DIMS(1), POP_SHAPE(1),
                               fixture.program, NULL, "look", options);
        pop_error error;
        pop_graph_create_host_write(fixture.graph, "indices", indices);
        assert_built(fixture.graph);
        fixture.engine = pop_engine_create(fixture.graph, POP_PROGRAMS(fixture.program), POP_NO_OPTIONS, &error);
        assert_non_null(fixture.engine);
        assert_int_equal(pop_engine_load(fixture.engine, fixture.device, &error), POP_OK);
        assert_int_equal(
            pop_engine_write_tensor(fixture.engine, "indices", (unsigned[]){ 0, 5, bad ? 6 : 2 }, POP_WHOLE, &error),
            POP_OK);
        pop_status status = pop_engine_run(fixture.engine, 0, &error);
        if (bad) {
            assert_int_equal(status, POP_APPLICATION_RUNTIME_ERROR);
            if (!strstr(error.text, "\"look\": an index is out of range") || !strstr(error.text, "validateIndices"))
                fail_msg("%s", error.text);
        } else {
            assert_int_equal(status, POP_OK);
        }
        fixture_close(&fixture);
    }
}

static void test_empty_tensors_and_errors(void **state)
{
    (void)state;
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 4, popops_add_codelets_at);
    pop_tensor t = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(6, 5), FIXTURE_LINEAR),
               s = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(3, 1, 5), FIXTURE_LINEAR);
    pop_tensor indices = fixture_input_of(&fixture, POP_UNSIGNED_INT, POP_SHAPE(3, 1), FIXTURE_LINEAR, 0, 6),
               scale = fixture_input(&fixture, POP_INT, POP_SHAPE(1), FIXTURE_LINEAR);
    pop_dims dims = POP_DIMS(0);
    pop_shape sizes = POP_SHAPE(1);
    pop_tensor none = popops_multi_slice(fixture.graph, t, pop_tensor_slice(indices, 0, 0, 0), dims, sizes,
                                         fixture.program, NULL, "x", POP_NO_OPTIONS);
    assert_int_equal(pop_tensor_dim(none, 2), 5);
    none = popops_multi_slice(fixture.graph, pop_tensor_slice(t, 0, 0, 0), indices, dims, POP_SHAPE(0), fixture.program,
                              NULL, "x", POP_NO_OPTIONS);
    assert_int_equal(pop_tensor_num_elements(none), 0);
    popops_multi_slice(fixture.graph, pop_tensor_slice(t, 0, 0, 1), indices, dims, sizes, fixture.program, NULL, "x",
                       POP_NO_OPTIONS);
    popops_slice_plan nothing = popops_embedding_plan(fixture.graph, POP_HALF, 0, 5, POP_SHAPE(3), POP_NO_OPTIONS);
    assert_int_equal(nothing.row_splits, 0);
    assert_built(fixture.graph);

    popops_slice_plan plan = popops_embedding_plan(fixture.graph, POP_HALF, 6, 5, POP_SHAPE(3), POP_NO_OPTIONS),
                      same = plan;
    assert_int_equal(popops_slice_plan_compare(&plan, &same), 0);
    same.rows = 7;
    assert_true(popops_slice_plan_compare(&plan, &same) < 0 && popops_slice_plan_compare(&same, &plan) > 0);
    popops_multi_slice(fixture.graph, t, indices, dims, sizes, fixture.program, &plan, "x", POP_NO_OPTIONS);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_multi_slice",
                 "a plan for {6,5} of half cannot slice {6,5} of float");
    /* Tensors may be created with a plan for another shape; all of them are mapped. */
    const pop_shape others[] = { POP_SHAPE(6, 5), POP_SHAPE(2, 3), POP_SHAPE(100, 7), POP_SHAPE(3, 2, 4) };
    for (unsigned i = 0; i < 8; ++i) {
        pop_tensor other =
            popops_create_sliceable_tensor_planned(fixture.graph, i < 4 ? POP_FLOAT : POP_INT, others[i % 4],
                                                   POP_DIMS(i / 4), sizes, &plan, "x", POP_NO_OPTIONS);
        pop_tensor slices = popops_create_grouped_slice_tensor(fixture.graph, POP_FLOAT, 2, others[i % 4],
                                                               POP_DIMS(i / 4), sizes, 9, &plan, "x", POP_NO_OPTIONS);
        bool complete[2];
        pop_interval_lists mapping;
        for (unsigned k = 0; k < 2; ++k) {
            assert_true(pop_graph_get_tile_mapping(fixture.graph, k ? slices : other, &complete[k], &mapping));
            pop_interval_lists_free(&mapping);
        }
        assert_true(complete[0] && complete[1]);
        assert_int_equal(pop_tensor_dim(other, 0), others[i % 4].dims[0]);
        assert_int_equal(pop_tensor_dim(slices, 1), 9);
    }
    assert_built(fixture.graph);
    popops_multi_slice(fixture.graph, t, pop_tensor_flatten(indices), dims, sizes, fixture.program, NULL, "x",
                       POP_NO_OPTIONS);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_multi_slice",
                 "the offsets: the shape is {3}; it must be {3,1}");
    popops_multi_slice(fixture.graph, t, indices, dims, sizes, fixture.program, NULL, "x",
                       POP_OPTIONS({ "usedForSlices", "true" }));
    assert_error(fixture.graph, POP_INVALID_OPTION, "popops_multi_slice", "nearest is 'usedForSlice'");
    popops_multi_update(fixture.graph, t, pop_tensor_slice(s, 0, 2, 0), indices, dims, sizes, fixture.program, NULL,
                        "x", POP_NO_OPTIONS);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_multi_update",
                 "the slices: the shape is {2,1,5}; it must be {3,1,5}");
    popops_multi_update_add(fixture.graph, t, s, indices, scale, dims, sizes, fixture.program, NULL, "x",
                            POP_NO_OPTIONS);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_multi_update_add",
                 "a scale of 1 elements of int; it must be one float");
    popops_embedding_plan(fixture.graph, POP_HALF, 6, 5, POP_SHAPE(3),
                          POP_OPTIONS({ "planConstraints", "{\"lookups\": 3}" }));
    assert_error(fixture.graph, POP_INVALID_OPTION, "popops_embedding_plan", "slicedDimSplit");
    popops_embedding_plan(fixture.graph, POP_HALF, 6, 5, POP_SHAPE(3),
                          POP_OPTIONS({ "planConstraints", "{\"lookupSplit\": 9}" }));
    assert_error(fixture.graph, POP_INVALID_OPTION, "popops_embedding_plan", "no plan for 4 tiles");
    popops_embedding_plan(fixture.graph, POP_HALF, 6, 5, POP_SHAPE(3),
                          POP_OPTIONS({ "availableMemoryProportion", "-1" }));
    assert_error(fixture.graph, POP_INVALID_OPTION, "popops_embedding_plan", "from 0 to 1");
    fixture_close(&fixture);
}

/* Plans of published figures: 1,000 x 200 and 100,000 x 200 on whole chips. */
static void test_published_shapes(void **state)
{
    (void)state;
    pop_graph *graph = graph_of(1, 1472);
    popops_slice_plan small = popops_embedding_plan(graph, POP_HALF, 1000, 200, POP_SHAPE(21600), POP_NO_OPTIONS);
    popops_slice_plan large = popops_embedding_plan(graph, POP_HALF, 100000, 200, POP_SHAPE(1440), POP_NO_OPTIONS);
    popops_slice_plan fast = popops_embedding_plan(graph, POP_HALF, 1000, 200, POP_SHAPE(21600),
                                                   POP_OPTIONS({ "planMinimisationTarget", "cycles" }));
    assert_built(graph);
    assert_true(small.row_splits == 1 && small.column_splits == 100 && small.lookup_splits == 14);
    assert_true(large.row_splits == 14 && large.column_splits == 100 && large.lookup_splits == 1);
    assert_true(fast.column_splits < small.column_splits);
    popops_slice_plan slices =
        popops_embedding_plan(graph, POP_HALF, 1000, 200, POP_SHAPE(21600), POP_OPTIONS({ "usedForUpdate", "false" }));
    popops_slice_plan updates =
        popops_embedding_plan(graph, POP_HALF, 1000, 200, POP_SHAPE(21600), POP_OPTIONS({ "usedForSlice", "false" }));
    assert_built(graph);
    assert_true(popops_slice_plan_compare(&slices, &updates) != 0);
    pop_graph_destroy(graph);
}

static void slices_and_updates_take_the_published_cycles(void **state)
{
    (void)state;
    for (int half = 0; half < 2; ++half) {
        struct fixture fixture = fixture_open(FIXTURE_MODEL, 1, popops_add_codelets_at);
        pop_type type = half ? POP_HALF : POP_FLOAT;
        pop_tensor t = fixture_input(&fixture, type, POP_SHAPE(9, 10), FIXTURE_ONE_TILE),
                   s = fixture_input(&fixture, type, POP_SHAPE(12, 1, 10), FIXTURE_ONE_TILE);
        pop_tensor indices = fixture_input_of(&fixture, POP_UNSIGNED_INT, POP_SHAPE(12, 1), FIXTURE_ONE_TILE, 0, 9),
                   scale = fixture_input(&fixture, type, POP_SHAPE(), FIXTURE_ONE_TILE);
        pop_tensor out = popops_multi_slice(fixture.graph, t, indices, POP_DIMS(0), POP_SHAPE(1), fixture.program, NULL,
                                            "x", POP_NO_OPTIONS);
        popops_multi_update_add(fixture.graph, t, s, indices, scale, POP_DIMS(0), POP_SHAPE(1), fixture.program, NULL,
                                "x", POP_NO_OPTIONS);
        fixture_run(&fixture, out);
        pop_cycles cycles;
        assert_int_equal(pop_engine_cycles(fixture.engine, &cycles, NULL), POP_OK);
        uint64_t slice = 16 + 2 * (19 + 3 * (half ? 3u : 5u)),
                 update = half ? 18 + 12 * (12 + 3 * 4) : 17 + 12 * (11 + 3 * 9);
        assert_int_equal(cycles.compute, 6 * slice + 6 * update);
        fixture_close(&fixture);
    }
}

int main(void)
{
    setenv("POPLAR_ENGINE_OPTIONS", "{\"debug.checkedExecution\":\"true\"}", 1); /* no write is out of bounds */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slices_of_every_type_and_plan),
        cmocka_unit_test(test_updates),
        cmocka_unit_test(test_updates_that_calculate),
        cmocka_unit_test(test_other_dims),
        cmocka_unit_test(test_checked_indices),
        cmocka_unit_test(test_empty_tensors_and_errors),
        cmocka_unit_test(test_published_shapes),
        cmocka_unit_test(slices_and_updates_take_the_published_cycles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
