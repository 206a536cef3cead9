/* SPDX-License-Identifier: Apache-2.0 */
/* Tutorial 3: the skeleton of a codelet.  Add the fields `in` and `out`, and the computation. */
#include <poplar/vertex.h>

POP_VERTEX(SumVertex)
{
    int remove_me; /* a C struct needs one field: this is the vertex's state */
};

bool SumVertex_compute(SumVertex *v)
{
    (void)v;
    return true;
}
