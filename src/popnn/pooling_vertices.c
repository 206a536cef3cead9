/* SPDX-License-Identifier: Apache-2.0 */
/* popnn::MaxPooling, SumPooling (AVG too), MaxPoolingGradientScale: windows of a part of the output; MaxPoolingGrad,
 * SumPoolingGrad: what the windows give to a part of the input.  Sums are kept in float for a run of elements at a
 * time. */
#include "poplibs/vertex_types.h"
#include "popnn/pooling_geometry.h"

#ifdef __POPC__
#include <poplar/vertex.h>

enum { RUN = 512 };

static inline int least(int a, int b)
{
    return a < b ? a : b;
}
static inline int most(int a, int b)
{
    return a > b ? a : b;
}
static inline struct pool_part read_part(const int *data)
{
    struct pool_part part;
    __builtin_memcpy(&part, data, sizeof(int) * pool_ints(data[3]));
    return part;
}
/* Elements of an output element's window that are no padding. */
static inline int covered(const struct pool_dim *d, int out)
{
    int begin = out * d->stride - d->padding;
    return most(least(begin + d->kernel, d->field) - most(begin, 0), 0);
}
/* Rounds up; b > 0. */
static inline int ceil_div(int a, int b)
{
    return a >= 0 ? (a + b - 1) / b : -(-a / b);
}
/* Counts a place up, the last of `dims` dimensions first; false at the end. */
static inline bool next_place(int *place, const int *sizes, int dims)
{
    while (dims-- > 0) {
        if (++place[dims] < sizes[dims])
            return true;
        place[dims] = 0;
    }
    return false;
}

/* The row that goes with a place of the outer dimensions and a place in the window, in elements of the innermost
 * dimension; -1: there is none.  Towards the input when forward, towards the output otherwise. */
static inline int row_of(const struct pool_part *p, const int *place, const int *window, bool forward)
{
    int row = 0;
    for (int i = 0; i + 1 < p->dims; ++i) {
        const struct pool_dim *d = &p->dim[i];
        int at;
        if (forward) {
            at = (d->out_begin + place[i]) * d->stride - d->padding + window[i] - d->in_begin;
            if (at < 0 || at >= d->in_size)
                return -1;
            row = row * d->in_size + at;
        } else {
            int from = d->in_begin + place[i] + d->padding - window[i];
            at = from / d->stride - d->out_begin;
            if (from < 0 || from % d->stride || at < 0 || at >= d->out_size)
                return -1;
            row = row * d->out_size + at;
        }
    }
    return row;
}
struct walk {
    int rows, in_rows, windows, sizes[6], kernel[6];
};
static inline struct walk walk_of(const struct pool_part *p, bool forward)
{
    struct walk w = { 1, 1, 1, { 0 }, { 0 } };
    for (int i = 0; i + 1 < p->dims; ++i) {
        w.sizes[i] = forward ? p->dim[i].out_size : p->dim[i].in_size;
        w.kernel[i] = p->dim[i].kernel;
        w.rows *= p->dim[i].out_size;
        w.in_rows *= p->dim[i].in_size;
        w.windows *= p->dim[i].kernel;
    }
    return w;
}

enum fold { MAX, SUM, COUNT };

/* Eight elements at a time as float; half needs it said, gcc 12 does not do it by itself. */
#pragma GCC diagnostic ignored "-Wpsabi" /* vectors are never passed between functions that are not inlined */
typedef float eight __attribute__((vector_size(32)));
typedef float eight_there __attribute__((vector_size(32), aligned(4), may_alias));
typedef int mask __attribute__((vector_size(32)));
static inline __attribute__((always_inline)) eight get_float(const float *from)
{
    return (eight) * (const eight_there *)from;
}
static inline __attribute__((always_inline)) eight get_half(const half *from)
{
#ifdef __F16C__
    typedef short packed __attribute__((vector_size(16), aligned(2), may_alias));
    return __builtin_ia32_vcvtph2ps256(*(const packed *)from);
#else
    eight values;
    for (int i = 0; i < 8; ++i)
        values[i] = (float)from[i];
    return values;
#endif
}
#define ZEROS               ((eight){ 0 })
#define ONES                (ZEROS + 1.0f)
#define CHOOSE(where, a, b) ((eight)(((where) & (mask)(a)) | (~(where) & (mask)(b))))

/* For each output element of a row from `x` on, `n` of them: folds what its window covers into acc.  pooled is COUNT's:
 * the row of largest. */
#define FOLD_OF(tag, type)                                                                                             \
    static inline __attribute__((always_inline)) void fold_run_##tag(float *to, const type *from, const type *largest, \
                                                                     int count, enum fold fold)                        \
    {                                                                                                                  \
        int c = 0;                                                                                                     \
        for (; c + 8 <= count; c += 8) {                                                                               \
            eight value = get_##tag(from + c), at = get_float(to + c);                                                 \
            *(eight_there *)(to + c) = fold == MAX   ? CHOOSE(value > at, value, at)                                   \
                                       : fold == SUM ? at + value                                                      \
                                                     : at + CHOOSE(value == get_##tag(largest + c), ONES, ZEROS);      \
        }                                                                                                              \
        for (; c < count; ++c) {                                                                                       \
            float value = (float)from[c];                                                                              \
            to[c] = fold == MAX   ? (value > to[c] ? value : to[c])                                                    \
                    : fold == SUM ? to[c] + value                                                                      \
                                  : to[c] + (from[c] == largest[c] ? 1.0f : 0.0f);                                     \
        }                                                                                                              \
    }                                                                                                                  \
    static inline __attribute__((always_inline)) void give_run_##tag(                                                  \
        float *to, const type *gradient, const type *of, const type *largest, int count, float scale, bool max)        \
    {                                                                                                                  \
        int c = 0;                                                                                                     \
        for (; c + 8 <= count; c += 8) {                                                                               \
            eight value = get_##tag(gradient + c) * scale, at = get_float(to + c);                                     \
            *(eight_there *)(to + c) =                                                                                 \
                at + (max ? CHOOSE(get_##tag(of + c) == get_##tag(largest + c), value, ZEROS) : value);                \
        }                                                                                                              \
        for (; c < count; ++c)                                                                                         \
            to[c] += !max || of[c] == largest[c] ? (float)gradient[c] * scale : 0.0f;                                  \
    }                                                                                                                  \
    static inline __attribute__((always_inline)) void fold_##tag(                                                      \
        const struct pool_part *p, const struct walk *w, const int *place, const type *const *in, const type *pooled,  \
        int x, int n, float *acc, enum fold fold)                                                                      \
    {                                                                                                                  \
        const struct pool_dim *d = &p->dim[p->dims - 1];                                                               \
        int channels = p->channels, window[6] = { 0 };                                                                 \
        do {                                                                                                           \
            int row = row_of(p, place, window, true);                                                                  \
            for (int k = 0; k < d->kernel && row >= 0; ++k) {                                                          \
                int shift =                                                                                            \
                    d->out_begin * d->stride - d->padding + k - d->in_begin; /* of output element 0 of the part */     \
                int first = most(ceil_div(-shift, d->stride), x),                                                      \
                    end = least(ceil_div(d->in_size - shift, d->stride), x + n);                                       \
                int run = d->stride == 1 ? most(end - first, 1) : 1; /* neighbours stand together */                   \
                for (int o = first; o < end; o += run) {                                                               \
                    const type *from = in[row] + (ptrdiff_t)(o * d->stride + shift) * channels;                        \
                    float *to = acc + (o - x) * channels;                                                              \
                    fold_run_##tag(to, from, fold == COUNT ? pooled + (o - x) * channels : NULL, run * channels,       \
                                   fold);                                                                              \
                }                                                                                                      \
            }                                                                                                          \
        } while (next_place(window, w->kernel, p->dims - 1));                                                          \
    }                                                                                                                  \
    /* gradient is COUNT's.  average: sums are divided by what windows cover. */                                       \
    static inline __attribute__((always_inline)) void forward_##tag(                                                   \
        const int *data, const type *const *in, const type *const *pooled, const type *const *gradient, type *out,     \
        enum fold fold, bool average, float lowest)                                                                    \
    {                                                                                                                  \
        const struct pool_part part = read_part(data), *p = &part;                                                     \
        const struct pool_dim *d = &p->dim[p->dims - 1];                                                               \
        struct walk w = walk_of(p, true);                                                                              \
        int step = RUN / p->channels;                                                                                  \
        float acc[RUN];                                                                                                \
        for (int image = 0, row = 0; image < p->groups * p->batch; ++image, in += w.in_rows) {                         \
            int place[6] = { 0 };                                                                                      \
            do {                                                                                                       \
                float rows = 1.0f;                                                                                     \
                for (int i = 0; i + 1 < p->dims; ++i)                                                                  \
                    rows *= (float)covered(&p->dim[i], p->dim[i].out_begin + place[i]);                                \
                for (int x = 0; x < d->out_size; x += step) {                                                          \
                    int n = least(step, d->out_size - x), count = n * p->channels;                                     \
                    for (int i = 0; i < count; ++i)                                                                    \
                        acc[i] = fold == MAX ? lowest : 0.0f;                                                          \
                    fold_##tag(p, &w, place, in, fold == COUNT ? pooled[row] + x * p->channels : NULL, x, n, acc,      \
                               fold);                                                                                  \
                    /* A window wholly in padding has nothing to take the largest of: it gives 0. */                   \
                    for (int o = 0; o < n && (average || fold == MAX); ++o) {                                          \
                        float elements = rows * (float)covered(d, d->out_begin + x + o);                               \
                        float divisor = average && elements > 0.0f ? elements : 1.0f;                                  \
                        for (int c = 0; c < p->channels; ++c)                                                          \
                            acc[o * p->channels + c] = elements > 0.0f ? acc[o * p->channels + c] / divisor : 0.0f;    \
                    }                                                                                                  \
                    for (int i = 0; i < count; ++i)                                                                    \
                        out[i] =                                                                                       \
                            fold == COUNT                                                                              \
                                ? (type)((float)gradient[row][x * p->channels + i] / (acc[i] > 0.0f ? acc[i] : 1.0f))  \
                                : (type)acc[i];                                                                        \
                    out += count;                                                                                      \
                }                                                                                                      \
                ++row;                                                                                                 \
            } while (next_place(place, w.sizes, p->dims - 1));                                                         \
        }                                                                                                              \
    }                                                                                                                  \
    /* For each input element of a row: the gradients of the windows that cover it, of MAX those whose largest it      \
     * equals. */                                                                                                      \
    static inline __attribute__((always_inline)) void backward_##tag(                                                  \
        const int *data, const type *const *in, const type *const *pooled, const type *const *gradient,                \
        type *in_gradient, bool max, bool average)                                                                     \
    {                                                                                                                  \
        const struct pool_part part = read_part(data), *p = &part;                                                     \
        const struct pool_dim *d = &p->dim[p->dims - 1];                                                               \
        struct walk w = walk_of(p, false);                                                                             \
        int step = RUN / p->channels, channels = p->channels;                                                          \
        float acc[RUN];                                                                                                \
        for (int image = 0, in_row = 0; image < p->groups * p->batch; ++image) {                                       \
            int place[6] = { 0 };                                                                                      \
            do {                                                                                                       \
                for (int x = 0; x < d->in_size; x += step) {                                                           \
                    int n = least(step, d->in_size - x), window[6] = { 0 };                                            \
                    for (int i = 0; i < n * channels; ++i)                                                             \
                        acc[i] = 0.0f;                                                                                 \
                    do {                                                                                               \
                        int row = row_of(p, place, window, false);                                                     \
                        float rows = 1.0f;                                                                             \
                        for (int i = 0; i + 1 < p->dims && row >= 0 && average; ++i)                                   \
                            rows *= (float)covered(&p->dim[i],                                                         \
                                                   (p->dim[i].in_begin + place[i] + p->dim[i].padding - window[i]) /   \
                                                       p->dim[i].stride);                                              \
                        for (int k = 0; k < d->kernel && row >= 0; ++k) {                                              \
                            int shift = d->in_begin + x + d->padding -                                                 \
                                        k; /* output o belongs to element o stride - shift of the run */               \
                            int first = most(ceil_div(shift, d->stride), d->out_begin);                                \
                            int end = least(ceil_div(shift + n, d->stride), d->out_begin + d->out_size);               \
                            int run = d->stride == 1 && !average ? most(end - first, 1) : 1;                           \
                            for (int o = first; o < end; o += run) {                                                   \
                                int at = o * d->stride - shift;                                                        \
                                ptrdiff_t from = (ptrdiff_t)(o - d->out_begin) * channels;                             \
                                const type *g = gradient[row], *of = max ? in[in_row] + (x + at) * channels : NULL,    \
                                           *largest = max ? pooled[row] : NULL;                                        \
                                float scale = average ? 1.0f / (rows * (float)covered(d, o)) : 1.0f;                   \
                                give_run_##tag(acc + at * channels, g + from, of, max ? largest + from : NULL,         \
                                               run * channels, scale, max);                                            \
                            }                                                                                          \
                        }                                                                                              \
                    } while (next_place(window, w.kernel, p->dims - 1));                                               \
                    for (int i = 0; i < n * channels; ++i)                                                             \
                        in_gradient[i] = (type)acc[i];                                                                 \
                    in_gradient += n * channels;                                                                       \
                }                                                                                                      \
                ++in_row;                                                                                              \
            } while (next_place(place, w.sizes, p->dims - 1));                                                         \
            gradient += w.rows;                                                                                        \
            pooled += max ? w.rows : 0;                                                                                \
        }                                                                                                              \
    }

/* Constraints: what is read lies apart from what is written, so that a cycle can do both; as in Poplibs, whose fullest
 * tiles show it. Rows of the innermost dimension: in exchanges they wait for one another's parts only within a row. */
#define IN(type, name)   POP_INPUT(POP_VECTORS(type, ONE_PTR, ONE_PTR)) name;
#define ROWS(type, name) (const type *const *)(const void *)v->name.data
#define OUT(type, name)  POP_OUTPUT(POP_VECTOR(type)) name;
#define PART             POP_STATE(POP_VECTOR(int, ONE_PTR)) part;
#define VERTICES_OF(tag, type, text, lowest)                                                                           \
    FOLD_OF(tag, type)                                                                                                 \
    POP_SUPERVISOR_VERTEX(MaxPooling_##tag){ OUT(type, out) IN(type, in) PART };                                       \
    POP_VERTEX_NAME(MaxPooling_##tag, "popnn::MaxPooling<" text ">");                                                  \
    POP_CONSTRAINT(MaxPooling_##tag, "elem(**in) != elem(*out)");                                                      \
    void MaxPooling_##tag##_compute(MaxPooling_##tag *v)                                                               \
    {                                                                                                                  \
        forward_##tag(v->part.data, ROWS(type, in), NULL, NULL, v->out.data, MAX, false, lowest);                      \
    }                                                                                                                  \
    POP_SUPERVISOR_VERTEX(SumPooling_##tag)                                                                            \
    {                                                                                                                  \
        OUT(type, out) IN(type, in) PART bool average;                                                                 \
    };                                                                                                                 \
    POP_VERTEX_NAME(SumPooling_##tag, "popnn::SumPooling<" text ">");                                                  \
    POP_CONSTRAINT(SumPooling_##tag, "elem(**in) != elem(*out)");                                                      \
    void SumPooling_##tag##_compute(SumPooling_##tag *v)                                                               \
    {                                                                                                                  \
        forward_##tag(v->part.data, ROWS(type, in), NULL, NULL, v->out.data, SUM, v->average, lowest);                 \
    }                                                                                                                  \
    POP_SUPERVISOR_VERTEX(Scale_##tag){ OUT(type, out) IN(type, in) IN(type, pooled) IN(type, gradient) PART };        \
    POP_VERTEX_NAME(Scale_##tag, "popnn::MaxPoolingGradientScale<" text ">");                                          \
    POP_CONSTRAINT(Scale_##tag, "elem(**in) != elem(*out)");                                                           \
    void Scale_##tag##_compute(Scale_##tag *v)                                                                         \
    {                                                                                                                  \
        forward_##tag(v->part.data, ROWS(type, in), ROWS(type, pooled), ROWS(type, gradient), v->out.data, COUNT,      \
                      false, lowest);                                                                                  \
    }                                                                                                                  \
    POP_SUPERVISOR_VERTEX(MaxGrad_##tag){ OUT(type, out) IN(type, in) IN(type, pooled) IN(type, gradient) PART };      \
    POP_VERTEX_NAME(MaxGrad_##tag, "popnn::MaxPoolingGrad<" text ">");                                                 \
    POP_CONSTRAINT(MaxGrad_##tag, "elem(**in) != elem(*out)");                                                         \
    void MaxGrad_##tag##_compute(MaxGrad_##tag *v)                                                                     \
    {                                                                                                                  \
        backward_##tag(v->part.data, ROWS(type, in), ROWS(type, pooled), ROWS(type, gradient), v->out.data, true,      \
                       false);                                                                                         \
    }                                                                                                                  \
    POP_SUPERVISOR_VERTEX(SumGrad_##tag)                                                                               \
    {                                                                                                                  \
        OUT(type, out) IN(type, gradient) PART bool average;                                                           \
    };                                                                                                                 \
    POP_VERTEX_NAME(SumGrad_##tag, "popnn::SumPoolingGrad<" text ">");                                                 \
    POP_CONSTRAINT(SumGrad_##tag, "elem(**gradient) != elem(*out)");                                                   \
    void SumGrad_##tag##_compute(SumGrad_##tag *v)                                                                     \
    {                                                                                                                  \
        backward_##tag(v->part.data, NULL, NULL, ROWS(type, gradient), v->out.data, false, v->average);                \
    }
VERTICES_OF(half, half, "half", -65504.0f)
VERTICES_OF(float, float, "float", -3.40282347e38f)

#else
#include "poplibs/support.h"
#include "popnn/vertices.h"

enum { HALF = 4, OF_INPUT = 8 };

static pop_perf estimate(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    int data[POOL_PART_INTS + 6 * POOL_DIM_INTS] = { 0 };
    struct pool_part part;
    for (size_t i = 0; i < POOL_PART_INTS; ++i)
        data[i] = (int)pop_vertex_view_field_value(vertex, "part", i);
    for (size_t i = POOL_PART_INTS; i < pool_ints(data[3]); ++i)
        data[i] = (int)pop_vertex_view_field_value(vertex, "part", i);
    memcpy(&part, data, sizeof(part));
    bool backward = (uintptr_t)user & OF_INPUT;
    uint64_t rows = (uint64_t)part.batch, window = 1, width = 1;
    for (int i = 0; i < part.dims; ++i) {
        uint64_t size = (uint64_t)(backward ? part.dim[i].in_size : part.dim[i].out_size);
        if (i + 1 < part.dims)
            rows *= size;
        else
            width = size;
        /* Of the windows' elements, every stride-th meets a given element of the input. */
        window *= backward ? poplibs_ceil_div((size_t)part.dim[i].kernel, (size_t)part.dim[i].stride)
                           : (uint64_t)part.dim[i].kernel;
    }
    uint64_t vectors = poplibs_ceil_div((size_t)part.channels, (uintptr_t)user & HALF ? 4 : 2);
    return (pop_perf){ pool_cycles((enum pool_kind)((uintptr_t)user & 3), (uint64_t)part.groups, vectors, rows, width,
                                   window, target->num_worker_contexts),
                       0 };
}

void popnn_pooling_vertices(pop_graph *graph)
{
#define REGISTER(tag, type, text, flag)                                                                                \
    pop_graph_register_perf_estimator(graph, "popnn::MaxPooling<" text ">", estimate,                                  \
                                      poplibs_as_user(POOL_MAX | flag));                                               \
    pop_graph_register_perf_estimator(graph, "popnn::SumPooling<" text ">", estimate,                                  \
                                      poplibs_as_user(POOL_SUM | flag));                                               \
    pop_graph_register_perf_estimator(graph, "popnn::MaxPoolingGradientScale<" text ">", estimate,                     \
                                      poplibs_as_user(POOL_BACKWARD | flag));                                          \
    pop_graph_register_perf_estimator(graph, "popnn::MaxPoolingGrad<" text ">", estimate,                              \
                                      poplibs_as_user(POOL_BACKWARD | OF_INPUT | flag));                               \
    pop_graph_register_perf_estimator(graph, "popnn::SumPoolingGrad<" text ">", estimate,                              \
                                      poplibs_as_user(POOL_SUM | OF_INPUT | flag));
    REGISTER(half, half, "half", HALF)
    REGISTER(float, float, "float", 0)
}
#endif
