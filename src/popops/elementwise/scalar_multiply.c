/* SPDX-License-Identifier: Apache-2.0 */
#include "popops/elementwise/scalar_multiply.h"

static bool is_pair(const popops_operand *halves, const popops_operand *scale)
{
    return pop_tensor_type(halves->tensor) == POP_HALF && pop_tensor_type(scale->tensor) == POP_FLOAT &&
           pop_tensor_num_elements(scale->tensor) == 1;
}

bool scalar_multiply_matches(const struct element_request *request)
{
    const popops_operand *a = &request->operands[0], *b = &request->operands[1];
    return request->arity == 2 && request->op == POPOPS_BINARY_MULTIPLY &&
           (is_pair(a, b) || (request->form != ELEMENT_IN_PLACE && is_pair(b, a)));
}

static bool are_operands(const struct element_request *request)
{
    return call_takes(request->call, "operand 1", request->operands[0].tensor) &&
           call_takes(request->call, "operand 2", request->operands[1].tensor);
}

/* Adds the vertices; where the output overlaps the halves in another order, they write to a copy of it. */
static void multiply(struct element_call *element)
{
    const struct call *call = element->call;
    char vertex[128], rows[128];
    pop_tensor wanted = element->out;
    element->in_place = pop_tensor_equal(element->given[0], element->out);
    bool copy = element_needs_copy(element);
    if (copy) {
        element_new_output(element, POP_HALF);
        element->in_place = false;
    }
    const char *in_place = element->in_place ? "InPlace" : "";
    snprintf(vertex, sizeof(vertex),
             "popops::BroadcastScalar2Types1D%sSupervisor<popops::expr::BroadcastOpType::MULTIPLY,half,float>",
             in_place);
    snprintf(rows, sizeof(rows),
             "popops::BroadcastScalar2Types2D%s<popops::expr::BroadcastOpType::MULTIPLY,half,float>", in_place);
    element->vertex = vertex;
    element->vertex_rows = rows;
    element_run(element);
    if (copy)
        call_copy(call, element->out, wanted, call->name);
    element->out = wanted;
}

pop_tensor scalar_multiply_serve(const struct element_request *request)
{
    static const char *const fields[] = { "data", "B" };
    bool halves_first = is_pair(&request->operands[0], &request->operands[1]);
    double tolerance = request->tolerance ? *request->tolerance : SCALAR_MULTIPLY_TOLERANCE;
    struct element_call element = { .call = request->call,
                                    .step = "Op/Multiply",
                                    .fields = fields,
                                    .count = 2,
                                    .given = { request->operands[!halves_first].tensor,
                                               request->operands[halves_first].tensor },
                                    .number = true,
                                    .tolerance = &tolerance };
    if (!are_operands(request))
        return (pop_tensor){ 0 };
    element.out = request->form == ELEMENT_IN_PLACE ? element.given[0] : request->out;
    if (!element_match(&element))
        return (pop_tensor){ 0 };
    element.in[1] = element.given[1];
    element.scalar[0] = false; /* of two operands of one element, the halves have the output's shape */
    element.scalar[1] = true;
    if (request->form == ELEMENT_NEW)
        element_new_output(&element, POP_HALF);
    else if (!element_check_output(&element, POP_HALF))
        return (pop_tensor){ 0 };
    multiply(&element);
    return element.out;
}
