/* SPDX-License-Identifier: Apache-2.0 */
/* popops::BroadcastScalar2Types1DSupervisor<MULTIPLY,half,float> for one region, popops::BroadcastScalar2Types2D<...>
 * for several, and both in place: halves times one float.  The float is used as a half where half represents it within
 * the tolerance; otherwise the product is made in float.  Both are rounded to half once. */
#ifdef __POPC__
#include "poplibs/typed.h"

#include <popops/element_rows.h>

static void scale_row(const half *data, size_t count, float scale, float tolerance, half *out)
{
    float near = (float)(half)scale;
    if (fabsf(near - scale) < fabsf(scale) * tolerance)
        scale = near;
    POPOPS_EACH_BLOCK(count)
    {
        float x[POPOPS_BLOCK];
        popops_widen(data + at, x, here);
        for (size_t i = 0; i < here; ++i)
            x[i] *= scale;
        popops_narrow(x, out + at, here);
    }
}

#define VERTEX_TEXT(name) "popops::BroadcastScalar2Types" name "<popops::expr::BroadcastOpType::MULTIPLY,half,float>"
#define SCALE                                                                                                          \
    POP_INPUT(float) B;                                                                                                \
    float tolerance;
#define OUT_OF_PLACE(holder)                                                                                           \
    POP_INPUT(holder(half)) data;                                                                                      \
    POP_OUTPUT(holder(half)) out;
#define WITHIN(holder) POP_INOUT(holder(half)) data;
#define SCALED_1D(vertex, name, FIELDS, to)                                                                            \
    VERTEX_OF(POP_SUPERVISOR_VERTEX, vertex, VERTEX_TEXT(name), FIELDS(POP_VECTOR) SCALE)                              \
    {                                                                                                                  \
        scale_row(v->data.data, v->data.size, *v->B, v->tolerance, v->to.data);                                        \
    }
#define SCALED_2D(vertex, name, FIELDS, to)                                                                            \
    VERTEX_OF(POP_VERTEX, vertex, VERTEX_TEXT(name), FIELDS(POP_VECTORS) SCALE)                                        \
    {                                                                                                                  \
        for (size_t i = 0; i < v->data.size; ++i)                                                                      \
            scale_row(v->data.data[i].data, v->data.data[i].size, *v->B, v->tolerance, v->to.data[i].data);            \
    }
SCALED_1D(ScalarMultiply1D, "1DSupervisor", OUT_OF_PLACE, out)
SCALED_1D(ScalarMultiply1DInPlace, "1DInPlaceSupervisor", WITHIN, data)
SCALED_2D(ScalarMultiply2D, "2D", OUT_OF_PLACE, out)
SCALED_2D(ScalarMultiply2DInPlace, "2DInPlace", WITHIN, data)

#else
#include "popops/elementwise/element_costs.h"

/* No formula is published: estimated as the broadcast of a float (popops::BroadcastScalar1D), a vector of floats at a
 * time, with one cycle more for the conversions to float and back. */
enum { SCALE_CYCLES = 3 };

static pop_perf estimate(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    size_t elements = pop_vertex_view_field_size(vertex, "data", POP_WHOLE);
    unsigned workers = target->num_worker_contexts, width = pop_target_vector_width(target, POP_FLOAT);
    uint64_t vectors = poplibs_ceil_div(poplibs_ceil_div(elements, workers), width);
    (void)user;
    return (pop_perf){ poplibs_supervisor_cycles(target) + workers * (20 + SCALE_CYCLES * vectors), elements };
}
static pop_perf estimate_2d(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    pop_perf perf = { 20, 0 };
    unsigned width = pop_target_vector_width(target, POP_FLOAT);
    (void)user;
    for (size_t i = 0, rows = pop_vertex_view_field_size(vertex, "data", POP_WHOLE); i < rows; ++i) {
        size_t elements = pop_vertex_view_field_size(vertex, "data", i);
        perf.cycles += 28 + SCALE_CYCLES * poplibs_ceil_div(elements, width);
        perf.flops += elements;
    }
    return perf;
}

void register_scalar_multiply_vertices(pop_graph *graph)
{
    static const char *const forms[] = { "1DSupervisor", "1DInPlaceSupervisor", "2D", "2DInPlace" };
    for (size_t i = 0; i < 4; ++i) {
        char name[128];
        snprintf(name, sizeof(name), "popops::BroadcastScalar2Types%s<popops::expr::BroadcastOpType::MULTIPLY,%s>",
                 forms[i], "half,float");
        pop_graph_register_perf_estimator(graph, name, i < 2 ? estimate : estimate_2d, NULL);
    }
}
#endif
