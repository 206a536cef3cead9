/* SPDX-License-Identifier: Apache-2.0 */
/* popops::Cast<T,T_2>: template of cast_typed.h. */
#include "popops/elementwise/cast_value.h"

POP_VERTEX(PAIRED(One))
{
    POP_INPUT(POP_VECTOR(T, ONE_PTR)) src;
    POP_OUTPUT(POP_VECTOR(T_2)) dst;
};
POP_VERTEX_NAME(PAIRED(One), "popops::Cast<" T_NAME "," T_2_NAME ">");
COMPUTE_PAIRED(One)
{
    for (size_t i = 0; i < v->dst.size; ++i)
        v->dst.data[i] = CAST_VALUE(v->src.data[i]);
}
