/* SPDX-License-Identifier: Apache-2.0 */
/* The rectangles of a window: steps at least a pixel wide are drawn individually, narrower ones are summed up for
 * each pixel. */
#ifndef ANALYSER_API_DRAWING_H
#define ANALYSER_API_DRAWING_H

#include "../nesting.h"
#include "trace.h"

/* The sum of the steps narrower than a pixel, for one pixel and row. */
struct spot {
    float cycles[KINDS];
    double from, to, sum, max; /* sum: cycles over tiles; most: cycles of the slowest tiles */
    uint32_t count, step, node, matches;
    uint8_t kind;
};
struct rectangle {
    double from, to, sum, max;           /* sum, most: as in struct spot */
    uint32_t step, count, node, matches; /* step UINT32_MAX: several steps; node: in the drawing's tree */
    uint8_t kind, depth, row;            /* kind KINDS: an inner node of names */
};
enum { GROUP_NONE = 0, GROUP_SYNCS = 1, GROUP_EXECUTIONS = 2 };
typedef VEC(struct rectangle) rectangles;

/* Neighbouring steps drawn as one rectangle: the open rectangle, and the syncs after it, which join it if the next
 * step does. */
struct group {
    bool open;
    struct rectangle one;
    uint32_t process; /* the common ancestor of all its steps; 0: none */
    rectangles behind;
};
struct drawing {
    struct window window;
    double width; /* of a pixel, in cycles */
    unsigned depths, groups;
    const struct node *nodes;      /* the tree that gives rectangles their names */
    const struct nesting *nesting; /* set when it is the tree of programs; NULL: debug names */
    uint32_t *spot_of;             /* [depth][pixel]: 1 + index of the spot; 0: none */
    VEC(struct spot) spots;
    struct group group;
    rectangles list;
};

static inline bool is_sync(unsigned kind)
{
    return kind < KINDS && kinds[kind].class == CLASS_WAIT;
}
/* Adds a rectangle, or adds it to its pixel's spot when it is narrower than a pixel. */
void draw_rectangle(struct drawing *drawing, const struct rectangle *one);
/* Adds a bucket of steps that is narrower than a pixel. */
void draw_bucket(struct drawing *drawing, const struct bucket *bucket, unsigned depth);
/* Makes a rectangle of depth 0 of a step; false when it is not visible in the window. */
bool rectangle_of_step(const struct drawing *drawing, uint64_t step, struct rectangle *one);
typedef void draw_whole(void *context, const struct bucket *bucket, uint64_t index);
typedef void draw_one(void *context, uint64_t step);
/* Calls one for each step of a window, and whole for each bucket that is narrower than a pixel and needs no more
 * detail. */
void for_buckets(const struct drawing *drawing, const struct request *request, void *context, draw_whole *whole,
                 draw_one *one);

/* trace_group.c: adds a step, or joins it with the previous ones; group_end draws the open group. Syncs: neighbours
 * of class WAIT. Executions: a process is the name of the first step without its last component; the following steps
 * whose names equal the process or are below it join, and so do syncs without their own names in between. */
void group_step(struct drawing *drawing, const struct rectangle *one);
void group_end(struct drawing *drawing);
/* Merges two syncs; the longer one gives the kind. */
void join_syncs(struct rectangle *one, const struct rectangle *next);
bool are_neighbours(const struct drawing *drawing, const struct rectangle *one, const struct rectangle *next);

/* trace_flame.c: draws a row for each component of names. */
void draw_flames(struct drawing *drawing, const struct request *request);

#endif
