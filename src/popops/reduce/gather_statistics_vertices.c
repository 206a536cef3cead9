/* SPDX-License-Identifier: Apache-2.0 */
/* popops::Histogram2D<type, type of counts>: how many elements of several regions lie between ascending levels. */
#include "poplibs/vertex_types.h"

#define HISTOGRAM_VERTICES(X)                                                                                          \
    X(half, half, unsigned, "half,unsigned int")                                                                       \
    X(half_float, half, float, "half,float")                                                                           \
    X(float, float, unsigned, "float,unsigned int") X(float_float, float, float, "float,float")

#ifdef __POPC__
#include <poplar/vertex.h>

/* Counts what lies below each level, then takes differences: the inner loop has no branches.  A NaN is below no level.
 */
#define HISTOGRAM(tag, type, out, text)                                                                                \
    POP_VERTEX(Histogram_##tag)                                                                                        \
    {                                                                                                                  \
        POP_INPUT(POP_VECTORS(type)) data;                                                                             \
        POP_INPUT(POP_VECTOR(type)) levels;                                                                            \
        POP_OUTPUT(POP_VECTOR(out)) counts;                                                                            \
        POP_STATE(bool) absolute;                                                                                      \
    };                                                                                                                 \
    POP_VERTEX_NAME(Histogram_##tag, "popops::Histogram2D<" text ">");                                                 \
    static unsigned below_##tag(const type *data, size_t count, float level, bool absolute)                            \
    {                                                                                                                  \
        unsigned below = 0;                                                                                            \
        for (size_t i = 0; i < count; ++i) {                                                                           \
            float x = (float)data[i];                                                                                  \
            below += (absolute && x < 0 ? -x : x) < level;                                                             \
        }                                                                                                              \
        return below;                                                                                                  \
    }                                                                                                                  \
    void Histogram_##tag##_compute(Histogram_##tag *v)                                                                 \
    {                                                                                                                  \
        unsigned before = 0, all = 0;                                                                                  \
        for (size_t row = 0; row < v->data.size; ++row)                                                                \
            all += (unsigned)v->data.data[row].size;                                                                   \
        for (size_t i = 0; i < v->levels.size; ++i) {                                                                  \
            unsigned below = 0;                                                                                        \
            for (size_t row = 0; row < v->data.size; ++row)                                                            \
                below += below_##tag(v->data.data[row].data, v->data.data[row].size, (float)v->levels.data[i],         \
                                     v->absolute);                                                                     \
            v->counts.data[i] = (out)(below - before);                                                                 \
            before = below;                                                                                            \
        }                                                                                                              \
        v->counts.data[v->levels.size] = (out)(all - before);                                                          \
    }
HISTOGRAM_VERTICES(HISTOGRAM)

#else
#include "poplibs/support.h"
#include "popops/vertices.h"

/* No formula is published: for each level a load, a compare and an addition of each vector, and what a row takes. */
static pop_perf histogram(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    uint64_t level = 10;
    unsigned width = pop_target_vector_width(target, poplibs_type_of_user(user));
    for (size_t i = 0, rows = pop_vertex_view_field_size(vertex, "data", POP_WHOLE); i < rows; ++i)
        level += 6 + 3 * poplibs_ceil_div(pop_vertex_view_field_size(vertex, "data", i), width);
    return (pop_perf){ 20 + pop_vertex_view_field_size(vertex, "levels", POP_WHOLE) * level, 0 };
}

void popops_gather_statistics_vertices(pop_graph *graph)
{
#define HISTOGRAM(tag, type, out, text)                                                                                \
    pop_graph_register_perf_estimator(graph, "popops::Histogram2D<" text ">", histogram,                               \
                                      poplibs_as_user(pop_type_by_name(#type)));
    HISTOGRAM_VERTICES(HISTOGRAM)
}
#endif
