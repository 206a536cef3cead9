/* SPDX-License-Identifier: Apache-2.0 */
/* use: which nodes, functions and compute sets the control programs reach.
 * Errors: null and foreign programs, recursion. */
#include "compiler/check/check.h"
#include "compiler/common/compiler.h"

#include <assert.h>

enum color { WHITE = 0, OPEN, DONE };

/* An explicit stack, because programs may nest to any depth. */
struct program_walk {
    struct compiler *c;
    struct use_result *use;
    uint8_t *color; /* by node */
    VEC(struct {
        uint32_t node;
        size_t next;
    })
    stack;
};

static const struct program_node *node_at(const struct compiler *c, uint32_t node)
{
    return c->store->programs.data[node];
}

static void use_set(struct use_result *use, uint32_t set)
{
    assert(use->sets.count <= set || use->set_of[set] == NONE || use->sets.data[use->set_of[set]] == set);
    if (use->set_of[set] != NONE)
        return;
    use->set_of[set] = (uint32_t)use->sets.count;
    *vec_push(&use->sets) = set;
}

static void open_node(struct program_walk *walk, uint32_t node)
{
    assert(walk->color[node] == WHITE);
    const struct program_node *n = node_at(walk->c, node);
    walk->color[node] = OPEN;
    if (n->kind == PROGRAM_EXECUTE)
        use_set(walk->use, n->object);
    vec_reserve(&walk->stack, 1);
    walk->stack.data[walk->stack.count].node = node;
    walk->stack.data[walk->stack.count++].next = 0;
}

bool use_child(const struct compiler *c, const struct program_node *n, size_t i, uint32_t *child)
{
    if (n->kind == PROGRAM_CALL) {
        *child = c->store->functions.data[n->object].program;
        return i == 0;
    }
    if (i >= n->children.count)
        return false;
    *child = n->children.data[i];
    return true;
}

static bool visit(struct program_walk *walk, uint32_t root)
{
    struct compiler *c = walk->c;
    if (walk->color[root] == WHITE)
        open_node(walk, root);
    while (walk->stack.count) {
        size_t top = walk->stack.count - 1;
        const struct program_node *n = node_at(c, walk->stack.data[top].node);
        uint32_t child;
        if (!use_child(c, n, walk->stack.data[top].next++, &child)) {
            walk->color[walk->stack.data[top].node] = DONE;
            *vec_push(&walk->use->finished) = walk->stack.data[top].node;
            --walk->stack.count;
            continue;
        }
        if (child == NO_PROGRAM)
            continue;
        ++walk->use->references[child];
        if (walk->color[child] == OPEN)
            return compiler_fail(c, POP_GRAPH_RECURSION_ERROR, n->where, store_name(c->store, n->name),
                                 n->kind == PROGRAM_CALL
                                     ? "this %s runs a function that is being called already: functions cannot recurse"
                                     : "this %s contains itself",
                                 program_kind_name((enum program_kind)n->kind));
        if (walk->color[child] == WHITE)
            open_node(walk, child);
    }
    return true;
}

const struct use_result *pass_use(struct compiler *c)
{
    const pop_store *store = c->store;
    struct use_result *use = ARENA_NEW(&c->arena, struct use_result);
    arena_adopt_vec(&c->arena, &use->finished);
    arena_adopt_vec(&c->arena, &use->sets);
    use->references = arena_zero(&c->arena, store->programs.count, sizeof(*use->references));
    use->set_of = arena_alloc(&c->arena, store->sets.count * sizeof(*use->set_of));
    for (size_t i = 0; i < store->sets.count; ++i)
        use->set_of[i] = NONE;
    struct program_walk walk = { .c = c, .use = use, .color = mem_zero(store->programs.count, 1) };
    bool good = true;
    for (size_t i = 0; good && i < c->program_count; ++i) {
        if (!program_node(store, c->programs[i])) {
            good = compiler_fail(c, POP_CONTROL_PROGRAM_ERROR, 0, NULL, "control program %zu %s", i,
                                 c->programs[i].id ? "belongs to another graph" : "is a null program");
            break;
        }
        ++use->references[c->programs[i].id - 1];
        good = visit(&walk, c->programs[i].id - 1);
    }
    assert(!walk.stack.count || !good); /* an error ends the walk */
    vec_free(&walk.stack);
    free(walk.color);
    return good ? use : NULL;
}
