/* SPDX-License-Identifier: Apache-2.0 */
/* Lines are divided into parts, as many as there are tiles for; the best elements of each part are selected first, then
 * the best of these. */
#include "poplibs/log.h"
#include "poplibs/support.h"

#include <assert.h>
#include <popops/top_k.h>
#include <poputil/tile_mapping.h>

/* The division of lines into parts. */
struct parts {
    size_t lines, n, k, count, size, tiles;
};

static struct parts parts_of(const pop_graph *graph, size_t lines, size_t n, size_t k)
{
    struct parts parts = { lines, n, k, 1, n, poplibs_max(1, pop_target_num_tiles(pop_graph_target(graph))) };
    /* a part is worthwhile if it leaves much fewer elements than it has */
    size_t max_parts = n / (4 * poplibs_max(k, 16));
    if (lines && max_parts > 1)
        parts.count = poplibs_max(1, poplibs_min(max_parts, parts.tiles / lines));
    parts.size = poplibs_ceil_div(n, parts.count);
    parts.count = parts.size ? poplibs_ceil_div(n, parts.size) : 1;
    assert(parts.count && parts.count * parts.size >= n);
    return parts;
}
static unsigned tile_of(const struct parts *parts, size_t line, size_t part)
{
    assert(line < parts->lines && part < parts->count);
    return (unsigned)((line * parts->count + part) * parts->tiles / (parts->lines * parts->count));
}
static size_t part_end(const struct parts *parts, size_t part)
{
    return poplibs_min(parts->n, (part + 1) * parts->size);
}
/* The number of elements that earlier parts select. */
static size_t chosen_before(const struct parts *parts, size_t part)
{
    return part * poplibs_min(parts->k, parts->size);
}

/* One step: each part of keys {lines, n} selects its best elements, with the corresponding elements of values, which
 * may be null. */
struct step {
    pop_where where;
    popops_top_k_params params;
    pop_program sequence;
    const char *name;
};
struct chosen {
    pop_tensor keys, positions, values;
};

static pop_tensor add_chosen(const struct step *step, pop_graph *graph, const struct parts *parts, pop_type type,
                             const char *what)
{
    char path[POPLIBS_PATH_SIZE];
    size_t last = part_end(parts, parts->count - 1) - (parts->count - 1) * parts->size;
    size_t columns = chosen_before(parts, parts->count - 1) + poplibs_min(parts->k, last);
    pop_tensor t = pop_graph_add_variable_at(step->where, graph, type, POP_SHAPE(parts->lines, columns),
                                             poplibs_path(path, sizeof(path), step->name, what));
    for (size_t line = 0; line < parts->lines; ++line)
        for (size_t part = 0; part < parts->count; ++part)
            pop_graph_set_tile_mapping_at(step->where, graph,
                                          pop_tensor_slice_at(step->where, pop_tensor_at_at(step->where, t, line),
                                                              chosen_before(parts, part),
                                                              poplibs_min(columns, chosen_before(parts, part + 1)), 0),
                                          tile_of(parts, line, part));
    return t;
}

/* One vertex for each part of each line: it reads its part of `in` and writes its own parts of positions and out. */
struct part_vertices {
    const struct parts *parts;
    const char *type, *field; /* the vertex type, and its field for `in` */
    pop_tensor in, positions, out;
    bool ordered; /* it sorts its results */
};
static void add_parts(const struct step *step, pop_graph *graph, pop_compute_set set, const struct part_vertices *v)
{
    pop_where where = step->where;
    const struct parts *parts = v->parts;
    size_t columns = pop_tensor_dim(v->out, 1);
    for (size_t line = 0; line < parts->lines; ++line)
        for (size_t part = 0; part < parts->count; ++part) {
            size_t begin = part * parts->size, first = chosen_before(parts, part),
                   end = poplibs_min(columns, chosen_before(parts, part + 1));
            pop_vertex vertex = pop_graph_add_vertex_at(where, graph, set, v->type);
            pop_graph_connect_at(
                where, graph, vertex, v->field,
                pop_tensor_slice_at(where, pop_tensor_at_at(where, v->in, line), begin, part_end(parts, part), 0));
            pop_graph_connect_at(
                where, graph, vertex, "positions",
                pop_tensor_slice_at(where, pop_tensor_at_at(where, v->positions, line), first, end, 0));
            pop_graph_connect_at(where, graph, vertex, "out",
                                 pop_tensor_slice_at(where, pop_tensor_at_at(where, v->out, line), first, end, 0));
            pop_graph_set_field_int_at(where, graph, vertex, "base", (int64_t)begin);
            if (v->ordered) {
                pop_graph_set_field_int_at(where, graph, vertex, "largest", step->params.largest);
                pop_graph_set_field_int_at(where, graph, vertex, "ascending",
                                           step->params.sort_order == POPOPS_SORT_ASCENDING);
            }
            pop_graph_map_vertex_at(where, graph, vertex, tile_of(parts, line, part));
        }
}

static void add_top_k(const struct step *step, pop_graph *graph, pop_compute_set set, const struct parts *parts,
                      pop_tensor keys, const struct chosen *chosen)
{
    char name[64];
    snprintf(name, sizeof(name), "popops::TopK<%s>", pop_type_name(pop_tensor_type(keys)));
    add_parts(step, graph, set,
              &(struct part_vertices){ parts, name, "keys", keys, chosen->positions, chosen->keys, true });
}

static void add_gather(const struct step *step, pop_graph *graph, pop_compute_set set, const struct parts *parts,
                       pop_tensor values, const struct chosen *chosen)
{
    char name[64];
    snprintf(name, sizeof(name), "popops::TopKGather<%s>", pop_type_name(pop_tensor_type(values)));
    add_parts(step, graph, set,
              &(struct part_vertices){ parts, name, "in", values, chosen->positions, chosen->values, false });
}

static struct chosen choose(const struct step *step, pop_graph *graph, const struct parts *parts, pop_tensor keys,
                            pop_tensor values)
{
    char path[POPLIBS_PATH_SIZE];
    struct chosen chosen = { add_chosen(step, graph, parts, pop_tensor_type(keys), "keys"),
                             add_chosen(step, graph, parts, POP_UNSIGNED_INT, "positions"),
                             { 0 } };
    pop_compute_set set =
        pop_graph_add_compute_set_at(step->where, graph, poplibs_path(path, sizeof(path), step->name, "TopK"));
    add_top_k(step, graph, set, parts, keys, &chosen);
    pop_sequence_add_at(step->where, step->sequence, pop_execute_at(step->where, set, step->name));
    if (pop_tensor_valid(values)) {
        chosen.values = add_chosen(step, graph, parts, pop_tensor_type(values), "values");
        set = pop_graph_add_compute_set_at(step->where, graph, poplibs_path(path, sizeof(path), step->name, "Gather"));
        add_gather(step, graph, set, parts, values, &chosen);
        pop_sequence_add_at(step->where, step->sequence, pop_execute_at(step->where, set, step->name));
    }
    return chosen;
}

static bool is_number(pop_type type)
{
    return type == POP_HALF || type == POP_FLOAT || type == POP_INT || type == POP_UNSIGNED_INT;
}

static bool check(pop_where where, pop_graph *graph, const char *api, pop_type type, size_t rank, size_t n,
                  popops_top_k_params params)
{
    if (!poplibs_ready(graph))
        return false;
    if (!rank)
        return poplibs_fail(graph, POP_POPLAR_ERROR, where, api, "a tensor of rank 0 has no line from which to select");
    if (!is_number(type))
        return poplibs_fail(graph, POP_TYPE_ERROR, where, api,
                            "elements of %s cannot be selected; half, float, int and unsigned int can",
                            pop_type_name(type));
    if ((unsigned)params.sort_order > POPOPS_SORT_DESCENDING)
        return poplibs_fail(graph, POP_POPLAR_ERROR, where, api,
                            "%d is not an order; none, ascending and descending are allowed", (int)params.sort_order);
    if (params.k > n)
        return poplibs_fail(graph, POP_POPLAR_ERROR, where, api, "%u of %zu elements cannot be selected", params.k, n);
    return true;
}

/* Views the selected elements in t's shape, with dimension k as the last one. */
static pop_tensor as_shape(pop_where where, pop_tensor chosen, pop_tensor t)
{
    size_t shape[64], rank = pop_tensor_shape(t, shape, 64);
    shape[rank - 1] = pop_tensor_dim(chosen, 1);
    return pop_tensor_reshape_at(where, chosen, (pop_shape){ rank, shape });
}

/* The result of selecting no element, in any number of lines. */
static pop_tensor nothing(pop_where where, pop_graph *graph, pop_type type, const char *name)
{
    return pop_graph_add_variable_at(where, graph, type, POP_SHAPE(1, 0), name);
}

/* Selects keys with their values or (with indices) positions. */
static struct chosen run(pop_where where, pop_graph *graph, const char *api, pop_tensor keys, pop_tensor values,
                         bool indices, popops_top_k_params params, pop_program sequence, const char *name)
{
    struct chosen none = { { 0 }, { 0 }, { 0 } };
    size_t rank = pop_tensor_rank(keys), n = rank ? pop_tensor_dim(keys, rank - 1) : 0;
    if (!poplibs_ready(graph) || !poplibs_is_operand(graph, where, api, "the tensor", keys) ||
        !check(where, graph, api, pop_tensor_type(keys), rank, n, params))
        return none;
    if (!params.k)
        return (struct chosen){ nothing(where, graph, pop_tensor_type(keys), name),
                                nothing(where, graph, POP_UNSIGNED_INT, name),
                                pop_tensor_valid(values) ? nothing(where, graph, pop_tensor_type(values), name)
                                                         : values };
    if (params.sort_order == POPOPS_SORT_NONE)
        params.sort_order = params.largest ? POPOPS_SORT_DESCENDING : POPOPS_SORT_ASCENDING;
    const struct step step = { where, params, sequence, name };
    size_t lines = pop_tensor_num_elements(keys) / n;
    struct parts parts = parts_of(graph, lines, n, params.k);
    pop_tensor rows = pop_tensor_reshape_at(where, keys, POP_SHAPE(lines, n)), going = values;
    if (pop_tensor_valid(values))
        going = pop_tensor_reshape_at(where, values, POP_SHAPE(lines, n));
    if (parts.count > 1) {
        /* The parts keep the order of equal keys, so positions break ties between parts as indices do. */
        struct chosen best = choose(&step, graph, &parts, rows, going);
        rows = best.keys;
        going = indices ? best.positions : best.values;
        size_t left = pop_tensor_dim(rows, 1);
        parts = (struct parts){ lines, left, params.k, 1, left, parts.tiles };
        struct chosen last = choose(&step, graph, &parts, rows, going);
        last.positions = last.values;
        return poplibs_ready(graph) ? last : none;
    }
    struct chosen only = choose(&step, graph, &parts, rows, going);
    return poplibs_ready(graph) ? only : none;
}

pop_tensor popops_create_top_k_input_at(pop_where where, pop_graph *graph, pop_type type, pop_shape shape,
                                        popops_top_k_params params, const char *name)
{
    POPLIBS_CALL(graph, log_type(type), shape, name);
    pop_tensor none = { 0 };
    size_t n = shape.rank ? shape.dims[shape.rank - 1] : 0;
    if (!check(where, graph, "popops_create_top_k_input", type, shape.rank, n, params))
        return none;
    pop_tensor t = pop_graph_add_variable_at(where, graph, type, shape, name);
    size_t lines = pop_tensor_num_elements(t) / poplibs_max(n, 1);
    struct parts parts = parts_of(graph, lines, n, params.k);
    pop_tensor rows = pop_tensor_reshape_at(where, t, POP_SHAPE(lines, n));
    for (size_t line = 0; line < lines; ++line)
        for (size_t part = 0; part < parts.count; ++part)
            pop_graph_set_tile_mapping_at(where, graph,
                                          pop_tensor_slice_at(where, pop_tensor_at_at(where, rows, line),
                                                              part * parts.size, part_end(&parts, part), 0),
                                          tile_of(&parts, line, part));
    return t;
}

pop_tensor popops_top_k_at(pop_where where, pop_graph *graph, pop_program sequence, pop_tensor t,
                           popops_top_k_params params, const char *name)
{
    POPLIBS_CALL(graph, t, name);
    pop_tensor keys = run(where, graph, "popops_top_k", t, (pop_tensor){ 0 }, false, params, sequence, name).keys;
    return pop_tensor_valid(keys) ? as_shape(where, keys, t) : keys;
}

pop_tensor popops_top_k_key_value_at(pop_where where, pop_graph *graph, pop_program sequence, pop_tensor keys,
                                     pop_tensor values, popops_top_k_params params, pop_tensor *chosen_values,
                                     const char *name)
{
    POPLIBS_CALL(graph, keys, values, name);
    static const char api[] = "popops_top_k_key_value";
    char left[64], right[64];
    if (!chosen_values) {
        if (poplibs_ready(graph))
            poplibs_fail(graph, POP_POPLAR_ERROR, where, api, "the pointer to the values is NULL");
        return (pop_tensor){ 0 };
    }
    *chosen_values = (pop_tensor){ 0 };
    if (!poplibs_ready(graph) || !poplibs_is_operand(graph, where, api, "the tensor of values", values))
        return *chosen_values;
    pop_tensor_shape_to_string(keys, left, sizeof(left));
    pop_tensor_shape_to_string(values, right, sizeof(right));
    if (strcmp(left, right) != 0 || !is_number(pop_tensor_type(values))) {
        poplibs_fail(graph, POP_POPLAR_ERROR, where, api,
                     "keys of shape %s and values of %s and type %s: they must have the same shape, and the values "
                     "must be numbers",
                     left, right, pop_type_name(pop_tensor_type(values)));
        return *chosen_values;
    }
    struct chosen chosen = run(where, graph, api, keys, values, false, params, sequence, name);
    if (!pop_tensor_valid(chosen.keys))
        return chosen.keys;
    *chosen_values = as_shape(where, chosen.values, keys);
    return as_shape(where, chosen.keys, keys);
}

pop_tensor popops_top_k_with_permutation_at(pop_where where, pop_graph *graph, pop_program sequence, pop_tensor t,
                                            popops_top_k_params params, pop_tensor *indices, const char *name)
{
    POPLIBS_CALL(graph, t, name);
    if (!indices) {
        if (poplibs_ready(graph))
            poplibs_fail(graph, POP_POPLAR_ERROR, where, "popops_top_k_with_permutation",
                         "the pointer to the indices is NULL");
        return (pop_tensor){ 0 };
    }
    *indices = (pop_tensor){ 0 };
    struct chosen chosen =
        run(where, graph, "popops_top_k_with_permutation", t, (pop_tensor){ 0 }, true, params, sequence, name);
    if (!pop_tensor_valid(chosen.keys))
        return chosen.keys;
    *indices = as_shape(where, chosen.positions, t);
    return as_shape(where, chosen.keys, t);
}
