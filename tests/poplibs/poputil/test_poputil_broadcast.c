/* SPDX-License-Identifier: Apache-2.0 */
/* Views broadcast to each other's shape, against NumPy's rule element by element. */
#include "poplibs/fixture.h"
#include "rounds.h"

#include <poputil/poputil.h>

/* The element of t at each element of its broadcast view. */
static void check_elements(pop_tensor t, pop_tensor view)
{
    size_t dims[6], own[6], index[6], rank = pop_tensor_shape(view, dims, 6), own_rank = pop_tensor_shape(t, own, 6);
    for (size_t i = 0; i < pop_tensor_num_elements(view); ++i) {
        poputil_unflatten_index((pop_shape){ rank, dims }, i, index);
        for (size_t d = 0; d < own_rank; ++d)
            index[rank - own_rank + d] = own[d] == 1 ? 0 : index[rank - own_rank + d];
        size_t flat =
            poputil_flatten_index((pop_shape){ own_rank, own }, (pop_shape){ own_rank, index + rank - own_rank });
        assert_true(
            pop_tensor_equal(pop_tensor_at(pop_tensor_flatten(view), i), pop_tensor_at(pop_tensor_flatten(t), flat)));
    }
}

static pop_tensor random_tensor(pop_graph *graph, uint64_t *random)
{
    size_t dims[4], rank = next_random(random) % 5;
    for (size_t i = 0; i < rank; ++i)
        dims[i] = next_random(random) % 8 ? 1 + next_random(random) % 2 * 2 : 0; /* 1 or 3, rarely 0 */
    return pop_graph_add_variable(graph, POP_INT, (pop_shape){ rank, dims }, "t");
}

/* Whether NumPy has a common shape for all; dims is filled from the innermost to the outermost. */
static bool naive(const pop_tensor *list, size_t count, size_t *dims, size_t *rank)
{
    *rank = 0;
    for (size_t i = 0; i < count; ++i)
        *rank = pop_tensor_rank(list[i]) > *rank ? pop_tensor_rank(list[i]) : *rank;
    for (size_t d = 0; d < *rank; ++d) {
        dims[d] = 1;
        for (size_t i = 0; i < count; ++i) {
            size_t own = pop_tensor_rank(list[i]), dim = d < own ? pop_tensor_dim(list[i], own - 1 - d) : 1;
            if (dim != 1 && dims[d] != 1 && dim != dims[d])
                return false;
            if (dim != 1)
                dims[d] = dim;
        }
    }
    return true;
}

static void shapes_are_joined_as_numpy_joins_them(void **state)
{
    (void)state;
    pop_graph *graph = graph_of(1, 1);
    uint64_t random = 11;
    unsigned fitted = 0;
    for (unsigned round = rounds(500); round-- > 0;) {
        pop_tensor given[3] = { random_tensor(graph, &random), random_tensor(graph, &random),
                                random_tensor(graph, &random) };
        pop_tensor seen[3] = { given[0], given[1], given[2] };
        size_t count = 2 + round % 2, rank, dims[4];
        bool fits = naive(given, count, dims, &rank);
        bool done = count == 2 ? poputil_broadcast_to_match(&seen[0], &seen[1])
                               : poputil_broadcast_to_match_three(&seen[0], &seen[1], &seen[2]);
        assert_int_equal(done, fits);
        if (count == 2)
            assert_int_equal(poputil_can_broadcast_to_match(given[0], given[1]), fits);
        if (!fits) {
            assert_true(pop_tensor_equal(seen[0], given[0]) && pop_tensor_equal(seen[1], given[1]));
            assert_error(graph, POP_POPLAR_ERROR,
                         count == 2 ? "poputil_broadcast_to_match" : "poputil_broadcast_to_match_three",
                         "cannot be broadcast");
            continue;
        }
        ++fitted;
        assert_built(graph);
        for (size_t i = 0; i < count; ++i) {
            assert_int_equal(pop_tensor_rank(seen[i]), rank);
            for (size_t d = 0; d < rank; ++d)
                assert_int_equal(pop_tensor_dim(seen[i], d), dims[rank - 1 - d]);
            check_elements(given[i], seen[i]);
        }
    }
    assert_true(fitted > 20);
    pop_graph_destroy(graph);
}

static void a_given_shape_is_matched(void **state)
{
    (void)state;
    pop_graph *graph = graph_of(1, 1);
    pop_tensor t = pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(3, 1), "t"), seen = t;
    assert_true(poputil_broadcast_to_match_shape(&seen, POP_SHAPE(2, 3, 5)));
    assert_int_equal(pop_tensor_num_elements(seen), 30);
    check_elements(t, seen);
    assert_false(poputil_broadcast_to_match_shape(&seen, POP_SHAPE(3, 5)));
    assert_error(graph, POP_POPLAR_ERROR, "poputil_broadcast_to_match_shape",
                 "{2,3,5} cannot be broadcast to match {3,5}");
    assert_int_equal(pop_tensor_rank(seen), 3);
    pop_tensor null = { 0 };
    assert_false(poputil_broadcast_to_match(&t, &null));
    assert_error(graph, POP_POPLAR_ERROR, "poputil_broadcast_to_match", "cannot be broadcast");
    assert_false(poputil_broadcast_to_match_shape(&null, POP_SHAPE(1)));
    pop_graph_destroy(graph);
}

static void ranks_are_matched_with_ones(void **state)
{
    (void)state;
    pop_graph *graph = graph_of(1, 1);
    pop_tensor a = pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(2, 3, 4), "a"),
               b = pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(7), "b");
    poputil_expand_to_match_ranks(&a, &b);
    assert_int_equal(pop_tensor_rank(b), 3);
    assert_int_equal(pop_tensor_dim(b, 0) * pop_tensor_dim(b, 1), 1);
    assert_int_equal(pop_tensor_dim(b, 2), 7);
    pop_tensor scalar = pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(), "s");
    poputil_expand_to_match_ranks(&scalar, &a);
    assert_int_equal(pop_tensor_rank(scalar), 3);
    poputil_expand_to_match_ranks(&a, &b);
    assert_int_equal(pop_tensor_rank(a), 3);
    assert_built(graph);
    pop_graph_destroy(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_are_joined_as_numpy_joins_them),
        cmocka_unit_test(a_given_shape_is_matched),
        cmocka_unit_test(ranks_are_matched_with_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
