/* SPDX-License-Identifier: Apache-2.0 */
/* poplin::ReduceAdd<out, partials>: out[i] is the sum over all rows of partials[row][i]. */
#include "poplin/conv_vertices/conv_vertex.h"

#ifdef __POPC__
#define TYPES    POPLIBS_FLOATING
#define TEMPLATE "poplin/conv_vertices/reduce_add_typed.h"
#include "poplibs/each_type.h"

#else
#include "poplibs/estimates.h"
#include "poplin/vertices.h"

static pop_perf estimate(const pop_vertex_view *vertex, bool float_partials, pop_type type)
{
    size_t outputs = pop_vertex_view_field_size(vertex, "out", POP_WHOLE),
           partials = pop_vertex_view_field_size(vertex, "partials", POP_WHOLE);
    return (pop_perf){ poplin_cycles_reduce_add(poplin_conv_field(vertex, "num_workers"), outputs, (unsigned)partials,
                                                type == POP_FLOAT, float_partials, false, false),
                       partials ? outputs * (partials - 1) : 0 };
}
static pop_perf estimate_float(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)target;
    return estimate(vertex, true, poplibs_type_of_user(user));
}
static pop_perf estimate_half(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)target;
    return estimate(vertex, false, poplibs_type_of_user(user));
}

void poplin_conv_reduce_vertices(pop_graph *graph)
{
    static const struct poplibs_estimate families[] = { { "poplin::ReduceAdd<%s,float>", estimate_float },
                                                        { "poplin::ReduceAdd<%s,half>", estimate_half } };
    poplibs_register_estimates(graph, POPLIBS_FLOATING, families, 2);
}
#endif
