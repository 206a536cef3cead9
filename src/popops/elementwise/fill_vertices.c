/* SPDX-License-Identifier: Apache-2.0 */
/* popops::Fill<T>: one region; popops::Fill2d<T>: several.  They were called Zero and Zero2d once. */
#include "poplibs/vertex_types.h"

#ifdef __POPC__
#include <poplar/vertex.h>

#define VERTICES_OF(tag, type, text)                                                                                   \
    static void fill_##tag(type *out, size_t size, type value)                                                         \
    {                                                                                                                  \
        for (size_t i = 0; i < size; ++i)                                                                              \
            out[i] = value;                                                                                            \
    }                                                                                                                  \
    POP_VERTEX(Fill_##tag)                                                                                             \
    {                                                                                                                  \
        POP_STATE(type) in;                                                                                            \
        POP_OUTPUT(POP_VECTOR(type)) out;                                                                              \
    };                                                                                                                 \
    POP_VERTEX_NAME(Fill_##tag, "popops::Fill<" text ">");                                                             \
    void Fill_##tag##_compute(Fill_##tag *v)                                                                           \
    {                                                                                                                  \
        fill_##tag(v->out.data, v->out.size, v->in);                                                                   \
    }                                                                                                                  \
    POP_VERTEX(Fill2d_##tag)                                                                                           \
    {                                                                                                                  \
        POP_STATE(type) in;                                                                                            \
        POP_OUTPUT(POP_VECTORS(type)) out;                                                                             \
    };                                                                                                                 \
    POP_VERTEX_NAME(Fill2d_##tag, "popops::Fill2d<" text ">");                                                         \
    void Fill2d_##tag##_compute(Fill2d_##tag *v)                                                                       \
    {                                                                                                                  \
        for (size_t i = 0; i < v->out.size; ++i)                                                                       \
            fill_##tag(v->out.data[i].data, v->out.data[i].size, v->in);                                               \
    }
POPLIBS_ALL_TYPES(VERTICES_OF)

#else
#include "poplibs/support.h"
#include "popops/vertices.h"

/* 20 + n / v cycles for each region (poplibs.md 2.2, Zero). */
static uint64_t region_cycles(const pop_target *target, pop_type type, size_t elements)
{
    return 20 + poplibs_ceil_div(elements, pop_target_vector_width(target, type));
}
static pop_perf estimate(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    return (pop_perf){
        region_cycles(target, poplibs_type_of_user(user), pop_vertex_view_field_size(vertex, "out", POP_WHOLE)), 0
    };
}
static pop_perf estimate_2d(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    uint64_t cycles = 0;
    for (size_t i = 0, rows = pop_vertex_view_field_size(vertex, "out", POP_WHOLE); i < rows; ++i)
        cycles += region_cycles(target, poplibs_type_of_user(user), pop_vertex_view_field_size(vertex, "out", i));
    return (pop_perf){ cycles, 0 };
}

void popops_fill_vertices(pop_graph *graph)
{
#define REGISTER(tag, type, text)                                                                                      \
    pop_graph_register_perf_estimator(graph, "popops::Fill<" text ">", estimate,                                       \
                                      poplibs_as_user(pop_type_by_name(text)));                                        \
    pop_graph_register_perf_estimator(graph, "popops::Fill2d<" text ">", estimate_2d,                                  \
                                      poplibs_as_user(pop_type_by_name(text)));
    POPLIBS_ALL_TYPES(REGISTER)
}
#endif
