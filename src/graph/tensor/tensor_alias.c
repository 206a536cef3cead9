/* SPDX-License-Identifier: Apache-2.0 */
/* Which elements tensors share: aliases, intersection, equality.
 *
 * Structured views are decided on their pieces.  Where pieces interleave in a way that strides do not settle,
 * elements are marked one by one. */
#include "base/bits.h"
#include "graph/store/store.h"
#include "graph/view/tensor.h"
#include "graph/view/tensor_form.h"
#include "graph/view/view.h"
#include "graph/view/view_walk.h"

/* A piece of a set: positive strides, largest first. */
struct alias_block {
    uint32_t variable;
    unsigned digits, owner; /* which tensor it comes from */
    uint64_t low, high;     /* first and last element */
    size_t first;           /* index of its digits */
};
struct blocks {
    VEC(struct alias_block) list;
    VEC(struct digit) pool;
    unsigned owner;
    bool repeats;
};

static bool add_block(const struct piece *piece, void *context)
{
    struct blocks *blocks = context;
    int64_t low, high;
    digits_span(piece->digit, piece->digits, &low, &high);
    size_t first = blocks->pool.count;
    vec_reserve(&blocks->pool, piece->digits + 1); /* never NULL, even when no piece has digits */
    if (piece->digits)
        digits_copy(vec_extend(&blocks->pool, piece->digits), piece->digit, piece->digits);
    *vec_push(&blocks->list) = (struct alias_block){
        piece->variable, piece->digits, blocks->owner, piece->offset, piece->offset + (uint64_t)high, first
    };
    return true;
}

static void add_tensor(struct blocks *blocks, pop_tensor t, unsigned owner)
{
    struct flat flat;
    blocks->owner = owner;
    if (t.form & FORM_EMPTY)
        return;
    tensor_flat(t, &flat);
    walk_set(t.store, &flat.piece, &blocks->repeats, add_block, blocks);
}

static void blocks_free(struct blocks *blocks)
{
    vec_free(&blocks->list);
    vec_free(&blocks->pool);
}

static int by_position(const void *a, const void *b)
{
    const struct alias_block *x = a, *y = b;
    if (x->variable != y->variable)
        return x->variable < y->variable ? -1 : 1;
    return x->low < y->low ? -1 : x->low > y->low;
}

/* Each digit's stride exceeds the range of the smaller ones, so no element occurs twice. */
static bool is_injective(const struct blocks *blocks, const struct alias_block *block)
{
    const struct digit *digit = blocks->pool.data + block->first;
    uint64_t reach = 0;
    for (unsigned i = block->digits; i-- > 0;) {
        if ((uint64_t)digit[i].stride <= reach)
            return false;
        reach += (digit[i].extent - 1) * (uint64_t)digit[i].stride;
    }
    return true;
}

static bool holds(const struct blocks *blocks, const struct alias_block *block, uint64_t element)
{
    if (element < block->low || element > block->high)
        return false;
    const struct digit *digit = blocks->pool.data + block->first;
    uint64_t left = element - block->low;
    for (unsigned i = 0; i < block->digits; ++i) {
        uint64_t steps = left / (uint64_t)digit[i].stride;
        left -= (steps < digit[i].extent - 1 ? steps : digit[i].extent - 1) * (uint64_t)digit[i].stride;
    }
    return !left;
}

/* What a block occupies of each period: false when its digits do not all divide into multiples of the period and less
 * than one. */
static bool window(const struct blocks *blocks, const struct alias_block *block, uint64_t period, uint64_t *length)
{
    const struct digit *digit = blocks->pool.data + block->first;
    *length = 1;
    for (unsigned i = 0; i < block->digits; ++i)
        if ((uint64_t)digit[i].stride % period)
            *length += (digit[i].extent - 1) * (uint64_t)digit[i].stride;
    return *length <= period;
}

static bool disjoint_in_period(const struct blocks *blocks, const struct alias_block *a, const struct alias_block *b,
                               uint64_t period)
{
    uint64_t a_length, b_length;
    if (!window(blocks, a, period, &a_length) || !window(blocks, b, period, &b_length))
        return false;
    uint64_t from_a = (b->low % period + period - a->low % period) % period, from_b = (period - from_a) % period;
    return from_a >= a_length && from_b >= b_length;
}

enum answer { NO, YES, UNKNOWN };

/* Whether two injective blocks share an element. */
static enum answer blocks_meet(const struct blocks *blocks, const struct alias_block *a, const struct alias_block *b)
{
    if (a->variable != b->variable || a->high < b->low || b->high < a->low)
        return NO;
    if (holds(blocks, a, b->low) || holds(blocks, b, a->low) || holds(blocks, a, b->high) || holds(blocks, b, a->high))
        return YES;
    const struct alias_block *both[] = { a, b };
    for (unsigned k = 0; k < 2; ++k)
        for (unsigned i = 0; i < both[k]->digits; ++i)
            if (disjoint_in_period(blocks, a, b, (uint64_t)blocks->pool.data[both[k]->first + i].stride))
                return NO;
    return UNKNOWN;
}

/* Whether two blocks (of different owners, when across) share an element, as far as a linear number of comparisons
 * shows. */
static enum answer any_meet(struct blocks *blocks, bool across)
{
    size_t count = blocks->list.count, budget = 8 * count + 64;
    if (count)
        qsort(blocks->list.data, count, sizeof(*blocks->list.data), by_position);
    enum answer answer = NO;
    for (size_t i = 0; i < count; ++i) {
        const struct alias_block *a = &blocks->list.data[i];
        if (!is_injective(blocks, a))
            return UNKNOWN;
        for (size_t k = i + 1; k < count; ++k) {
            const struct alias_block *b = &blocks->list.data[k];
            if (b->variable != a->variable || b->low > a->high)
                break;
            if (!budget--)
                return UNKNOWN;
            if (across && a->owner == b->owner)
                continue;
            enum answer met = is_injective(blocks, b) ? blocks_meet(blocks, a, b) : UNKNOWN;
            if (met == YES)
                return YES;
            if (met == UNKNOWN)
                answer = UNKNOWN;
        }
    }
    return answer;
}

/* The exact answer, variable by variable: a bitmap of the elements that its blocks span, in windows. */
#define MAX_BITS ((uint64_t)1 << 30)
struct taken {
    uint64_t *bits;
    uint64_t low, end; /* elements that have bits */
};

struct bit_range {
    uint64_t begin, end;
};

/* The bits of a run, as far as it has any. */
static struct bit_range bits_of(const struct taken *taken, const struct run *run)
{
    uint64_t begin = run->offset > taken->low ? run->offset : taken->low, end = run->offset + run->count;
    end = end < taken->end ? end : taken->end;
    return begin < end ? (struct bit_range){ begin - taken->low, end - taken->low } : (struct bit_range){ 0, 0 };
}

/* False when some element of a run is taken already. */
static bool take_run(const struct run *run, void *context)
{
    const struct taken *taken = context;
    struct bit_range bits = bits_of(taken, run);
    return bits_set(taken->bits, bits.begin, bits.end) == bits.end - bits.begin;
}

static bool mark_run(const struct run *run, void *context)
{
    take_run(run, context);
    return true;
}

static bool is_free(const struct run *run, void *context)
{
    const struct taken *taken = context;
    struct bit_range bits = bits_of(taken, run);
    return !bits_any(taken->bits, bits.begin, bits.end);
}

static bool each_run_of_block(const struct blocks *blocks, const struct alias_block *block, run_fn fn, void *context)
{
    struct piece piece = { .variable = block->variable,
                           .digits = block->digits,
                           .offset = block->low,
                           .digit = blocks->pool.data + block->first };
    return piece_each_run(&piece, fn, context);
}

/* Blocks [first, end) of one variable, as far as their elements have bits. */
static bool taken_twice(const struct blocks *blocks, size_t first, size_t end, bool across, struct taken *taken)
{
    const struct alias_block *list = blocks->list.data;
    bool apart = true;
    for (size_t i = first; i < end && apart; ++i)
        if (!across)
            apart = each_run_of_block(blocks, &list[i], take_run, taken);
        else if (!list[i].owner)
            each_run_of_block(blocks, &list[i], mark_run, taken);
    for (size_t i = first; i < end && apart && across; ++i)
        apart = !list[i].owner || each_run_of_block(blocks, &list[i], is_free, taken);
    return !apart;
}

/* Blocks [first, end) of one variable, in the order of their first elements. */
static bool blocks_of_variable_meet(const struct blocks *blocks, size_t first, size_t end, bool across)
{
    const struct alias_block *list = blocks->list.data;
    uint64_t high = 0;
    bool meet = false;
    for (size_t i = first; i < end; ++i)
        high = list[i].high > high ? list[i].high : high;
    for (uint64_t low = list[first].low; low <= high && !meet; low += MAX_BITS) {
        uint64_t count = high - low + 1 < MAX_BITS ? high - low + 1 : MAX_BITS;
        struct taken taken = { mem_zero((count - 1) / 64 + 1, sizeof(*taken.bits)), low, low + count };
        meet = taken_twice(blocks, first, end, across, &taken);
        free(taken.bits);
    }
    return meet;
}

static bool runs_meet(const struct blocks *blocks, bool across)
{
    const struct alias_block *list = blocks->list.data;
    for (size_t i = 0, end; i < blocks->list.count; i = end) {
        for (end = i + 1; end < blocks->list.count && list[end].variable == list[i].variable; ++end)
            ;
        if (blocks_of_variable_meet(blocks, i, end, across))
            return true;
    }
    return false;
}

static bool blocks_share(struct blocks *blocks, bool across)
{
    enum answer answer = any_meet(blocks, across);
    return answer == UNKNOWN ? runs_meet(blocks, across) : answer == YES;
}

/* Whether a view holds elements more than once, for the views that were asked about lately: programs ask again before
 * each operation that writes a tensor. */
enum { ANSWERS = 16, ANSWER_DIGITS = 8 };
struct alias_answer {
    uint64_t stamp, offset; /* stamp of its composite; 0: none */
    uint32_t source, digits;
    struct digit digit[ANSWER_DIGITS];
    bool aliases;
};
struct alias_answers {
    struct alias_answer list[ANSWERS];
    unsigned next;
};

static const struct alias_answer *find_answer(const struct alias_answers *answers, uint64_t stamp,
                                              const struct piece *flat)
{
    for (unsigned i = 0; answers && i < ANSWERS; ++i) {
        const struct alias_answer *answer = &answers->list[i];
        if (answer->stamp == stamp && answer->source == flat->variable && answer->offset == flat->offset &&
            answer->digits == flat->digits && digits_equal(answer->digit, flat->digit, flat->digits))
            return answer;
    }
    return NULL;
}

static void keep_answer(pop_store *store, uint64_t stamp, const struct piece *flat, bool aliases)
{
    if (flat->digits > ANSWER_DIGITS)
        return;
    if (!store->aliases)
        store->aliases = MEM_NEW(struct alias_answers);
    struct alias_answer *answer = &store->aliases->list[store->aliases->next++ % ANSWERS];
    *answer = (struct alias_answer){ stamp, flat->offset, flat->variable, flat->digits, .aliases = aliases };
    digits_copy(answer->digit, flat->digit, flat->digits);
}

bool pop_tensor_contains_aliases(pop_tensor t)
{
    struct run run;
    if (!t.store || (t.form & FORM_EMPTY) || (!t.form && !(t.source & COMPOSITE) && tensor_single_run(t, &run)))
        return false;
    struct flat flat;
    tensor_flat(t, &flat);
    bool composite = flat.piece.variable & COMPOSITE;
    uint64_t stamp = composite ? composite_of(t.store, flat.piece.variable)->stamp : 0;
    const struct alias_answer *answer = composite ? find_answer(t.store->aliases, stamp, &flat.piece) : NULL;
    if (answer)
        return answer->aliases;
    struct blocks blocks = { .owner = 0 };
    add_tensor(&blocks, t, 0);
    bool aliases = blocks.repeats || blocks_share(&blocks, false);
    blocks_free(&blocks);
    if (composite)
        keep_answer(t.store, stamp, &flat.piece, aliases);
    return aliases;
}

/* Whether all variables of one tensor were made before those of the other, as they are if it is new. */
static bool are_of_other_variables(pop_tensor a, pop_tensor b)
{
    struct flat x, y;
    uint32_t x_low, x_high, y_low, y_high;
    if ((a.form | b.form) & FORM_EMPTY)
        return true;
    tensor_flat(a, &x);
    tensor_flat(b, &y);
    source_bounds(a.store, x.piece.variable, &x_low, &x_high);
    source_bounds(a.store, y.piece.variable, &y_low, &y_high);
    return x_high < y_low || y_high < x_low;
}

bool pop_tensor_intersects(pop_tensor a, pop_tensor b)
{
    if (!a.store || a.store != b.store || are_of_other_variables(a, b))
        return false;
    struct blocks blocks = { .owner = 0 };
    add_tensor(&blocks, a, 0);
    add_tensor(&blocks, b, 1);
    bool met = blocks_share(&blocks, true);
    blocks_free(&blocks);
    return met;
}

struct run_list {
    VEC(struct run) list;
};

static bool list_run(const struct run *run, void *context)
{
    struct run_list *runs = context;
    *vec_push(&runs->list) = *run;
    return true;
}

/* Compares runs window by window, so that a difference is found early and memory stays small. */
static bool same_runs(pop_tensor a, pop_tensor b, uint64_t elements)
{
    enum { FEW_RUNS = 4096 };
    struct run_list x = { .list = { 0 } }, y = { .list = { 0 } };
    bool same = true;
    uint64_t begin = 0, window = FEW_RUNS;
    while (same && begin < elements) {
        x.list.count = y.list.count = 0;
        tensor_each_run_in(a, begin, begin + window, list_run, &x);
        tensor_each_run_in(b, begin, begin + window, list_run, &y);
        same = x.list.count == y.list.count;
        for (size_t i = 0; same && i < x.list.count; ++i)
            same = x.list.data[i].variable == y.list.data[i].variable &&
                   x.list.data[i].offset == y.list.data[i].offset && x.list.data[i].count == y.list.data[i].count;
        begin += window;
        if (x.list.count < FEW_RUNS / 4 && window < elements)
            window *= 2;
    }
    vec_free(&x.list);
    vec_free(&y.list);
    return same;
}

bool pop_tensor_equal(pop_tensor a, pop_tensor b)
{
    if (!a.store || a.store != b.store || a.rank != b.rank)
        return false;
    for (unsigned i = 0; i < a.rank; ++i)
        if (pop_tensor_dim(a, i) != pop_tensor_dim(b, i))
            return false;
    if ((a.form | b.form) & FORM_EMPTY)
        return true;
    struct flat x, y;
    tensor_flat(a, &x);
    tensor_flat(b, &y);
    bool identical = x.piece.variable == y.piece.variable && x.piece.offset == y.piece.offset &&
                     x.piece.digits == y.piece.digits && digits_equal(x.digit, y.digit, x.piece.digits);
    if (identical || !((x.piece.variable | y.piece.variable) & COMPOSITE)) /* normal digits of a variable are unique */
        return identical;
    return same_runs(a, b, x.piece.elements);
}
