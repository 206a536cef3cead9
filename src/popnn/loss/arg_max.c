/* SPDX-License-Identifier: Apache-2.0 */
/* The maximum of each row in two steps: rows are split into chunks, in which each worker finds the maximum of a
 * share; then one worker reduces these results. The split is the one with the lowest cycles by the vertices'
 * estimators. */
#include "popnn/loss/arg_max.h"

#include "poplibs/log.h"
#include "popnn/support.h"

#include <assert.h>
#include <popnn/loss.h>
#include <popops/cast.h>
#include <poputil/util.h>

struct cut {
    size_t chunks;    /* number of chunks of a row; chunk c is [c n / chunks, (c + 1) n / chunks) */
    unsigned divisor; /* log2 of the elements of a share */
};

static size_t parts_of(size_t size, unsigned divisor)
{
    return poplibs_ceil_div(size, (size_t)1 << divisor);
}
static struct cut cut_rows(size_t rows, size_t n, size_t tiles)
{
    struct cut best = { 1, 0 };
    uint64_t min = UINT64_MAX;
    for (size_t chunks = 1; chunks <= n && (chunks == 1 || rows * chunks <= tiles); chunks *= 2)
        for (unsigned divisor = 0; divisor < 32; ++divisor) {
            size_t size = poplibs_ceil_div(n, chunks), found = chunks * parts_of(size, divisor);
            uint64_t cycles =
                poplibs_ceil_div(rows * chunks, tiles) * max_class_gather_cycles(size, (size_t)1 << divisor) + size;
            if (found > 1) /* values and indices are exchanged to another tile */
                cycles += 6 * max_class_sparse_cycles(found) * poplibs_ceil_div(rows, 6 * tiles) + 2 * found;
            if (cycles < min) {
                min = cycles;
                best = (struct cut){ chunks, divisor };
            }
            if (((size_t)1 << divisor) >= size)
                break;
        }
    return best;
}

struct best_search {
    const struct call *call;
    const char *kind; /* "Max" or "Min" */
};

/* Maxima of the shares with their indices: {rows, found}. */
static popnn_extreme gather(const struct best_search *search, pop_tensor input, pop_type out_type, struct cut cut)
{
    const struct call *call = search->call;
    char type[96];
    pop_graph *graph = call->graph;
    size_t rows = pop_tensor_dim(input, 0), n = pop_tensor_dim(input, 1),
           tiles = pop_target_num_tiles(pop_graph_target(graph)), found = 0;
    assert(cut.chunks && cut.chunks <= poplibs_max(n, 1) && cut.divisor < 32);
    for (size_t c = 0; c < cut.chunks; ++c)
        found += parts_of((c + 1) * n / cut.chunks - c * n / cut.chunks, cut.divisor);
    const char *path = call_path(call, call->name, "ReduceClassGather");
    popnn_extreme all = { pop_graph_add_variable(graph, out_type, POP_SHAPE(rows, found), path),
                          pop_graph_add_variable(graph, POP_UNSIGNED_INT, POP_SHAPE(rows, found), path) };
    pop_compute_set set = pop_graph_add_compute_set(graph, path);
    snprintf(type, sizeof(type), "popnn::Reduce%sClassGather<%s,unsigned int>", search->kind,
             pop_type_name(pop_tensor_type(input)));
    for (size_t row = 0; row < rows; ++row)
        for (size_t c = 0, at = 0; c < cut.chunks; ++c) {
            size_t begin = c * n / cut.chunks, end = (c + 1) * n / cut.chunks,
                   next = at + parts_of(end - begin, cut.divisor);
            unsigned tile = (unsigned)((row * cut.chunks + c) * tiles / poplibs_max(rows * cut.chunks, tiles));
            assert(begin < end && next <= found && tile < tiles);
            pop_tensor values = pop_tensor_slice(pop_tensor_at(all.value, row), at, next, 0);
            pop_tensor places = pop_tensor_slice(pop_tensor_at(all.index, row), at, next, 0);
            pop_graph_set_tile_mapping(graph, values, tile);
            pop_graph_set_tile_mapping(graph, places, tile);
            pop_vertex vertex = call_vertex(call, set, type, tile);
            call_connect(call, vertex, "activations", pop_tensor_slice(pop_tensor_at(input, row), begin, end, 0));
            call_connect(call, vertex, "maxValue", values);
            call_connect(call, vertex, "maxIndex", places);
            call_set(call, vertex, "index", begin);
            call_set(call, vertex, "size", end - begin);
            pop_graph_set_field_int(graph, vertex, "divisorLog2", cut.divisor);
            at = next;
        }
    call_execute(call, set, call->name);
    return all;
}

/* Reduces them to the maximum of each row: {rows}. */
static popnn_extreme merge(const struct best_search *search, popnn_extreme all)
{
    const struct call *call = search->call;
    char type[96];
    pop_graph *graph = call->graph;
    size_t rows = pop_tensor_dim(all.value, 0), tiles = pop_target_num_tiles(pop_graph_target(graph));
    pop_type out_type = pop_tensor_type(all.value);
    const char *path = call_path(call, call->name, "ReduceClassSparse");
    popnn_extreme out = { pop_graph_add_variable(graph, out_type, POP_SHAPE(rows), path),
                          pop_graph_add_variable(graph, POP_UNSIGNED_INT, POP_SHAPE(rows), path) };
    pop_compute_set set = pop_graph_add_compute_set(graph, path);
    snprintf(type, sizeof(type), "popnn::Reduce%sClassSparse<%s,unsigned int>", search->kind, pop_type_name(out_type));
    for (size_t row = 0; row < rows; ++row) {
        unsigned tile = (unsigned)(row * tiles / poplibs_max(rows, tiles));
        pop_vertex vertex = call_vertex(call, set, type, tile);
        pop_graph_set_tile_mapping(graph, pop_tensor_at(out.value, row), tile);
        pop_graph_set_tile_mapping(graph, pop_tensor_at(out.index, row), tile);
        call_connect(call, vertex, "activations", pop_tensor_at(all.value, row));
        call_connect(call, vertex, "labels", pop_tensor_at(all.index, row));
        call_connect(call, vertex, "maxValue", pop_tensor_at(out.value, row));
        call_connect(call, vertex, "maxIndex", pop_tensor_at(out.index, row));
    }
    call_execute(call, set, call->name);
    return out;
}

static popnn_extreme extreme_of(const struct best_search *search, pop_tensor input)
{
    const struct call *call = search->call;
    if (!call_ready(call) || !check_rows(call, input))
        return (popnn_extreme){ { 0 }, { 0 } };
    size_t rows = pop_tensor_dim(input, 0), n = pop_tensor_dim(input, 1);
    if (!n && rows) {
        call_fail(call, POP_POPLAR_ERROR, "rows without elements have no largest");
        return (popnn_extreme){ { 0 }, { 0 } };
    }
    pop_type out_type = pop_tensor_type(input) == POP_HALF ? POP_FLOAT : pop_tensor_type(input);
    popnn_extreme all =
        gather(search, input, out_type, cut_rows(rows, n, pop_target_num_tiles(pop_graph_target(call->graph))));
    if (pop_tensor_dim(all.value, 1) == 1)
        return (popnn_extreme){ pop_tensor_flatten(all.value), pop_tensor_flatten(all.index) };
    popnn_extreme out = merge(search, all);
    return call_ready(call) ? out : (popnn_extreme){ { 0 }, { 0 } };
}

/* With values of the input's type: those of half are kept as float until here. */
static popnn_extreme extreme_and_place_of(const struct best_search *search, pop_tensor input)
{
    const struct call *call = search->call;
    popnn_extreme found = extreme_of(search, input);
    if (call_ready(call) && pop_tensor_type(found.value) != pop_tensor_type(input))
        found.value = popops_cast(call->graph, found.value, pop_tensor_type(input), call->sequence, call->name);
    return found;
}

popnn_extreme popnn_max_and_arg_max_at(pop_where where, pop_graph *graph, pop_tensor input, pop_program sequence,
                                       const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, input, name);
    return extreme_and_place_of(&(struct best_search){ call, "Max" }, input);
}
popnn_extreme popnn_min_and_arg_min_at(pop_where where, pop_graph *graph, pop_tensor input, pop_program sequence,
                                       const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, input, name);
    return extreme_and_place_of(&(struct best_search){ call, "Min" }, input);
}
pop_tensor popnn_arg_max_at(pop_where where, pop_graph *graph, pop_tensor input, pop_program sequence, const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, input, name);
    return extreme_of(&(struct best_search){ call, "Max" }, input).index;
}
pop_tensor popnn_arg_min_at(pop_where where, pop_graph *graph, pop_tensor input, pop_program sequence, const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, input, name);
    return extreme_of(&(struct best_search){ call, "Min" }, input).index;
}
