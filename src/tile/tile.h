/* SPDX-License-Identifier: Apache-2.0 */
/* Assembling, listing and decoding programs of tiles. */
#ifndef TILE_TILE_H
#define TILE_TILE_H

#include "tile/object.h"

struct tile_program;

/* assemble.c: the assembler: preprocessed text of a .S file to an object (docs/reference/tile-isa.md, 3). */

/* Assembles text that the C preprocessor has made; its line markers name the files. NULL after errors, which messages
 * then has, one a line: "file:line:column: error: ..."; warnings are added in the same way. */
struct tile_object *tile_assemble(const char *name, const char *text, enum tile_arch arch, struct str *messages);

/* decode.c */

/* Decodes the words of the program's code to steps. */
void tile_program_decode(struct tile_program *program);

/* list.c */

/* Adds an object in assembly language, with words, slots and source lines in comments; assembled again, it gives the
 * same words. */
void tile_object_list(const struct tile_object *object, struct str *text);

#endif
