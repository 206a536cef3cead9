/* SPDX-License-Identifier: Apache-2.0 */
/* Paths of files to open. */
#ifndef PVA_OPEN_H
#define PVA_OPEN_H

#include "pva/source.h"

/* The directory part of a path, "." when it has none; the caller frees it. */
char *directory_of(const char *path);

#endif
