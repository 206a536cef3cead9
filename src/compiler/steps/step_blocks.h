/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of lightweight profiling: stamps are compute sets on the tiles that record, a flush is a stream copy of their
 * buffers. */
#ifndef COMPILER_STEPS_STEP_BLOCKS_H
#define COMPILER_STEPS_STEP_BLOCKS_H

#include "compiler/steps/steps.h"

/* Lightweight profiling: a stamp of a block, and the flush of the buffers. */
void steps_stamp(struct steps_builder *b, uint32_t node, uint32_t op, enum model_mark mark);
void steps_flush_blocks(struct steps_builder *b, uint32_t node, uint32_t op);

#endif
