/* SPDX-License-Identifier: Apache-2.0 */
/* Reading statements, and reporting errors about them. */
#ifndef TILE_ASM_INPUT_H
#define TILE_ASM_INPUT_H

#include "tile/asm.h"

void asm_error(struct assembler *a, struct asm_place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void asm_warn(struct assembler *a, struct asm_place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* A copy that lives as long as the assembler. */
char *asm_copy(struct assembler *a, const char *text, size_t length);
bool asm_is_name(char c, bool first);
const char *asm_blank(const char *text); /* behind blanks */

/* Reads the text, which must live as long as the assembler, before what follows in the current one. */
void asm_push_text(struct assembler *a, const char *text, bool expansion);
struct asm_statement asm_next(struct assembler *a);
/* Reads lines up to the directive that ends what one of `begins` (up to NULL) began; NULL after an error. */
const char *asm_read_body(struct assembler *a, const char *const *begins, const char *ends);
/* Handles .if and its kin; true when the statement was one of them. */
bool asm_condition(struct assembler *a, const char *directive, const char *rest);
/* Whether all conditions around the current statement hold. */
bool asm_reading(const struct assembler *a);

#endif
