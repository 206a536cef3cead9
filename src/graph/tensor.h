/* SPDX-License-Identifier: Apache-2.0 */
/* Inside tensors: the unpacked form that view calls work on, the composites that concatenation makes, and the walk that
 * turns a view into strided pieces of variables.
 *
 * A view is an offset into a source and digits (extent, stride).  A source is a variable, or a composite: the flat
 * concatenation of children, each of which is again strided elements of a source.  docs/tensors.md has the picture. */
#ifndef GRAPH_TENSOR_H
#define GRAPH_TENSOR_H

#include "graph/store.h"

/* No view has more digits than this: each has an extent of 2 or more (or is the only one of its dimension), and their
 * product is below 2^63. */
enum { MAX_RANK = 64, MAX_DIGITS = 64 };
#define MAX_ELEMENTS ((uint64_t)INT64_MAX)

/* Bits of pop_tensor.form. */
enum { FORM_WIDE = 1, FORM_EMPTY = 2 };

/* The bit of a source that says composite; the rest is its index. */
#define COMPOSITE UINT32_C(0x80000000)

/* What the nodes of a store have in common; tensor_nodes.c keeps them in the order in which they were made. */
struct node {
    struct node *previous, *following;
    size_t serial;
    uint32_t holders; /* values that a caller retained */
    uint32_t users;   /* children of composites and wide views that are of this one */
    uint8_t kind;
    bool waiting;
};

/* A view that does not fit the value. */
struct wide {
    struct node node;
    uint32_t source;
    uint64_t offset;
    uint8_t run[MAX_RANK];
    struct digit digit[];
};

/* Strided elements of a source that is part of a composite: its elements stand from begin on in the composite. */
struct child {
    uint64_t begin, offset;
    uint32_t source, digits;
    size_t first; /* its digits, outermost first, in the composite's pool */
};
struct addition;
struct composite {
    struct node node;
    VEC(struct child) children;
    VEC(struct digit) pool;
    uint64_t total;
    unsigned depth; /* composites below this one */
    uint32_t index;
    size_t found;   /* the child that was asked for last: whoever walks asks for it again, or for the next one */
    uint64_t stamp; /* no other composite of the store has it, nor this one with other children; from 1 */
    struct addition *additions; /* what a mark may take back, the latest first */
};

/* A view being worked on. */
struct unpacked {
    pop_store *store;
    uint32_t source;
    uint32_t made; /* a composite of this call's own, 0 when there is none */
    uint8_t type;
    unsigned rank, digits;
    uint64_t offset;
    uint8_t run[MAX_RANK];
    struct digit digit[MAX_DIGITS + 2];
};

/* A view as flat strided elements of its source: piece.variable is the source. */
struct flat {
    struct piece piece;
    struct digit digit[MAX_DIGITS + 2];
};

/* ---- tensor_form.c ---- */
void tensor_unpack(struct unpacked *v, pop_tensor t);
/* Brings v to normal form, to a child of its composite when it lies inside one, and makes it a value. */
pop_tensor tensor_pack(struct unpacked *v);
void tensor_flat(pop_tensor t, struct flat *flat); /* t must have elements */
uint64_t unpacked_extent(const struct unpacked *v, unsigned dim);
unsigned unpacked_first(const struct unpacked *v, unsigned dim); /* the index of a dimension's first digit */
bool unpacked_is_empty(const struct unpacked *v);
void unpacked_flat(const struct unpacked *v, struct flat *flat);
/* Replaces the digits of a dimension by others, which are not v's own. */
void unpacked_set_run(struct unpacked *v, unsigned dim, const struct digit *digit, unsigned count);
/* Removes count digits of a dimension, the first of them its from-th. */
void unpacked_drop(struct unpacked *v, unsigned dim, unsigned from, unsigned count);
/* One digit for each dimension, as elements lie in row-major order from v->offset on. */
void unpacked_row_major(struct unpacked *v, const uint64_t *shape, unsigned rank);
/* The same view over a composite of its own, where each dimension is one digit. */
void unpacked_make_lazy(struct unpacked *v);
/* Splits flat digits into the dimensions of a shape of as many elements; false when strides cannot express it. */
bool unpacked_split(struct unpacked *v, const struct digit *flat, unsigned count, const uint64_t *shape, unsigned rank);
/* The elements of a composite, which must have some, under a shape; takes the composite over. */
void unpacked_of_composite(struct unpacked *v, struct composite *composite, const uint64_t *shape, unsigned rank);
/* Merges neighbours that are one digit and drops extents of 1; returns how many are left. */
unsigned digits_merge(struct digit *digit, unsigned count);
bool digits_equal(const struct digit *a, const struct digit *b, unsigned count);
/* Lowest and highest element relative to the first. */
void digits_span(const struct digit *digit, unsigned count, int64_t *low, int64_t *high);

/* Opens an operand of a view call; false when it is null or an error is pending. */
bool view_open(struct unpacked *v, pop_tensor t);
/* index_error for a dimension that v lacks. */
bool view_check_dim(const struct unpacked *v, unsigned dim, pop_where where, const char *api);

/* ---- tensor_nodes.c ---- */
struct composite *composite_of(const pop_store *store, uint32_t source);
/* Adds strided elements of a source (piece->variable) to the end, merged with the last child where they continue it. */
void composite_add(pop_store *store, struct composite *composite, const struct piece *piece);
/* Frees a composite that the store does not have. */
void composite_free(pop_store *store, struct composite *composite);
/* Hands a composite over to the store; returns its source. */
uint32_t composite_keep(pop_store *store, struct composite *composite);
/* Takes a composite out of the store that was made in the same call, unless another node came to need it. */
void composite_drop_unused(pop_store *store, uint32_t source);
/* To be called before something is added to a kept composite, so that a release can take it back. */
void composite_open(pop_store *store, uint32_t source);
/* The child that holds an element. */
size_t composite_find(struct composite *composite, uint64_t element);
static inline uint64_t composite_end(const struct composite *composite, size_t child)
{
    return child + 1 < composite->children.count ? composite->children.data[child + 1].begin : composite->total;
}
struct wide *wide_keep(pop_store *store, uint32_t source, unsigned digits);

/* ---- view_walk.c ---- */
/* A view of a child's elements, as digits of the child's source; owner says which digit of the view each comes from. */
struct composed {
    uint64_t offset;
    unsigned digits;
    struct digit digit[MAX_DIGITS + 2];
    uint8_t owner[MAX_DIGITS + 2];
};
/* View digits over a child's flat elements, starting at element at; the first digit is taken to have extent first
 * (ignored when there is none). False when strides cannot express it. */
bool digits_compose(const struct piece *child, uint64_t at, const struct digit *view, unsigned count, uint64_t first,
                    struct composed *out);
struct piece child_piece(const struct composite *composite, size_t child);
/* Strided pieces of variables, in flat order; neighbours are not merged. */
bool walk_pieces(pop_store *store, const struct piece *flat, piece_fn fn, void *context);
/* The same for elements [begin, end). */
bool walk_pieces_in(pop_store *store, const struct piece *flat, uint64_t begin, uint64_t end, piece_fn fn,
                    void *context);
/* The set of elements: in any order, each piece with positive strides, largest first.  *repeats is set when an element
 * was seen more than once on the way (what is then left out); elements may still stand in several pieces. */
bool walk_set(pop_store *store, const struct piece *flat, bool *repeats, piece_fn fn, void *context);

/* ---- view_runs.c ---- */
/* Pieces of a view over a composite in flat order, neighbours joined. */
bool walk_joined(pop_store *store, const struct piece *flat, piece_fn fn, void *context);

/* ---- view_cache.c ---- */
/* The same, kept for whoever walks the view again. */
bool view_each_piece(pop_store *store, const struct piece *flat, piece_fn fn, void *context);
/* Pieces of elements [begin, end) of any view in flat order; neighbours may not be joined. */
bool view_each_piece_in(pop_store *store, const struct piece *flat, uint64_t begin, uint64_t end, piece_fn fn,
                        void *context);

#endif
