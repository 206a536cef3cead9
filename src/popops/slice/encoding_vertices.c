/* SPDX-License-Identifier: Apache-2.0 */
/* popops::EncodeOneHot<index type, type> and EncodeOneHotCustomValues: one contiguous piece of the encoded tensor,
 * which is made of runs of elements [start, start + length) of it.  Positions count from the first row whose index is
 * given.  popops::Iota<T>: several regions, each from a value on. */
#include "poplibs/vertex_types.h"

/* X(index tag, index text, kind of vertex, tag, type, text): that of half by unsigned indices is a supervisor vertex,
 * as in Poplibs. */
#define ONE_HOT_VERTICES(X)                                                                                            \
    X(unsigned, "unsigned int", POP_SUPERVISOR_VERTEX, half, half, "half")                                             \
    X(unsigned, "unsigned int", POP_VERTEX, float, float, "float")                                                     \
    X(unsigned, "unsigned int", POP_VERTEX, int, int, "int")                                                           \
    X(unsigned, "unsigned int", POP_VERTEX, unsigned, unsigned, "unsigned int")                                        \
    X(int, "int", POP_VERTEX, half, half, "half")                                                                      \
    X(int, "int", POP_VERTEX, float, float, "float")                                                                   \
    X(int, "int", POP_VERTEX, int, int, "int") X(int, "int", POP_VERTEX, unsigned, unsigned, "unsigned int")

#ifdef __POPC__
#include <poplar/vertex.h>

/* An index below 0 is beyond all classes as an unsigned number. */
#define ENCODE(v, on_value, off_value)                                                                                 \
    for (size_t run = 0, at = 0; run < (v)->starts.size; at += (v)->lengths.data[run++]) {                             \
        unsigned start = (v)->starts.data[run], length = (v)->lengths.data[run];                                       \
        for (unsigned i = 0; i < length; ++i)                                                                          \
            (v)->out.data[at + i] = (off_value);                                                                       \
        for (unsigned row = start / (v)->classes; length && row <= (start + length - 1) / (v)->classes; ++row) {       \
            unsigned class = (unsigned)(v)->indices.data[row], place = row * (v)->classes + class - start;             \
            if (class < (v)->classes && place < length)                                                                \
                (v)->out.data[at + place] = (on_value);                                                                \
        }                                                                                                              \
    }

#define ONE_HOT(index, index_text, VERTEX, tag, type, text)                                                            \
    VERTEX(EncodeOneHot_##index##_##tag)                                                                               \
    {                                                                                                                  \
        POP_INPUT(POP_VECTOR(index)) indices;                                                                          \
        POP_OUTPUT(POP_VECTOR(type)) out;                                                                              \
        POP_STATE(POP_VECTOR(unsigned)) starts;                                                                        \
        POP_STATE(POP_VECTOR(unsigned)) lengths;                                                                       \
        POP_STATE(unsigned) classes;                                                                                   \
    };                                                                                                                 \
    POP_VERTEX_NAME(EncodeOneHot_##index##_##tag, "popops::EncodeOneHot<" index_text "," text ">");                    \
    void EncodeOneHot_##index##_##tag##_compute(EncodeOneHot_##index##_##tag *v){ ENCODE(v, 1, 0) } VERTEX(            \
        EncodeValues_##index##_##tag)                                                                                  \
    {                                                                                                                  \
        POP_INPUT(POP_VECTOR(index)) indices;                                                                          \
        POP_INPUT(type) on;                                                                                            \
        POP_INPUT(type) off;                                                                                           \
        POP_OUTPUT(POP_VECTOR(type)) out;                                                                              \
        POP_STATE(POP_VECTOR(unsigned)) starts;                                                                        \
        POP_STATE(POP_VECTOR(unsigned)) lengths;                                                                       \
        POP_STATE(unsigned) classes;                                                                                   \
    };                                                                                                                 \
    POP_VERTEX_NAME(EncodeValues_##index##_##tag, "popops::EncodeOneHotCustomValues<" index_text "," text ">");        \
    void EncodeValues_##index##_##tag##_compute(EncodeValues_##index##_##tag *v)                                       \
    {                                                                                                                  \
        ENCODE(v, *v->on, *v->off)                                                                                     \
    }
ONE_HOT_VERTICES(ONE_HOT)

#define IOTA(tag, type, text, wide)                                                                                    \
    POP_VERTEX(Iota_##tag)                                                                                             \
    {                                                                                                                  \
        POP_OUTPUT(POP_VECTORS(type)) out;                                                                             \
        POP_STATE(POP_VECTOR(wide)) offsets;                                                                           \
    };                                                                                                                 \
    POP_VERTEX_NAME(Iota_##tag, "popops::Iota<" text ">");                                                             \
    void Iota_##tag##_compute(Iota_##tag *v)                                                                           \
    {                                                                                                                  \
        for (size_t i = 0; i < v->out.size; ++i)                                                                       \
            for (size_t k = 0; k < v->out.data[i].size; ++k)                                                           \
                v->out.data[i].data[k] = (type)(wide)((unsigned)v->offsets.data[i] + (unsigned)k);                     \
    }
IOTA(half, half, "half", int)
IOTA(float, float, "float", int)
IOTA(int, int, "int", int)
IOTA(unsigned, unsigned, "unsigned int", unsigned)

#else
#include "poplibs/support.h"
#include "popops/vertices.h"

/* poplibs.md 2.2: 100 cycles for an index, and 198 + 76 in the supervisor vertex. */
static pop_perf one_hot(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)target;
    uint64_t indices = pop_vertex_view_field_size(vertex, "indices", POP_WHOLE);
    return (pop_perf){ user ? 198 + 76 * indices : 100 * indices, 0 };
}
static pop_perf iota(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    uint64_t cycles = 10;
    unsigned width = pop_target_vector_width(target, poplibs_type_of_user(user));
    for (size_t i = 0, rows = pop_vertex_view_field_size(vertex, "out", POP_WHOLE); i < rows; ++i)
        cycles += 4 + 3 * poplibs_ceil_div(pop_vertex_view_field_size(vertex, "out", i), width);
    return (pop_perf){ cycles, 0 };
}

void popops_encoding_vertices(pop_graph *graph)
{
#define ONE_HOT(index, index_text, VERTEX, tag, type, text)                                                            \
    pop_graph_register_perf_estimator(graph, "popops::EncodeOneHot<" index_text "," text ">", one_hot,                 \
                                      poplibs_as_user(#VERTEX[4] == 'S'));                                             \
    pop_graph_register_perf_estimator(graph, "popops::EncodeOneHotCustomValues<" index_text "," text ">", one_hot,     \
                                      poplibs_as_user(#VERTEX[4] == 'S'));
    ONE_HOT_VERTICES(ONE_HOT)
#define IOTA(tag, type, text)                                                                                          \
    pop_graph_register_perf_estimator(graph, "popops::Iota<" text ">", iota, poplibs_as_user(pop_type_by_name(text)));
    POPLIBS_NUMBERS(IOTA)
}
#endif
