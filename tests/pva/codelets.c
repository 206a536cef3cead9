/* SPDX-License-Identifier: Apache-2.0 */
#include <poplar/vertex.h>

POP_VERTEX(Dot)
{
    POP_INPUT(POP_VECTOR(float)) a;
    POP_INPUT(POP_VECTOR(float)) b;
    POP_OUTPUT(float) out;
};

bool Dot_compute(Dot *v)
{
    float sum = 0;
    for (size_t i = 0; i < v->a.size; ++i)
        sum += v->a.data[i] * v->b.data[i];
    *v->out = sum;
    return true;
}
