/* SPDX-License-Identifier: Apache-2.0 */
/* Kept views: the pieces of a tensor, one block of memory for each view, on the store's list. */
#include "graph/view/view.h"

/* The first piece waits for the second when it is a run: a view that is one run need not be kept. */
struct view_keeping {
    struct piece_shapes *shapes;
    VEC(struct kept_piece) pieces;
    struct run first; /* count 0: none waits */
    bool waits;       /* whether the first piece may wait */
};

static void add_piece(struct view_keeping *keeping, const struct piece *piece)
{
    uint32_t shape = piece_shapes_add(keeping->shapes, piece);
    *vec_push(&keeping->pieces) = (struct kept_piece){ piece->variable, (uint32_t)piece->offset, shape };
}

static void add_first(struct view_keeping *keeping)
{
    struct run first = keeping->first;
    struct digit digit = { first.count, 1 };
    keeping->first.count = 0;
    if (first.count)
        add_piece(keeping, &(struct piece){ first.variable, first.count > 1, first.offset, first.count, &digit });
}

static bool keep_piece(const struct piece *piece, void *context)
{
    struct view_keeping *keeping = context;
    bool run = !piece->digits || (piece->digits == 1 && piece->digit->stride == 1);
    if (keeping->waits && run) {
        keeping->first = (struct run){ piece->variable, piece->offset, piece->elements };
    } else {
        add_first(keeping);
        add_piece(keeping, piece);
    }
    keeping->waits = false;
    return true;
}

static const struct view *make_view(pop_tensor t, const struct view_keeping *keeping)
{
    unsigned rank = t.rank;
    size_t count = keeping->pieces.count;
    struct view *view = mem_alloc(sizeof(*view) + rank * sizeof(uint64_t) + count * sizeof(struct kept_piece));
    uint64_t *shape = (uint64_t *)(view + 1);
    struct kept_piece *pieces = (struct kept_piece *)(shape + rank);
    for (unsigned i = 0; i < rank; ++i)
        shape[i] = pop_tensor_dim(t, i);
    if (count)
        memcpy(pieces, keeping->pieces.data, count * sizeof(*pieces));
    *view = (struct view){ .type = t.type,
                           .rank = t.rank,
                           .piece_count = (uint32_t)count,
                           .elements = pop_tensor_num_elements(t),
                           .pieces = pieces,
                           .shapes = keeping->shapes,
                           .shape = shape,
                           .next = t.store->view_list };
    t.store->view_list = view;
    return view;
}

const struct view *view_keep(pop_tensor t)
{
    struct view_keeping keeping = { .shapes = &t.store->shapes };
    tensor_each_piece(t, keep_piece, &keeping);
    const struct view *view = make_view(t, &keeping);
    vec_free(&keeping.pieces);
    return view;
}

const struct view *view_keep_unless_run(pop_tensor t, struct run *run)
{
    struct view_keeping keeping = { .shapes = &t.store->shapes, .waits = true };
    tensor_each_piece(t, keep_piece, &keeping);
    *run = keeping.first;
    if (run->count)
        return NULL;
    const struct view *view = make_view(t, &keeping);
    vec_free(&keeping.pieces);
    return view;
}

bool view_single_run(const struct view *view, struct run *run)
{
    if (!view->piece_count) {
        *run = (struct run){ 0 };
        return true;
    }
    struct piece piece = view_piece(view, 0); /* runs that continue each other were joined when they were kept */
    if (view->piece_count > 1 || piece.digits > 1 || (piece.digits && piece.digit->stride != 1))
        return false;
    *run = (struct run){ piece.variable, piece.offset, piece.elements };
    return true;
}
