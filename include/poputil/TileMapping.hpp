// SPDX-License-Identifier: Apache-2.0
// Mappings of tensors (poputil/tile_mapping.h).
#ifndef POPUTIL_TILE_MAPPING_HPP
#define POPUTIL_TILE_MAPPING_HPP

#include <poplar/Program.hpp>
#include <poputil/detail/call.hpp>
#include <poputil/exceptions.hpp>
#include <poputil/tile_mapping.h>

#include <memory>
#include <utility>

namespace poputil
{

typedef poplar::Graph::TileToTensorMapping TileToTensorMapping; // Intervals of the flattened tensor, by tile.

// ---- linear mappings: by default at least 128 bytes on a tile, in grains of the vector width ----
inline TileToTensorMapping calcLinearTileMapping(const poplar::Graph &graph, std::vector<std::size_t> shape,
                                                 unsigned minElementsPerTile, unsigned grainSize, unsigned offset = 0,
                                                 bool ascendingMappingOrder = true)
{
    pop_interval_lists mapping;
    unsigned next;
    if (!poputil_calc_linear_tile_mapping_and_new_offset(graph.c(), poplar::detail::shape(shape), minElementsPerTile,
                                                         grainSize, offset, ascendingMappingOrder, &mapping, &next))
        detail::raise(graph.c());
    return poplar::detail::takeLists(mapping);
}
inline TileToTensorMapping calcLinearTileMapping(const poplar::Graph &graph, const poplar::Tensor &t,
                                                 unsigned offset = 0, bool ascendingMappingOrder = true)
{
    pop_interval_lists mapping;
    unsigned next;
    if (!poputil_calc_linear_tile_mapping_and_new_offset_of_tensor(graph.c(), t.c(), offset, ascendingMappingOrder,
                                                                   &mapping, &next))
        detail::raise(graph.c());
    return poplar::detail::takeLists(mapping);
}
// Over the tiles of a target, before there is a graph.
inline TileToTensorMapping calcLinearTileMapping(const poplar::Target &target, std::vector<std::size_t> shape,
                                                 unsigned minElementsPerTile, unsigned grainSize, unsigned offset = 0,
                                                 bool ascendingMappingOrder = true)
{
    const pop_target described = target.c();
    pop_interval_lists mapping;
    poputil_calc_linear_tile_mapping_on_target(&described, poplar::detail::shape(shape), minElementsPerTile, grainSize,
                                               offset, ascendingMappingOrder, &mapping);
    return poplar::detail::takeLists(mapping);
}
inline TileToTensorMapping calcLinearTileMapping(const poplar::Target &target, const std::vector<std::size_t> &shape,
                                                 poplar::Type type, unsigned offset = 0,
                                                 bool ascendingMappingOrder = true)
{
    const pop_target described = target.c();
    pop_interval_lists mapping;
    poputil_calc_linear_tile_mapping_of_type_on_target(&described, poplar::detail::shape(shape), type.c(), offset,
                                                       ascendingMappingOrder, &mapping);
    return poplar::detail::takeLists(mapping);
}
inline void mapTensorLinearly(poplar::Graph &graph, const poplar::Tensor &t, unsigned minElementsPerTile,
                              unsigned grainSize, detail::Where where = detail::Where::here())
{
    poputil_map_tensor_linearly_grain_at(where, graph.c(), t.c(), minElementsPerTile, grainSize);
    detail::check(graph.c());
}
inline void mapTensorLinearly(poplar::Graph &graph, const poplar::Tensor &t,
                              detail::Where where = detail::Where::here())
{
    poputil_map_tensor_linearly_at(where, graph.c(), t.c());
    detail::check(graph.c());
}

// From a given tile on; the second result is the offset for the next tensor.
inline std::pair<TileToTensorMapping, unsigned> calcLinearTileMappingAndNewOffset(const poplar::Graph &graph,
                                                                                  poplar::ArrayRef<std::size_t> shape,
                                                                                  unsigned minElementsPerTile,
                                                                                  unsigned grainSize, unsigned offset,
                                                                                  bool ascendingMappingOrder = true)
{
    pop_interval_lists mapping;
    unsigned next;
    if (!poputil_calc_linear_tile_mapping_and_new_offset(graph.c(), poplar::detail::shape(shape), minElementsPerTile,
                                                         grainSize, offset, ascendingMappingOrder, &mapping, &next))
        detail::raise(graph.c());
    return std::make_pair(poplar::detail::takeLists(mapping), next);
}
inline std::pair<TileToTensorMapping, unsigned> calcLinearTileMappingAndNewOffset(const poplar::Graph &graph,
                                                                                  const poplar::Tensor &t,
                                                                                  unsigned offset = 0,
                                                                                  bool ascendingMappingOrder = true)
{
    pop_interval_lists mapping;
    unsigned next;
    if (!poputil_calc_linear_tile_mapping_and_new_offset_of_tensor(graph.c(), t.c(), offset, ascendingMappingOrder,
                                                                   &mapping, &next))
        detail::raise(graph.c());
    return std::make_pair(poplar::detail::takeLists(mapping), next);
}
inline void mapTensorLinearlyWithOffset(poplar::Graph &graph, const poplar::Tensor &t, unsigned minElementsPerTile,
                                        unsigned grainSize, unsigned offset, bool ascendingMappingOrder = true,
                                        detail::Where where = detail::Where::here())
{
    poputil_map_tensor_linearly_with_offset_grain_at(where, graph.c(), t.c(), minElementsPerTile, grainSize, offset,
                                                     ascendingMappingOrder);
    detail::check(graph.c());
}
inline void mapTensorLinearlyWithOffset(poplar::Graph &graph, const poplar::Tensor &t, unsigned offset = 0,
                                        bool ascendingMappingOrder = true, detail::Where where = detail::Where::here())
{
    poputil_map_tensor_linearly_with_offset_at(where, graph.c(), t.c(), offset, ascendingMappingOrder);
    detail::check(graph.c());
}
inline std::size_t chooseMappingOffset(std::size_t numTiles, poplar::ArrayRef<std::size_t> shape,
                                       std::size_t seed = POPUTIL_OFFSET_SEED)
{
    return poputil_choose_mapping_offset(numTiles, poplar::detail::shape(shape), seed);
}
namespace detail
{
inline void requireTiles(unsigned numTiles)
{
    if (!numTiles)
        throw poplibs_error("Cannot remap Tensor over zero tiles");
}
} // namespace detail
inline unsigned transformTileIndex(unsigned tile, unsigned numTiles, unsigned offset, bool ascending)
{
    detail::requireTiles(numTiles);
    return poputil_transform_tile_index(tile, numTiles, offset, ascending);
}
inline unsigned invTransformTileIndex(unsigned tile, unsigned numTiles, unsigned offset, bool ascending)
{
    detail::requireTiles(numTiles);
    return poputil_inv_transform_tile_index(tile, numTiles, offset, ascending);
}

// ---- queries of mappings ----
inline unsigned getTileImbalance(const TileToTensorMapping &mapping, unsigned minElementsPerTile = 0,
                                 unsigned grainSize = 1)
{
    poplar::detail::IntervalLists lists(mapping);
    const pop_interval_lists borrowed = lists.c();
    return static_cast<unsigned>(poputil_get_tile_imbalance(&borrowed, minElementsPerTile, grainSize));
}
inline unsigned getTileImbalance(const poplar::Graph &graph, const poplar::Tensor &t, unsigned minElementsPerTile = 0,
                                 unsigned grainSize = 1, detail::Where where = detail::Where::here())
{
    std::size_t imbalance =
        poputil_get_tile_imbalance_of_tensor_at(where, graph.c(), t.c(), minElementsPerTile, grainSize);
    detail::check(graph.c());
    return static_cast<unsigned>(imbalance);
}
inline bool dimIsSplitOverTiles(const poplar::Graph &graph, const poplar::Tensor &t, unsigned dimension,
                                detail::Where where = detail::Where::here())
{
    bool split = poputil_dim_is_split_over_tiles_at(where, graph.c(), t.c(), dimension);
    detail::check(graph.c());
    return split;
}
inline bool dimIsSplitOverIPUs(const poplar::Graph &graph, const poplar::Tensor &t, unsigned dimension,
                               detail::Where where = detail::Where::here())
{
    bool split = poputil_dim_is_split_over_ipus_at(where, graph.c(), t.c(), dimension);
    detail::check(graph.c());
    return split;
}

// ---- mapping by use ----
// Collects which tiles use which elements, then maps each element to a tile that uses it.
class TensorUseTracker
{
  public:
    // How elements of several tiles are mapped.
    enum class MappingMethod { OptimizeHaloRegions, ConstrainMappingToUsedTiles, None };

    // For a number of tiles; elements with several candidates are distributed from startTile on.
    TensorUseTracker(unsigned numTiles, unsigned startTile = 0, bool ascendingMappingOrder = true)
        : tiles(numTiles), start(startTile), ascending(ascendingMappingOrder),
          tracker(poputil_use_tracker_create(tiles, start, ascending))
    {
    }
    TensorUseTracker(const TensorUseTracker &other) : TensorUseTracker(other.tiles, other.start, other.ascending)
    {
        poputil_use_tracker_add_tracker(tracker.get(), other.tracker.get());
    }
    TensorUseTracker(TensorUseTracker &&) noexcept = default;
    TensorUseTracker &operator=(TensorUseTracker other) noexcept
    {
        std::swap(tiles, other.tiles);
        std::swap(start, other.start);
        std::swap(ascending, other.ascending);
        std::swap(tracker, other.tracker);
        return *this;
    }

    // Records that a tile uses the elements of a tensor.
    void add(const poplar::Graph &graph, unsigned tile, const poplar::Tensor &t,
             detail::Where where = detail::Where::here())
    {
        poputil_use_tracker_add_at(where, tracker.get(), graph.c(), tile, t.c());
        detail::check(graph.c());
    }
    void add(const TensorUseTracker &other)
    {
        poputil_use_tracker_add_tracker(tracker.get(), other.tracker.get());
    }
    // Resolves the uses: afterwards each element is used by one tile.
    void resolve(const poplar::Graph &graph, unsigned grainSize, unsigned minElementsPerTile,
                 bool extendPartialUsage = false, MappingMethod mappingMethod = MappingMethod::None,
                 detail::Where where = detail::Where::here())
    {
        poputil_use_tracker_resolve_at(where, tracker.get(), graph.c(), grainSize, minElementsPerTile,
                                       extendPartialUsage, c(mappingMethod));
        detail::check(graph.c());
    }
    // Maps the tensors that have been added to the tiles that use them.
    void mapTensorsByUse(poplar::Graph &graph, unsigned grainSize, unsigned minElementsPerTile,
                         bool extendPartialUsage = false, MappingMethod mappingMethod = MappingMethod::None,
                         detail::Where where = detail::Where::here())
    {
        poputil_use_tracker_map_tensors_by_use_at(where, tracker.get(), graph.c(), grainSize, minElementsPerTile,
                                                  extendPartialUsage, c(mappingMethod));
        detail::check(graph.c());
    }
    bool empty() const
    {
        return poputil_use_tracker_empty(tracker.get());
    }

  private:
    struct Destroy {
        void operator()(poputil_use_tracker *handle) const
        {
            poputil_use_tracker_destroy(handle);
        }
    };
    static poputil_mapping_method c(MappingMethod method)
    {
        return method == MappingMethod::OptimizeHaloRegions ? POPUTIL_OPTIMIZE_HALO_REGIONS
               : method == MappingMethod::None              ? POPUTIL_MAPPING_NONE
                                                            : POPUTIL_CONSTRAIN_MAPPING_TO_USED_TILES;
    }

    unsigned tiles, start;
    bool ascending;
    std::unique_ptr<poputil_use_tracker, Destroy> tracker;
};

// ---- mapping like other tensors ----
inline poplar::Tensor createBroadcastOperand(poplar::Graph &graph, const poplar::Tensor &fullTensor,
                                             const poplar::Type &type, unsigned dim, bool ditherMapping = false,
                                             const poplar::DebugContext &debugContext = {})
{
    return detail::give(graph.c(), poputil_create_broadcast_operand_at(poplar::detail::where(debugContext), graph.c(),
                                                                       fullTensor.c(), type.c(), dim, ditherMapping,
                                                                       poplar::detail::name(debugContext)));
}
inline void mapOutputForElementWiseOp(poplar::Graph &graph, const std::vector<poplar::Tensor> &inputs,
                                      const poplar::Tensor &output, unsigned grainSize = 1,
                                      unsigned minGrainsPerTile = 0, detail::Where where = detail::Where::here())
{
    poputil_map_output_for_element_wise_op_at(where, graph.c(), poplar::detail::tensors(inputs), output.c(), grainSize,
                                              minGrainsPerTile);
    detail::check(graph.c());
}

// ---- other IPUs ----
inline poplar::Tensor
cloneToIpu(poplar::Graph &masterGraph, const poplar::Tensor &t, unsigned dstIPU,
           const poplar::DebugContext &debugContext = {},
           poplar::TensorCloneMethod method = poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES)
{
    return detail::give(masterGraph.c(), poputil_clone_to_ipu_at(poplar::detail::where(debugContext), masterGraph.c(),
                                                                 t.c(), dstIPU, static_cast<pop_clone_method>(method),
                                                                 poplar::detail::name(debugContext)));
}
inline poplar::Tensor
createIpuCopy(poplar::Graph &masterGraph, const poplar::Tensor &t, unsigned dstIPU, poplar::Tensor &copySrc,
              poplar::Tensor &copyDst, const poplar::DebugContext &debugContext = {},
              poplar::TensorCloneMethod method = poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES)
{
    pop_tensor source, destination;
    pop_tensor copy = poputil_create_ipu_copy_at(poplar::detail::where(debugContext), masterGraph.c(), t.c(), dstIPU,
                                                 static_cast<pop_clone_method>(method),
                                                 poplar::detail::name(debugContext), &source, &destination);
    detail::check(masterGraph.c());
    poplar::Tensor result;
    detail::put({ { &result, copy }, { &copySrc, source }, { &copyDst, destination } });
    return result;
}
inline poplar::Tensor
copyToIpu(poplar::Graph &masterGraph, const poplar::Tensor &t, poplar::program::Sequence &prog, unsigned dstIPU,
          const poplar::DebugContext &debugContext = {},
          poplar::TensorCloneMethod method = poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES)
{
    return detail::give(masterGraph.c(), poputil_copy_to_ipu_at(poplar::detail::where(debugContext), masterGraph.c(),
                                                                t.c(), prog.cToGrow(masterGraph.c()), dstIPU,
                                                                static_cast<pop_clone_method>(method),
                                                                poplar::detail::name(debugContext)));
}

// ---- other virtual graphs ----
inline poplar::Tensor
cloneToGraph(poplar::Graph &srcGraph, poplar::Graph &dstGraph, const poplar::Tensor &t,
             const poplar::DebugContext &debugContext = {},
             poplar::TensorCloneMethod method = poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES)
{
    return detail::give(srcGraph.c(), poputil_clone_to_graph_at(
                                          poplar::detail::where(debugContext), srcGraph.c(), dstGraph.c(), t.c(),
                                          static_cast<pop_clone_method>(method), poplar::detail::name(debugContext)));
}
// A clone in which each element has its own memory, and the offset for the next tensor: first occurrences of elements
// keep their tiles, repetitions are mapped linearly from the tile `offset` on.
inline std::pair<poplar::Tensor, unsigned> cloneAndExpandAliasing(poplar::Graph &graph, const poplar::Tensor &t,
                                                                  unsigned offset = 0,
                                                                  const poplar::DebugContext &debugContext = {})
{
    unsigned next;
    poplar::Tensor clone = detail::give(
        graph.c(), poputil_clone_and_expand_aliasing_at(poplar::detail::where(debugContext), graph.c(), t.c(), offset,
                                                        poplar::detail::name(debugContext), &next));
    return std::make_pair(clone, next);
}

} // namespace poputil
#endif
