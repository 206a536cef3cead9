/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions built from plans, for the operations that are convolutions: convolution.c and the matrix products.
 *
 * Operands have the planner's order of dimensions here: input {groups, batch, field..., input channels}, weights
 * {groups, kernel..., output channels, input channels}, output {groups, batch, field..., output channels}.  Any view
 * will do; what is laid out otherwise than the plan wants is copied first.  A matrix product {G, M, K} x {G, K, N} is a
 * convolution of one field dimension with batch 1 and kernel 1 (poplibs.md 3.1). */
#ifndef POPLIN_CONVOLUTION_CONV_BUILD_H
#define POPLIN_CONVOLUTION_CONV_BUILD_H

#include "poplin/convolution/conv_program.h"
#include "poplin/planner/plan.h"

/* What all calls have in common; cache and name may be NULL. */
struct poplin_conv_call {
    pop_where where;
    pop_graph *graph;
    const char *api;
    const poplin_conv_params *params; /* valid ones */
    const struct poplin_conv_options *options;
    poplin_planning_cache *cache;
    const char *name;
    const char *input_arranged_by; /* the call by which the user says to have arranged the input; NULL: it is arranged
                                      here if it must be */
    bool no_field;                 /* the caller's tensors have no field dimension: params has one of 1 element */
};

/* New variables, laid out and mapped as the plan wants them. */
pop_tensor poplin_conv_new_input(const struct poplin_conv_call *call);
pop_tensor poplin_conv_new_weights(const struct poplin_conv_call *call);
/* Copies weights (input) to such a variable unless they are laid out like one. */
pop_tensor poplin_conv_arranged_weights(const struct poplin_conv_call *call, pop_tensor weights, pop_program sequence);
pop_tensor poplin_conv_arranged_input(const struct poplin_conv_call *call, pop_tensor input, pop_program sequence);
/* What is planned in the place of a convolution that has something to multiply; false where it has nothing. */
bool poplin_conv_planned(const poplin_conv_params *params, poplin_conv_params *planned);
/* Adds the convolution to a program; gives the output, of params' output type. */
pop_tensor poplin_conv_add(const struct poplin_conv_call *call, pop_tensor input, pop_tensor weights,
                           struct conv_program *program);
/* Adds the convolution to a sequence, alone; gives the output, of params' output type. */
pop_tensor poplin_conv_build(const struct poplin_conv_call *call, pop_tensor input, pop_tensor weights,
                             pop_program sequence);

struct conv_work;

/* Plans; false after an error. */
bool conv_work_begin(struct conv_work *work, const struct poplin_conv_call *call);
/* A copy, in one phase of the program, of what is no padding: that is written where it lies, in another phase, so that
 * no tile has to send zeros to all others. */
void conv_copy_and_pad(const struct conv_work *work, pop_tensor from, pop_tensor to, uint32_t pad, uint32_t copy);

#endif
