/* SPDX-License-Identifier: Apache-2.0 */
/* Processes that share the replicas of a program: which of them this one has, and what all of them do together. */
#ifndef ENGINE_RANKS_H
#define ENGINE_RANKS_H

#include "engine/state.h"

/* Finds which replicas the engine runs: all; those of this rank, where the program runs under mpirun; or those of the
 * options target.firstRuntimeReplica and numberRuntimeReplica.  graph_replication_error, invalid_option, runtime_error.
 */
pop_status ranks_begin(pop_engine *engine, const char *api, pop_error *error);
/* At the end of a load, whose status this is: whether all ranks loaded the same program. */
pop_status ranks_agree(pop_engine *engine, pop_status status, const char *api, pop_error *error);
/* Whether replicas of other processes are at the same place as this one's: all at a meeting op (true), or all at the
 * end (*ended); false and the run's error otherwise. */
bool ranks_meet(pop_engine *engine, struct engine_run *whole, bool *ended);
/* A run that this process cannot begin: those of the others fail where they first come together. */
void ranks_refuse(pop_engine *engine, pop_status status, const char *api, pop_error *error);
/* Around a run.  In between one that is stopped in one process is stopped in all: ranks_stop says so to the others. */
void ranks_run_begins(pop_engine *engine);
void ranks_run_ends(pop_engine *engine);
void ranks_stop(pop_engine *engine);
/* What senders in other processes have for this one's replicas, each receiver's parts one after another, comes into
 * incoming (to be freed; NULL: the run has failed); what senders have here, packed in their temporaries, goes to
 * others.  Finish waits for both: false when the run has failed. */
struct ranks_exchange {
    unsigned char *incoming;
    struct transfer *transfer;
};
struct ranks_exchange ranks_exchange_start(struct engine_run *run, const uint32_t *senders, uint64_t parts,
                                           const struct image_copy *copies);
bool ranks_exchange_finish(struct engine_run *run, struct ranks_exchange *exchange);
/* Bytes of the first replica of each rank (to be freed); false when the run has failed. */
bool ranks_gather_first(struct engine_run *run, const unsigned char *own, size_t bytes, unsigned char **all);
unsigned ranks_count(const pop_engine *engine);
uint32_t ranks_first(const pop_engine *engine, unsigned rank); /* its first replica */
void ranks_end(pop_engine *engine);
/* Each replica's bytes, of which this process has those of its own, from all. */
pop_status ranks_gather(const pop_engine *engine, unsigned char *data, size_t bytes, const char *api, pop_error *error);

static inline bool replica_is_local(const pop_engine *engine, unsigned replica)
{
    return replica - engine->first_local < engine->local_count;
}

#endif
