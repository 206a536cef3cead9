/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/profile.h"

#include <assert.h>

#define NO_BLOCK SIZE_MAX

/* Where a block is; the outermost is the record itself. */
struct trace_place {
    size_t block;   /* its entry */
    size_t at, end; /* the next entry, and the end of the block */
    uint32_t done;  /* ops of the stretch at `at` */
    uint64_t again; /* iterations that have not begun */
    uint64_t once;  /* what one counts */
};

struct trace_pieces {
    const struct trace_entry *entries;
    const struct step_costs *costs;
    uint64_t *before; /* by op, and one more: what ops before it count */
    uint64_t entry;   /* what the beginning of a run counts */
    VEC(struct trace_place) places;
    struct trace *piece;
    uint64_t left;
    bool some;
};

static uint64_t plus(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t times(uint64_t a, uint64_t b)
{
    return a && b > UINT64_MAX / a ? UINT64_MAX : a * b;
}

static uint64_t begin_counts(const struct trace_pieces *p, const struct trace_entry *block)
{
    return block->first == TRACE_RUN ? p->entry : 0;
}

/* Of one time through entries. */
static uint64_t counted(const struct trace_pieces *p, size_t from, size_t end)
{
    uint64_t sum = 0;
    for (size_t i = from; i < end; ++i) {
        const struct trace_entry *e = p->entries + i;
        if (!e->times) {
            sum = plus(sum, p->before[(size_t)e->first + trace_ops(e)] - p->before[e->first]);
            continue;
        }
        uint64_t once = plus(begin_counts(p, e), counted(p, i + 1, i + 1 + e->count));
        sum = plus(sum, e->count ? times(once, e->times) : once);
        i += e->count;
    }
    return sum;
}

/* Whether so much may be taken; it is, then. */
static bool take(struct trace_pieces *p, uint64_t counts)
{
    if (counts > p->left && !(p->some && !p->piece->entries.count))
        return false;
    p->left -= counts < p->left ? counts : p->left;
    return true;
}

static void add(struct trace_pieces *p, struct trace_entry entry)
{
    *vec_push(&p->piece->entries) = entry;
}

/* Ops of a stretch; false: no more fit. */
static bool take_ops(struct trace_pieces *p, struct trace_place *place)
{
    const struct trace_entry *e = p->entries + place->at;
    const uint64_t *before = p->before + e->first + place->done;
    uint32_t ops = trace_ops(e), low = 0, high = ops - place->done;
    while (low < high) {
        uint32_t middle = low + (high - low + 1) / 2;
        if (before[middle] - before[0] <= p->left)
            low = middle;
        else
            high = middle - 1;
    }
    if (!low && ops > place->done)
        low = 1;
    if (!take(p, before[low] - before[0]))
        return false;
    if (low && trace_is_counted(e))
        add(p, *e);
    else if (low)
        add(p, (struct trace_entry){ e->first + place->done, low, 0 });
    place->done += low;
    if (place->done == ops) {
        place->done = 0;
        ++place->at;
    }
    return true;
}

/* Takes as many whole iterations as fit, or the beginning of one; false when not even that fits. */
static bool take_iterations(struct trace_pieces *p, struct trace_place *place)
{
    const struct trace_entry *block = p->entries + place->block;
    uint64_t whole = !place->once ? place->again : p->left / place->once;
    whole = whole < place->again ? whole : place->again;
    if (whole) {
        (void)take(p, whole * place->once);
        add(p, (struct trace_entry){ block->first, block->count, whole });
        memcpy(vec_extend(&p->piece->entries, block->count), block + 1, block->count * sizeof(*block));
        place->again -= whole;
        return true;
    }
    if (!take(p, begin_counts(p, block)))
        return false;
    add(p, (struct trace_entry){ block->first, 0, 1 });
    --place->again;
    place->at = place->block + 1;
    return true;
}

static void enter(struct trace_pieces *p, size_t block)
{
    const struct trace_entry *e = p->entries + block;
    size_t end = block + 1 + e->count;
    uint64_t once = plus(begin_counts(p, e), counted(p, block + 1, end));
    *vec_push(&p->places) =
        (struct trace_place){ .block = block, .at = end, .end = end, .again = e->times, .once = once };
}

/* Takes the next thing; false at the end, or when it does not fit. */
static bool next(struct trace_pieces *p)
{
    struct trace_place *place = p->places.data + p->places.count - 1;
    if (place->at == place->end) {
        if (place->again)
            return take_iterations(p, place);
        --p->places.count;
        return p->places.count != 0;
    }
    const struct trace_entry *e = p->entries + place->at;
    if (!e->times)
        return take_ops(p, place);
    if (!e->count) { /* a block that did not end: what follows is in line */
        if (!take(p, begin_counts(p, e)))
            return false;
        add(p, *e);
        ++place->at;
        return true;
    }
    size_t block = place->at;
    place->at += 1 + (size_t)e->count;
    enter(p, block);
    return true;
}

struct trace_pieces *trace_pieces_begin(const struct trace *trace, const struct model *model, const uint32_t *weights)
{
    struct trace_pieces *p = MEM_NEW(struct trace_pieces);
    size_t ops = model->op_first.count ? model->op_first.count - 1 : 0;
    p->entries = trace->entries.data;
    p->costs = trace->costs;
    p->before = mem_zero(ops + 1, sizeof(*p->before));
    for (size_t op = 0; op < ops; ++op) {
        p->before[op + 1] = p->before[op];
        for (size_t i = model->op_first.data[op]; i < model->op_first.data[op + 1]; ++i)
            p->before[op + 1] += weights[model->op_steps.data[i]];
    }
    for (size_t i = 0; i < model->entry.count; ++i)
        p->entry += weights[model->entry.data[i]];
    *vec_push(&p->places) = (struct trace_place){ .block = NO_BLOCK, .end = trace->entries.count };
    return p;
}

uint64_t trace_pieces_next(struct trace_pieces *pieces, uint64_t max, bool some, struct trace *piece)
{
    assert(!piece->entries.count);
    piece->costs = pieces->costs;
    pieces->piece = piece;
    pieces->left = max;
    pieces->some = some;
    while (pieces->places.count && next(pieces))
        if (some && piece->entries.count && !pieces->left)
            break;
    return max - pieces->left;
}

void trace_pieces_free(struct trace_pieces *pieces)
{
    if (!pieces)
        return;
    vec_free(&pieces->places);
    free(pieces->before);
    free(pieces);
}
