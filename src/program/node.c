/* SPDX-License-Identifier: Apache-2.0 */
/* Program nodes: their storage, and the checks that every class makes of its operands. */
#include "program/node.h"

#include "base/log.h"

#include <assert.h>

struct program_node *program_node(const pop_store *store, pop_program program)
{
    if (!program.id || program.store != store || program.id > store->programs.count)
        return NULL;
    return store->programs.data[program.id - 1];
}

const char *program_kind_name(enum program_kind kind)
{
    static const char *const names[] = {
#define PROGRAM_KIND(constant, class, way) class,
#include "program/kinds.def"
#undef PROGRAM_KIND
    };
    return (unsigned)kind < PROGRAM_KINDS ? names[kind] : "unknown program";
}

void program_nodes_free(pop_store *store)
{
    for (size_t i = 0; i < store->programs.count; ++i) {
        struct program_node *node = store->programs.data[i];
        vec_free(&node->children);
        vec_free(&node->values);
        vec_free(&node->operands);
    }
    vec_free(&store->programs);
}

struct program_node *node_add(const struct program_call *call, enum program_kind kind, const char *name,
                              pop_program *program)
{
    assert((unsigned)kind < PROGRAM_KINDS);
    pop_store *store = call->store;
    struct program_node *node = arena_alloc(&store->arena, sizeof(*node));
    memset(node, 0, sizeof(*node));
    node->kind = (uint8_t)kind;
    node->name = intern_add(&store->names, name);
    node->where = store_where(store, call->where);
    *vec_push(&store->programs) = node;
    store->programs_free = program_nodes_free;
    *program = (pop_program){ store, (uint32_t)store->programs.count };
    LOG(PROGRAM, TRACE, "%s '%s'", program_kind_name(kind), name ? name : "");
    return node;
}

bool node_check_child(const struct program_call *call, pop_program program, const char *what)
{
    if (!program.id)
        return store_fail(call->store, POP_CONTROL_PROGRAM_ERROR, call->where, call->api, "%s is a null program", what);
    if (!program_node(call->store, program))
        return store_fail(call->store, POP_CONTROL_PROGRAM_ERROR, call->where, call->api, "%s belongs to another graph",
                          what);
    return true;
}

bool node_check_tensor(const struct program_call *call, pop_tensor t, const char *what)
{
    if (!pop_tensor_valid(t))
        return store_fail(call->store, POP_CONTROL_PROGRAM_ERROR, call->where, call->api, "%s is a null tensor", what);
    if (t.store != call->store)
        return store_fail(call->store, POP_CONTROL_PROGRAM_ERROR, call->where, call->api, "%s belongs to another graph",
                          what);
    return true;
}

bool node_check_writable(const struct program_call *call, pop_tensor t, const char *what)
{
    if (!node_check_tensor(call, t, what))
        return false;
    if (pop_tensor_contains_constant(t))
        return store_fail(call->store, POP_CONTROL_PROGRAM_ERROR, call->where, call->api,
                          "%s holds constants, which cannot be written", what);
    if (pop_tensor_contains_aliases(t))
        return store_fail(
            call->store, POP_CONTROL_PROGRAM_ERROR, call->where, call->api,
            "%s holds an element more than once (broadcast or self-concatenated), so that writing it is ambiguous",
            what);
    return true;
}

bool node_check_element(const struct program_call *call, pop_tensor t, const char *what)
{
    if (!node_check_tensor(call, t, what))
        return false;
    if (pop_tensor_num_elements(t) != 1)
        return store_fail(call->store, POP_CONTROL_PROGRAM_ERROR, call->where, call->api,
                          "%s has %zu elements, it must have one", what, pop_tensor_num_elements(t));
    return true;
}

bool node_check_scalar(const struct program_call *call, pop_tensor t, const char *what)
{
    if (!node_check_element(call, t, what))
        return false;
    if (!pop_type_is_integral(pop_tensor_type(t)))
        return store_fail(call->store, POP_TYPE_ERROR, call->where, call->api,
                          "%s has type %s, it must be bool or an integer type", what,
                          pop_type_name(pop_tensor_type(t)));
    return true;
}

void node_add_child(struct program_node *node, pop_program child)
{
    assert(child.id && node->kind != PROGRAM_CALL);
    *vec_push(&node->children) = child.id - 1;
}

bool pop_program_is_empty(pop_program program)
{
    const struct program_node *node = program.store ? program_node(program.store, program) : NULL;
    return !node || ((node->kind == PROGRAM_SEQUENCE || node->kind == PROGRAM_BLOCK) && !node->children.count);
}

bool pop_program_equal(pop_program a, pop_program b)
{
    return a.id == b.id && (!a.id || a.store == b.store);
}

struct program_node *node_sequence(const struct program_call *call, pop_program sequence)
{
    if (!store_ready(call->store) || !node_check_child(call, sequence, "the sequence"))
        return NULL;
    struct program_node *node = program_node(call->store, sequence);
    if (node->kind == PROGRAM_SEQUENCE)
        return node;
    store_fail(call->store, POP_CONTROL_PROGRAM_ERROR, call->where, call->api, "a Sequence is needed here, not a %s",
               program_kind_name((enum program_kind)node->kind));
    return NULL;
}

bool node_check_programs(const struct program_call *call, const pop_program *programs, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        if (programs[i].store != call->store || !programs[i].id || programs[i].id > call->store->programs.count)
            return store_fail(call->store, POP_CONTROL_PROGRAM_ERROR, call->where, call->api, "program %zu %s", i,
                              programs[i].id ? "belongs to another graph" : "is null");
    return true;
}
