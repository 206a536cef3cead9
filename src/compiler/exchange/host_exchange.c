/* SPDX-License-Identifier: Apache-2.0 */
#include "compiler/exchange/host_exchange.h"
#include "graph/view/view.h"

#include "base/log.h"

/* Instructions of a tile's code for one stream copy: the syncs around it and the return, then header, address and send
 * or receive of each packet (inferred; docs/reference/ipu-model.md, 3.1 has totals of whole programs only). */
enum { CODE_COPY = 4, CODE_PACKET = 3 };

void host_exchange_init(struct host_exchange *host, struct compiler *c, struct owners *owners)
{
    const pop_target *target = &c->store->target;
    *host = (struct host_exchange){ .c = c,
                                    .owners = owners,
                                    .tiles = mem_zero(pop_target_num_tiles(target), sizeof(*host->tiles)),
                                    .ipu_bytes = mem_zero(target->num_ipus, sizeof(*host->ipu_bytes)),
                                    .ipu_packets = mem_zero(target->num_ipus, sizeof(*host->ipu_packets)) };
    marks_init(&host->arranged, &c->bits, c->store);
}

void host_exchange_free(struct host_exchange *host)
{
    free(host->tiles);
    free(host->ipu_bytes);
    free(host->ipu_packets);
    vec_free(&host->touched);
    vec_free(&host->made);
    marks_free(&host->arranged);
}

static int tile_order(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

/* Every tile that takes part is busy for as long as its IPU's whole copy takes (docs/reference/ipu-model.md, 2.5). */
static void end_exchange(struct host_exchange *host)
{
    const pop_target *target = &host->c->store->target;
    uint32_t number = tables_exchange(host->c, EXCHANGES_HOST, host->name);
    struct model_exchange *exchange = host->c->image->model.host_exchanges.data + number;
    *vec_push(&host->made) = number;
    exchange->from_host = host->from_host;
    exchange->to_host = host->to_host;
    host->from_host = host->to_host = 0;
    if (host->touched.count)
        qsort(host->touched.data, host->touched.count, sizeof(*host->touched.data), tile_order);
    for (size_t i = 0; i < host->touched.count; ++i) {
        uint32_t tile = host->touched.data[i], ipu = tile / target->tiles_per_ipu;
        struct host_tile *part = &host->tiles[tile];
        uint64_t cycles = cost_host_exchange(target, host->ipu_bytes[ipu], host->ipu_packets[ipu]);
        uint32_t code = (CODE_COPY + CODE_PACKET * part->packets) * target->instruction_bytes;
        tables_flow(host->c, EXCHANGES_HOST,
                    (struct model_flow){ tile, 1, part->sent, part->received, cycles, code, part->packets });
        *part = (struct host_tile){ 0 };
    }
    if (log_on(LOG_COMPILER, LOG_TRACE))
        for (unsigned ipu = 0; ipu < target->num_ipus; ++ipu)
            LOG(COMPILER, TRACE, "host exchange '%s': %llu bytes in %llu packets on IPU %u, %llu cycles", host->name,
                (unsigned long long)host->ipu_bytes[ipu], (unsigned long long)host->ipu_packets[ipu], ipu,
                (unsigned long long)cost_host_exchange(target, host->ipu_bytes[ipu], host->ipu_packets[ipu]));
    host->touched.count = 0;
    memset(host->ipu_bytes, 0, target->num_ipus * sizeof(*host->ipu_bytes));
    memset(host->ipu_packets, 0, target->num_ipus * sizeof(*host->ipu_packets));
}

static struct host_tile *touch(struct host_exchange *host, uint32_t tile)
{
    struct host_tile *at = &host->tiles[tile];
    if (!at->packets)
        *vec_push(&host->touched) = tile;
    return at;
}

static void add_piece(struct host_exchange *host, uint32_t tile, uint64_t bytes, uint64_t packets, bool to_host)
{
    uint32_t ipu = tile / host->c->store->target.tiles_per_ipu;
    struct host_tile *at = touch(host, tile);
    *(to_host ? &at->sent : &at->received) += bytes;
    if (!host->remote)
        *(to_host ? &host->to_host : &host->from_host) += packets;
    at->packets += (uint32_t)packets;
    host->ipu_bytes[ipu] += bytes;
    host->ipu_packets[ipu] += packets;
}

struct host_walk {
    struct host_exchange *host;
    uint64_t element_bytes;
    bool to_host, arranged;
};

/* Packets of the bytes that follow those that the tile has of the part already. */
static uint64_t packets_more(struct host_exchange *host, uint32_t tile, uint64_t bytes)
{
    struct host_tile *at = &host->tiles[tile];
    uint64_t before = at->part == host->part ? at->piece : 0;
    at->part = host->part;
    at->piece = before + bytes;
    return cost_host_packets(before + bytes) - cost_host_packets(before);
}

/* A piece that would exceed the limit is split; the rest is part of the next exchange. */
static bool add_run(const struct run *run, void *context)
{
    struct host_walk *walk = context;
    struct host_exchange *host = walk->host;
    uint64_t max = COST_STREAM_MAX / walk->element_bytes;
    for (struct run left = *run; left.count;) {
        uint64_t stop, count;
        uint32_t tile = owners_find(host->owners, left.variable, left.offset, &stop);
        tile = tile == HOME_EVERYWHERE ? 0 : tile;
        uint64_t fits = max - host->ipu_bytes[tile / host->c->store->target.tiles_per_ipu] / walk->element_bytes;
        if (!fits) {
            end_exchange(host);
            continue;
        }
        count = stop - left.offset < left.count ? stop - left.offset : left.count;
        count = count < fits ? count : fits;
        uint64_t bytes = count * walk->element_bytes,
                 packets = walk->arranged ? packets_more(host, tile, bytes) : cost_host_packets(bytes);
        add_piece(host, tile, bytes, packets, walk->to_host);
        left.offset += count;
        left.count -= count;
    }
    return true;
}

void host_exchange_add(struct host_exchange *host, const struct view *view, bool to_host)
{
    struct host_walk walk = { host, pop_type_size((pop_type)view->type), to_host, false };
    view_each_run(view, add_run, &walk);
}

static bool mark_run(const struct run *run, void *context)
{
    marks_set(context, (struct variable_part){ run->variable, run->offset, run->offset + run->count });
    return true;
}

/* Tiles that have elements between those of the view: their pieces end there. */
static void skip_elements(struct host_exchange *host, struct variable_part gap)
{
    const struct tile_map *map = &host->c->store->variables.data[gap.variable].map;
    size_t low = 0, high = map->ranges.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (map->ranges.data[middle].end <= gap.begin)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < map->ranges.count && map->ranges.data[low].begin < gap.end; ++low)
        host->tiles[map->ranges.data[low].tile].part = 0;
}

void host_exchange_add_arranged(struct host_exchange *host, const struct view *view, bool to_host)
{
    struct marks *marks = &host->arranged;
    struct host_walk walk = { host, pop_type_size((pop_type)view->type), to_host, true };
    view_each_run(view, mark_run, marks);
    for (size_t i = 0; i < marks->variables.count; ++i) {
        struct variable_part left = marks->spans[marks->variables.data[i]];
        const uint64_t *bits = marks_bits(marks, left.variable);
        ++host->part;
        for (uint64_t stop; left.begin < left.end; left.begin = stop) {
            stop = bits_run(bits, left.begin, left.end);
            if (bits_any(bits, left.begin, left.begin + 1))
                add_run(&(struct run){ left.variable, left.begin, stop - left.begin }, &walk);
            else
                skip_elements(host, (struct variable_part){ left.variable, left.begin, stop });
        }
    }
    marks_clear(marks);
}

uint64_t host_exchange_share(const pop_target *target, uint64_t bytes)
{
    uint64_t tiles = pop_target_num_tiles(target), share = align_up((bytes + tiles - 1) / tiles, 8);
    return share > COST_HOST_PACKET ? share : COST_HOST_PACKET;
}

void host_exchange_add_shares(struct host_exchange *host, uint64_t bytes, bool to_host)
{
    const pop_target *target = &host->c->store->target;
    uint64_t share = host_exchange_share(target, bytes);
    for (uint32_t tile = 0; bytes; ++tile) {
        uint64_t count = bytes < share ? bytes : share;
        if (host->ipu_bytes[tile / target->tiles_per_ipu] + count > COST_STREAM_MAX && host->touched.count)
            end_exchange(host);
        add_piece(host, tile, count, cost_host_packets(count), to_host);
        bytes -= count;
    }
}

void host_exchange_grain(struct host_exchange *host, uint32_t tile, uint64_t bytes, bool first)
{
    uint32_t ipu = tile / host->c->store->target.tiles_per_ipu;
    if (first && host->ipu_bytes[ipu] + host->c->store->target.host_grain_bytes > COST_STREAM_MAX)
        end_exchange(host);
    add_piece(host, tile, bytes, first ? cost_host_packets(host->c->store->target.host_grain_bytes) : 0, false);
}

void host_exchange_word(struct host_exchange *host, uint32_t tile, uint64_t bytes, uint32_t packets)
{
    add_piece(host, tile, bytes, packets, false);
}

void host_exchange_to_host(struct host_exchange *host, uint32_t tile, uint64_t bytes)
{
    add_piece(host, tile, bytes, cost_host_packets(bytes), true);
}

void host_exchange_begin(struct host_exchange *host, const char *name)
{
    host->name = name;
    host->made.count = 0;
}

void host_exchange_end(struct host_exchange *host)
{
    end_exchange(host);
}
