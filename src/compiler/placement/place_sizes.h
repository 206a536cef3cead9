/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes of what is in a tile's memory all the time (docs/concepts/memory.md). */
#ifndef COMPILER_PLACEMENT_PLACE_SIZES_H
#define COMPILER_PLACEMENT_PLACE_SIZES_H

#include "compiler/common/compiler.h"

/* Bytes that are always live, by tile and category: all but variables and buffers. */
struct place_sizes {
    uint64_t (*fixed)[MODEL_CATEGORIES];
    uint32_t tiles;
    bool code; /* whether code is counted: the guide, IPUModel::compileIPUCode */
};
struct place_inputs;
void place_sizes(struct compiler *c, const struct place_inputs *in, struct place_sizes *sizes);

#endif
