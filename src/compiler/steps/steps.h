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

#endif
