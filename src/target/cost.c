/* SPDX-License-Identifier: Apache-2.0 */
#include "target/cost.h"

#include "base/mem.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct cost_tile cost_tile_start(const pop_target *target)
{
    assert(target->num_worker_contexts >= 1 && target->num_worker_contexts <= COST_MAX_WORKERS);
    return (struct cost_tile){ .workers = target->num_worker_contexts };
}

void cost_tile_worker(struct cost_tile *tile, uint64_t estimate)
{
    assert(tile->workers && tile->workers <= COST_MAX_WORKERS);
    unsigned min = 0;
    for (unsigned w = 1; w < tile->workers; ++w)
        if (tile->context[w] < tile->context[min])
            min = w;
    tile->context[min] += estimate;
    tile->active += estimate;
}

void cost_tile_supervisor(struct cost_tile *tile, uint64_t estimate)
{
    tile->supervisor += estimate;
    tile->active += estimate;
}

uint64_t cost_tile_cycles(const struct cost_tile *tile)
{
    uint64_t longest = 0;
    for (unsigned w = 0; w < tile->workers; ++w)
        if (tile->context[w] > longest)
            longest = tile->context[w];
    return longest * tile->workers + tile->supervisor;
}

uint64_t cost_compute(const pop_target *target, const uint64_t *workers, size_t count, uint64_t supervisors)
{
    struct cost_tile tile = cost_tile_start(target);
    for (size_t i = 0; i < count; ++i)
        cost_tile_worker(&tile, workers[i]);
    cost_tile_supervisor(&tile, supervisors);
    return cost_tile_cycles(&tile);
}

unsigned cost_sync_arrive(const pop_target *target, unsigned tile)
{
    /* Equal halves are inferred: the guide's listing fits 59 + 59 and 39 + 39 [2.2]. */
    return pop_target_sync_delay(target, tile) / 2;
}

unsigned cost_sync_resume(const pop_target *target, unsigned tile)
{
    return pop_target_sync_delay(target, tile) - cost_sync_arrive(target, tile);
}

uint64_t cost_sync_all(const pop_target *target)
{
    /* The delay grows with the tile's number (target.c), so the last tile is the farthest. */
    return pop_target_sync_delay(target, target->tiles_per_ipu - 1);
}

/* The published rule of Poplibs' tests: 15 ns for each hop in each direction, over half of the cards.  The
 * target's figure is for one hop. */
#define HOP_SECONDS 15e-9

unsigned cost_sync_hops(unsigned ipus)
{
    return 1 + ipus / 2 / 2;
}

/* Latency of a signal, or of the first bytes, over a number of gateways. */
static double gateway_cycles(const pop_target *target, unsigned gateways)
{
    return gateways * 1e-9 * target->gateway_latency * target->tile_clock_frequency;
}

uint64_t cost_sync_global(const pop_target *target, unsigned ipus)
{
    if (ipus < 2)
        return cost_sync_all(target);
    double further =
        2 * HOP_SECONDS * target->tile_clock_frequency * (cost_sync_hops(exchange_linked(target, ipus)) - 1) +
        2 * gateway_cycles(target, exchange_farthest_gateways(target, ipus));
    return target->global_sync_cycles ? target->global_sync_cycles + (uint64_t)ceil(further - 1e-6) : 0;
}

uint64_t pop_target_sync_cycles(const pop_target *target, unsigned ipus)
{
    return target ? cost_sync_global(target, ipus) : 0;
}

uint64_t cost_global_exchange(const pop_target *target, const struct exchange_load *flows, size_t count)
{
    size_t limits = pop_target_num_global_exchange_constraints(target);
    uint64_t *loads = mem_zero(limits, sizeof(*loads));
    double longest = 0;
    unsigned gateways = 0;
    exchange_loads(target, flows, count, loads);
    for (size_t i = 0; i < limits; ++i) {
        double seconds = (double)loads[i] * 8 / pop_target_global_exchange_bandwidth(target, i);
        longest = seconds > longest ? seconds : longest;
    }
    free(loads);
    for (size_t i = 0; i < count; ++i) {
        unsigned passed = flows[i].bytes ? exchange_gateways(target, flows[i].source, flows[i].destination) : 0;
        gateways = passed > gateways ? passed : gateways;
    }
    return (uint64_t)ceil(longest * target->tile_clock_frequency + gateway_cycles(target, gateways));
}

/* Inferred from four published figures of ipu1: 4 + ceil((bytes + 8 x packets) / 5) [2.5].  The published rate of later
 * chips is the one that tutorial 6 achieved, including headers, so headers take no extra cycles there. */
enum { HOST_SETUP = 4, HOST_HEADER_IPU1 = 8 };

uint64_t cost_host_exchange(const pop_target *target, uint64_t bytes, uint64_t packets)
{
    if (!bytes && !packets)
        return 0;
    uint64_t load = bytes + packets * (strcmp(target->arch, "ipu1") == 0 ? HOST_HEADER_IPU1 : 0);
    uint64_t rate = target->host_bytes_per_kilocycle;
    /* ceil(load * 1000 / rate) without overflow: whole multiples of the rate first. */
    uint64_t rest = load % rate * 1000;
    return HOST_SETUP + load / rate * 1000 + rest / rate + (rest % rate != 0);
}

uint64_t cost_host_packets(uint64_t bytes)
{
    return bytes / COST_HOST_PACKET + (bytes % COST_HOST_PACKET != 0);
}

uint64_t cost_memcpy(const pop_target *target, uint64_t bytes)
{
    uint64_t width = target->memcpy_bytes_per_cycle;
    return bytes / width + (bytes % width != 0);
}
