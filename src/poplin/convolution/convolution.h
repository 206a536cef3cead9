/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions in a plan's layout: operands, sums and results, and the steps that public calls are made of. */
#ifndef POPLIN_CONVOLUTION_CONVOLUTION_H
#define POPLIN_CONVOLUTION_CONVOLUTION_H

#include "poplibs/call.h"
#include "poplin/convolution/conv_call.h"
#include "poplin/convolution/conv_program.h"
#include "poplin/convolution/conv_resolve.h"
#include "poplin/convolution/conv_work.h"

/* conv_steps.c: steps that calls of one convolution (convolution.c) and of several (multi_convolution.c) share, on
 * tensors in the order of the public interface. */

/* New operands: {batch, channels, field...}, {groups, output channels, input channels, kernel...}. */
pop_tensor conv_make_input(const struct conv_call *request);
pop_tensor conv_make_weights(const struct conv_call *request);
/* Adds the convolution to a program; returns the output. */
pop_tensor conv_convolve(const struct conv_call *request, pop_tensor in, pop_tensor weights, bool transposed,
                         struct conv_program *program);
/* Adds the gradient of the weights to a program, for a call with CONV_WEIGHT_UPDATE; returns it. */
pop_tensor conv_weight_deltas(const struct conv_call *request, pop_tensor deltas, pop_tensor activations,
                              struct conv_program *program);
/* Copies a forward pass's weights to those of the backward pass.  to_is_new: `to` was just created, so its mapping may
 * change. */
void conv_transpose_weights(struct conv_program *program, pop_tensor from, pop_tensor to, bool to_is_new);

/* conv_build.c: builds resolved convolutions, for convolution.c and matrix products. An operand may be any view; if
 * its layout is not the plan's, it is copied first. */

/* Adds the convolution to a program; returns the output, of the parameters' output type. */
pop_tensor conv_add(const struct conv_resolved *conv, pop_tensor input, pop_tensor weights,
                    struct conv_program *program);
/* Copies an input to the plan's layout, unless the convolution will copy it in any case. */
pop_tensor conv_arranged_input(const struct conv_resolved *conv, pop_tensor input);

/* Copies a grouped operand unless the vertices can use its layout, and it need not be sent first or is where the plan
 * wants it. */
pop_tensor conv_arrange(const struct conv_work *work, pop_tensor grouped, bool weights);
/* Computes one serial step of the output channels, of operands in the plan's layout; the serial steps of the input
 * channels are summed one after the other. */
pop_tensor conv_one_step(struct conv_work *work, unsigned out_chan_step, pop_tensor input, pop_tensor weights);
/* Whether the elements of both tensors are on the same tiles. */
bool conv_same_tiles(const struct call *call, pop_tensor a, pop_tensor b);
/* Checks grouped operands of which the caller declared one as arranged: it has the plan's layout, or is copied in any
 * case. */
bool conv_is_arranged_as_declared(const struct conv_resolved *conv, pop_tensor input, pop_tensor weights);

/* conv_loop.c: serial splits as a loop. */

/* Whether the plan's serial steps can be a loop: they split the input or the output channels into equal parts. */
bool conv_loops(const struct conv_resolved *conv);
/* The number of slices of an operand that the loop takes one after the other; 1: each step takes the whole operand. */
unsigned conv_loop_slices(const struct conv_resolved *conv, bool weights);
/* A new transformed operand of which the loop takes slices: these are on the same tiles, and each tile's parts of them
 * are together. */
pop_tensor conv_loop_new_operand(const struct conv_resolved *conv, bool weights, const char *name);
/* Adds the loop over transformed operands; returns the transformed output. */
pop_tensor conv_in_loop(struct conv_work *work, pop_tensor input, pop_tensor weights);

/* conv_new.c: creates operands in the layout and mapping of a plan. */
pop_tensor conv_new_input(const struct conv_resolved *conv);
pop_tensor conv_new_weights(const struct conv_resolved *conv);
/* A variable with the shape of the transformed and grouped operand. */
pop_tensor conv_new_grouped(const struct conv_resolved *conv, bool weights, const char *name);

/* conv_dilate.c: the backward pass of a strided convolution with a kernel of one element has zeros between its
 * outputs: the zeros are written, not computed. */

/* Converts the output of the undilated convolution to that of the call. */
pop_tensor conv_dilate_output(const struct conv_resolved *conv, pop_tensor undilated, struct conv_program *program);

/* conv_regroup.c: operands whose contiguous dimension is not the plan's. */

/* A grouped operand with the contiguous dimension of `like`, which has the plan's layout: blocks that differ in it are
 * collected and transposed in phase CONV_REGROUP, after their padding in phase `pad`.  The operand itself, if its
 * contiguous dimension is that of `like`, or its elements are not together in groups that are worth it. */
pop_tensor conv_regroup(const struct conv_work *work, pop_tensor grouped, pop_tensor like, bool weights, uint32_t pad);
/* The backward pass of a joint plan reads the weights of the other passes with rows and columns exchanged, where these
 * have them.  Transposes blocks of the grouped input from where they are to their places in `made`, which has the
 * plan's layout.  False if the input does not have such blocks: it is padded, or has another layout than its plan's. */
bool conv_turn_blocks(const struct conv_work *work, pop_tensor grouped, pop_tensor made);

/* conv_result.c: the layout of a result that later operations read. */

/* The result {groups, batch, field..., channels}, copied where options ask for it.  remapOutputTensor (by default): of
 * a pass that is no update, if no two of its elements are always together and its channels are a multiple of 4, to
 * groups of 16, 8 or 4 channels that are mapped linearly.  Otherwise gatherConvOutput: to one variable in which each
 * tile's part is contiguous. */
pop_tensor conv_laid_out(const struct conv_resolved *conv, pop_tensor output, struct conv_program *program);

/* conv_stride.c: with a kernel of one element, each output uses one input element, and a stride skips the others. */

/* A view of the elements of the call's input that are used. */
pop_tensor conv_take_input(const struct conv_call *request, pop_tensor input);
/* A new input for the call: the elements that are used have the layout of `taken`, the others are next to them. */
pop_tensor conv_new_strided_input(const struct conv_resolved *conv, pop_tensor taken);

/* conv_copies.c: copies of operands with padding. */

/* Copies the elements that are not padding in phase `copy`.  The padding is zeroed in place in phase `pad` or, with
 * poplibsRelease 2021 and before the convolution is divided, copied with the rest; no tile sends zeros to others. */
void conv_copy_and_pad(const struct conv_work *work, pop_tensor from, pop_tensor to, uint32_t pad, uint32_t copy);
/* Copies elements of other tiles to `received` in phase `receive`, and them and those of the same tile to `to` in phase
 * `place`. */
void conv_copy_by_way_of(const struct conv_work *work, pop_tensor from, pop_tensor received, pop_tensor to,
                         uint32_t receive, uint32_t place);

/* conv_new_like.c: creates tensors with the layout of others. */

/* A new tensor with the shape of `like`, {groups, batch, field..., channels}, on the same tiles, with equally many
 * contiguous channels. */
pop_tensor conv_new_like(const struct call *call, pop_tensor like, const char *name);

/* conv_operands.c: applies the plan's transforms to operands, and their inverses to the output and to new operands.
 */
void conv_transform_operands(const struct conv_resolved *conv, pop_tensor *input, pop_tensor *weights);
/* Transformed operands with channels in groups, padded to whole ones; and the inverses, without the padding. */
pop_tensor conv_group_input(const struct conv_resolved *conv, pop_tensor transformed);
pop_tensor conv_group_weights(const struct conv_resolved *conv, pop_tensor transformed);
pop_tensor conv_ungroup_operand(const struct conv_resolved *conv, pop_tensor grouped, bool weights);
pop_tensor conv_ungroup_output(const struct conv_resolved *conv, pop_tensor grouped);
/* The input alone, grouped, of a plan by which it is a view of a grouped variable and not swapped. */
pop_tensor conv_transform_input(const struct conv_resolved *conv, pop_tensor input);
/* The output {groups, batch, field..., channels} before the plan's transforms. */
pop_tensor conv_transform_output_back(const struct conv_resolved *conv, pop_tensor transformed);
/* Whether the plan's transforms of its input or weights duplicate nothing; whether they fill their groups. */
bool conv_transforms_are_views(const struct conv_resolved *conv, bool weights);
bool conv_has_whole_groups(const struct conv_resolved *conv, bool weights);
/* Whether the given operand can be a view of a new variable in the plan's layout. */
bool conv_input_is_a_view(const struct conv_resolved *conv);
bool conv_weights_are_a_view(const struct conv_resolved *conv);
/* Views a transformed operand of the plan as the call's operand. */
pop_tensor conv_transform_back(const struct conv_resolved *conv, pop_tensor transformed, bool weights);
pop_shape conv_grouped_input_shape(const struct conv_resolved *conv, size_t *dims);
pop_shape conv_grouped_weights_shape(const struct conv_resolved *conv, size_t *dims);

/* conv_order.c: converts between the planner's order of dimensions and that of the public interface. */

/* {batch, groups x channels, field...} to {groups, batch, field..., channels}, and the inverse. */
pop_tensor conv_activations_in(const struct conv_call *request, pop_tensor t);
pop_tensor conv_activations_out(const struct conv_call *request, pop_tensor t);
/* {groups, output channels, input channels, kernel...} to {groups, kernel..., output channels, input channels}, and the
 * inverse. */
pop_tensor conv_weights_in(const struct conv_call *request, pop_tensor t);
pop_tensor conv_weights_out(const struct conv_call *request, pop_tensor t);
/* The index of the last dimension. */
unsigned conv_last_dim(pop_tensor t);

/* conv_places.c: improves the mapping of an operand's copy. */

/* Changes the mapping of a destination to which nothing refers yet, so that few small pieces of the source stay on
 * their tile. */
void conv_avoid_local_pieces(const struct call *call, pop_tensor from, pop_tensor to);

/* conv_sums.c: sums of the partial results of several tiles; in stages if there are many, so that no tile has to
 * receive too many messages. */

/* The type of a sum of `depth` partials. */
pop_type conv_sum_type(const struct conv_work *work, size_t depth);
/* Adds the partials and, unless it is NULL, earlier, the sum over other input channels; sums[output] has the given
 * type. */
void conv_add_sums(const struct conv_work *work, const struct conv_parts *parts, const pop_tensor *earlier,
                   pop_type type, pop_tensor *sums);

#endif
