/* SPDX-License-Identifier: Apache-2.0 */
/* Transpositions, divided among a tile's workers. */
#include "poplibs/codes.h"
#include "poplibs/log.h"

#include <popops/rearrange.h>

bool popops_can_use_fast_transpose(const pop_target *target, pop_type type, unsigned rows, unsigned columns,
                                   unsigned transpositions)
{
    if ((type != POP_HALF && type != POP_SHORT && type != POP_UNSIGNED_SHORT) || rows % 4 || columns % 4 || !rows ||
        !columns)
        return false;
    /* The vertex' loops are repeat instructions and its fields have 16 bits. */
    unsigned repeats = columns > 4 ? columns / 4 : rows > 4 ? rows / 4 : transpositions;
    return repeats <= target->rpt_count_max && rows / 4 <= UINT16_MAX && columns / 4 <= UINT16_MAX &&
           transpositions <= UINT16_MAX;
}

/* The transpositions of one tile. */
struct transpositions {
    const struct call *call;
    pop_compute_set set;
    pop_type type;
    unsigned rows, columns, tile;
    size_t count;
    pop_tensor *in, *out;
};

static bool add_fast(const struct transpositions *t)
{
    const struct call *call = t->call;
    pop_graph *graph = call->graph;
    char name[64];
    const pop_target *target = pop_graph_target(graph);
    if (t->count > UINT16_MAX ||
        !popops_can_use_fast_transpose(target, t->type, t->rows, t->columns, (unsigned)t->count))
        return false;
    pop_tensor in = pop_tensor_concat((pop_tensors){ t->count, t->in }, 0);
    pop_tensor out = pop_tensor_concat((pop_tensors){ t->count, t->out }, 0);
    if (!pop_tensor_is_contiguous(in) || !pop_tensor_is_contiguous(out))
        return false;
    snprintf(name, sizeof(name), "popops::Transpose%s<%s>", t->count > 1 ? "Supervisor" : "", pop_type_name(t->type));
    pop_vertex vertex = call_vertex(call, t->set, name, t->tile);
    call_connect(call, vertex, "src", in);
    call_connect(call, vertex, "dst", out);
    pop_graph_set_field_int(graph, vertex, "numSrcRowsD4", t->rows / 4);
    pop_graph_set_field_int(graph, vertex, "numSrcColumnsD4", t->columns / 4);
    call_set(call, vertex, "numTranspositionsM1", t->count - 1);
    return true;
}

static void add_tile(const struct transpositions *t)
{
    const struct call *call = t->call;
    pop_graph *graph = call->graph;
    char name[64];
    if (add_fast(t))
        return;
    snprintf(name, sizeof(name), "popops::Transpose2d<%s>", pop_type_name(t->type));
    size_t share = poplibs_ceil_div(t->count, pop_graph_target(graph)->num_worker_contexts);
    for (size_t first = 0; first < t->count; first += share) {
        size_t count = poplibs_min(share, t->count - first);
        pop_vertex vertex = call_vertex(call, t->set, name, t->tile);
        pop_graph_connect_list(graph, vertex, "src", (pop_tensors){ count, t->in + first });
        pop_graph_connect_list(graph, vertex, "dst", (pop_tensors){ count, t->out + first });
        pop_graph_set_field_int(graph, vertex, "numSrcRows", t->rows);
        pop_graph_set_field_int(graph, vertex, "numSrcColumns", t->columns);
    }
}

void popops_add_transpose_vertices_at(pop_where where, pop_graph *graph, pop_compute_set set, pop_type type,
                                      unsigned rows, unsigned columns, const pop_interval_lists *mapping,
                                      popops_transposition transposition, void *user)
{
    POPLIBS_CALL(graph, log_type(type), rows, columns);
    struct transpositions t = {
        .call = call, .set = set, .type = poplibs_codes_type(type), .rows = rows, .columns = columns
    };
    if (!call_ready(call) || !rows || !columns)
        return;
    for (size_t tile = 0; tile < mapping->count; ++tile) {
        t.tile = (unsigned)tile;
        t.count = 0;
        for (size_t i = mapping->first[tile]; i < mapping->first[tile + 1]; ++i)
            t.count += mapping->intervals[i].end - mapping->intervals[i].begin;
        if (!t.count)
            continue;
        t.in = poplibs_new(2 * t.count, sizeof(*t.in));
        t.out = t.in + t.count;
        size_t at = 0;
        for (size_t i = mapping->first[tile]; i < mapping->first[tile + 1]; ++i)
            for (size_t index = mapping->intervals[i].begin; index < mapping->intervals[i].end; ++index, ++at) {
                transposition(index, &t.in[at], &t.out[at], user);
                t.in[at] = poplibs_codes(call, t.in[at]);
                t.out[at] = poplibs_codes(call, t.out[at]);
            }
        add_tile(&t);
        free(t.in);
    }
}

struct matrices {
    const struct call *call;
    pop_tensor in, out; /* one row for each matrix */
};

static void give_matrix(size_t index, pop_tensor *in, pop_tensor *out, void *user)
{
    const struct matrices *matrices = user;
    const struct call *call = matrices->call;
    *in = pop_tensor_at(matrices->in, index);
    *out = pop_tensor_at(matrices->out, index);
}

pop_tensor popops_partial_transpose_at(pop_where where, pop_graph *graph, pop_tensor in, pop_compute_set set,
                                       const char *name)
{
    POPLIBS_CALL(graph, in, name);
    pop_tensor none = { 0 };
    if (!call_ready(call) || !call_takes(call, "the tensor", in))
        return none;
    size_t rank = pop_tensor_rank(in), shape[64];
    if (rank < 2 || rank > 64) {
        call_fail(call, POP_POPLAR_ERROR, "a tensor of rank %zu has no matrices to transpose", rank);
        return none;
    }
    pop_tensor_shape(in, shape, 64);
    size_t rows = shape[rank - 2], columns = shape[rank - 1], size = rows * columns;
    shape[rank - 2] = columns;
    shape[rank - 1] = rows;
    pop_tensor out = poplibs_new_like(call, in, (pop_shape){ rank, shape }, name);
    if (!pop_tensor_num_elements(in))
        return out;
    pop_mark mark = pop_graph_mark(graph);
    size_t count = pop_tensor_num_elements(in) / size;
    struct matrices matrices = { call, pop_tensor_reshape(in, POP_SHAPE(count, size)),
                                 pop_tensor_reshape(out, POP_SHAPE(count, size)) };
    pop_interval_lists mapping;
    if (!pop_graph_get_tile_mapping(graph, pop_tensor_slice(matrices.in, 0, 1, 1), NULL, &mapping))
        return none;
    for (size_t tile = 0; tile < mapping.count; ++tile)
        for (size_t i = mapping.first[tile]; i < mapping.first[tile + 1]; ++i)
            pop_graph_set_tile_mapping(graph, pop_tensor_slice_interval(matrices.out, mapping.intervals[i], 0),
                                       (unsigned)tile);
    popops_add_transpose_vertices(graph, set, pop_tensor_type(in), (unsigned)rows, (unsigned)columns, &mapping,
                                  give_matrix, &matrices);
    pop_interval_lists_free(&mapping);
    pop_graph_release(graph, mark);
    return call_ready(call) ? out : none;
}
