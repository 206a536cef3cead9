/* SPDX-License-Identifier: Apache-2.0 */
/* Where tensors lie: even shares, shares by use, copies to another IPU, and what a mapping looks like.
 *
 * Errors are recorded in the graph with the caller's line, as in poplar/graph.h: invalid_tile_mapping for a null tensor or one that is
 * not mapped where it must be. */
#ifndef POPUTIL_TILE_MAPPING_H
#define POPUTIL_TILE_MAPPING_H

#include <poplar/graph.h>
#include <poplar/program.h>

POP_BEGIN_DECLS

/* ---- even shares ---- */

/* The elements of a shape in order over tiles 0, 1, 2, ..., in whole grains, at least min_elements_per_tile on each tile that has any, on as many tiles
 * as that allows and as evenly as possible.  mapping has a list for each tile of the graph; the caller frees it.  False when the graph has an error. */
POP_API bool poputil_calc_linear_tile_mapping(const pop_graph *graph, pop_shape shape, unsigned min_elements_per_tile, unsigned grain_size,
                                              pop_interval_lists *mapping);
/* The same for a tensor: at least 128 bytes on a tile, grains of the target's vector width. */
POP_API bool poputil_calc_linear_tile_mapping_of_tensor(const pop_graph *graph, pop_tensor t, pop_interval_lists *mapping);
#define poputil_map_tensor_linearly(...) poputil_map_tensor_linearly_at(POP_HERE, __VA_ARGS__)
/* Maps a tensor so: at least 128 bytes on a tile, grains of the vector width. */
POP_API void poputil_map_tensor_linearly_at(pop_where where, pop_graph *graph, pop_tensor t);
#define poputil_map_tensor_linearly_grain(...) poputil_map_tensor_linearly_grain_at(POP_HERE, __VA_ARGS__)
POP_API void poputil_map_tensor_linearly_grain_at(pop_where where, pop_graph *graph, pop_tensor t, unsigned min_elements_per_tile,
                                                  unsigned grain_size);

/* The same from another tile on: the first part lies on tile offset and the next ones on the tiles after it, going round at the end; with
 * ascending false, everything is counted from the last tile down.  Gives the offset with which the next tensor can go on. */
POP_API bool poputil_calc_linear_tile_mapping_and_new_offset(const pop_graph *graph, pop_shape shape, unsigned min_elements_per_tile,
                                                             unsigned grain_size, unsigned offset, bool ascending, pop_interval_lists *mapping,
                                                             unsigned *new_offset);
POP_API bool poputil_calc_linear_tile_mapping_and_new_offset_of_tensor(const pop_graph *graph, pop_tensor t, unsigned offset, bool ascending,
                                                                       pop_interval_lists *mapping, unsigned *new_offset);
#define poputil_map_tensor_linearly_with_offset(...) poputil_map_tensor_linearly_with_offset_at(POP_HERE, __VA_ARGS__)
POP_API unsigned poputil_map_tensor_linearly_with_offset_at(pop_where where, pop_graph *graph, pop_tensor t, unsigned offset, bool ascending);
#define poputil_map_tensor_linearly_with_offset_grain(...) poputil_map_tensor_linearly_with_offset_grain_at(POP_HERE, __VA_ARGS__)
POP_API unsigned poputil_map_tensor_linearly_with_offset_grain_at(pop_where where, pop_graph *graph, pop_tensor t, unsigned min_elements_per_tile,
                                                                  unsigned grain_size, unsigned offset, bool ascending);
/* An offset that differs from shape to shape and is the same each time; less than num_tiles (0 without tiles). */
POP_API size_t poputil_choose_mapping_offset(size_t num_tiles, pop_shape shape, size_t seed);
/* The tile of part i when parts begin at an offset and go up or down; and the part of a tile. */
POP_API unsigned poputil_transform_tile_index(unsigned tile, unsigned num_tiles, unsigned offset, bool ascending);
POP_API unsigned poputil_inv_transform_tile_index(unsigned tile, unsigned num_tiles, unsigned offset, bool ascending);

/* ---- what a mapping looks like ---- */

/* How many elements more than an even share (in grains, and at least min_elements_per_tile) the fullest tile has. */
POP_API size_t poputil_get_tile_imbalance(const pop_interval_lists *mapping, unsigned min_elements_per_tile, unsigned grain_size);
#define poputil_get_tile_imbalance_of_tensor(...) poputil_get_tile_imbalance_of_tensor_at(POP_HERE, __VA_ARGS__)
POP_API size_t poputil_get_tile_imbalance_of_tensor_at(pop_where where, pop_graph *graph, pop_tensor t, unsigned min_elements_per_tile,
                                                       unsigned grain_size);
#define poputil_dim_is_split_over_tiles(...) poputil_dim_is_split_over_tiles_at(POP_HERE, __VA_ARGS__)
/* Whether some line of elements along a dimension lies on more than one tile, or IPU.  index_error for a dimension that t lacks. */
POP_API bool poputil_dim_is_split_over_tiles_at(pop_where where, pop_graph *graph, pop_tensor t, unsigned dimension);
#define poputil_dim_is_split_over_ipus(...) poputil_dim_is_split_over_ipus_at(POP_HERE, __VA_ARGS__)
POP_API bool poputil_dim_is_split_over_ipus_at(pop_where where, pop_graph *graph, pop_tensor t, unsigned dimension);

POP_END_DECLS
#endif
