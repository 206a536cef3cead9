/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of baseT, which are rows baseOffset and on of a whole, at offsets.  popops::MultiSlice<T> copies to subT: the
 * first row for an offset of another row, so that a whole gives element 0 for an offset out of range.  Updates leave
 * other rows' offsets out: MultiUpdate<T> copies from subT, MultiUpdateAdd<T,subword> adds scale * subT,
 * MultiUpdateOp<T,operation> takes maxima and products. popops::MultiSliceSelect<T>: each row from the part of a table
 * to which its offset belongs, the first part where there is none.  popops::MultiUpdateSum<T>: adds scale * the sum of
 * partial results. */
#include "poplibs/vertex_types.h"

/* X(tag, element type, scale type, type of partial sums, type in which is calculated, names): half with a scale of
 * either type. */
#define ADD_TYPES(X)                                                                                                   \
    X(half, half, half, float, float, "half", "half")                                                                  \
    X(half_float, half, float, float, float, "half,float", "half")                                                     \
    X(float, float, float, float, float, "float", "float")                                                             \
    X(int, int, int, int, unsigned, "int", "int")                                                                      \
    X(unsigned, unsigned, unsigned, unsigned, unsigned, "unsigned int", "unsigned int")

#ifdef __POPC__
#include <poplar/vertex.h>
#include <string.h>

/* For each offset that is a row of the base: `at` is that row's first element, `from` that of the slice. */
#define FOR_ROWS(v, ...)                                                                                               \
    for (size_t i = 0, size = (v)->regionSize; i < (v)->offsets.size; ++i) {                                           \
        unsigned row = (v)->offsets.data[i] - (v)->baseOffset;                                                         \
        size_t at = row * size, from = i * size;                                                                       \
        if (row < (v)->numBaseElements)                                                                                \
            __VA_ARGS__;                                                                                               \
    }
#define FOR_ELEMENTS(v, ...) FOR_ROWS(v, for (size_t k = 0; k < size; ++k) __VA_ARGS__)
#define ROW_STATE                                                                                                      \
    POP_STATE(unsigned) baseOffset;                                                                                    \
    POP_STATE(unsigned) numBaseElements;                                                                               \
    POP_STATE(unsigned) regionSize;

#define COPIES_OF(tag, type, text)                                                                                     \
    POP_VERTEX(MultiSlice_##tag)                                                                                       \
    {                                                                                                                  \
        POP_INPUT(POP_VECTOR(unsigned)) offsets;                                                                       \
        POP_INPUT(POP_VECTOR(type, ONE_PTR)) baseT;                                                                    \
        POP_OUTPUT(POP_VECTOR(type, ONE_PTR)) subT;                                                                    \
        ROW_STATE                                                                                                      \
    };                                                                                                                 \
    POP_VERTEX_NAME(MultiSlice_##tag, "popops::MultiSlice<" text ">");                                                 \
    void MultiSlice_##tag##_compute(MultiSlice_##tag *v)                                                               \
    {                                                                                                                  \
        size_t size = v->regionSize;                                                                                   \
        for (size_t i = 0; i < v->offsets.size; ++i) {                                                                 \
            unsigned row = v->offsets.data[i] - v->baseOffset;                                                         \
            memcpy(v->subT.data + i * size, v->baseT.data + (row < v->numBaseElements ? row : 0) * size,               \
                   size * sizeof(type));                                                                               \
        }                                                                                                              \
    }                                                                                                                  \
    POP_VERTEX(MultiUpdate_##tag)                                                                                      \
    {                                                                                                                  \
        POP_INPUT(POP_VECTOR(unsigned)) offsets;                                                                       \
        POP_INOUT(POP_VECTOR(type, ONE_PTR)) baseT;                                                                    \
        POP_INPUT(POP_VECTOR(type, ONE_PTR)) subT;                                                                     \
        ROW_STATE                                                                                                      \
    };                                                                                                                 \
    POP_VERTEX_NAME(MultiUpdate_##tag, "popops::MultiUpdate<" text ">");                                               \
    void MultiUpdate_##tag##_compute(MultiUpdate_##tag *v){ FOR_ROWS(                                                  \
        v, memcpy(v->baseT.data + at, v->subT.data + from, size * sizeof(type))) } POP_VERTEX(Select_##tag)            \
    {                                                                                                                  \
        POP_INPUT(POP_VECTOR(unsigned)) offsets;                                                                       \
        POP_INPUT(POP_VECTOR(type, ONE_PTR)) baseT;                                                                    \
        POP_OUTPUT(POP_VECTOR(type, ONE_PTR)) subT;                                                                    \
        POP_STATE(unsigned) rowsPerPart;                                                                               \
        POP_STATE(unsigned) numRows;                                                                                   \
        POP_STATE(unsigned) regionSize;                                                                                \
    };                                                                                                                 \
    POP_VERTEX_NAME(Select_##tag, "popops::MultiSliceSelect<" text ">");                                               \
    void Select_##tag##_compute(Select_##tag *v)                                                                       \
    {                                                                                                                  \
        for (size_t i = 0; i < v->offsets.size; ++i) {                                                                 \
            unsigned part = v->offsets.data[i] < v->numRows ? v->offsets.data[i] / v->rowsPerPart : 0;                 \
            size_t at = (part * v->offsets.size + i) * v->regionSize;                                                  \
            memcpy(v->subT.data + i * v->regionSize, v->baseT.data + at, v->regionSize * sizeof(type));                \
        }                                                                                                              \
    }
POPLIBS_ALL_TYPES(COPIES_OF)

/* Operands of an update lie in three memory elements, so that a cycle can read of all; as in Poplibs, whose fullest
 * tiles show it. */
#define ADD_VERTEX(name, text, type, scale_type, wide)                                                                 \
    POP_VERTEX(name)                                                                                                   \
    {                                                                                                                  \
        POP_INPUT(POP_VECTOR(unsigned)) offsets;                                                                       \
        POP_INOUT(POP_VECTOR(type, ONE_PTR)) baseT;                                                                    \
        POP_INPUT(POP_VECTOR(type, ONE_PTR)) subT;                                                                     \
        POP_INPUT(scale_type) scale;                                                                                   \
        ROW_STATE                                                                                                      \
    };                                                                                                                 \
    POP_VERTEX_NAME(name, text);                                                                                       \
    POP_CONSTRAINT(name, "elem(*baseT) != elem(*subT)");                                                               \
    POP_CONSTRAINT(name, "elem(*offsets) != elem(*subT)");                                                             \
    POP_CONSTRAINT(name, "elem(*offsets) != elem(*baseT)");                                                            \
    void name##_compute(name *v)                                                                                       \
    {                                                                                                                  \
        wide scale = (wide)*v->scale;                                                                                  \
        FOR_ELEMENTS(v, v->baseT.data[at + k] =                                                                        \
                            (type)((wide)v->baseT.data[at + k] + scale * (wide)v->subT.data[from + k]))                \
    }
#define ADDS_OF(tag, type, scale_type, partial, wide, text, type_text)                                                 \
    ADD_VERTEX(MultiUpdateAdd_##tag##_whole, "popops::MultiUpdateAdd<" text ",false>", type, scale_type, wide)         \
    ADD_VERTEX(MultiUpdateAdd_##tag##_part, "popops::MultiUpdateAdd<" text ",true>", type, scale_type, wide)           \
    POP_VERTEX(Sum_##tag)                                                                                              \
    {                                                                                                                  \
        POP_INPUT(POP_VECTOR(partial, ONE_PTR)) partials;                                                              \
        POP_INPUT(scale_type) scale;                                                                                   \
        POP_INOUT(POP_VECTOR(type)) baseT;                                                                             \
        POP_STATE(unsigned) numPartials;                                                                               \
    };                                                                                                                 \
    POP_VERTEX_NAME(Sum_##tag, "popops::MultiUpdateSum<" text ">");                                                    \
    void Sum_##tag##_compute(Sum_##tag *v)                                                                             \
    {                                                                                                                  \
        wide scale = (wide)*v->scale;                                                                                  \
        for (size_t k = 0; k < v->baseT.size; ++k) {                                                                   \
            wide sum = 0;                                                                                              \
            for (size_t i = 0; i < v->numPartials; ++i)                                                                \
                sum += (wide)v->partials.data[i * v->baseT.size + k];                                                  \
            v->baseT.data[k] = (type)((wide)v->baseT.data[k] + scale * sum);                                           \
        }                                                                                                              \
    }
ADD_TYPES(ADDS_OF)

#define OP_VERTEX(tag, type, text, operation, ...)                                                                     \
    POP_VERTEX(MultiUpdate##operation##_##tag)                                                                         \
    {                                                                                                                  \
        POP_INPUT(POP_VECTOR(unsigned)) offsets;                                                                       \
        POP_INOUT(POP_VECTOR(type, ONE_PTR)) baseT;                                                                    \
        POP_INPUT(POP_VECTOR(type, ONE_PTR)) subT;                                                                     \
        ROW_STATE                                                                                                      \
    };                                                                                                                 \
    POP_VERTEX_NAME(MultiUpdate##operation##_##tag,                                                                    \
                    "popops::MultiUpdateOp<" text ",popops::Operation::" #operation ">");                              \
    void MultiUpdate##operation##_##tag##_compute(MultiUpdate##operation##_##tag *v)                                   \
    {                                                                                                                  \
        FOR_ELEMENTS(v, {                                                                                              \
            type a = v->baseT.data[at + k], b = v->subT.data[from + k];                                                \
            v->baseT.data[at + k] = (type)(__VA_ARGS__);                                                               \
        })                                                                                                             \
    }
#define OPERATIONS_OF(tag, type, text)                                                                                 \
    OP_VERTEX(tag, type, text, MAX, a > b ? a : b)                                                                     \
    OP_VERTEX(tag, type, text, MUL, a *b)
POPLIBS_FLOATING(OPERATIONS_OF)
OPERATIONS_OF(unsigned, unsigned, "unsigned int")
OP_VERTEX(int, int, "int", MAX, a > b ? a : b)
OP_VERTEX(int, int, "int", MUL, (unsigned)a *(unsigned)b)

#else
#include "popops/slice/slice_cycles.h"
#include "popops/vertices.h"

static size_t rows_of(const pop_vertex_view *vertex)
{
    return pop_vertex_view_field_size(vertex, "offsets", POP_WHOLE);
}
static size_t region_of(const pop_vertex_view *vertex)
{
    return (size_t)pop_vertex_view_field_value(vertex, "regionSize", 0);
}
static pop_perf copy(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    return (pop_perf){
        popops_multi_slice_cycles(target, poplibs_type_of_user(user), rows_of(vertex), region_of(vertex)), 0
    };
}
static uint64_t flops(pop_type type, uint64_t count)
{
    return pop_type_is_floating_point(type) ? count : 0;
}
static pop_perf add(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    bool subword = strstr(pop_vertex_view_type(vertex), ",true>") != NULL;
    pop_type type = poplibs_type_of_user(user);
    size_t rows = rows_of(vertex), region = region_of(vertex);
    return (pop_perf){ popops_multi_update_add_cycles(target, type, subword, rows, region),
                       flops(type, 2 * rows * region) };
}
/* Operations cost what additions do. */
static pop_perf operate(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    pop_type type = poplibs_type_of_user(user);
    size_t rows = rows_of(vertex), region = region_of(vertex);
    bool subword = region % popops_store_atom(target, type) != 0;
    return (pop_perf){ popops_multi_update_add_cycles(target, type, subword, rows, region),
                       flops(type, rows * region) };
}
static pop_perf sum(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    pop_type type = poplibs_type_of_user(user);
    uint64_t partials = (uint64_t)pop_vertex_view_field_value(vertex, "numPartials", 0);
    size_t elements = pop_vertex_view_field_size(vertex, "baseT", POP_WHOLE);
    return (pop_perf){ popops_multi_update_sum_cycles(target, popops_partial_sum_type(type), partials, elements),
                       flops(type, (partials + 1) * elements) };
}

void popops_multi_slice_vertices(pop_graph *graph)
{
#define COPY(tag, type, text)                                                                                          \
    pop_graph_register_perf_estimator(graph, "popops::MultiSlice<" text ">", copy,                                     \
                                      poplibs_as_user(pop_type_by_name(text)));                                        \
    pop_graph_register_perf_estimator(graph, "popops::MultiUpdate<" text ">", copy,                                    \
                                      poplibs_as_user(pop_type_by_name(text)));                                        \
    pop_graph_register_perf_estimator(graph, "popops::MultiSliceSelect<" text ">", copy,                               \
                                      poplibs_as_user(pop_type_by_name(text)));
    POPLIBS_ALL_TYPES(COPY)
#define ADD(tag, type, scale_type, partial, wide, text, type_text)                                                     \
    pop_graph_register_perf_estimator(graph, "popops::MultiUpdateAdd<" text ",false>", add,                            \
                                      poplibs_as_user(pop_type_by_name(type_text)));                                   \
    pop_graph_register_perf_estimator(graph, "popops::MultiUpdateAdd<" text ",true>", add,                             \
                                      poplibs_as_user(pop_type_by_name(type_text)));                                   \
    pop_graph_register_perf_estimator(graph, "popops::MultiUpdateSum<" text ">", sum,                                  \
                                      poplibs_as_user(pop_type_by_name(type_text)));
    ADD_TYPES(ADD)
#define OPERATE(tag, type, text)                                                                                       \
    pop_graph_register_perf_estimator(graph, "popops::MultiUpdateOp<" text ",popops::Operation::MAX>", operate,        \
                                      poplibs_as_user(pop_type_by_name(text)));                                        \
    pop_graph_register_perf_estimator(graph, "popops::MultiUpdateOp<" text ",popops::Operation::MUL>", operate,        \
                                      poplibs_as_user(pop_type_by_name(text)));
    POPLIBS_NUMBERS(OPERATE)
}
#endif
