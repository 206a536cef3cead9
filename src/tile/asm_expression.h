/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions. */
#ifndef TILE_ASM_EXPRESSION_H
#define TILE_ASM_EXPRESSION_H

#include "tile/asm.h"

/* Parses an expression; *at moves behind it. NULL after an error, which it has reported. */
const struct asm_node *asm_parse(struct assembler *a, const char **at, const char *statement);
struct asm_value asm_evaluate(const struct assembler *a, const struct asm_node *node);
const struct asm_node *asm_number(struct assembler *a, int64_t number);
/* Parses and evaluates a whole text that must be known now. */
bool asm_absolute(struct assembler *a, const char *text, int64_t *value);

#endif
