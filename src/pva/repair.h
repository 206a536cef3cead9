/* SPDX-License-Identifier: Apache-2.0 */
/* Temporary files of a writer, complete or not. */
#ifndef PVA_REPAIR_H
#define PVA_REPAIR_H

#include "pva/source.h"

/* The newest profile_*.pop of a directory, which a writer has not completed: a path that the caller frees, or NULL. */
char *newest_temporary(const char *directory);
/* Whether a name is that of such a file. */
bool is_temporary(const char *name);
/* The process that has a temporary file open: its writer, or a reader; 0 when its number is not known, -1: none has. */
int64_t process_that_writes(const char *path);

#endif
