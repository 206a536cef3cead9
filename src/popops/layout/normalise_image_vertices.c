/* SPDX-License-Identifier: Apache-2.0 */
/* popops::NormaliseImage<input type, output type>: pixels of three channels become pixels of four. */

#define NORMALISE_VERTICES(X)                                                                                          \
    X(uchar, unsigned char, half, "unsigned char,half")                                                                \
    X(half, half, half, "half,half") X(float, float, float, "float,float")

#ifdef __POPC__
#include <poplar/vertex.h>

#define NORMALISE(tag, type, result, text)                                                                             \
    POP_VERTEX(NormaliseImage_##tag)                                                                                   \
    {                                                                                                                  \
        POP_INPUT(POP_VECTOR(type)) in;                                                                                \
        POP_INPUT(POP_VECTOR(result)) offsets;                                                                         \
        POP_INPUT(POP_VECTOR(result)) scales;                                                                          \
        POP_OUTPUT(POP_VECTOR(result)) out;                                                                            \
        POP_STATE(float) scale;                                                                                        \
    };                                                                                                                 \
    POP_VERTEX_NAME(NormaliseImage_##tag, "popops::NormaliseImage<" text ">");                                         \
    void NormaliseImage_##tag##_compute(NormaliseImage_##tag *v)                                                       \
    {                                                                                                                  \
        for (size_t pixel = 0; pixel < v->in.size / 3; ++pixel) {                                                      \
            for (size_t c = 0; c < 3; ++c) {                                                                           \
                float x = (float)v->in.data[3 * pixel + c] * v->scale;                                                 \
                v->out.data[4 * pixel + c] = (result)((x - (float)v->offsets.data[c]) * (float)v->scales.data[c]);     \
            }                                                                                                          \
            v->out.data[4 * pixel + 3] = 0;                                                                            \
        }                                                                                                              \
    }
NORMALISE_VERTICES(NORMALISE)

#else
#include "poplibs/support.h"
#include "popops/vertices.h"

/* No formula is published: per pixel three loads that are not aligned, and a conversion, three operations and a store
 * of each vector. */
static pop_perf normalise(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    uint64_t pixels = pop_vertex_view_field_size(vertex, "in", POP_WHOLE) / 3;
    return (pop_perf){ 20 + pixels * (3 + 5 * (4 / pop_target_vector_width(target, poplibs_type_of_user(user)))), 0 };
}

void popops_normalise_image_vertices(pop_graph *graph)
{
#define NORMALISE(tag, type, result, text)                                                                             \
    pop_graph_register_perf_estimator(graph, "popops::NormaliseImage<" text ">", normalise,                            \
                                      poplibs_as_user(pop_type_by_name(#result)));
    NORMALISE_VERTICES(NORMALISE)
}
#endif
