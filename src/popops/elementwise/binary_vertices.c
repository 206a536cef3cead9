/* SPDX-License-Identifier: Apache-2.0 */
/* popops::BinaryOp1DSupervisor<Op,T> for one region, popops::BinaryOp2D<Op,T> for several, and both in place.  An
 * operand of one element counts for all. Some operators have vertices for a second operand that is broadcast: one
 * element (BroadcastScalar...), a vector that every row of the data is combined with (BroadcastVectorInner...), or one
 * with an element for each row (BroadcastVectorOuterByRow...). */
#ifdef __POPC__
#include <popops/element_rows.h>

#define LOOP(tag, work, U_, I_, ENUM, RESULT, value)                                                                   \
    static inline void block_##ENUM##_##tag(const work *in1, const work *in2, RESULT_##RESULT(work) * out,             \
                                            size_t count)                                                              \
    {                                                                                                                  \
        VALUE_TYPES(work, U_, I_)                                                                                      \
        _Pragma("GCC ivdep") for (size_t i = 0; i < count; ++i)                                                        \
        {                                                                                                              \
            const T a = in1[i], b = in2[i];                                                                            \
            out[i] = value;                                                                                            \
        }                                                                                                              \
    }
#define ROW(tag, type, work, ENUM, RESULT, whole, end)                                                                 \
    __attribute__((noinline)) static void row_##ENUM##_##tag(const type *in1, size_t size1, const type *in2,           \
                                                             size_t size2, RESULT_##RESULT(type) * out, size_t count)  \
    {                                                                                                                  \
        work x[BLOCK], y[BLOCK];                                                                                       \
        whole EACH_BLOCK(count)                                                                                        \
        {                                                                                                              \
            const work *first = piece_##tag(in1, size1, x, at, here), *second = piece_##tag(in2, size2, y, at, here);  \
            end                                                                                                        \
        }                                                                                                              \
    }
/* Operands that can be read as they lie need no blocks. */
#define WHOLE(tag, ENUM)                                                                                               \
    if (size1 != 1 && size2 != 1) {                                                                                    \
        block_##ENUM##_##tag(in1, in2, out, count);                                                                    \
        return;                                                                                                        \
    }
#define ROW_FLOAT(tag, type, work, U_, I_, ENUM, RESULT, real, other)                                                  \
    LOOP(tag, work, U_, I_, ENUM, RESULT, real)                                                                        \
    ROW(tag, type, work, ENUM, RESULT, WHOLE(tag, ENUM), block_##ENUM##_##tag(first, second, out + at, here);)
#define ROW_OTHER(tag, type, work, U_, I_, ENUM, RESULT, real, other)                                                  \
    LOOP(tag, work, U_, I_, ENUM, RESULT, other)                                                                       \
    ROW(tag, type, work, ENUM, RESULT, WHOLE(tag, ENUM), block_##ENUM##_##tag(first, second, out + at, here);)
#define ROW_BOOLEAN ROW_OTHER
#define ROW_HALF(tag, type, work, U_, I_, ENUM, RESULT, real, other)                                                   \
    ROW(tag, type, work, ENUM, RESULT, , HALF_END_##RESULT(ENUM))
#define HALF_END_SAME(ENUM)                                                                                            \
    float z[BLOCK];                                                                                                    \
    block_##ENUM##_float(first, second, z, here);                                                                      \
    narrow(z, out + at, here);
#define HALF_END_BOOL(ENUM) block_##ENUM##_float(first, second, out + at, here);

#define OUT_OF_PLACE(tag, type, text, ENUM, RESULT)                                                                    \
    POP_SUPERVISOR_VERTEX(Binary1D_##ENUM##_##tag)                                                                     \
    {                                                                                                                  \
        POP_INPUT(POP_VECTOR(type)) in1;                                                                               \
        POP_INPUT(POP_VECTOR(type)) in2;                                                                               \
        POP_OUTPUT(POP_VECTOR(RESULT_##RESULT(type))) out;                                                             \
    };                                                                                                                 \
    POP_VERTEX_NAME(Binary1D_##ENUM##_##tag,                                                                           \
                    "popops::BinaryOp1DSupervisor<popops::expr::BinaryOpType::" #ENUM "," text ">");                   \
    void Binary1D_##ENUM##_##tag##_compute(Binary1D_##ENUM##_##tag *v)                                                 \
    {                                                                                                                  \
        row_##ENUM##_##tag(v->in1.data, v->in1.size, v->in2.data, v->in2.size, v->out.data, v->out.size);              \
    }                                                                                                                  \
    POP_VERTEX(Binary2D_##ENUM##_##tag)                                                                                \
    {                                                                                                                  \
        POP_INPUT(POP_VECTORS(type)) in1;                                                                              \
        POP_INPUT(POP_VECTORS(type)) in2;                                                                              \
        POP_OUTPUT(POP_VECTORS(RESULT_##RESULT(type))) out;                                                            \
    };                                                                                                                 \
    POP_VERTEX_NAME(Binary2D_##ENUM##_##tag, "popops::BinaryOp2D<popops::expr::BinaryOpType::" #ENUM "," text ">");    \
    void Binary2D_##ENUM##_##tag##_compute(Binary2D_##ENUM##_##tag *v)                                                 \
    {                                                                                                                  \
        for (size_t i = 0; i < v->out.size; ++i)                                                                       \
            row_##ENUM##_##tag(v->in1.data[i].data, v->in1.data[i].size, v->in2.data[i].data, v->in2.data[i].size,     \
                               v->out.data[i].data, v->out.data[i].size);                                              \
    }
#define IN_PLACE(tag, type, text, ENUM)                                                                                \
    POP_SUPERVISOR_VERTEX(Binary1DInPlace_##ENUM##_##tag)                                                              \
    {                                                                                                                  \
        POP_INOUT(POP_VECTOR(type)) in1Out;                                                                            \
        POP_INPUT(POP_VECTOR(type)) in2;                                                                               \
    };                                                                                                                 \
    POP_VERTEX_NAME(Binary1DInPlace_##ENUM##_##tag,                                                                    \
                    "popops::BinaryOp1DInPlaceSupervisor<popops::expr::BinaryOpType::" #ENUM "," text ">");            \
    void Binary1DInPlace_##ENUM##_##tag##_compute(Binary1DInPlace_##ENUM##_##tag *v)                                   \
    {                                                                                                                  \
        row_##ENUM##_##tag(v->in1Out.data, v->in1Out.size, v->in2.data, v->in2.size, v->in1Out.data, v->in1Out.size);  \
    }                                                                                                                  \
    POP_VERTEX(Binary2DInPlace_##ENUM##_##tag)                                                                         \
    {                                                                                                                  \
        POP_INOUT(POP_VECTORS(type)) in1Out;                                                                           \
        POP_INPUT(POP_VECTORS(type)) in2;                                                                              \
    };                                                                                                                 \
    POP_VERTEX_NAME(Binary2DInPlace_##ENUM##_##tag,                                                                    \
                    "popops::BinaryOp2DInPlace<popops::expr::BinaryOpType::" #ENUM "," text ">");                      \
    void Binary2DInPlace_##ENUM##_##tag##_compute(Binary2DInPlace_##ENUM##_##tag *v)                                   \
    {                                                                                                                  \
        for (size_t i = 0; i < v->in1Out.size; ++i)                                                                    \
            row_##ENUM##_##tag(v->in1Out.data[i].data, v->in1Out.data[i].size, v->in2.data[i].data,                    \
                               v->in2.data[i].size, v->in1Out.data[i].data, v->in1Out.data[i].size);                   \
    }
#define VERTICES(tag, type, work, U_, I_, text, constant, ENUM, RESULT, real, other)                                   \
    JOIN(ROW_, KIND_##tag)                                                                                             \
    (tag, type, work, U_, I_, ENUM, RESULT, real, other) OUT_OF_PLACE(tag, type, text, ENUM, RESULT)                   \
        IN_PLACE_##RESULT(KIND_##tag, tag, type, text, ENUM)
#define BINARY(name, function, ENUM, Node, TYPES, RESULT, f, h, i, real, other)                                        \
    POPOPS_TYPES_##TYPES(VERTICES, ENUM, RESULT, real, other)
#include <popops/operators.def>

/* One region, or rows of any length, with one number. */
#define SCALAR(tag, type, text, ENUM, NAME, KIND, holder, fields, in, out, loop, row)                                  \
    KIND(NAME##_##ENUM##_##tag)                                                                                        \
    {                                                                                                                  \
        fields(type, holder) POP_INPUT(type) B;                                                                        \
    };                                                                                                                 \
    POP_VERTEX_NAME(NAME##_##ENUM##_##tag, "popops::" #NAME "<popops::expr::BroadcastOpType::" #ENUM "," text ">");    \
    void NAME##_##ENUM##_##tag##_compute(NAME##_##ENUM##_##tag *v)                                                     \
    {                                                                                                                  \
        loop row_##ENUM##_##tag(v->in row.data, v->in row.size, v->B, 1, v->out row.data, v->out row.size);            \
    }
#define DATA_AND_OUT(type, holder)                                                                                     \
    POP_INPUT(holder(type)) data;                                                                                      \
    POP_OUTPUT(holder(type)) out;
#define DATA(type, holder) POP_INOUT(holder(type)) data;
#define EACH_ROW           for (size_t i = 0; i < v->data.size; ++i)

/* Whole rows: B has their length, or their number. */
#define VECTOR(tag, type, text, ENUM, NAME, more, fields, out, columns, element, size2)                                \
    POP_SUPERVISOR_VERTEX(NAME##_##ENUM##_##tag)                                                                       \
    {                                                                                                                  \
        fields(type, POP_VECTOR) POP_INPUT(POP_VECTOR(type)) B;                                                        \
    };                                                                                                                 \
    POP_VERTEX_NAME(NAME##_##ENUM##_##tag,                                                                             \
                    "popops::" #NAME "<popops::expr::BroadcastOpType::" #ENUM "," text more ">");                      \
    void NAME##_##ENUM##_##tag##_compute(NAME##_##ENUM##_##tag *v)                                                     \
    {                                                                                                                  \
        size_t length = columns;                                                                                       \
        for (size_t at = 0, row = 0; at < v->data.size; at += length, ++row)                                           \
            row_##ENUM##_##tag(v->data.data + at, length, v->B.data + (element), size2, v->out.data + at, length);     \
    }
#define BROADCASTS(tag, type, text, ENUM)                                                                              \
    SCALAR(tag, type, text, ENUM, BroadcastScalar1DSupervisor, POP_SUPERVISOR_VERTEX, POP_VECTOR, DATA_AND_OUT, data,  \
           out, , )                                                                                                    \
    SCALAR(tag, type, text, ENUM, BroadcastScalar1DInPlaceSupervisor, POP_SUPERVISOR_VERTEX, POP_VECTOR, DATA, data,   \
           data, , )                                                                                                   \
    SCALAR(tag, type, text, ENUM, BroadcastScalar2D, POP_VERTEX, POP_VECTORS, DATA_AND_OUT, data, out, EACH_ROW,       \
           .data[i])                                                                                                   \
    SCALAR(tag, type, text, ENUM, BroadcastScalar2DInPlace, POP_VERTEX, POP_VECTORS, DATA, data, data, EACH_ROW,       \
           .data[i])                                                                                                   \
    VECTOR(tag, type, text, ENUM, BroadcastVectorInnerSupervisor, , DATA_AND_OUT, out, v->B.size, 0, length)           \
    VECTOR(tag, type, text, ENUM, BroadcastVectorInnerInPlaceSupervisor, , DATA, data, v->B.size, 0, length)           \
    VECTOR(tag, type, text, ENUM, BroadcastVectorOuterByRowSupervisor, ",true", DATA_AND_OUT, out,                     \
           v->data.size / v->B.size, row, 1)                                                                           \
    VECTOR(tag, type, text, ENUM, BroadcastVectorOuterByRowInPlaceSupervisor, ",true", DATA, data,                     \
           v->data.size / v->B.size, row, 1)
#define BROADCAST(ENUM) BROADCASTS(float, float, "float", ENUM) BROADCASTS(half, half, "half", ENUM)
#undef BINARY
#include <popops/operators.def>

#else
#include "popops/elementwise/element_costs.h"

/* add, sub and mul of floating point had codelets in assembly: 2 cycles around a vector instead of 5. */
static uint64_t loop_cycles(struct element_cost cost, size_t elements)
{
    bool assembly = pop_type_is_floating_point(cost.type) && (cost.info == operator_of(2, POPOPS_BINARY_ADD) ||
                                                              cost.info == operator_of(2, POPOPS_BINARY_SUBTRACT) ||
                                                              cost.info == operator_of(2, POPOPS_BINARY_MULTIPLY));
    return (cost.cycles + (assembly ? 2 : 5)) * element_cost_vectors(cost, elements);
}
static bool is_scalar(const pop_vertex_view *vertex, const char *field, size_t index, size_t elements)
{
    return elements > 1 && pop_vertex_view_has_field(vertex, field) &&
           pop_vertex_view_field_size(vertex, field, index) == 1;
}
/* With a scalar operand the costs are those of a broadcast: 198 + 6 (20 + loop), and 20 + rows (28 + loop). */
static bool any_scalar(const pop_vertex_view *vertex, size_t index, size_t elements)
{
    return is_scalar(vertex, "in1", index, elements) || is_scalar(vertex, "in2", index, elements);
}
static pop_perf estimate(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    struct element_cost cost = element_cost_of(user, target);
    const char *out = element_cost_output(vertex, "in1Out");
    size_t elements = pop_vertex_view_field_size(vertex, out, POP_WHOLE);
    unsigned workers = target->num_worker_contexts, start = any_scalar(vertex, POP_WHOLE, elements) ? 20
                                                            : strcmp(out, "out") == 0               ? 22
                                                                                                    : 13;
    return (pop_perf){ 198 + workers * (start + loop_cycles(cost, poplibs_ceil_div(elements, workers))),
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

/* Of an operand that is broadcast: assembly for all of them, one cycle around a vector. */
static uint64_t broadcast_cycles(struct element_cost cost, size_t elements)
{
    return (cost.cycles + 1) * element_cost_vectors(cost, elements);
}
static pop_perf estimate_scalar(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    struct element_cost cost = element_cost_of(user, target);
    size_t elements = pop_vertex_view_field_size(vertex, "data", POP_WHOLE);
    unsigned workers = target->num_worker_contexts;
    return (pop_perf){ 198 + workers * (20 + broadcast_cycles(cost, poplibs_ceil_div(elements, workers))), elements };
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
/* Each worker takes whole rows. */
static pop_perf estimate_outer(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    struct element_cost cost = element_cost_of(user, target);
    size_t elements = pop_vertex_view_field_size(vertex, "data", POP_WHOLE),
           rows = pop_vertex_view_field_size(vertex, "B", POP_WHOLE);
    size_t columns = rows ? elements / rows : 0, workers = target->num_worker_contexts;
    unsigned row = columns % pop_target_vector_width(target, cost.type) == 0 ? 7 : 25;
    return (pop_perf){ 198 + workers * (15 + poplibs_ceil_div(rows, workers) * (row + broadcast_cycles(cost, columns))),
                       elements };
}
/* Each worker takes blocks of B's length; the core is that of the bias vertex. */
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

void popops_binary_vertices(pop_graph *graph)
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
