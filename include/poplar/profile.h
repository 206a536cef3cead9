/* SPDX-License-Identifier: Apache-2.0 */
/* Profile values: JSON-like trees (Poplar's ProfileValue), their JSON and CBOR, and the readable summary of a profile.
 *
 * The owner of the root owns the tree; putting a value into a vector or a map transfers ownership to it. */
#ifndef POPLAR_PROFILE_H
#define POPLAR_PROFILE_H

#include <poplar/engine.h>
#include <stdio.h>

/* Kinds of values. */
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

/* The elements of a vector; opaque. */
typedef struct pop_profile_vector pop_profile_vector;
/* The members of a map; opaque. */
typedef struct pop_profile_map pop_profile_map;

/* One value, 16 bytes.  Zero is null.  Strings, vectors and maps belong to the value that holds them. */
typedef struct pop_profile_value {
    pop_profile_type type; /* which member of `as` is valid */
    union {
        bool boolean;
        int64_t integer;
        uint64_t natural;
        double real;
        char *string;
        pop_profile_vector *vector;
        pop_profile_map *map;
    } as; /* the value */
} pop_profile_value;

POP_BEGIN_DECLS

POP_API pop_profile_value pop_profile_bool(bool value);         /* A value of true or false. */
POP_API pop_profile_value pop_profile_int(int64_t value);       /* A signed integer as a value. */
POP_API pop_profile_value pop_profile_uint(uint64_t value);     /* An unsigned integer as a value. */
POP_API pop_profile_value pop_profile_double(double value);     /* A real number as a value. */
POP_API pop_profile_value pop_profile_string(const char *text); /* copied; NULL is "" */
POP_API pop_profile_value pop_profile_vector_new(void);         /* An empty vector. */
POP_API pop_profile_value pop_profile_map_new(void);            /* An empty map. */
/* Frees what the value owns and makes it null. */
POP_API void pop_profile_free(pop_profile_value *value);
/* A copy of a whole tree, owned by the caller. */
POP_API pop_profile_value pop_profile_copy(const pop_profile_value *value);

/* Appends to a vector, or sets a key of a map (replacing its value). Takes ownership of item, and frees it when the
 * container has the wrong type. Returns the item's place, valid until the container changes, or NULL. */
POP_API pop_profile_value *pop_profile_push(pop_profile_value *vector, pop_profile_value item);
/* Sets a key of a map to item, which it takes ownership of; returns the item's place, as pop_profile_push. */
POP_API pop_profile_value *pop_profile_set(pop_profile_value *map, const char *key, pop_profile_value item);

/* Queries never fail: for missing values they return NULL, 0 or "". */
POP_API size_t pop_profile_size(const pop_profile_value *value); /* elements of a vector, keys of a map */
/* Element of a vector; NULL beyond the last. Borrowed. */
POP_API const pop_profile_value *pop_profile_at(const pop_profile_value *vector, size_t index);
/* Value of a key of a map; NULL if the map lacks it. Borrowed. */
POP_API const pop_profile_value *pop_profile_get(const pop_profile_value *map, const char *key);
/* "memory.byTile.total": keys joined by dots. */
POP_API const pop_profile_value *pop_profile_path(const pop_profile_value *map, const char *path);
POP_API const char *pop_profile_key(const pop_profile_value *map, size_t index); /* sorted by key */
/* Value of the key with this number in the order of keys; NULL beyond the last. */
POP_API const pop_profile_value *pop_profile_item(const pop_profile_value *map, size_t index);
/* The value as true or false; false for other types. */
POP_API bool pop_profile_as_bool(const pop_profile_value *value);
/* A number as a signed integer; 0 for other types. */
POP_API int64_t pop_profile_as_int(const pop_profile_value *value);
/* A number as an unsigned integer; 0 for other types. */
POP_API uint64_t pop_profile_as_uint(const pop_profile_value *value);
POP_API double pop_profile_as_double(const pop_profile_value *value); /* A number as a double; 0 for other types. */
POP_API const char *pop_profile_as_string(const pop_profile_value *value); /* A string; "" for other types. Borrowed. */
POP_API double pop_profile_sum(const pop_profile_value *value);            /* of all numbers in the tree */
POP_API uint64_t
pop_profile_sum_uint(const pop_profile_value *value); /* the same in integer arithmetic, for natural numbers */

/* JSON, compact or with one member a line; maps in the order of their keys; doubles in the shortest form that reads
 * back as the same value. Returns false and sets errno when a write failed. */
POP_API bool pop_profile_write_json(FILE *file, const pop_profile_value *value, bool pretty);
/* CBOR (RFC 8949), definite lengths. */
POP_API bool pop_profile_write_cbor(FILE *file, const pop_profile_value *value);
/* Parsers; parse_error gives the reason and the position. *value is null on failure, otherwise owned by the caller. */
POP_API pop_status pop_profile_read_json(const char *text, size_t size, pop_profile_value *value,
                                         pop_error *error) POP_MUST_CHECK;
/* Reads CBOR (RFC 8949); otherwise as pop_profile_read_json. */
POP_API pop_status pop_profile_read_cbor(const void *data, size_t size, pop_profile_value *value,
                                         pop_error *error) POP_MUST_CHECK;

/* The graph profile: target, vertex types, compute sets, exchanges, programs, memory (docs/reports/profiling.md). On a
 * CPU device only target and graph.  The caller frees *profile, which is null on failure. */
POP_API pop_status pop_executable_graph_profile(const pop_executable *executable, pop_profile_value *profile,
                                                pop_error *error) POP_MUST_CHECK;
/* The graph profile of an engine's executable, as pop_executable_graph_profile. */
POP_API pop_status pop_engine_graph_profile(const pop_engine *engine, pop_profile_value *profile,
                                            pop_error *error) POP_MUST_CHECK;
/* The execution profile of everything run since load or the last reset (docs/reports/profiling.md); profilerMode is
 * NONE when nothing has run. missing_perf_estimate, with the type's name, when a vertex that ran has no estimate. */
POP_API pop_status pop_engine_execution_profile(const pop_engine *engine, pop_profile_value *profile,
                                                pop_error *error) POP_MUST_CHECK;
/* Adds a JSON file of a framework or an application to the engine's report directory: name is "framework" or "app", the
 * file framework.json or app.json (an existing one is replaced). No effect when no report is enabled. invalid_option:
 * another name; file_load_error. */
POP_API pop_status pop_engine_report_json(const pop_engine *engine, const char *name, const pop_profile_value *value,
                                          pop_error *error) POP_MUST_CHECK;
/* Adds a parameter (a name and a value) of the last or current run to its report. A name that was given already gets
 * the new value; no effect on runs that are not captured. */
POP_API pop_status pop_engine_report_run_parameter(pop_engine *engine, const char *name, const char *value,
                                                   pop_error *error) POP_MUST_CHECK;
/* Prints both profiles as pop_print_profile_summary does. */
POP_API pop_status pop_engine_print_profile_summary(const pop_engine *engine, FILE *file, pop_options options,
                                                    pop_error *error) POP_MUST_CHECK;
/* Writes profile.pop (docs/reference/report-files.md), which libpva reads, to a directory: the graph profile and, with
 * execution, everything run since load or the last reset.  file_load_error when it cannot be written. */
POP_API pop_status pop_engine_write_report(const pop_engine *engine, const char *directory, bool execution,
                                           pop_error *error) POP_MUST_CHECK;
/* Writes profile.pop as pop_engine_write_report, in a new directory below $TMPDIR; path, a buffer of size bytes,
 * receives the file's path. If the engine's own report has debug.cbor, the directory also has a link to it. The caller
 * may remove the directory once it has opened the file. */
POP_API pop_status pop_engine_temporary_report(const pop_engine *engine, bool execution, char *path, size_t size,
                                               pop_error *error) POP_MUST_CHECK;
/* How many tiles compute, exchange and wait (sync) over time, as lines of CSV: begin, end (cycles of the modelled
 * device), then the three numbers; the first line names the columns.  Computed from the steps of the execution profile,
 * with the same errors. */
POP_API pop_status pop_engine_report_intervals(const pop_engine *engine, FILE *file, pop_error *error) POP_MUST_CHECK;
/* The process and its host (fields as in Graphcore's summary report): command, end_time, envs (POPLAR_, POPLIBS_,
 * TREMULA_ and the like alone), executable, name, poplar {hash, package_hash, version}, start_time, sys_info, version.
 * Times are seconds since 1970. */
POP_API pop_profile_value pop_profile_summary_report(void);

/* Prints the readable summary (docs/reports/profiling.md, The summary).  Options: colours, showVarStorage,
 * showOptimizations, showExchangeInstructionBreakdown, showExecutionSteps, showPerIpuMemoryUsage, showTileAverages; the
 * environment's CLICOLOR=0 and CLICOLOR_FORCE=1 override colours.  execution may be NULL or null: its section is
 * omitted. invalid_option on an unknown option. */
POP_API pop_status pop_print_profile_summary(FILE *file, const pop_profile_value *graph,
                                             const pop_profile_value *execution, pop_options options,
                                             pop_error *error) POP_MUST_CHECK;
/* Prints the summary of a report: path is profile.pop, or the directory that has it. Loads libpva, which reads it.
 * file_load_error: no report, or no libpva; invalid_option on an unknown option. */
POP_API pop_status pop_print_report_summary(FILE *file, const char *path, pop_options options,
                                            pop_error *error) POP_MUST_CHECK;
/* Prints the part of pop_print_profile_summary that needs the graph profile alone. */
POP_API pop_status pop_print_graph_summary(FILE *file, const pop_profile_value *graph, pop_options options,
                                           pop_error *error) POP_MUST_CHECK;
/* Prints the part of pop_print_profile_summary about the execution. */
POP_API pop_status pop_print_execution_summary(FILE *file, const pop_profile_value *graph,
                                               const pop_profile_value *execution, pop_options options,
                                               pop_error *error) POP_MUST_CHECK;

POP_END_DECLS
#endif
