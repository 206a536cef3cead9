/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of lightweight profiling: programs whose begin and end are recorded on a few tiles
 * (docs/reports/capturing.md). */
#ifndef COMPILER_LOWER_BLOCKS_H
#define COMPILER_LOWER_BLOCKS_H

#include "compiler/common/compiler.h"

/* A stamp: a vertex of the runtime reads the clock and appends a record.  Two of them are between blocks that follow
 * each other, and 36 cycles were measured there on hardware (docs/reports/capturing.md). */
enum { BLOCK_STAMP_CYCLES = 18 };

/* Also the model's blocks.  NULL: a filter that is no regular expression, a tile that the target lacks. */
const struct blocks_result *pass_blocks(struct compiler *c, const struct use_result *use);

static inline bool is_block(const struct blocks_result *blocks, uint32_t node)
{
    return blocks->of && blocks->of[node];
}
/* Whether records are flushed at the end of a loop's body. */
static inline bool flushes_blocks(const struct blocks_result *blocks, uint32_t node)
{
    return blocks->flush && blocks->flush[node];
}

#endif
