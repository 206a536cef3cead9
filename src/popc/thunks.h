/* SPDX-License-Identifier: Apache-2.0 */
/* The code around a user's source in C. */
#ifndef POPC_THUNKS_H
#define POPC_THUNKS_H

#include "popc/build.h"

/* The text of the second compilation.  Sets the symbols of the vertices. */
void thunks_write(const struct popc_source *source, struct reflection *reflection, struct str *out);
/* Its beginning: hooks of all languages and of one, and the source. */
void thunks_begin(const struct popc_source *source, const char *hooks_of_language, struct str *out);
/* Sets the symbol of a vertex. */
void thunk_name(struct reflection *reflection, size_t index);
/* The source under its own name and line numbers. */
void source_write(const struct popc_source *source, struct str *out);

#endif
