/* SPDX-License-Identifier: Apache-2.0 */
/* Where one variable is live in a program: control flow as a tree in depth-first order, and a solver that looks only at
 * the steps that touch the variable.  Functions occur once in the tree, with the union of what is live at their calls.
 */
#ifndef COMPILER_LIVENESS_LIVE_FLOW_H
#define COMPILER_LIVENESS_LIVE_FLOW_H

#include "base/vec.h"

enum flow_kind {
    FLOW_LEAF = 0,
    FLOW_CALL, /* a leaf; callee: position of a root */
    FLOW_SEQUENCE,
    FLOW_LOOP,  /* its child runs at least once */
    FLOW_SKIP,  /* its child runs any number of times, or never */
    FLOW_WHILE, /* condition, body; what the node itself reads is read between them */
    FLOW_BRANCH /* one of its children runs */
};
#define FLOW_NONE UINT32_MAX

/* A node's position is its index: children follow their parent, and what a root calls comes after it. */
struct flow_node {
    uint8_t kind;
    bool open;       /* BRANCH: it may be that none of the children runs */
    uint32_t parent; /* FLOW_NONE: a root */
    uint32_t last;   /* of the positions below it */
    uint32_t block;  /* root, or child of a loop or branch, that it belongs to */
    uint32_t root;
    uint32_t children;
    uint32_t callee;
};
struct flow_call {
    uint32_t position, callee, next; /* call of the same callee, or FLOW_NONE */
};
struct flow_span {
    uint32_t first, last;
};
typedef VEC(struct flow_span) flow_spans;

enum { FLOW_READ = 1, FLOW_WRITE = 2, FLOW_KILL = 4 /* with WRITE: writes all; alone: all becomes undefined */ };
struct flow_event {
    uint32_t position;
    uint8_t what;
};

struct flow {
    VEC(struct flow_node) nodes;
    VEC(uint32_t) controls;      /* roots that the host may run, any of them after any */
    VEC(struct flow_call) calls; /* by position */
    uint32_t functions;          /* roots that are called */
    uint32_t *first_call;        /* by root: index of calls, or FLOW_NONE */
    uint32_t open;               /* while building: the innermost node that is not closed */
    struct flow_item *items;     /* by position; what follows is the solver's */
    struct flow_block *blocks;
    uint32_t *seen; /* by root: the solution that passed through it */
    uint32_t solution;
    VEC(uint32_t) touched, stack;
    flow_spans spans; /* of the last solution: ascending, apart by at least one position */
};

/* Building: nodes in their order, then flow_ready.  The positions that are returned stay. */
uint32_t flow_open(struct flow *flow, enum flow_kind kind);
void flow_close(struct flow *flow);
uint32_t flow_leaf(struct flow *flow);
uint32_t flow_call(struct flow *flow); /* callee is filled in when its root is known */
void flow_ready(struct flow *flow);
void flow_free(struct flow *flow);

/* Solves for a variable: events in any order, several at a position are joined.  The positions at which it takes memory
 * are in flow->spans: where it is live, and where it is written. */
void flow_solve(struct flow *flow, const struct flow_event *events, size_t count);
/* Sorts and joins flow->spans. */
void flow_join(flow_spans *spans);

#endif
