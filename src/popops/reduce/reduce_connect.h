/* SPDX-License-Identifier: Apache-2.0 */
/* Distributes a tile's tasks over its workers and adds their vertices: a specialised vertex if a worker's share is one
 * regular piece, otherwise the general vertex. */
#ifndef POPOPS_REDUCE_REDUCE_CONNECT_H
#define POPOPS_REDUCE_REDUCE_CONNECT_H

#include "popops/reduce/reduce_parts.h"

/* Adds the vertices of a tile's tasks. */
void reduce_connect(const struct reduction *r, const struct reduce_stage *stage, unsigned tile,
                    const struct tasks *tasks, const struct reduce_pieces *pieces);

#endif
