/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of lightweight profiling: programs whose begin and end are recorded on a few tiles (docs/lightweight.md). */
#ifndef COMPILER_LOWER_BLOCKS_H
#define COMPILER_LOWER_BLOCKS_H

#include "compiler/common/compiler.h"

/* A stamp: a vertex of the runtime reads the clock and appends a record.  Two of them lie between blocks that follow
 * each other, and 36 cycles were measured there on hardware (docs/lightweight.md). */
enum { BLOCK_STAMP_CYCLES = 18 };

static inline bool is_block(const struct compiler *c, uint32_t node)
{
    return c->blocks.of && c->blocks.of[node];
}
/* Whether records are flushed at the end of a loop's body. */
static inline bool flushes_blocks(const struct compiler *c, uint32_t node)
{
    return c->blocks.flush && c->blocks.flush[node];
}
void blocks_free(struct blocks *blocks);

#endif
