/* SPDX-License-Identifier: Apache-2.0 */
/* Tile mappings of tensors: linear, by use, copies to other IPUs, and queries.
 *
 * Errors are recorded in the graph with the caller's line, as in poplar/graph.h: invalid_tile_mapping for a null
 * tensor, or for a tensor without the required mapping. */
#ifndef POPUTIL_TILE_MAPPING_H
#define POPUTIL_TILE_MAPPING_H

#include <poplar/graph.h>
#include <poplar/program.h>

POP_BEGIN_DECLS

/* ---- linear mappings ---- */

/* Distributes the elements of a shape in order over tiles 0, 1, 2, ..., in whole grains, with at least
 * min_elements_per_tile on each tile that has any, over as many tiles as possible and as evenly as possible. mapping
 * has a list for each tile of the graph; the caller frees it. False when the graph has an error. */
POP_API bool poputil_calc_linear_tile_mapping(const pop_graph *graph, pop_shape shape, unsigned min_elements_per_tile,
                                              unsigned grain_size, pop_interval_lists *mapping);
/* The linear mapping of a tensor, with at least 128 bytes on a tile and grains of the target's vector width. */
POP_API bool poputil_calc_linear_tile_mapping_of_tensor(const pop_graph *graph, pop_tensor t,
                                                        pop_interval_lists *mapping);
#define poputil_map_tensor_linearly(...) poputil_map_tensor_linearly_at(POP_HERE, __VA_ARGS__)
/* Maps a tensor in this way: at least 128 bytes on a tile, grains of the vector width. */
POP_API void poputil_map_tensor_linearly_at(pop_where where, pop_graph *graph, pop_tensor t);
/* Maps a tensor linearly, with the given minimum on a tile and the given grain, in elements. */
#define poputil_map_tensor_linearly_grain(...) poputil_map_tensor_linearly_grain_at(POP_HERE, __VA_ARGS__)
POP_API void poputil_map_tensor_linearly_grain_at(pop_where where, pop_graph *graph, pop_tensor t,
                                                  unsigned min_elements_per_tile, unsigned grain_size);

/* A linear mapping from a given tile on: the first part is on tile `offset` and the next ones on the following tiles,
 * with wrap-around; with ascending false, tiles are counted down from the last. Returns the offset for the next tensor.
 */
POP_API bool poputil_calc_linear_tile_mapping_and_new_offset(const pop_graph *graph, pop_shape shape,
                                                             unsigned min_elements_per_tile, unsigned grain_size,
                                                             unsigned offset, bool ascending,
                                                             pop_interval_lists *mapping, unsigned *new_offset);
/* For a tensor, with at least 128 bytes on a tile and grains of the vector width, from the tile `offset` on. */
POP_API bool poputil_calc_linear_tile_mapping_and_new_offset_of_tensor(const pop_graph *graph, pop_tensor t,
                                                                       unsigned offset, bool ascending,
                                                                       pop_interval_lists *mapping,
                                                                       unsigned *new_offset);
/* Maps a tensor from the tile `offset` on, with at least 128 bytes on a tile and grains of the vector width; returns
 * the offset for the next tensor. */
#define poputil_map_tensor_linearly_with_offset(...) poputil_map_tensor_linearly_with_offset_at(POP_HERE, __VA_ARGS__)
POP_API unsigned poputil_map_tensor_linearly_with_offset_at(pop_where where, pop_graph *graph, pop_tensor t,
                                                            unsigned offset, bool ascending);
#define poputil_map_tensor_linearly_with_offset_grain(...)                                                             \
    poputil_map_tensor_linearly_with_offset_grain_at(POP_HERE, __VA_ARGS__)
/* Maps a tensor from the tile `offset` on; returns the offset for the next tensor. */
POP_API unsigned poputil_map_tensor_linearly_with_offset_grain_at(pop_where where, pop_graph *graph, pop_tensor t,
                                                                  unsigned min_elements_per_tile, unsigned grain_size,
                                                                  unsigned offset, bool ascending);
/* The linear mappings of a shape without a graph, over the target's tiles; the caller frees them. A tile mapping has a
 * list for each tile; by type: with at least 128 bytes on a tile and grains of the vector width. */
POP_API void poputil_calc_linear_tile_mapping_on_target(const pop_target *target, pop_shape shape,
                                                        unsigned min_elements_per_tile, unsigned grain_size,
                                                        unsigned offset, bool ascending, pop_interval_lists *mapping);
/* The linear mapping of a shape of a type: at least 128 bytes on a tile and grains of the vector width, from the tile
 * `offset` on; the caller frees it. */
POP_API void poputil_calc_linear_tile_mapping_of_type_on_target(const pop_target *target, pop_shape shape,
                                                                pop_type type, unsigned offset, bool ascending,
                                                                pop_interval_lists *mapping);
#define POPUTIL_OFFSET_SEED 0x9e3779b9 /* the seed of C++ programs that give none */
/* A deterministic offset that depends on the shape and a seed; less than num_tiles (0 without tiles). */
POP_API size_t poputil_choose_mapping_offset(size_t num_tiles, pop_shape shape, size_t seed);
/* The place of a tile in a sequence of tiles that begins at `offset` and ascends, (tiles + tile - offset) mod tiles, or
 * descends, (2 tiles - offset - tile) mod tiles; and the inverse. 0 without tiles. */
POP_API unsigned poputil_transform_tile_index(unsigned tile, unsigned num_tiles, unsigned offset, bool ascending);
POP_API unsigned poputil_inv_transform_tile_index(unsigned tile, unsigned num_tiles, unsigned offset, bool ascending);

/* ---- queries of mappings ---- */

/* Elements on the fullest tile minus an even share (in grains, and at least min_elements_per_tile). */
POP_API size_t poputil_get_tile_imbalance(const pop_interval_lists *mapping, unsigned min_elements_per_tile,
                                          unsigned grain_size);
/* Elements of the tensor on its fullest tile minus an even share, as poputil_get_tile_imbalance. */
#define poputil_get_tile_imbalance_of_tensor(...) poputil_get_tile_imbalance_of_tensor_at(POP_HERE, __VA_ARGS__)
POP_API size_t poputil_get_tile_imbalance_of_tensor_at(pop_where where, pop_graph *graph, pop_tensor t,
                                                       unsigned min_elements_per_tile, unsigned grain_size);
#define poputil_dim_is_split_over_tiles(...) poputil_dim_is_split_over_tiles_at(POP_HERE, __VA_ARGS__)
/* Whether some line of elements along a dimension is on more than one tile, or IPU. index_error when t has no such
 * dimension. */
POP_API bool poputil_dim_is_split_over_tiles_at(pop_where where, pop_graph *graph, pop_tensor t, unsigned dimension);
/* Whether some line of elements along a dimension is on more than one IPU. */
#define poputil_dim_is_split_over_ipus(...) poputil_dim_is_split_over_ipus_at(POP_HERE, __VA_ARGS__)
POP_API bool poputil_dim_is_split_over_ipus_at(pop_where where, pop_graph *graph, pop_tensor t, unsigned dimension);

/* ---- mapping by use ---- */

/* Collects which tiles use which elements, then maps each element to a tile that uses it. Owned by the caller:
 * create and destroy. */
typedef struct poputil_use_tracker poputil_use_tracker;
/* How a use tracker maps elements that several tiles use. */
typedef enum poputil_mapping_method {
    POPUTIL_MAPPING_NONE = 0,
    POPUTIL_OPTIMIZE_HALO_REGIONS, /* elements of several tiles are mapped like an adjacent region with fewer */
    POPUTIL_CONSTRAIN_MAPPING_TO_USED_TILES /* elements are on tiles that use them; this is always the case */
} poputil_mapping_method;

/* Elements with several candidate tiles are distributed from start_tile on, ascending or descending. */
POP_API poputil_use_tracker *poputil_use_tracker_create(unsigned num_tiles, unsigned start_tile, bool ascending);
POP_API void poputil_use_tracker_destroy(poputil_use_tracker *tracker);     /* NULL is allowed */
POP_API bool poputil_use_tracker_empty(const poputil_use_tracker *tracker); /* Whether no use has been recorded. */
#define poputil_use_tracker_add(...) poputil_use_tracker_add_at(POP_HERE, __VA_ARGS__)
/* Records that a tile uses the elements of t. index_error for a tile that the tracker does not have. */
POP_API void poputil_use_tracker_add_at(pop_where where, poputil_use_tracker *tracker, pop_graph *graph, unsigned tile,
                                        pop_tensor t);
/* Adds the uses that another tracker has collected. */
POP_API void poputil_use_tracker_add_tracker(poputil_use_tracker *tracker, const poputil_use_tracker *other);
#define poputil_use_tracker_resolve(...) poputil_use_tracker_resolve_at(POP_HERE, __VA_ARGS__)
/* Resolves the uses: afterwards each element is used by one tile. Elements used by the same set of tiles are divided
 * among them in whole grains, at least min_elements_per_tile each. With extend_partial_usage, unused elements of a
 * variable are mapped like their neighbours. */
POP_API void poputil_use_tracker_resolve_at(pop_where where, poputil_use_tracker *tracker, pop_graph *graph,
                                            unsigned grain_size, unsigned min_elements_per_tile,
                                            bool extend_partial_usage, poputil_mapping_method method);
#define poputil_use_tracker_map_tensors_by_use(...) poputil_use_tracker_map_tensors_by_use_at(POP_HERE, __VA_ARGS__)
/* Resolves the uses and maps the variables. */
POP_API void poputil_use_tracker_map_tensors_by_use_at(pop_where where, poputil_use_tracker *tracker, pop_graph *graph,
                                                       unsigned grain_size, unsigned min_elements_per_tile,
                                                       bool extend_partial_usage, poputil_mapping_method method);

/* ---- mapping like other tensors ---- */

#define poputil_create_broadcast_operand(...) poputil_create_broadcast_operand_at(POP_HERE, __VA_ARGS__)
/* Creates a variable of one dimension, as long as dimension dim of full, with each element on a tile that has
 * corresponding elements of full. With dither, elements with many candidate tiles are distributed from a tile that
 * depends on the shape. */
POP_API pop_tensor poputil_create_broadcast_operand_at(pop_where where, pop_graph *graph, pop_tensor full,
                                                       pop_type type, unsigned dim, bool dither, const char *name);
#define poputil_map_output_for_element_wise_op(...) poputil_map_output_for_element_wise_op_at(POP_HERE, __VA_ARGS__)
/* Maps an output like its best-distributed input of the same shape: lowest maximum on a tile, then most tiles, judged
 * by what the output would have. Each grain of grain_size elements is on the tile of its first element, and a tile that
 * has any has at least min_grains_per_tile of them: parts of successive tiles are joined. Inputs with aliases or
 * constants and scalars are ignored; without a suitable input the output is mapped linearly with grain_size and
 * min_grains_per_tile. An incompletely mapped input of that shape is an invalid_tile_mapping. */
POP_API void poputil_map_output_for_element_wise_op_at(pop_where where, pop_graph *graph, pop_tensors inputs,
                                                       pop_tensor output, unsigned grain_size,
                                                       unsigned min_grains_per_tile);

/* ---- other IPUs ---- */

#define poputil_clone_to_ipu(...) poputil_clone_to_ipu_at(POP_HERE, __VA_ARGS__)
/* A clone of t on the same tiles of another IPU; graph must consist of whole IPUs. index_error for an IPU that the
 * target does not have. */
POP_API pop_tensor poputil_clone_to_ipu_at(pop_where where, pop_graph *graph, pop_tensor t, unsigned ipu,
                                           pop_clone_method method, const char *name);
#define poputil_create_ipu_copy(...) poputil_create_ipu_copy_at(POP_HERE, __VA_ARGS__)
/* A clone as poputil_clone_to_ipu makes it, with the views for a pop_copy of t's values to the clone. */
POP_API pop_tensor poputil_create_ipu_copy_at(pop_where where, pop_graph *graph, pop_tensor t, unsigned ipu,
                                              pop_clone_method method, const char *name, pop_tensor *copy_source,
                                              pop_tensor *copy_destination);
#define poputil_copy_to_ipu(...) poputil_copy_to_ipu_at(POP_HERE, __VA_ARGS__)
/* A clone as poputil_clone_to_ipu makes it; adds the copy of t's values to a sequence. */
POP_API pop_tensor poputil_copy_to_ipu_at(pop_where where, pop_graph *graph, pop_tensor t, pop_program sequence,
                                          unsigned ipu, pop_clone_method method, const char *name);
#define poputil_clone_to_graph(...) poputil_clone_to_graph_at(POP_HERE, __VA_ARGS__)
/* A clone of t, which is on tiles of from, on the tiles of to with the same numbers: both are virtual graphs of one
 * graph with the same number of tiles (otherwise poplar_error). */
POP_API pop_tensor poputil_clone_to_graph_at(pop_where where, pop_graph *from, pop_graph *to, pop_tensor t,
                                             pop_clone_method method, const char *name);
#define poputil_clone_and_expand_aliasing(...) poputil_clone_and_expand_aliasing_at(POP_HERE, __VA_ARGS__)
/* A clone in which each element has its own memory. The first occurrence of an element is on the tile of t's element;
 * repetitions are mapped linearly from the tile `offset` on. *new_offset (NULL: not wanted) is the offset for the next
 * tensor: `offset` itself when t repeats nothing. */
POP_API pop_tensor poputil_clone_and_expand_aliasing_at(pop_where where, pop_graph *graph, pop_tensor t,
                                                        unsigned offset, const char *name, unsigned *new_offset);

POP_END_DECLS
#endif
