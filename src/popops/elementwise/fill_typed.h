/* SPDX-License-Identifier: Apache-2.0 */
/* popops::Fill<T> and Fill2d<T>: template of fill_vertices.c. */
static void TYPED(fill)(T *out, size_t size, T value)
{
    for (size_t i = 0; i < size; ++i)
        out[i] = value;
}

POP_VERTEX(TYPED(Fill))
{
    POP_STATE(T) in;
    POP_OUTPUT(POP_VECTOR(T)) out;
};
POP_VERTEX_NAME(TYPED(Fill), "popops::Fill<" T_NAME ">");
COMPUTE(Fill)
{
    TYPED(fill)(v->out.data, v->out.size, v->in);
}

POP_VERTEX(TYPED(Fill2d))
{
    POP_STATE(T) in;
    POP_OUTPUT(POP_VECTORS(T)) out;
};
POP_VERTEX_NAME(TYPED(Fill2d), "popops::Fill2d<" T_NAME ">");
COMPUTE(Fill2d)
{
    for (size_t i = 0; i < v->out.size; ++i)
        TYPED(fill)(v->out.data[i].data, v->out.data[i].size, v->in);
}
