/* SPDX-License-Identifier: Apache-2.0 */
#include "onnx/model/model.h"

#include <string.h>

enum walk_state { NEW, OPEN, DONE };

/* A depth-first walk from each node to those that it reads.  The stack is explicit: a chain may have any length. */
struct node_walk {
    tremula_onnx_model *model;
    const onnx_graph *graph;
    enum walk_state *states;
    size_t *stack, depth;
};

static bool is_of(const onnx_graph *graph, const onnx_node *node)
{
    return node >= graph->nodes && node < graph->nodes + graph->num_nodes;
}

/* The first node not yet done that a node reads from, itself or in a graph within it; NULL when there is none. */
static const onnx_node *find_undone(const struct node_walk *walk, const onnx_node *node)
{
    for (size_t i = 0; i < node->num_inputs; ++i) {
        const onnx_node *giver = walk->model->givers[node->inputs[i]];
        if (giver && is_of(walk->graph, giver) && walk->states[giver - walk->graph->nodes] != DONE)
            return giver;
    }
    for (size_t i = 0; i < node->num_attributes; ++i) {
        const onnx_graph *inner =
            node->attributes[i].kind == ONNX_ATTRIBUTE_GRAPH ? node->attributes[i].as.graph : NULL;
        for (size_t j = 0; inner && j < inner->num_nodes; ++j) {
            const onnx_node *giver = find_undone(walk, &inner->nodes[j]);
            if (giver)
                return giver;
        }
        for (size_t j = 0; inner && j < inner->num_outputs; ++j) {
            const onnx_node *giver = walk->model->givers[inner->outputs[j]];
            if (giver && is_of(walk->graph, giver) && walk->states[giver - walk->graph->nodes] != DONE)
                return giver;
        }
    }
    return NULL;
}

bool onnx_order_nodes(tremula_onnx_model *model, onnx_graph *graph, pop_error *error)
{
    onnx_arena scratch = { 0 };
    size_t count = graph->num_nodes, done = 0;
    struct node_walk walk = { model, graph, onnx_new(&scratch, count, sizeof(enum walk_state)),
                              onnx_new(&scratch, count, sizeof(size_t)), 0 };
    onnx_node *ordered = onnx_new(&model->arena, count, sizeof(*ordered));
    const onnx_node *cyclic = NULL;
    for (size_t start = 0; start < count && !cyclic; ++start) {
        if (walk.states[start] == NEW)
            walk.stack[walk.depth++] = start;
        while (walk.depth && !cyclic) {
            size_t at = walk.stack[walk.depth - 1];
            walk.states[at] = OPEN;
            const onnx_node *giver = find_undone(&walk, &graph->nodes[at]);
            size_t next = giver ? (size_t)(giver - graph->nodes) : 0;
            if (!giver) {
                walk.states[at] = DONE;
                ordered[done++] = graph->nodes[at];
                --walk.depth;
            } else if (walk.states[next] == OPEN) {
                cyclic = giver;
            } else {
                walk.stack[walk.depth++] = next;
            }
        }
    }
    onnx_arena_free(&scratch);
    if (cyclic) {
        onnx_fail(error, POP_PARSE_ERROR, "%s: node %zu '%s' (%s) reads a value that depends on its own result",
                  model->path, cyclic->number, cyclic->name, cyclic->op);
        return false;
    }
    for (size_t i = 0; i < count; ++i) /* nodes have moved */
        for (size_t j = 0; j < ordered[i].num_outputs; ++j)
            if (ordered[i].outputs[j])
                model->givers[ordered[i].outputs[j]] = &ordered[i];
    graph->nodes = ordered;
    return true;
}
