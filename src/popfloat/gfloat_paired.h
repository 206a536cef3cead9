/* SPDX-License-Identifier: Apache-2.0 */
/* popfloat::experimental::CastToGfloat16Supervisor and CastToGfloat32Supervisor from T to T_2: template of
 * gfloat_typed.h. */
POP_SUPERVISOR_VERTEX(POPLIBS_JOIN(CALCULATION, PAIRED(Cast)))
{
    POP_INPUT(POP_VECTOR(T, ONE_PTR)) in;
    POP_OUTPUT(POP_VECTOR(T_2)) out;
    GFLOAT_FIELDS;
};
POP_VERTEX_NAME(POPLIBS_JOIN(CALCULATION, PAIRED(Cast)),
                "popfloat::experimental::CastToGfloat" CALCULATION_NAME "Supervisor<" T_NAME "," T_2_NAME ">");
void POPLIBS_JOIN(POPLIBS_JOIN(CALCULATION, PAIRED(Cast)), _compute)(POPLIBS_JOIN(CALCULATION, PAIRED(Cast)) * v)
{
    GFLOAT_BEGIN;
    for (size_t i = 0; i < v->out.size; ++i) {
        float value = gfloat_round(&format, &rounding, &random, (float)v->in.data[i]);
#if T_2_BITS & POPLIBS_FLOATING
        v->out.data[i] = (T_2)value;
#else
        v->out.data[i] = (T_2)gfloat_encode(&format, value);
#endif
    }
    GFLOAT_END;
}
