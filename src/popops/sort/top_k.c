/* SPDX-License-Identifier: Apache-2.0 */
/* Lines are divided into parts, as many as there are tiles for; the best elements of each part are selected first, then
 * the best of these. */
#include "poplibs/log.h"

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
    const struct call *call;
    popops_top_k_params params;
};
struct chosen {
    pop_tensor keys, positions, values;
};

static pop_tensor add_chosen(const struct step *step, const struct parts *parts, pop_type type, const char *what)
{
    const struct call *call = step->call;
    size_t last = part_end(parts, parts->count - 1) - (parts->count - 1) * parts->size;
    size_t columns = chosen_before(parts, parts->count - 1) + poplibs_min(parts->k, last);
    pop_tensor t =
        pop_graph_add_variable(call->graph, type, POP_SHAPE(parts->lines, columns), call_path(call, call->name, what));
    for (size_t line = 0; line < parts->lines; ++line)
        for (size_t part = 0; part < parts->count; ++part)
            pop_graph_set_tile_mapping(call->graph,
                                       pop_tensor_slice(pop_tensor_at(t, line), chosen_before(parts, part),
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
static void add_parts(const struct step *step, pop_compute_set set, const struct part_vertices *v)
{
    const struct call *call = step->call;
    pop_graph *graph = call->graph;
    const struct parts *parts = v->parts;
    size_t columns = pop_tensor_dim(v->out, 1);
    for (size_t line = 0; line < parts->lines; ++line)
        for (size_t part = 0; part < parts->count; ++part) {
            size_t begin = part * parts->size, first = chosen_before(parts, part),
                   end = poplibs_min(columns, chosen_before(parts, part + 1));
            pop_vertex vertex = pop_graph_add_vertex(graph, set, v->type);
            call_connect(call, vertex, v->field,
                         pop_tensor_slice(pop_tensor_at(v->in, line), begin, part_end(parts, part), 0));
            call_connect(call, vertex, "positions", pop_tensor_slice(pop_tensor_at(v->positions, line), first, end, 0));
            call_connect(call, vertex, "out", pop_tensor_slice(pop_tensor_at(v->out, line), first, end, 0));
            call_set(call, vertex, "base", begin);
            if (v->ordered) {
                pop_graph_set_field_int(graph, vertex, "largest", step->params.largest);
                pop_graph_set_field_int(graph, vertex, "ascending", step->params.sort_order == POPOPS_SORT_ASCENDING);
            }
            pop_graph_map_vertex(graph, vertex, tile_of(parts, line, part));
        }
}

static void add_top_k(const struct step *step, pop_compute_set set, const struct parts *parts, pop_tensor keys,
                      const struct chosen *chosen)
{
    char name[64];
    snprintf(name, sizeof(name), "popops::TopK<%s>", pop_type_name(pop_tensor_type(keys)));
    add_parts(step, set, &(struct part_vertices){ parts, name, "keys", keys, chosen->positions, chosen->keys, true });
}

static void add_gather(const struct step *step, pop_compute_set set, const struct parts *parts, pop_tensor values,
                       const struct chosen *chosen)
{
    char name[64];
    snprintf(name, sizeof(name), "popops::TopKGather<%s>", pop_type_name(pop_tensor_type(values)));
    add_parts(step, set,
              &(struct part_vertices){ parts, name, "in", values, chosen->positions, chosen->values, false });
}

static struct chosen choose(const struct step *step, const struct parts *parts, pop_tensor keys, pop_tensor values)
{
    const struct call *call = step->call;
    struct chosen chosen = { add_chosen(step, parts, pop_tensor_type(keys), "keys"),
                             add_chosen(step, parts, POP_UNSIGNED_INT, "positions"),
                             { 0 } };
    pop_compute_set set = pop_graph_add_compute_set(call->graph, call_path(call, call->name, "TopK"));
    add_top_k(step, set, parts, keys, &chosen);
    call_execute(call, set, call->name);
    if (pop_tensor_valid(values)) {
        chosen.values = add_chosen(step, parts, pop_tensor_type(values), "values");
        set = pop_graph_add_compute_set(call->graph, call_path(call, call->name, "Gather"));
        add_gather(step, set, parts, values, &chosen);
        call_execute(call, set, call->name);
    }
    return chosen;
}

static bool is_number(pop_type type)
{
    return type == POP_HALF || type == POP_FLOAT || type == POP_INT || type == POP_UNSIGNED_INT;
}

static bool check(const struct call *call, pop_type type, size_t rank, size_t n, popops_top_k_params params)
{
    if (!call_ready(call))
        return false;
    if (!rank)
        return call_fail(call, POP_POPLAR_ERROR, "a tensor of rank 0 has no line from which to select");
    if (!is_number(type))
        return call_fail(call, POP_TYPE_ERROR,
                         "elements of %s cannot be selected; half, float, int and unsigned int can",
                         pop_type_name(type));
    if ((unsigned)params.sort_order > POPOPS_SORT_DESCENDING)
        return call_fail(call, POP_POPLAR_ERROR, "%d is not an order; none, ascending and descending are allowed",
                         (int)params.sort_order);
    if (params.k > n)
        return call_fail(call, POP_POPLAR_ERROR, "%u of %zu elements cannot be selected", params.k, n);
    return true;
}

/* Views the selected elements in t's shape, with dimension k as the last one. */
static pop_tensor as_shape(const struct call *call, pop_tensor chosen, pop_tensor t)
{
    size_t shape[64], rank = pop_tensor_shape(t, shape, 64);
    shape[rank - 1] = pop_tensor_dim(chosen, 1);
    return pop_tensor_reshape(chosen, (pop_shape){ rank, shape });
}

/* The result of selecting no element, in any number of lines. */
static pop_tensor nothing(const struct call *call, pop_type type)
{
    return pop_graph_add_variable(call->graph, type, POP_SHAPE(1, 0), call->name);
}

/* Selects keys with their values or (with indices) positions. */
static struct chosen run(const struct call *call, pop_tensor keys, pop_tensor values, bool indices,
                         popops_top_k_params params)
{
    struct chosen none = { { 0 }, { 0 }, { 0 } };
    size_t rank = pop_tensor_rank(keys), n = rank ? pop_tensor_dim(keys, rank - 1) : 0;
    if (!call_ready(call) || !call_takes(call, "the tensor", keys) ||
        !check(call, pop_tensor_type(keys), rank, n, params))
        return none;
    if (!params.k)
        return (struct chosen){ nothing(call, pop_tensor_type(keys)), nothing(call, POP_UNSIGNED_INT),
                                pop_tensor_valid(values) ? nothing(call, pop_tensor_type(values)) : values };
    if (params.sort_order == POPOPS_SORT_NONE)
        params.sort_order = params.largest ? POPOPS_SORT_DESCENDING : POPOPS_SORT_ASCENDING;
    const struct step step = { call, params };
    size_t lines = pop_tensor_num_elements(keys) / n;
    struct parts parts = parts_of(call->graph, lines, n, params.k);
    pop_tensor rows = pop_tensor_reshape(keys, POP_SHAPE(lines, n)), going = values;
    if (pop_tensor_valid(values))
        going = pop_tensor_reshape(values, POP_SHAPE(lines, n));
    if (parts.count > 1) {
        /* The parts keep the order of equal keys, so positions break ties between parts as indices do. */
        struct chosen best = choose(&step, &parts, rows, going);
        rows = best.keys;
        going = indices ? best.positions : best.values;
        size_t left = pop_tensor_dim(rows, 1);
        parts = (struct parts){ lines, left, params.k, 1, left, parts.tiles };
        struct chosen last = choose(&step, &parts, rows, going);
        last.positions = last.values;
        return call_ready(call) ? last : none;
    }
    struct chosen only = choose(&step, &parts, rows, going);
    return call_ready(call) ? only : none;
}

pop_tensor popops_create_top_k_input_at(pop_where where, pop_graph *graph, pop_type type, pop_shape shape,
                                        popops_top_k_params params, const char *name)
{
    POPLIBS_CALL(graph, log_type(type), shape, name);
    pop_tensor none = { 0 };
    size_t n = shape.rank ? shape.dims[shape.rank - 1] : 0;
    if (!check(call, type, shape.rank, n, params))
        return none;
    pop_tensor t = pop_graph_add_variable(graph, type, shape, name);
    size_t lines = pop_tensor_num_elements(t) / poplibs_max(n, 1);
    struct parts parts = parts_of(graph, lines, n, params.k);
    pop_tensor rows = pop_tensor_reshape(t, POP_SHAPE(lines, n));
    for (size_t line = 0; line < lines; ++line)
        for (size_t part = 0; part < parts.count; ++part)
            pop_graph_set_tile_mapping(
                graph, pop_tensor_slice(pop_tensor_at(rows, line), part * parts.size, part_end(&parts, part), 0),
                tile_of(&parts, line, part));
    return t;
}

pop_tensor popops_top_k_at(pop_where where, pop_graph *graph, pop_program sequence, pop_tensor t,
                           popops_top_k_params params, const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, t, name);
    pop_tensor keys = run(call, t, (pop_tensor){ 0 }, false, params).keys;
    return pop_tensor_valid(keys) ? as_shape(call, keys, t) : keys;
}

pop_tensor popops_top_k_key_value_at(pop_where where, pop_graph *graph, pop_program sequence, pop_tensor keys,
                                     pop_tensor values, popops_top_k_params params, pop_tensor *chosen_values,
                                     const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, keys, values, name);
    char left[64], right[64];
    if (!chosen_values) {
        if (call_ready(call))
            call_fail(call, POP_POPLAR_ERROR, "the pointer to the values is NULL");
        return (pop_tensor){ 0 };
    }
    *chosen_values = (pop_tensor){ 0 };
    if (!call_ready(call) || !call_takes(call, "the tensor of values", values))
        return *chosen_values;
    if (!poplibs_shapes_equal(keys, values) || !is_number(pop_tensor_type(values))) {
        call_fail(call, POP_POPLAR_ERROR,
                  "keys of shape %s and values of %s and type %s: they must have the same shape, and the values "
                  "must be numbers",
                  poplibs_shape_of(left, sizeof(left), keys), poplibs_shape_of(right, sizeof(right), values),
                  pop_type_name(pop_tensor_type(values)));
        return *chosen_values;
    }
    struct chosen chosen = run(call, keys, values, false, params);
    if (!pop_tensor_valid(chosen.keys))
        return chosen.keys;
    *chosen_values = as_shape(call, chosen.values, keys);
    return as_shape(call, chosen.keys, keys);
}

pop_tensor popops_top_k_with_permutation_at(pop_where where, pop_graph *graph, pop_program sequence, pop_tensor t,
                                            popops_top_k_params params, pop_tensor *indices, const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, t, name);
    if (!indices) {
        if (call_ready(call))
            call_fail(call, POP_POPLAR_ERROR, "the pointer to the indices is NULL");
        return (pop_tensor){ 0 };
    }
    *indices = (pop_tensor){ 0 };
    struct chosen chosen = run(call, t, (pop_tensor){ 0 }, true, params);
    if (!pop_tensor_valid(chosen.keys))
        return chosen.keys;
    *indices = as_shape(call, chosen.positions, t);
    return as_shape(call, chosen.keys, t);
}
