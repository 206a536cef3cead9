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

enum { LANES = 8, PART = 64 };

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
        row[i] = popops_expf(row[i] - max);
}
/* Replaces the row by its exponentials and returns their sum; additions, which wait for one another, take turns with
 * exponentials, and meanwhile the row `next` is fetched. */
static float exp_and_sum(float *row, size_t count, float max, const float *next)
{
    typedef float lanes __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
    lanes low = { 0 }, high = { 0 };
    for (size_t i = 0; i + 2 * LANES <= count;) {
        size_t end = count - i < PART ? i + (count - i) / (2 * LANES) * (2 * LANES) : i + PART;
        popops_prefetch(next + i, (end - i) * sizeof(*next));
        if (end - i == PART)
            subtract_and_exp(row + i, PART, max);
        else
            subtract_and_exp(row + i, end - i, max);
        for (; i < end; i += 2 * LANES) {
            low += *(const lanes *)(row + i);
            high += *(const lanes *)(row + i + LANES);
        }
    }
    float sums[2 * LANES];
    __builtin_memcpy(sums, &low, sizeof(low));
    __builtin_memcpy(sums + LANES, &high, sizeof(high));
    size_t whole = count / (2 * LANES) * (2 * LANES);
    subtract_and_exp(row + whole, count - whole, max);
    for (size_t k = 0; whole + k < count; ++k)
        sums[k] += row[whole + k];
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
void popnn_host_softmax_vertices(pop_graph *graph)
{
    (void)graph;
}
#endif
