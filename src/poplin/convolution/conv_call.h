/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that are convolutions, in this interface's order of dimensions: one of them (convolution.c) or several
 * (multi_convolution.c). */
#ifndef POPLIN_CONVOLUTION_CONV_CALL_H
#define POPLIN_CONVOLUTION_CONV_CALL_H

#include "poplin/convolution/conv_build.h"

/* A call's options and name, which its struct poplin_conv_call borrows. */
struct conv_call_text {
    struct poplin_conv_options options;
    poplin_conv_params with_field; /* where the given ones have no field dimension: the same with one of 1 element */
    char name[256];
};

#endif
