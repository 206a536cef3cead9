/* SPDX-License-Identifier: Apache-2.0 */
/* The code around a user's source in C. */
#ifndef POPC_THUNKS_H
#define POPC_THUNKS_H

#include "popc/build.h"

/* The text of the second compilation.  Sets the symbols of the vertices. */
void thunks_write(const struct popc_source *source, struct reflection *reflection, struct str *out);
/* Sets the symbol of a vertex. */
void thunk_name(struct reflection *reflection, size_t index);
/* The hooks that are before the source. */
extern const char thunk_hooks[];
/* The source under its own name and line numbers. */
void source_write(const struct popc_source *source, struct str *out);

#endif
