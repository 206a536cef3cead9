/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges of rows, groups of embeddings, rings, loops with limits in tensors, tensors for the host. */
#include "poplibs/numeric.h"

#include <popops/circ_buf.h>
#include <popops/codelets.h>
#include <popops/dynamic_slice.h>
#include <popops/encoding.h>
#include <popops/host_slice_tensor.h>
#include <popops/loop.h>
#include <popops/sequence_slice.h>

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static pop_tensor write(struct fixture *fixture, pop_type type, pop_shape shape, const double *values)
{
    pop_tensor t = pop_graph_add_variable(fixture->graph, type, shape, "values");
    fixture_map(fixture, t, FIXTURE_SCATTERED);
    fixture_write(fixture, t, values, 0, 0);
    return t;
}

static void test_ranges_of_rows(void **state)
{
    (void)state;
    static const pop_type types[] = { POP_HALF, POP_FLOAT, POP_INT, POP_BOOL, POP_UNSIGNED_SHORT };
    static const double lengths[] = { 3, 0, 4, 5, 4294967295.0 }, from[] = { 1, 2, 6, 0, 7 }, to[] = { 9, 3, 0, 5, 2 };
    for (enum fixture_device device = FIXTURE_CPU; device < FIXTURE_DEVICES; ++device)
        for (size_t k = 0; k < 2 * COUNT(types); ++k) {
            struct fixture fixture = fixture_open(device, 4, popops_add_codelets_at);
            bool zero = k % 2;
            pop_tensor src = fixture_input(&fixture, types[k / 2], POP_SHAPE(8, 3, 5), FIXTURE_SCATTERED),
                       dst = fixture_input(&fixture, types[k / 2], zero ? POP_SHAPE(11, 15) : POP_SHAPE(11, 5, 3),
                                           FIXTURE_SCATTERED);
            popops_sequence_slice(fixture.graph, src, dst, write(&fixture, POP_UNSIGNED_INT, POP_SHAPE(5), lengths),
                                  write(&fixture, POP_UNSIGNED_INT, POP_SHAPE(5), from),
                                  write(&fixture, POP_UNSIGNED_INT, POP_SHAPE(5), to), zero, fixture.program, "x");
            assert_built(fixture.graph);
            double wanted[11 * 15], *given = fixture_given(&fixture, src);
            memcpy(wanted, fixture_given(&fixture, dst), sizeof(wanted));
            for (size_t i = 0; i < 11 * 15 && zero; ++i)
                wanted[i] = 0;
            for (size_t i = 0; i < 5; ++i)
                for (size_t row = 0; row < (size_t)lengths[i] && (size_t)from[i] + row < 8 && (size_t)to[i] + row < 11;
                     ++row)
                    memcpy(&wanted[((size_t)to[i] + row) * 15], &given[((size_t)from[i] + row) * 15],
                           15 * sizeof(double));
            fixture_check(fixture_run(&fixture, dst), wanted, 11 * 15, 0, 0);
            fixture_close(&fixture);
        }
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 2, popops_add_codelets_at);
    pop_tensor src = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(4, 3), FIXTURE_LINEAR),
               n = write(&fixture, POP_UNSIGNED_INT, POP_SHAPE(2), from);
    popops_sequence_slice(fixture.graph, src, pop_tensor_slice(src, 0, 2, 1), n, n, n, false, fixture.program, "x");
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_sequence_slice",
                 "tensors of shape {4,3} and {4,2}: both must have rows, of the same number of elements");
    popops_sequence_slice(fixture.graph, src, n, n, n, n, false, fixture.program, "x");
    assert_error(fixture.graph, POP_TYPE_ERROR, "popops_sequence_slice", "the destination has type unsigned int");
    popops_sequence_slice(fixture.graph, src, src, n, n, pop_tensor_slice(n, 0, 1, 0), false, fixture.program, "x");
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_sequence_slice", "1 offsets; there must be 2");
    popops_sequence_slice(fixture.graph, pop_tensor_at(pop_tensor_at(src, 0), 0), src, n, n, n, false, fixture.program,
                          "x");
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_sequence_slice", "must have rows");
    popops_sequence_slice(fixture.graph, pop_tensor_slice(src, 0, 0, 0), src, n, n, n, true, fixture.program,
                          "nothing to copy");
    double *got = fixture_run(&fixture, src);
    for (size_t i = 0; i < 12; ++i)
        assert_true(got[i] == 0);
    fixture_close(&fixture);
}

static void test_groups(void **state)
{
    (void)state;
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 6, popops_add_codelets_at);
    static const double offsets[] = { 3, 0, 3, 1, 4, 2, 2, 0 }, one[] = { 2 };
    pop_dims dims = POP_DIMS(0);
    pop_shape sizes = POP_SHAPE(1), shape = POP_SHAPE(5, 7);
    popops_slice_plan plan = popops_embedding_plan(fixture.graph, POP_FLOAT, 5, 7, POP_SHAPE(4), POP_NO_OPTIONS);
    pop_tensor t = popops_create_grouped_sliceable_tensor(fixture.graph, POP_FLOAT, 2, shape, dims, sizes, &plan, "t",
                                                          POP_NO_OPTIONS);
    pop_tensor s = popops_create_grouped_slice_tensor(fixture.graph, POP_FLOAT, 2, shape, dims, sizes, 4, &plan, "s",
                                                      POP_NO_OPTIONS);
    pop_tensor indices = popops_create_grouped_indices_tensor(fixture.graph, 2, dims, 4, &plan, "i", POP_NO_OPTIONS),
               scale = write(&fixture, POP_FLOAT, POP_SHAPE(1), one);
    fixture_write(&fixture, t, NULL, -1, 1);
    fixture_write(&fixture, s, NULL, -1, 1);
    fixture_write(&fixture, indices, offsets, 0, 0);
    pop_tensor out =
        popops_grouped_multi_slice(fixture.graph, t, indices, dims, sizes, fixture.program, &plan, "x", POP_NO_OPTIONS);
    popops_grouped_multi_update_add(fixture.graph, t, s, indices, scale, dims, sizes, fixture.program, &plan, "x",
                                    POP_NO_OPTIONS);
    pop_tensor sums = pop_graph_clone(fixture.graph, POP_TYPE_NULL, t, POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES, "sums");
    pop_sequence_add(fixture.program, pop_copy(t, sums, false, NULL));
    popops_grouped_multi_update(fixture.graph, t, s, indices, dims, sizes, fixture.program, &plan, "x", POP_NO_OPTIONS);
    popops_grouped_multi_update_max(fixture.graph, t, s, indices, dims, sizes, fixture.program, &plan, "x",
                                    POP_NO_OPTIONS);
    popops_grouped_multi_update_mul(fixture.graph, t, t, pop_tensor_slice(indices, 0, 0, 1), dims, sizes,
                                    fixture.program, &plan, "x", POP_NO_OPTIONS);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_multi_update_mul", "the slices");
    popops_grouped_multi_update_mul(fixture.graph, t, s, pop_tensor_slice(indices, 0, 1, 0), dims, sizes,
                                    fixture.program, &plan, "x", POP_NO_OPTIONS);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_grouped_multi_update_mul", "2 groups and 1 groups");
    popops_create_grouped_indices_tensor(fixture.graph, SIZE_MAX, dims, 4, &plan, "i", POP_NO_OPTIONS);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_create_grouped_indices_tensor",
                 "from 1 to 1048576 are allowed");
    assert_built(fixture.graph);
    double *got[2], *given = fixture_given(&fixture, t), *by = fixture_given(&fixture, s), wanted[70];
    fixture_run_all(&fixture, (const pop_tensor[]){ out, sums }, got, 2);
    memcpy(wanted, given, sizeof(wanted));
    for (size_t i = 0; i < 56; ++i) {
        size_t at = (i / 28 * 5 + (size_t)offsets[i / 7]) * 7 + i % 7;
        assert_true(got[0][i] == given[at]);
        wanted[at] += 2 * by[i];
    }
    fixture_check(got[1], wanted, 70, 1e-6, 1e-6);
    fixture_close(&fixture);
}

static void test_rings(void **state)
{
    (void)state;
    for (enum fixture_device device = FIXTURE_CPU; device < FIXTURE_DEVICES; ++device) {
        struct fixture fixture = fixture_open(device, 3, popops_add_codelets_at);
        popops_circ_buf ring = popops_circ_buf_create(fixture.graph, POP_INT, 3, POP_SHAPE(2, 5), "ring");
        pop_tensor entries[5], out[4];
        for (size_t i = 0; i < 5; ++i) {
            entries[i] = fixture_input(&fixture, POP_INT, POP_SHAPE(2, 5), FIXTURE_SCATTERED);
            popops_circ_buf_add(fixture.graph, &ring, entries[i], fixture.program, "add");
            if (i == 1)
                out[3] = popops_circ_buf_prev(fixture.graph, &ring, 2, fixture.program, "not yet");
        }
        for (unsigned i = 0; i < 3; ++i)
            out[i] = popops_circ_buf_prev(fixture.graph, &ring, i, fixture.program, "prev");
        popops_circ_buf_prev(fixture.graph, &ring, 3, fixture.program, "x");
        assert_error(fixture.graph, POP_INDEX_ERROR, "popops_circ_buf_prev",
                     "entry 3 is out of range: the buffer has 3");
        popops_circ_buf_create(fixture.graph, POP_INT, 0, POP_SHAPE(2), "x");
        assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_circ_buf_create", "0 entries");
        popops_circ_buf_add(fixture.graph, &ring, out[0], fixture.program, "x");
        double *got[4];
        assert_built(fixture.graph);
        fixture_run_all(&fixture, out, got, 4);
        for (size_t i = 0; i < 3; ++i)
            fixture_check(got[i], fixture_given(&fixture, entries[4 - i]), 10, 0, 0);
        for (size_t i = 0; i < 10; ++i)
            assert_true(got[3][i] == 0);
        fixture_close(&fixture);
    }
}

static void test_loops_up_and_down(void **state)
{
    (void)state;
    static const struct {
        pop_type type;
        int initial, limit, step, times;
    } cases[] = { { POP_INT, -3, 8, 2, 6 },
                  { POP_INT, 5, -1, -3, 2 },
                  { POP_UNSIGNED_INT, 0, 4, 1, 4 },
                  { POP_UNSIGNED_INT, 4, 4, 1, 0 },
                  { POP_INT, 2, 2, -1, 0 } };
    for (enum fixture_device device = FIXTURE_CPU; device < FIXTURE_DEVICES; ++device)
        for (size_t i = 0; i < 2 * COUNT(cases); ++i) {
            struct fixture fixture = fixture_open(device, 3, popops_add_codelets_at);
            const double limit_value = cases[i / 2].limit;
            pop_tensor limit = write(&fixture, cases[i / 2].type, POP_SHAPE(1), &limit_value), count = { 0 };
            if (i % 2)
                count = fixture_input(&fixture, cases[i / 2].type, POP_SHAPE(), FIXTURE_SCATTERED);
            popops_circ_buf turns =
                popops_circ_buf_create(fixture.graph, POP_INT, 100, POP_SHAPE(), "turns"); /* its index counts them */
            pop_program body = pop_sequence(fixture.graph, "body");
            pop_tensor zero = pop_graph_add_constant_float(fixture.graph, POP_INT, POP_SHAPE(), 0, "zero");
            pop_graph_set_tile_mapping(fixture.graph, zero, 0);
            popops_circ_buf_add(fixture.graph, &turns, i % 2 && cases[i / 2].type == POP_INT ? count : zero, body,
                                "turn");
            pop_program loop = popops_counted_for_loop(fixture.graph, count, cases[i / 2].initial, limit,
                                                       cases[i / 2].step, body, "loop");
            assert_built(fixture.graph);
            pop_sequence_add(fixture.program, loop);
            double *got[2];
            fixture_run_all(&fixture, (const pop_tensor[]){ turns.index, turns.entries }, got, 2);
            assert_true(got[0][0] == cases[i / 2].times);
            for (int turn = 0; turn < cases[i / 2].times && i % 2 && cases[i / 2].type == POP_INT; ++turn)
                assert_true(got[1][turn + 1] == cases[i / 2].initial + turn * cases[i / 2].step);
            fixture_close(&fixture);
        }
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 2, popops_add_codelets_at);
    pop_tensor limit = fixture_input(&fixture, POP_INT, POP_SHAPE(), FIXTURE_ONE_TILE),
               other = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(2), FIXTURE_ONE_TILE);
    popops_counted_for_loop(fixture.graph, limit, 0, limit, 0, fixture.program, "x");
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_counted_for_loop", "never ends");
    popops_counted_for_loop(fixture.graph, other, 0, limit, 1, fixture.program, "x");
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_counted_for_loop", "2 elements of float up to 1 of int");
    popops_add_for_loop_counter_vertex(fixture.graph, limit, other, 1, 0, fixture.program, "x");
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_add_for_loop_counter_vertex", "both must be");
    fixture_close(&fixture);
}

static void test_tensors_for_the_host(void **state)
{
    (void)state;
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 4, popops_add_codelets_at);
    popops_indices_and_tensor both =
        popops_create_host_sliceable_tensor(fixture.graph, POP_HALF, POP_SHAPE(9, 300), true, 0, "x");
    assert_int_equal(pop_tensor_num_elements(both.indices), 9);
    int *tiles = tiles_of_tensor(fixture.graph, both.tensor);
    assert_int_equal(tiles[0], 0);
    assert_int_equal(tiles[2699], 3);
    free(tiles);
    static const struct {
        size_t rows, columns;
        unsigned tiles;
    } spreads[] = { { 1, 63, 1 },   { 2, 10, 2 }, { 1, 127, 1 }, { 1, 128, 2 }, { 1, 1000, 4 },
                    { 2, 1000, 4 }, { 3, 1, 3 },  { 0, 5, 0 },   { 5, 0, 0 },   { 40, 3, 4 } };
    for (size_t i = 0; i < sizeof(spreads) / sizeof(spreads[0]); ++i) {
        size_t rows = spreads[i].rows, columns = spreads[i].columns, seen = 0;
        pop_tensor t =
            popops_create_host_sliceable_tensor(fixture.graph, POP_FLOAT, POP_SHAPE(rows, columns), false, 0, "x")
                .tensor;
        bool used[4] = { false };
        tiles = tiles_of_tensor(fixture.graph, t);
        for (size_t k = 0; k < rows * columns; ++k)
            used[tiles[k]] = true;
        for (size_t k = 0; k < 4; ++k)
            seen += used[k];
        assert_int_equal(seen, spreads[i].tiles);
        free(tiles);
    }
    /* Of 2^37 rows, too, each tile has its share, without a loop over rows. */
    enum { TILES = 4 };
    const size_t many = (size_t)1 << 37;
    pop_tensor long_one =
        popops_create_host_sliceable_tensor(fixture.graph, POP_FLOAT, POP_SHAPE(many, 4), true, 0, "x").tensor;
    assert_built(fixture.graph);
    pop_interval_lists mapping;
    assert_true(pop_graph_get_tile_mapping(fixture.graph, long_one, NULL, &mapping));
    for (size_t tile = 0; tile < TILES; ++tile) {
        assert_int_equal(mapping.first[tile + 1], tile + 1);
        assert_int_equal(mapping.intervals[tile].begin, (tile * many + TILES - 1) / TILES * 4);
    }
    pop_interval_lists_free(&mapping);
    popops_create_host_sliceable_tensor(fixture.graph, POP_HALF, POP_SHAPE(9), true, 0, "x");
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_create_host_sliceable_tensor", "rank 1");
    assert_int_equal(
        pop_tensor_dim(
            popops_create_host_transferable_tensor(fixture.graph, POP_INT, POP_SHAPE(2, 3, 4), false, 0, "x"), 2),
        4);
    fixture_close(&fixture);
}

int main(void)
{
    setenv("POPLAR_ENGINE_OPTIONS", "{\"debug.checkedExecution\":\"true\"}", 1); /* no write is out of bounds */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ranges_of_rows),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_rings),
        cmocka_unit_test(test_loops_up_and_down),
        cmocka_unit_test(test_tensors_for_the_host),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
