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
COMPUTE(MultiSlice)
{
    size_t size = v->regionSize;
    for (size_t i = 0; i < v->offsets.size; ++i) {
        unsigned row = v->offsets.data[i] - v->baseOffset;
        memcpy(v->subT.data + i * size, v->baseT.data + (row < v->numBaseElements ? row : 0) * size, size * sizeof(T));
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
