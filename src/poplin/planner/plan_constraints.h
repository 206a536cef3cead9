/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON of planConstraints. */
#ifndef POPLIN_PLANNER_PLAN_CONSTRAINTS_H
#define POPLIN_PLANNER_PLAN_CONSTRAINTS_H

#include "poplin/planner/conv_options.h"

/* planConstraints' JSON alone, POPLIN_MAX_ALTERNATIVES at most; on failure text says what is wrong with it. */
bool poplin_plan_constraints_read(const char *json, unsigned num_ipus, struct poplin_plan_constraints *constraints,
                                  unsigned *count, char *text, size_t size);

#endif
