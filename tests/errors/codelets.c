/* SPDX-License-Identifier: Apache-2.0 */
/* Vertices that rows of the error table connect wrongly, and vertices with faults. */
#include <poplar/vertex.h>

#include <assert.h>
#include <stdlib.h>

POP_VERTEX(Sum)
{
    POP_INPUT(POP_VECTOR(float)) in;
    POP_OUTPUT(float) out;
};

bool Sum_compute(Sum *v)
{
    *v->out = 0;
    for (size_t i = 0; i < v->in.size; ++i)
        *v->out += v->in.data[i];
    return true;
}

POP_VERTEX(Fill)
{
    POP_OUTPUT(POP_VECTOR(float)) out;
};

bool Fill_compute(Fill *v)
{
    for (size_t i = 0; i < v->out.size; ++i)
        v->out.data[i] = 1;
    return true;
}

POP_VERTEX(Mixed)
{
    POP_INPUT(float) a;
    POP_INOUT(POP_VECTOR(float)) b;
    POP_INPUT(POP_VECTORS(float)) rows;
    POP_STATE(int) n;
    POP_STATE(POP_VECTOR(float)) data;
};

bool Mixed_compute(Mixed *v)
{
    v->b.data[0] = *v->a + (float)v->n;
    return true;
}

POP_VERTEX(Careful)
{
    POP_INPUT(POP_VECTOR(float)) in;
};

bool Careful_compute(Careful *v)
{
    bool must_be_positive = v->in.data[0] > 0;
    assert(must_be_positive);
    return true;
}

POP_VERTEX(Aborting)
{
    POP_INPUT(POP_VECTOR(float)) in;
};

bool Aborting_compute(Aborting *v)
{
    if (v->in.size)
        abort();
    return true;
}

POP_VERTEX(Overrun)
{
    POP_OUTPUT(POP_VECTOR(float)) out;
};

bool Overrun_compute(Overrun *v)
{
    for (size_t i = 0; i <= v->out.size; ++i)
        v->out.data[i] = 1;
    return true;
}

POP_VERTEX(SpoilsState)
{
    POP_STATE(POP_VECTOR(int)) kept;
    POP_OUTPUT(POP_VECTOR(float)) out;
};

bool SpoilsState_compute(SpoilsState *v)
{
    volatile int *kept = v->kept.data;
    kept[v->kept.size] = 7;
    return true;
}

POP_VERTEX(Underrun)
{
    POP_OUTPUT(POP_VECTOR(float)) out;
};

bool Underrun_compute(Underrun *v)
{
    v->out.data[-1] = 1;
    return true;
}

POP_VERTEX(WritesInput)
{
    POP_INPUT(POP_VECTOR(float)) in;
};

bool WritesInput_compute(WritesInput *v)
{
    ((float *)v->in.data)[1] = 7;
    return true;
}
