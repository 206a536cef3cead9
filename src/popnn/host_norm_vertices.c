/* SPDX-License-Identifier: Apache-2.0 */
/* popnn::HostLayerNormalise: on CPU devices, whole images of a layer norm in float: whitened activations (white may be
 * empty) and scaled ones in one pass.  Each operation is rounded, as the composed operations round theirs. */
#include "poplibs/vertex_types.h"

#ifdef __POPC__
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("tree-vectorize", "vect-cost-model=dynamic")
#endif
#include <poplar/vertex.h>
#include <popops/element_functions.h>

/* images x channels x field elements; a mean and a reciprocal deviation for each image, gamma and beta for each
 * channel. */
POP_VERTEX(HostLayerNormalise)
{
    POP_INPUT(POP_VECTOR(float, ONE_PTR)) in;
    POP_INPUT(POP_VECTOR(float)) mean;
    POP_INPUT(POP_VECTOR(float, ONE_PTR)) inverse;
    POP_INPUT(POP_VECTOR(float)) gamma;
    POP_INPUT(POP_VECTOR(float, ONE_PTR)) beta;
    POP_OUTPUT(POP_VECTOR(float, ONE_PTR)) out;
    POP_OUTPUT(POP_VECTOR(float)) white;
    POP_STATE(unsigned) field;
};
POP_VERTEX_NAME(HostLayerNormalise, "popnn::HostLayerNormalise");

/* Elements of one image. */
struct norm_row {
    const float *in;
    float *out, *white; /* white: NULL, or another row */
    float mean, inverse;
    size_t left; /* elements from the row's first to the vertex's last */
};
enum { LINE = POPOPS_LINE / sizeof(float) };
#define INLINE static inline __attribute__((always_inline))
/* Asks for the memory of later elements, also of outputs: otherwise each store waits for its line. */
INLINE void fetch_ahead(const struct norm_row *row, size_t at)
{
    size_t ahead = popops_ahead(at, row->left, sizeof(float));
    __builtin_prefetch(row->in + ahead);
    __builtin_prefetch(row->out + ahead, 1);
    if (row->white)
        __builtin_prefetch(row->white + ahead, 1);
}
/* Elements `at` to at + count - 1, with gamma and beta of each. */
INLINE void normalise_each(const struct norm_row *row, const float *gamma, const float *beta, size_t at, size_t count)
{
    const float *restrict in = row->in + at;
    float *restrict out = row->out + at;
    for (size_t i = 0; i < count; ++i)
        out[i] = (in[i] - row->mean) * row->inverse * gamma[at + i] + beta[at + i];
    if (row->white)
        for (size_t i = 0; i < count; ++i)
            row->white[at + i] = (in[i] - row->mean) * row->inverse;
}
static void normalise_channels(struct norm_row row, const float *gamma, const float *beta, size_t count)
{
    size_t at = 0;
    for (; count - at >= LINE; at += LINE) {
        fetch_ahead(&row, at);
        normalise_each(&row, gamma, beta, at, LINE);
    }
    normalise_each(&row, gamma, beta, at, count - at);
}
/* The same with one gamma and one beta. */
INLINE void normalise_all(const struct norm_row *row, float gamma, float beta, size_t at, size_t count)
{
    const float *restrict in = row->in + at;
    float *restrict out = row->out + at;
    for (size_t i = 0; i < count; ++i)
        out[i] = (in[i] - row->mean) * row->inverse * gamma + beta;
    if (row->white)
        for (size_t i = 0; i < count; ++i)
            row->white[at + i] = (in[i] - row->mean) * row->inverse;
}
static void normalise_field(struct norm_row row, float gamma, float beta, size_t count)
{
    size_t at = 0;
    for (; count - at >= LINE; at += LINE) {
        fetch_ahead(&row, at);
        normalise_all(&row, gamma, beta, at, LINE);
    }
    normalise_all(&row, gamma, beta, at, count - at);
}
void HostLayerNormalise_compute(HostLayerNormalise *v)
{
    size_t channels = v->gamma.size, field = v->field, at = 0, total = v->mean.size * channels * field;
    for (size_t n = 0; n < v->mean.size; ++n) {
        size_t rows = field == 1 ? 1 : channels, count = field == 1 ? channels : field;
        for (size_t c = 0; c < rows; ++c, at += count) {
            struct norm_row row = { v->in.data + at, v->out.data + at,   v->white.size ? v->white.data + at : NULL,
                                    v->mean.data[n], v->inverse.data[n], total - at };
            if (field == 1)
                normalise_channels(row, v->gamma.data, v->beta.data, count);
            else
                normalise_field(row, v->gamma.data[c], v->beta.data[c], count);
        }
    }
}

#else
#include "popnn/vertices.h"

/* It runs only on devices without modelled cycles. */
void popnn_host_norm_vertices(pop_graph *graph)
{
    (void)graph;
}
#endif
