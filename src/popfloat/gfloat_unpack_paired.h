/* SPDX-License-Identifier: Apache-2.0 */
/* popfloat::experimental::CastGf8ToHalfSupervisor and CastGf16ToFloatSupervisor, with the type that is written:
 * template of gfloat_vertices.c. */
POP_SUPERVISOR_VERTEX(PAIRED(Unpack))
{
    POP_INPUT(POP_VECTOR(T, ONE_PTR)) in;
    POP_OUTPUT(POP_VECTOR(T_2)) out;
    POP_INPUT(POP_VECTOR(int, ONE_PTR)) params;
    POP_STATE(unsigned) format;
};
POP_VERTEX_NAME(PAIRED(Unpack), "popfloat::experimental::" POPLIBS_JOIN(UNPACK_, T_TAG) "Supervisor<" T_2_NAME ">");
COMPUTE_PAIRED(Unpack)
{
    struct gfloat f = gfloat_of(v->params.data);
    for (size_t i = 0; i < v->out.size; ++i)
        v->out.data[i] = (T_2)gfloat_decode(&f, (unsigned)v->in.data[i]);
}
