/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of one operator: checks types, converts numbers to constants, and selects the library's vertex. */
#include "popops/elementwise/element_wise.h"
#include "popops/elementwise/call_log.h"
#include "popops/elementwise/element_graph.h"
#include "popops/elementwise/scalar_multiply.h"

#include <popops/cast.h>

popops_operand popops_operand_of_double(double value)
{
    return (popops_operand){ .value_type = POP_DOUBLE, .value = { .real = value } };
}
popops_operand popops_operand_of_int(long long value)
{
    return (popops_operand){ .value_type = POP_LONGLONG, .value = { .whole = value } };
}
popops_operand popops_operand_of_unsigned(unsigned long long value)
{
    return (popops_operand){ .value_type = POP_UNSIGNED_LONGLONG, .value = { .natural = value } };
}

popops_operand element_number(const popops_operand *operand, pop_type type)
{
    popops_operand number = *operand;
    if (operand->value_type == POP_DOUBLE || pop_type_is_floating_point(type) || type == POP_BOOL)
        return number;
    pop_convert(operand->value_type, &operand->value, type, &number.value, 1);
    number.value_type = type;
    return number;
}

static bool is_number(const popops_operand *operand)
{
    return operand->value_type != POP_TYPE_NULL;
}
/* The third operand of select is always a bool. */
static bool is_condition(const struct element_request *request, int operand)
{
    return request->arity == 3 && request->op == POPOPS_TERNARY_SELECT && operand == 2;
}

static const char *types_text(char *buffer, size_t size, unsigned types)
{
    size_t length = 0;
    *buffer = 0;
    for (pop_type type = POP_BOOL; type < POP_TYPE_COUNT; ++type)
        if (types >> type & 1 && length < size)
            length += (size_t)snprintf(buffer + length, size - length, "%s%s", length ? ", " : "", pop_type_name(type));
    return buffer;
}

/* The common type of the tensors; false, with an error recorded, if they differ. */
static bool find_type(const struct element_request *request, const struct operator_info *info, pop_type *type)
{
    const struct call *call = request->call;
    static const char *const names[] = { "operand 1", "operand 2", "operand 3" };
    char texts[192];
    *type = POP_TYPE_NULL;
    for (int i = 0; i < request->arity; ++i) {
        pop_type seen = pop_tensor_type(request->operands[i].tensor);
        if (is_number(&request->operands[i]))
            continue;
        if (!call_takes(call, names[i], request->operands[i].tensor))
            return false;
        if (is_condition(request, i) && seen != POP_BOOL)
            return call_fail(call, POP_TYPE_ERROR, "the condition is %s, not bool", pop_type_name(seen));
        if (is_condition(request, i))
            continue;
        if (*type != POP_TYPE_NULL && seen != *type)
            return call_fail(call, POP_TYPE_ERROR, "operands are %s and %s: they must have the same type",
                             pop_type_name(*type), pop_type_name(seen));
        *type = seen;
    }
    if (*type == POP_TYPE_NULL && is_condition(request, 2) &&
        !is_number(&request->operands[2])) /* select between two numbers */
        *type = request->operands[0].value_type == POP_DOUBLE || request->operands[1].value_type == POP_DOUBLE
                    ? POP_FLOAT
                    : POP_INT;
    if (*type == POP_TYPE_NULL)
        return call_fail(call, POP_TYPE_ERROR, "no operand is a tensor; at least one is needed to determine the type");
    if (!operator_takes(info, *type))
        return call_fail(call, POP_TYPE_ERROR, "operands are %s; allowed are %s", pop_type_name(*type),
                         types_text(texts, sizeof(texts), info->types));
    return true;
}

/* A number as a tensor of one element, on tile 0. */
static pop_tensor constant_of(const struct element_request *request, const popops_operand *operand, pop_type type)
{
    const struct call *call = request->call;
    pop_tensor constant = { 0 };
    double real = operand->value.real,
           range = __builtin_ldexp(1, (int)pop_type_size(type) * 8); /* signed and unsigned alike: -1 sets all bits */
    if (operand->value_type == POP_DOUBLE && !pop_type_is_floating_point(type) &&
        !(real >= -range / 2 && real < range && real == __builtin_trunc(real))) {
        call_fail(call, POP_TYPE_ERROR, "the number %g cannot be represented as %s, the tensors' type", real,
                  pop_type_name(type));
        return constant;
    }
    popops_operand number = element_number(operand, type);
    constant =
        pop_graph_add_constant_fill(call->graph, type, POP_SHAPE(), number.value_type, &number.value, call->name);
    pop_graph_set_tile_mapping(call->graph, constant, 0);
    return constant;
}

/* Names the compute set: "SHIFT_LEFT" becomes "Op/ShiftLeft". */
static void step_of(char *step, size_t size, const char *constant)
{
    size_t length = (size_t)snprintf(step, size, "Op/");
    for (const char *at = constant; *at && length + 1 < size; ++at)
        if (*at != '_')
            step[length++] = (char)(at == constant || at[-1] == '_' || *at < 'A' ? *at : *at - 'A' + 'a');
    step[length] = 0;
}

struct names {
    char api[64], step[64], vertex[128], rows[128], inner[128], outer[128];
};
/* Sets the call's vertex types and field names. */
static void name_vertices(struct element_call *element, struct names *names, const struct element_request *request,
                          const struct operator_info *info, pop_type type)
{
    static const char *const fields[2][3][3] = { { { "in" }, { "in1", "in2" }, { "in1", "in2", "in3" } },
                                                 { { "inOut" }, { "in1Out", "in2" }, { "in1Out", "in2", "in3" } } };
    const char *in_place = element->in_place ? "InPlace" : "", *of = pop_type_name(type),
               *kind = operator_kind(request->arity);
    const char *arity = request->arity == 1 ? "Unary" : "Binary";
    step_of(names->step, sizeof(names->step), info->constant);
    if (request->arity == 3) {
        snprintf(names->rows, sizeof(names->rows), "popops::%s%s<%s>", info->node, in_place, of);
    } else {
        snprintf(names->vertex, sizeof(names->vertex), "popops::%sOp1D%sSupervisor<popops::expr::%s::%s,%s>", arity,
                 in_place, kind, info->constant, of);
        snprintf(names->rows, sizeof(names->rows), "popops::%sOp2D%s<popops::expr::%s::%s,%s>", arity, in_place, kind,
                 info->constant, of);
    }
    element->step = names->step;
    element->vertex = request->arity == 3 ? NULL : names->vertex;
    element->vertex_rows = names->rows;
    element->fields = fields[element->in_place][request->arity - 1];
}

/* Addition and multiplication commute: exchanges the operands so that the broadcast one is the second. */
static void put_broadcast_second(struct element_call *element, const struct element_request *request)
{
    bool any_order = request->arity == 2 && (request->op == POPOPS_BINARY_ADD || request->op == POPOPS_BINARY_MULTIPLY);
    if (!any_order || element->scalar[1] ||
        pop_tensor_num_elements(element->given[0]) >= pop_tensor_num_elements(element->given[1]))
        return;
    const struct element_call old = *element;
    for (int i = 0; i < 2; ++i) {
        element->given[i] = old.given[1 - i];
        element->in[i] = old.in[1 - i];
        element->scalar[i] = old.scalar[1 - i];
    }
}

static bool has_broadcast(const struct element_call *element)
{
    size_t elements = pop_tensor_num_elements(element->out);
    return pop_tensor_num_elements(element->given[0]) == elements &&
           pop_tensor_num_elements(element->given[1]) != elements;
}

/* Some operators have vertices for a broadcast second operand. */
static void run_operator(struct element_call *element, struct names *names, const struct element_request *request,
                         const struct operator_info *info, pop_type type)
{
    static const char *const fields[] = { "data", "B" };
    const char *in_place = element->in_place ? "InPlace" : "", *of = pop_type_name(type), *op = info->constant;
    struct element_broadcast vector;
    name_vertices(element, names, request, info, type);
    bool broadcasts = request->arity == 2 && pop_type_is_floating_point(type) && operator_broadcasts(request->op);
    if (broadcasts && element->scalar[1]) {
        snprintf(names->vertex, sizeof(names->vertex),
                 "popops::BroadcastScalar1D%sSupervisor<popops::expr::BroadcastOpType::%s,%s>", in_place, op, of);
        snprintf(names->rows, sizeof(names->rows), "popops::BroadcastScalar2D%s<popops::expr::BroadcastOpType::%s,%s>",
                 in_place, op, of);
        element->fields = fields;
        element->number = true;
    } else if (broadcasts && has_broadcast(element)) {
        element->broadcast = &vector;
        vector = (struct element_broadcast){ names->inner, names->outer };
        snprintf(names->inner, sizeof(names->inner),
                 "popops::BroadcastVectorInner%sSupervisor<popops::expr::BroadcastOpType::%s,%s>", in_place, op, of);
        snprintf(names->outer, sizeof(names->outer),
                 "popops::BroadcastVectorOuterByRow%sSupervisor<popops::expr::BroadcastOpType::%s,%s,true>", in_place,
                 op, of);
    }
    element_run(element);
}

pop_tensor element_serve(const struct element_request *given)
{
    static const char *const forms[] = { "", "_in_place", "_with_output" };
    struct call own = *given->call; /* errors name the operator's function */
    struct element_request named = *given, *request = &named;
    const struct call *call = named.call = &own;
    if (request->op < 0 || request->op >= operator_count(request->arity)) {
        own.api = "popops_element_wise";
        if (call_ready(call))
            call_fail(call, POP_POPLAR_ERROR, "there is no operator %d", request->op);
        return (pop_tensor){ 0 };
    }
    const struct operator_info *info = operator_of(request->arity, request->op);
    pop_tensor none = { 0 }, wanted;
    pop_type type;
    struct names names;
    struct element_call element = { .call = call, .count = (size_t)request->arity };
    snprintf(names.api, sizeof(names.api), "popops_%s%s", info->name, forms[request->form]);
    if (!request->of_expression)
        own.api = names.api;
    if (call_ready(call) && scalar_multiply_matches(request))
        return scalar_multiply_serve(request);
    if (!call_ready(call) || !find_type(request, info, &type))
        return none;
    for (int i = 0; i < request->arity; ++i)
        element.given[i] = is_number(&request->operands[i])
                               ? constant_of(request, &request->operands[i], is_condition(request, i) ? POP_BOOL : type)
                               : request->operands[i].tensor;
    element.out = request->form == ELEMENT_IN_PLACE ? element.given[0] : request->out;
    if (pop_graph_error(call->graph) || !element_match(&element))
        return none;
    pop_type result = operator_result(info, type);
    if (request->form == ELEMENT_NEW)
        element_new_output(&element, result);
    else if (!element_check_output(&element, result))
        return none;
    element.in_place = result == type && pop_tensor_equal(element.given[0], element.out);
    wanted = element.out;
    bool copy = element_needs_copy(&element);
    if (copy) {
        element_new_output(&element, result);
        element.in_place = false;
    }
    if (!element.in_place)
        put_broadcast_second(&element, request);
    run_operator(&element, &names, request, info, type);
    if (copy)
        call_copy(call, element.out, wanted, call->name);
    return wanted;
}

pop_tensor popops_unary_at(pop_where where, popops_unary_op op, pop_graph *graph, pop_tensor a, pop_program sequence,
                           const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, log_operator(1, (int)op), a, name);
    return element_serve(&(struct element_request){
        .call = call, .form = ELEMENT_NEW, .arity = 1, .op = op, .operands = { popops_operand_of_tensor(a) } });
}
void popops_unary_in_place_at(pop_where where, popops_unary_op op, pop_graph *graph, pop_tensor a, pop_program sequence,
                              const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, log_operator(1, (int)op), a, name);
    element_serve(&(struct element_request){
        .call = call, .form = ELEMENT_IN_PLACE, .arity = 1, .op = op, .operands = { popops_operand_of_tensor(a) } });
}
void popops_unary_with_output_at(pop_where where, popops_unary_op op, pop_graph *graph, pop_tensor a, pop_tensor out,
                                 pop_program sequence, const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, log_operator(1, (int)op), a, out, name);
    element_serve(&(struct element_request){ .call = call,
                                             .form = ELEMENT_WITH_OUTPUT,
                                             .arity = 1,
                                             .op = op,
                                             .operands = { popops_operand_of_tensor(a) },
                                             .out = out });
}
pop_tensor popops_binary_at(pop_where where, popops_binary_op op, pop_graph *graph, popops_operand a, popops_operand b,
                            pop_program sequence, const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, log_operator(2, (int)op), log_operand(a), log_operand(b), name);
    return element_serve(
        &(struct element_request){ .call = call, .form = ELEMENT_NEW, .arity = 2, .op = op, .operands = { a, b } });
}
void popops_binary_in_place_at(pop_where where, popops_binary_op op, pop_graph *graph, popops_operand a,
                               popops_operand b, pop_program sequence, const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, log_operator(2, (int)op), log_operand(a), log_operand(b), name);
    element_serve(&(struct element_request){
        .call = call, .form = ELEMENT_IN_PLACE, .arity = 2, .op = op, .operands = { a, b } });
}
void popops_binary_with_output_at(pop_where where, popops_binary_op op, pop_graph *graph, popops_operand a,
                                  popops_operand b, pop_tensor out, pop_program sequence, const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, log_operator(2, (int)op), log_operand(a), log_operand(b), out, name);
    element_serve(&(struct element_request){
        .call = call, .form = ELEMENT_WITH_OUTPUT, .arity = 2, .op = op, .operands = { a, b }, .out = out });
}
pop_tensor popops_binary_as_at(pop_where where, popops_binary_op op, pop_graph *graph, popops_operand a,
                               popops_operand b, pop_type type, pop_program sequence, const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, log_operator(2, (int)op), log_operand(a), log_operand(b), log_type(type), name);
    popops_operand *operands[] = { &a, &b };
    if (call_ready(call) && type != POP_HALF && type != POP_FLOAT) {
        call_fail(call, POP_TYPE_ERROR, "the result cannot be %s; allowed are half, float", pop_type_name(type));
        return (pop_tensor){ 0 };
    }
    for (int i = 0; i < 2 && type == POP_FLOAT; ++i)
        if (pop_tensor_type(operands[i]->tensor) == POP_HALF)
            operands[i]->tensor = popops_cast(graph, operands[i]->tensor, type, sequence, name);
    pop_tensor out = popops_binary_at(call->where, op, graph, a, b, sequence, name);
    return pop_tensor_type(out) == type || !pop_tensor_valid(out) ? out : popops_cast(graph, out, type, sequence, name);
}
pop_tensor popops_ternary_at(pop_where where, popops_ternary_op op, pop_graph *graph, popops_operand a,
                             popops_operand b, popops_operand c, pop_program sequence, const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, log_operator(3, (int)op), log_operand(a), log_operand(b), log_operand(c), name);
    return element_serve(
        &(struct element_request){ .call = call, .form = ELEMENT_NEW, .arity = 3, .op = op, .operands = { a, b, c } });
}
void popops_ternary_in_place_at(pop_where where, popops_ternary_op op, pop_graph *graph, popops_operand a,
                                popops_operand b, popops_operand c, pop_program sequence, const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, log_operator(3, (int)op), log_operand(a), log_operand(b), log_operand(c), name);
    element_serve(&(struct element_request){
        .call = call, .form = ELEMENT_IN_PLACE, .arity = 3, .op = op, .operands = { a, b, c } });
}
void popops_ternary_with_output_at(pop_where where, popops_ternary_op op, pop_graph *graph, popops_operand a,
                                   popops_operand b, popops_operand c, pop_tensor out, pop_program sequence,
                                   const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, log_operator(3, (int)op), log_operand(a), log_operand(b), log_operand(c), out,
                    name);
    element_serve(&(struct element_request){
        .call = call, .form = ELEMENT_WITH_OUTPUT, .arity = 3, .op = op, .operands = { a, b, c }, .out = out });
}
