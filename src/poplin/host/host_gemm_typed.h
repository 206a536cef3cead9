/* SPDX-License-Identifier: Apache-2.0 */
/* poplin::HostMatMulPack<T> and HostMatMul<T>: template of host_gemm_vertices.c. */
/* depth: rows of the block of B; columns: the packed ones, which begin at a multiple of GEMM_PANEL. */
POP_VERTEX(TYPED(HostMatMulPack))
{
    POP_INPUT(POP_VECTORS(T, SPAN, ONE_PTR)) in;
    POP_OUTPUT(POP_VECTOR(float, ONE_PTR, 64)) out;
    POP_STATE(unsigned) stride;
    POP_STATE(unsigned) first;
    POP_STATE(unsigned) depth;
    POP_STATE(unsigned) columns;
    POP_STATE(bool) transposed;
};
POP_VERTEX_NAME(TYPED(HostMatMulPack), "poplin::HostMatMulPack<" T_NAME ">");

static const T *TYPED(row_of_b)(const TYPED(HostMatMulPack) * v, size_t row)
{
    return (v->stride ? v->in.data[0].data + row * v->stride : v->in.data[row].data) + v->first;
}
static void TYPED(pack_columns)(const TYPED(HostMatMulPack) * v, size_t column, size_t columns, float *to)
{
    const T *rows[GEMM_PANEL];
    for (size_t i = 0; i < columns; ++i)
        rows[i] = TYPED(row_of_b)(v, column + i);
    TYPED(turn)(rows, columns, v->depth, to, GEMM_PANEL);
    for (size_t k = 0; columns < GEMM_PANEL && k < v->depth; ++k)
        memset(to + k * GEMM_PANEL + columns, 0, (GEMM_PANEL - columns) * sizeof(float));
}
COMPUTE(HostMatMulPack)
{
    size_t panel = (size_t)GEMM_PANEL * v->depth;
    if (v->transposed) {
        for (size_t c = 0; c < v->columns; c += GEMM_PANEL)
            TYPED(pack_columns)(v, c, gemm_min(GEMM_PANEL, v->columns - c), v->out.data + c / GEMM_PANEL * panel);
        return;
    }
    for (size_t k = 0; k < v->depth; ++k) {
        const T *row = TYPED(row_of_b)(v, k);
        float *to = v->out.data + k * GEMM_PANEL;
        size_t c = 0;
        for (; c + GEMM_PANEL <= v->columns; c += GEMM_PANEL, to += panel)
            TYPED(lay)(row + c, GEMM_PANEL, to, GEMM_PANEL);
        if (c < v->columns)
            TYPED(lay)(row + c, v->columns - c, to, GEMM_PANEL);
    }
}

/* Columns [column, column + columns) of the product's allColumns; `out` has all columns, or, if it is connected row by
 * row, these. */
POP_VERTEX(TYPED(HostMatMul))
{
    POP_INPUT(POP_VECTORS(T, SPAN, ONE_PTR)) a;
    POP_INPUT(POP_VECTOR(float, ONE_PTR, 64)) b;
    POP_INOUT(POP_VECTORS(float, SPAN, ONE_PTR)) out;
    POP_INPUT(float) scale;
    POP_STATE(unsigned) strideA;
    POP_STATE(unsigned) firstA;
    POP_STATE(bool) transposedA;
    POP_STATE(unsigned) strideOut;
    POP_STATE(unsigned) rows;
    POP_STATE(unsigned) depth;
    POP_STATE(unsigned) block;
    POP_STATE(unsigned) column;
    POP_STATE(unsigned) columns;
    POP_STATE(unsigned) allColumns;
    POP_STATE(bool) add;
};
POP_VERTEX_NAME(TYPED(HostMatMul), "poplin::HostMatMul<" T_NAME ">");
static const T *TYPED(row_of_a)(const TYPED(HostMatMul) * v, size_t row)
{
    return (v->strideA ? v->a.data[0].data + row * v->strideA : v->a.data[row].data) + v->firstA;
}
static void TYPED(pack_strip)(const TYPED(HostMatMul) * v, size_t row, size_t rows, size_t k, size_t depth, float *to)
{
    if (v->transposedA) {
        for (size_t i = 0; i < depth; ++i)
            TYPED(lay)(TYPED(row_of_a)(v, k + i) + row, rows, to + i * rows, rows);
        return;
    }
    const T *from[STRIP];
    for (size_t i = 0; i < rows; ++i)
        from[i] = TYPED(row_of_a)(v, row + i) + k;
    TYPED(turn)(from, rows, depth, to, rows);
}
/* Rows [row, row + rows) and B's rows [k, k + depth). */
static void TYPED(multiply_block)(const TYPED(HostMatMul) * v, size_t row, size_t rows, size_t k, size_t depth)
{
    _Alignas(64) float packed[PACKED_A];
    float *lines[ROWS];
    size_t strips = strips_of(rows);
    for (size_t i = 0; i < rows; ++i)
        lines[i] =
            v->strideOut ? v->out.data[0].data + (row + i) * v->strideOut + v->column : v->out.data[row + i].data;
    for (size_t s = 0; s < strips; ++s) {
        size_t begin = rows * s / strips, end = rows * (s + 1) / strips;
        TYPED(pack_strip)(v, row + begin, end - begin, k, depth, packed + begin * depth);
    }
    size_t all = (v->allColumns + GEMM_PANEL - 1) / GEMM_PANEL * GEMM_PANEL;
    multiply_strips(&(struct gemm_strips){ .rows = rows,
                                           .depth = depth,
                                           .columns = v->columns,
                                           .a = packed,
                                           .b = v->b.data + k * all + v->column * depth,
                                           .lines = lines,
                                           .add = v->add || k,
                                           .scale = *v->scale });
}
COMPUTE(HostMatMul)
{
    for (size_t k = 0; k < v->depth; k += v->block)
        for (size_t row = 0; row < v->rows; row += ROWS)
            TYPED(multiply_block)(v, row, gemm_min(ROWS, v->rows - row), k, gemm_min(v->block, v->depth - k));
}
