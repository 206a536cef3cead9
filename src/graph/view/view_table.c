/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/view/view_table.h"
#include "graph/store/store.h"
#include "graph/view/tensor_form.h"
#include "graph/view/view.h"
#include "graph/view/view_walk.h"

#include <assert.h>

/* A digit of a view: elements of the source, and of the flat view, that one step passes. */
struct table_digit {
    uint64_t extent;
    int64_t stride, step;
};
/* Elements of a source that have places in the table; at is the place of the first. */
struct table_block {
    uint32_t source;
    unsigned digits;
    uint64_t offset, at;
    struct table_digit digit[MAX_DIGITS + 2];
};
/* An element's place in memory: the variable in the upper half, the element's offset in the lower. */
struct view_table {
    pop_store *store;
    uint64_t *places;
    bool fits; /* offsets are below 2^31: steps between them do not reach the upper half */
};

/* ---- filling ---- */

static void fill(struct view_table *table, struct table_block *block);

static void add_digit(struct table_block *block, struct table_digit digit)
{
    assert(block->digits < MAX_DIGITS + 2);
    block->digit[block->digits++] = digit;
}

static void put_places(uint64_t *to, uint64_t place, const struct table_digit *digit, unsigned count)
{
    if (!count) {
        *to = place;
        return;
    }
    for (uint64_t i = 0; i < digit->extent; ++i, to += digit->step, place += (uint64_t)digit->stride)
        if (count == 1)
            *to = place;
        else
            put_places(to, place, digit + 1, count - 1);
}

/* Makes strides positive and puts the largest first: then whole blocks are in one child most often. */
static void sort_block(struct table_block *block)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < block->digits; ++i) {
        struct table_digit d = block->digit[i];
        if (d.extent == 1)
            continue;
        if (d.stride < 0) {
            block->offset += (d.extent - 1) * (uint64_t)d.stride;
            block->at += (d.extent - 1) * (uint64_t)d.step;
            d.stride = -d.stride;
            d.step = -d.step;
        }
        unsigned k = kept++;
        for (; k && block->digit[k - 1].stride < d.stride; --k)
            block->digit[k] = block->digit[k - 1];
        block->digit[k] = d;
    }
    block->digits = kept;
}

/* What one step of a digit adds to each level of a child: how many steps fit, and the stride in the child's source. */
struct level_steps {
    uint64_t of[MAX_DIGITS + 2];
    uint64_t fit;
    int64_t stride;
};

static void steps_of(const struct piece *child, const struct levels *levels, int64_t stride, struct level_steps *steps)
{
    uint64_t left = (uint64_t)stride;
    steps->fit = UINT64_MAX;
    steps->stride = 0;
    for (unsigned j = 0; j < levels->count; ++j) {
        uint64_t times = steps->of[j] = levels_take(&left, levels->weight[j]);
        if (!times)
            continue;
        assert(levels->at[j] < child->digit[j].extent);
        uint64_t fit = (child->digit[j].extent - 1 - levels->at[j]) / times + 1;
        steps->fit = fit < steps->fit ? fit : steps->fit;
        steps->stride += (int64_t)times * child->digit[j].stride;
    }
}

/* How many steps of a digit are one turn of the level that it counts in, from the turn's begin on; 0 when turns are not
 * whole. */
static uint64_t turn_of(const struct piece *child, const struct levels *levels, int64_t stride)
{
    uint64_t step = (uint64_t)stride;
    unsigned level = levels_level_of(levels, step);
    uint64_t size = child->digit[level].extent, times = step / levels->weight[level];
    return !level || step % levels->weight[level] || size % times || levels->at[level] >= times ? 0 : size / times;
}

static void fill_child(struct view_table *table, const struct piece *child, struct table_block *block);

/* A digit that passes the end of a level: its first part, and what is left of the block in *block. */
static void fill_part(struct view_table *table, const struct piece *child, const struct levels *levels,
                      struct table_block *block, unsigned i, uint64_t fit)
{
    struct table_block part = *block;
    struct table_digit d = block->digit[i];
    uint64_t turn = turn_of(child, levels, d.stride), taken = fit;
    if (turn > 1 && d.extent > turn) {
        uint64_t turns = d.extent / turn;
        taken = turns * turn;
        part.digit[i] = (struct table_digit){ turns, d.stride * (int64_t)turn, d.step * (int64_t)turn };
        add_digit(&part, (struct table_digit){ turn, d.stride, d.step }); /* the last one is composed first */
    } else {
        part.digit[i].extent = fit;
    }
    fill_child(table, child, &part);
    block->digit[i].extent = d.extent - taken;
    block->offset += taken * (uint64_t)d.stride;
    block->at += taken * (uint64_t)d.step;
}

/* Composes the block's digits with the child's; false when a digit was cut, and the block has what is left. */
static bool compose(struct view_table *table, const struct piece *child, struct table_block *block,
                    struct table_block *out)
{
    struct levels levels;
    struct level_steps steps;
    levels_of(child, block->offset, &levels);
    *out = (struct table_block){ .source = child->variable, .offset = child->offset, .at = block->at };
    for (unsigned j = 0; j < levels.count; ++j)
        out->offset += levels.at[j] * (uint64_t)child->digit[j].stride;
    for (unsigned i = block->digits; i-- > 0;) {
        struct table_digit d = block->digit[i];
        if (d.extent == 1)
            continue;
        steps_of(child, &levels, d.stride, &steps);
        if (d.extent > steps.fit) {
            fill_part(table, child, &levels, block, i, steps.fit);
            return false;
        }
        for (unsigned j = 0; j < levels.count; ++j)
            levels.at[j] += steps.of[j] * (d.extent - 1);
        add_digit(out, (struct table_digit){ d.extent, steps.stride, d.step });
    }
    return true;
}

/* A block that is in one child; its offset is that in the child, its strides are not negative. */
static void fill_child(struct view_table *table, const struct piece *child, struct table_block *block)
{
    struct table_block out;
    for (;;) {
        bool empty = false;
        for (unsigned i = 0; i < block->digits; ++i)
            empty |= !block->digit[i].extent;
        if (empty)
            return;
        if (compose(table, child, block, &out))
            break;
    }
    fill(table, &out);
}

/* Digits [from, count) of a block over a composite, largest stride first; offset and at are those of its first element.
 */
static void fill_composite(struct view_table *table, struct composite *composite, const struct table_block *block,
                           unsigned from, uint64_t offset, uint64_t at)
{
    struct table_digit outer = from < block->digits ? block->digit[from] : (struct table_digit){ 1, 0, 0 };
    uint64_t reach = 0;
    for (unsigned i = from + 1; i < block->digits; ++i)
        reach += (block->digit[i].extent - 1) * (uint64_t)block->digit[i].stride;
    for (uint64_t i = 0, done; i < outer.extent; i += done) {
        uint64_t first = offset + i * (uint64_t)outer.stride, place = at + i * (uint64_t)outer.step;
        size_t index = composite_find(composite, first);
        uint64_t end = composite_end(composite, index);
        done = 1;
        if (first + reach >= end) {
            fill_composite(table, composite, block, from + 1, first, place);
            continue;
        }
        uint64_t fit = outer.stride ? (end - 1 - first - reach) / (uint64_t)outer.stride + 1 : outer.extent;
        done = fit < outer.extent - i ? fit : outer.extent - i;
        struct piece child = child_piece(composite, index);
        struct table_block inside = { .offset = first - composite->children.data[index].begin, .at = place };
        if (done > 1)
            add_digit(&inside, (struct table_digit){ done, outer.stride, outer.step });
        for (unsigned k = from + 1; k < block->digits; ++k)
            add_digit(&inside, block->digit[k]);
        fill_child(table, &child, &inside);
    }
}

static void fill(struct view_table *table, struct table_block *block)
{
    sort_block(block);
    if (block->source & COMPOSITE) {
        fill_composite(table, composite_of(table->store, block->source), block, 0, block->offset, block->at);
        return;
    }
    table->fits &= table->store->variables.data[block->source].elements <= INT32_MAX;
    put_places(table->places + block->at, (uint64_t)block->source << 32 | (block->offset & UINT32_MAX), block->digit,
               block->digits);
}

/* NULL when the view has no table. */
static uint64_t *table_make(pop_store *store, const struct piece *flat)
{
    if (flat->elements > TABLE_ELEMENTS)
        return NULL;
    struct view_table table = { store, mem_alloc(flat->elements * sizeof(uint64_t)), true };
    struct table_block block = { .source = flat->variable, .offset = flat->offset };
    int64_t step = 1;
    for (unsigned i = flat->digits; i-- > 0; step *= (int64_t)flat->digit[i].extent)
        add_digit(&block, (struct table_digit){ flat->digit[i].extent, flat->digit[i].stride, step });
    fill(&table, &block);
    if (!table.fits) {
        free(table.places);
        return NULL;
    }
    return table.places;
}

/* ---- reading ---- */

/* Equal pieces at equal steps become one piece with a digit more. */
enum { JOINED_DIGITS = 2 };
struct equal_pieces {
    piece_fn fn;
    void *context;
    struct piece first;
    struct digit digit[JOINED_DIGITS]; /* of the first piece */
    uint64_t count;                    /* 0: none */
    int64_t stride;
};

static bool give_pieces(struct equal_pieces *equal, uint64_t count)
{
    struct digit digit[JOINED_DIGITS + 1] = { { count, equal->stride } };
    struct piece piece = equal->first;
    if (!count)
        return true;
    memcpy(digit + 1, equal->digit, piece.digits * sizeof(*digit));
    piece.digits = digits_merge(digit, piece.digits + 1);
    piece.digit = digit;
    piece.elements *= count;
    return equal->fn(&piece, equal->context);
}

static void begin_pieces(struct equal_pieces *equal, const struct piece *piece)
{
    assert(piece->digits <= JOINED_DIGITS);
    equal->first = *piece;
    equal->count = 1;
    if (piece->digits)
        memcpy(equal->digit, piece->digit, piece->digits * sizeof(*piece->digit));
}

static bool join_piece(const struct piece *piece, void *context)
{
    struct equal_pieces *equal = context;
    bool alike = equal->count && piece->variable == equal->first.variable && piece->digits == equal->first.digits &&
                 digits_equal(piece->digit, equal->digit, piece->digits);
    uint64_t last = equal->first.offset + (equal->count - 1) * (uint64_t)equal->stride;
    int64_t stride = (int64_t)(piece->offset - last);
    if (alike && (equal->count == 1 || stride == equal->stride)) {
        equal->stride = stride;
        ++equal->count;
        return true;
    }
    if (alike && equal->count == 2) { /* the second of a pair may be the first of those that follow */
        if (!give_pieces(equal, 1))
            return false;
        equal->first.offset = last;
        equal->stride = stride;
        return true;
    }
    if (!give_pieces(equal, equal->count))
        return false;
    begin_pieces(equal, piece);
    return true;
}

/* The run at an element of a table; its elements. */
static uint64_t run_at(const uint64_t *places, uint64_t at, uint64_t end)
{
    uint64_t next = at + 1;
    while (next < end && places[next] == places[next - 1] + 1)
        ++next;
    return next - at;
}

/* How many runs of length elements follow each other at this stride from an element on, the first of them included. */
static uint64_t runs_at(const uint64_t *places, uint64_t at, uint64_t end, uint64_t length, uint64_t stride)
{
    uint64_t runs = 1;
    for (at += length; at < end && places[at] - places[at - length] == stride; at += length, ++runs)
        if (run_at(places, at, end) != length)
            break;
    return runs;
}

/* The piece at an element: equal runs at equal steps.  Of two runs that no third one continues, the second is left when
 * it begins such a row itself. */
static struct piece piece_at(const uint64_t *places, uint64_t at, uint64_t end, struct digit digit[2])
{
    uint64_t length = run_at(places, at, end), next = at + length, stride = 0, runs = 1;
    struct piece piece = { (uint32_t)(places[at] >> 32), 0, places[at] & UINT32_MAX, length, digit };
    if (next < end && places[next] >> 32 == piece.variable) {
        stride = places[next] - places[at];
        runs = runs_at(places, at, end, length, stride);
    }
    if (runs == 2 && next + length < end && places[next + length] >> 32 == piece.variable &&
        runs_at(places, next, end, length, places[next + length] - places[next]) > 2)
        runs = 1;
    if (runs > 1)
        digit[piece.digits++] = (struct digit){ runs, (int64_t)stride };
    if (length > 1)
        digit[piece.digits++] = (struct digit){ length, 1 };
    piece.elements *= runs;
    return piece;
}

bool table_each_piece(pop_store *store, const struct piece *flat, uint64_t begin, piece_fn fn, void *context,
                      bool *made)
{
    uint64_t *places = table_make(store, flat), end = flat->elements;
    *made = places != NULL;
    if (!places)
        return false;
    struct equal_pieces rows = { .fn = fn, .context = context };
    struct digit digit[2];
    bool more = true;
    while (more && begin < end) {
        struct piece piece = piece_at(places, begin, end, digit);
        begin += piece.elements;
        more = join_piece(&piece, &rows);
    }
    free(places);
    return more && give_pieces(&rows, rows.count);
}
