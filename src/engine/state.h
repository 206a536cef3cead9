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

/* A run in progress.  What a callback that never returns would leak belongs to the engine. */
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

/* What is recorded of the replica that profiles show. */
static inline const struct trace *engine_trace(const pop_engine *engine)
{
    return &engine->replicas[engine->profiled].trace;
}

#endif
