/* SPDX-License-Identifier: Apache-2.0 */
/* popops::UnaryOp1DSupervisor<Op,T> for one region, popops::UnaryOp2D<Op,T> for several, and both in place. */
#ifdef __POPC__
#include "popops/elementwise/kind_rows.h"

#include <popops/element_rows.h>

#define TYPES           (POPLIBS_ALL_TYPES & ~POPLIBS_HALF)
#define RESULT_TEMPLATE "popops/elementwise/unary_result.h"
#define TEMPLATE        "popops/elementwise/both_results.h"
#include "poplibs/each_type.h"

/* Half is computed in float, block by block. */
ELEMENT_INLINE void unary_row_SAME_half(const half *in, half *out, size_t count,
                                        void (*block)(const float *, float *, size_t))
{
    float x[POPOPS_BLOCK];
    POPOPS_EACH_BLOCK(count)
    {
        popops_piece_half(in, count, x, at, here);
        block(x, x, here);
        popops_narrow(x, out + at, here);
    }
}
ELEMENT_INLINE void unary_row_BOOL_half(const half *in, bool *out, size_t count,
                                        void (*block)(const float *, bool *, size_t))
{
    float x[POPOPS_BLOCK];
    POPOPS_EACH_BLOCK(count)
    {
        popops_piece_half(in, count, x, at, here);
        block(x, out + at, here);
    }
}

/* Defines an operator on a type: its value; block_ENUM_tag, on elements of the type it is computed in; row_ENUM_tag. */
#define VALUE(tag, work, U_, I_, ENUM, RESULT, value)                                                                  \
    ELEMENT_INLINE RESULT_##RESULT(work) value_##ENUM##_##tag(const work a)                                            \
    {                                                                                                                  \
        POPOPS_VALUE_TYPES(work, U_, I_)                                                                               \
        return value;                                                                                                  \
    }
#define BLOCK_OF(tag, type, ENUM, RESULT)                                                                              \
    static inline void block_##ENUM##_##tag(const type *in, RESULT_##RESULT(type) * out, size_t count)                 \
    {                                                                                                                  \
        unary_block_##RESULT##_##tag(in, out, count, value_##ENUM##_##tag);                                            \
    }
#define ROW(tag, type, ENUM, RESULT, block)                                                                            \
    __attribute__((noinline)) static void row_##ENUM##_##tag(const type *in, RESULT_##RESULT(type) * out,              \
                                                             size_t count)                                             \
    {                                                                                                                  \
        unary_row_##RESULT##_##tag(in, out, count, block);                                                             \
    }
#define VERTEX_TEXT(name, ENUM, text) "popops::" name "<popops::expr::UnaryOpType::" #ENUM "," text ">"
#define ONE(tag, type, text, ENUM, RESULT)                                                                             \
    VERTEX_OF(POP_SUPERVISOR_VERTEX, Unary1D_##ENUM##_##tag, VERTEX_TEXT("UnaryOp1DSupervisor", ENUM, text),           \
              POP_INPUT(POP_VECTOR(type)) in;                                                                          \
              POP_OUTPUT(POP_VECTOR(RESULT_##RESULT(type))) out;)                                                      \
    {                                                                                                                  \
        row_##ENUM##_##tag(v->in.data, v->out.data, v->out.size);                                                      \
    }
#define SEVERAL(tag, type, text, ENUM, RESULT)                                                                         \
    VERTEX_OF(POP_VERTEX, Unary2D_##ENUM##_##tag, VERTEX_TEXT("UnaryOp2D", ENUM, text),                                \
              POP_INPUT(POP_VECTORS(type)) in;                                                                         \
              POP_OUTPUT(POP_VECTORS(RESULT_##RESULT(type))) out;)                                                     \
    {                                                                                                                  \
        for (size_t i = 0; i < v->out.size; ++i)                                                                       \
            row_##ENUM##_##tag(v->in.data[i].data, v->out.data[i].data, v->out.data[i].size);                          \
    }
#define ONE_IN_PLACE(tag, type, text, ENUM)                                                                            \
    VERTEX_OF(POP_SUPERVISOR_VERTEX, Unary1DInPlace_##ENUM##_##tag,                                                    \
              VERTEX_TEXT("UnaryOp1DInPlaceSupervisor", ENUM, text), POP_INOUT(POP_VECTOR(type)) inOut;)               \
    {                                                                                                                  \
        row_##ENUM##_##tag(v->inOut.data, v->inOut.data, v->inOut.size);                                               \
    }
#define SEVERAL_IN_PLACE(tag, type, text, ENUM)                                                                        \
    VERTEX_OF(POP_VERTEX, Unary2DInPlace_##ENUM##_##tag, VERTEX_TEXT("UnaryOp2DInPlace", ENUM, text),                  \
              POP_INOUT(POP_VECTORS(type)) inOut;)                                                                     \
    {                                                                                                                  \
        for (size_t i = 0; i < v->inOut.size; ++i)                                                                     \
            row_##ENUM##_##tag(v->inOut.data[i].data, v->inOut.data[i].data, v->inOut.data[i].size);                   \
    }
#define IN_PLACE(tag, type, text, ENUM) ONE_IN_PLACE(tag, type, text, ENUM) SEVERAL_IN_PLACE(tag, type, text, ENUM)
#define VERTICES(tag, type, work, U_, I_, text, constant, ENUM, RESULT, real, other)                                   \
    POPLIBS_JOIN(ROW_, KIND_##tag)                                                                                     \
    (tag, type, U_, I_, ENUM, RESULT, real, other) ONE(tag, type, text, ENUM, RESULT)                                  \
        SEVERAL(tag, type, text, ENUM, RESULT) IN_PLACE_##RESULT(KIND_##tag, tag, type, text, ENUM)
#define UNARY(name, function, ENUM, Node, TYPES, RESULT, f, h, i, real, other)                                         \
    POPOPS_TYPES_##TYPES(VERTICES, ENUM, RESULT, real, other)
#include <popops/operators.def>

#else
#include "popops/elementwise/element_costs.h"

/* One region shared by all workers, or several regions in one worker. */
static uint64_t loop_cycles(struct element_cost cost, size_t elements)
{
    return (cost.cycles + 4) * element_cost_vectors(cost, elements);
}
/* What a worker begins and ends with. */
static unsigned start_cycles(const pop_target *target, bool in_place)
{
    return !poplibs_is_2021(target) ? 20 : in_place ? 55 : 28;
}
static pop_perf estimate(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    struct element_cost cost = element_cost_of(user, target);
    const char *out = element_cost_output(vertex, "inOut");
    size_t elements = pop_vertex_view_field_size(vertex, out, POP_WHOLE);
    unsigned workers = target->num_worker_contexts, start = start_cycles(target, strcmp(out, "out") != 0);
    return (pop_perf){ poplibs_supervisor_cycles(target) + 9 +
                           workers * (start + loop_cycles(cost, poplibs_ceil_div(elements, workers))),
                       cost.flops * elements };
}
static pop_perf estimate_2d(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    struct element_cost cost = element_cost_of(user, target);
    const char *out = element_cost_output(vertex, "inOut");
    pop_perf perf = { 20, 0 };
    for (size_t i = 0, rows = pop_vertex_view_field_size(vertex, out, POP_WHOLE); i < rows; ++i) {
        size_t elements = pop_vertex_view_field_size(vertex, out, i);
        perf.cycles += loop_cycles(cost, elements);
        perf.flops += cost.flops * elements;
    }
    return perf;
}

void register_unary_vertices(pop_graph *graph)
{
    static const struct element_cost_form forms[] = { { "UnaryOp1DSupervisor", estimate, false },
                                                      { "UnaryOp2D", estimate_2d, false },
                                                      { "UnaryOp1DInPlaceSupervisor", estimate, true },
                                                      { "UnaryOp2DInPlace", estimate_2d, true } };
    element_costs_register(graph, 1, forms, sizeof(forms) / sizeof(forms[0]));
}
#endif
