/* SPDX-License-Identifier: Apache-2.0 */
/* Tutorial 6: the outline of a dot product.  Complete its compute function. */
#include <poplar/vertex.h>

POP_VERTEX(DotProductVertex)
{
    POP_INPUT(POP_VECTOR(float)) a;
    POP_INPUT(POP_VECTOR(float)) b;
    POP_OUTPUT(float) out;
};

bool DotProductVertex_compute(DotProductVertex *v)
{
    *v->out = 0;
    return true;
}
