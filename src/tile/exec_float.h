/* SPDX-License-Identifier: Apache-2.0 */
/* Results that are not finite, and rounding to half. */
#ifndef TILE_EXEC_FLOAT_H
#define TILE_EXEC_FLOAT_H

#include <stdint.h>

struct tile_context;
struct tile_op;
/* Sets sticky flags; raises the exception when FP_CTL enables one of them. */
void fp_flag(struct tile_context *c, const struct tile_op *o, unsigned flags);
/* The bits of a result that is not finite: NaN is the quiet one without a sign, and the flags are those of IEEE 754. */
uint32_t fp_special(struct tile_context *c, const struct tile_op *o, float value, float a, float b);
/* The value of a half that is zero, denormal, infinite or NaN. */
float half_value_special(uint32_t bits);
/* Rounds to half by FP_CTL; the value has been rounded at most once, to float, if FP_CTL asks for the nearest. */
uint32_t half_round(struct tile_context *c, const struct tile_op *o, double value);

#endif
