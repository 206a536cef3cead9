/* SPDX-License-Identifier: Apache-2.0 */
/* A vertex in a tile's memory: where its state, tables and fields stand (docs/reference/tile-isa.md, 4). */
#ifndef POPC_TILE_MEMORY_H
#define POPC_TILE_MEMORY_H

#include "popc/device/device_layout.h"

#include "base/str.h"
#include "tile/machine.h"

/* Host memory that stands in the tile's memory during a run. */
struct tile_region {
    unsigned char *host;
    uint32_t address, bytes;
    bool written; /* copied back */
    const struct codelet_field *field;
};

/* Data of an edge that stands where the compiler placed it. */
struct tile_placed {
    uint32_t begin, end; /* end: with the bytes behind it that may be loaded */
    uint64_t edge;       /* its index */
    bool written, moved; /* moved: it overlaps what the vertex writes */
};

struct tile_memory {
    struct tile *tile;
    const struct codelet *codelet;
    const struct device_layout *layout;
    const struct tile_memory_map *map;
    uint32_t low, high; /* the next free addresses of the two regions */
    uint32_t state;     /* address of the vertex's state */
    bool mapped;        /* regions are listed, and nothing is copied: a tile_window shows the host's memory */
    bool apart;         /* fields begin in memory elements of their own */
    VEC(struct tile_placed) placed; /* by address */
    VEC(uint32_t) places;           /* by edge: the address of a placed one; 0, and for later ones: it is not */
    const uint64_t *first_edge;     /* what the index of edges begins from */
    VEC(struct tile_region) regions;
    char *why; /* 240 bytes: why the vertex does not fit */
    bool failed;
};

/* Lists the edges that the compiler placed: `addresses` has an entry for each of edge_bytes, the offset from the start
 * of memory + 1, or 0. The space between them is taken for all else. Called before all others. */
void tile_memory_place(struct tile_memory *memory, const uint64_t *edge_bytes, const uint32_t *addresses);
/* The first address from `at` on where so many bytes are free of them. */
uint64_t tile_memory_free(const struct tile_memory *memory, uint64_t at, uint64_t bytes, uint32_t alignment);
/* Places a vertex and copies it in; false, with memory->why, when it does not fit. The space from memory->low on is
 * free before the call. */
bool tile_memory_fill(struct tile_memory *memory, const unsigned char *state, const uint64_t *edge_bytes);
/* Takes bytes that are zero, for stacks and the like; 0 when there is no space. */
uint32_t tile_memory_take(struct tile_memory *memory, uint64_t bytes, uint32_t alignment, bool interleaved);
/* Appends what is at an address, or the nearest field: "4 bytes behind field 'x' of 160 bytes". Returns the field;
 * NULL, and appends nothing, when there is none. Called before tile_memory_drain. */
const struct codelet_field *tile_memory_name(const struct tile_memory *memory, uint32_t address, struct str *text);
/* Copies back what the fields allow, and forgets the regions. */
void tile_memory_drain(struct tile_memory *memory);
void tile_memory_end(struct tile_memory *memory);

#endif
