/* SPDX-License-Identifier: Apache-2.0 */
#include "compiler/common/moves.h"
#include "image/move.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

static bool is_shape(const struct image *image, uint32_t index, uint64_t bytes, const struct image_digit *digits,
                     uint32_t count)
{
    const struct image_move_shape *shape = image->move_shapes.data + index;
    if (shape->bytes != bytes || shape->digits != count)
        return false;
    return !count || memcmp(move_shape_digits(image, shape), digits, count * sizeof(*digits)) == 0;
}

static size_t first_slot(const struct moves *moves, uint64_t bytes, const struct image_digit *digits, uint32_t count)
{
    return (size_t)XXH3_64bits_withSeed(digits, count * sizeof(*digits), bytes) & (moves->slot_count - 1);
}

static void rehash(struct moves *moves, size_t count)
{
    const struct image *image = moves->image;
    assert(count && (count & (count - 1)) == 0 && count > image->move_shapes.count);
    free(moves->slots);
    moves->slot_count = count;
    moves->slots = mem_zero(count, sizeof(*moves->slots));
    for (size_t i = 0; i < image->move_shapes.count; ++i) {
        const struct image_move_shape *shape = image->move_shapes.data + i;
        size_t slot = first_slot(moves, shape->bytes, move_shape_digits(image, shape), shape->digits);
        while (moves->slots[slot])
            slot = (slot + 1) & (count - 1);
        moves->slots[slot] = (uint32_t)i + 1;
    }
}

static uint32_t add_shape(struct image *image, uint64_t bytes, const struct image_digit *digits, uint32_t count)
{
    assert(image->move_shapes.count < UINT32_MAX - 1);
    uint32_t first = count ? (uint32_t)image->move_digits.count : 0;
    if (count)
        memcpy(vec_extend(&image->move_digits, count), digits, count * sizeof(*digits));
    *vec_push(&image->move_shapes) = (struct image_move_shape){ bytes, first, count };
    return (uint32_t)image->move_shapes.count - 1;
}

static uint32_t shape_of(struct moves *moves, uint64_t bytes, const struct image_digit *digits, uint32_t count)
{
    struct image *image = moves->image;
    if (image->move_shapes.count && is_shape(image, moves->last, bytes, digits, count))
        return moves->last;
    if (image->move_shapes.count * 2 >= moves->slot_count)
        rehash(moves, moves->slot_count ? moves->slot_count * 2 : 64);
    size_t slot = first_slot(moves, bytes, digits, count);
    while (moves->slots[slot] && !is_shape(image, moves->slots[slot] - 1, bytes, digits, count))
        slot = (slot + 1) & (moves->slot_count - 1);
    if (!moves->slots[slot])
        moves->slots[slot] = add_shape(image, bytes, digits, count) + 1;
    return moves->last = moves->slots[slot] - 1;
}

void moves_add(struct moves *moves, uint64_t source, uint64_t destination, uint64_t bytes,
               const struct image_digit *digits, uint32_t count)
{
    uint32_t shape = shape_of(moves, bytes, digits, count);
    *vec_push(&moves->image->moves) = move_make(source, destination, shape);
}

void moves_free(struct moves *moves)
{
    free(moves->slots);
    *moves = (struct moves){ .image = moves->image };
}
