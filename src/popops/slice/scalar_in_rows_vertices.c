/* SPDX-License-Identifier: Apache-2.0 */
/* popops::SelectFromRows<T>: an element of each of several rows.  popops::UpdateIntervalsDEC<T>: one contiguous piece
 * of a matrix, which is made of runs of elements [start, start + length), counted from the first row whose index is
 * given. */
#include "poplibs/vertex_types.h"

#ifdef __POPC__
#include <poplar/vertex.h>

#define MASKED       0xffffffffu
#define NOT_A_NUMBER __builtin_nanf("")

#define VERTICES_OF(tag, type, text)                                                                                   \
    POP_VERTEX(Select_##tag)                                                                                           \
    {                                                                                                                  \
        POP_INPUT(POP_VECTORS(type)) params;                                                                           \
        POP_INPUT(POP_VECTOR(unsigned, ONE_PTR)) indices;                                                              \
        POP_OUTPUT(POP_VECTOR(type, ONE_PTR)) output;                                                                  \
    };                                                                                                                 \
    POP_VERTEX_NAME(Select_##tag, "popops::SelectFromRows<" text ">");                                                 \
    void Select_##tag##_compute(Select_##tag *v)                                                                       \
    {                                                                                                                  \
        for (size_t i = 0; i < v->params.size; ++i) {                                                                  \
            unsigned at = v->indices.data[i];                                                                          \
            float value = at == MASKED                  ? 0                                                            \
                          : at < v->params.data[i].size ? (float)v->params.data[i].data[at]                            \
                                                        : NOT_A_NUMBER;                                                \
            v->output.data[i] = (type)value;                                                                           \
        }                                                                                                              \
    }                                                                                                                  \
    POP_VERTEX(Update_##tag)                                                                                           \
    {                                                                                                                  \
        POP_INOUT(POP_VECTOR(type, ONE_PTR)) params;                                                                   \
        POP_INPUT(POP_VECTOR(unsigned)) indices;                                                                       \
        POP_STATE(POP_VECTOR(unsigned)) starts;                                                                        \
        POP_STATE(POP_VECTOR(unsigned)) lengths;                                                                       \
        POP_STATE(unsigned) columns;                                                                                   \
    };                                                                                                                 \
    POP_VERTEX_NAME(Update_##tag, "popops::UpdateIntervalsDEC<" text ">");                                             \
    void Update_##tag##_compute(Update_##tag *v)                                                                       \
    {                                                                                                                  \
        type *at = v->params.data;                                                                                     \
        for (size_t run = 0; run < v->starts.size; at += v->lengths.data[run++]) {                                     \
            unsigned start = v->starts.data[run], end = start + v->lengths.data[run];                                  \
            for (unsigned row = start / v->columns; row * v->columns < end; ++row) {                                   \
                unsigned index = v->indices.data[row], first = row * v->columns, last = first + v->columns;            \
                if (index == MASKED)                                                                                   \
                    continue;                                                                                          \
                if (index < v->columns) {                                                                              \
                    if (first + index >= start && first + index < end)                                                 \
                        at[first + index - start] = (type)((float)at[first + index - start] - 1.0f);                   \
                    continue;                                                                                          \
                }                                                                                                      \
                for (unsigned i = first > start ? first : start; i < last && i < end; ++i)                             \
                    at[i - start] = (type)NOT_A_NUMBER;                                                                \
            }                                                                                                          \
        }                                                                                                              \
    }
POPLIBS_FLOATING(VERTICES_OF)

#else
#include "poplibs/support.h"
#include "popops/vertices.h"

/* Nothing is published.  A row costs two loads, two comparisons, an address, a load and a store, with jumps. */
static pop_perf select_cycles(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)target, (void)user;
    return (pop_perf){ 10 + 12 * pop_vertex_view_field_size(vertex, "params", POP_WHOLE), 0 };
}
static pop_perf update_cycles(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)target, (void)user;
    uint64_t runs = pop_vertex_view_field_size(vertex, "starts", POP_WHOLE),
             rows = pop_vertex_view_field_size(vertex, "indices", POP_WHOLE);
    return (pop_perf){ 10 + 10 * runs + 12 * poplibs_max(runs, rows), rows };
}

void popops_scalar_in_rows_vertices(pop_graph *graph)
{
#define REGISTER(tag, type, text)                                                                                      \
    pop_graph_register_perf_estimator(graph, "popops::SelectFromRows<" text ">", select_cycles, NULL);                 \
    pop_graph_register_perf_estimator(graph, "popops::UpdateIntervalsDEC<" text ">", update_cycles, NULL);
    POPLIBS_FLOATING(REGISTER)
}
#endif
