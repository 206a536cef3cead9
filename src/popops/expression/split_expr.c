/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions of more tensors than a vertex has fields for, in two. */
#include "popops/expression/split_expr.h"

/* The first node of the tree below a node: the list has nodes right after their operands. */
static size_t first_of(const struct typed_expr *typed, size_t node)
{
    while (typed->nodes[node].operands)
        node = typed->nodes[node].operand[0];
    return node;
}

/* How many tensors the nodes first to last read. seen is all zero, and is so again afterwards. */
static int count_inputs(const struct typed_expr *typed, size_t first, size_t last, bool *seen)
{
    int count = 0;
    for (int set = 1; set >= 0; --set)
        for (size_t i = first; i <= last; ++i)
            if (typed->nodes[i].given.kind == POPOPS_EXPR_PLACEHOLDER) {
                bool *one = &seen[typed->nodes[i].given.op];
                count += set && !*one;
                *one = set;
            }
    return count;
}

static size_t find_part(const struct typed_expr *typed, bool *seen)
{
    size_t node = 0, best = 0;
    int most = 0;
    while (count_inputs(typed, first_of(typed, node), node, seen) <= EXPR_FUSED)
        ++node;
    for (int k = 0; k < typed->nodes[node].operands; ++k) {
        size_t operand = typed->nodes[node].operand[k];
        int inputs = count_inputs(typed, first_of(typed, operand), operand, seen);
        if (inputs > most) {
            most = inputs;
            best = operand;
        }
    }
    return best;
}

/* A node as given; numbers have the type that the whole expression determines. */
static popops_expr_node node_of(const struct typed_expr *typed, size_t node)
{
    popops_expr_node given = typed->nodes[node].given;
    if (given.kind == POPOPS_EXPR_CONST)
        given.type = typed->nodes[node].type;
    return given;
}

struct expr_part expr_take_part(const struct typed_expr *typed, pop_tensors tensors)
{
    bool *seen = poplibs_zeros(tensors.count + 1, sizeof(*seen));
    size_t last = find_part(typed, seen), first = first_of(typed, last);
    free(seen);
    struct expr_part part = { .nodes = poplibs_new(typed->count, sizeof(*part.nodes)),
                              .rest = poplibs_new(typed->count, sizeof(*part.rest)),
                              .list = poplibs_new(tensors.count + 1, sizeof(*part.list)) };
    for (size_t i = 0; i < tensors.count; ++i)
        part.list[i] = tensors.list[i];
    part.tensors = (pop_tensors){ tensors.count + 1, part.list };
    for (size_t i = 0; i < typed->count; ++i) {
        bool inside = i >= first && i <= last;
        if (inside)
            part.nodes[part.count++] = node_of(typed, i);
        if (i == last)
            part.rest[part.rest_count++] =
                (popops_expr_node){ .kind = POPOPS_EXPR_PLACEHOLDER, .op = (int)tensors.count + 1 };
        else if (!inside)
            part.rest[part.rest_count++] = node_of(typed, i);
    }
    return part;
}

void expr_part_free(struct expr_part *part)
{
    free(part->nodes);
    free(part->rest);
    free(part->list);
}
