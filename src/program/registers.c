/* SPDX-License-Identifier: Apache-2.0 */
/* Registers of tiles that programs set and read: seeds of the random number generators, and floating-point flags. Each
 * is a variable that the graph makes on first use, spread over all tiles; setting and reading are copies on each tile.
 */
#include "program/registers.h"
#include "graph/graph.h"
#include "graph/store/store.h"
#include "program/node.h"

enum { SEED_WORDS = 4, FLAGS = 5, ROUNDING = 3 };

/* Row i of t on tile i of the graph. */
static void map_rows(const struct program_call *call, pop_graph *graph, pop_tensor t)
{
    for (unsigned tile = 0; tile < graph_num_tiles(graph) && store_ready(call->store); ++tile)
        pop_graph_set_tile_mapping_at(call->where, graph, pop_tensor_at_at(call->where, t, tile), tile);
}

/* A variable with a row of {dim0, dim1} for each tile of the graph. */
static pop_tensor add_rows(const struct program_call *call, pop_graph *graph, size_t dim0, size_t dim1,
                           const char *name)
{
    unsigned tiles = graph_num_tiles(graph);
    pop_tensor t = pop_graph_add_variable_at(call->where, graph, POP_UNSIGNED_INT,
                                             dim1 ? POP_SHAPE(tiles, dim0, dim1) : POP_SHAPE(tiles, dim0), name);
    map_rows(call, graph, t);
    return t;
}

/* The rows of a register that belong to the graph's tiles. */
static pop_tensor rows_of(const struct program_call *call, pop_graph *graph, pop_tensor all)
{
    if (!graph->tiles || !store_ready(call->store))
        return all;
    unsigned tiles = graph_num_tiles(graph);
    pop_tensor *rows = mem_zero(tiles, sizeof(*rows));
    for (unsigned i = 0; i < tiles; ++i)
        rows[i] = pop_tensor_slice_at(call->where, all, graph->tiles[i], (size_t)graph->tiles[i] + 1, 0);
    pop_tensor t = pop_tensor_concat_at(call->where, (pop_tensors){ tiles, rows }, 0);
    free(rows);
    return t;
}

/* Well mixed bits of a number (splitmix64). */
static uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static pop_tensor register_rows(const struct program_call *call, pop_graph *graph, uint32_t *variable, size_t dim0,
                                size_t dim1, const char *name)
{
    pop_graph *top = call->store->top;
    size_t tiles = graph_num_tiles(top), row = dim0 * (dim1 ? dim1 : 1);
    if (!*variable) {
        pop_tensor t = add_rows(call, top, dim0, dim1, name);
        uint32_t *first = mem_zero(tiles * row, sizeof(*first)); /* no exceptions, no stochastic rounding */
        for (size_t i = 0; dim1 && i < tiles * row; ++i)
            first[i] = (uint32_t)mix(i);
        pop_graph_set_initial_value_at(call->where, top, t, POP_UNSIGNED_INT, first);
        free(first);
        if (!store_ready(call->store))
            return (pop_tensor){ 0 };
        *variable = (uint32_t)call->store->variables.count;
    }
    pop_tensor all = pop_graph_variable_at(call->where, top, *variable - 1);
    return rows_of(
        call, graph,
        pop_tensor_reshape_at(call->where, all, dim1 ? POP_SHAPE(tiles, dim0, dim1) : POP_SHAPE(tiles, dim0)));
}

static pop_tensor seeds_of(const struct program_call *call, pop_graph *graph)
{
    return register_rows(call, graph, &call->store->hw_seeds, call->store->target.num_worker_contexts, SEED_WORDS,
                         "hwSeeds");
}

static pop_tensor flags_of(const struct program_call *call, pop_graph *graph)
{
    return register_rows(call, graph, &call->store->float_behaviour, FLAGS, 0, "floatingPointBehaviour");
}

void registers_make(pop_store *store)
{
    const struct program_call call = { store, NO_WHERE, "pop_compile_graph" };
    flags_of(&call, store->top);
    seeds_of(&call, store->top);
}

static void add_copy(const struct program_call *call, struct program_node *sequence, pop_tensor from, pop_tensor to,
                     const char *name)
{
    pop_program copy = pop_copy_at(call->where, from, to, false, name);
    if (copy.id)
        node_add_child(sequence, copy);
}

/* Checks that a tensor is UNSIGNED_INT with this many values per tile. */
static bool check_values(const struct program_call *call, pop_graph *graph, pop_tensor t, const char *what, size_t row)
{
    if (!node_check_tensor(call, t, what))
        return false;
    if (pop_tensor_type(t) != POP_UNSIGNED_INT)
        return store_fail(call->store, POP_TYPE_ERROR, call->where, call->api,
                          "%s has type %s, it must be unsigned int", what, pop_type_name(pop_tensor_type(t)));
    size_t elements = pop_tensor_num_elements(t), wanted = row * graph_num_tiles(graph);
    return elements == wanted || store_fail(call->store, POP_CONTROL_PROGRAM_ERROR, call->where, call->api,
                                            "%s has %zu elements, it must have %zu: %zu for each of %u tiles", what,
                                            elements, wanted, row, graph_num_tiles(graph));
}

pop_tensor pop_get_hw_seeds_at(pop_where where, pop_graph *graph, pop_program sequence, const char *name)
{
    struct program_call call = { graph ? graph->store : NULL, where, "pop_get_hw_seeds" };
    struct program_node *node = node_sequence(&call, sequence);
    if (!node)
        return (pop_tensor){ 0 };
    pop_tensor seeds =
        add_rows(&call, graph, call.store->target.num_worker_contexts, SEED_WORDS, name ? name : "getHwSeeds");
    add_copy(&call, node, seeds_of(&call, graph), seeds, name);
    return seeds;
}

void pop_set_hw_seeds_at(pop_where where, pop_graph *graph, pop_tensor seeds, pop_program sequence, const char *name)
{
    struct program_call call = { graph ? graph->store : NULL, where, "pop_set_hw_seeds" };
    struct program_node *node = node_sequence(&call, sequence);
    if (node && check_values(&call, graph, seeds, "the tensor of seeds",
                             (size_t)call.store->target.num_worker_contexts * SEED_WORDS))
        add_copy(&call, node, seeds, seeds_of(&call, graph), name);
}

/* Sets those flags of each tile that are named, in one copy. */
static void set_flags(const struct program_call *call, pop_graph *graph, struct program_node *node,
                      const bool named[FLAGS], const bool value[FLAGS], const char *name)
{
    pop_tensor flags = flags_of(call, graph), columns[FLAGS];
    unsigned tiles = graph_num_tiles(graph), count = 0;
    uint32_t *values = mem_zero((size_t)tiles * FLAGS, sizeof(*values));
    for (unsigned i = 0; i < FLAGS; ++i) {
        if (!named[i])
            continue;
        columns[count] = pop_tensor_slice_at(call->where, flags, i, i + 1, 1);
        values[count++] = value[i];
    }
    for (size_t i = count; i < (size_t)tiles * count; ++i)
        values[i] = values[i - count];
    if (count && store_ready(call->store)) {
        pop_tensor constant = pop_graph_add_constant_at(call->where, graph, POP_UNSIGNED_INT, POP_SHAPE(tiles, count),
                                                        POP_UNSIGNED_INT, values, name);
        map_rows(call, graph, constant);
        add_copy(call, node, constant, pop_tensor_concat_at(call->where, (pop_tensors){ count, columns }, 1), name);
    }
    free(values);
}

#define FLAG_LIST(b)                                                                                                   \
    {                                                                                                                  \
        (b).inv, (b).div0, (b).oflo, (b).esr, (b).nanoo                                                                \
    }

void pop_set_float_behaviour_at(pop_where where, pop_graph *graph, pop_program sequence, pop_float_behaviour behaviour,
                                const char *name)
{
    struct program_call call = { graph ? graph->store : NULL, where, "pop_set_float_behaviour" };
    static const bool all[FLAGS] = { true, true, true, true, true };
    const bool values[FLAGS] = FLAG_LIST(behaviour);
    struct program_node *node = node_sequence(&call, sequence);
    if (node)
        set_flags(&call, graph, node, all, values, name);
}

void pop_restore_float_behaviour_at(pop_where where, pop_graph *graph, pop_program sequence, pop_tensor behaviour,
                                    const char *name)
{
    struct program_call call = { graph ? graph->store : NULL, where, "pop_restore_float_behaviour" };
    struct program_node *node = node_sequence(&call, sequence);
    if (node && check_values(&call, graph, behaviour, "the behaviour", FLAGS))
        add_copy(&call, node, behaviour, flags_of(&call, graph), name);
}

pop_tensor pop_modify_float_behaviour_at(pop_where where, pop_graph *graph, pop_program sequence,
                                         pop_float_behaviour clear, pop_float_behaviour set, const char *name)
{
    struct program_call call = { graph ? graph->store : NULL, where, "pop_modify_float_behaviour" };
    const bool cleared[FLAGS] = FLAG_LIST(clear), values[FLAGS] = FLAG_LIST(set);
    bool named[FLAGS];
    struct program_node *node = node_sequence(&call, sequence);
    if (!node)
        return (pop_tensor){ 0 };
    pop_tensor before = add_rows(&call, graph, FLAGS, 0, name ? name : "floatingPointBehaviourBefore");
    add_copy(&call, node, flags_of(&call, graph), before, name);
    for (unsigned i = 0; i < FLAGS; ++i)
        named[i] = cleared[i] || values[i];
    set_flags(&call, graph, node, named, values, name);
    return before;
}

void pop_set_stochastic_rounding_at(pop_where where, pop_graph *graph, pop_program sequence, bool enable,
                                    const char *name)
{
    struct program_call call = { graph ? graph->store : NULL, where, "pop_set_stochastic_rounding" };
    static const bool named[FLAGS] = { [ROUNDING] = true };
    const bool values[FLAGS] = { [ROUNDING] = enable };
    struct program_node *node = node_sequence(&call, sequence);
    if (node)
        set_flags(&call, graph, node, named, values, name);
}
