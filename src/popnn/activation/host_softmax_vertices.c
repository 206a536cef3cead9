/* SPDX-License-Identifier: Apache-2.0 */
/* popnn::HostSoftmax: rows of the stable softmax in float on CPU devices, in place.  A row stays in the first cache
 * for its maximum, its exponentials, their sum and the division.  The sum is of 16 sums of each 16th exponential, so
 * that it has the same bits on every machine; the composed operations sum in another order. */
#include "poplibs/vertex_types.h"

#ifdef __POPC__
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-tree-pre", "no-thread-jumps", "vect-cost-model=dynamic")
#endif
#include <poplar/vertex.h>
#include <popops/element_functions.h>

enum { LANES = 8, LINE = POPOPS_LINE / sizeof(float) };
_Static_assert(LINE == 2 * LANES, "a line of memory is added to the sums at once");

POP_VERTEX(HostSoftmax)
{
    POP_INOUT(POP_VECTOR(float, ONE_PTR)) data;
    POP_STATE(unsigned) rows;
    POP_STATE(unsigned) columns;
};
POP_VERTEX_NAME(HostSoftmax, "popnn::HostSoftmax");

/* As integers in the same order as the floats, because their maximum is vectorised.  A NaN spoils its row anyway. */
static float max_of(const float *row, size_t count)
{
    int max = INT32_MIN;
    for (size_t i = 0; i < count; ++i) {
        int bits = (int)popops_bits_of(row[i]), key = bits ^ (int)((uint32_t)(bits >> 31) >> 1);
        max = key > max ? key : max;
    }
    return popops_float_of((uint32_t)(max ^ (int)((uint32_t)(max >> 31) >> 1)));
}
static inline __attribute__((always_inline)) void subtract_and_exp(float *row, size_t count, float max)
{
#pragma GCC ivdep
    for (size_t i = 0; i < count; ++i)
        row[i] = popops_exp_of_negative(row[i] - max);
}
/* Replaces the row by its exponentials and returns their sum; additions, which wait for one another, take turns with
 * exponentials, and meanwhile the row `next` is fetched. */
static float exp_and_sum(float *row, size_t count, float max, const float *next)
{
    typedef float lanes __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
    lanes low = { 0 }, high = { 0 };
    size_t at = 0;
    for (; count - at >= LINE; at += LINE) {
        __builtin_prefetch(next + at);
        subtract_and_exp(row + at, LINE, max);
        low += *(const lanes *)(row + at);
        high += *(const lanes *)(row + at + LANES);
    }
    float sums[2 * LANES];
    __builtin_memcpy(sums, &low, sizeof(low));
    __builtin_memcpy(sums + LANES, &high, sizeof(high));
    subtract_and_exp(row + at, count - at, max);
    for (size_t k = 0; at + k < count; ++k)
        sums[k] += row[at + k];
    for (size_t width = LANES; width; width /= 2)
        for (size_t k = 0; k < width; ++k)
            sums[k] += sums[k + width];
    return sums[0];
}
void HostSoftmax_compute(HostSoftmax *v)
{
    for (size_t r = 0; r < v->rows; ++r) {
        float *row = v->data.data + r * v->columns;
        const float *next = r + 1 < v->rows ? row + v->columns : row;
        float factor = 1.0f / exp_and_sum(row, v->columns, max_of(row, v->columns), next);
        for (size_t i = 0; i < v->columns; ++i)
            row[i] *= factor;
    }
}

#else
#include "popnn/vertices.h"

/* It runs only on devices without modelled cycles. */
void register_host_softmax_vertices(pop_graph *graph)
{
    (void)graph;
}
#endif
