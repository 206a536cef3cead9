/* SPDX-License-Identifier: Apache-2.0 */
#include "popsparse/host/host.h"

struct found {
    struct sparse_entry *list;
    size_t count, capacity;
};

/* The entries of a part; false when its numbers are none. first: of its blocks in the tensor. */
static bool read_part(const struct sparse_shape *shape, const struct sparse_plan *plan, const size_t *part,
                      size_t first, struct found *found)
{
    size_t cell = part[0] - 1, group = cell / plan->y / plan->x, end = part[1], taken = 0;
    size_t rows = shape->rows / shape->block_rows, columns = shape->columns / shape->block_columns;
    size_t top = cell / plan->y % plan->x * (plan->cell_rows / shape->block_rows),
           left = cell % plan->y * (plan->cell_columns / shape->block_columns);
    size_t at = SPARSE_PART;
    for (size_t r = 0; r < part[3]; ++r) {
        if (at + SPARSE_ROW > end || part[at + 1] > end - at - SPARSE_ROW || top + part[at] >= rows)
            return false;
        size_t row = group * rows + top + part[at], count = part[at + 1];
        at += SPARSE_ROW;
        for (size_t i = 0; i < count; ++i, ++at, ++taken) {
            if (left + part[at] >= columns)
                return false;
            *poplibs_push(found) = (struct sparse_entry){ row, left + part[at], first + taken };
        }
    }
    return taken == part[2] && at == end;
}

static bool read_bucket(const struct sparse_shape *shape, const struct sparse_plan *plan, const size_t *pattern,
                        size_t first, struct found *found)
{
    size_t blocks = plan->nz / sparse_block_area(shape), used = 0;
    for (size_t at = 0; at < plan->meta_info && pattern[at]; at += pattern[at + 1]) {
        if (plan->meta_info - at < SPARSE_PART || pattern[at] > plan->cells || pattern[at + 1] < SPARSE_PART ||
            pattern[at + 1] > plan->meta_info - at || pattern[at + 2] > blocks - used ||
            !read_part(shape, plan, pattern + at, first + used, found))
            return false;
        used += pattern[at + 2];
    }
    return true;
}

static int by_place(const void *a, const void *b)
{
    const struct sparse_entry *p = a, *q = b;
    if (p->row != q->row)
        return p->row < q->row ? -1 : 1;
    return p->column < q->column ? -1 : p->column > q->column;
}

bool sparse_buckets_read(const struct call *call, const struct sparse_shape *shape, const struct sparse_plan *plan,
                         const size_t *meta_info, struct sparse_entries *entries)
{
    struct found found = { 0 };
    size_t blocks = plan->nz / sparse_block_area(shape);
    *entries = (struct sparse_entries){ 0 };
    for (size_t c = 0; c < plan->cells; ++c)
        if (!read_bucket(shape, plan, meta_info + SPARSE_HEADER + c * plan->meta_info, c * blocks, &found)) {
            free(found.list);
            return call_fail(call, POP_POPLAR_ERROR,
                             "the meta information of bucket %zu is no pattern of this operation", c);
        }
    if (found.count)
        qsort(found.list, found.count, sizeof(*found.list), by_place);
    *entries = (struct sparse_entries){ found.list, found.count };
    return true;
}
