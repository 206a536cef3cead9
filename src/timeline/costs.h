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
struct step_costs {
    VEC(struct step_cost) list;
    VEC(struct model_part) parts;
    VEC(uint32_t) slots; /* hash of set and parts: index + 1 of the list */
};
#define COSTS_FULL UINT32_MAX

/* The index of an execution's cycles; COSTS_FULL when there are too many different ones to keep. */
uint32_t step_costs_add(struct step_costs *costs, uint32_t set, const struct model_part *parts, size_t count);
void step_costs_copy(struct step_costs *to, const struct step_costs *from);
void step_costs_free(struct step_costs *costs);

#endif
