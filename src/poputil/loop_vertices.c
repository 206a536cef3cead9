/* SPDX-License-Identifier: Apache-2.0 */
/* poputil::AddToCounter: increments the counter of a counted loop after each iteration. */
#ifdef __POPC__
#include <poplar/vertex.h>

POP_VERTEX(AddToCounter)
{
    POP_INOUT(unsigned) counter;
    POP_STATE(unsigned) step;
};
POP_VERTEX_NAME(AddToCounter, "poputil::AddToCounter");
void AddToCounter_compute(AddToCounter *v)
{
    *v->counter += v->step;
}

#else
#include "poputil/support.h"

/* Loads the counter, the step and the address, adds, stores, returns. */
static pop_perf estimate(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)vertex, (void)target, (void)user;
    return (pop_perf){ 7, 0 };
}

void register_loop_vertices(pop_graph *graph)
{
    pop_graph_register_perf_estimator(graph, "poputil::AddToCounter", estimate, NULL);
}
#endif
