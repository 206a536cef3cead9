/* SPDX-License-Identifier: Apache-2.0 */
/* popops::HeapSortVertexKV<T,T_2>: template of sort_pairs_typed.h. */
struct PAIRED(pairs) {
    T *keys;
    T_2 *values;
};
HEAP_INLINE bool PAIRED(pair_before)(const void *user, size_t i, size_t k)
{
    const struct PAIRED(pairs) *pairs = user;
    return TYPED(less)(pairs->keys[i], pairs->keys[k]);
}
HEAP_INLINE void PAIRED(pair_exchange)(const void *user, size_t i, size_t k)
{
    const struct PAIRED(pairs) *pairs = user;
    TYPED(exchange)(pairs->keys, i, k);
    POPLIBS_JOIN(exchange_, T_2_TAG)(pairs->values, i, k);
}

POP_VERTEX(PAIRED(SortKV))
{
    POP_INOUT(POP_VECTOR(T)) key;
    POP_INOUT(POP_VECTOR(T_2, ONE_PTR)) value;
};
POP_VERTEX_NAME(PAIRED(SortKV), "popops::HeapSortVertexKV<" T_NAME "," T_2_NAME ">");
COMPUTE_PAIRED(SortKV)
{
    struct PAIRED(pairs) pairs = { v->key.data, v->value.data };
    heap_sort(v->key.size, PAIRED(pair_before), PAIRED(pair_exchange), &pairs);
}
