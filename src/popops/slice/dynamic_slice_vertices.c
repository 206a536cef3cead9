/* SPDX-License-Identifier: Apache-2.0 */
/* popops::DynamicSlice2d<T> and DynamicUpdateSlice2d<T>: several regions, in a worker; each region is a row of baseT
 * for each element of the sliced dimension, and one of subT for each element of the slice.  DynamicSliceSupervisor<T>
 * and DynamicUpdateSliceSupervisor<T>: one region whose rows stand one after the other.  An offset of no row of the
 * base is 0, and after the last row comes the first. */
#include "poplibs/vertex_types.h"

#ifdef __POPC__
#include <poplar/vertex.h>
#include <string.h>

static inline unsigned first_row(unsigned offset, unsigned rows)
{
    return offset < rows ? offset : 0;
}

#define COPY_ROWS(v, to, from)                                                                                         \
    for (unsigned i = 0, row = first_row(*(v)->offset, (v)->numBaseElements); i < (v)->numSubElements; ++i) {          \
        for (size_t r = 0; r < (v)->numRegions; ++r) {                                                                 \
            size_t base = r * (v)->numBaseElements + row, sub = r * (v)->numSubElements + i;                           \
            memcpy((v)->to.data, (v)->from.data, (v)->subT.data[sub].size * sizeof(*(v)->to.data));                    \
        }                                                                                                              \
        row = row + 1 == (v)->numBaseElements ? 0 : row + 1;                                                           \
    }
#define COPY_REGION(v, to, to_row, from, from_row)                                                                     \
    for (unsigned i = 0, row = first_row(*(v)->offset, (v)->numBaseElements); i < (v)->numSubElements; ++i) {          \
        size_t size = (v)->regionSize;                                                                                 \
        memcpy((v)->to.data + (to_row)*size, (v)->from.data + (from_row)*size, size * sizeof(*(v)->to.data));          \
        row = row + 1 == (v)->numBaseElements ? 0 : row + 1;                                                           \
    }

#define VERTICES_OF(tag, type, text)                                                                                   \
    POP_VERTEX(Slice2d_##tag)                                                                                          \
    {                                                                                                                  \
        POP_INPUT(unsigned) offset;                                                                                    \
        POP_INPUT(POP_VECTORS(type)) baseT;                                                                            \
        POP_OUTPUT(POP_VECTORS(type)) subT;                                                                            \
        POP_STATE(unsigned) numBaseElements;                                                                           \
        POP_STATE(unsigned) numSubElements;                                                                            \
        POP_STATE(unsigned) numRegions;                                                                                \
    };                                                                                                                 \
    POP_VERTEX_NAME(Slice2d_##tag, "popops::DynamicSlice2d<" text ">");                                                \
    void Slice2d_##tag##_compute(Slice2d_##tag *v){ COPY_ROWS(v, subT.data[sub], baseT.data[base]) } POP_VERTEX(       \
        Update2d_##tag)                                                                                                \
    {                                                                                                                  \
        POP_INPUT(unsigned) offset;                                                                                    \
        POP_INOUT(POP_VECTORS(type)) baseT;                                                                            \
        POP_INPUT(POP_VECTORS(type)) subT;                                                                             \
        POP_STATE(unsigned) numBaseElements;                                                                           \
        POP_STATE(unsigned) numSubElements;                                                                            \
        POP_STATE(unsigned) numRegions;                                                                                \
    };                                                                                                                 \
    POP_VERTEX_NAME(Update2d_##tag, "popops::DynamicUpdateSlice2d<" text ">");                                         \
    void Update2d_##tag##_compute(                                                                                     \
        Update2d_##tag *v){ COPY_ROWS(v, baseT.data[base], subT.data[sub]) } POP_SUPERVISOR_VERTEX(Slice1d_##tag)      \
    {                                                                                                                  \
        POP_INPUT(unsigned) offset;                                                                                    \
        POP_INPUT(POP_VECTOR(type, ONE_PTR)) baseT;                                                                    \
        POP_OUTPUT(POP_VECTOR(type, ONE_PTR)) subT;                                                                    \
        POP_STATE(unsigned) numBaseElements;                                                                           \
        POP_STATE(unsigned) numSubElements;                                                                            \
        POP_STATE(unsigned) regionSize;                                                                                \
    };                                                                                                                 \
    POP_VERTEX_NAME(Slice1d_##tag, "popops::DynamicSliceSupervisor<" text ">");                                        \
    void Slice1d_##tag##_compute(Slice1d_##tag *v){ COPY_REGION(v, subT, i, baseT, row) } POP_SUPERVISOR_VERTEX(       \
        Update1d_##tag)                                                                                                \
    {                                                                                                                  \
        POP_INPUT(unsigned) offset;                                                                                    \
        POP_INOUT(POP_VECTOR(type, ONE_PTR)) baseT;                                                                    \
        POP_INPUT(POP_VECTOR(type, ONE_PTR)) subT;                                                                     \
        POP_STATE(unsigned) numBaseElements;                                                                           \
        POP_STATE(unsigned) numSubElements;                                                                            \
        POP_STATE(unsigned) regionSize;                                                                                \
    };                                                                                                                 \
    POP_VERTEX_NAME(Update1d_##tag, "popops::DynamicUpdateSliceSupervisor<" text ">");                                 \
    void Update1d_##tag##_compute(Update1d_##tag *v)                                                                   \
    {                                                                                                                  \
        COPY_REGION(v, baseT, row, subT, i)                                                                            \
    }
POPLIBS_ALL_TYPES(VERTICES_OF)

#else
#include "poplibs/support.h"
#include "popops/vertices.h"

/* poplibs.md 2.2; n elements are 31 + 2 nv cycles in half, 29 + nv in other types. */
static pop_perf estimate_2d(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    pop_type type = poplibs_type_of_user(user);
    unsigned width = pop_target_vector_width(target, type);
    size_t slices = (size_t)pop_vertex_view_field_value(vertex, "numSubElements", 0);
    size_t regions = (size_t)pop_vertex_view_field_value(vertex, "numRegions", 0);
    uint64_t cycles = 23;
    for (size_t i = 0; i < regions; ++i) {
        uint64_t vectors = poplibs_ceil_div(pop_vertex_view_field_size(vertex, "subT", i * slices), width);
        cycles += (type == POP_HALF ? 31 + 2 * vectors : 29 + vectors) * slices + 13;
    }
    return (pop_perf){ cycles, 0 };
}
static pop_perf estimate_1d(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    unsigned workers = target->num_worker_contexts;
    uint64_t slices = (uint64_t)pop_vertex_view_field_value(vertex, "numSubElements", 0);
    size_t elements = (size_t)pop_vertex_view_field_value(vertex, "regionSize", 0);
    uint64_t share =
        poplibs_ceil_div(elements, (size_t)workers * pop_target_vector_width(target, poplibs_type_of_user(user)));
    return (pop_perf){ 198 + 14 + workers * (41 + (27 + share) * slices), 0 };
}

void popops_dynamic_slice_vertices(pop_graph *graph)
{
#define REGISTER(tag, type, text)                                                                                      \
    pop_graph_register_perf_estimator(graph, "popops::DynamicSlice2d<" text ">", estimate_2d,                          \
                                      poplibs_as_user(pop_type_by_name(text)));                                        \
    pop_graph_register_perf_estimator(graph, "popops::DynamicUpdateSlice2d<" text ">", estimate_2d,                    \
                                      poplibs_as_user(pop_type_by_name(text)));                                        \
    pop_graph_register_perf_estimator(graph, "popops::DynamicSliceSupervisor<" text ">", estimate_1d,                  \
                                      poplibs_as_user(pop_type_by_name(text)));                                        \
    pop_graph_register_perf_estimator(graph, "popops::DynamicUpdateSliceSupervisor<" text ">", estimate_1d,            \
                                      poplibs_as_user(pop_type_by_name(text)));
    POPLIBS_ALL_TYPES(REGISTER)
}
#endif
