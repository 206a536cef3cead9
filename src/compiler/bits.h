/* SPDX-License-Identifier: Apache-2.0 */
/* One bit for each element of a variable, for questions like "is it written twice".  A bitmap is made when its variable is first asked
 * about and serves every set after that: whoever sets bits clears them. */
#ifndef COMPILER_BITS_H
#define COMPILER_BITS_H

#include "base/vec.h"

struct bitmaps {
    uint64_t **of;      /* by variable; NULL: none yet */
    size_t count;
    struct arena small; /* side by side: there may be millions of variables */
    VEC(uint64_t *) large;
};
void bitmaps_init(struct bitmaps *maps, size_t variables);
void bitmaps_free(struct bitmaps *maps);
uint64_t *bitmaps_get(struct bitmaps *maps, uint32_t variable, uint64_t elements);
bool bitmaps_clean(const struct bitmaps *maps, uint32_t variable, uint64_t elements);

/* Sets [begin, end) and returns how many of the bits were 0 before. */
uint64_t bits_set(uint64_t *bits, uint64_t begin, uint64_t end);
void bits_clear(uint64_t *bits, uint64_t begin, uint64_t end);
bool bits_any(const uint64_t *bits, uint64_t begin, uint64_t end);
bool bits_all(const uint64_t *bits, uint64_t begin, uint64_t end);
/* Where the bits of [begin, end) stop being what the first one is. */
uint64_t bits_stretch(const uint64_t *bits, uint64_t begin, uint64_t end);

#endif
