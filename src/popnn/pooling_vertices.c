/* SPDX-License-Identifier: Apache-2.0 */
/* popnn::MaxPooling, SumPooling (also for AVG), MaxPoolingGradientScale: windows of a part of the output;
 * MaxPoolingGrad, SumPoolingGrad: gradients of a part of the input. Sums are accumulated in float for a run of
 * elements at a time. */
#include "poplibs/vertex_types.h"
#include "popnn/pooling_geometry.h"

#define TYPES POPLIBS_FLOATING

#ifdef __POPC__
#include <poplar/vertex.h>

enum { RUN = 512 };
#define INLINE static inline __attribute__((always_inline))

static inline int int_min(int a, int b)
{
    return a < b ? a : b;
}
static inline int int_max(int a, int b)
{
    return a > b ? a : b;
}
static inline struct pool_part read_part(const int *data)
{
    struct pool_part part;
    __builtin_memcpy(&part, data, sizeof(int) * pool_ints(data[3]));
    return part;
}
/* Number of elements of an output element's window outside the padding. */
static inline int covered(const struct pool_dim *d, int out)
{
    int begin = out * d->stride - d->padding;
    return int_max(int_min(begin + d->kernel, d->field) - int_max(begin, 0), 0);
}
/* Rounds up; b > 0. */
static inline int ceil_div(int a, int b)
{
    return a >= 0 ? (a + b - 1) / b : -(-a / b);
}
/* Increments a position, last dimension first; false after the last position. */
static inline bool next_place(int *place, const int *sizes, int dims)
{
    while (dims-- > 0) {
        if (++place[dims] < sizes[dims])
            return true;
        place[dims] = 0;
    }
    return false;
}

/* The row for a position in the outer dimensions and a position in the window, in elements of the innermost
 * dimension; -1: none. Forward: a row of the input, otherwise of the output. */
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
struct pool_walk {
    int rows, in_rows, windows, sizes[6], kernel[6];
};
static inline struct pool_walk walk_of(const struct pool_part *p, bool forward)
{
    struct pool_walk w = { 1, 1, 1, { 0 }, { 0 } };
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

/* Converts eight elements to float at a time; explicit vectors, because gcc 12 does not vectorise half. */
#pragma GCC diagnostic ignored "-Wpsabi" /* vectors are only passed to inlined functions */
typedef float eight __attribute__((vector_size(32)));
typedef float eight_there __attribute__((vector_size(32), aligned(4), may_alias));
typedef int mask __attribute__((vector_size(32)));
INLINE eight get_float(const float *from)
{
    return (eight) * (const eight_there *)from;
}
INLINE eight get_half(const half *from)
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

#ifndef __IPU__
/* Of one channel: divides sums by the number of elements that their windows cover, if average; a window entirely in
 * padding gives 0.  rows: the elements that a column of the window covers. */
INLINE void finish_windows(const struct pool_dim d, int x, int n, float rows, bool average, float *acc)
{
    for (int o = 0; o < n; ++o) {
        float elements = rows * (float)covered(&d, d.out_begin + x + o), sum = acc[o];
        float mean = sum / (average && elements > 0.0f ? elements : 1.0f);
        acc[o] = elements > 0.0f ? mean : 0.0f;
    }
}
#endif

#define TEMPLATE "popnn/pooling_typed.h"
#include "poplibs/each_type.h"

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
        /* Only every stride-th element of the windows overlaps a given element of the input. */
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
    static const struct {
        const char *name;
        unsigned kind;
    } vertices[] = { { "MaxPooling", POOL_MAX },
                     { "SumPooling", POOL_SUM },
                     { "MaxPoolingGradientScale", POOL_BACKWARD },
                     { "MaxPoolingGrad", POOL_BACKWARD | OF_INPUT },
                     { "SumPoolingGrad", POOL_SUM | OF_INPUT } };
    char name[64];
    for (size_t i = 0; i < sizeof(vertices) / sizeof(vertices[0]); ++i) {
        snprintf(name, sizeof(name), "popnn::%s<half>", vertices[i].name);
        pop_graph_register_perf_estimator(graph, name, estimate, poplibs_as_user(vertices[i].kind | HALF));
        snprintf(name, sizeof(name), "popnn::%s<float>", vertices[i].name);
        pop_graph_register_perf_estimator(graph, name, estimate, poplibs_as_user(vertices[i].kind));
    }
}
#endif
