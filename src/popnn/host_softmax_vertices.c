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

enum { LANES = 8 };

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
/* Meanwhile the row `next` is fetched. */
static void subtract_and_exp(float *row, size_t count, float max, const float *next)
{
    for (size_t at = 0, end; at < count; at = end) {
        end = count - at < POPOPS_AHEAD ? count : at + POPOPS_AHEAD;
        popops_prefetch(next + at, (end - at) * sizeof(*next));
#pragma GCC ivdep
        for (size_t i = at; i < end; ++i)
            row[i] = popops_expf(row[i] - max);
    }
}
static float sum_of(const float *row, size_t count)
{
    typedef float lanes __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
    lanes low = { 0 }, high = { 0 };
    size_t i = 0;
    for (; i + 2 * LANES <= count; i += 2 * LANES) {
        low += *(const lanes *)(row + i);
        high += *(const lanes *)(row + i + LANES);
    }
    float sums[2 * LANES];
    __builtin_memcpy(sums, &low, sizeof(low));
    __builtin_memcpy(sums + LANES, &high, sizeof(high));
    for (size_t k = 0; i < count; ++i, ++k)
        sums[k] += row[i];
    for (size_t width = LANES; width; width /= 2)
        for (size_t k = 0; k < width; ++k)
            sums[k] += sums[k + width];
    return sums[0];
}
void HostSoftmax_compute(HostSoftmax *v)
{
    for (size_t r = 0; r < v->rows; ++r) {
        float *row = v->data.data + r * v->columns;
        subtract_and_exp(row, v->columns, max_of(row, v->columns), r + 1 < v->rows ? row + v->columns : row);
        float factor = 1.0f / sum_of(row, v->columns);
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
