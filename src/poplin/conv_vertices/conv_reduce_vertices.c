/* SPDX-License-Identifier: Apache-2.0 */
/* poplin::ReduceAdd<out, partials>: out[i] is the sum over all rows of partials[row][i]. */
#include "poplin/conv_vertices/conv_vertex.h"

#define REDUCE_PAIRS(X) X(float, float) X(half, float) X(half, half) X(float, half)

#ifdef __POPC__
#define REDUCE_VERTEX(to, from)                                                                                        \
    POP_SUPERVISOR_VERTEX(ReduceAdd_##to##_##from)                                                                     \
    {                                                                                                                  \
        POP_OUTPUT(POP_VECTOR(to, SPAN, 8)) out;                                                                       \
        POP_INPUT(POP_VECTORS(from, SPAN, COMPACT_PTR, 8)) partials;                                                   \
        unsigned num_workers;                                                                                          \
    };                                                                                                                 \
    POP_VERTEX_NAME(ReduceAdd_##to##_##from, "poplin::ReduceAdd<" #to "," #from ">");                                  \
    void ReduceAdd_##to##_##from##_compute(ReduceAdd_##to##_##from *v)                                                 \
    {                                                                                                                  \
        enum { STEP = 256 };                                                                                           \
        float sums[STEP];                                                                                              \
        for (size_t at = 0; at < v->out.size; at += STEP) {                                                            \
            size_t count = v->out.size - at < STEP ? v->out.size - at : STEP;                                          \
            for (size_t i = 0; i < count; ++i)                                                                         \
                sums[i] = (float)v->partials.data[0].data[at + i];                                                     \
            for (size_t p = 1; p < v->partials.size; ++p)                                                              \
                for (size_t i = 0; i < count; ++i)                                                                     \
                    sums[i] += (float)v->partials.data[p].data[at + i];                                                \
            for (size_t i = 0; i < count; ++i)                                                                         \
                v->out.data[at + i] = (to)sums[i];                                                                     \
        }                                                                                                              \
    }
REDUCE_PAIRS(REDUCE_VERTEX)

#else
#include "poplin/vertices.h"

static pop_perf estimate(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)target;
    size_t outputs = pop_vertex_view_field_size(vertex, "out", POP_WHOLE),
           partials = pop_vertex_view_field_size(vertex, "partials", POP_WHOLE);
    return (pop_perf){ poplin_cycles_reduce_add(poplin_conv_field(vertex, "num_workers"), outputs, (unsigned)partials,
                                                poplin_kind_float_inputs(user), poplin_kind_float_partials(user), false,
                                                false),
                       partials ? outputs * (partials - 1) : 0 };
}

void poplin_conv_reduce_vertices(pop_graph *graph)
{
#define REGISTER(to, from)                                                                                             \
    pop_graph_register_perf_estimator(graph, "poplin::ReduceAdd<" #to "," #from ">", estimate,                         \
                                      poplibs_as_user(CONV_KIND(CONV_IS_FLOAT_##to, CONV_IS_FLOAT_##from, 0u, 0u)));
    REDUCE_PAIRS(REGISTER)
}
#endif
