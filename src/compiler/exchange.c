/* SPDX-License-Identifier: Apache-2.0 */
/* exchange: what each step makes tiles send to each other and to the host, and the syncs that this takes.  A first version: a step
 * lasts as long as its busiest tile, and all tiles wait for it.
 *
 * Before a set runs, each tile receives once what its vertices read and do not have; after it, owners receive what others wrote.  A word is
 * sent once, however many tiles receive it.  What a copy does not exchange, it moves within tiles.
 * In: order, spans, compact tile maps, ops.  Out: exchange, host_exchange and sync of image->costs, compute of copies. */
#include "compiler/edges.h"
#include "compiler/marks.h"
#include "compiler/owners.h"
#include "compiler/runs.h"
#include "compiler/traffic.h"
#include "compiler/window.h"

#include "base/log.h"
#include "target/cost.h"

struct traffic {
    struct compiler *c;
    struct load before, after; /* a set: exchanges before and after it; copies use the first */
    struct owners owners;
    struct bitmaps delivered_bits;
    struct marks delivered;    /* elements that the current tile has, or has received */
    struct marks sent;         /* that have left their tiles in this step; in c->bits */
    uint32_t tile;             /* of the current vertex */
};

/* Elements leave their tile: those that did not already. */
static void send(struct traffic *t, uint32_t from, struct part part)
{
    uint64_t fresh = marks_set(&t->sent, part);
    if (fresh)
        load_add(&t->before, t->before.sent, from, fresh * variable_element_bytes(t->c, part.variable));
}

/* The front of what is left of a run, as far as it lies on one tile: takes it away and returns the tile. */
static uint32_t next_part(struct traffic *t, struct run *left, struct part *part)
{
    uint64_t stop, end = left->offset + left->count;
    uint32_t owner = owners_find(&t->owners, left->variable, left->offset, &stop);
    *part = (struct part){ left->variable, left->offset, stop < end ? stop : end };
    left->offset = part->end;
    left->count = end - part->end;
    return owner;
}

/* The current tile gets a part that lies on another. */
static void fetch_part(struct traffic *t, uint32_t owner, struct part part)
{
    uint64_t fresh = marks_set(&t->delivered, part);
    if (!fresh)
        return;
    load_add(&t->before, t->before.received, t->tile, fresh * variable_element_bytes(t->c, part.variable));
    send(t, owner, part);
}

static void return_part(struct traffic *t, uint32_t owner, struct part part)
{
    uint64_t bytes = (part.end - part.begin) * variable_element_bytes(t->c, part.variable);
    load_add(&t->after, t->after.received, owner, bytes);
    load_add(&t->after, t->after.sent, t->tile, bytes);
}

/* What the current tile does not hold of a run.  Many vertices of a tile read the same: a run that it has seen is not cut again. */
static bool fetch_run(const struct run *run, void *context)
{
    struct traffic *t = context;
    struct run left = *run;
    struct part part;
    uint32_t owner = next_part(t, &left, &part);
    if (owner == HOME_EVERYWHERE || (owner == t->tile && !left.count))
        return true;
    if (left.count && marks_all(&t->delivered, run->variable, run->offset, run->offset + run->count))
        return true;
    for (;; owner = next_part(t, &left, &part)) {
        if (owner != t->tile)
            fetch_part(t, owner, part);
        else
            marks_set(&t->delivered, part);
        if (!left.count)
            return true;
    }
}

static bool return_run(const struct run *run, void *context)
{
    struct traffic *t = context;
    struct part part;
    for (struct run left = *run; left.count;) {
        uint32_t owner = next_part(t, &left, &part);
        if (owner != t->tile)
            return_part(t, owner, part);
    }
    return true;
}

static void edge_traffic(struct traffic *t, const struct edge *edge, uint32_t home, bool reads, bool writes)
{
    struct part part = { edge->variable, edge_offset(edge), edge_offset(edge) + edge->count };
    if (home == t->tile || home == HOME_EVERYWHERE)
        return;
    if (reads && home == HOME_PARTS)
        edge_each_run(t->c->store, edge, fetch_run, t);
    else if (reads)
        fetch_part(t, home, part);
    if (writes && home == HOME_PARTS)
        edge_each_run(t->c->store, edge, return_run, t);
    else if (writes)
        return_part(t, home, part);
}

static void vertex_traffic(struct traffic *t, const struct codelet *codelet, struct edge_list list)
{
    for (uint32_t e = list.first; e != NO_EDGE; e = list.edges[e].next) {
        const struct edge *edge = &list.edges[e];
        uint8_t direction = codelet->fields[edge->field].direction;
        if (direction != FIELD_STATE)
            edge_traffic(t, edge, list.homes ? list.homes[e] : owners_edge(&t->owners, edge), direction != FIELD_OUTPUT,
                         direction != FIELD_INPUT);
    }
}

/* Where what a vertex reads from other tiles is marked. */
PREFETCH_INLINE void prefetch_bits(const struct traffic *t, struct edge_list list)
{
    for (uint32_t e = list.first; e != NO_EDGE; e = list.edges[e].next) {
        const struct edge *edge = &list.edges[e];
        if (list.homes[e] == t->tile || edge->form != EDGE_RUN)
            continue;
        const uint64_t *delivered = t->delivered_bits.of[edge->variable], *sent = t->c->bits.of[edge->variable];
        if (delivered)
            __builtin_prefetch(delivered + (edge_offset(edge) >> 6));
        if (delivered && sent)
            __builtin_prefetch(sent + (edge_offset(edge) >> 6));
    }
}

static void set_traffic(struct traffic *t, const struct used_set *set)
{
    const struct vertex_group *groups = &t->c->groups.data[set->first_group];
    struct window *windows = mem_alloc(set->groups * sizeof(*windows));
    struct tile_walk walk;
    for (uint32_t g = 0; g < set->groups; ++g)
        window_init(&windows[g], t->c, &groups[g], set->groups, &t->owners);
    tile_walk_begin(&walk, t->c, set);
    while (tile_walk_next(&walk)) {
        t->tile = walk.tile;
        for (uint32_t g = 0; g < set->groups; ++g) {
            const struct codelet *codelet = t->c->store->types.data[groups[g].type].codelet;
            for (uint64_t i = walk.first[g]; i < walk.last[g]; ++i) {
                struct edge_list list = window_edges(&windows[g], i);
                prefetch_bits(t, window_ahead(&windows[g], i));
                vertex_traffic(t, codelet, list);
            }
        }
        marks_clear(&t->delivered);
    }
    tile_walk_end(&walk);
    marks_clear(&t->sent);
    for (uint32_t g = 0; g < set->groups; ++g)
        window_free(&windows[g]);
    free(windows);
}

static struct image_cost set_cost(struct traffic *t, const struct used_set *set)
{
    const pop_store *store = t->c->store;
    const char *name = store_name(store, store->sets.data[set->set].name);
    set_traffic(t, set);
    return cost_add(load_finish(&t->before, &store->target, (struct step){ "before compute set", name }),
                    load_finish(&t->after, &store->target, (struct step){ "after compute set", name }));
}

/* Whether all of a view lies on one tile, because each of its variables does. */
static bool one_tile(const struct traffic *t, const struct view *view, uint32_t *tile)
{
    for (uint32_t i = 0; i < view->piece_count; ++i) {
        uint32_t home = t->owners.home[view->pieces[i].variable];
        if (home == HOME_PARTS || (i && home != *tile))
            return false;
        *tile = home;
    }
    return true;
}

/* Each element from its tile to another, once; what stays on a tile is moved there. */
static void copy_traffic(struct traffic *t, const struct view *source, const struct view *destination)
{
    bool distinct = pieces_distinct(source->pieces, source->piece_count);
    uint64_t bytes = pop_type_size((pop_type)source->type), stop;
    struct run_cursor from, to;
    run_cursor_begin(&from, source->pieces, source->piece_count);
    run_cursor_begin(&to, destination->pieces, destination->piece_count);
    while (from.run.count) {
        uint64_t count = from.run.count < to.run.count ? from.run.count : to.run.count;
        uint32_t sender = owners_find(&t->owners, from.run.variable, from.run.offset, &stop);
        count = stop - from.run.offset < count ? stop - from.run.offset : count;
        uint32_t receiver = owners_find(&t->owners, to.run.variable, to.run.offset, &stop);
        count = stop - to.run.offset < count ? stop - to.run.offset : count;
        struct part part = { from.run.variable, from.run.offset, from.run.offset + count };
        if (sender == receiver) {
            load_add(&t->before, t->before.moved, sender, count * bytes);
        } else {
            load_add(&t->before, t->before.received, receiver, count * bytes);
            if (distinct)
                load_add(&t->before, t->before.sent, sender, count * bytes);
            else
                send(t, sender, part);
        }
        run_cursor_skip(&from, count);
        run_cursor_skip(&to, count);
    }
    marks_clear(&t->sent);
}

static struct image_cost copy_cost(struct traffic *t, const struct program_node *n)
{
    uint32_t from = NONE, to = NONE;
    if (one_tile(t, n->source, &from) && one_tile(t, n->destination, &to) && from == to && from != NONE)
        load_add(&t->before, t->before.moved, from, n->source->elements * pop_type_size((pop_type)n->source->type));
    else
        copy_traffic(t, n->source, n->destination);
    return load_finish(&t->before, &t->c->store->target, (struct step){ "of copy", store_name(t->c->store, n->name) });
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

/* An external sync before, two internal ones after, each as long as the other [ipu-model 2.2]. */
enum { HOST_SYNCS = 3 };

static struct image_cost host_cost(struct traffic *t, const struct program_node *n, const struct view *view)
{
    const pop_target *target = &t->c->store->target;
    struct host_traffic host = { t, 0 };
    view_each_run(view, host_run, &host);
    uint64_t bytes = view->elements * pop_type_size((pop_type)view->type), cycles = cost_host_exchange(target, bytes, host.packets);
    LOG(COMPILER, TRACE, "host exchange of %s '%s': %llu bytes in %llu packets, %llu cycles", program_kind_name((enum program_kind)n->kind),
        store_name(t->c->store, n->name), (unsigned long long)bytes, (unsigned long long)host.packets, (unsigned long long)cycles);
    return (struct image_cost){ .host_exchange = cycles, .sync = cycles ? HOST_SYNCS * cost_sync_all(target) : 0 };
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
        return host_cost(t, n, n->destination);
    case PROGRAM_STREAM_OUT:
    case PROGRAM_REMOTE_OUT:
        return host_cost(t, n, n->source);
    case PROGRAM_CALL_HOST:
        for (size_t i = 0; i < n->operands.count; ++i)
            cost = cost_add(cost, host_cost(t, n, n->operands.data[i]));
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
    return kind == OP_EXECUTE || kind == OP_COPY || kind == OP_STREAM_IN || kind == OP_STREAM_OUT || kind == OP_REMOTE_IN ||
           kind == OP_REMOTE_OUT || kind == OP_CALL_HOST || kind == OP_STEP;
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
        size_t key = op->kind == OP_EXECUTE ? op->a : c->sets.count + node;
        if (!done[key])
            known[key] = node_cost(t, c->store->programs.data[node]);
        done[key] = true;
        c->image->costs.data[i] = cost_add(c->image->costs.data[i], known[key]);
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
    owners_init(&t.owners, c);
    bitmaps_init(&t.delivered_bits, c->store->variables.count);
    marks_init(&t.delivered, &t.delivered_bits, c->store);
    marks_init(&t.sent, &c->bits, c->store);
    cost_ops(&t);
    marks_free(&t.delivered);
    marks_free(&t.sent);
    bitmaps_free(&t.delivered_bits);
    load_free(&t.before);
    load_free(&t.after);
    owners_free(&t.owners);
    return true;
}
