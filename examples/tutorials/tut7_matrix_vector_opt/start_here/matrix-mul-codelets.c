/* SPDX-License-Identifier: Apache-2.0 */
/* Tutorial 7: the dot product of a segment of a row with that of the vector, and the sum of a row's partial results. */
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

POP_VERTEX(ReduceVertex)
{
    POP_INPUT(POP_VECTOR(float)) in;
    POP_OUTPUT(float) out;
};

bool ReduceVertex_compute(ReduceVertex *v)
{
    float sum = 0;
    for (size_t i = 0; i < v->in.size; ++i)
        sum += v->in.data[i];
    *v->out = sum;
    return true;
}
