/* SPDX-License-Identifier: Apache-2.0 */
/* popops::MultiUpdateAdd<ADD_NAME,subword> with a scale of type SCALE: template of multi_update_add_typed.h for SUBWORD
 * (_whole or _part) and SUBWORD_NAME. */
#define VERTEX POPLIBS_JOIN(POPLIBS_JOIN(MultiUpdateAdd_, ADD_TAG), SUBWORD)

POP_VERTEX(VERTEX)
{
    POP_INPUT(POP_VECTOR(unsigned)) offsets;
    POP_INOUT(POP_VECTOR(T, ONE_PTR)) baseT;
    POP_INPUT(POP_VECTOR(T, ONE_PTR)) subT;
    POP_INPUT(SCALE) scale;
    ROW_STATE
};
POP_VERTEX_NAME(VERTEX, "popops::MultiUpdateAdd<" ADD_NAME "," SUBWORD_NAME ">");
POP_CONSTRAINT(VERTEX, "elem(*baseT) != elem(*subT)");
POP_CONSTRAINT(VERTEX, "elem(*offsets) != elem(*subT)");
POP_CONSTRAINT(VERTEX, "elem(*offsets) != elem(*baseT)");
COMPUTE_OF(VERTEX)
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
#undef VERTEX
