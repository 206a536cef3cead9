/* SPDX-License-Identifier: Apache-2.0 */
/* popops::CastSupervisor<T,T_2> and Cast2d<T,T_2>: template of cast_typed.h. */
POP_SUPERVISOR_VERTEX(PAIRED(Supervisor))
{
    POP_INPUT(POP_VECTOR(T, ONE_PTR)) src;
    POP_OUTPUT(POP_VECTOR(T_2)) dst;
};
POP_VERTEX_NAME(PAIRED(Supervisor), "popops::CastSupervisor<" T_NAME "," T_2_NAME ">");
COMPUTE_PAIRED(Supervisor)
{
    PAIRED(cast)(v->dst.data, v->src.data, v->dst.size);
}

POP_VERTEX(PAIRED(Rows))
{
    POP_INPUT(POP_VECTORS(T, ONE_PTR, ONE_PTR)) src;
    POP_OUTPUT(POP_VECTORS(T_2)) dst;
};
POP_VERTEX_NAME(PAIRED(Rows), "popops::Cast2d<" T_NAME "," T_2_NAME ">");
COMPUTE_PAIRED(Rows)
{
    for (size_t i = 0; i < v->dst.size; ++i)
        PAIRED(cast)(v->dst.data[i].data, v->src.data[i].data, v->dst.data[i].size);
}
