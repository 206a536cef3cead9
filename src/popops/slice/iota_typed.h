/* SPDX-License-Identifier: Apache-2.0 */
/* popops::Iota<T>: template of encoding_vertices.c. */
#if T_BITS & POPLIBS_UNSIGNED
#define WIDE unsigned
#else
#define WIDE int
#endif

POP_VERTEX(TYPED(Iota))
{
    POP_OUTPUT(POP_VECTORS(T)) out;
    POP_STATE(POP_VECTOR(WIDE)) offsets;
};
POP_VERTEX_NAME(TYPED(Iota), "popops::Iota<" T_NAME ">");
COMPUTE(Iota)
{
    for (size_t i = 0; i < v->out.size; ++i)
        for (size_t k = 0; k < v->out.data[i].size; ++k)
            v->out.data[i].data[k] = (T)(WIDE)((unsigned)v->offsets.data[i] + (unsigned)k);
}
#undef WIDE
