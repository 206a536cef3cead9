/* SPDX-License-Identifier: Apache-2.0 */
/* The k largest elements of each row: first of chunks, then of the results. */
#include "popnn/loss/top_k.h"

#include "poplibs/log.h"
#include "popnn/support.h"

#include <popnn/loss.h>
#include <poputil/util.h>

/* The number of chunks, of at least k elements each, with the lowest estimated cycles. */
static size_t chunks_of(size_t rows, size_t n, size_t k, size_t tiles)
{
    size_t best = 1, workers = 6 * tiles;
    uint64_t min = UINT64_MAX;
    for (size_t chunks = 1; chunks == 1 || (chunks * k <= n && rows * chunks <= workers); ++chunks) {
        uint64_t cycles =
            6 * top_k_cycles(poplibs_ceil_div(n, chunks), k, false) * poplibs_ceil_div(rows * chunks, workers);
        if (chunks > 1)
            cycles += 6 * top_k_cycles(chunks * k, k, true) + 2 * chunks * k;
        if (cycles < min) {
            min = cycles;
            best = chunks;
        }
    }
    return best;
}

struct top {
    const struct call *call;
    pop_compute_set set;
    pop_tensor values, places; /* results of the step */
    const char *type;
};

static pop_vertex add(const struct top *top, size_t row, size_t begin, size_t end, unsigned tile,
                      pop_tensor activations)
{
    const struct call *call = top->call;
    pop_tensor values = pop_tensor_slice(pop_tensor_at(top->values, row), begin, end, 0);
    pop_tensor places = pop_tensor_slice(pop_tensor_at(top->places, row), begin, end, 0);
    pop_vertex vertex = call_vertex(call, top->set, top->type, tile);
    pop_graph_set_tile_mapping(call->graph, values, tile);
    pop_graph_set_tile_mapping(call->graph, places, tile);
    call_connect(call, vertex, "activations", activations);
    call_connect(call, vertex, "maxValues", values);
    call_connect(call, vertex, "maxValuesIndices", places);
    return vertex;
}

pop_tensor popnn_top_k_at(pop_where where, pop_graph *graph, pop_tensor input, pop_tensor *indices, unsigned k,
                          bool sort, pop_program sequence, const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, input, k, sort, name);
    char type[96];
    *indices = (pop_tensor){ 0 };
    if (!call_ready(call) || !check_rows(call, input))
        return *indices;
    size_t rows = pop_tensor_dim(input, 0), n = pop_tensor_dim(input, 1),
           tiles = pop_target_num_tiles(pop_graph_target(graph));
    if (k > n) {
        call_fail(call, POP_POPLAR_ERROR, "the %u largest of rows of %zu are wanted", k, n);
        return *indices;
    }
    size_t chunks = k ? chunks_of(rows, n, k, tiles) : 1;
    pop_type out_type = pop_tensor_type(input);
    const char *path = call_path(call, name, "TopK");
    snprintf(type, sizeof(type), "popnn::ReduceMaxNClassGather<%s,%s>", pop_type_name(pop_tensor_type(input)),
             sort && chunks == 1 ? "true" : "false");
    struct top top = { call, pop_graph_add_compute_set(graph, path),
                       pop_graph_add_variable(graph, out_type, POP_SHAPE(rows, chunks * k), path),
                       pop_graph_add_variable(graph, POP_UNSIGNED_INT, POP_SHAPE(rows, chunks * k), path), type };
    for (size_t row = 0; k && row < rows; ++row)
        for (size_t c = 0; c < chunks; ++c) {
            size_t begin = c * n / chunks, end = (c + 1) * n / chunks;
            unsigned tile = (unsigned)((row * chunks + c) * tiles / poplibs_max(rows * chunks, tiles));
            pop_vertex vertex =
                add(&top, row, c * k, (c + 1) * k, tile, pop_tensor_slice(pop_tensor_at(input, row), begin, end, 0));
            call_set(call, vertex, "index", begin);
        }
    if (k)
        call_execute(call, top.set, name);
    if (chunks > 1) {
        snprintf(type, sizeof(type), "popnn::ReduceMaxNClassSparse<%s,%s>", pop_type_name(out_type),
                 sort ? "true" : "false");
        struct top found = top;
        top.set = pop_graph_add_compute_set(graph, path);
        top.values = pop_graph_add_variable(graph, out_type, POP_SHAPE(rows, k), path);
        top.places = pop_graph_add_variable(graph, POP_UNSIGNED_INT, POP_SHAPE(rows, k), path);
        for (size_t row = 0; row < rows; ++row) {
            pop_vertex vertex = add(&top, row, 0, k, (unsigned)(row * tiles / poplibs_max(rows, tiles)),
                                    pop_tensor_at(found.values, row));
            call_connect(call, vertex, "labels", pop_tensor_at(found.places, row));
        }
        call_execute(call, top.set, name);
    }
    if (!call_ready(call))
        return (pop_tensor){ 0 };
    *indices = pop_tensor_expand(top.places, POP_DIMS(1));
    return pop_tensor_expand(top.values, POP_DIMS(1));
}
