/* SPDX-License-Identifier: Apache-2.0 */
/* poplin::ConvPartialVerticalMac<half, float, limited, groups>: `groups` convolutions side by side, each with one
 * output channel.
 *
 * in[g I + i] is {position, convolution}, weights[g I + i] {kernel position, convolution}, out[g] {position,
 * convolution}; I is in_groups.  worklists has a list for each worker: the number of items, then the items: place in
 * out, place in weights, place in in, number of kernel positions minus one.  An item is the dot product of a row of
 * kernel positions, weights_stride apart, and of inputs, in_stride apart.  Each worker adds up in partials of its own
 * (num_workers x out_elements), which are added up at the end, so that workers may share an output. */
#include "poplin/conv_vertices/conv_vertex.h"

#ifdef __POPC__
#include "poplin/conv_vertices/vector_loops.h"

enum { LANES = 4 };

/* in_stride is a signed number: an operand may be flipped. */
#define VMAC_FIELDS                                                                                                    \
    POP_INPUT(POP_VECTORS(half, ONE_PTR, COMPACT_PTR, 8)) weights;                                                     \
    POP_INPUT(POP_VECTORS(half, ONE_PTR, COMPACT_PTR, 8)) in;                                                          \
    POP_OUTPUT(POP_VECTORS(float, ONE_PTR, COMPACT_PTR, 8)) out;                                                       \
    POP_OUTPUT(POP_VECTOR(float, ONE_PTR, 8)) partials;                                                                \
    POP_STATE(POP_VECTOR(INDEX)) worklists;                                                                            \
    int in_stride;                                                                                                     \
    unsigned conv_groups, in_groups, weights_stride, out_elements, num_workers;

struct vmac_steps {
    size_t in, weights; /* elements between two factors, modulo the size of the address space */
};
static inline void vmac_dot(const half *in, const half *weights, float *sum, unsigned count, struct vmac_steps step)
{
    lanes4 total = load4_float(sum);
    for (unsigned i = 0; i < count; ++i)
        total += load4_half(in + i * step.in) * load4_half(weights + i * step.weights);
    store4_float(sum, total);
}
/* Adds up the workers' partials. */
static inline void vmac_reduce(const float *partials, float *out, unsigned elements, unsigned workers)
{
    for (unsigned e = 0; e < elements; e += LANES) {
        lanes4 sum = load4_float(partials + e);
        for (unsigned w = 1; w < workers; ++w)
            sum += load4_float(partials + (size_t)w * elements + e);
        store4_float(out + e, sum);
    }
}

#define INDEX_TEMPLATE "poplin/conv_vertices/vmac_indexed.h"
#include "poplin/conv_vertices/each_index.h"

#else
#include "poplin/vertices.h"

/* The cycles of the slowest worker's items, and the number of products of all workers. */
static uint64_t slowest_of(const pop_vertex_view *vertex, unsigned workers, uint64_t *products)
{
    uint64_t slowest = 0;
    size_t at = 0;
    for (unsigned w = 0; w < workers; ++w) {
        uint64_t cycles = 0;
        for (uint64_t left = (uint64_t)pop_vertex_view_field_value(vertex, "worklists", at++); left; --left, at += 4) {
            uint64_t stored = (uint64_t)pop_vertex_view_field_value(vertex, "worklists", at + 3);
            cycles += cycles_vmac_item(stored); /* the original's estimate takes the stored number */
            *products += stored + 1;
        }
        slowest = cycles > slowest ? cycles : slowest;
    }
    return slowest;
}

static pop_perf estimate_vmac(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    enum { GROUPS = 4 };
    uint64_t products = 0;
    struct vmac_work vmac = { .num_workers = conv_vertex_field(vertex, "num_workers"),
                              .conv_groups = conv_vertex_field(vertex, "conv_groups"),
                              .in_groups = conv_vertex_field(vertex, "in_groups"),
                              .out_elements = conv_vertex_field(vertex, "out_elements") };
    (void)target, (void)user;
    vmac.slowest_items = slowest_of(vertex, vmac.num_workers, &products);
    return (pop_perf){ cycles_vmac(&vmac), 2 * products * GROUPS * vmac.in_groups * vmac.conv_groups };
}

void register_conv_vmac_vertices(pop_graph *graph)
{
    pop_graph_register_perf_estimator(graph, "poplin::ConvPartialVerticalMac<half,float,true,4>", estimate_vmac, NULL);
    pop_graph_register_perf_estimator(graph, "poplin::ConvPartialVerticalMac<half,float,false,4>", estimate_vmac, NULL);
}
#endif
