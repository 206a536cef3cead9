/* SPDX-License-Identifier: Apache-2.0 */
/* The vertices that convolve: one for each tile, whose workers share the output positions. */
#include "poplin/conv_work.h"

#include <poplin/conv_util.h>
#include <popops/fill.h>

/* What goes into a vertex's worklists. */
struct list {
    unsigned *numbers;
    size_t count, capacity;
    unsigned most;
};
static void put(struct list *list, size_t number)
{
    if (list->count == list->capacity) {
        list->capacity = list->capacity ? 2 * list->capacity : 64;
        list->numbers = poplibs_resize(list->numbers, list->capacity, sizeof(*list->numbers));
    }
    list->most = (unsigned)poplibs_max(list->most, number);
    list->numbers[list->count++] = (unsigned)number;
}

static size_t size_of(struct conv_range range)
{
    return range.end - range.begin;
}

/* Outputs of a part along one dimension that a kernel position meets, and the inputs that it meets for them; they progress evenly. */
struct axis {
    unsigned *outs, *ins;
    size_t count;
};
/* Of each kernel position, dimension after dimension. */
struct axes {
    struct axis *list[POPLIN_MOST_FIELD_DIMS];
    unsigned *numbers;
};

static struct axes axes_of(const struct conv_work *work, const struct conv_part *part)
{
    struct axes axes = { .numbers = NULL };
    unsigned dims = work->plan.num_field_dims;
    size_t total = 0, lists = 0;
    for (unsigned d = 0; d < dims; ++d) {
        total += 2 * size_of(part->kernel[d]) * size_of(part->field[d]);
        lists += size_of(part->kernel[d]);
    }
    axes.numbers = poplibs_new(total, sizeof(*axes.numbers));
    axes.list[0] = poplibs_new(lists, sizeof(*axes.list[0]));
    unsigned *numbers = axes.numbers;
    for (unsigned d = 0; d < dims; ++d) {
        if (d)
            axes.list[d] = axes.list[d - 1] + size_of(part->kernel[d - 1]);
        for (size_t k = 0; k < size_of(part->kernel[d]); ++k, numbers += 2 * size_of(part->field[d])) {
            struct axis *axis = &axes.list[d][k];
            *axis = (struct axis){ numbers, numbers + size_of(part->field[d]), 0 };
            for (size_t o = part->field[d].begin; o < part->field[d].end; ++o) {
                unsigned in = poplin_get_input_index(d, (unsigned)o, (unsigned)(part->kernel[d].begin + k), &work->params);
                if (in == POPLIN_NO_INDEX)
                    continue;
                axis->outs[axis->count] = (unsigned)(o - part->field[d].begin);
                axis->ins[axis->count++] = (unsigned)(in - part->input[d].begin);
            }
        }
    }
    return axes;
}
static void axes_free(struct axes *axes)
{
    free(axes->list[0]);
    free(axes->numbers);
}

/* One kernel position: the rows and columns of the part's output that it meets. */
struct position {
    const struct conv_part *part;
    struct axis axes[POPLIN_MOST_FIELD_DIMS];
    unsigned last; /* dimension: that of the columns */
};

/* The item for columns [begin, end) of a row; rows are numbered through batch and outer field dimensions. */
static void put_item(struct list *list, const struct position *position, size_t number, size_t begin, size_t end)
{
    const struct conv_part *part = position->part;
    const struct axis *columns = &position->axes[position->last];
    size_t rest = number, outer[POPLIN_MOST_FIELD_DIMS];
    for (unsigned d = position->last; d-- > 0; rest /= position->axes[d].count)
        outer[d] = rest % position->axes[d].count;
    size_t in = rest, out = rest;
    for (unsigned d = 0; d < position->last; ++d) {
        in = in * size_of(part->input[d]) + position->axes[d].ins[outer[d]];
        out = out * size_of(part->field[d]) + position->axes[d].outs[outer[d]];
    }
    put(list, out * size_of(part->field[position->last]) + columns->outs[begin]);
    put(list, end - begin);
    put(list, in * size_of(part->input[position->last]) + columns->ins[begin]);
}

/* A worker's items: rows are cut into as many pieces as make the workers' numbers of pieces equal. */
static void put_worker(struct list *list, const struct position *position, unsigned worker, unsigned workers)
{
    size_t rows = size_of(position->part->n), width = position->axes[position->last].count, place = list->count;
    for (unsigned d = 0; d < position->last; ++d)
        rows *= position->axes[d].count;
    size_t pieces = workers / poplibs_gcd(rows, workers), begin = worker * (rows * pieces) / workers, end = (worker + 1) * (rows * pieces) / workers;
    put(list, 0);
    while (begin < end) {
        size_t number = begin / pieces, stop = poplibs_min(end, (number + 1) * pieces);
        size_t from = poplibs_ceil_div((begin - number * pieces) * width, pieces), to = poplibs_ceil_div((stop - number * pieces) * width, pieces);
        if (from < to)
            put_item(list, position, number, from, to);
        begin = stop;
    }
    list->numbers[place] = (unsigned)((list->count - place - 1) / 3);
}

static struct list worklists_of(const struct conv_work *work, const struct conv_part *part, unsigned workers)
{
    struct list list = { 0 };
    struct axes axes = axes_of(work, part);
    unsigned dims = work->plan.num_field_dims;
    size_t positions = 1;
    for (unsigned d = 0; d < dims; ++d)
        positions *= size_of(part->kernel[d]);
    for (size_t p = 0; p < positions; ++p) {
        struct position position = { .part = part, .last = dims - 1 };
        size_t rest = p;
        for (unsigned d = dims; d-- > 0; rest /= size_of(part->kernel[d]))
            position.axes[d] = axes.list[d][rest % size_of(part->kernel[d])];
        for (unsigned worker = 0; worker < workers; ++worker)
            put_worker(&list, &position, worker, workers);
    }
    axes_free(&axes);
    return list;
}

/* ---- vertices ---- */

static void set(const struct conv_work *work, pop_vertex vertex, const char *field, size_t value)
{
    pop_graph_set_field_int_at(work->where, work->graph, vertex, field, (int64_t)value);
}

static void connect_operands(const struct conv_work *work, pop_vertex vertex, const struct conv_part *part, pop_tensor input, pop_tensor weights)
{
    size_t groups = size_of(part->g), outs = size_of(part->o), ins = size_of(part->c), rows = groups * outs * ins, at = 0;
    pop_tensor *list = poplibs_new(rows, sizeof(*list));
    for (size_t g = 0; g < groups; ++g)
        for (size_t c = 0; c < ins; ++c)
            list[g * ins + c] = conv_part_input(work, input, part, part->g.begin + g, part->c.begin + c);
    pop_graph_connect_list_at(work->where, work->graph, vertex, "in", (pop_tensors){ groups * ins, list });
    for (size_t g = 0; g < groups; ++g)
        for (size_t o = 0; o < outs; ++o)
            for (size_t c = 0; c < ins; ++c)
                list[at++] = conv_part_weights(work, weights, part, part->g.begin + g, part->o.begin + o, part->c.begin + c);
    pop_graph_connect_list_at(work->where, work->graph, vertex, "weights", (pop_tensors){ rows, list });
    for (size_t g = 0; g < groups; ++g)
        for (size_t o = 0; o < outs; ++o)
            list[g * outs + o] = pop_tensor_flatten_at(work->where, pop_tensor_index_at(work->where, part->partials, POP_SHAPE(g, o)));
    pop_graph_connect_list_at(work->where, work->graph, vertex, "out", (pop_tensors){ groups * outs, list });
    free(list);
}

static void vertex_name(const struct conv_work *work, bool limited, unsigned positions, char *name, size_t size)
{
    const struct poplin_plan *plan = &work->plan;
    const char *in = pop_type_name(work->params.input_type), *out = pop_type_name(plan->tile_partial_type), *words = limited ? "true" : "false";
    if (plan->method == POPLIN_MAC)
        snprintf(name, size, "poplin::ConvPartialHorizontalMac<%s,%s,%s>", in, out, words);
    else
        snprintf(name, size, "poplin::%s<%s,%s,%s,%s,%u>", plan->is_1x1 && positions == 1 ? "ConvPartial1x1Out" : "ConvPartialnx1", in, out, words,
                 work->call->options->use_128bit_conv_unit_load ? "true" : "false", plan->num_conv_units);
}

/* AMP: coefficients of several rows of the kernel are held at once where a group of input channels does not fill the conv units. */
static unsigned filter_height_of(const struct conv_work *work, const struct conv_part *part)
{
    const pop_target *target = pop_graph_target(work->graph);
    if (work->plan.method != POPLIN_AMP)
        return 1;
    size_t height = pop_target_weights_per_conv_unit(target, work->params.input_type) / poplibs_max(work->c2, 1);
    return (unsigned)poplibs_max(1, poplibs_min(height, size_of(part->kernel[0])));
}

static void add_vertex(const struct conv_work *work, pop_compute_set compute, const struct conv_part *part, pop_tensor input, pop_tensor weights)
{
    unsigned last = work->plan.num_field_dims - 1, workers = pop_graph_target(work->graph)->num_worker_contexts;
    unsigned dilation = work->params.input_transform.dilation[last], stride = work->params.output_transform.stride[last], common = (unsigned)poplibs_gcd(dilation, stride);
    struct list list = worklists_of(work, part, workers);
    size_t positions = 1;
    for (unsigned d = 0; d <= last; ++d)
        positions *= size_of(part->kernel[d]);
    bool limited = list.most <= UINT16_MAX;
    char name[96];
    vertex_name(work, limited, (unsigned)positions, name, sizeof(name));
    pop_vertex vertex = pop_graph_add_vertex_at(work->where, work->graph, compute, name);
    connect_operands(work, vertex, part, input, weights);
    pop_graph_set_field_vector_at(work->where, work->graph, vertex, POP_FIELD("worklists", POP_WHOLE), POP_UNSIGNED_INT, list.numbers, list.count);
    set(work, vertex, "conv_groups", size_of(part->g));
    set(work, vertex, "in_groups", size_of(part->c));
    set(work, vertex, "out_groups", size_of(part->o));
    set(work, vertex, "in_chans", work->c2);
    set(work, vertex, "out_chans", work->o2);
    set(work, vertex, "kernel_size", positions);
    set(work, vertex, "filter_height", filter_height_of(work, part));
    set(work, vertex, "filter_width", positions / size_of(part->kernel[0]));
    set(work, vertex, "in_stride", stride / common);
    set(work, vertex, "out_stride", dilation / common);
    set(work, vertex, "out_elements", pop_tensor_num_elements(part->partials) / (size_of(part->g) * size_of(part->o)));
    set(work, vertex, "num_workers", workers);
    pop_graph_map_vertex_at(work->where, work->graph, vertex, part->tile);
    free(list.numbers);
}

/* The products of a part's group g with positions [begin, end). */
static void add_outer_product(const struct conv_work *work, pop_compute_set compute, const struct conv_part *part, pop_tensor input, pop_tensor weights,
                              size_t g, pop_interval positions)
{
    size_t outs = size_of(part->o);
    pop_tensor in = conv_part_input(work, input, part, part->g.begin + g, part->c.begin), *rows = poplibs_new(outs, sizeof(*rows));
    char name[64];
    snprintf(name, sizeof(name), "poplin::OuterProduct<%s>", pop_type_name(work->params.input_type));
    pop_vertex vertex = pop_graph_add_vertex_at(work->where, work->graph, compute, name);
    pop_graph_connect_at(work->where, work->graph, vertex, "in", pop_tensor_slice_interval_at(work->where, in, positions, 0));
    for (size_t o = 0; o < outs; ++o)
        rows[o] = conv_part_weights(work, weights, part, part->g.begin + g, part->o.begin + o, part->c.begin);
    pop_graph_connect_at(work->where, work->graph, vertex, "weights", pop_tensor_concat_at(work->where, (pop_tensors){ outs, rows }, 0));
    for (size_t o = 0; o < outs; ++o) {
        pop_tensor row = pop_tensor_flatten_at(work->where, pop_tensor_index_at(work->where, part->partials, POP_SHAPE(g, o)));
        rows[o] = pop_tensor_slice_at(work->where, row, positions.begin * work->o2, positions.end * work->o2, 0);
    }
    pop_graph_connect_list_at(work->where, work->graph, vertex, "out", (pop_tensors){ outs, rows });
    set(work, vertex, "chans_per_group", work->o2);
    pop_graph_map_vertex_at(work->where, work->graph, vertex, part->tile);
    free(rows);
}
/* In each group one vertex for each worker that has positions: they are cut along the row. */
static void add_outer_products(const struct conv_work *work, pop_compute_set compute, const struct conv_part *part, pop_tensor input, pop_tensor weights)
{
    unsigned workers = pop_graph_target(work->graph)->num_worker_contexts;
    size_t width = pop_tensor_num_elements(conv_part_input(work, input, part, part->g.begin, part->c.begin));
    for (size_t g = 0; g < size_of(part->g); ++g)
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
    shape[rank++] = size_of(part->g);
    shape[rank++] = size_of(part->o);
    shape[rank++] = size_of(part->n);
    for (unsigned d = 0; d < dims; ++d)
        shape[rank++] = size_of(part->field[d]);
    shape[rank++] = work->g2;
    shape[rank++] = work->o2;
    pop_tensor made = pop_graph_add_variable_at(work->where, work->graph, work->plan.tile_partial_type, conv_shape(shape, rank), name);
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
        else
            add_vertex(work, compute, part, input, weights);
    }
}
