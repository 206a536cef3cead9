/* SPDX-License-Identifier: Apache-2.0 */
#include "popops/collectives/collectives.h"

#include <float.h>
#include <popops/element_wise.h>

const char *popops_collective_operator_name(popops_collective_operator op)
{
    static const char *const names[POPOPS_COLLECTIVE_OPERATORS] = {
        [POPOPS_COLLECTIVE_MEAN] = "MEAN",
        [POPOPS_COLLECTIVE_LOCAL] = "LOCAL",
#define REDUCE_OPERATION(constant, ...) [POPOPS_COLLECTIVE_##constant] = #constant,
#include "popops/reduce/operations.def"
#undef REDUCE_OPERATION
    };
    return (unsigned)op < POPOPS_COLLECTIVE_OPERATORS ? names[op] : "unknown";
}

static bool is_real(pop_type type)
{
    return type == POP_FLOAT || type == POP_HALF;
}

bool combine_check(const struct call *call, popops_collective_operator op, pop_type type)
{
    bool logical = op == POPOPS_COLLECTIVE_LOGICAL_AND || op == POPOPS_COLLECTIVE_LOGICAL_OR;
    bool real = op == POPOPS_COLLECTIVE_MEAN || op == POPOPS_COLLECTIVE_LOG_ADD;
    if ((unsigned)op >= POPOPS_COLLECTIVE_OPERATORS)
        return call_fail(call, POP_POPLAR_ERROR, "%d is not an operation", (int)op);
    if (op == POPOPS_COLLECTIVE_LOCAL || (logical ? type == POP_BOOL : type != POP_BOOL && (!real || is_real(type))))
        return true;
    return call_fail(call, POP_POPLAR_ERROR, "the operator %s does not take %s; it takes %s",
                     popops_collective_operator_name(op), pop_type_name(type),
                     logical ? "bool"
                     : real  ? "float and half"
                             : "numbers");
}

bool combine_commutes(popops_collective_operator op, pop_type type)
{
    return !is_real(type) || (op != POPOPS_COLLECTIVE_MIN && op != POPOPS_COLLECTIVE_MAX); /* 0 and -0 are equal */
}

pop_tensor combine_prepare(const struct collective *c, pop_tensor data)
{
    return c->op == POPOPS_COLLECTIVE_SQUARE_ADD
               ? popops_unary_at(c->call->where, POPOPS_UNARY_SQUARE, c->call->graph, data, c->call->sequence, c->path)
               : data;
}

static popops_operand of(pop_tensor t)
{
    return popops_operand_of_tensor(t);
}

/* log(exp a + exp b) = larger + log1p(exp(smaller - larger)), where the difference from -infinity is that from the
 * lowest finite number: -infinity, not NaN, if both are -infinity. */
static void log_add(const struct collective *c, pop_program sequence, pop_tensor a, pop_tensor b, pop_tensor out)
{
    const struct call *call = c->call;
    double lowest = pop_tensor_type(a) == POP_HALF ? -65504 : -FLT_MAX;
    pop_tensor larger =
        popops_binary_at(call->where, POPOPS_BINARY_MAXIMUM, call->graph, of(a), of(b), sequence, c->path);
    pop_tensor smaller =
        popops_binary_at(call->where, POPOPS_BINARY_MINIMUM, call->graph, of(a), of(b), sequence, c->path);
    pop_tensor finite = popops_binary_at(call->where, POPOPS_BINARY_MAXIMUM, call->graph, of(larger),
                                         popops_operand_of_double(lowest), sequence, c->path);
    popops_binary_in_place_at(call->where, POPOPS_BINARY_SUBTRACT, call->graph, of(smaller), of(finite), sequence,
                              c->path);
    popops_unary_in_place_at(call->where, POPOPS_UNARY_EXPONENT, call->graph, smaller, sequence, c->path);
    popops_unary_in_place_at(call->where, POPOPS_UNARY_LOGARITHM_ONE_PLUS, call->graph, smaller, sequence, c->path);
    popops_binary_with_output_at(call->where, POPOPS_BINARY_ADD, call->graph, of(larger), of(smaller), out, sequence,
                                 c->path);
}

void combine(const struct collective *c, pop_program sequence, pop_tensor a, pop_tensor b, pop_tensor out)
{
    static const popops_binary_op ops[] = {
        [POPOPS_COLLECTIVE_MEAN] = POPOPS_BINARY_ADD,
#define REDUCE_OPERATION(constant, vertex, cost, neutral, joins, strided, binary)                                      \
    [POPOPS_COLLECTIVE_##constant] = POPOPS_BINARY_##binary,
#include "popops/reduce/operations.def"
#undef REDUCE_OPERATION
    };
    if (c->op == POPOPS_COLLECTIVE_LOG_ADD)
        log_add(c, sequence, a, b, out);
    else if (c->op != POPOPS_COLLECTIVE_LOCAL)
        popops_binary_with_output_at(c->call->where, ops[c->op], c->call->graph, of(a), of(b), out, sequence, c->path);
}

void combine_finish(const struct collective *c, pop_tensor reduced)
{
    if (c->op == POPOPS_COLLECTIVE_MEAN)
        popops_binary_in_place_at(c->call->where, POPOPS_BINARY_MULTIPLY, c->call->graph, of(reduced),
                                  popops_operand_of_double(1.0 / c->members), c->call->sequence, c->path);
}
