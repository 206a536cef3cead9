/* SPDX-License-Identifier: Apache-2.0 */
/* Cycles of compute sets that are counted while they run (docs/decisions/0028-counted-cycles.md): what each tile took
 * in an execution. Executions that took the same share an entry. */
#ifndef TIMELINE_COSTS_H
#define TIMELINE_COSTS_H

#include "image/model.h"

struct step_cost {
    uint32_t set, parts; /* set: of the model */
    uint64_t first_part;
};
/* cost: of the list, + 1; 0: the set was not counted in a run.  fresh: a report does not have it yet. */
struct step_last {
    uint32_t cost;
    bool fresh;
};
struct step_costs {
    VEC(struct step_cost) list;
    VEC(struct model_part) parts;
    VEC(uint32_t) slots; /* hash of set and parts: index + 1 of the list */
    /* The last execution of each set. */
    VEC(struct step_last) last; /* by set of the model; empty: none was counted */
    VEC(uint64_t) active;       /* by share of the model: what its vertices took */
    VEC(uint64_t) vertices;     /* by vertex of the model */
};
#define COSTS_FULL UINT32_MAX

/* The index of an execution's cycles; COSTS_FULL when there are too many different ones to keep. */
uint32_t step_costs_add(struct step_costs *costs, uint32_t set, const struct model_part *parts, size_t count);
/* Makes an execution its set's last one. */
void step_costs_last(struct step_costs *costs, const struct model *model, uint32_t cost);
/* A report has them all. */
void step_costs_written(struct step_costs *costs);
/* The last execution of a set of the model; NULL: none was counted. */
const struct step_cost *step_costs_of(const struct step_costs *costs, size_t set);
/* Where the cycles of a type's vertices are from: "given" (setPerfEstimate), "counted" (of vertices in assembly: in
 * runs), "guessed", "counted on zeros" (in assembly, and a set of them did not run). */
const char *step_costs_origin(const struct step_costs *costs, const struct model *model, uint32_t type);
/* What the vertices of a share of a set took: in the last execution, or as estimated. */
uint64_t step_costs_active(const struct step_costs *costs, const struct model *model, size_t set, uint64_t share);
/* Copies list and parts. */
void step_costs_copy(struct step_costs *to, const struct step_costs *from);
void step_costs_free(struct step_costs *costs);

#endif
