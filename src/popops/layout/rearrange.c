/* SPDX-License-Identifier: Apache-2.0 */
/* Transpositions, divided among a tile's workers. */
#include "poplibs/log.h"
#include "poplibs/support.h"

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
    pop_where where;
    pop_compute_set set;
    pop_type type;
    unsigned rows, columns, tile;
    size_t count;
    pop_tensor *in, *out;
};

static bool add_fast(const struct transpositions *t, pop_graph *graph)
{
    char name[64];
    const pop_target *target = pop_graph_target(graph);
    if (t->count > UINT16_MAX ||
        !popops_can_use_fast_transpose(target, t->type, t->rows, t->columns, (unsigned)t->count))
        return false;
    pop_tensor in = pop_tensor_concat_at(t->where, (pop_tensors){ t->count, t->in }, 0);
    pop_tensor out = pop_tensor_concat_at(t->where, (pop_tensors){ t->count, t->out }, 0);
    if (!pop_tensor_is_contiguous(in) || !pop_tensor_is_contiguous(out))
        return false;
    snprintf(name, sizeof(name), "popops::Transpose%s<%s>", t->count > 1 ? "Supervisor" : "", pop_type_name(t->type));
    pop_vertex vertex = pop_graph_add_vertex_at(t->where, graph, t->set, name);
    pop_graph_connect_at(t->where, graph, vertex, "src", in);
    pop_graph_connect_at(t->where, graph, vertex, "dst", out);
    pop_graph_set_field_int_at(t->where, graph, vertex, "numSrcRowsD4", t->rows / 4);
    pop_graph_set_field_int_at(t->where, graph, vertex, "numSrcColumnsD4", t->columns / 4);
    pop_graph_set_field_int_at(t->where, graph, vertex, "numTranspositionsM1", (int64_t)t->count - 1);
    pop_graph_map_vertex_at(t->where, graph, vertex, t->tile);
    return true;
}

static void add_tile(const struct transpositions *t, pop_graph *graph)
{
    char name[64];
    if (add_fast(t, graph))
        return;
    snprintf(name, sizeof(name), "popops::Transpose2d<%s>", pop_type_name(t->type));
    size_t share = poplibs_ceil_div(t->count, pop_graph_target(graph)->num_worker_contexts);
    for (size_t first = 0; first < t->count; first += share) {
        size_t count = poplibs_min(share, t->count - first);
        pop_vertex vertex = pop_graph_add_vertex_at(t->where, graph, t->set, name);
        pop_graph_connect_list_at(t->where, graph, vertex, "src", (pop_tensors){ count, t->in + first });
        pop_graph_connect_list_at(t->where, graph, vertex, "dst", (pop_tensors){ count, t->out + first });
        pop_graph_set_field_int_at(t->where, graph, vertex, "numSrcRows", t->rows);
        pop_graph_set_field_int_at(t->where, graph, vertex, "numSrcColumns", t->columns);
        pop_graph_map_vertex_at(t->where, graph, vertex, t->tile);
    }
}

void popops_add_transpose_vertices_at(pop_where where, pop_graph *graph, pop_compute_set set, pop_type type,
                                      unsigned rows, unsigned columns, const pop_interval_lists *mapping,
                                      popops_transposition transposition, void *user)
{
    POPLIBS_CALL(graph, log_type(type), rows, columns);
    struct transpositions t = { .where = where, .set = set, .type = type, .rows = rows, .columns = columns };
    if (!poplibs_ready(graph) || !rows || !columns)
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
            for (size_t index = mapping->intervals[i].begin; index < mapping->intervals[i].end; ++index, ++at)
                transposition(index, &t.in[at], &t.out[at], user);
        add_tile(&t, graph);
        free(t.in);
    }
}

struct matrices {
    pop_where where;
    pop_tensor in, out; /* one row for each matrix */
};

static void give_matrix(size_t index, pop_tensor *in, pop_tensor *out, void *user)
{
    const struct matrices *matrices = user;
    *in = pop_tensor_at_at(matrices->where, matrices->in, index);
    *out = pop_tensor_at_at(matrices->where, matrices->out, index);
}

pop_tensor popops_partial_transpose_at(pop_where where, pop_graph *graph, pop_tensor in, pop_compute_set set,
                                       const char *name)
{
    POPLIBS_CALL(graph, in, name);
    pop_tensor none = { 0 };
    if (!poplibs_ready(graph) || !poplibs_is_operand(graph, where, "popops_partial_transpose", "the tensor", in))
        return none;
    size_t rank = pop_tensor_rank(in), shape[64];
    if (rank < 2 || rank > 64) {
        poplibs_fail(graph, POP_POPLAR_ERROR, where, "popops_partial_transpose",
                     "a tensor of rank %zu has no matrices to transpose", rank);
        return none;
    }
    pop_tensor_shape(in, shape, 64);
    size_t rows = shape[rank - 2], columns = shape[rank - 1], size = rows * columns;
    shape[rank - 2] = columns;
    shape[rank - 1] = rows;
    pop_tensor out = pop_graph_add_variable_at(where, graph, pop_tensor_type(in), (pop_shape){ rank, shape }, name);
    if (!pop_tensor_num_elements(in))
        return out;
    pop_mark mark = pop_graph_mark(graph);
    size_t count = pop_tensor_num_elements(in) / size;
    struct matrices matrices = { where, pop_tensor_reshape_at(where, in, POP_SHAPE(count, size)),
                                 pop_tensor_reshape_at(where, out, POP_SHAPE(count, size)) };
    pop_interval_lists mapping;
    if (!pop_graph_get_tile_mapping_at(where, graph, pop_tensor_slice_at(where, matrices.in, 0, 1, 1), NULL, &mapping))
        return none;
    for (size_t tile = 0; tile < mapping.count; ++tile)
        for (size_t i = mapping.first[tile]; i < mapping.first[tile + 1]; ++i)
            pop_graph_set_tile_mapping_at(where, graph,
                                          pop_tensor_slice_interval_at(where, matrices.out, mapping.intervals[i], 0),
                                          (unsigned)tile);
    popops_add_transpose_vertices_at(where, graph, set, pop_tensor_type(in), (unsigned)rows, (unsigned)columns,
                                     &mapping, give_matrix, &matrices);
    pop_interval_lists_free(&mapping);
    pop_graph_release(graph, mark);
    return poplibs_ready(graph) ? out : none;
}
