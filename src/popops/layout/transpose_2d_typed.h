/* SPDX-License-Identifier: Apache-2.0 */
/* popops::Transpose2d<T>: template of rearrange_vertices.c. */
static void TYPED(transpose)(const T *src, T *dst, size_t rows, size_t columns)
{
    for (size_t c = 0; c < columns; ++c)
        for (size_t r = 0; r < rows; ++r)
            dst[c * rows + r] = src[r * columns + c];
}

POP_VERTEX(TYPED(Transpose2d))
{
    POP_INPUT(POP_VECTORS(T)) src;
    POP_OUTPUT(POP_VECTORS(T)) dst;
    POP_STATE(unsigned) numSrcRows;
    POP_STATE(unsigned) numSrcColumns;
};
POP_VERTEX_NAME(TYPED(Transpose2d), "popops::Transpose2d<" T_NAME ">");
COMPUTE(Transpose2d)
{
    for (size_t i = 0; i < v->src.size; ++i)
        TYPED(transpose)(v->src.data[i].data, v->dst.data[i].data, v->numSrcRows, v->numSrcColumns);
}