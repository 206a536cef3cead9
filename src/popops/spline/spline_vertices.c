/* SPDX-License-Identifier: Apache-2.0 */
/* popops::SplineBasis<T>, SplineWeighting<T>: a worker's range of the outputs. */
#include "poplibs/vertex_types.h"

#define TYPES POPLIBS_FLOATING

#ifdef __POPC__
/* The k-th of degree + 1 pieces of the uniform B-spline, at the fraction f. */
static float b_spline(float f, unsigned degree, int k)
{
    float g = 1 - f;
    if (degree == 1)
        return k ? f : g;
    if (degree == 2)
        return k == 0 ? f * f / 2 - f + 0.5f : k == 1 ? -f * f + f + 0.5f : f * f / 2;
    return (k == 0   ? g * g * g
            : k == 1 ? 3 * f * f * f - 6 * f * f + 4
            : k == 2 ? -3 * f * f * f + 3 * f * f + 3 * f + 1
                     : f * f * f) /
           6;
}

#define TEMPLATE "popops/spline/spline_typed.h"
#include "poplibs/each_type.h"

#else
#include "poplibs/estimates.h"
#include "popops/vertices.h"

static uint64_t vectors_of(void *user)
{
    return poplibs_type_of_user(user) == POP_FLOAT ? 2 : 1;
}

static pop_perf basis(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)target;
    return (pop_perf){ 30 * pop_vertex_view_field_size(vertex, "basis", POP_WHOLE) * vectors_of(user), 0 };
}

static pop_perf weighting(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)target;
    return (pop_perf){ 15 * pop_vertex_view_field_size(vertex, "out", POP_WHOLE) *
                           (uint64_t)pop_vertex_view_field_value(vertex, "channels", 0) *
                           (uint64_t)pop_vertex_view_field_value(vertex, "splines", 0) * vectors_of(user),
                       0 };
}

void register_spline_vertices(pop_graph *graph)
{
    static const struct poplibs_estimate families[] = { { "popops::SplineBasis<%s>", basis },
                                                        { "popops::SplineWeighting<%s>", weighting } };
    poplibs_register_estimates(graph, TYPES, families, sizeof(families) / sizeof(families[0]));
}
#endif
