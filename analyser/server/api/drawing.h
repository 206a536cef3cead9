/* SPDX-License-Identifier: Apache-2.0 */
/* The rectangles of a window: what is at least a pixel wide is there as it is, and what is smaller is summed up, a
 * pixel at a time. */
#ifndef ANALYSER_API_DRAWING_H
#define ANALYSER_API_DRAWING_H

#include "../nesting.h"
#include "trace.h"

/* What is smaller than a pixel, of one pixel and row. */
struct spot {
    float cycles[KINDS];
    double from, to, sum, most; /* sum over tiles of cycles; of the longest tiles */
    uint32_t count, step, node, matches;
    uint8_t kind;
};
struct rectangle {
    double from, to, sum, most;          /* sum, most: as of a spot */
    uint32_t step, count, node, matches; /* step UINT32_MAX: several; node of the drawing's tree */
    uint8_t kind, depth, row;            /* kind KINDS: a part of names */
};
enum { GROUP_NONE = 0, GROUP_SYNCS = 1, GROUP_EXECUTIONS = 2 };
typedef VEC(struct rectangle) rectangles;

/* Neighbours that are one rectangle: what is open, and syncs behind it that belong to it if what follows does. */
struct group {
    bool open;
    struct rectangle one;
    uint32_t process; /* the node that all of it lies below; 0: none */
    rectangles behind;
};
struct drawing {
    struct window window;
    double width; /* of a pixel, in cycles */
    unsigned depths, groups;
    const struct node *nodes;      /* the tree that rectangles have their names from */
    const struct nesting *nesting; /* it is that of programs; NULL: of debug names */
    uint32_t *spot_of;             /* [depth][pixel]: 1 + the index of its spot; 0: it has none */
    VEC(struct spot) spots;
    struct group group;
    rectangles list;
};

static inline bool is_sync(unsigned kind)
{
    return kind < KINDS && kinds[kind].class == CLASS_WAIT;
}
/* Adds a rectangle, or what it adds to the spot of its pixel. */
void draw_rectangle(struct drawing *drawing, const struct rectangle *one);
/* Adds steps that are smaller than a pixel together. */
void draw_bucket(struct drawing *drawing, const struct bucket *bucket, unsigned depth);
/* A step as a rectangle of depth 0; false when it is not seen in the window. */
bool rectangle_of_step(const struct drawing *drawing, uint64_t step, struct rectangle *one);
typedef void draw_whole(void *context, const struct bucket *bucket, uint64_t index);
typedef void draw_one(void *context, uint64_t step);
/* Calls one for the steps of a window, and whole for buckets that are smaller than a pixel and of which the window
 * needs no more. */
void for_buckets(const struct drawing *drawing, const struct request *request, void *context, draw_whole *whole,
                 draw_one *one);

/* trace_group.c: adds a step, or joins it with the ones before it; group_end draws what is still open.
 * Syncs: neighbours of class WAIT. Executions: a process is the name of the first step without its last part; steps
 * whose names are the process's or lie below it join, and so do syncs without a name of their own between them. */
void group_step(struct drawing *drawing, const struct rectangle *one);
void group_end(struct drawing *drawing);
/* Two syncs become one, of the kind of the longer. */
void join_syncs(struct rectangle *one, const struct rectangle *next);
bool are_neighbours(const struct drawing *drawing, const struct rectangle *one, const struct rectangle *next);

/* trace_flame.c: rows for the parts of names. */
void draw_flames(struct drawing *drawing, const struct request *request);

#endif
