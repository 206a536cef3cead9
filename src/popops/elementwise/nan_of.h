/* SPDX-License-Identifier: Apache-2.0 */
/* popops::NAME<T>: template of nan_typed.h for NAME and FIRST, the bits of the smallest magnitude that it finds. */
#define VERTEX POPLIBS_JOIN(NAME, POPLIBS_JOIN(_, T_TAG))
#define BEYOND POPLIBS_JOIN(beyond_, VERTEX)

POPLIBS_FAST BITS BEYOND(const BITS *in, size_t count)
{
    BITS found = 0;
    for (size_t i = 0; i < count; ++i)
        found |= (in[i] & MAGNITUDE) >= FIRST;
    return found;
}

POP_VERTEX(VERTEX)
{
    POP_INPUT(POP_VECTORS(T)) in;
};
POP_VERTEX_NAME(VERTEX, "popops::" TEXT_OF(NAME) "<" T_NAME ">");
bool POPLIBS_JOIN(VERTEX, _compute)(VERTEX *v)
{
    BITS found = 0;
    for (size_t i = 0; i < v->in.size; ++i)
        found |= BEYOND((const BITS *)(const void *)v->in.data[i].data, v->in.data[i].size);
    return !found;
}
#undef VERTEX
#undef BEYOND
