/* SPDX-License-Identifier: Apache-2.0 */
#include "popsparse/plan/cycles.h"
#include "poplibs/support.h"

/* The side of the square blocks in which a block is computed: the largest of 16 (half only), 8 and 4 that divides both
 * of its sides; 0: element by element. */
static size_t side_of(const struct sparse_work *work)
{
    for (size_t side = work->type == POP_HALF ? 16 : 8; side >= 4; side /= 2)
        if (work->block_rows % side == 0 && work->block_columns % side == 0)
            return side;
    return 0;
}

/* ---- elements: x rows of y values ---- */

static uint64_t forward_cycles_float(uint64_t x, uint64_t y, uint64_t z)
{
    if (z == 4)
        return 25 + x * (13 + 3 * y);
    if (z == 2)
        return 27 + x * (11 + 2 * y);
    uint64_t row = 13 + (z & 3 ? 3 : 1);
    row += z / 4 ? 12 + z / 4 * 3 * y : 0;
    row += z & 2 ? 8 + z / 2 * 2 * y : 0;
    row += z & 1 ? 8 + 2 * y : 0;
    return 30 + x * row;
}
static uint64_t forward_cycles_half(uint64_t x, uint64_t y, uint64_t z)
{
    if (z == 8)
        return 28 + x * (15 + 3 * y);
    if (z == 4)
        return 30 + x * (11 + 2 * y);
    uint64_t row = 12;
    row += z / 8 ? 16 + z / 8 * 3 * y : 0;
    row += z & 4 ? 13 + 2 * y : 0;
    row += z & 3 ? 11 + 2 * y * (z & 3) : 0;
    return 33 + x * row;
}
static uint64_t transpose_cycles_float(uint64_t x, uint64_t y, uint64_t z)
{
    return 23 + x * (32 + (2 + z / 2 * 3) * y + (z & 1 ? 4 * y : 0));
}
static uint64_t transpose_cycles_half(uint64_t x, uint64_t y, uint64_t z)
{
    if (z == 8)
        return 20 + x * (18 + 10 * y);
    if (z == 4)
        return 20 + x * (21 + 7 * y);
    return 26 + x * (30 + (2 + z / 4 * 5) * y + (z & 3 ? (5 + 3 * (z & 3)) * y : 0));
}
static uint64_t grad_w_cycles_float(uint64_t x, uint64_t y, uint64_t z)
{
    uint64_t start = z == 4 ? 2 : z == 2 ? 4 : 6, row = z == 2 ? 7 : 9;
    uint64_t value = z == 4 ? 5 : z == 2 ? 4 : 9 + z / 2 + (z & 1);
    return 28 + start + x * (row + value * y);
}
static uint64_t grad_w_cycles_half(uint64_t x, uint64_t y, uint64_t z)
{
    uint64_t start = z == 8 ? 2 : z == 4 ? 4 : 7, row = z == 8 ? 11 : z == 4 ? 10 : 8;
    uint64_t value = z == 8 ? 5 : z == 4 ? 4 : 11 + z / 4 + 3 * (z & 2) + 4 * (z & 1);
    return 28 + start + x * (row + value * y);
}

/* Workers share the rows, or the values of a row in the transposed product. */
static uint64_t element_cycles(enum sparse_phase pass, const struct sparse_work *work, unsigned workers)
{
    uint64_t rows = work->rows * work->block_rows, columns = work->columns * work->block_columns, z = work->batch;
    uint64_t share = poplibs_ceil_div(rows, workers), part = poplibs_ceil_div(columns, workers);
    bool half = work->type == POP_HALF;
    switch (pass) {
    case SPARSE_FORWARD:
        return 30 + 47 + 46 + workers * (half ? forward_cycles_half : forward_cycles_float)(share, columns, z);
    case SPARSE_GRAD_A:
        return 30 + 44 + 68 + workers * (half ? transpose_cycles_half : transpose_cycles_float)(rows, part, z);
    case SPARSE_GRAD_W:
        return 75 + 26 + workers * (half ? grad_w_cycles_half : grad_w_cycles_float)(share, columns, z);
    }
    return 0;
}

/* ---- blocks ---- */

struct block_costs {
    uint64_t side, base, per_z[2];                      /* of a product's worker, by float and half */
    uint64_t grad_w_base, grad_w_block[3], grad_w_z[2]; /* the block also by half with half sums */
};
static const struct block_costs block_costs[] = { { 4, 26, { 4, 2 }, 26, { 45, 33, 29 }, { 12, 6 } },
                                                  { 8, 23, { 8, 4 }, 27, { 208, 113, 113 }, { 48, 24 } },
                                                  { 16, 22, { 4, 4 }, 24, { 505, 505, 441 }, { 96, 96 } } };
enum { BLOCK = 20 }; /* of a block in a product's worker, 14 to 25 by its side and type */

/* Workers share the batch in products, and the rows in the gradient of the weights. */
static uint64_t block_cycles(enum sparse_phase pass, const struct sparse_work *work, unsigned workers, size_t side)
{
    const struct block_costs *costs = block_costs + (side == 8 ? 1 : side == 16 ? 2 : 0);
    bool half = work->type == POP_HALF;
    uint64_t rows = work->rows * (work->block_rows / side), columns = work->columns * (work->block_columns / side);
    uint64_t part = poplibs_ceil_div(work->batch, workers), count = rows * columns;
    if (pass == SPARSE_GRAD_W) {
        unsigned kind = half ? 1 + (work->sums == POP_HALF) : 0;
        uint64_t block = costs->grad_w_block[kind] + work->batch * costs->grad_w_z[half];
        return 75 + 26 + workers * (costs->grad_w_base + poplibs_ceil_div(rows, workers) * (9 + columns * block));
    }
    uint64_t load = side * side / (half ? 4 : 2) + 3 + 12;
    return 40 + 46 + 56 + count * load + 2 + workers * (costs->base + count * (BLOCK + part * costs->per_z[half]));
}

uint64_t sparse_cycles(enum sparse_phase pass, const struct sparse_work *work, unsigned workers)
{
    size_t side = side_of(work);
    if (!work->own || !work->rows || !work->columns)
        return 30 + 32; /* looks at the bucket's parts alone */
    return side ? block_cycles(pass, work, workers, side) : element_cycles(pass, work, workers);
}

uint64_t sparse_flops(const struct sparse_work *work)
{
    return work->own ? 2 * work->rows * work->columns * work->block_rows * work->block_columns * work->batch : 0;
}
