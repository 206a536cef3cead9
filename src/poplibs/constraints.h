/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the planConstraints of calls whose plans are a few numbers, in JSON: {"lookupSplit": 4}, or in a group,
 * {"parallel": {"batch": 1}}.  Numbers and flags may be quoted, as property trees write them.  (Convolutions have more:
 * poplin/planner/plan_constraints.c.) */
#ifndef POPLIBS_CONSTRAINTS_H
#define POPLIBS_CONSTRAINTS_H

#include "poplibs/call.h"

struct poplibs_constraint {
    const char *key;
    unsigned *value; /* unchanged when the key is not there */
    bool is_flag;    /* true or false, as 1 or 0; otherwise a number from 1 on */
};

/* group: the object that has the keys; NULL for none.  Text "" is no constraint.  False after an error of the call. */
bool call_read_constraints(const struct call *call, const char *text, const char *group,
                           const struct poplibs_constraint *rows, size_t count);

#endif
