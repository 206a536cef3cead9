/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/store/piece_shapes.h"

#include <assert.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

static uint64_t high_bits(uint64_t offset)
{
    return offset & ~(uint64_t)UINT32_MAX;
}

static bool is_shape_of(const struct piece_shape *shape, const struct piece *piece)
{
    return shape->digits == piece->digits && shape->elements == piece->elements &&
           shape->offset == high_bits(piece->offset) && digits_equal(shape->digit, piece->digit, piece->digits);
}

static size_t first_slot(const struct piece_shapes *shapes, const struct piece *piece)
{
    uint64_t seed = piece->elements ^ high_bits(piece->offset);
    uint64_t hash = XXH3_64bits_withSeed(piece->digit, piece->digits * sizeof(*piece->digit), seed);
    return (size_t)hash & (shapes->slot_count - 1);
}

static void rehash(struct piece_shapes *shapes, size_t count)
{
    assert(count && (count & (count - 1)) == 0 && count > shapes->list.count);
    free(shapes->slots);
    shapes->slot_count = count;
    shapes->slots = mem_zero(count, sizeof(*shapes->slots));
    for (size_t i = 0; i < shapes->list.count; ++i) {
        const struct piece_shape *shape = &shapes->list.data[i];
        struct piece piece = { 0, shape->digits, shape->offset, shape->elements, shape->digit };
        size_t slot = first_slot(shapes, &piece);
        while (shapes->slots[slot])
            slot = (slot + 1) & (count - 1);
        shapes->slots[slot] = (uint32_t)i + 1;
    }
}

static size_t add_shape(struct piece_shapes *shapes, const struct piece *piece)
{
    assert(shapes->list.count < UINT32_MAX);
    struct digit *digit = arena_alloc(&shapes->digits, piece->digits * sizeof(*digit));
    if (piece->digits)
        memcpy(digit, piece->digit, piece->digits * sizeof(*digit));
    *vec_push(&shapes->list) = (struct piece_shape){ piece->elements, high_bits(piece->offset), piece->digits, digit };
    return shapes->list.count - 1;
}

uint32_t piece_shapes_add(struct piece_shapes *shapes, const struct piece *piece)
{
    if (shapes->list.count && is_shape_of(&shapes->list.data[shapes->last], piece))
        return (uint32_t)shapes->last;
    if (shapes->list.count * 2 >= shapes->slot_count)
        rehash(shapes, shapes->slot_count ? shapes->slot_count * 2 : 64);
    size_t slot = first_slot(shapes, piece);
    while (shapes->slots[slot] && !is_shape_of(&shapes->list.data[shapes->slots[slot] - 1], piece))
        slot = (slot + 1) & (shapes->slot_count - 1);
    if (!shapes->slots[slot])
        shapes->slots[slot] = (uint32_t)add_shape(shapes, piece) + 1;
    shapes->last = shapes->slots[slot] - 1;
    return (uint32_t)shapes->last;
}

void piece_shapes_free(struct piece_shapes *shapes)
{
    vec_free(&shapes->list);
    free(shapes->slots);
    arena_free(&shapes->digits);
    *shapes = (struct piece_shapes){ 0 };
}
