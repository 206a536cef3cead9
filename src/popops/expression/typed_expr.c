/* SPDX-License-Identifier: Apache-2.0 */
/* Resolution of an expression's nodes: their operands and types. */
#include "popops/expression/typed_expr.h"

struct typing {
    const struct call *call;
    struct typed_expr *expr;
};

static bool is_node(const popops_expr_node *node)
{
    if (node->kind == POPOPS_EXPR_CAST || (node->kind == POPOPS_EXPR_CONST && node->type != POP_TYPE_NULL))
        return pop_type_is_supported(node->type);
    if (node->kind == POPOPS_EXPR_CONST)
        return pop_type_is_supported((pop_type)node->op);
    return node->kind < POPOPS_EXPR_CONST || (node->kind <= POPOPS_EXPR_TERNARY && node->op >= 0 &&
                                              node->op < operator_count((int)(node->kind - POPOPS_EXPR_UNARY) + 1));
}

/* Finds each node's operands in a list that has nodes after their operands. */
static bool link_nodes(const struct typing *typing, popops_expr given)
{
    struct typed_expr *expr = typing->expr;
    size_t *stack = poplibs_new(given.count, sizeof(*stack)), depth = 0;
    bool tree = given.count > 0;
    for (size_t i = 0; i < given.count && tree; ++i) {
        struct typed_node *node = &expr->nodes[i];
        node->given = given.nodes[i];
        if (!is_node(&node->given)) {
            tree = false;
            break;
        }
        node->operands = node->given.kind < POPOPS_EXPR_CAST    ? 0
                         : node->given.kind == POPOPS_EXPR_CAST ? 1
                                                                : (int)(node->given.kind - POPOPS_EXPR_UNARY) + 1;
        if (node->given.kind >= POPOPS_EXPR_UNARY)
            node->info = operator_of(node->operands, node->given.op);
        expr->operators += node->given.kind >= POPOPS_EXPR_CAST;
        tree = depth >= (size_t)node->operands;
        for (int k = node->operands; k-- > 0 && tree;)
            node->operand[k] = stack[--depth];
        stack[depth++] = i;
    }
    free(stack);
    if (!tree || depth != 1)
        return call_fail(typing->call, POP_POPLAR_ERROR,
                         "the nodes do not form an expression: each must have a valid kind, operator and type, and "
                         "come after its operands");
    return true;
}

static bool find_input(const struct typing *typing, pop_tensors tensors, struct typed_node *node, bool *is_used)
{
    int number = node->given.op;
    if (number < 1 || (size_t)number > tensors.count)
        return call_fail(typing->call, POP_INDEX_ERROR, "there is no tensor for placeholder _%d: the list has %zu",
                         number, tensors.count);
    char name[24];
    snprintf(name, sizeof(name), "tensor %d", number);
    if (!is_used[number] && !call_takes(typing->call, name, tensors.list[number - 1]))
        return false;
    is_used[number] = true;
    node->type = pop_tensor_type(tensors.list[number - 1]);
    return true;
}

static bool find_inputs(const struct typing *typing, pop_tensors tensors)
{
    struct typed_expr *expr = typing->expr;
    bool *is_used = poplibs_zeros(tensors.count + 1, sizeof(*is_used));
    bool good = true;
    for (size_t i = 0; i < expr->count && good; ++i)
        if (expr->nodes[i].given.kind == POPOPS_EXPR_PLACEHOLDER)
            good = find_input(typing, tensors, &expr->nodes[i], is_used);
    expr->used = poplibs_new(tensors.count + 1, sizeof(*expr->used));
    for (size_t number = 1; number <= tensors.count; ++number)
        if (is_used[number])
            expr->used[expr->inputs++] = (int)number;
    free(is_used);
    if (!good)
        return false;
    if (!expr->inputs)
        return call_fail(typing->call, POP_POPLAR_ERROR,
                         "the expression has no placeholder; at least one is needed to determine the shape");
    return true;
}

/* Sets the type of a value that has none yet: a number, or an operator on numbers. */
static bool set_type(const struct typing *typing, size_t at, pop_type type)
{
    struct typed_node *node = &typing->expr->nodes[at];
    if (node->type != POP_TYPE_NULL)
        return true;
    node->type = type;
    if (node->given.kind == POPOPS_EXPR_CONST) {
        double real = node->given.value.value.real;
        if (node->given.value.value_type == POP_DOUBLE && !pop_type_is_floating_point(type) &&
            real != __builtin_trunc(real))
            return call_fail(typing->call, POP_TYPE_ERROR,
                             "the number %g cannot be represented as %s, the type of the operand beside it", real,
                             pop_type_name(type));
        return true;
    }
    if (!operator_takes(node->info, type))
        return call_fail(typing->call, POP_TYPE_ERROR, "%s does not take %s", node->info->name, pop_type_name(type));
    for (int k = 0; k < node->operands; ++k)
        if (!set_type(typing, node->operand[k], type))
            return false;
    return true;
}
/* The type of a value that no neighbour determines. */
static pop_type fallback(const struct typed_expr *expr, size_t at)
{
    const struct typed_node *node = &expr->nodes[at];
    if (node->type != POP_TYPE_NULL)
        return node->type;
    return node->given.kind == POPOPS_EXPR_CONST ? (pop_type)node->given.op : fallback(expr, node->operand[0]);
}

static bool is_condition(const struct typed_node *node, int operand)
{
    return node->given.kind == POPOPS_EXPR_TERNARY && node->given.op == POPOPS_TERNARY_SELECT && operand == 2;
}

static bool type_operator(const struct typing *typing, struct typed_node *node)
{
    struct typed_expr *expr = typing->expr;
    pop_type type = POP_TYPE_NULL;
    for (int k = 0; k < node->operands; ++k) {
        pop_type seen = expr->nodes[node->operand[k]].type;
        if (is_condition(node, k) && !set_type(typing, node->operand[k], POP_BOOL))
            return false;
        if (is_condition(node, k) && seen != POP_BOOL && seen != POP_TYPE_NULL)
            return call_fail(typing->call, POP_TYPE_ERROR, "the condition of select is %s, not bool",
                             pop_type_name(seen));
        if (is_condition(node, k) || seen == POP_TYPE_NULL)
            continue;
        if (type != POP_TYPE_NULL && seen != type)
            return call_fail(typing->call, POP_TYPE_ERROR, "operands of %s are %s and %s: they must have the same type",
                             node->info->name, pop_type_name(type), pop_type_name(seen));
        type = seen;
    }
    if (type == POP_TYPE_NULL && !node->info->boolean)
        return true; /* numbers only: the node that uses the result determines the type */
    type = type == POP_TYPE_NULL ? fallback(expr, node->operand[0]) : type;
    if (!operator_takes(node->info, type))
        return call_fail(typing->call, POP_TYPE_ERROR, "%s does not take %s", node->info->name, pop_type_name(type));
    for (int k = 0; k < node->operands; ++k)
        if (!set_type(typing, node->operand[k], type))
            return false;
    node->type = operator_result(node->info, type);
    return true;
}

bool expr_type(const struct call *call, popops_expr expr, pop_tensors tensors, struct typed_expr *typed)
{
    *typed = (struct typed_expr){ .nodes = poplibs_zeros(expr.count, sizeof(*typed->nodes)), .count = expr.count };
    const struct typing typing = { call, typed };
    bool good = link_nodes(&typing, expr) && find_inputs(&typing, tensors);
    for (size_t i = 0; i < typed->count && good; ++i) {
        struct typed_node *node = &typed->nodes[i];
        if (node->given.kind == POPOPS_EXPR_CONST)
            node->type = node->given.type;
        else if (node->given.kind == POPOPS_EXPR_CAST &&
                 (good = set_type(&typing, node->operand[0], fallback(typed, node->operand[0]))))
            node->type = node->given.type;
        else if (node->given.kind >= POPOPS_EXPR_UNARY)
            good = type_operator(&typing, node);
    }
    if (good && set_type(&typing, typed->count - 1, fallback(typed, typed->count - 1)))
        return true;
    expr_free(typed);
    return false;
}

void expr_free(struct typed_expr *typed)
{
    free(typed->nodes);
    free(typed->used);
    typed->nodes = NULL;
    typed->used = NULL;
}

int expr_input(const struct typed_expr *typed, int placeholder)
{
    int place = 0;
    while (typed->used[place] != placeholder)
        ++place;
    return place;
}
