/* SPDX-License-Identifier: Apache-2.0 */
/* Shares by use, mappings like those of other tensors, copies to other IPUs. */
#include "poplibs/fixture.h"
#include "rounds.h"

#include <math.h>
#include <poputil/poputil.h>

static pop_tensor floats(pop_graph *graph, pop_shape shape)
{
    return pop_graph_add_variable(graph, POP_FLOAT, shape, "t");
}

static void an_example_of_shares_by_use(void **state)
{
    (void)state;
    pop_graph *graph = graph_of(1, 8);
    pop_tensor t = floats(graph, POP_SHAPE(12));
    poputil_use_tracker *tracker = poputil_use_tracker_create(8, 0, true);
    assert_true(poputil_use_tracker_empty(tracker));
    poputil_use_tracker_add(tracker, graph, 3, pop_tensor_slice(t, 0, 8, 0));
    poputil_use_tracker_add(tracker, graph, 5, pop_tensor_slice(t, 4, 10, 0));
    assert_false(poputil_use_tracker_empty(tracker));
    poputil_use_tracker_map_tensors_by_use(tracker, graph, 1, 1, true, POPUTIL_MAPPING_NONE);
    const int expected[] = {
        3, 3, 3, 3, 3, 3, 5, 5, 5, 5, 5, 5
    }; /* [4, 8) is divided; [10, 12) is mapped like [8, 10) */
    int *tiles = tiles_of_tensor(graph, t);
    assert_memory_equal(tiles, expected, sizeof(expected));
    free(tiles);
    poputil_use_tracker_destroy(tracker);
    poputil_use_tracker_destroy(NULL);

    pop_tensor halo = floats(graph, POP_SHAPE(12));
    tracker = poputil_use_tracker_create(8, 0, true);
    poputil_use_tracker *other = poputil_use_tracker_create(8, 0, true);
    poputil_use_tracker_add(tracker, graph, 3, pop_tensor_slice(halo, 0, 8, 0));
    poputil_use_tracker_add(other, graph, 5, pop_tensor_slice(halo, 4, 12, 0));
    poputil_use_tracker_add_tracker(tracker, other);
    poputil_use_tracker_map_tensors_by_use(tracker, graph, 1, 1, false, POPUTIL_OPTIMIZE_HALO_REGIONS);
    const int whole[] = { 3, 3, 3, 3, 3, 3, 3, 3, 5, 5, 5, 5 };
    tiles = tiles_of_tensor(graph, halo);
    assert_memory_equal(tiles, whole, sizeof(whole));
    free(tiles);
    poputil_use_tracker_add(tracker, graph, 8, halo);
    assert_error(graph, POP_INDEX_ERROR, "poputil_use_tracker_add", "no tile 8");
    poputil_use_tracker_destroy(tracker);
    poputil_use_tracker_destroy(other);
    pop_graph_destroy(graph);
}

/* So many uses that they are sorted by digits; tiles use the elements of two variables in turn, in falling order. */
static void many_uses_of_two_variables(void **state)
{
    enum { TILES = 8, ELEMENTS = 5000 };
    (void)state;
    pop_graph *graph = graph_of(1, TILES);
    pop_tensor t[] = { floats(graph, POP_SHAPE(ELEMENTS)), floats(graph, POP_SHAPE(ELEMENTS)) };
    poputil_use_tracker *tracker = poputil_use_tracker_create(TILES, 0, true);
    for (size_t i = ELEMENTS; i-- > 0;)
        for (size_t k = 0; k < 2; ++k)
            poputil_use_tracker_add(tracker, graph, (unsigned)((i / 3 + k) % TILES),
                                    pop_tensor_slice(t[k], i, i + 1, 0));
    poputil_use_tracker_map_tensors_by_use(tracker, graph, 1, 1, false, POPUTIL_MAPPING_NONE);
    for (size_t k = 0; k < 2; ++k) {
        int *tiles = tiles_of_tensor(graph, t[k]);
        for (size_t i = 0; i < ELEMENTS; ++i)
            assert_int_equal(tiles[i], (i / 3 + k) % TILES);
        free(tiles);
    }
    poputil_use_tracker_destroy(tracker);
    pop_graph_destroy(graph);
}

static void shared_elements_begin_at_the_start_tile(void **state)
{
    (void)state;
    pop_graph *graph = graph_of(1, 4);
    for (unsigned ascending = 0; ascending < 2; ++ascending) {
        pop_tensor t = floats(graph, POP_SHAPE(4));
        poputil_use_tracker *tracker = poputil_use_tracker_create(4, 1, ascending);
        for (unsigned tile = 0; tile < 4; ++tile)
            poputil_use_tracker_add(tracker, graph, tile, t);
        poputil_use_tracker_map_tensors_by_use(tracker, graph, 1, 1, false, POPUTIL_CONSTRAIN_MAPPING_TO_USED_TILES);
        int *tiles = tiles_of_tensor(graph, t);
        assert_int_equal(tiles[0], ascending ? 1 : 2);
        assert_int_equal(tiles[1], ascending ? 2 : 1);
        assert_int_equal(tiles[3], ascending ? 0 : 3);
        free(tiles);
        poputil_use_tracker_destroy(tracker);
    }
    assert_built(graph);
    pop_graph_destroy(graph);
}

/* Each element that is used is on a tile that uses it. */
static void elements_are_mapped_where_they_are_used(void **state)
{
    (void)state;
    enum { TILES = 5, ELEMENTS = 37 };
    uint64_t random = 3;
    for (unsigned round = rounds(200); round-- > 0;) {
        pop_graph *graph = graph_of(1, TILES);
        pop_tensor variables[2] = { floats(graph, POP_SHAPE(ELEMENTS)), floats(graph, POP_SHAPE(ELEMENTS)) };
        bool used[2][ELEMENTS][TILES] = { 0 }, any[2] = { 0 };
        poputil_use_tracker *tracker = poputil_use_tracker_create(TILES, next_random(&random) % TILES, round % 2);
        for (unsigned uses = next_random(&random) % 8; uses-- > 0;) {
            unsigned v = next_random(&random) % 2, tile = next_random(&random) % TILES,
                     begin = next_random(&random) % ELEMENTS;
            unsigned end = begin + next_random(&random) % (ELEMENTS - begin + 1), stride = 1 + next_random(&random) % 3;
            poputil_use_tracker_add(tracker, graph, tile,
                                    pop_tensor_sub_sample(pop_tensor_slice(variables[v], begin, end, 0), stride, 0));
            for (unsigned i = begin; i < end; i += stride)
                used[v][i][tile] = any[v] = true;
        }
        bool extend = next_random(&random) % 2;
        poputil_use_tracker_map_tensors_by_use(tracker, graph, 1 + next_random(&random) % 4, next_random(&random) % 9,
                                               extend, (poputil_mapping_method)(next_random(&random) % 3));
        assert_built(graph);
        for (unsigned v = 0; v < 2; ++v) {
            int *tiles = tiles_of_tensor(graph, variables[v]);
            for (unsigned i = 0; i < ELEMENTS; ++i) {
                bool somebody = false;
                for (unsigned tile = 0; tile < TILES; ++tile)
                    somebody |= used[v][i][tile];
                if (somebody)
                    assert_true(tiles[i] >= 0 && used[v][i][tiles[i]]);
                else
                    assert_int_equal(tiles[i] >= 0, extend && any[v]);
            }
            free(tiles);
        }
        poputil_use_tracker_destroy(tracker);
        pop_graph_destroy(graph);
    }
}

static void broadcast_operands_are_mapped_like_the_full_tensor(void **state)
{
    (void)state;
    pop_graph *graph = graph_of(1, 6);
    pop_tensor full = floats(graph, POP_SHAPE(4, 6));
    for (unsigned i = 0; i < 3; ++i)
        pop_graph_set_tile_mapping(graph, pop_tensor_slice(full, 2 * i, 2 * i + 2, 1), 2 * i);
    pop_tensor operand = poputil_create_broadcast_operand(graph, full, POP_HALF, 1, false, "b");
    assert_int_equal(pop_tensor_rank(operand), 1);
    assert_int_equal(pop_tensor_type(operand), POP_HALF);
    int *tiles = tiles_of_tensor(graph, operand);
    const int expected[] = { 0, 0, 2, 2, 4, 4 };
    assert_memory_equal(tiles, expected, sizeof(expected));
    free(tiles);
    operand = poputil_create_broadcast_operand(graph, full, POP_FLOAT, 0, true, "b");
    assert_int_equal(pop_tensor_num_elements(operand), 4);
    tiles = tiles_of_tensor(graph, operand);
    for (unsigned i = 0; i < 4; ++i)
        assert_true(tiles[i] == 0 || tiles[i] == 2 || tiles[i] == 4);
    free(tiles);
    pop_tensor wraps = floats(graph, POP_SHAPE(2, 3)); /* tile 1 has the end of a row and the beginning of the next */
    pop_graph_set_tile_mapping(graph, wraps, 3);
    pop_graph_set_tile_mapping(graph, pop_tensor_slice(pop_tensor_flatten(wraps), 2, 4, 0), 1);
    tiles = tiles_of_tensor(graph, poputil_create_broadcast_operand(graph, wraps, POP_INT, 1, false, "b"));
    assert_int_equal(tiles[0], 1);
    assert_int_equal(tiles[1], 3);
    free(tiles);
    pop_tensor empty = floats(graph, POP_SHAPE(0, 3));
    assert_int_equal(pop_tensor_num_elements(poputil_create_broadcast_operand(graph, empty, POP_FLOAT, 1, false, "b")),
                     3);
    assert_built(graph);
    poputil_create_broadcast_operand(graph, full, POP_FLOAT, 2, true, "b");
    assert_error(graph, POP_INDEX_ERROR, "poputil_create_broadcast_operand", "rank is 2");
    pop_graph_destroy(graph);
}

static void outputs_are_mapped_like_the_best_spread_input(void **state)
{
    (void)state;
    pop_graph *graph = graph_of(1, 4);
    pop_tensor a = floats(graph, POP_SHAPE(2, 4)), b = floats(graph, POP_SHAPE(2, 4)), one = floats(graph, POP_SHAPE()),
               out = floats(graph, POP_SHAPE(2, 4));
    pop_graph_set_tile_mapping(graph, a, 3);
    pop_graph_set_tile_mapping(graph, pop_tensor_at(b, 0), 1);
    pop_graph_set_tile_mapping(graph, pop_tensor_at(b, 1), 2);
    pop_graph_set_tile_mapping(graph, one, 3);
    poputil_map_output_for_element_wise_op(graph, POP_TENSORS(a, one, b), out, 1, 1);
    int *tiles = tiles_of_tensor(graph, out);
    assert_true(tiles[0] == 1 && tiles[7] == 2);
    free(tiles);
    poputil_map_output_for_element_wise_op(
        graph, POP_TENSORS(one, pop_tensor_broadcast(pop_tensor_slice(b, 0, 1, 0), 2, 0)), out, 2, 2);
    tiles = tiles_of_tensor(graph, out); /* linearly, 4 per tile */
    assert_true(tiles[0] == 0 && tiles[3] == 0 && tiles[4] == 1);
    free(tiles);
    pop_graph *wide = graph_of(1, 13); /* grains of 4 of inputs in pieces of 3 */
    pop_tensor pieces = floats(wide, POP_SHAPE(37)), grains = floats(wide, POP_SHAPE(37));
    for (size_t i = 0; i < 37; ++i)
        pop_graph_set_tile_mapping(wide, pop_tensor_slice(pieces, i, i + 1, 0), (unsigned)(i / 3));
    poputil_map_output_for_element_wise_op(wide, POP_TENSORS(pieces), grains, 4, 1);
    tiles = tiles_of_tensor(wide, grains);
    for (size_t i = 0; i < 37; ++i)
        assert_int_equal(tiles[i], i / 4 * 4 / 3);
    free(tiles);
    poputil_map_output_for_element_wise_op(wide, POP_TENSORS(pieces), grains, 1, 1);
    tiles = tiles_of_tensor(wide, grains);
    assert_int_equal(tiles[3], 1);
    free(tiles);
    pop_graph_destroy(wide);
    poputil_map_output_for_element_wise_op(graph, POP_TENSORS(a), (pop_tensor){ 0 }, 1, 1);
    assert_error(graph, POP_INVALID_TILE_MAPPING, "poputil_map_output_for_element_wise_op", "null");
    pop_graph_destroy(graph);
}

static void clones_are_on_the_same_tiles_of_another_graph(void **state)
{
    (void)state;
    pop_graph *graph = graph_of(1, 8);
    pop_graph *low = pop_graph_create_virtual_range(graph, 0, 4), *high = pop_graph_create_virtual_range(graph, 4, 8),
              *small = pop_graph_create_virtual_range(graph, 0, 3);
    pop_tensor t = pop_graph_add_variable(low, POP_FLOAT, POP_SHAPE(6), "t");
    for (unsigned i = 0; i < 6; ++i)
        pop_graph_set_tile_mapping(low, pop_tensor_slice(t, i, i + 1, 0), (i * 3) % 4);
    pop_tensor clone = poputil_clone_to_graph(low, high, t, POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES, "c");
    assert_built(graph);
    int *there = tiles_of_tensor(high, clone), *everywhere = tiles_of_tensor(graph, clone);
    for (int i = 0; i < 6; ++i) {
        assert_int_equal(there[i], (i * 3) % 4);
        assert_int_equal(everywhere[i], 4 + (i * 3) % 4);
    }
    free(there);
    free(everywhere);
    poputil_clone_to_graph(low, small, t, POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES, "c");
    assert_error(graph, POP_POPLAR_ERROR, "poputil_clone_to_graph", "graphs of 4 and 3 tiles");
    unsigned next = 9;
    pop_tensor twice = pop_tensor_concat(POP_TENSORS(t, t), 0),
               apart = poputil_clone_and_expand_aliasing(graph, twice, 2, "apart", &next);
    assert_true(pop_tensor_is_parallel_writeable(apart) && pop_tensor_num_elements(apart) == 12);
    assert_int_equal(next, 3); /* the six repetitions are less than 128 bytes */
    int *first = tiles_of_tensor(graph, t), *second = tiles_of_tensor(graph, apart);
    assert_memory_equal(first, second, 6 * sizeof(int));
    for (unsigned i = 6; i < 12; ++i)
        assert_int_equal(second[i], 2);
    free(second);
    second = tiles_of_tensor(graph, poputil_clone_and_expand_aliasing(graph, t, 1, "once", &next));
    assert_int_equal(next, 1);
    assert_memory_equal(first, second, 6 * sizeof(int));
    free(first);
    free(second);
    pop_graph_destroy(small);
    pop_graph_destroy(high);
    pop_graph_destroy(low);
    pop_graph_destroy(graph);
}

static void clones_are_on_the_same_tiles_of_another_ipu(void **state)
{
    (void)state;
    pop_graph *graph = graph_of(3, 2);
    pop_tensor t = floats(graph, POP_SHAPE(4)), source, destination;
    for (unsigned i = 0; i < 4; ++i)
        pop_graph_set_tile_mapping(graph, pop_tensor_at(t, i), i);
    pop_tensor copy = poputil_clone_to_ipu(graph, t, 2, POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES, "c");
    int *tiles = tiles_of_tensor(graph, copy);
    const int expected[] = { 4, 5, 4, 5 };
    assert_memory_equal(tiles, expected, sizeof(expected));
    free(tiles);
    pop_tensor wide = pop_tensor_broadcast(t, 3, 0);
    copy = poputil_create_ipu_copy(graph, wide, 1, POP_CLONE_PRESERVE_ORDER_AND_ALIASES, "c", &source, &destination);
    assert_int_equal(pop_tensor_num_elements(copy), 12);
    assert_int_equal(pop_tensor_num_elements(source), 4); /* each element once */
    assert_int_equal(pop_tensor_num_elements(destination), 4);
    assert_false(pop_tensor_contains_aliases(destination));
    pop_program sequence = pop_sequence(graph, NULL);
    copy = poputil_copy_to_ipu(graph, wide, sequence, 1, POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES, "c");
    assert_int_equal(pop_tensor_num_elements(copy), 12);
    assert_false(pop_program_is_empty(sequence));
    assert_built(graph);
    poputil_clone_to_ipu(graph, t, 3, POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES, "c");
    assert_error(graph, POP_INDEX_ERROR, "poputil_clone_to_ipu", "no IPU 3");
    pop_graph_destroy(graph);
}

static void duplicates_are_copied_and_clones_are_stacked(void **state)
{
    (void)state;
    pop_graph *graph = graph_of(1, 2);
    pop_tensor t = floats(graph, POP_SHAPE(3, 5));
    poputil_map_tensor_linearly_grain(graph, t, 1, 1);
    pop_program sequence = pop_sequence(graph, NULL);
    pop_tensor copy =
        poputil_duplicate(graph, pop_tensor_transpose(t), sequence, POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES, "d");
    assert_int_equal(pop_tensor_dim(copy, 0), 5);
    assert_false(pop_program_is_empty(sequence));
    assert_false(pop_tensor_intersects(copy, t));
    pop_tensor stack = poputil_clone_n(graph, t, 7, POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES, "n");
    assert_int_equal(pop_tensor_rank(stack), 3);
    assert_int_equal(pop_tensor_dim(stack, 0), 7);
    assert_built(graph);
    poputil_duplicate(graph, (pop_tensor){ 0 }, sequence, POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES, "d");
    assert_int_equal(pop_graph_take_error(graph, NULL), POP_TENSOR_CREATION_ERROR);
    pop_graph_destroy(graph);
}

static void casts_round_to_half(void **state)
{
    (void)state;
    pop_target target = pop_target_create_cpu(true, 1);
    assert_true(poputil_cast_to_device_half_value(&target, 2049) == 2048);
    assert_true(poputil_cast_to_device_half_value(&target, 0.1) == 0.0999755859375);
    assert_true(isinf(poputil_cast_to_device_half_value(&target, 1e6)));
    assert_true(poputil_check_accuracy_when_cast(&target, 0.1, POP_FLOAT, POP_HALF, 1e-3));
    assert_false(poputil_check_accuracy_when_cast(&target, 0.1, POP_FLOAT, POP_HALF, 1e-5));
    assert_true(poputil_check_accuracy_when_cast(&target, 0.5, POP_FLOAT, POP_HALF, 1e-30));
    assert_false(poputil_check_accuracy_when_cast(&target, 0.5, POP_FLOAT, POP_HALF, 0)); /* the error is below none */
    assert_false(poputil_check_accuracy_when_cast(&target, 0, POP_FLOAT, POP_HALF, 0.5));
    assert_false(poputil_check_accuracy_when_cast(&target, 65520, POP_FLOAT, POP_HALF, 0.5));
    assert_false(poputil_check_accuracy_when_cast(&target, 1e-9, POP_FLOAT, POP_HALF, 0.1));
    assert_true(poputil_check_accuracy_when_cast(&target, 0.1, POP_HALF, POP_FLOAT, 0));
    assert_true(poputil_check_accuracy_when_cast(&target, 3, POP_INT, POP_HALF, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clones_are_on_the_same_tiles_of_another_graph),
        cmocka_unit_test(an_example_of_shares_by_use),
        cmocka_unit_test(many_uses_of_two_variables),
        cmocka_unit_test(shared_elements_begin_at_the_start_tile),
        cmocka_unit_test(elements_are_mapped_where_they_are_used),
        cmocka_unit_test(broadcast_operands_are_mapped_like_the_full_tensor),
        cmocka_unit_test(outputs_are_mapped_like_the_best_spread_input),
        cmocka_unit_test(clones_are_on_the_same_tiles_of_another_ipu),
        cmocka_unit_test(duplicates_are_copied_and_clones_are_stacked),
        cmocka_unit_test(casts_round_to_half),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
