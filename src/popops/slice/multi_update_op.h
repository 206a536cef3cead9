/* SPDX-License-Identifier: Apache-2.0 */
/* popops::MultiUpdateOp<T,OPERATION>: template of multi_update_typed.h for OPERATION and its VALUE(a, b). */

POP_VERTEX(NAMED(MultiUpdate, OPERATION, T_TAG))
{
    POP_INPUT(POP_VECTOR(unsigned)) offsets;
    POP_INOUT(POP_VECTOR(T, ONE_PTR)) baseT;
    POP_INPUT(POP_VECTOR(T, ONE_PTR)) subT;
    ROW_STATE
};
POP_VERTEX_NAME(NAMED(MultiUpdate, OPERATION, T_TAG),
                "popops::MultiUpdateOp<" T_NAME ",popops::Operation::" TEXT_OF(OPERATION) ">");
COMPUTE_OF(NAMED(MultiUpdate, OPERATION, T_TAG))
{
    for (size_t i = 0, size = v->regionSize; i < v->offsets.size; ++i) {
        unsigned row = v->offsets.data[i] - v->baseOffset;
        size_t at = row * size, from = i * size;
        if (row < v->numBaseElements)
            for (size_t k = 0; k < size; ++k) {
                T a = v->baseT.data[at + k], b = v->subT.data[from + k];
                v->baseT.data[at + k] = (T)VALUE(a, b);
            }
    }
}
