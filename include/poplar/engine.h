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

/* Progress callback of compilations: done of total steps are complete. Callbacks of a compilation (this and estimators)
 * must not use the graph: such a call is an error that ends the compilation. pop_cancel_compilation is allowed. */
typedef void (*pop_progress)(int done, int total, void *user);

/* A stream's callbacks.  fetch fills the buffer (host to device) or has received it (device to host); complete follows
 * the transfer; prefetch (may be NULL) may be called early and returns whether it filled the buffer;
 * invalidate_prefetched (may be NULL) is called when prefetched data was discarded; release (may be NULL) is called
 * when the engine no longer uses user. A status other than POP_OK from fetch ends the run with that status and the text
 * "stream callback failed". */
typedef enum pop_prefetch { POP_PREFETCH_SUCCESS = 0, POP_PREFETCH_NOT_AVAILABLE = 1 } pop_prefetch;
/* The functions of a stream callback and the pointer that each of them receives; see above. */
typedef struct pop_stream_callback {
    /* fills the buffer, or takes its contents */
    pop_status (*fetch)(void *buffer, void *user);
    /* may fill the buffer before it is needed; may be NULL */
    pop_prefetch (*prefetch)(void *buffer, void *user);
    /* called after the transfer; may be NULL */
    void (*complete)(void *user);
    /* called when prefetched data was discarded; may be NULL */
    void (*invalidate_prefetched)(void *user);
    /* called when the engine no longer uses user; may be NULL */
    void (*release)(void *user);
    void *user; /* passed to each of the functions */
} pop_stream_callback;
/* A host function: one pointer per argument, borrowed for the call. */
typedef pop_status (*pop_host_callback)(const void *const *inputs, void *const *outputs, void *user);

/* Modelled cycles since load or the last reset: the total, and its breakdown on the tile that ended last (the
 * lowest-numbered of several). */
typedef struct pop_cycles {
    uint64_t total;           /* until the last tile ended: the sum of the next five */
    uint64_t compute;         /* in vertices */
    uint64_t exchange;        /* between tiles of an IPU */
    uint64_t global_exchange; /* between IPUs */
    uint64_t host_exchange;   /* streams, remote buffers */
    uint64_t sync;            /* including the wait for other tiles */
    uint64_t steps;           /* compute sets, exchanges, stream copies and Syncs that ran */
} pop_cycles;

POP_BEGIN_DECLS

/* ---- compiling ---- */
#define pop_compile_graph(...) pop_compile_graph_at(POP_HERE, __VA_ARGS__)
/* Returns the first error recorded in the graph, if any (the graph keeps it until it is taken). *executable is NULL on
 * failure, otherwise owned by the caller. */
POP_API pop_status pop_compile_graph_at(pop_where where, pop_graph *graph, pop_programs programs, pop_options options,
                                        pop_progress progress, void *progress_user, pop_executable **executable,
                                        pop_error *error) POP_MUST_CHECK;
/* For a progress callback: the pass of the compiler that is done when `done` steps are ("exchange";
 * docs/internals/compiler.md has the list), and in *share (NULL: not wanted) which part of the time of compiling has
 * usually passed then, 0 to 1.
 * "" and 0 for a number that no callback gets. */
POP_API const char *pop_compile_pass(int done, double *share);
/* Cancels a compilation of the graph, from its progress callback or from another thread: it ends after its current step
 * with runtime_error, and the graph can be compiled again. No effect when no compilation is in progress. */
POP_API void pop_cancel_compilation(pop_graph *graph);
/* Compiles as pop_compile_graph, for an engine with a name (NULL: none): its report is written to a directory of that
 * name below autoReport.directory. */
#define pop_compile_graph_named(...) pop_compile_graph_named_at(POP_HERE, __VA_ARGS__)
POP_API pop_status pop_compile_graph_named_at(pop_where where, pop_graph *graph, pop_programs programs,
                                              pop_options options, pop_progress progress, void *progress_user,
                                              const char *name, pop_executable **executable,
                                              pop_error *error) POP_MUST_CHECK;
POP_API void
pop_executable_destroy(pop_executable *executable); /* reference-counted: engines that use it keep it alive */
/* Atomic: writes a temporary file and renames it, so path is never a partial file. */
POP_API pop_status pop_executable_save(const pop_executable *executable, const char *path,
                                       pop_error *error) POP_MUST_CHECK;
/* Writes an executable to an open file, at its position; pop_executable_read reads it. */
POP_API pop_status pop_executable_write(const pop_executable *executable, FILE *file, pop_error *error) POP_MUST_CHECK;
/* Refuses a file that is truncated, altered or of another version (file_load_error, with the reason).  The file is
 * mapped, not copied: do not change it in place while the executable or its engines exist.  Saving over it or removing
 * it is fine. */
POP_API pop_status pop_executable_load(const char *path, pop_executable **executable, pop_error *error) POP_MUST_CHECK;
/* Reads an executable from an open file, at its position, into memory; errors as for pop_executable_load. */
POP_API pop_status pop_executable_read(FILE *file, pop_executable **executable, pop_error *error) POP_MUST_CHECK;
/* Writes an executable to memory; the caller frees *data. */
POP_API pop_status pop_executable_to_memory(const pop_executable *executable, void **data, size_t *size,
                                            pop_error *error) POP_MUST_CHECK;
/* Reads what pop_executable_to_memory wrote; data is copied. Errors as for pop_executable_load. */
POP_API pop_status pop_executable_from_memory(const void *data, size_t size, pop_executable **executable,
                                              pop_error *error) POP_MUST_CHECK;
/* Number of programs that the executable was compiled with. */
POP_API size_t pop_executable_num_programs(const pop_executable *executable);
/* Target of the executable; borrowed. */
POP_API const pop_target *pop_executable_target(const pop_executable *executable);

/* ---- engines ---- */
#define pop_engine_create(...) pop_engine_create_at(POP_HERE, __VA_ARGS__)
/* Compiles and creates an engine. NULL on failure, with the reason in error, or on standard error when error is NULL.
 */
POP_API pop_engine *pop_engine_create_at(pop_where where, pop_graph *graph, pop_programs programs, pop_options options,
                                         pop_error *error);
/* Compiles and creates an engine with a name, which its report's directory gets. Errors as for pop_engine_create. */
#define pop_engine_create_named(...) pop_engine_create_named_at(POP_HERE, __VA_ARGS__)
POP_API pop_engine *pop_engine_create_named_at(pop_where where, pop_graph *graph, pop_programs programs,
                                               pop_options options, const char *name, pop_error *error);
/* Creates an engine of an executable, which it shares. NULL, with the reason in error (may be NULL), on failure. */
POP_API pop_engine *pop_engine_create_from(pop_executable *executable, pop_options options, pop_error *error);
/* May be called from the engine's own callbacks: the run ends, and the engine is freed when the outer call returns. */
POP_API void pop_engine_destroy(pop_engine *engine);

/* Puts the executable on an attached device of the target it was compiled for; variables get their initial values
 * (others are zero). */
POP_API pop_status pop_engine_load(pop_engine *engine, const pop_device *device, pop_error *error) POP_MUST_CHECK;
/* Runs a program, by its index in the list of the call that compiled it, on the loaded device. */
POP_API pop_status pop_engine_run(pop_engine *engine, unsigned program, pop_error *error) POP_MUST_CHECK;
/* A run with a name for reports; NULL or "": "Engine::run #N". */
POP_API pop_status pop_engine_run_named(pop_engine *engine, unsigned program, const char *name,
                                        pop_error *error) POP_MUST_CHECK;
/* Options for the runs from now on, of the engine's table: exchange.enablePrefetch, exchange.streamBufferOverlap and
 * print.guideFormat take effect.  Other options, which apply when an engine is compiled or created, are checked and,
 * where they differ from the engine's, listed in one warning. Errors: invalid_option for unknown names and values;
 * runtime_error during a run. */
POP_API pop_status pop_engine_set_runtime_options(pop_engine *engine, pop_options options,
                                                  pop_error *error) POP_MUST_CHECK;
/* Loads the engine on a device, then runs a program. */
POP_API pop_status pop_engine_load_and_run(pop_engine *engine, const pop_device *device, unsigned program,
                                           pop_error *error) POP_MUST_CHECK;
/* Ends a run in progress, from another thread or from a callback. If the current step completes within a tenth of a
 * second, the run returns POP_OK. Otherwise running codelets are abandoned and the run returns runtime_error; a
 * blocking system call of a callback is interrupted (EINTR), and the run ends when the callback returns. Not
 * async-signal-safe: see pop_stop_on_interrupt. */
POP_API void pop_engine_stop(pop_engine *engine);
/* Sets whether SIGINT (Ctrl-C) stops all running engines, as pop_engine_stop does; off by default. When none runs, or
 * at the second SIGINT, the previous handler acts. */
POP_API void pop_stop_on_interrupt(bool stops);
/* Makes the engine usable again after a callback left a run by longjmp; otherwise no effect. */
POP_API void pop_engine_reset(pop_engine *engine);

/* Host access by handle. bytes is the buffer's size: at least the tensor's (tensor_io_state_error otherwise; extra
 * bytes are ignored), or POP_WHOLE for exactly the tensor's. */
POP_API pop_status pop_engine_write_tensor(pop_engine *engine, const char *handle, const void *data, size_t bytes,
                                           pop_error *error) POP_MUST_CHECK;
/* Reads a tensor through its handle (pop_graph_create_host_read) into data, in row-major order. */
POP_API pop_status pop_engine_read_tensor(pop_engine *engine, const char *handle, void *data, size_t bytes,
                                          pop_error *error) POP_MUST_CHECK;
/* A host write or read of a QUARTER tensor has a second handle, "<handle>/metadata", for the byte.  These calls
 * transfer both; with replicas the byte is written to all of them, and read from the first. */
POP_API pop_status pop_engine_write_quarter(pop_engine *engine, const char *handle, uint8_t metadata, const void *data,
                                            size_t bytes, pop_error *error) POP_MUST_CHECK;
/* Reads the codes and the metadata byte of a QUARTER tensor. */
POP_API pop_status pop_engine_read_quarter(pop_engine *engine, const char *handle, uint8_t *metadata, void *data,
                                           size_t bytes, pop_error *error) POP_MUST_CHECK;

/* On a graph with replicas, the calls above transfer the tensors of all replicas, in replica order, and bytes
 * covers all of them.
 *
 * Streams, by handle. A connection replaces the previous one. On a graph with replicas, a buffer holds one transfer of
 * all of them, in replica order, and a circular buffer a multiple of that; the buffer of a broadcast stream holds one
 * copy for all. A callback serves all replicas, in replica order, or one of them. */
POP_API pop_status pop_engine_connect_stream(pop_engine *engine, const char *handle, void *buffer, pop_error *error)
    POP_MUST_CHECK; /* each transfer uses the same elements */
/* Each transfer uses the next elements of the range from begin to end, which holds a multiple of a transfer; the first
 * again after the last. */
POP_API pop_status pop_engine_connect_stream_circular(pop_engine *engine, const char *handle, void *begin, void *end,
                                                      pop_error *error) POP_MUST_CHECK;
/* Each transfer calls the functions of callback, which is copied. */
POP_API pop_status pop_engine_connect_stream_callback(pop_engine *engine, const char *handle,
                                                      pop_stream_callback callback, pop_error *error) POP_MUST_CHECK;
/* Connects one replica: graph_replication_error when the replica does not exist, or is not 0 on a broadcast stream. */
POP_API pop_status pop_engine_connect_stream_callback_of(pop_engine *engine, const char *handle, unsigned replica,
                                                         pop_stream_callback callback, pop_error *error) POP_MUST_CHECK;
/* Connects a host function of all replicas to a callback, which receives user. */
POP_API pop_status pop_engine_connect_host_function(pop_engine *engine, const char *handle, pop_host_callback callback,
                                                    void *user, pop_error *error) POP_MUST_CHECK;
/* Connects one replica; the call above connects all. */
POP_API pop_status pop_engine_connect_host_function_of(pop_engine *engine, const char *handle, unsigned replica,
                                                       pop_host_callback callback, void *user,
                                                       pop_error *error) POP_MUST_CHECK;
/* Numbers of inputs and outputs of a host function of the executable. */
POP_API pop_status pop_engine_host_function_arguments(const pop_engine *engine, const char *handle, size_t *inputs,
                                                      size_t *outputs, pop_error *error) POP_MUST_CHECK;
/* Handles of all streams, remote buffers and host functions, borrowed from the engine. Writes at most capacity handles,
 * returns their total number. */
POP_API size_t pop_engine_list_streams(const pop_engine *engine, const char **handles, size_t capacity);
/* Bytes of a row of a remote buffer; 0 when the engine has no buffer of that name. */
POP_API size_t pop_engine_remote_row_bytes(const pop_engine *engine, const char *handle);
/* Copies one row of a remote buffer; index_error when the row is out of range. */
POP_API pop_status pop_engine_copy_to_remote_buffer(pop_engine *engine, const void *data, const char *handle,
                                                    uint64_t row, pop_error *error) POP_MUST_CHECK;
/* Reads one row of a remote buffer; index_error when the row is out of range. */
POP_API pop_status pop_engine_copy_from_remote_buffer(pop_engine *engine, const char *handle, void *data, uint64_t row,
                                                      pop_error *error) POP_MUST_CHECK;
/* Copies one row of a remote buffer of one replica, each of which has its own rows (the calls above use replica 0);
 * graph_replication_error when the replica does not exist. */
POP_API pop_status pop_engine_copy_to_remote_buffer_of(pop_engine *engine, unsigned replica, const void *data,
                                                       const char *handle, uint64_t row,
                                                       pop_error *error) POP_MUST_CHECK;
/* Reads one row of a replica's part of a remote buffer. */
POP_API pop_status pop_engine_copy_from_remote_buffer_of(pop_engine *engine, unsigned replica, const char *handle,
                                                         void *data, uint64_t row, pop_error *error) POP_MUST_CHECK;
/* Number of replicas that the engine runs; 1 without replication. */
POP_API unsigned pop_engine_num_replicas(const pop_engine *engine);

/* Sets the stream that PrintTensor writes to; NULL is standard error. Borrowed. */
POP_API void pop_engine_set_print_stream(pop_engine *engine, FILE *file);
/* Modelled cycles of everything run since load or the last reset. Errors: profiling_disabled on a CPU device;
 * missing_perf_estimate (with the type's name) when a vertex that ran has no estimate. */
POP_API pop_status pop_engine_cycles(pop_engine *engine, pop_cycles *cycles, pop_error *error) POP_MUST_CHECK;
/* Enable or disable recording of later runs (enabled by default), and discard the record, from which cycles and
 * execution profiles are computed. The record grows with the number of distinct paths through the programs, not with
 * iterations. */
POP_API void pop_engine_enable_execution_profiling(pop_engine *engine);
POP_API void pop_engine_disable_execution_profiling(pop_engine *engine);
POP_API void pop_engine_reset_execution_profile(pop_engine *engine);
/* The options in effect, without those at their default; borrowed from the engine. */
POP_API pop_options pop_engine_options(const pop_engine *engine);
/* "0.1.0": the version of this library. */
POP_API const char *pop_version_string(void);
/* A hash of what the library was built from, for bug reports. */
POP_API const char *pop_package_hash(void);

POP_END_DECLS
#endif
