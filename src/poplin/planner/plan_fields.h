/* SPDX-License-Identifier: Apache-2.0 */
/* The fields of a plan, one row each: planConstraints are read and written by these rows, plans printed, and the
 * constraints that no plan can keep named. */
#ifndef POPLIN_PLANNER_PLAN_FIELDS_H
#define POPLIN_PLANNER_PLAN_FIELDS_H

#include "poplin/params/params.h"
#include "poplin/planner/plan.h"

/* Where planConstraints and the text of plans have a field: two objects of a level, and beside the levels. */
enum plan_field_group { PLAN_TRANSFORM, PLAN_PARTITION, PLAN_VERTEX };
enum plan_field_kind {
    PLAN_NUMBER,
    PLAN_FLAG,
    PLAN_DIMS,   /* a set of field dimensions */
    PLAN_LIST,   /* a number for each field dimension */
    PLAN_SPLIT,  /* struct poplin_split */
    PLAN_METHOD, /* in constraints a place in poplin_methods */
    PLAN_TYPE,
    PLAN_DIRECTION /* ascending or descending */
};
struct plan_field {
    const char *name;
    enum plan_field_group group;
    enum plan_field_kind kind;
    size_t in_plan, in_constraints; /* offsets of unsigneds (PLAN_METHOD, PLAN_TYPE in a plan: what it says) */
    bool is_constrained;            /* false: in_constraints is nothing */
    unsigned neutral;               /* the value with which it does nothing */
    unsigned of_methods;            /* enum poplin_method_fields; 0: of all */
    unsigned order;                 /* in which constraints are blamed */
};
extern const struct plan_field plan_fields[]; /* ends with a name of NULL */

/* The field with this name that constraints may fix; NULL: there is none. */
const struct plan_field *plan_field_named(const char *name);
/* Numbers that a constraint of it has: 1, 2 (serial and parallel) or POPLIN_MAX_FIELD_DIMS. */
size_t plan_field_count(const struct plan_field *field);
unsigned *plan_constraint_of(struct poplin_plan_constraints *constraints, const struct plan_field *field);
/* Whether the plan's method has it. */
bool plan_has(const struct poplin_plan *plan, const struct plan_field *field);
const unsigned *plan_numbers(const struct poplin_plan *plan, const struct plan_field *field);
/* Whether the plan's numbers in a group satisfy the constraints. */
bool plan_keeps(const struct poplin_plan *plan, const struct poplin_plan_constraints *constraints,
                enum plan_field_group group);
/* "{0,1}" with these brackets: the members of a set, or so many numbers. */
void plan_text_dims(struct poplin_text *text, const char *brackets, unsigned dims);
void plan_text_list(struct poplin_text *text, const char *brackets, const unsigned *list, size_t count);

#endif
