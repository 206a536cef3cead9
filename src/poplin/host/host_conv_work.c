/* SPDX-License-Identifier: Apache-2.0 */
#include "poplin/host/host_conv_work.h"
#include "poplin/host/host_gemm_shape.h"

#include <popops/cast.h>

/* Panels that a vertex packs, and the number of vertices below which each packs fewer. */
enum { PACK_PANELS = 16, PACK_VERTICES = 8 };

bool host_conv_begin(struct host_conv_work *work, const struct host_conv *conv, pop_tensor input, bool by_phases,
                     pop_program sequence)
{
    const struct call *call = conv->call;
    *work = (struct host_conv_work){ .call = call, .conv = conv, .outputs = 1 };
    work->input = host_conv_operand(conv, input, HOST_CONV_INPUT, sequence);
    if (!call_ready(call))
        return false;
    work->words = host_conv_words(conv->params, work->input.strides + 1, by_phases);
    work->field_words = pop_graph_add_constant(call->graph, POP_UNSIGNED_INT, POP_SHAPE(work->words.count),
                                               POP_UNSIGNED_INT, work->words.words, "field");
    pop_graph_set_tile_mapping(call->graph, work->field_words, 0);
    read_field(&work->field, work->words.words);
    for (unsigned d = 0; d < work->field.count; ++d)
        work->outputs *= work->field.dims[d].outputs;
    work->pack = pop_graph_add_compute_set(call->graph, call_path(call, conv->name, "Pack"));
    work->multiply = pop_graph_add_compute_set(call->graph, call_path(call, conv->name, "Convolve"));
    return true;
}
void host_conv_end(struct host_conv_work *work, pop_program sequence)
{
    const struct call *call = work->call;
    if (call_ready(call)) {
        pop_sequence_add(sequence, pop_execute(work->pack, work->conv->name));
        pop_sequence_add(sequence, pop_execute(work->multiply, work->conv->name));
    }
    free(work->words.words);
}

void host_conv_set(const struct host_conv_work *work, pop_vertex vertex, const char *field, size_t value)
{
    const struct call *call = work->call;
    call_set(call, vertex, field, value);
}
pop_vertex host_conv_add_vertex(const struct host_conv_work *work, pop_compute_set set, const char *kind, pop_type type)
{
    const struct call *call = work->call;
    char name[64];
    snprintf(name, sizeof(name), "poplin::%s<%s>", kind, pop_type_name(type));
    pop_vertex vertex = call_vertex(call, set, name, 0);
    return vertex;
}
void host_conv_connect(const struct host_conv_work *work, pop_vertex vertex, const char *field, pop_tensor t)
{
    const struct call *call = work->call;
    call_connect(call, vertex, field, t);
}

/* ---- B ---- */

static void pack_part(const struct host_conv_work *work, const struct host_conv_right *b, pop_tensor positions,
                      pop_interval rows, pop_interval columns, pop_tensor out)
{
    pop_vertex vertex = host_conv_add_vertex(work, work->pack, "HostConvPack", pop_tensor_type(b->of->memory));
    host_conv_connect(work, vertex, "in", b->of->memory);
    host_conv_connect(work, vertex, "positions", positions);
    host_conv_connect(work, vertex, "out", out);
    host_conv_set(work, vertex, "first", b->first);
    host_conv_set(work, vertex, "channels", b->channels);
    host_conv_set(work, vertex, "strideChannel", b->stride_channel);
    host_conv_set(work, vertex, "strideColumn", b->stride_column);
    host_conv_set(work, vertex, "begin", rows.begin);
    host_conv_set(work, vertex, "depth", rows.end - rows.begin);
    host_conv_set(work, vertex, "column", columns.begin);
    host_conv_set(work, vertex, "columns", columns.end - columns.begin);
}
size_t host_conv_pack(const struct host_conv_work *work, const struct host_conv_right *b, pop_tensor packed, size_t at)
{
    const struct call *call = work->call;
    size_t depth = b->count * b->channels, panels = gemm_panels_of(b->columns), block = gemm_block_of(depth),
           blocks = poplibs_ceil_div(depth, block);
    size_t share = poplibs_max(1, poplibs_min(PACK_PANELS, panels * blocks / PACK_VERTICES));
    pop_tensor positions = pop_graph_add_constant(call->graph, POP_UNSIGNED_INT, POP_SHAPE(b->count), POP_UNSIGNED_INT,
                                                  b->positions, "positions");
    pop_graph_set_tile_mapping(call->graph, positions, 0);
    for (size_t k = 0; k < depth; k += block)
        for (size_t panel = 0; panel < panels; panel += share) {
            size_t last = poplibs_min(panels, panel + share), next = poplibs_min(depth, k + block),
                   size = (last - panel) * (next - k) * GEMM_PANEL;
            pack_part(work, b, positions, (pop_interval){ k, next },
                      (pop_interval){ panel * GEMM_PANEL, poplibs_min(b->columns, last * GEMM_PANEL) },
                      pop_tensor_slice(packed, at, at + size, 0));
            at += size;
        }
    return at;
}
pop_tensor host_conv_new_packed(const struct host_conv_work *work, size_t depth, size_t columns)
{
    return host_conv_variable(work->conv, POP_FLOAT, POP_SHAPE(depth * gemm_panels_of(columns) * GEMM_PANEL), "Packed");
}

/* ---- weights ---- */

size_t host_conv_positions(const struct host_conv_work *work)
{
    size_t positions = 0;
    struct host_conv_phase phase = first_phase(&work->field);
    do
        positions += phase.positions;
    while (next_phase(&work->field, &phase));
    return positions;
}
unsigned *host_conv_weight_offsets(const struct host_conv_work *work, const struct host_conv_phase *phase,
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
pop_tensor host_conv_as_type(const struct host_conv *conv, pop_tensor t, pop_type type, pop_program sequence)
{
    const struct call *call = conv->call;
    return pop_tensor_type(t) == type ? t : popops_cast(call->graph, t, type, sequence, conv->name);
}
