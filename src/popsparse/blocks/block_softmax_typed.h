/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax of one type: template of block_softmax_vertices.c. */

VERTEX_OF(POP_SUPERVISOR_VERTEX, TYPED(BlockSoftmax), "popsparse::BlockSoftmax<" T_NAME ">", POP_INOUT(POP_VECTOR(T)) x;
          POP_STATE(POP_VECTOR(unsigned)) columns; BLOCK_STATE; unsigned firstRow, mask;)
{
    for (size_t i = 0; i < v->blockRows; ++i) {
        float largest = -INFINITY, sum = 0;
        size_t row = v->firstRow + i;
        BLOCK_ROW(i)
        if (!masked(v->mask, row, v->columns.data[b], v->blockColumns, v->blockRows, j))
            largest = (float)v->x.data[at] > largest ? (float)v->x.data[at] : largest;
        BLOCK_ROW(i)
        if (!masked(v->mask, row, v->columns.data[b], v->blockColumns, v->blockRows, j))
            sum += expf((float)v->x.data[at] - largest);
        BLOCK_ROW(i)
        v->x.data[at] = masked(v->mask, row, v->columns.data[b], v->blockColumns, v->blockRows, j)
                            ? (T)0
                            : (T)(expf((float)v->x.data[at] - largest) / sum);
    }
}

VERTEX_OF(POP_SUPERVISOR_VERTEX, TYPED(BlockSoftmaxGrad), "popsparse::BlockSoftmaxGrad<" T_NAME ">",
          POP_INPUT(POP_VECTOR(T)) y;
          POP_INPUT(POP_VECTOR(T)) yGrad; POP_OUTPUT(POP_VECTOR(T)) xGrad; POP_STATE(POP_VECTOR(unsigned)) columns;
          BLOCK_STATE;)
{
    for (size_t i = 0; i < v->blockRows; ++i) {
        float sum = 0;
        BLOCK_ROW(i) sum += (float)v->y.data[at] * (float)v->yGrad.data[at];
        BLOCK_ROW(i) v->xGrad.data[at] = (T)((float)v->y.data[at] * ((float)v->yGrad.data[at] - sum));
    }
}
