/* SPDX-License-Identifier: Apache-2.0 */
#include "poplin/host/host_conv.h"
#include "poplin/host/host_conv_field.h"
#include "poplin/host/host_conv_operand.h"
#include "poplin/host/host_conv_words.h"
#include "poplin/host/host_split.h"

#include <popops/cast.h>
#include <popops/fill.h>

/* Panels that a vertex packs, and vertices that there should be rather than that. */
enum { PACK_PANELS = 16, PACK_VERTICES = 8 };

/* Words that describe a field at most: beyond that, kernels are as large as fields, and plans serve them. */
static const double most_words = 1 << 22;

bool host_conv_serves(const pop_graph *graph, const poplin_conv_params *params)
{
    double elements = (double)params->batch_size * (double)params->input_channels_per_conv_group,
           outputs = (double)params->batch_size * (double)params->output_channels_per_conv_group, words = 0;
    for (unsigned d = 0; d < params->num_field_dims; ++d) {
        size_t size = poplin_conv_output_size(params, d);
        elements *= (double)params->input_field_shape[d];
        outputs *= (double)size;
        words += (double)size * (double)params->kernel_shape[d];
    }
    elements = (elements > outputs ? elements : outputs) * (double)params->num_conv_groups;
    return pop_graph_target(graph)->type == POP_TARGET_CPU && elements < HOST_CONV_NONE && words < most_words;
}

struct work {
    const struct host_conv *conv;
    pop_where where;
    pop_graph *graph;
    pop_compute_set pack, multiply;
    struct host_conv_operand input;
    struct conv_field field;
    struct host_conv_words words;
    pop_tensor field_words;
    size_t outputs; /* of all dimensions */
};

static bool begin(struct work *work, const struct host_conv *conv, pop_tensor input, bool by_phases,
                  pop_program sequence)
{
    char path[POPLIBS_PATH_SIZE];
    *work = (struct work){ .conv = conv, .where = conv->where, .graph = conv->graph, .outputs = 1 };
    work->input = host_conv_operand(conv, input, HOST_CONV_INPUT, sequence);
    if (!poplibs_ready(conv->graph))
        return false;
    work->words = host_conv_words(conv->params, work->input.strides + 1, by_phases);
    work->field_words =
        pop_graph_add_constant_at(conv->where, conv->graph, POP_UNSIGNED_INT, POP_SHAPE(work->words.count),
                                  POP_UNSIGNED_INT, work->words.words, "field");
    pop_graph_set_tile_mapping_at(conv->where, conv->graph, work->field_words, 0);
    read_field(&work->field, work->words.words);
    for (unsigned d = 0; d < work->field.count; ++d)
        work->outputs *= work->field.dims[d].outputs;
    work->pack =
        pop_graph_add_compute_set_at(conv->where, conv->graph, poplibs_path(path, sizeof(path), conv->name, "Pack"));
    work->multiply = pop_graph_add_compute_set_at(conv->where, conv->graph,
                                                  poplibs_path(path, sizeof(path), conv->name, "Convolve"));
    return true;
}
static void end(struct work *work, pop_program sequence)
{
    if (poplibs_ready(work->graph)) {
        pop_sequence_add_at(work->where, sequence, pop_execute_at(work->where, work->pack, work->conv->name));
        pop_sequence_add_at(work->where, sequence, pop_execute_at(work->where, work->multiply, work->conv->name));
    }
    free(work->words.words);
}

static void set(const struct work *work, pop_vertex vertex, const char *field, size_t value)
{
    pop_graph_set_field_int_at(work->where, work->graph, vertex, field, (int64_t)value);
}
static pop_vertex add_vertex(const struct work *work, pop_compute_set set, const char *kind, pop_type type)
{
    char name[64];
    snprintf(name, sizeof(name), "poplin::%s<%s>", kind, pop_type_name(type));
    pop_vertex vertex = pop_graph_add_vertex_at(work->where, work->graph, set, name);
    pop_graph_map_vertex_at(work->where, work->graph, vertex, 0);
    return vertex;
}
static void connect(const struct work *work, pop_vertex vertex, const char *field, pop_tensor t)
{
    pop_graph_connect_at(work->where, work->graph, vertex, field, t);
}

/* ---- B ---- */

/* A matrix with a row for each of `channels` of each position. */
struct right {
    const struct host_conv_operand *of;
    const unsigned *positions; /* their offsets */
    size_t count, first, channels, stride_channel, stride_column, columns;
};

static void pack_part(const struct work *work, const struct right *b, pop_tensor positions, pop_interval rows,
                      pop_interval columns, pop_tensor out)
{
    pop_vertex vertex = add_vertex(work, work->pack, "HostConvPack", pop_tensor_type(b->of->memory));
    connect(work, vertex, "in", b->of->memory);
    connect(work, vertex, "positions", positions);
    connect(work, vertex, "out", out);
    set(work, vertex, "first", b->first);
    set(work, vertex, "channels", b->channels);
    set(work, vertex, "strideChannel", b->stride_channel);
    set(work, vertex, "strideColumn", b->stride_column);
    set(work, vertex, "begin", rows.begin);
    set(work, vertex, "depth", rows.end - rows.begin);
    set(work, vertex, "column", columns.begin);
    set(work, vertex, "columns", columns.end - columns.begin);
}
/* Into `packed`, from element `at` on; returns where it ends. */
static size_t pack(const struct work *work, const struct right *b, pop_tensor packed, size_t at)
{
    size_t depth = b->count * b->channels, panels = gemm_panels_of(b->columns), block = gemm_block_of(depth),
           blocks = poplibs_ceil_div(depth, block);
    size_t share = poplibs_max(1, poplibs_min(PACK_PANELS, panels * blocks / PACK_VERTICES));
    pop_tensor positions = pop_graph_add_constant_at(work->where, work->graph, POP_UNSIGNED_INT, POP_SHAPE(b->count),
                                                     POP_UNSIGNED_INT, b->positions, "positions");
    pop_graph_set_tile_mapping_at(work->where, work->graph, positions, 0);
    for (size_t k = 0; k < depth; k += block)
        for (size_t panel = 0; panel < panels; panel += share) {
            size_t last = poplibs_min(panels, panel + share), next = poplibs_min(depth, k + block),
                   size = (last - panel) * (next - k) * GEMM_PANEL;
            pack_part(work, b, positions, (pop_interval){ k, next },
                      (pop_interval){ panel * GEMM_PANEL, poplibs_min(b->columns, last * GEMM_PANEL) },
                      pop_tensor_slice_at(work->where, packed, at, at + size, 0));
            at += size;
        }
    return at;
}
static pop_tensor new_packed(const struct work *work, size_t depth, size_t columns)
{
    return host_conv_variable(work->conv, POP_FLOAT, POP_SHAPE(depth * gemm_panels_of(columns) * GEMM_PANEL), "Packed");
}

/* ---- forward ---- */

/* Offsets of the weights of a phase's positions. */
static unsigned *weight_offsets(const struct work *work, const struct conv_phase *phase,
                                const struct host_conv_operand *weights, bool transposed)
{
    unsigned *offsets = poplibs_zeros(phase->positions, sizeof(*offsets));
    for (size_t i = 0; i < phase->positions; ++i) {
        struct conv_position position = position_of(&work->field, phase, i);
        for (unsigned d = 1; d < work->field.count; ++d) {
            unsigned kernel = position.kernel[d];
            offsets[i] +=
                (unsigned)(weights->strides[d] * (transposed ? work->field.dims[d].kernels - 1 - kernel : kernel));
        }
    }
    return offsets;
}
/* Rows of B of all phases together. */
static size_t depth_of_phases(const struct work *work)
{
    size_t positions = 0;
    struct conv_phase phase = first_phase(&work->field);
    do
        positions += phase.positions;
    while (next_phase(&work->field, &phase));
    return positions * work->conv->params->input_channels_per_conv_group;
}
/* Groups one after the other, each phase after phase. */
static pop_tensor pack_weights(const struct work *work, const struct host_conv_operand *weights, bool transposed)
{
    const poplin_conv_params *params = work->conv->params;
    unsigned rank = (unsigned)params->num_field_dims + 3;
    struct right b = { .of = weights,
                       .channels = params->input_channels_per_conv_group,
                       .columns = params->output_channels_per_conv_group,
                       .stride_channel = weights->strides[transposed ? rank - 2 : rank - 1],
                       .stride_column = weights->strides[transposed ? rank - 1 : rank - 2] };
    size_t at = 0;
    pop_tensor packed = new_packed(work, params->num_conv_groups * depth_of_phases(work), b.columns);
    for (size_t g = 0; g < params->num_conv_groups; ++g) {
        struct conv_phase phase = first_phase(&work->field);
        b.first = g * weights->strides[0];
        do {
            unsigned *offsets = weight_offsets(work, &phase, weights, transposed);
            b.positions = offsets;
            b.count = phase.positions;
            at = pack(work, &b, packed, at);
            free(offsets);
        } while (poplibs_ready(work->graph) && next_phase(&work->field, &phase));
    }
    return packed;
}

/* Columns of one group, or whole groups. */
struct columns {
    size_t group, groups;
    pop_interval of_group;
};
static void convolve_block(const struct work *work, pop_tensor packed, size_t stride_b, pop_tensor output,
                           pop_interval outputs, const struct columns *columns)
{
    const poplin_conv_params *params = work->conv->params;
    size_t all = params->output_channels_per_conv_group, width = params->num_conv_groups * all,
           wide = columns->of_group.end - columns->of_group.begin,
           begin = columns->group * all + columns->of_group.begin;
    bool whole = columns->groups * wide == width;
    pop_tensor out = pop_tensor_slice_at(work->where, output, outputs.begin, outputs.end, 0);
    out = whole ? pop_tensor_reshape_at(work->where, out, POP_SHAPE(1, pop_tensor_num_elements(out)))
                : pop_tensor_slice_at(work->where, out, begin, begin + columns->groups * wide, 1);
    pop_vertex vertex = add_vertex(work, work->multiply, "HostConv", params->input_type);
    connect(work, vertex, "in", work->input.memory);
    connect(work, vertex, "field", work->field_words);
    connect(work, vertex, "b", packed);
    connect(work, vertex, "out", out);
    set(work, vertex, "channels", params->input_channels_per_conv_group);
    set(work, vertex, "strideChannel", work->input.strides[params->num_field_dims + 2]);
    set(work, vertex, "strideGroup", work->input.strides[0]);
    set(work, vertex, "strideB", stride_b);
    set(work, vertex, "group", columns->group);
    set(work, vertex, "groups", columns->groups);
    set(work, vertex, "column", columns->of_group.begin);
    set(work, vertex, "columns", wide);
    set(work, vertex, "allColumns", all);
    set(work, vertex, "output", outputs.begin);
    set(work, vertex, "outputs", outputs.end - outputs.begin);
    set(work, vertex, "strideOut", whole ? width : 0);
}
static void convolve(const struct work *work, pop_tensor packed, pop_tensor output)
{
    const poplin_conv_params *params = work->conv->params;
    size_t groups = params->num_conv_groups, columns = params->output_channels_per_conv_group;
    size_t stride_b = depth_of_phases(work) * gemm_panels_of(columns) * GEMM_PANEL;
    struct host_split split = host_split(work->outputs, groups * columns, depth_of_phases(work));
    if (groups > 1)
        split.parts = poplibs_min(split.parts, groups);
    for (size_t i = 0; i < split.bands; ++i)
        for (size_t k = 0; k < split.parts && poplibs_ready(work->graph); ++k) {
            size_t first = groups * k / split.parts, last = groups * (k + 1) / split.parts;
            struct columns part = { first, last - first, { 0, columns } };
            if (groups == 1)
                part = (struct columns){ 0, 1, host_part(&split, k) };
            convolve_block(work, packed, stride_b, output, host_band(&split, i), &part);
        }
}

/* {batch, field..., groups, channels} as {groups, batch, field..., channels}. */
static pop_tensor groups_first(const struct host_conv *conv, pop_tensor t)
{
    return pop_tensor_dim_roll_at(conv->where, t, (unsigned)conv->params->num_field_dims + 1, 0);
}
static pop_tensor as_type(const struct host_conv *conv, pop_tensor t, pop_type type, pop_program sequence)
{
    return pop_tensor_type(t) == type ? t : popops_cast_at(conv->where, conv->graph, t, type, sequence, conv->name);
}

pop_tensor host_conv_convolve(const struct host_conv *conv, pop_tensor input, pop_tensor weights, bool transposed,
                              pop_program sequence)
{
    const poplin_conv_params *params = conv->params;
    size_t dims[HOST_CONV_DIMS + 2] = { params->batch_size }, rank = 1;
    for (size_t d = 0; d < params->num_field_dims; ++d)
        dims[rank++] = poplin_conv_output_size(params, d);
    dims[rank++] = params->num_conv_groups;
    dims[rank++] = params->output_channels_per_conv_group;
    pop_tensor output = host_conv_variable(conv, POP_FLOAT, (pop_shape){ rank, dims }, "Output");
    struct work work;
    if (!poplibs_ready(conv->graph))
        return (pop_tensor){ 0 };
    if (pop_tensor_num_elements(input) && pop_tensor_num_elements(weights) && pop_tensor_num_elements(output)) {
        struct host_conv_operand read = host_conv_operand(conv, weights, HOST_CONV_WEIGHTS, sequence);
        if (!begin(&work, conv, input, true, sequence))
            return (pop_tensor){ 0 };
        pop_tensor rows = pop_tensor_reshape_at(
            conv->where, output,
            POP_SHAPE(work.outputs, params->num_conv_groups * params->output_channels_per_conv_group));
        convolve(&work, pack_weights(&work, &read, transposed), rows);
        end(&work, sequence);
    } else {
        popops_zero_at(conv->where, conv->graph, output, sequence, conv->name);
    }
    return poplibs_ready(conv->graph) ? groups_first(conv, as_type(conv, output, params->output_type, sequence))
                                      : (pop_tensor){ 0 };
}

/* ---- the update of weights ---- */

static void update_block(const struct work *work, pop_tensor packed, pop_tensor output, size_t group, pop_interval rows,
                         pop_interval columns)
{
    const poplin_conv_params *params = work->conv->params;
    size_t all = params->output_channels_per_conv_group;
    bool whole = columns.end - columns.begin == all;
    pop_tensor out = pop_tensor_slice_at(work->where, output, rows.begin, rows.end, 0);
    out = whole ? pop_tensor_reshape_at(work->where, out, POP_SHAPE(1, pop_tensor_num_elements(out)))
                : pop_tensor_slice_interval_at(work->where, out, columns, 1);
    pop_vertex vertex = add_vertex(work, work->multiply, "HostConvUpdate", params->input_type);
    connect(work, vertex, "in", work->input.memory);
    connect(work, vertex, "field", work->field_words);
    connect(work, vertex, "b", packed);
    connect(work, vertex, "out", out);
    set(work, vertex, "first", group * work->input.strides[0]);
    set(work, vertex, "channels", params->input_channels_per_conv_group);
    set(work, vertex, "strideChannel", work->input.strides[params->num_field_dims + 2]);
    set(work, vertex, "row", rows.begin);
    set(work, vertex, "rows", rows.end - rows.begin);
    set(work, vertex, "depth", work->outputs);
    set(work, vertex, "column", columns.begin);
    set(work, vertex, "columns", columns.end - columns.begin);
    set(work, vertex, "allColumns", all);
    set(work, vertex, "strideOut", whole ? all : 0);
}
/* Deltas of a group, {outputs, channels}: a position for each of the batch, whose field is one run of rows. */
static pop_tensor pack_deltas(const struct work *work, const struct host_conv_operand *deltas, size_t group)
{
    const poplin_conv_params *params = work->conv->params;
    unsigned rank = (unsigned)params->num_field_dims + 3;
    struct right b = { .of = deltas,
                       .count = params->batch_size,
                       .first = group * deltas->strides[0],
                       .channels = work->outputs / params->batch_size,
                       .stride_channel = deltas->strides[rank - 2],
                       .stride_column = deltas->strides[rank - 1],
                       .columns = params->output_channels_per_conv_group };
    unsigned *positions = poplibs_new(b.count, sizeof(*positions));
    for (size_t n = 0; n < b.count; ++n)
        positions[n] = (unsigned)(n * deltas->strides[1]);
    b.positions = positions;
    pop_tensor packed = new_packed(work, work->outputs, b.columns);
    pack(work, &b, packed, 0);
    free(positions);
    return packed;
}

pop_tensor host_conv_weight_deltas(const struct host_conv *conv, pop_tensor deltas, pop_tensor input,
                                   pop_program sequence)
{
    const poplin_conv_params *params = conv->params;
    size_t channels = params->input_channels_per_conv_group, columns = params->output_channels_per_conv_group,
           positions = 1;
    for (size_t d = 0; d < params->num_field_dims; ++d)
        positions *= params->kernel_shape[d];
    pop_tensor made = host_conv_new_weights_of(conv, POP_FLOAT); /* {groups, kernel..., output, input channels} */
    struct work work;
    if (!poplibs_ready(conv->graph))
        return (pop_tensor){ 0 };
    if (pop_tensor_num_elements(input) && pop_tensor_num_elements(deltas) && pop_tensor_num_elements(made)) {
        struct host_conv_operand read = host_conv_operand(conv, deltas, HOST_CONV_DELTAS, sequence);
        if (!begin(&work, conv, input, false, sequence))
            return (pop_tensor){ 0 };
        unsigned last = (unsigned)params->num_field_dims + 2;
        pop_tensor rows = pop_tensor_reshape_at(conv->where, pop_tensor_dim_roll_at(conv->where, made, last, last - 1),
                                                POP_SHAPE(params->num_conv_groups, positions * channels, columns));
        struct host_split split = host_split(positions * channels, columns, work.outputs);
        for (size_t g = 0; g < params->num_conv_groups && poplibs_ready(conv->graph); ++g) {
            pop_tensor packed = pack_deltas(&work, &read, g);
            for (size_t i = 0; i < split.bands; ++i)
                for (size_t k = 0; k < split.parts; ++k)
                    update_block(&work, packed, pop_tensor_at_at(conv->where, rows, g), g, host_band(&split, i),
                                 host_part(&split, k));
        }
        end(&work, sequence);
    } else {
        popops_zero_at(conv->where, conv->graph, made, sequence, conv->name);
    }
    return poplibs_ready(conv->graph) ? as_type(conv, made, params->output_type, sequence) : (pop_tensor){ 0 };
}
