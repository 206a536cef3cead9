/* SPDX-License-Identifier: Apache-2.0 */
/* popops::MultiSlice<T>, MultiUpdate<T> and MultiSliceSelect<T>: template of multi_slice_vertices.c. */
POP_VERTEX(TYPED(MultiSlice))
{
    POP_INPUT(POP_VECTOR(unsigned)) offsets;
    POP_INPUT(POP_VECTOR(T, ONE_PTR)) baseT;
    POP_OUTPUT(POP_VECTOR(T, ONE_PTR)) subT;
    ROW_STATE
};
POP_VERTEX_NAME(TYPED(MultiSlice), "popops::MultiSlice<" T_NAME ">");
static inline const T *TYPED(row_at)(const TYPED(MultiSlice) * v, size_t i)
{
    unsigned row = v->offsets.data[i] - v->baseOffset;
    return v->baseT.data + (row < v->numBaseElements ? row : 0) * (size_t)v->regionSize;
}
COMPUTE(MultiSlice)
{
    size_t size = v->regionSize;
    for (size_t i = 0; i < v->offsets.size; ++i) {
#ifndef __IPU__ /* of rows in any order, a host knows neither the next nor where it goes */
        size_t bytes = size * sizeof(T) < POPOPS_AHEAD ? size * sizeof(T) : POPOPS_AHEAD;
        if (i + 1 < v->offsets.size) {
            popops_prefetch(TYPED(row_at)(v, i + 1), bytes);
            popops_prefetch(v->subT.data + (i + 1) * size, bytes);
        }
#endif
        memcpy(v->subT.data + i * size, TYPED(row_at)(v, i), size * sizeof(T));
    }
}

POP_VERTEX(TYPED(MultiUpdate))
{
    POP_INPUT(POP_VECTOR(unsigned)) offsets;
    POP_INOUT(POP_VECTOR(T, ONE_PTR)) baseT;
    POP_INPUT(POP_VECTOR(T, ONE_PTR)) subT;
    ROW_STATE
};
POP_VERTEX_NAME(TYPED(MultiUpdate), "popops::MultiUpdate<" T_NAME ">");
COMPUTE(MultiUpdate)
{
    for (size_t i = 0, size = v->regionSize; i < v->offsets.size; ++i) {
        unsigned row = v->offsets.data[i] - v->baseOffset;
        size_t at = row * size, from = i * size;
        if (row < v->numBaseElements)
            memcpy(v->baseT.data + at, v->subT.data + from, size * sizeof(T));
    }
}

POP_VERTEX(TYPED(Select))
{
    POP_INPUT(POP_VECTOR(unsigned)) offsets;
    POP_INPUT(POP_VECTOR(T, ONE_PTR)) baseT;
    POP_OUTPUT(POP_VECTOR(T, ONE_PTR)) subT;
    POP_STATE(unsigned) rowsPerPart;
    POP_STATE(unsigned) numRows;
    POP_STATE(unsigned) regionSize;
};
POP_VERTEX_NAME(TYPED(Select), "popops::MultiSliceSelect<" T_NAME ">");
COMPUTE(Select)
{
    for (size_t i = 0; i < v->offsets.size; ++i) {
        unsigned part = v->offsets.data[i] < v->numRows ? v->offsets.data[i] / v->rowsPerPart : 0;
        size_t at = (part * v->offsets.size + i) * v->regionSize;
        memcpy(v->subT.data + i * v->regionSize, v->baseT.data + at, v->regionSize * sizeof(T));
    }
}
