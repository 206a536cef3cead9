/* SPDX-License-Identifier: Apache-2.0 */
/* Copies within a tile: which of the compiler's vertices does one, and what it costs (ipu-model 1.4, 2.6). */
#ifndef TARGET_COPY_COST_H
#define TARGET_COPY_COST_H

#include <poplar/target.h>

/* alignment: of all pieces on both sides, at most 8 bytes. */
struct copy_shape {
    uint64_t bytes, pieces;
    uint32_t alignment;
};
struct copy_vertex {
    const char *type;
    bool supervisor;     /* cycles are those of the tile, else of one worker */
    uint64_t cycles;
    uint32_t state_bytes;
};
struct copy_vertex copy_vertex_for(const pop_target *target, const struct copy_shape *shape);

#endif
