/* SPDX-License-Identifier: Apache-2.0 */
/* popops::Select<T>, popops::Clamp<T>, and both in place, on rows of elements.  An operand of one element is broadcast
 * along its row. */
#ifdef __POPC__
#include "popops/elementwise/kind_rows.h"

#include <popops/element_rows.h>

/* The third operand of select is bool. */
#define THIRD_CLAMP(type)  type
#define THIRD_SELECT(type) bool

#define TYPES    (POPLIBS_ALL_TYPES & ~(POPLIBS_CHAR | POPLIBS_SCHAR | POPLIBS_UCHAR))
#define TEMPLATE "popops/elementwise/ternary_typed.h"
#include "poplibs/each_type.h"

/* Defines an operator on a type: its value; block_ENUM_tag, on elements of the type it is computed in; row_ENUM_tag. */
#define VALUE(tag, work, U_, I_, ENUM, RESULT, value)                                                                  \
    ELEMENT_INLINE work value_##ENUM##_##tag(const work a, const work b, const THIRD_##ENUM(work) c)                   \
    {                                                                                                                  \
        POPOPS_VALUE_TYPES(work, U_, I_)                                                                               \
        return value;                                                                                                  \
    }
#define BLOCK_OF(tag, type, ENUM, RESULT)                                                                              \
    static inline void block_##ENUM##_##tag(const type *in1, const type *in2, const THIRD_##ENUM(type) * in3,          \
                                            type * out, size_t count)                                                  \
    {                                                                                                                  \
        ternary_block_##ENUM##_##tag(in1, in2, in3, out, count, value_##ENUM##_##tag);                                 \
    }
#define ROW(tag, type, ENUM, RESULT, block)                                                                            \
    __attribute__((noinline)) static void row_##ENUM##_##tag(const type *in1, size_t size1, const type *in2,           \
                                                             size_t size2, const THIRD_##ENUM(type) * in3,             \
                                                             size_t size3, type * out, size_t count)                   \
    {                                                                                                                  \
        ternary_row_##ENUM##_##tag(in1, size1, in2, size2, in3, size3, out, count, block);                             \
    }
#define OPERANDS(type, ENUM)                                                                                           \
    POP_INPUT(POP_VECTORS(type)) in2;                                                                                  \
    POP_INPUT(POP_VECTORS(THIRD_##ENUM(type))) in3;
#define OUT_OF_PLACE(tag, type, text, ENUM, Node)                                                                      \
    VERTEX_OF(POP_VERTEX, Node##_##tag, "popops::" #Node "<" text ">", POP_INPUT(POP_VECTORS(type)) in1;               \
              OPERANDS(type, ENUM) POP_OUTPUT(POP_VECTORS(type)) out;)                                                 \
    {                                                                                                                  \
        for (size_t i = 0; i < v->out.size; ++i)                                                                       \
            row_##ENUM##_##tag(v->in1.data[i].data, v->in1.data[i].size, v->in2.data[i].data, v->in2.data[i].size,     \
                               v->in3.data[i].data, v->in3.data[i].size, v->out.data[i].data, v->out.data[i].size);    \
    }
#define ROW_IN_PLACE(row, to, in2, in3) row(to.data, to.size, in2.data, in2.size, in3.data, in3.size, to.data, to.size)
#define IN_PLACE(tag, type, text, ENUM, Node)                                                                          \
    VERTEX_OF(POP_VERTEX, Node##InPlace_##tag, "popops::" #Node "InPlace<" text ">",                                   \
              POP_INOUT(POP_VECTORS(type)) in1Out;                                                                     \
              OPERANDS(type, ENUM))                                                                                    \
    {                                                                                                                  \
        for (size_t i = 0; i < v->in1Out.size; ++i)                                                                    \
            ROW_IN_PLACE(row_##ENUM##_##tag, v->in1Out.data[i], v->in2.data[i], v->in3.data[i]);                       \
    }
#define VERTICES(tag, type, work, U_, I_, text, constant, ENUM, Node, RESULT, real, other)                             \
    POPLIBS_JOIN(ROW_, KIND_##tag)                                                                                     \
    (tag, type, U_, I_, ENUM, RESULT, real, other) OUT_OF_PLACE(tag, type, text, ENUM, Node)                           \
        IN_PLACE(tag, type, text, ENUM, Node)
#define TERNARY(name, function, ENUM, Node, TYPES, RESULT, f, h, i, real, other)                                       \
    POPOPS_TYPES_##TYPES(VERTICES, ENUM, Node, RESULT, real, other)
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

void register_ternary_vertices(pop_graph *graph)
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
