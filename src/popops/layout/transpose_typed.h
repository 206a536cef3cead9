/* SPDX-License-Identifier: Apache-2.0 */
/* popops::Transpose<T> and TransposeSupervisor<T>: template of rearrange_vertices.c. */
#define FIELDS                                                                                                         \
    POP_INPUT(POP_VECTOR(T, ONE_PTR)) src;                                                                             \
    POP_OUTPUT(POP_VECTOR(T, ONE_PTR)) dst;                                                                            \
    POP_STATE(unsigned short) numSrcRowsD4;                                                                            \
    POP_STATE(unsigned short) numSrcColumnsD4;                                                                         \
    POP_STATE(unsigned short) numTranspositionsM1;

POP_VERTEX(TYPED(Transpose)){ FIELDS };
POP_VERTEX_NAME(TYPED(Transpose), "popops::Transpose<" T_NAME ">");
COMPUTE(Transpose)
{
    size_t rows = 4 * (size_t)v->numSrcRowsD4, columns = 4 * (size_t)v->numSrcColumnsD4;
    for (size_t i = 0; i <= v->numTranspositionsM1; ++i)
        TYPED(transpose)(v->src.data + i * rows * columns, v->dst.data + i * rows * columns, rows, columns);
}

POP_SUPERVISOR_VERTEX(TYPED(TransposeSupervisor)){ FIELDS };
POP_VERTEX_NAME(TYPED(TransposeSupervisor), "popops::TransposeSupervisor<" T_NAME ">");
COMPUTE(TransposeSupervisor)
{
    size_t rows = 4 * (size_t)v->numSrcRowsD4, columns = 4 * (size_t)v->numSrcColumnsD4;
    for (size_t i = 0; i <= v->numTranspositionsM1; ++i)
        TYPED(transpose)(v->src.data + i * rows * columns, v->dst.data + i * rows * columns, rows, columns);
}
#undef FIELDS
