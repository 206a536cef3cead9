// SPDX-License-Identifier: Apache-2.0
// Slices at offsets that are known only at run time (popops/dynamic_slice.h).
#ifndef POPOPS_DYNAMIC_SLICE_HPP
#define POPOPS_DYNAMIC_SLICE_HPP

#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <popops/dynamic_slice.h>
#include <poputil/detail/call.hpp>

#include <ostream>
#include <string>
#include <type_traits>

namespace popops
{

// How the rows, columns and lookups of a multi-slice are split over the tiles; by default there is no plan.
class SlicePlan
{
  public:
    SlicePlan() : plan()
    {
    }
    // A plan of the C interface.
    explicit SlicePlan(const popops_slice_plan &from) : plan(from)
    {
    }

    // The plan of the C interface.
    const popops_slice_plan &c() const
    {
        return plan;
    }

    friend bool operator==(const SlicePlan &a, const SlicePlan &b)
    {
        return popops_slice_plan_compare(&a.plan, &b.plan) == 0;
    }
    friend bool operator!=(const SlicePlan &a, const SlicePlan &b)
    {
        return !(a == b);
    }
    friend bool operator<(const SlicePlan &a, const SlicePlan &b)
    {
        return popops_slice_plan_compare(&a.plan, &b.plan) < 0;
    }
    friend std::ostream &operator<<(std::ostream &out, const SlicePlan &slicePlan)
    {
        const popops_slice_plan &p = slicePlan.plan;
        return out << "{rows=" << std::to_string(p.rows) << ",columns=" << std::to_string(p.columns)
                   << ",lookups=" << std::to_string(p.lookups) << ",slicedDimSplit=" << std::to_string(p.row_splits)
                   << ",unslicedDimSplit=" << std::to_string(p.column_splits)
                   << ",lookupSplit=" << std::to_string(p.lookup_splits)
                   << ",unslicedGrainSize=" << std::to_string(p.column_grain) << '}';
    }

  private:
    popops_slice_plan plan;
};

namespace embedding
{

inline SlicePlan plan(const poplar::Graph &graph, const poplar::Type &dataType, const std::size_t numEntries,
                      const std::size_t outputSize, const std::vector<std::size_t> &numLookups,
                      const poplar::OptionFlags &options = {},
                      poputil::detail::Where where = poputil::detail::Where::here())
{
    const popops_slice_plan made =
        popops_embedding_plan_at(where, graph.c(), dataType.c(), numEntries, outputSize,
                                 poplar::detail::shape(numLookups), poplar::detail::Options(options));
    poputil::detail::check(graph.c());
    return SlicePlan(made);
}
// Groups use all tiles, one group after the other.  A template, so that an initializer list never converts to the size.
template <typename Size, typename = typename std::enable_if<std::is_integral<Size>::value>::type>
SlicePlan plan(const poplar::Graph &graph, const poplar::Type &dataType, const std::size_t,
               const std::size_t numEntries, const Size outputSize, const std::vector<std::size_t> &numLookups,
               const poplar::OptionFlags &options = {}, poputil::detail::Where where = poputil::detail::Where::here())
{
    return plan(graph, dataType, numEntries, static_cast<std::size_t>(outputSize), numLookups, options, where);
}

// The arguments of plan, for planMultiple.
struct SlicePlanningParameters {
    const poplar::Graph &graph;                // graph of the embedding; must outlive this
    const poplar::Type dataType;               // type of the entries
    const std::size_t groupSize;               // groups of independent embeddings
    const std::size_t numEntries;              // rows
    const std::size_t outputSize;              // columns
    const std::vector<std::size_t> numLookups; // indices of each call
    const poplar::OptionFlags optionFlags;     // options of plan

    // The arguments of plan for groups of embeddings {entries, columns}, and the number of indices of each call. All
    // but the graph are copied.
    SlicePlanningParameters(const poplar::Graph &planned, const poplar::Type &type, const std::size_t groups,
                            const std::size_t entries, const std::size_t columns,
                            const std::vector<std::size_t> &lookups, const poplar::OptionFlags &options)
        : graph(planned), dataType(type), groupSize(groups), numEntries(entries), outputSize(columns),
          numLookups(lookups), optionFlags(options)
    {
    }
    // Parameters for one group of columns.
    SlicePlanningParameters(const poplar::Graph &planned, const poplar::Type &type, const std::size_t entries,
                            const std::size_t columns, const std::vector<std::size_t> &lookups,
                            const poplar::OptionFlags &options)
        : SlicePlanningParameters(planned, type, 1, entries, columns, lookups, options)
    {
    }
};

// One plan for each embedding.
inline std::vector<SlicePlan> planMultiple(const std::vector<SlicePlanningParameters> &all)
{
    std::vector<SlicePlan> plans;
    for (const SlicePlanningParameters &one : all)
        plans.push_back(plan(one.graph, one.dataType, one.groupSize, one.numEntries, one.outputSize, one.numLookups,
                             one.optionFlags));
    return plans;
}

} // namespace embedding

// ---- operands ----
inline poplar::Tensor createSliceableTensor(poplar::Graph &graph, const poplar::Type &type,
                                            const std::vector<std::size_t> &shape, const std::vector<std::size_t> &dims,
                                            const std::vector<std::size_t> &sizes, std::size_t minGrainSize = 0,
                                            const poplar::DebugContext &debugContext = {})
{
    return poputil::detail::give(
        graph.c(), popops_create_sliceable_tensor_at(poplar::detail::where(debugContext), graph.c(), type.c(),
                                                     poplar::detail::shape(shape), poplar::detail::Dims(dims).c(),
                                                     poplar::detail::shape(sizes), minGrainSize,
                                                     poplar::detail::name(debugContext)));
}
inline poplar::Tensor createSliceableTensor(poplar::Graph &graph, const poplar::Type &type,
                                            const std::vector<std::size_t> &shape, const std::vector<std::size_t> &dims,
                                            const std::vector<std::size_t> &sizes, const SlicePlan &plan,
                                            const poplar::OptionFlags &options,
                                            const poplar::DebugContext &debugContext = {})
{
    return poputil::detail::give(graph.c(), popops_create_sliceable_tensor_planned_at(
                                                poplar::detail::where(debugContext), graph.c(), type.c(),
                                                poplar::detail::shape(shape), poplar::detail::Dims(dims).c(),
                                                poplar::detail::shape(sizes), &plan.c(),
                                                poplar::detail::name(debugContext), poplar::detail::Options(options)));
}
inline poplar::Tensor createGroupedSliceableTensor(poplar::Graph &graph, const poplar::Type &type,
                                                   std::size_t groupSize, const std::vector<std::size_t> &shape,
                                                   const std::vector<std::size_t> &dims,
                                                   const std::vector<std::size_t> &sizes, const SlicePlan &plan,
                                                   const poplar::OptionFlags &options,
                                                   const poplar::DebugContext &debugContext = {})
{
    return poputil::detail::give(graph.c(), popops_create_grouped_sliceable_tensor_at(
                                                poplar::detail::where(debugContext), graph.c(), type.c(), groupSize,
                                                poplar::detail::shape(shape), poplar::detail::Dims(dims).c(),
                                                poplar::detail::shape(sizes), &plan.c(),
                                                poplar::detail::name(debugContext), poplar::detail::Options(options)));
}
inline poplar::Tensor createSliceableTensorFromSlice(poplar::Graph &graph, const poplar::Tensor &s,
                                                     const std::vector<std::size_t> &dims,
                                                     const std::vector<std::size_t> &numOutIndices,
                                                     const poplar::DebugContext &debugContext = {})
{
    return poputil::detail::give(graph.c(), popops_create_sliceable_tensor_from_slice_at(
                                                poplar::detail::where(debugContext), graph.c(), s.c(),
                                                poplar::detail::Dims(dims).c(), poplar::detail::shape(numOutIndices),
                                                poplar::detail::name(debugContext)));
}
inline poplar::Tensor createSliceTensor(poplar::Graph &graph, const poplar::Tensor &t,
                                        const std::vector<std::size_t> &dims, const std::vector<std::size_t> &sizes,
                                        std::size_t numIndices, const poplar::DebugContext &debugContext = {})
{
    return poputil::detail::give(
        graph.c(), popops_create_slice_tensor_at(poplar::detail::where(debugContext), graph.c(), t.c(),
                                                 poplar::detail::Dims(dims).c(), poplar::detail::shape(sizes),
                                                 numIndices, poplar::detail::name(debugContext)));
}
inline poplar::Tensor createSliceTensor(poplar::Graph &graph, const poplar::Type &type,
                                        const std::vector<std::size_t> &shape, const std::vector<std::size_t> &dims,
                                        const std::vector<std::size_t> &sizes, std::size_t numIndices,
                                        const SlicePlan &plan, const poplar::OptionFlags &options,
                                        const poplar::DebugContext &debugContext = {})
{
    return poputil::detail::give(graph.c(), popops_create_slice_tensor_planned_at(
                                                poplar::detail::where(debugContext), graph.c(), type.c(),
                                                poplar::detail::shape(shape), poplar::detail::Dims(dims).c(),
                                                poplar::detail::shape(sizes), numIndices, &plan.c(),
                                                poplar::detail::name(debugContext), poplar::detail::Options(options)));
}
inline poplar::Tensor createGroupedSliceTensor(poplar::Graph &graph, const poplar::Type &type, std::size_t groupSize,
                                               const std::vector<std::size_t> &shape,
                                               const std::vector<std::size_t> &dims,
                                               const std::vector<std::size_t> &sizes, std::size_t numIndices,
                                               const SlicePlan &plan, const poplar::OptionFlags &options,
                                               const poplar::DebugContext &debugContext = {})
{
    return poputil::detail::give(graph.c(), popops_create_grouped_slice_tensor_at(
                                                poplar::detail::where(debugContext), graph.c(), type.c(), groupSize,
                                                poplar::detail::shape(shape), poplar::detail::Dims(dims).c(),
                                                poplar::detail::shape(sizes), numIndices, &plan.c(),
                                                poplar::detail::name(debugContext), poplar::detail::Options(options)));
}
inline poplar::Tensor createIndicesTensor(poplar::Graph &graph, const std::vector<std::size_t> &dims,
                                          std::size_t numIndices, const SlicePlan &plan,
                                          const poplar::OptionFlags &options,
                                          const poplar::DebugContext &debugContext = {})
{
    return poputil::detail::give(graph.c(), popops_create_indices_tensor_at(
                                                poplar::detail::where(debugContext), graph.c(),
                                                poplar::detail::Dims(dims).c(), numIndices, &plan.c(),
                                                poplar::detail::name(debugContext), poplar::detail::Options(options)));
}
inline poplar::Tensor createGroupedIndicesTensor(poplar::Graph &graph, std::size_t groupSize,
                                                 const std::vector<std::size_t> &dims, std::size_t numIndices,
                                                 const SlicePlan &plan, const poplar::OptionFlags &options,
                                                 const poplar::DebugContext &debugContext = {})
{
    return poputil::detail::give(graph.c(), popops_create_grouped_indices_tensor_at(
                                                poplar::detail::where(debugContext), graph.c(), groupSize,
                                                poplar::detail::Dims(dims).c(), numIndices, &plan.c(),
                                                poplar::detail::name(debugContext), poplar::detail::Options(options)));
}

// ---- one slice ----
inline poplar::Tensor dynamicSlice(poplar::Graph &graph, const poplar::Tensor &t, const poplar::Tensor &offset,
                                   const std::vector<std::size_t> &dims, const std::vector<std::size_t> &sizes,
                                   poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                                   const poplar::OptionFlags & = {})
{
    return poputil::detail::give(
        graph.c(), popops_dynamic_slice_at(poplar::detail::where(debugContext), graph.c(), t.c(), offset.c(),
                                           poplar::detail::Dims(dims).c(), poplar::detail::shape(sizes),
                                           prog.cToGrow(graph.c()), poplar::detail::name(debugContext)));
}
inline void dynamicSliceWithOutput(poplar::Graph &graph, const poplar::Tensor &output, const poplar::Tensor &t,
                                   const poplar::Tensor &offset, const std::vector<std::size_t> &dims,
                                   const std::vector<std::size_t> &sizes, poplar::program::Sequence &prog,
                                   const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags & = {})
{
    popops_dynamic_slice_with_output_at(poplar::detail::where(debugContext), graph.c(), output.c(), t.c(), offset.c(),
                                        poplar::detail::Dims(dims).c(), poplar::detail::shape(sizes),
                                        prog.cToGrow(graph.c()), poplar::detail::name(debugContext));
    poputil::detail::check(graph.c());
}
// The output for dynamicSliceWithOutput; the offset's value is not read.
inline poplar::Tensor createDynamicSliceOutput(poplar::Graph &graph, const poplar::Tensor &t, const poplar::Tensor &,
                                               const std::vector<std::size_t> &dims,
                                               const std::vector<std::size_t> &sizes,
                                               const poplar::DebugContext &debugContext = {},
                                               const poplar::OptionFlags & = {})
{
    return poputil::detail::give(
        graph.c(), popops_create_dynamic_slice_output_at(poplar::detail::where(debugContext), graph.c(), t.c(),
                                                         poplar::detail::Dims(dims).c(), poplar::detail::shape(sizes),
                                                         poplar::detail::name(debugContext)));
}
inline void dynamicUpdate(poplar::Graph &graph, const poplar::Tensor &t, const poplar::Tensor &s,
                          const poplar::Tensor &offset, const std::vector<std::size_t> &dims,
                          const std::vector<std::size_t> &sizes, poplar::program::Sequence &prog,
                          const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags & = {})
{
    popops_dynamic_update_at(poplar::detail::where(debugContext), graph.c(), t.c(), s.c(), offset.c(),
                             poplar::detail::Dims(dims).c(), poplar::detail::shape(sizes), prog.cToGrow(graph.c()),
                             poplar::detail::name(debugContext));
    poputil::detail::check(graph.c());
}
// The tile mapping of a slice.
inline poplar::Graph::TileToTensorMapping getSliceMapping(poplar::Graph &graph, const poplar::Tensor &t,
                                                          const std::vector<std::size_t> &dims,
                                                          const std::vector<std::size_t> &sizes,
                                                          poputil::detail::Where where = poputil::detail::Where::here())
{
    pop_interval_lists mapping;
    popops_get_slice_mapping_at(where, graph.c(), t.c(), poplar::detail::Dims(dims).c(), poplar::detail::shape(sizes),
                                &mapping);
    poputil::detail::check(graph.c());
    return poplar::detail::takeLists(mapping);
}

// ---- many rows ----
inline poplar::Tensor multiSlice(poplar::Graph &graph, const poplar::Tensor &t, const poplar::Tensor &offsets,
                                 const std::vector<std::size_t> &dims, const std::vector<std::size_t> &sizes,
                                 poplar::program::Sequence &prog, const SlicePlan &plan,
                                 const poplar::OptionFlags &options, const poplar::DebugContext &debugContext = {})
{
    return poputil::detail::give(graph.c(), popops_multi_slice_at(poplar::detail::where(debugContext), graph.c(), t.c(),
                                                                  offsets.c(), poplar::detail::Dims(dims).c(),
                                                                  poplar::detail::shape(sizes), prog.cToGrow(graph.c()),
                                                                  &plan.c(), poplar::detail::name(debugContext),
                                                                  poplar::detail::Options(options)));
}
// At offsets that are known now: a tensor {n, t's shape with 1 for dim}.
inline poplar::Tensor multiSlice(poplar::Graph &graph, const poplar::Tensor &t, poplar::ArrayRef<unsigned> offsets,
                                 std::size_t dim, poplar::program::Sequence &prog,
                                 const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {})
{
    const pop_dims list = { offsets.size(), offsets.data() };
    return poputil::detail::give(graph.c(), popops_multi_slice_static_at(poplar::detail::where(debugContext), graph.c(),
                                                                         t.c(), list, dim, prog.cToGrow(graph.c()),
                                                                         poplar::detail::name(debugContext),
                                                                         poplar::detail::Options(options)));
}
// Adds scale * s[i] at offsets that are known now.
inline void multiUpdateAdd(poplar::Graph &graph, const poplar::Tensor &t, const poplar::Tensor &s,
                           poplar::ArrayRef<unsigned> offsets, const poplar::Tensor &scale, std::size_t dim,
                           poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                           const poplar::OptionFlags &options = {})
{
    const pop_dims list = { offsets.size(), offsets.data() };
    popops_multi_update_add_static_at(poplar::detail::where(debugContext), graph.c(), t.c(), s.c(), list, scale.c(),
                                      dim, prog.cToGrow(graph.c()), poplar::detail::name(debugContext),
                                      poplar::detail::Options(options));
    poputil::detail::check(graph.c());
}
inline void multiUpdate(poplar::Graph &graph, const poplar::Tensor &t, const poplar::Tensor &s,
                        const poplar::Tensor &offsets, const std::vector<std::size_t> &dims,
                        const std::vector<std::size_t> &sizes, poplar::program::Sequence &prog, const SlicePlan &plan,
                        const poplar::OptionFlags &options, const poplar::DebugContext &debugContext = {})
{
    popops_multi_update_at(poplar::detail::where(debugContext), graph.c(), t.c(), s.c(), offsets.c(),
                           poplar::detail::Dims(dims).c(), poplar::detail::shape(sizes), prog.cToGrow(graph.c()),
                           &plan.c(), poplar::detail::name(debugContext), poplar::detail::Options(options));
    poputil::detail::check(graph.c());
}
inline void multiUpdateAdd(poplar::Graph &graph, const poplar::Tensor &t, const poplar::Tensor &s,
                           const poplar::Tensor &offsets, const poplar::Tensor &scale,
                           const std::vector<std::size_t> &dims, const std::vector<std::size_t> &sizes,
                           poplar::program::Sequence &prog, const SlicePlan &plan, const poplar::OptionFlags &options,
                           const poplar::DebugContext &debugContext = {})
{
    popops_multi_update_add_at(poplar::detail::where(debugContext), graph.c(), t.c(), s.c(), offsets.c(), scale.c(),
                               poplar::detail::Dims(dims).c(), poplar::detail::shape(sizes), prog.cToGrow(graph.c()),
                               &plan.c(), poplar::detail::name(debugContext), poplar::detail::Options(options));
    poputil::detail::check(graph.c());
}
inline void multiUpdateMax(poplar::Graph &graph, const poplar::Tensor &t, const poplar::Tensor &s,
                           const poplar::Tensor &offsets, const std::vector<std::size_t> &dims,
                           const std::vector<std::size_t> &sizes, poplar::program::Sequence &prog,
                           const SlicePlan &plan, const poplar::OptionFlags &options,
                           const poplar::DebugContext &debugContext = {})
{
    popops_multi_update_max_at(poplar::detail::where(debugContext), graph.c(), t.c(), s.c(), offsets.c(),
                               poplar::detail::Dims(dims).c(), poplar::detail::shape(sizes), prog.cToGrow(graph.c()),
                               &plan.c(), poplar::detail::name(debugContext), poplar::detail::Options(options));
    poputil::detail::check(graph.c());
}
inline void multiUpdateMul(poplar::Graph &graph, const poplar::Tensor &t, const poplar::Tensor &s,
                           const poplar::Tensor &offsets, const std::vector<std::size_t> &dims,
                           const std::vector<std::size_t> &sizes, poplar::program::Sequence &prog,
                           const SlicePlan &plan, const poplar::OptionFlags &options,
                           const poplar::DebugContext &debugContext = {})
{
    popops_multi_update_mul_at(poplar::detail::where(debugContext), graph.c(), t.c(), s.c(), offsets.c(),
                               poplar::detail::Dims(dims).c(), poplar::detail::shape(sizes), prog.cToGrow(graph.c()),
                               &plan.c(), poplar::detail::name(debugContext), poplar::detail::Options(options));
    poputil::detail::check(graph.c());
}
inline poplar::Tensor groupedMultiSlice(poplar::Graph &graph, const poplar::Tensor &t, const poplar::Tensor &offsets,
                                        const std::vector<std::size_t> &dims, const std::vector<std::size_t> &sizes,
                                        poplar::program::Sequence &prog, const SlicePlan &plan,
                                        const poplar::OptionFlags &options,
                                        const poplar::DebugContext &debugContext = {})
{
    return poputil::detail::give(
        graph.c(), popops_grouped_multi_slice_at(poplar::detail::where(debugContext), graph.c(), t.c(), offsets.c(),
                                                 poplar::detail::Dims(dims).c(), poplar::detail::shape(sizes),
                                                 prog.cToGrow(graph.c()), &plan.c(), poplar::detail::name(debugContext),
                                                 poplar::detail::Options(options)));
}
inline void groupedMultiUpdate(poplar::Graph &graph, const poplar::Tensor &t, const poplar::Tensor &s,
                               const poplar::Tensor &offsets, const std::vector<std::size_t> &dims,
                               const std::vector<std::size_t> &sizes, poplar::program::Sequence &prog,
                               const SlicePlan &plan, const poplar::OptionFlags &options,
                               const poplar::DebugContext &debugContext = {})
{
    popops_grouped_multi_update_at(poplar::detail::where(debugContext), graph.c(), t.c(), s.c(), offsets.c(),
                                   poplar::detail::Dims(dims).c(), poplar::detail::shape(sizes),
                                   prog.cToGrow(graph.c()), &plan.c(), poplar::detail::name(debugContext),
                                   poplar::detail::Options(options));
    poputil::detail::check(graph.c());
}
inline void groupedMultiUpdateAdd(poplar::Graph &graph, const poplar::Tensor &t, const poplar::Tensor &s,
                                  const poplar::Tensor &offsets, const poplar::Tensor &scale,
                                  const std::vector<std::size_t> &dims, const std::vector<std::size_t> &sizes,
                                  poplar::program::Sequence &prog, const SlicePlan &plan,
                                  const poplar::OptionFlags &options, const poplar::DebugContext &debugContext = {})
{
    popops_grouped_multi_update_add_at(poplar::detail::where(debugContext), graph.c(), t.c(), s.c(), offsets.c(),
                                       scale.c(), poplar::detail::Dims(dims).c(), poplar::detail::shape(sizes),
                                       prog.cToGrow(graph.c()), &plan.c(), poplar::detail::name(debugContext),
                                       poplar::detail::Options(options));
    poputil::detail::check(graph.c());
}
inline void groupedMultiUpdateMax(poplar::Graph &graph, const poplar::Tensor &t, const poplar::Tensor &s,
                                  const poplar::Tensor &offsets, const std::vector<std::size_t> &dims,
                                  const std::vector<std::size_t> &sizes, poplar::program::Sequence &prog,
                                  const SlicePlan &plan, const poplar::OptionFlags &options,
                                  const poplar::DebugContext &debugContext = {})
{
    popops_grouped_multi_update_max_at(poplar::detail::where(debugContext), graph.c(), t.c(), s.c(), offsets.c(),
                                       poplar::detail::Dims(dims).c(), poplar::detail::shape(sizes),
                                       prog.cToGrow(graph.c()), &plan.c(), poplar::detail::name(debugContext),
                                       poplar::detail::Options(options));
    poputil::detail::check(graph.c());
}
inline void groupedMultiUpdateMul(poplar::Graph &graph, const poplar::Tensor &t, const poplar::Tensor &s,
                                  const poplar::Tensor &offsets, const std::vector<std::size_t> &dims,
                                  const std::vector<std::size_t> &sizes, poplar::program::Sequence &prog,
                                  const SlicePlan &plan, const poplar::OptionFlags &options,
                                  const poplar::DebugContext &debugContext = {})
{
    popops_grouped_multi_update_mul_at(poplar::detail::where(debugContext), graph.c(), t.c(), s.c(), offsets.c(),
                                       poplar::detail::Dims(dims).c(), poplar::detail::shape(sizes),
                                       prog.cToGrow(graph.c()), &plan.c(), poplar::detail::name(debugContext),
                                       poplar::detail::Options(options));
    poputil::detail::check(graph.c());
}

} // namespace popops
#endif
