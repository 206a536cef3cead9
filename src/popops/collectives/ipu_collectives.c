/* SPDX-License-Identifier: Apache-2.0 */
/* Each IPU gets the others' parts of its chunk in one copy and reduces them, all IPUs at once; then each gets the
 * others' chunks in one copy. */
#include <popops/ipu_collectives.h>

#include "popops/collectives/collectives.h"

#include "poplibs/log.h"
#include "poplibs/support.h"

#include <popops/reduce.h>
#include <poputil/tile_mapping.h>

static bool check_parts(pop_where where, pop_graph *graph, const char *api, size_t parts)
{
    unsigned ipus = pop_graph_target(graph)->num_ipus;
    return (parts > 0 && parts <= ipus) ||
           poplibs_fail(graph, POP_POPLAR_ERROR, where, api, "%zu parts, and the target has %u IPUs", parts, ipus);
}

/* Copies and where they go, to be done as one. */
struct copies {
    pop_tensor *from, *to;
    size_t count;
};
static struct copies copies_begin(size_t most)
{
    return (struct copies){ poplibs_new(most, sizeof(pop_tensor)), poplibs_new(most, sizeof(pop_tensor)), 0 };
}
static void copies_end(struct copies *copies, pop_where where, pop_graph *graph, pop_program sequence, const char *name)
{
    if (poplibs_ready(graph) && copies->count)
        pop_sequence_add_at(
            where, sequence,
            pop_copy_at(where, pop_tensor_concat_at(where, (pop_tensors){ copies->count, copies->from }, 0),
                        pop_tensor_concat_at(where, (pop_tensors){ copies->count, copies->to }, 0), false, name));
    free(copies->from);
    free(copies->to);
}

/* Chunk i of all rows {n, elements}: its own, and copies of the others' that lie as it does. */
static pop_tensor collect(struct copies *copies, pop_where where, pop_graph *graph, pop_tensor columns, size_t own,
                          const char *name)
{
    size_t parts = pop_tensor_dim(columns, 0);
    pop_tensor *rows = poplibs_new(parts, sizeof(*rows)), at_home = pop_tensor_at_at(where, columns, own);
    for (size_t i = 0; i < parts; ++i) {
        rows[i] = at_home;
        if (i != own) {
            rows[i] = pop_graph_clone_at(where, graph, POP_TYPE_NULL, at_home, POP_CLONE_CREATE_NEW_ORDER, name);
            copies->from[copies->count] = pop_tensor_at_at(where, columns, i);
            copies->to[copies->count++] = rows[i];
        }
        rows[i] = pop_tensor_expand_at(where, rows[i], POP_DIMS(0));
    }
    pop_tensor all = pop_tensor_concat_at(where, (pop_tensors){ parts, rows }, 0);
    free(rows);
    return all;
}

static bool reduce_scatter(pop_where where, pop_graph *graph, const char *api, pop_tensor data, popops_operation op,
                           pop_program sequence, const char *name, pop_options options, pop_tensor *chunks)
{
    char text[128], path[POPLIBS_PATH_SIZE];
    struct collective_options read;
    if (!popops_check_collective(where, graph, api, data, options, &read) ||
        !popops_check_collective_operation(where, graph, api, op))
        return false;
    if (pop_tensor_rank(data) != 2)
        return poplibs_fail(graph, POP_POPLAR_ERROR, where, api, "the data has shape %s; {IPUs, elements} is needed",
                            poplibs_shape_of(text, sizeof(text), data));
    size_t parts = pop_tensor_dim(data, 0), elements = pop_tensor_dim(data, 1);
    if (!check_parts(where, graph, api, parts))
        return false;
    poplibs_path(path, sizeof(path), name, "ReduceScatter");
    struct copies copies = copies_begin(parts * parts);
    popops_compute_sets sets = { 0 };
    pop_tensor *summands = poplibs_new(parts, sizeof(*summands));
    for (size_t i = 0; i < parts; ++i)
        summands[i] =
            collect(&copies, where, graph,
                    pop_tensor_slice_at(where, data, i * elements / parts, (i + 1) * elements / parts, 1), i, path);
    copies_end(&copies, where, graph, sequence, path);
    for (size_t i = 0; i < parts && poplibs_ready(graph); ++i) {
        chunks[i] = pop_graph_clone_at(where, graph, POP_TYPE_NULL, pop_tensor_at_at(where, summands[i], i),
                                       POP_CLONE_CREATE_NEW_ORDER, path);
        popops_reduce_with_output_in_at(where, graph, summands[i], chunks[i], POP_DIMS(0),
                                        (popops_reduce_params){ .op = op }, &sets, path, POP_NO_OPTIONS);
    }
    free(summands);
    for (size_t i = 0; i < sets.count && poplibs_ready(graph); ++i)
        pop_sequence_add_at(where, sequence, pop_execute_at(where, sets.list[i], path));
    return poplibs_ready(graph);
}
bool popops_reduce_scatter_at(pop_where where, pop_graph *graph, pop_tensor data, popops_operation op,
                              pop_program sequence, const char *name, pop_options options, pop_tensor *chunks)
{
    POPLIBS_CALL(graph, data, log_name(popops_operation_name(op)), name, options);
    return reduce_scatter(where, graph, "popops_reduce_scatter", data, op, sequence, name, options, chunks);
}

/* chunks in the order of the result; ipus rows. */
static pop_tensor all_gather(pop_where where, pop_graph *graph, const char *api, pop_tensors chunks, size_t ipus,
                             pop_program sequence, const char *name, pop_options options)
{
    char path[POPLIBS_PATH_SIZE];
    struct collective_options read;
    if (!poplibs_ready(graph))
        return (pop_tensor){ 0 };
    for (size_t i = 0; i < chunks.count; ++i)
        if (!popops_check_collective(where, graph, api, chunks.list[i], options, &read))
            return (pop_tensor){ 0 };
    if (!poplibs_ready(graph) || !check_parts(where, graph, api, ipus))
        return (pop_tensor){ 0 };
    poplibs_path(path, sizeof(path), name, "AllGather");
    size_t count = chunks.count;
    struct copies copies = copies_begin(count * ipus);
    pop_tensor *rows = poplibs_new(ipus, sizeof(*rows));
    for (size_t ipu = 0; ipu < ipus; ++ipu) {
        pop_tensor *here = copies.to + copies.count;
        for (size_t i = 0; i < count; ++i) {
            copies.from[copies.count] = chunks.list[i];
            copies.to[copies.count++] =
                poputil_clone_to_ipu_at(where, graph, chunks.list[i], (unsigned)ipu, POP_CLONE_CREATE_NEW_ORDER, path);
        }
        rows[ipu] =
            pop_tensor_expand_at(where, pop_tensor_concat_at(where, (pop_tensors){ count, here }, 0), POP_DIMS(0));
    }
    copies_end(&copies, where, graph, sequence, path);
    pop_tensor all = pop_tensor_concat_at(where, (pop_tensors){ ipus, rows }, 0);
    free(rows);
    return poplibs_ready(graph) ? all : (pop_tensor){ 0 };
}
pop_tensor popops_all_gather_at(pop_where where, pop_graph *graph, pop_tensors chunks, pop_program sequence,
                                const char *name, pop_options options)
{
    POPLIBS_CALL(graph, chunks, name, options);
    return all_gather(where, graph, "popops_all_gather", chunks, chunks.count, sequence, name, options);
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
    POPLIBS_CALL(graph, count, ipus, name, options);
    static const char api[] = "popops_all_gather_chunks";
    pop_tensor all = { 0 }, *tensors = poplibs_new(count, sizeof(*tensors));
    popops_chunk *sorted = poplibs_new(count, sizeof(*sorted));
    if (count) {
        memcpy(sorted, chunks, count * sizeof(*sorted));
        qsort(sorted, count, sizeof(*sorted), compare_chunks);
    }
    for (size_t i = 0; i < count; ++i)
        tensors[i] = sorted[i].tensor;
    size_t twice = 1;
    while (twice < count && compare_chunks(&sorted[twice - 1], &sorted[twice]))
        ++twice;
    if (!count)
        poplibs_fail(graph, POP_POPLAR_ERROR, where, api, "there are no chunks");
    else if (twice < count)
        poplibs_fail(graph, POP_POPLAR_ERROR, where, api, "two chunks have offset %u and index %u",
                     sorted[twice].offset, sorted[twice].index);
    else
        all = all_gather(where, graph, api, (pop_tensors){ count, tensors }, ipus, sequence, name, options);
    free(sorted);
    free(tensors);
    return all;
}

pop_tensor popops_all_reduce_at(pop_where where, pop_graph *graph, pop_tensor data, popops_operation op,
                                pop_program sequence, const char *name, pop_options options)
{
    POPLIBS_CALL(graph, data, log_name(popops_operation_name(op)), name, options);
    pop_tensor all = { 0 };
    if (!poplibs_ready(graph))
        return all;
    /* More parts than IPUs are refused before the first chunk. */
    size_t parts = pop_tensor_rank(data) ? poplibs_min(pop_tensor_dim(data, 0), pop_graph_target(graph)->num_ipus) : 0;
    pop_tensor *chunks = poplibs_new(parts, sizeof(*chunks));
    if (reduce_scatter(where, graph, "popops_all_reduce", data, op, sequence, name, options, chunks))
        all = popops_all_gather_at(where, graph, (pop_tensors){ parts, chunks }, sequence, name, options);
    free(chunks);
    return all;
}
