/* SPDX-License-Identifier: Apache-2.0 */
/* The exchanges and local copies of one step, found without changing anything that threads share. */
#ifndef COMPILER_EXCHANGE_STEP_TRAFFIC_H
#define COMPILER_EXCHANGE_STEP_TRAFFIC_H

#include "compiler/common/owners.h"
#include "compiler/exchange/marks.h"
#include "compiler/exchange/traffic.h"

/* A part that is on the tile that needs it in a buffer. */
struct local_part {
    uint32_t tile;
    struct variable_part part;
};
/* What a thread needs to find the traffic of one step after another. */
struct traffic {
    struct compiler *c; /* read only */
    const struct order_result *order;
    struct traffic_loads before, after; /* a set: exchanges before and after it; copies use the first */
    tile_copies copies_before, copies_after;
    VEC(struct local_part) locals; /* of edges that read from elsewhere too */
    struct owners owners;
    struct bitmaps delivered_bits, sent_bits;
    struct marks delivered; /* elements that the current tile has, or has received */
    struct marks sent;      /* that have left their tiles in this step */
    uint32_t tile;          /* of the current vertex */
    uint64_t longest;       /* of the current set's: see struct step_plan */
};
/* sent: bits to use for what has left its tile, all 0 between steps; NULL: bits of its own. */
void traffic_init(struct traffic *t, struct compiler *c, const struct order_result *order,
                  const struct check_result *check, struct bitmaps *sent);
void traffic_free(struct traffic *t);

/* A step before it is in the model's tables; of a copy, copies_before and before alone. */
struct step_draft {
    struct exchange_drafts before, after;
    tile_copies copies_before, copies_after;
    uint64_t longest; /* see struct step_plan */
};
/* draft: overwritten. Its lists belong to the caller. */
void traffic_of_set(struct traffic *t, const struct used_set *set, struct step_draft *draft);
void traffic_of_local_set(struct traffic *t, struct step_draft *draft); /* of one that moves nothing */
void traffic_of_copy(struct traffic *t, const struct program_node *n, struct step_draft *draft);

#endif
