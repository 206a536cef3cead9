/* SPDX-License-Identifier: Apache-2.0 */
/* Macros and repetitions. */
#ifndef TILE_ASM_MACRO_H
#define TILE_ASM_MACRO_H

#include "tile/asm.h"

bool asm_macro_define(struct assembler *a, const char *rest);
void asm_macro_purge(struct assembler *a, const char *rest);
/* Expands a call; false when there is no such macro. */
bool asm_macro_call(struct assembler *a, const char *name, const char *rest);
/* Handles .rept, .irp and .irpc; false for other directives. */
bool asm_repeat(struct assembler *a, const char *directive, const char *rest);

#endif
