/* SPDX-License-Identifier: Apache-2.0 */
/* Memory layouts of tensors, tensors with contiguous partitions, counting loops. */
#include "poplibs/fixture.h"
#include "rounds.h"

#include <poputil/poputil.h>

static pop_tensor halves(pop_graph *graph, pop_shape shape)
{
    pop_tensor t = pop_graph_add_variable(graph, POP_HALF, shape, "t");
    pop_graph_set_tile_mapping(graph, t, 0);
    return t;
}

static void innermost_groups(void **state)
{
    (void)state;
    pop_graph *graph = graph_of(1, 4);
    pop_tensor t = halves(graph, POP_SHAPE(4, 6, 8));
    assert_int_equal(poputil_detect_innermost_grouping(graph, t), 8);
    assert_int_equal(poputil_detect_innermost_grouping(graph, pop_tensor_transpose(t)), 1);
    pop_tensor grouped =
        pop_tensor_reshape(pop_tensor_dim_shuffle(t, POP_DIMS(1, 0, 2)), POP_SHAPE(6, 32)); /* 4 groups of 8 */
    assert_int_equal(poputil_detect_innermost_grouping(graph, grouped), 8);
    assert_int_equal(poputil_detect_innermost_grouping(graph, pop_tensor_slice(t, 2, 8, 2)), 6);
    assert_int_equal(poputil_detect_innermost_grouping(graph, halves(graph, POP_SHAPE(3, 0))), 1);
    assert_int_equal(poputil_detect_innermost_grouping(graph, halves(graph, POP_SHAPE(13))), 13);
    assert_int_equal(
        poputil_detect_innermost_grouping(graph, pop_graph_add_variable(graph, POP_HALF, POP_SHAPE(5), "unmapped")), 5);
    pop_graph_set_tile_mapping(graph, pop_tensor_slice(t, 4, 8, 2), 1); /* the end of a tile is the end of a group */
    assert_int_equal(poputil_detect_innermost_grouping(graph, t), 4);
    assert_built(graph);
    assert_int_equal(poputil_detect_innermost_grouping(graph, halves(graph, POP_SHAPE())), 1);
    assert_error(graph, POP_POPLAR_ERROR, "poputil_detect_innermost_grouping", "rank 0");
    pop_graph_destroy(graph);
}

static void groupings_of_all_dims(void **state)
{
    (void)state;
    pop_graph *graph = graph_of(1, 2);
    poputil_dim_grouping g[8], first;
    pop_tensor t = halves(graph, POP_SHAPE(4, 6));
    assert_int_equal(poputil_detect_dim_groupings(graph, t, g, 8), 2);
    assert_true(g[0].dim == 1 && g[0].size == 6 && g[1].dim == 0 && g[1].size == 4);
    assert_int_equal(poputil_detect_dim_groupings(graph, pop_tensor_transpose(t), g, 8), 2);
    assert_true(g[0].dim == 0 && g[0].size == 6 && g[1].dim == 1 && g[1].size == 4);
    /* [A / 4][B / 8][4][8] seen as [A][B] */
    pop_tensor blocks = halves(graph, POP_SHAPE(3, 5, 4, 8));
    pop_tensor seen = pop_tensor_reshape(pop_tensor_dim_shuffle(blocks, POP_DIMS(0, 2, 1, 3)), POP_SHAPE(12, 40));
    assert_int_equal(poputil_detect_dim_groupings(graph, seen, g, 8), 4);
    assert_true(g[0].dim == 1 && g[0].size == 8 && g[1].dim == 0 && g[1].size == 4 && g[2].dim == 1 && g[2].size == 5 &&
                g[3].dim == 0 && g[3].size == 3);
    assert_int_equal(poputil_detect_dim_groupings(graph, seen, NULL, 0), 4);
    assert_true(poputil_detect_first_dim_grouping(graph, seen, &first) && first.dim == 1 && first.size == 8);
    assert_true(poputil_detect_first_dim_grouping(graph, pop_tensor_transpose(t), &first) && first.dim == 0 &&
                first.size == 6);
    assert_false(poputil_detect_first_dim_grouping(graph, pop_tensor_sub_sample(t, 2, 1), &first));
    assert_false(poputil_detect_first_dim_grouping(graph, halves(graph, POP_SHAPE(0, 4)), &first));
    assert_int_equal(poputil_detect_dim_groupings(graph, halves(graph, POP_SHAPE()), g, 8), 0);
    assert_int_equal(poputil_detect_dim_groupings(graph, halves(graph, POP_SHAPE(0, 4)), g, 8), 0);
    assert_int_equal(
        poputil_detect_dim_groupings(graph, pop_tensor_broadcast(pop_tensor_slice(t, 0, 1, 0), 3, 0), g, 8), 1);
    assert_built(graph);
    pop_graph_destroy(graph);
}

struct visits {
    size_t count, elements, stop;
};

static bool visit(pop_shape index, pop_tensor slice, void *user)
{
    struct visits *visits = user;
    size_t elements = pop_tensor_num_elements(slice);
    assert_true(!elements || pop_tensor_is_contiguous(slice));
    for (size_t i = 0; i < index.rank && !visits->count; ++i)
        assert_int_equal(index.dims[i], 0);
    visits->elements += elements;
    return ++visits->count != visits->stop;
}

static void partitions_are_contiguous(void **state)
{
    (void)state;
    pop_graph *graph = graph_of(1, 1);
    uint64_t random = 21;
    for (unsigned round = rounds(150); round-- > 0;) {
        size_t shape[4], partitions[4], rank = next_random(&random) % 5, elements = 1, count = 1;
        for (size_t i = 0; i < rank; ++i) {
            shape[i] = next_random(&random) % 12;
            partitions[i] = 1 + next_random(&random) % 5;
            elements *= shape[i];
            count *= partitions[i];
        }
        pop_tensor t = poputil_create_partitionable_tensor(graph, POP_FLOAT, (pop_shape){ rank, shape },
                                                           (pop_shape){ rank, partitions }, "p");
        assert_built(graph);
        assert_int_equal(pop_tensor_rank(t), rank);
        for (size_t i = 0; i < rank; ++i)
            assert_int_equal(pop_tensor_dim(t, i), shape[i]);
        assert_false(pop_tensor_contains_aliases(t));
        struct visits visits = { 0 };
        poputil_iterate_tensor_partitions(graph, t, (pop_shape){ rank, partitions }, visit, &visits);
        assert_int_equal(visits.count, count);
        assert_int_equal(visits.elements, elements);
    }
    struct visits visits = { .stop = 2 };
    pop_tensor t = poputil_create_partitionable_tensor(graph, POP_FLOAT, POP_SHAPE(7), POP_SHAPE(7), "p");
    poputil_iterate_tensor_partitions(graph, t, POP_SHAPE(7), visit, &visits);
    assert_int_equal(visits.count, 2);
    poputil_iterate_tensor_partitions(graph, t, POP_SHAPE(7, 1), visit, &visits);
    assert_error(graph, POP_POPLAR_ERROR, "poputil_iterate_tensor_partitions",
                 "2 numbers of partitions for a tensor of rank 1");
    poputil_create_partitionable_tensor(graph, POP_FLOAT, POP_SHAPE(7), POP_SHAPE(0), "p");
    assert_error(graph, POP_POPLAR_ERROR, "poputil_create_partitionable_tensor", "0 partitions");
    pop_graph_destroy(graph);
}

struct loop {
    pop_tensor seen;
};

/* Stores the counter of the latest iteration. */
static pop_program keep_counter(pop_graph *graph, pop_tensor i, void *user)
{
    struct loop *loop = user;
    assert_int_equal(pop_tensor_type(i), POP_UNSIGNED_INT);
    loop->seen = pop_graph_add_variable(graph, POP_UNSIGNED_INT, POP_SHAPE(), "seen");
    pop_graph_set_tile_mapping(graph, loop->seen, 0);
    pop_graph_create_host_read(graph, "seen", loop->seen);
    return pop_copy(i, loop->seen, false, NULL);
}

static unsigned last_counter(pop_device *device, size_t begin, size_t end, size_t step)
{
    pop_error error = { 0 };
    pop_graph *graph = pop_graph_create(pop_device_target(device));
    struct loop loop;
    pop_program program = poputil_counted_loop(graph, begin, end, step, "loop", keep_counter, &loop);
    assert_built(graph);
    unsigned none = 99, seen = 0;
    pop_graph_set_initial_fill(graph, loop.seen, POP_UNSIGNED_INT, &none);
    pop_engine *engine = pop_engine_create(graph, POP_PROGRAMS(program), POP_NO_OPTIONS, &error);
    if (!engine || pop_engine_load(engine, device, &error) || pop_engine_run(engine, 0, &error) ||
        pop_engine_read_tensor(engine, "seen", &seen, sizeof(seen), &error))
        fail_msg("%s", error.text);
    pop_engine_destroy(engine);
    pop_graph_destroy(graph);
    return seen;
}

static void loops_count(void **state)
{
    (void)state;
    pop_error error;
    pop_device *devices[] = { pop_cpu_device_create(&error),
                              pop_ipu_model_create_device(&(pop_ipu_model){ .version = "ipu2" }, &error) };
    for (size_t i = 0; i < 2; ++i) {
        assert_non_null(devices[i]);
        assert_int_equal(last_counter(devices[i], 0, 7, 1), 6);
        assert_int_equal(last_counter(devices[i], 3, 20, 5), 18);
        assert_int_equal(last_counter(devices[i], 3, 4, 9), 3);
        pop_device_destroy(devices[i]);
    }
    pop_graph *graph = graph_of(1, 1);
    struct loop loop;
    poputil_counted_loop(graph, 0, 7, 0, NULL, keep_counter, &loop);
    assert_error(graph, POP_POPLAR_ERROR, "poputil_counted_loop", "step of 0");
    poputil_counted_loop(graph, 10, 10, 10, NULL, keep_counter, &loop);
    assert_error(graph, POP_POPLAR_ERROR, "poputil_counted_loop", "from 10 to 10 has no step");
    poputil_counted_loop(graph, 0, (size_t)1 << 40, 1, NULL, keep_counter, &loop);
    assert_error(graph, POP_POPLAR_ERROR, "poputil_counted_loop", "32 bits");
    pop_graph_destroy(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(innermost_groups),
        cmocka_unit_test(groupings_of_all_dims),
        cmocka_unit_test(partitions_are_contiguous),
        cmocka_unit_test(loops_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
