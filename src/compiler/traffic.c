/* SPDX-License-Identifier: Apache-2.0 */
#include "compiler/traffic.h"

#include "base/log.h"
#include "target/cost.h"

void load_init(struct load *load, unsigned tiles)
{
    *load = (struct load){ .sent = mem_zero(tiles, sizeof(*load->sent)), .received = mem_zero(tiles, sizeof(*load->received)),
                           .moved = mem_zero(tiles, sizeof(*load->moved)) };
}

void load_free(struct load *load)
{
    free(load->sent);
    free(load->received);
    free(load->moved);
    vec_free(&load->touched);
}

static int tile_order(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

static void trace_load(const struct load *load, const pop_target *target, struct step step)
{
    qsort(load->touched.data, load->touched.count, sizeof(*load->touched.data), tile_order);
    for (size_t i = 0; i < load->touched.count; ++i) {
        uint32_t tile = load->touched.data[i];
        if (i && tile == load->touched.data[i - 1])
            continue;
        unsigned long long sent = load->sent[tile], received = load->received[tile], moved = load->moved[tile];
        if (sent || received)
            LOG(COMPILER, TRACE, "exchange %s '%s': tile %u sends %llu bytes, receives %llu bytes, %llu cycles", step.what, step.name, tile, sent,
                received, (unsigned long long)cost_exchange(target, sent, received));
        if (moved)
            LOG(COMPILER, TRACE, "rearrangement %s '%s': tile %u moves %llu bytes, %llu cycles", step.what, step.name, tile, moved,
                (unsigned long long)cost_memcpy(target, moved));
    }
}

struct image_cost load_finish(struct load *load, const pop_target *target, struct step step)
{
    struct image_cost cost = { 0 };
    if (load->touched.count && log_on(LOG_COMPILER, LOG_TRACE))
        trace_load(load, target, step);
    for (size_t i = 0; i < load->touched.count; ++i) {
        uint32_t tile = load->touched.data[i];
        uint64_t exchange = cost_exchange(target, load->sent[tile], load->received[tile]), compute = cost_memcpy(target, load->moved[tile]);
        cost.exchange = exchange > cost.exchange ? exchange : cost.exchange;
        cost.compute = compute > cost.compute ? compute : cost.compute;
        load->sent[tile] = load->received[tile] = load->moved[tile] = 0;
    }
    load->touched.count = 0;
    cost.sync = cost.exchange ? cost_sync_all(target) : 0;
    return cost;
}
