/* SPDX-License-Identifier: Apache-2.0 */
/* popops::HeapSortVertex<T> and TopK<T>: template of sort_vertices.c. */
HEAP_INLINE bool TYPED(less)(T a, T b)
{
    return a < b || (a == a && b != b); /* a NaN is larger than numbers and equal to other NaN */
}
HEAP_INLINE bool TYPED(key_before)(const void *user, size_t i, size_t k)
{
    T *const *keys = user;
    return TYPED(less)((*keys)[i], (*keys)[k]);
}
HEAP_INLINE void TYPED(exchange)(T *values, size_t i, size_t k)
{
    T kept = values[i];
    values[i] = values[k];
    values[k] = kept;
}
HEAP_INLINE void TYPED(key_exchange)(const void *user, size_t i, size_t k)
{
    T *const *keys = user;
    TYPED(exchange)(*keys, i, k);
}

POP_VERTEX(TYPED(Sort))
{
    POP_INOUT(POP_VECTOR(T)) out;
};
POP_VERTEX_NAME(TYPED(Sort), "popops::HeapSortVertex<" T_NAME ">");
COMPUTE(Sort)
{
    T *keys = v->out.data;
    heap_sort(v->out.size, TYPED(key_before), TYPED(key_exchange), &keys);
}

/* The chosen positions form a heap with the worst one at its root, until they are sorted.  Among equal keys the earlier
 * one is better, and comes first. */
struct TYPED(choice) {
    const T *in;
    unsigned *chosen;
    bool largest, ascending;
};
HEAP_INLINE bool TYPED(worse)(const struct TYPED(choice) * c, size_t a, size_t b)
{
    return c->largest ? TYPED(less)(c->in[a], c->in[b]) : TYPED(less)(c->in[b], c->in[a]);
}
HEAP_INLINE bool TYPED(better_place)(const void *user, size_t i, size_t k)
{
    const struct TYPED(choice) *c = user;
    unsigned a = c->chosen[i], b = c->chosen[k];
    return TYPED(worse)(c, b, a) || (!TYPED(worse)(c, a, b) && a < b);
}
HEAP_INLINE bool TYPED(comes_before)(const void *user, size_t i, size_t k)
{
    const struct TYPED(choice) *c = user;
    unsigned a = c->chosen[i], b = c->chosen[k];
    T first = c->in[c->ascending ? a : b], second = c->in[c->ascending ? b : a];
    return TYPED(less)(first, second) || (!TYPED(less)(second, first) && a < b);
}
HEAP_INLINE void TYPED(chosen_exchange)(const void *user, size_t i, size_t k)
{
    const struct TYPED(choice) *c = user;
    unsigned kept = c->chosen[i];
    c->chosen[i] = c->chosen[k];
    c->chosen[k] = kept;
}

POP_VERTEX(TYPED(TopK))
{
    POP_INPUT(POP_VECTOR(T)) keys;
    POP_OUTPUT(POP_VECTOR(unsigned)) positions;
    POP_OUTPUT(POP_VECTOR(T, ONE_PTR)) out;
    POP_STATE(unsigned) base;
    POP_STATE(bool) largest;
    POP_STATE(bool) ascending;
};
POP_VERTEX_NAME(TYPED(TopK), "popops::TopK<" T_NAME ">");
COMPUTE(TopK)
{
    struct TYPED(choice) c = { v->keys.data, v->positions.data, v->largest, v->ascending };
    size_t k = v->positions.size;
    for (size_t i = 0; i < k; ++i)
        c.chosen[i] = (unsigned)i;
    for (size_t i = k / 2; i-- > 0;)
        heap_sink(i, k, TYPED(better_place), TYPED(chosen_exchange), &c);
    for (size_t i = k; i < v->keys.size; ++i)
        if (TYPED(worse)(&c, c.chosen[0], i)) {
            c.chosen[0] = (unsigned)i;
            heap_sink(0, k, TYPED(better_place), TYPED(chosen_exchange), &c);
        }
    heap_sort(k, TYPED(comes_before), TYPED(chosen_exchange), &c);
    for (size_t i = 0; i < k; ++i) {
        v->out.data[i] = c.in[c.chosen[i]];
        c.chosen[i] += v->base;
    }
}

POP_VERTEX(TYPED(TopKGather))
{
    POP_INPUT(POP_VECTOR(T)) in;
    POP_INPUT(POP_VECTOR(unsigned)) positions;
    POP_OUTPUT(POP_VECTOR(T, ONE_PTR)) out;
    POP_STATE(unsigned) base;
};
POP_VERTEX_NAME(TYPED(TopKGather), "popops::TopKGather<" T_NAME ">");
COMPUTE(TopKGather)
{
    for (size_t i = 0; i < v->positions.size; ++i) {
        unsigned at = v->positions.data[i] - v->base;
        if (at < v->in.size)
            v->out.data[i] = v->in.data[at];
    }
}
