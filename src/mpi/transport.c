/* SPDX-License-Identifier: Apache-2.0 */
/* libpoplar_mpi: the ranks of an MPI program as a transport (src/engine/transport.h).
 *
 * A thread of each rank sends a heartbeat to all others several times a second, with the last run that the rank
 * stopped, and whether the rank ends. A receiver that has seen no heartbeat of a message's sender for TIMEOUT_SECONDS
 * seconds gives up, or LEFT_SECONDS after one that said that the sender ends, so that a rank that was killed, suspended
 * or ended early ends the others. At their ends ranks wait for each other in the same way. */
#include "engine/transport.h"

#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { HEARTBEAT_TAG = 1, DATA_TAG = 2, END_TAG = 3, HEARTBEAT_MILLISECONDS = 100, TIMEOUT_SECONDS = 10 };
enum { LEFT_SECONDS = 2 }; /* its last messages may be on their way */
/* MPI's counts are int: longer messages are split. */
#define LARGEST ((size_t)1 << 30)

static struct {
    struct transport public;
    MPI_Comm data, heartbeats;
    pthread_t thread;
    atomic_bool ends, leaves; /* the thread; this rank */
    bool broken;
    _Atomic int64_t *last_heartbeat; /* time of each rank's last heartbeat before it left, in milliseconds */
    atomic_bool *left;
    const char *problem;
    /* The current run (0: none) and the latest run that was stopped here. All ranks number runs alike. */
    pthread_mutex_t lock;
    _Atomic uint64_t run, stopped;
    uint64_t runs;
    void (*stop)(void *context);
    void *context;
} ranks = { .lock = PTHREAD_MUTEX_INITIALIZER };

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static void sleep_microseconds(long microseconds)
{
    nanosleep(&(struct timespec){ .tv_nsec = microseconds * 1000 }, NULL);
}

/* ---- runs ---- */

static void run_begins(void (*stop)(void *context), void *context)
{
    pthread_mutex_lock(&ranks.lock);
    ranks.stop = stop;
    ranks.context = context;
    atomic_store(&ranks.run, ++ranks.runs);
    pthread_mutex_unlock(&ranks.lock);
}

static void run_ends(void)
{
    pthread_mutex_lock(&ranks.lock);
    atomic_store(&ranks.run, 0);
    pthread_mutex_unlock(&ranks.lock);
}

static void stop_run(void)
{
    uint64_t run = atomic_load(&ranks.run);
    if (run)
        atomic_store(&ranks.stopped, run);
}

/* Another rank has stopped a run. */
static void receive_stop(uint64_t run)
{
    pthread_mutex_lock(&ranks.lock);
    if (run && run == atomic_load(&ranks.run) && run != atomic_load(&ranks.stopped))
        ranks.stop(ranks.context);
    pthread_mutex_unlock(&ranks.lock);
}

/* ---- heartbeats ---- */

struct heartbeat {
    uint64_t stopped, leaves;
};

static void receive_heartbeat(int rank, const struct heartbeat *got)
{
    if (got->leaves && !atomic_exchange(&ranks.left[rank], true))
        atomic_store(&ranks.last_heartbeat[rank], now() - (TIMEOUT_SECONDS - LEFT_SECONDS) * 1000);
    else if (!got->leaves)
        atomic_store(&ranks.last_heartbeat[rank], now());
    receive_stop(got->stopped);
}

static void *exchange_heartbeats(void *unused)
{
    static struct heartbeat sent[2]; /* double buffer: the previous send may not be complete */
    (void)unused;
    for (unsigned turn = 0; !atomic_load(&ranks.ends); turn = !turn) {
        sent[turn] = (struct heartbeat){ atomic_load(&ranks.stopped), atomic_load(&ranks.leaves) };
        for (unsigned r = 0; r < ranks.public.count; ++r) {
            MPI_Request request;
            if (r == ranks.public.rank)
                continue;
            MPI_Isend(&sent[turn], sizeof(sent[turn]), MPI_BYTE, (int)r, HEARTBEAT_TAG, ranks.heartbeats, &request);
            MPI_Request_free(&request);
        }
        for (int64_t until = now() + HEARTBEAT_MILLISECONDS; now() < until && !atomic_load(&ranks.ends);
             sleep_microseconds(10000)) {
            int there = 1;
            MPI_Status status;
            struct heartbeat got;
            while (MPI_Iprobe(MPI_ANY_SOURCE, HEARTBEAT_TAG, ranks.heartbeats, &there, &status) == MPI_SUCCESS &&
                   there) {
                MPI_Recv(&got, sizeof(got), MPI_BYTE, status.MPI_SOURCE, HEARTBEAT_TAG, ranks.heartbeats,
                         MPI_STATUS_IGNORE);
                receive_heartbeat(status.MPI_SOURCE, &got);
            }
        }
    }
    return NULL;
}

/* Whether no heartbeat of a rank came for TIMEOUT_SECONDS seconds. wait_for resets the times of all ranks after this
 * process was suspended (SIGSTOP). */
static bool is_silent(unsigned rank)
{
    return rank != ranks.public.rank && now() - atomic_load(&ranks.last_heartbeat[rank]) > TIMEOUT_SECONDS * 1000;
}

/* Yield the processor YIELDS times before sleeping: the latency of a sleep exceeds that of most messages. */
enum { YIELDS = 200 };
static void pause_after(unsigned tries)
{
    if (tries < YIELDS)
        sched_yield();
    else
        sleep_microseconds(tries < YIELDS + 40 ? 5 * (long)(tries - YIELDS + 1) : 200);
}

/* Waits for requests; of[i] is the rank of request i. On failure returns false, *bad is the rank. */
static bool wait_for(MPI_Request *requests, const unsigned *of, size_t count, unsigned *bad)
{
    unsigned tries = 0;
    int64_t seen = now();
    for (size_t done = 0; done < count;) {
        int over = 0;
        if (MPI_Test(&requests[done], &over, MPI_STATUS_IGNORE) != MPI_SUCCESS) {
            *bad = of[done];
            return !(ranks.broken = true);
        }
        if (over) {
            ++done;
            tries = 0;
            continue;
        }
        int64_t time = now();
        if (time - seen > 1000) /* a gap over a second between polls: this process was suspended */
            for (unsigned r = 0; r < ranks.public.count; ++r)
                atomic_store(&ranks.last_heartbeat[r], time);
        seen = time;
        if (is_silent(of[done])) {
            *bad = of[done];
            return !(ranks.broken = true);
        }
        pause_after(tries < UINT16_MAX ? tries++ : tries);
    }
    return true;
}

/* Starts messages in pieces of at most LARGEST bytes; returns the number of requests added. */
static size_t begin(MPI_Request *requests, unsigned *of, const struct transport_message *message, bool send)
{
    size_t count = 0;
    for (size_t at = 0; at < message->bytes; at += LARGEST) {
        size_t left = message->bytes - at;
        int bytes = (int)(left < LARGEST ? left : LARGEST);
        char *data = (char *)message->data + at;
        of[count] = message->rank;
        if (send)
            MPI_Isend(data, bytes, MPI_BYTE, (int)message->rank, DATA_TAG, ranks.data, &requests[count]);
        else
            MPI_Irecv(data, bytes, MPI_BYTE, (int)message->rank, DATA_TAG, ranks.data, &requests[count]);
        ++count;
    }
    return count;
}

static size_t pieces(const struct transport_message *messages, size_t count)
{
    size_t all = 0;
    for (size_t i = 0; i < count; ++i)
        all += (messages[i].bytes + LARGEST - 1) / LARGEST;
    return all;
}

struct transfer {
    size_t count;
    unsigned *of; /* rank of each request */
    MPI_Request requests[];
};

static struct transfer *start(const struct transport_message *sends, size_t send_count,
                              const struct transport_message *receives, size_t receive_count)
{
    size_t all = pieces(sends, send_count) + pieces(receives, receive_count);
    struct transfer *t = malloc(sizeof(*t) + (all + 1) * (sizeof(*t->requests) + sizeof(*t->of)));
    if (!t)
        return NULL;
    t->count = 0;
    t->of = (unsigned *)(t->requests + all + 1);
    for (size_t i = 0; i < receive_count; ++i)
        t->count += begin(t->requests + t->count, t->of + t->count, &receives[i], false);
    for (size_t i = 0; i < send_count; ++i)
        t->count += begin(t->requests + t->count, t->of + t->count, &sends[i], true);
    return t;
}

static bool finish(struct transfer *t, unsigned *bad)
{
    *bad = ranks.public.rank;
    bool good = t && wait_for(t->requests, t->of, t->count, bad);
    free(t);
    return good;
}

static bool gather(const void *own, size_t bytes, void *all, unsigned *bad)
{
    unsigned count = ranks.public.count;
    struct transport_message *messages = calloc(2 * (size_t)count, sizeof(*messages)), *receives = messages + count;
    size_t others = 0;
    if (!messages) {
        *bad = ranks.public.rank;
        return false;
    }
    for (unsigned r = 0; r < count; ++r) {
        char *place = (char *)all + r * bytes;
        if (r == ranks.public.rank) {
            memcpy(place, own, bytes);
            continue;
        }
        messages[others] = (struct transport_message){ r, (void *)(uintptr_t)own, bytes };
        receives[others++] = (struct transport_message){ r, place, bytes };
    }
    bool good = finish(start(messages, others, receives, others), bad);
    free(messages);
    return good;
}

/* Waits until all ranks end: MPI_Finalize would wait for one that is suspended for ever. */
static void meet_at_end(void)
{
    static char mine, theirs; /* without contents */
    unsigned count = ranks.public.count, bad = 0;
    size_t started = 0;
    MPI_Request *requests = calloc(2 * (size_t)count, sizeof(*requests));
    unsigned *of = calloc(2 * (size_t)count, sizeof(*of));
    for (unsigned r = 0; requests && of && r < count; ++r) {
        if (r == ranks.public.rank)
            continue;
        of[started] = of[started + 1] = r;
        MPI_Irecv(&theirs, 0, MPI_BYTE, (int)r, END_TAG, ranks.data, &requests[started]);
        MPI_Isend(&mine, 0, MPI_BYTE, (int)r, END_TAG, ranks.data, &requests[started + 1]);
        started += 2;
    }
    if (!wait_for(requests, of, started, &bad)) /* it notes the failure */
        fprintf(stderr, "rank %u: rank %u does not come to its end: the program is ended\n", ranks.public.rank, bad);
    free(requests);
    free(of);
}

/* At process exit: finalises MPI with the other ranks, or aborts all of them when one is lost. */
static void end(void)
{
    int over = 0;
    atomic_store(&ranks.leaves, true);
    MPI_Finalized(&over);
    if (!over && !ranks.broken)
        meet_at_end();
    atomic_store(&ranks.ends, true);
    pthread_join(ranks.thread, NULL);
    if (ranks.broken && !over)
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    if (!over)
        MPI_Finalize();
}

static const char *start_mpi(void)
{
    int have = 0, rank = 0, count = 1, level = MPI_THREAD_SINGLE;
    MPI_Initialized(&have);
    if (!have && MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level) != MPI_SUCCESS)
        return "MPI cannot be initialised";
    MPI_Query_thread(&level);
    if (level < MPI_THREAD_MULTIPLE)
        return "MPI was initialised without MPI_THREAD_MULTIPLE";
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    MPI_Comm_dup(MPI_COMM_WORLD, &ranks.data);
    MPI_Comm_dup(MPI_COMM_WORLD, &ranks.heartbeats);
    MPI_Comm_set_errhandler(ranks.data, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(ranks.heartbeats, MPI_ERRORS_RETURN);
    ranks.public =
        (struct transport){ (unsigned)rank, (unsigned)count, gather, start, finish, run_begins, run_ends, stop_run };
    ranks.last_heartbeat = calloc((size_t)count, sizeof(*ranks.last_heartbeat));
    ranks.left = calloc((size_t)count, sizeof(*ranks.left));
    if (!ranks.last_heartbeat || !ranks.left)
        return "there is no memory for the list of ranks";
    for (int r = 0; r < count; ++r)
        atomic_store(&ranks.last_heartbeat[r], now());
    if (pthread_create(&ranks.thread, NULL, exchange_heartbeats, NULL) != 0)
        return "no thread can be started";
    atexit(end);
    return NULL;
}

static void start_once(void)
{
    ranks.problem = start_mpi();
}

__attribute__((visibility("default"))) const struct transport *poplar_transport(const char **problem);
const struct transport *poplar_transport(const char **problem)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, start_once);
    *problem = ranks.problem;
    return ranks.problem ? NULL : &ranks.public;
}
