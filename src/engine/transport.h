/* SPDX-License-Identifier: Apache-2.0 */
/* The interface for communication between processes that share the replicas of a program, and the plug-in that
 * implements it over MPI: libpoplar_mpi.so, which the engine loads when the program was started by mpirun. It
 * transports bytes without interpreting them. */
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

/* Messages in flight. */
struct transfer;

/* All calls but stop_run are made by one thread at a time, in the same order by all ranks. Those with `bad` return
 * false when a rank has ended or has sent no heartbeat for seconds; *bad is its number. */
struct transport {
    unsigned rank, count;
    /* All-gather in rank order: all has count * bytes bytes. */
    bool (*gather)(const void *own, size_t bytes, void *all, unsigned *bad);
    /* Starts non-blocking messages. Until finish, which frees the transfer, send buffers must not change and receive
     * buffers must not be read. */
    struct transfer *(*start)(const struct transport_message *sends, size_t send_count,
                              const struct transport_message *receives, size_t receive_count);
    bool (*finish)(struct transfer *transfer, unsigned *bad);
    /* Around a run of all ranks. In between, stop_run, which any thread may call, makes all other ranks call their
     * `stop`, from another thread. */
    void (*run_begins)(void (*stop)(void *context), void *context);
    void (*run_ends)(void);
    void (*stop_run)(void);
};

/* The plug-in's symbol: returns the transport, or NULL with a text when MPI cannot be used. */
typedef const struct transport *(*transport_open)(const char **problem);
#define TRANSPORT_SYMBOL "poplar_transport"

#endif
