/* SPDX-License-Identifier: Apache-2.0 */
/* Transpositions of every element size, and regrouping: values are unchanged, memory layouts change, and only if it is
 * of use. */
#include "poplibs/numeric.h"

#include <popops/codelets.h>
#include <popops/rearrange.h>

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static uint64_t compute_cycles(struct fixture *fixture)
{
    pop_cycles cycles;
    assert_int_equal(pop_engine_cycles(fixture->engine, &cycles, NULL), POP_OK);
    return cycles.compute;
}

static void test_transpositions(void **state)
{
    (void)state;
    static const pop_type types[] = { POP_HALF, POP_FLOAT, POP_INT,           POP_UNSIGNED_INT,
                                      POP_BOOL, POP_SHORT, POP_UNSIGNED_CHAR, POP_LONGLONG };
    static const size_t shapes[][3] = { { 3, 5, 7 },  { 7, 4, 4 }, { 2, 8, 12 }, { 5, 2, 6 },
                                        { 1, 12, 4 }, { 0, 3, 3 }, { 9, 1, 1 } };
    for (enum fixture_device device = FIXTURE_CPU; device < FIXTURE_DEVICES; ++device)
        for (size_t k = 0; k < COUNT(types) * COUNT(shapes); ++k) {
            const size_t *shape = shapes[k % COUNT(shapes)], rows = shape[1], columns = shape[2];
            struct fixture fixture = fixture_open(device, 3, popops_add_codelets_at);
            pop_tensor t = fixture_input(&fixture, types[k / COUNT(shapes)], (pop_shape){ 3, shape },
                                         k % 2 ? FIXTURE_SCATTERED : FIXTURE_ONE_TILE);
            pop_compute_set set = pop_graph_add_compute_set(fixture.graph, "transpose");
            pop_tensor out = popops_partial_transpose(fixture.graph, t, set, "out");
            pop_sequence_add(fixture.program, pop_execute(set, NULL));
            assert_built(fixture.graph);
            assert_int_equal(pop_tensor_dim(out, 1), columns);
            assert_true(!shape[0] || pop_tensor_is_contiguous(out));
            double *got = fixture_run(&fixture, out), *given = fixture_given(&fixture, t);
            for (size_t i = 0; i < shape[0] * rows * columns; ++i)
                assert_true(got[i] ==
                            given[i / (rows * columns) * rows * columns + i % rows * columns + i / rows % columns]);
            fixture_close(&fixture);
        }
}

static void transpositions_take_the_published_cycles(void **state)
{
    (void)state;
    static const struct {
        pop_type type;
        size_t count, rows, columns;
        uint64_t cycles;
    } cases[] = {
        { POP_FLOAT, 6, 4, 6, 6 * (27 + 11 + 2 * (6 + 3 * 2)) },
        { POP_FLOAT, 7, 3, 2, 6 * (13 + 2 * (8 + 2 * (5 + 6))) },
        { POP_HALF, 12, 4, 4, 7 + 6 * (37 - 7) },
        { POP_HALF, 6, 8, 4, 7 + 6 * (27 + 35 - 7) },
        { POP_HALF, 7, 8, 12, 7 + 6 * (29 + 2 * (18 + 2 * 16) - 7) },
        { POP_HALF, 1, 8, 12, 6 * (29 + 18 + 2 * 16) },
        { POP_HALF, 6, 3, 2, 6 * (15 + 8 + 2 * (5 + 7)) },
    };
    for (size_t i = 0; i < COUNT(cases); ++i) {
        struct fixture fixture = fixture_open(FIXTURE_MODEL, 1, popops_add_codelets_at);
        pop_tensor t = fixture_input(&fixture, cases[i].type,
                                     POP_SHAPE(cases[i].count, cases[i].rows, cases[i].columns), FIXTURE_ONE_TILE);
        pop_compute_set set = pop_graph_add_compute_set(fixture.graph, "transpose");
        pop_tensor out = popops_partial_transpose(fixture.graph, t, set, "out");
        pop_sequence_add(fixture.program, pop_execute(set, NULL));
        fixture_run(&fixture, out);
        assert_int_equal(compute_cycles(&fixture), cases[i].cycles);
        fixture_close(&fixture);
    }
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 1, NULL);
    const pop_target *target = pop_graph_target(fixture.graph);
    assert_true(popops_can_use_fast_transpose(target, POP_HALF, 8, 4, 3));
    assert_true(popops_can_use_fast_transpose(target, POP_UNSIGNED_SHORT, 4, 16, 1));
    assert_false(popops_can_use_fast_transpose(target, POP_FLOAT, 8, 4, 3));
    assert_false(popops_can_use_fast_transpose(target, POP_HALF, 6, 4, 3));
    assert_false(popops_can_use_fast_transpose(target, POP_HALF, 4, 4, 70000));
    popops_partial_transpose(fixture.graph, fixture_input(&fixture, POP_HALF, POP_SHAPE(4), FIXTURE_ONE_TILE),
                             (pop_compute_set){ 0 }, "x");
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_partial_transpose", "rank 1");
    fixture_close(&fixture);
}

static void test_regrouping(void **state)
{
    (void)state;
    assert_int_equal(popops_get_minimum_regroup_grain_size(POP_HALF), 4);
    assert_int_equal(popops_get_minimum_regroup_grain_size(POP_INT), 2);
    assert_int_equal(popops_get_minimum_regroup_grain_size(POP_BOOL), 1);
    for (enum fixture_device device = FIXTURE_CPU; device < FIXTURE_DEVICES; ++device)
        for (int form = 0; form < 5; ++form) {
            struct fixture fixture = fixture_open(device, 3, popops_add_codelets_at);
            pop_tensor t = fixture_input(&fixture, POP_HALF, POP_SHAPE(8, 3, 20), FIXTURE_ONE_TILE), out = t;
            pop_tensor like = pop_tensor_dim_shuffle(
                fixture_input(&fixture, POP_FLOAT, POP_SHAPE(3, 20, 4, 2), FIXTURE_LINEAR), POP_DIMS(2, 3, 0, 1));
            like = pop_tensor_reshape(like, POP_SHAPE(8, 3, 20)); /* groups of 8 in dimension 0 */
            pop_program copies = pop_sequence(fixture.graph, "copies");
            pop_compute_set set = pop_graph_add_compute_set(fixture.graph, "transpose");
            pop_sequence_add(fixture.program, copies);
            poputil_dim_grouping from = { 2, 20 }, to = { 0, 8 }, seen;
            if (form == 0)
                out = popops_regroup_tensor(fixture.graph, t, copies, set, from, to, "x");
            else if (form == 1)
                out = popops_regroup_if_possible(fixture.graph, t, copies, set, to, "x");
            else if (form == 2)
                out = popops_regroup_if_beneficial_in(fixture.graph, t, like, copies, set, "x");
            else if (form == 3)
                out = popops_regroup_if_beneficial(fixture.graph, t, like, fixture.program, "x");
            else
                out = popops_regroup_if_beneficial_to(fixture.graph, pop_tensor_transpose(t), 4, fixture.program, "x");
            pop_sequence_add(fixture.program, pop_execute(set, NULL));
            assert_built(fixture.graph);
            assert_true(poputil_detect_dim_groupings(fixture.graph, out, &seen, 1) > 0);
            assert_int_equal(seen.dim, form == 4 ? 2 : 0);
            assert_int_equal(seen.size, form == 4 ? 4 : 8);
            out = form == 4 ? pop_tensor_transpose(out) : out;
            if (form == 0 && device == FIXTURE_MODEL) { /* three blocks on three tiles */
                int *tiles = tiles_of_tensor(fixture.graph, pop_tensor_at(out, 0));
                assert_int_equal(tiles[0], 0);
                assert_int_equal(tiles[20], 1);
                assert_int_equal(tiles[40], 2);
                free(tiles);
            }
            fixture_check(fixture_run(&fixture, out), fixture_given(&fixture, t), 480, 0, 0);
            fixture_close(&fixture);
        }
}

static void test_views_that_are_not_regrouped(void **state)
{
    (void)state;
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 3, popops_add_codelets_at);
    pop_tensor t = fixture_input(&fixture, POP_HALF, POP_SHAPE(6, 20), FIXTURE_ONE_TILE),
               odd = pop_tensor_transpose(fixture_input(&fixture, POP_HALF, POP_SHAPE(20, 6), FIXTURE_ONE_TILE));
    pop_compute_set set = pop_graph_add_compute_set(fixture.graph, "transpose");
    assert_true(pop_tensor_equal(popops_regroup_if_beneficial(fixture.graph, t, t, fixture.program, "x"), t));
    assert_true(pop_tensor_equal(popops_regroup_if_beneficial(fixture.graph, t, odd, fixture.program, "x"),
                                 t)); /* groups of 6 halves are not grains */
    assert_true(pop_tensor_equal(popops_regroup_if_beneficial_to(fixture.graph, odd, 3, fixture.program, "x"), odd));
    assert_true(pop_tensor_equal(
        popops_regroup_if_possible(fixture.graph, t, fixture.program, set, (poputil_dim_grouping){ 0, 4 }, "x"), t));
    assert_true(pop_program_is_empty(fixture.program));
    popops_regroup_if_beneficial(fixture.graph, t, pop_tensor_at(t, 0), fixture.program, "x");
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_regroup_if_beneficial",
                 "rank 2 cannot be grouped like one of rank 1");
    popops_regroup_tensor(fixture.graph, t, fixture.program, set, (poputil_dim_grouping){ 1, 20 },
                          (poputil_dim_grouping){ 0, 4 }, "x");
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_regroup_tensor",
                 "20 in dimension 1 to 4 in dimension 0 of {6,20}");
    fixture_close(&fixture);
}

/* The exchange moves blocks directly: no tile copies its own data. */
static void test_blocks_are_sent_by_exchange(void **state)
{
    (void)state;
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 12, popops_add_codelets_at);
    pop_tensor t = fixture_input(&fixture, POP_HALF, POP_SHAPE(48, 7, 32), FIXTURE_LINEAR);
    pop_program copies = pop_sequence(fixture.graph, "copies");
    pop_compute_set set = pop_graph_add_compute_set(fixture.graph, "transpose");
    pop_sequence_add(fixture.program, copies);
    pop_tensor out = popops_regroup_tensor(fixture.graph, t, copies, set, (poputil_dim_grouping){ 2, 16 },
                                           (poputil_dim_grouping){ 0, 8 }, "x");
    pop_sequence_add(fixture.program, pop_execute(set, NULL));
    fixture_check(fixture_run(&fixture, out), fixture_given(&fixture, t), 48 * 7 * 32, 0, 0);
    char *text;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    pop_error error;
    assert_int_equal(
        pop_engine_print_profile_summary(fixture.engine, file, POP_OPTIONS({ "showExecutionSteps", "true" }), &error),
        POP_OK);
    fclose(file);
    assert_non_null(strstr(text, "popops::Transpose"));
    assert_null(strstr(text, "OnTileCopy"));
    free(text);
    fixture_close(&fixture);
}

/* The number of tiles with elements of t. */
static size_t tiles_used(pop_graph *graph, pop_tensor t, size_t count)
{
    enum { TILES = 64 };
    bool used[TILES] = { false };
    size_t total = 0;
    int *tiles = tiles_of_tensor(graph, t);
    for (size_t i = 0; i < count; ++i)
        used[tiles[i]] = true;
    free(tiles);
    for (size_t i = 0; i < TILES; ++i)
        total += used[i];
    return total;
}

/* Fewer blocks than tiles are divided by the smallest primes of both groups, the group that was contiguous first, down
 * to grains of 4 halves or 2 floats; groups that are no multiples of a grain stay. */
static void test_blocks_are_divided_for_idle_tiles(void **state)
{
    (void)state;
    static const struct {
        pop_type type;
        size_t rows, columns;
        unsigned from, to, tiles;
        size_t used;
        unsigned group; /* of the result's contiguous dimension */
    } cases[] = {
        { POP_HALF, 32, 64, 64, 32, 64, 64, 8 },  /* 1 block: columns of 4, then rows of 8 */
        { POP_HALF, 32, 64, 32, 32, 64, 64, 8 },  /* 2 blocks by 32 */
        { POP_HALF, 20, 12, 12, 20, 8, 3, 20 },   /* by 3; another 5 were more than 8 */
        { POP_HALF, 20, 12, 12, 20, 64, 15, 4 },  /* all grains */
        { POP_FLOAT, 20, 12, 12, 20, 64, 60, 2 }, /* grains of 2 */
        { POP_HALF, 18, 64, 64, 18, 64, 1, 18 },  /* no grains of 4 */
    };
    for (size_t i = 0; i < COUNT(cases); ++i) {
        struct fixture fixture = fixture_open(FIXTURE_MODEL, cases[i].tiles, popops_add_codelets_at);
        size_t rows = cases[i].rows, columns = cases[i].columns;
        pop_tensor t = fixture_input(&fixture, cases[i].type, POP_SHAPE(rows, columns), FIXTURE_ONE_TILE);
        pop_program copies = pop_sequence(fixture.graph, "copies");
        pop_compute_set set = pop_graph_add_compute_set(fixture.graph, "transpose");
        pop_sequence_add(fixture.program, copies);
        pop_tensor out =
            popops_regroup_tensor(fixture.graph, t, copies, set, (poputil_dim_grouping){ 1, cases[i].from },
                                  (poputil_dim_grouping){ 0, cases[i].to }, "x");
        pop_sequence_add(fixture.program, pop_execute(set, NULL));
        poputil_dim_grouping seen;
        assert_true(poputil_detect_dim_groupings(fixture.graph, out, &seen, 1) > 0);
        assert_int_equal(seen.dim, 0);
        assert_int_equal(seen.size, cases[i].group);
        assert_int_equal(tiles_used(fixture.graph, out, rows * columns), cases[i].used);
        fixture_check(fixture_run(&fixture, out), fixture_given(&fixture, t), rows * columns, 0, 0);
        fixture_close(&fixture);
    }
}

int main(void)
{
    setenv("POPLAR_ENGINE_OPTIONS", "{\"debug.checkedExecution\":\"true\"}", 1); /* no write is out of bounds */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_transpositions),
        cmocka_unit_test(transpositions_take_the_published_cycles),
        cmocka_unit_test(test_regrouping),
        cmocka_unit_test(test_blocks_are_sent_by_exchange),
        cmocka_unit_test(test_blocks_are_divided_for_idle_tiles),
        cmocka_unit_test(test_views_that_are_not_regrouped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
