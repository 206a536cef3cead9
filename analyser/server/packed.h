/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes in an exported page: compressed, as text of seven bits a character, which any HTML file can hold. */
#ifndef ANALYSER_PACKED_H
#define ANALYSER_PACKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Writes data as zlib's format in text (analyser/page/data/exported/packed.ts reads it).  False on failure. */
bool packed_put(FILE *out, const void *data, size_t size);

/* Replaces numbers of `width` bytes by the differences to their predecessors, then by their first bytes, their second
 * bytes and so on: sorted numbers compress several times better. */
void packed_planes(void *data, size_t count, size_t width);

#endif
