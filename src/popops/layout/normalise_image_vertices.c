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

/* Poplibs publishes no formula: estimated for each pixel as three unaligned loads and, for each vector, a conversion,
 * three operations and a store. */
static pop_perf normalise(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    uint64_t pixels = pop_vertex_view_field_size(vertex, "in", POP_WHOLE) / 3;
    return (pop_perf){ 20 + pixels * (3 + 5 * (4 / pop_target_vector_width(target, poplibs_type_of_user(user)))), 0 };
}

void register_normalise_image_vertices(pop_graph *graph)
{
    static const struct {
        const char *name;
        pop_type result;
    } vertices[] = { { "popops::NormaliseImage<unsigned char,half>", POP_HALF },
                     { "popops::NormaliseImage<half,half>", POP_HALF },
                     { "popops::NormaliseImage<float,float>", POP_FLOAT } };
    for (size_t i = 0; i < sizeof(vertices) / sizeof(vertices[0]); ++i)
        pop_graph_register_perf_estimator(graph, vertices[i].name, normalise, poplibs_as_user(vertices[i].result));
}
#endif
