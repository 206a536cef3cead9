/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix products on CPU devices.  poplin::HostMatMulPack<T> packs a part of B, poplin::HostMatMul<T> (T: type of A)
 * makes a block of the product in float, poplin::HostMatMulStore puts it into a matrix of half.
 *
 * A matrix is rows of contiguous elements: all of them connected one by one, or, when they lie `stride` elements apart,
 * one edge that holds them all.  The rows are those in memory: of the transposed matrix when `transposed`. */
#include "poplibs/vertex_types.h"

#ifdef __POPC__
#include <poplar/vertex.h>

#include "poplin/product/host_gemm_kernel.h"

/* k0 and depth: the block of B's rows; column and columns: those that are packed, from a multiple of GEMM_PANEL on. */
#define PACK(tag, T, text)                                                                                             \
    POP_VERTEX(HostMatMulPack_##tag)                                                                                   \
    {                                                                                                                  \
        POP_INPUT(POP_VECTORS(T, SPAN, ONE_PTR)) in;                                                                   \
        POP_OUTPUT(POP_VECTOR(float, ONE_PTR, 64)) out;                                                                \
        POP_STATE(unsigned) stride;                                                                                    \
        POP_STATE(unsigned) first;                                                                                     \
        POP_STATE(unsigned) depth;                                                                                     \
        POP_STATE(unsigned) columns;                                                                                   \
        POP_STATE(bool) transposed;                                                                                    \
    };                                                                                                                 \
    POP_VERTEX_NAME(HostMatMulPack_##tag, "poplin::HostMatMulPack<" text ">");                                         \
    static const T *row_of_b_##tag(const HostMatMulPack_##tag *v, size_t row)                                          \
    {                                                                                                                  \
        return (v->stride ? v->in.data[0].data + row * v->stride : v->in.data[row].data) + v->first;                   \
    }                                                                                                                  \
    static void pack_columns_##tag(const HostMatMulPack_##tag *v, size_t column, size_t columns, float *to)            \
    {                                                                                                                  \
        const T *rows[GEMM_PANEL];                                                                                     \
        for (size_t i = 0; i < columns; ++i)                                                                           \
            rows[i] = row_of_b_##tag(v, column + i);                                                                   \
        turn_##tag(rows, columns, v->depth, to, GEMM_PANEL);                                                           \
        for (size_t k = 0; columns < GEMM_PANEL && k < v->depth; ++k)                                                  \
            memset(to + k * GEMM_PANEL + columns, 0, (GEMM_PANEL - columns) * sizeof(float));                          \
    }                                                                                                                  \
    void HostMatMulPack_##tag##_compute(HostMatMulPack_##tag *v)                                                       \
    {                                                                                                                  \
        size_t panel = (size_t)GEMM_PANEL * v->depth;                                                                  \
        if (v->transposed) {                                                                                           \
            for (size_t c = 0; c < v->columns; c += GEMM_PANEL)                                                        \
                pack_columns_##tag(v, c, least(GEMM_PANEL, v->columns - c), v->out.data + c / GEMM_PANEL * panel);     \
            return;                                                                                                    \
        }                                                                                                              \
        for (size_t k = 0; k < v->depth; ++k) {                                                                        \
            const T *row = row_of_b_##tag(v, k);                                                                       \
            float *to = v->out.data + k * GEMM_PANEL;                                                                  \
            size_t c = 0;                                                                                              \
            for (; c + GEMM_PANEL <= v->columns; c += GEMM_PANEL, to += panel)                                         \
                lay_##tag(row + c, GEMM_PANEL, to, GEMM_PANEL);                                                        \
            if (c < v->columns)                                                                                        \
                lay_##tag(row + c, v->columns - c, to, GEMM_PANEL);                                                    \
        }                                                                                                              \
    }

/* Columns [column, column + columns) of the whole product, which has all_columns; `out` has these columns only when it
 * comes row by row. */
#define MULTIPLY(tag, T, text)                                                                                         \
    POP_VERTEX(HostMatMul_##tag)                                                                                       \
    {                                                                                                                  \
        POP_INPUT(POP_VECTORS(T, SPAN, ONE_PTR)) a;                                                                    \
        POP_INPUT(POP_VECTOR(float, ONE_PTR, 64)) b;                                                                   \
        POP_INOUT(POP_VECTORS(float, SPAN, ONE_PTR)) out;                                                              \
        POP_INPUT(float) scale;                                                                                        \
        POP_STATE(unsigned) strideA;                                                                                   \
        POP_STATE(unsigned) firstA;                                                                                    \
        POP_STATE(bool) transposedA;                                                                                   \
        POP_STATE(unsigned) strideOut;                                                                                 \
        POP_STATE(unsigned) rows;                                                                                      \
        POP_STATE(unsigned) depth;                                                                                     \
        POP_STATE(unsigned) block;                                                                                     \
        POP_STATE(unsigned) column;                                                                                    \
        POP_STATE(unsigned) columns;                                                                                   \
        POP_STATE(unsigned) allColumns;                                                                                \
        POP_STATE(bool) add;                                                                                           \
    };                                                                                                                 \
    POP_VERTEX_NAME(HostMatMul_##tag, "poplin::HostMatMul<" text ">");                                                 \
    static const T *row_of_a_##tag(const HostMatMul_##tag *v, size_t row)                                              \
    {                                                                                                                  \
        return (v->strideA ? v->a.data[0].data + row * v->strideA : v->a.data[row].data) + v->firstA;                  \
    }                                                                                                                  \
    static void pack_strip_##tag(const HostMatMul_##tag *v, size_t row, size_t rows, size_t k, size_t depth,           \
                                 float *to)                                                                            \
    {                                                                                                                  \
        if (v->transposedA) {                                                                                          \
            for (size_t i = 0; i < depth; ++i)                                                                         \
                lay_##tag(row_of_a_##tag(v, k + i) + row, rows, to + i * rows, rows);                                  \
            return;                                                                                                    \
        }                                                                                                              \
        const T *from[STRIP];                                                                                          \
        for (size_t i = 0; i < rows; ++i)                                                                              \
            from[i] = row_of_a_##tag(v, row + i) + k;                                                                  \
        turn_##tag(from, rows, depth, to, rows);                                                                       \
    }                                                                                                                  \
    /* Rows [row, row + rows) and B's rows [k, k + depth). */                                                          \
    static void multiply_block_##tag(const HostMatMul_##tag *v, size_t row, size_t rows, size_t k, size_t depth)       \
    {                                                                                                                  \
        _Alignas(64) float packed[PACKED_A];                                                                           \
        float *lines[ROWS];                                                                                            \
        size_t strips = (rows + STRIP - 1) / STRIP;                                                                    \
        for (size_t i = 0; i < rows; ++i)                                                                              \
            lines[i] =                                                                                                 \
                v->strideOut ? v->out.data[0].data + (row + i) * v->strideOut + v->column : v->out.data[row + i].data; \
        for (size_t s = 0; s < strips; ++s) {                                                                          \
            size_t begin = rows * s / strips, end = rows * (s + 1) / strips;                                           \
            pack_strip_##tag(v, row + begin, end - begin, k, depth, packed + begin * depth);                           \
        }                                                                                                              \
        size_t step = v->columns * depth > FITS ? (2 * GEMM_PANEL + strips - 1) / strips : 0;                          \
        size_t all = (v->allColumns + GEMM_PANEL - 1) / GEMM_PANEL * GEMM_PANEL;                                       \
        const float *b = v->b.data + k * all + v->column * depth;                                                      \
        struct gemm_out out = { .add = v->add || k, .scale = *v->scale };                                              \
        for (size_t c = 0; c < v->columns; c += GEMM_PANEL, b += GEMM_PANEL * depth)                                   \
            for (size_t wide = 0; wide < GEMM_PANEL && c + wide < v->columns; wide += WIDE)                            \
                for (size_t s = 0; s < strips; ++s) {                                                                  \
                    size_t begin = rows * s / strips, end = rows * (s + 1) / strips;                                   \
                    const float *tile = b + wide,                                                                      \
                                *after = wide + WIDE < GEMM_PANEL ? tile + WIDE : b + GEMM_PANEL * depth;              \
                    struct gemm_next next = { s + 1 < strips ? tile : after, b + (GEMM_PANEL + s * step / 2) * depth,  \
                                              step };                                                                  \
                    out.rows = lines + begin;                                                                          \
                    out.at = c + wide;                                                                                 \
                    out.columns = v->columns - c - wide;                                                               \
                    kernel(end - begin, depth, packed + begin * depth, tile, &next, &out);                             \
                }                                                                                                      \
    }                                                                                                                  \
    void HostMatMul_##tag##_compute(HostMatMul_##tag *v)                                                               \
    {                                                                                                                  \
        for (size_t k = 0; k < v->depth; k += v->block)                                                                \
            for (size_t row = 0; row < v->rows; row += ROWS)                                                           \
                multiply_block_##tag(v, row, least(ROWS, v->rows - row), k, least(v->block, v->depth - k));            \
    }

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}
POPLIBS_FLOATING(PACK)
POPLIBS_FLOATING(MULTIPLY)

/* out = in, or out + scale * in, rounded once. */
POP_VERTEX(HostMatMulStore)
{
    POP_INPUT(POP_VECTOR(float, ONE_PTR)) in;
    POP_INOUT(POP_VECTOR(half)) out;
    POP_INPUT(float) scale;
    POP_STATE(bool) add;
};
POP_VERTEX_NAME(HostMatMulStore, "poplin::HostMatMulStore");
void HostMatMulStore_compute(HostMatMulStore *v)
{
    const float *in = v->in.data, scale = *v->scale;
    half *out = v->out.data;
    if (v->add)
        for (size_t i = 0; i < v->out.size; ++i)
            out[i] = (half)((float)out[i] + scale * in[i]);
    else
        for (size_t i = 0; i < v->out.size; ++i)
            out[i] = (half)in[i];
}

#else
#include "poplin/vertices.h"

/* They run on devices without cycles alone. */
void poplin_host_gemm_vertices(pop_graph *graph)
{
    (void)graph;
}
#endif
