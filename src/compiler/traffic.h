/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes by tile in one exchange, and what they cost. */
#ifndef COMPILER_TRAFFIC_H
#define COMPILER_TRAFFIC_H

#include "compiler/compiler.h"

#include "image/image.h"

struct load {
    uint64_t *sent, *received, *moved; /* by tile; moved: within it */
    VEC(uint32_t) touched;             /* tiles that have any, some more than once */
};
/* What a load belongs to, for messages. */
struct step {
    const char *what, *name;
};
void load_init(struct load *load, unsigned tiles);
void load_free(struct load *load);
static inline void load_add(struct load *load, uint64_t *by_tile, uint32_t tile, uint64_t bytes)
{
    if (!by_tile[tile])
        *vec_push(&load->touched) = tile;
    by_tile[tile] += bytes;
}
/* What the busiest tiles need: an exchange takes a sync before it, and one that moves nothing takes none; what moves within tiles is
 * computed.  The load is empty again. */
struct image_cost load_finish(struct load *load, const pop_target *target, struct step step);

static inline struct image_cost cost_add(struct image_cost a, struct image_cost b)
{
    return (struct image_cost){ a.compute + b.compute, a.exchange + b.exchange, a.host_exchange + b.host_exchange, a.sync + b.sync };
}

#endif
