/* SPDX-License-Identifier: Apache-2.0 */
/* popops::NormaliseImage<input type, output type>: converts pixels of three channels to pixels of four. */

#include "poplibs/vertex_types.h"

#define TYPES (POPLIBS_UCHAR | POPLIBS_FLOATING)

#ifdef __POPC__
#define TEMPLATE "popops/layout/normalise_image_typed.h"
#include "poplibs/each_type.h"

#else
#include "poplibs/support.h"
#include "popops/vertices.h"

/* Poplibs' estimator (release 2.1), for one worker's pixels. */
static const struct image_cost {
    const char *name;
    unsigned start, pixel;
} costs[] = {
    { "popops::NormaliseImage<unsigned char,half>", 28, 8 },
    { "popops::NormaliseImage<half,half>", 51, 11 },
    { "popops::NormaliseImage<float,float>", 51, 17 },
};

static pop_perf normalise(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    const struct image_cost *cost = &costs[(uintptr_t)user];
    (void)target;
    return (pop_perf){ cost->start + pop_vertex_view_field_size(vertex, "in", POP_WHOLE) / 3 * cost->pixel + 1, 0 };
}

void register_normalise_image_vertices(pop_graph *graph)
{
    for (size_t i = 0; i < sizeof(costs) / sizeof(costs[0]); ++i)
        pop_graph_register_perf_estimator(graph, costs[i].name, normalise, poplibs_as_user(i));
}
#endif
