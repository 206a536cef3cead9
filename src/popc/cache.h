/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled codelets by content.  An entry's name is a BLAKE2b hash of its key: source, name, flags and level.  The
 * entry has the whole key, says which compiler made it, and has a hash of each file that was included, so that a hit
 * reads those files and runs nothing. */
#ifndef POPC_CACHE_H
#define POPC_CACHE_H

#include "popc/build.h"
#include "popc/cache_place.h"

#include "base/container.h"

struct cache {
    struct cache_places places;
    struct bytes key;
    char name[68]; /* of the entry, without its ending */
};

/* The cache as it concerns a source; false when there is none.  Close it either way. */
bool cache_open(struct cache *cache, const struct popc_source *source);
void cache_close(struct cache *cache);
/* Who compiles: "path size mtime", or NULL when there is nobody. */
struct compilers {
    const char *host, *device; /* device: NULL too when the source is for none */
};
/* True and the module (and the warnings that it earned) when there is an entry that still holds: made by these
 * compilers, where there are any. */
bool cache_find(const struct cache *cache, const struct popc_source *source, const struct compilers *compilers,
                struct module **module, struct str *messages);
/* Failure to store is no error. */
void cache_store(const struct cache *cache, const struct popc_source *source, const struct built *built,
                 const struct compilers *compilers);

#endif
