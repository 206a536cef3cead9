/* SPDX-License-Identifier: Apache-2.0 */
/* Vertices of the anchors beside tutorial 7's own: one that only has an estimate, and one with an interleaved field. */
#include <poplar/vertex.h>

POP_VERTEX(CountVertex)
{
    POP_INOUT(float) value;
};

bool CountVertex_compute(CountVertex *v)
{
    *v->value += 1;
    return true;
}

POP_VERTEX(InterleavedVertex)
{
    POP_INPUT(POP_VECTOR(float, SPAN, 16, true)) in;
    POP_OUTPUT(float) out;
};

bool InterleavedVertex_compute(InterleavedVertex *v)
{
    *v->out = v->in.data[0];
    return true;
}
