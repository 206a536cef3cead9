/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PVA_ARCHIVE_H
#define PVA_ARCHIVE_H

#include "pva/source.h"

/* Fills the file's empty database from archive.a: target.num_tiles, memory_by_tile and lowered variables. Returns
 * false after a failure, which the file keeps. */
bool archive_fill(pva_file *file, const char *path);

#endif
