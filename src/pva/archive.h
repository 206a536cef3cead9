/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PVA_ARCHIVE_H
#define PVA_ARCHIVE_H

#include "pva/source.h"

/* Fills the empty database of the file with what archive.a holds: target.num_tiles, memory_by_tile and lowered
 * variables.  false: a failure of the file. */
bool archive_fill(pva_file *file, const char *path);

#endif
