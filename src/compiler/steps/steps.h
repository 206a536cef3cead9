/* SPDX-License-Identifier: Apache-2.0 */
/* What steps.c and step_leaves.c share: the tree of the model's steps while it is built. */
#ifndef COMPILER_STEPS_STEPS_H
#define COMPILER_STEPS_STEPS_H

#include "compiler/exchange/host_exchange.h"
#include "compiler/exchange/traffic.h"
#include "program/node.h"

/* The tree of steps of the model: steps, children, controls, functions, entry, op_first, op_steps, host exchanges. */
const struct steps_result *pass_steps(struct compiler *c, const struct use_result *use,
                                      const struct check_result *check, const struct order_result *order,
                                      const struct blocks_result *blocks, const struct lower_result *lower,
                                      const struct exchange_result *exchange);

/* A step whose children are being collected. */
struct open_step {
    uint32_t node; /* a program's node, or NONE: a slot of its parent, or a body */
    uint32_t step;
    size_t first_child; /* of builder.pending */
    bool shares;        /* a Sequence that is its slot's whole content: the slot's step is its own */
};
/* Consecutive stream copies become one. */
struct stream_group {
    VEC(uint32_t) nodes;
    uint32_t op;
    uint32_t number; /* groups so far, from 1 on */
};
struct op_step {
    uint32_t op, step;
};
/* Exchanges of one word from a tile to all. */
struct broadcast {
    uint32_t tile;
    struct exchange_pair pair;
};
struct steps_builder {
    struct compiler *c;
    const struct use_result *use;
    const struct blocks_result *blocks;
    const struct lower_result *lower;
    const struct exchange_result *exchange;
    struct steps_result *result;
    struct model *model;
    struct owners owners;
    struct host_exchange host;
    struct traffic_loads loads;
    tile_copies copies;
    struct stream_group streams;
    uint32_t *written,
        *touched; /* by variable: the last group of stream copies that wrote it, that had to do with it */
    VEC(struct open_step) open;
    VEC(uint32_t) pending; /* children of the open steps */
    VEC(struct op_step) op_steps;
    VEC(uint32_t) body_step, body_op; /* by body */
    VEC(uint32_t) call_op;            /* by CALL step, in order: the op that it goes to */
    VEC(uint32_t) call_step;
    VEC(struct broadcast) broadcasts;
    uint32_t stamp; /* index of the model's sets: a stamp of lightweight profiling; NONE before the first */
    unsigned switches;
};

/* A step of the model and where it comes from, as the next child of what is open; executing op (NONE: no op) goes
 * through it. */
uint32_t steps_leaf(struct steps_builder *b, uint32_t op, struct model_step step, struct step_origin origin);

/* step_blocks.c: steps of lightweight profiling: stamps are compute sets on the tiles that record, a flush is a
 * stream copy of their buffers. */

/* Lightweight profiling: a stamp of a block, and the flush of the buffers. */
void steps_stamp(struct steps_builder *b, uint32_t node, uint32_t op, enum model_mark mark);
void steps_flush_blocks(struct steps_builder *b, uint32_t node, uint32_t op);

/* step_streams.c: stream copies as steps: those that follow each other are put off and become one; what the host
 * sends in its own order is sorted by the tiles. */
void steps_flush(struct steps_builder *b);
/* step_streams.c: a stream copy, put off to be merged; tensors that a program hands to the host or gets from it; a host
 * function's. */
bool steps_is_stream(const struct program_node *n);
void steps_stream(struct steps_builder *b, uint32_t node, uint32_t op);
void steps_hand_over(struct steps_builder *b, uint32_t node, uint32_t op, const struct view *const *views, size_t count,
                     bool to_host);
void steps_host_call(struct steps_builder *b, uint32_t node, uint32_t op);
/* Steps for the host exchanges that were just collected. */
void steps_host_copies(struct steps_builder *b, uint32_t op, uint32_t name, enum model_stream detail,
                       struct step_origin origin);

/* step_leaves.c: the steps of programs without children, and those that control flow needs before it. */

/* The steps of a program without children, those that come before an If or a Switch, and the copies that were put off
 * to be merged. */
void steps_of_program(struct steps_builder *b, uint32_t node, uint32_t op);
void steps_before(struct steps_builder *b, uint32_t node, uint32_t op);
/* What they share. */
struct step_origin steps_origin(uint32_t node, enum step_role role);
/* A step for an entry of one of the model's tables; none where index is NONE. */
void steps_plan(struct steps_builder *b, uint32_t op, enum model_kind kind, uint32_t index, struct step_origin origin);
/* Steps by which the host selects the program to run. */
void steps_entry(struct steps_builder *b);

#endif
