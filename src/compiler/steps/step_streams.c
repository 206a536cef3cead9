/* SPDX-License-Identifier: Apache-2.0 */
/* Stream copies as steps: consecutive ones are deferred and merged into one; data that the host sends in the tensor's
 * order is rearranged by the tiles. */
#include "compiler/steps/steps.h"
#include "graph/view/view.h"

#include <assert.h>

bool steps_is_stream(const struct program_node *n)
{
    return n->kind == PROGRAM_STREAM_IN || n->kind == PROGRAM_STREAM_OUT || n->kind == PROGRAM_REMOTE_IN ||
           n->kind == PROGRAM_REMOTE_OUT;
}

/* Whether a stream copy may go along with those that were put off: none of them writes a variable that another reads or
 * writes. */
static bool merges(const struct steps_builder *b, const struct program_node *n)
{
    const struct view *view = n->destination ? n->destination : n->source;
    for (uint32_t i = 0; i < view->piece_count; ++i) {
        uint32_t variable = view->pieces[i].variable;
        if (b->written[variable] == b->streams.number || (n->destination && b->touched[variable] == b->streams.number))
            return false;
    }
    return true;
}

static void note_stream(struct steps_builder *b, const struct program_node *n)
{
    const struct view *view = n->destination ? n->destination : n->source;
    for (uint32_t i = 0; i < view->piece_count; ++i) {
        b->touched[view->pieces[i].variable] = b->streams.number;
        if (n->destination)
            b->written[view->pieces[i].variable] = b->streams.number;
    }
}

void steps_host_copies(struct steps_builder *b, uint32_t op, uint32_t name, enum model_stream detail,
                       struct step_origin origin)
{
    for (size_t i = 0; i < b->host.made.count; ++i)
        steps_leaf(
            b, op,
            (struct model_step){
                .kind = MODEL_STREAM_COPY, .detail = (uint8_t)detail, .name = name, .index = b->host.made.data[i] },
            origin);
}

/* Tiles whose part of a view is more than one piece of it, so that what comes in the tensor's order must be sorted. */
struct stream_pieces {
    struct steps_builder *b;
    uint64_t runs;   /* on one tile each */
    uint64_t pieces; /* of one tile's memory each */
    uint8_t *seen;   /* by tile */
    uint32_t last;
    bool scattered;
};

static bool note_piece(const struct run *run, void *context)
{
    struct stream_pieces *pieces = context;
    uint64_t stop;
    for (struct run left = *run; left.count;) {
        uint32_t tile = owners_find(&pieces->b->owners, left.variable, left.offset, &stop);
        uint64_t count = stop - left.offset < left.count ? stop - left.offset : left.count;
        pieces->runs += tile != pieces->last;
        pieces->pieces += tile != pieces->last || left.offset == run->offset;
        pieces->scattered |= tile < HOME_EVERYWHERE && tile != pieces->last && pieces->seen[tile];
        if (tile < HOME_EVERYWHERE)
            pieces->seen[tile] = true;
        pieces->last = tile;
        left.offset += count;
        left.count -= count;
    }
    return true;
}

/* How a view's data comes in or goes out: piece by piece from and to where it is; in the tensor's order, an equal
 * share for each tile, which tiles sort among each other; what comes in pieces too small for the host, in grains,
 * each to the tile of its first element; or in the order of the tiles' memory, which the host sorts. */
enum relay_kind { RELAY_NONE, RELAY_SHARES, RELAY_GRAINS, RELAY_HOST };

/* Requested by the program: data in the order of tile memory, which the host arranges; tiles need no buffers to sort
 * it in. */
static bool host_arranges(const struct steps_builder *b, const struct program_node *n)
{
    if (n->kind == PROGRAM_STREAM_IN || n->kind == PROGRAM_STREAM_OUT)
        return n->flag;
    const struct remote_buffer *remote = &b->c->store->remotes.data[n->object];
    return remote->rearrange || remote->optimise;
}

/* Whether so many pieces are shorter than what the host sends at least. */
static bool is_small(const pop_target *target, uint64_t bytes, uint64_t pieces)
{
    return pieces > 1 && bytes / pieces < target->host_grain_bytes;
}

static enum relay_kind relay_of(struct steps_builder *b, const struct program_node *n, const struct view *view,
                                bool to_host)
{
    const pop_target *target = &b->c->store->target;
    struct stream_pieces pieces = { .b = b, .last = NONE };
    if (host_arranges(b, n))
        return RELAY_HOST;
    uint64_t bytes = view->elements * pop_type_size((pop_type)view->type);
    pieces.seen = mem_zero(pop_target_num_tiles(target), 1);
    view_each_run(view, note_piece, &pieces);
    free(pieces.seen);
    if (!to_host && is_small(target, bytes, pieces.runs))
        return RELAY_GRAINS;
    if (target->host_rearranges)
        return is_small(target, bytes, pieces.pieces) ? RELAY_HOST : RELAY_NONE;
    return pieces.scattered || (pieces.pieces > pieces.runs && is_small(target, bytes, pieces.pieces)) ? RELAY_SHARES
                                                                                                       : RELAY_NONE;
}

/* A view between the tiles that have its shares, or grains, and those that have its elements. */
struct relay {
    struct steps_builder *b;
    enum relay_kind kind;
    bool to_host;
    uint64_t at, share, element_bytes; /* at: bytes of the view so far */
    uint32_t part_tile;                /* of the current part */
    uint32_t view;                     /* of those that are relayed together */
    struct tile_moves *moves;          /* NULL: host exchange, else exchange between tiles */
};

/* Senders have the parts of shares before those of grains (tutorial 6's listing), each in the order of the views. */
static uint64_t relay_address(const struct relay *r)
{
    return (uint64_t)(r->kind == RELAY_GRAINS) << 63 | (uint64_t)r->view << 40 | r->at;
}

static void relay_part(struct relay *r, uint32_t owner, const struct run *run, uint64_t bytes)
{
    assert(bytes % r->element_bytes == 0);
    uint32_t from = r->to_host ? owner : r->part_tile, to = r->to_host ? r->part_tile : owner;
    if (owner == r->part_tile && r->kind == RELAY_GRAINS) {
        tile_moves_add(r->moves, owner, run->offset * r->element_bytes, r->at % r->share, bytes);
        return;
    }
    loads_send(&r->b->loads, from, to, bytes); /* what stays on its tile is brought along */
    loads_receive_part(&r->b->loads, from, to, bytes, r->at + 1, relay_address(r));
}

static bool relay_run(const struct run *run, void *context)
{
    struct relay *r = context;
    assert(r->share && r->share % r->element_bytes == 0);
    uint64_t stop;
    for (struct run left = *run; left.count;) {
        uint32_t owner = owners_find(&r->b->owners, left.variable, left.offset, &stop);
        uint64_t left_of_share = r->share - r->at % r->share,
                 bytes = (stop - left.offset < left.count ? stop - left.offset : left.count) * r->element_bytes;
        bytes = bytes < left_of_share ? bytes : left_of_share;
        owner = owner == HOME_EVERYWHERE ? 0 : owner;
        if (r->at % r->share == 0)
            r->part_tile = r->kind == RELAY_GRAINS ? owner : (uint32_t)(r->at / r->share);
        if (r->moves)
            relay_part(r, owner, &left, bytes);
        else
            host_exchange_grain(&r->b->host, r->part_tile, bytes, r->at % r->share == 0);
        r->at += bytes;
        left.offset += bytes / r->element_bytes;
        left.count -= bytes / r->element_bytes;
    }
    return true;
}

static struct relay relay_start(struct steps_builder *b, enum relay_kind kind, const struct view *view, bool to_host)
{
    const pop_target *target = &b->c->store->target;
    uint64_t element = pop_type_size((pop_type)view->type),
             grain = target->host_grain_bytes > element ? target->host_grain_bytes / element * element : element;
    return (struct relay){ .b = b,
                           .kind = kind,
                           .to_host = to_host,
                           .element_bytes = element,
                           .share =
                               kind == RELAY_GRAINS ? grain : host_exchange_share(target, view->elements * element) };
}

/* Sorts the relayed views of one direction: an exchange, which brings what stays on its tile along (inferred: tutorial
 * 6's listing has no cycles for copies of it). */
static void relay_views(struct steps_builder *b, enum relay_kind kind, bool to_host, struct step_origin origin,
                        struct tile_moves *moves)
{
    struct compiler *c = b->c;
    for (uint32_t i = 0; i < origin.merged; ++i) {
        const struct program_node *n = c->store->programs.data[b->result->merged.data[origin.first_merged + i]];
        const struct view *view = to_host ? n->source : n->destination;
        if (!view || relay_of(b, n, view, to_host) != kind)
            continue;
        struct relay relay = relay_start(b, kind, view, to_host);
        relay.moves = moves;
        relay.view = i;
        view_each_run(view, relay_run, &relay);
    }
}

static void relay_steps(struct steps_builder *b, bool to_host, struct step_origin origin)
{
    struct compiler *c = b->c;
    const char *name = store_name(c->store, c->store->programs.data[origin.node]->name);
    char internal[TABLES_NAME], global[TABLES_NAME], local[TABLES_NAME];
    struct tile_moves moves;
    tile_moves_begin(&moves, &c->store->target);
    relay_views(b, RELAY_SHARES, to_host, origin, &moves);
    relay_views(b, RELAY_GRAINS, to_host, origin, &moves);
    tile_moves_end(&moves, &b->copies);
    struct exchange_pair pair =
        loads_finish(&b->loads, c, tables_name(internal, name, to_host ? "ExchangePre" : "ExchangePost"),
                     tables_name(global, name, to_host ? "GlobalPre/GlobalExchange" : "GlobalPost/GlobalExchange"));
    uint32_t copies =
        tables_copies(c, tables_name(local, name, to_host ? "OnTileCopyPre" : "OnTileCopyPost"), &b->copies);
    origin.role = ROLE_OTHER;
    steps_plan(b, b->streams.op, MODEL_EXECUTE, copies, origin);
    steps_plan(b, b->streams.op, MODEL_GLOBAL_EXCHANGE, pair.global, origin);
    steps_plan(b, b->streams.op, MODEL_EXCHANGE, pair.internal, origin);
}

static void add_stream(struct steps_builder *b, const struct view *view, bool to_host, enum relay_kind kind)
{
    struct relay relay = relay_start(b, kind, view, to_host);
    if (kind == RELAY_GRAINS)
        view_each_run(view, relay_run, &relay);
    else if (kind == RELAY_SHARES)
        host_exchange_add_shares(&b->host, view->elements * pop_type_size((pop_type)view->type), to_host);
    else if (kind == RELAY_HOST)
        host_exchange_add_arranged(&b->host, view, to_host);
    else
        host_exchange_add(&b->host, view, to_host);
}

void steps_flush(struct steps_builder *b)
{
    struct compiler *c = b->c;
    struct step_origin origin = {
        .node = NONE, .set = NONE, .first_merged = (uint32_t)b->result->merged.count, .role = ROLE_STREAM
    };
    bool host = false, remote = false;
    if (!b->streams.nodes.count)
        return;
    origin.node = b->streams.nodes.data[0];
    const char *name = store_name(c->store, c->store->programs.data[origin.node]->name);
    host_exchange_begin(&b->host, name);
    for (; origin.merged < b->streams.nodes.count; ++origin.merged) {
        const struct program_node *n = c->store->programs.data[b->streams.nodes.data[origin.merged]];
        const struct view *view = n->destination ? n->destination : n->source;
        enum relay_kind relayed = relay_of(b, n, view, !n->destination);
        *vec_push(&b->result->merged) = b->streams.nodes.data[origin.merged];
        b->host.remote = n->kind != PROGRAM_STREAM_IN && n->kind != PROGRAM_STREAM_OUT;
        *(b->host.remote ? &remote : &host) = true;
        add_stream(b, view, !n->destination, relayed);
        origin.buffered |= relayed == RELAY_SHARES || relayed == RELAY_GRAINS;
    }
    b->host.remote = false;
    assert(origin.merged == b->result->merged.count - origin.first_merged);
    host_exchange_end(&b->host);
    b->streams.nodes.count = 0;
    ++b->streams.number;
    if (origin.buffered)
        relay_steps(b, true, origin);
    steps_host_copies(b, b->streams.op, compiler_string(c, name),
                      host && remote ? MODEL_STREAM_MIXED
                      : remote       ? MODEL_STREAM_REMOTE
                                     : MODEL_STREAM_HOST,
                      origin);
    if (origin.buffered)
        relay_steps(b, false, origin);
}

void steps_stream(struct steps_builder *b, uint32_t node, uint32_t op)
{
    assert(b->lower->op_node.count == b->c->image->ops.count);
    const struct program_node *n = b->c->store->programs.data[node];
    if (op >= b->lower->op_node.count || b->lower->op_node.data[op] != node) /* a remote copy of no rows */
        return;
    if (b->streams.nodes.count && !merges(b, n))
        steps_flush(b);
    if (!b->streams.nodes.count)
        b->streams.op = op;
    *vec_push(&b->streams.nodes) = node;
    note_stream(b, n);
}

/* Tensors that a program hands to the host, or gets from it. */
void steps_hand_over(struct steps_builder *b, uint32_t node, uint32_t op, const struct view *const *views, size_t count,
                     bool to_host)
{
    assert(!b->streams.nodes.count); /* steps_flush was called */
    const struct program_node *n = b->c->store->programs.data[node];
    const char *name = store_name(b->c->store, n->name);
    struct step_origin origin = steps_origin(node, ROLE_STREAM);
    if (!count)
        return;
    if (!*name && n->kind == PROGRAM_PRINT) /* its title is what users know it by */
        name = n->text ? n->text : n->tensor_name ? n->tensor_name : "";
    origin.first_merged = (uint32_t)b->result->merged.count;
    origin.merged = 1;
    *vec_push(&b->result->merged) = node;
    host_exchange_begin(&b->host, name);
    for (size_t i = 0; i < count; ++i)
        host_exchange_add_arranged(&b->host, views[i], to_host);
    host_exchange_end(&b->host);
    steps_host_copies(b, op, compiler_string(b->c, name), MODEL_STREAM_HOST, origin);
}

void steps_host_call(struct steps_builder *b, uint32_t node, uint32_t op)
{
    const struct program_node *n = b->c->store->programs.data[node];
    size_t inputs = b->c->store->host_functions.data[n->object].input_count;
    steps_hand_over(b, node, op, n->operands.data, inputs, true);
    if (n->operands.count > inputs)
        steps_hand_over(b, node, op, n->operands.data + inputs, n->operands.count - inputs, false);
}
