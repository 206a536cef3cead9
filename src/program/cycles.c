/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that read the clocks of tiles: a stamp, and the difference of two around what a sequence holds. */
#include "graph/graph.h"
#include "graph/store/store.h"
#include "graph/view/view.h"
#include "program/node.h"

/* Checks the tile number and the sync type. */
static bool check_stamp(const struct program_call *call, pop_graph *graph, unsigned tile, pop_sync_type type,
                        const char *name)
{
    uint32_t physical;
    if (!graph_tile(graph, call->where, call->api, name, tile, &physical))
        return false;
    return (unsigned)type <= POP_SYNC_GLOBAL ||
           store_fail(call->store, POP_CONTROL_PROGRAM_ERROR, call->where, call->api,
                      "%u is not a sync type, they are 0 (internal) to 2 (global)", (unsigned)type);
}

/* A variable for a stamp, on the tile. */
static pop_tensor stamp_variable(const struct program_call *call, pop_graph *graph, unsigned tile, const char *name)
{
    pop_tensor t = pop_graph_add_variable_at(call->where, graph, POP_UNSIGNED_INT, POP_SHAPE(2), name);
    pop_graph_set_tile_mapping_at(call->where, graph, t, tile);
    return t;
}

/* start: the stamp to count from, or the null tensor. */
static pop_program stamp(const struct program_call *call, pop_graph *graph, pop_tensor start, pop_tensor t,
                         unsigned tile, const char *name)
{
    pop_program program = { 0 };
    struct program_node *node = node_add(call, PROGRAM_STAMP, name, &program);
    node->source = pop_tensor_valid(start) ? view_keep(start) : NULL;
    node->destination = view_keep(t);
    node->object = pop_graph_physical_tile(graph, tile);
    return program;
}

pop_tensor pop_cycle_stamp_at(pop_where where, pop_graph *graph, pop_program sequence, unsigned tile,
                              pop_sync_type type, const char *name)
{
    struct program_call call = { graph ? graph->store : NULL, where, "pop_cycle_stamp" };
    pop_tensor null = { 0 };
    struct program_node *node = node_sequence(&call, sequence);
    if (!node || !check_stamp(&call, graph, tile, type, name))
        return null;
    pop_tensor t = stamp_variable(&call, graph, tile, name ? name : "cycleStamp");
    pop_program sync = pop_sync_at(where, graph, type, name);
    if (!store_ready(call.store))
        return null;
    node_add_child(node, sync);
    node_add_child(node, stamp(&call, graph, null, t, tile, name));
    return t;
}

pop_tensor pop_cycle_count_at(pop_where where, pop_graph *graph, pop_program sequence, unsigned tile,
                              pop_sync_type type, const char *name)
{
    struct program_call call = { graph ? graph->store : NULL, where, "pop_cycle_count" };
    pop_tensor null = { 0 };
    struct program_node *node = node_sequence(&call, sequence);
    if (!node || !check_stamp(&call, graph, tile, type, name))
        return null;
    pop_tensor start = stamp_variable(&call, graph, tile, name ? name : "cycleCount start");
    pop_tensor t = stamp_variable(&call, graph, tile, name ? name : "cycleCount");
    pop_program sync = pop_sync_at(where, graph, type, name);
    if (!store_ready(call.store))
        return null;
    pop_program before = stamp(&call, graph, null, start, tile, name),
                after = stamp(&call, graph, start, t, tile, name);
    (void)vec_extend(&node->children, 2);
    memmove(node->children.data + 2, node->children.data, (node->children.count - 2) * sizeof(*node->children.data));
    node->children.data[0] = sync.id - 1;
    node->children.data[1] = before.id - 1;
    node_add_child(node, sync);
    node_add_child(node, after);
    return t;
}
