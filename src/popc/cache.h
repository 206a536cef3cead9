/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled codelets by content.  An entry's name is a hash of source, flags and level; the entry says which compiler made it and
 * has a hash of each file that was included, so that a hit reads those files and runs nothing. */
#ifndef POPC_CACHE_H
#define POPC_CACHE_H

#include "popc/build.h"

/* The entry's path, or false when there is no cache. */
bool cache_path(const struct source *source, struct str *path);
/* Who compiles: "path size mtime", or NULL when there is nobody. */
struct compilers {
    const char *host, *device; /* device: NULL too when the source is for none */
};
/* True and the module (and the warnings that it earned) when there is an entry that still holds: made by these compilers, where there are
 * any. */
bool cache_find(const char *path, const struct source *source, const struct compilers *compilers, struct module **module, struct str *messages);
/* Failure to store is no error. */
void cache_store(const char *path, const struct built *built, const struct compilers *compilers);

#endif
