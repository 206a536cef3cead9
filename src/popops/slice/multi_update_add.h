/* SPDX-License-Identifier: Apache-2.0 */
/* popops::MultiUpdateAdd<ADD_NAME,subword> with a scale of type SCALE: template of multi_update_add_typed.h for SUBWORD
 * (whole or part) and SUBWORD_NAME. */

POP_VERTEX(NAMED(MultiUpdateAdd, ADD_TAG, SUBWORD))
{
    POP_INPUT(POP_VECTOR(unsigned)) offsets;
    POP_INOUT(POP_VECTOR(T, ONE_PTR)) baseT;
    POP_INPUT(POP_VECTOR(T, ONE_PTR)) subT;
    POP_INPUT(SCALE) scale;
    ROW_STATE
};
POP_VERTEX_NAME(NAMED(MultiUpdateAdd, ADD_TAG, SUBWORD), "popops::MultiUpdateAdd<" ADD_NAME "," SUBWORD_NAME ">");
POP_CONSTRAINT(NAMED(MultiUpdateAdd, ADD_TAG, SUBWORD), "elem(*baseT) != elem(*subT)");
POP_CONSTRAINT(NAMED(MultiUpdateAdd, ADD_TAG, SUBWORD), "elem(*offsets) != elem(*subT)");
POP_CONSTRAINT(NAMED(MultiUpdateAdd, ADD_TAG, SUBWORD), "elem(*offsets) != elem(*baseT)");
COMPUTE_OF(NAMED(MultiUpdateAdd, ADD_TAG, SUBWORD))
{
    WIDE scale = (WIDE)*v->scale;
    for (size_t i = 0, size = v->regionSize; i < v->offsets.size; ++i) {
        unsigned row = v->offsets.data[i] - v->baseOffset;
        size_t at = row * size, from = i * size;
        if (row < v->numBaseElements)
            for (size_t k = 0; k < size; ++k)
                v->baseT.data[at + k] = (T)((WIDE)v->baseT.data[at + k] + scale * (WIDE)v->subT.data[from + k]);
    }
}
