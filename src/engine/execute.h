/* SPDX-License-Identifier: Apache-2.0 */
/* Executing a compute set, and the failure of a vertex. */
#ifndef ENGINE_EXECUTE_H
#define ENGINE_EXECUTE_H

#include "engine/external.h"
#include "engine/state.h"

/* The failure of a vertex, passed from a chunk to the run. */
struct vertex_failure {
    uint64_t vertex; /* index in its set */
    const char *type;
    char message[512];
    char file[128];
    int line;
};
struct execute_frame {
    struct codelet_call call; /* first member: fail() receives a pointer to it */
    jmp_buf jump;
    struct vertex_failure *failure;
    struct behave_thread behave;
    struct external_call external; /* of vertices in assembly */
};

/* Writes what a vertex did that called pthread_exit. */
void execute_name_exit(struct vertex_failure *failure);
/* What the random numbers of the vertices of the set that runs begin from: the replica and the number of sets that it
 * has executed, so that runs repeat. */
uint64_t execute_seed(const struct replica *replica);
/* codelet_call.tile: call is the first member of an execute_frame. */
unsigned execute_tile(struct codelet_call *call);
void execute_on_fail(struct codelet_call *call, const char *message, const char *file, int line);
uint32_t execute_report(struct engine_run *run, const struct image_set *set, const struct vertex_failure *failure);
/* Executes a set in this process; false when the run has failed. */
bool execute_set(struct engine_run *run, const struct image_set *set, bool *consensus);
/* Fails a run that was stopped during a set. */
void execute_abandoned(struct engine_run *run, const struct image_set *set);

#endif
