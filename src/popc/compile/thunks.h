/* SPDX-License-Identifier: Apache-2.0 */
/* Generates the code around a user's source in C. */
#ifndef POPC_COMPILE_THUNKS_H
#define POPC_COMPILE_THUNKS_H

#include "popc/compile/build.h"

/* Writes the text of the second compilation and sets the symbols of the vertices. */
void thunks_write(const struct popc_source *source, struct reflection *reflection, struct str *out);
/* Writes its beginning: hooks of all languages, hooks of one language, and the source. */
void thunks_begin(const struct popc_source *source, const struct reflection *reflection, const char *hooks_of_language,
                  struct str *out);
/* The statement that makes a call of a run function known to the hooks. */
const char *thunk_enter(const struct reflection *reflection);
/* Sets the symbol of a vertex. */
void thunk_name(struct reflection *reflection, size_t index);
/* Writes the source with #line directives for its own name and lines. */
void source_write(const struct popc_source *source, struct str *out);

#endif
