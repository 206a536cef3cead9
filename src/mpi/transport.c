/* SPDX-License-Identifier: Apache-2.0 */
/* libpoplar_mpi: the ranks of an MPI program as a transport (src/engine/transport.h).
 *
 * A thread of each rank tells all others that it is alive, several times a second.  Who waits for a message and has not
 * heard of its sender for SILENCE seconds gives up: a rank that was stopped or is gone ends the others. */
#include "engine/transport.h"

#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BEAT_TAG = 1, DATA_TAG = 2, BEAT_MILLISECONDS = 100, SILENCE = 10 };
/* MPI counts bytes by int. */
#define LARGEST ((size_t)1 << 30)

static struct {
    struct transport public;
    MPI_Comm data, beats;
    pthread_t thread;
    atomic_bool ends;
    bool broken;
    _Atomic int64_t *heard; /* of each rank, in milliseconds */
    const char *problem;
} ranks;

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static void nap(long microseconds)
{
    nanosleep(&(struct timespec){ .tv_nsec = microseconds * 1000 }, NULL);
}

static void *beat(void *unused)
{
    static char byte;
    (void)unused;
    while (!atomic_load(&ranks.ends)) {
        for (unsigned r = 0; r < ranks.public.count; ++r) {
            MPI_Request request;
            if (r == ranks.public.rank)
                continue;
            MPI_Isend(&byte, 1, MPI_BYTE, (int)r, BEAT_TAG, ranks.beats, &request);
            MPI_Request_free(&request);
        }
        for (int64_t until = now() + BEAT_MILLISECONDS; now() < until && !atomic_load(&ranks.ends); nap(10000)) {
            int there = 1;
            MPI_Status status;
            char got;
            while (MPI_Iprobe(MPI_ANY_SOURCE, BEAT_TAG, ranks.beats, &there, &status) == MPI_SUCCESS && there) {
                MPI_Recv(&got, 1, MPI_BYTE, status.MPI_SOURCE, BEAT_TAG, ranks.beats, MPI_STATUS_IGNORE);
                atomic_store(&ranks.heard[status.MPI_SOURCE], now());
            }
        }
    }
    return NULL;
}

/* Whether a rank was heard of lately; so were all while this process itself was stopped. */
static bool is_silent(unsigned rank)
{
    return rank != ranks.public.rank && now() - atomic_load(&ranks.heard[rank]) > SILENCE * 1000;
}

/* Waits for requests; of[i] is the rank of request i. */
static bool wait_for(MPI_Request *requests, const unsigned *of, size_t count, unsigned *bad)
{
    long pause = 0;
    int64_t seen = now();
    for (size_t done = 0; done < count;) {
        int over = 0;
        if (MPI_Test(&requests[done], &over, MPI_STATUS_IGNORE) != MPI_SUCCESS) {
            *bad = of[done];
            return !(ranks.broken = true);
        }
        if (over) {
            ++done;
            pause = 0;
            continue;
        }
        int64_t time = now();
        if (time - seen > 1000) /* this process was stopped: others could not be heard */
            for (unsigned r = 0; r < ranks.public.count; ++r)
                atomic_store(&ranks.heard[r], time);
        seen = time;
        if (is_silent(of[done])) {
            *bad = of[done];
            return !(ranks.broken = true);
        }
        nap(pause = pause < 200 ? pause + 5 : 200);
    }
    return true;
}

/* Messages as pieces that MPI can count; returns how many more requests there are. */
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

static bool exchange(const struct transport_message *sends, size_t send_count, const struct transport_message *receives,
                     size_t receive_count, unsigned *bad)
{
    size_t all = pieces(sends, send_count) + pieces(receives, receive_count), at = 0;
    MPI_Request *requests = malloc((all + 1) * sizeof(*requests));
    unsigned *of = malloc((all + 1) * sizeof(*of));
    bool good = requests && of;
    if (good) {
        for (size_t i = 0; i < receive_count; ++i)
            at += begin(requests + at, of + at, &receives[i], false);
        for (size_t i = 0; i < send_count; ++i)
            at += begin(requests + at, of + at, &sends[i], true);
        good = wait_for(requests, of, at, bad);
    } else {
        *bad = ranks.public.rank;
    }
    free(requests);
    free(of);
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
    bool good = exchange(messages, others, receives, others, bad);
    free(messages);
    return good;
}

/* At the end of the process: with the others, or, when one of them is gone, by ending them all. */
static void end(void)
{
    int over = 0;
    atomic_store(&ranks.ends, true);
    pthread_join(ranks.thread, NULL);
    MPI_Finalized(&over);
    if (ranks.broken && !over)
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    if (!over)
        MPI_Finalize();
}

static const char *start(void)
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
    MPI_Comm_dup(MPI_COMM_WORLD, &ranks.beats);
    MPI_Comm_set_errhandler(ranks.data, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(ranks.beats, MPI_ERRORS_RETURN);
    ranks.public = (struct transport){ (unsigned)rank, (unsigned)count, gather, exchange };
    ranks.heard = calloc((size_t)count, sizeof(*ranks.heard));
    if (!ranks.heard)
        return "there is no memory for the list of ranks";
    for (int r = 0; r < count; ++r)
        atomic_store(&ranks.heard[r], now());
    if (pthread_create(&ranks.thread, NULL, beat, NULL) != 0)
        return "no thread can be started";
    atexit(end);
    return NULL;
}

static void start_once(void)
{
    ranks.problem = start();
}

__attribute__((visibility("default"))) const struct transport *poplar_transport(const char **problem);
const struct transport *poplar_transport(const char **problem)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, start_once);
    *problem = ranks.problem;
    return ranks.problem ? NULL : &ranks.public;
}
