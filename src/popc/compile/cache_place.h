/* SPDX-License-Identifier: Apache-2.0 */
/* Directories for compiled codelets: which are trusted, and how much they may hold. */
#ifndef POPC_COMPILE_CACHE_PLACE_H
#define POPC_COMPILE_CACHE_PLACE_H

#include "base/str.h"

enum { CACHE_PLACES = 16 };

/* Directories to search, in order; only the first may be written, and only when own is set. Code in them is
 * executed, so each must be owned by the user or root and not be writable by others. */
struct cache_places {
    struct str path[CACHE_PLACES];
    size_t count;
    bool own; /* path[0] is TREMULA_CACHE_DIR, $XDG_CACHE_HOME/tremula or ~/.cache/tremula, created with mode 0700 */
};

/* Finds the directories. Unusable ones are left out and logged once. */
void cache_places_find(struct cache_places *places);
void cache_places_free(struct cache_places *places);
/* Whether a file in such a directory is as trustworthy as the directory. */
bool cache_file_trusted(const char *path);
/* Marks an entry as used. */
void cache_file_used(const char *path);
/* Deletes the least recently used entries while the total exceeds TREMULA_CACHE_SIZE megabytes (default 1024), and
 * files left behind by killed runs. */
void cache_trim(const char *directory);

#endif
