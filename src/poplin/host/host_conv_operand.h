/* SPDX-License-Identifier: Apache-2.0 */
/* Operands of a host's convolution, and their layout in memory. */
#ifndef POPLIN_HOST_HOST_CONV_OPERAND_H
#define POPLIN_HOST_HOST_CONV_OPERAND_H

#include "poplin/host/host_conv.h"
#include "poplin/host/host_conv_shape.h"

/* Kinds by the order of their dimensions: {groups, batch, field..., channels}, {groups, kernel..., channels, channels}.
 * The field of deltas is one run of equal distances. */
enum host_conv_kind { HOST_CONV_INPUT, HOST_CONV_DELTAS, HOST_CONV_WEIGHTS };

struct host_conv_operand {
    pop_tensor memory; /* contiguous */
    size_t strides[HOST_CONV_DIMS + 2];
};
/* The operand itself, or a copy that is added to sequence. */
struct host_conv_operand host_conv_operand(const struct host_conv *conv, pop_tensor t, enum host_conv_kind kind,
                                           pop_program sequence);

/* A new variable, "name/step". */
pop_tensor host_conv_variable(const struct host_conv *conv, pop_type type, pop_shape shape, const char *step);
/* New operands, channels last in memory; weights of the parameters' input type, or another. */
pop_tensor host_conv_new_input(const struct host_conv *conv);
pop_tensor host_conv_new_weights(const struct host_conv *conv);
pop_tensor host_conv_new_weights_of(const struct host_conv *conv, pop_type type);

#endif
