/* SPDX-License-Identifier: Apache-2.0 */
/* popnn::NAME<T> and NAME2D<T> for the loss whose rows the function ROW computes: template of loss_typed.h. */
#define NAME_2D POPLIBS_JOIN(NAME, 2D)

static void NAMED(ROW, T_TAG)(const T *probs, T *deltas, T *losses, size_t n, size_t right, const struct scales *scales)
{
#if T_BITS & POPLIBS_HALF /* half is computed as float, block by block */
    float wide[BLOCK], wide_deltas[BLOCK], wide_losses[BLOCK];
    for (size_t at = 0, count; at < n; at += count) {
        count = n - at < BLOCK ? n - at : BLOCK;
        poplibs_widen(wide, probs + at, count);
        ROW(wide, wide_deltas, wide_losses, count, right - at, scales);
        poplibs_narrow(deltas + at, wide_deltas, count);
        poplibs_narrow(losses + at, wide_losses, count);
    }
#else
    ROW(probs, deltas, losses, n, right, scales);
#endif
}

/* expected: the labels of the rows that overlap the region; column: its first column. */

POP_VERTEX(NAMED(NAME, T_TAG))
{
    POP_INPUT(POP_VECTOR(T, ONE_PTR)) probs;
    POP_INPUT(POP_VECTOR(unsigned, ONE_PTR)) expected;
    POP_OUTPUT(POP_VECTOR(T, ONE_PTR)) deltas;
    POP_OUTPUT(POP_VECTOR(T)) transformed;
    POP_INPUT(T) deltasScale;
    POP_INPUT(T) modelOutputScaling;
    unsigned column, classes;
};
POP_VERTEX_NAME(NAMED(NAME, T_TAG), "popnn::" TEXT_OF(NAME) "<" T_NAME ">");
COMPUTE_OF(NAMED(NAME, T_TAG))
{
    struct scales scales = { .deltas = (float)*v->deltasScale,
                             .outputs = (float)*v->modelOutputScaling,
                             .epsilon = EPSILON };
    unsigned column = v->column;
    for (size_t i = 0, row = 0; i < v->transformed.size; ++row, column = 0) {
        size_t left = v->transformed.size - i, n = v->classes - column < left ? v->classes - column : left;
        unsigned label = v->expected.data[row];
        if (label == MASKED)
            TYPED(nothing)(v->deltas.data + i, v->transformed.data + i, n);
        else
            NAMED(ROW, T_TAG)
        (v->probs.data + i, v->deltas.data + i, v->transformed.data + i, n, (size_t)label - column, &scales);
        i += n;
    }
}

POP_VERTEX(NAMED(NAME_2D, T_TAG))
{
    POP_INPUT(POP_VECTORS(T, ONE_PTR, ONE_PTR)) probs;
    POP_INPUT(POP_VECTOR(unsigned, ONE_PTR)) expected;
    POP_OUTPUT(POP_VECTORS(T, ONE_PTR, ONE_PTR)) deltas;
    POP_OUTPUT(POP_VECTORS(T)) transformed;
    POP_INPUT(T) deltasScale;
    POP_INPUT(T) modelOutputScaling;
    POP_STATE(POP_VECTOR(unsigned, ONE_PTR)) columns;
};
POP_VERTEX_NAME(NAMED(NAME_2D, T_TAG), "popnn::" TEXT_OF(NAME) "2D<" T_NAME ">");
COMPUTE_OF(NAMED(NAME_2D, T_TAG))
{
    struct scales scales = { .deltas = (float)*v->deltasScale,
                             .outputs = (float)*v->modelOutputScaling,
                             .epsilon = EPSILON };
    for (size_t i = 0; i < v->transformed.size; ++i) {
        size_t n = v->transformed.data[i].size;
        unsigned label = v->expected.data[i];
        if (label == MASKED)
            TYPED(nothing)(v->deltas.data[i].data, v->transformed.data[i].data, n);
        else
            NAMED(ROW, T_TAG)
        (v->probs.data[i].data, v->deltas.data[i].data, v->transformed.data[i].data, n,
         (size_t)label - v->columns.data[i], &scales);
    }
}
#undef NAME_2D
