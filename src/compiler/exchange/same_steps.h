/* SPDX-License-Identifier: Apache-2.0 */
/* Steps that send the same between the same tiles, as those of a network's equal layers do: what one of them sends is
 * found once.  A step is described by a hash of all that its traffic depends on, in which variables have the numbers in
 * which the step meets them.  Tiles are counted from the first one of the step's IPU, so that layers on several IPUs
 * are equal too; a step that has tiles of several IPUs is equal to those of the same IPUs alone. */
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

/* The type and mapping of a variable. */
struct map_key {
    struct step_key
        key;      /* tiles from the first one of its IPU on, of a variable on several IPUs all; 0: not asked for */
    uint32_t ipu; /* of its first element */
    bool several; /* IPUs */
};

/* What a thread needs to describe one step after another. */
struct step_describer {
    const pop_store *store;
    const struct order_result *order;
    struct step_hash hash; /* of the step so far */
    uint32_t *number;      /* by variable: in this step, from 1 on */
    VEC(uint32_t) variables;
    struct map_key *maps; /* by variable */
    uint32_t ipu;         /* of the step's first tile; NO_IPU: no tile so far */
    bool several;         /* IPUs */
};
void step_describer_init(struct step_describer *d, const pop_store *store, const struct order_result *order);
void step_describer_free(struct step_describer *d);

/* From few numbers: steps of which these differ need no further look. */
struct step_key rough_key_of_set(const struct order_result *order, const struct used_set *set);
struct step_key rough_key_of_copy(const struct program_node *n);
/* first_tile: that of the IPU of all tiles of the step; 0 if they are of several IPUs, or there are none. Steps of one
 * key send the same, but for the distance of their first tiles. */
struct step_key step_key_of_set(struct step_describer *d, const struct used_set *set, uint32_t *first_tile);
struct step_key step_key_of_copy(struct step_describer *d, const struct program_node *n, uint32_t *first_tile);

/* By step: the first one of the same key, which may be itself. */
void same_steps_find(const struct step_key *keys, size_t count, uint32_t *first);

#endif
