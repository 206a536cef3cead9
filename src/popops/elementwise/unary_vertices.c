/* SPDX-License-Identifier: Apache-2.0 */
/* popops::UnaryOp1DSupervisor<Op,T> for one region, popops::UnaryOp2D<Op,T> for several, and both in place. */
#ifdef __POPC__
#include <popops/element_rows.h>

#define LOOP(tag, work, U_, I_, ENUM, RESULT, value)                                                                   \
    static inline void block_##ENUM##_##tag(const work *in, RESULT_##RESULT(work) * out, size_t count)                 \
    {                                                                                                                  \
        VALUE_TYPES(work, U_, I_)                                                                                      \
        _Pragma("GCC ivdep") for (size_t i = 0; i < count; ++i)                                                        \
        {                                                                                                              \
            const T a = in[i];                                                                                         \
            out[i] = value;                                                                                            \
        }                                                                                                              \
    }
#define ROW(tag, type, ENUM, RESULT)                                                                                   \
    __attribute__((noinline)) static void row_##ENUM##_##tag(const type *in, RESULT_##RESULT(type) * out,              \
                                                             size_t count)                                             \
    {                                                                                                                  \
        block_##ENUM##_##tag(in, out, count);                                                                          \
    }
#define ROW_FLOAT(tag, type, U_, I_, ENUM, RESULT, real, other)                                                        \
    LOOP(tag, type, U_, I_, ENUM, RESULT, real) ROW(tag, type, ENUM, RESULT)
#define ROW_OTHER(tag, type, U_, I_, ENUM, RESULT, real, other)                                                        \
    LOOP(tag, type, U_, I_, ENUM, RESULT, other) ROW(tag, type, ENUM, RESULT)
#define ROW_BOOLEAN ROW_OTHER
#define ROW_HALF(tag, type, U_, I_, ENUM, RESULT, real, other)                                                         \
    __attribute__((noinline)) static void row_##ENUM##_half(const half *in, RESULT_##RESULT(half) * out, size_t count) \
    {                                                                                                                  \
        float x[BLOCK];                                                                                                \
        EACH_BLOCK(count)                                                                                              \
        {                                                                                                              \
            piece_half(in, count, x, at, here);                                                                        \
            HALF_END_##RESULT(ENUM)                                                                                    \
        }                                                                                                              \
    }
#define HALF_END_SAME(ENUM)                                                                                            \
    block_##ENUM##_float(x, x, here);                                                                                  \
    narrow(x, out + at, here);
#define HALF_END_BOOL(ENUM) block_##ENUM##_float(x, out + at, here);

#define OUT_OF_PLACE(tag, type, text, ENUM, RESULT)                                                                    \
    POP_SUPERVISOR_VERTEX(Unary1D_##ENUM##_##tag)                                                                      \
    {                                                                                                                  \
        POP_INPUT(POP_VECTOR(type)) in;                                                                                \
        POP_OUTPUT(POP_VECTOR(RESULT_##RESULT(type))) out;                                                             \
    };                                                                                                                 \
    POP_VERTEX_NAME(Unary1D_##ENUM##_##tag,                                                                            \
                    "popops::UnaryOp1DSupervisor<popops::expr::UnaryOpType::" #ENUM "," text ">");                     \
    void Unary1D_##ENUM##_##tag##_compute(Unary1D_##ENUM##_##tag *v)                                                   \
    {                                                                                                                  \
        row_##ENUM##_##tag(v->in.data, v->out.data, v->out.size);                                                      \
    }                                                                                                                  \
    POP_VERTEX(Unary2D_##ENUM##_##tag)                                                                                 \
    {                                                                                                                  \
        POP_INPUT(POP_VECTORS(type)) in;                                                                               \
        POP_OUTPUT(POP_VECTORS(RESULT_##RESULT(type))) out;                                                            \
    };                                                                                                                 \
    POP_VERTEX_NAME(Unary2D_##ENUM##_##tag, "popops::UnaryOp2D<popops::expr::UnaryOpType::" #ENUM "," text ">");       \
    void Unary2D_##ENUM##_##tag##_compute(Unary2D_##ENUM##_##tag *v)                                                   \
    {                                                                                                                  \
        for (size_t i = 0; i < v->out.size; ++i)                                                                       \
            row_##ENUM##_##tag(v->in.data[i].data, v->out.data[i].data, v->out.data[i].size);                          \
    }
#define IN_PLACE(tag, type, text, ENUM)                                                                                \
    POP_SUPERVISOR_VERTEX(Unary1DInPlace_##ENUM##_##tag)                                                               \
    {                                                                                                                  \
        POP_INOUT(POP_VECTOR(type)) inOut;                                                                             \
    };                                                                                                                 \
    POP_VERTEX_NAME(Unary1DInPlace_##ENUM##_##tag,                                                                     \
                    "popops::UnaryOp1DInPlaceSupervisor<popops::expr::UnaryOpType::" #ENUM "," text ">");              \
    void Unary1DInPlace_##ENUM##_##tag##_compute(Unary1DInPlace_##ENUM##_##tag *v)                                     \
    {                                                                                                                  \
        row_##ENUM##_##tag(v->inOut.data, v->inOut.data, v->inOut.size);                                               \
    }                                                                                                                  \
    POP_VERTEX(Unary2DInPlace_##ENUM##_##tag)                                                                          \
    {                                                                                                                  \
        POP_INOUT(POP_VECTORS(type)) inOut;                                                                            \
    };                                                                                                                 \
    POP_VERTEX_NAME(Unary2DInPlace_##ENUM##_##tag,                                                                     \
                    "popops::UnaryOp2DInPlace<popops::expr::UnaryOpType::" #ENUM "," text ">");                        \
    void Unary2DInPlace_##ENUM##_##tag##_compute(Unary2DInPlace_##ENUM##_##tag *v)                                     \
    {                                                                                                                  \
        for (size_t i = 0; i < v->inOut.size; ++i)                                                                     \
            row_##ENUM##_##tag(v->inOut.data[i].data, v->inOut.data[i].data, v->inOut.data[i].size);                   \
    }
#define VERTICES(tag, type, work, U_, I_, text, constant, ENUM, RESULT, real, other)                                   \
    JOIN(ROW_, KIND_##tag)                                                                                             \
    (tag, type, U_, I_, ENUM, RESULT, real, other) OUT_OF_PLACE(tag, type, text, ENUM, RESULT)                         \
        IN_PLACE_##RESULT(KIND_##tag, tag, type, text, ENUM)
#define UNARY(name, function, ENUM, Node, TYPES, RESULT, f, h, i, real, other)                                         \
    POPOPS_TYPES_##TYPES(VERTICES, ENUM, RESULT, real, other)
#include <popops/operators.def>

#else
#include "popops/elementwise/element_costs.h"

/* One region in all workers, or several in one (poplibs.md 2.2). */
static uint64_t loop_cycles(struct element_cost cost, size_t elements)
{
    return (cost.cycles + 4) * element_cost_vectors(cost, elements);
}
static pop_perf estimate(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    struct element_cost cost = element_cost_of(user, target);
    size_t elements = pop_vertex_view_field_size(vertex, element_cost_output(vertex, "inOut"), POP_WHOLE);
    unsigned workers = target->num_worker_contexts;
    return (pop_perf){ 198 + 9 + workers * (20 + loop_cycles(cost, poplibs_ceil_div(elements, workers))),
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

void popops_unary_vertices(pop_graph *graph)
{
    static const struct element_cost_form forms[] = { { "UnaryOp1DSupervisor", estimate, false },
                                                      { "UnaryOp2D", estimate_2d, false },
                                                      { "UnaryOp1DInPlaceSupervisor", estimate, true },
                                                      { "UnaryOp2DInPlace", estimate_2d, true } };
    element_costs_register(graph, 1, forms, sizeof(forms) / sizeof(forms[0]));
}
#endif
