/* SPDX-License-Identifier: Apache-2.0 */
/* Methods: the kinds of vertices that can compute a convolution on a tile.  Each is a row with all that planner and
 * construction ask about it; planner and construction know methods by their rows alone.  methods/methods.c lists them,
 * in the order in which the search tries them: those that are usually the best come first. */
#ifndef POPLIN_PLANNER_METHOD_H
#define POPLIN_PLANNER_METHOD_H

#include "poplin/planner/plan.h"

struct plan_proposals;
struct plan_candidate;
struct plan_tile;
struct plan_tile_work;
struct conv_work;
struct conv_parts;
struct plan_elements;

/* Plan fields that only some methods have. */
enum poplin_method_fields { POPLIN_HAS_CONV_UNITS = 1, POPLIN_HAS_SLIC_WINDOW = 2 };

struct poplin_method {
    const char *name, *other_name; /* other_name: what constraints may call it too; NULL: nothing */
    const char *needs;             /* why it may not be possible, for errors; NULL: it always is */
    unsigned fields;               /* set of enum poplin_method_fields */
    bool serves_joint_plans;       /* forward, backward and update passes of a fully connected layer with one layout */
    bool one_pair_of_groups;       /* a vertex has one group of input channels and one of output channels */
    bool writes_once; /* with one kernel position and one group of input channels it writes each result once */

    /* Proposes (plan_propose) its vertex types for a transformed convolution; plan has the transform and the types. */
    void (*propose)(struct plan_proposals *to, struct poplin_plan plan);
    /* Completes a plan whose partition is known; NULL: nothing to do. */
    void (*complete)(struct poplin_plan *plan, const struct plan_candidate *candidate, const struct plan_tile *tile);

    /* Cycles of a tile's vertices. */
    uint64_t (*cycles)(const struct plan_candidate *candidate, const struct plan_tile *tile,
                       const struct plan_tile_work *work);
    /* Lower bounds of them (NULL: 0).  pass_cycles: so many passes over field elements, work of them in all: inner
     * loops and what begins each of them.  pair_cycles: one pair of groups of input and output channels; unlike cycles
     * it grows with each size of the tile. */
    uint64_t (*pass_cycles)(const struct plan_candidate *candidate, uint64_t passes, uint64_t work);
    uint64_t (*pair_cycles)(const struct plan_candidate *candidate, const struct plan_tile *tile);
    /* What a tile pads before the vertices run (NULL: nothing), and elements of sums beside its outputs (NULL: 0). */
    poplin_plan_costs (*tile_transforms)(const struct plan_candidate *candidate, const struct plan_tile *tile,
                                         const struct plan_elements *elements);
    uint64_t (*buffer_elements)(const struct plan_candidate *candidate, const struct plan_tile *tile, uint64_t outputs);

    /* Creates the partials of all parts, and adds vertices for those that are not empty. */
    void (*add_vertices)(const struct conv_work *work, pop_compute_set compute, struct conv_parts *parts,
                         pop_tensor input, pop_tensor weights);
};

extern const struct poplin_method *const poplin_methods[]; /* ends with NULL */

#endif
