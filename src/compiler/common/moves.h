/* SPDX-License-Identifier: Apache-2.0 */
/* Adds moves to an image; moves of the same bytes and digits share a shape. */
#ifndef COMPILER_COMMON_MOVES_H
#define COMPILER_COMMON_MOVES_H

#include "image/image.h"

struct moves {
    struct image *image;
    uint32_t *slots;   /* open-addressing hash table: index of image->move_shapes + 1, or 0 for free */
    size_t slot_count; /* a power of two */
    uint32_t last;     /* the latest shape: moves that follow each other mostly have one */
};

/* Offsets in bytes; digits outermost first. */
void moves_add(struct moves *moves, uint64_t source, uint64_t destination, uint64_t bytes,
               const struct image_digit *digits, uint32_t count);
/* What the image does not keep. */
void moves_free(struct moves *moves);

#endif
