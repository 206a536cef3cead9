/* SPDX-License-Identifier: Apache-2.0 */
/* What the engine asks of processes that share the replicas of a program, and the plug-in that gives it over MPI:
 * libpoplar_mpi.so, which the engine loads when the program was started by mpirun.  Bytes are moved here; what they
 * mean the engine knows alone. */
#ifndef ENGINE_TRANSPORT_H
#define ENGINE_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes to or from a rank; messages between two ranks arrive in the order in which they were sent. */
struct transport_message {
    unsigned rank;
    void *data;
    size_t bytes;
};

/* Messages on their way. */
struct transfer;

/* Calls but stop_run are made by one thread at a time, in the same order by all ranks.  Those with `bad` return false
 * when a rank has ended or has not answered for seconds; *bad is its number. */
struct transport {
    unsigned rank, count;
    /* Each rank's bytes, in the order of ranks: all holds count * bytes. */
    bool (*gather)(const void *own, size_t bytes, void *all, unsigned *bad);
    /* Until finish, which frees it, what is sent may not change and what is received may not be used. */
    struct transfer *(*start)(const struct transport_message *sends, size_t send_count,
                              const struct transport_message *receives, size_t receive_count);
    bool (*finish)(struct transfer *transfer, unsigned *bad);
    /* Around what ranks run together.  In between, stop_run of one of them, which any thread may call, makes all others
     * call their `stop`, from another thread. */
    void (*run_begins)(void (*stop)(void *context), void *context);
    void (*run_ends)(void);
    void (*stop_run)(void);
};

/* The symbol of the plug-in: the ranks of this process, or NULL and a text when MPI cannot be used. */
typedef const struct transport *(*transport_open)(const char **problem);
#define TRANSPORT_SYMBOL "poplar_transport"

#endif
