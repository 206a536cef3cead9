/* SPDX-License-Identifier: Apache-2.0 */
/* Every mistake that a view call can report; text, constants, null tensors; and the counted costs of views. */
#include "graph/graph.h"
#include "graph/view/tensor.h"
#include "graph/view/view.h"

#include <poplar/poplar.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static int set_up(void **state)
{
    pop_target target = pop_target_create_cpu(false, 1);
    *state = pop_graph_create(&target);
    return 0;
}

static int tear_down(void **state)
{
    pop_graph_destroy(*state);
    return 0;
}

static pop_tensor variable(pop_graph *graph, pop_shape shape)
{
    return pop_graph_add_variable(graph, POP_FLOAT, shape, "v");
}

/* The call failed: null, recorded with kind, api, this file, these words; a call made while the error is pending gives
 * null. */
static void expect(pop_graph *graph, pop_tensor result, pop_status status, const char *api, const char *words)
{
    assert_false(pop_tensor_valid(result));
    const pop_error *error = pop_graph_error(graph);
    assert_non_null(error);
    if (!strstr(error->text, words))
        print_message("text: %s\n", error->text);
    assert_int_equal(error->status, status);
    assert_string_equal(error->api, api);
    assert_non_null(strstr(error->text, words));
    assert_non_null(error->where.file);
    assert_non_null(strstr(error->where.file, "test_tensor.c"));
    assert_true(error->where.line > 0);
    assert_false(pop_tensor_valid(pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(1), "late")));
    pop_graph_take_error(graph, NULL);
}

static void bounds_are_index_errors(void **state)
{
    pop_graph *g = *state;
    pop_tensor t = variable(g, POP_SHAPE(4, 3)), scalar = variable(g, POP_SHAPE());
    expect(g, pop_tensor_slice(t, 2, 9, 0), POP_INDEX_ERROR, "pop_tensor_slice",
           "slice [2, 9) of dimension 0, which has extent 4");
    expect(g, pop_tensor_slice(t, 3, 2, 1), POP_INDEX_ERROR, "pop_tensor_slice", "slice [3, 2) of dimension 1");
    expect(g, pop_tensor_slice(t, 0, 1, 2), POP_INDEX_ERROR, "pop_tensor_slice", "dimension 2 of a tensor of rank 2");
    expect(g, pop_tensor_slice_interval(t, ((pop_interval){ 0, 5 }), 0), POP_INDEX_ERROR, "pop_tensor_slice_interval",
           "[0, 5)");
    expect(g, pop_tensor_slice_nd(t, POP_SHAPE(0, 0), POP_SHAPE(4, 4)), POP_INDEX_ERROR, "pop_tensor_slice_nd",
           "dimension 1");
    expect(g, pop_tensor_at(t, 4), POP_INDEX_ERROR, "pop_tensor_at", "index 4 of dimension 0, which has extent 4");
    expect(g, pop_tensor_at(scalar, 0), POP_INDEX_ERROR, "pop_tensor_at", "rank 0");
    expect(g, pop_tensor_index(t, POP_SHAPE(1, 3)), POP_INDEX_ERROR, "pop_tensor_index",
           "index 3 of dimension 1, which has extent 3");
    expect(g, pop_tensor_index(t, POP_SHAPE(1, 1, 1)), POP_INDEX_ERROR, "pop_tensor_index",
           "3 indices into a tensor of rank 2");
    expect(g, pop_tensor_flatten_dims(t, 1, 3), POP_INDEX_ERROR, "pop_tensor_flatten_dims", "dimensions [1, 3)");
    expect(g, pop_tensor_flatten_dims(t, 0, 100000), POP_INDEX_ERROR, "pop_tensor_flatten_dims",
           "dimensions [0, 100000)");
    expect(g, pop_tensor_flatten_dims(t, 2, 1), POP_INDEX_ERROR, "pop_tensor_flatten_dims", "dimensions [2, 1)");
    expect(g, pop_tensor_reshape_partial(t, 2, 1, POP_SHAPE(1)), POP_INDEX_ERROR, "pop_tensor_reshape_partial",
           "dimensions [2, 1)");
    expect(g, pop_tensor_dim_shuffle(t, POP_DIMS(0, 2)), POP_INDEX_ERROR, "pop_tensor_dim_shuffle", "dimension 2");
    expect(g, pop_tensor_dim_shuffle_partial(t, POP_DIMS(0), POP_DIMS(2)), POP_INDEX_ERROR,
           "pop_tensor_dim_shuffle_partial", "dimension 2");
    expect(g, pop_tensor_dim_roll(t, 2, 0), POP_INDEX_ERROR, "pop_tensor_dim_roll", "dimension 2");
    expect(g, pop_tensor_expand(t, POP_DIMS(3)), POP_INDEX_ERROR, "pop_tensor_expand", "before dimension 3");
    expect(g, pop_tensor_squeeze(t, POP_DIMS(2)), POP_INDEX_ERROR, "pop_tensor_squeeze", "dimension 2");
    expect(g, pop_tensor_broadcast(scalar, 2, 0), POP_INDEX_ERROR, "pop_tensor_broadcast", "rank 0");
    expect(g, pop_tensor_upsample(t, 2, 7, POP_UPSAMPLE_REPEAT), POP_INDEX_ERROR, "pop_tensor_upsample", "dimension 7");
    expect(g, pop_tensor_sub_sample(t, 2, 2), POP_INDEX_ERROR, "pop_tensor_sub_sample", "dimension 2");
    expect(g, pop_tensor_reverse(t, 2), POP_INDEX_ERROR, "pop_tensor_reverse", "dimension 2");
    expect(g, pop_tensor_concat(POP_TENSORS(t, t), 2), POP_INDEX_ERROR, "pop_tensor_concat", "dimension 2");
    expect(g, pop_tensor_append(t, pop_tensor_at(t, 0), 2), POP_INDEX_ERROR, "pop_tensor_append", "dimension 2");
}

static void shapes_that_do_not_match_are_poplar_errors(void **state)
{
    pop_graph *g = *state;
    pop_tensor t = variable(g, POP_SHAPE(4, 3)), row = variable(g, POP_SHAPE(3));
    expect(g, pop_tensor_slice_nd(t, POP_SHAPE(0, 0), POP_SHAPE(4)), POP_POPLAR_ERROR, "pop_tensor_slice_nd",
           "2 begins and 1 ends");
    expect(g, pop_tensor_reshape(t, POP_SHAPE(5)), POP_POPLAR_ERROR, "pop_tensor_reshape", "{4,3} reshaped to {5}");
    expect(g, pop_tensor_reshape(t, POP_SHAPE((size_t)1 << 62, 12)), POP_POPLAR_ERROR, "pop_tensor_reshape", "{4,3}");
    expect(g, pop_tensor_reshape(t, ((pop_shape){ 65, NULL })), POP_POPLAR_ERROR, "pop_tensor_reshape", "rank 65");
    expect(g, pop_tensor_reshape_partial(t, 0, 1, POP_SHAPE(2, 3)), POP_POPLAR_ERROR, "pop_tensor_reshape_partial",
           "{4} reshaped to {2,3}");
    expect(g, pop_tensor_dim_shuffle(t, POP_DIMS(0)), POP_POPLAR_ERROR, "pop_tensor_dim_shuffle",
           "1 dimensions for a tensor of rank 2");
    expect(g, pop_tensor_dim_shuffle(t, POP_DIMS(1, 1)), POP_POPLAR_ERROR, "pop_tensor_dim_shuffle",
           "dimension 1 is in the permutation twice");
    expect(g, pop_tensor_dim_shuffle_partial(t, POP_DIMS(0), POP_DIMS(0, 1)), POP_POPLAR_ERROR,
           "pop_tensor_dim_shuffle_partial", "1 source");
    expect(g, pop_tensor_dim_shuffle_partial(t, POP_DIMS(0, 1), POP_DIMS(0, 0)), POP_POPLAR_ERROR,
           "pop_tensor_dim_shuffle_partial", "destination dimension 0 is given twice");
    expect(g, pop_tensor_squeeze(t, POP_DIMS(1)), POP_POPLAR_ERROR, "pop_tensor_squeeze", "dimension 1 has extent 3");
    expect(g, pop_tensor_sub_sample(t, 0, 0), POP_POPLAR_ERROR, "pop_tensor_sub_sample", "stride 0");
    expect(g, pop_tensor_upsample(t, 2, 0, (pop_upsample_method)7), POP_POPLAR_ERROR, "pop_tensor_upsample",
           "method 7");
    expect(g, pop_tensor_append(t, t, 0), POP_POPLAR_ERROR, "pop_tensor_append", "rank 2 appended to one of rank 2");
    expect(g, pop_tensor_concat(POP_TENSORS(t, row), 0), POP_POPLAR_ERROR, "pop_tensor_concat",
           "operand 1 has shape {3}, operand 0 has {4,3}");
    expect(g, pop_tensor_concat(POP_TENSORS(t, pop_tensor_transpose(t)), 0), POP_POPLAR_ERROR, "pop_tensor_concat",
           "dimension 0 only");
    expect(g, pop_tensor_concat(POP_TENSORS(t, (pop_tensor){ 0 }), 0), POP_POPLAR_ERROR, "pop_tensor_concat",
           "operand 1 is a null tensor");
    unsigned dims[64] = { 0 };
    expect(g, pop_tensor_expand(t, ((pop_dims){ 64, dims })), POP_POPLAR_ERROR, "pop_tensor_expand", "rank 66");
    pop_target target = pop_target_create_cpu(false, 1);
    pop_graph *other = pop_graph_create(&target);
    expect(g, pop_tensor_concat(POP_TENSORS(row, variable(other, POP_SHAPE(3))), 0), POP_POPLAR_ERROR,
           "pop_tensor_concat", "another graph");
    pop_graph_destroy(other);
}

static void types_and_sizes_are_checked(void **state)
{
    pop_graph *g = *state;
    pop_tensor t = variable(g, POP_SHAPE(4)), h = pop_graph_add_variable(g, POP_HALF, POP_SHAPE(4), "h");
    expect(g, pop_tensor_reinterpret(t, POP_HALF), POP_TYPE_ERROR, "pop_tensor_reinterpret",
           "float (4 bytes) as half (2 bytes)");
    expect(g, pop_tensor_reinterpret(t, POP_TYPE_NULL), POP_TYPE_ERROR, "pop_tensor_reinterpret", "null");
    expect(g, pop_tensor_concat(POP_TENSORS(t, h), 0), POP_TYPE_ERROR, "pop_tensor_concat",
           "operand 1 is half, operand 0 is float");
    assert_int_equal(pop_tensor_type(pop_tensor_reinterpret(h, POP_UNSIGNED_SHORT)), POP_UNSIGNED_SHORT);
    pop_tensor huge =
        pop_tensor_broadcast(pop_tensor_broadcast(variable(g, POP_SHAPE(1)), UINT32_MAX, 0), INT32_MAX, 0);
    assert_true(pop_tensor_valid(huge));
    expect(g, pop_tensor_broadcast(huge, 3, 0), POP_OVERFLOW_ERROR, "pop_tensor_broadcast", "2^63");
    expect(g, pop_tensor_concat(POP_TENSORS(huge, huge), 0), POP_OVERFLOW_ERROR, "pop_tensor_concat", "2^63");
}

static void failing_slices_leave_no_tensor(void **state)
{
    pop_graph *g = *state;
    pop_tensor t = variable(g, POP_SHAPE(4)), out[2];
    assert_false(pop_tensor_slices(t, POP_INTERVALS({ 0, 2 }, { 3, 5 }), 0, out));
    expect(g, out[0], POP_INDEX_ERROR, "pop_tensor_slices", "slice [3, 5)");
    assert_false(pop_tensor_slices_indices(t, POP_DIMS(1, 4), 0, out));
    expect(g, out[0], POP_INDEX_ERROR, "pop_tensor_slices_indices", "slice [4, 5)");
    size_t first[] = { 0, 1, 2 };
    pop_interval intervals[] = { { 0, 1 }, { 0, 9 } };
    assert_false(pop_tensor_slices_nested(t, &((pop_interval_lists){ 2, first, intervals }), 0, out));
    expect(g, out[0], POP_INDEX_ERROR, "pop_tensor_slices_nested", "slice [0, 9)");
}

static void null_tensors_are_quiet(void **state)
{
    pop_graph *g = *state;
    pop_tensor null = { 0 }, t = variable(g, POP_SHAPE(2));
    pop_interval *regions;
    char text[32];
    double value;
    assert_false(pop_tensor_valid(null));
    assert_int_equal(pop_tensor_type(null), POP_TYPE_NULL);
    assert_int_equal(pop_tensor_rank(null) + pop_tensor_dim(null, 0) + pop_tensor_num_elements(null) +
                         pop_tensor_shape(null, NULL, 0),
                     0);
    assert_int_equal(pop_tensor_contiguous_regions(null, &regions), 0);
    free(regions);
    assert_false(pop_tensor_equal(null, null) || pop_tensor_is_contiguous(null) || pop_tensor_contains_aliases(null));
    assert_false(pop_tensor_contains_constant(null) || pop_tensor_is_parallel_writeable(null) ||
                 pop_tensor_intersects(null, t));
    assert_false(pop_tensor_constant_double(null, &value));
    assert_int_equal(pop_tensor_shape_to_string(null, text, sizeof(text)), 2);
    pop_tensor_to_string(null, text, sizeof(text));
    assert_string_equal(text, "null");
    assert_false(pop_tensor_valid(pop_tensor_slice(null, 0, 1, 0)));
    assert_false(pop_tensor_valid(pop_tensor_flatten(null)));
    assert_false(pop_tensor_valid(pop_tensor_flatten_dims(null, 2, 1)));
    assert_false(pop_tensor_valid(pop_tensor_transpose(null)));
    assert_false(pop_tensor_valid(pop_tensor_reinterpret(null, POP_INT)));
    assert_false(pop_tensor_valid(pop_tensor_concat(POP_TENSORS(null, null), 0)));
    assert_false(pop_tensor_valid(pop_tensor_concat(((pop_tensors){ 0, NULL }), 0)));
    assert_false(pop_tensor_valid(pop_tensor_append(t, null, 0)));
    assert_null(pop_graph_error(g));
}

static void text_names_variables_and_ranges(void **state)
{
    pop_graph *g = *state;
    pop_tensor a = pop_graph_add_variable(g, POP_HALF, POP_SHAPE(6), "a"),
               b = pop_graph_add_variable(g, POP_HALF, POP_SHAPE(6), "b");
    pop_tensor t = pop_tensor_concat(POP_TENSORS(pop_tensor_slice(a, 0, 4, 0), pop_tensor_slice(b, 3, 5, 0)), 0);
    char text[64];
    size_t length = pop_tensor_to_string(pop_tensor_reshape(t, POP_SHAPE(2, 3)), text, sizeof(text));
    assert_string_equal(text, "half {2,3} a[0:4],b[3:5]");
    assert_int_equal(length, strlen(text));
    assert_int_equal(pop_tensor_to_string(t, text, 5), strlen("half {6} a[0:4],b[3:5]"));
    assert_string_equal(text, "half");
    pop_tensor_shape_to_string(pop_tensor_at(a, 0), text, sizeof(text));
    assert_string_equal(text, "{}");
}

static void constants_have_values(void **state)
{
    pop_graph *g = *state;
    float values[] = { 2, 3, 2, 2.5f };
    pop_tensor list = pop_graph_add_constant(g, POP_HALF, POP_SHAPE(4), POP_FLOAT, values, "list");
    pop_tensor fill = pop_graph_add_constant_float(g, POP_INT, POP_SHAPE(1000), -7, "fill");
    double d = 0;
    int64_t i = 0;
    assert_false(pop_tensor_constant_double(list, &d));
    assert_true(pop_tensor_constant_double(pop_tensor_sub_sample(list, 2, 0), &d));
    assert_true(d == 2);
    assert_true(pop_tensor_constant_double(pop_tensor_at(list, 3), &d));
    assert_true(d == 2.5);
    assert_true(pop_tensor_constant_int64(pop_tensor_broadcast(pop_tensor_slice(fill, 3, 9, 0), 5, 0), &i));
    assert_int_equal(i, -7);
    assert_true(pop_tensor_constant_int64(pop_tensor_concat(POP_TENSORS(fill, fill), 0), &i));
    assert_false(pop_tensor_constant_double(variable(g, POP_SHAPE(1)), &d));
    assert_false(pop_tensor_constant_double(pop_tensor_slice(fill, 2, 2, 0), &d));
    assert_false(pop_tensor_constant_double(
        pop_tensor_concat(POP_TENSORS(fill, pop_graph_add_variable(g, POP_INT, POP_SHAPE(1), "v")), 0), &d));
}

static void neighbours_join(void **state)
{
    pop_graph *g = *state;
    pop_tensor t = variable(g, POP_SHAPE(4, 6));
    size_t nodes = pop_graph_mark(g).position;
    pop_tensor halves = pop_tensor_concat(POP_TENSORS(pop_tensor_slice(t, 0, 2, 1), pop_tensor_slice(t, 2, 6, 1)), 1);
    assert_true(pop_tensor_equal(halves, t));
    assert_true(pop_tensor_is_contiguous(halves));
    pop_tensor single = pop_tensor_concat(POP_TENSORS(t), 0);
    assert_true(pop_tensor_equal(single, t));
    pop_tensor flat = pop_tensor_flatten(t), nothing = pop_tensor_slice(t, 0, 0, 0);
    assert_true(pop_tensor_equal(pop_tensor_concat(POP_TENSORS(nothing, t, nothing), 0), t));
    assert_true(pop_tensor_equal(
        pop_tensor_concat(POP_TENSORS(pop_tensor_slice(flat, 0, 7, 0), pop_tensor_slice(flat, 7, 24, 0)), 0), flat));
    assert_int_equal(pop_graph_mark(g).position, nodes); /* none of these needed a node */
}

/* ---- costs, counted ---- */

struct count {
    uint64_t calls, elements;
};

static bool count_piece(const struct piece *piece, void *context)
{
    struct count *count = context;
    ++count->calls;
    count->elements += piece->elements;
    return true;
}

static bool count_run(const struct run *run, void *context)
{
    struct count *count = context;
    count->elements += run->count;
    return ++count->calls < 1000;
}

static uint64_t pieces(pop_tensor t)
{
    struct count count = { 0 };
    tensor_each_piece(t, count_piece, &count);
    assert_int_equal(count.elements, pop_tensor_num_elements(t));
    return count.calls;
}

/* Few elements, far apart in a large variable, in interleaved steps: the bits between them are compared part by part.
 */
static void distant_elements_are_compared_part_by_part(void **state)
{
    pop_tensor v = pop_graph_add_variable(*state, POP_CHAR, POP_SHAPE((size_t)1 << 34), "v");
    const size_t half = (size_t)1 << 29;
    pop_tensor whole_steps = pop_tensor_sub_sample(v, (unsigned)(2 * half), 0);
    for (size_t begin = 1; begin <= half; begin += half - 1) { /* the second time both have element 4 * half */
        pop_tensor others =
            pop_tensor_sub_sample(pop_tensor_slice(v, begin, begin + 12 * half + 1, 0), (unsigned)(3 * half), 0);
        assert_int_equal(pop_tensor_num_elements(others), 5);
        assert_int_equal(pop_tensor_intersects(whole_steps, others), begin == half);
        assert_int_equal(pop_tensor_contains_aliases(pop_tensor_concat(POP_TENSORS(whole_steps, others), 0)),
                         begin == half);
    }
}

static void empty_views_are_sliced_where_steps_cannot_express_a_cut(void **state)
{
    pop_tensor t = pop_tensor_dim_shuffle(variable(*state, POP_SHAPE(4, 3, 13)), POP_DIMS(0, 2, 1));
    t = pop_tensor_slice_nd(pop_tensor_reshape(t, POP_SHAPE(4, 39)), POP_SHAPE(1, 2), POP_SHAPE(1, 4));
    assert_true(pop_tensor_valid(t));
    assert_int_equal(pop_tensor_num_elements(t), 0);
    assert_int_equal(pop_tensor_dim(t, 1), 2);
}

/* Columns of rows that are parts of several variables: ROWS variables, from top to bottom in each of them, or back. */
enum { ROWS = 16, PARTS = 4, COLUMNS = 600 };
struct columns {
    uint32_t first; /* variable */
    uint64_t at, pieces;
};

static bool check_column(const struct run *run, void *context)
{
    struct columns *columns = context;
    for (uint64_t i = 0; i < run->count; ++i, ++columns->at) {
        uint64_t row = columns->at % (ROWS * PARTS), column = columns->at / (ROWS * PARTS), part = row / ROWS;
        assert_int_equal(run->variable, columns->first + row % ROWS);
        assert_int_equal(run->offset + i, (part % 2 ? PARTS - part : part) * COLUMNS + column);
    }
    return true;
}

static bool count_piece_of_columns(const struct piece *piece, void *context)
{
    (void)piece;
    ++((struct columns *)context)->pieces;
    return true;
}

static void columns_of_many_rows_are_walked_in_order(void **state)
{
    pop_tensor rows[ROWS * PARTS], variables[ROWS];
    for (size_t i = 0; i < ROWS; ++i)
        variables[i] = variable(*state, POP_SHAPE(PARTS, COLUMNS));
    for (size_t i = 0; i < ROWS * PARTS; ++i) {
        size_t part = i / ROWS;
        rows[i] = pop_tensor_at(variables[i % ROWS], part % 2 ? PARTS - part : part);
    }
    pop_tensor t = pop_tensor_transpose(pop_tensor_reshape(pop_tensor_concat((pop_tensors){ ROWS * PARTS, rows }, 0),
                                                           POP_SHAPE(ROWS * PARTS, COLUMNS)));
    struct columns columns = { .first = variables[0].source };
    for (int twice = 0; twice < 2; ++twice) {
        columns.at = 0;
        assert_true(tensor_each_run(t, check_column, &columns));
        assert_int_equal(columns.at, ROWS * PARTS * COLUMNS);
    }
    columns.at = 1000;
    assert_true(tensor_each_run_in(t, 1000, 3000, check_column, &columns));
    assert_int_equal(columns.at, 3000);
}

/* One variable's rows from both ends: an element of a column is in another piece than the next. */
static void equal_parts_of_columns_are_one_piece(void **state)
{
    enum { HEIGHT = 64 };
    pop_tensor v = variable(*state, POP_SHAPE(HEIGHT, COLUMNS)), rows[HEIGHT];
    for (size_t i = 0; i < HEIGHT; ++i)
        rows[i] = pop_tensor_at(v, i / 8 % 2 ? i ^ 7 : i); /* eight up, eight down */
    pop_tensor t = pop_tensor_transpose(
        pop_tensor_reshape(pop_tensor_concat((pop_tensors){ HEIGHT, rows }, 0), POP_SHAPE(HEIGHT, COLUMNS)));
    struct columns columns = { 0 };
    assert_true(tensor_each_piece(t, count_piece_of_columns, &columns));
    assert_in_range(columns.pieces, 1, COLUMNS * HEIGHT / 4);
}

static void views_cost_pieces_not_elements(void **state)
{
    pop_graph *g = *state;
    pop_tensor big = variable(g, POP_SHAPE(10000, 10000)); /* 100 million elements */
    size_t nodes = pop_graph_mark(g).position;
    pop_tensor t = pop_tensor_slice_nd(pop_tensor_transpose(big), POP_SHAPE(1, 7), POP_SHAPE(9999, 9001));
    assert_int_equal(pieces(t), 1);
    t = pop_tensor_reverse(
        pop_tensor_sub_sample(pop_tensor_flatten_dims(pop_tensor_reshape(big, POP_SHAPE(100, 100, 10000)), 1, 3), 3, 0),
        1);
    assert_int_equal(pieces(t), 1);
    assert_false(pop_tensor_contains_aliases(t));
    assert_int_equal(pop_graph_mark(g).position, nodes);

    pop_tensor left = variable(g, POP_SHAPE(1000000, 3)), right = variable(g, POP_SHAPE(1000000, 5));
    pop_tensor wide = pop_tensor_concat(POP_TENSORS(left, right), 1);
    assert_int_equal(pop_graph_mark(g).position, nodes + 1);
    assert_int_equal(pieces(pop_tensor_transpose(wide)), 2);
    assert_int_equal(pieces(pop_tensor_slice(wide, 3, 8, 1)), 1); /* inside one operand */
    assert_true(pop_tensor_equal(pop_tensor_slice(wide, 3, 8, 1), right));
    assert_int_equal(pop_graph_mark(g).position, nodes + 1);
    struct count count = { 0 };
    tensor_each_run_in(wide, 7999990, 8000000, count_run,
                       &count); /* the end, without a walk over the elements before it */
    assert_int_equal(count.elements, 10);
    assert_true(count.calls <= 5);

    pop_tensor odd =
        pop_tensor_reshape(pop_tensor_transpose(left), POP_SHAPE(1500000, 2)); /* still one digit per piece */
    assert_true(pieces(odd) <= 3);
    assert_true(pieces(pop_tensor_slice(odd, 1, 1499999, 0)) <= 5);
}

static void sharing_is_decided_on_pieces(void **state)
{
    pop_graph *g = *state;
    pop_tensor m = variable(g, POP_SHAPE(10000000, 8)), other = variable(g, POP_SHAPE(10000000, 1));
    pop_tensor left = pop_tensor_slice(m, 0, 3, 1), right = pop_tensor_slice(m, 5, 8, 1);
    for (unsigned i = 0; i < 1000; ++i) { /* hours, if each of these sorted ten million runs */
        assert_false(pop_tensor_intersects(left, right));
        assert_true(pop_tensor_intersects(pop_tensor_slice(m, 2, 6, 1), right));
        assert_false(pop_tensor_contains_aliases(pop_tensor_transpose(m)));
        assert_true(pop_tensor_contains_aliases(pop_tensor_broadcast(m, 2, 0)));
    }
    pop_tensor mixed = pop_tensor_concat(POP_TENSORS(right, other, left), 1);
    for (unsigned i = 0; i < 1000; ++i) {
        assert_true(pop_tensor_is_parallel_writeable(mixed));
        assert_true(pop_tensor_intersects(mixed, m));
        assert_false(pop_tensor_intersects(mixed, pop_tensor_slice(m, 3, 5, 1)));
    }
}

static void temporary_views_make_no_nodes(void **state)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    enum { VIEWS = 200000 };
#else
    enum { VIEWS = 10000000 };
#endif
    pop_graph *g = *state;
    pop_tensor t = variable(g, POP_SHAPE(1000, 1000));
    size_t nodes = pop_graph_mark(g).position;
    for (size_t i = 0; i < VIEWS; ++i) {
        struct run run;
        pop_tensor one = pop_tensor_at(pop_tensor_at(t, i % 1000), i / 1000 % 1000);
        assert_true(tensor_single_run(one, &run) && run.count == 1 && run.offset == i % 1000 * 1000 + i / 1000 % 1000);
    }
    assert_int_equal(pop_graph_mark(g).position, nodes);
}

static void appending_in_a_loop_adds_to_one_node(void **state)
{
    pop_graph *g = *state;
    pop_tensor t = variable(g, POP_SHAPE(20000)), other = variable(g, POP_SHAPE(20000));
    pop_tensor grown = pop_tensor_slice(t, 0, 1, 0), front = grown;
    for (size_t i = 1; i < 20000; ++i)
        grown = pop_tensor_append(grown, pop_tensor_at(i % 2 ? other : t, i), 0);
    assert_int_equal(pieces(grown), 20000);
    assert_int_equal(composite_of(grown.store, grown.source)->depth, 0);
    for (size_t i = 1; i < 2000; ++i)
        front = pop_tensor_concat(POP_TENSORS(pop_tensor_slice(i % 2 ? other : t, i, i + 1, 0), front), 0);
    assert_int_equal(pieces(front), 2000);
    assert_true(composite_of(front.store, front.source)->depth <= 33);
}

static void wide_views_are_whole(void **state)
{
    pop_graph *g = *state;
    size_t shape[40];
    for (unsigned i = 0; i < 40; ++i)
        shape[i] = i % 3 ? 1 : 2; /* 14 twos */
    pop_tensor t = variable(g, (pop_shape){ 40, shape });
    pop_mark mark = pop_graph_mark(g);
    pop_tensor turned = pop_tensor_transpose(t);
    assert_int_equal(pop_tensor_rank(turned), 40);
    assert_int_equal(pop_tensor_dim(turned, 0), 2);
    assert_int_equal(pop_tensor_num_elements(turned), 1 << 14);
    assert_int_equal(pieces(turned), 1);
    assert_true(pop_tensor_equal(pop_tensor_transpose(turned), t));
    assert_false(pop_tensor_equal(turned, t));
    pop_graph_release(g, mark);
    assert_int_equal(pop_graph_mark(g).position, mark.position);
    pop_tensor long_one = variable(g, POP_SHAPE((size_t)1 << 33));
    assert_int_equal(pop_tensor_num_elements(long_one), (size_t)1 << 33);
    struct run run;
    assert_true(tensor_single_run(pop_tensor_slice(long_one, 5, (size_t)1 << 33, 0), &run));
    assert_int_equal(run.count, ((size_t)1 << 33) - 5);
}

/* Views of one variable by different periods, which share an element in one column of one row. */
static void views_share_one_column(void **state)
{
    pop_graph *graph = *state;
    pop_tensor t = variable(graph, POP_SHAPE(2, 8, 10)), rows = pop_tensor_reshape(t, POP_SHAPE(16, 10));
    pop_tensor corner = pop_tensor_slice(pop_tensor_slice(t, 0, 2, 1), 0, 5, 2); /* rows 0, 1, 8, 9; columns 0 to 4 */
    assert_true(pop_tensor_intersects(corner, pop_tensor_slice(pop_tensor_slice(rows, 2, 9, 0), 4, 8, 1)));
    assert_false(pop_tensor_intersects(corner, pop_tensor_slice(pop_tensor_slice(rows, 2, 9, 0), 5, 8, 1)));
    assert_false(pop_tensor_intersects(corner, pop_tensor_slice(pop_tensor_slice(rows, 2, 8, 0), 4, 8, 1)));
    assert_true(pop_tensor_intersects(pop_tensor_slice(pop_tensor_slice(rows, 7, 10, 0), 0, 1, 1), corner));
    assert_null(pop_graph_error(graph));
}

/* Answers about aliases are kept: what is appended to a concatenation later must change them. */
static void an_appended_part_is_an_alias(void **state)
{
    pop_graph *graph = *state;
    pop_tensor a = variable(graph, POP_SHAPE(8)), b = variable(graph, POP_SHAPE(8));
    pop_tensor joined = pop_tensor_concat(POP_TENSORS(a, b), 0), half = pop_tensor_slice(joined, 4, 12, 0);
    for (unsigned i = 0; i < 3; ++i) {
        pop_tensor longer = pop_tensor_concat(POP_TENSORS(joined, pop_tensor_slice(a, i, i + 1, 0)), 0);
        assert_true(pop_tensor_contains_aliases(longer));
        assert_false(pop_tensor_contains_aliases(joined));
        assert_false(pop_tensor_contains_aliases(half));
        assert_true(pop_tensor_contains_aliases(pop_tensor_broadcast(half, 2, 0)));
        assert_true(pop_tensor_contains_aliases(longer));
    }
    pop_tensor later = variable(graph, POP_SHAPE(8));
    assert_false(pop_tensor_intersects(joined, later));
    assert_false(pop_tensor_intersects(later, joined));
    assert_true(pop_tensor_intersects(pop_tensor_concat(POP_TENSORS(joined, later), 0), later));
    assert_true(pop_tensor_intersects(b, half));
    assert_false(pop_tensor_intersects(pop_tensor_slice(joined, 0, 0, 0), joined));
}

/* Parts that follow each other are joined to one view over the call's own node, which must stay: the node of the next
 * tensor would have other elements there. */
static void joined_parts_keep_their_node(void **state)
{
    pop_graph *graph = *state;
    enum { MANY = 30, PART = 7, ALL = MANY * PART };
    pop_tensor whole = variable(graph, POP_SHAPE(500)), some[MANY], joined;
    for (size_t i = 0; i < MANY; ++i)
        some[i] = pop_tensor_slice(whole, 11 * i, 11 * i + PART, 0);
    pop_tensor parts = pop_tensor_concat((pop_tensors){ MANY, some }, 0),
               t = pop_tensor_flatten(pop_tensor_transpose(pop_tensor_reshape(parts, POP_SHAPE(14, 15))));
    const pop_interval both[] = { { 1, 101 }, { 101, 204 } };
    const pop_interval_lists lists = { 1, (size_t[]){ 0, 2 }, (pop_interval *)both };
    assert_true(pop_tensor_slices_nested(t, &lists, 0, &joined));
    pop_tensor other = pop_tensor_concat(POP_TENSORS(pop_tensor_slice(parts, 9, ALL, 0), parts), 0);
    assert_int_equal(pop_tensor_num_elements(other), 2 * ALL - 9);
    assert_true(pop_tensor_equal(joined, pop_tensor_slice(t, 1, 204, 0)));
}

/* Slices that are no run of digits share a node; a call whose slices do not refer to it leaves none. */
static void slices_of_one_call_share_a_node(void **state)
{
    pop_graph *graph = *state;
    pop_tensor t = pop_tensor_flatten(pop_tensor_transpose(variable(graph, POP_SHAPE(6, 7)))), slices[3], joined,
               ends[2];
    const pop_interval odd[] = { { 1, 9 }, { 10, 23 }, { 25, 41 } }, whole[] = { { 0, 6 }, { 12, 18 } };
    size_t nodes = tensor_nodes_count(graph->store->nodes);
    assert_true(pop_tensor_slices(t, (pop_interval_list){ 3, odd }, 0, slices));
    assert_int_equal(tensor_nodes_count(graph->store->nodes), nodes + 1);
    for (size_t i = 0; i < 3; ++i)
        assert_true(pop_tensor_equal(slices[i], pop_tensor_slice(t, odd[i].begin, odd[i].end, 0)));
    pop_interval_lists lists = { 1, (size_t[]){ 0, 3 }, (pop_interval *)odd };
    assert_true(pop_tensor_slices_nested(t, &lists, 0, &joined));
    assert_true(pop_tensor_equal(joined, pop_tensor_concat(POP_TENSORS(slices[0], slices[1], slices[2]), 0)));
    nodes = tensor_nodes_count(graph->store->nodes);
    assert_true(pop_tensor_slices(t, (pop_interval_list){ 2, whole }, 0, ends));
    assert_int_equal(tensor_nodes_count(graph->store->nodes), nodes);
    const pop_interval mixed[] = { { 0, 6 }, { 0, 0 }, { 3, 8 } }, inside[] = { { 1, 5 }, { 0, 6 } };
    assert_true(pop_tensor_slices(t, (pop_interval_list){ 3, mixed }, 0, slices));
    assert_int_equal(pop_tensor_num_elements(slices[1]), 0);
    assert_true(pop_tensor_equal(slices[2], pop_tensor_slice(t, 3, 8, 0)));
    nodes = tensor_nodes_count(graph->store->nodes);
    assert_true(pop_tensor_slices(t, (pop_interval_list){ 2, inside }, 0, slices));
    assert_int_equal(tensor_nodes_count(graph->store->nodes), nodes);
    const pop_interval next[] = { { 1, 9 }, { 9, 23 } }; /* one part of the node */
    lists.first = (size_t[]){ 0, 2 };
    lists.intervals = (pop_interval *)next;
    assert_true(pop_tensor_slices_nested(t, &lists, 0, &joined));
    assert_true(pop_tensor_equal(joined, pop_tensor_slice(t, 1, 23, 0)));
    const pop_interval none[] = { { 4, 4 }, { 9, 9 } }, outside[] = { { 1, 3 }, { 40, 43 } };
    lists.first = (size_t[]){ 0, 2 };
    lists.intervals = (pop_interval *)none;
    assert_true(pop_tensor_slices_nested(t, &lists, 0, &joined));
    assert_int_equal(pop_tensor_num_elements(joined), 0);
    assert_int_equal(pop_tensor_rank(joined), 1);
    pop_tensor empty = pop_tensor_slice(pop_tensor_reshape(t, POP_SHAPE(42, 1)), 0, 0, 1);
    assert_true(pop_tensor_slices(empty, (pop_interval_list){ 3, odd }, 0, slices));
    assert_int_equal(pop_tensor_dim(slices[0], 0), 8);
    lists.intervals = (pop_interval *)outside;
    assert_false(pop_tensor_slices_nested(t, &lists, 0, &joined));
    assert_null(joined.store);
    assert_int_equal(pop_graph_error(graph)->status, POP_INDEX_ERROR);
    pop_graph_take_error(graph, NULL);
    assert_null(pop_graph_error(graph));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(views_share_one_column, set_up, tear_down),
        TEST(an_appended_part_is_an_alias),
        TEST(joined_parts_keep_their_node),
        TEST(slices_of_one_call_share_a_node),
        TEST(bounds_are_index_errors),
        TEST(shapes_that_do_not_match_are_poplar_errors),
        TEST(types_and_sizes_are_checked),
        TEST(failing_slices_leave_no_tensor),
        TEST(null_tensors_are_quiet),
        TEST(text_names_variables_and_ranges),
        TEST(constants_have_values),
        TEST(neighbours_join),
        TEST(distant_elements_are_compared_part_by_part),
        TEST(empty_views_are_sliced_where_steps_cannot_express_a_cut),
        TEST(columns_of_many_rows_are_walked_in_order),
        TEST(equal_parts_of_columns_are_one_piece),
        TEST(views_cost_pieces_not_elements),
        TEST(sharing_is_decided_on_pieces),
        TEST(temporary_views_make_no_nodes),
        TEST(appending_in_a_loop_adds_to_one_node),
        TEST(wide_views_are_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
