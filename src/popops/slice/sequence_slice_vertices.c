/* SPDX-License-Identifier: Apache-2.0 */
/* popops::SequenceSlice<T>: some columns of both tensors, row after row. */
#include "poplibs/vertex_types.h"

#ifdef __POPC__
#include <poplar/vertex.h>

#define VERTICES_OF(tag, type, text)                                                                                   \
    POP_VERTEX(Sequence_##tag)                                                                                         \
    {                                                                                                                  \
        POP_INPUT(POP_VECTOR(type, ONE_PTR)) srcT;                                                                     \
        POP_INOUT(POP_VECTOR(type, ONE_PTR)) dstT;                                                                     \
        POP_INPUT(POP_VECTOR(unsigned)) lengths;                                                                       \
        POP_INPUT(POP_VECTOR(unsigned, ONE_PTR)) srcOffsets;                                                           \
        POP_INPUT(POP_VECTOR(unsigned, ONE_PTR)) dstOffsets;                                                           \
        POP_STATE(unsigned) srcRows;                                                                                   \
        POP_STATE(unsigned) dstRows;                                                                                   \
        POP_STATE(unsigned) regionSize;                                                                                \
        POP_STATE(bool) zeroUnused;                                                                                    \
    };                                                                                                                 \
    POP_VERTEX_NAME(Sequence_##tag, "popops::SequenceSlice<" text ">");                                                \
    void Sequence_##tag##_compute(Sequence_##tag *v)                                                                   \
    {                                                                                                                  \
        size_t region = v->regionSize;                                                                                 \
        for (size_t i = 0; v->zeroUnused && i < v->dstRows * region; ++i)                                              \
            v->dstT.data[i] = 0;                                                                                       \
        for (size_t i = 0; i < v->lengths.size; ++i) {                                                                 \
            unsigned from = v->srcOffsets.data[i], to = v->dstOffsets.data[i], length = v->lengths.data[i];            \
            for (unsigned k = 0; k < length && from < v->srcRows && to < v->dstRows; ++k, ++from, ++to)                \
                for (size_t column = 0; column < region; ++column)                                                     \
                    v->dstT.data[to * region + column] = v->srcT.data[from * region + column];                         \
        }                                                                                                              \
    }
POPLIBS_ALL_TYPES(VERTICES_OF)

#else
#include "poplibs/support.h"
#include "popops/vertices.h"

/* Nothing is published: a multi-slice's cycles for each row that there may be, and a fill's. */
static pop_perf estimate(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    uint64_t rows = (uint64_t)pop_vertex_view_field_value(vertex, "dstRows", 0),
             region = (uint64_t)pop_vertex_view_field_value(vertex, "regionSize", 0);
    uint64_t vectors = poplibs_ceil_div(region, pop_target_vector_width(target, poplibs_type_of_user(user)));
    uint64_t fill = pop_vertex_view_field_value(vertex, "zeroUnused", 0) != 0 ? 20 + rows * vectors : 0;
    return (pop_perf){
        16 + fill + 15 * pop_vertex_view_field_size(vertex, "lengths", POP_WHOLE) + rows * (19 + 3 * vectors), 0
    };
}

void popops_sequence_slice_vertices(pop_graph *graph)
{
#define REGISTER(tag, type, text)                                                                                      \
    pop_graph_register_perf_estimator(graph, "popops::SequenceSlice<" text ">", estimate,                              \
                                      poplibs_as_user(pop_type_by_name(text)));
    POPLIBS_ALL_TYPES(REGISTER)
}
#endif
