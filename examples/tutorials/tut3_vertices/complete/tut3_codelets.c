/* SPDX-License-Identifier: Apache-2.0 */
/* Tutorial 3: a vertex that sums its input. */
#include <poplar/vertex.h>

POP_VERTEX(SumVertex)
{
    POP_INPUT(POP_VECTOR(float)) in;
    POP_OUTPUT(float) out;
};

bool SumVertex_compute(SumVertex *v)
{
    float sum = 0;
    for (size_t i = 0; i < v->in.size; ++i)
        sum += v->in.data[i];
    *v->out = sum;
    return true;
}
