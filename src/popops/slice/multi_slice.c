/* SPDX-License-Identifier: Apache-2.0 */
/* Multi-slices.  Slices of one element along one dimension are rows of a matrix and are processed at once; other slices
 * are processed one after the other, in a loop. */
#include "popops/slice/multi_slice.h"
#include "poplibs/codes.h"
#include "poplibs/elements.h"
#include "poplibs/log.h"
#include "popops/slice/multi_slice_rows.h"
#include "popops/slice/slicing.h"

#include <popops/cast.h>
#include <popops/element_wise.h>
#include <popops/expr.h>
#include <popops/reduce.h>
#include <poputil/loop.h>
#include <poputil/tile_mapping.h>

enum { MAX_UNROLLED = 3 };

/* The arguments of a call. */
struct slice_call {
    const struct call *call;
    pop_tensor t, s, offsets, scale;
    pop_dims dims;
    pop_shape sizes;
    const popops_slice_plan *plan;
    bool validate, padding;
};

static bool is_rows(const struct slice_call *request)
{
    return request->dims.count == 1 && request->sizes.dims[0] == 1;
}

/* The shape of n slices. */
static pop_shape slices_shape(const struct slice_call *request, size_t n, size_t *shape)
{
    size_t rank = pop_tensor_shape(request->t, shape + 1, POPOPS_MAX_DIMS);
    shape[0] = n;
    for (size_t i = 0; i < request->dims.count; ++i)
        shape[1 + request->dims.list[i]] = request->sizes.dims[i];
    return (pop_shape){ rank + 1, shape };
}

/* Checks the arguments that all calls share; converts the offsets to {n, dims} of UNSIGNED_INT. */
static bool check(struct slice_call *request)
{
    const struct call *call = request->call;
    size_t shape[POPOPS_MAX_DIMS];
    if (!call_ready(call))
        return false;
    if (!call_takes(call, "the sliced tensor", request->t) ||
        !call_takes(call, "the tensor of offsets", request->offsets))
        return false;
    size_t rank = pop_tensor_shape(request->t, shape, POPOPS_MAX_DIMS), n = pop_tensor_dim(request->offsets, 0),
           dims = request->dims.count;
    if (!slice_check_dims(call, (pop_shape){ rank, shape }, request->dims, request->sizes) ||
        !slice_check_options(call, call->options, &request->validate, &request->padding))
        return false;
    request->validate |= slice_is_planned(request->plan) && request->plan->validate_indices;
    request->padding |= slice_is_planned(request->plan) && request->plan->padding_index_used;
    if (request->padding && !is_rows(request))
        return call_fail(call, POP_INVALID_OPTION,
                         "option 'paddingIndexUsed' is for slices of one row of one dimension");
    if (!dims)
        return call_fail(call, POP_POPLAR_ERROR, "dims is empty: there is no dimension to slice");
    if (pop_tensor_rank(request->offsets) != 2 || pop_tensor_dim(request->offsets, 1) != dims)
        return call_takes_shape(call, "the offsets", request->offsets, POP_UNSIGNED_INT, POP_SHAPE(n, dims));
    request->offsets = slice_offsets(call, request->offsets, n * dims);
    request->offsets = pop_tensor_reshape(request->offsets, POP_SHAPE(n, dims));
    return call_ready(call);
}

void slice_add_offset_check(const struct call *call, pop_tensor offsets, pop_dims dims, pop_shape allowed)
{
    char message[512];
    if (!pop_tensor_num_elements(offsets))
        return;
    const char *path = call_path(call, call->name, "validateIndices");
    for (unsigned i = 0; i < dims.count; ++i) {
        pop_tensor column = pop_tensor_slice(offsets, i, i + 1, 1);
        pop_tensor bad = call_binary(call, POPOPS_BINARY_GREATER_THAN_EQUAL, column,
                                     popops_operand_of_unsigned(allowed.dims[i]), path);
        pop_tensor any =
            popops_reduce(call->graph, bad, POP_TYPE_NULL, POP_DIMS(0, 1),
                          (popops_reduce_params){ .op = POPOPS_LOGICAL_OR }, call->sequence, path, POP_NO_OPTIONS);
        snprintf(message, sizeof(message),
                 "%s \"%s\": an index is out of range: dimension %u has %zu (option validateIndices)", call->api,
                 call->name ? call->name : "", dims.list[i], allowed.dims[i]);
        if (call_ready(call))
            pop_sequence_add(call->sequence, pop_abort_on_condition(any, message, path));
    }
}

/* Ends the run if an offset is out of range. */
static void add_validation(const struct slice_call *request)
{
    size_t rows[POPOPS_MAX_DIMS];
    if (!request->validate)
        return;
    for (size_t i = 0; i < request->dims.count; ++i)
        rows[i] = pop_tensor_dim(request->t, request->dims.list[i]) + request->padding;
    slice_add_offset_check(request->call, request->offsets, request->dims, (pop_shape){ request->dims.count, rows });
}

/* Converts the call to rows of a matrix.  A matrix whose rows are on different tiles gets a plan if the caller has
 * none. */
static bool as_rows(const struct slice_call *request, enum multi_kind kind, struct multi_rows *multi)
{
    const struct call *call = request->call;
    unsigned dim = request->dims.list[0];
    size_t rows = pop_tensor_dim(request->t, dim), columns = rows ? pop_tensor_num_elements(request->t) / rows : 0,
           n = pop_tensor_dim(request->offsets, 0);
    *multi = (struct multi_rows){ .call = call, .kind = kind, .lookups = n, .scale = request->scale };
    multi->base = pop_tensor_reshape(pop_tensor_dim_roll(request->t, dim, 0), POP_SHAPE(rows, columns));
    multi->offsets = pop_tensor_flatten(request->offsets);
    if (rows && pop_tensor_valid(request->s))
        multi->sub = pop_tensor_reshape(pop_tensor_dim_roll(request->s, dim + 1, 1), POP_SHAPE(n, columns));
    if (slice_is_planned(request->plan)) {
        const popops_slice_plan *plan = request->plan;
        if (plan->rows != rows || plan->columns != columns || plan->type != pop_tensor_type(request->t))
            return call_fail(call, POP_POPLAR_ERROR, "a plan for {%zu,%zu} of %s cannot slice {%zu,%zu} of %s",
                             plan->rows, plan->columns, pop_type_name(plan->type), rows, columns,
                             pop_type_name(pop_tensor_type(request->t)));
        if (!plan->row_splits || !plan->column_splits || !plan->lookup_splits || !plan->column_grain)
            return call_fail(call, POP_POPLAR_ERROR,
                             "a plan of %zu by %zu by %zu splits and a grain of %zu: each must be at least 1",
                             plan->row_splits, plan->lookup_splits, plan->column_splits, plan->column_grain);
        multi->plan = *plan;
    } else if (rows && columns && poputil_dim_is_split_over_tiles(call->graph, multi->base, 0)) {
        multi->plan = slice_plan_default(call, pop_tensor_type(request->t), rows, columns, n);
    }
    return call_ready(call);
}

/* ---- one slice after the other ---- */

/* The loop body for slice i: reads or writes it. */
static void add_step(const struct slice_call *request, bool update, pop_tensor i, pop_program sequence)
{
    const struct call *call = request->call;
    pop_graph *graph = call->graph;
    size_t shape[POPOPS_MAX_DIMS + 1];
    pop_shape one = slices_shape(request, 1, shape);
    pop_tensor place = pop_tensor_reshape(i, POP_SHAPE(1));
    pop_tensor offset =
        popops_dynamic_slice(graph, request->offsets, place, POP_DIMS(0), POP_SHAPE(1), sequence, call->name);
    offset = pop_tensor_flatten(offset);
    if (update) {
        pop_tensor s = popops_dynamic_slice(graph, request->s, place, POP_DIMS(0), POP_SHAPE(1), sequence, call->name);
        popops_dynamic_update(graph, request->t, pop_tensor_at(s, 0), offset, request->dims, request->sizes, sequence,
                              call->name);
    } else {
        pop_tensor s =
            popops_dynamic_slice(graph, request->t, offset, request->dims, request->sizes, sequence, call->name);
        popops_dynamic_update(graph, request->s, pop_tensor_reshape(s, one), place, POP_DIMS(0), POP_SHAPE(1), sequence,
                              call->name);
    }
}

struct loop {
    const struct slice_call *request;
    bool update;
};
static pop_program loop_body(pop_graph *graph, pop_tensor i, void *user)
{
    const struct loop *loop = user;
    const struct call *call = loop->request->call;
    pop_program body = pop_sequence(graph, call->name);
    add_step(loop->request, loop->update, i, body);
    return body;
}

static void one_by_one(const struct slice_call *request, bool update)
{
    const struct call *call = request->call;
    size_t n = pop_tensor_dim(request->offsets, 0);
    if (!n || !pop_tensor_num_elements(request->t) || !pop_tensor_num_elements(request->s))
        return;
    if (n > MAX_UNROLLED) {
        struct loop loop = { request, update };
        pop_program repeated = poputil_counted_loop(call->graph, 0, n, 1, call->name, loop_body, &loop);
        if (repeated.id)
            pop_sequence_add(call->sequence, repeated);
        return;
    }
    for (uint32_t i = 0; i < n; ++i) {
        pop_tensor place =
            pop_graph_add_constant_fill(call->graph, POP_UNSIGNED_INT, POP_SHAPE(), POP_UNSIGNED_INT, &i, "index");
        pop_graph_set_tile_mapping(call->graph, place, 0);
        add_step(request, update, place, call->sequence);
    }
}

/* Sets the slices at the padding index, which is the one just beyond the end, to 0. */
static void zero_padding(const struct slice_call *request)
{
    const struct call *call = request->call;
    size_t shape[POPOPS_MAX_DIMS + 1], rank = pop_tensor_shape(request->s, shape, POPOPS_MAX_DIMS + 1);
    if (!request->padding || !pop_tensor_num_elements(request->s))
        return;
    for (size_t i = 1; i < rank; ++i)
        shape[i] = 1;
    const char *path = call_path(call, call->name, "paddingIndex");
    pop_tensor index = pop_tensor_reshape(request->offsets, (pop_shape){ rank, shape }),
               real = call_binary(call, POPOPS_BINARY_NOT_EQUAL, index,
                                  popops_operand_of_unsigned(pop_tensor_dim(request->t, request->dims.list[0])), path);
    pop_tensor slices = poplibs_codes(call, request->s), wide = slices;
    bool is_byte = pop_type_size(pop_tensor_type(slices)) == 1 && pop_tensor_type(slices) != POP_BOOL;
    if (is_byte) /* select takes no bytes */
        wide = popops_cast(call->graph, slices, POP_INT, call->sequence, path);
    popops_map_in_place(call->graph, "select(_1, 0, _2)", POP_TENSORS(wide, real), call->sequence, path,
                        POP_NO_OPTIONS);
    if (is_byte && call_ready(call))
        call_copy(call, popops_cast(call->graph, wide, pop_tensor_type(slices), call->sequence, path), slices, path);
}

/* ---- the calls ---- */

pop_tensor popops_multi_slice_at(pop_where where, pop_graph *graph, pop_tensor t, pop_tensor offsets, pop_dims dims,
                                 pop_shape sizes, pop_program sequence, const popops_slice_plan *plan, const char *name,
                                 pop_options options)
{
    POPLIBS_CALL_IN(sequence, graph, t, offsets, dims, sizes, name, options);
    struct slice_call request = { call, t, { 0 }, offsets, { 0 }, dims, sizes, plan, false, false };
    struct multi_rows multi;
    size_t shape[POPOPS_MAX_DIMS + 1];
    pop_tensor none = { 0 };
    if (!check(&request))
        return none;
    size_t n = pop_tensor_dim(request.offsets, 0);
    add_validation(&request);
    if (!is_rows(&request)) {
        request.s = popops_create_slice_tensor(graph, t, dims, sizes, n, name);
        one_by_one(&request, false);
        poplibs_copy_metadata(call, t, request.s);
        return call_ready(call) ? request.s : none;
    }
    if (!as_rows(&request, MULTI_SLICE, &multi))
        return none;
    if (!multi.plan.rows) {
        /* On the tile of the first row; the dimension may be empty, and so may the row. */
        bool empty = !pop_tensor_dim(t, dims.list[0]);
        request.s = empty ? pop_graph_add_variable_mapped(graph, pop_tensor_type(t), slices_shape(&request, n, shape),
                                                          POP_MAPPING_LINEAR, name)
                          : popops_create_slice_tensor(graph, t, dims, sizes, n, name);
        multi.sub = empty ? request.s
                          : pop_tensor_reshape(pop_tensor_dim_roll(request.s, dims.list[0] + 1, 1),
                                               POP_SHAPE(n, pop_tensor_dim(multi.base, 1)));
    } else {
        multi.sub = multi_slices(&multi);
        /* {n, columns} to {n, 1, other dims...}; then the sliced dimension is moved to its place */
        size_t rank = pop_tensor_rank(t), count = 2;
        shape[0] = n;
        shape[1] = 1;
        for (size_t i = 0; i < rank; ++i)
            if (i != dims.list[0])
                shape[count++] = pop_tensor_dim(t, i);
        request.s =
            pop_tensor_dim_roll(pop_tensor_reshape(multi.sub, (pop_shape){ count, shape }), 1, dims.list[0] + 1);
    }
    multi_run(&multi);
    zero_padding(&request);
    poplibs_copy_metadata(call, t, request.s);
    return call_ready(call) ? request.s : none;
}

/* Checks s, and that t can be written. */
static bool check_update(const struct slice_call *request)
{
    size_t shape[POPOPS_MAX_DIMS + 1];
    return call_takes_shape(request->call, "the slices", request->s, pop_tensor_type(request->t),
                            slices_shape(request, pop_tensor_dim(request->offsets, 0), shape)) &&
           call_takes_writeable(request->call, "the tensor", request->t);
}

void popops_multi_update_at(pop_where where, pop_graph *graph, pop_tensor t, pop_tensor s, pop_tensor offsets,
                            pop_dims dims, pop_shape sizes, pop_program sequence, const popops_slice_plan *plan,
                            const char *name, pop_options options)
{
    POPLIBS_CALL_IN(sequence, graph, t, s, offsets, dims, sizes, name, options);
    struct slice_call request = { call, t, s, offsets, { 0 }, dims, sizes, plan, false, false };
    struct multi_rows multi;
    if (!check(&request) || !check_update(&request))
        return;
    add_validation(&request);
    if (!is_rows(&request))
        one_by_one(&request, true);
    else if (as_rows(&request, MULTI_UPDATE, &multi))
        multi_run(&multi);
}

static void update_with(struct slice_call *request, enum multi_kind kind)
{
    const struct call *call = request->call;
    struct multi_rows multi;
    if (!check(request) || !check_update(request))
        return;
    pop_type type = pop_tensor_type(request->t), scale = pop_tensor_type(request->scale);
    if (!is_rows(request)) {
        call_fail(call, POP_POPLAR_ERROR, "%zu dims are sliced; this call takes one, in slices of size 1",
                  request->dims.count);
        return;
    }
    if (type != POP_HALF && type != POP_FLOAT && type != POP_INT && type != POP_UNSIGNED_INT) {
        call_fail(call, POP_TYPE_ERROR, "%s cannot be updated by an operation; half, float, int and unsigned int can",
                  pop_type_name(type));
        return;
    }
    if (kind == MULTI_ADD) {
        if (!call_takes_scale(call, "the scale", request->scale))
            return;
        if (pop_tensor_num_elements(request->scale) != 1 ||
            (scale != type && !(type == POP_HALF && scale == POP_FLOAT))) {
            call_fail(call, POP_POPLAR_ERROR, "a scale of %zu elements of %s; it must be one %s",
                      pop_tensor_num_elements(request->scale), pop_type_name(scale), pop_type_name(type));
            return;
        }
        request->scale = pop_tensor_reshape(request->scale, POP_SHAPE());
    }
    add_validation(request);
    if (as_rows(request, kind, &multi))
        multi_run(&multi);
}

void popops_multi_update_add_at(pop_where where, pop_graph *graph, pop_tensor t, pop_tensor s, pop_tensor offsets,
                                pop_tensor scale, pop_dims dims, pop_shape sizes, pop_program sequence,
                                const popops_slice_plan *plan, const char *name, pop_options options)
{
    POPLIBS_CALL_IN(sequence, graph, t, s, offsets, scale, dims, sizes, name, options);
    struct slice_call request = { call, t, s, offsets, scale, dims, sizes, plan, false, false };
    update_with(&request, MULTI_ADD);
}
void popops_multi_update_max_at(pop_where where, pop_graph *graph, pop_tensor t, pop_tensor s, pop_tensor offsets,
                                pop_dims dims, pop_shape sizes, pop_program sequence, const popops_slice_plan *plan,
                                const char *name, pop_options options)
{
    POPLIBS_CALL_IN(sequence, graph, t, s, offsets, dims, sizes, name, options);
    struct slice_call request = { call, t, s, offsets, { 0 }, dims, sizes, plan, false, false };
    update_with(&request, MULTI_MAX);
}
void popops_multi_update_mul_at(pop_where where, pop_graph *graph, pop_tensor t, pop_tensor s, pop_tensor offsets,
                                pop_dims dims, pop_shape sizes, pop_program sequence, const popops_slice_plan *plan,
                                const char *name, pop_options options)
{
    POPLIBS_CALL_IN(sequence, graph, t, s, offsets, dims, sizes, name, options);
    struct slice_call request = { call, t, s, offsets, { 0 }, dims, sizes, plan, false, false };
    update_with(&request, MULTI_MUL);
}

/* ---- operands with a plan ---- */

/* The splits of a plan for a tensor of this type and shape, of which the plan need not be: only multi-slices and
 * multi-updates insist on that.  False for tensors that are no matrix sliced in single rows: they have no plan. */
static bool adapt_plan(popops_slice_plan *plan, pop_type type, pop_shape shape, pop_dims dims, pop_shape sizes)
{
    if (!slice_is_planned(plan) || shape.rank != 2 || dims.count != 1 || dims.list[0] != 0 || sizes.dims[0] != 1 ||
        !shape.dims[0])
        return false;
    plan->type = type;
    plan->rows = shape.dims[0];
    plan->columns = shape.dims[1];
    return true;
}

pop_tensor popops_create_sliceable_tensor_planned_at(pop_where where, pop_graph *graph, pop_type type, pop_shape shape,
                                                     pop_dims dims, pop_shape sizes, const popops_slice_plan *plan,
                                                     const char *name, pop_options options)
{
    POPLIBS_CALL(graph, log_type(type), shape, dims, sizes, name, options);
    if (!call_ready(call) || !slice_check_options(call, options, NULL, NULL) ||
        !slice_check_dims(call, shape, dims, sizes))
        return (pop_tensor){ 0 };
    struct multi_rows multi = { .call = call, .plan = plan ? *plan : (popops_slice_plan){ 0 } };
    return adapt_plan(&multi.plan, type, shape, dims, sizes)
               ? multi_table(&multi)
               : popops_create_sliceable_tensor(graph, type, shape, dims, sizes, 0, name);
}

pop_tensor popops_create_slice_tensor_planned_at(pop_where where, pop_graph *graph, pop_type type, pop_shape shape,
                                                 pop_dims dims, pop_shape sizes, size_t num_indices,
                                                 const popops_slice_plan *plan, const char *name, pop_options options)
{
    POPLIBS_CALL(graph, log_type(type), shape, dims, sizes, num_indices, name, options);
    pop_tensor none = { 0 };
    if (!call_ready(call) || !slice_check_options(call, options, NULL, NULL) ||
        !slice_check_dims(call, shape, dims, sizes))
        return none;
    struct multi_rows multi = { .call = call, .plan = plan ? *plan : (popops_slice_plan){ 0 }, .lookups = num_indices };
    if (adapt_plan(&multi.plan, type, shape, dims, sizes))
        return pop_tensor_reshape(multi_slices(&multi), POP_SHAPE(num_indices, 1, shape.dims[1]));
    /* The layout of slices of a sliceable tensor, without creating that tensor: n slices along an additional
     * dimension. */
    size_t slices[POPOPS_MAX_DIMS + 1] = { num_indices };
    unsigned first = 0;
    size_t one = poplibs_min(1, num_indices);
    memcpy(slices + 1, shape.dims, shape.rank * sizeof(*slices));
    for (size_t i = 0; i < dims.count; ++i)
        slices[1 + dims.list[i]] = sizes.dims[i];
    return popops_create_sliceable_tensor(graph, type, (pop_shape){ shape.rank + 1, slices }, (pop_dims){ 1, &first },
                                          (pop_shape){ 1, &one }, 0, name);
}

/* Maps each share of the indices to a few of the tiles that look it up: with few senders the exchange is short. */
static void map_indices(const struct call *call, pop_tensor indices, const popops_slice_plan *plan)
{
    enum { PIECE = 2048 };
    size_t n = pop_tensor_dim(indices, 0), share = poplibs_ceil_div(n, plan->lookup_splits),
           tiles = plan->row_splits * plan->column_splits;
    size_t piece = poplibs_max(PIECE, poplibs_ceil_div(share, tiles));
    for (size_t lookup = 0; lookup < plan->lookup_splits; ++lookup)
        for (size_t begin = lookup * share, end = poplibs_min(n, begin + share), at = 0; begin < end;
             begin += piece, ++at)
            pop_graph_set_tile_mapping(
                call->graph, pop_tensor_slice(indices, begin, poplibs_min(end, begin + piece), 0),
                slice_plan_tile(plan, at / plan->column_splits, lookup, at % plan->column_splits));
}

pop_tensor popops_create_indices_tensor_at(pop_where where, pop_graph *graph, pop_dims dims, size_t num_indices,
                                           const popops_slice_plan *plan, const char *name, pop_options options)
{
    POPLIBS_CALL(graph, dims, num_indices, name, options);
    if (!call_ready(call) || !slice_check_options(call, options, NULL, NULL))
        return (pop_tensor){ 0 };
    pop_tensor indices = pop_graph_add_variable(graph, POP_UNSIGNED_INT, POP_SHAPE(num_indices, dims.count), name);
    if (slice_is_planned(plan))
        map_indices(call, indices, plan);
    else
        poputil_map_tensor_linearly(graph, indices);
    return indices;
}
