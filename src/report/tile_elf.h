/* SPDX-License-Identifier: Apache-2.0 */
/* A tile's memory as an ELF file: a section and a symbol for each block, at its address; a segment for each stretch of
 * addresses in use.  Sections have no contents, since the model has no binary code of tiles. */
#ifndef REPORT_TILE_ELF_H
#define REPORT_TILE_ELF_H

#include "image/image.h"

/* Bytes of the file, which replace what out held.  id: of a report, for a note; NULL: none. */
typedef VEC(unsigned char) elf_bytes;
void tile_elf_make(const struct image *image, uint32_t tile, const char *id, elf_bytes *out);

#endif
