/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of sparse products that have been found: with a cache, an operation with the same parameters and options is not
 * planned again.  The same cache serves several graphs and threads. */
#ifndef POPSPARSE_PLANNING_CACHE_H
#define POPSPARSE_PLANNING_CACHE_H

#include <poplin/planning.h>

typedef struct popsparse_planning_cache popsparse_planning_cache; /* owned by the caller */

POP_BEGIN_DECLS

/* An empty cache.  dense: the cache for plans of dense products, borrowed; NULL: they are planned anew. */
POP_API popsparse_planning_cache *popsparse_planning_cache_create(poplin_planning_cache *dense);
POP_API void popsparse_planning_cache_destroy(popsparse_planning_cache *cache);      /* NULL is allowed */
POP_API size_t popsparse_planning_cache_size(const popsparse_planning_cache *cache); /* number of plans */

POP_END_DECLS
#endif
