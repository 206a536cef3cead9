// SPDX-License-Identifier: Apache-2.0
/// Live variables at each step, and lowered variables.
#ifndef PVA_LIVENESS_HPP
#define PVA_LIVENESS_HPP

#include <pva/programs.hpp>

#include <pva/methods.def>

namespace pva
{

// A variable with its live bytes.
class LivenessVariable : public Object
{
  public:
    PVA_OBJECT(LivenessVariable)
    PVA_METHOD_TEXT(name, LIVE_VARIABLE_NAME)
    PVA_METHOD_UINT(size, LIVE_VARIABLE_SIZE)
};

// Live memory of a step.
class LivenessMemory : public Object
{
  public:
    PVA_OBJECT(LivenessMemory)
    PVA_METHOD_UINT(bytes, LIVE_MEMORY_BYTES)
    PVA_METHOD_LIST(LivenessVariable, variables, LIVE_MEMORY_VARIABLES)
    PVA_METHOD_NUMBERS(bytesByTile, LIVE_MEMORY_BYTES_BY_TILE)
};

// Memory that is live in a step of the program.
class LivenessProgramStep : public Object
{
  public:
    PVA_OBJECT(LivenessProgramStep)
    // The program of the step.
    std::shared_ptr<Program> program() const
    {
        return detail::makeProgram(file, pva_get(object, PVA_LIVENESS_STEP_PROGRAM));
    }
    PVA_METHOD_OBJECT(LivenessMemory, notAlwaysLiveMemory, LIVENESS_STEP_NOT_ALWAYS_LIVE_MEMORY)
    // What is live on a tile in the step alone.
    LivenessMemory notAlwaysLiveMemoryForTile(std::uint64_t tile) const
    {
        return ask<LivenessMemory>(PVA_LIVE_FOR_TILE, tile);
    }
    // What is live on an IPU in the step alone.
    LivenessMemory notAlwaysLiveMemoryForIpu(std::uint64_t ipu) const
    {
        return ask<LivenessMemory>(PVA_LIVE_FOR_IPU, ipu);
    }
};

// Steps at which variables are live.
class Interval : public Object
{
  public:
    PVA_OBJECT(Interval)
    PVA_METHOD_UINT(start, INTERVAL_START)
    PVA_METHOD_UINT(end, INTERVAL_END)
};

// Variables that are live at the same steps.
class EquivalenceClass : public Object
{
  public:
    PVA_OBJECT(EquivalenceClass)
    PVA_METHOD_UINT(id, EQUIVALENCE_CLASS_ID)
    PVA_METHOD_LIST(Interval, steps, EQUIVALENCE_CLASS_STEPS)
};

// A variable with its place in a tile's memory.
class LoweredVar : public Object
{
  public:
    PVA_OBJECT(LoweredVar)
    PVA_METHOD_UINT(_id, LOWERED_VAR_ID)
    PVA_METHOD_TEXT(name, LOWERED_VAR_NAME)
    PVA_METHOD_UINT(bytes, LOWERED_VAR_BYTES)
    PVA_METHOD_UINT(tileId, LOWERED_VAR_TILE_ID)
    PVA_METHOD_OBJECT(EquivalenceClass, equivalenceClass, LOWERED_VAR_EQUIVALENCE_CLASS)
    PVA_METHOD_BOOL(hasUnloweredVar, LOWERED_VAR_HAS_UNLOWERED_VAR)
    PVA_METHOD_OBJECT(Variable, unloweredVar, LOWERED_VAR_UNLOWERED_VAR)
    PVA_METHOD_TEXT(category, LOWERED_VAR_CATEGORY)
    PVA_METHOD_UINT(offset, LOWERED_VAR_OFFSET)
    PVA_METHOD_UINT(alignment, LOWERED_VAR_ALIGNMENT)
    PVA_METHOD_UINT(flags, LOWERED_VAR_FLAGS)
};

// A variable of a tile by name and size.
class BriefVar : public Object
{
  public:
    PVA_OBJECT(BriefVar)
    PVA_METHOD_UINT(id, BRIEF_VAR_ID)
    PVA_METHOD_UINT(bytes, BRIEF_VAR_BYTES)
    PVA_METHOD_UINT(tileId, BRIEF_VAR_TILE_ID)
    PVA_METHOD_OBJECT(EquivalenceClass, equivalenceClass, BRIEF_VAR_EQUIVALENCE_CLASS)
};

// Variables with their places in memory.
class LoweredVariables : public Object
{
  public:
    PVA_OBJECT(LoweredVariables)
    // Those of a tile.
    List<LoweredVar> forTile(std::uint64_t tile) const
    {
        return ask<LoweredVariables>(PVA_LOWERED_FOR_TILE, tile).allVars();
    }
    PVA_METHOD_LIST(BriefVar, allBriefVars, LOWERED_VARIABLES_ALL_BRIEF_VARS)
    PVA_METHOD_LIST(LoweredVar, allVars, LOWERED_VARIABLES_ALL_VARS)
};

} // namespace pva

#include <pva/methods.def>

#endif
