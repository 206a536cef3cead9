/* SPDX-License-Identifier: Apache-2.0 */
/* Kept views: the pieces of a tensor, one block of memory for each view, on the store's list. */
#include "graph/view_keep.h"
#include "graph/tensor.h"
#include "graph/tensor_form.h"
#include "graph/view_runs.h"

struct kept_view {
    VEC(struct piece) pieces;
    VEC(struct digit) digits;
};

static bool keep_piece(const struct piece *piece, void *context)
{
    struct kept_view *kept = context;
    *vec_push(&kept->pieces) = *piece;
    if (piece->digits)
        memcpy(vec_extend(&kept->digits, piece->digits), piece->digit, piece->digits * sizeof(*piece->digit));
    return true;
}

static struct view *make_view(pop_tensor t, const struct piece *pieces, size_t piece_count, const struct digit *digits,
                              size_t digit_count)
{
    unsigned rank = t.rank;
    size_t piece_bytes = piece_count * sizeof(struct piece), digit_bytes = digit_count * sizeof(struct digit);
    struct view *view = mem_alloc(sizeof(*view) + piece_bytes + digit_bytes + rank * sizeof(uint64_t));
    struct piece *piece = (struct piece *)(view + 1);
    struct digit *digit = (struct digit *)(piece + piece_count);
    uint64_t *shape = (uint64_t *)(digit + digit_count);
    for (size_t i = 0, used = 0; i < piece_count; ++i) {
        piece[i] = pieces[i];
        piece[i].digit = digit + used;
        used += pieces[i].digits;
    }
    if (digit_count)
        memcpy(digit, digits, digit_bytes);
    for (unsigned i = 0; i < rank; ++i)
        shape[i] = pop_tensor_dim(t, i);
    *view = (struct view){ .type = t.type,
                           .rank = t.rank,
                           .piece_count = (uint32_t)piece_count,
                           .elements = pop_tensor_num_elements(t),
                           .pieces = piece,
                           .shape = shape,
                           .next = t.store->view_list };
    t.store->view_list = view;
    return view;
}

const struct view *view_keep(pop_tensor t)
{
    if (!(t.source & COMPOSITE) && !(t.form & FORM_EMPTY)) {
        struct flat flat;
        tensor_flat(t, &flat);
        return make_view(t, &flat.piece, 1, flat.digit, flat.piece.digits);
    }
    struct kept_view kept = { 0 };
    tensor_each_piece(t, keep_piece, &kept);
    struct view *view = make_view(t, kept.pieces.data, kept.pieces.count, kept.digits.data, kept.digits.count);
    vec_free(&kept.pieces);
    vec_free(&kept.digits);
    return view;
}

bool view_each_run(const struct view *view, run_fn fn, void *context)
{
    return pieces_each_run(view->pieces, view->piece_count, fn, context);
}

bool view_single_run(const struct view *view, struct run *run)
{
    if (!view->piece_count) {
        *run = (struct run){ 0 };
        return true;
    }
    const struct piece *piece = view->pieces; /* runs that continue each other were joined when they were kept */
    if (view->piece_count > 1 || piece->digits > 1 || (piece->digits && piece->digit->stride != 1))
        return false;
    *run = (struct run){ piece->variable, piece->offset, piece->elements };
    return true;
}
