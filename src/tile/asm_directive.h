/* SPDX-License-Identifier: Apache-2.0 */
/* Directives. */
#ifndef TILE_ASM_DIRECTIVE_H
#define TILE_ASM_DIRECTIVE_H

#include "tile/asm.h"

/* False when there is no such directive. */
bool asm_directive(struct assembler *a, const char *directive, const char *rest, const char *statement);
/* The index of a section, which is made when it is new. */
uint32_t asm_section(struct assembler *a, const char *name, bool code);
/* Adds zeroed bytes to the current section; returns their offset. */
uint32_t asm_reserve(struct assembler *a, size_t bytes);

#endif
