/* SPDX-License-Identifier: Apache-2.0 */
/* The fields of a plan, one row each: the table is used to read and write planConstraints, to print plans, and to name
 * constraints that no plan satisfies. */
#ifndef POPLIN_PLANNER_PLAN_FIELDS_H
#define POPLIN_PLANNER_PLAN_FIELDS_H

#include "poplin/params/params.h"
#include "poplin/planner/plan.h"

/* The place of a field in planConstraints and in the text of plans: two objects of a level, or outside of the
 * levels. */
enum plan_field_group { PLAN_TRANSFORM, PLAN_PARTITION, PLAN_VERTEX };
enum plan_field_kind {
    PLAN_NUMBER,
    PLAN_FLAG,
    PLAN_DIMS,   /* a set of field dimensions */
    PLAN_LIST,   /* a number for each field dimension */
    PLAN_SPLIT,  /* struct plan_split */
    PLAN_METHOD, /* in constraints an index in plan_methods */
    PLAN_TYPE,
    PLAN_DIRECTION /* ascending or descending */
};
struct plan_field {
    const char *name;
    enum plan_field_group group;
    enum plan_field_kind kind;
    /* Offsets of unsigned members (for PLAN_METHOD and PLAN_TYPE of a plan: of members of their own types). */
    size_t in_plan, in_constraints;
    bool is_constrained; /* false: in_constraints is not used */
    unsigned neutral;    /* the value that has no effect */
    unsigned of_methods; /* bits of enum method_fields; 0: all methods */
    unsigned order;      /* order in which plan_blame tries constraints */
};
extern const struct plan_field plan_fields[]; /* terminated by a NULL name */

/* The field of this name that constraints may fix; NULL if there is none. */
const struct plan_field *plan_field_named(const char *name);
/* The number of values of its constraint: 1, 2 (serial and parallel) or POPLIN_MAX_FIELD_DIMS. */
size_t plan_field_count(const struct plan_field *field);
unsigned *plan_constraint_of(struct plan_constraints *constraints, const struct plan_field *field);
/* Whether the plan's method has this field. */
bool plan_has(const struct conv_plan *plan, const struct plan_field *field);
const unsigned *plan_numbers(const struct conv_plan *plan, const struct plan_field *field);
/* Whether the plan's fields of a group satisfy the constraints. */
bool plan_keeps(const struct conv_plan *plan, const struct plan_constraints *constraints, enum plan_field_group group);
/* Writes the members of a set, or numbers, in the given brackets: "{0,1}". */
void plan_text_dims(struct params_text *text, const char *brackets, unsigned dims);
void plan_text_list(struct params_text *text, const char *brackets, const unsigned *list, size_t count);

#endif
