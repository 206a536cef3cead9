/* SPDX-License-Identifier: Apache-2.0 */
#include <poplar/vertex.h>

#ifndef INSTALLED_VERTEX_H
#error "this is not the header of the installed prefix"
#endif

POP_VERTEX(Double)
{
    POP_INPUT(float) in;
    POP_OUTPUT(float) out;
};

bool Double_compute(Double *v)
{
    *v->out = 2 * *v->in;
    return true;
}
