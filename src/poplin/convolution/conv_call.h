/* SPDX-License-Identifier: Apache-2.0 */
/* The arguments of a call that convolves, checked. */
#ifndef POPLIN_CONVOLUTION_CONV_CALL_H
#define POPLIN_CONVOLUTION_CONV_CALL_H

#include "poplin/convolution/conv_simplify.h"
#include "poplin/planner/conv_options.h"

/* What of a convolution's parameters is convolved: themselves, or the update of its weights. */
enum conv_purpose { CONV_FORWARD, CONV_WEIGHT_UPDATE };

struct conv_call {
    pop_where where;
    pop_graph *graph;
    const char *api;
    poplin_conv_params given;     /* with a field dimension of 1 element where the caller's have none */
    bool no_field;                /* the caller's, and the tensors, have none */
    poplin_conv_params convolved; /* by purpose */
    struct conv_simple simple;    /* what is planned for it */
    struct poplin_conv_options options;
    poplin_planning_cache *cache;  /* the caller's; may be NULL */
    char *name, *path;             /* "" where there is none; of what is convolved: "name/Conv_3x3" */
    const char *input_arranged_by; /* the call by which the user says to have arranged the input; NULL: it is arranged
                                      here if it must be */
};

/* Checks parameters and options; false, with nothing to end, after an error. */
bool conv_call_begin(struct conv_call *call, enum conv_purpose purpose, pop_where where, pop_graph *graph,
                     const char *api, const poplin_conv_params *params, const char *name, pop_options options,
                     poplin_planning_cache *cache);
void conv_call_end(struct conv_call *call);

/* Whether tensors are those of the given parameters; weights: or those of the convolution whose gradient that is. False
 * after an error. */
bool conv_call_check_input(const struct conv_call *call, pop_tensor t, const char *what);
bool conv_call_check_weights(const struct conv_call *call, pop_tensor weights, bool transposed);
bool conv_call_check_output(const struct conv_call *call, pop_tensor t, const char *what, pop_type type);
bool conv_check_tensor(pop_where where, pop_graph *graph, const char *api, pop_tensor t, const char *what,
                       pop_type type, const size_t *dims, size_t rank);

#endif
