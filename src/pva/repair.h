/* SPDX-License-Identifier: Apache-2.0 */
/* Temporary files of writers, complete or not. */
#ifndef PVA_REPAIR_H
#define PVA_REPAIR_H

#include "pva/source.h"

/* Path of the newest profile_*.pop of a directory, which its writer has not completed; the caller frees it. NULL:
 * there is none. */
char *newest_temporary(const char *directory);
/* Whether a file name has the form of such a file. */
bool is_temporary(const char *name);
/* The process that has a temporary file open, its writer or a reader; 0 when its id is unknown, -1 when there is
 * none. */
int64_t process_that_writes(const char *path);

#endif
