/* SPDX-License-Identifier: Apache-2.0 */
/* First fit: what is always live first, then by size, largest first.  On a tile with very many blocks only the largest
 * ones are placed so; the others are placed above everything that is live with them, in O(n log n). */
#include "compiler/placement/place_fit.h"

#include "base/sort.h"

#include <assert.h>

enum { FIRST_FIT_MAX = 256, MAX_COLORS = 60 };

struct placed {
    uint64_t address, end;
    uint32_t class, block; /* block: NONE: several, always live */
};

struct fit {
    const struct fit_memory *memory;
    const struct live *live;
    const struct fit_block *blocks;
    const struct fit_pair *pairs;
    size_t count, pair_count;
    uint64_t *address;
    uint32_t *order;
    uint8_t *paired;           /* by block: 0, or its colour (color_pairs) */
    uint32_t *partners;        /* of blocks that are in pairs, block by block */
    uint32_t *first_partner;   /* by block, and one more */
    uint8_t *apart;            /* by block: 1: it must not share an element with the current block */
    VEC(struct placed) placed; /* by address */
    size_t positions;          /* of the blocks: all are below it */
};

uint64_t fit_element(const struct fit_memory *memory, uint64_t address, uint64_t *end)
{
    assert(memory->element && memory->start <= memory->bytes);
    uint64_t below = (memory->start + memory->element - 1) / memory->element, index;
    if (address < memory->start) {
        index = address / memory->element;
        *end = (index + 1) * memory->element < memory->start ? (index + 1) * memory->element : memory->start;
        return index;
    }
    index = (address - memory->start) / (2 * memory->element);
    *end = memory->start + (index + 1) * 2 * memory->element;
    return below + index;
}

bool fit_meet(const struct live *live, uint32_t a, uint32_t b)
{
    assert(a < live->classes.count && b < live->classes.count);
    if (a == LIVE_ALWAYS || b == LIVE_ALWAYS)
        return true;
    const struct live_class *left = &live->classes.data[a], *right = &live->classes.data[b];
    const struct flow_span *p = live->spans.data + left->first, *q = live->spans.data + right->first;
    for (uint32_t i = 0, k = 0; i < left->count && k < right->count;) {
        if (p[i].last < q[k].first)
            ++i;
        else if (q[k].last < p[i].first)
            ++k;
        else
            return true;
    }
    return false;
}

/* ---- order ---- */

struct fit_key {
    uint64_t major, bytes;
    uint32_t index;
};

static uint64_t key_major(const void *key)
{
    return ((const struct fit_key *)key)->major;
}
static uint64_t key_bytes_down(const void *key)
{
    return UINT64_MAX - ((const struct fit_key *)key)->bytes;
}

static void find_partners(struct fit *f)
{
    uint32_t *at = mem_zero(f->count + 1, sizeof(*at));
    f->first_partner = mem_zero(f->count + 1, sizeof(*f->first_partner));
    f->partners = mem_alloc((2 * f->pair_count + 1) * sizeof(*f->partners));
    for (size_t i = 0; i < f->pair_count; ++i) {
        ++f->first_partner[f->pairs[i].a + 1];
        ++f->first_partner[f->pairs[i].b + 1];
    }
    for (size_t i = 0; i < f->count; ++i)
        at[i + 1] = f->first_partner[i + 1] += f->first_partner[i];
    for (size_t i = 0; i < f->pair_count; ++i) {
        f->partners[at[f->pairs[i].a]++] = f->pairs[i].b;
        f->partners[at[f->pairs[i].b]++] = f->pairs[i].a;
    }
    free(at);
}

/* The lowest colour that none of a block's partners has. */
static uint8_t free_color(const struct fit *f, uint32_t block)
{
    uint64_t taken = 1;
    for (uint32_t i = f->first_partner[block]; i < f->first_partner[block + 1]; ++i)
        taken |= (uint64_t)1 << f->paired[f->partners[i]];
    uint8_t color = 1;
    while (color < MAX_COLORS && taken >> color & 1)
        ++color;
    return color;
}

/* Colours the pairs' graph greedily, breadth first through each connected component, which uses two colours if the
 * graph is bipartite: blocks of one colour are no pairs, and may share elements.  Of the first two, colour 1 has more
 * bytes and is placed lower. */
static void color_pairs(struct fit *f)
{
    uint32_t *group = mem_alloc((f->count + !f->count) * sizeof(*group));
    for (size_t p = 0; p < f->pair_count; ++p) {
        uint64_t bytes[MAX_COLORS + 1] = { 0 };
        size_t count = 0;
        if (f->paired[f->pairs[p].a])
            continue;
        f->paired[group[count++] = f->pairs[p].a] = 1;
        for (size_t k = 0; k < count; ++k) {
            bytes[f->paired[group[k]]] += f->blocks[group[k]].bytes;
            for (uint32_t i = f->first_partner[group[k]]; i < f->first_partner[group[k] + 1]; ++i)
                if (!f->paired[f->partners[i]])
                    f->paired[group[count++] = f->partners[i]] = free_color(f, f->partners[i]);
        }
        for (size_t k = 0; k < count && bytes[2] > bytes[1]; ++k)
            f->paired[group[k]] = f->paired[group[k]] < 3 ? 3 - f->paired[group[k]] : f->paired[group[k]];
    }
    free(group);
}

static void sort_blocks(struct fit *f)
{
    struct fit_key *keys = mem_alloc((f->count + !f->count) * sizeof(*keys));
    for (size_t i = 0; i < f->count; ++i) {
        const struct fit_block *block = &f->blocks[i];
        bool always = block->class == LIVE_ALWAYS;
        /* Pairs after what is always live, before the rest: they leave gaps that others fill.  What is live for a
         * while is ordered by size alone: a large block from below may reach into the interleaved region. */
        uint64_t rank = always && !f->paired[i] ? 0 : f->paired[i] ? f->paired[i] : MAX_COLORS + 1;
        keys[i] = (struct fit_key){ rank << 8 | (always ? block->where : 0), block->bytes, (uint32_t)i };
    }
    sort_by_key(keys, f->count, sizeof(*keys), key_bytes_down);
    sort_by_key(keys, f->count, sizeof(*keys), key_major);
    for (size_t i = 0; i < f->count; ++i)
        f->order[i] = keys[i].index;
    free(keys);
}

/* ---- one block ---- */

static bool shares_element(const struct fit_memory *memory, uint64_t address, uint64_t bytes,
                           const struct placed *other, uint64_t *behind)
{
    uint64_t end, first = fit_element(memory, address, &end), last = fit_element(memory, address + bytes - 1, &end);
    uint64_t other_first = fit_element(memory, other->address, &end),
             other_last = fit_element(memory, other->end - 1, behind);
    return first <= other_last && other_first <= last;
}

/* The lowest address in [low, high) where a block fits, or UINT64_MAX. */
static uint64_t first_fit(const struct fit *f, uint32_t index, uint64_t low, uint64_t high, bool apart)
{
    const struct fit_block *block = &f->blocks[index];
    uint64_t at = align_up(low, block->alignment), behind;
    for (bool moved = true; moved;) {
        moved = false;
        for (size_t i = 0; i < f->placed.count; ++i) {
            const struct placed *p = &f->placed.data[i];
            if (apart && p->block != NONE && f->apart[p->block] &&
                shares_element(f->memory, at, block->bytes, p, &behind)) {
                at = align_up(behind, block->alignment);
                moved = true; /* blocks that were passed may overlap now */
            } else if (p->end > at && p->address < at + block->bytes && fit_meet(f->live, block->class, p->class)) {
                at = align_up(p->end, block->alignment);
                moved |= f->paired[index] != 0;
            }
        }
        if (at + block->bytes > high || at + block->bytes < at)
            return UINT64_MAX;
    }
    return at;
}

static void put(struct fit *f, uint64_t address, uint64_t bytes, uint32_t class, uint32_t block)
{
    size_t at = f->placed.count;
    if (!bytes)
        return;
    (void)vec_push(&f->placed);
    for (; at && f->placed.data[at - 1].address > address; --at)
        f->placed.data[at] = f->placed.data[at - 1];
    assert(at == f->placed.count - 1 || f->placed.data[at + 1].address >= address); /* by address */
    f->placed.data[at] = (struct placed){ address, address + bytes, class, block };
}

static uint64_t lowest(const struct fit *f, uint32_t index)
{
    return f->blocks[index].where == FIT_INTERLEAVED ? f->memory->start : 0;
}

/* Where a block may be first: in its element or above it, then anywhere. */
static uint64_t first_place(const struct fit *f, uint32_t index)
{
    const struct fit_block *block = &f->blocks[index];
    uint64_t from = block->element * f->memory->element;
    return block->where == FIT_DATA && from < f->memory->start
               ? first_fit(f, index, from, block->element ? f->memory->start : f->memory->bytes, true)
               : UINT64_MAX;
}

static uint64_t highest(const struct fit *f, uint32_t index)
{
    return f->blocks[index].where == FIT_CODE ? f->memory->start : f->memory->bytes;
}

/* Whether a block and its partners fit if nothing else is there; if not, the element constraint fails, not memory. */
static bool fits_with_partners(const struct fit *f, uint32_t index, uint32_t *partner)
{
    for (uint32_t i = f->first_partner[index]; i < f->first_partner[index + 1]; ++i) {
        uint64_t own = f->blocks[index].bytes, other = f->blocks[f->partners[i]].bytes, min = own < other ? own : other;
        if (align_up(own + other - min, f->memory->element) + min > f->memory->bytes) {
            *partner = f->partners[i];
            return false;
        }
    }
    return true;
}

static uint32_t pair_of(const struct fit *f, uint32_t a, uint32_t b)
{
    uint32_t i = 0;
    while (!(f->pairs[i].a == a && f->pairs[i].b == b) && !(f->pairs[i].a == b && f->pairs[i].b == a))
        ++i;
    assert(i < f->pair_count);
    return i;
}

/* Places a block in its region or, if none fits, beyond the end of memory, which is reported as overflow. */
static void fit_one(struct fit *f, uint32_t index, struct fit_result *result)
{
    uint32_t partner;
    for (uint32_t i = f->first_partner[index]; i < f->first_partner[index + 1]; ++i)
        f->apart[f->partners[i]] = 1;
    uint64_t at = first_place(f, index);
    if (at == UINT64_MAX)
        at = first_fit(f, index, lowest(f, index), highest(f, index), true);
    for (uint32_t i = f->first_partner[index]; i < f->first_partner[index + 1]; ++i)
        f->apart[f->partners[i]] = 0;
    if (at == UINT64_MAX && result->failed_pair == NONE && !fits_with_partners(f, index, &partner) &&
        first_fit(f, index, lowest(f, index), highest(f, index), false) != UINT64_MAX)
        result->failed_pair = pair_of(f, index, partner);
    if (at == UINT64_MAX)
        at = first_fit(f, index,
                       f->blocks[index].where == FIT_CODE || f->paired[index] ? f->memory->bytes : lowest(f, index),
                       UINT64_MAX, false);
    assert(at % f->blocks[index].alignment == 0);
    f->address[index] = at;
    put(f, at, f->blocks[index].bytes, f->blocks[index].class, index);
}

/* ---- what is always live ---- */

/* The next free bytes. */
struct cursors {
    uint64_t low;  /* from 0 */
    uint64_t high; /* from the start of the interleaved region */
    uint64_t over; /* after the end of memory */
};

static uint64_t bump_address(struct fit *f, struct cursors *cursors, const struct fit_block *block)
{
    assert(block->class == LIVE_ALWAYS && block->alignment);
    uint64_t start = f->memory->start, end = f->memory->bytes;
    uint64_t limit = block->where == FIT_DATA && cursors->high == start ? end : start;
    uint64_t low = align_up(cursors->low, block->alignment),
             high = align_up(cursors->high > cursors->low ? cursors->high : cursors->low, block->alignment);
    if (block->where != FIT_INTERLEAVED && low + block->bytes <= limit)
        return cursors->low = low + block->bytes, low;
    if (block->where != FIT_CODE && high + block->bytes <= end)
        return cursors->high = high + block->bytes, high;
    bool across = block->where == FIT_DATA && cursors->high == start; /* nothing is after low */
    uint64_t at = cursors->over > end || block->where == FIT_CODE ? cursors->over
                  : across                                        ? cursors->low
                                                                  : cursors->high;
    at = align_up(at, block->alignment);
    cursors->over = at + block->bytes;
    if (block->where != FIT_CODE && at < end)
        *(across ? &cursors->low : &cursors->high) = end; /* full */
    return at;
}

/* The blocks that lead the order, one after the other. */
static size_t place_always(struct fit *f)
{
    struct cursors cursors = { 0, f->memory->start, f->memory->bytes };
    size_t i = 0;
    for (; i < f->count && f->blocks[f->order[i]].class == LIVE_ALWAYS && !f->paired[f->order[i]]; ++i)
        f->address[f->order[i]] = bump_address(f, &cursors, &f->blocks[f->order[i]]);
    put(f, 0, cursors.low, LIVE_ALWAYS, NONE);
    put(f, f->memory->start, cursors.high - f->memory->start, LIVE_ALWAYS, NONE);
    put(f, f->memory->bytes, cursors.over - f->memory->bytes, LIVE_ALWAYS, NONE);
    return i;
}

/* ---- very many blocks ---- */

/* Highest used address over ranges of positions: a segment tree of maxima. */
struct heights {
    uint32_t *leaf;      /* by position: where a span begins or ends, its leaf; else anything */
    uint64_t *max, *all; /* by node: the most below it; of all below it at least */
    uint32_t leaves;
};

static void mark_times(struct heights *h, const struct live *live, uint32_t class)
{
    const struct live_class *of = &live->classes.data[class];
    for (uint32_t i = 0; i < of->count; ++i) {
        h->leaf[live->spans.data[of->first + i].first] = 1;
        h->leaf[live->spans.data[of->first + i].last + 1] = 1;
    }
}

static void heights_ready(struct heights *h, size_t positions)
{
    uint32_t count = 0;
    for (size_t i = 0; i < positions; ++i) {
        uint32_t marked = h->leaf[i];
        h->leaf[i] = count;
        count += marked;
    }
    for (h->leaves = 1; h->leaves < count; h->leaves *= 2)
        ;
    h->max = mem_zero(2 * (size_t)h->leaves, sizeof(*h->max));
    h->all = mem_zero(2 * (size_t)h->leaves, sizeof(*h->all));
}

static uint64_t height_at(const struct heights *h, uint32_t node, uint32_t begin, uint32_t end, uint32_t from,
                          uint32_t to)
{
    if (to <= begin || end <= from)
        return 0;
    if (from <= begin && end <= to)
        return h->max[node];
    uint32_t middle = begin + (end - begin) / 2;
    uint64_t a = height_at(h, 2 * node, begin, middle, from, to), b = height_at(h, 2 * node + 1, middle, end, from, to);
    uint64_t max = a > b ? a : b;
    return max > h->all[node] ? max : h->all[node];
}

static void raise_to(struct heights *h, uint32_t node, uint32_t begin, uint32_t end, uint32_t from, uint32_t to,
                     uint64_t height)
{
    if (to <= begin || end <= from)
        return;
    if (height > h->max[node])
        h->max[node] = height;
    if (from <= begin && end <= to) {
        if (height > h->all[node])
            h->all[node] = height;
        return;
    }
    uint32_t middle = begin + (end - begin) / 2;
    raise_to(h, 2 * node, begin, middle, from, to, height);
    raise_to(h, 2 * node + 1, middle, end, from, to, height);
}

static uint64_t class_height(const struct heights *h, const struct live *live, uint32_t class)
{
    const struct live_class *of = &live->classes.data[class];
    uint64_t max = 0;
    for (uint32_t i = 0; i < of->count; ++i) {
        struct flow_span span = live->spans.data[of->first + i];
        uint64_t height = height_at(h, 1, 0, h->leaves, h->leaf[span.first], h->leaf[span.last + 1]);
        max = height > max ? height : max;
    }
    return max;
}

static void raise_class(struct heights *h, const struct live *live, uint32_t class, uint64_t height)
{
    const struct live_class *of = &live->classes.data[class];
    for (uint32_t i = 0; i < of->count; ++i) {
        struct flow_span span = live->spans.data[of->first + i];
        raise_to(h, 1, 0, h->leaves, h->leaf[span.first], h->leaf[span.last + 1], height);
    }
}

/* Places each block above everything that is live with it. */
static void stack_rest(struct fit *f, size_t from)
{
    struct heights h = { 0 };
    h.leaf = mem_zero(f->positions, sizeof(*h.leaf));
    for (size_t i = from; i < f->count; ++i)
        mark_times(&h, f->live, f->blocks[f->order[i]].class);
    for (size_t i = 0; i < f->placed.count; ++i)
        mark_times(&h, f->live, f->placed.data[i].class);
    heights_ready(&h, f->positions);
    for (size_t i = 0; i < f->placed.count; ++i)
        raise_class(&h, f->live, f->placed.data[i].class, f->placed.data[i].end);
    for (size_t i = from; i < f->count; ++i) {
        uint32_t index = f->order[i];
        const struct fit_block *block = &f->blocks[index];
        uint64_t height = class_height(&h, f->live, block->class), low = lowest(f, index);
        uint64_t at = align_up(height > low ? height : low, block->alignment);
        if (at + block->bytes > highest(f, index))
            at = align_up(height > f->memory->bytes ? height : f->memory->bytes, block->alignment);
        f->address[index] = at;
        raise_class(&h, f->live, block->class, at + block->bytes);
    }
    free(h.leaf);
    free(h.max);
    free(h.all);
}

/* ---- sums of a tile ---- */

/* Where a block begins or ends: the address, its category, and whether it begins, in one number. */
enum { EDGE_CATEGORY = 1, EDGE_ADDRESS = 9 };
static uint64_t edge_of_block(uint64_t address, uint8_t category, bool opens)
{
    assert(address >> (64 - EDGE_ADDRESS) == 0);
    return address << EDGE_ADDRESS | (uint64_t)category << EDGE_CATEGORY | opens;
}

static uint64_t edge_address(const void *edge)
{
    return *(const uint64_t *)edge >> EDGE_ADDRESS;
}

static void add_range(const struct fit *f, uint64_t from, uint64_t to, const uint32_t *open, uint32_t blocks,
                      struct fit_result *result)
{
    const uint64_t bounds[MODEL_REGIONS + 1] = { 0, f->memory->start, f->memory->bytes, UINT64_MAX };
    for (int region = 0; region < MODEL_REGIONS; ++region) {
        uint64_t begin = from > bounds[region] ? from : bounds[region],
                 end = to < bounds[region + 1] ? to : bounds[region + 1];
        if (begin >= end)
            continue;
        uint64_t bytes = end - begin;
        int kinds = 0, kind = 0;
        for (int category = 0; category < MODEL_CATEGORIES; ++category) {
            if (!open[category])
                continue;
            ++kinds;
            kind = category;
            result->uses[category][region][blocks > 1 ? MODEL_OVERLAPPED : MODEL_ALONE] += bytes * open[category];
        }
        if (blocks > 1)
            result->uses[kinds > 1 ? MODEL_MULTIPLE_CATEGORY : kind][region][MODEL_SHARED] += bytes;
        result->tile.bytes[region] += bytes;
        result->tile.with_gaps[region] = end - bounds[region];
        result->tile.total_with_gaps = end;
    }
}

static void sum_addresses(const struct fit *f, struct fit_result *result)
{
    uint64_t *edges = mem_alloc((2 * f->count + 1) * sizeof(*edges));
    uint32_t open[MODEL_CATEGORIES] = { 0 }, blocks = 0;
    size_t count = 0;
    for (size_t i = 0; i < f->count; ++i) {
        if (!f->blocks[i].bytes)
            continue;
        edges[count++] = edge_of_block(f->address[i], f->blocks[i].category, true);
        edges[count++] = edge_of_block(f->address[i] + f->blocks[i].bytes, f->blocks[i].category, false);
    }
    sort_by_key(edges, count, sizeof(*edges), edge_address);
    for (size_t i = 0; i < count; ++i) {
        uint64_t address = edge_address(&edges[i]), last = i ? edge_address(&edges[i - 1]) : 0;
        bool opens = edges[i] & 1;
        if (blocks && address > last)
            add_range(f, last, address, open, blocks, result);
        open[(uint8_t)(edges[i] >> EDGE_CATEGORY)] += opens ? 1 : UINT32_MAX;
        blocks += opens ? 1 : UINT32_MAX;
    }
    assert(!blocks); /* as many ends as beginnings */
    free(edges);
}

/* Positions that the blocks' spans use, and the one after each. */
static size_t count_positions(const struct fit *f)
{
    size_t count = 1;
    for (size_t i = 0; i < f->count; ++i) {
        const struct live_class *of = &f->live->classes.data[f->blocks[i].class];
        if (of->count) {
            size_t end = (size_t)f->live->spans.data[of->first + of->count - 1].last + 2;
            count = end > count ? end : count;
        }
    }
    return count;
}

static void sum_live(const struct fit *f, struct fit_result *result)
{
    uint64_t now = 0, *change = mem_zero(f->positions, sizeof(*change)); /* may be negative: modular arithmetic */
    for (size_t i = 0; i < f->count; ++i) {
        const struct fit_block *block = &f->blocks[i];
        const struct live_class *of = &f->live->classes.data[block->class];
        if (block->class == LIVE_ALWAYS) {
            result->tile.always_live += block->bytes;
            continue;
        }
        for (uint32_t k = 0; k < of->count; ++k) {
            struct flow_span span = f->live->spans.data[of->first + k];
            change[span.first] += block->bytes;
            change[span.last + 1] -= block->bytes;
        }
    }
    for (size_t i = 0; i < f->positions; ++i) {
        now += change[i];
        result->tile.max_live = now > result->tile.max_live ? now : result->tile.max_live;
    }
    assert(!now); /* as much freed as allocated */
    free(change);
}

void fit_place(const struct fit_memory *memory, const struct live *live, const struct fit_block *blocks, size_t count,
               const struct fit_pair *pairs, size_t pair_count, uint64_t *address, struct fit_result *result)
{
    assert(memory->start <= memory->bytes && (!pair_count || pairs));
    struct fit f = { .memory = memory,
                     .live = live,
                     .blocks = blocks,
                     .pairs = pairs,
                     .count = count,
                     .pair_count = pair_count,
                     .address = address };
    *result = (struct fit_result){ .failed_pair = NONE };
    f.positions = count_positions(&f);
    f.order = mem_alloc((count + !count) * sizeof(*f.order));
    f.paired = mem_zero(count, sizeof(*f.paired));
    f.apart = mem_zero(count, sizeof(*f.apart));
    find_partners(&f);
    color_pairs(&f);
    sort_blocks(&f);
    size_t at = place_always(&f), last = at + FIRST_FIT_MAX;
    for (; at < count && (at < last || f.paired[f.order[at]]); ++at)
        fit_one(&f, f.order[at], result);
    if (at < count)
        stack_rest(&f, at);
    sum_addresses(&f, result);
    sum_live(&f, result);
    free(f.order);
    free(f.paired);
    free(f.apart);
    free(f.partners);
    free(f.first_partner);
    vec_free(&f.placed);
}
