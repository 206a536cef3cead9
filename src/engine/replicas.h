/* SPDX-License-Identifier: Apache-2.0 */
/* Creating the replicas of a program, and running them together. */
#ifndef ENGINE_REPLICAS_H
#define ENGINE_REPLICAS_H

#include "engine/state.h"

struct capture;

void replicas_create(pop_engine *engine);
void replicas_destroy(pop_engine *engine);
/* Error for a replica number that is not less than count. */
pop_status engine_no_replica(unsigned count, unsigned replica, const char *api, pop_error *error);
/* Runs all replicas from their current ops until all have ended or one has failed; its status and error become the
 * run's. */
void replicas_run(struct engine_run *whole, struct capture *capture);
/* Describes the op at which a replica pauses. */
void replicas_place_text(const pop_engine *engine, uint32_t at, char *text, size_t size);

#endif
