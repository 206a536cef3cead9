/* SPDX-License-Identifier: Apache-2.0 */
/* Parser of planConstraints. */
#ifndef POPLIN_PLANNER_PLAN_CONSTRAINTS_H
#define POPLIN_PLANNER_PLAN_CONSTRAINTS_H

#include "poplin/planner/conv_options.h"

/* Parses the JSON of planConstraints to at most POPLIN_MAX_ALTERNATIVES constraints; false, with an error message in
 * text, if it is invalid. */
bool poplin_plan_constraints_read(const char *json, unsigned num_ipus, struct poplin_plan_constraints *constraints,
                                  unsigned *count, char *text, size_t size);

#endif
