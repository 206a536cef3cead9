/* SPDX-License-Identifier: Apache-2.0 */
/* What the passes share: the graph that they read, the image that they make, and what earlier passes found out. */
#ifndef COMPILER_COMMON_COMPILER_H
#define COMPILER_COMMON_COMPILER_H

#include "compiler/common/bits.h"
#include "graph/store.h"
#include "image/image.h"
#include "program/node.h"

#define NONE       UINT32_MAX
#define NO_STORAGE UINT64_MAX
/* The public call that errors of compiling belong to. */
#define COMPILE_API "pop_compile_graph"
/* Readable bytes behind each variable and gather buffer, and the alignment of both. */
enum { STORAGE_PADDING = 64, STORAGE_ALIGNMENT = 64 };

/* A compute set that programs execute; the image's set of the same index.  first and count: of compiler.order. */
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
/* Those of them that are on one tile. */
struct tile_span {
    uint32_t tile, count;
};

/* What lowering went through, in its order, for the pass that builds the model's tree.  A leaf or a container opens
 * where its first op stands; a slot begins a child of one that is no sequence; a call stands for a body that is shared.
 */
enum lowered_kind {
    LOWERED_BODY = 0,
    LOWERED_OPEN,
    LOWERED_SLOT,
    LOWERED_CLOSE,
    LOWERED_AGAIN, /* a leaf that stood before */
    LOWERED_CALL,
    LOWERED_BLOCK, /* a block of lightweight profiling begins, before its program opens; it ends, behind it */
    LOWERED_BLOCK_END,
    LOWERED_FLUSH /* its buffers go to the host, at the end of a loop's body */
};
struct lowered {
    uint8_t kind;
    uint32_t node;
    uint32_t op;
};

/* What the machine does for an Execute or a Copy: indices of the model's tables, NONE where it takes no such step. */
struct step_plan {
    bool known;
    uint32_t global_before, exchange_before, copy_before, set, copy_after, exchange_after, global_after;
    /* Bytes by tile of buffers for what is laid out anew: of compiler.rearranged. */
    uint64_t first_rearranged;
    uint32_t rearranged_before, rearranged_after;
    uint64_t longest; /* bytes of the longest row that a tile receives, whole or in parts, before the set */
};
struct tile_bytes {
    uint32_t tile;
    uint64_t bytes;
};
/* Where a step of the model comes from. */
enum step_role {
    ROLE_CONTAINER = 0,
    ROLE_EXCHANGE_BEFORE, /* brings what a set reads from other tiles; the exchange of a Copy */
    ROLE_COPY_BEFORE,     /* lays out anew what a set reads */
    ROLE_SET,
    ROLE_COPY_AFTER,
    ROLE_EXCHANGE_AFTER,
    ROLE_COPY,      /* what a Copy moves within tiles */
    ROLE_STREAM,    /* of node and of the further nodes that were merged into it: the nodes of compiler.merged */
    ROLE_BROADCAST, /* a Switch's value to all tiles */
    ROLE_ENTRY,     /* how a run learns its program */
    ROLE_OTHER
};
struct step_origin {
    uint32_t node;                 /* of the program tree, or NONE */
    uint32_t set;                  /* index of compiler.sets, or NONE */
    uint32_t first_merged, merged; /* STREAM: nodes of compiler.merged that the step copies, in order */
    uint8_t role;
    bool buffered; /* STREAM, and the exchange and copies of role OTHER before or after it: what moves lies in a buffer
                      on the host's side */
};

struct compiler {
    pop_store *store;
    const pop_program *programs;
    size_t program_count;
    const struct option_set *options;
    struct image *image;
    pop_error *error;
    bool checked;  /* debug.checkedExecution */
    bool behaves;  /* programs set how floating point behaves: vertices run code that obeys it */
    bool modelled; /* the target has a model of cycles: all but the CPU */

    /* use */
    uint32_t *references;   /* by node: in how many places it stands; 0: no program uses it */
    VEC(uint32_t) finished; /* used nodes, children before parents */
    uint32_t *set_of;       /* by store set: index of sets, or NONE */
    VEC(struct used_set) sets;
    /* check */
    uint8_t *variable_use; /* by variable: enum variable_use */
    uint64_t vertex_count; /* of used sets */
    /* sets, order */
    uint32_t *order; /* used vertices by set, creation; then by set, type, tile, creation */
    VEC(struct vertex_group) groups;
    VEC(struct tile_span) spans;
    /* hazard, exchange: all bits are 0 between passes */
    struct bitmaps bits;
    /* storage */
    uint64_t *storage; /* by variable: byte offset, or NO_STORAGE */
    /* blocks */
    struct blocks {
        bool *of;        /* by node: it is a block; NULL: none is */
        bool *flush;     /* by node: a loop at the end of whose body buffers are flushed; NULL as well */
        uint32_t buffer; /* bytes of a tile's */
    } blocks;
    /* outline */
    uint32_t *same; /* by node: the first one that does the same */
    /* lower */
    VEC(uint32_t) op_node; /* by op: the node it came from, or NONE */
    VEC(struct lowered) lowered;
    VEC(uint32_t) control_body; /* by control program: index of the bodies */
    /* schedule, exchange */
    uint32_t *type_of;       /* by store type: index + 1 of model.types */
    struct step_plan *plans; /* by index of sets, then by node (COPY) */
    VEC(struct tile_bytes) rearranged;
    /* steps */
    VEC(struct step_origin) origins; /* by step of the model */
    VEC(uint32_t) merged;            /* nodes */
    /* live */
    struct live *live;
    uint32_t *alignment; /* by variable: the most that a field asks of it; 0: none does */
    bool *interleaved;   /* by variable: whether a field asks for the interleaved region */
    /* strings of the image */
    struct intern strings;
    VEC(uint32_t) string_at;
};
enum variable_use { VARIABLE_UNUSED = 0, VARIABLE_MAPPED, VARIABLE_GAPS /* used, and not all of it is mapped */ };

/* The passes, in their order: pipeline.c.  False: c->error is filled. */
bool pass_use(struct compiler *c);
bool pass_check(struct compiler *c);
bool pass_sets(struct compiler *c);
bool pass_hazard(struct compiler *c);
bool pass_order(struct compiler *c);
bool pass_storage(struct compiler *c);
bool pass_blocks(struct compiler *c);
bool pass_outline(struct compiler *c);
bool pass_lower(struct compiler *c);
bool pass_vertices(struct compiler *c);
bool pass_schedule(struct compiler *c);
bool pass_exchange(struct compiler *c);
bool pass_steps(struct compiler *c);
bool pass_live(struct compiler *c);
bool pass_place(struct compiler *c);
bool pass_emit(struct compiler *c);

/* Records the error with a line of the user's and the debug path (NULL: none); returns false. */
bool compiler_fail(struct compiler *c, pop_status status, uint32_t where, const char *path, const char *format, ...)
    POP_PRINTF(5, 6);
/* The same for a vertex: its line, its compute set's name. */
bool compiler_fail_vertex(struct compiler *c, pop_status status, uint32_t vertex, const char *format, ...)
    POP_PRINTF(4, 5);
/* A tile of each IPU that an option names; NONE: there is no such tile, which compiler_check_tile makes an error of. */
uint32_t compiler_tile(const struct compiler *c, const char *key, uint32_t otherwise);
bool compiler_check_tile(struct compiler *c, const char *key);
/* Whether instrumentation of a kind is asked for: by its own option, or else by debug.instrument. */
bool compiler_instruments(const struct compiler *c, const char *key);
/* A string of the image; equal text, equal string; "" and NULL are 0. */
uint32_t compiler_string(struct compiler *c, const char *text);

static inline const struct codelet *vertex_codelet(const struct compiler *c, const struct vertex *vertex)
{
    return c->store->types.data[vertex->type].codelet;
}
static inline const char *variable_name(const struct compiler *c, uint32_t variable)
{
    return store_name(c->store, c->store->variables.data[variable].name);
}
static inline size_t variable_element_bytes(const struct compiler *c, uint32_t variable)
{
    return pop_type_size((pop_type)c->store->variables.data[variable].type);
}
static inline uint64_t align_up(uint64_t value, uint64_t alignment)
{
    return (value + alignment - 1) / alignment * alignment;
}

#endif
