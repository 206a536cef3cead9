/* SPDX-License-Identifier: Apache-2.0 */
/* Paths of files that are opened. */
#ifndef PVA_OPEN_H
#define PVA_OPEN_H

#include "pva/source.h"

/* The directory of a path, "." when it names none; the caller frees it. */
char *directory_of(const char *path);

#endif
