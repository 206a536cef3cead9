/* SPDX-License-Identifier: Apache-2.0 */
#include "poplibs/log.h"

#include <popsparse/experimental/block_sparse.h>

static bool right(const struct call *call, const char *what, pop_tensor t, const popsparse_experimental_block_matrix *m)
{
    if (!call_ready(call) || !call_takes(call, what, t))
        return false;
    if (!m || !m->block_size[0] || !m->block_size[1] || m->dim[0] % m->block_size[0] || m->dim[1] % m->block_size[1])
        return call_fail(call, POP_POPLAR_ERROR, "the matrix is not divided into its blocks");
    size_t area = m->block_size[0] * m->block_size[1], blocks = 0,
           all = m->num_groups * (m->dim[0] / m->block_size[0]) * (m->dim[1] / m->block_size[1]);
    if (m->mask_size != all)
        return call_fail(call, POP_POPLAR_ERROR, "the mask has %zu bytes where the matrix has %zu blocks", m->mask_size,
                         all);
    for (size_t i = 0; i < all; ++i)
        blocks += m->mask[i] != 0;
    pop_type type = pop_tensor_type(t);
    if (type != POP_HALF && type != POP_FLOAT)
        return call_fail(call, POP_TYPE_ERROR, "%s is %s; it must be half or float", what, pop_type_name(type));
    return (pop_tensor_rank(t) == 2 && pop_tensor_dim(t, 0) == blocks && pop_tensor_dim(t, 1) == area) ||
           call_fail(call, POP_POPLAR_ERROR, "%s does not have the shape {%zu,%zu} of the mask's blocks", what, blocks,
                     area);
}

/* A vertex with the blocks of a row, and the row's slice of a tensor. */
struct block_row {
    pop_vertex vertex;
    size_t first, end, row;
};
typedef void (*connect_row)(const struct call *call, const struct block_row *row, const pop_tensor *tensors);

/* Adds a vertex for each row of blocks. */
static void for_each_row(const struct call *call, const popsparse_experimental_block_matrix *m, const char *type,
                         connect_row connect, const pop_tensor *tensors)
{
    size_t across = m->dim[1] / m->block_size[1], down = m->dim[0] / m->block_size[0], at = 0;
    unsigned tiles = pop_target_num_tiles(pop_graph_target(call->graph));
    unsigned *columns = poplibs_new(across, sizeof(*columns));
    pop_compute_set set = pop_graph_add_compute_set(call->graph, call_path(call, call->name, "softmax"));
    for (size_t r = 0; r < m->num_groups * down && call_ready(call); ++r) {
        size_t count = 0;
        for (size_t c = 0; c < across; ++c)
            if (m->mask[r * across + c])
                columns[count++] = (unsigned)(c * m->block_size[1]);
        if (!count)
            continue;
        struct block_row row = { call_vertex(call, set, type, (unsigned)(r % tiles)), at, at + count,
                                 r % down * m->block_size[0] };
        call_set(call, row.vertex, "blockRows", m->block_size[0]);
        call_set(call, row.vertex, "blockColumns", m->block_size[1]);
        pop_graph_set_field_vector(call->graph, row.vertex, POP_FIELD("columns", POP_WHOLE), POP_UNSIGNED_INT, columns,
                                   count);
        connect(call, &row, tensors);
        at += count;
    }
    free(columns);
    call_execute(call, set, call->name);
}
static pop_tensor blocks_of(const struct call *call, const struct block_row *row, pop_tensor t)
{
    return pop_tensor_flatten(pop_tensor_slice(t, row->first, row->end, 0));
}
static const char *type_of(const char *format, pop_tensor t, char *text, size_t size)
{
    snprintf(text, size, "popsparse::%s<%s>", format, pop_type_name(pop_tensor_type(t)));
    return text;
}

/* ---- softmax ---- */

static void connect_softmax(const struct call *call, const struct block_row *row, const pop_tensor *tensors)
{
    call_connect(call, row->vertex, "x", blocks_of(call, row, tensors[0]));
    call_set(call, row->vertex, "firstRow", row->row);
}
static void connect_upper(const struct call *call, const struct block_row *row, const pop_tensor *tensors)
{
    connect_softmax(call, row, tensors);
    call_set(call, row->vertex, "mask", POPSPARSE_SUB_BLOCK_MASK_ZERO_UPPER_TRIANGLE);
}
static void connect_lower(const struct call *call, const struct block_row *row, const pop_tensor *tensors)
{
    connect_softmax(call, row, tensors);
    call_set(call, row->vertex, "mask", POPSPARSE_SUB_BLOCK_MASK_ZERO_LOWER_TRIANGLE);
}

static void softmax(const struct call *call, pop_tensor t, const popsparse_experimental_block_matrix *matrix,
                    popsparse_experimental_sub_block_mask mask)
{
    static const connect_row connects[] = { connect_softmax, connect_upper, connect_lower };
    char type[64];
    if ((unsigned)mask > POPSPARSE_SUB_BLOCK_MASK_ZERO_LOWER_TRIANGLE)
        call_fail(call, POP_POPLAR_ERROR, "the mask of diagonal blocks is none of its three values");
    else
        for_each_row(call, matrix, type_of("BlockSoftmax", t, type, sizeof(type)), connects[mask], &t);
}

void popsparse_experimental_bs_softmax_in_place_at(pop_where where, pop_graph *graph, pop_tensor t,
                                                   const popsparse_experimental_block_matrix *matrix,
                                                   popsparse_experimental_sub_block_mask sub_block_mask,
                                                   pop_program sequence, const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, t, name);
    if (right(call, "the tensor", t, matrix))
        softmax(call, t, matrix, sub_block_mask);
}
pop_tensor popsparse_experimental_bs_softmax_at(pop_where where, pop_graph *graph, pop_tensor t,
                                                const popsparse_experimental_block_matrix *matrix,
                                                popsparse_experimental_sub_block_mask sub_block_mask,
                                                pop_program sequence, const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, t, name);
    if (!right(call, "the tensor", t, matrix))
        return (pop_tensor){ 0 };
    pop_tensor made = pop_graph_clone(graph, pop_tensor_type(t), t, POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES,
                                      call_path(call, name, "softmax"));
    call_copy(call, t, made, name);
    softmax(call, made, matrix, sub_block_mask);
    return made;
}

/* ---- gradient ---- */

static void connect_grad(const struct call *call, const struct block_row *row, const pop_tensor *tensors)
{
    call_connect(call, row->vertex, "y", blocks_of(call, row, tensors[0]));
    call_connect(call, row->vertex, "yGrad", blocks_of(call, row, tensors[1]));
    call_connect(call, row->vertex, "xGrad", blocks_of(call, row, tensors[2]));
}

pop_tensor popsparse_experimental_bs_softmax_grad_at(pop_where where, pop_graph *graph, pop_tensor out, pop_tensor grad,
                                                     const popsparse_experimental_block_matrix *matrix,
                                                     pop_program sequence, const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, out, grad, name);
    char type[64];
    if (!right(call, "out", out, matrix) || !right(call, "the gradient", grad, matrix))
        return (pop_tensor){ 0 };
    if (pop_tensor_type(out) != pop_tensor_type(grad)) {
        call_fail(call, POP_TYPE_ERROR, "out is %s and its gradient %s", pop_type_name(pop_tensor_type(out)),
                  pop_type_name(pop_tensor_type(grad)));
        return (pop_tensor){ 0 };
    }
    pop_tensor made = pop_graph_clone(graph, pop_tensor_type(out), out, POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES,
                                      call_path(call, name, "gradient"));
    for_each_row(call, matrix, type_of("BlockSoftmaxGrad", out, type, sizeof(type)), connect_grad,
                 (pop_tensor[]){ out, grad, made });
    return made;
}
