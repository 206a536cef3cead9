/* SPDX-License-Identifier: Apache-2.0 */
/* One bit for each element of a variable, for questions like "is it written twice".  A bitmap is made when its variable
 * is first asked about and serves every set after that: a pass that sets bits clears them. */
#ifndef COMPILER_COMMON_BITS_H
#define COMPILER_COMMON_BITS_H

#include "base/bits.h"
#include "base/vec.h"

struct bitmaps {
    uint64_t **of; /* by variable; NULL: none yet */
    size_t count;
    struct arena small; /* side by side: there may be millions of variables */
    VEC(uint64_t *) large;
};
void bitmaps_init(struct bitmaps *maps, size_t variables);
void bitmaps_free(struct bitmaps *maps);
uint64_t *bitmaps_get(struct bitmaps *maps, uint32_t variable, uint64_t elements);
bool bitmaps_clean(const struct bitmaps *maps, uint32_t variable, uint64_t elements);

#endif
