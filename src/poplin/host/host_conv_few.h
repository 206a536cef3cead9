/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions with few output channels on the host: neighbouring outputs of the last dimension fill vectors, and each
 * channel is a row of the product.  The sums of an output have the same order as in host_gemm_kernel.h. */
#ifndef POPLIN_HOST_HOST_CONV_FEW_H
#define POPLIN_HOST_HOST_CONV_FEW_H

#include "poplin/host/host_conv_field.h"
#include "poplin/host/host_gemm_pack.h"

#include <string.h>

/* Maximum output channels, and kernel positions of the last dimension; outputs of a tile. */
enum { FEW_COLUMNS = 4, FEW_KERNELS = 32, FEW_TILE = 4 * LANES };

/* ---- lines of the field ---- */

/* Input elements of the last dimension that the outputs of a tile use at `count` kernel positions from `first` on: at
 * each they begin one element before or after those of the position before.  `wide` are stored, whole vectors. */
struct few_line {
    size_t count, begin, end, wide;
    unsigned offsets[2 * FEW_KERNELS + FEW_TILE + LANES], starts[FEW_KERNELS];
};
struct few_lines {
    size_t count;
    struct few_line lines[FEW_KERNELS];
};

/* Adds a position to a line, if its outputs' offsets fit there. */
static inline bool few_extend(struct few_line *line, const unsigned *offsets, size_t outputs)
{
    size_t start = line->starts[line->count - 1], same = (outputs - 1) * sizeof(*offsets);
    const unsigned *before = line->offsets + start;
    size_t added, from;
    if (memcmp(offsets, before + 1, same) == 0) {
        added = start++ + outputs;
        from = outputs - 1;
    } else if (memcmp(offsets + 1, before, same) == 0) {
        added = --start;
        from = 0;
    } else {
        return false;
    }
    if (added >= line->begin && added < line->end && line->offsets[added] != offsets[from])
        return false;
    line->offsets[added] = offsets[from];
    line->begin = gemm_min(line->begin, added);
    line->end = added < line->end ? line->end : added + 1;
    line->starts[line->count++] = (unsigned)start;
    return true;
}
/* The lines of a phase for outputs that differ in the last dimension only, read as `vectors` vectors. */
static inline void few_lines_of(const struct conv_field *field, const struct host_conv_phase *phase,
                                const struct conv_row *rows, size_t outputs, size_t vectors, struct few_lines *lines)
{
    unsigned last = field->count - 1, offsets[FEW_TILE];
    lines->count = 0;
    for (size_t k = 0; k < phase->counts[last]; ++k) {
        for (size_t i = 0; i < outputs; ++i)
            offsets[i] = rows[i].offsets[last][phase->kernels[last][k]];
        if (lines->count && few_extend(&lines->lines[lines->count - 1], offsets, outputs))
            continue;
        struct few_line *line = &lines->lines[lines->count++];
        line->count = 1;
        line->begin = line->starts[0] = FEW_KERNELS;
        line->end = FEW_KERNELS + outputs;
        memcpy(line->offsets + FEW_KERNELS, offsets, outputs * sizeof(*offsets));
    }
    for (size_t i = 0; i < lines->count; ++i) {
        struct few_line *line = &lines->lines[i];
        line->wide = gemm_ceil_div(line->end - line->begin - outputs + vectors * LANES, LANES) * LANES;
        for (size_t at = line->end; at < line->begin + line->wide; ++at)
            line->offsets[at] = line->offsets[line->end - 1];
    }
}

/* ---- the product ---- */

/* sums[row][output] += weights[k][row] * inputs[k][output] for each k < depth; rows of sums are whole vectors. */
struct few_product {
    size_t depth, step;
    const float *inputs, *weights;
    float *sums;
};
GEMM_INLINE void few_multiply(const size_t rows, const size_t vectors, const struct few_product *product)
{
    const float *inputs = product->inputs, *weights = product->weights;
    const size_t step = product->step;
    vec s[FEW_COLUMNS * FEW_TILE / LANES];
#pragma GCC unroll 16
    for (size_t i = 0; i < rows * vectors; ++i)
        s[i] = load_float(product->sums + i * LANES);
    for (size_t k = product->depth; k > 0; --k, inputs += step, weights += GEMM_PANEL) {
#pragma GCC unroll 4
        for (size_t r = 0; r < rows; ++r) {
            vec weight = spread(weights[r]);
#pragma GCC unroll 4
            for (size_t i = 0; i < vectors; ++i)
                multiply_add(&s[r * vectors + i], weight, load_float(inputs + i * LANES));
        }
    }
#pragma GCC unroll 16
    for (size_t i = 0; i < rows * vectors; ++i)
        *(vec *)(product->sums + i * LANES) = s[i];
}
#define FEW_KERNEL(rows)                                                                                               \
    static void few_kernel_##rows(size_t vectors, const struct few_product *product)                                   \
    {                                                                                                                  \
        vectors > 3   ? few_multiply(rows, 4, product)                                                                 \
        : vectors > 2 ? few_multiply(rows, 3, product)                                                                 \
        : vectors > 1 ? few_multiply(rows, 2, product)                                                                 \
                      : few_multiply(rows, 1, product);                                                                \
    }
FEW_KERNEL(1)
FEW_KERNEL(2)
FEW_KERNEL(3)
FEW_KERNEL(4)
#undef FEW_KERNEL

static void few_kernel(size_t rows, size_t vectors, const struct few_product *product)
{
    static void (*const kernels[FEW_COLUMNS])(size_t, const struct few_product *) = { few_kernel_1, few_kernel_2,
                                                                                      few_kernel_3, few_kernel_4 };
    kernels[rows - 1](vectors, product);
}
/* Outputs of a tile: as many vectors as registers hold the sums of, beside the weights. */
static inline size_t few_tile(size_t columns)
{
    return LANES < 16 && columns > 3 ? 3 * LANES : FEW_TILE;
}
/* The sums of a block of weights: to the outputs, or added to them; the next block begins with zeros. */
static inline void few_put(float *sums, size_t columns, size_t vectors, float *const *lines, size_t outputs, bool add)
{
    for (size_t i = 0; i < outputs; ++i)
        for (size_t c = 0; c < columns; ++c) {
            float sum = sums[c * vectors * LANES + i], *to = lines[i] + c;
            *to = add ? *to + sum : sum;
        }
    memset(sums, 0, columns * vectors * LANES * sizeof(*sums));
}

#endif
