/* SPDX-License-Identifier: Apache-2.0 */
#include "poplin/solve/copies.h"

struct triangular_piece {
    pop_tensor from, to; /* flattened */
    unsigned constant;   /* a constant instead of from, if not TRIANGULAR_CONSTANTS; the tile holds it */
    unsigned tile;
};

static struct triangular_piece *add_piece(struct triangular_copies *copies, pop_tensor to)
{
    struct triangular_piece *piece = poplibs_push(copies);
    *piece = (struct triangular_piece){ .to = to, .constant = TRIANGULAR_CONSTANTS };
    return piece;
}

void triangular_copies_add(struct triangular_copies *copies, pop_tensor from, pop_tensor t)
{
    const struct call *call = copies->request->call;
    if (pop_tensor_num_elements(t) && !pop_graph_error(call->graph))
        add_piece(copies, pop_tensor_flatten(t))->from = pop_tensor_flatten(from);
}

void triangular_copies_fill(struct triangular_copies *copies, unsigned constant, pop_tensor t)
{
    const struct call *call = copies->request->call;
    pop_interval_lists mapping;
    if (!pop_tensor_num_elements(t) || pop_graph_error(call->graph))
        return;
    t = pop_tensor_flatten(t);
    if (!pop_graph_get_tile_mapping(call->graph, t, NULL, &mapping))
        return;
    for (size_t tile = 0; tile < mapping.count; ++tile)
        for (size_t k = mapping.first[tile]; k < mapping.first[tile + 1]; ++k) {
            struct triangular_piece *piece =
                add_piece(copies, pop_tensor_slice(t, mapping.intervals[k].begin, mapping.intervals[k].end, 0));
            piece->constant = constant;
            piece->tile = (unsigned)tile;
        }
    pop_interval_lists_free(&mapping);
}

/* Creates a variable with an element on each tile that needs the constant, and copies the constant to it; the pieces on
 * these tiles read their element. */
static void send_constant(struct triangular_copies *copies, unsigned constant, pop_program sequence)
{
    const struct triangular_call *request = copies->request;
    const struct call *call = request->call;
    unsigned tiles = pop_target_num_tiles(pop_graph_target(call->graph)), used = 0;
    unsigned *at = poplibs_zeros(tiles, sizeof(*at)); /* index in the variable, plus one */
    for (size_t i = 0; i < copies->count; ++i)
        if (copies->list[i].constant == constant && !at[copies->list[i].tile])
            at[copies->list[i].tile] = ++used;
    if (used) {
        pop_tensor source = copies->constants[constant];
        pop_tensor sent = pop_graph_add_variable(call->graph, pop_tensor_type(source), POP_SHAPE(used),
                                                 call_path(call, call->name, "constants"));
        for (unsigned tile = 0; tile < tiles; ++tile)
            if (at[tile])
                pop_graph_set_tile_mapping(call->graph, pop_tensor_slice(sent, at[tile] - 1, at[tile], 0), tile);
        pop_sequence_add(sequence, pop_copy(pop_tensor_broadcast(source, used, 0), sent, false, call->name));
        for (size_t i = 0; i < copies->count; ++i) {
            struct triangular_piece *piece = copies->list + i;
            if (piece->constant != constant)
                continue;
            size_t place = at[piece->tile];
            piece->from = pop_tensor_broadcast(pop_tensor_slice(sent, place - 1, place, 0),
                                               (unsigned)pop_tensor_num_elements(piece->to), 0);
        }
    }
    free(at);
}

/* Adds the pieces that are one constant, or those that are none, as one copy. */
static void add_copy(const struct triangular_copies *copies, unsigned constant, pop_program sequence)
{
    const struct call *call = copies->request->call;
    size_t count = 0;
    pop_tensor *from = poplibs_new(copies->count, sizeof(*from)), *to = poplibs_new(copies->count, sizeof(*to));
    for (size_t i = 0; i < copies->count; ++i)
        if (copies->list[i].constant == constant) {
            from[count] = copies->list[i].from;
            to[count++] = copies->list[i].to;
        }
    if (count)
        pop_sequence_add(sequence, pop_copy(pop_tensor_concat((pop_tensors){ count, from }, 0),
                                            pop_tensor_concat((pop_tensors){ count, to }, 0), false, call->name));
    free(from);
    free(to);
}

void triangular_copies_end(struct triangular_copies *copies, pop_program sequence)
{
    for (unsigned constant = 0; constant < TRIANGULAR_CONSTANTS && !pop_graph_error(copies->request->call->graph);
         ++constant)
        send_constant(copies, constant, sequence);
    for (unsigned constant = 0; constant <= TRIANGULAR_CONSTANTS && !pop_graph_error(copies->request->call->graph);
         ++constant)
        add_copy(copies, constant, sequence);
    free(copies->list);
}
