/* SPDX-License-Identifier: Apache-2.0 */
/* poplin::ConvPartial1x4SLIC<input, partials, stride, limited, chains, groups>: four output channels of many positions
 * by a row of four kernel positions, where few input channels meet few output channels: groups convolutions (1, 2 or 4)
 * of 4 / groups channels each.
 *
 * in[g] is {position, convolution, channel}, weights[g] {sub-kernel, kernel position, convolution, output channel,
 * input channel}, out[g] {position, convolution, output channel}.  Each sub-kernel adds to sums of all positions, from
 * out to out_field_buffer or back, so that the last leaves them in out. worklists (conv_vertex.h) has items for each
 * sub-kernel and worker; inputs of an item's elements lie stride positions apart.  chains: conv units for each position
 * of the window, 2 or 4: with 2 two output channels are computed at a time. */
#include "poplin/conv_vertices/conv_lists.h"
#include "poplin/conv_vertices/conv_vertex.h"

/* X(partials, stride, limited, index type, tag, chains, groups) */
#define SLIC_GROUPS(X, partial, stride, limited, index, tag, chains)                                                   \
    X(partial, stride, limited, index, tag, chains, 1)                                                                 \
    X(partial, stride, limited, index, tag, chains, 2) X(partial, stride, limited, index, tag, chains, 4)
#define SLIC_STRIDES(X, partial, limited, index, tag, chains)                                                          \
    SLIC_GROUPS(X, partial, 1, limited, index, tag, chains) SLIC_GROUPS(X, partial, 2, limited, index, tag, chains)
#define SLIC_LIMITS(X, partial, chains)                                                                                \
    SLIC_STRIDES(X, partial, "true", unsigned short, u16, chains)                                                      \
    SLIC_STRIDES(X, partial, "false", unsigned, u32, chains)
#define SLIC_TYPES(X) SLIC_LIMITS(X, float, 2) SLIC_LIMITS(X, float, 4) SLIC_LIMITS(X, half, 2) SLIC_LIMITS(X, half, 4)
#define SLIC_NAME(partial, stride, limited, chains, groups)                                                            \
    "poplin::ConvPartial1x4SLIC<half," #partial "," #stride "," limited "," #chains "," #groups ">"

#ifdef __POPC__
#include "poplin/conv_vertices/vector_loops.h"

enum { WINDOW = 4, LANES = 4 }; /* lanes: output channels of all convolutions of a group */

/* The input channel c that each lane meets, of what a position has: all lanes of a convolution the same. */
#define SPREAD_1(x, c) ((lanes4){ (x)[c], (x)[c], (x)[c], (x)[c] })
#define SPREAD_2(x, c) ((lanes4){ (x)[c], (x)[c], (x)[2 + (c)], (x)[2 + (c)] })
#define SPREAD_4(x, c) (x)

/* Outputs of count positions: w is {kernel position, channel, lane}; last may be NULL for zeros. */
#define SLIC_ROW(partial, groups)                                                                                      \
    static inline void row_##partial##_##groups(const half *x, const float *w, const partial *last, partial *now,      \
                                                unsigned count, size_t x_step)                                         \
    {                                                                                                                  \
        for (unsigned e = 0; e < count; ++e, x += x_step) {                                                            \
            lanes4 sum = { 0 };                                                                                        \
            if (last)                                                                                                  \
                sum = load4_##partial(last + LANES * e);                                                               \
            for (int k = 0; k < WINDOW; ++k) {                                                                         \
                lanes4 at = load4_half(x + LANES * k);                                                                 \
                for (int c = 0; c < 4 / (groups); ++c)                                                                 \
                    sum += SPREAD_##groups(at, c) * load4_float(w + LANES * (k * (4 / (groups)) + c));                 \
            }                                                                                                          \
            store4_##partial(now + LANES * e, sum);                                                                    \
        }                                                                                                              \
    }
#define SLIC_ROWS(partial) SLIC_ROW(partial, 1) SLIC_ROW(partial, 2) SLIC_ROW(partial, 4)
SLIC_ROWS(float)
SLIC_ROWS(half)

#define SLIC_VERTEX(partial, stride, limited, index, tag, chains, groups)                                              \
    POP_SUPERVISOR_VERTEX(Slic_##partial##_##stride##_##tag##_##chains##_##groups)                                     \
    {                                                                                                                  \
        POP_INPUT(POP_VECTORS(half, ONE_PTR, COMPACT_PTR, 8)) weights;                                                 \
        POP_INPUT(POP_VECTORS(half, ONE_PTR, COMPACT_PTR, 8)) in;                                                      \
        POP_OUTPUT(POP_VECTORS(partial, ONE_PTR, COMPACT_PTR, 16, true)) out;                                          \
        POP_OUTPUT(POP_VECTOR(partial, ONE_PTR, 16, true)) out_field_buffer;                                           \
        POP_STATE(POP_VECTOR(index)) worklists;                                                                        \
        unsigned conv_group_groups, sub_kernels, num_workers;                                                          \
    };                                                                                                                 \
    POP_VERTEX_NAME(Slic_##partial##_##stride##_##tag##_##chains##_##groups,                                           \
                    SLIC_NAME(partial, stride, limited, chains, groups));                                              \
    void Slic_##partial##_##stride##_##tag##_##chains##_##groups##_compute(                                            \
        Slic_##partial##_##stride##_##tag##_##chains##_##groups *v)                                                    \
    {                                                                                                                  \
        enum { CHANS = 4 / (groups), WEIGHTS = WINDOW * LANES * CHANS };                                               \
        for (unsigned g = 0; g < v->conv_group_groups; ++g) {                                                          \
            const half *in = ((const half *const *)(const void *)v->in.data)[g];                                       \
            const half *weights = ((const half *const *)(const void *)v->weights.data)[g];                             \
            partial *out = ((partial *const *)(const void *)v->out.data)[g];                                           \
            const index *items = v->worklists.data;                                                                    \
            for (unsigned k = 0; k < v->sub_kernels; ++k, weights += WEIGHTS) {                                        \
                bool ends_in_out = (v->sub_kernels - k) % 2;                                                           \
                partial *now = ends_in_out ? out : v->out_field_buffer.data;                                           \
                const partial *last = k == 0 ? NULL : ends_in_out ? v->out_field_buffer.data : out;                    \
                float w[WEIGHTS];                                                                                      \
                for (int i = 0; i < WEIGHTS; ++i)                                                                      \
                    w[i / (LANES * CHANS) * LANES * CHANS + i % CHANS * LANES + i / CHANS % LANES] =                   \
                        (float)weights[i];                                                                             \
                for (unsigned worker = 0; worker < v->num_workers; ++worker) {                                         \
                    const index *end = items + 1 + 3 * (size_t)items[0];                                               \
                    for (++items; items < end; items += 3)                                                             \
                        row_##partial##_##groups(in + LANES * (size_t)items[2], w,                                     \
                                                 last ? last + LANES * (size_t)items[0] : NULL,                        \
                                                 now + LANES * (size_t)items[0], items[1], (stride)*LANES);            \
                }                                                                                                      \
            }                                                                                                          \
        }                                                                                                              \
    }
SLIC_TYPES(SLIC_VERTEX)

#else
#include "poplin/vertices.h"

/* What a name says, as an estimator's user. */
#define SLIC_KIND(partial, stride, chains, groups)                                                                     \
    ((uintptr_t)(CONV_IS_FLOAT_##partial | (stride) << 1 | (chains) << 3 | (groups) << 6))

static pop_perf estimate_slic(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    uintptr_t kind = (uintptr_t)user;
    unsigned workers = poplin_conv_field(vertex, "num_workers"), chains = kind >> 3 & 7;
    struct poplin_slic slic = {
        .num_workers = workers,
        .passes = POPLIN_SLIC_WINDOW / chains,
        .conv_group_groups = poplin_conv_field(vertex, "conv_group_groups"),
        .conv_groups_per_group = (unsigned)(kind >> 6),
        .sub_kernels = poplin_conv_field(vertex, "sub_kernels"),
        .stride = kind >> 1 & 3,
        .float_partials = kind & 1,
    };
    (void)target;
    struct conv_lists lists = poplin_conv_lists_of(vertex, slic.sub_kernels, slic.sub_kernels, 1);
    uint64_t positions = 0;
    for (unsigned w = 0; w < workers; ++w)
        for (size_t i = 0; i < lists.lists[w].count; ++i)
            positions += lists.lists[w].items[i];
    uint64_t chans = 4 / slic.conv_groups_per_group;
    pop_perf perf = { poplin_cycles_slic(&slic, lists.lists),
                      2 * positions * POPLIN_SLIC_WINDOW * 4 * chans * slic.sub_kernels * slic.conv_group_groups };
    free(lists.lists);
    free(lists.items);
    return perf;
}

void poplin_conv_slic_vertices(pop_graph *graph)
{
#define REGISTER(partial, stride, limited, index, tag, chains, groups)                                                 \
    pop_graph_register_perf_estimator(graph, SLIC_NAME(partial, stride, limited, chains, groups), estimate_slic,       \
                                      poplibs_as_user(SLIC_KIND(partial, stride, chains, groups)));
    SLIC_TYPES(REGISTER)
}
#endif
