/* SPDX-License-Identifier: Apache-2.0 */
/* Writes plans as text, and as JSON of planConstraints. */
#ifndef POPLIN_PLANNER_PLAN_TEXT_H
#define POPLIN_PLANNER_PLAN_TEXT_H

#include "poplin/planner/plan.h"

/* Writes lines of text; buffer and result as snprintf. */
size_t poplin_plan_text(const struct poplin_plan *plan, const struct poplin_plan_cost *cost,
                        const poplin_conv_params *params, char *buffer, size_t size);
/* Writes a plan as planConstraints to a file; false if that fails. */
bool poplin_plan_write_constraints(const struct poplin_plan *plan, const char *file);

#endif
