/* SPDX-License-Identifier: Apache-2.0 */
/* popops::MultiUpdateAdd<ADD_NAME,subword> and MultiUpdateSum<ADD_NAME>: template of multi_update_typed.h for a type
 * SCALE of the scale. */
/* The operands are in three memory elements, so that one cycle can read all of them.  Poplibs does the same, which
 * affects the memory of its fullest tiles. */
#define SUBWORD      whole
#define SUBWORD_NAME "false"
#include "popops/slice/multi_update_add.h"
#undef SUBWORD
#undef SUBWORD_NAME

#define SUBWORD      part
#define SUBWORD_NAME "true"
#include "popops/slice/multi_update_add.h"
#undef SUBWORD
#undef SUBWORD_NAME

#define SUM_VERTEX POPLIBS_JOIN(Sum_, ADD_TAG)
POP_VERTEX(SUM_VERTEX)
{
    POP_INPUT(POP_VECTOR(PARTIAL, ONE_PTR)) partials;
    POP_INPUT(SCALE) scale;
    POP_INOUT(POP_VECTOR(T)) baseT;
    POP_STATE(unsigned) numPartials;
};
POP_VERTEX_NAME(SUM_VERTEX, "popops::MultiUpdateSum<" ADD_NAME ">");
COMPUTE_OF(SUM_VERTEX)
{
    WIDE scale = (WIDE)*v->scale;
    for (size_t k = 0; k < v->baseT.size; ++k) {
        WIDE sum = 0;
        for (size_t i = 0; i < v->numPartials; ++i)
            sum += (WIDE)v->partials.data[i * v->baseT.size + k];
        v->baseT.data[k] = (T)((WIDE)v->baseT.data[k] + scale * sum);
    }
}
#undef SUM_VERTEX
