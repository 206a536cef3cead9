/* SPDX-License-Identifier: Apache-2.0 */
/* Conversions. */
#ifndef TILE_EXEC_CONVERT_H
#define TILE_EXEC_CONVERT_H

#include <stdint.h>

struct tile_context;
struct tile_op;
/* The value of a quarter, an 8-bit float, in the format of FP_NFMT and FP_SCL. */
float tile_quarter(const struct tile_context *c, uint32_t code);

#endif
