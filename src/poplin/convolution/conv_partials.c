/* SPDX-License-Identifier: Apache-2.0 */
/* The vertices that convolve: one for each tile, whose workers share the output positions. */
#include "poplin/convolution/conv_partials.h"
#include "poplin/convolution/conv_parts.h"
#include "poplin/convolution/conv_slic.h"
#include "poplin/convolution/conv_worklists.h"

#include <poplin/conv_util.h>
#include <popops/fill.h>

static struct conv_axes axes_of(const struct conv_work *work, const struct conv_part *part)
{
    struct conv_axes axes = { .dims = work->plan.num_field_dims, .batch = conv_range_size(part->n) };
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
                    poplin_get_input_index(d, (unsigned)o, (unsigned)(part->kernel[d].begin + k), &work->params);
                if (in == POPLIN_NO_INDEX)
                    continue;
                axis->outs[axis->count] = (unsigned)(o - part->field[d].begin);
                axis->ins[axis->count++] = (unsigned)(in - part->input[d].begin);
            }
        }
    return axes;
}

/* ---- vertices ---- */

static void set(const struct conv_work *work, pop_vertex vertex, const char *field, size_t value)
{
    pop_graph_set_field_int_at(work->where, work->graph, vertex, field, (int64_t)value);
}

static void connect_operands(const struct conv_work *work, pop_vertex vertex, const struct conv_part *part,
                             pop_tensor input, pop_tensor weights)
{
    size_t groups = conv_range_size(part->g), outs = conv_range_size(part->o), ins = conv_range_size(part->c),
           rows = groups * outs * ins, at = 0;
    pop_tensor *list = poplibs_new(rows, sizeof(*list));
    for (size_t g = 0; g < groups; ++g)
        for (size_t c = 0; c < ins; ++c)
            list[g * ins + c] = conv_part_input(work, input, part, part->g.begin + g, part->c.begin + c);
    pop_graph_connect_list_at(work->where, work->graph, vertex, "in", (pop_tensors){ groups * ins, list });
    for (size_t g = 0; g < groups; ++g)
        for (size_t o = 0; o < outs; ++o)
            for (size_t c = 0; c < ins; ++c)
                list[at++] =
                    conv_part_weights(work, weights, part, part->g.begin + g, part->o.begin + o, part->c.begin + c);
    pop_graph_connect_list_at(work->where, work->graph, vertex, "weights", (pop_tensors){ rows, list });
    for (size_t g = 0; g < groups; ++g)
        for (size_t o = 0; o < outs; ++o)
            list[g * outs + o] =
                pop_tensor_flatten_at(work->where, pop_tensor_index_at(work->where, part->partials, POP_SHAPE(g, o)));
    pop_graph_connect_list_at(work->where, work->graph, vertex, "out", (pop_tensors){ groups * outs, list });
    free(list);
}

static void vertex_name(const struct conv_work *work, bool limited, unsigned positions, char *name, size_t size)
{
    const struct poplin_plan *plan = &work->plan;
    const char *in = pop_type_name(work->params.input_type), *out = pop_type_name(plan->tile_partial_type),
               *words = limited ? "true" : "false";
    if (plan->method == POPLIN_MAC)
        snprintf(name, size, "poplin::ConvPartialHorizontalMac<%s,%s,%s>", in, out, words);
    else
        snprintf(name, size, "poplin::%s<%s,%s,%s,%s,%u>",
                 plan->is_1x1 && positions == 1 ? "ConvPartial1x1Out" : "ConvPartialnx1", in, out, words,
                 work->call->options->use_128bit_conv_unit_load ? "true" : "false", plan->num_conv_units);
}

/* AMP: coefficients of several rows of the kernel are held at once where a group of input channels does not fill the
 * conv units. */
static unsigned filter_height_of(const struct conv_work *work, const struct conv_part *part)
{
    const pop_target *target = pop_graph_target(work->graph);
    if (work->plan.method != POPLIN_AMP)
        return 1;
    size_t height = pop_target_weights_per_conv_unit(target, work->params.input_type) / poplibs_max(work->c2, 1);
    return (unsigned)poplibs_max(1, poplibs_min(height, conv_range_size(part->kernel[0])));
}

static void add_vertex(const struct conv_work *work, pop_compute_set compute, const struct conv_part *part,
                       pop_tensor input, pop_tensor weights)
{
    unsigned last = work->plan.num_field_dims - 1, workers = pop_graph_target(work->graph)->num_worker_contexts;
    unsigned dilation = work->params.input_transform.dilation[last],
             stride = work->params.output_transform.stride[last], common = (unsigned)poplibs_gcd(dilation, stride);
    struct conv_axes axes = axes_of(work, part);
    struct conv_worklists list = conv_worklists_make(&axes, workers);
    size_t positions = 1;
    for (unsigned d = 0; d <= last; ++d)
        positions *= conv_range_size(part->kernel[d]);
    bool limited = list.most <= UINT16_MAX;
    char name[96];
    vertex_name(work, limited, (unsigned)positions, name, sizeof(name));
    pop_vertex vertex = pop_graph_add_vertex_at(work->where, work->graph, compute, name);
    connect_operands(work, vertex, part, input, weights);
    pop_graph_set_field_vector_at(work->where, work->graph, vertex, POP_FIELD("worklists", POP_WHOLE), POP_UNSIGNED_INT,
                                  list.numbers, list.count);
    set(work, vertex, "conv_groups", conv_range_size(part->g));
    set(work, vertex, "in_groups", conv_range_size(part->c));
    set(work, vertex, "out_groups", conv_range_size(part->o));
    set(work, vertex, "in_chans", work->c2);
    set(work, vertex, "out_chans", work->o2);
    set(work, vertex, "kernel_size", positions);
    set(work, vertex, "filter_height", filter_height_of(work, part));
    set(work, vertex, "filter_width", positions / conv_range_size(part->kernel[0]));
    set(work, vertex, "in_stride", stride / common);
    set(work, vertex, "out_stride", dilation / common);
    set(work, vertex, "out_elements",
        pop_tensor_num_elements(part->partials) / (conv_range_size(part->g) * conv_range_size(part->o)));
    set(work, vertex, "num_workers", workers);
    pop_graph_map_vertex_at(work->where, work->graph, vertex, part->tile);
    free(list.numbers);
    conv_axes_free(&axes);
}

/* The products of a part's group g with positions [begin, end). */
static void add_outer_product(const struct conv_work *work, pop_compute_set compute, const struct conv_part *part,
                              pop_tensor input, pop_tensor weights, size_t g, pop_interval positions)
{
    size_t outs = conv_range_size(part->o);
    pop_tensor in = conv_part_input(work, input, part, part->g.begin + g, part->c.begin),
               *rows = poplibs_new(outs, sizeof(*rows));
    char name[64];
    snprintf(name, sizeof(name), "poplin::OuterProduct<%s>", pop_type_name(work->params.input_type));
    pop_vertex vertex = pop_graph_add_vertex_at(work->where, work->graph, compute, name);
    pop_graph_connect_at(work->where, work->graph, vertex, "in",
                         pop_tensor_slice_interval_at(work->where, in, positions, 0));
    for (size_t o = 0; o < outs; ++o)
        rows[o] = conv_part_weights(work, weights, part, part->g.begin + g, part->o.begin + o, part->c.begin);
    pop_graph_connect_at(work->where, work->graph, vertex, "weights",
                         pop_tensor_concat_at(work->where, (pop_tensors){ outs, rows }, 0));
    for (size_t o = 0; o < outs; ++o) {
        pop_tensor row =
            pop_tensor_flatten_at(work->where, pop_tensor_index_at(work->where, part->partials, POP_SHAPE(g, o)));
        rows[o] = pop_tensor_slice_at(work->where, row, positions.begin * work->o2, positions.end * work->o2, 0);
    }
    pop_graph_connect_list_at(work->where, work->graph, vertex, "out", (pop_tensors){ outs, rows });
    set(work, vertex, "chans_per_group", work->o2);
    pop_graph_map_vertex_at(work->where, work->graph, vertex, part->tile);
    free(rows);
}
/* In each group one vertex for each worker that has positions: they are cut along the row. */
static void add_outer_products(const struct conv_work *work, pop_compute_set compute, const struct conv_part *part,
                               pop_tensor input, pop_tensor weights)
{
    unsigned workers = pop_graph_target(work->graph)->num_worker_contexts;
    size_t width = pop_tensor_num_elements(conv_part_input(work, input, part, part->g.begin, part->c.begin));
    for (size_t g = 0; g < conv_range_size(part->g); ++g)
        for (unsigned worker = 0; worker < workers; ++worker) {
            pop_interval positions = { worker * width / workers, (worker + 1) * width / workers };
            if (positions.begin < positions.end)
                add_outer_product(work, compute, part, input, weights, g, positions);
        }
}

static pop_tensor new_partials(const struct conv_work *work, const struct conv_part *part, const char *name)
{
    unsigned dims = work->plan.num_field_dims, rank = 0;
    size_t shape[CONV_MOST_DIMS];
    shape[rank++] = conv_range_size(part->g);
    shape[rank++] = conv_range_size(part->o);
    shape[rank++] = conv_range_size(part->n);
    for (unsigned d = 0; d < dims; ++d)
        shape[rank++] = conv_range_size(part->field[d]);
    shape[rank++] = work->g2;
    shape[rank++] = work->o2;
    pop_tensor made = pop_graph_add_variable_at(work->where, work->graph, work->plan.tile_partial_type,
                                                conv_shape(shape, rank), name);
    pop_graph_set_tile_mapping_at(work->where, work->graph, made, part->tile);
    return made;
}

void conv_add_partials(const struct conv_work *work, struct conv_parts *parts, pop_tensor input, pop_tensor weights)
{
    pop_compute_set compute = conv_step_set(work, CONV_CONVOLVE, "Convolve");
    for (size_t i = 0; i < parts->outputs * parts->depth && poplibs_ready(work->graph); ++i) {
        struct conv_part *part = &parts->parts[i];
        part->partials = new_partials(work, part, "partials");
        if (part->empty)
            popops_zero_in_at(work->where, work->graph, part->partials, compute);
        else if (work->plan.method == POPLIN_OUTER_PRODUCT)
            add_outer_products(work, compute, part, input, weights);
        else if (work->plan.method != POPLIN_SLIC)
            add_vertex(work, compute, part, input, weights);
    }
    if (work->plan.method == POPLIN_SLIC)
        conv_slic_add(work, compute, parts, input, weights);
}
