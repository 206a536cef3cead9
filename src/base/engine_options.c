/* SPDX-License-Identifier: Apache-2.0 */
#include "base/engine_options.h"

#include <assert.h>

static const char *text(const struct option_set *set, const char *key)
{
    return options_get(set, "engine", key);
}

static bool flag(const struct option_set *set, const char *key)
{
    return options_bool(set, "engine", key);
}

static int64_t number(const struct option_set *set, const char *key)
{
    return options_int(set, "engine", key);
}

static enum option_choice choice(const struct option_set *set, const char *key)
{
    return !*text(set, key) ? OPTION_UNSET : flag(set, key) ? OPTION_TRUE : OPTION_FALSE;
}

static bool or_else(enum option_choice own, bool otherwise)
{
    return own == OPTION_UNSET ? otherwise : own == OPTION_TRUE;
}

static enum instrument_level level_of(const char *name)
{
    static const char *const names[] = { [INSTRUMENT_TILE] = "tile",
                                         [INSTRUMENT_VERTEX] = "vertex",
                                         [INSTRUMENT_DEVICE] = "device",
                                         [INSTRUMENT_IPU] = "ipu" };
    int level = INSTRUMENT_TILE;
    while (level < INSTRUMENT_IPU && strcmp(name, names[level]) != 0)
        ++level;
    assert(!strcmp(name, names[level])); /* options_apply has checked it */
    return (enum instrument_level)level;
}

static struct instrumentation read_instrumentation(const struct option_set *set)
{
    bool all = flag(set, "debug.instrument");
    bool placed = *text(set, "debug.branchRecordTile");
    return (struct instrumentation){
        .compute = or_else(choice(set, "debug.instrumentCompute"), all),
        .control_flow = or_else(choice(set, "debug.instrumentControlFlow"), all),
        .external_exchange = or_else(choice(set, "debug.instrumentExternalExchange"), all),
        .level = level_of(text(set, "debug.computeInstrumentationLevel")),
        .branch_flush = flag(set, "debug.branchRecordFlush"),
        .profiling_tile = number(set, "debug.profilingTile"),
        .branch_tile = placed ? number(set, "debug.branchRecordTile") : OPTION_LAST_TILE,
    };
}

static struct block_options read_blocks(const struct option_set *set)
{
    return (struct block_options){ .blocks_filter = text(set, "profiler.blocks.filter"),
                                   .programs_filter = text(set, "profiler.programs.filter"),
                                   .tiles = text(set, "profiler.blocks.tile"),
                                   .buffer_bytes = number(set, "profiler.blocks.bufferSize"),
                                   .implicit_flush = flag(set, "profiler.blocks.implicitFlush") };
}

void engine_options_read(struct engine_options *options, const struct option_set *set)
{
    *options = (struct engine_options){
        .instrumentation = read_instrumentation(set),
        .blocks = read_blocks(set),
        .model = flag(set, "debug.model"),
        .checked = flag(set, "debug.checkedExecution"),
        .isolated = flag(set, "debug.isolateCodelets"),
        .runtime_verify = flag(set, "debug.runtimeVerify"),
        .require_fit = flag(set, "debug.requireValuesFit"),
        .require_estimates = flag(set, "debug.requirePerfEstimates"),
        .allow_out_of_memory = choice(set, "debug.allowOutOfMemory"),
        .worker_stack_bytes = number(set, "target.workerStackSizeInBytes"),
        .supervisor_stack_bytes = number(set, "target.supervisorStackSizeInBytes"),
        .lowered_variables_file = text(set, "debug.loweredVarDumpFile"),
        .dump_passes = text(set, "debug.dumpPasses"),
        .dump_passes_file = text(set, "debug.dumpPassesFile"),
        .stochastic_rounding = flag(set, "prng.enableStochasticRounding"),
        .random = flag(set, "prng.enable"),
        .seed = text(set, "prng.seed"),
        .guide_format = flag(set, "print.guideFormat"),
        .prefetch = flag(set, "exchange.enablePrefetch") && !strcmp(text(set, "exchange.streamBufferOverlap"), "none"),
        .host_threads = number(set, "target.hostThreads"),
        .callback_mode = text(set, "streamCallbacks.multiThreadMode"),
        .callback_threads = text(set, "streamCallbacks.numWorkerThreads"),
        .first_replica = text(set, "target.firstRuntimeReplica"),
        .replicas = text(set, "target.numberRuntimeReplica"),
        .profiled = text(set, "profiler.replicaToProfile"),
    };
}
