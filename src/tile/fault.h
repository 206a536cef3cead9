/* SPDX-License-Identifier: Apache-2.0 */
/* Exceptions. */
#ifndef TILE_FAULT_H
#define TILE_FAULT_H

#include "tile/machine.h"

struct tile_context;
struct tile_op;
/* Raises an exception: describes it in the tile and leaves the run. */
_Noreturn void tile_raise(struct tile_context *c, const struct tile_op *o, enum tile_exception code, uint32_t address,
                          const char *format, ...) __attribute__((format(printf, 5, 6)));
/* Raises the exception of an access that is not aligned or not in memory. */
_Noreturn void tile_bad_access(struct tile_context *c, const struct tile_op *o, uint32_t address, unsigned bytes,
                               bool write);
/* Raises an exception when permissions do not allow an access. */
void tile_check_access(struct tile_context *c, const struct tile_op *o, uint32_t address, unsigned bytes, bool write);

#endif
