/* SPDX-License-Identifier: Apache-2.0 */
/* For codelets: visits the parts of a bucket (plan/plan.h).  What a program writes to a bucket may be anything,
 * so each number is checked before it is used: a bucket that is no pattern ends where it stops to be one. */
#ifndef POPSPARSE_PASS_BUCKET_PARTS_H
#define POPSPARSE_PASS_BUCKET_PARTS_H

#include <stdbool.h>
#include <stddef.h>

/* A vertex's part of the matrix: limits of positions, in blocks. */
struct cell_limits {
    unsigned id; /* of the cell + 1 */
    size_t rows, columns, blocks;
};
/* A row of blocks of the cell. */
struct bucket_row {
    size_t row, count, first; /* position, blocks, the first block in the bucket */
    const unsigned short *columns;
};
/* Where a walk is. {0} begins. */
struct bucket_walk {
    size_t at, end, rows, first, next; /* element; end of the part; rows left; first block; that of the next part */
};

/* Begins the next part of the cell; false: there is none. */
static inline bool next_part(const unsigned short *pattern, size_t size, const struct cell_limits *limits,
                             struct bucket_walk *walk)
{
    walk->at = walk->end;
    while (walk->at + 4 <= size && pattern[walk->at]) {
        const unsigned short *part = pattern + walk->at;
        if (part[1] < 4 || part[1] > size - walk->at || part[2] > limits->blocks - walk->next)
            return false;
        walk->first = walk->next;
        walk->next += part[2];
        walk->end = walk->at + part[1];
        if (part[0] == limits->id) {
            walk->rows = part[3];
            walk->at += 4;
            return true;
        }
        walk->at = walk->end;
    }
    return false;
}

/* The next row of the cell; false: there is none. */
static inline bool next_row(const unsigned short *pattern, size_t size, const struct cell_limits *limits,
                            struct bucket_walk *walk, struct bucket_row *row)
{
    while (!walk->rows)
        if (!next_part(pattern, size, limits, walk))
            return false;
    if (walk->at + 2 > walk->end)
        return false;
    size_t count = pattern[walk->at + 1];
    *row = (struct bucket_row){ pattern[walk->at], count, walk->first, pattern + walk->at + 2 };
    if (row->row >= limits->rows || count > walk->end - walk->at - 2 || count > walk->next - walk->first)
        return false;
    for (size_t i = 0; i < count; ++i)
        if (row->columns[i] >= limits->columns)
            return false;
    walk->at += 2 + count;
    walk->first += count;
    --walk->rows;
    return true;
}

#endif
