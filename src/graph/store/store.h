/* SPDX-License-Identifier: Apache-2.0 */
/* The store: everything that a graph and its virtual graphs share, as arrays.  Passes of the compiler read it and
 * change nothing.
 *
 * Handles given out are index + 1 (0 is null), except variables, which are named by their index. */
#ifndef GRAPH_STORE_STORE_H
#define GRAPH_STORE_STORE_H

#include "base/error.h"
#include "base/intern.h"
#include "graph/store/debug_calls.h"
#include "graph/store/piece.h"
#include "graph/store/piece_shapes.h"
#include "popc/module/codelet.h"

#include <stdatomic.h>

#include <poplar/graph.h>
#include <poplar/program.h>

/* Where a variable is: a log of (range, tile) in the order of the calls until tile_map_compact sorts it, later calls
 * over earlier ones. */
struct tile_range {
    uint64_t begin, end; /* elements of the variable */
    uint32_t tile;       /* physical */
};
struct tile_map {
    VEC(struct tile_range) ranges;
    bool compact; /* sorted, disjoint, neighbours of one tile merged */
    bool whole;   /* known to map every element of the variable; calls never unmap elements */
};

struct variable {
    uint64_t elements;
    uint32_t name;  /* interned */
    uint32_t where; /* index of store->wheres */
    uint8_t type;   /* pop_type */
    bool constant;
    uint16_t group;      /* of a placeholder (graph/replicate.c): number of its replica group, from 1 on; 0: none */
    bool follows_vertex; /* a hidden constant (connect_constant): is on each tile that reads it, is never mapped and
                            costs no exchange */
    uint32_t initial;    /* of a constant: index of store->initials */
    uint32_t metadata, metadata_at; /* of QUARTER: the variable of its metadata + 1 (0: none), and the element of it */
    struct tile_map map;
};

/* Initial contents of a range of a variable (a constant's is the whole of it): count elements of device data at
 * store->data + data, or one element there when fill. */
struct initial {
    uint32_t variable;
    bool fill;
    bool own; /* count elements for each replica, one after another; only of constants */
    uint64_t begin, count, data;
};

struct compute_set {
    uint32_t name, where;
    uint32_t vertex_count;
};

/* 24 bytes; ten million of them are normal. */
struct vertex {
    uint32_t set;  /* index */
    uint32_t tile; /* physical; UNMAPPED_TILE at first */
    uint32_t edge; /* first edge of its list, or NO_EDGE; the newest is first */
    uint32_t where;
    uint32_t estimate; /* index + 1 of store->estimates, 0: none of its own */
    uint32_t type;     /* index of store->types */
};
#define UNMAPPED_TILE UINT32_MAX
#define NO_EDGE       UINT32_MAX

/* What is connected to a field, or what a field starts as: 16 bytes; tens of millions are normal. */
enum edge_form {
    EDGE_NONE = 0, /* an element of a list that nothing is connected to yet */
    EDGE_RUN,      /* elements offset .. offset+count of variable */
    EDGE_VIEW,     /* store->views[variable] */
    EDGE_LIST,     /* the count edges from store->edges[offset] on: rows of a vector of vectors, or scalar edges */
    EDGE_VALUE,    /* scalar state: its bits, as the field's type, in variable (low) and count (high) */
    EDGE_DATA,     /* vector state: count elements at store->data + offset (low) and variable (high) */
    EDGE_SIZE,     /* vector state of count elements, zero at first */
    EDGE_LINK      /* of no field: the list continues at store->edges[variable], which is far */
};
enum { EDGE_BACK_MAX = (1 << 13) - 1 };
struct edge {
    uint32_t variable, offset, count;
    uint32_t field : 16, /* index of the codelet's fields */
        form : 3,        /* enum edge_form */
        back : 13;       /* the next edge of the vertex's list is so many before this one; 0 ends it.  edge_next */
};

/* A vertex type as this graph knows it. */
struct vertex_type {
    const struct codelet *codelet; /* NULL: an estimator was registered, nothing is loaded */
    uint32_t name;
    pop_perf_estimator estimator; /* NULL: none */
    void *estimator_user;
};

struct host_handle {
    uint32_t name;
    const struct view *view;
};
struct stream {
    uint32_t name;
    uint8_t type, direction, mode;
    uint16_t group; /* of replicas that it is replicated to, 0: none */
    uint64_t elements;
    uint32_t buffering_depth;
    uint32_t where;
    uint32_t copies, first_copy; /* see image_stream */
};
struct remote_buffer {
    uint32_t name;
    uint8_t type;
    bool rearrange, optimise;
    uint16_t group;
    uint64_t elements, repeats;
    uint32_t copies, first_copy; /* see image_stream */
};
struct host_function {
    uint32_t name;
    pop_host_argument *arguments; /* inputs, then outputs */
    uint32_t input_count, output_count;
};
struct graph_function {
    uint32_t program; /* node index */
};

/* The replicas that an existing graph was split into. */
struct replica_group {
    uint32_t replicas, tiles_of_one;
    uint32_t *tiles; /* physical, those of replica 0 first */
    uint32_t *index; /* of a physical tile: which of replica 0's it is, UINT32_MAX when none */
};
/* Vertices of a replicated graph that follow each other. */
struct replica_span {
    uint32_t first, count;
    uint16_t group;
};

struct program_node; /* program/node.h */

enum { STORE_CACHE = 64 }; /* entries of each of the small caches by hash */

/* Values that did not fit their types (misfit.c): hashes of what was reported, and the first one. */
enum { MISFITS_KEPT = 8 };
struct misfits {
    uint64_t keys[MISFITS_KEPT];
    uint32_t count, where;
    char first[400];
};

struct pop_store {
    pop_graph *top;         /* the graph all others are views of */
    unsigned handles;       /* graphs, retained tensors and compilations that share this store */
    pop_target target;      /* of one replica */
    uint32_t replicas;      /* of the program */
    uint32_t device_ipus;   /* of all of them */
    bool compiling;         /* nothing may change */
    atomic_bool cancelled;  /* the compilation in progress */
    size_t memory_failures; /* mem_failures() at the store's last check */
    pop_error error;        /* first since the last take; error.status is POP_OK when there is none */
    pop_error_handler on_error;
    void *on_error_user;
    struct arena arena;
    struct intern names;
    VEC(pop_where) wheres;          /* [0] is unknown; equal neighbours are shared */
    struct debug_calls calls;       /* of libraries */
    struct debug_contexts contexts; /* numbered by store_number_contexts, at each compilation */
    struct tensor_nodes *nodes;
    struct alias_answers *aliases; /* NULL: none yet */
    struct recent_walks *walks;    /* NULL: none yet */
    VEC(struct tile_range) owned;  /* of the latest mapping query: its memory serves the next one */
    VEC(struct variable) variables;
    VEC(struct initial) initials; /* in the order of the calls */
    VEC(unsigned char) data;      /* each datum 8-byte aligned */
    VEC(struct compute_set) sets;
    VEC(struct vertex) vertices;
    VEC(struct edge) edges;
    VEC(const struct view *) views; /* of EDGE_VIEW edges */
    VEC(pop_perf) estimates;
    VEC(struct module *) modules;
    VEC(struct vertex_type) types;
    uint32_t *type_by_name; /* by interned name: index + 1 of types, 0 none */
    size_t type_by_name_count;
    VEC(struct host_handle) host_reads;
    VEC(struct host_handle) host_writes;
    VEC(struct stream) streams;
    VEC(struct remote_buffer) remotes;
    VEC(struct host_function) host_functions;
    VEC(struct graph_function) functions;
    VEC(struct program_node *) programs; /* nodes, in arena */
    VEC(struct replica_group) groups;    /* of replicated parts of the graph */
    VEC(struct replica_span) spans;      /* their vertices, in order */
    struct view *view_list;              /* every kept view, malloc'ed each */
    struct piece_shapes shapes;          /* of the views' pieces */
    uint64_t edge_count;                 /* connections to tensors, for profiles */
    void (*programs_free)(pop_store *);  /* frees what nodes own; set by src/program when it makes the first one */
    uint32_t hw_seeds, float_behaviour;  /* variables of tiles' registers + 1; 0 none yet */
    uint32_t last_type;                  /* of the latest vertex: index of types */
    struct {
        size_t edges, views;
        uint64_t edge_count;
    } before_vertex;                      /* what there was when the latest vertex was added */
    uint32_t where_cache[STORE_CACHE];    /* indices of wheres */
    uint32_t estimate_cache[STORE_CACHE]; /* index + 1 of estimates */
    uint32_t constant_cache[STORE_CACHE]; /* index + 1 of hidden constants */
    struct misfits misfits;
};

struct pop_graph {
    pop_store *store;
    uint16_t group;     /* the group of replicas that it represents, from 1 on; 0: none */
    pop_target target;  /* what this graph sees */
    unsigned *tiles;    /* physical tile of each virtual one; NULL: the same */
    unsigned *virtuals; /* virtual tile of each physical one, (unsigned)-1 where the graph sees none; NULL: the same */
};

/* Records that a callback of a compilation called the graph; returns false. */
bool store_busy(pop_store *store);
/* Records, once, that the host ran out of memory since the store's last check; returns false. */
bool store_without_memory(pop_store *store);
/* Whether a call may go on: false when an error is pending (or graph is NULL), or the graph is being compiled. */
static inline bool store_ready(pop_store *store)
{
    return store && store->error.status == POP_OK && (!store->compiling || store_busy(store)) &&
           (store->memory_failures == mem_failures() || store_without_memory(store));
}
/* Whether a call that only reads may go on. */
static inline void store_notice_memory(pop_store *store)
{
    if (store->memory_failures != mem_failures() && store->error.status == POP_OK)
        store_without_memory(store);
}
/* Records an error (the first one is kept) and calls the handler; returns false for `return store_fail(...)`. */
bool store_fail(pop_store *store, pop_status status, pop_where where, const char *api, const char *format, ...)
    POP_PRINTF(5, 6);
/* Records an error with the debug name of what failed. */
bool store_fail_in(pop_store *store, pop_status status, pop_where where, const char *api, const char *path,
                   const char *format, ...) POP_PRINTF(6, 7);
/* Checks that a list of count entries is not NULL; otherwise records an error with this status. what: "tensors". */
static inline bool store_has_list(pop_store *store, pop_status status, pop_where where, const char *api,
                                  const char *what, size_t count, const void *list)
{
    return !count || list || store_fail(store, status, where, api, "the list of %zu %s is NULL", count, what);
}
/* Records an error that another layer filled in; api and where replace what it lacks. */
bool store_record(pop_store *store, const pop_error *error, pop_where where, const char *api);
uint32_t store_where(pop_store *store, pop_where where); /* index of wheres */
const char *store_name(const pop_store *store, uint32_t name);
/* Appends device data (zeros when data is NULL) and returns where. */
uint64_t store_data(pop_store *store, const void *data, size_t bytes);
/* Whether this many bytes more can be allocated. Precondition of store_data, which ends the process on failure. */
bool store_check_data_size(pop_store *store, size_t bytes);

/* Appends count values converted from value_type and returns where they are. */
uint64_t store_convert(pop_store *store, pop_type value_type, const void *values, pop_type type, uint64_t count);

/* Whether a call on the graph may go on. */
static inline bool graph_ready(const pop_graph *graph)
{
    return graph && store_ready(graph->store);
}
/* A CPU behaves as a single tile: elements that are not mapped are on tile 0, and so are those mapped to a tile that it
 * lacks. */
static inline bool graph_is_cpu(const pop_graph *graph)
{
    return graph->store->target.type == POP_TARGET_CPU;
}

/* tile_map.c: the tile mapping of one variable: a log of calls, sorted at the first query. */

/* Appends a range to the log. */
void tile_map_add(struct tile_map *map, uint64_t begin, uint64_t end, uint32_t tile);
/* Sorts the log: linear when it already is in order, n log n otherwise. */
void tile_map_compact(struct tile_map *map);
/* Whether each of the variable's elements has a tile; the result is cached. */
bool tile_map_is_whole(struct tile_map *map, uint64_t elements);
/* Tile of an element of a compact map, UNMAPPED_TILE when it has none.  *cursor makes ascending look-ups constant time;
 * start it at 0. */
uint32_t tile_map_find(const struct tile_map *map, uint64_t element, size_t *cursor);

/* log_call.c: the calls of libraries that are in progress on this thread. */

/* A handler of errors may leave by longjmp, and the calls then never end: while it runs there are none, so that the
 * next call is an outermost one. Returns what log_calls_resume takes when the handler has returned. */
unsigned log_calls_pause(void);
void log_calls_resume(unsigned calls);

#endif
