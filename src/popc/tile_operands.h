/* SPDX-License-Identifier: Apache-2.0 */
/* Registers for the operands of a statement of inline assembly, and its text with them. */
#ifndef POPC_TILE_OPERANDS_H
#define POPC_TILE_OPERANDS_H

#include "base/str.h"

#include <poplar/detail/assembly_call.h>
#include <stdbool.h>
#include <stdint.h>

enum { TILE_STATEMENT_OPERANDS = 24 };
/* Where an operand is: registers by their places in a context (tile/machine.h); 0 registers: it stands in the text. */
struct tile_place {
    uint8_t first, registers;
};

/* Chooses registers and adds the statement's text. wide_in_a: operands of 64 bits that either file could have are in a
 * registers, else in m registers. False with the reason. */
bool tile_operands_place(const struct popc_assembly *statement, bool wide_in_a, struct tile_place *places,
                         struct str *text, struct str *why);

#endif
