/* SPDX-License-Identifier: Apache-2.0 */
/* Collectives of the IPUs of one graph.  Rings and pairs are in ipu_rings.c; the direct method is here: in one copy
 * each IPU receives the other IPUs' parts of its chunk, all IPUs reduce at the same time, and in a second copy each
 * receives the other chunks. */
#include <popops/ipu_collectives.h>

#include "poplibs/copies.h"
#include "popops/collectives/collectives.h"
#include "popops/collectives/ipu_rings.h"

#include "poplibs/log.h"

#include <popops/reduce.h>
#include <poputil/tile_mapping.h>

static bool check_parts(const struct call *call, size_t parts)
{
    unsigned ipus = pop_graph_target(call->graph)->num_ipus;
    return (parts > 0 && parts <= ipus) ||
           call_fail(call, POP_POPLAR_ERROR, "there are %zu parts, but the target has %u IPUs", parts, ipus);
}

/* Chunk i of all rows {n, elements}: the IPU's own part, and copies of the other parts with the same layout. */
static pop_tensor collect(const struct call *call, struct poplibs_copies *copies, pop_tensor columns, size_t own,
                          const char *name)
{
    size_t parts = pop_tensor_dim(columns, 0);
    pop_tensor *rows = poplibs_new(parts, sizeof(*rows)), at_home = pop_tensor_at(columns, own);
    for (size_t i = 0; i < parts; ++i) {
        rows[i] = at_home;
        if (i != own) {
            rows[i] = pop_graph_clone(call->graph, POP_TYPE_NULL, at_home, POP_CLONE_CREATE_NEW_ORDER, name);
            poplibs_copies_add(copies, pop_tensor_at(columns, i), rows[i]);
        }
        rows[i] = pop_tensor_expand(rows[i], POP_DIMS(0));
    }
    pop_tensor all = pop_tensor_concat((pop_tensors){ parts, rows }, 0);
    free(rows);
    return all;
}

static popops_operation operation_of(popops_collective_operator op)
{
    static const popops_operation operations[] = {
        [POPOPS_COLLECTIVE_MEAN] = POPOPS_ADD,
#define REDUCE_OPERATION(constant, ...) [POPOPS_COLLECTIVE_##constant] = POPOPS_##constant,
#include "popops/reduce/operations.def"
#undef REDUCE_OPERATION
    };
    return operations[op];
}

static void direct_reduce_scatter(const struct collective *c, pop_tensor data, pop_tensor *chunks)
{
    const struct call *call = c->call;
    size_t parts = c->members, elements = pop_tensor_dim(data, 1);
    struct poplibs_copies copies = { 0 };
    popops_compute_sets sets = { 0 };
    pop_tensor *summands = poplibs_new(parts, sizeof(*summands));
    for (size_t i = 0; i < parts; ++i)
        summands[i] = collect(call, &copies,
                              pop_tensor_slice(data, i * elements / parts, (i + 1) * elements / parts, 1), i, c->path);
    call_copies(call, &copies, call->sequence, c->path);
    for (size_t i = 0; i < parts && call_ready(call); ++i) {
        chunks[i] = pop_graph_clone(call->graph, POP_TYPE_NULL, pop_tensor_at(summands[i], i),
                                    POP_CLONE_CREATE_NEW_ORDER, c->path);
        popops_reduce_with_output_in(call->graph, summands[i], chunks[i], POP_DIMS(0),
                                     (popops_reduce_params){ .op = operation_of(c->op) }, &sets, c->path,
                                     POP_NO_OPTIONS);
    }
    free(summands);
    for (size_t i = 0; i < sets.count && call_ready(call); ++i)
        call_execute(call, sets.list[i], c->path);
}

/* Opens the context of a reduction of {IPUs, ...}, which becomes rows {IPUs, elements}; false after an error of the
 * graph. */
static bool open_reduction(const struct call *call, struct collective *c, pop_tensor *data,
                           popops_collective_operator op)
{
    char text[128];
    struct collective_options read;
    *c = (struct collective){ .call = call, .op = op };
    if (!collective_check(call, *data, call->options, &read))
        return false;
    size_t rank = pop_tensor_rank(*data);
    if (rank < 2)
        return call_fail(call, POP_POPLAR_ERROR, "the data has shape %s; {IPUs, elements} is needed",
                         poplibs_shape_of(text, sizeof(text), *data));
    *data = pop_tensor_flatten_dims(*data, 1, (unsigned)rank);
    c->method = (enum collective_method)read.method;
    c->members = (unsigned)pop_tensor_dim(*data, 0);
    return check_parts(call, pop_tensor_dim(*data, 0)) && combine_check(call, c->op, pop_tensor_type(*data));
}

static size_t bytes_of(pop_tensor row)
{
    return pop_tensor_num_elements(row) * pop_type_size(pop_tensor_type(row));
}

/* Operator LOCAL: each IPU keeps its own data. */
static pop_tensor copy_of(const struct collective *c, pop_tensor t)
{
    const struct call *call = c->call;
    pop_tensor own = pop_graph_clone(call->graph, POP_TYPE_NULL, t, POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES, c->path);
    if (call_ready(call))
        call_copy(call, t, own, c->path);
    return own;
}

static void local_chunks(const struct collective *c, pop_tensor data, pop_tensor *chunks)
{
    const struct call *call = c->call;
    size_t n = c->members, elements = pop_tensor_dim(data, 1);
    for (size_t i = 0; i < n; ++i)
        chunks[i] = copy_of(c, pop_tensor_slice(pop_tensor_at(data, i), i * elements / n, (i + 1) * elements / n, 0));
}

static bool reduce_scatter(struct collective *c, pop_tensor data, pop_tensor *chunks)
{
    const struct call *call = c->call;
    struct collective own = *c;
    own.path = call_path(call, call->name, "ReduceScatter");
    own.method = ipu_method(c, IPU_REDUCE_SCATTER, bytes_of(data) / c->members, true);
    if (own.op == POPOPS_COLLECTIVE_LOCAL)
        local_chunks(&own, data, chunks);
    else if (own.method == METHOD_BROADCAST)
        direct_reduce_scatter(&own, data, chunks);
    else
        ipu_ring_reduce_scatter(&own, data, chunks);
    if (call_ready(call))
        combine_finish(&own, pop_tensor_concat((pop_tensors){ c->members, chunks }, 0));
    return call_ready(call);
}

static bool scatter(const struct call *call, pop_tensor data, popops_collective_operator op, pop_tensor *chunks)
{
    struct collective c;
    return open_reduction(call, &c, &data, op) && reduce_scatter(&c, data, chunks);
}
bool popops_reduce_scatter_at(pop_where where, pop_graph *graph, pop_tensor data, popops_operation op,
                              pop_program sequence, const char *name, pop_options options, pop_tensor *chunks)
{
    POPLIBS_CALL_IN(sequence, graph, data, log_name(popops_operation_name(op)), name, options);
    popops_collective_operator as;
    return collective_operator_of(call, op, &as) && scatter(call, data, as, chunks);
}
bool popops_ipu_reduce_scatter_at(pop_where where, pop_graph *graph, pop_tensor data, popops_collective_operator op,
                                  pop_program sequence, const char *name, pop_options options, pop_tensor *chunks)
{
    POPLIBS_CALL_IN(sequence, graph, data, log_name(popops_collective_operator_name(op)), name, options);
    return scatter(call, data, op, chunks);
}

/* Gathers chunks given in the order of the result; chunk i is on IPU home[i]; the result has ipus rows. */
static pop_tensor all_gather(const struct call *call, pop_tensors chunks, const unsigned *home, size_t ipus)
{
    struct collective_options read = { 0 };
    size_t count = chunks.count, bytes = 0;
    if (!call_ready(call))
        return (pop_tensor){ 0 };
    for (size_t i = 0; i < count; ++i) {
        if (!collective_check(call, chunks.list[i], call->options, &read))
            return (pop_tensor){ 0 };
        bytes += bytes_of(chunks.list[i]);
    }
    if (!check_parts(call, ipus))
        return (pop_tensor){ 0 };
    struct collective c = { .call = call,
                            .path = call_path(call, call->name, "AllGather"),
                            .method = (enum collective_method)read.method,
                            .members = (unsigned)ipus };
    c.method = ipu_method(&c, IPU_ALL_GATHER, bytes, true);
    struct poplibs_copies copies = { 0 };
    pop_tensor *rows = poplibs_new(ipus, sizeof(*rows));
    for (size_t ipu = 0; ipu < ipus; ++ipu) {
        for (size_t i = 0; i < count; ++i)
            poplibs_copies_add(
                &copies, chunks.list[i],
                poputil_clone_to_ipu(call->graph, chunks.list[i], (unsigned)ipu, POP_CLONE_CREATE_NEW_ORDER, c.path));
        const pop_tensor *here = copies.to.list + ipu * count;
        rows[ipu] = pop_tensor_expand(pop_tensor_concat((pop_tensors){ count, here }, 0), POP_DIMS(0));
    }
    if (c.method == METHOD_BROADCAST) {
        call_copies(call, &copies, call->sequence, c.path);
    } else {
        ipu_ring_all_gather(&c, chunks.list, home, count, copies.to.list);
        poplibs_copies_free(&copies);
    }
    pop_tensor all = pop_tensor_concat((pop_tensors){ ipus, rows }, 0);
    free(rows);
    return call_ready(call) ? all : (pop_tensor){ 0 };
}

static pop_tensor gather_in_order(const struct call *call, pop_tensors chunks)
{
    unsigned *home = poplibs_new(chunks.count, sizeof(*home));
    for (size_t i = 0; i < chunks.count; ++i)
        home[i] = (unsigned)i;
    pop_tensor all = all_gather(call, chunks, home, chunks.count);
    free(home);
    return all;
}
pop_tensor popops_all_gather_at(pop_where where, pop_graph *graph, pop_tensors chunks, pop_program sequence,
                                const char *name, pop_options options)
{
    POPLIBS_CALL_IN(sequence, graph, chunks, name, options);
    return gather_in_order(call, chunks);
}

static int compare_chunks(const void *a, const void *b)
{
    const popops_chunk *x = a, *y = b;
    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    return x->index == y->index ? 0 : x->index < y->index ? -1 : 1;
}
pop_tensor popops_all_gather_chunks_at(pop_where where, pop_graph *graph, const popops_chunk *chunks, size_t count,
                                       size_t ipus, pop_program sequence, const char *name, pop_options options)
{
    POPLIBS_CALL_IN(sequence, graph, count, ipus, name, options);
    pop_tensor all = { 0 }, *tensors = poplibs_new(count, sizeof(*tensors));
    popops_chunk *sorted = poplibs_new(count, sizeof(*sorted));
    unsigned *home = poplibs_new(count, sizeof(*home)); /* place in the ring; affects only the time */
    if (count) {
        memcpy(sorted, chunks, count * sizeof(*sorted));
        qsort(sorted, count, sizeof(*sorted), compare_chunks);
    }
    for (size_t i = 0; i < count; ++i) {
        tensors[i] = sorted[i].tensor;
        home[i] = ipus ? (unsigned)(sorted[i].index % ipus) : 0;
    }
    size_t twice = 1;
    while (twice < count && compare_chunks(&sorted[twice - 1], &sorted[twice]))
        ++twice;
    if (!count)
        call_fail(call, POP_POPLAR_ERROR, "there are no chunks");
    else if (twice < count)
        call_fail(call, POP_POPLAR_ERROR, "two chunks have offset %u and index %u", sorted[twice].offset,
                  sorted[twice].index);
    else
        all = all_gather(call, (pop_tensors){ count, tensors }, home, ipus);
    free(home);
    free(sorted);
    free(tensors);
    return all;
}

/* Rows as the tensor that they were made of. */
static pop_tensor shaped_like(const struct call *call, pop_tensor rows, pop_tensor given)
{
    size_t rank = pop_tensor_rank(given), *dims = poplibs_new(rank, sizeof(*dims));
    pop_shape shape = { pop_tensor_shape(given, dims, rank), dims };
    pop_tensor shaped = pop_tensor_reshape(rows, shape);
    free(dims);
    return shaped;
}

static pop_tensor all_reduce(const struct call *call, pop_tensor data, popops_collective_operator op)
{
    struct collective c;
    pop_tensor all = { 0 }, given = data;
    if (!open_reduction(call, &c, &data, op))
        return all;
    c.path = call_path(call, call->name, "AllReduce");
    c.method =
        ipu_method(&c, IPU_ALL_REDUCE, bytes_of(data) / c.members, combine_commutes(c.op, pop_tensor_type(data)));
    if (op == POPOPS_COLLECTIVE_LOCAL || c.method == METHOD_TREE) {
        all = op == POPOPS_COLLECTIVE_LOCAL ? copy_of(&c, data) : ipu_tree_all_reduce(&c, data);
        if (call_ready(call))
            combine_finish(&c, all);
    } else {
        pop_tensor *chunks = poplibs_new(c.members, sizeof(*chunks));
        if (reduce_scatter(&c, data, chunks))
            all = gather_in_order(call, (pop_tensors){ c.members, chunks });
        free(chunks);
    }
    return call_ready(call) ? shaped_like(call, all, given) : (pop_tensor){ 0 };
}
pop_tensor popops_all_reduce_at(pop_where where, pop_graph *graph, pop_tensor data, popops_operation op,
                                pop_program sequence, const char *name, pop_options options)
{
    POPLIBS_CALL_IN(sequence, graph, data, log_name(popops_operation_name(op)), name, options);
    popops_collective_operator as;
    return collective_operator_of(call, op, &as) ? all_reduce(call, data, as) : (pop_tensor){ 0 };
}
pop_tensor popops_ipu_all_reduce_at(pop_where where, pop_graph *graph, pop_tensor data, popops_collective_operator op,
                                    pop_program sequence, const char *name, pop_options options)
{
    POPLIBS_CALL_IN(sequence, graph, data, log_name(popops_collective_operator_name(op)), name, options);
    return all_reduce(call, data, op);
}
