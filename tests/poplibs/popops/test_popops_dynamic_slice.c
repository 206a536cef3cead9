/* SPDX-License-Identifier: Apache-2.0 */
/* Slices and updates at run-time offsets against loops in C: every type, several dims, offsets beyond the end,
 * scattered and sliceable layouts. */
#include "poplibs/numeric.h"

#include <popops/codelets.h>
#include <popops/dynamic_slice.h>

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

/* Visits the elements of a slice of a tensor of rank 3: f gets the index in the slice and in the tensor. */
struct cube {
    size_t shape[3], slice[3], offset[3];
};
static size_t place_in_base(const struct cube *cube, size_t in_slice)
{
    size_t index[3], rest = in_slice;
    for (size_t i = 3; i-- > 0; rest /= cube->slice[i])
        index[i] = (rest % cube->slice[i] + cube->offset[i]) % cube->shape[i];
    return (index[0] * cube->shape[1] + index[1]) * cube->shape[2] + index[2];
}

static pop_tensor write_offsets(struct fixture *fixture, const double *values, size_t count)
{
    pop_tensor offset = pop_graph_add_variable(fixture->graph, POP_UNSIGNED_INT, POP_SHAPE(count), "offset");
    fixture_map(fixture, offset, FIXTURE_SCATTERED);
    fixture_write(fixture, offset, values, 0, 0);
    return offset;
}

static void test_every_type_and_layout(void **state)
{
    (void)state;
    static const pop_type types[] = { POP_HALF, POP_FLOAT, POP_INT,           POP_UNSIGNED_INT,
                                      POP_BOOL, POP_SHORT, POP_UNSIGNED_CHAR, POP_LONGLONG };
    static const struct {
        unsigned dims[3];
        size_t sizes[3], count;
        double offsets[3];
    } cases[] = {
        { { 1 }, { 2 }, 1, { 3 } },
        { { 0 }, { 4 }, 1, { 5 } }, /* wraps at the end */
        { { 2, 0 }, { 5, 3 }, 2, { 1, 2 } },
        { { 1, 2, 0 }, { 1, 11, 6 }, 3, { 4e9, 7, 13 } }, /* out of range: 0 */
    };
    for (enum fixture_device device = FIXTURE_CPU; device < FIXTURE_DEVICES; ++device)
        for (size_t k = 0; k < COUNT(types) * COUNT(cases); ++k) {
            size_t c = k % COUNT(cases);
            struct fixture fixture = fixture_open(device, 5, popops_add_codelets_at);
            pop_type type = types[k / COUNT(cases)];
            struct cube cube = { { 7, 5, 13 }, { 7, 5, 13 }, { 0, 0, 0 } };
            for (size_t i = 0; i < cases[c].count; ++i) {
                cube.slice[cases[c].dims[i]] = cases[c].sizes[i];
                cube.offset[cases[c].dims[i]] = (size_t)cases[c].offsets[i];
                if (cube.offset[cases[c].dims[i]] >= cube.shape[cases[c].dims[i]])
                    cube.offset[cases[c].dims[i]] = 0;
            }
            pop_dims dims = { cases[c].count, cases[c].dims };
            pop_shape sizes = { cases[c].count, cases[c].sizes };
            pop_tensor t = k & 1 ? fixture_input(&fixture, type, (pop_shape){ 3, cube.shape }, FIXTURE_SCATTERED)
                                 : popops_create_sliceable_tensor(fixture.graph, type, (pop_shape){ 3, cube.shape },
                                                                  dims, sizes, 0, "t");
            if (!(k & 1))
                fixture_write(&fixture, t, NULL, 0, 16);
            pop_tensor changed =
                pop_graph_clone(fixture.graph, POP_TYPE_NULL, t, POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES, "changed");
            pop_tensor s = fixture_input(&fixture, type, (pop_shape){ 3, cube.slice }, FIXTURE_SCATTERED);
            pop_tensor offset = write_offsets(&fixture, cases[c].offsets, cases[c].count);
            pop_tensor slice = popops_dynamic_slice(fixture.graph, t, offset, dims, sizes, fixture.program, "slice");
            pop_tensor output = popops_create_dynamic_slice_output(fixture.graph, t, dims, sizes, "output");
            popops_dynamic_slice_with_output(fixture.graph, output, t, offset, dims, sizes, fixture.program, "into");
            pop_sequence_add(fixture.program, pop_copy(t, changed, false, NULL));
            popops_dynamic_update(fixture.graph, changed, s, offset, dims, sizes, fixture.program, "update");
            double *results[3], *given = fixture_given(&fixture, t), *part = fixture_given(&fixture, s);
            assert_built(fixture.graph);
            fixture_run_all(&fixture, (const pop_tensor[]){ slice, output, changed }, results, 3);
            double wanted[7 * 5 * 13];
            memcpy(wanted, given, sizeof(wanted));
            for (size_t i = 0; i < pop_tensor_num_elements(slice); ++i) {
                assert_true(results[0][i] == given[place_in_base(&cube, i)]);
                assert_true(results[1][i] == results[0][i]);
                wanted[place_in_base(&cube, i)] = part[i];
            }
            fixture_check(results[2], wanted, COUNT(wanted), 0, 0);
            fixture_close(&fixture);
        }
}

static void test_views_empty_tensors_and_no_dims(void **state)
{
    (void)state;
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 3, popops_add_codelets_at);
    static const double two[] = { 2 };
    pop_tensor row = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(4), FIXTURE_SCATTERED),
               offset = write_offsets(&fixture, two, 1);
    pop_tensor repeated = pop_tensor_broadcast(pop_tensor_reshape(row, POP_SHAPE(4, 1)), 3, 1);
    pop_tensor outputs[3];
    outputs[0] =
        popops_dynamic_slice(fixture.graph, repeated, offset, POP_DIMS(0), POP_SHAPE(1), fixture.program, "repeated");
    outputs[1] = popops_dynamic_slice(fixture.graph, row, pop_tensor_reinterpret(offset, POP_INT), POP_DIMS(0),
                                      POP_SHAPE(3), fixture.program, "rank 1");
    outputs[2] = popops_dynamic_slice(fixture.graph, row, pop_tensor_slice(offset, 0, 0, 0), POP_DIMS(), POP_SHAPE(),
                                      fixture.program, "copy");
    pop_tensor nothing =
        popops_dynamic_slice(fixture.graph, row, offset, POP_DIMS(0), POP_SHAPE(0), fixture.program, "nothing");
    assert_int_equal(pop_tensor_num_elements(nothing), 0);
    popops_dynamic_update(fixture.graph, row, nothing, offset, POP_DIMS(0), POP_SHAPE(0), fixture.program, "nothing");
    double *got[3], *given = fixture_given(&fixture, row);
    fixture_run_all(&fixture, outputs, got, 3);
    for (size_t i = 0; i < 3; ++i) {
        assert_true(got[0][i] == given[2]);
        assert_true(got[1][i] == given[(2 + i) % 4]);
    }
    fixture_check(got[2], given, 4, 0, 0);
    fixture_close(&fixture);
}

static void test_layouts(void **state)
{
    (void)state;
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 4, popops_add_codelets_at);
    pop_tensor t = popops_create_sliceable_tensor(fixture.graph, POP_FLOAT, POP_SHAPE(3, 10, 3), POP_DIMS(1),
                                                  POP_SHAPE(1), 2, "t");
    int *tiles = tiles_of_tensor(fixture.graph, t);
    for (size_t i = 0; i < 90; ++i) {
        size_t column = i / 30 * 3 + i % 3; /* 9 columns in shares of 4, 4 and 1 */
        assert_int_equal(tiles[i], column / 4);
    }
    free(tiles);
    /* A tile's share is contiguous, so there is one vertex for each. */
    static const double three[] = { 3 };
    pop_tensor offset = write_offsets(&fixture, three, 1);
    size_t before = pop_graph_num_vertices(fixture.graph);
    pop_tensor slice =
        popops_dynamic_slice(fixture.graph, t, offset, POP_DIMS(1), POP_SHAPE(1), fixture.program, "slice");
    assert_int_equal(pop_graph_num_vertices(fixture.graph) - before, 3);
    pop_interval_lists mapping;
    assert_true(popops_get_slice_mapping(fixture.graph, t, POP_DIMS(1), POP_SHAPE(1), &mapping));
    int *wanted = tiles_of(&mapping, 9), *seen = tiles_of_tensor(fixture.graph, slice);
    assert_memory_equal(wanted, seen, 9 * sizeof(int));
    pop_interval_lists_free(&mapping);
    free(seen);

    pop_tensor slices = popops_create_slice_tensor(fixture.graph, t, POP_DIMS(1), POP_SHAPE(2), 5, "slices");
    assert_int_equal(pop_tensor_rank(slices), 4);
    assert_int_equal(pop_tensor_num_elements(slices), 5 * 3 * 2 * 3);
    seen = tiles_of_tensor(fixture.graph, pop_tensor_slice(pop_tensor_at(slices, 4), 1, 2, 1));
    assert_memory_equal(wanted, seen, 9 * sizeof(int));
    free(seen);

    pop_tensor whole =
        popops_create_sliceable_tensor_from_slice(fixture.graph, slice, POP_DIMS(1, 0), POP_SHAPE(7, 2), "whole");
    assert_int_equal(pop_tensor_dim(whole, 0), 6);
    assert_int_equal(pop_tensor_dim(whole, 1), 7);
    assert_int_equal(pop_tensor_dim(whole, 2), 3);
    seen = tiles_of_tensor(fixture.graph, pop_tensor_slice(pop_tensor_slice(whole, 3, 6, 0), 6, 7, 1));
    assert_memory_equal(wanted, seen, 9 * sizeof(int));
    free(seen);
    free(wanted);
    fixture_run(&fixture, slice);
    pop_cycles cycles;
    assert_int_equal(pop_engine_cycles(fixture.engine, &cycles, NULL), POP_OK);
    assert_int_equal(cycles.compute, 198 + 14 + 6 * (41 + 27 + 1));
    fixture_close(&fixture);
}

static void test_large_shares_are_split(void **state)
{
    (void)state;
    pop_graph *graph = graph_of(1, 16);
    pop_tensor t =
        popops_create_sliceable_tensor(graph, POP_FLOAT, POP_SHAPE(100001, 7), POP_DIMS(0), POP_SHAPE(1), 2, "t");
    assert_built(graph);
    int *tiles = tiles_of_tensor(graph, t); /* blocks of 2 columns on 4 tiles each */
    for (size_t i = 0; i < 100001; i += 997)
        for (size_t column = 0; column < 7; ++column)
            assert_int_equal(tiles[i * 7 + column], column / 2 * 4 + i / 25001);
    free(tiles);
    pop_graph_destroy(graph);
}

static void mistakes_are_errors(void **state)
{
    (void)state;
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 4, popops_add_codelets_at);
    static const double three[] = { 3 };
    pop_tensor t = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(4, 5), FIXTURE_LINEAR),
               offset = write_offsets(&fixture, three, 1);
    popops_dynamic_slice(fixture.graph, t, offset, POP_DIMS(2), POP_SHAPE(1), fixture.program, "x");
    assert_error(fixture.graph, POP_INDEX_ERROR, "popops_dynamic_slice", "no dimension 2: the tensor's rank is 2");
    popops_dynamic_slice(fixture.graph, t, offset, POP_DIMS(0, 0), POP_SHAPE(1, 1), fixture.program, "x");
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_dynamic_slice", "dimension 0 is sliced twice");
    popops_dynamic_slice(fixture.graph, t, offset, POP_DIMS(0), POP_SHAPE(5), fixture.program, "x");
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_dynamic_slice", "5 elements of dimension 0, which has 4");
    popops_dynamic_slice(fixture.graph, t, offset, POP_DIMS(0, 1), POP_SHAPE(1), fixture.program, "x");
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_dynamic_slice", "2 dims and 1 sizes");
    popops_dynamic_slice(fixture.graph, t, offset, POP_DIMS(0, 1), POP_SHAPE(1, 1), fixture.program, "x");
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_dynamic_slice", "1 offsets; there must be 2");
    popops_dynamic_slice(fixture.graph, t, pop_tensor_at(pop_tensor_at(t, 0), 0), POP_DIMS(0), POP_SHAPE(1),
                         fixture.program, "x");
    assert_error(fixture.graph, POP_TYPE_ERROR, "popops_dynamic_slice", "float");
    popops_dynamic_slice(fixture.graph, (pop_tensor){ 0 }, offset, POP_DIMS(0), POP_SHAPE(1), fixture.program, "x");
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_dynamic_slice", "null");
    popops_dynamic_update(fixture.graph, t, t, offset, POP_DIMS(0), POP_SHAPE(1), fixture.program, "x");
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_dynamic_update",
                 "the slice: the shape is {4,5}; it must be {1,5}");
    popops_dynamic_update(fixture.graph, t, pop_tensor_reinterpret(pop_tensor_slice(t, 0, 1, 0), POP_INT), offset,
                          POP_DIMS(0), POP_SHAPE(1), fixture.program, "x");
    assert_error(fixture.graph, POP_TYPE_ERROR, "popops_dynamic_update",
                 "the slice: the type is int; it must be float");
    pop_tensor twice = pop_tensor_broadcast(t, 2, 0);
    popops_dynamic_update(fixture.graph, twice, pop_tensor_slice(t, 0, 1, 0), offset, POP_DIMS(0), POP_SHAPE(1),
                          fixture.program, "x");
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_dynamic_update", "constants or repeated");
    popops_create_sliceable_tensor(fixture.graph, POP_FLOAT, POP_SHAPE(3), POP_DIMS(1), POP_SHAPE(1), 0, "x");
    assert_error(fixture.graph, POP_INDEX_ERROR, "popops_create_sliceable_tensor", "no dimension 1");
    fixture_close(&fixture);
}

int main(void)
{
    setenv("POPLAR_ENGINE_OPTIONS", "{\"debug.checkedExecution\":\"true\"}", 1); /* no write is out of bounds */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_type_and_layout),
        cmocka_unit_test(test_views_empty_tensors_and_no_dims),
        cmocka_unit_test(test_layouts),
        cmocka_unit_test(test_large_shares_are_split),
        cmocka_unit_test(mistakes_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
