/* SPDX-License-Identifier: Apache-2.0 */
/* Divides runs of the flattened input into pieces, and groups pieces into tasks. */
#include "popops/reduce/reduce.h"
#include "popops/reduce/reduce_parts.h"

#include <assert.h>

/* The index of the output to which an element belongs. */
static size_t output_of(const struct reduction *r, size_t element)
{
    size_t k = 0, scale = 1;
    for (unsigned d = r->rank; d-- > 0; element /= r->extent[d])
        if (r->kept[d]) {
            k += element % r->extent[d] * scale;
            scale *= r->extent[d];
        }
    return k;
}

/* Adds a box of elements: `steps` steps of dimension d, with all inner dimensions, beginning at an element.  One piece
 * covers up to four innermost dimensions: blocks (kept) of rows (reduced) of width (kept) of inner (reduced)
 * elements. */
static void push_box(const struct reduction *r, unsigned d, size_t from, size_t steps, size_t run,
                     struct reduce_pieces *pieces)
{
    size_t size[4] = { 1, 1, 1, 1 }, boxes = 1; /* inner, width, rows, blocks */
    unsigned slot = r->kept[r->rank - 1] ? 1 : 0;
    for (unsigned i = r->rank; i-- > d; ++slot)
        *(slot < 4 ? &size[slot] : &boxes) *= i == d ? steps : r->extent[i];
    size_t row = size[0] * size[1], whole = row * size[2] * size[3];
    for (size_t i = 0; i < boxes; ++i, from += whole)
        *poplibs_push(pieces) = (struct reduce_piece){
            output_of(r, from), size[1] * size[3], from, size[1], size[2], size[0], row, 0, run
        };
}

void reduce_pieces_of(const struct reduction *r, size_t begin, size_t end, struct reduce_pieces *pieces)
{
    assert(end <= r->outputs * r->factor);
    if (!r->rank) {
        if (end > begin)
            *poplibs_push(pieces) = (struct reduce_piece){ 0, 1, begin, 1, end - begin, 1, 1, 0, 0 };
        return;
    }
    for (size_t run = begin + 1; begin < end;) {
        unsigned d = r->rank - 1;
        size_t step = 1;
        while (d > 0 && begin % (step * r->extent[d]) == 0 && step * r->extent[d] <= end - begin)
            step *= r->extent[d--];
        size_t steps = poplibs_min((end - begin) / step, r->extent[d] - begin / step % r->extent[d]);
        push_box(r, d, begin, steps, run, pieces);
        begin += steps * step;
    }
}

struct reduce_piece reduce_part(const struct reduce_piece *p, size_t k, size_t n)
{
    assert(k >= p->k && n && k + n <= p->k + p->n);
    assert(p->width == p->n || ((k - p->k) % p->width == 0 && n % p->width == 0)); /* whole blocks */
    struct reduce_piece part = *p;
    part.k = k;
    part.n = n;
    if (p->width == p->n) {
        part.at += (k - p->k) * p->inner;
        part.width = n;
    } else {
        part.at += (k - p->k) / p->width * p->rows * p->stride;
    }
    return part;
}

struct reduce_piece reduce_part_within(const struct reduce_piece *p, size_t k, size_t n)
{
    if (p->width == p->n || (k - p->k) % p->width + n > p->width)
        return reduce_part(p, k, n);
    size_t block = (k - p->k) / p->width * p->width;
    struct reduce_piece within = reduce_part(p, p->k + block, p->width);
    return reduce_part(&within, k, n);
}

static int by_outputs(const void *left, const void *right)
{
    const struct reduce_piece *a = left, *b = right;
    if (a->k != b->k)
        return a->k < b->k ? -1 : 1;
    if (a->n != b->n)
        return a->n < b->n ? -1 : 1;
    if (a->source != b->source)
        return a->source < b->source ? -1 : 1;
    return a->at < b->at ? -1 : a->at > b->at;
}
static int by_size(const void *left, const void *right)
{
    size_t a = *(const size_t *)left, b = *(const size_t *)right;
    return a < b ? -1 : a > b;
}

/* Whether the sorted pieces have pairwise equal or disjoint outputs. */
static bool apart(const struct reduce_pieces *pieces)
{
    for (size_t i = 1; i < pieces->count; ++i) {
        const struct reduce_piece *before = &pieces->list[i - 1], *p = &pieces->list[i];
        if ((p->k != before->k || p->n != before->n) && p->k < before->k + before->n)
            return false;
    }
    return true;
}

/* Divides one piece at the ends that are inside of it. */
static void cut(const struct reduce_piece *p, const size_t *ends, size_t count, struct reduce_pieces *to)
{
    size_t low = 0, high = count;
    while (low < high) { /* binary search for the first end after its beginning */
        size_t middle = (low + high) / 2;
        if (ends[middle] <= p->k)
            low = middle + 1;
        else
            high = middle;
    }
    bool blocks = p->width != p->n;
    size_t from = p->k, last = p->k + p->n;
    for (size_t i = low; blocks && i < count && ends[i] < last; ++i)
        if ((ends[i] - p->k) % p->width) { /* an end within a block: divide block by block */
            for (size_t k = p->k; k < last; k += p->width) {
                struct reduce_piece block = reduce_part(p, k, p->width);
                cut(&block, ends, count, to);
            }
            return;
        }
    for (size_t i = low; i < count && ends[i] < last; from = ends[i++])
        *poplibs_push(to) = reduce_part(p, from, ends[i] - from);
    *poplibs_push(to) = reduce_part(p, from, last - from);
}

static void cut_all(struct reduce_pieces *pieces)
{
    size_t *ends = poplibs_new(2 * pieces->count, sizeof(*ends)), count = 0;
    for (size_t i = 0; i < pieces->count; ++i) {
        ends[2 * i] = pieces->list[i].k;
        ends[2 * i + 1] = pieces->list[i].k + pieces->list[i].n;
    }
    qsort(ends, 2 * pieces->count, sizeof(*ends), by_size);
    for (size_t i = 0; i < 2 * pieces->count; ++i)
        if (!count || ends[i] != ends[count - 1])
            ends[count++] = ends[i];
    struct reduce_pieces parts = { 0 };
    for (size_t i = 0; i < pieces->count; ++i)
        cut(&pieces->list[i], ends, count, &parts);
    free(ends);
    free(pieces->list);
    *pieces = parts;
}

/* Appends rows that continue a piece's pattern in the same run. */
static bool join_rows(struct reduce_piece *p, const struct reduce_piece *next)
{
    bool alike = p->run && p->run == next->run && p->source == next->source && p->inner == next->inner &&
                 p->width == p->n && next->width == next->n;
    size_t step = next->at - (p->at + (p->rows - 1) * p->stride), stride = p->rows > 1      ? p->stride
                                                                           : next->rows > 1 ? next->stride
                                                                                            : step;
    if (!alike || step != stride || (next->rows > 1 && next->stride != stride))
        return false;
    p->rows += next->rows;
    p->stride = stride;
    return true;
}

void reduce_tasks_of(struct reduce_pieces *pieces, struct tasks *tasks)
{
    size_t kept = 0;
    if (!pieces->count)
        return;
    qsort(pieces->list, pieces->count, sizeof(*pieces->list), by_outputs);
    if (!apart(pieces)) {
        cut_all(pieces);
        qsort(pieces->list, pieces->count, sizeof(*pieces->list), by_outputs);
    }
    for (size_t i = 0; i < pieces->count; ++i) {
        const struct reduce_piece p = pieces->list[i];
        struct task *last = tasks->count ? &tasks->list[tasks->count - 1] : NULL;
        bool same = last && last->k == p.k && last->n == p.n;
        if (!same)
            *poplibs_push(tasks) = (struct task){ .k = p.k, .n = p.n, .first = kept };
        last = &tasks->list[tasks->count - 1];
        last->depth += piece_depth(&p);
        if (same && join_rows(&pieces->list[kept - 1], &p))
            continue;
        pieces->list[kept++] = p;
        last->count++;
    }
    assert(kept && kept <= pieces->count);
    pieces->count = kept;
}

/* Elements [from, to) of each output, counted along the piece; only whole rows if a row has several outputs. */
static struct reduce_piece rows_of(struct reduce_piece p, size_t from, size_t to)
{
    assert(from < to && to <= piece_depth(&p) && from % p.inner == 0 && to % p.inner == 0);
    p.at += from / p.inner * p.stride;
    p.rows = (to - from) / p.inner;
    return p;
}
static struct reduce_piece as_rows(struct reduce_piece p)
{
    if (p.width == 1 && p.n == 1 && (p.rows == 1 || p.stride == p.inner)) {
        p.rows *= p.inner;
        p.stride = p.inner = 1;
    }
    return p;
}

/* The number of elements of each output in all parts up to this one, a multiple of the grain. */
static size_t end_of_part(const struct task *task, size_t part, size_t parts)
{
    size_t grain = poplibs_max(1, task->grain);
    return poplibs_min(task->depth, poplibs_ceil_div((part + 1) * task->depth / parts, grain) * grain);
}

void reduce_split_task(const struct task *task, const struct reduce_pieces *from, size_t parts,
                       struct reduce_pieces *pieces, struct tasks *tasks)
{
    size_t done = 0, part = 0;
    bool open = false;
    assert(parts && parts <= task->depth);
    for (size_t i = 0; i < task->count; ++i) {
        struct reduce_piece p = as_rows(from->list[task->first + i]);
        size_t depth = piece_depth(&p);
        for (size_t at = 0, take; at < depth; at += take) {
            size_t limit = end_of_part(task, part, parts), here = done + at;
            take = depth - at;
            if (p.width == p.n)
                take = poplibs_min(take, poplibs_max(p.inner, (limit > here ? limit - here : 0) / p.inner * p.inner));
            if (!open)
                *poplibs_push(tasks) = (struct task){ .k = task->k, .n = task->n, .first = pieces->count };
            *poplibs_push(pieces) = rows_of(p, at, at + take);
            struct task *last = &tasks->list[tasks->count - 1];
            last->count++;
            last->depth += take;
            open = here + take < limit;
            while (!open && part + 1 < parts && end_of_part(task, part, parts) <= here + take)
                ++part;
        }
        done += depth;
    }
    assert(done == task->depth && !open);
}
