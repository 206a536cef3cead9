/* SPDX-License-Identifier: Apache-2.0 */
/* poplin::ConvPartial1x4SLIC<input, partials, stride, limited, chains, groups>: four output channels of many positions,
 * for a row of four kernel positions.  It serves convolutions with few channels: `groups` of them (1, 2 or 4), with 4 /
 * groups channels each.
 *
 * in[g] is {position, convolution, channel}, weights[g] {sub-kernel, kernel position, convolution, output channel,
 * input channel}, out[g] {position, convolution, output channel}.  Each sub-kernel adds to the sums of all positions,
 * reading out and writing out_field_buffer or the reverse, so that the last one writes out.  worklists (conv_vertex.h)
 * has items for each sub-kernel and worker; the inputs of an item's elements are `stride` positions apart.  chains:
 * conv units for each position of the window, 2 or 4; with 2, two output channels are computed at a time. */
#include "poplin/conv_vertices/conv_lists.h"
#include "poplin/conv_vertices/conv_vertex.h"

#ifdef __POPC__
#include "poplin/conv_vertices/vector_loops.h"

enum { WINDOW = 4, LANES = 4 }; /* lanes: the output channels of all convolutions of a group */

/* The input of each lane for channel c, from the data of one position: all lanes of a convolution have the same. */
#define SPREAD_1(x, c) ((lanes4){ (x)[c], (x)[c], (x)[c], (x)[c] })
#define SPREAD_2(x, c) ((lanes4){ (x)[c], (x)[c], (x)[2 + (c)], (x)[2 + (c)] })
#define SPREAD_4(x, c) (x)

struct slic_shape {
    unsigned sub_kernels, num_workers;
};
#define INLINE static inline __attribute__((always_inline))

#define TYPES    POPLIBS_FLOATING
#define TEMPLATE "poplin/conv_vertices/slic_typed.h"
#include "poplibs/each_type.h"

#else
#include "poplin/vertices.h"

/* The parameters of a vertex type's name, packed into an estimator's user pointer. */
static uintptr_t slic_kind(unsigned float_partials, unsigned stride, unsigned chains, unsigned groups)
{
    return float_partials | stride << 1 | chains << 3 | groups << 6;
}

static pop_perf estimate_slic(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    uintptr_t kind = (uintptr_t)user;
    unsigned workers = conv_vertex_field(vertex, "num_workers"), chains = kind >> 3 & 7;
    struct slic_work slic = {
        .num_workers = workers,
        .passes = POPLIN_SLIC_WINDOW / chains,
        .conv_group_groups = conv_vertex_field(vertex, "conv_group_groups"),
        .conv_groups_per_group = (unsigned)(kind >> 6),
        .sub_kernels = conv_vertex_field(vertex, "sub_kernels"),
        .stride = kind >> 1 & 3,
        .float_partials = kind & 1,
        .release = target->poplibs_release,
    };
    struct conv_lists lists = conv_lists_of(vertex, slic.sub_kernels, slic.sub_kernels, 1);
    uint64_t positions = 0;
    for (unsigned w = 0; w < workers; ++w)
        for (size_t i = 0; i < lists.lists[w].count; ++i)
            positions += lists.lists[w].items[i];
    uint64_t chans = 4 / slic.conv_groups_per_group;
    pop_perf perf = { cycles_slic(&slic, lists.lists),
                      2 * positions * POPLIN_SLIC_WINDOW * 4 * chans * slic.sub_kernels * slic.conv_group_groups };
    free(lists.lists);
    free(lists.items);
    return perf;
}

void register_conv_slic_vertices(pop_graph *graph)
{
    char name[96];
    for (unsigned i = 0; i < 48; ++i) {
        unsigned is_float = i % 2, limited = i / 2 % 2, stride = 1 + i / 4 % 2, chains = 2 + i / 8 % 2 * 2,
                 groups = 1u << i / 16;
        snprintf(name, sizeof(name), "poplin::ConvPartial1x4SLIC<half,%s,%u,%s,%u,%u>", is_float ? "float" : "half",
                 stride, limited ? "true" : "false", chains, groups);
        pop_graph_register_perf_estimator(graph, name, estimate_slic,
                                          poplibs_as_user(slic_kind(is_float, stride, chains, groups)));
    }
}
#endif
