/* SPDX-License-Identifier: Apache-2.0 */
/* Adds the vertices of plans with the method SLIC.  The sub-kernels run one after the other and each adds to the sums
 * of all outputs.  So padding of the input, gaps of a dilated one, and the elements missing for whole sub-kernels are
 * zeros in the tile's memory. */
#include "poplin/conv_vertices/performance.h"
#include "poplin/convolution/conv_partials.h"
#include "poplin/convolution/conv_worklists.h"
#include "poplin/convolution/convolution.h"
#include "poplin/methods/methods.h"
#include "poplin/params/params.h"

#include "poplibs/copies.h"

#include <assert.h>
#include <poplin/conv_util.h>

/* A part along one dimension, padded: the elements of kernel and input that its vertex reads (POPLIN_NO_INDEX: a
 * zero). */
struct slic_extent {
    unsigned *kernel, *input;
    size_t kernel_count, input_count;
    unsigned *shifts; /* for each sub-kernel, the distance of its first input element from that of the output */
    size_t sub_kernels;
};
struct layout {
    struct slic_extent extents[POPLIN_MAX_FIELD_DIMS];
    bool pads_input, pads_kernel;
};

/* Whether elements are missing or not consecutive, so that the vertex needs a copy. */
static bool has_gaps(const unsigned *elements, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        if (elements[i] == POPLIN_NO_INDEX || elements[i] != elements[0] + i)
            return true;
    return false;
}

/* Outer dimensions: each kernel element that is not truncated is a row of sub-kernels.  Sets the places of the first
 * and of the last one. */
static void take_rows(const poplin_conv_params *params, unsigned d, struct conv_range kernel,
                      struct slic_extent *extent, size_t *first, size_t *last)
{
    extent->kernel = poplibs_new(conv_range_size(kernel), sizeof(*extent->kernel));
    extent->shifts = poplibs_new(conv_range_size(kernel), sizeof(*extent->shifts));
    for (size_t k = kernel.begin; k < kernel.end; ++k) {
        unsigned place = params_kernel_place(params, d, (unsigned)k);
        if (place == POPLIN_NO_INDEX)
            continue;
        *first = extent->kernel_count ? *first : place;
        *last = place;
        extent->shifts[extent->kernel_count] = (unsigned)(place - *first);
        extent->kernel[extent->kernel_count++] = (unsigned)k;
    }
    extent->sub_kernels = extent->kernel_count;
}
/* The last dimension: divides its places, gaps included, into windows. */
static void cut_windows(const poplin_conv_params *params, unsigned d, unsigned window, struct slic_extent *extent,
                        size_t first, size_t *last)
{
    assert(window && first <= *last && extent->kernel_count);
    size_t windows = poplibs_ceil_div(*last - first + 1, window);
    unsigned *elements = poplibs_new(windows * window, sizeof(*elements));
    for (size_t i = 0; i < windows * window; ++i)
        elements[i] = POPLIN_NO_INDEX;
    for (size_t k = 0; k < extent->kernel_count; ++k)
        elements[params_kernel_place(params, d, extent->kernel[k]) - first] = extent->kernel[k];
    free(extent->kernel);
    extent->kernel = elements;
    extent->kernel_count = windows * window;
    extent->sub_kernels = windows;
    extent->shifts = poplibs_resize(extent->shifts, windows, sizeof(*extent->shifts));
    for (size_t w = 0; w < windows; ++w)
        extent->shifts[w] = (unsigned)(w * window);
    *last = first + windows * window - 1;
}

static struct layout layout_of(const struct conv_work *work, const struct conv_part *part)
{
    struct layout layout = { .pads_input = false };
    const poplin_conv_params *params = &work->conv->params;
    for (unsigned d = 0; d < work->conv->plan.num_field_dims; ++d) {
        struct slic_extent *extent = &layout.extents[d];
        assert(conv_range_size(part->field[d]) && conv_range_size(part->kernel[d]));
        size_t first = 0, last = 0, outs = conv_range_size(part->field[d]);
        take_rows(params, d, part->kernel[d], extent, &first, &last);
        if (d + 1 == work->conv->plan.num_field_dims)
            cut_windows(params, d, work->conv->plan.slic_window_width, extent, first, &last);
        extent->input_count = (outs - 1) * params->output_transform.stride[d] + last - first + 1;
        extent->input = poplibs_new(extent->input_count, sizeof(*extent->input));
        size_t place = params_output_place(params, d, (unsigned)part->field[d].begin) + first;
        for (size_t i = 0; i < extent->input_count; ++i)
            extent->input[i] = params_input_at(params, d, place + i);
        layout.pads_input |= has_gaps(extent->input, extent->input_count);
        layout.pads_kernel |= has_gaps(extent->kernel, extent->kernel_count);
    }
    return layout;
}
static void layout_free(struct layout *layout)
{
    for (unsigned d = 0; d < POPLIN_MAX_FIELD_DIMS; ++d) {
        free(layout->extents[d].kernel);
        free(layout->extents[d].input);
        free(layout->extents[d].shifts);
    }
}

static struct conv_worklists worklists_of(const struct conv_work *work, const struct conv_part *part,
                                          const struct layout *layout)
{
    struct conv_axes axes = { .dims = work->conv->plan.num_field_dims, .batch = conv_range_size(part->n) };
    for (unsigned d = 0; d < axes.dims; ++d) {
        axes.positions[d] = layout->extents[d].sub_kernels;
        axes.input[d] = layout->extents[d].input_count;
        axes.output[d] = conv_range_size(part->field[d]);
    }
    conv_axes_make(&axes);
    for (unsigned d = 0; d < axes.dims; ++d)
        for (size_t k = 0; k < axes.positions[d]; ++k) {
            struct conv_axis *axis = &axes.list[d][k];
            for (; axis->count < axes.output[d]; ++axis->count) {
                axis->outs[axis->count] = (unsigned)axis->count;
                axis->ins[axis->count] = (unsigned)axis->count * work->conv->params.output_transform.stride[d] +
                                         layout->extents[d].shifts[k];
            }
        }
    struct conv_worklists list = conv_worklists_make(&axes, pop_graph_target(work->call->graph)->num_worker_contexts);
    conv_axes_free(&axes);
    return list;
}

/* ---- operands ---- */

/* The elements of an operand that a vertex reads for one group of conv groups: the operand itself, or a padded copy on
 * the tile. */
static pop_tensor padded(const struct conv_work *work, const struct conv_part *part, pop_tensor operand,
                         const char *name, bool pads, struct poplibs_copies *copies)
{
    const struct call *call = work->call;
    size_t dims[CONV_MAX_DIMS];
    if (!call_ready(call))
        return operand;
    pop_tensor flat = pop_tensor_flatten(operand);
    if (!pads)
        return flat;
    pop_shape shape = conv_shape(dims, pop_tensor_shape(operand, dims, CONV_MAX_DIMS));
    pop_tensor made = pop_graph_add_variable(call->graph, pop_tensor_type(operand), shape, name);
    pop_graph_set_tile_mapping(call->graph, made, part->tile);
    made = pop_tensor_flatten(made);
    poplibs_copies_add(copies, flat, made);
    return made;
}
static pop_tensor input_of(const struct conv_work *work, const struct conv_part *part, const struct layout *layout,
                           pop_tensor input, size_t g)
{
    const struct call *call = work->call;
    pop_tensor group =
        pop_tensor_slice(pop_tensor_index(input, POP_SHAPE(g, part->c.begin)), part->n.begin, part->n.end, 0);
    for (unsigned d = 0; d < work->conv->plan.num_field_dims; ++d)
        group = conv_gather(call, group, 1 + d, layout->extents[d].input, layout->extents[d].input_count);
    return group;
}
static pop_tensor weights_of(const struct conv_work *work, const struct conv_part *part, const struct layout *layout,
                             pop_tensor weights, size_t g)
{
    const struct call *call = work->call;
    pop_tensor group = pop_tensor_index(weights, POP_SHAPE(g, part->o.begin, part->c.begin));
    for (unsigned d = 0; d < work->conv->plan.num_field_dims; ++d)
        group = conv_gather(call, group, d, layout->extents[d].kernel, layout->extents[d].kernel_count);
    return group;
}

/* Elements of the buffer of sums that vertices of 2021 have for themselves. */
static size_t buffer_room(const struct conv_work *work)
{
    const pop_target *target = pop_graph_target(work->call->graph);
    const struct conv_plan *plan = &work->conv->plan;
    bool strided_halves = plan->tile_partial_type == POP_HALF &&
                          work->conv->params.output_transform.stride[plan->num_field_dims - 1] == 2;
    size_t bytes = POPLIN_SLIC_OVERHEAD + (strided_halves ? 8 : 0);
    return target->poplibs_release == POP_POPLIBS_2021 ? bytes / pop_target_type_size(target, plan->tile_partial_type)
                                                       : 0;
}

static void connect_operands(const struct conv_work *work, pop_vertex vertex, const struct conv_part *part,
                             const struct layout *layout, pop_tensor input, pop_tensor weights,
                             struct poplibs_copies *copies)
{
    const struct call *call = work->call;
    size_t groups = conv_range_size(part->g);
    pop_tensor *list = poplibs_new(groups, sizeof(*list));
    for (size_t g = 0; g < groups; ++g)
        list[g] = padded(work, part, input_of(work, part, layout, input, part->g.begin + g), "paddedInput",
                         layout->pads_input, copies);
    pop_graph_connect_list(call->graph, vertex, "in", (pop_tensors){ groups, list });
    for (size_t g = 0; g < groups; ++g)
        list[g] = padded(work, part, weights_of(work, part, layout, weights, part->g.begin + g), "paddedWeights",
                         layout->pads_kernel, copies);
    pop_graph_connect_list(call->graph, vertex, "weights", (pop_tensors){ groups, list });
    for (size_t g = 0; g < groups; ++g)
        list[g] = pop_tensor_flatten(pop_tensor_index(part->partials, POP_SHAPE(g, 0)));
    pop_graph_connect_list(call->graph, vertex, "out", (pop_tensors){ groups, list });
    pop_tensor sums = pop_graph_add_variable(
        call->graph, work->conv->plan.tile_partial_type,
        POP_SHAPE(pop_tensor_num_elements(part->partials) / groups + buffer_room(work)), "outFieldBuffer");
    pop_graph_set_tile_mapping(call->graph, sums, part->tile);
    call_connect(call, vertex, "out_field_buffer", sums);
    free(list);
}

/* ---- vertices ---- */

static void add_vertex(const struct conv_work *work, pop_compute_set compute, const struct conv_part *part,
                       pop_tensor input, pop_tensor weights, struct poplibs_copies *copies)
{
    const struct call *call = work->call;
    const struct conv_plan *plan = &work->conv->plan;
    struct layout layout = layout_of(work, part);
    struct conv_worklists list = worklists_of(work, part, &layout);
    size_t sub_kernels = 1;
    for (unsigned d = 0; d < plan->num_field_dims; ++d)
        sub_kernels *= layout.extents[d].sub_kernels;
    char name[96];
    snprintf(name, sizeof(name), "poplin::ConvPartial1x4SLIC<half,%s,%u,%s,%u,%u>",
             pop_type_name(plan->tile_partial_type),
             work->conv->params.output_transform.stride[plan->num_field_dims - 1],
             list.max <= UINT16_MAX ? "true" : "false", plan->num_conv_units / plan->slic_window_width, work->conv->g2);
    pop_vertex vertex = call_vertex(call, compute, name, part->tile);
    connect_operands(work, vertex, part, &layout, input, weights, copies);
    pop_graph_set_field_vector(call->graph, vertex, POP_FIELD("worklists", POP_WHOLE), POP_UNSIGNED_INT, list.list,
                               list.count);
    call_set(call, vertex, "conv_group_groups", conv_range_size(part->g));
    call_set(call, vertex, "sub_kernels", sub_kernels);
    pop_graph_set_field_int(call->graph, vertex, "num_workers", pop_graph_target(call->graph)->num_worker_contexts);
    free(list.list);
    layout_free(&layout);
}

void slic_add_vertices(const struct conv_work *work, pop_compute_set compute, struct conv_parts *parts,
                       pop_tensor input, pop_tensor weights)
{
    const struct call *call = work->call;
    struct poplibs_copies copies = { 0 }; /* copies of operands to their tiles, for all parts */
    size_t count = parts->outputs * parts->depth;
    for (size_t i = 0; i < count && call_ready(call); ++i)
        conv_add_partials(work, compute, &parts->parts[i]);
    for (size_t i = 0; i < count && call_ready(call); ++i)
        if (!parts->parts[i].empty)
            add_vertex(work, compute, &parts->parts[i], input, weights, &copies);
    if (copies.from.count && call_ready(call))
        conv_copy_and_pad(work, call_joined(call, &copies.from), call_joined(call, &copies.to),
                          conv_step_phase(work, CONV_PAD_PARTS), conv_step_phase(work, CONV_CONVOLVE));
    poplibs_copies_free(&copies);
}
