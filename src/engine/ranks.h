/* SPDX-License-Identifier: Apache-2.0 */
/* Processes that share the replicas of a program: which replicas this process has, and the operations that all ranks do
 * together. */
#ifndef ENGINE_RANKS_H
#define ENGINE_RANKS_H

#include "engine/state.h"

/* Finds which replicas the engine runs: all; those of this rank, where the program runs under mpirun; or those of the
 * options target.firstRuntimeReplica and numberRuntimeReplica.  graph_replication_error, invalid_option, runtime_error.
 */
pop_status ranks_begin(pop_engine *engine, const char *api, pop_error *error);
/* At the end of a load with this status: checks that all ranks loaded the same program. */
pop_status ranks_agree(pop_engine *engine, pop_status status, const char *api, pop_error *error);
/* Barrier: true when the replicas of all processes are at the same op, or all at the end (*ended); otherwise false with
 * the run's error. */
bool ranks_meet(pop_engine *engine, struct engine_run *whole, bool *ended);
/* Announces a run that this process cannot begin: the other ranks' runs fail at their first barrier. */
void ranks_refuse(pop_engine *engine, pop_status status, const char *api, pop_error *error);
/* Around a run. In between, stopping it in one process stops it in all: ranks_stop notifies the others. */
void ranks_run_begins(pop_engine *engine);
void ranks_run_ends(pop_engine *engine);
void ranks_stop(pop_engine *engine);
/* A cross-replica copy between processes. Data for this process's replicas is received into incoming, by receiver, then
 * by part (the caller frees it; NULL: the run has failed); data of local senders, packed in their temporaries, is sent.
 * Finish waits for both: false when the run has failed. */
struct ranks_exchange {
    unsigned char *incoming;
    struct transfer *transfer;
};
struct ranks_exchange ranks_exchange_start(struct engine_run *run, const uint32_t *senders, uint64_t parts,
                                           const struct image_copy *copies);
bool ranks_exchange_finish(struct engine_run *run, struct ranks_exchange *exchange);
/* Gathers the bytes of the first replica of each rank (the caller frees them); false when the run has failed. */
bool ranks_gather_first(struct engine_run *run, const unsigned char *own, size_t bytes, unsigned char **all);
unsigned ranks_count(const pop_engine *engine);
uint32_t ranks_first(const pop_engine *engine, unsigned rank); /* its first replica */
void ranks_end(pop_engine *engine);
/* Gathers each replica's bytes from all processes; data already has those of local replicas. */
pop_status ranks_gather(const pop_engine *engine, unsigned char *data, size_t bytes, const char *api, pop_error *error);

static inline bool replica_is_local(const pop_engine *engine, unsigned replica)
{
    return replica - engine->first_local < engine->local_count;
}

#endif
