/* SPDX-License-Identifier: Apache-2.0 */
#include "compiler/exchange/traffic.h"
#include "target/memory_cost.h"

#include "base/log.h"

#include <assert.h>

static void load_init(struct load *load, unsigned tiles)
{
    *load = (struct load){ .tiles = mem_zero(tiles, sizeof(*load->tiles)) };
}

static void load_free(struct load *load)
{
    free(load->tiles);
    vec_free(&load->touched);
}

void loads_init(struct traffic_loads *loads, const pop_target *target)
{
    *loads =
        (struct traffic_loads){ .target = target,
                                .between = mem_zero((size_t)target->num_ipus * target->num_ipus, sizeof(uint64_t)) };
    load_init(&loads->internal, pop_target_num_tiles(target));
    load_init(&loads->global, pop_target_num_tiles(target));
    loads->schedule = exchange_schedule_create(target);
    loads->sender_bits = mem_zero(pop_target_num_tiles(target), sizeof(*loads->sender_bits));
}

void loads_free(struct traffic_loads *loads)
{
    load_free(&loads->internal);
    load_free(&loads->global);
    free(loads->between);
    exchange_schedule_free(loads->schedule);
    for (unsigned tile = 0; tile < pop_target_num_tiles(loads->target); ++tile)
        free(loads->sender_bits[tile]);
    free(loads->sender_bits);
}

static struct tile_load *touch(struct load *load, uint32_t tile)
{
    assert(!load->touched.count || load->tiles[load->touched.data[0]].touched);
    struct tile_load *at = &load->tiles[tile];
    if (!at->touched) {
        at->touched = true;
        *vec_push(&load->touched) = tile;
    }
    return at;
}

static bool between_ipus(const struct traffic_loads *loads, uint32_t a, uint32_t b)
{
    return loads->target->num_ipus > 1 && a / loads->target->tiles_per_ipu != b / loads->target->tiles_per_ipu;
}

void loads_buffer(struct traffic_loads *loads, uint32_t tile)
{
    exchange_schedule_row(loads->schedule, tile);
}

void loads_send(struct traffic_loads *loads, uint32_t from, uint32_t to, uint64_t bytes)
{
    assert(bytes && from < pop_target_num_tiles(loads->target) && to < pop_target_num_tiles(loads->target));
    bool global = between_ipus(loads, from, to);
    struct tile_load *tile = touch(global ? &loads->global : &loads->internal, from);
    tile->sent += bytes;
    ++tile->sends;
}

static size_t sender_words(const struct traffic_loads *loads)
{
    return loads->target->tiles_per_ipu / 64 + 1;
}

/* Counts each pair of tiles of an IPU that communicate once. */
static void note_sender(struct traffic_loads *loads, uint32_t from, uint32_t to)
{
    assert(from / loads->target->tiles_per_ipu == to / loads->target->tiles_per_ipu);
    uint32_t at = from % loads->target->tiles_per_ipu;
    uint64_t bit = (uint64_t)1 << at % 64;
    if (!loads->sender_bits[to])
        loads->sender_bits[to] = mem_zero(sender_words(loads), sizeof(uint64_t));
    if (from == to || loads->sender_bits[to][at / 64] & bit)
        return;
    loads->sender_bits[to][at / 64] |= bit;
    ++touch(&loads->internal, to)->senders;
    ++touch(&loads->internal, from)->receivers;
}

/* Whether it is a message between two tiles of an IPU: what a tile sends to itself it takes in while it sends it to
 * others. */
static bool receive(struct traffic_loads *loads, uint32_t from, uint32_t to, uint64_t bytes)
{
    assert(bytes && from < pop_target_num_tiles(loads->target) && to < pop_target_num_tiles(loads->target));
    bool global = between_ipus(loads, from, to);
    struct tile_load *tile = touch(global ? &loads->global : &loads->internal, to);
    tile->received += bytes;
    ++tile->receives;
    if (global) {
        unsigned ipus = loads->target->num_ipus, per_ipu = loads->target->tiles_per_ipu;
        loads->between[from / per_ipu * ipus + to / per_ipu] += bytes;
        return false;
    }
    note_sender(loads, from, to);
    return from != to;
}

void loads_receive(struct traffic_loads *loads, uint32_t from, uint32_t to, uint64_t bytes, uint64_t what)
{
    if (receive(loads, from, to, bytes))
        exchange_schedule_message(loads->schedule, from, to, bytes, what);
}

void loads_continue(struct traffic_loads *loads, uint32_t tile)
{
    struct tile_load *load = &loads->internal.tiles[tile];
    load->continues += load->continues < load->receives;
}

void loads_receive_part(struct traffic_loads *loads, uint32_t from, uint32_t to, uint64_t bytes, uint64_t what,
                        uint64_t address)
{
    if (receive(loads, from, to, bytes))
        exchange_schedule_piece(loads->schedule, from, to, bytes, what, address);
}

static int tile_order(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

static struct exchange_tile exchange_tile(const struct traffic_loads *loads, uint32_t tile)
{
    const struct tile_load *load = &loads->internal.tiles[tile];
    return (struct exchange_tile){ .tile = tile % loads->target->tiles_per_ipu,
                                   .sent = load->sent,
                                   .received = load->received,
                                   .sends = load->sends,
                                   .receives = load->receives,
                                   .continues = load->continues,
                                   .senders = load->senders,
                                   .receivers = load->receivers,
                                   .follows = exchange_schedule_follows(loads->schedule, tile),
                                   .end = exchange_schedule_end(loads->schedule, tile) };
}

/* Adds a tile's code to the exchange's; its bytes. */
static uint32_t add_code(struct exchange_draft *draft, const struct exchange_code *code, unsigned bytes)
{
    const struct {
        enum model_instruction instruction;
        uint32_t count;
    } parts[] = {
        { MODEL_DELAY_INSTRUCTION, code->delay },
        { MODEL_EXCHANGE_INSTRUCTION, code->exchange },
        { MODEL_RECEIVE_ADDRESS_INSTRUCTION, code->receive_address },
        { MODEL_RECEIVE_MUX_INSTRUCTION, code->receive_mux },
        { MODEL_SEND_INSTRUCTION, code->send },
    };
    uint32_t count = 0;
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); ++i) {
        draft->instructions[parts[i].instruction] += (uint64_t)parts[i].count * bytes;
        count += parts[i].count;
    }
    return count * bytes;
}

static void draft_internal(struct traffic_loads *loads, struct exchange_draft *draft)
{
    const struct load *load = &loads->internal;
    exchange_schedule_finish(loads->schedule);
    vec_reserve(&draft->flows, load->touched.count);
    for (size_t i = 0; i < load->touched.count; ++i) {
        uint32_t tile = load->touched.data[i];
        struct exchange_tile part = exchange_tile(loads, tile);
        struct exchange_code code = cost_exchange_code(loads->target, &part);
        uint64_t cycles = cost_exchange_cycles(loads->target, &part);
        uint32_t code_bytes = add_code(draft, &code, loads->target->instruction_bytes);
        *vec_push(&draft->flows) = (struct model_flow){ tile, 1, part.sent, part.received, cycles, code_bytes, 0 };
    }
    exchange_schedule_clear(loads->schedule);
    for (size_t i = 0; i < load->touched.count; ++i)
        if (loads->sender_bits[load->touched.data[i]])
            memset(loads->sender_bits[load->touched.data[i]], 0, sender_words(loads) * sizeof(uint64_t));
}

/* All flows between IPUs are concurrent: the tiles that take part wait for the slowest limit. */
static uint64_t global_cycles(const struct traffic_loads *loads)
{
    unsigned ipus = loads->target->num_ipus;
    VEC(struct exchange_load) flows = { 0 };
    for (unsigned from = 0; from < ipus; ++from)
        for (unsigned to = 0; to < ipus; ++to)
            if (loads->between[from * ipus + to])
                *vec_push(&flows) = (struct exchange_load){ .source = from,
                                                            .destination = to,
                                                            .bytes = loads->between[from * ipus + to] };
    uint64_t cycles = cost_global_exchange(loads->target, flows.data, flows.count);
    vec_free(&flows);
    return cycles;
}

static void draft_global(struct traffic_loads *loads, struct exchange_draft *draft)
{
    const struct load *load = &loads->global;
    uint64_t cycles = global_cycles(loads);
    vec_reserve(&draft->flows, load->touched.count);
    for (size_t i = 0; i < load->touched.count; ++i) {
        uint32_t tile = load->touched.data[i];
        const struct tile_load *part = &load->tiles[tile];
        uint32_t code = (uint32_t)memory_external_code_bytes(loads->target, memory_global_packets(part->sent));
        *vec_push(&draft->flows) = (struct model_flow){ tile, 1, part->sent, part->received, cycles, code, 0 };
    }
    memset(loads->between, 0, (size_t)loads->target->num_ipus * loads->target->num_ipus * sizeof(*loads->between));
}

static void load_clear(struct load *load)
{
    for (size_t i = 0; i < load->touched.count; ++i)
        load->tiles[load->touched.data[i]] = (struct tile_load){ 0 };
    load->touched.count = 0;
}

static void sort_touched(struct load *load)
{
    if (load->touched.count)
        qsort(load->touched.data, load->touched.count, sizeof(*load->touched.data), tile_order);
}

void loads_draft(struct traffic_loads *loads, struct exchange_drafts *drafts)
{
    *drafts = (struct exchange_drafts){ 0 };
    sort_touched(&loads->internal);
    sort_touched(&loads->global);
    if (loads->internal.touched.count)
        draft_internal(loads, &drafts->internal);
    if (loads->global.touched.count)
        draft_global(loads, &drafts->global);
    load_clear(&loads->internal);
    load_clear(&loads->global);
}

void drafts_free(struct exchange_drafts *drafts)
{
    vec_free(&drafts->internal.flows);
    vec_free(&drafts->global.flows);
}

static uint32_t draft_add(const struct exchange_draft *draft, struct compiler *c, enum exchange_list list,
                          const char *name)
{
    bool trace = list == EXCHANGES_INTERNAL && log_on(LOG_COMPILER, LOG_TRACE);
    if (!draft->flows.count)
        return NONE;
    uint32_t index = tables_exchange(c, list, name);
    if (list == EXCHANGES_INTERNAL)
        memcpy(c->image->model.exchanges.data[index].instructions, draft->instructions, sizeof(draft->instructions));
    for (size_t i = 0; i < draft->flows.count; ++i) {
        const struct model_flow *flow = &draft->flows.data[i];
        tables_flow(c, list, *flow);
        if (trace)
            LOG(COMPILER, TRACE, "exchange '%s': tile %u sends %llu bytes, receives %llu bytes, %llu cycles", name,
                flow->tile, (unsigned long long)flow->sent, (unsigned long long)flow->received,
                (unsigned long long)flow->cycles);
    }
    return index;
}

struct exchange_pair drafts_add(const struct exchange_drafts *drafts, struct compiler *c, const char *internal,
                                const char *global)
{
    struct exchange_pair pair = { draft_add(&drafts->internal, c, EXCHANGES_INTERNAL, internal), NONE };
    pair.global = draft_add(&drafts->global, c, EXCHANGES_GLOBAL, global);
    return pair;
}

struct exchange_pair loads_finish(struct traffic_loads *loads, struct compiler *c, const char *internal,
                                  const char *global)
{
    struct exchange_drafts drafts;
    loads_draft(loads, &drafts);
    struct exchange_pair pair = drafts_add(&drafts, c, internal, global);
    drafts_free(&drafts);
    return pair;
}
