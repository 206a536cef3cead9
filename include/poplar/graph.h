/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs: variables, vertices, their connections and their tile mapping.
 *
 * pop_graph is an owner (create, destroy). The tensors, vertices, compute sets, programs and streams that it returns
 * are small values whose storage belongs to the graph; zero is null.  Strings, shapes and data passed in are copied.  A
 * failing call leaves the graph unchanged, records the first error (kind, text, the caller's line) and returns null;
 * later calls on the graph do nothing until pop_graph_take_error clears it.  A graph is built by one thread at a time.
 */
#ifndef POPLAR_GRAPH_H
#define POPLAR_GRAPH_H

#include <poplar/options.h>
#include <poplar/target.h>
#include <poplar/tensor.h>
#include <stdio.h>

typedef struct pop_graph pop_graph; /* owner */

/* A set of vertices that execute together, in parallel. A value: the graph owns the set. */
typedef struct pop_compute_set {
    pop_store *store; /* of the graph */
    uint32_t id;      /* 1-based; 0: null */
} pop_compute_set;    /* id is 1-based; 0 is null */
/* A vertex. A value: the graph owns the vertex. */
typedef struct pop_vertex {
    pop_store *store; /* of the graph */
    uint32_t id;      /* 1-based; 0: null */
} pop_vertex;
/* A program that other programs call. A value: the graph owns the function. */
typedef struct pop_function {
    pop_store *store; /* of the graph */
    uint32_t id;      /* 1-based; 0: null */
} pop_function;
/* A stream between host and device. A value: the graph owns the stream. */
typedef struct pop_stream {
    pop_store *store; /* of the graph */
    uint32_t id;      /* 1-based; 0: null */
} pop_stream;
/* Rows of data in memory beside the device. A value: the graph owns the buffer. */
typedef struct pop_remote_buffer {
    pop_store *store; /* of the graph */
    uint32_t id;      /* 1-based; 0: null */
} pop_remote_buffer;
/* A function of the host that programs call. A value: the graph owns it. */
typedef struct pop_host_function {
    pop_store *store; /* of the graph */
    uint32_t id;      /* 1-based; 0: null */
} pop_host_function;
/* A control program. A value: the graph owns the program. */
typedef struct pop_program {
    pop_store *store; /* of the graph */
    uint32_t id;      /* 1-based; 0: null */
} pop_program;        /* see program.h */

/* Mapping of a new variable: on no tile, or evenly over all tiles. */
typedef enum pop_mapping_method { POP_MAPPING_NONE = 0, POP_MAPPING_LINEAR = 1 } pop_mapping_method;
/* What a clone keeps of a tensor's layout: the order of elements in memory, and which elements are the same. */
typedef enum pop_clone_method {
    POP_CLONE_PRESERVE_ORDER_AND_ALIASES = 0,
    POP_CLONE_CREATE_NEW_ORDER,
    POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES, /* Poplar's default */
    POP_CLONE_GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES
} pop_clone_method;
/* How the n copies of pop_graph_clone_n are spread: one copy after another, or each region of a tile n times. */
typedef enum pop_clone_duplication {
    POP_DUPLICATE_BY_OUTER_DIMENSION = 0,
    POP_DUPLICATE_BY_TILE_CONTIGUOUS_REGION
} pop_clone_duplication;
/* What a codelet file contains; AUTO: what its suffix says. C, C++, assembly and OBJECT (.gp) files can be added, IR is
 * refused. */
typedef enum pop_codelet_file {
    POP_FILE_PREPROCESSED_ASM = 0,
    POP_FILE_ASM,
    POP_FILE_C,
    POP_FILE_CPP,
    POP_FILE_IR,
    POP_FILE_OBJECT,
    POP_FILE_AUTO
} pop_codelet_file;
/* What replicas of a stream receive: each its own data, or all the same. */
typedef enum pop_replicated_stream_mode { POP_STREAM_REPLICATE = 0, POP_STREAM_BROADCAST } pop_replicated_stream_mode;
/* Maximum number of replicas of a graph. */
#define POP_REPLICAS_MAX 65536

/* Direction of a stream. */
typedef enum pop_stream_type { POP_HOST_TO_DEVICE_FIFO = 0, POP_DEVICE_TO_HOST_FIFO } pop_stream_type;
/* Format of a saved graph. */
typedef enum pop_serialization { POP_SERIALIZE_BINARY = 0, POP_SERIALIZE_JSON } pop_serialization;

/* A field of a vertex, or one element of it.  name is borrowed for the call. */
typedef struct pop_field {
    const char *name; /* name of the field */
    size_t index;     /* POP_WHOLE for the field itself */
} pop_field;
/* As an index: all of a field; as a number of bytes: exactly those of the tensor. */
#define POP_WHOLE ((size_t)-1)
/* An element of a vector field, or with POP_WHOLE the field, as a pop_field. */
#define POP_FIELD(name, index) ((pop_field){ name, index })

/* A pair of a field and a tensor for pop_graph_add_vertex_connected. */
typedef struct pop_connection {
    const char *field; /* name of the field */
    pop_tensor tensor; /* what it reads or writes */
} pop_connection;
/* A list of connections, borrowed for the call. */
typedef struct pop_connections {
    size_t count;               /* number of connections */
    const pop_connection *list; /* the connections */
} pop_connections;
/* A list of connections, for an argument: POP_CONNECTIONS({ "a", a }, { "b", b }). */
#define POP_CONNECTIONS(...)                                                                                           \
    ((pop_connections){ sizeof((const pop_connection[]){ __VA_ARGS__ }) / sizeof(pop_connection),                      \
                        (const pop_connection[]){ __VA_ARGS__ } })

/* Values of a state field of several vertices, one host value of a type for each; borrowed for the call. */
typedef struct pop_field_values {
    const char *field;  /* name of the field */
    pop_type type;      /* type of the host values */
    const void *values; /* one for each vertex */
} pop_field_values;

/* The cost of a vertex. */
typedef struct pop_perf {
    uint64_t cycles, flops; /* cycles of a worker or of the tile; floating-point operations */
} pop_perf;

/* The vertex that an estimator estimates, with the queries below. Valid for the call. */
typedef struct pop_vertex_view pop_vertex_view;
/* Cycles and flops of a vertex: worker cycles for a worker vertex (the model multiplies by the number of workers), tile
 * cycles for a supervisor or MultiVertex. */
typedef pop_perf (*pop_perf_estimator)(const pop_vertex_view *vertex, const pop_target *target, void *user);

/* Layout of a vector on the target; layouts that the target does not have are replaced by one that it has. 0: not a
 * vector. */
typedef enum pop_vector_layout {
    POP_VECTOR_NONE = 0,
    POP_VECTOR_SPAN,
    POP_VECTOR_SHORT_SPAN,
    POP_VECTOR_ONE_PTR,
    POP_VECTOR_SCALED_PTR32,
    POP_VECTOR_SCALED_PTR64,
    POP_VECTOR_SCALED_PTR128
} pop_vector_layout;
/* The table of a vector of vectors: pointers in one layout, or the descriptors of a VectorList. */
typedef enum pop_vector_list_layout {
    POP_VECTOR_LIST_NONE = 0,
    POP_VECTOR_LIST_ONE_PTR,
    POP_VECTOR_LIST_SCALED_PTR32,
    POP_VECTOR_LIST_SCALED_PTR64,
    POP_VECTOR_LIST_SCALED_PTR128,
    POP_VECTOR_LIST_DELTAN,
    POP_VECTOR_LIST_DELTANELEMENTS
} pop_vector_list_layout;

/* A position to release back to (pop_graph_release). */
typedef struct pop_mark {
    size_t position; /* private */
} pop_mark;

POP_BEGIN_DECLS

/* ---- the graph ---- */
POP_API pop_graph *pop_graph_create(const pop_target *target); /* never NULL; an invalid target is recorded */
/* A replicated graph: it is built and compiled once, and runs as `replicas` copies, each on an equal part of the
 * target's IPUs. pop_graph_target is the target of one replica. Error: graph_replication_error when the IPUs cannot be
 * divided evenly, or replicas is 0 or above POP_REPLICAS_MAX. On a CPU target each replica is one processor. */
#define pop_graph_create_replicated(...) pop_graph_create_replicated_at(POP_HERE, __VA_ARGS__)
POP_API pop_graph *pop_graph_create_replicated_at(pop_where where, const pop_target *target, unsigned replicas);
/* Destroys a handle. Virtual graphs are handles too: destroying the last one frees the shared store. */
POP_API void pop_graph_destroy(pop_graph *graph);
POP_API const pop_target *pop_graph_target(const pop_graph *graph);    /* of this (virtual) graph */
POP_API unsigned pop_graph_replication_factor(const pop_graph *graph); /* Number of replicas: 1 without replication. */
POP_API pop_graph *pop_graph_top_level(pop_graph *graph); /* borrowed: the graph that virtual graphs derive from */
/* The top-level graph of the store that a value (a tensor, a compute set, ...) refers to; NULL for NULL. Calls without
 * a graph argument record their errors in it. */
POP_API pop_graph *pop_store_graph(const pop_store *store);
POP_API pop_store *pop_graph_store(const pop_graph *graph); /* the store of the graph's values; NULL for NULL */
/* Interns a text for the lifetime of the store: equal texts give one pointer. "" for NULL. */
POP_API const char *pop_store_keep_text(pop_store *store, const char *text);
/* A new handle to the top-level graph, owned by the caller. The shared store lives until its last handle is destroyed.
 * graph_replication_error, and NULL, for a top-level graph with a replication factor: it has no parent that sees its
 * replicas. */
#define pop_graph_share_top_level(...) pop_graph_share_top_level_at(POP_HERE, __VA_ARGS__)
POP_API pop_graph *pop_graph_share_top_level_at(pop_where where, pop_graph *graph);

/* The first error since the last take; NULL when there is none.  Borrowed until the next call on the graph. */
POP_API const pop_error *pop_graph_error(const pop_graph *graph);
/* Pointer to the status of that error, POP_OK while there is none: a cheap check after each call. Valid as long as the
 * graph; NULL for NULL. */
POP_API const pop_status *pop_graph_error_status(const pop_graph *graph);
/* Moves the error out and clears it, so that building can go on; POP_OK when there was none.  error may be NULL. */
POP_API pop_status pop_graph_take_error(pop_graph *graph, pop_error *error);
/* Records an error of a library's call; the first error is kept, as with the calls here. caller is the user's line, api
 * the call's name. Returns false, for `return pop_graph_fail(...)`. */
POP_API bool pop_graph_fail(pop_graph *graph, pop_status status, pop_where caller, const char *api, const char *text);
/* Called for each recorded error before the failing call returns. */
typedef void (*pop_error_handler)(const pop_error *error, void *user);
/* Sets the function that is called for each error, and its argument; NULL: none. */
POP_API void pop_graph_on_error(pop_graph *graph, pop_error_handler handler, void *user);

/* Release frees the nodes of views (concatenations) made since the mark. Tensors that use them become invalid unless
 * they were retained; connections, copies and mappings made from them stay valid. Marks nest. */
POP_API pop_mark pop_graph_mark(pop_graph *graph);
/* Frees the view nodes that were made since the mark; see pop_graph_mark. */
POP_API void pop_graph_release(pop_graph *graph, pop_mark mark);

/* Virtual graphs see a subset of tiles, numbered from 0; they share everything with the graph they come from.
 * Each is a handle to destroy.  NULL on error (index_error). */
#define pop_graph_create_virtual(...) pop_graph_create_virtual_at(POP_HERE, __VA_ARGS__)
POP_API pop_graph *pop_graph_create_virtual_at(pop_where where, pop_graph *graph,
                                               unsigned tiles_per_ipu); /* the first tiles of each IPU */
#define pop_graph_create_virtual_range(...) pop_graph_create_virtual_range_at(POP_HERE, __VA_ARGS__)
POP_API pop_graph *pop_graph_create_virtual_range_at(pop_where where, pop_graph *graph, unsigned lower_tile,
                                                     unsigned upper_tile); /* [lower, upper) */
#define pop_graph_create_virtual_tiles(...) pop_graph_create_virtual_tiles_at(POP_HERE, __VA_ARGS__)
POP_API pop_graph *pop_graph_create_virtual_tiles_at(pop_where where, pop_graph *graph,
                                                     pop_dims per_ipu_tiles); /* these tiles of each IPU */
/* Splits a graph into equal replicas (createReplicatedGraph): whole IPUs, or equal parts of one.  What is added to the
 * result is added to each replica: a variable, vertex, stream or remote buffer exists once per replica, on the tile of
 * the same number. The parent still sees all tiles, and can add to one replica alone. The caller owns the handle. NULL
 * and graph_replication_error when the tiles cannot be split evenly, or the graph is already replicated. */
#define pop_graph_replicate(...) pop_graph_replicate_at(POP_HERE, __VA_ARGS__)
POP_API pop_graph *pop_graph_replicate_at(pop_where where, pop_graph *graph, unsigned replicas);
/* The parent's view of a tensor of a replicated graph (getNonReplicatedTensor): an outermost dimension with one entry
 * per replica is added. */
#define pop_graph_non_replicated(...) pop_graph_non_replicated_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor pop_graph_non_replicated_at(pop_where where, pop_graph *graph, pop_tensor t);
/* The number of replicas for which a variable, or a stream, has its own data; 0 for an id that does not exist. */
POP_API unsigned pop_graph_variable_replication_factor(const pop_graph *graph, uint32_t variable);
/* Number of replicas for which the stream has its own data; 0 for the null stream. */
POP_API unsigned pop_stream_replication_factor(pop_stream stream);
/* Convert between tile numbers of a virtual graph and of the top-level graph; (unsigned)-1 for a tile that the graph
 * does not see. */
POP_API unsigned pop_graph_physical_tile(const pop_graph *graph, unsigned virtual_tile);
POP_API unsigned pop_graph_virtual_tile(const pop_graph *graph, unsigned physical_tile);

POP_API size_t pop_graph_num_vertices(const pop_graph *graph);     /* Number of vertices in all compute sets. */
POP_API size_t pop_graph_num_variables(const pop_graph *graph);    /* constants included */
POP_API size_t pop_graph_num_edges(const pop_graph *graph);        /* Number of connections of all vertices. */
POP_API size_t pop_graph_num_compute_sets(const pop_graph *graph); /* Number of compute sets. */

/* ---- variables and constants; both are unmapped at first ---- */
/* A new variable, mapped to no tile: a view of all its elements in this shape. name may be NULL. Error:
 * tensor_creation_error. */
#define pop_graph_add_variable(...) pop_graph_add_variable_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor pop_graph_add_variable_at(pop_where where, pop_graph *graph, pop_type type, pop_shape shape,
                                             const char *name);
/* A new variable with a mapping: POP_MAPPING_LINEAR spreads its elements evenly over all tiles. Errors as for
 * pop_graph_add_variable. */
#define pop_graph_add_variable_mapped(...) pop_graph_add_variable_mapped_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor pop_graph_add_variable_mapped_at(pop_where where, pop_graph *graph, pop_type type, pop_shape shape,
                                                    pop_mapping_method method, const char *name);
#define pop_graph_add_constant(...) pop_graph_add_constant_at(POP_HERE, __VA_ARGS__)
/* values holds one host value of value_type for each element (row-major), converted to the device type. */
POP_API pop_tensor pop_graph_add_constant_at(pop_where where, pop_graph *graph, pop_type type, pop_shape shape,
                                             pop_type value_type, const void *values, const char *name);
#define pop_graph_add_replica_constant(...) pop_graph_add_replica_constant_at(POP_HERE, __VA_ARGS__)
/* A constant that differs between replicas: values holds those of replica 0, then those of replica 1, ... */
POP_API pop_tensor pop_graph_add_replica_constant_at(pop_where where, pop_graph *graph, pop_type type, pop_shape shape,
                                                     pop_type value_type, const void *values, const char *name);
#define pop_graph_add_replication_index_constant(...) pop_graph_add_replication_index_constant_at(POP_HERE, __VA_ARGS__)
/* A scalar UNSIGNED_INT constant: the number of the replica, from 0 on. */
POP_API pop_tensor pop_graph_add_replication_index_constant_at(pop_where where, pop_graph *graph, const char *name);
#define pop_graph_add_constant_float(...) pop_graph_add_constant_float_at(POP_HERE, __VA_ARGS__)
/* Every element is value, converted to any device type. For integers beyond 2^53 use pop_graph_add_constant_fill. */
POP_API pop_tensor pop_graph_add_constant_float_at(pop_where where, pop_graph *graph, pop_type type, pop_shape shape,
                                                   double value, const char *name);
/* A constant whose elements all have one value: a host value of value_type, converted to the device type. */
#define pop_graph_add_constant_fill(...) pop_graph_add_constant_fill_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor pop_graph_add_constant_fill_at(pop_where where, pop_graph *graph, pop_type type, pop_shape shape,
                                                  pop_type value_type, const void *value, const char *name);
#define pop_graph_add_constant_half(...) pop_graph_add_constant_half_at(POP_HERE, __VA_ARGS__)
/* Raw half bits, one for each element. */
POP_API pop_tensor pop_graph_add_constant_half_at(pop_where where, pop_graph *graph, pop_shape shape,
                                                  const uint16_t *bits, const char *name);
/* A HALF constant whose elements all have these raw bits. */
#define pop_graph_add_constant_half_fill(...) pop_graph_add_constant_half_fill_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor pop_graph_add_constant_half_fill_at(pop_where where, pop_graph *graph, pop_shape shape,
                                                       uint16_t bits, const char *name);
#define pop_graph_clone(...) pop_graph_clone_at(POP_HERE, __VA_ARGS__)
/* New variables with t's shape and tile mapping; type POP_TYPE_NULL keeps t's. */
POP_API pop_tensor pop_graph_clone_at(pop_where where, pop_graph *graph, pop_type type, pop_tensor t,
                                      pop_clone_method method, const char *name);
#define pop_graph_clone_n(...) pop_graph_clone_n_at(POP_HERE, __VA_ARGS__)
/* n clones, with a new outer dimension of n. */
POP_API pop_tensor pop_graph_clone_n_at(pop_where where, pop_graph *graph, pop_type type, pop_tensor t, size_t n,
                                        pop_clone_method method, pop_clone_duplication duplication, const char *name);
#define pop_graph_variable(...) pop_graph_variable_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor pop_graph_variable_at(pop_where where, pop_graph *graph,
                                         uint32_t variable); /* the whole of it, flat */
/* Whether the variable of this number is a constant; false for a number that does not exist. */
POP_API bool pop_graph_is_constant(const pop_graph *graph, uint32_t variable);
POP_API const char *pop_graph_variable_name(const pop_graph *graph, uint32_t variable); /* "" when it has none */
#define pop_graph_set_initial_value(...) pop_graph_set_initial_value_at(POP_HERE, __VA_ARGS__)
/* Contents after each load of an engine: one host value of value_type per element of t (row-major). */
POP_API void pop_graph_set_initial_value_at(pop_where where, pop_graph *graph, pop_tensor t, pop_type value_type,
                                            const void *values);
/* Gives every element of t one initial value: a host value of value_type, converted to t's type. */
#define pop_graph_set_initial_fill(...) pop_graph_set_initial_fill_at(POP_HERE, __VA_ARGS__)
POP_API void pop_graph_set_initial_fill_at(pop_where where, pop_graph *graph, pop_tensor t, pop_type value_type,
                                           const void *value);
#define pop_graph_set_initial_half(...) pop_graph_set_initial_half_at(POP_HERE, __VA_ARGS__)
POP_API void pop_graph_set_initial_half_at(pop_where where, pop_graph *graph, pop_tensor t,
                                           const uint16_t *bits); /* raw */

/* ---- tile mapping: each element of a variable is on one tile; later calls override earlier ones ---- */
/* Maps all elements of t to a tile; the number is that of this (virtual) graph. */
#define pop_graph_set_tile_mapping(...) pop_graph_set_tile_mapping_at(POP_HERE, __VA_ARGS__)
POP_API void pop_graph_set_tile_mapping_at(pop_where where, pop_graph *graph, pop_tensor t, unsigned tile);
#define pop_graph_set_tile_mapping_lists(...) pop_graph_set_tile_mapping_lists_at(POP_HERE, __VA_ARGS__)
/* List i holds the intervals of the flattened t on tile i; fewer lists than tiles are allowed. */
POP_API void pop_graph_set_tile_mapping_lists_at(pop_where where, pop_graph *graph, pop_tensor t,
                                                 const pop_interval_lists *mapping);
#define pop_graph_get_tile_mapping(...) pop_graph_get_tile_mapping_at(POP_HERE, __VA_ARGS__)
/* Sets *mapping to num_tiles lists with adjacent intervals merged; the caller frees them; NULL to query only *complete.
 * When some element is unmapped: *complete is set to false if complete is not NULL, otherwise invalid_tile_mapping is
 * recorded and false returned. Elements on tiles that a virtual graph does not see are omitted if complete is not NULL,
 * otherwise the same error. */
POP_API bool pop_graph_get_tile_mapping_at(pop_where where, pop_graph *graph, pop_tensor t, bool *complete,
                                           pop_interval_lists *mapping);
#define pop_graph_check_external(...) pop_graph_check_external_at(POP_HERE, __VA_ARGS__)
/* Whether all mapped elements of t are on tiles that a virtual graph sees; otherwise records invalid_tile_mapping. */
POP_API bool pop_graph_check_external_at(pop_where where, pop_graph *graph, pop_tensor t);
#define pop_graph_get_sorted_contiguous_regions(...) pop_graph_get_sorted_contiguous_regions_at(POP_HERE, __VA_ARGS__)
/* The intervals of flattened t, in groups that are each one contiguous region in memory, sorted by variable and offset.
 * With remove_aliased, intervals that repeat elements are removed; aliases (NULL, or an array of one entry per element
 * of the intervals; see docs/concepts/tensors.md) receives, for each element in sorted order, the index of its
 * representative. The caller frees groups. */
POP_API bool pop_graph_get_sorted_contiguous_regions_at(pop_where where, pop_graph *graph, pop_tensor t,
                                                        pop_interval_list intervals, bool remove_aliased,
                                                        size_t *aliases, pop_interval_lists *groups);
#define pop_graph_reorder_to_simplify(...) pop_graph_reorder_to_simplify_at(POP_HERE, __VA_ARGS__)
/* Replaces *t by its flattened elements in an order that makes it more contiguous, and each of others by the same
 * permutation of its elements. With require_similarity, does nothing unless every other tensor becomes no less
 * contiguous. */
POP_API void pop_graph_reorder_to_simplify_at(pop_where where, pop_graph *graph, pop_tensor *t, pop_tensor **others,
                                              size_t count, bool require_similarity);
#define pop_graph_find_unbroadcast_tensor(...) pop_graph_find_unbroadcast_tensor_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor pop_graph_find_unbroadcast_tensor_at(pop_where where, pop_graph *graph,
                                                        pop_tensor t); /* broadcast dims become 1 */

/* ---- codelets ---- */
#define pop_graph_add_codelets(...) pop_graph_add_codelets_at(POP_HERE, __VA_ARGS__)
/* A .c or .cpp (.cc, .cxx, .C) source or a .gp file.  A source is compiled by this call, or read from the cache; the
 * error contains the compiler's messages. */
POP_API bool pop_graph_add_codelets_at(pop_where where, pop_graph *graph, const char *file);
/* As pop_graph_add_codelets, for a file of the given type, with flags for popc ("-O3 -DN=4"; NULL: none). */
#define pop_graph_add_codelets_flags(...) pop_graph_add_codelets_flags_at(POP_HERE, __VA_ARGS__)
POP_API bool pop_graph_add_codelets_flags_at(pop_where where, pop_graph *graph, const char *file, pop_codelet_file type,
                                             const char *flags);
#define pop_graph_add_codelets_source(...) pop_graph_add_codelets_source_at(POP_HERE, __VA_ARGS__)
/* Source text; type is POP_FILE_C, POP_FILE_CPP or POP_FILE_ASM. */
POP_API bool pop_graph_add_codelets_source_at(pop_where where, pop_graph *graph, const char *source,
                                              pop_codelet_file type, const char *flags);
/* Whether a vertex type of this name has been added. */
POP_API bool pop_graph_has_codelet(const pop_graph *graph, const char *vertex_type);

/* ---- vertices ---- */
/* A new, empty compute set. name may be NULL. */
#define pop_graph_add_compute_set(...) pop_graph_add_compute_set_at(POP_HERE, __VA_ARGS__)
POP_API pop_compute_set pop_graph_add_compute_set_at(pop_where where, pop_graph *graph, const char *name);
/* Adds a vertex of a type to a compute set; its fields are to be connected, and it is to be mapped. Error:
 * unknown_vertex_type for a type that has not been added. */
#define pop_graph_add_vertex(...) pop_graph_add_vertex_at(POP_HERE, __VA_ARGS__)
POP_API pop_vertex pop_graph_add_vertex_at(pop_where where, pop_graph *graph, pop_compute_set set,
                                           const char *vertex_type);
/* Adds a vertex and connects fields. If one connection fails, no vertex is added. */
#define pop_graph_add_vertex_connected(...) pop_graph_add_vertex_connected_at(POP_HERE, __VA_ARGS__)
POP_API pop_vertex pop_graph_add_vertex_connected_at(pop_where where, pop_graph *graph, pop_compute_set set,
                                                     const char *vertex_type, pop_connections connections);
#define pop_graph_add_vertices(...) pop_graph_add_vertices_at(POP_HERE, __VA_ARGS__)
/* Adds count vertices of one type: vertex i is on tiles[i] (tiles NULL: unmapped), entry i of each tensor of rows along
 * its first dimension is connected to the field beside it, and value i of each of values is set.  The first dimension
 * of each tensor must be count (graph_connection_error).  Returns the number added: an error of vertex i ends the call
 * and leaves the i vertices before it. */
POP_API size_t pop_graph_add_vertices_at(pop_where where, pop_graph *graph, pop_compute_set set,
                                         const char *vertex_type, size_t count, const unsigned *tiles,
                                         pop_connections rows, const pop_field_values *values, size_t num_values);
/* Removes the last vertex added, with its connections; no effect for an older vertex. */
POP_API void pop_graph_take_back_vertex(pop_graph *graph, pop_vertex vertex);
/* Places a vertex on a tile; the number is that of this (virtual) graph. */
#define pop_graph_map_vertex(...) pop_graph_map_vertex_at(POP_HERE, __VA_ARGS__)
POP_API void pop_graph_map_vertex_at(pop_where where, pop_graph *graph, pop_vertex vertex, unsigned tile);
#define pop_graph_connect(...) pop_graph_connect_at(POP_HERE, __VA_ARGS__)
/* A scalar field takes one element, a Vector a tensor of rank 1, a vector of vectors or VectorList a tensor of rank 2
 * (by row). */
POP_API void pop_graph_connect_at(pop_where where, pop_graph *graph, pop_vertex vertex, const char *field,
                                  pop_tensor t);
#define pop_graph_connect_index(...) pop_graph_connect_index_at(POP_HERE, __VA_ARGS__)
/* One element of a vector of edges, after pop_graph_set_field_size. */
POP_API void pop_graph_connect_index_at(pop_where where, pop_graph *graph, pop_vertex vertex, const char *field,
                                        size_t index, pop_tensor t);
#define pop_graph_connect_list(...) pop_graph_connect_list_at(POP_HERE, __VA_ARGS__)
/* A list of tensors of rank 1 to a vector of vectors or a VectorList; of one-element tensors to a vector of scalar
 * edges. */
POP_API void pop_graph_connect_list_at(pop_where where, pop_graph *graph, pop_vertex vertex, const char *field,
                                       pop_tensors list);
#define pop_graph_connect_constant(...) pop_graph_connect_constant_at(POP_HERE, __VA_ARGS__)
/* An input edge that reads a constant with one host value of value_type (connect(field, T)). */
POP_API void pop_graph_connect_constant_at(pop_where where, pop_graph *graph, pop_vertex vertex, const char *field,
                                           pop_type value_type, const void *value);
/* Sets the size of a vector of edges, whose elements pop_graph_connect_index connects, or of a vector of state, which
 * is zero. */
#define pop_graph_set_field_size(...) pop_graph_set_field_size_at(POP_HERE, __VA_ARGS__)
POP_API void pop_graph_set_field_size_at(pop_where where, pop_graph *graph, pop_vertex vertex, const char *field,
                                         size_t size);
POP_API size_t pop_graph_get_field_size(const pop_graph *graph, pop_vertex vertex,
                                        const char *field); /* 0 when it has none */
#define pop_graph_set_field(...) pop_graph_set_field_at(POP_HERE, __VA_ARGS__)
/* Initial value of a scalar state field: one host value of value_type, converted to the field's type. */
POP_API void pop_graph_set_field_at(pop_where where, pop_graph *graph, pop_vertex vertex, const char *field,
                                    pop_type value_type, const void *value);
/* Initial value of a scalar state field, converted from a double. */
#define pop_graph_set_field_double(...) pop_graph_set_field_double_at(POP_HERE, __VA_ARGS__)
POP_API void pop_graph_set_field_double_at(pop_where where, pop_graph *graph, pop_vertex vertex, const char *field,
                                           double value);
/* Initial value of a scalar state field, converted from an integer. */
#define pop_graph_set_field_int(...) pop_graph_set_field_int_at(POP_HERE, __VA_ARGS__)
POP_API void pop_graph_set_field_int_at(pop_where where, pop_graph *graph, pop_vertex vertex, const char *field,
                                        int64_t value);
#define pop_graph_set_field_vector(...) pop_graph_set_field_vector_at(POP_HERE, __VA_ARGS__)
/* Initial contents and size of a vector state field; index is POP_WHOLE, or the row of a vector of vectors. */
POP_API void pop_graph_set_field_vector_at(pop_where where, pop_graph *graph, pop_vertex vertex, pop_field field,
                                           pop_type value_type, const void *values, size_t count);
/* Sets the cost of one vertex: worker cycles for a worker vertex, tile cycles for others, and floating-point
 * operations. */
#define pop_graph_set_perf_estimate(...) pop_graph_set_perf_estimate_at(POP_HERE, __VA_ARGS__)
POP_API void pop_graph_set_perf_estimate_at(pop_where where, pop_graph *graph, pop_vertex vertex, uint64_t cycles,
                                            uint64_t flops);
#define pop_graph_set_cycle_estimate(graph, vertex, cycles)                                                            \
    pop_graph_set_perf_estimate(graph, vertex, cycles, 0) /* the guide's name */
#define pop_graph_get_perf_estimate(...) pop_graph_get_perf_estimate_at(POP_HERE, __VA_ARGS__)
/* The vertex's own estimate, or that of its type's estimator; missing_perf_estimate, with the type's name, when it has
 * neither. */
POP_API pop_perf pop_graph_get_perf_estimate_at(pop_where where, pop_graph *graph, pop_vertex vertex);
#define pop_graph_register_perf_estimator(...) pop_graph_register_perf_estimator_at(POP_HERE, __VA_ARGS__)
/* Registers the estimator for vertices of a type without their own estimate; the type may be loaded later. */
POP_API void pop_graph_register_perf_estimator_at(pop_where where, pop_graph *graph, const char *vertex_type,
                                                  pop_perf_estimator estimator, void *user);
/* Queries for estimators. size is the number of elements (of rows, for a vector of vectors); index is POP_WHOLE or a
 * row. */
POP_API const char *pop_vertex_view_type(const pop_vertex_view *vertex);
/* Number of the compute set that contains the vertex. */
POP_API uint32_t pop_vertex_view_compute_set(const pop_vertex_view *vertex);
/* Whether the vertex type has a field of this name. */
POP_API bool pop_vertex_view_has_field(const pop_vertex_view *vertex, const char *field);
/* 0 for a scalar field, 1 for a vector, 2 for a vector of vectors. */
POP_API size_t pop_vertex_view_field_rank(const pop_vertex_view *vertex, const char *field);
/* Number of elements of a field (of rows, for a vector of vectors and POP_WHOLE), or of one row. */
POP_API size_t pop_vertex_view_field_size(const pop_vertex_view *vertex, const char *field, size_t index);
/* Initial value i of a state field, as double; 0 when it has none. */
POP_API double pop_vertex_view_field_value(const pop_vertex_view *vertex, const char *field, size_t i);
/* Initial value i of a row of a vector of vectors, as double; 0 when it has none. */
POP_API double pop_vertex_view_field_row_value(const pop_vertex_view *vertex, const char *field, size_t row, size_t i);
/* Writes the initial values of a state field (index: POP_WHOLE; it is no vector of vectors), or of one row of it, as
 * double, at most max of them; the caller owns values.  Returns how many it wrote: 0 when the field has none. */
POP_API size_t pop_vertex_view_field_values(const pop_vertex_view *vertex, const char *field, size_t index,
                                            double *values, size_t max);
/* Layout of a vector field on the target (level 0: outer vector, 1: inner vectors), and of the table of its inner
 * vectors. */
POP_API pop_vector_layout pop_vertex_view_field_layout(const pop_vertex_view *vertex, const char *field,
                                                       unsigned level);
/* Layout of the table of inner vectors of a vector of vectors. */
POP_API pop_vector_list_layout pop_vertex_view_field_list_layout(const pop_vertex_view *vertex, const char *field);
/* Limits of a field on this target: the maximum size of its dimension dim, and the maximum value of a scalar state
 * field. */
POP_API uint64_t pop_graph_max_field_dim(pop_graph *graph, const char *vertex_type, const char *field, unsigned dim);
/* Maximum value of a scalar state field on this target. */
POP_API double pop_graph_max_vertex_field_value(pop_graph *graph, const char *vertex_type, const char *field);

/* ---- the host's side: handles, streams, remote buffers, host functions ---- */
/* Names a tensor, so that the engine can write it (pop_engine_write_tensor). Error: graph_object_creation_error for a
 * name in use. */
#define pop_graph_create_host_write(...) pop_graph_create_host_write_at(POP_HERE, __VA_ARGS__)
POP_API void pop_graph_create_host_write_at(pop_where where, pop_graph *graph, const char *handle, pop_tensor t);
/* Names a tensor, so that the engine can read it (pop_engine_read_tensor). Names for reading and writing are separate.
 */
#define pop_graph_create_host_read(...) pop_graph_create_host_read_at(POP_HERE, __VA_ARGS__)
POP_API void pop_graph_create_host_read_at(pop_where where, pop_graph *graph, const char *handle, pop_tensor t);
/* Adds a stream from the host: each copy transfers `elements` elements of a type. handle names it for the engine.
 * options: docs/reference/options.md, Streams; they have no effect. */
#define pop_graph_add_host_to_device_fifo(...) pop_graph_add_host_to_device_fifo_at(POP_HERE, __VA_ARGS__)
POP_API pop_stream pop_graph_add_host_to_device_fifo_at(pop_where where, pop_graph *graph, const char *handle,
                                                        pop_type type, size_t elements, pop_replicated_stream_mode mode,
                                                        pop_options options);
/* Adds a stream to the host: each copy transfers `elements` elements of a type. Options as for
 * pop_graph_add_host_to_device_fifo. */
#define pop_graph_add_device_to_host_fifo(...) pop_graph_add_device_to_host_fifo_at(POP_HERE, __VA_ARGS__)
POP_API pop_stream pop_graph_add_device_to_host_fifo_at(pop_where where, pop_graph *graph, const char *handle,
                                                        pop_type type, size_t elements, pop_options options);
POP_API const char *pop_stream_handle(pop_stream stream);    /* borrowed; "" for null */
POP_API pop_type pop_stream_element_type(pop_stream stream); /* Type of the stream's elements. */
POP_API size_t pop_stream_num_elements(pop_stream stream);   /* Elements of a transfer. */
/* Whether the stream goes to the device or to the host. */
POP_API pop_stream_type pop_stream_direction(pop_stream stream);
/* Whether replicas have their own data. */
POP_API pop_replicated_stream_mode pop_stream_replicated_mode(pop_stream stream);
#define pop_graph_add_remote_buffer(...) pop_graph_add_remote_buffer_at(POP_HERE, __VA_ARGS__)
/* The buffer has `repeats` rows of `elements` elements. rearrange_on_host or optimise_memory: the host stores rows in
 * the order of tile memory, as with pop_copy_from_stream. */
POP_API pop_remote_buffer pop_graph_add_remote_buffer_at(pop_where where, pop_graph *graph, const char *handle,
                                                         pop_type type, size_t elements, size_t repeats,
                                                         bool rearrange_on_host, bool optimise_memory);
POP_API const char *pop_remote_buffer_handle(pop_remote_buffer buffer); /* The buffer's name; borrowed, "" for null. */
POP_API pop_type pop_remote_buffer_element_type(pop_remote_buffer buffer); /* Type of the buffer's elements. */
POP_API size_t pop_remote_buffer_num_elements(pop_remote_buffer buffer);   /* Elements of a row. */
POP_API size_t pop_remote_buffer_repeats(pop_remote_buffer buffer);        /* Number of rows. */
/* Whether the host stores rows in the order of tile memory. */
POP_API bool pop_remote_buffer_rearrange_on_host(pop_remote_buffer buffer);
/* As the call that made the buffer was given it. */
POP_API bool pop_remote_buffer_optimise_memory(pop_remote_buffer buffer);
/* An argument of a host function: this many elements of a type. */
typedef struct pop_host_argument {
    pop_type type;   /* type of the elements */
    size_t elements; /* their number */
} pop_host_argument;
/* Adds a function of the host that programs can call (pop_call_host); the engine connects it by its handle. The
 * argument lists are copied. */
#define pop_graph_add_host_function(...) pop_graph_add_host_function_at(POP_HERE, __VA_ARGS__)
POP_API pop_host_function pop_graph_add_host_function_at(pop_where where, pop_graph *graph, const char *handle,
                                                         const pop_host_argument *inputs, size_t num_inputs,
                                                         const pop_host_argument *outputs, size_t num_outputs);
POP_API const char *pop_host_function_handle(pop_host_function function); /* borrowed; "" for null */
/* Makes a function of a program, for pop_call: its code is in the executable once. */
#define pop_graph_add_function(...) pop_graph_add_function_at(POP_HERE, __VA_ARGS__)
POP_API pop_function pop_graph_add_function_at(pop_where where, pop_graph *graph, pop_program program);
/* Whether the function belongs to the graph; one whose store is NULL is matched by its id alone. */
POP_API bool pop_graph_has_function(const pop_graph *graph, pop_function function);

/* ---- serialisation ---- */
#define pop_graph_serialize_tensors(...) pop_graph_serialize_tensors_at(POP_HERE, __VA_ARGS__)
/* Writes the layout (variables, mapping, views) of tensors to a file; pop_graph_deserialize_tensors creates new
 * variables of the same layout. */
POP_API bool pop_graph_serialize_tensors_at(pop_where where, pop_graph *graph, FILE *file, pop_tensors tensors,
                                            pop_serialization format);
#define pop_graph_deserialize_tensors(...) pop_graph_deserialize_tensors_at(POP_HERE, __VA_ARGS__)
/* Writes at most capacity tensors, returns the number in the file; 0 and parse_error for a malformed file. */
POP_API size_t pop_graph_deserialize_tensors_at(pop_where where, pop_graph *graph, FILE *file, pop_serialization format,
                                                pop_tensor *tensors, size_t capacity);
#define pop_graph_serialize(...) pop_graph_serialize_at(POP_HERE, __VA_ARGS__)
/* A dump of the whole graph for tools, write-only: JSON, or the same as CBOR (POP_SERIALIZE_BINARY). */
POP_API bool pop_graph_serialize_at(pop_where where, pop_graph *graph, FILE *file, pop_serialization format);
#define pop_graph_serialize_programs(...) pop_graph_serialize_programs_at(POP_HERE, __VA_ARGS__)
/* The same with programs: "programs" are the numbers of the given ones, "steps" describes each program that they reach
 * once (kind, name, what it works on, children), "functions" has the program of each function.
 * control_program_error: a program is null or belongs to another graph. */
POP_API bool pop_graph_serialize_programs_at(pop_where where, pop_graph *graph, FILE *file, const pop_program *programs,
                                             size_t count, pop_serialization format);
#define pop_graph_output_compute_graph(...) pop_graph_output_compute_graph_at(POP_HERE, __VA_ARGS__)
/* Graphviz: the steps of programs and the variables between them. */
POP_API bool pop_graph_output_compute_graph_at(pop_where where, pop_graph *graph, FILE *file,
                                               const pop_program *programs, size_t count);
#define pop_graph_output_vertex_graph(...) pop_graph_output_vertex_graph_at(POP_HERE, __VA_ARGS__)
/* Graphviz: every vertex of the compute sets that programs execute, and its edges. */
POP_API bool pop_graph_output_vertex_graph_at(pop_where where, pop_graph *graph, FILE *file,
                                              const pop_program *programs, size_t count);

POP_END_DECLS
#endif
