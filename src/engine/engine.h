/* SPDX-License-Identifier: Apache-2.0 */
/* An engine while callbacks of the program run. */
#ifndef ENGINE_ENGINE_H
#define ENGINE_ENGINE_H

#include "engine/state.h"

#include <poplar/program.h>

struct capture;

/* Around calls that run callbacks. engine_leave may free the engine. */
void engine_enter(pop_engine *engine);
void engine_leave(pop_engine *engine);

/* host.c: calls of host functions. */

/* Frees the arguments of a host function's call. */
void host_arguments_free(pop_engine *engine);

/* stream.c: connections of an engine's streams. */
void streams_create(pop_engine *engine);
/* Discards prefetched data. Does not wait for a running prefetch, whose result is discarded later. */
void streams_drop_prefetched(pop_engine *engine);
/* Resets streams after a callback was left by longjmp. */
void streams_reset(pop_engine *engine);
/* Whether a prefetch of this engine is running on the calling thread, which is not the run's. */
bool streams_in_prefetch(const pop_engine *engine);
void streams_destroy(pop_engine *engine);
pop_status streams_check(pop_engine *engine, uint32_t program, const char *api, pop_error *error);

/* checked.c: checked execution: every vertex of a set alone, its edges in guarded buffers. */
struct checked *checked_create(void);
void checked_destroy(struct checked *checked);
/* Every vertex of a set, its edges in guarded buffers.  False: the run has failed. */
bool checked_execute(struct engine_run *run, const struct image_set *set, bool *consensus);

/* cycles.c: the timeline of what an engine has run. */

/* The timeline of what has run (timeline/timeline.h); profiling_disabled without a model,
 * missing_perf_estimate.
 */
pop_status engine_timeline(const pop_engine *engine, struct timeline *timeline, timeline_callback callback, void *user,
                           const char *api, pop_error *error);

/* keep.c: memory that a thread keeps for the codelets that it runs, from vertex to vertex. */

/* The block of a key (0 or 1) of this thread, zero when it is new; NULL for another key, or without memory. It is freed
 * when the thread ends, and replaced when a call asks for another number of bytes. */
void *keep_block(unsigned key, size_t bytes);

/* load.c: loading an image into memory, and unloading it. */
pop_status engine_materialise(pop_engine *engine, const char *api, pop_error *error);
void engine_unload(pop_engine *engine);

/* remote.c: remote buffers of a replica. */
pop_status remotes_create(struct replica *replica, const char *api, pop_error *error);
void remotes_destroy(struct replica *replica);

/* replicas.c: creating the replicas of a program, and running them together. */
void replicas_create(pop_engine *engine);
void replicas_destroy(pop_engine *engine);
/* Error for a replica number that is not less than count. */
pop_status engine_no_replica(unsigned count, unsigned replica, const char *api, pop_error *error);
/* Runs all replicas from their current ops until all have ended or one has failed; its status and error become the
 * run's. */
void replicas_run(struct engine_run *whole, struct capture *capture);
/* Describes the op at which a replica pauses. */
void replicas_place_text(const pop_engine *engine, uint32_t at, char *text, size_t size);

/* run.c: the interpreter of ops. */

/* Ends the run: records the error and returns RUN_OVER. */
uint32_t run_fail(struct engine_run *run, pop_status status, const char *format, ...) POP_PRINTF(3, 4);
/* Runs a program in every replica. */
pop_status engine_run_program(pop_engine *engine, uint32_t program, const char *name, const char *api,
                              pop_error *error);
/* Runs ops until the replica pauses; capture may be NULL. */
void run_ops(struct engine_run *run, struct capture *capture);
/* Runs the op at which the replica pauses. */
void run_paused(struct engine_run *run);
/* An operand's bytes, valid until the next call. */
const unsigned char *run_operand(struct engine_run *run, uint32_t operand);

/* copy.c: running copy plans. */

/* A plan between two bases (storage, or a buffer) that do not overlap.  pool may be NULL. */
void copy_run(const struct image *image, const struct image_copy *copy, const unsigned char *source,
              unsigned char *destination, struct thread_pool *pool);
/* A plan within one block, where source and destination may overlap: reads everything first, into temporary
 * (copy->bytes bytes). */
void copy_run_overlapping(const struct image *image, const struct image_copy *copy, unsigned char *block,
                          unsigned char *temporary, struct thread_pool *pool);
/* The two halves of a copy: from a block to a dense buffer, and from there to a block. */
void copy_pack(const struct image *image, const struct image_copy *copy, unsigned char *block, unsigned char *dense,
               struct thread_pool *pool);
void copy_unpack(const struct image *image, const struct image_copy *copy, unsigned char *block, unsigned char *dense,
                 struct thread_pool *pool);

/* print.c: PrintTensor's text, in the format of Poplibs' tests, or in that of the user guide if format->guide. */

/* "title: [...]" and a newline.  data holds the tensor's elements, row-major, as device data. */
void print_tensor(FILE *file, const char *title, pop_type type, const uint64_t *dims, size_t rank, const void *data,
                  const pop_print_format *format);

#endif
