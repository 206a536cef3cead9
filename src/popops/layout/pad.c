/* SPDX-License-Identifier: Apache-2.0 */
/* Padding one dimension after the other, by concatenation of views. */
#include "poplibs/log.h"

#include <popops/pad.h>

enum { MAX_DIMS = 64 };

/* The source of padding elements: a number, a tensor of one element, or the padded tensor itself. */
struct filling {
    popops_padding_type type;
    pop_tensor tensor; /* of rank 0; null for a number */
    double value;
    popops_padding_mapping mapping;
};

static bool is_empty(pop_tensor t)
{
    return pop_tensor_num_elements(t) == 0;
}

/* Repeats t, of extent 1, along dim any number of times; a view's own repeat count has only 32 bits. */
static pop_tensor repeat(const struct call *call, pop_tensor t, size_t count, unsigned dim)
{
    enum { PIECE = 1 << 30 };
    pop_tensor parts[2];
    size_t whole = count / PIECE;
    if (whole > UINT32_MAX) {
        call_fail(call, POP_POPLAR_ERROR, "%zu elements of padding; at most %zu are possible on a side", count,
                  (size_t)UINT32_MAX * PIECE);
        return t;
    }
    if (!whole)
        return pop_tensor_broadcast(t, (unsigned)count, dim);
    parts[0] = pop_tensor_broadcast(pop_tensor_broadcast(t, PIECE, dim), (unsigned)whole, dim);
    parts[1] = pop_tensor_broadcast(t, (unsigned)(count % PIECE), dim);
    return pop_tensor_concat((pop_tensors){ 2, parts }, dim);
}

/* A block of constants next to an edge, which is a slice of extent 1 of the padded tensor. */
static pop_tensor constant_block(const struct call *call, pop_tensor edge, pop_shape shape, unsigned dim,
                                 const struct filling *filling)
{
    pop_graph *graph = call->graph;
    if (pop_tensor_valid(filling->tensor)) {
        pop_tensor block = filling->tensor;
        size_t ones[MAX_DIMS];
        for (size_t i = 0; i < shape.rank; ++i)
            ones[i] = 1;
        block = pop_tensor_reshape(block, (pop_shape){ shape.rank, ones });
        for (size_t i = 0; i < shape.rank; ++i)
            block = repeat(call, block, shape.dims[i], (unsigned)i);
        return block;
    }
    pop_tensor block = pop_graph_add_constant_float(graph, pop_tensor_type(edge), shape, filling->value, "padding");
    if (filling->mapping == POPOPS_PADDING_MAPPING_NONE)
        return block;
    pop_interval_lists mapping;
    if (filling->mapping == POPOPS_PADDING_MAPPING_ZERO || is_empty(edge)) {
        pop_graph_set_tile_mapping(graph, block, 0);
    } else if (pop_graph_get_tile_mapping(graph, edge, NULL, &mapping)) {
        for (size_t i = 0; i < shape.dims[dim]; ++i)
            pop_graph_set_tile_mapping_lists(graph, pop_tensor_slice(block, i, i + 1, dim), &mapping);
        pop_interval_lists_free(&mapping);
    }
    return block;
}

/* The count padding elements on one side of t. */
static pop_tensor side(const struct call *call, pop_tensor t, bool upper, size_t count, unsigned dim,
                       const struct filling *filling)
{
    size_t extent = pop_tensor_dim(t, dim), shape[MAX_DIMS];
    if (filling->type == POPOPS_PADDING_REFLECT) {
        size_t begin = upper ? extent - 1 - count : 1;
        return pop_tensor_reverse(pop_tensor_slice(t, begin, begin + count, dim), dim);
    }
    pop_tensor edge = extent ? pop_tensor_slice(t, upper ? extent - 1 : 0, upper ? extent : 1, dim) : t;
    if (filling->type == POPOPS_PADDING_EDGE)
        return repeat(call, edge, count, dim);
    size_t rank = pop_tensor_shape(t, shape, MAX_DIMS);
    shape[dim] = count;
    return constant_block(call, edge, (pop_shape){ rank, shape }, dim, filling);
}

static pop_tensor pad_dim(const struct call *call, pop_tensor t, ptrdiff_t lower, ptrdiff_t upper, unsigned dim,
                          const struct filling *filling)
{
    pop_tensor none = { 0 };
    if (!call_ready(call))
        return none;
    size_t extent = pop_tensor_dim(t, dim), cut_lower = lower < 0 ? 0 - (size_t)lower : 0,
           cut_upper = upper < 0 ? 0 - (size_t)upper : 0;
    if (dim >= pop_tensor_rank(t) || pop_tensor_rank(t) > MAX_DIMS) {
        call_fail(call, POP_INDEX_ERROR, "there is no dimension %u: the tensor's rank is %zu", dim, pop_tensor_rank(t));
        return none;
    }
    if ((unsigned)filling->mapping > POPOPS_PADDING_MAPPING_EDGE) {
        call_fail(call, POP_POPLAR_ERROR, "%d is not a mapping of padding; none, zero and edge are allowed",
                  (int)filling->mapping);
        return none;
    }
    if (cut_lower > extent || cut_upper > extent - cut_lower) {
        call_fail(call, POP_POPLAR_ERROR, "padding of %td and %td cuts off more than dimension %u has: %zu", lower,
                  upper, dim, extent);
        return none;
    }
    pop_tensor parts[3] = { t, pop_tensor_slice(t, cut_lower, extent - cut_upper, dim), t };
    extent -= cut_lower + cut_upper;
    size_t max = filling->type == POPOPS_PADDING_CONSTANT ? SIZE_MAX
                 : filling->type == POPOPS_PADDING_EDGE   ? (extent ? SIZE_MAX : 0)
                 : extent                                 ? extent - 1
                                                          : 0;
    if ((lower > 0 && (size_t)lower > max) || (upper > 0 && (size_t)upper > max)) {
        call_fail(call, POP_POPLAR_ERROR, "padding of %td and %td from a dimension of %zu; at most %zu on a side",
                  lower, upper, extent, max);
        return none;
    }
    size_t first = lower > 0 ? 0 : 1, count = 3 - first - (upper > 0 ? 0 : 1);
    if (lower > 0)
        parts[0] = side(call, parts[1], false, (size_t)lower, dim, filling);
    if (upper > 0)
        parts[2] = side(call, parts[1], true, (size_t)upper, dim, filling);
    return count == 1 ? parts[1] : pop_tensor_concat((pop_tensors){ count, parts + first }, dim);
}

static pop_tensor pad_all(const struct call *call, pop_tensor t, popops_paddings lower, popops_paddings upper,
                          const struct filling *filling)
{
    size_t rank = pop_tensor_rank(t);
    if (call_ready(call) && (lower.count != rank || upper.count != rank)) {
        call_fail(call, POP_POPLAR_ERROR, "%zu paddings below and %zu above for a tensor of rank %zu", lower.count,
                  upper.count, rank);
        return (pop_tensor){ 0 };
    }
    for (unsigned dim = 0; dim < rank && call_ready(call); ++dim)
        t = pad_dim(call, t, lower.list[dim], upper.list[dim], dim, filling);
    return call_ready(call) ? t : (pop_tensor){ 0 };
}

/* The filling with a tensor's element; false if that is not one element of t's type. */
static bool fill_from(const struct call *call, pop_tensor t, pop_tensor value, struct filling *filling)
{
    if (!call_ready(call))
        return false;
    if (pop_tensor_num_elements(value) != 1 || pop_tensor_type(value) != pop_tensor_type(t))
        return call_fail(call, POP_POPLAR_ERROR, "padding with %zu elements of %s; it must be one of %s",
                         pop_tensor_num_elements(value), pop_type_name(pop_tensor_type(value)),
                         pop_type_name(pop_tensor_type(t)));
    filling->tensor = pop_tensor_reshape(value, POP_SHAPE());
    return true;
}

pop_tensor popops_pad_at(pop_where where, pop_graph *graph, pop_tensor t, popops_paddings lower, popops_paddings upper,
                         double value, popops_padding_mapping mapping)
{
    POPLIBS_CALL(graph, t, value);
    return pad_all(call, t, lower, upper,
                   &(struct filling){ .type = POPOPS_PADDING_CONSTANT, .value = value, .mapping = mapping });
}

pop_tensor popops_pad_tensor_at(pop_where where, pop_graph *graph, pop_tensor t, popops_paddings lower,
                                popops_paddings upper, pop_tensor value, popops_padding_mapping mapping)
{
    POPLIBS_CALL(graph, t, value);
    struct filling filling = { .type = POPOPS_PADDING_CONSTANT, .mapping = mapping };
    if (!fill_from(call, t, value, &filling))
        return (pop_tensor){ 0 };
    return pad_all(call, t, lower, upper, &filling);
}

pop_tensor popops_pad_dim_at(pop_where where, pop_graph *graph, pop_tensor t, ptrdiff_t lower, ptrdiff_t upper,
                             unsigned dim, double value, popops_padding_mapping mapping)
{
    POPLIBS_CALL(graph, t, dim, value);
    return pad_dim(call, t, lower, upper, dim,
                   &(struct filling){ .type = POPOPS_PADDING_CONSTANT, .value = value, .mapping = mapping });
}

pop_tensor popops_pad_dim_tensor_at(pop_where where, pop_graph *graph, pop_tensor t, ptrdiff_t lower, ptrdiff_t upper,
                                    unsigned dim, pop_tensor value, popops_padding_mapping mapping)
{
    POPLIBS_CALL(graph, t, dim, value);
    struct filling filling = { .type = POPOPS_PADDING_CONSTANT, .mapping = mapping };
    if (!fill_from(call, t, value, &filling))
        return (pop_tensor){ 0 };
    return pad_dim(call, t, lower, upper, dim, &filling);
}

/* Checks a padding that uses no graph but the tensor's own. */
static bool is_own(const struct call *call, popops_padding_type type)
{
    if (call_ready(call) && type != POPOPS_PADDING_EDGE && type != POPOPS_PADDING_REFLECT)
        return call_fail(call, POP_POPLAR_ERROR, "padding of type %d; without a graph it must be edge or reflect",
                         (int)type);
    return call_ready(call);
}

pop_tensor popops_pad_with_at(pop_where where, pop_tensor t, popops_paddings lower, popops_paddings upper,
                              popops_padding_type type)
{
    POPLIBS_CALL(NULL, t);
    struct call own = call_on(call, pop_store_graph(t.store));
    if (!is_own(&own, type))
        return (pop_tensor){ 0 };
    return pad_all(&own, t, lower, upper, &(struct filling){ .type = type });
}

pop_tensor popops_pad_dim_with_at(pop_where where, pop_tensor t, ptrdiff_t lower, ptrdiff_t upper, unsigned dim,
                                  popops_padding_type type)
{
    POPLIBS_CALL(NULL, t, dim);
    struct call own = call_on(call, pop_store_graph(t.store));
    if (!is_own(&own, type))
        return (pop_tensor){ 0 };
    return pad_dim(&own, t, lower, upper, dim, &(struct filling){ .type = type });
}
