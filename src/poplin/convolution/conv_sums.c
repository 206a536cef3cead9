/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of the partial results of several tiles; in stages if there are many, so that no tile has to receive too many
 * messages. */
#include "poplin/conv_vertices/performance.h"
#include "poplin/convolution/conv_work.h"
#include "poplin/convolution/convolution.h"
#include "poplin/planner/plan_cost.h"

#include <assert.h>
#include <popops/cast.h>

/* One summand of an output, flattened: the sum of the parts [first, last), stored on their tiles. */
struct summand {
    pop_tensor flat;
    size_t first, last;
};

/* A vertex for elements [begin, end) of a sum, on a tile that holds the first of the rows. */
struct sum_vertex {
    const struct conv_work *work;
    pop_compute_set compute;
    pop_tensors rows;
    pop_tensor out;
    unsigned tile;
};

static pop_vertex new_vertex(const struct sum_vertex *sum, const char *kind)
{
    const struct call *call = sum->work->call;
    char name[64];
    pop_graph *graph = call->graph;
    snprintf(name, sizeof(name), "poplin::%s<%s,%s>", kind, pop_type_name(pop_tensor_type(sum->out)),
             pop_type_name(pop_tensor_type(sum->rows.list[0])));
    pop_vertex vertex = call_vertex(call, sum->compute, name, sum->tile);
    call_connect(call, vertex, "out", sum->out);
    pop_graph_set_field_int(graph, vertex, "num_workers", pop_graph_target(graph)->num_worker_contexts);
    pop_graph_set_tile_mapping(graph, sum->out, sum->tile);
    return vertex;
}

static void add_single_input(const struct sum_vertex *sum)
{
    const struct call *call = sum->work->call;
    pop_vertex vertex = new_vertex(sum, "ReduceAddSingleInput");
    pop_tensors others = { sum->rows.count - 1, sum->rows.list + 1 };
    call_connect(call, vertex, "initial", sum->rows.list[0]);
    call_connect(call, vertex, "partials", pop_tensor_concat(others, 0));
    call_set(call, vertex, "elements", pop_tensor_num_elements(sum->out));
    call_set(call, vertex, "rows", others.count);
}

/* Adds the vertex for elements of the sum of `count` summands, on a tile that holds summand `own`.  Each tile starts
 * with its own summand and continues cyclically, so that tiles do not all wait for the same sender. */
static void add_vertex(const struct conv_work *work, pop_compute_set compute, const struct summand *summands,
                       size_t count, size_t own, const pop_tensor *earlier, pop_tensor out, struct conv_range range,
                       unsigned tile)
{
    const struct call *call = work->call;
    assert(count && own < count && range.begin < range.end);
    bool single = work->conv->request->options.enable_single_input_reduce && !earlier &&
                  reduces_single_input(pop_graph_target(call->graph), range.end - range.begin, count,
                                       pop_tensor_type(summands[0].flat) == POP_FLOAT);
    pop_tensor *rows = poplibs_new(count + 1, sizeof(*rows));
    for (size_t i = 0; i < count; ++i)
        rows[i] = pop_tensor_slice(summands[(own + i) % count].flat, range.begin, range.end, 0);
    if (earlier)
        rows[count++] = pop_tensor_slice(pop_tensor_flatten(*earlier), range.begin, range.end, 0);
    struct sum_vertex sum = { work, compute, { count, rows }, { 0 }, tile };
    sum.out = pop_tensor_slice(pop_tensor_flatten(out), range.begin, range.end, 0);
    if (single)
        add_single_input(&sum);
    else
        pop_graph_connect_list(call->graph, new_vertex(&sum, "ReduceAdd"), "partials", sum.rows);
    free(rows);
}

/* The sum of summands [0, count), spread over the tiles of their parts in equal shares: messages of equal length follow
 * each other without gaps. */
static pop_tensor sum_of(const struct conv_work *work, pop_compute_set compute, const struct conv_part *parts,
                         const struct summand *summands, size_t count, const pop_tensor *earlier, pop_type type)
{
    const struct call *call = work->call;
    size_t dims[CONV_MAX_DIMS], first = summands[0].first, tiles = summands[count - 1].last - first;
    pop_shape shape = conv_shape(dims, pop_tensor_shape(parts[0].partials, dims, CONV_MAX_DIMS));
    assert(count && summands[count - 1].last > first);
    pop_tensor out = pop_graph_add_variable(call->graph, type, shape, "reduced");
    size_t elements = pop_tensor_num_elements(out), grain = (size_t)work->conv->g2 * work->conv->o2;
    size_t share = poplibs_ceil_div(poplibs_ceil_div(elements, grain), tiles) * grain;
    for (size_t i = 0; i < tiles && elements; ++i) {
        struct conv_range range = { poplibs_min(i * share, elements), poplibs_min((i + 1) * share, elements) };
        if (range.begin < range.end)
            add_vertex(work, compute, summands, count, i * count / tiles, earlier, out, range, parts[first + i].tile);
    }
    return out;
}

/* One stage of an output's sum: reduces depth summands to `next`. */
static void reduce_stage(const struct conv_work *work, pop_compute_set compute, const struct conv_part *parts,
                         struct summand *summands, size_t depth, size_t next)
{
    const struct call *call = work->call;
    assert(next && next <= depth);
    for (size_t i = 0; i < next; ++i) {
        size_t begin = i * depth / next, end = (i + 1) * depth / next;
        struct summand made = { summands[begin].flat, summands[begin].first, summands[end - 1].last };
        if (end - begin > 1)
            made.flat = pop_tensor_flatten(
                sum_of(work, compute, parts, summands + begin, end - begin, NULL, work->conv->plan.sum_type));
        summands[i] = made;
    }
}

/* Converts the partials of `count` parts to another type, each on its tile. */
static void cast(const struct conv_work *work, pop_compute_set compute, const struct conv_part *parts, size_t count,
                 pop_type type, pop_tensor *made)
{
    const struct call *call = work->call;
    for (size_t i = 0; i < count && call_ready(call); ++i) {
        size_t dims[CONV_MAX_DIMS];
        pop_shape shape = conv_shape(dims, pop_tensor_shape(parts[i].partials, dims, CONV_MAX_DIMS));
        made[i] = pop_graph_add_variable(call->graph, type, shape, "cast");
        pop_graph_set_tile_mapping(call->graph, made[i], parts[i].tile);
        popops_cast_to(call->graph, parts[i].partials, made[i], compute);
    }
}

pop_type conv_sum_type(const struct conv_work *work, size_t depth)
{
    return depth > 1 ? work->conv->plan.sum_type : work->conv->plan.tile_partial_type;
}

/* Uses partials that are the results already, converted to the results' type. */
static void take_partials(const struct conv_work *work, const struct conv_parts *parts, pop_type type, pop_tensor *sums)
{
    if (type != work->conv->plan.tile_partial_type)
        cast(work, conv_step_set(work, CONV_REDUCE, "Cast"), parts->parts, parts->outputs, type, sums);
    for (size_t output = 0; output < parts->outputs && type == work->conv->plan.tile_partial_type; ++output)
        sums[output] = parts->parts[output].partials;
}

void conv_add_sums(const struct conv_work *work, const struct conv_parts *parts, const pop_tensor *earlier,
                   pop_type type, pop_tensor *sums)
{
    const struct call *call = work->call;
    assert(parts->depth && parts->outputs);
    pop_compute_set sets[3];
    if (parts->depth == 1 && !earlier) {
        take_partials(work, parts, type, sums);
        return;
    }
    unsigned after[3];
    size_t stages = 1 + plan_reduction_stages((unsigned)parts->depth,
                                              work->conv->request->options.enable_multi_stage_reduce, after);
    pop_type sum_type = conv_sum_type(work, parts->depth);
    pop_tensor *partials = poplibs_new(parts->outputs * parts->depth, sizeof(*partials));
    for (size_t i = 0; i < parts->outputs * parts->depth; ++i)
        partials[i] = parts->parts[i].partials;
    if (sum_type != work->conv->plan.tile_partial_type)
        cast(work, conv_step_set(work, CONV_CAST_PARTIALS, "PreReduceCast"), parts->parts,
             parts->outputs * parts->depth, sum_type, partials);
    for (unsigned i = 0; i < stages; ++i) {
        char step[32];
        snprintf(step, sizeof(step), stages == 1 ? "Reduce" : "Reduce/Stage%u", i);
        sets[i] = conv_step_set(work, CONV_REDUCE + i, step);
    }
    struct summand *summands = poplibs_new(parts->depth, sizeof(*summands));
    for (size_t output = 0; output < parts->outputs && call_ready(call); ++output) {
        const struct conv_part *part = &parts->parts[output * parts->depth];
        size_t depth = parts->depth;
        for (size_t i = 0; i < depth; ++i)
            summands[i] = (struct summand){ pop_tensor_flatten(partials[output * parts->depth + i]), i, i + 1 };
        for (unsigned stage = 0; stage + 1 < stages; ++stage) {
            reduce_stage(work, sets[stage], part, summands, depth, after[stage]);
            depth = after[stage];
        }
        assert(depth && depth <= parts->depth);
        sums[output] = sum_of(work, sets[stages - 1], part, summands, depth, earlier ? &earlier[output] : NULL, type);
    }
    free(summands);
    free(partials);
}
