/* SPDX-License-Identifier: Apache-2.0 */
/* Where compiled codelets are kept: which directories are trusted, and how much they may hold. */
#ifndef POPC_CACHE_PLACE_H
#define POPC_CACHE_PLACE_H

#include "base/str.h"

enum { CACHE_PLACES = 16 };

/* The directories to look in, in order; only the first may be written to, and only when own.  Code in them is run, so
 * each is owned by the user or root and can be written by nobody else. */
struct cache_places {
    struct str path[CACHE_PLACES];
    size_t count;
    bool own; /* path[0] is TREMULA_CACHE_DIR, $XDG_CACHE_HOME/tremula or ~/.cache/tremula, made with mode 0700 if need
                 be */
};

/* What cannot be used is left out, and logged once. */
void cache_places_find(struct cache_places *places);
void cache_places_free(struct cache_places *places);
/* Whether a file of a place is as trustworthy as the place itself. */
bool cache_file_trusted(const char *path);
/* Marks an entry as used. */
void cache_file_used(const char *path);
/* Deletes the entries that were used longest ago while all take more than TREMULA_CACHE_SIZE megabytes (1024), and what
 * killed runs left. */
void cache_trim(const char *directory);

#endif
