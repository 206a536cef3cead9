/* SPDX-License-Identifier: Apache-2.0 */
/* Tutorial 6: the dot product of two vectors of the same length. */
#include <poplar/vertex.h>

POP_VERTEX(DotProductVertex)
{
    POP_INPUT(POP_VECTOR(float)) a;
    POP_INPUT(POP_VECTOR(float)) b;
    POP_OUTPUT(float) out;
};

bool DotProductVertex_compute(DotProductVertex *v)
{
    float sum = 0;
    for (size_t i = 0; i < v->a.size; ++i)
        sum += v->a.data[i] * v->b.data[i];
    *v->out = sum;
    return true;
}
