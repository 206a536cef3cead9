/* SPDX-License-Identifier: Apache-2.0 */
/* Results of passes: pass_NAME returns a NAME_result, which is const for all later passes and lives as long as the
 * compilation (docs/decisions/0019-results-of-passes.md).  What becomes part of the executable is in the image. */
#ifndef COMPILER_COMMON_RESULTS_H
#define COMPILER_COMMON_RESULTS_H

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

#define NONE UINT32_MAX

/* use: what the control programs reach. */
struct use_result {
    uint32_t *references;   /* by node: number of places where it occurs; 0: unused */
    VEC(uint32_t) finished; /* used nodes, children before parents */
    VEC(uint32_t) sets;     /* compute sets that programs execute, in the order of the image's: index of store->sets */
    uint32_t *set_of;       /* by store set: index of sets, or NONE */
};

/* check */
enum variable_use { VARIABLE_UNUSED = 0, VARIABLE_MAPPED, VARIABLE_GAPS /* used, and not all of it is mapped */ };
struct check_result {
    uint8_t *variable_use; /* by variable: enum variable_use */
    uint64_t vertex_count; /* of used sets */
    bool
        behaves; /* programs set the floating-point flags: vertices run the build of their codelets that honours them */
};

/* A compute set that programs execute; the image's set of the same index.  first and count: of order_result.vertices.
 */
struct used_set {
    uint32_t set; /* index of store->sets */
    uint32_t first_group, groups;
    uint64_t first, count;
};
/* Vertices of one type in a set, by tile, then in order of creation; the image's group of the same index. */
struct vertex_group {
    uint32_t type; /* index of store->types */
    uint64_t first, count;
    size_t first_span, spans;
};
/* The part of a group on one tile. */
struct tile_span {
    uint32_t tile, count;
};

/* sets: used vertices by (set, creation), no groups.  order: by (set, type, tile, creation), with groups. */
struct order_result {
    uint32_t *vertices; /* of the store */
    uint64_t count;
    VEC(struct used_set) sets;
    VEC(struct vertex_group) groups;
    VEC(struct tile_span) spans;
};
/* storage */
#define NO_STORAGE UINT64_MAX
struct storage_result {
    uint64_t *offset; /* by variable: bytes from the start of the host's storage, or NO_STORAGE */
};

/* blocks: programs that lightweight profiling records. */
struct blocks_result {
    bool *of;        /* by node: it is a block; NULL: none is */
    bool *flush;     /* by node: a loop at the end of whose body buffers are flushed; NULL as well */
    uint32_t buffer; /* bytes of a tile's */
};

/* outline */
struct outline_result {
    uint32_t *same;       /* by node: the first one that does the same */
    uint32_t *references; /* by node: in how many places it occurs, all that do the same being one */
};

/* lower: the programs in the order of lowering, for the pass that builds the model's tree. A leaf or a container opens
 * at its first op; a slot begins a child of a container that is not a sequence; a call refers to a shared body. */
enum lowered_kind {
    LOWERED_BODY = 0,
    LOWERED_OPEN,
    LOWERED_SLOT,
    LOWERED_CLOSE,
    LOWERED_AGAIN, /* a repeated leaf */
    LOWERED_CALL,
    LOWERED_BLOCK, /* a block of lightweight profiling begins, before its program opens, and ends after it */
    LOWERED_BLOCK_END,
    LOWERED_FLUSH /* its buffers are sent to the host, at the end of a loop's body */
};
struct lowered_event {
    uint8_t kind;
    uint32_t node;
    uint32_t op;
};
struct lower_result {
    VEC(uint32_t) op_node; /* by op: the node it came from, or NONE */
    VEC(struct lowered_event) events;
    VEC(uint32_t) control_body; /* by control program: index of the bodies */
};

/* schedule */
struct schedule_result {
    uint32_t *type_of; /* by store type: index + 1 of model.types; 0: no vertex has it */
};

/* exchange: what the machine does for an Execute or a Copy: indices of the model's tables, NONE where it takes no such
 * step. */
struct step_plan {
    bool known;
    uint32_t global_before, exchange_before, copy_before, set, copy_after, exchange_after, global_after;
    /* Range of exchange_result.rearranged: bytes by tile of the buffers for rearranged data. */
    uint64_t first_rearranged;
    uint32_t rearranged_before, rearranged_after;
    uint64_t longest; /* bytes of the longest row of which a tile receives all or a part before the set */
};
struct tile_bytes {
    uint32_t tile;
    bool sends; /* of a message: in the exchange that brings it the tile sends too, if only to itself */
    uint64_t bytes;
};
typedef VEC(struct tile_bytes) tile_byte_list;
struct exchange_result {
    struct step_plan *of_set;  /* by used set */
    struct step_plan *of_node; /* by node: of Copies */
    tile_byte_list rearranged;
};

/* steps: where a step of the model comes from. */
enum step_role {
    ROLE_CONTAINER = 0,
    ROLE_EXCHANGE_BEFORE, /* receives what a set reads from other tiles; the exchange of a Copy */
    ROLE_COPY_BEFORE,     /* rearranges what a set reads into contiguous buffers */
    ROLE_SET,
    ROLE_COPY_AFTER,
    ROLE_EXCHANGE_AFTER,
    ROLE_COPY,      /* what a Copy moves within tiles */
    ROLE_STREAM,    /* of node and of the further nodes that were merged into it: steps_result.merged */
    ROLE_BROADCAST, /* a Switch's value to all tiles */
    ROLE_ENTRY,     /* receives the number of the program to run */
    ROLE_OTHER
};
struct step_origin {
    uint32_t node;                 /* of the program tree, or NONE */
    uint32_t set;                  /* index of used sets, or NONE */
    uint32_t first_merged, merged; /* STREAM: nodes of steps_result.merged that the step copies, in order */
    uint8_t role;
    bool buffered; /* STREAM, and the exchange and copies of role OTHER before or after it: what moves is in a buffer
                      on the host's side */
};
struct steps_result {
    VEC(struct step_origin) origins; /* by step of the model */
    VEC(uint32_t) merged;            /* nodes */
};

/* live: struct live of liveness/live.h. */

#endif
