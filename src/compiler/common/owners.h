/* SPDX-License-Identifier: Apache-2.0 */
/* Which tile holds which elements, for passes that ask about millions of runs in no order.  Tile maps are compact, and
 * every queried element is mapped: the check pass ensures both. */
#ifndef COMPILER_COMMON_OWNERS_H
#define COMPILER_COMMON_OWNERS_H

#include "compiler/common/compiler.h"
#include "graph/view/edge.h"

#define HOME_EVERYWHERE (UINT32_MAX - 1) /* a hidden constant: replicated on each tile that reads it */
#define HOME_PARTS      UINT32_MAX       /* several tiles, or gaps */

/* Index of a tile map's ranges by the high bits of an element, for look-up in about constant time. */
struct owner_index {
    uint32_t *first; /* by element >> shift: the first range that ends after that place; one more at the end */
    uint32_t shift;
};
struct owners {
    const pop_store *store;
    uint32_t *home;            /* by variable: the tile that has all of it, or one of the above */
    struct owner_index *index; /* by variable, built at its first query */
    size_t count;
};
void owners_init(struct owners *owners, const pop_store *store, const struct check_result *check);
void owners_free(struct owners *owners);
uint32_t owners_search(struct owners *owners, uint32_t variable, uint64_t element, uint64_t *end);

/* The tile of an element, and the end of the range that is on that tile. */
static inline uint32_t owners_find(struct owners *owners, uint32_t variable, uint64_t element, uint64_t *end)
{
    if (owners->home[variable] == HOME_PARTS)
        return owners_search(owners, variable, element, end);
    *end = UINT64_MAX;
    return owners->home[variable];
}

/* The tile that has all elements [begin, end), or one of the above. */
static inline uint32_t owners_home(struct owners *owners, uint32_t variable, uint64_t begin, uint64_t end)
{
    uint64_t stop;
    uint32_t tile = owners_find(owners, variable, begin, &stop);
    return stop >= end ? tile : HOME_PARTS;
}
/* The tile that has all elements of an edge, or one of the above; HOME_PARTS too when it is not one run of elements. */
static inline uint32_t owners_edge(struct owners *owners, const struct edge *edge)
{
    if (edge->form != EDGE_RUN || !edge->count)
        return HOME_PARTS;
    struct run run = edge_run(edge);
    return owners_home(owners, run.variable, run.offset, run.offset + run.count);
}

#endif
