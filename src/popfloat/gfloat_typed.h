/* SPDX-License-Identifier: Apache-2.0 */
/* Casts of T to custom floats: template of gfloat_vertices.c, for one CALCULATION. */
#define TYPES_2    (POPLIBS_FLOATING | POPLIBS_SCHAR | POPLIBS_SHORT)
#define TEMPLATE_2 "popfloat/gfloat_paired.h"
#include "poplibs/each_second_type.h"

POP_SUPERVISOR_VERTEX(POPLIBS_JOIN(CALCULATION, TYPED(InPlace)))
{
    POP_INOUT(POP_VECTOR(T)) in;
    GFLOAT_FIELDS;
};
POP_VERTEX_NAME(POPLIBS_JOIN(CALCULATION, TYPED(InPlace)),
                "popfloat::experimental::CastToGfloat" CALCULATION_NAME "InPlaceSupervisor<" T_NAME ">");
void POPLIBS_JOIN(POPLIBS_JOIN(CALCULATION, TYPED(InPlace)), _compute)(POPLIBS_JOIN(CALCULATION, TYPED(InPlace)) * v)
{
    GFLOAT_BEGIN;
    for (size_t i = 0; i < v->in.size; ++i)
        v->in.data[i] = (T)gfloat_round(&format, &rounding, &random, (float)v->in.data[i]);
    GFLOAT_END;
}
