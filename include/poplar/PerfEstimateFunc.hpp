// SPDX-License-Identifier: Apache-2.0
// Estimators: a program's functions for the cycles of a vertex type.
#ifndef POPLAR_PERF_ESTIMATE_FUNC_HPP
#define POPLAR_PERF_ESTIMATE_FUNC_HPP

#include <poplar/detail/standard.hpp>

#include <cstdint>
#include <functional>

namespace poplar
{

class Target;
class VertexIntrospector;

// Worker cycles for a worker vertex, tile cycles for a supervisor or MultiVertex.
struct VertexPerfEstimate {
    // Cycles and floating-point operations of a vertex.
    VertexPerfEstimate(std::uint64_t cycleCount = 0, std::uint64_t flopCount = 0) : cycles(cycleCount), flops(flopCount)
    {
    }
    std::uint64_t cycles, flops; // of a worker or of the tile; floating-point operations
    friend bool operator==(const VertexPerfEstimate &a, const VertexPerfEstimate &b)
    {
        return a.cycles == b.cycles && a.flops == b.flops;
    }
    friend bool operator!=(const VertexPerfEstimate &a, const VertexPerfEstimate &b)
    {
        return !(a == b);
    }
};

// Estimates a vertex from its fields (VertexIntrospector).
typedef std::function<VertexPerfEstimate(const VertexIntrospector &, const Target &)> PerfEstimateFunc;
typedef std::function<std::uint64_t(const VertexIntrospector &, const Target &)> CycleEstimateFunc; // of early releases

} // namespace poplar
#endif
