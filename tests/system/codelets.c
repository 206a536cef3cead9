/* SPDX-License-Identifier: Apache-2.0 */
/* Vertices of the system tests: every kind of vertex and every kind of field. */
#include <poplar/vertex.h>

POP_VERTEX(AddOne)
{
    POP_INOUT(POP_VECTOR(float)) data;
};

bool AddOne_compute(AddOne *v)
{
    for (size_t i = 0; i < v->data.size; ++i)
        v->data.data[i] += 1;
    return true;
}

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

POP_VERTEX(DotProduct)
{
    POP_INPUT(POP_VECTOR(float)) a;
    POP_INPUT(POP_VECTOR(float)) b;
    POP_OUTPUT(float) out;
};

bool DotProduct_compute(DotProduct *v)
{
    float sum = 0;
    for (size_t i = 0; i < v->a.size; ++i)
        sum += v->a.data[i] * v->b.data[i];
    *v->out = sum;
    return true;
}

/* y = x + 1, element by element; x and y may be the same tensor. */
POP_VERTEX(Successor)
{
    POP_INPUT(POP_VECTOR(int)) x;
    POP_OUTPUT(POP_VECTOR(int)) y;
};

void Successor_compute(Successor *v)
{
    for (size_t i = 0; i < v->x.size; ++i)
        v->y.data[v->x.size - 1 - i] = v->x.data[v->x.size - 1 - i] + 1;
}

/* Writes every second element and no others. */
POP_VERTEX(EverySecond)
{
    POP_OUTPUT(POP_VECTOR(int)) out;
    POP_STATE(int) value;
};

bool EverySecond_compute(EverySecond *v)
{
    for (size_t i = 0; i < v->out.size; i += 2)
        v->out.data[i] = v->value;
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

/* The same through a list, in place: each row becomes its prefix sums. */
POP_VERTEX(ListPrefix)
{
    POP_INOUT(POP_VECTOR_LIST(int, DELTANELEMENTS)) rows;
};

bool ListPrefix_compute(ListPrefix *v)
{
    for (size_t i = 0; i < v->rows.size; ++i)
        for (size_t j = 1; j < v->rows.data[i].size; ++j)
            v->rows.data[i].data[j] += v->rows.data[i].data[j - 1];
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

/* Every layout of a vector; those without a size take it from state. */
POP_VERTEX(Layouts)
{
    POP_INPUT(POP_VECTOR(int, SPAN)) a;
    POP_INPUT(POP_VECTOR(int, SHORT_SPAN)) b;
    POP_INPUT(POP_VECTOR(int, ONE_PTR, 8)) c;
    POP_INPUT(POP_VECTOR(int, SCALED_PTR32, 4)) d;
    POP_INPUT(POP_VECTOR(int, SCALED_PTR64, 8)) e;
    POP_INPUT(POP_VECTOR(int, SCALED_PTR128, 16, true)) f;
    POP_INPUT(POP_VECTOR(int, COMPACT_PTR)) g;
    POP_OUTPUT(POP_VECTOR(int, ONE_PTR)) out;
    POP_STATE(unsigned short) n;
};

bool Layouts_compute(Layouts *v)
{
    if (v->a.size != v->n || v->b.size != v->n || (uintptr_t)v->c.data % 8 || (uintptr_t)v->f.data % 16)
        return false;
    for (unsigned i = 0; i < v->n; ++i)
        v->out.data[i] =
            v->a.data[i] + v->b.data[i] + v->c.data[i] + v->d.data[i] + v->e.data[i] + v->f.data[i] + v->g.data[i];
    return true;
}

/* State of every kind; it persists from one execution to the next. */
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
    int runs;
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
    out[8] = (float)++v->runs;
    return true;
}

POP_VERTEX(HalfScale)
{
    POP_INOUT(POP_VECTOR(half)) data;
    POP_INPUT(half) factor;
};

bool HalfScale_compute(HalfScale *v)
{
    for (size_t i = 0; i < v->data.size; ++i)
        v->data.data[i] *= *v->factor;
    return true;
}

/* True if its element is not 0. */
POP_VERTEX(NotZero)
{
    POP_INPUT(int) x;
};

bool NotZero_compute(NotZero *v)
{
    return *v->x != 0;
}

POP_SUPERVISOR_VERTEX(SupervisorDouble)
{
    POP_INOUT(POP_VECTOR(int)) data;
};

bool SupervisorDouble_compute(SupervisorDouble *v)
{
    for (size_t i = 0; i < v->data.size; ++i)
        v->data.data[i] *= 2;
    return true;
}

/* Each worker processes every sixth element and writes its number. */
POP_MULTI_VERTEX(Workers)
{
    POP_INOUT(POP_VECTOR(int)) data;
};

bool Workers_compute(Workers *v, unsigned worker)
{
    for (size_t i = worker; i < v->data.size; i += POP_NUM_WORKERS)
        v->data.data[i] = v->data.data[i] * 100 + (int)worker;
    return worker != 3 || v->data.size < 100;
}

/* One field of each element type. */
POP_VERTEX(AllTypes)
{
    POP_INOUT(bool) b;
    POP_INOUT(char) c;
    POP_INOUT(signed char) sc;
    POP_INOUT(unsigned char) uc;
    POP_INOUT(short) s;
    POP_INOUT(unsigned short) us;
    POP_INOUT(int) i;
    POP_INOUT(unsigned) u;
    POP_INOUT(long long) l;
    POP_INOUT(unsigned long long) ul;
    POP_INOUT(half) h;
    POP_INOUT(float) f;
};

bool AllTypes_compute(AllTypes *v)
{
    *v->b = !*v->b;
    *v->c += 1, *v->sc += 1, *v->uc += 1, *v->s += 1, *v->us += 1, *v->i += 1, *v->u += 1, *v->l += 1, *v->ul += 1;
    *v->h += (half)1, *v->f += 1;
    return true;
}

POP_VERTEX(Constrained)
{
    POP_INPUT(POP_VECTOR(float, SPAN, 8)) a;
    POP_INOUT(POP_VECTOR(float, SPAN, 8)) b;
};
POP_CONSTRAINT(Constrained, "elem(*a) != elem(*b)");

bool Constrained_compute(Constrained *v)
{
    for (size_t i = 0; i < v->a.size; ++i)
        v->b.data[i] += v->a.data[i];
    return true;
}

POP_VERTEX(Predecessor)
{
    POP_INOUT(POP_VECTOR(int)) x;
};

void Predecessor_compute(Predecessor *v)
{
    for (size_t i = 0; i < v->x.size; ++i)
        v->x.data[i] -= 1;
}
