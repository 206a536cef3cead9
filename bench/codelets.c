/* SPDX-License-Identifier: Apache-2.0 */
/* The codelets of the measurements.  The bench program itself contains the same source, compiled with the same flags at
 * each level of x86-64, as the bare baseline (bare.c). */
#include <poplar/vertex.h>

/* Tutorial 7's. */
POP_VERTEX(BenchDot)
{
    POP_INPUT(POP_VECTOR(float)) a;
    POP_INPUT(POP_VECTOR(float)) b;
    POP_OUTPUT(float) out;
};

bool BenchDot_compute(BenchDot *v)
{
    float sum = 0;
    for (size_t i = 0; i < v->a.size; ++i)
        sum += v->a.data[i] * v->b.data[i];
    *v->out = sum;
    return true;
}

/* Three edges to scalars: the smallest vertex with a result. */
POP_VERTEX(BenchAdd)
{
    POP_INPUT(float) a;
    POP_INPUT(float) b;
    POP_OUTPUT(float) out;
};

bool BenchAdd_compute(BenchAdd *v)
{
    *v->out = *v->a + *v->b;
    return true;
}
