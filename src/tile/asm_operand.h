/* SPDX-License-Identifier: Apache-2.0 */
/* Parsing instructions. */
#ifndef TILE_ASM_OPERAND_H
#define TILE_ASM_OPERAND_H

#include "tile/asm.h"

bool asm_parse_instruction(struct assembler *a, const char *name, const char *rest, const char *statement,
                           struct asm_instruction *instruction);

#endif
