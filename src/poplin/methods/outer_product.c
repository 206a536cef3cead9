/* SPDX-License-Identifier: Apache-2.0 */
/* OUTER_PRODUCT: one input channel and one kernel position; each input is multiplied by each weight.  Vertices
 * OuterProduct (conv_vertices/conv_mac_vertices.c). */
#include "poplin/convolution/conv_partials.h"
#include "poplin/convolution/conv_parts.h"
#include "poplin/methods/methods.h"
#include "poplin/planner/plan_candidate.h"

/* ---- candidates ---- */

/* Whether each element of the input gives exactly one output element: without truncation, padding, dilation or
 * stride. */
static bool is_plain(const poplin_conv_params *p, size_t d)
{
    const poplin_input_transform *in = &p->input_transform, *kernel = &p->kernel_transform;
    return p->kernel_shape[d] == 1 && poplin_conv_transformed_kernel_size(p, d) == 1 &&
           kernel->truncation_lower[d] + kernel->truncation_upper[d] == 0 &&
           poplin_conv_transformed_input_size(p, d) == p->input_field_shape[d] &&
           in->truncation_lower[d] + in->truncation_upper[d] == 0 && p->output_transform.stride[d] == 1 &&
           poplin_conv_output_size(p, d) == p->input_field_shape[d] && p->output_transform.padding_lower[d] == 0;
}
static void propose(struct plan_proposals *to, struct conv_plan plan)
{
    const poplin_conv_params *p = to->params;
    for (size_t d = 0; d < p->num_field_dims; ++d)
        if (!is_plain(p, d))
            return;
    if (p->input_channels_per_conv_group != 1 || p->batch_size != 1)
        return;
    plan.tile_partial_type = p->input_type;
    plan.in_chans_per_group = 1;
    plan.partial_chans_per_group = pop_target_vector_width(to->target, p->input_type);
    plan_propose(to, &plan);
}

/* The other passes add up. */
static const struct conv_method *of_pass(const struct conv_plan *forward, const poplin_conv_params *params, size_t pass)
{
    (void)forward;
    (void)params;
    (void)pass;
    return &method_mac;
}

/* ---- costs ---- */

/* One vertex for each group and each worker that has positions. */
static uint64_t cycles(const struct plan_candidate *c, const struct plan_tile *t, const struct plan_tile_work *work)
{
    uint64_t workers = work->workers, positions = work->positions;
    uint64_t rounds = poplibs_ceil_div(work->groups * (positions < workers ? positions : workers), workers);
    return workers * rounds *
           cycles_outer_product(c->params.input_type == POP_FLOAT, (unsigned)poplibs_ceil_div(positions, workers),
                                (unsigned)t->out_chans, c->plan.partial_chans_per_group);
}

/* ---- vertices ---- */

/* Adds the vertex for a part's group g and positions [begin, end). */
static void add_vertex(const struct conv_work *work, pop_compute_set compute, const struct conv_part *part,
                       pop_tensor input, pop_tensor weights, size_t g, pop_interval positions)
{
    const struct call *call = work->call;
    size_t outs = conv_range_size(part->o);
    pop_tensor in = conv_part_input(work->conv, input, part, part->g.begin + g, part->c.begin),
               *rows = poplibs_new(outs, sizeof(*rows));
    char name[64];
    snprintf(name, sizeof(name), "poplin::OuterProduct<%s>", pop_type_name(work->conv->params.input_type));
    pop_vertex vertex = call_vertex(call, compute, name, part->tile);
    call_connect(call, vertex, "in", pop_tensor_slice_interval(in, positions, 0));
    for (size_t o = 0; o < outs; ++o)
        rows[o] = conv_part_weights(work->conv, weights, part, part->g.begin + g, part->o.begin + o, part->c.begin);
    call_connect(call, vertex, "weights", pop_tensor_concat((pop_tensors){ outs, rows }, 0));
    for (size_t o = 0; o < outs; ++o) {
        pop_tensor row = pop_tensor_flatten(pop_tensor_index(part->partials, POP_SHAPE(g, o)));
        rows[o] = pop_tensor_slice(row, positions.begin * work->conv->o2, positions.end * work->conv->o2, 0);
    }
    pop_graph_connect_list(call->graph, vertex, "out", (pop_tensors){ outs, rows });
    pop_graph_set_field_int(call->graph, vertex, "chans_per_group", work->conv->o2);
    free(rows);
}
/* Adds one vertex for each group and each worker that has positions; the row is divided among the workers. */
static void add_part(const struct conv_work *work, pop_compute_set compute, const struct conv_part *part,
                     pop_tensor input, pop_tensor weights)
{
    unsigned workers = pop_graph_target(work->call->graph)->num_worker_contexts;
    size_t width = pop_tensor_num_elements(conv_part_input(work->conv, input, part, part->g.begin, part->c.begin));
    for (size_t g = 0; g < conv_range_size(part->g); ++g)
        for (unsigned worker = 0; worker < workers; ++worker) {
            pop_interval positions = { worker * width / workers, (worker + 1) * width / workers };
            if (positions.begin < positions.end)
                add_vertex(work, compute, part, input, weights, g, positions);
        }
}

static void add_vertices(const struct conv_work *work, pop_compute_set compute, struct conv_parts *parts,
                         pop_tensor input, pop_tensor weights)
{
    const struct conv_part *part;
    for (size_t next = 0; (part = conv_next_part(work, compute, parts, &next));)
        add_part(work, compute, part, input, weights);
}

const struct conv_method method_outer_product = {
    .name = "OUTER_PRODUCT",
    .needs = "one input channel, one batch element and a kernel of 1",
    .partials_are_results = true,
    .propose = propose,
    .of_pass = of_pass,
    .cycles = cycles,
    .add_vertices = add_vertices,
};
