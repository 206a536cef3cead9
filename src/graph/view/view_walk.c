/* SPDX-License-Identifier: Apache-2.0 */
/* From views over composites to strided pieces of variables: digits over a child's flat elements are composed with the
 * child's own digits where strides can express it, and cut where they cannot. */
#include "graph/view/view_walk.h"
#include "graph/store/store.h"
#include "graph/view/tensor.h"
#include "graph/view/tensor_form.h"
#include "graph/view/view.h"

#include <assert.h>

struct piece child_piece(const struct composite *composite, size_t index)
{
    assert(index < composite->children.count);
    struct node_child child = composite->children.data[index];
    return (struct piece){ .variable = child.source,
                           .digits = child.digits,
                           .offset = child.offset,
                           .elements = composite_end(composite, index) - child.begin,
                           .digit = composite->pool.data + child.first };
}

void levels_of(const struct piece *child, uint64_t at, struct levels *levels)
{
    assert(at < child->elements);
    uint64_t weight = 1;
    levels->count = child->digits;
    for (unsigned i = child->digits; i-- > 0; weight *= child->digit[i].extent)
        levels->weight[i] = weight;
    for (unsigned i = 0; i < levels->count; ++i)
        levels->at[i] = levels_take(&at, levels->weight[i]);
}

unsigned levels_level_of(const struct levels *levels, uint64_t step)
{
    unsigned level = levels->count - 1;
    while (level && levels->weight[level - 1] <= step)
        --level;
    return level;
}

static void put_digit(struct composed *out, uint64_t extent, int64_t stride, unsigned owner)
{
    assert(out->digits < MAX_DIGITS + 2);
    out->owner[out->digits] = (uint8_t)owner;
    out->digit[out->digits++] = (struct digit){ extent, stride };
}

/* A child of one digit: steps only scale. */
static bool compose_linear(const struct piece *child, uint64_t at, const struct digit *view, unsigned count,
                           uint64_t first, struct composed *out)
{
    int64_t scale = child->digits ? child->digit->stride : 0;
    out->offset = child->offset + at * (uint64_t)scale;
    for (unsigned i = 0; i < count; ++i)
        if (i || first > 1)
            put_digit(out, i ? view[i].extent : first, view[i].stride * scale, i);
    return true;
}

/* Cuts a view digit that counts through whole levels of the child into one digit for each, outermost first. */
static unsigned cut_by_level(const struct piece *child, const struct levels *levels, uint64_t extent, uint64_t step,
                             struct digit *cut)
{
    unsigned count = 0;
    while (step) {
        unsigned level = levels_level_of(levels, step);
        if (!level || extent * step <= levels->weight[level - 1]) /* it stays below the end of the level */
            break;
        uint64_t size = child->digit[level].extent, times = step / levels->weight[level];
        if (step % levels->weight[level] || size % times)
            break;
        uint64_t turns = size / times;
        if (extent <= turns || extent % turns)
            break;
        cut[count++] = (struct digit){ turns, (int64_t)step };
        extent /= turns;
        step *= turns;
    }
    cut[count++] = (struct digit){ extent, (int64_t)step };
    for (unsigned i = 0; i < count / 2; ++i) {
        struct digit swap = cut[i];
        cut[i] = cut[count - 1 - i];
        cut[count - 1 - i] = swap;
    }
    return count;
}

bool digits_compose(const struct piece *child, uint64_t at, const struct digit *view, unsigned count, uint64_t first,
                    struct composed *out)
{
    out->digits = 0;
    if (child->digits <= 1)
        return compose_linear(child, at, view, count, first, out);
    for (unsigned i = 0; i < count; ++i) /* count from the lowest element, so that all steps go up */
        if (view[i].stride < 0)
            at += ((i ? view[i].extent : first) - 1) * (uint64_t)view[i].stride;
    struct levels levels;
    levels_of(child, at, &levels);
    out->offset = child->offset;
    for (unsigned i = 0; i < levels.count; ++i)
        out->offset += levels.at[i] * (uint64_t)child->digit[i].stride;
    for (unsigned i = 0; i < count; ++i) {
        uint64_t extent = i ? view[i].extent : first;
        if (extent == 1)
            continue;
        bool down = view[i].stride < 0;
        struct digit cut[MAX_DIGITS + 2];
        unsigned cuts = cut_by_level(child, &levels, extent, (uint64_t)(down ? -view[i].stride : view[i].stride), cut);
        for (unsigned k = 0; k < cuts; ++k) {
            int64_t stride = 0;
            uint64_t left = (uint64_t)cut[k].stride;
            for (unsigned j = 0; left; ++j) {
                uint64_t steps = levels_take(&left, levels.weight[j]);
                stride += (int64_t)steps * child->digit[j].stride;
                levels.at[j] += (cut[k].extent - 1) * steps;
                if (levels.at[j] >= child->digit[j].extent)
                    return false; /* a carry: the move is not linear */
            }
            if (down)
                out->offset += (cut[k].extent - 1) * (uint64_t)stride;
            put_digit(out, cut[k].extent, down ? -stride : stride, i);
        }
    }
    return true;
}

/* The most blocks (at most most) of a view's first digit that compose, from element at of the child on; 0 when not even
 * one does. */
static uint64_t compose_max(const struct piece *child, uint64_t at, const struct digit *view, unsigned count,
                            uint64_t max, struct composed *out)
{
    assert(max);
    if (digits_compose(child, at, view, count, max, out))
        return max;
    uint64_t step = (uint64_t)(view->stride < 0 ? -view->stride : view->stride);
    if (step && max > 1) {
        struct levels levels;
        levels_of(child, at, &levels);
        for (unsigned i = 0; i < levels.count; ++i) { /* as many whole turns below a level as the level has left */
            if (levels.weight[i] % step)
                continue;
            uint64_t turn = levels.weight[i] / step;
            uint64_t left = view->stride < 0 ? levels.at[i] + 1 : child->digit[i].extent - levels.at[i];
            uint64_t blocks = (max / turn < left ? max / turn : left) * turn;
            if (blocks > 1 && blocks < max && digits_compose(child, at, view, count, blocks, out))
                return blocks;
        }
        unsigned level = levels_level_of(&levels, step);
        uint64_t times = step / levels.weight[level];
        uint64_t left = view->stride < 0 ? levels.at[level] : child->digit[level].extent - 1 - levels.at[level];
        uint64_t blocks = left / times + 1;
        if (blocks > 1 && blocks < max && digits_compose(child, at, view, count, blocks, out))
            return blocks;
    }
    return digits_compose(child, at, view, count, 1, out) ? 1 : 0;
}

/* Makes strides positive, largest first, and leaves out repeats; returns whether there were any. */
static bool digits_sort(struct digit *digit, unsigned *count, uint64_t *offset)
{
    unsigned kept = 0;
    bool repeats = false;
    for (unsigned i = 0; i < *count; ++i) {
        struct digit d = digit[i];
        if (!d.stride || d.extent == 1) {
            repeats |= d.extent > 1;
            continue;
        }
        if (d.stride < 0) {
            *offset += (d.extent - 1) * (uint64_t)d.stride;
            d.stride = -d.stride;
        }
        unsigned k = kept++;
        for (; k && digit[k - 1].stride < d.stride; --k)
            digit[k] = digit[k - 1];
        digit[k] = d;
    }
    *count = digits_merge(digit, kept);
    return repeats;
}

struct walk {
    pop_store *store;
    bool *repeats; /* not NULL: order does not matter */
    piece_fn fn;
    void *context;
};

static bool walk(const struct walk *w, uint32_t source, uint64_t offset, const struct digit *digit, unsigned count);

/* Walks blocks of a view's first digit that are in one child; *done says how many were, 0 when a single one does not
 * compose. */
static bool walk_child(const struct walk *w, const struct composite *composite, size_t index, uint64_t base,
                       const struct digit *digit, unsigned count, uint64_t max, uint64_t *done)
{
    struct composed out;
    struct piece child = child_piece(composite, index);
    *done = compose_max(&child, base - composite->children.data[index].begin, digit, count, max, &out);
    if (!*done)
        return true;
    if (w->repeats && digits_sort(out.digit, &out.digits, &out.offset))
        *w->repeats = true;
    out.digits = digits_merge(out.digit, out.digits);
    return walk(w, child.variable, out.offset, out.digit, out.digits);
}

/* How many blocks from base on are in [begin, end), when the first one does. */
static uint64_t blocks_inside(uint64_t first, uint64_t last, int64_t stride, uint64_t begin, uint64_t end, uint64_t max)
{
    if (!stride)
        return max;
    uint64_t left = stride > 0 ? (end - 1 - last) / (uint64_t)stride : (first - begin) / (uint64_t)-stride;
    return left + 1 < max ? left + 1 : max;
}

static bool walk(const struct walk *w, uint32_t source, uint64_t offset, const struct digit *digit, unsigned count)
{
    if (!(source & COMPOSITE)) {
        struct piece piece = { .variable = source, .digits = count, .offset = offset, .elements = 1, .digit = digit };
        for (unsigned i = 0; i < count; ++i)
            piece.elements *= digit[i].extent;
        return w->fn(&piece, w->context);
    }
    struct composite *composite = composite_of(w->store, source);
    struct digit outer = count ? digit[0] : (struct digit){ 1, 0 };
    int64_t low, high;
    digits_span(digit + 1, count ? count - 1 : 0, &low, &high);
    for (uint64_t i = 0, done; i < outer.extent; i += done) {
        uint64_t base = offset + i * (uint64_t)outer.stride;
        uint64_t first = base + (uint64_t)low, last = base + (uint64_t)high;
        size_t child = composite_find(composite, first);
        uint64_t begin = composite->children.data[child].begin, end = composite_end(composite, child);
        done = 0;
        if (last < end) {
            uint64_t max = blocks_inside(first, last, outer.stride, begin, end, outer.extent - i);
            if (!walk_child(w, composite, child, base, digit, count, max, &done))
                return false;
        }
        if (!done) {       /* one block, cut along its inner digits */
            assert(count); /* a view of one element is in one child */
            if (!walk(w, source, base, digit + 1, count - 1))
                return false;
            done = 1;
        }
    }
    return true;
}

bool walk_pieces(pop_store *store, const struct piece *flat, piece_fn fn, void *context)
{
    struct walk w = { store, NULL, fn, context };
    return walk(&w, flat->variable, flat->offset, flat->digit, flat->digits);
}

bool walk_set(pop_store *store, const struct piece *flat, bool *repeats, piece_fn fn, void *context)
{
    struct digit digit[MAX_DIGITS + 2];
    unsigned count = flat->digits;
    uint64_t offset = flat->offset;
    digits_copy(digit, flat->digit, count);
    if (digits_sort(digit, &count, &offset))
        *repeats = true;
    struct walk w = { store, repeats, fn, context };
    return walk(&w, flat->variable, offset, digit, count);
}

/* Elements [begin, end) of a block whose digits have size elements. */
static bool walk_range(const struct walk *w, uint32_t source, uint64_t offset, struct digit *digit, unsigned count,
                       uint64_t size, uint64_t begin, uint64_t end)
{
    if (begin == end)
        return true;
    if (!begin && end == size)
        return walk(w, source, offset, digit, count);
    assert(begin < end && end <= size && count);
    uint64_t inner = size / digit->extent, first = begin / inner, last = end / inner;
    uint64_t base = offset + first * (uint64_t)digit->stride;
    if (first == last)
        return walk_range(w, source, base, digit + 1, count - 1, inner, begin - first * inner, end - first * inner);
    if (begin % inner) {
        if (!walk_range(w, source, base, digit + 1, count - 1, inner, begin % inner, inner))
            return false;
        base += (uint64_t)digit->stride;
        ++first;
    }
    if (first < last) {
        struct digit whole = *digit;
        digit->extent = last - first;
        struct digit *from = last - first == 1 ? digit + 1 : digit;
        bool more = walk(w, source, base, from, count - (unsigned)(from - digit));
        *digit = whole;
        if (!more)
            return false;
    }
    base = offset + last * (uint64_t)digit->stride;
    return walk_range(w, source, base, digit + 1, count - 1, inner, 0, end % inner);
}

bool walk_pieces_in(pop_store *store, const struct piece *flat, uint64_t begin, uint64_t end, piece_fn fn,
                    void *context)
{
    struct walk w = { store, NULL, fn, context };
    const struct digit *from = flat->digit;
    unsigned count = flat->digits;
    uint64_t offset = flat->offset, size = flat->elements, inner = 0;
    if (begin == end)
        return true;
    for (; end - begin < size; ++from, --count) { /* most ranges are of one block: of some steps of a digit */
        inner = size / from->extent;
        uint64_t first = levels_take(&begin, inner);
        end -= first * inner;
        offset += first * (uint64_t)from->stride;
        if (end > inner)
            break;
        size = inner;
    }
    if (end - begin == size)
        return walk(&w, flat->variable, offset, from, count);
    struct digit digit[MAX_DIGITS + 2];
    digits_copy(digit, from, count);
    if (begin || end % inner)
        return walk_range(&w, flat->variable, offset, digit, count, size, begin, end);
    digit->extent = end / inner;
    return walk(&w, flat->variable, offset, digit, count);
}
