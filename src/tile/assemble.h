/* SPDX-License-Identifier: Apache-2.0 */
/* The assembler: preprocessed text of a .S file to an object (docs/reference/tile-isa.md, 3). */
#ifndef TILE_ASSEMBLE_H
#define TILE_ASSEMBLE_H

#include "tile/object.h"

/* Assembles text that the C preprocessor has made; its line markers name the files. NULL after errors, which messages
 * then has, one a line: "file:line:column: error: ..."; warnings are added in the same way. */
struct tile_object *tile_assemble(const char *name, const char *text, enum tile_arch arch, struct str *messages);

#endif
