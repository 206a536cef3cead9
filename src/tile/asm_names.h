/* SPDX-License-Identifier: Apache-2.0 */
/* Names of labels and assignments. */
#ifndef TILE_ASM_NAMES_H
#define TILE_ASM_NAMES_H

#include "tile/asm.h"

/* The name's entry, made when it is new. */
struct asm_name *asm_name(struct assembler *a, const char *name);
const struct asm_name *asm_find_name(const struct assembler *a, const char *name);
/* The index of the name's symbol in the object, made when it has none. */
int32_t asm_symbol(struct assembler *a, struct asm_name *name);
/* Defines a label here; a number makes the next of its local labels. */
void asm_label(struct assembler *a, const char *name);

#endif
