/* SPDX-License-Identifier: Apache-2.0 */
/* popsparse::StartSteps and popsparse::NextStep: how often buckets travel, which the pattern says. */
#ifdef __POPC__
#include <poplar/vertex.h>

POP_VERTEX(StartSteps)
{
    POP_INPUT(unsigned short) steps;
    POP_OUTPUT(unsigned) left; /* one less, if there are any */
    POP_OUTPUT(bool) more;
};
POP_VERTEX_NAME(StartSteps, "popsparse::StartSteps");
bool StartSteps_compute(StartSteps *v)
{
    *v->more = *v->steps != 0;
    *v->left = *v->steps ? *v->steps - 1u : 0;
    return true;
}

POP_VERTEX(NextStep)
{
    POP_INOUT(unsigned) left;
    POP_OUTPUT(bool) more; /* whether there is one; then it is taken off */
};
POP_VERTEX_NAME(NextStep, "popsparse::NextStep");
bool NextStep_compute(NextStep *v)
{
    *v->more = *v->left != 0;
    *v->left -= *v->left != 0;
    return true;
}

#else
#include "poplibs/support.h"
#include "popsparse/vertices.h"

/* Cycles of Poplibs's vertex that takes the next buffer. */
static pop_perf estimate(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)vertex, (void)target, (void)user;
    return (pop_perf){ 6, 0 };
}
void register_steps_vertices(pop_graph *graph)
{
    pop_graph_register_perf_estimator(graph, "popsparse::StartSteps", estimate, NULL);
    pop_graph_register_perf_estimator(graph, "popsparse::NextStep", estimate, NULL);
}
#endif
