/* SPDX-License-Identifier: Apache-2.0 */
/* Places the blocks of one tile in its memory: blocks that are never live together may share addresses. */
#ifndef COMPILER_PLACEMENT_PLACE_FIT_H
#define COMPILER_PLACEMENT_PLACE_FIT_H

#include "compiler/liveness/live.h"

enum fit_where {
    FIT_CODE = 0 /* below the interleaved region */,
    FIT_INTERLEAVED,
    FIT_DATA /* anywhere; low addresses first */
};
/* 24 bytes; a network has some thousand on each tile. */
struct fit_block {
    uint64_t bytes;
    uint32_t class;     /* of live.classes */
    uint32_t alignment; /* a power of two */
    uint8_t category, where;
    uint8_t element; /* the first memory element for it, as long as it fits below the interleaved region */
    uint8_t kind;    /* for the caller, as is what: what the block is */
    uint32_t what;
};
/* Two blocks of which no byte may be in the same memory element. */
struct fit_pair {
    uint32_t a, b;
};

struct fit_memory {
    uint64_t bytes, start; /* of the tile; where the interleaved region begins */
    uint64_t element;      /* bytes of a memory element; above start two are interleaved and count as one */
};
struct fit_result {
    struct model_tile tile;
    uint64_t uses[MODEL_CATEGORIES][MODEL_REGIONS][MODEL_OVERLAPS];
    uint32_t failed_pair; /* one that cannot be met, or NONE */
};
/* address: by block, filled in. */
void fit_place(const struct fit_memory *memory, const struct live *live, const struct fit_block *blocks, size_t count,
               const struct fit_pair *pairs, size_t pair_count, uint64_t *address, struct fit_result *result);
/* The memory element of an address, and where it ends. */
uint64_t fit_element(const struct fit_memory *memory, uint64_t address, uint64_t *end);
/* Whether two classes are live together at some position. */
bool fit_meet(const struct live *live, uint32_t a, uint32_t b);

#endif
