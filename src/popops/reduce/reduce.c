/* SPDX-License-Identifier: Apache-2.0 */
/* Requests for reductions: checks the arguments and builds the stages (reduce_parts.h). */
#include "popops/reduce/reduce.h"
#include "popops/reduce/operations.h"
#include "popops/reduce/reduce_parts.h"

#include "poplibs/log.h"
#include "poplibs/options.h"

#include <assert.h>
#include <popops/fill.h>

pop_compute_set reduce_next_set(struct reduction *r, const char *name)
{
    const struct call *call = r->call;
    assert(r->next_set <= r->sets->count && r->sets->count <= POPOPS_MAX_REDUCE_SETS);
    if (r->next_set < r->sets->count)
        return r->sets->list[r->next_set++];
    if (r->next_set == POPOPS_MAX_REDUCE_SETS) {
        call_fail(call, POP_POPLAR_ERROR, "a reduction has at most %d compute sets", POPOPS_MAX_REDUCE_SETS);
        return (pop_compute_set){ 0 };
    }
    r->sets->list[r->sets->count++] = pop_graph_add_compute_set(call->graph, call_path(call, r->name, name));
    return r->sets->list[r->next_set++];
}

/* ---- checks ---- */

static bool supports_types(popops_operation op, pop_type in, pop_type out)
{
    return in == out ||
           (reduce_operations[op].mixed && pop_type_is_floating_point(in) && (out == POP_HALF || out == POP_FLOAT));
}

struct reduce_request {
    const struct call *call;
    pop_tensor in;
    pop_type out_type;
    pop_dims dims;
    popops_reduce_params params;
    const char *name;
};
struct accumulation {
    int vertex, tile; /* 0: float, 1: half */
};

static bool check_params(const struct reduce_request *q)
{
    const struct call *call = q->call;
    popops_operation op = q->params.op;
    bool scaled = pop_tensor_valid(q->params.scale);
    pop_type type = pop_tensor_type(q->in);
    if ((unsigned)op >= POPOPS_OPERATIONS)
        return call_fail(call, POP_POPLAR_ERROR, "%d is not an operation", (int)op);
    if (!reduce_vertex_type(op, type))
        return call_fail(call, POP_TYPE_ERROR, "%s cannot reduce %s; it takes %s", popops_operation_name(op),
                         pop_type_name(type), reduce_types_text(op));
    if (!supports_types(op, type, q->out_type))
        return call_fail(call, POP_TYPE_ERROR, "%s of %s cannot give %s", popops_operation_name(op),
                         pop_type_name(type), pop_type_name(q->out_type));
    if ((scaled || q->params.update) && !reduce_operations[op].scales)
        return call_fail(call, POP_POPLAR_ERROR, "%s cannot %s; ADD, SQUARE_ADD and LOG_ADD can",
                         popops_operation_name(op), scaled ? "be scaled" : "update");
    if (scaled && !call_takes_scale(call, "the scale", q->params.scale))
        return false;
    if (scaled && (pop_tensor_type(q->params.scale) != POP_FLOAT || pop_tensor_num_elements(q->params.scale) != 1))
        return call_fail(call, POP_TYPE_ERROR, "the scale is %s with %zu elements; it must be one float",
                         pop_type_name(pop_tensor_type(q->params.scale)), pop_tensor_num_elements(q->params.scale));
    return true;
}

/* Sets the flags of the reduced dimensions. */
static bool check_dims(const struct reduce_request *q, bool *reduced)
{
    const struct call *call = q->call;
    size_t rank = pop_tensor_rank(q->in);
    if (!call_takes(call, "the input", q->in))
        return false;
    if (rank > REDUCE_MAX_DIMS)
        return call_fail(call, POP_POPLAR_ERROR, "a tensor of rank %zu; at most %d", rank, REDUCE_MAX_DIMS);
    for (size_t i = 0; i < q->dims.count; ++i) {
        unsigned d = q->dims.list[i];
        if (d >= rank)
            return call_fail(call, POP_POPLAR_ERROR, "there is no dimension %u: the tensor's rank is %zu", d, rank);
        if (reduced[d])
            return call_fail(call, POP_POPLAR_ERROR, "dimension %u occurs twice", d);
        reduced[d] = true;
    }
    return true;
}

static bool check_output(const struct reduce_request *q, const bool *reduced, pop_tensor out)
{
    size_t dims[REDUCE_MAX_DIMS], given[REDUCE_MAX_DIMS], rank = 0;
    for (size_t d = 0; d < pop_tensor_rank(q->in); ++d)
        if (!reduced[d])
            dims[rank++] = pop_tensor_dim(q->in, d);
    size_t out_rank = pop_tensor_shape(out, given, REDUCE_MAX_DIMS);
    char wanted[128], seen[128];
    if (!call_takes(q->call, "the output", out))
        return false;
    if (rank != out_rank || memcmp(dims, given, rank * sizeof(*dims)) != 0)
        return call_fail(
            q->call, POP_POPLAR_ERROR, "the output has shape %s; it must be %s",
            poplibs_shape_text(seen, sizeof(seen), (pop_shape){ poplibs_min(out_rank, REDUCE_MAX_DIMS), given }),
            poplibs_shape_text(wanted, sizeof(wanted), (pop_shape){ rank, dims }));
    if (pop_tensor_intersects(q->in, out))
        return call_fail(q->call, POP_POPLAR_ERROR,
                         "the output shares elements with the input; it must be a separate tensor");
    return true;
}

static bool check_options(const struct reduce_request *q, struct accumulation *accumulation)
{
    static const struct poplibs_option table[] = {
#define REDUCE_OPTION(...) POPLIBS_ROW(struct accumulation, __VA_ARGS__)
#include "poplibs/options.def"
    };
    return call_read_options(q->call, q->call->options, table, sizeof(table) / sizeof(table[0]), accumulation);
}

/* ---- building ---- */

/* The result of a reduction over no elements. */
static double neutral(popops_operation op, pop_type type)
{
    pop_target any = pop_target_create_cpu(true, 1);
    double lowest = 0, highest = 0;
    pop_target_type_limits(&any, type, &lowest, &highest, NULL);
    switch (reduce_operations[op].neutral) {
    case REDUCE_ONE:
        return 1;
    case REDUCE_HIGHEST:
        return highest;
    case REDUCE_LOWEST:
        return lowest;
    default:
        return 0;
    }
}

static void set_types(struct reduction *r, pop_type in, pop_type out, const struct accumulation *accumulation)
{
    r->in_type = reduce_vertex_type(r->op, in);
    r->out_type = reduce_vertex_type(r->op, out);
    r->tile_type = r->exchange_type = r->in_type;
    if (in == POP_HALF && reduce_operations[r->op].mixed) {
        r->tile_type = accumulation->vertex ? POP_HALF : POP_FLOAT;
        r->exchange_type = accumulation->tile ? POP_HALF : POP_FLOAT;
    }
}

/* Builds the reduction into *out, or, if it is null, into a new variable. */
static void build(struct reduce_request q, pop_tensor *out, popops_compute_sets *sets)
{
    const struct call *call = q.call;
    bool reduced[REDUCE_MAX_DIMS] = { false }, given = pop_tensor_valid(*out);
    struct accumulation accumulation = { 0 };
    q.out_type = given ? pop_tensor_type(*out) : q.out_type ? q.out_type : pop_tensor_type(q.in);
    if (!check_dims(&q, reduced) || !check_params(&q) || !check_options(&q, &accumulation))
        return;
    if (!sets) {
        call_fail(call, POP_POPLAR_ERROR, "the list of compute sets is NULL");
        return;
    }
    if (given && !check_output(&q, reduced, *out))
        return;
    struct reduction r = { .call = call,
                           .target = pop_graph_target(call->graph),
                           .name = q.name,
                           .sets = sets,
                           .op = q.params.op,
                           .update = q.params.update,
                           .out_mapped = given };
    set_types(&r, pop_tensor_type(q.in), q.out_type, &accumulation);
    if (pop_tensor_valid(q.params.scale))
        r.scale = pop_tensor_reshape(q.params.scale, POP_SHAPE());
    pop_tensor in = r.in_type == pop_tensor_type(q.in) ? q.in : pop_tensor_reinterpret(q.in, r.in_type), made = { 0 };
    if (given)
        made = r.out_type == q.out_type ? *out : pop_tensor_reinterpret(*out, r.out_type);
    if (!reduce_view(&r, in, reduced, &made, call_path(call, q.name, "Reduce/out")))
        return;
    if (!given)
        *out = r.out_type == q.out_type ? made : pop_tensor_reinterpret(made, q.out_type);
    if (!r.outputs)
        return;
    if (r.factor) {
        reduce_stages(&r);
        return;
    }
    if (!given)
        pop_graph_set_tile_mapping(call->graph, made, 0);
    if (!r.update)
        popops_fill_in(call->graph, r.out, reduce_next_set(&r, "ReduceNothing"), neutral(r.op, r.out_type));
}

static bool check_new(const struct reduce_request *q)
{
    if (q->params.update)
        return call_fail(q->call, POP_POPLAR_ERROR, "an update needs an output: popops_reduce_with_output");
    return true;
}

static void execute(const struct call *call, const popops_compute_sets *sets)
{
    for (size_t i = 0; i < sets->count; ++i)
        call_execute(call, sets->list[i], call->name);
}

pop_tensor popops_reduce_in_at(pop_where where, pop_graph *graph, pop_tensor in, pop_type out_type, pop_dims dims,
                               popops_reduce_params params, popops_compute_sets *sets, const char *name,
                               pop_options options)
{
    POPLIBS_CALL_AS("popops_reduce", (pop_program){ 0 }, graph, in, log_type(out_type), dims,
                    log_name(popops_operation_name(params.op)), name, options);
    struct reduce_request q = { call, in, out_type, dims, params, name };
    pop_tensor out = { 0 };
    if (call_ready(call) && check_new(&q))
        build(q, &out, sets);
    return call_ready(call) ? out : (pop_tensor){ 0 };
}

pop_tensor popops_reduce_at(pop_where where, pop_graph *graph, pop_tensor in, pop_type out_type, pop_dims dims,
                            popops_reduce_params params, pop_program sequence, const char *name, pop_options options)
{
    POPLIBS_CALL_IN(sequence, graph, in, log_type(out_type), dims, log_name(popops_operation_name(params.op)), name,
                    options);
    popops_compute_sets sets = { 0 };
    pop_tensor out = popops_reduce_in(graph, in, out_type, dims, params, &sets, name, options);
    execute(call, &sets);
    return out;
}

void popops_reduce_with_output_in_at(pop_where where, pop_graph *graph, pop_tensor in, pop_tensor out, pop_dims dims,
                                     popops_reduce_params params, popops_compute_sets *sets, const char *name,
                                     pop_options options)
{
    POPLIBS_CALL_AS("popops_reduce_with_output", (pop_program){ 0 }, graph, in, out, dims,
                    log_name(popops_operation_name(params.op)), name, options);
    if (!call_ready(call))
        return;
    if (!pop_tensor_valid(out)) {
        call_fail(call, POP_POPLAR_ERROR, "the output is a null tensor");
        return;
    }
    build((struct reduce_request){ call, in, POP_TYPE_NULL, dims, params, name }, &out, sets);
}

void popops_reduce_with_output_at(pop_where where, pop_graph *graph, pop_tensor in, pop_tensor out, pop_dims dims,
                                  popops_reduce_params params, pop_program sequence, const char *name,
                                  pop_options options)
{
    POPLIBS_CALL_IN(sequence, graph, in, out, dims, log_name(popops_operation_name(params.op)), name, options);
    popops_compute_sets sets = { 0 };
    popops_reduce_with_output_in(graph, in, out, dims, params, &sets, name, options);
    execute(call, &sets);
}

void popops_reduce_many_at(pop_where where, pop_graph *graph, const popops_single_reduce *reductions, size_t count,
                           pop_tensor *outputs, pop_program sequence, const char *name, pop_options options)
{
    POPLIBS_CALL_IN(sequence, graph, count, name, options);
    popops_compute_sets sets = { 0 };
    for (size_t i = 0; i < count && call_ready(call); ++i) {
        const popops_single_reduce *one = &reductions[i];
        struct reduce_request q = { call, one->in, one->out_type, one->dims, one->params, name };
        if (one->name && *one->name)
            q.name = call_path(call, name, one->name);
        if (pop_tensor_valid(outputs[i]) || check_new(&q))
            build(q, &outputs[i], &sets);
    }
    execute(call, &sets);
}
