/* SPDX-License-Identifier: Apache-2.0 */
/* A step of pooling (a forward pass, or a part of a gradient): what it reads, how its output is divided among tiles,
 * and the views of the forward pass whose channels divide better. */
#ifndef POPNN_POOLING_POOLING_H
#define POPNN_POOLING_POOLING_H

#include "poplibs/call.h"
#include "popnn/pooling/pooling_geometry.h"

#include <popnn/pooling.h>

/* The dimensions that are split: groups and batch, then the field. */
enum { POOL_GROUPS = 0, POOL_BATCH = 1, POOL_FIELD = 2, POOL_MAX_CUTS = 2 + POPNN_MAX_FIELD_DIMS };

struct pool {
    const struct call *call;
    const popnn_pool_params *params;
    size_t out_field[POPNN_MAX_FIELD_DIMS];
    size_t channels;    /* of a group; set by the plan */
    size_t detected;    /* channels that are together in memory in the operand */
    const char *vertex; /* "MaxPooling" */
    enum pool_kind kind;
    bool introspective; /* poolUseIntrospectiveMapping: groups and tiles follow the layout of the operand */
    bool backward;      /* blocks are parts of the input, not of the output */
    pop_tensor read[3]; /* inputs "in", "pooled", "gradient", as {batch, channels, field...}; null: not read */
    pop_compute_set set;
};

/* Whether operand `which` has the field of the pool's input, rather than of its output. */
static inline bool pool_reads_input(size_t which)
{
    return which == 0;
}

struct pool_plan {
    size_t cuts[POOL_MAX_CUTS], channels;
    uint64_t cycles;
};

/* pooling_plan.c: how the output is divided among tiles. */

/* Whether vertices have work lists, if these can describe their parts: those of poplibs' release of 2021 on a modelled
 * IPU.  An average's divisors and a maximum's multiplicity are not in the lists. */
bool pool_is_listed(const struct pool *pool);
/* The extents of the output {groups, batch, field..., channels of a group} if a group has `channels`. */
void pool_sizes(const struct pool *pool, size_t channels, size_t *sizes);
/* The fastest division of the output into at most a block a tile.  A tensor without elements is not split.  With lists,
 * channels of a group are a choice from [min, max] in steps of the vector width (0, 0: pool->channels as they are). */
struct pool_plan pool_find_plan(const struct pool *pool, size_t min_channels, size_t max_channels);

/* pooling_view.c: views of a forward pass. */

/* A view of a forward pass: images are merged with channels; and, if windows do not overlap and cover the field, groups
 * of all images and rows of windows become one long row, which divides evenly. */
struct pool_view {
    popnn_pool_params params; /* of the view */
    size_t group;             /* channels that are left, if groups are in the field; 0: all are */
};
/* The view in which groups of `group` channels may become part of the field. */
struct pool_view pool_view_of(const popnn_pool_params *params, size_t group);
/* The operand {batch, channels, field...} as the view has it. */
pop_tensor pool_view_in(const struct call *call, const struct pool_view *view, pop_tensor in);
/* The view's result as {batch, channels, field...}. */
pop_tensor pool_view_out(const struct call *call, const struct pool_view *view, const popnn_pool_params *params,
                         pop_tensor out);

/* pooling_groups.c: groups of channels. */

/* A forward pass as it is computed: its view, the operand in it, and the plan. */
struct pool_planned {
    struct pool pool; /* its parameters are those of the view, so that it does not outlive this structure */
    struct pool_view view;
    struct pool_plan plan;
};

/* The group that a vertex can have if a caller wants groups of `group` channels. */
size_t pool_allowed_group(size_t group);
/* Plans the forward pass of `in`, a pool without operands. */
void pool_plan_forward(struct pool_planned *planned, const struct pool *pool, pop_tensor in);
/* Plans a pass whose groups follow the gradient, pool->read[2]; sets the pool's group of channels. */
struct pool_plan pool_plan_backward(struct pool *pool);

/* pooling_tiles.c: where blocks are. */

/* A part of the output, `here`, and what it reads of operands that have the other field, `there`. */
struct pool_block {
    pop_interval here[POOL_MAX_CUTS], there[POOL_MAX_CUTS];
};
/* The tile of each of `count` blocks, in the order of `blocks`; a plan has `max` of them, some without elements.  The
 * operands are grouped.  The caller frees the list. */
unsigned *pool_tiles_of_blocks(const struct pool *pool, const struct pool_block *blocks, size_t count, size_t max);

/* pooling_conv.c: sums over windows as a convolution of each channel with constant weights (optimizeForSpeed). */

/* Whether the pooling is a sum, or an average of windows without padding, that a convolution can express; truncation
 * cannot. */
bool pool_is_convolution(const popnn_pool_params *params);
/* The pooled input if the convolution's plan takes fewer cycles than pooling; otherwise, or after an error of the
 * graph, null. */
pop_tensor pool_convolve(const struct call *call, const popnn_pool_params *params, pop_tensor in, uint64_t cycles);

/* pooling_reduce.c: a window as large as the field. */

/* Whether the forward pass is a reduction: the window is the field, without padding, and the target has Poplibs'
 * release of 2021. */
bool pool_is_global(const struct pool *pool);
/* The field of each image and channel reduced to one element; `step` names the reduction. */
pop_tensor pool_reduce(const struct call *call, const popnn_pool_params *params, pop_tensor in, const char *step);

/* pooling_lists.c: work lists of pooling vertices on a modelled IPU. */

/* Whether work lists can describe a part: their numbers have 16 bits, and each maximum needs an element. */
bool pool_can_list(const struct pool_part *part, bool backward, bool max);
/* Sets the fields of the vertex that have the lists for a part: its rows are shared evenly by the workers. */
void pool_set_lists(const struct call *call, pop_vertex vertex, const struct pool_part *part, bool backward);

#endif
