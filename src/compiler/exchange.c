/* SPDX-License-Identifier: Apache-2.0 */
/* exchange: what each step makes tiles send to each other and to the host, and the syncs that this takes.  A first version: a step
 * lasts as long as its busiest tile, and all tiles wait for it.
 *
 * Before a set runs, each tile receives once what its vertices read and do not have; after it, owners receive what others wrote.  A word is
 * sent once, however many tiles receive it.  In: order, compact tile maps, ops.  Out: exchange, host_exchange and sync of image->costs. */
#include "compiler/edges.h"
#include "compiler/runs.h"

#include "target/cost.h"

struct part {
    uint32_t variable;
    uint64_t begin, end;
};

/* Bytes by tile in one exchange. */
struct load {
    uint64_t *sent, *received;
    VEC(uint32_t) touched; /* tiles that have any, some more than once */
};

struct traffic {
    struct compiler *c;
    struct load before, after; /* a set: exchanges before and after it; copies use the first */
    size_t *cursor;            /* by variable: of its tile map */
    struct bitmaps delivered;  /* elements that the current tile has, or has received */
    VEC(struct part) delivered_parts, sent_parts; /* what to clear; sent ones stand in c->bits */
    uint32_t tile;             /* of the current vertex */
};

static uint64_t *bits_of(const struct traffic *t, struct bitmaps *maps, uint32_t variable)
{
    return bitmaps_get(maps, variable, t->c->store->variables.data[variable].elements);
}

static void load_init(struct load *load, unsigned tiles)
{
    *load = (struct load){ .sent = mem_zero(tiles, sizeof(*load->sent)), .received = mem_zero(tiles, sizeof(*load->received)) };
}

static void load_free(struct load *load)
{
    free(load->sent);
    free(load->received);
    vec_free(&load->touched);
}

static void load_add(struct load *load, uint64_t *by_tile, uint32_t tile, uint64_t bytes)
{
    if (!by_tile[tile])
        *vec_push(&load->touched) = tile;
    by_tile[tile] += bytes;
}

/* The busiest tile's cycles; the load is empty again. */
static uint64_t load_finish(struct load *load, const pop_target *target)
{
    uint64_t longest = 0;
    for (size_t i = 0; i < load->touched.count; ++i) {
        uint32_t tile = load->touched.data[i];
        uint64_t cycles = cost_exchange(target, load->sent[tile], load->received[tile]);
        longest = cycles > longest ? cycles : longest;
        load->sent[tile] = load->received[tile] = 0;
    }
    load->touched.count = 0;
    return longest;
}

/* Elements leave their tile: those that did not already. */
static void send(struct traffic *t, uint32_t from, const struct part *part)
{
    uint64_t fresh = bits_set(bits_of(t, &t->c->bits, part->variable), part->begin, part->end);
    if (!fresh)
        return;
    load_add(&t->before, t->before.sent, from, fresh * variable_element_bytes(t->c, part->variable));
    *vec_push(&t->sent_parts) = *part;
}

/* The front of what is left of a run, as far as it lies on one tile: takes it away and returns the tile. */
static uint32_t next_part(struct traffic *t, struct run *left, struct part *part)
{
    const struct tile_map *map = &t->c->store->variables.data[left->variable].map;
    uint32_t owner = tile_map_find(map, left->offset, &t->cursor[left->variable]);
    uint64_t stop = map->ranges.data[t->cursor[left->variable]].end, end = left->offset + left->count;
    *part = (struct part){ left->variable, left->offset, stop < end ? stop : end };
    left->offset = part->end;
    left->count = end - part->end;
    return owner;
}

/* The current tile gets what it does not hold of a run.  Many vertices of a tile read the same: a run that it has seen is not cut again. */
static bool fetch_run(const struct run *run, void *context)
{
    struct traffic *t = context;
    struct run left = *run;
    struct part part;
    if (t->c->store->variables.data[run->variable].follows_vertex)
        return true;
    uint32_t owner = next_part(t, &left, &part);
    if (owner == t->tile && !left.count)
        return true;
    uint64_t *delivered = bits_of(t, &t->delivered, run->variable);
    if (bits_all(delivered, run->offset, run->offset + run->count))
        return true;
    for (bool more = true; more;) {
        uint64_t fresh = bits_set(delivered, part.begin, part.end);
        if (fresh && owner != t->tile) {
            load_add(&t->before, t->before.received, t->tile, fresh * variable_element_bytes(t->c, part.variable));
            send(t, owner, &part);
        }
        more = left.count > 0;
        if (more)
            owner = next_part(t, &left, &part);
    }
    *vec_push(&t->delivered_parts) = (struct part){ run->variable, run->offset, run->offset + run->count };
    return true;
}

static bool return_run(const struct run *run, void *context)
{
    struct traffic *t = context;
    struct part part;
    for (struct run left = *run; left.count;) {
        uint32_t owner = next_part(t, &left, &part);
        uint64_t bytes = (part.end - part.begin) * variable_element_bytes(t->c, part.variable);
        if (owner == t->tile)
            continue;
        load_add(&t->after, t->after.received, owner, bytes);
        load_add(&t->after, t->after.sent, t->tile, bytes);
    }
    return true;
}

static void clear_parts(struct traffic *t, struct bitmaps *maps, const struct part *parts, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        bits_clear(bits_of(t, maps, parts[i].variable), parts[i].begin, parts[i].end);
}

static void clear_sent(struct traffic *t)
{
    clear_parts(t, &t->c->bits, t->sent_parts.data, t->sent_parts.count);
    t->sent_parts.count = 0;
}

static void vertex_traffic(struct traffic *t, uint32_t vertex)
{
    const pop_store *store = t->c->store;
    const struct vertex *v = &store->vertices.data[vertex];
    const struct codelet *codelet = vertex_codelet(t->c, v);
    for (uint32_t e = v->edge; e != NO_EDGE; e = store->edges.data[e].next) {
        const struct edge *edge = &store->edges.data[e];
        uint8_t direction = codelet->fields[edge->field].direction;
        if (direction == FIELD_INPUT || direction == FIELD_INOUT)
            edge_each_run(store, edge, fetch_run, t);
        if (direction == FIELD_OUTPUT || direction == FIELD_INOUT)
            edge_each_run(store, edge, return_run, t);
    }
}

/* An exchange takes a sync before it; a step that exchanges nothing takes none. */
static struct image_cost exchange_cost(struct traffic *t, struct load *load)
{
    uint64_t cycles = load_finish(load, &t->c->store->target);
    return (struct image_cost){ .exchange = cycles, .sync = cycles ? cost_sync_all(&t->c->store->target) : 0 };
}

static struct image_cost add_cost(struct image_cost a, struct image_cost b)
{
    return (struct image_cost){ a.compute + b.compute, a.exchange + b.exchange, a.host_exchange + b.host_exchange, a.sync + b.sync };
}

static struct image_cost set_cost(struct traffic *t, const struct used_set *set)
{
    struct tile_walk walk;
    tile_walk_begin(&walk, t->c, set);
    while (tile_walk_next(&walk)) {
        t->tile = walk.tile;
        for (uint32_t g = 0; g < set->groups; ++g)
            for (uint64_t i = walk.first[g]; i < walk.last[g]; ++i)
                vertex_traffic(t, t->c->order[i]);
        clear_parts(t, &t->delivered, t->delivered_parts.data, t->delivered_parts.count);
        t->delivered_parts.count = 0;
    }
    tile_walk_end(&walk);
    clear_sent(t);
    return add_cost(exchange_cost(t, &t->before), exchange_cost(t, &t->after));
}

/* The tile of a place, and how many elements of at most count follow it there. */
static uint32_t owner_at(struct traffic *t, const struct run *run, uint64_t *count)
{
    const struct variable *variable = &t->c->store->variables.data[run->variable];
    uint32_t owner = tile_map_find(&variable->map, run->offset, &t->cursor[run->variable]);
    uint64_t left = variable->map.ranges.data[t->cursor[run->variable]].end - run->offset;
    *count = left < *count ? left : *count;
    return owner;
}

/* Whether all of a view lies on one tile, because each of its variables does. */
static bool one_tile(const struct compiler *c, const struct view *view, uint32_t *tile)
{
    for (uint32_t i = 0; i < view->piece_count; ++i) {
        const struct tile_map *map = &c->store->variables.data[view->pieces[i].variable].map;
        if (map->ranges.count != 1 || (i && map->ranges.data[0].tile != *tile))
            return false;
        *tile = map->ranges.data[0].tile;
    }
    return true;
}

static struct image_cost copy_cost(struct traffic *t, const struct program_node *n)
{
    struct run_cursor from, to;
    uint32_t source_tile = NONE, destination_tile = NONE;
    if (one_tile(t->c, n->source, &source_tile) && one_tile(t->c, n->destination, &destination_tile) && source_tile == destination_tile)
        return (struct image_cost){ 0 };
    run_cursor_begin(&from, n->source->pieces, n->source->piece_count);
    run_cursor_begin(&to, n->destination->pieces, n->destination->piece_count);
    while (from.run.count) {
        uint64_t count = from.run.count < to.run.count ? from.run.count : to.run.count;
        uint32_t source = owner_at(t, &from.run, &count), destination = owner_at(t, &to.run, &count);
        if (source != destination) {
            struct part part = { from.run.variable, from.run.offset, from.run.offset + count };
            load_add(&t->before, t->before.received, destination, count * variable_element_bytes(t->c, to.run.variable));
            send(t, source, &part);
        }
        run_cursor_skip(&from, count);
        run_cursor_skip(&to, count);
    }
    clear_sent(t);
    return exchange_cost(t, &t->before);
}

struct host_traffic {
    struct traffic *t;
    uint64_t packets;
};

/* One packet for each part of the tensor that is together on a tile. */
static bool host_run(const struct run *run, void *context)
{
    struct host_traffic *host = context;
    struct part part;
    for (struct run left = *run; left.count; ++host->packets)
        next_part(host->t, &left, &part);
    return true;
}

static struct image_cost host_cost(struct traffic *t, const struct view *view)
{
    struct host_traffic host = { t, 0 };
    view_each_run(view, host_run, &host);
    uint64_t cycles = cost_host_exchange(&t->c->store->target, view->elements * pop_type_size((pop_type)view->type), host.packets);
    return (struct image_cost){ .host_exchange = cycles, .sync = cycles ? cost_sync_all(&t->c->store->target) : 0 };
}

static struct image_cost sync_cost(struct traffic *t, const struct program_node *n)
{
    const pop_target *target = &t->c->store->target;
    return (struct image_cost){ .sync = n->object == POP_SYNC_GLOBAL ? cost_sync_global(target, target->num_ipus) : cost_sync_all(target) };
}

static struct image_cost node_cost(struct traffic *t, const struct program_node *n)
{
    struct image_cost cost = { 0 };
    switch (n->kind) {
    case PROGRAM_EXECUTE:
        return set_cost(t, &t->c->sets.data[t->c->set_of[n->object]]);
    case PROGRAM_COPY:
        return copy_cost(t, n);
    case PROGRAM_STREAM_IN:
    case PROGRAM_REMOTE_IN:
        return host_cost(t, n->destination);
    case PROGRAM_STREAM_OUT:
    case PROGRAM_REMOTE_OUT:
        return host_cost(t, n->source);
    case PROGRAM_CALL_HOST:
        for (size_t i = 0; i < n->operands.count; ++i)
            cost = add_cost(cost, host_cost(t, n->operands.data[i]));
        return cost;
    case PROGRAM_SYNC:
        return sync_cost(t, n);
    default:
        return cost;
    }
}

/* The ops that carry a node's cost: not the jumps and calls that its parents add. */
static bool carries_cost(uint16_t kind)
{
    return kind == CODE_EXECUTE || kind == CODE_COPY || kind == CODE_STREAM_IN || kind == CODE_STREAM_OUT || kind == CODE_REMOTE_IN ||
           kind == CODE_REMOTE_OUT || kind == CODE_CALL_HOST || kind == CODE_STEP;
}

/* Each node is costed once; a set once for all nodes that execute it. */
static void cost_ops(struct traffic *t)
{
    struct compiler *c = t->c;
    size_t keys = c->sets.count + c->store->programs.count;
    struct image_cost *known = mem_zero(keys, sizeof(*known));
    bool *done = mem_zero(keys, sizeof(*done));
    for (size_t i = 0; i < c->image->ops.count; ++i) {
        const struct image_op *op = &c->image->ops.data[i];
        if (!carries_cost(op->kind))
            continue;
        uint32_t node = c->op_node.data[i];
        size_t key = op->kind == CODE_EXECUTE ? op->a : c->sets.count + node;
        if (!done[key])
            known[key] = node_cost(t, c->store->programs.data[node]);
        done[key] = true;
        c->image->costs.data[i] = add_cost(c->image->costs.data[i], known[key]);
    }
    free(known);
    free(done);
}

bool pass_exchange(struct compiler *c)
{
    if (!c->modelled)
        return true;
    struct traffic t = { .c = c };
    load_init(&t.before, pop_target_num_tiles(&c->store->target));
    load_init(&t.after, pop_target_num_tiles(&c->store->target));
    t.cursor = mem_zero(c->store->variables.count, sizeof(*t.cursor));
    bitmaps_init(&t.delivered, c->store->variables.count);
    cost_ops(&t);
    bitmaps_free(&t.delivered);
    load_free(&t.before);
    load_free(&t.after);
    vec_free(&t.delivered_parts);
    vec_free(&t.sent_parts);
    free(t.cursor);
    return true;
}
