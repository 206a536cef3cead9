/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of programs without children, and those that control flow needs before it. */
#ifndef COMPILER_STEPS_STEP_LEAVES_H
#define COMPILER_STEPS_STEP_LEAVES_H

#include "compiler/steps/steps.h"

/* The steps of a program without children, those that come before an If or a Switch, and the copies that were put off
 * to be merged. */
void steps_of_program(struct steps_builder *b, uint32_t node, uint32_t op);
void steps_before(struct steps_builder *b, uint32_t node, uint32_t op);
/* What they share. */
struct step_origin steps_origin(uint32_t node, enum step_role role);
/* A step for an entry of one of the model's tables; none where index is NONE. */
void steps_plan(struct steps_builder *b, uint32_t op, enum model_kind kind, uint32_t index, struct step_origin origin);
/* Steps by which the host selects the program to run. */
void steps_entry(struct steps_builder *b);

#endif
