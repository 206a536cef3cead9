/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that hold other programs: Sequence, Block, Repeat, RepeatWhile, If, Switch, Call of a function. */
#include "graph/view/view.h"
#include "program/node.h"

pop_program pop_sequence_at(pop_where where, pop_graph *graph, const char *name)
{
    pop_program program = { 0 };
    struct program_call call = { graph ? graph->store : NULL, where, "pop_sequence" };
    if (store_ready(call.store))
        node_add(&call, PROGRAM_SEQUENCE, name, &program);
    return program;
}

void pop_sequence_add_at(pop_where where, pop_program sequence, pop_program program)
{
    struct program_call call = { sequence.store ? sequence.store : program.store, where, "pop_sequence_add" };
    if (!store_ready(call.store))
        return;
    if (!node_check_child(&call, sequence, "the sequence") || !node_check_child(&call, program, "the program to add"))
        return;
    struct program_node *node = program_node(call.store, sequence);
    if (node->kind != PROGRAM_SEQUENCE) {
        store_fail(call.store, POP_CONTROL_PROGRAM_ERROR, where, call.api,
                   "programs can be added to a Sequence, not to a %s",
                   program_kind_name((enum program_kind)node->kind));
        return;
    }
    if (sequence.id == program.id) {
        store_fail(call.store, POP_GRAPH_RECURSION_ERROR, where, call.api, "a sequence cannot be added to itself");
        return;
    }
    node_add_child(node, program);
}

pop_program pop_sequence_of_at(pop_where where, pop_graph *graph, pop_programs programs, const char *name)
{
    pop_program program = { 0 };
    struct program_call call = { graph ? graph->store : NULL, where, "pop_sequence_of" };
    if (!store_ready(call.store))
        return program;
    if (!store_has_list(call.store, POP_CONTROL_PROGRAM_ERROR, where, call.api, "programs", programs.count,
                        programs.list))
        return program;
    for (size_t i = 0; i < programs.count; ++i)
        if (!node_check_child(&call, programs.list[i], "a program of the list"))
            return program;
    struct program_node *node = node_add(&call, PROGRAM_SEQUENCE, name, &program);
    for (size_t i = 0; i < programs.count; ++i)
        node_add_child(node, programs.list[i]);
    return program;
}

pop_program pop_sequence_copy_at(pop_where where, pop_program sequence)
{
    pop_program program = { 0 };
    struct program_call call = { sequence.store, where, "pop_sequence_copy" };
    if (!store_ready(call.store) || !node_check_child(&call, sequence, "the sequence"))
        return program;
    const struct program_node *from = program_node(call.store, sequence);
    if (from->kind != PROGRAM_SEQUENCE) {
        store_fail(call.store, POP_CONTROL_PROGRAM_ERROR, where, call.api, "a Sequence can be copied, not a %s",
                   program_kind_name((enum program_kind)from->kind));
        return program;
    }
    struct program_node *node = node_add(&call, PROGRAM_SEQUENCE, NULL, &program);
    node->name = from->name;
    for (size_t i = 0; i < from->children.count; ++i)
        *vec_push(&node->children) = from->children.data[i];
    return program;
}

pop_program pop_block_at(pop_where where, pop_program body, const char *name)
{
    pop_program program = { 0 };
    struct program_call call = { body.store, where, "pop_block" };
    if (store_ready(call.store) && node_check_child(&call, body, "the block's program"))
        node_add_child(node_add(&call, PROGRAM_BLOCK, name, &program), body);
    return program;
}

pop_program pop_repeat_at(pop_where where, unsigned count, pop_program body, const char *name)
{
    pop_program program = { 0 };
    struct program_call call = { body.store, where, "pop_repeat" };
    if (!store_ready(call.store) || !node_check_child(&call, body, "the body"))
        return program;
    struct program_node *node = node_add(&call, PROGRAM_REPEAT, name, &program);
    node->count = count;
    node_add_child(node, body);
    return program;
}

static pop_program repeat_while(const struct program_call *call, enum program_kind kind, pop_program condition,
                                pop_tensor predicate, pop_program body, const char *name)
{
    pop_program program = { 0 };
    if (!store_ready(call->store) || !node_check_child(call, condition, "the condition") ||
        !node_check_child(call, body, "the body") || !node_check_scalar(call, predicate, "the predicate"))
        return program;
    struct program_node *node = node_add(call, kind, name, &program);
    node->control = view_keep(predicate);
    node_add_child(node, condition);
    node_add_child(node, body);
    return program;
}

pop_program pop_repeat_while_true_at(pop_where where, pop_program condition, pop_tensor predicate, pop_program body,
                                     const char *name)
{
    struct program_call call = { predicate.store ? predicate.store
                                 : body.store    ? body.store
                                                 : condition.store,
                                 where, "pop_repeat_while_true" };
    return repeat_while(&call, PROGRAM_WHILE_TRUE, condition, predicate, body, name);
}

pop_program pop_repeat_while_false_at(pop_where where, pop_program condition, pop_tensor predicate, pop_program body,
                                      const char *name)
{
    struct program_call call = { predicate.store ? predicate.store
                                 : body.store    ? body.store
                                                 : condition.store,
                                 where, "pop_repeat_while_false" };
    return repeat_while(&call, PROGRAM_WHILE_FALSE, condition, predicate, body, name);
}

pop_program pop_if_at(pop_where where, pop_tensor predicate, pop_program then_program, pop_program else_program,
                      const char *name)
{
    pop_program program = { 0 };
    struct program_call call = { predicate.store ? predicate.store : then_program.store, where, "pop_if" };
    if (!store_ready(call.store) || !node_check_scalar(&call, predicate, "the predicate") ||
        !node_check_child(&call, then_program, "the program for true") ||
        !node_check_child(&call, else_program, "the program for false"))
        return program;
    struct program_node *node = node_add(&call, PROGRAM_IF, name, &program);
    node->control = view_keep(predicate);
    node_add_child(node, then_program);
    node_add_child(node, else_program);
    return program;
}

pop_program pop_switch_at(pop_where where, pop_tensor control, const char *name)
{
    pop_program program = { 0 };
    struct program_call call = { control.store, where, "pop_switch" };
    if (!store_ready(call.store) || !node_check_scalar(&call, control, "the control"))
        return program;
    pop_type type = pop_tensor_type(control);
    if (type != POP_INT && type != POP_UNSIGNED_INT) {
        store_fail(call.store, POP_TYPE_ERROR, where, call.api,
                   "the control has type %s, it must be int or unsigned int", pop_type_name(type));
        return program;
    }
    struct program_node *node = node_add(&call, PROGRAM_SWITCH, name, &program);
    node->control = view_keep(control);
    *vec_push(&node->children) = NO_PROGRAM;
    return program;
}

/* The switch's node, or NULL and the error recorded. */
static struct program_node *switch_node(const struct program_call *call, pop_program program)
{
    if (!store_ready(call->store) || !node_check_child(call, program, "the switch"))
        return NULL;
    struct program_node *node = program_node(call->store, program);
    if (node->kind == PROGRAM_SWITCH)
        return node;
    store_fail(call->store, POP_CONTROL_PROGRAM_ERROR, call->where, call->api,
               "cases can be added to a Switch, not to a %s", program_kind_name((enum program_kind)node->kind));
    return NULL;
}

void pop_switch_add_at(pop_where where, pop_program switch_program, int32_t value, pop_program program)
{
    struct program_call call = { switch_program.store ? switch_program.store : program.store, where, "pop_switch_add" };
    struct program_node *node = switch_node(&call, switch_program);
    if (!node || !node_check_child(&call, program, "the case's program"))
        return;
    for (size_t i = 0; i < node->values.count; ++i)
        if (node->values.data[i] == value) {
            store_fail(call.store, POP_CONTROL_PROGRAM_ERROR, where, call.api, "the switch has a case for %d already",
                       (int)value);
            return;
        }
    *vec_push(&node->values) = value;
    node_add_child(node, program);
}

void pop_switch_default_at(pop_where where, pop_program switch_program, pop_program program)
{
    struct program_call call = { switch_program.store ? switch_program.store : program.store, where,
                                 "pop_switch_default" };
    struct program_node *node = switch_node(&call, switch_program);
    if (node && node_check_child(&call, program, "the default program")) {
        node->children.data[0] = program.id - 1;
        node->flag = false;
    }
}

void pop_switch_unreachable_default_at(pop_where where, pop_program switch_program)
{
    struct program_call call = { switch_program.store, where, "pop_switch_unreachable_default" };
    struct program_node *node = switch_node(&call, switch_program);
    if (node) {
        node->children.data[0] = NO_PROGRAM;
        node->flag = true;
    }
}

pop_program pop_call_at(pop_where where, pop_function function, const char *name)
{
    pop_program program = { 0 };
    struct program_call call = { function.store, where, "pop_call" };
    if (!store_ready(call.store))
        return program;
    if (!function.id || function.id > call.store->functions.count) {
        store_fail(call.store, POP_CONTROL_PROGRAM_ERROR, where, call.api, "the function is null");
        return program;
    }
    node_add(&call, PROGRAM_CALL, name, &program)->object = function.id - 1;
    return program;
}
