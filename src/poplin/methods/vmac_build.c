/* SPDX-License-Identifier: Apache-2.0 */
/* Adds the vertices of plans with the method VMAC: for each output and each row of the kernel an item, the dot product
 * of the kernel positions that meet an input (conv_vertices/conv_vmac_vertices.c). */
#include "poplin/convolution/conv_partials.h"
#include "poplin/convolution/conv_worklists.h"
#include "poplin/methods/methods.h"

#include <assert.h>

/* The kernel positions along the last dimension that meet an input for one output. */
struct dot {
    unsigned out, count, *kernel, *in;
};
struct dots {
    struct dot *list;
    unsigned *numbers; /* storage of kernel and in */
    size_t count;      /* outputs without a position are left out */
    unsigned kernel_step;
    int in_step;
};

/* All outputs have the same steps between two positions. */
static struct dots dots_make(const struct conv_axes *axes)
{
    unsigned last = axes->dims - 1;
    size_t width = axes->positions[last], outs = axes->output[last];
    struct dots dots = { .list = poplibs_zeros(outs, sizeof(*dots.list)),
                         .numbers = poplibs_new(2 * outs * width, sizeof(*dots.numbers)),
                         .kernel_step = 1,
                         .in_step = 1 };
    for (size_t o = 0; o < outs; ++o)
        dots.list[o] = (struct dot){ (unsigned)o, 0, dots.numbers + 2 * o * width, dots.numbers + (2 * o + 1) * width };
    for (size_t k = 0; k < width; ++k)
        for (size_t i = 0; i < axes->list[last][k].count; ++i) {
            struct dot *dot = &dots.list[axes->list[last][k].outs[i]];
            dot->kernel[dot->count] = (unsigned)k;
            dot->in[dot->count++] = axes->list[last][k].ins[i];
        }
    for (size_t o = 0; o < outs; ++o) {
        const struct dot dot = dots.list[o];
        if (dot.count > 1) {
            dots.kernel_step = dot.kernel[1] - dot.kernel[0];
            dots.in_step = (int)dot.in[1] - (int)dot.in[0];
        }
        if (dot.count)
            dots.list[dots.count++] = dot;
    }
    return dots;
}
static void dots_free(struct dots *dots)
{
    free(dots->list);
    free(dots->numbers);
}

/* ---- lists ---- */

static void put(struct conv_worklists *list, size_t number)
{
    list->max = (unsigned)poplibs_max(list->max, number);
    *poplibs_push(list) = (unsigned)number;
}

/* A row of the kernel: its place, and its axis along each dimension but the last. */
struct kernel_row {
    size_t place;
    const struct conv_axis *axes[POPLIN_MAX_FIELD_DIMS];
};
static struct kernel_row kernel_row_of(const struct conv_axes *axes, size_t place)
{
    struct kernel_row row = { .place = place };
    for (unsigned d = axes->dims - 1; d-- > 0; place /= axes->positions[d])
        row.axes[d] = &axes->list[d][place % axes->positions[d]];
    return row;
}

/* Appends the item of output `number` (over batch, outer dimensions and dots) for kernel positions [begin, end). */
static bool put_item(struct conv_worklists *list, const struct conv_axes *axes, const struct kernel_row *row,
                     const struct dots *dots, size_t number, size_t begin, size_t end)
{
    unsigned last = axes->dims - 1;
    const struct dot *dot = &dots->list[number % dots->count];
    size_t from = 0, count = 0, outer[POPLIN_MAX_FIELD_DIMS], rest = number / dots->count;
    for (; from < dot->count && dot->kernel[from] < begin; ++from)
        ;
    for (; from + count < dot->count && dot->kernel[from + count] < end; ++count)
        ;
    if (!count)
        return false;
    for (unsigned d = last; d-- > 0; rest /= row->axes[d]->count)
        outer[d] = rest % row->axes[d]->count;
    size_t in = rest, out = rest;
    for (unsigned d = 0; d < last; ++d) {
        in = in * axes->input[d] + row->axes[d]->ins[outer[d]];
        out = out * axes->output[d] + row->axes[d]->outs[outer[d]];
    }
    assert(rest < axes->batch);
    put(list, out * axes->output[last] + dot->out);
    put(list, row->place * axes->positions[last] + dot->kernel[from]);
    put(list, in * axes->input[last] + dot->in[from]);
    put(list, count - 1);
    return true;
}

/* Appends a worker's items of a row of the kernel; returns their number.  All workers have the same number of parts of
 * rows: kernel positions of one output may be shared. */
static size_t put_share(struct conv_worklists *list, const struct conv_axes *axes, const struct kernel_row *row,
                        const struct dots *dots, unsigned worker, unsigned workers)
{
    size_t outputs = axes->batch * dots->count, width = axes->positions[axes->dims - 1], count = 0;
    for (unsigned d = 0; d + 1 < axes->dims; ++d)
        outputs *= row->axes[d]->count;
    size_t pieces = workers / poplibs_gcd(outputs, workers), begin = worker * (outputs * pieces / workers),
           end = begin + outputs * pieces / workers;
    while (begin < end) {
        size_t number = begin / pieces, stop = poplibs_min(end, (number + 1) * pieces);
        size_t from = poplibs_ceil_div((begin - number * pieces) * width, pieces),
               to = poplibs_ceil_div((stop - number * pieces) * width, pieces);
        count += put_item(list, axes, row, dots, number, from, to);
        begin = stop;
    }
    return count;
}

static struct conv_worklists worklists_of(const struct conv_axes *axes, const struct dots *dots, unsigned workers)
{
    struct conv_worklists list = { 0 };
    size_t rows = 1;
    for (unsigned d = 0; d + 1 < axes->dims; ++d)
        rows *= axes->positions[d];
    for (unsigned worker = 0; worker < workers; ++worker) {
        size_t place = list.count, count = 0;
        put(&list, 0);
        for (size_t r = 0; r < rows; ++r) {
            struct kernel_row row = kernel_row_of(axes, r);
            count += put_share(&list, axes, &row, dots, worker, workers);
        }
        list.list[place] = (unsigned)count;
        list.max = (unsigned)poplibs_max(list.max, count);
    }
    return list;
}

/* ---- vertices ---- */

static void set(const struct conv_work *work, pop_vertex vertex, const char *field, int64_t value)
{
    const struct call *call = work->call;
    pop_graph_set_field_int(call->graph, vertex, field, value);
}

static void connect_operands(const struct conv_work *work, pop_vertex vertex, const struct conv_part *part,
                             pop_tensor input, pop_tensor weights, size_t out_elements)
{
    const struct call *call = work->call;
    size_t groups = conv_range_size(part->g), ins = conv_range_size(part->c);
    pop_tensor *list = poplibs_new(groups * ins, sizeof(*list));
    assert(conv_range_size(part->o) == 1 && groups && ins);
    for (size_t i = 0; i < groups * ins; ++i)
        list[i] = conv_part_input(work->conv, input, part, part->g.begin + i / ins, part->c.begin + i % ins);
    pop_graph_connect_list(call->graph, vertex, "in", (pop_tensors){ groups * ins, list });
    for (size_t i = 0; i < groups * ins; ++i)
        list[i] = conv_part_weights(work->conv, weights, part, part->g.begin + i / ins, part->o.begin,
                                    part->c.begin + i % ins);
    pop_graph_connect_list(call->graph, vertex, "weights", (pop_tensors){ groups * ins, list });
    for (size_t g = 0; g < groups; ++g)
        list[g] = pop_tensor_flatten(pop_tensor_index(part->partials, POP_SHAPE(g, 0)));
    pop_graph_connect_list(call->graph, vertex, "out", (pop_tensors){ groups, list });
    free(list);
    pop_tensor partials = pop_graph_add_variable(
        call->graph, POP_FLOAT, POP_SHAPE(pop_graph_target(call->graph)->num_worker_contexts * out_elements),
        "workersPartials");
    pop_graph_set_tile_mapping(call->graph, partials, part->tile);
    call_connect(call, vertex, "partials", partials);
}

static void add_vertex(const struct conv_work *work, pop_compute_set compute, const struct conv_part *part,
                       pop_tensor input, pop_tensor weights)
{
    const struct call *call = work->call;
    unsigned workers = pop_graph_target(call->graph)->num_worker_contexts;
    size_t groups = conv_range_size(part->g), out_elements = pop_tensor_num_elements(part->partials) / groups;
    struct conv_axes axes = conv_part_axes(work, part);
    struct dots dots = dots_make(&axes);
    struct conv_worklists list = worklists_of(&axes, &dots, workers);
    char name[80];
    snprintf(name, sizeof(name), "poplin::ConvPartialVerticalMac<half,float,%s,%u>",
             list.max <= UINT16_MAX ? "true" : "false", work->conv->g2);
    pop_vertex vertex = call_vertex(call, compute, name, part->tile);
    connect_operands(work, vertex, part, input, weights, out_elements);
    pop_graph_set_field_vector(call->graph, vertex, POP_FIELD("worklists", POP_WHOLE), POP_UNSIGNED_INT, list.list,
                               list.count);
    set(work, vertex, "in_stride", dots.in_step);
    set(work, vertex, "weights_stride", dots.kernel_step);
    set(work, vertex, "conv_groups", (int64_t)groups);
    set(work, vertex, "in_groups", (int64_t)conv_range_size(part->c));
    set(work, vertex, "out_elements", (int64_t)out_elements);
    set(work, vertex, "num_workers", workers);
    free(list.list);
    dots_free(&dots);
    conv_axes_free(&axes);
}

void vmac_add_vertices(const struct conv_work *work, pop_compute_set compute, struct conv_parts *parts,
                       pop_tensor input, pop_tensor weights)
{
    const struct conv_part *part;
    for (size_t next = 0; (part = conv_next_part(work, compute, parts, &next));)
        add_vertex(work, compute, part, input, weights);
}
