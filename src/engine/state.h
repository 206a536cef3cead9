/* SPDX-License-Identifier: Apache-2.0 */
/* Internal state of an engine: the memory blocks of its loaded image, its connections, and a run in progress. */
#ifndef ENGINE_STATE_H
#define ENGINE_STATE_H

#include "base/engine_options.h"
#include "base/error.h"
#include "base/log.h"
#include "base/pool.h"
#include "engine/behave.h"
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
    struct tile_vertex *external; /* its code in assembly; NULL: run executes its compute */
    unsigned char *states;
    size_t stride;
    uint64_t first, count; /* range of vertices in the set */
    unsigned workers;
};

/* Measured time of a compute set, for dividing it over threads: that of all its vertices on one thread; 0 before the
 * first execution. */
struct set_run {
    uint64_t nanoseconds;
    unsigned timed; /* executions that were timed */
};

enum stream_kind { STREAM_NONE = 0, STREAM_BUFFER, STREAM_CIRCULAR, STREAM_CALLBACK };
struct stream_state {
    enum stream_kind kind;
    size_t bytes;   /* bytes of one transfer of one replica */
    size_t advance; /* circular buffers: bytes from one transfer to the next */
    unsigned char *begin, *end, *at;
    pop_stream_callback callback;
    unsigned *users;       /* reference count of the callback, which replicas may share: the last one releases it */
    unsigned char *buffer; /* for callbacks: data of a transfer */
    bool prefetched;       /* buffer holds the next transfer's data */
    bool busy;             /* one of its callbacks is running */
    bool exited;           /* one of them called pthread_exit, which the run has not reported yet */
    /* A prefetch on another thread, and its result, valid when the job has ended. */
    pop_engine *engine;
    struct job job;
    bool pending, unwanted; /* unwanted: discard the result */
    pop_prefetch prefetch_result;
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

/* Streams and host functions that a program needs, collected at its first run. */
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
    REPLICA_ENDED, /* the program has ended, or the run was stopped */
    REPLICA_FAILED
};

/* Memory and run state of one replica of the program. */
struct replica {
    struct pop_engine *engine;
    unsigned number;
    VEC(uint64_t) loops;   /* remaining iterations of active Repeats, innermost last */
    VEC(uint32_t) callers; /* return ops of active Calls, innermost last */
    unsigned char *storage, *scratch, *states;
    unsigned char *temporary; /* buffer for overlapping copies and rows of remote buffers, of the size of the largest */
    unsigned char *operand;   /* buffer for operands of control flow and prints, of the size of the largest */
    struct group_run *groups; /* one for each group of the image */
    struct set_run *sets;
    uint64_t *counted;            /* by vertex of the set that runs: cycles that were counted (image.vertex_cycles) */
    struct step_costs costs;      /* of sets with such vertices */
    uint64_t executed_sets;       /* since load */
    uint64_t (*random)[2];        /* of tiles' workers (external.h); NULL: none */
    struct tile_weights *weights; /* of tiles (external.h); NULL: none */
    struct remote_state *remotes;
    struct stream_state *streams;               /* one for each stream of the image */
    struct host_function_state *host_functions; /* likewise */
    struct trace trace;                         /* record of what ran since load or the last reset */
    /* The run in progress. */
    uint32_t at; /* its op while it pauses or a callback of it runs; after the last one when it has ended */
    enum replica_pause pause;
    pop_status status;
    pop_error error;
};

struct pop_engine {
    struct image *image;
    struct option_set options;
    struct engine_options settings;        /* the same, as values */
    VEC(pop_option) option_list;           /* options, in the form that pop_engine_options returns */
    struct thread_pool *pool;              /* NULL until a load */
    struct stream_threads *stream_threads; /* NULL: the run's thread calls all callbacks of streams */
    bool all_on_stream_threads;            /* the run's thread calls no callback */
    FILE *print_stream;                    /* NULL: standard error */
    bool loaded, running;
    bool profiling;      /* runs are recorded; never on a device without a model */
    bool watched;        /* fault.h handles faults of codelets */
    bool destroyed;      /* by a callback: freed when the outermost call that runs callbacks returns */
    unsigned entered;    /* such calls in progress */
    atomic_bool stop;    /* the run ends after its step */
    atomic_bool abandon; /* the step is to be abandoned too (stop.h) */
    uint64_t stopped_at; /* time in milliseconds; 0: not stopped */
    pthread_t runner;    /* thread of the current run */
    struct pop_engine *next_running;
    bool in_child;            /* this is the child process that runs codelets (isolate.h) */
    struct isolate *isolate;  /* NULL: not started */
    unsigned char *arguments; /* of the host function that is running */
    void **argument_places;
    struct replica *replicas;
    struct engine_run *runs; /* one for each replica */
    unsigned replica_count;
    unsigned first_local, local_count; /* the replicas that run here; others have no memory (ranks.h) */
    unsigned host_first, host_count;   /* the replicas that host calls can access, numbered from 0 */
    struct ranks *ranks;               /* NULL: this process is alone */
    unsigned profiled;                 /* the replica whose runs are recorded and captured */
    struct program_needs *needs;       /* one for each program */
    struct report *report;             /* destination of captured runs; NULL: none are captured */
    char *name;                        /* name of its report directory; NULL: none */
    struct run_names run_names;        /* of the runs in the record of the profiled replica */
    struct trace captured;             /* record of the current run since its steps were last written */
    struct checked *checked;           /* checked mode's buffers; NULL when off */
    struct tile_calls *calls;          /* of inline assembly in codelets; NULL: no code has any */
    struct externals *externals;       /* code in assembly; NULL: there is none */
};

/* A run in progress.  What would leak when a callback leaves by longjmp belongs to the engine. */
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

/* Each op returns the op to run next, or RUN_OVER.  They are in execute.c, copy.c, stream.c, remote.c, host.c,
 * run.c. */
#define IMAGE_OP(constant, function)                                                                                   \
    uint32_t function(struct engine_run *run, const struct image_op *op, uint32_t next);
#include "image/ops.def"
#undef IMAGE_OP

/* The record of the profiled replica. */
static inline const struct trace *engine_trace(const pop_engine *engine)
{
    return &engine->replicas[engine->profiled].trace;
}

#endif
