/* SPDX-License-Identifier: Apache-2.0 */
/* Layer norms of whole images in float on CPU devices.  popnn::HostLayerStatistics: mean and reciprocal deviation of
 * each image in one pass, or two while the image is in the cache.  popnn::HostLayerNormalise: whitened activations
 * (white may be empty) and scaled ones in one pass; each operation is rounded, as the composed operations round
 * theirs. */
#include "poplibs/vertex_types.h"

#ifdef __POPC__
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("tree-vectorize", "vect-cost-model=dynamic")
#endif
#include <poplar/vertex.h>
#include <popops/element_functions.h>
#ifdef __SSE__
#include <immintrin.h>
#endif

#define INLINE static inline __attribute__((always_inline))

/* ---- statistics ---- */

/* A mean and a reciprocal deviation for each image of `count` elements. */
POP_VERTEX(HostLayerStatistics)
{
    POP_INPUT(POP_VECTOR(float, ONE_PTR)) in;
    POP_OUTPUT(POP_VECTOR(float)) mean;
    POP_OUTPUT(POP_VECTOR(float, ONE_PTR)) inverse;
    POP_STATE(unsigned) count;
    POP_STATE(float) eps;
    POP_STATE(bool) unbiased;
    POP_STATE(bool) stable;
};
POP_VERTEX_NAME(HostLayerStatistics, "popnn::HostLayerStatistics");

/* Sums of SUMS interleaved parts of a block, in float; blocks are added up in double.  So that bits are the same on
 * every machine, additions do not depend on the width of its vectors. */
enum { LANES = 8, VECTORS = 4, SUMS = VECTORS * LANES, BLOCK = 1 << 12 };
typedef float lanes __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
struct moments {
    double sum, squares;
};
static double total(const lanes *parts)
{
    float sums[SUMS];
    __builtin_memcpy(sums, parts, sizeof(sums));
    for (size_t width = SUMS / 2; width; width /= 2)
        for (size_t k = 0; k < width; ++k)
            sums[k] += sums[k + width];
    return sums[0];
}
/* Adds a block's sums of x - centre and of their squares. */
static void add_block(struct moments *moments, const float *in, size_t count, float centre)
{
    lanes sums[VECTORS] = { { 0 } }, squares[VECTORS] = { { 0 } };
    size_t at = 0;
    for (; count - at >= SUMS; at += SUMS)
#pragma GCC unroll 4
        for (size_t v = 0; v < VECTORS; ++v) {
            lanes x = *(const lanes *)(in + at + v * LANES) - centre;
            sums[v] += x;
            squares[v] += x * x;
        }
    moments->sum += total(sums);
    moments->squares += total(squares);
    for (; at < count; ++at) {
        double x = in[at] - centre;
        moments->sum += x;
        moments->squares += x * x;
    }
}
static struct moments moments_of(const float *in, size_t count, float centre)
{
    struct moments moments = { 0 };
    for (size_t at = 0; at < count; at += BLOCK)
        add_block(&moments, in + at, count - at < BLOCK ? count - at : BLOCK, centre);
    return moments;
}
void HostLayerStatistics_compute(HostLayerStatistics *v)
{
    double count = v->count;
    for (size_t n = 0; n < v->mean.size; ++n) {
        const float *in = v->in.data + n * v->count;
        struct moments moments = moments_of(in, v->count, 0);
        v->mean.data[n] = (float)(moments.sum / count);
        if (v->stable)
            moments = moments_of(in, v->count, v->mean.data[n]);
        double shift = moments.sum / count, variance = moments.squares / count - shift * shift;
        variance = variance < 0 ? 0 : variance; /* rounding may give a negative one */
        if (v->unbiased && v->count > 1)
            variance *= count / (count - 1);
        v->inverse.data[n] = (float)(1 / __builtin_sqrt(variance + (double)v->eps));
    }
}

/* ---- scaling ---- */

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
    POP_STATE(bool) past; /* outputs are stored past the caches, for they are larger */
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
/* Stores a line of memory without reading it first; release_lines() makes it visible to other threads. */
INLINE void store_past_caches(float *to, const float *line)
{
#if defined(__AVX512F__)
    _mm512_stream_ps(to, _mm512_load_ps(line));
#elif defined(__AVX__)
    for (size_t i = 0; i < LINE; i += 8)
        _mm256_stream_ps(to + i, _mm256_load_ps(line + i));
#elif defined(__SSE__)
    for (size_t i = 0; i < LINE; i += 4)
        _mm_stream_ps(to + i, _mm_load_ps(line + i));
#else
    __builtin_memcpy(to, line, POPOPS_LINE);
#endif
}
INLINE void release_lines(void)
{
#ifdef __SSE__
    _mm_sfence();
#endif
}
/* normalise_each for lines of outputs that are aligned; returns the number of elements. */
static size_t normalise_past_caches(const struct norm_row *row, const float *gamma, const float *beta, size_t count)
{
    size_t at = 0;
    for (; count - at >= LINE; at += LINE) {
        _Alignas(POPOPS_LINE) float line[LINE];
        const struct norm_row part = { .in = row->in + at, .out = line, .mean = row->mean, .inverse = row->inverse };
        __builtin_prefetch(row->in + popops_ahead(at, row->left, sizeof(float)));
        normalise_each(&part, gamma + at, beta + at, 0, LINE);
        store_past_caches(row->out + at, line);
    }
    return at;
}
static void normalise_channels(struct norm_row row, const float *gamma, const float *beta, size_t count, bool past)
{
    size_t at = 0;
    if (past && !row.white && (size_t)row.out % POPOPS_LINE == 0)
        at = normalise_past_caches(&row, gamma, beta, count);
    for (; count - at >= LINE; at += LINE) {
        fetch_ahead(&row, at);
        normalise_each(&row, gamma, beta, at, LINE);
    }
    normalise_each(&row, gamma, beta, at, count - at);
}
/* Normalises with one gamma and one beta. */
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
                normalise_channels(row, v->gamma.data, v->beta.data, count, v->past);
            else
                normalise_field(row, v->gamma.data[c], v->beta.data[c], count);
        }
    }
    if (v->past)
        release_lines();
}

#else
#include "popnn/vertices.h"

/* It runs only on devices without modelled cycles. */
void register_host_norm_vertices(pop_graph *graph)
{
    (void)graph;
}
#endif
