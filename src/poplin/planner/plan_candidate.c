/* SPDX-License-Identifier: Apache-2.0 */
#include "poplin/planner/plan_candidate.h"

#include <assert.h>

struct plan_candidate plan_candidate_of(const pop_target *target, const poplin_conv_params *transformed,
                                        const struct conv_options *options, const struct conv_plan *plan)
{
    assert(plan->method && plan->conv_groups_per_group && plan->in_chans_per_group && plan->partial_chans_per_group);
    assert(transformed->num_field_dims && transformed->num_field_dims <= POPLIN_MAX_FIELD_DIMS);
    struct plan_candidate c;
    memset(&c, 0, sizeof(c));
    c.target = target;
    c.options = options;
    c.params = *transformed;
    c.plan = *plan;
    for (unsigned d = 0; d < c.params.num_field_dims; ++d) {
        c.output[d] = poplin_conv_output_size(&c.params, d);
        c.whole_input[d] = poplin_conv_truncated_input_size(&c.params, d);
    }
    const poplin_conv_params *p = &c.params;
    c.grains_groups = poplibs_ceil_div(p->num_conv_groups, plan->conv_groups_per_group);
    c.grains_in = poplibs_ceil_div(p->input_channels_per_conv_group, plan->in_chans_per_group);
    c.grains_out = poplibs_ceil_div(p->output_channels_per_conv_group, plan->partial_chans_per_group);
    c.input_bytes = pop_target_type_size(target, p->input_type);
    c.output_bytes = pop_target_type_size(target, p->output_type);

    const struct plan_transform *t = &plan->transform;
    bool fully_connected = pass_is_fully_connected(options->pass), update = options->pass == POPLIN_PASS_TRAINING_WU;
    bool late = !plan->is_joint &&
                (options->pass == POPLIN_PASS_FC_TRAINING_BWD || options->pass == POPLIN_PASS_FC_TRAINING_WU);
    bool combine = t->combine_conv_groups_factor > 1,
         pads_groups = p->num_conv_groups % plan->conv_groups_per_group != 0;
    bool pads_in = pads_groups || p->input_channels_per_conv_group % plan->in_chans_per_group != 0,
         moves = t->expand_dims || t->swap_operands || combine;
    bool pads_out = pads_groups || p->output_channels_per_conv_group % plan->partial_chans_per_group != 0;
    bool later = target->poplibs_release == POP_POPLIBS_2021;
    c.rearrange_input = update || moves || pads_in ||
                        (later ? late || options->pass == POPLIN_PASS_FC_TRAINING_WU
                               : late && options->pass == POPLIN_PASS_FC_TRAINING_WU);
    c.rearrange_weights = update || moves || t->out_chan_flatten_dims || pads_in || pads_out || (late && !later);
    c.rearrange_output = (update != t->swap_operands) || t->out_chan_flatten_dims || combine || pads_out ||
                         (late && options->pass == POPLIN_PASS_FC_TRAINING_WU);
    unsigned weights_per_unit = pop_target_weights_per_conv_unit(target, p->input_type);
    c.regroup_weights =
        later && options->pass == POPLIN_PASS_TRAINING_FWD && plan->partial_chans_per_group % weights_per_unit != 0;
    c.regroup_output = !fully_connected && plan->partial_chans_per_group != weights_per_unit;
    return c;
}

void plan_candidate_free(struct plan_candidate *c)
{
    free(c->memo.entries);
}

/* ---- sizes ---- */

struct plan_tile plan_tile_of(const struct plan_candidate *c, const struct plan_partition *p)
{
    assert(p->batch_split && p->conv_group_split && p->in_chan_split.serial && p->in_chan_split.parallel &&
           p->out_chan_split.serial && p->out_chan_split.parallel);
    struct plan_tile t = { .batch = poplibs_ceil_div(c->params.batch_size, p->batch_split) };
    for (size_t d = 0; d < c->params.num_field_dims; ++d) {
        assert(p->field_grain[d] && p->field_split[d] && p->kernel_split[d]);
        t.field[d] =
            poplibs_ceil_div(poplibs_ceil_div(c->output[d], p->field_grain[d]), p->field_split[d]) * p->field_grain[d];
        t.kernel[d] = poplibs_ceil_div(poplin_conv_truncated_kernel_size(&c->params, d), p->kernel_split[d]);
    }
    t.groups = poplibs_ceil_div(c->grains_groups, p->conv_group_split) * c->plan.conv_groups_per_group;
    t.in_chans = poplibs_ceil_div(poplibs_ceil_div(c->grains_in, p->in_chan_split.serial), p->in_chan_split.parallel) *
                 c->plan.in_chans_per_group;
    t.out_chans =
        poplibs_ceil_div(poplibs_ceil_div(c->grains_out, p->out_chan_split.serial), p->out_chan_split.parallel) *
        c->plan.partial_chans_per_group;
    return t;
}

/* The number of input elements along a dimension that contribute to `outputs` outputs for `kernel` kernel elements. */
static uint64_t input_range(const struct plan_candidate *c, size_t d, uint64_t outputs, uint64_t kernel)
{
    if (!outputs || !kernel)
        return 0;
    uint64_t dilated = (outputs - 1) * c->params.output_transform.stride[d] + 1 +
                       (kernel - 1) * c->params.kernel_transform.dilation[d];
    uint64_t range = (dilated - 1) / c->params.input_transform.dilation[d] + 1;
    bool whole = outputs >= c->output[d] && kernel >= poplin_conv_truncated_kernel_size(&c->params, d);
    return whole || range > c->whole_input[d] ? c->whole_input[d] : range;
}

struct plan_elements plan_elements_of(const struct plan_candidate *c, const struct plan_tile *t)
{
    struct plan_elements e = { t->groups * t->batch * t->in_chans, t->groups * t->in_chans * t->out_chans,
                               t->groups * t->batch * t->out_chans };
    for (size_t d = 0; d < c->params.num_field_dims; ++d) {
        e.inputs *= input_range(c, d, t->field[d], t->kernel[d]);
        e.weights *= t->kernel[d];
        e.outputs *= t->field[d];
    }
    return e;
}
/* ---- the work of a tile ---- */

/* Divides rows into so many parts that all workers get equally many. */
struct plan_lists plan_lists_make(unsigned workers, uint64_t rows, uint64_t width)
{
    assert(workers && workers <= PLAN_MAX_WORKERS);
    struct plan_lists made = { .items = poplibs_new(rows + 2 * PLAN_MAX_WORKERS, sizeof(*made.items)) };
    uint64_t parts = workers / poplibs_gcd(workers, rows), all = rows * parts; /* of one row, of all rows */
    unsigned *items = made.items;
    for (unsigned w = 0; w < workers; ++w) {
        uint64_t begin = w * all / workers, end = (w + 1) * all / workers;
        made.lists[w] = (struct worklist){ items, 0 };
        while (begin < end) {
            uint64_t row_end = (begin / parts + 1) * parts, last = end < row_end ? end : row_end;
            uint64_t from = begin % parts * width / parts, to = last == row_end ? width : last % parts * width / parts;
            if (to > from)
                *items++ = (unsigned)(to - from), ++made.lists[w].count;
            begin = last;
        }
    }
    return made;
}

/* In a dilated field, a kernel position contributes only to every n-th output; returns n. */
uint64_t plan_step_of(const struct plan_candidate *c, size_t d)
{
    unsigned dilation = c->params.input_transform.dilation[d];
    return dilation / poplibs_gcd(dilation, c->params.output_transform.stride[d]);
}
uint64_t plan_outputs_met(const struct plan_candidate *c, size_t d, uint64_t outputs)
{
    return poplibs_ceil_div(outputs, plan_step_of(c, d));
}
uint64_t plan_outputs_of(const struct plan_candidate *c, const struct plan_tile *t)
{
    uint64_t outputs = t->batch;
    for (size_t d = 0; d < c->params.num_field_dims; ++d)
        outputs *= t->field[d];
    return outputs;
}
uint64_t plan_positions_of(const struct plan_candidate *c, const struct plan_tile *t)
{
    uint64_t fields = t->batch;
    for (size_t d = 0; d < c->params.num_field_dims; ++d)
        fields *= plan_outputs_met(c, d, t->field[d]);
    return fields;
}

/* A lower bound: a worker has its share of positions, minus rounding, and at least one worker has its share of rows. */
bool plan_worker_share(const struct plan_candidate *c, const struct plan_tile *t, struct plan_worker_share *share)
{
    size_t last = c->params.num_field_dims - 1;
    uint64_t workers = c->target->num_worker_contexts, positions = plan_positions_of(c, t);
    if (!positions)
        return false;
    share->rows = poplibs_ceil_div(positions / plan_outputs_met(c, last, t->field[last]), workers);
    share->positions = positions / workers > 3 ? positions / workers - 2 : 1;
    return true;
}

uint64_t plan_zeroing_cycles(const struct plan_candidate *c, const struct plan_tile *t,
                             const struct plan_tile_work *work)
{
    const struct conv_plan *plan = &c->plan;
    uint64_t each = plan->partial_chans_per_group * plan_outputs_of(c, t);
    /* The planner of 2021 assumes float partials here. */
    pop_type type = c->target->poplibs_release == POP_POPLIBS_2021 ? POP_FLOAT : plan->tile_partial_type;
    return cycles_zero(work->workers, work->groups * work->out_groups, (unsigned)each, type == POP_FLOAT,
                       pop_target_vector_width(c->target, type));
}

uint64_t plan_work_met(const struct plan_candidate *c, uint64_t work)
{
    for (size_t d = 0; d < c->params.num_field_dims; ++d)
        work /= plan_step_of(c, d);
    return work;
}

/* ---- proposals ---- */

void plan_propose(struct plan_proposals *to, const struct conv_plan *plan)
{
    assert(plan->method && plan->in_chans_per_group && plan->partial_chans_per_group);
    *poplibs_push(to) = *plan;
}
