/* SPDX-License-Identifier: Apache-2.0 */
/* Collectives of replicas: checks, the choice of a method, and the shapes of results. */
#include "popops/collectives/collectives.h"

#include "poplibs/log.h"
#include "poplibs/options.h"

#include <math.h>
#include <poplar/profile.h>
#include <popops/element_wise.h>
#include <poputil/util.h>

#include <stdlib.h>

/* Parses GCL_OPTIONS, a JSON object of options, which override those of the program. */
static bool parse_environment(const struct call *call, const struct poplibs_option *table, size_t rows,
                              struct collective_options *options)
{
    enum { MAX_OPTIONS = 32 };
    const char *text = getenv("GCL_OPTIONS");
    pop_profile_value map = { 0 };
    pop_error error = { 0 };
    pop_option list[MAX_OPTIONS];
    if (!text || !*text)
        return true;
    if (pop_profile_read_json(text, strlen(text), &map, &error) != POP_OK || map.type != POP_PROFILE_MAP) {
        pop_profile_free(&map);
        return call_fail(call, POP_INVALID_OPTION,
                         "the environment variable GCL_OPTIONS is not a JSON object of options: %s",
                         *error.text ? error.text : "it is another value");
    }
    size_t count = pop_profile_size(&map) < MAX_OPTIONS ? pop_profile_size(&map) : MAX_OPTIONS;
    for (size_t i = 0; i < count; ++i)
        list[i] = (pop_option){ pop_profile_key(&map, i), pop_profile_as_string(pop_profile_item(&map, i)) };
    bool good = call_parse_options(call, (pop_options){ list, count }, table, rows, options);
    pop_profile_free(&map);
    return good;
}

bool collective_check(const struct call *call, pop_tensor data, pop_options given, struct collective_options *options)
{
    static const struct poplibs_option table[] = {
#define COLLECTIVE_OPTION(...) POPLIBS_ROW(struct collective_options, __VA_ARGS__)
#include "poplibs/options.def"
    };
    enum { ROWS = sizeof(table) / sizeof(table[0]) };
    return call_ready(call) && call_takes(call, "the data", data) &&
           call_read_options(call, given, table, ROWS, options) && parse_environment(call, table, ROWS, options);
}

bool collective_check_operation(const struct call *call, popops_operation op)
{
    return (unsigned)op < POPOPS_OPERATIONS || call_fail(call, POP_POPLAR_ERROR, "%d is not an operation", (int)op);
}

bool collective_operator_of(const struct call *call, popops_operation op, popops_collective_operator *as)
{
    static const popops_collective_operator operators[POPOPS_OPERATIONS] = {
#define REDUCE_OPERATION(constant, ...) [POPOPS_##constant] = POPOPS_COLLECTIVE_##constant,
#include "popops/reduce/operations.def"
#undef REDUCE_OPERATION
    };
    if (!call_ready(call) || !collective_check_operation(call, op))
        return false;
    *as = operators[op];
    return true;
}

static bool check_group(struct collective *c)
{
    unsigned stride = c->group.stride ? c->group.stride : 1;
    c->replicas = pop_graph_replication_factor(c->call->graph);
    c->members = c->group.type == POPOPS_GROUP_ALL ? c->replicas : c->group.size;
    if ((unsigned)c->group.type > POPOPS_GROUP_ORTHOGONAL)
        return call_fail(c->call, POP_POPLAR_ERROR, "%d is not a group type", (int)c->group.type);
    unsigned long long block =
        (unsigned long long)c->members * (c->group.type == POPOPS_GROUP_CONSECUTIVE ? stride : 1);
    return (block && c->replicas % block == 0) ||
           call_fail(c->call, POP_POPLAR_ERROR,
                     "groups of %u members with stride %u do not divide the graph's %u replicas", c->members, stride,
                     c->replicas);
}

/* Opens the context of a call; `path` must outlive it.  False, with an error recorded, for invalid arguments. */
static bool open_call(const struct call *call, struct collective *c, pop_tensor data, popops_collective_operator op,
                      popops_replica_group group, const char *path, pop_options given)
{
    struct collective_options options;
    *c = (struct collective){ .call = call, .path = path, .op = op, .group = group };
    if (!collective_check(call, data, given, &options) || !combine_check(call, op, pop_tensor_type(data)) ||
        !check_group(c))
        return false;
    c->method = (enum collective_method)options.method;
    c->max_broadcast = options.max_broadcast;
    return true;
}

/* ---- costs ---- */

/* Cycles of the tiles, in addition to syncs and links, measured on 2 to 16 IPUs: one pass of a ring begins with copies;
 * each lane of its step has an index, a slice and a sum; a step of a tree is one sum; a broadcast sums the parts of all
 * members. */
enum { PASS_CYCLES = 1750, LANE_CYCLES = 1750, TREE_CYCLES = 550, MEMBER_CYCLES = 1100 };

/* How a ring moves its fragments: the number of lanes that each step handles one after the other, and the share of the
 * bytes that one direction of the links carries. */
struct ring {
    unsigned steps;
    double lanes, share;
};
static double ring_cycles(const struct collective *c, unsigned passes, struct ring ring, double bytes)
{
    struct group_cost cost = group_cost_of(c);
    double share = c->members > 2 ? ring.share : 1; /* two members share the links of one card */
    return passes * (PASS_CYCLES + ring.steps * (cost.sync + LANE_CYCLES * ring.lanes + bytes * share / cost.rate));
}

/* A pair at each distance: half of the members send across the middle; the two IPUs of a card have twice as many
 * links. */
static double tree_cycles(const struct collective *c, double bytes)
{
    struct group_cost cost = group_cost_of(c);
    double cycles = 0;
    for (unsigned distance = 1; distance < c->members; distance *= 2)
        cycles += cost.sync + TREE_CYCLES + bytes * distance / 2.0 / cost.rate;
    return cycles;
}
/* n^2 / 8 of the copies from each to all take their shortest path over one gap. */
static double broadcast_cycles(const struct collective *c, double bytes)
{
    struct group_cost cost = group_cost_of(c);
    double n = c->members;
    return cost.sync + MEMBER_CYCLES * n + bytes * n * n / 8 / cost.rate;
}

/* Chooses the method for `passes` rounds of a ring (a reduction and a gather are two). */
static void choose(struct collective *c, pop_tensor data, size_t fragment, unsigned passes, bool tree)
{
    double bytes = (double)fragment * (double)pop_type_size(pop_tensor_type(data)), all = bytes * c->members;
    bool commutes = combine_commutes(c->op, pop_tensor_type(data));
    if (c->method == METHOD_AUTO) {
        unsigned around = c->members - 1;
        double none = INFINITY, min = none;
        const struct {
            enum collective_method method;
            double cycles;
        } methods[] = {
            { METHOD_BIDIRECTIONAL, ring_cycles(c, passes, (struct ring){ around, 2.5, 0.5 }, bytes) },
            { METHOD_CLOCKWISE, ring_cycles(c, passes, (struct ring){ around, 1, 1 }, bytes) },
            { METHOD_MEET_IN_MIDDLE, ring_cycles(c, passes, (struct ring){ c->members / 2, 1.9, 1 }, bytes) },
            { METHOD_QUAD, c->members % 2 ? none : ring_cycles(c, passes, (struct ring){ around, 5.2, 0.5 }, bytes) },
            { METHOD_TREE, tree && commutes ? tree_cycles(c, all) : none },
            { METHOD_BROADCAST, tree && all * c->members <= c->max_broadcast ? broadcast_cycles(c, all) : none },
        };
        for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); ++i)
            if (i == 0 || methods[i].cycles < min) {
                min = methods[i].cycles;
                c->method = methods[i].method;
            }
    }
    if ((c->method == METHOD_TREE && (!tree || !commutes)) || (c->method == METHOD_BROADCAST && !tree))
        c->method = METHOD_BIDIRECTIONAL;
}

/* ---- shapes ---- */

/* {members, fragment} of a flattened tensor, padded with zeros at the end. */
static pop_tensor rows_of(const struct collective *c, pop_tensor flat, size_t fragment)
{
    const struct call *call = c->call;
    size_t elements = pop_tensor_num_elements(flat), all = fragment * c->members;
    if (all > elements) {
        pop_tensor zeros =
            pop_graph_add_constant_float(call->graph, pop_tensor_type(flat), POP_SHAPE(all - elements), 0, c->path);
        pop_graph_set_tile_mapping(call->graph, zeros, 0);
        flat = pop_tensor_concat(POP_TENSORS(flat, zeros), 0);
    }
    return pop_tensor_reshape(flat, POP_SHAPE(c->members, fragment));
}

static void copy(const struct collective *c, pop_tensor from, pop_tensor to)
{
    const struct call *call = c->call;
    if (call_ready(call))
        call_copy(call, from, to, c->path);
}

static pop_tensor clone_of(const struct collective *c, pop_tensor t)
{
    const struct call *call = c->call;
    return pop_graph_clone(call->graph, POP_TYPE_NULL, t, POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES, c->path);
}

static bool is_alone(const struct collective *c, pop_tensor data)
{
    return c->members == 1 || c->op == POPOPS_COLLECTIVE_LOCAL || !pop_tensor_num_elements(data);
}

/* data reduced and flattened. */
static pop_tensor reduce_all(struct collective *c, pop_tensor data)
{
    const struct call *call = c->call;
    pop_tensor flat = pop_tensor_flatten(combine_prepare(c, data));
    size_t elements = pop_tensor_num_elements(flat), fragment = poplibs_ceil_div(elements, c->members);
    if (is_alone(c, data)) /* an operator may square the elements even with one member */
        return flat;
    choose(c, data, fragment, 2, true);
    pop_tensor all;
    if (c->method == METHOD_TREE || c->method == METHOD_BROADCAST) {
        all = c->method == METHOD_TREE ? tree_all_reduce(c, flat) : direct_all_reduce(c, flat);
        combine_finish(c, all);
        return all;
    }
    pop_tensor own = ring_reduce_scatter(c, rows_of(c, flat, fragment));
    if (!call_ready(call))
        return own;
    combine_finish(c, own);
    all = pop_tensor_flatten(ring_all_gather(c, own));
    return call_ready(call) ? pop_tensor_slice(all, 0, elements, 0) : all;
}

static void all_reduce(struct collective *c, pop_tensor data, pop_tensor output)
{
    const struct call *call = c->call;
    char shapes[2][128];
    if (!poplibs_shapes_equal(data, output) || pop_tensor_type(data) != pop_tensor_type(output)) {
        call_fail(call, POP_POPLAR_ERROR, "the output is %s %s, the data %s %s: they must be the same",
                  pop_type_name(pop_tensor_type(output)), poplibs_shape_of(shapes[0], sizeof(shapes[0]), output),
                  pop_type_name(pop_tensor_type(data)), poplibs_shape_of(shapes[1], sizeof(shapes[1]), data));
        return;
    }
    pop_tensor reduced = reduce_all(c, data);
    if (call_ready(call))
        copy(c, reduced, pop_tensor_flatten(output));
}

/* ---- the calls ---- */

pop_tensor collective_all_reduce(const struct call *call, pop_tensor data, popops_collective_operator op,
                                 popops_replica_group group)
{
    struct collective c;
    if (!open_call(call, &c, data, op, group, call_path(call, call->name, "AllReduce"), call->options))
        return (pop_tensor){ 0 };
    pop_tensor output = clone_of(&c, data);
    all_reduce(&c, data, output);
    return call_ready(call) ? output : (pop_tensor){ 0 };
}

void collective_all_reduce_to(const struct call *call, pop_tensor data, pop_tensor output,
                              popops_collective_operator op, popops_replica_group group)
{
    struct collective c;
    if (open_call(call, &c, data, op, group, call_path(call, call->name, "AllReduce"), call->options) &&
        call_takes(call, "the output", output))
        all_reduce(&c, data, output);
}

pop_tensor collective_reduce_scatter(const struct call *call, pop_tensor data, popops_collective_operator op,
                                     popops_replica_group group)
{
    struct collective c;
    if (!open_call(call, &c, data, op, group, call_path(call, call->name, "ReduceScatter"), call->options))
        return (pop_tensor){ 0 };
    if (pop_tensor_rank(data) != 1) {
        call_fail(call, POP_POPLAR_ERROR, "a tensor of rank %zu; it must be of rank 1", pop_tensor_rank(data));
        return (pop_tensor){ 0 };
    }
    size_t fragment = poplibs_ceil_div(pop_tensor_num_elements(data), c.members);
    pop_tensor rows = rows_of(&c, combine_prepare(&c, data), fragment), own;
    if (op == POPOPS_COLLECTIVE_LOCAL && c.members > 1 && fragment) {
        own = own_row(&c, rows);
    } else if (is_alone(&c, data)) {
        own = clone_of(&c, data);
        copy(&c, pop_tensor_flatten(rows), own);
    } else {
        choose(&c, data, fragment, 1, false);
        own = ring_reduce_scatter(&c, rows);
        if (call_ready(call))
            combine_finish(&c, own);
    }
    return call_ready(call) ? own : (pop_tensor){ 0 };
}

/* Views {members, elements} as {members, data's shape}. */
static pop_tensor with_shape(const struct collective *c, pop_tensor rows, pop_tensor data)
{
    const struct call *call = c->call;
    size_t rank = pop_tensor_rank(data), *dims = poplibs_new(rank + 1, sizeof(*dims));
    dims[0] = c->members;
    for (size_t i = 0; i < rank; ++i)
        dims[i + 1] = pop_tensor_dim(data, (unsigned)i);
    pop_tensor shaped = pop_tensor_reshape(rows, (pop_shape){ rank + 1, dims });
    free(dims);
    return shaped;
}

pop_tensor collective_all_gather(const struct call *call, pop_tensor data, popops_replica_group group)
{
    struct collective c;
    if (!open_call(call, &c, data, POPOPS_COLLECTIVE_LOCAL, group, call_path(call, call->name, "AllGather"),
                   call->options))
        return (pop_tensor){ 0 };
    pop_tensor flat = pop_tensor_flatten(data), rows;
    if (c.members == 1 || !pop_tensor_num_elements(data)) {
        pop_tensor same = clone_of(&c, data);
        copy(&c, data, same);
        rows = pop_tensor_broadcast(pop_tensor_expand(same, POP_DIMS(0)), c.members, 0);
    } else {
        choose(&c, data, pop_tensor_num_elements(data), 1, true);
        rows = c.method == METHOD_BROADCAST || c.method == METHOD_TREE ? direct_all_gather(&c, flat)
                                                                       : ring_all_gather(&c, flat);
    }
    return call_ready(call) ? with_shape(&c, rows, data) : (pop_tensor){ 0 };
}

pop_tensor collective_all_to_all(const struct call *call, pop_tensor data, popops_replica_group group)
{
    struct collective c;
    if (!open_call(call, &c, data, POPOPS_COLLECTIVE_LOCAL, group, call_path(call, call->name, "AllToAll"),
                   call->options))
        return (pop_tensor){ 0 };
    if (!pop_tensor_rank(data) || pop_tensor_dim(data, 0) != c.members) {
        call_fail(call, POP_POPLAR_ERROR, "the outer dimension is %zu; it must be the number of replicas, %u",
                  pop_tensor_rank(data) ? pop_tensor_dim(data, 0) : 0, c.members);
        return (pop_tensor){ 0 };
    }
    pop_tensor output = clone_of(&c, data);
    size_t columns = pop_tensor_num_elements(data) / c.members;
    pop_tensor rows = pop_tensor_reshape(data, POP_SHAPE(c.members, columns));
    if (c.members > 1 && columns)
        rows = direct_all_to_all(&c, rows);
    if (call_ready(call))
        copy(&c, pop_tensor_flatten(rows), pop_tensor_flatten(output));
    return call_ready(call) ? output : (pop_tensor){ 0 };
}

pop_tensor popops_group_all_reduce_at(pop_where where, pop_graph *graph, pop_tensor data, popops_collective_operator op,
                                      popops_replica_group group, pop_program sequence, const char *name,
                                      pop_options options)
{
    POPLIBS_CALL_IN(sequence, graph, data, log_name(popops_collective_operator_name(op)), group.size, name, options);
    return collective_all_reduce(call, data, op, group);
}

void popops_group_all_reduce_with_output_at(pop_where where, pop_graph *graph, pop_tensor data, pop_tensor output,
                                            popops_collective_operator op, popops_replica_group group,
                                            pop_program sequence, const char *name, pop_options options)
{
    POPLIBS_CALL_IN(sequence, graph, data, output, log_name(popops_collective_operator_name(op)), group.size, name,
                    options);
    collective_all_reduce_to(call, data, output, op, group);
}

pop_tensor popops_group_reduce_scatter_at(pop_where where, pop_graph *graph, pop_tensor data,
                                          popops_collective_operator op, popops_replica_group group,
                                          pop_program sequence, const char *name, pop_options options)
{
    POPLIBS_CALL_IN(sequence, graph, data, log_name(popops_collective_operator_name(op)), group.size, name, options);
    return collective_reduce_scatter(call, data, op, group);
}

pop_tensor popops_group_all_gather_at(pop_where where, pop_graph *graph, pop_tensor data, popops_replica_group group,
                                      pop_program sequence, const char *name, pop_options options)
{
    POPLIBS_CALL_IN(sequence, graph, data, group.size, name, options);
    return collective_all_gather(call, data, group);
}

pop_tensor popops_group_all_to_all_at(pop_where where, pop_graph *graph, pop_tensor data, popops_replica_group group,
                                      pop_program sequence, const char *name, pop_options options)
{
    POPLIBS_CALL_IN(sequence, graph, data, group.size, name, options);
    return collective_all_to_all(call, data, group);
}

pop_tensor popops_group_broadcast_at(pop_where where, pop_graph *graph, pop_tensor data, unsigned root,
                                     popops_replica_group group, pop_program sequence, const char *name,
                                     pop_options options)
{
    POPLIBS_CALL_IN(sequence, graph, data, root, group.size, name, options);
    struct collective c;
    if (!open_call(call, &c, data, POPOPS_COLLECTIVE_LOCAL, group, call_path(call, name, "Broadcast"), options))
        return (pop_tensor){ 0 };
    if (root >= c.members) {
        call_fail(call, POP_POPLAR_ERROR, "there is no member %u: groups have %u (0 to %u)", root, c.members,
                  c.members - 1);
        return (pop_tensor){ 0 };
    }
    pop_tensor own = tree_broadcast(&c, data, root);
    return call_ready(call) ? own : (pop_tensor){ 0 };
}
