/* SPDX-License-Identifier: Apache-2.0 */
/* popnn::MaxPooling, SumPooling (also for AVG), MaxPoolingGradientScale: windows of a part of the output;
 * MaxPoolingGrad, SumPoolingGrad: gradients of a part of the input. Those with WorkList in their name have lists of
 * work items, one for each worker's part of a row, instead of the geometry of their part. Sums are accumulated in float
 * for a run of elements at a time. */
#include "poplibs/vertex_types.h"
#include "popnn/pooling/pooling_geometry.h"

#define TYPES POPLIBS_FLOATING

#ifdef __POPC__
#include <poplar/vertex.h>

enum { RUN = 512 };
#define INLINE static inline __attribute__((always_inline))

static inline struct pool_part read_part(const int *data)
{
    struct pool_part part;
    __builtin_memcpy(&part, data, sizeof(int) * pool_ints(data[3]));
    return part;
}
struct pool_items {
    const unsigned short *data;
    size_t size;
};
/* A worker's part of a row: its work items, its first element in the input, the number of its output elements. */
struct pool_list {
    struct pool_items items;
    int from, length, channels, in_step, out_step;
};
/* The work lists of a vertex. */
struct pool_lists {
    size_t workers;
    const unsigned short *ends, *bases;
    const struct pool_items *rows;
    int channels, groups, in_step, out_step;
};
enum { POOL_ITEM_SIZE = 3 };
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
        float elements = rows * (float)pool_covered(&d, d.out_begin + x + o), sum = acc[o];
        float mean = sum / (average && elements > 0.0f ? elements : 1.0f);
        acc[o] = elements > 0.0f ? mean : 0.0f;
    }
}
#endif

#define TEMPLATE "popnn/pooling/pooling_typed.h"
#include "poplibs/each_type.h"

#else
#include "poplibs/support.h"
#include "popnn/vertices.h"

enum { HALF = 4, OF_INPUT = 8, LISTED = 16 };

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
                       rows * width * window * (uint64_t)part.groups * (uint64_t)part.channels };
}

static uint64_t number(const pop_vertex_view *vertex, const char *field, size_t i)
{
    return (uint64_t)pop_vertex_view_field_value(vertex, field, i);
}
/* The slowest worker's lists. */
static pop_perf estimate_lists(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    size_t workers = pop_vertex_view_field_size(vertex, "startPos", POP_WHOLE), row = 0;
    uint64_t channels = number(vertex, "numChans", 0), groups = number(vertex, "numGroups", 0), slowest = 0;
    uint64_t outputs = pop_vertex_view_field_size(vertex, "out", POP_WHOLE) / (channels * groups);
    struct pool_share share = { .kind = (enum pool_kind)((uintptr_t)user & 3),
                                .groups = groups,
                                .vectors = poplibs_ceil_div(channels, (uintptr_t)user & HALF ? 4 : 2) };
    for (size_t worker = 0; worker < workers; ++worker) {
        uint64_t cycles = pool_share_cycles(&share, poplibs_ceil_div(outputs * share.vectors, workers));
        size_t end = number(vertex, "startPos", worker);
        cycles += row < end ? pool_rows_cycles(&share) : 0;
        for (; row < end; ++row) {
            cycles += POOL_ROW_CYCLES;
            for (size_t i = 2; i < pop_vertex_view_field_size(vertex, "workList", row); i += 3)
                cycles +=
                    pool_item_cycles(&share, (uint64_t)pop_vertex_view_field_row_value(vertex, "workList", row, i));
        }
        slowest = cycles > slowest ? cycles : slowest;
    }
    return (pop_perf){ POOL_SUPERVISOR_CYCLES + target->num_worker_contexts * slowest, 0 };
}

void register_pooling_vertices(pop_graph *graph)
{
    static const struct {
        const char *name;
        unsigned kind;
    } vertices[] = { { "MaxPooling", POOL_MAX },
                     { "SumPooling", POOL_SUM },
                     { "MaxPoolingGradientScale", POOL_BACKWARD },
                     { "MaxPoolingGrad", POOL_BACKWARD | OF_INPUT },
                     { "SumPoolingGrad", POOL_SUM | OF_INPUT },
                     { "MaxPoolingWorkList", POOL_MAX | LISTED },
                     { "SumPoolingWorkList", POOL_SUM | LISTED },
                     { "MaxPoolingGradWorkList", POOL_BACKWARD | LISTED } };
    char name[64];
    for (size_t i = 0; i < sizeof(vertices) / sizeof(vertices[0]); ++i) {
        pop_perf_estimator estimator = vertices[i].kind & LISTED ? estimate_lists : estimate;
        snprintf(name, sizeof(name), "popnn::%s<half>", vertices[i].name);
        pop_graph_register_perf_estimator(graph, name, estimator, poplibs_as_user(vertices[i].kind | HALF));
        snprintf(name, sizeof(name), "popnn::%s<float>", vertices[i].name);
        pop_graph_register_perf_estimator(graph, name, estimator, poplibs_as_user(vertices[i].kind));
    }
}
#endif
