/* SPDX-License-Identifier: Apache-2.0 */
/* Gathers of neighbouring vertices of a set that read the same elements, as tiles that compute different channels of
 * the same positions do: the elements are gathered once.  Vertices that share gathers with the one before are a run,
 * which the engine does not divide (image_gather.last_vertex). */
#ifndef COMPILER_LOWER_SHARED_GATHERS_H
#define COMPILER_LOWER_SHARED_GATHERS_H

#include "base/vec.h"
#include "image/image.h"

struct shared_gathers {
    VEC(uint64_t) earlier, now; /* gathers of the vertex before and of the current one, in the order of their edges */
    uint32_t vertex, leader;    /* of the set: the current one, and the first one of the run */
    uint64_t first, own;        /* the run's first gather, the current vertex's first one */
    bool any;                   /* there is a current vertex: one with gathers */
    bool open, joined;          /* it may share gathers of the vertex before, shares one */
};
/* Around the gathers of a set. */
void shared_gathers_begin(struct shared_gathers *s);
void shared_gathers_end(struct shared_gathers *s, struct image *image);
/* Adds a gather, whose copies are the image's newest, or with `share` drops it for an equal one of the vertex before;
 * returns its index.  Vertices are in ascending order. */
uint64_t shared_gathers_add(struct shared_gathers *s, struct image *image, const struct image_gather *gather,
                            bool share);
void shared_gathers_free(struct shared_gathers *s);

#endif
