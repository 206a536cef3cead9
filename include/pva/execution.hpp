// SPDX-License-Identifier: Apache-2.0
/// The execution's part of a report: runs, steps, and blocks of a lightweight profile.
#ifndef PVA_EXECUTION_HPP
#define PVA_EXECUTION_HPP

#include <pva/programs.hpp>

#include <pva/methods.def>

namespace pva
{

// A lowest and a highest number.
class MinMax : public Object
{
  public:
    PVA_OBJECT(MinMax)
    PVA_METHOD_UINT(min, MIN_MAX_MIN)
    PVA_METHOD_UINT(max, MIN_MAX_MAX)
};

// Begin and end of a step, in cycles.
class CycleRange : public Object
{
  public:
    PVA_OBJECT(CycleRange)
    PVA_METHOD_OBJECT(MinMax, from, CYCLE_RANGE_FROM)
    PVA_METHOD_OBJECT(MinMax, to, CYCLE_RANGE_TO)
};

// A step on an IPU.
class IpuStep : public Object
{
  public:
    PVA_OBJECT(IpuStep)
    PVA_METHOD_UINT(cycles, IPU_STEP_CYCLES)
    PVA_METHOD_OBJECT(CycleRange, allCycles, IPU_STEP_ALL_CYCLES)
    PVA_METHOD_OBJECT(CycleRange, activeCycles, IPU_STEP_ACTIVE_CYCLES)
    PVA_METHOD_REAL(tileBalance, IPU_STEP_TILE_BALANCE)
    PVA_METHOD_REAL(activeTileBalance, IPU_STEP_ACTIVE_TILE_BALANCE)
    PVA_METHOD_UINT(activeTiles, IPU_STEP_ACTIVE_TILES)
    PVA_METHOD_UINT(dataIn, IPU_STEP_DATA_IN)
    PVA_METHOD_UINT(dataOut, IPU_STEP_DATA_OUT)
};

// Times of a step on an IPU, in microseconds.
class Microseconds : public Object
{
  public:
    PVA_OBJECT(Microseconds)
    PVA_METHOD_UINT(start, MICROSECONDS_START)
    PVA_METHOD_UINT(end, MICROSECONDS_END)
};

// Cycles by kind.
class Cycles : public Object
{
  public:
    PVA_OBJECT(Cycles)
    PVA_METHOD_UINT(from, CYCLES_FROM)
    PVA_METHOD_UINT(to, CYCLES_TO)
};

// A parameter of a run.
class RunParameter : public Object
{
  public:
    PVA_OBJECT(RunParameter)
    PVA_METHOD_TEXT(name, PARAMETER_NAME)
    PVA_METHOD_TEXT(value, PARAMETER_VALUE)
};

class Run;

// An executed step.
class ExecutionStep : public Object
{
  public:
    PVA_OBJECT(ExecutionStep)
    // The program of the step.
    std::shared_ptr<Program> program() const
    {
        return detail::makeProgram(file, pva_get(object, PVA_STEP_PROGRAM));
    }
    PVA_METHOD_LIST(IpuStep, ipus, STEP_IPUS)
    PVA_METHOD_NUMBERS(cyclesByTile, STEP_CYCLES_BY_TILE)
    PVA_METHOD_NUMBERS(cyclesFromByTile, STEP_FROM_BY_TILE)
    PVA_METHOD_NUMBERS(cyclesToByTile, STEP_TO_BY_TILE)
    PVA_METHOD_LIST(ComputeSet, computeSets, STEP_COMPUTE_SETS)
    // The run of the step.
    inline Run run() const;
};

// A run of a program.
class Run : public Object
{
  public:
    PVA_OBJECT(Run)
    PVA_METHOD_TEXT(name, RUN_NAME)
    PVA_METHOD_LIST(ExecutionStep, steps, RUN_STEPS)
    PVA_METHOD_OBJECT(Microseconds, microseconds, RUN_MICROSECONDS)
    PVA_METHOD_LIST(RunParameter, parameters, RUN_PARAMETERS)
    PVA_METHOD_OBJECT(Cycles, cycles, RUN_CYCLES)
};

inline Run ExecutionStep::run() const
{
    return get<Run>(PVA_STEP_RUN);
}

// A block that lightweight profiling has recorded.
class Block : public Object
{
  public:
    PVA_OBJECT(Block)
    /// The program of the block; null for overflows and unknown blocks.
    std::shared_ptr<Program> program() const
    {
        return detail::makeProgram(file, pva_get(object, PVA_BLOCK_PROGRAM));
    }
    PVA_METHOD_UINT(cyclesFrom, BLOCK_CYCLES_FROM)
    PVA_METHOD_UINT(cyclesTo, BLOCK_CYCLES_TO)
    PVA_METHOD_UINT(tile, BLOCK_TILE)
    PVA_METHOD_BOOL(isCommon, BLOCK_IS_COMMON)
    PVA_METHOD_BOOL(isOverflow, BLOCK_IS_OVERFLOW)
    PVA_METHOD_BOOL(isBlockFlush, BLOCK_IS_BLOCK_FLUSH)
    PVA_METHOD_BOOL(isStreamCopy, BLOCK_IS_STREAM_COPY)
    PVA_METHOD_BOOL(isUnknown, BLOCK_IS_UNKNOWN)
    PVA_METHOD_OBJECT(Run, run, BLOCK_RUN)
    PVA_METHOD_UINT(lost, BLOCK_LOST)
};

// Cycles of all runs.
class TotalCycles : public Object
{
  public:
    PVA_OBJECT(TotalCycles)
    PVA_METHOD_UINT(total, TOTAL_CYCLES_TOTAL)
    PVA_METHOD_UINT(activeCompute, TOTAL_CYCLES_ACTIVE_COMPUTE)
    PVA_METHOD_UINT(compute, TOTAL_CYCLES_COMPUTE)
    PVA_METHOD_UINT(exchange, TOTAL_CYCLES_EXCHANGE)
    PVA_METHOD_UINT(globalExchange, TOTAL_CYCLES_GLOBAL_EXCHANGE)
    PVA_METHOD_UINT(streamCopy, TOTAL_CYCLES_STREAM_COPY)
    PVA_METHOD_UINT(sync, TOTAL_CYCLES_SYNC)
};

// The blocks of a tile.
class Blocks : public Object
{
  public:
    PVA_OBJECT(Blocks)
    PVA_METHOD_LIST(Block, blocks, BLOCKS_BLOCKS)
};

// What has been run.
class ExecutionReport : public Object
{
  public:
    PVA_OBJECT(ExecutionReport)
    PVA_METHOD_LIST(Run, runs, EXECUTION_RUNS)
    PVA_METHOD_LIST(ExecutionStep, steps, EXECUTION_STEPS)
    PVA_METHOD_OBJECT(TotalCycles, totalCycles, EXECUTION_TOTAL_CYCLES)
    // Blocks that a tile has recorded.
    List<Block> blocks(std::uint64_t tile) const
    {
        return ask<Blocks>(PVA_BLOCKS_OF_TILE, tile).blocks();
    }
};

} // namespace pva

#include <pva/methods.def>

#endif
