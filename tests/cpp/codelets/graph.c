/* SPDX-License-Identifier: Apache-2.0 */
/* Vertices of the tests of graphs: every kind of field. */
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

POP_VERTEX(Scale)
{
    POP_INOUT(POP_VECTOR(float)) data;
    POP_INPUT(float) factor;
};

bool Scale_compute(Scale *v)
{
    for (size_t i = 0; i < v->data.size; ++i)
        v->data.data[i] *= *v->factor;
    return true;
}

/* A vector of vectors in, a vector out: the sum of each row. */
POP_VERTEX(RowSums)
{
    POP_INPUT(POP_VECTORS(int)) rows;
    POP_OUTPUT(POP_VECTOR(int)) sums;
};

bool RowSums_compute(RowSums *v)
{
    for (size_t i = 0; i < v->rows.size; ++i) {
        v->sums.data[i] = 0;
        for (size_t j = 0; j < v->rows.data[i].size; ++j)
            v->sums.data[i] += v->rows.data[i].data[j];
    }
    return true;
}

/* Edges to single elements. */
POP_VERTEX(Gather)
{
    POP_INPUT(POP_SCALARS(int)) from;
    POP_OUTPUT(POP_SCALARS(int)) to;
};

bool Gather_compute(Gather *v)
{
    for (size_t i = 0; i < v->from.size; ++i)
        *v->to.data[i] = *v->from.data[i] * 10;
    return true;
}

POP_VERTEX(Layouts)
{
    POP_INPUT(POP_VECTOR(int, SPAN)) a;
    POP_INPUT(POP_VECTOR(int, ONE_PTR, 8)) c;
    POP_INPUT(POP_VECTOR(int, SCALED_PTR32, 4)) d;
    POP_INPUT(POP_VECTOR_LIST(int, DELTANELEMENTS)) list;
    POP_INPUT(POP_VECTORS(int, SPAN, ONE_PTR)) rows;
    POP_STATE(unsigned short) n;
};

bool Layouts_compute(Layouts *v)
{
    (void)v;
    return true;
}

/* State of every kind. */
POP_VERTEX(Stateful)
{
    POP_OUTPUT(POP_VECTOR(float)) out;
    POP_STATE(bool) flag;
    POP_STATE(short) small;
    POP_STATE(half) h;
    POP_STATE(float) f;
    POP_STATE(long long) large;
    POP_STATE(POP_VECTOR(unsigned short)) list;
    POP_STATE(POP_VECTORS(int)) table;
};

bool Stateful_compute(Stateful *v)
{
    float *out = v->out.data;
    out[0] = (float)v->flag;
    out[1] = (float)v->small;
    out[2] = (float)v->h;
    out[3] = v->f;
    out[4] = (float)(v->large >> 32);
    out[5] = (float)v->list.size;
    out[6] = v->list.size ? (float)v->list.data[v->list.size - 1] : -1;
    out[7] = v->table.size > 1 && v->table.data[1].size ? (float)v->table.data[1].data[0] : -1;
    return true;
}
