// SPDX-License-Identifier: Apache-2.0
/// The compilation's part of a report.
#ifndef PVA_COMPILATION_HPP
#define PVA_COMPILATION_HPP

#include <pva/liveness.hpp>

#include <pva/methods.def>

namespace pva
{

// Sizes of the graph.
class Graph : public Object
{
  public:
    PVA_OBJECT(Graph)
    PVA_METHOD_UINT(numComputeSets, GRAPH_NUM_COMPUTE_SETS)
    PVA_METHOD_UINT(numVertices, GRAPH_NUM_VERTICES)
    PVA_METHOD_UINT(numEdges, GRAPH_NUM_EDGES)
    PVA_METHOD_UINT(numVars, GRAPH_NUM_VARS)
};

// What compiling has found: memory, liveness, programs.
class CompilationReport : public Object
{
  public:
    PVA_OBJECT(CompilationReport)
    PVA_METHOD_OBJECT(Target, target, COMPILATION_TARGET)
    PVA_METHOD_OBJECT(Graph, graph, COMPILATION_GRAPH)
    PVA_METHOD_LIST(Tile, tiles, COMPILATION_TILES)
    PVA_METHOD_LIST(IPU, ipus, COMPILATION_IPUS)
    PVA_METHOD_LIST(ComputeSet, computeSets, COMPILATION_COMPUTE_SETS)
    PVA_METHOD_LIST(std::shared_ptr<Program>, programs, COMPILATION_PROGRAMS)
    PVA_METHOD_LIST(std::shared_ptr<Program>, controlPrograms, COMPILATION_CONTROL_PROGRAMS)
    PVA_METHOD_LIST(std::shared_ptr<Program>, functions, COMPILATION_FUNCTIONS)
    PVA_METHOD_LIST(LivenessProgramStep, livenessProgramSteps, COMPILATION_LIVENESS_PROGRAM_STEPS)
    PVA_METHOD_LIST(LivenessVariable, alwaysLiveVariables, COMPILATION_ALWAYS_LIVE_VARIABLES)
    // Variables of a tile that are always live.
    List<LivenessVariable> alwaysLiveVariablesForTile(std::uint64_t tile) const
    {
        return ask<LivenessMemory>(PVA_ALWAYS_LIVE_FOR_TILE, tile).variables();
    }
    PVA_METHOD_OBJECT(LoweredVariables, loweredVariables, COMPILATION_LOWERED_VARIABLES)
    PVA_METHOD_LIST(Variable, variables, COMPILATION_VARIABLES)
    PVA_METHOD_LIST(VertexType, vertexTypes, COMPILATION_VERTEX_TYPES)
    PVA_METHOD_TEXT(outOfMemory, COMPILATION_OUT_OF_MEMORY)
};

} // namespace pva

#include <pva/methods.def>

#endif
