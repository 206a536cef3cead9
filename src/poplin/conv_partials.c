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

/* Where output elements of a row and the elements of the input's row that they need begin, for one kernel position. */
struct row {
    const struct conv_work *work;
    const struct conv_part *part;
    size_t kernel[POPLIN_MOST_FIELD_DIMS];
    unsigned out_stride;
};

/* The item for columns [begin, end) of a row; rows are numbered through batch and outer field dimensions. */
static void put_item(struct list *list, const struct row *row, size_t number, size_t begin, size_t end)
{
    const struct conv_part *part = row->part;
    const poplin_conv_params *params = &row->work->params;
    unsigned last = (unsigned)params->num_field_dims - 1;
    size_t in = 0, out = 0, at = number, outer[POPLIN_MOST_FIELD_DIMS];
    for (unsigned d = last; d-- > 0; at /= size_of(part->field[d]))
        outer[d] = at % size_of(part->field[d]);
    in = out = at;
    for (unsigned d = 0; d < last; ++d) {
        unsigned index = poplin_get_input_index(d, (unsigned)(part->field[d].begin + outer[d]), (unsigned)row->kernel[d], params);
        if (index == POPLIN_NO_INDEX)
            return;
        in = in * size_of(part->input[d]) + index - part->input[d].begin;
        out = out * size_of(part->field[d]) + outer[d];
    }
    size_t first_out = SIZE_MAX, first_in = 0, elements = 0;
    for (size_t x = begin; x < end; ++x) {
        unsigned index = poplin_get_input_index(last, (unsigned)(part->field[last].begin + x), (unsigned)row->kernel[last], params);
        if (index == POPLIN_NO_INDEX)
            continue;
        if (first_out == SIZE_MAX) {
            first_out = x;
            first_in = index - part->input[last].begin;
        }
        elements = (x - first_out) / row->out_stride + 1;
    }
    if (!elements)
        return;
    put(list, out * size_of(part->field[last]) + first_out);
    put(list, elements);
    put(list, in * size_of(part->input[last]) + first_in);
}

/* A worker's items: rows are cut into as many pieces as make the workers' numbers of pieces equal. */
static void put_worker(struct list *list, const struct row *row, unsigned worker, unsigned workers)
{
    const struct conv_part *part = row->part;
    unsigned last = (unsigned)row->work->params.num_field_dims - 1;
    size_t rows = size_of(part->n), width = size_of(part->field[last]), place = list->count;
    for (unsigned d = 0; d < last; ++d)
        rows *= size_of(part->field[d]);
    size_t common = rows, rest = workers;
    while (rest) {
        size_t next = common % rest;
        common = rest;
        rest = next;
    }
    size_t pieces = workers / common, begin = worker * (rows * pieces) / workers, end = (worker + 1) * (rows * pieces) / workers;
    put(list, 0);
    while (begin < end) {
        size_t number = begin / pieces, stop = poplibs_min(end, (number + 1) * pieces);
        size_t from = poplibs_ceil_div((begin - number * pieces) * width, pieces), to = poplibs_ceil_div((stop - number * pieces) * width, pieces);
        if (from < to)
            put_item(list, row, number, from, to);
        begin = stop;
    }
    list->numbers[place] = (unsigned)((list->count - place - 1) / 3);
}

static struct list worklists_of(const struct conv_work *work, const struct conv_part *part, unsigned out_stride, unsigned workers)
{
    struct list list = { 0 };
    unsigned dims = work->plan.num_field_dims;
    size_t positions = 1;
    for (unsigned d = 0; d < dims; ++d)
        positions *= size_of(part->kernel[d]);
    for (size_t p = 0; p < positions; ++p) {
        struct row row = { work, part, { 0 }, out_stride };
        size_t rest = p;
        for (unsigned d = dims; d-- > 0; rest /= size_of(part->kernel[d]))
            row.kernel[d] = part->kernel[d].begin + rest % size_of(part->kernel[d]);
        for (unsigned worker = 0; worker < workers; ++worker)
            put_worker(&list, &row, worker, workers);
    }
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

static unsigned gcd(unsigned a, unsigned b)
{
    return b ? gcd(b, a % b) : a;
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
    unsigned dilation = work->params.input_transform.dilation[last], stride = work->params.output_transform.stride[last], common = gcd(dilation, stride);
    struct list list = worklists_of(work, part, dilation / common, workers);
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

/* One vertex for each worker that has positions: they are cut along the row. */
static void add_outer_products(const struct conv_work *work, pop_compute_set compute, const struct conv_part *part, pop_tensor input, pop_tensor weights)
{
    unsigned workers = pop_graph_target(work->graph)->num_worker_contexts;
    size_t outs = size_of(part->o), g = part->g.begin;
    pop_tensor in = conv_part_input(work, input, part, g, part->c.begin), *rows = poplibs_new(outs, sizeof(*rows));
    size_t width = pop_tensor_num_elements(in);
    char name[64];
    snprintf(name, sizeof(name), "poplin::OuterProduct<%s>", pop_type_name(work->params.input_type));
    for (unsigned worker = 0; worker < workers; ++worker) {
        size_t begin = worker * width / workers, end = (worker + 1) * width / workers;
        if (begin == end)
            continue;
        pop_vertex vertex = pop_graph_add_vertex_at(work->where, work->graph, compute, name);
        pop_graph_connect_at(work->where, work->graph, vertex, "in", pop_tensor_slice_at(work->where, in, begin, end, 0));
        for (size_t o = 0; o < outs; ++o)
            rows[o] = conv_part_weights(work, weights, part, g, part->o.begin + o, part->c.begin);
        pop_graph_connect_at(work->where, work->graph, vertex, "weights", pop_tensor_concat_at(work->where, (pop_tensors){ outs, rows }, 0));
        for (size_t o = 0; o < outs; ++o) {
            pop_tensor row = pop_tensor_flatten_at(work->where, pop_tensor_index_at(work->where, part->partials, POP_SHAPE(0, o)));
            rows[o] = pop_tensor_slice_at(work->where, row, begin * work->o2, end * work->o2, 0);
        }
        pop_graph_connect_list_at(work->where, work->graph, vertex, "out", (pop_tensors){ outs, rows });
        set(work, vertex, "chans_per_group", work->o2);
        pop_graph_map_vertex_at(work->where, work->graph, vertex, part->tile);
    }
    free(rows);
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

void conv_add_partials(const struct conv_work *work, struct conv_parts *parts, pop_tensor input, pop_tensor weights, pop_program sequence)
{
    char path[256];
    poplibs_path(path, sizeof(path), work->call->name, "Convolve");
    pop_compute_set compute = pop_graph_add_compute_set_at(work->where, work->graph, path);
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
    pop_sequence_add_at(work->where, sequence, pop_execute_at(work->where, compute, work->call->name));
}
