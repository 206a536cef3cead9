/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks of a tile, shared out to workers, as vertices: of a special form where a worker's share is one regular piece,
 * else of the general one. */
#ifndef POPOPS_REDUCE_REDUCE_CONNECT_H
#define POPOPS_REDUCE_REDUCE_CONNECT_H

#include "popops/reduce/reduce_parts.h"

/* Adds the vertices of a tile's tasks. */
void reduce_connect(const struct reduction *r, const struct reduce_stage *stage, unsigned tile,
                    const struct tasks *tasks, const struct reduce_pieces *pieces);

#endif
