/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled codelets, cached by content. An entry's name is a BLAKE2b hash of its key: source, name, flags and level.
 * The entry holds the whole key, the identity of its compiler and a hash of each included file, so that a hit reads
 * those files and starts no process. */
#ifndef POPC_COMPILE_CACHE_H
#define POPC_COMPILE_CACHE_H

#include "popc/compile/build.h"
#include "popc/compile/cache_place.h"

#include "base/container.h"

struct cache {
    struct cache_places places;
    struct bytes key;
    char name[68]; /* file name of the entry, without its extension */
};

/* Opens the cache for one source; false when there is no cache. Call cache_close in both cases. */
bool cache_open(struct cache *cache, const struct popc_source *source);
void cache_close(struct cache *cache);
/* The compilers in use: "path size mtime", or NULL when none is installed. */
struct compilers {
    const char *host, *device; /* device: also NULL when the source is not compiled for a device */
};
/* Finds a valid entry: made by the same compilers where these are installed. On true the module is set, and messages
 * holds the warnings of its compilation. */
bool cache_find(const struct cache *cache, const struct popc_source *source, const struct compilers *compilers,
                struct module **module, struct str *messages);
/* Failure to store is not an error. */
void cache_store(const struct cache *cache, const struct popc_source *source, const struct built *built,
                 const struct compilers *compilers);

#endif
