/* SPDX-License-Identifier: Apache-2.0 */
#include "compiler/common/bits.h"

#include <assert.h>

void bitmaps_init(struct bitmaps *maps, size_t variables)
{
    *maps = (struct bitmaps){ .of = mem_zero(variables, sizeof(*maps->of)), .count = variables };
}

void bitmaps_free(struct bitmaps *maps)
{
    for (size_t i = 0; i < maps->large.count; ++i)
        free(maps->large.data[i]);
    vec_free(&maps->large);
    arena_free(&maps->small);
    free(maps->of);
    *maps = (struct bitmaps){ 0 };
}

enum { SMALL_WORDS = 64 };

static uint64_t *bitmap_create(struct bitmaps *maps, uint32_t variable, uint64_t words)
{
    uint64_t *bits =
        words <= SMALL_WORDS ? arena_alloc(&maps->small, words * sizeof(*bits)) : mem_zero(words, sizeof(*bits));
    if (words <= SMALL_WORDS)
        memset(bits, 0, words * sizeof(*bits));
    else
        *vec_push(&maps->large) = bits;
    return maps->of[variable] = bits;
}

uint64_t *bitmaps_get(struct bitmaps *maps, uint32_t variable, uint64_t elements)
{
    assert(variable < maps->count);
    return maps->of[variable] ? maps->of[variable] : bitmap_create(maps, variable, elements / 64 + 1);
}

bool bitmaps_clean(const struct bitmaps *maps, uint32_t variable, uint64_t elements)
{
    return !maps->of[variable] || !bits_any(maps->of[variable], 0, elements);
}
