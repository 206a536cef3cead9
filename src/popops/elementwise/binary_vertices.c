/* SPDX-License-Identifier: Apache-2.0 */
/* popops::BinaryOp1DSupervisor<Op,T> for one region, popops::BinaryOp2D<Op,T> for several, and both in place.  An
 * operand of one element is broadcast.  Some operators have vertices for a broadcast second operand: one element
 * (BroadcastScalar...), a vector that is combined with every row of the data (BroadcastVectorInner...), or a vector
 * with an element for each row (BroadcastVectorOuterByRow...). */
#ifdef __POPC__
#include "popops/elementwise/kind_rows.h"

#include <popops/element_rows.h>

#define TYPES           (POPLIBS_ALL_TYPES & ~(POPLIBS_HALF | POPLIBS_CHAR | POPLIBS_SCHAR | POPLIBS_UCHAR))
#define RESULT_TEMPLATE "popops/elementwise/binary_result.h"
#define TEMPLATE        "popops/elementwise/both_results.h"
#include "poplibs/each_type.h"

/* Half is computed in float, block by block. */
ELEMENT_INLINE void binary_row_SAME_half(const half *in1, size_t size1, const half *in2, size_t size2, half *out,
                                         size_t count, void (*block)(const float *, const float *, float *, size_t))
{
    float x[POPOPS_BLOCK], y[POPOPS_BLOCK];
    POPOPS_EACH_BLOCK(count)
    {
        const float *first = popops_piece_half(in1, size1, x, at, here),
                    *second = popops_piece_half(in2, size2, y, at, here);
        float z[POPOPS_BLOCK];
        block(first, second, z, here);
        popops_narrow(z, out + at, here);
    }
}
ELEMENT_INLINE void binary_row_BOOL_half(const half *in1, size_t size1, const half *in2, size_t size2, bool *out,
                                         size_t count, void (*block)(const float *, const float *, bool *, size_t))
{
    float x[POPOPS_BLOCK], y[POPOPS_BLOCK];
    POPOPS_EACH_BLOCK(count)
    {
        const float *first = popops_piece_half(in1, size1, x, at, here),
                    *second = popops_piece_half(in2, size2, y, at, here);
        block(first, second, out + at, here);
    }
}

/* Defines an operator on a type: its value; block_ENUM_tag, on elements of the type it is computed in; row_ENUM_tag. */
#define VALUE(tag, work, U_, I_, ENUM, RESULT, value)                                                                  \
    ELEMENT_INLINE RESULT_##RESULT(work) value_##ENUM##_##tag(const work a, const work b)                              \
    {                                                                                                                  \
        POPOPS_VALUE_TYPES(work, U_, I_)                                                                               \
        return value;                                                                                                  \
    }
#define BLOCK_OF(tag, type, ENUM, RESULT)                                                                              \
    static inline void block_##ENUM##_##tag(const type *in1, const type *in2, RESULT_##RESULT(type) * out,             \
                                            size_t count)                                                              \
    {                                                                                                                  \
        binary_block_##RESULT##_##tag(in1, in2, out, count, value_##ENUM##_##tag);                                     \
    }
#define ROW(tag, type, ENUM, RESULT, block)                                                                            \
    __attribute__((noinline)) static void row_##ENUM##_##tag(const type *in1, size_t size1, const type *in2,           \
                                                             size_t size2, RESULT_##RESULT(type) * out, size_t count)  \
    {                                                                                                                  \
        binary_row_##RESULT##_##tag(in1, size1, in2, size2, out, count, block);                                        \
    }
#define OPERANDS(type, RESULT)                                                                                         \
    POP_INPUT(POP_VECTOR(type)) in1;                                                                                   \
    POP_INPUT(POP_VECTOR(type)) in2;                                                                                   \
    POP_OUTPUT(POP_VECTOR(RESULT_##RESULT(type))) out;
#define OPERANDS_2D(type, RESULT)                                                                                      \
    POP_INPUT(POP_VECTORS(type)) in1;                                                                                  \
    POP_INPUT(POP_VECTORS(type)) in2;                                                                                  \
    POP_OUTPUT(POP_VECTORS(RESULT_##RESULT(type))) out;
#define VERTEX_TEXT(name, ENUM, text) "popops::" name "<popops::expr::BinaryOpType::" #ENUM "," text ">"
#define ONE(tag, type, text, ENUM, RESULT)                                                                             \
    VERTEX_OF(POP_SUPERVISOR_VERTEX, Binary1D_##ENUM##_##tag, VERTEX_TEXT("BinaryOp1DSupervisor", ENUM, text),         \
              OPERANDS(type, RESULT))                                                                                  \
    {                                                                                                                  \
        row_##ENUM##_##tag(v->in1.data, v->in1.size, v->in2.data, v->in2.size, v->out.data, v->out.size);              \
    }
#define SEVERAL(tag, type, text, ENUM, RESULT)                                                                         \
    VERTEX_OF(POP_VERTEX, Binary2D_##ENUM##_##tag, VERTEX_TEXT("BinaryOp2D", ENUM, text), OPERANDS_2D(type, RESULT))   \
    {                                                                                                                  \
        for (size_t i = 0; i < v->out.size; ++i)                                                                       \
            row_##ENUM##_##tag(v->in1.data[i].data, v->in1.data[i].size, v->in2.data[i].data, v->in2.data[i].size,     \
                               v->out.data[i].data, v->out.data[i].size);                                              \
    }
#define ONE_IN_PLACE(tag, type, text, ENUM)                                                                            \
    VERTEX_OF(POP_SUPERVISOR_VERTEX, Binary1DInPlace_##ENUM##_##tag,                                                   \
              VERTEX_TEXT("BinaryOp1DInPlaceSupervisor", ENUM, text), POP_INOUT(POP_VECTOR(type)) in1Out;              \
              POP_INPUT(POP_VECTOR(type)) in2;)                                                                        \
    {                                                                                                                  \
        row_##ENUM##_##tag(v->in1Out.data, v->in1Out.size, v->in2.data, v->in2.size, v->in1Out.data, v->in1Out.size);  \
    }
#define ROW_IN_PLACE(row, to, in2) row(to.data, to.size, in2.data, in2.size, to.data, to.size)
#define SEVERAL_IN_PLACE(tag, type, text, ENUM)                                                                        \
    VERTEX_OF(POP_VERTEX, Binary2DInPlace_##ENUM##_##tag, VERTEX_TEXT("BinaryOp2DInPlace", ENUM, text),                \
              POP_INOUT(POP_VECTORS(type)) in1Out;                                                                     \
              POP_INPUT(POP_VECTORS(type)) in2;)                                                                       \
    {                                                                                                                  \
        for (size_t i = 0; i < v->in1Out.size; ++i)                                                                    \
            ROW_IN_PLACE(row_##ENUM##_##tag, v->in1Out.data[i], v->in2.data[i]);                                       \
    }
#define IN_PLACE(tag, type, text, ENUM) ONE_IN_PLACE(tag, type, text, ENUM) SEVERAL_IN_PLACE(tag, type, text, ENUM)
#define VERTICES(tag, type, work, U_, I_, text, constant, ENUM, RESULT, real, other)                                   \
    POPLIBS_JOIN(ROW_, KIND_##tag)                                                                                     \
    (tag, type, U_, I_, ENUM, RESULT, real, other) ONE(tag, type, text, ENUM, RESULT)                                  \
        SEVERAL(tag, type, text, ENUM, RESULT) IN_PLACE_##RESULT(KIND_##tag, tag, type, text, ENUM)
#define BINARY(name, function, ENUM, Node, TYPES, RESULT, f, h, i, real, other)                                        \
    POPOPS_TYPES_##TYPES(VERTICES, ENUM, RESULT, real, other)
#include <popops/operators.def>

/* ---- broadcasts ---- */

#define TYPES    POPLIBS_FLOATING
#define TEMPLATE "popops/elementwise/broadcast_typed.h"
#include "poplibs/each_type.h"

#define BROADCAST_TEXT(NAME, ENUM, text) "popops::" NAME "<popops::expr::BroadcastOpType::" #ENUM "," text ">"
#define OUT_OF_PLACE(type, holder)                                                                                     \
    POP_INPUT(holder(type)) data;                                                                                      \
    POP_OUTPUT(holder(type)) out;
#define WITHIN(type, holder) POP_INOUT(holder(type)) data;
/* One region, or rows of any length, combined with one number; `to` is the output field. */
#define SCALAR_1D(tag, type, text, ENUM, NAME, FIELDS, to)                                                             \
    VERTEX_OF(POP_SUPERVISOR_VERTEX, NAME##_##ENUM##_##tag, BROADCAST_TEXT(#NAME, ENUM, text),                         \
              FIELDS(type, POP_VECTOR) POP_INPUT(type) B;)                                                             \
    {                                                                                                                  \
        row_##ENUM##_##tag(v->data.data, v->data.size, v->B, 1, v->to.data, v->to.size);                               \
    }
#define SCALAR_2D(tag, type, text, ENUM, NAME, FIELDS, to)                                                             \
    VERTEX_OF(POP_VERTEX, NAME##_##ENUM##_##tag, BROADCAST_TEXT(#NAME, ENUM, text),                                    \
              FIELDS(type, POP_VECTORS) POP_INPUT(type) B;)                                                            \
    {                                                                                                                  \
        for (size_t i = 0; i < v->data.size; ++i)                                                                      \
            row_##ENUM##_##tag(v->data.data[i].data, v->data.data[i].size, v->B, 1, v->to.data[i].data,                \
                               v->to.data[i].size);                                                                    \
    }
/* Whole rows: B has one element for each column, or for each row. */
#define VECTOR(tag, type, text, ENUM, NAME, FIELDS, to, broadcast)                                                     \
    VERTEX_OF(POP_SUPERVISOR_VERTEX, NAME##_##ENUM##_##tag, BROADCAST_TEXT(#NAME, ENUM, text),                         \
              FIELDS(type, POP_VECTOR) POP_INPUT(POP_VECTOR(type)) B;)                                                 \
    {                                                                                                                  \
        broadcast##_##tag(v->data.data, v->data.size, v->B.data, v->B.size, v->to.data, row_##ENUM##_##tag);           \
    }
#define SCALARS(tag, type, text, ENUM)                                                                                 \
    SCALAR_1D(tag, type, text, ENUM, BroadcastScalar1DSupervisor, OUT_OF_PLACE, out)                                   \
    SCALAR_1D(tag, type, text, ENUM, BroadcastScalar1DInPlaceSupervisor, WITHIN, data)                                 \
    SCALAR_2D(tag, type, text, ENUM, BroadcastScalar2D, OUT_OF_PLACE, out)                                             \
    SCALAR_2D(tag, type, text, ENUM, BroadcastScalar2DInPlace, WITHIN, data)
#define VECTORS(tag, type, text, ENUM)                                                                                 \
    VECTOR(tag, type, text, ENUM, BroadcastVectorInnerSupervisor, OUT_OF_PLACE, out, inner)                            \
    VECTOR(tag, type, text, ENUM, BroadcastVectorInnerInPlaceSupervisor, WITHIN, data, inner)                          \
    VECTOR(tag, type, text ",true", ENUM, BroadcastVectorOuterByRowSupervisor, OUT_OF_PLACE, out, outer)               \
    VECTOR(tag, type, text ",true", ENUM, BroadcastVectorOuterByRowInPlaceSupervisor, WITHIN, data, outer)
#define BROADCASTS(tag, type, text, ENUM) SCALARS(tag, type, text, ENUM) VECTORS(tag, type, text, ENUM)
#define BROADCAST(ENUM)                   BROADCASTS(float, float, "float", ENUM) BROADCASTS(half, half, "half", ENUM)
#undef BINARY
#include <popops/operators.def>

#else
#include "popops/elementwise/element_costs.h"

/* Poplibs has add, sub and mul of floating-point types in assembly: 2 cycles overhead for a vector instead of 5. */
static bool is_assembly(struct element_cost cost)
{
    return pop_type_is_floating_point(cost.type) &&
           (cost.info == operator_of(2, POPOPS_BINARY_ADD) || cost.info == operator_of(2, POPOPS_BINARY_SUBTRACT) ||
            cost.info == operator_of(2, POPOPS_BINARY_MULTIPLY));
}
static uint64_t loop_cycles(struct element_cost cost, size_t elements)
{
    return (cost.cycles + (is_assembly(cost) ? 2 : 5)) * element_cost_vectors(cost, elements);
}
/* Cycles of a worker outside of its loop. */
static unsigned start_cycles(struct element_cost cost, const pop_target *target, bool in_place)
{
    if (poplibs_is_2021(target) && is_assembly(cost))
        return in_place ? 58 : cost.type == POP_FLOAT ? 41 : 32;
    return in_place ? 13 : 22;
}
static bool is_scalar(const pop_vertex_view *vertex, const char *field, size_t index, size_t elements)
{
    return elements > 1 && pop_vertex_view_has_field(vertex, field) &&
           pop_vertex_view_field_size(vertex, field, index) == 1;
}
/* With a scalar operand the costs are those of a broadcast: the supervisor and 6 (20 + loop), and 20 + rows (28 +
 * loop). */
static bool any_scalar(const pop_vertex_view *vertex, size_t index, size_t elements)
{
    return is_scalar(vertex, "in1", index, elements) || is_scalar(vertex, "in2", index, elements);
}
static pop_perf estimate(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    struct element_cost cost = element_cost_of(user, target);
    const char *out = element_cost_output(vertex, "in1Out");
    size_t elements = pop_vertex_view_field_size(vertex, out, POP_WHOLE);
    unsigned workers = target->num_worker_contexts,
             start = any_scalar(vertex, POP_WHOLE, elements) ? 20 : start_cycles(cost, target, strcmp(out, "out") != 0);
    return (pop_perf){ poplibs_supervisor_cycles(target) +
                           workers * (start + loop_cycles(cost, poplibs_ceil_div(elements, workers))),
                       cost.flops * elements };
}
static pop_perf estimate_2d(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    struct element_cost cost = element_cost_of(user, target);
    const char *out = element_cost_output(vertex, "in1Out");
    pop_perf perf = { strcmp(out, "out") == 0 ? 5 : 20, 0 };
    for (size_t i = 0, rows = pop_vertex_view_field_size(vertex, out, POP_WHOLE); i < rows; ++i) {
        size_t elements = pop_vertex_view_field_size(vertex, out, i);
        perf.cycles += loop_cycles(cost, elements) + (any_scalar(vertex, i, elements) ? 28 : 0);
        perf.flops += cost.flops * elements;
    }
    return perf;
}

/* With a broadcast operand all codelets are in assembly: one cycle overhead for a vector. */
static uint64_t broadcast_cycles(struct element_cost cost, size_t elements)
{
    return (cost.cycles + 1) * element_cost_vectors(cost, elements);
}
static pop_perf estimate_scalar(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    struct element_cost cost = element_cost_of(user, target);
    size_t elements = pop_vertex_view_field_size(vertex, "data", POP_WHOLE);
    unsigned workers = target->num_worker_contexts;
    return (pop_perf){ poplibs_supervisor_cycles(target) +
                           workers * (20 + broadcast_cycles(cost, poplibs_ceil_div(elements, workers))),
                       elements };
}
static pop_perf estimate_scalar_2d(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    struct element_cost cost = element_cost_of(user, target);
    pop_perf perf = { 20, 0 };
    for (size_t i = 0, rows = pop_vertex_view_field_size(vertex, "data", POP_WHOLE); i < rows; ++i) {
        size_t elements = pop_vertex_view_field_size(vertex, "data", i);
        perf.cycles += 28 + broadcast_cycles(cost, elements);
        perf.flops += elements;
    }
    return perf;
}
/* Workers share whole rows. */
static pop_perf estimate_outer(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    struct element_cost cost = element_cost_of(user, target);
    size_t elements = pop_vertex_view_field_size(vertex, "data", POP_WHOLE),
           rows = pop_vertex_view_field_size(vertex, "B", POP_WHOLE);
    size_t columns = rows ? elements / rows : 0, workers = target->num_worker_contexts;
    unsigned row = columns % pop_target_vector_width(target, cost.type) == 0 ? 7 : 25;
    return (pop_perf){ poplibs_supervisor_cycles(target) +
                           workers * (15 + poplibs_ceil_div(rows, workers) * (row + broadcast_cycles(cost, columns))),
                       elements };
}
/* Workers share blocks of B's length; the inner loop is that of the bias vertex. */
static pop_perf estimate_inner(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    struct element_cost cost = element_cost_of(user, target);
    size_t elements = pop_vertex_view_field_size(vertex, "data", POP_WHOLE),
           length = pop_vertex_view_field_size(vertex, "B", POP_WHOLE);
    size_t workers = target->num_worker_contexts, blocks = poplibs_ceil_div(length ? elements / length : 0, workers);
    uint64_t core = cost.type == POP_FLOAT ? 7 + length * (8 + 2 * blocks)
                                           : 3 + poplibs_ceil_div(length, 8) * (15 + 2 * (blocks ? blocks - 1 : 0));
    return (pop_perf){ 8 + workers * ((cost.type == POP_FLOAT ? 17 : 27) + core), elements };
}

static void register_broadcasts(pop_graph *graph, int op)
{
    static const struct {
        const char *name, *more;
        pop_perf_estimator estimator;
    } forms[] = { { "BroadcastScalar1D%sSupervisor", "", estimate_scalar },
                  { "BroadcastScalar2D%s", "", estimate_scalar_2d },
                  { "BroadcastVectorInner%sSupervisor", "", estimate_inner },
                  { "BroadcastVectorOuterByRow%sSupervisor", ",true", estimate_outer } };
    static const pop_type types[] = { POP_FLOAT, POP_HALF };
    for (size_t i = 0; i < 16; ++i) {
        char form[64], name[160];
        pop_type type = types[i / 8];
        snprintf(form, sizeof(form), forms[i / 2 % 4].name, i % 2 ? "InPlace" : "");
        snprintf(name, sizeof(name), "popops::%s<popops::expr::BroadcastOpType::%s,%s%s>", form,
                 operator_of(2, op)->constant, pop_type_name(type), forms[i / 2 % 4].more);
        pop_graph_register_perf_estimator(graph, name, forms[i / 2 % 4].estimator, element_cost_user(2, op, type));
    }
}

void register_binary_vertices(pop_graph *graph)
{
    for (int op = 0; op < POPOPS_BINARY_COUNT; ++op)
        if (operator_broadcasts(op))
            register_broadcasts(graph, op);
    static const struct element_cost_form forms[] = { { "BinaryOp1DSupervisor", estimate, false },
                                                      { "BinaryOp2D", estimate_2d, false },
                                                      { "BinaryOp1DInPlaceSupervisor", estimate, true },
                                                      { "BinaryOp2DInPlace", estimate_2d, true } };
    element_costs_register(graph, 2, forms, sizeof(forms) / sizeof(forms[0]));
}
#endif
