/* SPDX-License-Identifier: Apache-2.0 */
/* poplin::OuterProduct<T>: template of conv_mac_vertices.c. */
POP_VERTEX(TYPED(OuterProduct))
{
    POP_INPUT(POP_VECTOR(T)) in;
    POP_INPUT(POP_VECTOR(T, ONE_PTR, 8)) weights;
    POP_OUTPUT(POP_VECTORS(T, SPAN, ONE_PTR, 8)) out;
    unsigned chans_per_group;
};
POP_VERTEX_NAME(TYPED(OuterProduct), "poplin::OuterProduct<" T_NAME ">");
COMPUTE(OuterProduct)
{
    unsigned n = v->chans_per_group;
    for (size_t g = 0; g < v->out.size; ++g)
        for (size_t i = 0; i < v->in.size; ++i)
            for (unsigned c = 0; c < n; ++c)
                v->out.data[g].data[i * n + c] = v->in.data[i] * v->weights.data[g * n + c];
}