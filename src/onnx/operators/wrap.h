/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic of integers of 8 and 16 bits, which are INT on the device. */
#ifndef ONNX_OPERATORS_WRAP_H
#define ONNX_OPERATORS_WRAP_H

#include "onnx/build/build.h"

/* The low bits of a result, as an integer of the type; t itself for other types. */
static inline pop_tensor onnx_wrap(onnx_builder *b, pop_tensor t, tremula_onnx_type type)
{
    size_t bits = 8 * tremula_onnx_type_size(type);
    if (!onnx_ok(b) || pop_tensor_type(t) != POP_INT || bits >= 32)
        return t;
    if (type == TREMULA_ONNX_UINT8 || type == TREMULA_ONNX_UINT16)
        return ONNX_BINARY(b, BITWISE_AND, t, (1 << bits) - 1);
    pop_tensor high = ONNX_BINARY(b, SHIFT_LEFT, t, (int)(32 - bits));
    return ONNX_BINARY(b, SHIFT_RIGHT_SIGN_EXTEND, high, (int)(32 - bits));
}

#endif
