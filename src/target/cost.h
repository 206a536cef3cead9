/* SPDX-License-Identifier: Apache-2.0 */
/* The cost model as pure functions, the only source of cycle counts.  Sources in brackets are sections of
 * docs/reference/ipu-model.md. */
#ifndef TARGET_COST_H
#define TARGET_COST_H

#include "target/exchange.h"

enum { COST_MAX_WORKERS = 64 }; /* pop_target_check allows no more */

/* One tile in one compute set [2.1]: worker vertices are assigned, in the given order, to the context that is free
 * first; a worker issues one instruction in num_worker_contexts cycles, even if it runs alone; supervisor vertices and
 * MultiVertices run one after another, and their estimates are in tile cycles. */
struct cost_tile {
    unsigned workers;
    uint64_t supervisor;
    uint64_t active; /* cycles in which a vertex runs: the profile's activeCyclesByTile */
    uint64_t context[COST_MAX_WORKERS];
};
struct cost_tile cost_tile_start(const pop_target *target);
void cost_tile_worker(struct cost_tile *tile, uint64_t estimate);
void cost_tile_supervisor(struct cost_tile *tile, uint64_t estimate);
uint64_t cost_tile_cycles(const struct cost_tile *tile);

/* The cycles of a compute set on a tile, from a list of worker estimates and the sum of the supervisors' ones. */
uint64_t cost_compute(const pop_target *target, const uint64_t *workers, size_t count, uint64_t supervisors);

/* A sync of all tiles of one IPU that arrive at once: release = max over tiles (arrival + delay / 2), a tile resumes
 * delay / 2 later [2.2].  The farthest tile's round trip, in cycles. */
uint64_t cost_sync_all(const pop_target *target);
/* A tile's one-way parts of the delay, which add up to it. */
unsigned cost_sync_arrive(const pop_target *target, unsigned tile);
unsigned cost_sync_resume(const pop_target *target, unsigned tile);
/* Hops of a sync of several IPUs, from the farthest one. */
unsigned cost_sync_hops(unsigned ipus);
/* Cycles of a sync of several IPUs, which grow with hops and with gateways between link domains; 0 if the target's
 * global syncs are free; for one IPU, cost_sync_all. */
uint64_t cost_sync_global(const pop_target *target, unsigned ipus);

/* Concurrent flows between IPUs [2.4]: the maximum time over all limits, plus the latency of the gateways of the
 * farthest flow. */
uint64_t cost_global_exchange(const pop_target *target, const struct exchange_load *flows, size_t count);

/* A tile's part of a copy to or from the host, with its number of packets [2.5]. */
uint64_t cost_host_exchange(const pop_target *target, uint64_t bytes, uint64_t packets);

/* Packets of a contiguous piece [2.5], and bytes that one stream copy may move on an IPU (the guide). */
enum {
    COST_HOST_PACKET = 512
}; /* payload of a packet; inferred: tutorial 7's rows of 800 bytes take two, the guide's 128 bytes one */
uint64_t cost_host_packets(uint64_t bytes);
#define COST_STREAM_MAX ((uint64_t)128 << 20)

/* Bytes copied within a tile by the supervisor's memcpy [1.1]. */
uint64_t cost_memcpy(const pop_target *target, uint64_t bytes);

#endif
