/* SPDX-License-Identifier: Apache-2.0 */
/* A vertex sorts a line, which must be contiguous in the tile's memory; so lines are copied to such memory unless they
 * are there already. */
#include "poplibs/log.h"
#include "poplibs/support.h"

#include <assert.h>
#include <popops/sort.h>
#include <poputil/tile_mapping.h>

static bool is_sortable(pop_type type)
{
    return type == POP_HALF || type == POP_FLOAT || type == POP_INT || type == POP_UNSIGNED_INT;
}

static bool check(pop_where where, pop_graph *graph, const char *api, pop_tensor t, unsigned dim)
{
    if (!poplibs_ready(graph) || !poplibs_is_operand(graph, where, api, "the tensor", t))
        return false;
    if (dim >= pop_tensor_rank(t))
        return poplibs_fail(graph, POP_INDEX_ERROR, where, api, "there is no dimension %u: the tensor's rank is %zu",
                            dim, pop_tensor_rank(t));
    if (!is_sortable(pop_tensor_type(t)))
        return poplibs_fail(graph, POP_TYPE_ERROR, where, api,
                            "%s cannot be sorted; half, float, int and unsigned int can",
                            pop_type_name(pop_tensor_type(t)));
    return true;
}
static bool check_pair(pop_where where, pop_graph *graph, const char *api, pop_tensor k, pop_tensor v, unsigned dim)
{
    char keys[64], values[64];
    if (!check(where, graph, api, k, dim) || !check(where, graph, api, v, dim))
        return false;
    pop_tensor_shape_to_string(k, keys, sizeof(keys));
    pop_tensor_shape_to_string(v, values, sizeof(values));
    return strcmp(keys, values) == 0 ||
           poplibs_fail(graph, POP_POPLAR_ERROR, where, api, "keys of shape %s and values of %s: they must be the same",
                        keys, values);
}

/* Views t as {lines, n} along a dimension. */
static pop_tensor lines_of(pop_where where, pop_tensor t, unsigned dim)
{
    assert(dim < pop_tensor_rank(t));
    size_t n = pop_tensor_dim(t, dim);
    return pop_tensor_reshape_at(where, pop_tensor_dim_roll_at(where, t, dim, (unsigned)pop_tensor_rank(t) - 1),
                                 POP_SHAPE(n ? pop_tensor_num_elements(t) / n : 0, n));
}

/* Copies the lines of t to new variables, each on one tile; *view is the copy in t's shape. */
static pop_tensor copy_lines(pop_where where, pop_graph *graph, pop_tensor t, unsigned dim, pop_program sequence,
                             const char *name, pop_tensor *view)
{
    size_t shape[64], rank = pop_tensor_rank(t);
    pop_tensor rolled = pop_tensor_dim_roll_at(where, t, dim, (unsigned)rank - 1);
    pop_tensor_shape(rolled, shape, 64);
    unsigned n = (unsigned)shape[rank - 1];
    pop_tensor copy = pop_graph_add_variable_at(where, graph, pop_tensor_type(t), (pop_shape){ rank, shape }, name);
    poputil_map_tensor_linearly_grain_at(where, graph, copy, n, n);
    pop_sequence_add_at(where, sequence, pop_copy_at(where, rolled, copy, false, name));
    *view = pop_tensor_dim_roll_at(where, copy, (unsigned)rank - 1, dim);
    return lines_of(where, *view, dim);
}

/* Whether each line is contiguous and on one tile. */
static bool lines_are_contiguous(pop_where where, pop_graph *graph, pop_tensor lines)
{
    for (size_t i = 0; i < pop_tensor_dim(lines, 0); ++i)
        if (!pop_tensor_is_contiguous(pop_tensor_at_at(where, lines, i)))
            return false;
    return !poputil_dim_is_split_over_tiles_at(where, graph, lines, 1) && poplibs_ready(graph);
}

/* Sorts lines in place, with their values if there are any. */
static void sort_lines(pop_where where, pop_graph *graph, pop_tensor keys, pop_tensor values, pop_program sequence,
                       const char *name)
{
    char path[POPLIBS_PATH_SIZE], vertex_name[96];
    pop_interval_lists mapping;
    bool pairs = pop_tensor_valid(values);
    assert(pop_tensor_rank(keys) == 2 && (!pairs || poplibs_shapes_equal(keys, values)));
    if (pop_tensor_dim(keys, 1) < 2)
        return;
    snprintf(vertex_name, sizeof(vertex_name), pairs ? "popops::HeapSortVertexKV<%s,%s>" : "popops::HeapSortVertex<%s>",
             pop_type_name(pop_tensor_type(keys)), pop_type_name(pop_tensor_type(values)));
    if (!pop_graph_get_tile_mapping_at(where, graph, pop_tensor_slice_at(where, keys, 0, 1, 1), NULL, &mapping))
        return;
    pop_compute_set set = pop_graph_add_compute_set_at(where, graph, poplibs_path(path, sizeof(path), name, "Sort"));
    for (size_t tile = 0; tile < mapping.count; ++tile)
        for (size_t i = mapping.first[tile]; i < mapping.first[tile + 1]; ++i)
            for (size_t line = mapping.intervals[i].begin; line < mapping.intervals[i].end; ++line) {
                pop_vertex vertex = pop_graph_add_vertex_at(where, graph, set, vertex_name);
                pop_graph_connect_at(where, graph, vertex, pairs ? "key" : "out", pop_tensor_at_at(where, keys, line));
                if (pairs)
                    pop_graph_connect_at(where, graph, vertex, "value", pop_tensor_at_at(where, values, line));
                pop_graph_map_vertex_at(where, graph, vertex, (unsigned)tile);
            }
    pop_interval_lists_free(&mapping);
    pop_sequence_add_at(where, sequence, pop_execute_at(where, set, name));
}

/* Sorts copies of the lines; arguments are checked already; *values is NULL without values. */
static void sort_copies(pop_where where, pop_graph *graph, pop_tensor *keys, pop_tensor *values, unsigned dim,
                        pop_program sequence, const char *name)
{
    pop_tensor lines = copy_lines(where, graph, *keys, dim, sequence, name, keys), value_lines = { 0 };
    if (values)
        value_lines = copy_lines(where, graph, *values, dim, sequence, name, values);
    if (poplibs_ready(graph))
        sort_lines(where, graph, lines, value_lines, sequence, name);
}

static bool check_writeable(pop_where where, pop_graph *graph, const char *api, pop_tensor t)
{
    return pop_tensor_is_parallel_writeable(t) ||
           poplibs_fail(graph, POP_POPLAR_ERROR, where, api,
                        "a tensor with aliases or constants cannot be sorted in place");
}

pop_tensor popops_sort_at(pop_where where, pop_graph *graph, pop_tensor t, unsigned dim, pop_program sequence,
                          const char *name)
{
    POPLIBS_CALL(graph, t, dim, name);
    pop_tensor none = { 0 };
    if (!check(where, graph, "popops_sort", t, dim))
        return none;
    sort_copies(where, graph, &t, NULL, dim, sequence, name);
    return poplibs_ready(graph) ? t : none;
}

void popops_sort_in_place_at(pop_where where, pop_graph *graph, pop_tensor t, unsigned dim, pop_program sequence,
                             const char *name)
{
    POPLIBS_CALL(graph, t, dim, name);
    static const char api[] = "popops_sort_in_place";
    if (!check(where, graph, api, t, dim) || !check_writeable(where, graph, api, t))
        return;
    pop_tensor sorted = t, lines = lines_of(where, t, dim);
    if (!pop_tensor_num_elements(t))
        return;
    if (lines_are_contiguous(where, graph, lines)) {
        sort_lines(where, graph, lines, (pop_tensor){ 0 }, sequence, name);
        return;
    }
    sort_copies(where, graph, &sorted, NULL, dim, sequence, name);
    pop_sequence_add_at(where, sequence, pop_copy_at(where, sorted, t, false, name));
}

pop_tensor popops_sort_key_value_at(pop_where where, pop_graph *graph, pop_tensor k, pop_tensor v, unsigned dim,
                                    pop_program sequence, const char *name)
{
    POPLIBS_CALL(graph, k, v, dim, name);
    pop_tensor none = { 0 };
    if (!check_pair(where, graph, "popops_sort_key_value", k, v, dim))
        return none;
    sort_copies(where, graph, &k, &v, dim, sequence, name);
    return poplibs_ready(graph) ? v : none;
}

void popops_sort_key_value_in_place_at(pop_where where, pop_graph *graph, pop_tensor k, pop_tensor v, unsigned dim,
                                       pop_program sequence, const char *name)
{
    POPLIBS_CALL(graph, k, v, dim, name);
    static const char api[] = "popops_sort_key_value_in_place";
    if (!check_pair(where, graph, api, k, v, dim) || !check_writeable(where, graph, api, k) ||
        !check_writeable(where, graph, api, v))
        return;
    if (pop_tensor_intersects(k, v)) {
        poplibs_fail(graph, POP_POPLAR_ERROR, where, api, "keys and values share elements");
        return;
    }
    pop_tensor keys = k, values = v;
    sort_copies(where, graph, &keys, &values, dim, sequence, name);
    pop_sequence_add_at(where, sequence, pop_copy_at(where, keys, k, false, name));
    pop_sequence_add_at(where, sequence, pop_copy_at(where, values, v, false, name));
}
