/* SPDX-License-Identifier: Apache-2.0 */
/* popnn::ReduceMaxClassGather<T,unsigned int> and ReduceMaxClassSparse, or those with Min: template of
 * arg_max_typed.h for NAME, which is Max or Min, and BETTER(a, b). */
#define NAMED_VERTEX(name) POPLIBS_JOIN(NAME, TYPED(name))

/* The first index of the best element: the best of each lane, then of all lanes, then its index. A NaN is never better
 * than a number (BETTER); if all elements are NaN the best is one, unequal to all: the result is index 0 then. */
static unsigned NAMED(best, NAME, T_TAG)(const T *values, unsigned count)
{
    T lanes[LANES], best = values[0];
    unsigned i = 0;
    for (unsigned lane = 0; lane < LANES; ++lane)
        lanes[lane] = best;
    for (; i + LANES <= count; i += LANES)
        for (unsigned lane = 0; lane < LANES; ++lane)
            lanes[lane] = BETTER(values[i + lane], lanes[lane]) ? values[i + lane] : lanes[lane];
    for (unsigned lane = 0; lane < LANES; ++lane)
        best = BETTER(lanes[lane], best) ? lanes[lane] : best;
    for (; i < count; ++i)
        best = BETTER(values[i], best) ? values[i] : best;
    for (i = 0; i < count && values[i] != best; ++i) {
    }
    return i < count ? i : 0;
}

POP_SUPERVISOR_VERTEX(NAMED_VERTEX(Gather))
{
    POP_INPUT(POP_VECTOR(T, ONE_PTR)) activations;
    POP_OUTPUT(POP_VECTOR(OUT, ONE_PTR)) maxValue;
    POP_OUTPUT(POP_VECTOR(unsigned, ONE_PTR)) maxIndex;
    unsigned index; /* index of the first element in its row */
    unsigned size;
    unsigned char divisorLog2; /* log2 of the elements of a share */
};
POP_VERTEX_NAME(NAMED_VERTEX(Gather), "popnn::Reduce" TEXT_OF(NAME) "ClassGather<" T_NAME ",unsigned int>");
COMPUTE_OF(NAMED_VERTEX(Gather))
{
    unsigned share = 1u << v->divisorLog2;
    for (unsigned first = 0, part = 0; first < v->size; first += share, ++part) {
        unsigned end = v->size - first < share ? v->size : first + share;
        unsigned best = first + NAMED(best, NAME, T_TAG)(v->activations.data + first, end - first);
        v->maxValue.data[part] = (OUT)v->activations.data[best];
        v->maxIndex.data[part] = v->index + best;
    }
}
#if T_BITS & MERGED_TYPES

POP_VERTEX(NAMED_VERTEX(Sparse))
{
    POP_INPUT(POP_VECTOR(T)) activations;
    POP_INPUT(POP_VECTOR(unsigned, ONE_PTR)) labels;
    POP_OUTPUT(T) maxValue;
    POP_OUTPUT(unsigned) maxIndex;
};
POP_VERTEX_NAME(NAMED_VERTEX(Sparse), "popnn::Reduce" TEXT_OF(NAME) "ClassSparse<" T_NAME ",unsigned int>");
COMPUTE_OF(NAMED_VERTEX(Sparse))
{
    unsigned best = NAMED(best, NAME, T_TAG)(v->activations.data, (unsigned)v->activations.size);
    *v->maxValue = v->activations.data[best];
    *v->maxIndex = v->labels.data[best];
}
#endif
#undef NAMED_VERTEX
