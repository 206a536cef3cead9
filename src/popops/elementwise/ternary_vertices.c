/* SPDX-License-Identifier: Apache-2.0 */
/* popops::Select<T>, popops::Clamp<T>, and both in place: rows of elements.  An operand of one element counts for all
 * of its row. */
#ifdef __POPC__
#include <popops/element_rows.h>

/* The third operand of select is bool. */
#define THIRD_CLAMP(type)  type
#define THIRD_SELECT(type) bool
#define PIECE_CLAMP(tag)   piece_##tag
#define PIECE_SELECT(tag)  piece_boolean

#define LOOP(tag, work, U_, I_, ENUM, value)                                                                           \
    static inline void block_##ENUM##_##tag(const work *in1, const work *in2, const THIRD_##ENUM(work) * in3,          \
                                            work * out, size_t count)                                                  \
    {                                                                                                                  \
        VALUE_TYPES(work, U_, I_)                                                                                      \
        _Pragma("GCC ivdep") for (size_t i = 0; i < count; ++i)                                                        \
        {                                                                                                              \
            const T a = in1[i], b = in2[i];                                                                            \
            const THIRD_##ENUM(work) c = in3[i];                                                                       \
            out[i] = value;                                                                                            \
        }                                                                                                              \
    }
#define ROW(tag, type, work, ENUM, end)                                                                                \
    __attribute__((noinline)) static void row_##ENUM##_##tag(const type *in1, size_t size1, const type *in2,           \
                                                             size_t size2, const THIRD_##ENUM(type) * in3,             \
                                                             size_t size3, type * out, size_t count)                   \
    {                                                                                                                  \
        work x[BLOCK], y[BLOCK];                                                                                       \
        THIRD_##ENUM(work) z[BLOCK];                                                                                   \
        EACH_BLOCK(count)                                                                                              \
        {                                                                                                              \
            const work *first = piece_##tag(in1, size1, x, at, here), *second = piece_##tag(in2, size2, y, at, here);  \
            const THIRD_##ENUM(work) *third = PIECE_##ENUM(tag)(in3, size3, z, at, here);                              \
            end                                                                                                        \
        }                                                                                                              \
    }
#define ROW_FLOAT(tag, type, work, U_, I_, ENUM, real, other)                                                          \
    LOOP(tag, work, U_, I_, ENUM, real)                                                                                \
    ROW(tag, type, work, ENUM, block_##ENUM##_##tag(first, second, third, out + at, here);)
#define ROW_OTHER(tag, type, work, U_, I_, ENUM, real, other)                                                          \
    LOOP(tag, work, U_, I_, ENUM, other)                                                                               \
    ROW(tag, type, work, ENUM, block_##ENUM##_##tag(first, second, third, out + at, here);)
#define ROW_BOOLEAN ROW_OTHER
#define ROW_HALF(tag, type, work, U_, I_, ENUM, real, other)                                                           \
    ROW(tag, type, work, ENUM, float result[BLOCK]; block_##ENUM##_float(first, second, third, result, here);          \
        narrow(result, out + at, here);)

#define OUT_OF_PLACE(tag, type, text, ENUM, Node)                                                                      \
    POP_VERTEX(Node##_##tag)                                                                                           \
    {                                                                                                                  \
        POP_INPUT(POP_VECTORS(type)) in1;                                                                              \
        POP_INPUT(POP_VECTORS(type)) in2;                                                                              \
        POP_INPUT(POP_VECTORS(THIRD_##ENUM(type))) in3;                                                                \
        POP_OUTPUT(POP_VECTORS(type)) out;                                                                             \
    };                                                                                                                 \
    POP_VERTEX_NAME(Node##_##tag, "popops::" #Node "<" text ">");                                                      \
    void Node##_##tag##_compute(Node##_##tag *v)                                                                       \
    {                                                                                                                  \
        for (size_t i = 0; i < v->out.size; ++i)                                                                       \
            row_##ENUM##_##tag(v->in1.data[i].data, v->in1.data[i].size, v->in2.data[i].data, v->in2.data[i].size,     \
                               v->in3.data[i].data, v->in3.data[i].size, v->out.data[i].data, v->out.data[i].size);    \
    }
#define IN_PLACE(tag, type, text, ENUM, Node)                                                                          \
    POP_VERTEX(Node##InPlace_##tag)                                                                                    \
    {                                                                                                                  \
        POP_INOUT(POP_VECTORS(type)) in1Out;                                                                           \
        POP_INPUT(POP_VECTORS(type)) in2;                                                                              \
        POP_INPUT(POP_VECTORS(THIRD_##ENUM(type))) in3;                                                                \
    };                                                                                                                 \
    POP_VERTEX_NAME(Node##InPlace_##tag, "popops::" #Node "InPlace<" text ">");                                        \
    void Node##InPlace_##tag##_compute(Node##InPlace_##tag *v)                                                         \
    {                                                                                                                  \
        for (size_t i = 0; i < v->in1Out.size; ++i)                                                                    \
            row_##ENUM##_##tag(v->in1Out.data[i].data, v->in1Out.data[i].size, v->in2.data[i].data,                    \
                               v->in2.data[i].size, v->in3.data[i].data, v->in3.data[i].size, v->in1Out.data[i].data,  \
                               v->in1Out.data[i].size);                                                                \
    }
#define VERTICES(tag, type, work, U_, I_, text, constant, ENUM, Node, real, other)                                     \
    JOIN(ROW_, KIND_##tag)                                                                                             \
    (tag, type, work, U_, I_, ENUM, real, other) OUT_OF_PLACE(tag, type, text, ENUM, Node)                             \
        IN_PLACE(tag, type, text, ENUM, Node)
#define TERNARY(name, function, ENUM, Node, TYPES, RESULT, f, h, i, real, other)                                       \
    POPOPS_TYPES_##TYPES(VERTICES, ENUM, Node, real, other)
#include <popops/operators.def>

#else
#include "popops/elementwise/element_costs.h"

static pop_perf estimate(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    struct element_cost cost = element_cost_of(user, target);
    const char *out = element_cost_output(vertex, "in1Out");
    pop_perf perf = { 5, 0 };
    for (size_t i = 0, rows = pop_vertex_view_field_size(vertex, out, POP_WHOLE); i < rows; ++i) {
        size_t elements = pop_vertex_view_field_size(vertex, out, i);
        perf.cycles += 6 + cost.cycles * element_cost_vectors(cost, elements);
        perf.flops += cost.flops * elements;
    }
    return perf;
}

void popops_ternary_vertices(pop_graph *graph)
{
    char name[64];
    for (int op = 0; op < POPOPS_TERNARY_COUNT; ++op)
        for (pop_type type = POP_BOOL; type < POP_TYPE_COUNT; ++type)
            for (int in_place = 0; in_place < 2 && operator_takes(operator_of(3, op), type); ++in_place) {
                snprintf(name, sizeof(name), "popops::%s%s<%s>", operator_of(3, op)->node, in_place ? "InPlace" : "",
                         pop_type_name(type));
                pop_graph_register_perf_estimator(graph, name, estimate, element_cost_user(3, op, type));
            }
}
#endif
