// SPDX-License-Identifier: Apache-2.0
// Tables of cycle estimators by vertex name.
#ifndef POPUTIL_CYCLES_TABLES_HPP
#define POPUTIL_CYCLES_TABLES_HPP

#include <poplar/Graph.hpp>
#include <poputil/VertexTemplates.hpp>

#include <functional>
#include <utility>
#include <vector>

namespace poputil
{
namespace internal
{

typedef std::pair<std::string, poplar::PerfEstimateFunc> PerfEstimatorEntry; // A vertex type with its estimator.
typedef std::vector<PerfEstimatorEntry> PerfEstimatorTable;                  // Vertex types with their estimators.

// The table entry of a vertex template instance: estimator(vertex, target, arguments...) returns its cycles, or cycles
// and flops.
template <typename Estimator, typename... Arguments>
PerfEstimatorEntry makePerfEstimatorEntry(const std::string &name, Estimator estimator, const Arguments &...arguments)
{
    return PerfEstimatorEntry(templateVertex(name, arguments...),
                              std::bind(estimator, std::placeholders::_1, std::placeholders::_2, arguments...));
}
// Registers the estimators of a table with a graph.
inline void registerPerfFunctions(poplar::Graph &graph, const PerfEstimatorTable &table)
{
    for (const PerfEstimatorEntry &entry : table)
        graph.registerPerfEstimator(entry.first, entry.second);
}

} // namespace internal

// Cycles for a codelet to unpack a vector field's address and size.
inline std::uint64_t getUnpackCost(poplar::layout::Vector layout)
{
    switch (layout) {
    case poplar::layout::Vector::ShortSpan:
    case poplar::layout::Vector::ScaledPtr32:
        return 2;
    case poplar::layout::Vector::ScaledPtr64:
    case poplar::layout::Vector::ScaledPtr128:
        return 1;
    default:
        return 0;
    }
}
// Cycles of reading an entry of the table of a VectorList.
inline std::uint64_t getUnpackCost(poplar::layout::VectorList layout)
{
    switch (layout) {
    case poplar::layout::VectorList::DeltaN:
    case poplar::layout::VectorList::ScaledPtr32:
        return 2;
    case poplar::layout::VectorList::DeltaNElements:
        return 5;
    case poplar::layout::VectorList::ScaledPtr64:
    case poplar::layout::VectorList::ScaledPtr128:
        return 1;
    default:
        return 0;
    }
}
// Cycles of reading an entry of a vector list with delta layout, for each vector.
inline std::uint64_t getVectorListDeltaUnpackCost(poplar::layout::VectorList layout)
{
    return layout == poplar::layout::VectorList::DeltaN           ? 3
           : layout == poplar::layout::VectorList::DeltaNElements ? 2
                                                                  : 0;
}

} // namespace poputil
#endif
