/* SPDX-License-Identifier: Apache-2.0 */
/* Running contexts, step by step. */
#ifndef TILE_WORKERS_H
#define TILE_WORKERS_H

#include "tile/machine.h"

struct tile_context;
struct tile_op;
struct tile_step;
/* The step at an address; NULL when there is no code. */
const struct tile_step *tile_step_at(const struct tile *tile, uint32_t address);
/* Starts a worker: it runs when the supervisor waits. */
void tile_start_worker(struct tile *tile, unsigned worker, uint32_t entry, uint32_t vertex);
/* Runs the workers that were started to their ends. */
void tile_finish_workers(struct tile *tile);
/* Runs supervisor code from an entry until it returns. */
void tile_supervise(struct tile *tile, uint32_t entry);

#endif
