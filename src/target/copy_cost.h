/* SPDX-License-Identifier: Apache-2.0 */
/* Copies within a tile: which copy vertex the compiler uses, and its cycles
 * (docs/reference/ipu-model.md, 1.4, 2.6, 3.2, 4.1). */
#ifndef TARGET_COPY_COST_H
#define TARGET_COPY_COST_H

#include <poplar/target.h>

/* pieces: contiguous on both sides.  alignment: of all pieces on both sides, at most 8 bytes; 0 is read as 1. */
struct copy_shape {
    uint64_t bytes, pieces;
    uint32_t alignment;
    bool scatters; /* the destination is what is in pieces */
};
struct copy_vertex {
    const char *type;
    bool supervisor;      /* cycles are those of the tile, else of one worker */
    uint32_t vertices;    /* that share the work evenly */
    uint64_t cycles;      /* of each */
    uint32_t state_bytes; /* of each: pointer_bytes and descriptor_bytes */
    uint32_t pointer_bytes, descriptor_bytes;
};
struct copy_vertex copy_vertex_for(const pop_target *target, const struct copy_shape *shape);
/* Bytes of a copy vertex's code, once on each tile that has one; 0 for another type. */
uint32_t copy_code_bytes(const char *type);

#endif
