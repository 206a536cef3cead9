/* SPDX-License-Identifier: Apache-2.0 */
/* Live memory at each step by tile: the blocks of a placement by name and class, and a sweep over the steps that
 * have a list of live variables. */
#ifndef REPORT_LIVE_BLOCKS_H
#define REPORT_LIVE_BLOCKS_H

#include "image/image.h"

/* Blocks of one name and class: entries [first, first + count) of by_name, in order of tile. */
struct live_group {
    uint32_t name, class;
    size_t first, count;
};
/* A class becomes live or dead at the step with this ordinal. */
struct live_toggle {
    uint32_t ordinal, class;
    bool on;
};
struct live_blocks {
    const struct placement *placement;
    uint32_t *by_class, *by_name;    /* indices of blocks */
    size_t *first_of_class;          /* start of each class in by_class, and the end */
    VEC(struct live_group) groups;   /* sorted by name, then class */
    uint32_t *group_of;              /* by name: its first group + 1 */
    VEC(struct live_toggle) toggles; /* sorted by ordinal */
    size_t next;                     /* the next toggle of the sweep */
    bool *active;                    /* by class: live at the current step */
    uint64_t *now;                   /* by tile: bytes of live classes */
};

/* Starts before the first step. Always-live blocks are not counted in now. */
void live_blocks_make(struct live_blocks *blocks, const struct image *image);
void live_blocks_free(struct live_blocks *blocks);
/* Advances to a step; ordinals must ascend. */
void live_blocks_advance(struct live_blocks *blocks, uint32_t ordinal);
/* Adds, by tile, the bytes of live blocks with a name (always: of always-live blocks) to tiles; returns a hash of
 * their classes. */
uint64_t live_blocks_add(const struct live_blocks *blocks, uint32_t name, bool always, uint64_t *tiles);

#endif
