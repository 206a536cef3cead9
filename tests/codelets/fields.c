/* SPDX-License-Identifier: Apache-2.0 */
/* Every kind of field.  The tests include this file too, to compare what popc read with the compiler's layout. */
#include <poplar/vertex.h>

enum colour { RED, GREEN };
typedef float real;

POP_VERTEX(Scalars)
{
    POP_INPUT(bool) a;
    POP_OUTPUT(char) b;
    POP_INOUT(signed char) c;
    POP_INPUT(unsigned char) d;
    POP_OUTPUT(short) e;
    POP_INOUT(unsigned short) f;
    POP_INPUT(int) g;
    POP_OUTPUT(unsigned) h;
    POP_INOUT(long long) i;
    POP_INPUT(unsigned long long) j;
    POP_OUTPUT(half) k;
    POP_INOUT(real) l;
    POP_INPUT(int64_t) m;
    POP_INPUT(uint8_t) n;
};
void Scalars_compute(Scalars *v);
void Scalars_compute(Scalars *v)
{
    (void)v;
}

POP_SUPERVISOR_VERTEX(Layouts)
{
    POP_INPUT(POP_VECTOR(float)) span;
    POP_OUTPUT(POP_VECTOR(float, SHORT_SPAN)) short_span;
    POP_INOUT(POP_VECTOR(half, ONE_PTR)) one;
    POP_INPUT(POP_VECTOR(int, SCALED_PTR32, 4)) p32;
    POP_INPUT(POP_VECTOR(int, SCALED_PTR64, 8)) p64;
    POP_INPUT(POP_VECTOR(unsigned char, SCALED_PTR128, 16, true)) p128;
    POP_INPUT(POP_VECTOR(bool, COMPACT_PTR, 2)) compact;
};
bool Layouts_compute(Layouts *v);
bool Layouts_compute(Layouts *v)
{
    return v->span.size == v->short_span.size;
}
POP_CONSTRAINT(Layouts, "elem(*span) != elem(*one)");
POP_CONSTRAINT(Layouts, "region(*p32) != region(*p64)");

POP_MULTI_VERTEX(Nested)
{
    POP_INPUT(POP_VECTORS(float)) rows;
    POP_OUTPUT(POP_VECTORS(half, ONE_PTR, SPAN)) one_span;
    POP_INOUT(POP_VECTORS(int, SPAN, ONE_PTR, 8, 1)) span_one;
    POP_INPUT(POP_VECTOR_LIST(float)) list;
    POP_INPUT(POP_VECTOR_LIST(half, DELTAN, 8)) deltan;
    POP_OUTPUT(POP_VECTOR_LIST(short, DELTANELEMENTS)) elements;
    POP_OUTPUT(POP_SCALARS(float)) outs;
    POP_INPUT(POP_SCALARS(unsigned, ONE_PTR)) ins;
};
void Nested_compute(Nested *v, unsigned worker);
void Nested_compute(Nested *v, unsigned worker)
{
    (void)v;
    (void)worker;
}
POP_CONSTRAINT(Nested, "elem(**rows) != elem(**span_one)");

/* Unusual alignments of the fields. */
POP_VERTEX(State)
{
    unsigned char first;
    unsigned short second;
    bool third;
    POP_STATE(float) fourth;
    char fifth;
    half sixth;
    enum colour colour;
    const int constant;
    long long big;
    char gap;
    POP_STATE(POP_VECTOR(unsigned short)) table;
    POP_STATE(POP_VECTOR(float, ONE_PTR, 16)) bare;
    char gap2;
    POP_STATE(POP_VECTORS(int)) tables;
    int64_t fixed;
    unsigned char last;
};
bool State_compute(State *v);
bool State_compute(State *v)
{
    return v->first != v->last;
}

#ifdef __POPC__ /* ISO C, in which the tests are written, has no empty structs */
POP_VERTEX(Empty){};
void Empty_compute(Empty *v);
void Empty_compute(Empty *v)
{
    (void)v;
}
#endif

/* No compute: no codelet. */
POP_VERTEX(Forgotten)
{
    int x;
};
