/* SPDX-License-Identifier: Apache-2.0 */
/* elem(*a) != elem(*b): what two fields of a vertex are connected to on its tile must be in different memory elements:
 * variables, and the set's buffers for what comes from other tiles or is laid out anew.  What both fields use is left
 * out. */
#include "compiler/common/edges.h"
#include "compiler/common/owners.h"
#include "compiler/placement/place.h"
#include "compiler/placement/placement.h"

#include <assert.h>
#include <poplar/text.h>

struct element_pair {
    uint32_t tile, a, b; /* variables, then blocks */
    uint32_t vertex, constraint;
};
/* Two fields of a codelet. */
struct element_constraint {
    uint32_t index, fields[2];
};
/* A variable or buffer that a field is connected to. */
struct end {
    enum place_kind kind;
    uint32_t what;
};
struct pairs {
    struct place *p;
    struct owners owners;
    VEC(struct element_pair) list;
    VEC(struct element_constraint) constraints; /* of the current group */
    uint32_t set, tile;                         /* of the current vertex */
    VEC(struct end) sides[2];                   /* of its two fields */
};

/* The field in "elem(*name)" or "elem(**name[...])" at *text, which is moved past it; NONE when it is none. */
static uint32_t element_field(const struct codelet *codelet, const char **text)
{
    const char *at = *text;
    while (pop_text_is_space(*at))
        ++at;
    if (strncmp(at, "elem", 4) != 0)
        return NONE;
    for (at += 4; pop_text_is_space(*at) || *at == '(' || *at == '*';)
        ++at;
    size_t length = 0;
    while (pop_text_is_word(at[length]))
        ++length;
    *text = at + length;
    for (uint32_t f = 0; f < codelet->field_count; ++f)
        if (strlen(codelet->fields[f].name) == length && !memcmp(codelet->fields[f].name, at, length))
            return f;
    return NONE;
}

static void read_constraints(struct pairs *x, const struct codelet *codelet)
{
    x->constraints.count = 0;
    for (uint32_t i = 0; i < codelet->constraint_count; ++i) {
        const char *text = codelet->constraints[i];
        struct element_constraint found = { .index = i };
        found.fields[0] = element_field(codelet, &text);
        const char *sign = strstr(text, "!=");
        if (found.fields[0] == NONE || !sign)
            continue;
        sign += 2;
        found.fields[1] = element_field(codelet, &sign);
        if (found.fields[1] != NONE && found.fields[1] != found.fields[0])
            *vec_push(&x->constraints) = found;
    }
}

static void add_end(struct pairs *x, int side, enum place_kind kind, uint32_t what)
{
    const size_t count = x->sides[side].count;
    for (size_t i = count; what != NONE && i-- > 0 && i + 4 >= count;) /* rows of one field mostly have the same */
        if (x->sides[side].data[i].kind == kind && x->sides[side].data[i].what == what)
            return;
    if (what != NONE)
        *vec_push(&x->sides[side]) = (struct end){ kind, what };
}

/* Where the elements of an edge are: one run on this tile, several runs, or another tile. */
struct edge_place {
    struct pairs *x;
    uint64_t runs;
    uint32_t variable;
    bool away;
};
static bool place_run(const struct run *run, void *context)
{
    struct edge_place *place = context;
    uint32_t home = owners_home(&place->x->owners, run->variable, run->offset, run->offset + run->count);
    place->variable = run->variable;
    place->away = home != place->x->tile && home != HOME_EVERYWHERE;
    return ++place->runs < 2 && !place->away;
}

static void edge_ends(struct pairs *x, int side, const struct edge *edge, uint8_t direction)
{
    const pop_store *store = x->p->c->store;
    const uint32_t *buffers = x->p->live->set_buffers[x->set];
    struct edge_place place = { .x = x };
    if (edge->form == EDGE_LIST) {
        for (uint64_t i = 0; i < edge->count; ++i)
            edge_ends(x, side, edge_row(store, edge, i), direction);
        return;
    }
    edge_each_run(store, edge, place_run, &place);
    if (!place.runs)
        return;
    if (place.runs == 1 && !place.away) {
        add_end(x, side, PLACE_VARIABLE, place.variable);
        return;
    }
    if (direction != FIELD_OUTPUT)
        for (int kind = LIVE_MESSAGE; kind <= LIVE_ARRANGED_BEFORE; ++kind)
            add_end(x, side, PLACE_BUFFER, buffers[kind]);
    if (direction != FIELD_INPUT)
        for (int kind = LIVE_ARRANGED_AFTER; kind <= LIVE_GLOBAL_OUTPUT; ++kind)
            add_end(x, side, PLACE_BUFFER, buffers[kind]);
}

uint32_t place_blocks_of(const struct place *p, uint32_t tile, enum place_kind kind, uint32_t what, uint32_t *count)
{
    assert(tile < p->sizes.tiles && p->first); /* the blocks are sorted by tile */
    size_t low = p->first[tile], high = p->first[tile + 1];
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct fit_block *block = &p->blocks.data[middle];
        if (block->kind < kind || (block->kind == kind && block->what < what))
            low = middle + 1;
        else
            high = middle;
    }
    for (high = low;
         high < p->first[tile + 1] && p->blocks.data[high].kind == kind && p->blocks.data[high].what == what;)
        ++high;
    *count = (uint32_t)(high - low);
    return (uint32_t)(low - p->first[tile]);
}

static void add_pair(struct pairs *x, uint32_t a, uint32_t b, uint32_t vertex,
                     const struct element_constraint *constraint)
{
    *vec_push(&x->list) = (struct element_pair){ x->tile, a < b ? a : b, a < b ? b : a, vertex, constraint->index };
}

static void free_pairs(struct pairs *x)
{
    owners_free(&x->owners);
    vec_free(&x->list);
    vec_free(&x->constraints);
    vec_free(&x->sides[0]);
    vec_free(&x->sides[1]);
}

/* ---- two fields of one message ---- */

struct received {
    struct pairs *x;
    uint64_t bytes;
};

static bool count_received(const struct run *run, void *context)
{
    struct received *received = context;
    const struct pairs *x = received->x;
    uint32_t home = owners_home(&received->x->owners, run->variable, run->offset, run->offset + run->count);
    if (home != x->tile && home != HOME_EVERYWHERE)
        received->bytes += run->count * variable_element_bytes(x->p->c, run->variable);
    return true;
}

static uint64_t received_bytes(struct pairs *x, const struct edge *edge)
{
    struct received received = { .x = x };
    if (edge->form == EDGE_LIST)
        for (uint64_t i = 0; i < edge->count; ++i)
            received.bytes += received_bytes(x, edge_row(x->p->c->store, edge, i));
    else
        edge_each_run(x->p->c->store, edge, count_received, &received);
    return received.bytes;
}

/* Notes the fields of a vertex, which is one of a tile's. */
static void note_apart(struct pairs *x, uint32_t vertex)
{
    const pop_store *store = x->p->c->store;
    const struct codelet *codelet = vertex_codelet(x->p->c, &store->vertices.data[vertex]);
    uint32_t buffer = x->p->live->set_buffers[x->set][LIVE_MESSAGE];
    for (size_t i = 0; i < x->constraints.count && buffer != NONE; ++i) {
        struct place_apart apart = { .buffer = buffer, .tile = x->tile };
        for (uint32_t e = store->vertices.data[vertex].edge; e != NO_EDGE; e = edge_next(store->edges.data, e))
            for (int side = 0; side < 2; ++side)
                if (store->edges.data[e].field == x->constraints.data[i].fields[side] &&
                    codelet->fields[store->edges.data[e].field].direction != FIELD_OUTPUT)
                    apart.bytes[side] += received_bytes(x, &store->edges.data[e]);
        if (apart.bytes[0] && apart.bytes[1])
            *vec_push(&x->p->apart) = apart;
    }
}

static int by_buffer(const void *left, const void *right)
{
    const struct place_apart *a = left, *b = right;
    if (a->buffer != b->buffer)
        return a->buffer < b->buffer ? -1 : 1;
    return a->tile < b->tile ? -1 : a->tile > b->tile;
}

void place_find_apart(struct place *p)
{
    struct pairs x = { .p = p };
    const struct compiler *c = p->c;
    const struct order_result *order = p->in->order;
    owners_init(&x.owners, c->store, p->in->check);
    for (size_t g = 0; g < order->groups.count; ++g) {
        const struct vertex_group *group = &order->groups.data[g];
        const struct codelet *codelet = c->store->types.data[group->type].codelet;
        uint64_t first = group->first;
        x.constraints.count = 0;
        if (codelet->constraint_count)
            read_constraints(&x, codelet);
        for (size_t i = 0; x.constraints.count && i < group->spans; ++i) {
            const struct tile_span *span = &order->spans.data[group->first_span + i];
            uint32_t vertex = order->vertices[first];
            x.tile = span->tile;
            x.set = p->in->use->set_of[c->store->vertices.data[vertex].set];
            note_apart(&x, vertex);
            first += span->count;
        }
    }
    if (p->apart.count)
        qsort(p->apart.data, p->apart.count, sizeof(*p->apart.data), by_buffer);
    free_pairs(&x);
}

uint64_t place_apart_bytes(const struct place *p, uint32_t buffer, uint32_t tile, uint64_t all)
{
    enum { GRAIN = 8 };
    struct place_apart wanted = { .buffer = buffer, .tile = tile };
    const struct place_apart *found =
        p->apart.count ? bsearch(&wanted, p->apart.data, p->apart.count, sizeof(wanted), by_buffer) : NULL;
    if (!found || all > p->memory.element)
        return 0;
    uint64_t bytes = align_up(all * found->bytes[0] / (found->bytes[0] + found->bytes[1]), GRAIN);
    return bytes < all ? bytes : 0;
}

/* ---- pairs ---- */

/* True if the two blocks are the receive buffers of two fields. */
static bool is_apart(const struct pairs *x, struct end end, uint32_t block, uint32_t count)
{
    const struct fit_block *first = &x->p->blocks.data[x->p->first[x->tile] + block];
    return count == 2 && end.kind == PLACE_BUFFER &&
           place_apart_bytes(x->p, end.what, x->tile, first[0].bytes + first[1].bytes) == first[0].bytes;
}

static void add_pairs(struct pairs *x, uint32_t vertex, const struct element_constraint *constraint)
{
    for (size_t i = 0; i < x->sides[0].count; ++i)
        for (size_t k = 0; k < x->sides[1].count; ++k) {
            struct end one = x->sides[0].data[i], other = x->sides[1].data[k];
            uint32_t own, others, a = place_blocks_of(x->p, x->tile, one.kind, one.what, &own),
                                  b = place_blocks_of(x->p, x->tile, other.kind, other.what, &others);
            for (uint32_t n = 0; a != b && n < own * others; ++n)
                add_pair(x, a + n % own, b + n / own, vertex, constraint);
            if (a == b && is_apart(x, one, a, own))
                add_pair(x, a, a + 1, vertex, constraint);
        }
}

static void vertex_pairs(struct pairs *x, uint32_t vertex)
{
    const pop_store *store = x->p->c->store;
    const struct codelet *codelet = vertex_codelet(x->p->c, &store->vertices.data[vertex]);
    x->tile = store->vertices.data[vertex].tile;
    x->set = x->p->in->use->set_of[store->vertices.data[vertex].set];
    assert(x->set != NONE); /* its group is of a used set */
    for (size_t i = 0; i < x->constraints.count; ++i) {
        x->sides[0].count = x->sides[1].count = 0;
        for (uint32_t e = store->vertices.data[vertex].edge; e != NO_EDGE; e = edge_next(store->edges.data, e))
            for (int side = 0; side < 2; ++side)
                if (store->edges.data[e].field == x->constraints.data[i].fields[side])
                    edge_ends(x, side, &store->edges.data[e], codelet->fields[store->edges.data[e].field].direction);
        add_pairs(x, vertex, &x->constraints.data[i]);
    }
}

static int by_tile(const void *left, const void *right)
{
    const struct element_pair *a = left, *b = right;
    if (a->tile != b->tile)
        return a->tile < b->tile ? -1 : 1;
    if (a->a != b->a)
        return a->a < b->a ? -1 : 1;
    return a->b < b->b ? -1 : a->b > b->b;
}

static void collect(struct pairs *x)
{
    const struct compiler *c = x->p->c;
    const struct order_result *order = x->p->in->order;
    owners_init(&x->owners, c->store, x->p->in->check);
    for (size_t g = 0; g < order->groups.count; ++g) {
        const struct codelet *codelet = c->store->types.data[order->groups.data[g].type].codelet;
        if (!codelet->constraint_count)
            continue;
        read_constraints(x, codelet);
        for (uint64_t i = order->groups.data[g].first;
             x->constraints.count && i < order->groups.data[g].first + order->groups.data[g].count; ++i)
            vertex_pairs(x, order->vertices[i]);
    }
    if (x->list.count)
        qsort(x->list.data, x->list.count, sizeof(*x->list.data), by_tile);
}

void place_constraints(struct place *p)
{
    struct pairs x = { .p = p };
    size_t count = 0;
    collect(&x);
    p->first_pair = mem_zero((size_t)p->sizes.tiles + 1, sizeof(*p->first_pair));
    p->pairs = mem_alloc((x.list.count + 1) * sizeof(*p->pairs));
    for (size_t i = 0; i < x.list.count; ++i)
        if (!i || by_tile(&x.list.data[i - 1], &x.list.data[i])) {
            p->pairs[count++] = (struct fit_pair){ x.list.data[i].a, x.list.data[i].b };
            ++p->first_pair[x.list.data[i].tile + 1];
        }
    for (uint32_t tile = 0; tile < p->sizes.tiles; ++tile)
        p->first_pair[tile + 1] += p->first_pair[tile];
    assert(p->first_pair[p->sizes.tiles] == count);
    free_pairs(&x);
}

bool place_fail_pair(struct place *p, uint32_t tile, const struct fit_pair *pair)
{
    struct compiler *c = p->c;
    struct pairs x = { .p = p };
    struct element_pair wanted = { .tile = tile, .a = pair->a, .b = pair->b };
    collect(&x);
    const struct element_pair *found = bsearch(&wanted, x.list.data, x.list.count, sizeof(wanted), by_tile);
    if (!found) /* not reached: pairs come from this list */
        return free_pairs(&x), compiler_fail(c, POP_GRAPH_MEMORY_ALLOCATION_ERROR, 0, NULL,
                                             "an element constraint cannot be met on tile %u", tile);
    const struct codelet *codelet = vertex_codelet(c, &c->store->vertices.data[found->vertex]);
    const struct fit_block *blocks = p->blocks.data + p->first[tile];
    compiler_fail_vertex(c, POP_GRAPH_MEMORY_ALLOCATION_ERROR, found->vertex,
                         "%s: constraint '%s' cannot be met on tile %u: '%s' (%llu bytes) and '%s' (%llu bytes) do not "
                         "fit into different memory elements "
                         "(%llu bytes of memory in elements of %llu)",
                         codelet->name, codelet->constraints[found->constraint], tile,
                         place_block_name(p, &blocks[pair->a]), (unsigned long long)blocks[pair->a].bytes,
                         place_block_name(p, &blocks[pair->b]), (unsigned long long)blocks[pair->b].bytes,
                         (unsigned long long)p->memory.bytes, (unsigned long long)p->memory.element);
    free_pairs(&x);
    return false;
}
