/* SPDX-License-Identifier: Apache-2.0 */
/* Mappings of tensors: even shares, shares by use, copies to another IPU, and what a mapping looks like.
 *
 * Errors are recorded in the graph with the caller's line, as in poplar/graph.h: invalid_tile_mapping for a null tensor
 * or one that is not mapped where it must be. */
#ifndef POPUTIL_TILE_MAPPING_H
#define POPUTIL_TILE_MAPPING_H

#include <poplar/graph.h>
#include <poplar/program.h>

POP_BEGIN_DECLS

/* ---- even shares ---- */

/* The elements of a shape in order over tiles 0, 1, 2, ..., in whole grains, at least min_elements_per_tile on each
 * tile that has any, on as many tiles as that allows and as evenly as possible.  mapping has a list for each tile of
 * the graph; the caller frees it.  False when the graph has an error. */
POP_API bool poputil_calc_linear_tile_mapping(const pop_graph *graph, pop_shape shape, unsigned min_elements_per_tile,
                                              unsigned grain_size, pop_interval_lists *mapping);
/* The same for a tensor: at least 128 bytes on a tile, grains of the target's vector width. */
POP_API bool poputil_calc_linear_tile_mapping_of_tensor(const pop_graph *graph, pop_tensor t,
                                                        pop_interval_lists *mapping);
#define poputil_map_tensor_linearly(...) poputil_map_tensor_linearly_at(POP_HERE, __VA_ARGS__)
/* Maps a tensor so: at least 128 bytes on a tile, grains of the vector width. */
POP_API void poputil_map_tensor_linearly_at(pop_where where, pop_graph *graph, pop_tensor t);
#define poputil_map_tensor_linearly_grain(...) poputil_map_tensor_linearly_grain_at(POP_HERE, __VA_ARGS__)
POP_API void poputil_map_tensor_linearly_grain_at(pop_where where, pop_graph *graph, pop_tensor t,
                                                  unsigned min_elements_per_tile, unsigned grain_size);

/* The same from another tile on: the first part is on tile offset and the next ones on the tiles after it, going
 * round at the end; with ascending false, everything is counted from the last tile down.  Gives the offset with which
 * the next tensor can go on. */
POP_API bool poputil_calc_linear_tile_mapping_and_new_offset(const pop_graph *graph, pop_shape shape,
                                                             unsigned min_elements_per_tile, unsigned grain_size,
                                                             unsigned offset, bool ascending,
                                                             pop_interval_lists *mapping, unsigned *new_offset);
POP_API bool poputil_calc_linear_tile_mapping_and_new_offset_of_tensor(const pop_graph *graph, pop_tensor t,
                                                                       unsigned offset, bool ascending,
                                                                       pop_interval_lists *mapping,
                                                                       unsigned *new_offset);
#define poputil_map_tensor_linearly_with_offset(...) poputil_map_tensor_linearly_with_offset_at(POP_HERE, __VA_ARGS__)
POP_API unsigned poputil_map_tensor_linearly_with_offset_at(pop_where where, pop_graph *graph, pop_tensor t,
                                                            unsigned offset, bool ascending);
#define poputil_map_tensor_linearly_with_offset_grain(...)                                                             \
    poputil_map_tensor_linearly_with_offset_grain_at(POP_HERE, __VA_ARGS__)
POP_API unsigned poputil_map_tensor_linearly_with_offset_grain_at(pop_where where, pop_graph *graph, pop_tensor t,
                                                                  unsigned min_elements_per_tile, unsigned grain_size,
                                                                  unsigned offset, bool ascending);
/* An offset that differs from shape to shape and is the same each time; less than num_tiles (0 without tiles). */
POP_API size_t poputil_choose_mapping_offset(size_t num_tiles, pop_shape shape, size_t seed);
/* The tile of part i when parts begin at an offset and go up or down; and the part of a tile. */
POP_API unsigned poputil_transform_tile_index(unsigned tile, unsigned num_tiles, unsigned offset, bool ascending);
POP_API unsigned poputil_inv_transform_tile_index(unsigned tile, unsigned num_tiles, unsigned offset, bool ascending);

/* ---- what a mapping looks like ---- */

/* How many elements more than an even share (in grains, and at least min_elements_per_tile) the fullest tile has. */
POP_API size_t poputil_get_tile_imbalance(const pop_interval_lists *mapping, unsigned min_elements_per_tile,
                                          unsigned grain_size);
#define poputil_get_tile_imbalance_of_tensor(...) poputil_get_tile_imbalance_of_tensor_at(POP_HERE, __VA_ARGS__)
POP_API size_t poputil_get_tile_imbalance_of_tensor_at(pop_where where, pop_graph *graph, pop_tensor t,
                                                       unsigned min_elements_per_tile, unsigned grain_size);
#define poputil_dim_is_split_over_tiles(...) poputil_dim_is_split_over_tiles_at(POP_HERE, __VA_ARGS__)
/* Whether some line of elements along a dimension is on more than one tile, or IPU.  index_error for a dimension that
 * t lacks. */
POP_API bool poputil_dim_is_split_over_tiles_at(pop_where where, pop_graph *graph, pop_tensor t, unsigned dimension);
#define poputil_dim_is_split_over_ipus(...) poputil_dim_is_split_over_ipus_at(POP_HERE, __VA_ARGS__)
POP_API bool poputil_dim_is_split_over_ipus_at(pop_where where, pop_graph *graph, pop_tensor t, unsigned dimension);

/* ---- shares by use ---- */

/* Collects which tiles use which elements, then maps each element to a tile that uses it.  An owner: create and
 * destroy. */
typedef struct poputil_use_tracker poputil_use_tracker;
typedef enum poputil_mapping_method {
    POPUTIL_MAPPING_NONE = 0,
    POPUTIL_OPTIMIZE_HALO_REGIONS, /* what several tiles use, beside a region that some of those use, goes with that
                                      region */
    POPUTIL_CONSTRAIN_MAPPING_TO_USED_TILES /* elements are on tiles that use them, which holds in any case */
} poputil_mapping_method;

/* Elements that nobody claims more than others begin at start_tile, and go up or down from there. */
POP_API poputil_use_tracker *poputil_use_tracker_create(unsigned num_tiles, unsigned start_tile, bool ascending);
POP_API void poputil_use_tracker_destroy(poputil_use_tracker *tracker); /* NULL is allowed */
POP_API bool poputil_use_tracker_empty(const poputil_use_tracker *tracker);
#define poputil_use_tracker_add(...) poputil_use_tracker_add_at(POP_HERE, __VA_ARGS__)
/* A tile uses the elements of t.  index_error for a tile that the tracker does not have. */
POP_API void poputil_use_tracker_add_at(pop_where where, poputil_use_tracker *tracker, pop_graph *graph, unsigned tile,
                                        pop_tensor t);
/* What another tracker collected, too. */
POP_API void poputil_use_tracker_add_tracker(poputil_use_tracker *tracker, const poputil_use_tracker *other);
#define poputil_use_tracker_resolve(...) poputil_use_tracker_resolve_at(POP_HERE, __VA_ARGS__)
/* Decides: afterwards each element is used by one tile alone.  Elements that the same tiles use are shared out between
 * them in whole grains, at least min_elements_per_tile each.  With extend_partial_usage the elements of a variable that
 * nobody uses go where their neighbours go. */
POP_API void poputil_use_tracker_resolve_at(pop_where where, poputil_use_tracker *tracker, pop_graph *graph,
                                            unsigned grain_size, unsigned min_elements_per_tile,
                                            bool extend_partial_usage, poputil_mapping_method method);
#define poputil_use_tracker_map_tensors_by_use(...) poputil_use_tracker_map_tensors_by_use_at(POP_HERE, __VA_ARGS__)
/* Decides, and maps the variables so. */
POP_API void poputil_use_tracker_map_tensors_by_use_at(pop_where where, poputil_use_tracker *tracker, pop_graph *graph,
                                                       unsigned grain_size, unsigned min_elements_per_tile,
                                                       bool extend_partial_usage, poputil_mapping_method method);

/* ---- mapped like others ---- */

#define poputil_create_broadcast_operand(...) poputil_create_broadcast_operand_at(POP_HERE, __VA_ARGS__)
/* A variable of one dimension, as long as dimension dim of full, whose elements are on tiles that hold the elements of
 * full that they go with.  With dither, what is shared by many tiles begins at a tile that depends on the shape. */
POP_API pop_tensor poputil_create_broadcast_operand_at(pop_where where, pop_graph *graph, pop_tensor full,
                                                       pop_type type, unsigned dim, bool dither, const char *name);
#define poputil_map_output_for_element_wise_op(...) poputil_map_output_for_element_wise_op_at(POP_HERE, __VA_ARGS__)
/* Maps an output like the input of its shape that is spread best: the least on the fullest tile, then on the most
 * tiles; each grain of grain_size elements is on one tile, that of its first.  Inputs with aliases or constants do
 * not count, nor do scalars; without such an input the output is mapped linearly with grain_size and
 * min_grains_per_tile.  An input of that shape that is not mapped completely is an invalid_tile_mapping. */
POP_API void poputil_map_output_for_element_wise_op_at(pop_where where, pop_graph *graph, pop_tensors inputs,
                                                       pop_tensor output, unsigned grain_size,
                                                       unsigned min_grains_per_tile);

/* ---- other IPUs ---- */

#define poputil_clone_to_ipu(...) poputil_clone_to_ipu_at(POP_HERE, __VA_ARGS__)
/* A clone of t on the same tiles of another IPU; graph is one of whole IPUs.  index_error for an IPU that the target
 * lacks. */
POP_API pop_tensor poputil_clone_to_ipu_at(pop_where where, pop_graph *graph, pop_tensor t, unsigned ipu,
                                           pop_clone_method method, const char *name);
#define poputil_create_ipu_copy(...) poputil_create_ipu_copy_at(POP_HERE, __VA_ARGS__)
/* The same, with the views that pop_copy needs to give the clone t's values. */
POP_API pop_tensor poputil_create_ipu_copy_at(pop_where where, pop_graph *graph, pop_tensor t, unsigned ipu,
                                              pop_clone_method method, const char *name, pop_tensor *copy_source,
                                              pop_tensor *copy_destination);
#define poputil_copy_to_ipu(...) poputil_copy_to_ipu_at(POP_HERE, __VA_ARGS__)
/* The same, with the copy added to a sequence. */
POP_API pop_tensor poputil_copy_to_ipu_at(pop_where where, pop_graph *graph, pop_tensor t, pop_program sequence,
                                          unsigned ipu, pop_clone_method method, const char *name);
#define poputil_clone_to_graph(...) poputil_clone_to_graph_at(POP_HERE, __VA_ARGS__)
/* A clone of t, which is on tiles of from, on the tiles of to that have the same numbers: both are graphs of as many
 * tiles that share their variables (poplar_error). */
POP_API pop_tensor poputil_clone_to_graph_at(pop_where where, pop_graph *from, pop_graph *to, pop_tensor t,
                                             pop_clone_method method, const char *name);
#define poputil_clone_and_expand_aliasing(...) poputil_clone_and_expand_aliasing_at(POP_HERE, __VA_ARGS__)
/* A clone whose elements all have memory of their own, on the tiles of t's. */
POP_API pop_tensor poputil_clone_and_expand_aliasing_at(pop_where where, pop_graph *graph, pop_tensor t,
                                                        const char *name);

POP_END_DECLS
#endif
