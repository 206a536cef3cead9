/* SPDX-License-Identifier: Apache-2.0 */
/* The checked arguments of a call. */
#ifndef POPLIN_CONVOLUTION_CONV_CALL_H
#define POPLIN_CONVOLUTION_CONV_CALL_H

#include "poplin/convolution/conv_program.h"
#include "poplin/convolution/conv_simplify.h"
#include "poplin/planner/conv_options.h"
#include "poplin/planner/plan.h"

/* The convolution that a call computes: that of its parameters, or their weight update. */
enum conv_purpose { CONV_FORWARD, CONV_WEIGHT_UPDATE };

struct conv_call {
    const struct call *call;
    enum conv_purpose purpose;
    poplin_conv_params given; /* with a field dimension of 1 element if the caller's have none */
    bool no_field;            /* the caller's parameters and tensors have no field dimension */
    /* The operands are QUARTER.  With options.keeps_quarter vertices take their codes, UNSIGNED_CHAR, otherwise they
     * are cast to HALF, of which all parameters here are then. */
    bool quarter;
    bool is_planned;              /* QUARTER operands were planned to decide this */
    struct conv_planned planned;  /* the plan that was taken then */
    poplin_conv_params convolved; /* depends on the purpose */
    struct conv_simple simple;    /* the simplified convolution, which is planned */
    struct conv_options options;
    poplin_planning_cache *cache; /* the caller's; may be NULL */
    const char *name, *path;      /* "" if there is none; the debug name of its steps, "name/Conv_3x3" */
    /* The public function with which the caller declares to have arranged the input; NULL: it is arranged here if
     * necessary. */
    const char *input_arranged_by;
};

/* Checks parameters and options; false after an error.  name is borrowed. */
bool conv_call_begin(const struct call *call, struct conv_call *request, enum conv_purpose purpose,
                     const poplin_conv_params *params, const char *name, pop_options options,
                     poplin_planning_cache *cache);

/* Checks a tensor against the given parameters; with transposed, weights are those of the forward convolution whose
 * gradient the call computes.  False after an error. */
bool conv_call_check_input(const struct conv_call *request, pop_tensor t, const char *what);
bool conv_call_check_weights(const struct conv_call *request, pop_tensor weights, bool transposed);
bool conv_call_check_output(const struct conv_call *request, pop_tensor t, const char *what, pop_type type);

/* The type of tensors with operands of a type: QUARTER is handled as its codes. */
static inline pop_type conv_stored_type(pop_type type)
{
    return type == POP_QUARTER ? POP_UNSIGNED_CHAR : type;
}
/* A QUARTER operand as it is multiplied: its codes, or HALF by a cast in the program's first phase; other operands are
 * unchanged. */
pop_tensor conv_call_cast(const struct conv_call *request, pop_tensor t, struct conv_program *program);
/* A new operand of the call's type in place of one of codes or of HALF. */
pop_tensor conv_call_new(const struct conv_call *request, pop_tensor t);

#endif
