/* SPDX-License-Identifier: Apache-2.0 */
/* poplin::ReduceAdd<out, partials>: out[i] is the sum over all rows of partials[row][i].  ReduceAddSingleInput: the
 * rows are one region, [row elements + i], which is added to initial[i]. */
#include "poplin/conv_vertices/conv_vertex.h"

#ifdef __POPC__
#ifndef __IPU__
#include "poplibs/half_vectors.h"

#include <string.h>

#define INLINE static inline __attribute__((always_inline))
/* The sums of REDUCE_STEP elements, or of 8 of the last ones, stay in registers for all rows. */
enum { REDUCE_VECTORS = 4, REDUCE_STEP = 8 * REDUCE_VECTORS };
INLINE poplibs_eight reduce_load(const void *from, size_t at, const bool is_float)
{
    return is_float ? *(const poplibs_eight *)(const void *)((const float *)from + at)
                    : poplibs_widen_eight((const half *)from + at);
}
INLINE void reduce_begin(poplibs_eight *sums, const size_t vectors, const void *from, const bool is_float)
{
#pragma GCC unroll 4
    for (size_t i = 0; i < vectors; ++i)
        sums[i] = reduce_load(from, 8 * i, is_float);
}
INLINE void reduce_add(poplibs_eight *sums, const size_t vectors, const void *from, const bool is_float)
{
#pragma GCC unroll 4
    for (size_t i = 0; i < vectors; ++i)
        sums[i] += reduce_load(from, 8 * i, is_float);
}
INLINE void reduce_end(const poplibs_eight *sums, const size_t vectors, void *to, const bool is_float)
{
    if (is_float)
        memcpy(to, sums, 8 * vectors * sizeof(float));
    else
        poplibs_narrow(to, (const float *)sums, 8 * vectors);
}
#endif

#define TYPES    POPLIBS_FLOATING
#define TEMPLATE "poplin/conv_vertices/reduce_add_typed.h"
#include "poplibs/each_type.h"

#else
#include "poplibs/estimates.h"
#include "poplin/vertices.h"

static pop_perf estimate(const pop_vertex_view *vertex, const pop_target *target, bool float_partials, pop_type type)
{
    size_t outputs = pop_vertex_view_field_size(vertex, "out", POP_WHOLE),
           partials = pop_vertex_view_field_size(vertex, "partials", POP_WHOLE);
    struct reduction_work reduction = { .num_workers = conv_vertex_field(vertex, "num_workers"),
                                        .num_partials = (unsigned)partials,
                                        .float_out = type == POP_FLOAT,
                                        .float_partials = float_partials,
                                        .release = target->poplibs_release };
    return (pop_perf){ cycles_reduce_add(&reduction, outputs), partials ? outputs * (partials - 1) : 0 };
}
static pop_perf estimate_float(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    return estimate(vertex, target, true, poplibs_type_of_user(user));
}
static pop_perf estimate_half(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    return estimate(vertex, target, false, poplibs_type_of_user(user));
}
static pop_perf estimate_single(const pop_vertex_view *vertex, const pop_target *target, bool float_partials,
                                pop_type type)
{
    unsigned outputs = conv_vertex_field(vertex, "elements"), rows = conv_vertex_field(vertex, "rows");
    struct reduction_work reduction = { .num_workers = conv_vertex_field(vertex, "num_workers"),
                                        .num_partials = rows,
                                        .float_out = type == POP_FLOAT,
                                        .float_partials = float_partials,
                                        .single_input = true,
                                        .release = target->poplibs_release };
    return (pop_perf){ cycles_reduce_add(&reduction, outputs), (uint64_t)outputs * rows };
}
static pop_perf estimate_single_float(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    return estimate_single(vertex, target, true, poplibs_type_of_user(user));
}
static pop_perf estimate_single_half(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    return estimate_single(vertex, target, false, poplibs_type_of_user(user));
}

void register_conv_reduce_vertices(pop_graph *graph)
{
    static const struct poplibs_estimate families[] = {
        { "poplin::ReduceAdd<%s,float>", estimate_float },
        { "poplin::ReduceAdd<%s,half>", estimate_half },
        { "poplin::ReduceAddSingleInput<%s,float>", estimate_single_float },
        { "poplin::ReduceAddSingleInput<%s,half>", estimate_single_half }
    };
    poplibs_register_estimates(graph, POPLIBS_FLOATING, families, sizeof(families) / sizeof(families[0]));
}
#endif
