/* SPDX-License-Identifier: Apache-2.0 */
/* Liveness of whole variables, and of the temporary buffers of steps. */
#ifndef COMPILER_LIVENESS_LIVE_H
#define COMPILER_LIVENESS_LIVE_H

#include "compiler/common/compiler.h"
#include "compiler/liveness/live_flow.h"
#include "image/placement.h"

/* Liveness classes: sets of positions at which something takes memory, as spans of live.spans. Equal sets have one
 * class. */
enum { LIVE_NEVER = 0, LIVE_ALWAYS };
struct live_class {
    uint64_t first;
    uint32_t count;
};
/* A buffer: bytes by tile are of live.bytes. */
struct live_buffer {
    uint8_t category;
    bool result;   /* of a set: tiles send it, or copy it to its place */
    uint32_t name; /* string of the image */
    uint32_t class;
    uint32_t count;
    uint64_t first;
    uint64_t row; /* bytes that must be contiguous on a tile: its longest row; 0: all */
};
/* What the buffers of a set are for. */
enum live_set_buffer {
    LIVE_MESSAGE,
    LIVE_GLOBAL_MESSAGE,
    LIVE_ARRANGED_BEFORE,
    LIVE_ARRANGED_AFTER,
    LIVE_OUTPUT,
    LIVE_GLOBAL_OUTPUT,
    LIVE_SET_BUFFERS
};
/* A hidden constant is on each tile that reads it. */
struct constant_tile {
    uint32_t variable, tile;
};
struct live {
    struct flow flow;   /* while the pass runs */
    VEC(uint32_t) step; /* by position: step of the model */
    VEC(struct flow_span) spans;
    VEC(struct live_class) classes;
    uint32_t *slots; /* hash of spans -> class + 1; while the pass runs */
    size_t slot_count;
    uint32_t *class_of; /* by variable */
    uint32_t *names;    /* by name of the store: string of the image, 0 until first needed (also by later passes) */
    VEC(struct live_buffer) buffers;
    uint32_t (*set_buffers)[LIVE_SET_BUFFERS]; /* by index of sets: of buffers, or NONE */
    VEC(struct tile_bytes) bytes;
    VEC(struct constant_tile) constants;
    VEC(struct placement_access) accesses; /* by step */
    uint32_t *alignment;                   /* by variable: the maximum that a field requires; 0: none */
    bool *interleaved;                     /* by variable: whether a field requires the interleaved region */
};

/* Results of earlier passes. */
struct live_inputs {
    const struct use_result *use;
    const struct check_result *check;
    const struct order_result *sets, *order;
    const struct storage_result *storage;
    const struct exchange_result *exchange;
    const struct steps_result *steps;
};
const struct live *pass_live(struct compiler *c, const struct live_inputs *in);

/* What the vertices of a set do with a variable. */
enum { ACCESS_READ_HERE = 1, ACCESS_READ_AWAY = 2, ACCESS_WRITE_HERE = 4, ACCESS_WRITE_AWAY = 8, ACCESS_KILL = 16 };
struct set_access {
    uint32_t set, variable;
    uint64_t written;    /* elements */
    uint64_t begin, end; /* elements that are known to be on a tile: the last query */
    uint32_t tile;
    uint8_t what;
};
typedef VEC(struct set_access) set_access_list;
struct set_accesses {
    set_access_list list; /* by set */
    size_t *first;        /* by set, and one more */
};

/* What a program without children does with the variables of its tensors, one by one. */
typedef void (*access_fn)(uint32_t variable, uint8_t what /* enum of live_flow.h */, void *context);
struct view_sums; /* elements by variable, for one view after another */

/* The class of spans that are sorted and joined. */
uint32_t live_class_of(struct live *live, const flow_spans *spans);
/* The name that lists and dumps use for a variable; a string of the image. */
uint32_t live_variable_name(struct compiler *c, const struct live *live, uint32_t variable);
bool live_is_constant(const struct compiler *c, uint32_t variable);

#endif
