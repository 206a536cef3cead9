/* SPDX-License-Identifier: Apache-2.0 */
/* What is live at each step, tile by tile: the blocks of a placement by name and class, and a sweep over the steps that
 * have a list. */
#ifndef REPORT_LIVE_THINGS_H
#define REPORT_LIVE_THINGS_H

#include "image/image.h"

/* Blocks of one name and class: entries [first, first + count) of by_name, in order of tile. */
struct live_group {
    uint32_t name, class;
    size_t first, count;
};
/* A class begins or ends at the step with this ordinal. */
struct live_toggle {
    uint32_t ordinal, class;
    bool on;
};
struct live_things {
    const struct placement *placement;
    uint32_t *by_class, *by_name;    /* blocks */
    size_t *first_of_class;          /* of by_class; one more than classes */
    VEC(struct live_group) groups;   /* by name, class */
    uint32_t *group_of;              /* by name: its first group + 1 */
    VEC(struct live_toggle) toggles; /* by ordinal */
    size_t next;                     /* toggle */
    bool *active;                    /* by class: at the current step */
    uint64_t *now;                   /* by tile: bytes of active classes */
};

/* Nothing is active yet, but what always is: that is not in now. */
void live_things_make(struct live_things *things, const struct image *image);
void live_things_free(struct live_things *things);
/* Goes on to a step; ordinals ascend. */
void live_things_go(struct live_things *things, uint32_t ordinal);
/* Adds the bytes, by tile, of what is active (always: of what always is) under a name to tiles; returns a hash of which
 * classes these are. */
uint64_t live_things_named(const struct live_things *things, uint32_t name, bool always, uint64_t *tiles);

#endif
