/* SPDX-License-Identifier: Apache-2.0 */
/* popnn::HostLayerNormalise: on CPU devices, whole images of a layer norm in float: whitened activations (white may be
 * empty) and scaled ones in one pass.  Each operation is rounded, as the composed operations round theirs. */
#include "poplibs/vertex_types.h"

#ifdef __POPC__
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("tree-vectorize", "vect-cost-model=dynamic")
#endif
#include <poplar/vertex.h>

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

struct norm_row {
    const float *in;
    float *out, *white; /* white: NULL, or another row */
    float mean, inverse;
};
/* gamma and beta of each element. */
static void normalise_channels(struct norm_row row, const float *gamma, const float *beta, size_t count)
{
    const float *restrict in = row.in;
    float *restrict out = row.out, *restrict white = row.white;
    if (white)
        for (size_t i = 0; i < count; ++i) {
            white[i] = (in[i] - row.mean) * row.inverse;
            out[i] = white[i] * gamma[i] + beta[i];
        }
    else
        for (size_t i = 0; i < count; ++i)
            out[i] = (in[i] - row.mean) * row.inverse * gamma[i] + beta[i];
}
/* The same gamma and beta for all elements. */
static void normalise_field(struct norm_row row, float gamma, float beta, size_t count)
{
    const float *restrict in = row.in;
    float *restrict out = row.out, *restrict white = row.white;
    if (white)
        for (size_t i = 0; i < count; ++i) {
            white[i] = (in[i] - row.mean) * row.inverse;
            out[i] = white[i] * gamma + beta;
        }
    else
        for (size_t i = 0; i < count; ++i)
            out[i] = (in[i] - row.mean) * row.inverse * gamma + beta;
}
void HostLayerNormalise_compute(HostLayerNormalise *v)
{
    size_t channels = v->gamma.size, field = v->field, at = 0;
    for (size_t n = 0; n < v->mean.size; ++n) {
        size_t rows = field == 1 ? 1 : channels, count = field == 1 ? channels : field;
        for (size_t c = 0; c < rows; ++c, at += count) {
            struct norm_row row = { v->in.data + at, v->out.data + at, v->white.size ? v->white.data + at : NULL,
                                    v->mean.data[n], v->inverse.data[n] };
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
