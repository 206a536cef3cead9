/* SPDX-License-Identifier: Apache-2.0 */
/* Steps that send the same between the same tiles, as those of a network's equal layers do: what one of them sends is
 * found once.  A step is described by a hash of all that its traffic depends on, in which variables have the numbers in
 * which the step meets them. */
#ifndef COMPILER_EXCHANGE_SAME_STEPS_H
#define COMPILER_EXCHANGE_SAME_STEPS_H

#include "compiler/common/compiler.h"
#include "graph/view/edge.h"

/* 128 bits, so that two different steps do not have the same one; 0: a step that is like no other. */
struct step_key {
    uint64_t a, b;
};

/* Numbers that are hashed: when there are more, those so far become the two of their hash. */
struct step_hash {
    size_t count;
    uint64_t values[512];
};

/* What a thread needs to describe one step after another. */
struct step_describer {
    const pop_store *store;
    const struct order_result *order;
    struct step_hash hash; /* of the step so far */
    uint32_t *number;      /* by variable: in this step, from 1 on */
    VEC(uint32_t) variables;
    struct step_key *maps; /* by variable: of its type and mapping, once it was asked for */
};
void step_describer_init(struct step_describer *d, const pop_store *store, const struct order_result *order);
void step_describer_free(struct step_describer *d);

/* From few numbers: steps of which these differ need no further look. */
struct step_key rough_key_of_set(const struct order_result *order, const struct used_set *set);
struct step_key rough_key_of_copy(const struct program_node *n);
struct step_key step_key_of_set(struct step_describer *d, const struct used_set *set);
struct step_key step_key_of_copy(struct step_describer *d, const struct program_node *n);

/* By step: the first one of the same key, which may be itself. */
void same_steps_find(const struct step_key *keys, size_t count, uint32_t *first);

#endif
