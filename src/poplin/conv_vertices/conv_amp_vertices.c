/* SPDX-License-Identifier: Apache-2.0 */
/* poplin::ConvPartial1x1Out and ConvPartialnx1<input, partials, limited, 128-bit loads, conv units>: a few output
 * channels of many positions by the conv units.  limited: worklists are of unsigned short. */
#include "poplin/conv_vertices/conv_lists.h"
#include "poplin/conv_vertices/conv_vertex.h"

/* X(input, partials, limited, index type, tag, 128-bit loads as text, the same as 0 or 1, units); text, because true
 * and false are macros in C. */
#define AMP_UNITS(X, input, partial, limited, index, tag, text, use_128)                                               \
    X(input, partial, limited, index, tag, text, use_128, 4)                                                           \
    X(input, partial, limited, index, tag, text, use_128, 8) X(input, partial, limited, index, tag, text, use_128, 16)
#define AMP_LOADS(X, input, partial, limited, index, tag)                                                              \
    AMP_UNITS(X, input, partial, limited, index, tag, "false", 0)                                                      \
    AMP_UNITS(X, input, partial, limited, index, tag, "true", 1)
#define AMP_TYPES(input, partial, X)                                                                                   \
    AMP_LOADS(X, input, partial, "true", unsigned short, u16) AMP_LOADS(X, input, partial, "false", unsigned, u32)
#define AMP_NAME(base, input, partial, limited, use_128, units)                                                        \
    "poplin::" base "<" #input "," #partial "," limited "," use_128 "," #units ">"

/* 8-bit inputs: all 16 units, partials of half. */
#define AMP_QUARTER_UNITS(X, limited, index, tag)                                                                      \
    X(quarter, half, limited, index, tag, "false", 0, 16) X(quarter, half, limited, index, tag, "true", 1, 16)
#define AMP_QUARTER(X) AMP_QUARTER_UNITS(X, "true", unsigned short, u16) AMP_QUARTER_UNITS(X, "false", unsigned, u32)

#ifdef __POPC__
#include "poplin/conv_vertices/conv_amp_blocks.h"
#include "poplin/conv_vertices/conv_quarter_blocks.h"

#define AMP_VERTEX(name, text, input, partial, index, tag)                                                             \
    CONV_VERTEX(name, input, partial, index, true);                                                                    \
    POP_VERTEX_NAME(name, text);                                                                                       \
    void name##_compute(name *v)                                                                                       \
    {                                                                                                                  \
        const struct conv_operands operands = CONV_OPERANDS(v, input, partial, index);                                 \
        conv_amp_blocks(&operands);                                                                                    \
    }
#define AMP_VERTICES(input, partial, limited, index, tag, text, use_128, units)                                        \
    AMP_VERTEX(Out1x1_##input##_##partial##_##tag##_##use_128##_##units,                                               \
               AMP_NAME("ConvPartial1x1Out", input, partial, limited, text, units), input, partial, index, tag)        \
    AMP_VERTEX(Nx1_##input##_##partial##_##tag##_##use_128##_##units,                                                  \
               AMP_NAME("ConvPartialnx1", input, partial, limited, text, units), input, partial, index, tag)
CONV_PAIRS(AMP_TYPES, AMP_VERTICES)

#define QUARTER_VERTEX(name, text, index)                                                                              \
    CONV_QUARTER_VERTEX(name, index);                                                                                  \
    POP_VERTEX_NAME(name, text);                                                                                       \
    void name##_compute(name *v)                                                                                       \
    {                                                                                                                  \
        const struct conv_operands operands = CONV_OPERANDS(v, unsigned char, half, index);                            \
        conv_quarter_blocks(&operands, *v->inMetadata, *v->weightsMetadata);                                           \
    }
#define QUARTER_VERTICES(input, partial, limited, index, tag, text, use_128, units)                                    \
    QUARTER_VERTEX(Out1x1_##input##_##partial##_##tag##_##use_128##_##units,                                           \
                   AMP_NAME("ConvPartial1x1Out", input, partial, limited, text, units), index)                         \
    QUARTER_VERTEX(Nx1_##input##_##partial##_##tag##_##use_128##_##units,                                              \
                   AMP_NAME("ConvPartialnx1", input, partial, limited, text, units), index)
AMP_QUARTER(QUARTER_VERTICES)

#else
#include "poplin/conv_vertices/conv_vertex.h"
#include "poplin/vertices.h"

static struct amp_work amp_of(const pop_vertex_view *vertex, const pop_target *target, const void *user)
{
    bool float_inputs = kind_float_inputs(user);
    return (struct amp_work){
        .num_workers = conv_vertex_field(vertex, "num_workers"),
        .num_conv_units = kind_units(user),
        .coeff_bytes_per_cycle = target->conv_unit_coeff_load_bytes_per_cycle / (kind_128(user) ? 1 : 2),
        .conv_groups = conv_vertex_field(vertex, "conv_groups"),
        .in_groups = conv_vertex_field(vertex, "in_groups"),
        .out_groups = conv_vertex_field(vertex, "out_groups"),
        .in_chans_per_group = conv_vertex_field(vertex, "in_chans"),
        .out_chans_per_group = conv_vertex_field(vertex, "out_chans"),
        .float_inputs = float_inputs,
        .float_partials = kind_float_partials(user),
        .quarter_inputs = kind_quarter_inputs(user),
        .conv_input_load = pop_target_conv_unit_input_load_elems_per_cycle(target, float_inputs ? POP_FLOAT : POP_HALF),
        .release = target->poplibs_release,
    };
}
/* A multiply-add is two operations; the last filter may have fewer rows of the kernel. */
static uint64_t flops_of(const pop_vertex_view *vertex, const struct amp_work *amp, const struct conv_lists *lists,
                         unsigned filters)
{
    uint64_t positions = 0;
    unsigned height = conv_vertex_field(vertex, "filter_height"), width = conv_vertex_field(vertex, "filter_width"),
             rows = conv_vertex_field(vertex, "kernel_size") / width;
    for (unsigned i = 0; i < filters * amp->num_workers; ++i)
        for (size_t k = 0; k < lists->lists[i].count; ++k)
            positions += lists->lists[i].items[k] * poplibs_min(height, rows - i / amp->num_workers / width * height);
    return 2 * positions * amp->conv_groups * amp->in_groups * amp->out_groups * amp->in_chans_per_group *
           amp->out_chans_per_group;
}
static void lists_free(struct conv_lists *lists)
{
    free(lists->lists);
    free(lists->items);
}

static pop_perf estimate_1x1(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    struct amp_work amp = amp_of(vertex, target, user);
    struct conv_lists lists = conv_lists(vertex);
    unsigned *elements = poplibs_zeros(amp.num_workers, sizeof(*elements));
    for (unsigned w = 0; w < amp.num_workers; ++w)
        for (size_t i = 0; i < lists.lists[w].count; ++i)
            elements[w] += lists.lists[w].items[i];
    pop_perf perf = { cycles_1x1(&amp, elements), flops_of(vertex, &amp, &lists, 1) };
    free(elements);
    lists_free(&lists);
    return perf;
}

static pop_perf estimate_nx1(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    struct amp_work amp = amp_of(vertex, target, user);
    struct conv_lists lists = conv_lists(vertex);
    unsigned height = conv_vertex_field(vertex, "filter_height"), width = conv_vertex_field(vertex, "filter_width");
    unsigned outer = (unsigned)poplibs_ceil_div(conv_vertex_field(vertex, "kernel_size") / width, height);
    pop_type partials = amp.float_partials ? POP_FLOAT : POP_HALF;
    struct nx1_work nx1 = {
        .amp = amp,
        .kernel_outer = outer,
        .kernel_inner = width,
        .filter_height = height,
        .filter_width = 1,
        .output_zeroing = (unsigned)cycles_zero(amp.num_workers, amp.conv_groups * amp.out_groups,
                                                conv_vertex_field(vertex, "out_elements"), amp.float_partials,
                                                pop_target_vector_width(target, partials)),
    };
    pop_perf perf = { cycles_nx1(&nx1, lists.lists), flops_of(vertex, &amp, &lists, outer * width) };
    lists_free(&lists);
    return perf;
}

void register_conv_amp_vertices(pop_graph *graph)
{
#define REGISTER(input, partial, limited, index, tag, text, use_128, units)                                            \
    pop_graph_register_perf_estimator(                                                                                 \
        graph, AMP_NAME("ConvPartial1x1Out", input, partial, limited, text, units), estimate_1x1,                      \
        poplibs_as_user(CONV_KIND(CONV_IS_FLOAT_##input, CONV_IS_FLOAT_##partial, use_128, units) | of_inputs));       \
    pop_graph_register_perf_estimator(                                                                                 \
        graph, AMP_NAME("ConvPartialnx1", input, partial, limited, text, units), estimate_nx1,                         \
        poplibs_as_user(CONV_KIND(CONV_IS_FLOAT_##input, CONV_IS_FLOAT_##partial, use_128, units) | of_inputs));
    uintptr_t of_inputs = 0;
    CONV_PAIRS(AMP_TYPES, REGISTER)
    of_inputs = CONV_KIND_QUARTER;
    AMP_QUARTER(REGISTER)
}
#endif
