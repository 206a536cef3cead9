/* SPDX-License-Identifier: Apache-2.0 */
/* An engine as its own files see it: the blocks that an image was loaded into, what is connected to it, and a run in
 * progress. */
#ifndef ENGINE_STATE_H
#define ENGINE_STATE_H

#include "base/engine_options.h"
#include "base/error.h"
#include "base/log.h"
#include "engine/behave.h"
#include "engine/pool.h"
#include "engine/run_names.h"
#include "engine/stream_threads.h"
#include "image/image.h"
#include "timeline/timeline.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdio.h>

/* A group of vertices, ready to be called. */
struct group_run {
    codelet_run run;
    const struct codelet *codelet;
    unsigned char *states;
    size_t stride;
    uint64_t first, count; /* vertices of the set */
    unsigned workers;
};

/* What earlier executions taught about a set: the time of all its vertices on one thread; 0 before the first. */
struct set_run {
    uint64_t nanoseconds;
    unsigned timed; /* executions that were timed */
};

enum stream_kind { STREAM_NONE = 0, STREAM_BUFFER, STREAM_CIRCULAR, STREAM_CALLBACK };
struct stream_state {
    enum stream_kind kind;
    size_t bytes;   /* of one transfer of one replica */
    size_t advance; /* circular: from one transfer to the next */
    unsigned char *begin, *end, *at;
    pop_stream_callback callback;
    unsigned *users;       /* of the callback, which several replicas may share: the last one releases it */
    unsigned char *buffer; /* callbacks: what a transfer passes through */
    bool prefetched;       /* buffer holds the next transfer's data */
    bool busy;             /* one of its callbacks is running */
    /* A prefetch that was handed to a thread, and what it said, which is read when the job is over. */
    pop_engine *engine;
    struct job job;
    bool pending, unwanted; /* unwanted: to be dropped when it is over */
    pop_prefetch said;
};
struct host_function_state {
    pop_host_callback callback;
    void *user;
    bool busy; /* it is running */
};
struct remote_state {
    unsigned char *rows;
    size_t row_bytes;
};

/* Streams and host functions that a program needs, found when it is first run. */
typedef VEC(uint32_t) index_list;
struct program_needs {
    bool known;
    index_list streams, host_functions;
};

struct checked;
struct report;

/* Where a replica is in a run. */
enum replica_pause {
    REPLICA_RUNS = 0,
    REPLICA_CALLS, /* at an op that calls the host */
    REPLICA_MEETS, /* at an op that all replicas execute together */
    REPLICA_ENDED, /* the program is over, or the run was stopped */
    REPLICA_FAILED
};

/* What an image was loaded into: one of the program's replicas. */
struct replica {
    struct pop_engine *engine;
    unsigned number;
    VEC(uint64_t) loops;   /* what is left of each Repeat of the run, innermost last */
    VEC(uint32_t) callers; /* where each Call of the run goes on, innermost last */
    unsigned char *storage, *scratch, *states;
    unsigned char *temporary; /* overlapping copies, rows of remote buffers: as large as the largest needs */
    unsigned char *operand;   /* what control flow and prints read, likewise */
    struct group_run *groups; /* one for each group of the image */
    struct set_run *sets;
    struct remote_state *remotes;
    struct stream_state *streams;               /* one for each stream of the image */
    struct host_function_state *host_functions; /* likewise */
    struct trace trace;                         /* what ran since load or the last reset, where it is recorded */
    /* The run in progress. */
    uint32_t at; /* its op while it pauses or a callback of it runs; behind the last one when it has ended */
    enum replica_pause pause;
    pop_status status;
    pop_error error;
};

struct pop_engine {
    struct image *image;
    struct option_set options;
    struct engine_options settings;        /* the same, as values */
    VEC(pop_option) option_list;           /* options, as pop_engine_options hands them out */
    struct thread_pool *pool;              /* NULL until a load */
    struct stream_threads *stream_threads; /* NULL: the run's thread calls all callbacks of streams */
    bool dedicated;                        /* the run's thread calls none */
    FILE *print_stream;                    /* NULL: standard error */
    bool loaded, running;
    bool profiling;      /* runs are recorded; never on a device without a model */
    bool watched;        /* faults of codelets come to us (fault.h) */
    bool destroyed;      /* by a callback: goes when the outermost call that runs callbacks returns */
    unsigned entered;    /* such calls in progress */
    atomic_bool stop;    /* the run ends after its step */
    atomic_bool abandon; /* and the step does not end either (stop.h) */
    uint64_t stopped_at; /* milliseconds; 0: it was not */
    pthread_t runner;    /* while it runs */
    struct pop_engine *next_running;
    bool in_child;            /* codelets run in a child process (isolate.h); this is one */
    struct isolate *isolate;  /* NULL: not started */
    unsigned char *arguments; /* of the host function that is running */
    void **argument_places;
    struct replica *replicas;
    struct engine_run *runs; /* one for each replica */
    unsigned replica_count;
    unsigned first_local, local_count; /* the replicas that run here; others have no memory (ranks.h) */
    unsigned host_first, host_count;   /* the replicas that calls of the host number, from 0 on */
    struct ranks *ranks;               /* NULL: this process is alone */
    unsigned profiled;                 /* the replica whose runs are recorded and captured */
    bool apart;                        /* replicas run on threads of their own now, each of them on one */
    struct program_needs *needs;       /* one for each program */
    struct report *report;             /* what is captured goes there; NULL: nothing is */
    char *name;                        /* of its reports' directory; NULL: none */
    struct run_names run_names;        /* of the runs in the record of the profiled replica */
    struct trace captured;             /* what the run in progress did since its steps were written last */
    struct checked *checked;           /* checked mode's buffers; NULL when off */
};

/* host.c: what a host function was called with. */
void host_arguments_free(pop_engine *engine);

/* engine.c: around what runs callbacks.  The engine may be gone after engine_leave. */
void engine_enter(pop_engine *engine);
void engine_leave(pop_engine *engine);

/* A run in progress.  What a callback that never returns would leak stands in the engine. */
struct engine_run {
    pop_engine *engine;
    struct replica *replica;
    const struct image *image;
    struct thread_pool *pool; /* NULL: one thread */
    pop_status status;
    pop_error *error;
    const char *api;
    bool names; /* errors say which replica failed */
};
#define RUN_OVER OP_NONE

/* Ends the run: records the error and returns RUN_OVER. */
uint32_t run_fail(struct engine_run *run, pop_status status, const char *format, ...) POP_PRINTF(3, 4);

/* Each op returns the op to run next, or RUN_OVER.  Where they stand: execute.c, copy.c, stream.c, remote.c, host.c,
 * run.c. */
#define IMAGE_OP(constant, function)                                                                                   \
    uint32_t function(struct engine_run *run, const struct image_op *op, uint32_t next);
#include "image/ops.def"
#undef IMAGE_OP

/* cycles.c: the timeline of what has run (timeline/timeline.h); profiling_disabled without a model,
 * missing_perf_estimate.
 */
pop_status engine_timeline(const pop_engine *engine, struct timeline *timeline, timeline_callback callback, void *user,
                           const char *api, pop_error *error);

/* What is recorded of the replica that profiles show. */
static inline const struct trace *engine_trace(const pop_engine *engine)
{
    return &engine->replicas[engine->profiled].trace;
}
/* replicas.c */
void replicas_create(pop_engine *engine);
void replicas_destroy(pop_engine *engine);
/* There is no such replica of count. */
pop_status engine_no_replica(unsigned count, unsigned replica, const char *api, pop_error *error);
/* Runs a program in every replica. */
pop_status engine_run_program(pop_engine *engine, uint32_t program, const char *name, const char *api,
                              pop_error *error);
/* run.c: ops until the replica pauses (the capture may be NULL); the op at which it pauses. */
struct capture;
void run_ops(struct engine_run *run, struct capture *capture);
void run_paused(struct engine_run *run);
/* replicas.c: all replicas from where they are until all have ended or one has failed, whose status and error become
 * the run's. */
void replicas_run(struct engine_run *whole, struct capture *capture);
/* Where a replica is that pauses at a meeting op. */
void replicas_place_text(const pop_engine *engine, uint32_t at, char *text, size_t size);
/* An operand's bytes, until the next call. */
const unsigned char *run_operand(struct engine_run *run, uint32_t operand);

/* copy.c: a plan between two bases (storage, or a buffer) that do not overlap.  pool may be NULL. */
void copy_run(const struct image *image, const struct image_copy *copy, const unsigned char *source,
              unsigned char *destination, struct thread_pool *pool);
/* Within one block, as if everything were read first; temporary holds copy->bytes. */
void copy_run_overlapping(const struct image *image, const struct image_copy *copy, unsigned char *block,
                          unsigned char *temporary, struct thread_pool *pool);

/* Its two halves: from a block to a dense buffer, and from there to a block. */
void copy_pack(const struct image *image, const struct image_copy *copy, unsigned char *block, unsigned char *dense,
               struct thread_pool *pool);
void copy_unpack(const struct image *image, const struct image_copy *copy, unsigned char *block, unsigned char *dense,
                 struct thread_pool *pool);

/* load.c */
pop_status engine_materialise(pop_engine *engine, const char *api, pop_error *error);
void engine_unload(pop_engine *engine);

/* stream.c */
void streams_create(pop_engine *engine);
/* Without waiting for a prefetch that runs: what it gives is dropped later. */
void streams_drop_prefetched(pop_engine *engine);
/* After a callback was left by longjmp. */
void streams_reset(pop_engine *engine);
/* Whether a prefetch of this engine is running on the calling thread, which is not the run's. */
bool streams_in_prefetch(const pop_engine *engine);
void streams_destroy(pop_engine *engine);
pop_status streams_check(pop_engine *engine, uint32_t program, const char *api, pop_error *error);

/* remote.c */
pop_status remotes_create(struct replica *replica, const char *api, pop_error *error);
void remotes_destroy(struct replica *replica);

/* execute.c: the failure of a vertex, as it travels from a chunk to the run. */
struct vertex_failure {
    uint64_t vertex; /* in its set */
    const char *type;
    char message[512];
    char file[128];
    int line;
};
struct execute_frame {
    struct codelet_call call; /* first: fail() gets a pointer to it */
    jmp_buf jump;
    struct vertex_failure *failure;
    struct behave_thread behave;
};
void execute_on_fail(struct codelet_call *call, const char *message, const char *file, int line);
uint32_t execute_report(struct engine_run *run, const struct image_set *set, const struct vertex_failure *failure);

/* checked.c: every vertex of a set, its edges in guarded buffers.  False: the run has failed. */
struct checked *checked_create(void);
void checked_destroy(struct checked *checked);
/* execute.c: a set in this process; false when the run has failed. */
bool execute_set(struct engine_run *run, const struct image_set *set, bool *consensus);
/* Fails a run that was stopped in the midst of a set. */
void execute_abandoned(struct engine_run *run, const struct image_set *set);
bool checked_execute(struct engine_run *run, const struct image_set *set, bool *consensus);

#endif
