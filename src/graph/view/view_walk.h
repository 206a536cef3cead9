/* SPDX-License-Identifier: Apache-2.0 */
/* From views over composites to strided pieces of variables: digits over a child's flat elements are composed with the
 * child's own digits where strides can express it, and cut where they cannot. */
#ifndef GRAPH_VIEW_VIEW_WALK_H
#define GRAPH_VIEW_VIEW_WALK_H

#include "graph/view/tensor.h"

/* A child's flat index as a mixed-radix number: level 0 is outermost, weight is what one step of a level adds to the
 * index. */
struct levels {
    unsigned count;
    uint64_t weight[MAX_DIGITS + 2], at[MAX_DIGITS + 2];
};

/* Takes whole steps of a weight away from what is left; returns how many.  Divides only where it must: walks spend
 * their time here. */
static inline uint64_t levels_take(uint64_t *left, uint64_t weight)
{
    uint64_t steps = *left;
    if (steps < weight)
        return 0;
    if (weight > 1)
        steps /= weight;
    *left -= steps * weight;
    return steps;
}
/* The levels of a child, at one of its elements. */
void levels_of(const struct piece *child, uint64_t at, struct levels *levels);
/* The level that a step of this size counts in; the child has levels. */
unsigned levels_level_of(const struct levels *levels, uint64_t step);
/* View digits over a child's flat elements, starting at element at; the first digit is taken to have extent first
 * (ignored when there is none). False when strides cannot express it. */
bool digits_compose(const struct piece *child, uint64_t at, const struct digit *view, unsigned count, uint64_t first,
                    struct composed *out);
struct piece child_piece(const struct composite *composite, size_t index);
/* Strided pieces of variables, in flat order; neighbours are not merged. */
bool walk_pieces(pop_store *store, const struct piece *flat, piece_fn fn, void *context);
/* Calls fn for each strided piece of elements [begin, end). */
bool walk_pieces_in(pop_store *store, const struct piece *flat, uint64_t begin, uint64_t end, piece_fn fn,
                    void *context);
/* The set of elements: in any order, each piece with positive strides, largest first.  *repeats is set when an element
 * was seen more than once on the way (what is then left out); elements may still be in several pieces. */
bool walk_set(pop_store *store, const struct piece *flat, bool *repeats, piece_fn fn, void *context);

#endif
