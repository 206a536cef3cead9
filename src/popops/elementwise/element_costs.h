/* SPDX-License-Identifier: Apache-2.0 */
/* Shared parts of the estimates of element-wise vertices. */
#ifndef POPOPS_ELEMENTWISE_ELEMENT_COSTS_H
#define POPOPS_ELEMENTWISE_ELEMENT_COSTS_H

#include "poplibs/release.h"
#include "popops/elementwise/operators.h"
#include "popops/vertices.h"

/* The cost of an operator on elements of a type. */
struct element_cost {
    const struct operator_info *info;
    pop_type type;
    unsigned cycles, width; /* cycles for each vector of `width` elements */
    unsigned flops;         /* for each element */
};
struct element_cost_form {
    const char *name;
    pop_perf_estimator estimator;
    bool in_place;
};

/* Packs arity, operator and type into an estimator's user pointer. */
static inline void *element_cost_user(int arity, int op, pop_type type)
{
    return poplibs_as_user((uintptr_t)arity << 16 | (uintptr_t)op << 8 | (uintptr_t)type);
}
static inline struct element_cost element_cost_of(void *user, const pop_target *target)
{
    uintptr_t number = (uintptr_t)user;
    struct element_cost cost = { operator_of((int)(number >> 16), (int)(number >> 8 & 255)), (pop_type)(number & 255),
                                 0, 1, 0 };
    const struct operator_cost *row = cost.type == POP_FLOAT  ? &cost.info->cost_float
                                      : cost.type == POP_HALF ? &cost.info->cost_half
                                                              : &cost.info->cost_int;
    cost.cycles = row->cycles;
    cost.width = row->vectors ? pop_target_vector_width(target, cost.type) : 1;
    cost.flops = pop_type_is_floating_point(cost.type);
    return cost;
}
static inline size_t element_cost_vectors(struct element_cost cost, size_t elements)
{
    return poplibs_ceil_div(elements, cost.width);
}
/* The name of the field that has the number of elements. */
static inline const char *element_cost_output(const pop_vertex_view *vertex, const char *in_place)
{
    return pop_vertex_view_has_field(vertex, in_place) ? in_place : "out";
}

/* Registers the given forms of vertices for each operator of an arity and each of its types. */
static inline void element_costs_register(pop_graph *graph, int arity, const struct element_cost_form *forms,
                                          size_t count)
{
    char name[128];
    for (int op = 0; op < operator_count(arity); ++op)
        for (pop_type type = POP_BOOL; type < POP_TYPE_COUNT; ++type) {
            const struct operator_info *info = operator_of(arity, op);
            for (size_t i = 0; i < count && operator_takes(info, type); ++i) {
                if (forms[i].in_place && operator_result(info, type) != type)
                    continue;
                snprintf(name, sizeof(name), "popops::%s<popops::expr::%s::%s,%s>", forms[i].name, operator_kind(arity),
                         info->constant, pop_type_name(type));
                pop_graph_register_perf_estimator(graph, name, forms[i].estimator, element_cost_user(arity, op, type));
            }
        }
}

#endif
