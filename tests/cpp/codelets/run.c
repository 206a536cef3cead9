/* SPDX-License-Identifier: Apache-2.0 */
/* Vertices of the tests of programs and engines. */
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

POP_VERTEX(CountDown)
{
    POP_INOUT(int) value;
};

bool CountDown_compute(CountDown *v)
{
    *v->value -= 1;
    return *v->value != 0;
}
