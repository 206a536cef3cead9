/* SPDX-License-Identifier: Apache-2.0 */
/* Paths of files to open. */
#ifndef PVA_OPEN_H
#define PVA_OPEN_H

#include "pva/source.h"

/* The directory part of a path, "." when it has none; the caller frees it. */
char *directory_of(const char *path);
/* Reads the first bytes of an open database's file, and its size, through SQLite: a process that opens and closes the
 * file itself loses the locks that an engine of the process has on it. Returns a code of SQLite. */
int database_head(sqlite3 *db, void *head, int size, int64_t *bytes);

#endif
