/* SPDX-License-Identifier: Apache-2.0 */
#include "popsparse/host/buckets.h"

/* Consecutive entries of one cell. */
struct piece {
    size_t cell, first, count;
};
struct bucket {
    size_t pattern, blocks; /* used */
};
struct filling {
    const struct sparse_shape *shape;
    const struct sparse_plan *plan;
    const struct sparse_entries *entries; /* sorted by cells, and by rows and columns in each */
    struct bucket *buckets;
    struct sparse_buckets *out;
    size_t steps;
};

/* ---- cells ---- */

static size_t cell_of(const struct filling *f, const struct sparse_entry *entry)
{
    size_t rows = f->shape->rows / f->shape->block_rows, group = entry->row / rows, row = entry->row % rows;
    size_t x = row / (f->plan->cell_rows / f->shape->block_rows),
           y = entry->column / (f->plan->cell_columns / f->shape->block_columns);
    return (group * f->plan->x + x) * f->plan->y + y;
}
/* Sorts entries by cells; starts gets the first of each, and the number of all. */
static struct sparse_entry *sort_by_cells(const struct filling *f, const struct sparse_entries *entries, size_t *starts)
{
    size_t cells = f->plan->cells;
    struct sparse_entry *sorted = poplibs_new(entries->count, sizeof(*sorted));
    memset(starts, 0, (cells + 1) * sizeof(*starts));
    for (size_t i = 0; i < entries->count; ++i)
        ++starts[cell_of(f, entries->list + i) + 1];
    for (size_t c = 0; c < cells; ++c)
        starts[c + 1] += starts[c];
    for (size_t i = 0; i < entries->count; ++i)
        sorted[starts[cell_of(f, entries->list + i)]++] = entries->list[i];
    memmove(starts + 1, starts, cells * sizeof(*starts));
    starts[0] = 0;
    return sorted;
}

/* ---- a bucket ---- */

/* How many entries of a piece fit into a bucket, and with them the elements of their pattern. */
static size_t fitting(const struct filling *f, const struct bucket *bucket, const struct piece *piece, size_t most,
                      size_t *pattern)
{
    const struct sparse_entry *list = f->entries->list + piece->first;
    size_t place = f->plan->meta_info - bucket->pattern, used = 0, part = SPARSE_PART_MAX, count = 0;
    *pattern = 0;
    most = poplibs_min(poplibs_min(most, f->out->blocks - bucket->blocks), piece->count);
    for (; count < most; ++count) {
        bool row = !count || list[count].row != list[count - 1].row;
        size_t more = 1 + (row ? SPARSE_ROW : 0);
        if (part + more > SPARSE_PART_MAX) {
            more = SPARSE_PART + SPARSE_ROW + 1;
            part = 0;
        }
        if (used + more > place)
            break;
        used += more;
        part += more;
    }
    *pattern = used;
    return count;
}

/* Writes as many entries as `fitting` has counted. */
static void write_piece(struct filling *f, size_t index, const struct piece *piece, size_t count)
{
    const struct sparse_entry *list = f->entries->list + piece->first;
    struct bucket *bucket = f->buckets + index;
    size_t *at = f->out->meta_info + SPARSE_HEADER + index * f->plan->meta_info + bucket->pattern, *part = NULL,
           *row = NULL;
    size_t *places = f->out->places + index * f->out->blocks + bucket->blocks;
    size_t rows = f->shape->rows / f->shape->block_rows, cell_rows = f->plan->cell_rows / f->shape->block_rows,
           cell_columns = f->plan->cell_columns / f->shape->block_columns;
    for (size_t i = 0; i < count; ++i) {
        bool is_row = !i || list[i].row != list[i - 1].row;
        if (!part || (size_t)(at - part) + 1 + (is_row ? SPARSE_ROW : 0) > SPARSE_PART_MAX) {
            part = at;
            *at++ = piece->cell + 1;
            at += SPARSE_PART - 1;
            memset(part + 1, 0, (SPARSE_PART - 1) * sizeof(*part));
            is_row = true;
        }
        if (is_row) {
            row = at;
            at += SPARSE_ROW;
            row[0] = list[i].row % rows % cell_rows;
            row[1] = 0;
            ++part[3];
        }
        *at++ = list[i].column % cell_columns;
        ++row[1];
        ++part[2];
        part[1] = (size_t)(at - part);
        places[i] = list[i].place;
    }
    bucket->pattern = (size_t)(at - (f->out->meta_info + SPARSE_HEADER + index * f->plan->meta_info));
    bucket->blocks += count;
}

/* Puts what fits of a piece into a bucket, and takes it off the piece. */
static void put(struct filling *f, size_t index, struct piece *piece, size_t most)
{
    size_t pattern, count = fitting(f, f->buckets + index, piece, most, &pattern);
    if (!count)
        return;
    write_piece(f, index, piece, count);
    piece->first += count;
    piece->count -= count;
    size_t steps = (index + f->plan->cells - piece->cell) % f->plan->cells;
    f->steps = poplibs_max(f->steps, steps);
}

/* ---- values beyond a bucket's size ---- */

static int largest_first(const void *a, const void *b)
{
    const struct piece *p = a, *q = b;
    if (p->count != q->count)
        return p->count > q->count ? -1 : 1;
    return p->cell < q->cell ? -1 : p->cell > q->cell;
}
/* The bucket with the fewest values. */
static size_t emptiest(const struct filling *f)
{
    size_t best = 0;
    for (size_t i = 1; i < f->plan->cells; ++i)
        if (f->buckets[i].blocks < f->buckets[best].blocks)
            best = i;
    return best;
}
static bool place_others(const struct call *call, struct filling *f, const struct sparse_options *options,
                         struct piece *pieces, size_t count)
{
    size_t cells = f->plan->cells;
    if (count)
        qsort(pieces, count, sizeof(*pieces), largest_first);
    for (size_t i = 0; i < count; ++i) {
        if (!options->for_speed)
            for (size_t left = 0; pieces[i].count && left != pieces[i].count;) {
                left = pieces[i].count;
                put(f, emptiest(f), pieces + i, SIZE_MAX);
            }
        /* After d steps, that bucket is at the cell; what is forced out of its own goes back there last. */
        for (size_t d = options->spills; d < cells + options->spills && pieces[i].count; ++d)
            put(f, (pieces[i].cell + d) % cells, pieces + i, SIZE_MAX);
        if (pieces[i].count)
            return call_fail(call, POP_POPLAR_ERROR,
                             "Overflow in buckets: %zu of %zu blocks have no place in %zu buckets for %zu blocks and "
                             "%zu elements of meta information each; raise the share of non-zero values or option "
                             "'metaInfoBucketOversizeProportion'",
                             pieces[i].count, f->entries->count, cells, f->out->blocks, f->plan->meta_info);
    }
    return true;
}

bool sparse_buckets_fill(const struct call *call, const struct sparse_shape *shape, const struct sparse_plan *plan,
                         const struct sparse_options *options, const struct sparse_entries *entries,
                         struct sparse_buckets *buckets)
{
    struct filling f = { .shape = shape, .plan = plan, .out = buckets };
    buckets->blocks = plan->nz / sparse_block_area(shape);
    buckets->meta_info = poplibs_zeros(sparse_meta_info_elements(plan), sizeof(size_t));
    buckets->places = poplibs_new(plan->cells * buckets->blocks, sizeof(size_t));
    memset(buckets->places, SPARSE_NO_PLACE, plan->cells * buckets->blocks * sizeof(size_t));
    size_t *starts = poplibs_new(plan->cells + 1, sizeof(*starts));
    struct sparse_entries sorted = { sort_by_cells(&f, entries, starts), entries->count };
    struct piece *others = poplibs_new(plan->cells, sizeof(*others));
    size_t count = 0, own = options->spills ? buckets->blocks / 2 : SIZE_MAX;
    f.entries = &sorted;
    f.buckets = poplibs_zeros(plan->cells, sizeof(*f.buckets));
    for (size_t c = 0; c < plan->cells; ++c) {
        struct piece piece = { c, starts[c], starts[c + 1] - starts[c] };
        put(&f, c, &piece, own);
        if (piece.count)
            others[count++] = piece;
    }
    bool placed = place_others(call, &f, options, others, count);
    buckets->meta_info[0] = f.steps;
    free(f.buckets);
    free(others);
    free(sorted.list);
    free(starts);
    if (!placed)
        sparse_buckets_free(buckets);
    return placed;
}

void sparse_buckets_free(struct sparse_buckets *buckets)
{
    free(buckets->meta_info);
    free(buckets->places);
    *buckets = (struct sparse_buckets){ 0 };
}
