/* SPDX-License-Identifier: Apache-2.0 */
/* Each side is consumed from its front in blocks: as much of the current piece as is a piece itself (its inner digits
 * whole, and a part of one digit).  Two blocks of equal size are zipped by refining their digits to common factors,
 * innermost first; where extents do not divide each other, the part that does is moved and the rest is taken up again.
 * So the work is linear in pieces for all views whose digits agree (slices, transposes, broadcasts), and in runs at
 * worst. */
#include "compiler/lower/plan.h"

#include "compiler/common/runs.h"
#include "graph/store/piece_shapes.h"

#include <assert.h>

enum { MAX_DIGITS = 64 };

/* The position in a side. */
struct cursor {
    const uint64_t *storage;
    const struct view *view; /* NULL: one piece */
    size_t count, at;
    uint64_t done;      /* elements of the current piece */
    struct piece piece; /* the current one */
    struct digit whole; /* of a buffer */
    bool is_buffer;
};
/* The next elements of a side: a first digit of its own, then the piece's digits from `inner` on. */
struct plan_block {
    uint64_t elements, offset; /* offset in elements of the variable */
    struct digit first;        /* extent 1: no such digit */
    uint32_t inner;
};
/* A refined digit, in elements. */
struct pair {
    uint64_t extent;
    int64_t source, destination;
};

static bool is_buffer(struct plan_side side)
{
    return !side.view && !side.piece;
}

static size_t piece_count(struct plan_side side)
{
    return side.view ? side.view->piece_count : 1;
}

static struct piece side_piece(struct plan_side side, size_t index)
{
    return side.view ? view_piece(side.view, index) : *side.piece;
}

static void cursor_begin(struct cursor *cursor, const uint64_t *storage, struct plan_side side, uint64_t elements)
{
    *cursor = (struct cursor){
        .storage = storage, .view = side.view, .count = piece_count(side), .is_buffer = is_buffer(side)
    };
    cursor->whole = (struct digit){ elements, 1 };
    if (cursor->is_buffer)
        cursor->piece = (struct piece){ .digits = elements > 1, .elements = elements, .digit = &cursor->whole };
    else if (cursor->count)
        cursor->piece = side_piece(side, 0);
}

static const struct piece *cursor_piece(const struct cursor *cursor)
{
    return &cursor->piece;
}

static uint64_t cursor_left(struct cursor *cursor)
{
    while (cursor->at < cursor->count && cursor->done == cursor_piece(cursor)->elements) {
        cursor->done = 0;
        if (++cursor->at < cursor->count)
            cursor->piece = view_piece(cursor->view, cursor->at);
    }
    return cursor->at < cursor->count ? cursor_piece(cursor)->elements - cursor->done : 0;
}

/* The largest block at the cursor of at most limit elements. */
static struct plan_block cursor_block(const struct cursor *cursor, uint64_t limit)
{
    assert(limit && cursor->at < cursor->count && cursor->done < cursor_piece(cursor)->elements);
    const struct piece *piece = cursor_piece(cursor);
    struct plan_block block = { 1, piece->offset, { 1, 0 }, piece->digits };
    uint64_t rest = cursor->done;
    bool growing = true;
    for (uint32_t d = piece->digits; d-- > 0;) {
        const struct digit *digit = &piece->digit[d];
        uint64_t index = rest % digit->extent;
        rest /= digit->extent;
        block.offset += index * (uint64_t)digit->stride;
        if (!growing)
            continue;
        if (index == 0 && digit->extent <= limit / block.elements) {
            block.elements *= digit->extent;
            block.inner = d;
            continue;
        }
        uint64_t part = digit->extent - index < limit / block.elements ? digit->extent - index : limit / block.elements;
        block.first = (struct digit){ part, digit->stride };
        block.elements *= part;
        growing = false;
    }
    assert(block.elements && block.elements <= limit);
    return block;
}

/* Digits of a block, innermost first; returns how many.  Extents are 2 at least, so that 64 of them are all that can
 * be. */
static uint32_t block_digits(const struct cursor *cursor, const struct plan_block *block,
                             struct digit digits[MAX_DIGITS])
{
    uint32_t count = 0;
    for (uint32_t d = cursor_piece(cursor)->digits; d-- > block->inner;)
        digits[count++] = cursor_piece(cursor)->digit[d];
    if (block->first.extent > 1)
        digits[count++] = block->first;
    assert(count <= MAX_DIGITS);
    return count;
}

/* Adds an outermost digit, or extends the current outermost one if the new one continues it. */
static void add_pair(struct pair *pairs, uint32_t *count, uint64_t extent, int64_t source, int64_t destination)
{
    struct pair *last = *count ? &pairs[*count - 1] : NULL;
    if (last && source == (int64_t)last->extent * last->source &&
        destination == (int64_t)last->extent * last->destination)
        last->extent *= extent;
    else
        pairs[(*count)++] = (struct pair){ extent, source, destination };
}

/* Refines two blocks of equal size to common digits, innermost first in pairs, and returns how many elements those
 * cover. */
static uint64_t refine(const struct cursor *s, const struct plan_block *sb, const struct cursor *d,
                       const struct plan_block *db, struct pair *pairs, uint32_t *count)
{
    struct digit from[MAX_DIGITS], to[MAX_DIGITS];
    uint32_t from_count = block_digits(s, sb, from), to_count = block_digits(d, db, to);
    uint64_t covered = 1;
    *count = 0;
    for (uint32_t i = 0, j = 0; i < from_count && j < to_count;) {
        struct digit *a = &from[i], *b = &to[j];
        uint64_t min = a->extent < b->extent ? a->extent : b->extent;
        add_pair(pairs, count, min, a->stride, b->stride);
        covered *= min;
        if (a->extent % min || b->extent % min)
            break;
        *a = (struct digit){ a->extent / min, a->stride * (int64_t)min };
        *b = (struct digit){ b->extent / min, b->stride * (int64_t)min };
        i += a->extent == 1;
        j += b->extent == 1;
    }
    assert(covered && sb->elements % covered == 0);
    return covered;
}

static uint64_t byte_offset(const struct cursor *cursor, const struct plan_block *block, unsigned element_bytes)
{
    assert(cursor->is_buffer ||
           cursor->storage[cursor_piece(cursor)->variable] != UINT64_MAX); /* pass_storage has placed it */
    return (cursor->is_buffer ? 0 : cursor->storage[cursor_piece(cursor)->variable]) + block->offset * element_bytes;
}

/* A copy, and the contiguous move that may still grow: bytes 0 when there is none. */
struct growing {
    struct image_copy copy;
    uint64_t source, destination, bytes;
};

static void flush_move(struct moves *moves, struct growing *to)
{
    if (to->bytes)
        moves_add(moves, to->source, to->destination, to->bytes, NULL, 0);
    to->copy.moves += to->bytes != 0;
    to->bytes = 0;
}

static void add_contiguous(struct moves *moves, struct growing *to, uint64_t source, uint64_t destination,
                           uint64_t bytes)
{
    if (to->bytes && to->source + to->bytes == source && to->destination + to->bytes == destination) {
        to->bytes += bytes;
        return;
    }
    flush_move(moves, to);
    to->source = source;
    to->destination = destination;
    to->bytes = bytes;
}

static void add_move(struct moves *moves, struct growing *to, uint64_t source, uint64_t destination,
                     const struct pair *pairs, uint32_t count)
{
    uint64_t bytes = to->copy.element_bytes;
    uint32_t inner = 0, digits = 0;
    if (count && pairs[0].source == 1 && pairs[0].destination == 1)
        bytes *= pairs[inner++].extent;
    if (inner == count) {
        add_contiguous(moves, to, source, destination, bytes);
        return;
    }
    flush_move(moves, to);
    struct image_digit digit[MAX_DIGITS];
    for (uint32_t i = count; i-- > inner;)
        digit[digits++] = (struct image_digit){ pairs[i].extent, pairs[i].source * to->copy.element_bytes,
                                                pairs[i].destination * to->copy.element_bytes };
    moves_add(moves, source, destination, bytes, digit, digits);
    ++to->copy.moves;
}

/* What a piece spans: elements [begin, end) of a variable. */
struct plan_span {
    uint32_t variable;
    bool written;
    uint64_t begin, end;
};

/* Variables from the lowest number to the highest. */
struct plan_variables {
    uint32_t first, last;
};

static struct plan_variables variables_of(struct plan_side side)
{
    struct plan_variables variables = { UINT32_MAX, 0 };
    for (size_t i = 0; i < piece_count(side); ++i) {
        uint32_t variable = side.view ? side.view->pieces[i].variable : side.piece->variable;
        variables.first = variable < variables.first ? variable : variables.first;
        variables.last = variable > variables.last ? variable : variables.last;
    }
    return variables;
}

/* Adds the spans of a side's pieces of some variables; returns how many. */
static size_t add_spans(struct plan_span *spans, struct plan_side side, struct plan_variables of, bool written)
{
    size_t count = 0;
    for (size_t i = 0; i < piece_count(side); ++i) {
        struct piece piece = side_piece(side, i);
        struct plan_span span = { .variable = piece.variable, .written = written };
        if (piece.variable < of.first || piece.variable > of.last)
            continue;
        piece_span(&piece, &span.begin, &span.end);
        spans[count++] = span;
    }
    return count;
}

static int span_order(const void *left, const void *right)
{
    const struct plan_span *a = left, *b = right;
    if (a->variable != b->variable)
        return a->variable < b->variable ? -1 : 1;
    return a->begin < b->begin ? -1 : a->begin > b->begin;
}

/* Conservative: whether the sides may share elements, as spans of a source and a destination overlap. */
static bool sides_meet(struct plan_side source, struct plan_side destination)
{
    if (is_buffer(source) || is_buffer(destination))
        return false;
    struct plan_variables read = variables_of(source), written = variables_of(destination),
                          both = { read.first, read.last };
    both.first = written.first > both.first ? written.first : both.first;
    both.last = written.last < both.last ? written.last : both.last;
    if (both.first > both.last) /* as nearly always: a copy's destination is younger than its source */
        return false;
    struct plan_span *spans = mem_alloc((piece_count(source) + piece_count(destination)) * sizeof(*spans));
    size_t count = add_spans(spans, source, both, false);
    count += add_spans(spans + count, destination, both, true);
    qsort(spans, count, sizeof(*spans), span_order);
    uint64_t end[2] = { 0, 0 }; /* of what was read, of what was written, in the current variable */
    bool meet = false;
    for (size_t i = 0; i < count && !meet; ++i) {
        if (i && spans[i].variable != spans[i - 1].variable)
            end[0] = end[1] = 0;
        meet = spans[i].begin < end[!spans[i].written] && spans[i].begin < spans[i].end;
        if (spans[i].end > end[spans[i].written])
            end[spans[i].written] = spans[i].end;
    }
    free(spans);
    return meet;
}

uint32_t plan_copy(struct moves *moves, const uint64_t *storage, struct plan_side source, struct plan_side destination,
                   uint64_t elements, unsigned element_bytes)
{
    assert(element_bytes && (!is_buffer(source) || !is_buffer(destination)));
    struct image *image = moves->image;
    struct growing to = { .copy = { .first_move = image->moves.count,
                                    .bytes = elements * element_bytes,
                                    .overlaps = sides_meet(source, destination),
                                    .element_bytes = (uint8_t)element_bytes } };
    struct cursor s, d;
    cursor_begin(&s, storage, source, elements);
    cursor_begin(&d, storage, destination, elements);
    for (uint64_t left = elements; left;) {
        uint64_t here = cursor_left(&s), there = cursor_left(&d), limit = here < there ? here : there;
        assert(limit && limit <= left);
        struct plan_block read = cursor_block(&s, limit), written = cursor_block(&d, read.elements);
        while (read.elements != written.elements) {
            read = cursor_block(&s, written.elements);
            written = cursor_block(&d, read.elements);
        }
        struct pair pairs[MAX_DIGITS];
        uint32_t count;
        uint64_t covered = refine(&s, &read, &d, &written, pairs, &count);
        add_move(moves, &to, byte_offset(&s, &read, element_bytes), byte_offset(&d, &written, element_bytes), pairs,
                 count);
        s.done += covered;
        d.done += covered;
        left -= covered;
    }
    assert(!cursor_left(&s) && !cursor_left(&d));
    flush_move(moves, &to);
    *vec_push(&image->copies) = to.copy;
    return (uint32_t)image->copies.count - 1;
}
