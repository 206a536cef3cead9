/* SPDX-License-Identifier: Apache-2.0 */
/* Vertices of the anchors: tutorial 7's two, one that only has an estimate, and one with an interleaved field. */
#include <poplar/vertex.h>

POP_VERTEX(DotProductVertex) {
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

POP_VERTEX(ReduceVertex) {
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

POP_VERTEX(CountVertex) {
    POP_INOUT(float) value;
};

bool CountVertex_compute(CountVertex *v)
{
    *v->value += 1;
    return true;
}

POP_VERTEX(InterleavedVertex) {
    POP_INPUT(POP_VECTOR(float, SPAN, 16, true)) in;
    POP_OUTPUT(float) out;
};

bool InterleavedVertex_compute(InterleavedVertex *v)
{
    *v->out = v->in.data[0];
    return true;
}
