/* SPDX-License-Identifier: Apache-2.0 */
/* If, Loop and Scan: loops whose number of rounds is known are unrolled. */
#include "onnx/build/build.h"

enum { MAX_ROUNDS = 4096 };

static const onnx_graph *find_graph(onnx_builder *b, const char *name)
{
    const onnx_attribute *attribute = onnx_find_attribute(b->node, name);
    if (attribute && attribute->kind == ONNX_ATTRIBUTE_GRAPH)
        return attribute->as.graph;
    onnx_complain(b, "it has no graph '%s'", name);
    return NULL;
}

/* Gives output i what a value of an inner graph is. */
static bool give_value(onnx_builder *b, size_t i, onnx_value *value)
{
    if (!onnx_wants(b, i) || b->failed)
        return !b->failed;
    if (!value->given)
        return onnx_complain(b, "output %zu is no tensor that this library can hold", i + 1);
    if (value->known)
        return onnx_give_known(b, i, value->host);
    return onnx_give(b, i, onnx_tensor_of(b, value), value->type);
}

/* ---- If ---- */

/* Both branches, of which the condition chooses one when the program runs. */
static bool build_choice(onnx_builder *b, const onnx_graph *graphs[2])
{
    pop_tensor condition = onnx_tensor(b, 0);
    pop_program outer = b->program, branches[2];
    size_t count = b->node->num_outputs;
    pop_tensor *results = onnx_new(b->arena, count + 1, sizeof(*results));
    tremula_onnx_type *types = onnx_new(b->arena, count + 1, sizeof(*types));
    for (unsigned i = 0; i < 2 && onnx_ok(b); ++i) {
        branches[i] = b->program = pop_sequence_at(b->where, b->graph, graphs[i]->name);
        if (graphs[i]->num_outputs < count || !onnx_build_nodes(b, graphs[i]))
            return onnx_complain(b, "its branches have fewer outputs than it has");
        for (size_t j = 0; j < count && onnx_ok(b); ++j) {
            onnx_value *value = &b->values[graphs[i]->outputs[j]];
            pop_tensor t = onnx_tensor_of(b, value);
            if (i == 0) {
                results[j] = onnx_variable(b, pop_tensor_type(t), onnx_shape(b, t), b->name);
                types[j] = value->type;
            } else if (pop_tensor_num_elements(t) != pop_tensor_num_elements(results[j])) {
                return onnx_complain(
                    b, "its branches give different shapes, and its condition is not known when the graph is built");
            }
            pop_sequence_add_at(b->where, b->program, pop_copy_at(b->where, t, results[j], false, b->name));
        }
    }
    b->program = outer;
    if (!onnx_ok(b))
        return false;
    condition = onnx_reshape(b, condition, POP_SHAPE());
    pop_sequence_add_at(b->where, b->program, pop_if_at(b->where, condition, branches[0], branches[1], b->name));
    for (size_t j = 0; j < count; ++j)
        if (!onnx_give(b, j, results[j], types[j]))
            return false;
    return true;
}

static bool build_if(onnx_builder *b)
{
    const onnx_graph *graphs[2] = { find_graph(b, "then_branch"), find_graph(b, "else_branch") };
    const onnx_value *condition = onnx_input(b, 0);
    if (b->failed || !condition)
        return onnx_complain(b, "it has no condition");
    if (!condition->known)
        return build_choice(b, graphs);
    const onnx_graph *chosen = graphs[onnx_integer(&condition->host, 0) ? 0 : 1];
    if (!onnx_build_nodes(b, chosen))
        return false;
    for (size_t i = 0; i < b->node->num_outputs && i < chosen->num_outputs; ++i)
        if (!give_value(b, i, &b->values[chosen->outputs[i]]))
            return false;
    return true;
}

/* ---- loops ---- */

/* Outputs of all rounds, one after the other along a new outermost dimension, or one that is axis. */
static bool give_rounds(onnx_builder *b, size_t output, onnx_value *rounds, size_t count, size_t axis, bool reverse)
{
    if (!count)
        return onnx_complain(b, "it runs 0 rounds, and output %zu collects them", output + 1);
    pop_tensor *list = onnx_new(b->arena, count, sizeof(*list));
    for (size_t i = 0; i < count && onnx_ok(b); ++i) {
        pop_tensor t = onnx_tensor_of(b, &rounds[reverse ? count - 1 - i : i]);
        list[i] = pop_tensor_expand_at(b->where, t, POP_DIMS((unsigned)axis));
    }
    return onnx_ok(b) &&
           onnx_give(b, output, pop_tensor_concat_at(b->where, (pop_tensors){ count, list }, (unsigned)axis),
                     rounds[0].type);
}

/* What input i is before the first round.  An input of the model becomes a variable first: copies of it are one. */
static onnx_value first_value(onnx_builder *b, size_t i)
{
    onnx_value *value = onnx_input(b, i);
    if (value && !value->known)
        onnx_tensor_of(b, value);
    return value ? *value : (onnx_value){ 0 };
}

static onnx_value known_integer(onnx_builder *b, tremula_onnx_type type, int64_t number)
{
    onnx_value value = { .given = true, .known = true, .type = type, .host = onnx_new_tensor(b, type, POP_SHAPE()) };
    onnx_set_integer(&value.host, 0, number);
    return value;
}

/* Values carried from round to round are the body's inputs; what an output gives is a copy of them. */
static bool build_loop(onnx_builder *b)
{
    const onnx_graph *body = find_graph(b, "body");
    const tremula_onnx_tensor *trips = onnx_input(b, 0) ? onnx_known(b, 0) : NULL,
                              *first = onnx_input(b, 1) ? onnx_known(b, 1) : NULL;
    if (b->failed)
        return false;
    int64_t most = trips ? onnx_integer(trips, 0) : INT64_MAX;
    size_t carried = b->node->num_inputs > 2 ? b->node->num_inputs - 2 : 0;
    if (body->num_inputs < 2 + carried || body->num_outputs < 1 + carried)
        return onnx_complain(b, "its body has %zu inputs for %zu carried values", body->num_inputs, carried);
    size_t collected = body->num_outputs - 1 - carried, rounds = 0;
    onnx_value *state = onnx_new(b->arena, carried + 1, sizeof(*state));
    onnx_value **lists = onnx_new(b->arena, collected + 1, sizeof(onnx_value *));
    for (size_t i = 0; i < collected; ++i)
        lists[i] = onnx_new(b->arena, MAX_ROUNDS, sizeof(onnx_value));
    for (size_t i = 0; i < carried; ++i)
        state[i] = first_value(b, i + 2);
    bool goes_on = !first || onnx_integer(first, 0);
    for (; goes_on && (int64_t)rounds < most; ++rounds) {
        if (rounds == MAX_ROUNDS)
            return onnx_complain(b, "it runs more than %d rounds, which would be unrolled", MAX_ROUNDS);
        b->values[body->inputs[0]] = known_integer(b, TREMULA_ONNX_INT64, (int64_t)rounds);
        b->values[body->inputs[1]] = known_integer(b, TREMULA_ONNX_BOOL, 1);
        for (size_t i = 0; i < carried; ++i)
            b->values[body->inputs[i + 2]] = state[i];
        if (!onnx_build_nodes(b, body))
            return false;
        const onnx_value *condition = &b->values[body->outputs[0]];
        if (!condition->known)
            return onnx_complain(b, "whether it goes on is not known when the graph is built");
        goes_on = onnx_integer(&condition->host, 0);
        for (size_t i = 0; i < carried; ++i)
            state[i] = b->values[body->outputs[i + 1]];
        for (size_t i = 0; i < collected; ++i)
            lists[i][rounds] = b->values[body->outputs[i + 1 + carried]];
    }
    for (size_t i = 0; i < carried; ++i)
        if (!give_value(b, i, &state[i]))
            return false;
    for (size_t i = 0; i < collected; ++i)
        if (onnx_wants(b, carried + i) && !give_rounds(b, carried + i, lists[i], rounds, 0, false))
            return false;
    return true;
}

/* The slice of a scanned input for a round. */
static onnx_value scan_slice(onnx_builder *b, size_t input, size_t axis, size_t round)
{
    pop_tensor t = onnx_tensor(b, input);
    onnx_value value = { .given = true, .placed = true, .type = onnx_type_of(b, input), .ipu = b->ipu };
    if (!onnx_ok(b))
        return value;
    value.tensor = pop_tensor_squeeze_at(b->where, pop_tensor_slice_at(b->where, t, round, round + 1, (unsigned)axis),
                                         POP_DIMS((unsigned)axis));
    value.host.type = value.type;
    value.host.rank = pop_tensor_shape(value.tensor, value.host.dims, TREMULA_ONNX_MAX_RANK);
    return value;
}

static int64_t entry(onnx_builder *b, const char *name, size_t i)
{
    size_t count;
    const int64_t *list = onnx_ints(b, name, &count);
    return list && i < count ? list[i] : 0;
}

static bool build_scan(onnx_builder *b)
{
    const onnx_graph *body = find_graph(b, "body");
    size_t scanned = (size_t)onnx_int(b, "num_scan_inputs", 0), inputs = b->node->num_inputs;
    if (b->failed || scanned == 0 || scanned > inputs || body->num_inputs < inputs ||
        body->num_outputs + scanned < inputs)
        return onnx_complain(b, "its body does not match its inputs");
    size_t carried = inputs - scanned, collected = body->num_outputs - carried;
    size_t axis = onnx_axis(b, entry(b, "scan_input_axes", 0), onnx_rank_of(b, carried));
    size_t rounds = onnx_shape_of(b, carried).dims[axis];
    onnx_value *state = onnx_new(b->arena, carried + 1, sizeof(*state));
    onnx_value **lists = onnx_new(b->arena, collected + 1, sizeof(onnx_value *));
    for (size_t i = 0; i < collected; ++i)
        lists[i] = onnx_new(b->arena, rounds + 1, sizeof(onnx_value));
    for (size_t i = 0; i < carried; ++i)
        state[i] = first_value(b, i);
    if (rounds > MAX_ROUNDS)
        return onnx_complain(b, "it runs %zu rounds; at most %d are unrolled", rounds, MAX_ROUNDS);
    for (size_t r = 0; r < rounds && onnx_ok(b); ++r) {
        for (size_t i = 0; i < carried; ++i)
            b->values[body->inputs[i]] = state[i];
        for (size_t i = 0; i < scanned && !b->failed; ++i) {
            size_t dim = onnx_axis(b, entry(b, "scan_input_axes", i), onnx_rank_of(b, carried + i));
            size_t at = entry(b, "scan_input_directions", i) ? rounds - 1 - r : r;
            b->values[body->inputs[carried + i]] = scan_slice(b, carried + i, dim, at);
        }
        if (!onnx_build_nodes(b, body))
            return false;
        for (size_t i = 0; i < carried; ++i)
            state[i] = b->values[body->outputs[i]];
        for (size_t i = 0; i < collected; ++i)
            lists[i][r] = b->values[body->outputs[carried + i]];
    }
    for (size_t i = 0; i < carried; ++i)
        if (!give_value(b, i, &state[i]))
            return false;
    for (size_t i = 0; i < collected; ++i) {
        size_t dim = lists[i][0].given ? onnx_axis(b, entry(b, "scan_output_axes", i), lists[i][0].host.rank + 1) : 0;
        if (onnx_wants(b, carried + i) &&
            !give_rounds(b, carried + i, lists[i], rounds, dim, entry(b, "scan_output_directions", i)))
            return false;
    }
    return true;
}

const onnx_operator onnx_control_operators[] = {
    { ONNX_ROW("If", 1), build_if, build_if, 0, NULL },
    { ONNX_ROW("Loop", 1), build_loop, build_loop, 0, NULL },
    { ONNX_ROW("Scan", 9), build_scan, build_scan, 0, NULL },
    { { 0 }, NULL, NULL, 0, NULL },
};
