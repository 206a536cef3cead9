/* SPDX-License-Identifier: Apache-2.0 */
/* What is where in the memory of each tile: the result of placing, for reports.  It is not part of an executable's
 * file. */
#ifndef IMAGE_PLACEMENT_H
#define IMAGE_PLACEMENT_H

#include "base/vec.h"

/* Variables of one class are live at the same steps.  Class 0 never, class 1 always. */
enum { PLACED_NEVER = 0, PLACED_ALWAYS = 1 };
#define PLACED_NO_VARIABLE UINT32_MAX

/* A block of a tile's memory: a variable of the graph, a buffer or something of the compiler's. */
struct placement_block {
    uint64_t offset, bytes; /* address on the tile */
    uint32_t tile;
    uint32_t name;  /* string of the image */
    uint32_t class; /* liveness class; index into first_interval */
    uint32_t alignment;
    uint32_t variable; /* of the graph, or PLACED_NO_VARIABLE */
    uint8_t category;  /* enum model_category */
    uint8_t type;      /* pop_type of a variable's elements */
    bool code;
};
/* Half-open; ordinals of the model's steps that have a list of what is live (step_live), in order. */
struct placement_interval {
    uint32_t first, end;
};

/* A step of the model uses a variable of the graph. */
enum { PLACED_READ = 1, PLACED_WRITTEN = 2 };
struct placement_access {
    uint32_t step, variable;
    uint8_t what;
};

struct placement {
    uint32_t tiles;
    uint64_t tile_bytes, interleaved_start, element_bytes;
    VEC(struct placement_block) blocks; /* by tile */
    VEC(size_t) first;                  /* by tile, and one more: of blocks */
    VEC(struct placement_interval) intervals;
    VEC(size_t) first_interval;            /* by class, and one more */
    VEC(struct placement_access) accesses; /* by step; a variable may occur twice in a step */
};

/* NULL does nothing. */
void placement_free(struct placement *placement);

#endif
