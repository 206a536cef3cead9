/* SPDX-License-Identifier: Apache-2.0 */
/* popops::ForLoopCounter<T>: template of counter_vertices.c. */
POP_VERTEX(TYPED(Counter))
{
    POP_INOUT(T) count;
    POP_INPUT(T) limit;
    POP_OUTPUT(unsigned) comparisonResult;
    POP_STATE(int) increment;
};
POP_VERTEX_NAME(TYPED(Counter), "popops::ForLoopCounter<" T_NAME ">");
COMPUTE(Counter)
{
    *v->count = (T)((unsigned)*v->count + (unsigned)v->increment);
    *v->comparisonResult = v->increment > 0 ? *v->count < *v->limit : *v->count > *v->limit;
}