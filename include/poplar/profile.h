/* SPDX-License-Identifier: Apache-2.0 */
/* Profile values: JSON-like trees (Poplar's ProfileValue), their JSON and CBOR, and the readable summary of a profile.
 *
 * A tree is owned by whoever holds its root; putting a value into a vector or a map hands it over. */
#ifndef POPLAR_PROFILE_H
#define POPLAR_PROFILE_H

#include <poplar/engine.h>
#include <stdio.h>

typedef enum pop_profile_type {
    POP_PROFILE_NULL = 0,
    POP_PROFILE_BOOL,
    POP_PROFILE_INT,
    POP_PROFILE_UINT,
    POP_PROFILE_DOUBLE,
    POP_PROFILE_STRING,
    POP_PROFILE_VECTOR,
    POP_PROFILE_MAP
} pop_profile_type;

typedef struct pop_profile_vector pop_profile_vector;
typedef struct pop_profile_map pop_profile_map;

/* One value, 16 bytes.  Zero is null.  Strings, vectors and maps belong to the value that holds them. */
typedef struct pop_profile_value {
    pop_profile_type type;
    union {
        bool boolean;
        int64_t integer;
        uint64_t natural;
        double real;
        char *string;
        pop_profile_vector *vector;
        pop_profile_map *map;
    } as;
} pop_profile_value;

POP_BEGIN_DECLS

POP_API pop_profile_value pop_profile_bool(bool value);
POP_API pop_profile_value pop_profile_int(int64_t value);
POP_API pop_profile_value pop_profile_uint(uint64_t value);
POP_API pop_profile_value pop_profile_double(double value);
POP_API pop_profile_value pop_profile_string(const char *text); /* copied; NULL is "" */
POP_API pop_profile_value pop_profile_vector_new(void);
POP_API pop_profile_value pop_profile_map_new(void);
/* Frees what the value owns and makes it null. */
POP_API void pop_profile_free(pop_profile_value *value);
POP_API pop_profile_value pop_profile_copy(const pop_profile_value *value);

/* Appends to a vector, or sets a key of a map (replacing its value); item is owned by the container afterwards, or
 * freed when the container is none.  Returns the place of the item, valid until the container changes, or NULL. */
POP_API pop_profile_value *pop_profile_push(pop_profile_value *vector, pop_profile_value item);
POP_API pop_profile_value *pop_profile_set(pop_profile_value *map, const char *key, pop_profile_value item);

/* Queries never fail: what is not there is NULL, 0 or "". */
POP_API size_t pop_profile_size(const pop_profile_value *value); /* elements of a vector, keys of a map */
POP_API const pop_profile_value *pop_profile_at(const pop_profile_value *vector, size_t index);
POP_API const pop_profile_value *pop_profile_get(const pop_profile_value *map, const char *key);
/* "memory.byTile.total": keys joined by dots. */
POP_API const pop_profile_value *pop_profile_path(const pop_profile_value *map, const char *path);
POP_API const char *pop_profile_key(const pop_profile_value *map, size_t index); /* sorted by key */
POP_API const pop_profile_value *pop_profile_item(const pop_profile_value *map, size_t index);
POP_API bool pop_profile_as_bool(const pop_profile_value *value);
POP_API int64_t pop_profile_as_int(const pop_profile_value *value);
POP_API uint64_t pop_profile_as_uint(const pop_profile_value *value);
POP_API double pop_profile_as_double(const pop_profile_value *value);
POP_API const char *pop_profile_as_string(const pop_profile_value *value);
POP_API double pop_profile_sum(const pop_profile_value *value);        /* of all numbers below */
POP_API uint64_t pop_profile_sum_uint(const pop_profile_value *value); /* the same, exactly, of natural numbers */

/* JSON, compact or with one member a line; maps in the order of their keys; doubles in the shortest form that reads
 * back.  False, and errno, when file could not be written. */
POP_API bool pop_profile_write_json(FILE *file, const pop_profile_value *value, bool pretty);
/* CBOR (RFC 8949), definite lengths. */
POP_API bool pop_profile_write_cbor(FILE *file, const pop_profile_value *value);
/* The inverses; parse_error says what is wrong and where.  *value is null on failure. */
POP_API pop_status pop_profile_read_json(const char *text, size_t size, pop_profile_value *value,
                                         pop_error *error) POP_MUST_CHECK;
POP_API pop_status pop_profile_read_cbor(const void *data, size_t size, pop_profile_value *value,
                                         pop_error *error) POP_MUST_CHECK;

/* What compiling found out: target, vertex types, compute sets, exchanges, programs, memory (the guide, Graph profile;
 * docs/profiling.md).  A CPU device has target and graph alone.  The caller frees *profile, which is null on failure.
 */
POP_API pop_status pop_executable_graph_profile(const pop_executable *executable, pop_profile_value *profile,
                                                pop_error *error) POP_MUST_CHECK;
POP_API pop_status pop_engine_graph_profile(const pop_engine *engine, pop_profile_value *profile,
                                            pop_error *error) POP_MUST_CHECK;
/* What has run since load or the last reset (the guide, Execution profile); profilerMode is NONE when nothing has.
 * missing_perf_estimate, with the type's name, when a vertex that ran has no estimate. */
POP_API pop_status pop_engine_execution_profile(const pop_engine *engine, pop_profile_value *profile,
                                                pop_error *error) POP_MUST_CHECK;
/* What a framework or an application says of itself, beside the engine's report: name is "framework" or "app", the file
 * framework.json or app.json (one that is there is replaced).  Nothing happens where no report is asked for.
 * invalid_option: another name; file_load_error. */
POP_API pop_status pop_engine_report_json(const pop_engine *engine, const char *name, const pop_profile_value *value,
                                          pop_error *error) POP_MUST_CHECK;
/* A fact about the last run, or the one in progress, for its report: what it ran with.  A name that was given already
 * gets the new value; nothing happens to runs that are not captured. */
POP_API pop_status pop_engine_report_run_parameter(pop_engine *engine, const char *name, const char *value,
                                                   pop_error *error) POP_MUST_CHECK;
/* Both, as pop_print_profile_summary prints them. */
POP_API pop_status pop_engine_print_profile_summary(const pop_engine *engine, FILE *file, pop_options options,
                                                    pop_error *error) POP_MUST_CHECK;
/* Writes profile.pop (docs/reference/report-files.md) of what was compiled and, with execution, of all that has run
 * since load or the last reset, to a directory; libpva reads it.  file_load_error when it cannot be written. */
POP_API pop_status pop_engine_write_report(const pop_engine *engine, const char *directory, bool execution,
                                           pop_error *error) POP_MUST_CHECK;
/* The same in a directory of its own, below $TMPDIR: path, of size bytes, receives the file's.  Where the engine's own
 * report has debug.cbor, a link to it stands beside the file.  Who opened the file may remove all of it. */
POP_API pop_status pop_engine_temporary_report(const pop_engine *engine, bool execution, char *path, size_t size,
                                               pop_error *error) POP_MUST_CHECK;
/* How many tiles compute, exchange and wait (sync) over time, as lines of CSV: begin, end (cycles of the modelled
 * device), then the three numbers; the first line names the columns.  From the execution profile's list of steps, whose
 * errors it has. */
POP_API pop_status pop_engine_report_intervals(const pop_engine *engine, FILE *file, pop_error *error) POP_MUST_CHECK;
/* About the process and its host (formats document, Summary report): command, end_time, envs (POPLAR_, POPLIBS_,
 * TREMULA_ and the like alone), executable, name, poplar {hash, package_hash, version}, start_time, sys_info, version.
 * Times are seconds since 1970. */
POP_API pop_profile_value pop_profile_summary_report(void);

/* The readable summary (the guide, Profile summary output).  Options: colours, showVarStorage, showOptimizations,
 * showExchangeInstructionBreakdown, showExecutionSteps, showPerIpuMemoryUsage, showTileAverages; the environment's
 * CLICOLOR=0 and CLICOLOR_FORCE=1 override colours.  execution may be NULL or null: it is left out.  invalid_option on
 * an unknown option. */
POP_API pop_status pop_print_profile_summary(FILE *file, const pop_profile_value *graph,
                                             const pop_profile_value *execution, pop_options options,
                                             pop_error *error) POP_MUST_CHECK;
POP_API pop_status pop_print_graph_summary(FILE *file, const pop_profile_value *graph, pop_options options,
                                           pop_error *error) POP_MUST_CHECK;
POP_API pop_status pop_print_execution_summary(FILE *file, const pop_profile_value *graph,
                                               const pop_profile_value *execution, pop_options options,
                                               pop_error *error) POP_MUST_CHECK;

POP_END_DECLS
#endif
