/* SPDX-License-Identifier: Apache-2.0 */
/* storage: where each used variable is in the host's storage block.  Variables that are needed at different times
 * (lifetimes.h) share a part of it. */
#include "compiler/lower/lifetimes.h"
#include "compiler/lower/lower.h"

#include <assert.h>

/* ---- places that are used in turn ---- */

/* Free bytes below the top, in the order of their offsets, apart. */
struct gap {
    uint64_t offset, bytes;
};
enum { MAX_GAPS = 1024 }; /* more are not searched */
struct turns {
    struct compiler *c;
    uint64_t *offset; /* by variable */
    VEC(struct gap) gaps;
    uint64_t top;
};

static uint64_t place_bytes(const struct compiler *c, uint32_t variable)
{
    uint64_t bytes = c->store->variables.data[variable].elements * variable_element_bytes(c, variable);
    return align_up(bytes + STORAGE_PADDING, STORAGE_ALIGNMENT);
}

static void remove_gap(struct turns *t, size_t index)
{
    memmove(t->gaps.data + index, t->gaps.data + index + 1, (--t->gaps.count - index) * sizeof(*t->gaps.data));
}

/* In the smallest gap that is large enough, else at the top. */
static uint64_t take(struct turns *t, uint64_t bytes)
{
    size_t count = t->gaps.count < MAX_GAPS ? t->gaps.count : MAX_GAPS, best = count;
    for (size_t i = 0; i < count; ++i)
        if (t->gaps.data[i].bytes >= bytes && (best == count || t->gaps.data[i].bytes < t->gaps.data[best].bytes))
            best = i;
    uint64_t offset = t->top;
    if (best < count) {
        offset = t->gaps.data[best].offset;
        t->gaps.data[best].offset += bytes;
        if (!(t->gaps.data[best].bytes -= bytes))
            remove_gap(t, best);
        return offset;
    }
    if (t->gaps.count) { /* the last gap may end at the top */
        const struct gap *last = &t->gaps.data[t->gaps.count - 1];
        if (last->offset + last->bytes == t->top) {
            offset = last->offset;
            --t->gaps.count;
        }
    }
    t->top = offset + bytes;
    return offset;
}

static size_t gap_after(const struct turns *t, uint64_t offset)
{
    size_t low = 0, high = t->gaps.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (t->gaps.data[middle].offset < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void give_back(struct turns *t, uint64_t offset, uint64_t bytes)
{
    size_t at = gap_after(t, offset);
    struct gap *after = at < t->gaps.count ? &t->gaps.data[at] : NULL, *before = at ? &t->gaps.data[at - 1] : NULL;
    assert(!before || before->offset + before->bytes <= offset);
    assert(!after || offset + bytes <= after->offset);
    if (before && before->offset + before->bytes == offset) {
        before->bytes += bytes;
        if (after && offset + bytes == after->offset) {
            before->bytes += after->bytes;
            remove_gap(t, at);
        }
    } else if (after && offset + bytes == after->offset) {
        after->offset = offset;
        after->bytes += bytes;
    } else {
        vec_reserve(&t->gaps, 1);
        memmove(t->gaps.data + at + 1, t->gaps.data + at, (t->gaps.count++ - at) * sizeof(*t->gaps.data));
        t->gaps.data[at] = (struct gap){ offset, bytes };
    }
}

static int compare(uint32_t a, uint32_t b)
{
    return a < b ? -1 : a > b;
}

static int by_first(const void *left, const void *right)
{
    const struct lifetime *a = left, *b = right;
    int order = compare(a->body, b->body);
    order = order ? order : compare(a->first, b->first);
    return order ? order : compare(a->variable, b->variable);
}

static int by_last(const void *left, const void *right)
{
    const struct lifetime *a = left, *b = right;
    int order = compare(a->body, b->body);
    order = order ? order : compare(a->last, b->last);
    return order ? order : compare(a->variable, b->variable);
}

/* Each body has places of its own, above those of the bodies before. */
static void take_turns(struct turns *t, lifetime_list *lifetimes)
{
    size_t count = lifetimes->count, done = 0;
    if (!count)
        return;
    struct lifetime *ends = mem_copy(lifetimes->data, count * sizeof(*ends));
    qsort(lifetimes->data, count, sizeof(*lifetimes->data), by_first);
    qsort(ends, count, sizeof(*ends), by_last);
    for (size_t i = 0; i < count; ++i) {
        const struct lifetime *l = &lifetimes->data[i];
        if (i && l->body != lifetimes->data[i - 1].body) {
            t->gaps.count = 0;
            done = i;
        }
        for (; ends[done].body == l->body && ends[done].last < l->first; ++done)
            give_back(t, t->offset[ends[done].variable], place_bytes(t->c, ends[done].variable));
        t->offset[l->variable] = take(t, place_bytes(t->c, l->variable));
    }
    free(ends);
}

/* ---- all variables ---- */

static bool is_too_large(const struct compiler *c, uint32_t variable, uint64_t at)
{
    uint64_t bytes;
    return __builtin_mul_overflow(c->store->variables.data[variable].elements, variable_element_bytes(c, variable),
                                  &bytes) ||
           bytes > IMAGE_BYTES_MAX || at + bytes > IMAGE_BYTES_MAX - 2 * STORAGE_PADDING;
}

static bool fail_large(struct compiler *c, uint32_t variable)
{
    return compiler_fail(c, POP_GRAPH_MEMORY_ALLOCATION_ERROR, c->store->variables.data[variable].where,
                         variable_name(c, variable),
                         "variable '%s' of %llu elements is larger than an address can reach",
                         variable_name(c, variable), (unsigned long long)c->store->variables.data[variable].elements);
}

/* Those that have a place of their own, one after another. */
static bool place_own(struct compiler *c, const struct check_result *check, uint64_t *offset, uint64_t *top)
{
    uint64_t at = STORAGE_PADDING; /* what empty edges point at */
    for (uint32_t v = 0; v < c->store->variables.count; ++v) {
        bool shares = offset[v] != NO_STORAGE;
        if (!check->variable_use[v])
            continue;
        if (is_too_large(c, v, at))
            return fail_large(c, v);
        if (shares)
            continue;
        assert(at % STORAGE_ALIGNMENT == 0);
        offset[v] = at;
        at += place_bytes(c, v);
    }
    *top = at;
    return true;
}

const struct storage_result *pass_storage(struct compiler *c, const struct use_result *use,
                                          const struct check_result *check, const struct order_result *sets)
{
    struct storage_result *storage = ARENA_NEW(&c->arena, struct storage_result);
    size_t variables = c->store->variables.count;
    struct turns turns = { .c = c };
    lifetime_list lifetimes = { 0 };
    storage->offset = arena_alloc(&c->arena, variables * sizeof(*storage->offset));
    for (size_t v = 0; v < variables; ++v)
        storage->offset[v] = NO_STORAGE;
    lifetimes_find(c, use, check, sets, &lifetimes);
    for (size_t i = 0; i < lifetimes.count; ++i)
        storage->offset[lifetimes.data[i].variable] = 0;
    bool good = place_own(c, check, storage->offset, &turns.top);
    turns.offset = storage->offset;
    if (good)
        take_turns(&turns, &lifetimes);
    if (good && lifetimes.count && turns.top > IMAGE_BYTES_MAX - 2 * STORAGE_PADDING)
        good = fail_large(c, lifetimes.data[lifetimes.count - 1].variable);
    c->image->storage_bytes = turns.top;
    vec_free(&turns.gaps);
    vec_free(&lifetimes);
    return good ? storage : NULL;
}
