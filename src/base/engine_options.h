/* SPDX-License-Identifier: Apache-2.0 */
/* Options of group "engine" as typed values, parsed once from the texts of a set. Strings are borrowed from the set. */
#ifndef BASE_ENGINE_OPTIONS_H
#define BASE_ENGINE_OPTIONS_H

#include "base/options.h"

/* What is measured, in the levels of debug.computeInstrumentationLevel. */
enum instrument_level { INSTRUMENT_TILE, INSTRUMENT_VERTEX, INSTRUMENT_DEVICE, INSTRUMENT_IPU };
#define OPTION_LAST_TILE (-1) /* the last tile of each IPU */
struct instrumentation {
    /* Each set by its own option, by debug.instrument otherwise. */
    bool compute, control_flow, external_exchange;
    enum instrument_level level;
    bool branch_flush;
    int64_t profiling_tile, branch_tile; /* branch_tile: or OPTION_LAST_TILE */
};
/* Whether cycles are counted on one tile for all others. */
static inline bool instruments_one_tile(const struct instrumentation *i)
{
    return i->compute && (i->level == INSTRUMENT_DEVICE || i->level == INSTRUMENT_IPU);
}

/* An option that is true, false or not set. */
enum option_choice { OPTION_UNSET = 0, OPTION_FALSE, OPTION_TRUE };

struct engine_options {
    struct instrumentation instrumentation;
    /* Lightweight profiling. */
    struct block_options {
        const char *blocks_filter, *programs_filter; /* regular expressions; "": none */
        const char *tiles;                           /* numbers, separated by commas */
        int64_t buffer_bytes;
        bool implicit_flush;
    } blocks;
    bool model; /* false: reports only the host part */
    bool checked, isolated, runtime_verify, require_estimates, require_fit;
    enum option_choice allow_out_of_memory;
    int64_t worker_stack_bytes, supervisor_stack_bytes;
    const char *lowered_variables_file; /* "": none */
    const char *dump_passes;            /* names, separated by commas, or "all"; "": none */
    const char *dump_passes_file;       /* "stdout", "stderr" or the name of a file */
    /* Floating-point behaviour. */
    bool stochastic_rounding, random;
    const char *seed; /* "": not set */
    /* Execution. */
    bool guide_format, prefetch;
    int64_t host_threads;                            /* 0: one for each core */
    const char *callback_mode, *callback_threads;    /* streamCallbacks: callback_threads is "auto" or a number */
    const char *first_replica, *replicas, *profiled; /* numbers; "": not set */
};
void engine_options_read(struct engine_options *options, const struct option_set *set);

#endif
