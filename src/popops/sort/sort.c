/* SPDX-License-Identifier: Apache-2.0 */
/* A vertex sorts a line, which must be contiguous in the tile's memory; so lines are copied to such memory unless they
 * are there already. */
#include "poplibs/log.h"

#include <assert.h>
#include <popops/sort.h>
#include <poputil/tile_mapping.h>

static bool is_sortable(pop_type type)
{
    return type == POP_HALF || type == POP_FLOAT || type == POP_INT || type == POP_UNSIGNED_INT;
}

static bool check(const struct call *call, pop_tensor t, unsigned dim)
{
    if (!call_ready(call) || !call_takes(call, "the tensor", t))
        return false;
    if (dim >= pop_tensor_rank(t))
        return call_fail(call, POP_INDEX_ERROR, "there is no dimension %u: the tensor's rank is %zu", dim,
                         pop_tensor_rank(t));
    if (!is_sortable(pop_tensor_type(t)))
        return call_fail(call, POP_TYPE_ERROR, "%s cannot be sorted; half, float, int and unsigned int can",
                         pop_type_name(pop_tensor_type(t)));
    return true;
}
static bool check_pair(const struct call *call, pop_tensor k, pop_tensor v, unsigned dim)
{
    char keys[64], values[64];
    if (!check(call, k, dim) || !check(call, v, dim))
        return false;
    return poplibs_shapes_equal(k, v) ||
           call_fail(call, POP_POPLAR_ERROR, "keys of shape %s and values of %s: they must be the same",
                     poplibs_shape_of(keys, sizeof(keys), k), poplibs_shape_of(values, sizeof(values), v));
}

/* Views t as {lines, n} along a dimension. */
static pop_tensor lines_of(const struct call *call, pop_tensor t, unsigned dim)
{
    assert(dim < pop_tensor_rank(t));
    size_t n = pop_tensor_dim(t, dim);
    return pop_tensor_reshape(pop_tensor_dim_roll(t, dim, (unsigned)pop_tensor_rank(t) - 1),
                              POP_SHAPE(n ? pop_tensor_num_elements(t) / n : 0, n));
}

/* Copies the lines of t to new variables, each on one tile; *view is the copy in t's shape. */
static pop_tensor copy_lines(const struct call *call, pop_tensor t, unsigned dim, pop_tensor *view)
{
    size_t shape[64], rank = pop_tensor_rank(t);
    pop_tensor rolled = pop_tensor_dim_roll(t, dim, (unsigned)rank - 1);
    pop_tensor_shape(rolled, shape, 64);
    unsigned n = (unsigned)shape[rank - 1];
    pop_tensor copy = pop_graph_add_variable(call->graph, pop_tensor_type(t), (pop_shape){ rank, shape }, call->name);
    poputil_map_tensor_linearly_grain(call->graph, copy, n, n);
    call_copy(call, rolled, copy, call->name);
    *view = pop_tensor_dim_roll(copy, (unsigned)rank - 1, dim);
    return lines_of(call, *view, dim);
}

/* Whether each line is contiguous and on one tile. */
static bool lines_are_contiguous(const struct call *call, pop_tensor lines)
{
    for (size_t i = 0; i < pop_tensor_dim(lines, 0); ++i)
        if (!pop_tensor_is_contiguous(pop_tensor_at(lines, i)))
            return false;
    return !poputil_dim_is_split_over_tiles(call->graph, lines, 1) && call_ready(call);
}

/* Sorts lines in place, with their values if there are any. */
static void sort_lines(const struct call *call, pop_tensor keys, pop_tensor values)
{
    pop_graph *graph = call->graph;
    char vertex_name[96];
    pop_interval_lists mapping;
    bool pairs = pop_tensor_valid(values);
    assert(pop_tensor_rank(keys) == 2 && (!pairs || poplibs_shapes_equal(keys, values)));
    if (pop_tensor_dim(keys, 1) < 2)
        return;
    snprintf(vertex_name, sizeof(vertex_name), pairs ? "popops::HeapSortVertexKV<%s,%s>" : "popops::HeapSortVertex<%s>",
             pop_type_name(pop_tensor_type(keys)), pop_type_name(pop_tensor_type(values)));
    if (!pop_graph_get_tile_mapping(graph, pop_tensor_slice(keys, 0, 1, 1), NULL, &mapping))
        return;
    pop_compute_set set = pop_graph_add_compute_set(graph, call_path(call, call->name, "Sort"));
    for (size_t tile = 0; tile < mapping.count; ++tile)
        for (size_t i = mapping.first[tile]; i < mapping.first[tile + 1]; ++i)
            for (size_t line = mapping.intervals[i].begin; line < mapping.intervals[i].end; ++line) {
                pop_vertex vertex = pop_graph_add_vertex(graph, set, vertex_name);
                call_connect(call, vertex, pairs ? "key" : "out", pop_tensor_at(keys, line));
                if (pairs)
                    call_connect(call, vertex, "value", pop_tensor_at(values, line));
                pop_graph_map_vertex(graph, vertex, (unsigned)tile);
            }
    pop_interval_lists_free(&mapping);
    call_execute(call, set, call->name);
}

/* Sorts copies of the lines; arguments are checked already; *values is NULL without values. */
static void sort_copies(const struct call *call, pop_tensor *keys, pop_tensor *values, unsigned dim)
{
    pop_tensor lines = copy_lines(call, *keys, dim, keys), value_lines = { 0 };
    if (values)
        value_lines = copy_lines(call, *values, dim, values);
    if (call_ready(call))
        sort_lines(call, lines, value_lines);
}

static bool check_writeable(const struct call *call, pop_tensor t)
{
    return pop_tensor_is_parallel_writeable(t) ||
           call_fail(call, POP_POPLAR_ERROR, "a tensor with aliases or constants cannot be sorted in place");
}

pop_tensor popops_sort_at(pop_where where, pop_graph *graph, pop_tensor t, unsigned dim, pop_program sequence,
                          const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, t, dim, name);
    pop_tensor none = { 0 };
    if (!check(call, t, dim))
        return none;
    sort_copies(call, &t, NULL, dim);
    return call_ready(call) ? t : none;
}

void popops_sort_in_place_at(pop_where where, pop_graph *graph, pop_tensor t, unsigned dim, pop_program sequence,
                             const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, t, dim, name);
    if (!check(call, t, dim) || !check_writeable(call, t))
        return;
    pop_tensor sorted = t, lines = lines_of(call, t, dim);
    if (!pop_tensor_num_elements(t))
        return;
    if (lines_are_contiguous(call, lines)) {
        sort_lines(call, lines, (pop_tensor){ 0 });
        return;
    }
    sort_copies(call, &sorted, NULL, dim);
    call_copy(call, sorted, t, name);
}

pop_tensor popops_sort_key_value_at(pop_where where, pop_graph *graph, pop_tensor k, pop_tensor v, unsigned dim,
                                    pop_program sequence, const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, k, v, dim, name);
    pop_tensor none = { 0 };
    if (!check_pair(call, k, v, dim))
        return none;
    sort_copies(call, &k, &v, dim);
    return call_ready(call) ? v : none;
}

void popops_sort_key_value_in_place_at(pop_where where, pop_graph *graph, pop_tensor k, pop_tensor v, unsigned dim,
                                       pop_program sequence, const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, k, v, dim, name);
    if (!check_pair(call, k, v, dim) || !check_writeable(call, k) || !check_writeable(call, v))
        return;
    if (pop_tensor_intersects(k, v)) {
        call_fail(call, POP_POPLAR_ERROR, "keys and values share elements");
        return;
    }
    pop_tensor keys = k, values = v;
    sort_copies(call, &keys, &values, dim);
    call_copy(call, keys, k, name);
    call_copy(call, values, v, name);
}
