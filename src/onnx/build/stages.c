/* SPDX-License-Identifier: Apache-2.0 */
#include "onnx/build/stages.h"
#include "onnx/build/build.h"

#include <poputil/tile_mapping.h>

void onnx_enter_ipu(onnx_builder *b, unsigned ipu)
{
    if (!b->ipus)
        return;
    b->ipu = ipu;
    b->graph = b->ipus[ipu];
}

static double held_bytes(const tremula_onnx_node_cost *cost)
{
    return (double)(cost->weight_bytes + cost->output_bytes);
}

static double all_bytes(const tremula_onnx_node_cost *costs, size_t count)
{
    double all = 0;
    for (size_t i = 0; i < count; ++i)
        all += held_bytes(&costs[i]);
    return all;
}

/* The IPU of a node: an IPU takes nodes until it has its share of all bytes.  before are the bytes of earlier nodes. */
static unsigned choose_ipu(const tremula_onnx_node_cost *cost, double before, double all, unsigned ipus)
{
    unsigned ipu = all > 0 ? (unsigned)((before + held_bytes(cost) / 2) / all * ipus) : 0;
    return ipu < ipus ? ipu : ipus - 1;
}

double tremula_onnx_largest_share(const tremula_onnx_model *model, unsigned ipus)
{
    double all = all_bytes(model->costs, model->num_costs), before = 0, share = 0, largest = 0;
    unsigned last = 0;
    for (size_t i = 0; i < model->num_costs && ipus; ++i) {
        unsigned ipu = choose_ipu(&model->costs[i], before, all, ipus);
        share = (ipu == last ? share : 0) + held_bytes(&model->costs[i]);
        largest = share > largest ? share : largest;
        last = ipu;
        before += held_bytes(&model->costs[i]);
    }
    return all > 0 ? largest / all : 1;
}

void onnx_divide_nodes(onnx_builder *b, const tremula_onnx_node_cost *costs, size_t count)
{
    const pop_target *target = pop_graph_target(b->root);
    unsigned *stages = onnx_new(b->arena, count + 1, sizeof(*stages));
    double all = all_bytes(costs, count), before = 0;
    for (size_t i = 0; i < count; ++i) {
        stages[i] = choose_ipu(&costs[i], before, all, b->num_ipus);
        before += held_bytes(&costs[i]);
    }
    b->stages = stages;
    b->ipus = onnx_new(b->arena, b->num_ipus, sizeof(*b->ipus));
    for (unsigned i = 0; i < b->num_ipus; ++i)
        b->ipus[i] = pop_graph_create_virtual_range_at(b->where, b->root, i * target->tiles_per_ipu,
                                                       (i + 1) * target->tiles_per_ipu);
    onnx_enter_ipu(b, 0);
}

void onnx_end_stages(onnx_builder *b)
{
    for (unsigned i = 0; b->ipus && i < b->num_ipus; ++i)
        pop_graph_destroy(b->ipus[i]);
}

/* Whether the IPUs work on different batches at once. */
static bool overlaps(const onnx_builder *b)
{
    return b->ipus && b->batches > 1;
}

void onnx_bring(onnx_builder *b, onnx_value *value)
{
    if (!overlaps(b)) { /* before the node of the main graph, which may be an If: both of its branches may read it */
        value->tensor = poputil_copy_to_ipu_at(b->where, b->root, value->tensor, b->arrivals, b->ipu,
                                               POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES, b->name);
        value->ipu = b->ipu;
        return;
    }
    for (; value->ipu < b->ipu && onnx_ok(b); ++value->ipu) {
        pop_tensor from, to;
        value->tensor = poputil_create_ipu_copy_at(b->where, b->root, value->tensor, value->ipu + 1,
                                                   POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES, b->name, &from, &to);
        pop_sequence_add_at(b->where, b->programs[value->ipu].hand_on, pop_copy_at(b->where, from, to, false, b->name));
    }
}

/* ---- programs ---- */

pop_program onnx_inputs_program(const onnx_builder *b)
{
    return b->programs[overlaps(b) ? b->ipu : 0].inputs;
}

pop_program onnx_nodes_program(const onnx_builder *b)
{
    return b->programs[overlaps(b) ? b->ipu : 0].nodes;
}

pop_program onnx_outputs_program(const onnx_builder *b)
{
    return b->programs[overlaps(b) ? b->ipu : 0].outputs;
}

static unsigned num_stages(const onnx_builder *b)
{
    return overlaps(b) ? b->num_ipus : 1;
}

void onnx_begin_programs(onnx_builder *b)
{
    b->programs = onnx_new(b->arena, num_stages(b), sizeof(*b->programs));
    for (unsigned i = 0; i < num_stages(b); ++i)
        b->programs[i] = (struct onnx_stage){ .inputs = pop_sequence_at(b->where, b->root, "inputs"),
                                              .nodes = pop_sequence_at(b->where, b->root, "nodes"),
                                              .hand_on = pop_sequence_at(b->where, b->root, "hand on"),
                                              .outputs = pop_sequence_at(b->where, b->root, "outputs") };
}

/* The program of a stage is in several rounds: as a function it is there once. */
static pop_program call(onnx_builder *b, pop_program program)
{
    return pop_call_at(b->where, pop_graph_add_function_at(b->where, b->root, program), NULL);
}

/* A round in which the stages from first to last have a batch.  The last one hands on first: what passes several stages
 * leaves each before its successor arrives. */
static pop_program make_round(onnx_builder *b, const struct onnx_stage *calls, unsigned first, unsigned last)
{
    pop_program round = pop_sequence_at(b->where, b->root, "round");
    for (unsigned i = first; i <= last; ++i)
        pop_sequence_add_at(b->where, round, calls[i].inputs);
    for (unsigned i = first; i <= last; ++i)
        pop_sequence_add_at(b->where, round, calls[i].nodes);
    for (unsigned i = last + 1; i-- > first;)
        pop_sequence_add_at(b->where, round, calls[i].hand_on);
    for (unsigned i = first; i <= last; ++i)
        pop_sequence_add_at(b->where, round, calls[i].outputs);
    return round;
}

static pop_program repeat(onnx_builder *b, pop_program body, size_t count)
{
    return count == 1 ? body : pop_repeat_at(b->where, (unsigned)count, body, "batches");
}

pop_program onnx_end_programs(onnx_builder *b)
{
    unsigned stages = num_stages(b);
    if (stages == 1)
        return repeat(b, make_round(b, b->programs, 0, 0), b->batches);
    struct onnx_stage *calls = onnx_new(b->arena, stages, sizeof(*calls));
    for (unsigned i = 0; i < stages; ++i)
        calls[i] = (struct onnx_stage){ call(b, b->programs[i].inputs), call(b, b->programs[i].nodes),
                                        call(b, b->programs[i].hand_on), call(b, b->programs[i].outputs) };
    pop_program whole = pop_sequence_at(b->where, b->root, "rounds");
    size_t rounds = b->batches + stages - 1;
    for (size_t round = 0, count; round < rounds; round += count) {
        unsigned first = round < b->batches ? 0 : (unsigned)(round - b->batches + 1),
                 last = round < stages ? (unsigned)round : stages - 1;
        bool full = first == 0 && last == stages - 1; /* all rounds of which are alike */
        count = full ? b->batches - round : 1;
        pop_sequence_add_at(b->where, whole, repeat(b, make_round(b, calls, first, last), count));
    }
    return whole;
}
