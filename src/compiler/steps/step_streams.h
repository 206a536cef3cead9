/* SPDX-License-Identifier: Apache-2.0 */
/* Stream copies as steps: those that follow each other are put off and become one; what the host sends in its own order
 * is sorted by the tiles. */
#ifndef COMPILER_STEPS_STEP_STREAMS_H
#define COMPILER_STEPS_STEP_STREAMS_H

#include "compiler/steps/steps.h"

void steps_flush(struct steps_builder *b);
/* step_streams.c: a stream copy, put off to be merged; tensors that a program hands to the host or gets from it; a host
 * function's. */
bool steps_is_stream(const struct program_node *n);
void steps_stream(struct steps_builder *b, uint32_t node, uint32_t op);
void steps_hand_over(struct steps_builder *b, uint32_t node, uint32_t op, const struct view *const *views, size_t count,
                     bool to_host);
void steps_host_call(struct steps_builder *b, uint32_t node, uint32_t op);
/* Steps for the host exchanges that were just collected. */
void steps_host_copies(struct steps_builder *b, uint32_t op, uint32_t name, enum model_stream detail,
                       struct step_origin origin);

#endif
