/* SPDX-License-Identifier: Apache-2.0 */
/* Compiling a graph and its programs into an executable, and running it.
 *
 * An executable holds everything that a run needs and does not refer to the graph; it is immutable and may be shared by
 * engines. An engine is used by one thread at a time; its callbacks run on the thread that called pop_engine_run. */
#ifndef POPLAR_ENGINE_H
#define POPLAR_ENGINE_H

#include <poplar/device.h>
#include <poplar/program.h>

typedef struct pop_executable pop_executable; /* owner */
typedef struct pop_engine pop_engine;         /* owner */

/* Called while compiling: done of total steps.  Neither it nor an estimator can use the graph meanwhile; such a call is
 * an error, which ends the compilation.  pop_cancel_compilation may be called. */
typedef void (*pop_progress)(int done, int total, void *user);

/* A stream's callbacks.  fetch fills the buffer (host to device) or has received it (device to host); complete follows
 * the transfer; prefetch (may be NULL) may be called early and says whether it filled the buffer; invalidate_prefetched
 * (may be NULL) says that prefetched data was dropped; release (may be NULL) is called when the engine lets go of user.
 * A status other than POP_OK from fetch ends the run with that status and the text "stream callback failed". */
typedef enum pop_prefetch { POP_PREFETCH_SUCCESS = 0, POP_PREFETCH_NOT_AVAILABLE = 1 } pop_prefetch;
typedef struct pop_stream_callback {
    pop_status (*fetch)(void *buffer, void *user);
    pop_prefetch (*prefetch)(void *buffer, void *user);
    void (*complete)(void *user);
    void (*invalidate_prefetched)(void *user);
    void (*release)(void *user);
    void *user;
} pop_stream_callback;
/* A host function: one pointer for each argument. */
typedef pop_status (*pop_host_callback)(const void *const *inputs, void *const *outputs, void *user);

/* What has run since load or the last reset, in the model's cycles: how long it took, and what the tile that ended last
 * (the first of several) spent its time on.  Each tile's parts add up to its own end. */
typedef struct pop_cycles {
    uint64_t total; /* until the last tile has ended: the sum of the next five */
    uint64_t compute;
    uint64_t exchange;        /* between tiles of an IPU */
    uint64_t global_exchange; /* between IPUs */
    uint64_t host_exchange;   /* streams, remote buffers */
    uint64_t sync;            /* waiting for others included */
    uint64_t steps;           /* compute sets, exchanges, stream copies and Syncs that ran */
} pop_cycles;

POP_BEGIN_DECLS

/* ---- compiling ---- */
#define pop_compile_graph(...) pop_compile_graph_at(POP_HERE, __VA_ARGS__)
/* The first error recorded in the graph comes out here (the graph keeps it until it is taken).  *executable is NULL on
 * failure. */
POP_API pop_status pop_compile_graph_at(pop_where where, pop_graph *graph, pop_programs programs, pop_options options,
                                        pop_progress progress, void *progress_user, pop_executable **executable,
                                        pop_error *error) POP_MUST_CHECK;
/* From the progress callback of a compilation of the graph, or from another thread: it ends after its current step,
 * with runtime_error.  The graph can be compiled again.  Without effect when no compilation is in progress. */
POP_API void pop_cancel_compilation(pop_graph *graph);
/* The same for engines that have a name (NULL: none): their reports go to a directory of that name below
 * autoReport.directory. */
#define pop_compile_graph_named(...) pop_compile_graph_named_at(POP_HERE, __VA_ARGS__)
POP_API pop_status pop_compile_graph_named_at(pop_where where, pop_graph *graph, pop_programs programs,
                                              pop_options options, pop_progress progress, void *progress_user,
                                              const char *name, pop_executable **executable,
                                              pop_error *error) POP_MUST_CHECK;
POP_API void pop_executable_destroy(pop_executable *executable); /* engines that use it keep it alive */
/* The name comes to stand only when the file is whole. */
POP_API pop_status pop_executable_save(const pop_executable *executable, const char *path,
                                       pop_error *error) POP_MUST_CHECK;
POP_API pop_status pop_executable_write(const pop_executable *executable, FILE *file, pop_error *error) POP_MUST_CHECK;
/* A file that is truncated, altered or of another version is refused (file_load_error) with what is wrong. */
POP_API pop_status pop_executable_load(const char *path, pop_executable **executable, pop_error *error) POP_MUST_CHECK;
POP_API pop_status pop_executable_read(FILE *file, pop_executable **executable, pop_error *error) POP_MUST_CHECK;
/* The same in memory; the caller frees *data. */
POP_API pop_status pop_executable_to_memory(const pop_executable *executable, void **data, size_t *size,
                                            pop_error *error) POP_MUST_CHECK;
POP_API pop_status pop_executable_from_memory(const void *data, size_t size, pop_executable **executable,
                                              pop_error *error) POP_MUST_CHECK;
POP_API size_t pop_executable_num_programs(const pop_executable *executable);
POP_API const pop_target *pop_executable_target(const pop_executable *executable);

/* ---- engines ---- */
#define pop_engine_create(...) pop_engine_create_at(POP_HERE, __VA_ARGS__)
/* Compiles and makes an engine.  NULL on failure: error, or standard error when error is NULL, says why. */
POP_API pop_engine *pop_engine_create_at(pop_where where, pop_graph *graph, pop_programs programs, pop_options options,
                                         pop_error *error);
#define pop_engine_create_named(...) pop_engine_create_named_at(POP_HERE, __VA_ARGS__)
POP_API pop_engine *pop_engine_create_named_at(pop_where where, pop_graph *graph, pop_programs programs,
                                               pop_options options, const char *name, pop_error *error);
POP_API pop_engine *pop_engine_create_from(pop_executable *executable, pop_options options, pop_error *error);
/* From one of its own callbacks: the run ends, and the engine goes when the call that led to the callback returns. */
POP_API void pop_engine_destroy(pop_engine *engine);

/* Puts the executable on an attached device of the target it was compiled for; variables get their initial values
 * (others are zero). */
POP_API pop_status pop_engine_load(pop_engine *engine, const pop_device *device, pop_error *error) POP_MUST_CHECK;
POP_API pop_status pop_engine_run(pop_engine *engine, unsigned program, pop_error *error) POP_MUST_CHECK;
/* A run that is called so in reports; NULL or "": "Engine::run #N". */
POP_API pop_status pop_engine_run_named(pop_engine *engine, unsigned program, const char *name,
                                        pop_error *error) POP_MUST_CHECK;
/* Options for the runs from now on, of the engine's table: exchange.enablePrefetch, exchange.streamBufferOverlap and
 * print.guideFormat take effect.  Others that differ from what the engine has are checked and listed in one warning:
 * they are for compiling or making an engine.  invalid_option for unknown names and values; runtime_error in a run. */
POP_API pop_status pop_engine_set_runtime_options(pop_engine *engine, pop_options options,
                                                  pop_error *error) POP_MUST_CHECK;
POP_API pop_status pop_engine_load_and_run(pop_engine *engine, const pop_device *device, unsigned program,
                                           pop_error *error) POP_MUST_CHECK;
/* Ends a run in progress (of another thread, or from a callback).  The current step may end itself for a tenth of a
 * second, and the run returns POP_OK. Then the codelets that run are abandoned, and the run returns runtime_error; what
 * a callback waits for is interrupted (EINTR), and the run ends when the callback returns.  Not for signal handlers:
 * see pop_stop_on_interrupt. */
POP_API void pop_engine_stop(pop_engine *engine);
/* Whether SIGINT (Ctrl-C) stops the engines that run, as pop_engine_stop does.  When none runs, or at the second one,
 * it does what it did before.  The library handles SIGINT only when asked to. */
POP_API void pop_stop_on_interrupt(bool stops);
/* After a callback was left by longjmp, so that the run never returned: the engine can be loaded and run again.
 * Otherwise it does nothing. */
POP_API void pop_engine_reset(pop_engine *engine);

/* Host access by handle; bytes are at least those of the tensor (tensor_io_state_error), of which the first are used,
 * or POP_WHOLE: as many as it has. */
POP_API pop_status pop_engine_write_tensor(pop_engine *engine, const char *handle, const void *data, size_t bytes,
                                           pop_error *error) POP_MUST_CHECK;
POP_API pop_status pop_engine_read_tensor(pop_engine *engine, const char *handle, void *data, size_t bytes,
                                          pop_error *error) POP_MUST_CHECK;

/* Of a graph with replicas, the two above move the tensors of all of them, one replica after another: bytes are at
 * least those of all.
 *
 * Streams, by handle.  A connection replaces the one before.  Where the graph has R replicas, a buffer holds the data
 * of one transfer to or from all of them, one replica after another, and a circular one a multiple of that; a broadcast
 * stream's holds what all replicas get.  A callback serves all replicas, one after another, or one of them. */
POP_API pop_status pop_engine_connect_stream(pop_engine *engine, const char *handle, void *buffer,
                                             pop_error *error) POP_MUST_CHECK; /* the same elements each time */
POP_API pop_status pop_engine_connect_stream_circular(pop_engine *engine, const char *handle, void *begin, void *end,
                                                      pop_error *error) POP_MUST_CHECK;
POP_API pop_status pop_engine_connect_stream_callback(pop_engine *engine, const char *handle,
                                                      pop_stream_callback callback, pop_error *error) POP_MUST_CHECK;
/* Of one replica: graph_replication_error when there is none of that number, and for a broadcast stream when it is not
 * 0. */
POP_API pop_status pop_engine_connect_stream_callback_of(pop_engine *engine, const char *handle, unsigned replica,
                                                         pop_stream_callback callback, pop_error *error) POP_MUST_CHECK;
POP_API pop_status pop_engine_connect_host_function(pop_engine *engine, const char *handle, pop_host_callback callback,
                                                    void *user, pop_error *error) POP_MUST_CHECK;
/* For one replica; above: for all of them. */
POP_API pop_status pop_engine_connect_host_function_of(pop_engine *engine, const char *handle, unsigned replica,
                                                       pop_host_callback callback, void *user,
                                                       pop_error *error) POP_MUST_CHECK;
/* How many arguments a host function of the executable has. */
POP_API pop_status pop_engine_host_function_arguments(const pop_engine *engine, const char *handle, size_t *inputs,
                                                      size_t *outputs, pop_error *error) POP_MUST_CHECK;
/* Handles of all streams, remote buffers and host functions; borrowed from the engine.  Writes at most capacity,
 * returns how many. */
POP_API size_t pop_engine_list_streams(const pop_engine *engine, const char **handles, size_t capacity);
/* Bytes of a row of a remote buffer; 0 when the engine has none of that name. */
POP_API size_t pop_engine_remote_row_bytes(const pop_engine *engine, const char *handle);
/* One row of a remote buffer; index_error when there is no such row. */
POP_API pop_status pop_engine_copy_to_remote_buffer(pop_engine *engine, const void *data, const char *handle,
                                                    uint64_t row, pop_error *error) POP_MUST_CHECK;
POP_API pop_status pop_engine_copy_from_remote_buffer(pop_engine *engine, const char *handle, void *data, uint64_t row,
                                                      pop_error *error) POP_MUST_CHECK;
/* The same of one replica (above: of replica 0), each of which has rows of its own; graph_replication_error when there
 * is none of that number. */
POP_API pop_status pop_engine_copy_to_remote_buffer_of(pop_engine *engine, unsigned replica, const void *data,
                                                       const char *handle, uint64_t row,
                                                       pop_error *error) POP_MUST_CHECK;
POP_API pop_status pop_engine_copy_from_remote_buffer_of(pop_engine *engine, unsigned replica, const char *handle,
                                                         void *data, uint64_t row, pop_error *error) POP_MUST_CHECK;
POP_API unsigned pop_engine_num_replicas(const pop_engine *engine);

/* Where PrintTensor writes; NULL is standard error.  Borrowed. */
POP_API void pop_engine_set_print_stream(pop_engine *engine, FILE *file);
/* What has run since load or the last reset costs this; profiling_disabled on a CPU device, missing_perf_estimate (with
 * the type's name) when a vertex that ran has no estimate. */
POP_API pop_status pop_engine_cycles(pop_engine *engine, pop_cycles *cycles, pop_error *error) POP_MUST_CHECK;
/* Whether runs that start from now on are recorded (they are, until disabled), and forgetting what was: cycles and
 * execution profiles tell what is recorded.  The record grows with the ways that programs take, not with their
 * iterations. */
POP_API void pop_engine_enable_execution_profiling(pop_engine *engine);
POP_API void pop_engine_disable_execution_profiling(pop_engine *engine);
POP_API void pop_engine_reset_execution_profile(pop_engine *engine);
/* The options that are in force, defaults left out; borrowed from the engine. */
POP_API pop_options pop_engine_options(const pop_engine *engine);
/* "0.1.0": the version of this library. */
POP_API const char *pop_version_string(void);
/* A hash of what the library was built from, for bug reports. */
POP_API const char *pop_package_hash(void);

POP_END_DECLS
#endif
