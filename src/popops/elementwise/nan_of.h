/* SPDX-License-Identifier: Apache-2.0 */
/* popops::NAME<T>: template of nan_typed.h for NAME and FIRST, the bits of the smallest magnitude that it finds. */

POPLIBS_FAST BITS NAMED(beyond, NAME, T_TAG)(const BITS *in, size_t count)
{
    BITS found = 0;
    for (size_t i = 0; i < count; ++i)
        found |= (in[i] & MAGNITUDE) >= FIRST;
    return found;
}

POP_VERTEX(NAMED(NAME, T_TAG))
{
    POP_INPUT(POP_VECTORS(T)) in;
};
POP_VERTEX_NAME(NAMED(NAME, T_TAG), "popops::" TEXT_OF(NAME) "<" T_NAME ">");
bool NAMED(NAME, T_TAG, compute)(NAMED(NAME, T_TAG) * v)
{
    BITS found = 0;
    for (size_t i = 0; i < v->in.size; ++i)
        found |= NAMED(beyond, NAME, T_TAG)((const BITS *)(const void *)v->in.data[i].data, v->in.data[i].size);
    return !found;
}
