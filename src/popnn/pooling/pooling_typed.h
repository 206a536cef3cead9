/* SPDX-License-Identifier: Apache-2.0 */
/* popnn::MaxPooling<T> and related vertices: template of pooling_vertices.c. */
#if T_BITS & POPLIBS_HALF
#define LOWEST -65504.0f
#else
#define LOWEST -3.40282347e38f
#endif
/* A field that is a list of rows, as an array of pointers. */
#define ROWS(name) (const T *const *)(const void *)v->name.data

/* Accumulates `count` elements as sums or maxima; COUNT counts the elements equal to the maximum. */
INLINE void TYPED(fold_run)(float *to, const T *from, const T *largest, int count, enum fold fold)
{
    int c = 0;
    for (; c + 8 <= count; c += 8) {
        eight value = TYPED(get)(from + c), at = get_float(to + c);
        *(eight_there *)(to + c) = fold == MAX   ? CHOOSE(value > at, value, at)
                                   : fold == SUM ? at + value
                                                 : at + CHOOSE(value == TYPED(get)(largest + c), ONES, ZEROS);
    }
    for (; c < count; ++c) {
        float value = (float)from[c];
        to[c] = fold == MAX   ? (value > to[c] ? value : to[c])
                : fold == SUM ? to[c] + value
                              : to[c] + (from[c] == largest[c] ? 1.0f : 0.0f);
    }
}

/* Adds gradients; for MAX only to elements equal to the maximum of their window. */
INLINE void TYPED(give_run)(float *to, const T *gradient, const T *of, const T *largest, int count, float scale,
                            bool max)
{
    int c = 0;
    for (; c + 8 <= count; c += 8) {
        eight value = TYPED(get)(gradient + c) * scale, at = get_float(to + c);
        *(eight_there *)(to + c) =
            at + (max ? CHOOSE(TYPED(get)(of + c) == TYPED(get)(largest + c), value, ZEROS) : value);
    }
    for (; c < count; ++c)
        to[c] += !max || of[c] == largest[c] ? (float)gradient[c] * scale : 0.0f;
}

#ifndef __IPU__
/* Accumulates single elements that are `step` apart in the input, as sums or maxima. */
INLINE void TYPED(fold_apart)(float *to, const T *from, int count, const int step, enum fold fold)
{
#pragma GCC ivdep
    for (int i = 0; i < count; ++i) {
        float value = (float)from[(ptrdiff_t)i * step], at = to[i];
        to[i] = fold == SUM ? at + value : value > at ? value : at;
    }
}
#endif

/* Accumulates the windows of n output elements of a row, from x on, into acc. pooled, which COUNT reads, is the row
 * of maxima. */
INLINE void TYPED(fold)(const struct pool_part *p, const struct pool_walk *w, const int *place, const T *const *in,
                        const T *pooled, int x, int n, float *acc, enum fold fold)
{
    const struct pool_dim *d = &p->dim[p->dims - 1];
    int channels = p->channels, window[6] = { 0 };
    do {
        int row = pool_row_of(p, place, window, true);
        for (int k = 0; k < d->kernel && row >= 0; ++k) {
            /* From an output position to the first element of its window for offset k. */
            int shift = d->out_begin * d->stride - d->padding + k - d->in_begin;
            int first = pool_max(pool_ceil_div(-shift, d->stride), x),
                end = pool_min(pool_ceil_div(d->in_size - shift, d->stride), x + n);
#ifndef __IPU__
            if (channels == 1 && d->stride > 1 && fold != COUNT) {
                const T *from = in[row] + (ptrdiff_t)first * d->stride + shift;
                if (d->stride == 2)
                    TYPED(fold_apart)(acc + first - x, from, end - first, 2, fold);
                else
                    TYPED(fold_apart)(acc + first - x, from, end - first, d->stride, fold);
                continue;
            }
#endif
            int run = d->stride == 1 ? pool_max(end - first, 1) : 1; /* with stride 1 neighbouring elements are
                                                                      * contiguous */
            for (int o = first; o < end; o += run) {
                const T *from = in[row] + (ptrdiff_t)(o * d->stride + shift) * channels;
                float *to = acc + (o - x) * channels;
                TYPED(fold_run)(to, from, fold == COUNT ? pooled + (o - x) * channels : NULL, run * channels, fold);
            }
        }
    } while (pool_next_place(window, w->kernel, p->dims - 1));
}

/* Only COUNT reads gradient. average: divides sums by the number of elements that the windows cover. */
INLINE void TYPED(forward)(const int *data, const T *const *in, const T *const *pooled, const T *const *gradient,
                           T *out, enum fold fold, bool average, float lowest)
{
    const struct pool_part part = read_part(data), *p = &part;
    const struct pool_dim *d = &p->dim[p->dims - 1];
    struct pool_walk w = pool_walk_of(p, true);
    int step = RUN / p->channels;
    float acc[RUN];
    for (int image = 0, row = 0; image < p->groups * p->batch; ++image, in += w.in_rows) {
        int place[6] = { 0 };
        do {
            float rows = 1.0f;
            for (int i = 0; i + 1 < p->dims; ++i)
                rows *= (float)pool_covered(&p->dim[i], p->dim[i].out_begin + place[i]);
            for (int x = 0; x < d->out_size; x += step) {
                int n = pool_min(step, d->out_size - x), count = n * p->channels;
                for (int i = 0; i < count; ++i)
                    acc[i] = fold == MAX ? lowest : 0.0f;
                TYPED(fold)(p, &w, place, in, fold == COUNT ? pooled[row] + x * p->channels : NULL, x, n, acc, fold);
                /* A window entirely in padding gives 0. */
#ifndef __IPU__
                if (p->channels == 1 && (average || fold == MAX))
                    finish_windows(*d, x, n, rows, average, acc);
                else
#endif
                    for (int o = 0; o < n && (average || fold == MAX); ++o) {
                        float elements = rows * (float)pool_covered(d, d->out_begin + x + o);
                        float divisor = average && elements > 0.0f ? elements : 1.0f;
                        for (int c = 0; c < p->channels; ++c)
                            acc[o * p->channels + c] = elements > 0.0f ? acc[o * p->channels + c] / divisor : 0.0f;
                    }
                for (int i = 0; i < count; ++i)
                    out[i] = fold == COUNT
                                 ? (T)((float)gradient[row][x * p->channels + i] / (acc[i] > 0.0f ? acc[i] : 1.0f))
                                 : (T)acc[i];
                out += count;
            }
            ++row;
        } while (pool_next_place(place, w.sizes, p->dims - 1));
    }
}

/* For each input element of a row: the sum of the gradients of the windows that cover it; for MAX of those windows
 * whose maximum equals it. */
INLINE void TYPED(backward)(const int *data, const T *const *in, const T *const *pooled, const T *const *gradient,
                            T *in_gradient, bool max, bool average)
{
    const struct pool_part part = read_part(data), *p = &part;
    const struct pool_dim *d = &p->dim[p->dims - 1];
    struct pool_walk w = pool_walk_of(p, false);
    int step = RUN / p->channels, channels = p->channels;
    float acc[RUN];
    for (int image = 0, in_row = 0; image < p->groups * p->batch; ++image) {
        int place[6] = { 0 };
        do {
            for (int x = 0; x < d->in_size; x += step) {
                int n = pool_min(step, d->in_size - x), window[6] = { 0 };
                for (int i = 0; i < n * channels; ++i)
                    acc[i] = 0.0f;
                do {
                    int row = pool_row_of(p, place, window, false);
                    float rows = 1.0f;
                    for (int i = 0; i + 1 < p->dims && row >= 0 && average; ++i)
                        rows *= (float)pool_covered(&p->dim[i],
                                                    (p->dim[i].in_begin + place[i] + p->dim[i].padding - window[i]) /
                                                        p->dim[i].stride);
                    for (int k = 0; k < d->kernel && row >= 0; ++k) {
                        /* Output o corresponds to element o stride - shift of the run. */
                        int shift = d->in_begin + x + d->padding - k;
                        int first = pool_max(pool_ceil_div(shift, d->stride), d->out_begin);
                        int end = pool_min(pool_ceil_div(shift + n, d->stride), d->out_begin + d->out_size);
                        int run = d->stride == 1 && !average ? pool_max(end - first, 1) : 1;
                        for (int o = first; o < end; o += run) {
                            int at = o * d->stride - shift;
                            ptrdiff_t from = (ptrdiff_t)(o - d->out_begin) * channels;
                            const T *g = gradient[row], *of = max ? in[in_row] + (x + at) * channels : NULL,
                                    *largest = max ? pooled[row] : NULL;
                            float scale = average ? 1.0f / (rows * (float)pool_covered(d, o)) : 1.0f;
                            const T *best = max ? largest + from : NULL;
                            TYPED(give_run)(acc + at * channels, g + from, of, best, run * channels, scale, max);
                        }
                    }
                } while (pool_next_place(window, w.kernel, p->dims - 1));
                for (int i = 0; i < n * channels; ++i)
                    in_gradient[i] = (T)acc[i];
                in_gradient += n * channels;
            }
            ++in_row;
        } while (pool_next_place(place, w.sizes, p->dims - 1));
        gradient += w.rows;
        pooled += max ? w.rows : 0;
    }
}

/* The constraints keep inputs and outputs in different memory elements, so that they can be accessed in the same
 * cycle, as in Poplibs. Edges are rows of the innermost dimension, so that exchanges can complete them one by one. */
POP_SUPERVISOR_VERTEX(TYPED(MaxPooling))
{
    POP_OUTPUT(POP_VECTOR(T)) out;
    POP_INPUT(POP_VECTORS(T, ONE_PTR, ONE_PTR)) in;
    POP_STATE(POP_VECTOR(int, ONE_PTR)) part;
};
POP_VERTEX_NAME(TYPED(MaxPooling), "popnn::MaxPooling<" T_NAME ">");
POP_CONSTRAINT(TYPED(MaxPooling), "elem(**in) != elem(*out)");
COMPUTE(MaxPooling)
{
    TYPED(forward)(v->part.data, ROWS(in), NULL, NULL, v->out.data, MAX, false, LOWEST);
}

POP_SUPERVISOR_VERTEX(TYPED(SumPooling))
{
    POP_OUTPUT(POP_VECTOR(T)) out;
    POP_INPUT(POP_VECTORS(T, ONE_PTR, ONE_PTR)) in;
    POP_STATE(POP_VECTOR(int, ONE_PTR)) part;
    bool average;
};
POP_VERTEX_NAME(TYPED(SumPooling), "popnn::SumPooling<" T_NAME ">");
POP_CONSTRAINT(TYPED(SumPooling), "elem(**in) != elem(*out)");
COMPUTE(SumPooling)
{
    TYPED(forward)(v->part.data, ROWS(in), NULL, NULL, v->out.data, SUM, v->average, LOWEST);
}

/* Fields of vertices that compare elements with the maxima of their windows. */
#define LARGEST_FIELDS                                                                                                 \
    POP_OUTPUT(POP_VECTOR(T)) out;                                                                                     \
    POP_INPUT(POP_VECTORS(T, ONE_PTR, ONE_PTR)) in;                                                                    \
    POP_INPUT(POP_VECTORS(T, ONE_PTR, ONE_PTR)) pooled;                                                                \
    POP_INPUT(POP_VECTORS(T, ONE_PTR, ONE_PTR)) gradient;                                                              \
    POP_STATE(POP_VECTOR(int, ONE_PTR)) part;

POP_SUPERVISOR_VERTEX(TYPED(Scale)){ LARGEST_FIELDS };
POP_VERTEX_NAME(TYPED(Scale), "popnn::MaxPoolingGradientScale<" T_NAME ">");
POP_CONSTRAINT(TYPED(Scale), "elem(**in) != elem(*out)");
COMPUTE(Scale)
{
    TYPED(forward)(v->part.data, ROWS(in), ROWS(pooled), ROWS(gradient), v->out.data, COUNT, false, LOWEST);
}

POP_SUPERVISOR_VERTEX(TYPED(MaxGrad)){ LARGEST_FIELDS };
POP_VERTEX_NAME(TYPED(MaxGrad), "popnn::MaxPoolingGrad<" T_NAME ">");
POP_CONSTRAINT(TYPED(MaxGrad), "elem(**in) != elem(*out)");
COMPUTE(MaxGrad)
{
    TYPED(backward)(v->part.data, ROWS(in), ROWS(pooled), ROWS(gradient), v->out.data, true, false);
}

POP_SUPERVISOR_VERTEX(TYPED(SumGrad))
{
    POP_OUTPUT(POP_VECTOR(T)) out;
    POP_INPUT(POP_VECTORS(T, ONE_PTR, ONE_PTR)) gradient;
    POP_STATE(POP_VECTOR(int, ONE_PTR)) part;
    bool average;
};
POP_VERTEX_NAME(TYPED(SumGrad), "popnn::SumPoolingGrad<" T_NAME ">");
POP_CONSTRAINT(TYPED(SumGrad), "elem(**gradient) != elem(*out)");
COMPUTE(SumGrad)
{
    TYPED(backward)(v->part.data, NULL, NULL, ROWS(gradient), v->out.data, false, v->average);
}
#undef LARGEST_FIELDS

#include "popnn/pooling/pooling_lists_typed.h"
#undef LOWEST
#undef ROWS
