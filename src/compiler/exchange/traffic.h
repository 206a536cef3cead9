/* SPDX-License-Identifier: Apache-2.0 */
/* What tiles send to each other in one exchange, and the exchanges of the model that this becomes: one within IPUs and
 * one between them. */
#ifndef COMPILER_EXCHANGE_TRAFFIC_H
#define COMPILER_EXCHANGE_TRAFFIC_H

#include "compiler/common/tables.h"
#include "target/exchange_cost.h"
#include "target/exchange_schedule.h"

/* One tile's part; of an exchange between IPUs, bytes alone. */
struct tile_load {
    uint64_t sent, received;
    uint32_t sends, receives;    /* messages */
    uint32_t continues;          /* received messages that continue the one before: see loads_continue */
    uint32_t senders, receivers; /* other tiles that it receives from, and sends to; 0 between IPUs */
    bool touched;
};
struct load {
    struct tile_load *tiles;
    VEC(uint32_t) touched;
};
struct traffic_loads {
    const pop_target *target;
    struct load internal, global;
    uint64_t *between;                  /* bytes by source IPU, destination IPU */
    struct exchange_schedule *schedule; /* of the internal one */
    uint64_t **sender_bits;             /* by receiver: a bit for each tile of its IPU that it received from; or NULL */
};
void loads_init(struct traffic_loads *loads, const pop_target *target);
void loads_free(struct traffic_loads *loads);

/* What the tile receives from now on goes into another buffer. */
void loads_buffer(struct traffic_loads *loads, uint32_t tile);
/* A message that one tile sends, and one that a tile receives; what is sent once may be received by many.  to and from:
 * the other end.  what: a hash of what is received. */
void loads_send(struct traffic_loads *loads, uint32_t from, uint32_t to, uint64_t bytes);
void loads_receive(struct traffic_loads *loads, uint32_t from, uint32_t to, uint64_t bytes, uint64_t what);
/* The last message that a tile received continues the one before it: it comes from the same tile and goes to the next
 * address. */
void loads_continue(struct traffic_loads *loads, uint32_t tile);
/* Receives a part of a copy, which may be received at any time; senders have parts in the order of address. */
void loads_receive_part(struct traffic_loads *loads, uint32_t from, uint32_t to, uint64_t bytes, uint64_t what,
                        uint64_t address);

/* An exchange before it is in the model's tables. */
struct exchange_draft {
    VEC(struct model_flow) flows;              /* one for each tile that takes part, ascending; none: no exchange */
    uint64_t instructions[MODEL_INSTRUCTIONS]; /* bytes of code */
};
struct exchange_drafts {
    struct exchange_draft internal, global;
};
/* Empties the loads into drafts, which are overwritten. Changes nothing but the two. */
void loads_draft(struct traffic_loads *loads, struct exchange_drafts *drafts);
void drafts_free(struct exchange_drafts *drafts);

/* The two exchanges as entries of the model, NONE where nothing was sent.  names: of the two. */
struct exchange_pair {
    uint32_t internal, global;
};
struct exchange_pair drafts_add(const struct exchange_drafts *drafts, struct compiler *c, const char *internal,
                                const char *global);
/* Finishes both exchanges at once; the loads are empty again. */
struct exchange_pair loads_finish(struct traffic_loads *loads, struct compiler *c, const char *internal,
                                  const char *global);

#endif
