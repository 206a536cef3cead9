/* SPDX-License-Identifier: Apache-2.0 */
/* Codelets that the tests run. */
#include <assert.h>
#include <math.h>
#include <poplar/vertex.h>
#include <stdlib.h>

POP_VERTEX(Sum)
{
    POP_INPUT(POP_VECTOR(float)) in;
    POP_OUTPUT(float) out;
};
bool Sum_compute(Sum *v)
{
    float sum = 0;
    for (size_t i = 0; i < v->in.size; ++i)
        sum += v->in.data[i];
    *v->out = sum;
    return true;
}

POP_VERTEX(RowSums)
{
    POP_INPUT(POP_VECTORS(int)) rows;
    POP_OUTPUT(POP_VECTOR(int, ONE_PTR)) sums;
    unsigned runs;
};
void RowSums_compute(RowSums *v)
{
    for (size_t i = 0; i < v->rows.size; ++i) {
        v->sums.data[i] = 0;
        for (size_t j = 0; j < v->rows.data[i].size; ++j)
            v->sums.data[i] += v->rows.data[i].data[j];
    }
    ++v->runs;
}

POP_MULTI_VERTEX(Stripes)
{
    POP_OUTPUT(POP_VECTOR(unsigned)) out;
    POP_INOUT(POP_VECTOR(unsigned)) calls;
};
bool Stripes_compute(Stripes *v, unsigned worker)
{
    for (size_t i = worker; i < v->out.size; i += POP_NUM_WORKERS)
        v->out.data[i] = worker;
    v->calls.data[worker] += 1;
    return worker != 3;
}

/* (a * b) + c in half: the product is rounded if nothing is contracted and no excess precision is kept. */
POP_VERTEX(HalfMac)
{
    POP_INPUT(half) a;
    POP_INPUT(half) b;
    POP_INPUT(half) c;
    POP_OUTPUT(half) out;
};
void HalfMac_compute(HalfMac *v)
{
    *v->out = *v->a * *v->b + *v->c;
}

POP_VERTEX(FloatMac)
{
    POP_INPUT(float) a;
    POP_INPUT(float) b;
    POP_INPUT(float) c;
    POP_OUTPUT(float) out;
};
void FloatMac_compute(FloatMac *v)
{
    *v->out = *v->a * *v->b + *v->c;
}

POP_VERTEX(Pick)
{
    POP_INPUT(POP_SCALARS(float)) in;
    POP_OUTPUT(float) out;
};
static bool pick(Pick *v)
{
    *v->out = sqrtf(*v->in.data[v->in.size - 1]);
    return *v->out > 1;
}
static bool Pick_compute(Pick *v)
{
    return pick(v);
}

POP_VERTEX(Fails)
{
    POP_INPUT(int) how;
};
void Fails_compute(Fails *v)
{
    assert(*v->how != 1);
    if (*v->how == 2)
        abort();
    if (*v->how == 3)
        exit(7);
}

#define popc_line __LINE__
#define count     12345
#define stride    "a user's macro may be called anything"
#define i         j

#ifdef __IPU__
#error "__IPU__ is for the device"
#endif
#ifndef __POPC__
#error "__POPC__ is for codelets"
#endif
