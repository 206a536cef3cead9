/* SPDX-License-Identifier: Apache-2.0 */
/* Moves of copies, which take 16 bytes each: what they are made of. */
#ifndef IMAGE_MOVE_H
#define IMAGE_MOVE_H

#include "image/image.h"

#include <assert.h>

static inline struct image_move move_make(uint64_t source, uint64_t destination, uint32_t shape)
{
    assert(source <= IMAGE_BYTES_MAX - 1 && destination <= IMAGE_BYTES_MAX - 1);
    return (struct image_move){ (uint32_t)source, (uint32_t)destination, (uint16_t)(source >> 32),
                                (uint16_t)(destination >> 32), shape };
}

static inline uint64_t move_source(const struct image_move *move)
{
    return (uint64_t)move->source_high << 32 | move->source;
}
static inline uint64_t move_destination(const struct image_move *move)
{
    return (uint64_t)move->destination_high << 32 | move->destination;
}

static inline const struct image_move_shape *move_shape(const struct image *image, const struct image_move *move)
{
    assert(move->shape < image->move_shapes.count);
    return image->move_shapes.data + move->shape;
}

/* NULL: none. */
static inline const struct image_digit *move_shape_digits(const struct image *image,
                                                          const struct image_move_shape *shape)
{
    return shape->digits ? image->move_digits.data + shape->first_digit : NULL;
}

#endif
