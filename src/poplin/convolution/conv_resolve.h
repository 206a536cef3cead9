/* SPDX-License-Identifier: Apache-2.0 */
/* A resolved convolution: planned, transformed, grouped.  All later steps take this value and recompute none of it.
 *
 * Operands are in the planner's order of dimensions: input {groups, batch, field..., input channels}, weights {groups,
 * kernel..., output channels, input channels}, output {groups, batch, field..., output channels}.  Grouped operands:
 * input {G1, C1, batch, field..., g2, c2}, weights {G1, O1, C1, kernel..., g2, o2, c2}, output {G1, O1, batch,
 * field..., g2, o2}. */
#ifndef POPLIN_CONVOLUTION_CONV_RESOLVE_H
#define POPLIN_CONVOLUTION_CONV_RESOLVE_H

#include "poplin/convolution/conv_call.h"
#include "poplin/planner/plan_params.h"

struct conv_resolved {
    const struct call *call;
    const struct conv_call *request;
    const char *name;       /* debug name of created objects; borrowed */
    pop_tensor metadata[2]; /* of the call's input and weights; null unless they are multiplied as QUARTER */
    /* The following members are not set if request->simple.is_empty. */
    struct conv_plan plan;
    bool swapped;                          /* the transformed input is made from the call's weights */
    struct params_transformed transformed; /* request->simple.params, canonical, after the plan's transforms */
    poplin_conv_params params;             /* the same with channels padded to whole groups and without flips */
    size_t g1, c1, o1;
    unsigned g2, c2, o2;
    size_t output_shape[POPLIN_MAX_FIELD_DIMS];
};

/* Sets the members after `transformed` from it: pads channels and groups to multiples of the vertex' group sizes, and
 * removes flips unless vertices read them. */
void conv_group_channels(struct conv_resolved *conv);
/* Takes the metadata of the call's operands, if vertices need it. */
void conv_take_metadata(struct conv_resolved *conv, pop_tensor input, pop_tensor weights);
/* False after an error of the graph. */
bool conv_resolve(struct conv_resolved *conv, const struct conv_call *request, const char *name);

#endif
