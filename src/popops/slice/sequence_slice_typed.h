/* SPDX-License-Identifier: Apache-2.0 */
/* popops::SequenceSlice<T>: template of sequence_slice_vertices.c. */
POP_VERTEX(TYPED(Sequence))
{
    POP_INPUT(POP_VECTOR(T, ONE_PTR)) srcT;
    POP_INOUT(POP_VECTOR(T, ONE_PTR)) dstT;
    POP_INPUT(POP_VECTOR(unsigned)) lengths;
    POP_INPUT(POP_VECTOR(unsigned, ONE_PTR)) srcOffsets;
    POP_INPUT(POP_VECTOR(unsigned, ONE_PTR)) dstOffsets;
    POP_STATE(unsigned) srcRows;
    POP_STATE(unsigned) dstRows;
    POP_STATE(unsigned) regionSize;
    POP_STATE(bool) zeroUnused;
};
POP_VERTEX_NAME(TYPED(Sequence), "popops::SequenceSlice<" T_NAME ">");
COMPUTE(Sequence)
{
    size_t region = v->regionSize;
    for (size_t i = 0; v->zeroUnused && i < v->dstRows * region; ++i)
        v->dstT.data[i] = 0;
    for (size_t i = 0; i < v->lengths.size; ++i) {
        unsigned from = v->srcOffsets.data[i], to = v->dstOffsets.data[i], length = v->lengths.data[i];
        for (unsigned k = 0; k < length && from < v->srcRows && to < v->dstRows; ++k, ++from, ++to)
            for (size_t column = 0; column < region; ++column)
                v->dstT.data[to * region + column] = v->srcT.data[from * region + column];
    }
}