/* SPDX-License-Identifier: Apache-2.0 */
/* Common parts of methods: partials, and vertices whose workers share rows of output positions. */
#include "poplin/convolution/conv_partials.h"
#include "poplin/convolution/conv_parts.h"
#include "poplin/convolution/conv_worklists.h"

#include <assert.h>
#include <poplin/conv_util.h>
#include <popops/fill.h>

struct conv_axes conv_part_axes(const struct conv_work *work, const struct conv_part *part)
{
    struct conv_axes axes = { .dims = work->conv->plan.num_field_dims, .batch = conv_range_size(part->n) };
    for (unsigned d = 0; d < axes.dims; ++d) {
        axes.positions[d] = conv_range_size(part->kernel[d]);
        axes.input[d] = conv_range_size(part->input[d]);
        axes.output[d] = conv_range_size(part->field[d]);
    }
    conv_axes_make(&axes);
    for (unsigned d = 0; d < axes.dims; ++d)
        for (size_t k = 0; k < axes.positions[d]; ++k) {
            struct conv_axis *axis = &axes.list[d][k];
            for (size_t o = part->field[d].begin; o < part->field[d].end; ++o) {
                unsigned in =
                    poplin_get_input_index(d, (unsigned)o, (unsigned)(part->kernel[d].begin + k), &work->conv->params);
                if (in == POPLIN_NO_INDEX)
                    continue;
                assert(in >= part->input[d].begin && in < part->input[d].end);
                axis->outs[axis->count] = (unsigned)(o - part->field[d].begin);
                axis->ins[axis->count++] = (unsigned)(in - part->input[d].begin);
            }
        }
    return axes;
}

static bool are_lists_of(const struct conv_part_lists *lists, const struct conv_part *part, unsigned dims)
{
    bool same = lists->batch && lists->batch == conv_range_size(part->n);
    for (unsigned d = 0; same && d < dims; ++d)
        same = lists->kernel[d].begin == part->kernel[d].begin && lists->kernel[d].end == part->kernel[d].end &&
               lists->field[d].begin == part->field[d].begin && lists->field[d].end == part->field[d].end &&
               lists->input[d].begin == part->input[d].begin && lists->input[d].end == part->input[d].end;
    return same;
}

static const struct conv_worklists *lists_of(const struct conv_work *work, const struct conv_part *part,
                                             unsigned workers)
{
    struct conv_part_lists *lists = work->lists;
    unsigned dims = work->conv->plan.num_field_dims;
    if (are_lists_of(lists, part, dims))
        return &lists->made;
    struct conv_axes axes = conv_part_axes(work, part);
    free(lists->made.list);
    lists->made = conv_worklists_make(&axes, workers);
    lists->batch = conv_range_size(part->n);
    for (unsigned d = 0; d < dims; ++d) {
        lists->kernel[d] = part->kernel[d];
        lists->field[d] = part->field[d];
        lists->input[d] = part->input[d];
    }
    conv_axes_free(&axes);
    return &lists->made;
}

/* ---- vertices ---- */

static void set(const struct conv_work *work, pop_vertex vertex, const char *field, size_t value)
{
    const struct call *call = work->call;
    call_set(call, vertex, field, value);
}

static void connect_operands(const struct conv_work *work, pop_vertex vertex, const struct conv_part *part,
                             pop_tensor input, pop_tensor weights)
{
    const struct call *call = work->call;
    size_t groups = conv_range_size(part->g), outs = conv_range_size(part->o), ins = conv_range_size(part->c),
           rows = groups * outs * ins, at = 0;
    pop_tensor *list = poplibs_new(rows, sizeof(*list));
    for (size_t g = 0; g < groups; ++g)
        for (size_t c = 0; c < ins; ++c)
            list[g * ins + c] = conv_part_input(work->conv, input, part, part->g.begin + g, part->c.begin + c);
    pop_graph_connect_list(call->graph, vertex, "in", (pop_tensors){ groups * ins, list });
    for (size_t g = 0; g < groups; ++g)
        for (size_t o = 0; o < outs; ++o)
            for (size_t c = 0; c < ins; ++c)
                list[at++] = conv_part_weights(work->conv, weights, part, part->g.begin + g, part->o.begin + o,
                                               part->c.begin + c);
    assert(at == rows && groups && outs && ins);
    pop_graph_connect_list(call->graph, vertex, "weights", (pop_tensors){ rows, list });
    for (size_t g = 0; g < groups; ++g)
        for (size_t o = 0; o < outs; ++o)
            list[g * outs + o] = pop_tensor_flatten(pop_tensor_index(part->partials, POP_SHAPE(g, o)));
    pop_graph_connect_list(call->graph, vertex, "out", (pop_tensors){ groups * outs, list });
    free(list);
}

size_t conv_part_positions(const struct conv_work *work, const struct conv_part *part)
{
    size_t positions = 1;
    for (unsigned d = 0; d < work->conv->plan.num_field_dims; ++d)
        positions *= conv_range_size(part->kernel[d]);
    return positions;
}

/* "poplin::TYPE<input, partials, limited PARAMETERS>"; limited: worklists are of unsigned short. */
static pop_vertex new_vertex(const struct conv_work *work, pop_compute_set compute, const struct conv_row_vertex *of,
                             bool limited)
{
    const struct call *call = work->call;
    char name[96];
    snprintf(name, sizeof(name), "poplin::%s<%s,%s,%s%s>", of->type, pop_type_name(work->conv->params.input_type),
             pop_type_name(work->conv->plan.tile_partial_type), limited ? "true" : "false", of->parameters);
    return pop_graph_add_vertex(call->graph, compute, name);
}

void conv_add_row_vertex(const struct conv_work *work, pop_compute_set compute, const struct conv_part *part,
                         pop_tensor input, pop_tensor weights, const struct conv_row_vertex *of)
{
    const struct call *call = work->call;
    unsigned last = work->conv->plan.num_field_dims - 1, workers = pop_graph_target(call->graph)->num_worker_contexts;
    unsigned dilation = work->conv->params.input_transform.dilation[last],
             stride = work->conv->params.output_transform.stride[last],
             common = (unsigned)poplibs_gcd(dilation, stride);
    const struct conv_worklists *list = lists_of(work, part, workers);
    size_t positions = conv_part_positions(work, part);
    assert(positions && conv_range_size(part->kernel[0]));
    pop_vertex vertex = new_vertex(work, compute, of, list->max <= UINT16_MAX);
    connect_operands(work, vertex, part, input, weights);
    if (pop_tensor_valid(work->conv->metadata[0])) {
        call_connect(call, vertex, "inMetadata", work->conv->metadata[work->conv->swapped]);
        call_connect(call, vertex, "weightsMetadata", work->conv->metadata[!work->conv->swapped]);
    }
    pop_graph_set_field_vector(call->graph, vertex, POP_FIELD("worklists", POP_WHOLE), POP_UNSIGNED_INT, list->list,
                               list->count);
    set(work, vertex, "conv_groups", conv_range_size(part->g));
    set(work, vertex, "in_groups", conv_range_size(part->c));
    set(work, vertex, "out_groups", conv_range_size(part->o));
    set(work, vertex, "in_chans", work->conv->c2);
    set(work, vertex, "out_chans", work->conv->o2);
    set(work, vertex, "kernel_size", positions);
    set(work, vertex, "filter_height", of->filter_height);
    set(work, vertex, "filter_width", positions / conv_range_size(part->kernel[0]));
    set(work, vertex, "in_stride", stride / common);
    set(work, vertex, "out_stride", dilation / common);
    set(work, vertex, "out_elements",
        pop_tensor_num_elements(part->partials) / (conv_range_size(part->g) * conv_range_size(part->o)));
    set(work, vertex, "num_workers", workers);
    pop_graph_map_vertex(call->graph, vertex, part->tile);
}

void conv_add_partials(const struct conv_work *work, pop_compute_set compute, struct conv_part *part)
{
    const struct call *call = work->call;
    unsigned dims = work->conv->plan.num_field_dims, rank = 0;
    size_t shape[CONV_MAX_DIMS];
    shape[rank++] = conv_range_size(part->g);
    shape[rank++] = conv_range_size(part->o);
    shape[rank++] = conv_range_size(part->n);
    for (unsigned d = 0; d < dims; ++d)
        shape[rank++] = conv_range_size(part->field[d]);
    shape[rank++] = work->conv->g2;
    shape[rank++] = work->conv->o2;
    part->partials =
        pop_graph_add_variable(call->graph, work->conv->plan.tile_partial_type, conv_shape(shape, rank), "partials");
    pop_graph_set_tile_mapping(call->graph, part->partials, part->tile);
    if (part->empty)
        popops_zero_in(call->graph, part->partials, compute);
}

const struct conv_part *conv_next_part(const struct conv_work *work, pop_compute_set compute, struct conv_parts *parts,
                                       size_t *next)
{
    while (*next < parts->outputs * parts->depth && call_ready(work->call)) {
        struct conv_part *part = &parts->parts[(*next)++];
        conv_add_partials(work, compute, part);
        if (!part->empty)
            return part;
    }
    return NULL;
}
