/* SPDX-License-Identifier: Apache-2.0 */
/* poplin::ConvPartialHorizontalMac<input, partials, limited>: a few output channels by dot products over the input
 * channels. poplin::OuterProduct<T>: out[group][position][channel] = in[position] * weights[group][channel]. */
#include "poplin/conv_vertices/conv_lists.h"
#include "poplin/conv_vertices/conv_vertex.h"

/* X(input, partials, limited, index type, tag) */
#define MAC_TYPES(input, partial, X)                                                                                   \
    X(input, partial, "true", unsigned short, u16) X(input, partial, "false", unsigned, u32)
#define MAC_NAME(input, partial, limited) "poplin::ConvPartialHorizontalMac<" #input "," #partial "," limited ">"

#ifdef __POPC__
#include "poplin/conv_vertices/conv_mac_blocks.h"

/* Inputs and weights are in different memory elements, so that one cycle reads both; unlike those of conv units,
 * results need not be interleaved. */
#define MAC_VERTEX(input, partial, limited, index, tag)                                                                \
    CONV_VERTEX(Mac_##input##_##partial##_##tag, input, partial, index, false);                                        \
    POP_VERTEX_NAME(Mac_##input##_##partial##_##tag, MAC_NAME(input, partial, limited));                               \
    POP_CONSTRAINT(Mac_##input##_##partial##_##tag, "elem(**in) != elem(**weights)");                                  \
    void Mac_##input##_##partial##_##tag##_compute(Mac_##input##_##partial##_##tag *v)                                 \
    {                                                                                                                  \
        conv_blocks(&CONV_OPERANDS(v, input, partial, index), conv_mac_block);                                         \
    }
CONV_PAIRS(MAC_TYPES, MAC_VERTEX)

#define TYPES    POPLIBS_FLOATING
#define TEMPLATE "poplin/conv_vertices/outer_product_typed.h"
#include "poplibs/each_type.h"

#else
#include "poplin/vertices.h"

static pop_perf estimate_mac(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    struct conv_lists lists = conv_lists(vertex);
    struct mac_work mac = {
        .num_workers = conv_vertex_field(vertex, "num_workers"),
        .conv_groups = conv_vertex_field(vertex, "conv_groups"),
        .in_groups = conv_vertex_field(vertex, "in_groups"),
        .out_groups = conv_vertex_field(vertex, "out_groups"),
        .kernel_size = conv_vertex_field(vertex, "kernel_size"),
        .in_chans_per_group = conv_vertex_field(vertex, "in_chans"),
        .out_chans_per_group = conv_vertex_field(vertex, "out_chans"),
        .float_inputs = kind_float_inputs(user),
        .float_partials = kind_float_partials(user),
        .release = target->poplibs_release,
    };
    uint64_t positions = 0;
    for (unsigned i = 0; i < mac.kernel_size * mac.num_workers; ++i)
        for (size_t k = 0; k < lists.lists[i].count; ++k)
            positions += lists.lists[i].items[k];
    pop_perf perf = { cycles_horizontal_mac(&mac, lists.lists), 2 * positions * mac.conv_groups * mac.in_groups *
                                                                    mac.out_groups * mac.in_chans_per_group *
                                                                    mac.out_chans_per_group };
    free(lists.lists);
    free(lists.items);
    return perf;
}

static pop_perf estimate_outer_product(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    size_t width = pop_vertex_view_field_size(vertex, "in", POP_WHOLE),
           groups = pop_vertex_view_field_size(vertex, "out", POP_WHOLE);
    unsigned chans = conv_vertex_field(vertex, "chans_per_group");
    (void)target;
    return (pop_perf){ cycles_outer_product(kind_float_inputs(user), (unsigned)width, (unsigned)groups * chans, chans),
                       width * groups * chans };
}

void register_conv_mac_vertices(pop_graph *graph)
{
#define REGISTER(input, partial, limited, index, tag)                                                                  \
    pop_graph_register_perf_estimator(                                                                                 \
        graph, MAC_NAME(input, partial, limited), estimate_mac,                                                        \
        poplibs_as_user(CONV_KIND(CONV_IS_FLOAT_##input, CONV_IS_FLOAT_##partial, 0u, 0u)));
    CONV_PAIRS(MAC_TYPES, REGISTER)
    pop_graph_register_perf_estimator(graph, "poplin::OuterProduct<float>", estimate_outer_product,
                                      poplibs_as_user(CONV_KIND(1u, 1u, 0u, 0u)));
    pop_graph_register_perf_estimator(graph, "poplin::OuterProduct<half>", estimate_outer_product,
                                      poplibs_as_user(CONV_KIND(0u, 0u, 0u, 0u)));
}
#endif
