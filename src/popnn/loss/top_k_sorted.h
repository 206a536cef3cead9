/* SPDX-License-Identifier: Apache-2.0 */
/* popnn::ReduceMaxNClassGather<T,sorted> and ReduceMaxNClassSparse<T,sorted>: template of top_k_typed.h for
 * SORTED, 1 or 0. */
#define ORDERED(name) POPLIBS_JOIN(TYPED(name), POPLIBS_JOIN(_, SORTED))

POP_VERTEX(ORDERED(Gather))
{
    POP_INPUT(POP_VECTOR(T)) activations;
    POP_INOUT(POP_VECTOR(T)) maxValues;
    POP_INOUT(POP_VECTOR(unsigned, ONE_PTR)) maxValuesIndices;
    unsigned index; /* index of the first element in its row */
};
POP_VERTEX_NAME(ORDERED(Gather), "popnn::ReduceMaxNClassGather<" T_NAME "," SORTED_NAME ">");
COMPUTE_OF(ORDERED(Gather))
{
    unsigned k = (unsigned)v->maxValues.size;
    for (unsigned i = 0; i < v->activations.size; ++i)
        TYPED(offer)(v->maxValues.data, v->maxValuesIndices.data, k, i, v->activations.data[i], v->index + i);
    if (SORTED)
        TYPED(sort)(v->maxValues.data, v->maxValuesIndices.data, k);
}

POP_VERTEX(ORDERED(Sparse))
{
    POP_INPUT(POP_VECTOR(T)) activations;
    POP_INPUT(POP_VECTOR(unsigned, ONE_PTR)) labels;
    POP_INOUT(POP_VECTOR(T)) maxValues;
    POP_INOUT(POP_VECTOR(unsigned, ONE_PTR)) maxValuesIndices;
};
POP_VERTEX_NAME(ORDERED(Sparse), "popnn::ReduceMaxNClassSparse<" T_NAME "," SORTED_NAME ">");
COMPUTE_OF(ORDERED(Sparse))
{
    unsigned k = (unsigned)v->maxValues.size;
    for (unsigned i = 0; i < v->activations.size; ++i)
        TYPED(offer)(v->maxValues.data, v->maxValuesIndices.data, k, i, v->activations.data[i], v->labels.data[i]);
    if (SORTED)
        TYPED(sort)(v->maxValues.data, v->maxValuesIndices.data, k);
}
#undef ORDERED
