/* SPDX-License-Identifier: Apache-2.0 */
/* The vertices of scaled additions, for both the codelets and the host part of scaled_add_vertices.c: X(data, delta,
 * scale), each with a constant scale and with a tensor, for one region (...Supervisor) and for several (...2D). */
#ifndef POPOPS_ELEMENTWISE_SCALED_ADD_TYPES_H
#define POPOPS_ELEMENTWISE_SCALED_ADD_TYPES_H

#define SCALED_EQUAL(X)    X(float, float, float) X(half, half, half) X(half, half, float)
#define SCALED_MIXED(X)    X(float, half, half) X(float, half, float) X(half, float, half) X(half, float, float)
#define SCALED_INTEGERS(X) X(int, int, int) X(uint, uint, uint)
#define SCALED_ALL(X)      SCALED_EQUAL(X) SCALED_MIXED(X) SCALED_INTEGERS(X)

#define SCALED_TEXT_half  "half"
#define SCALED_TEXT_float "float"
#define SCALED_TEXT_int   "int"
#define SCALED_TEXT_uint  "unsigned int"
/* popops::ScaledAddSupervisor<half,float,float,true,false>: constant scale, memory constraints */
#define SCALED_ADD_NAME(form, T, D, S, constant, apart)                                                                \
    "popops::ScaledAdd" form "<" SCALED_TEXT_##T "," SCALED_TEXT_##D "," SCALED_TEXT_##S "," constant "," apart ">"
#define SCALED_SUBTRACT_NAME(form, T, D, S)                                                                            \
    "popops::ScaledSubtract" form "<" SCALED_TEXT_##T "," SCALED_TEXT_##D "," SCALED_TEXT_##S ",false>"
/* popops::aXPlusbYSupervisor<half,float,false,false>; aXMinusbY and XMinusaXPlusbY take tensors only */
#define SCALED_BOTH_NAME(kind, form, T, S, constant)                                                                   \
    "popops::" kind form "<" SCALED_TEXT_##T "," SCALED_TEXT_##S "," constant ",false>"

#endif
