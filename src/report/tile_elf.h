/* SPDX-License-Identifier: Apache-2.0 */
/* A tile's memory as an ELF file: a section and a symbol for each block, at its address, and a segment for each
 * contiguous range of used addresses. Sections have no contents, since the model has no binary code for tiles. */
#ifndef REPORT_TILE_ELF_H
#define REPORT_TILE_ELF_H

#include "image/image.h"

typedef VEC(unsigned char) elf_bytes;
/* Replaces the contents of out by the bytes of the file. id: of the report, for a note; NULL: none. */
void tile_elf_make(const struct image *image, uint32_t tile, const char *id, elf_bytes *out);

#endif
