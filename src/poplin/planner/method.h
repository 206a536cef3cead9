/* SPDX-License-Identifier: Apache-2.0 */
/* Methods: the kinds of vertices that can compute a convolution on a tile.  Each is a row of functions and properties,
 * through which alone planner and construction use it.  methods/methods.c lists them in the order of the search: those
 * that are usually the best come first. */
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
enum method_fields { POPLIN_HAS_CONV_UNITS = 1, POPLIN_HAS_SLIC_WINDOW = 2 };

struct conv_method {
    const char *name, *other_name;    /* other_name: another name in constraints; NULL if there is none */
    const char *needs;                /* the method's conditions, for error messages; NULL: always possible */
    unsigned fields;                  /* bits of enum method_fields */
    bool one_in_group, one_out_group; /* a vertex takes one group of input channels, one of output channels */
    bool reads_flipped; /* vertices read flipped operands as they are; otherwise these are reversed before */
    double (*macs)(const struct conv_plan *plan, unsigned vector); /* max multiplications a cycle; NULL: a vector */
    bool takes_quarter;                                            /* vertices take 8-bit operands */
    bool partials_are_results; /* nothing is added up: partials have the type of the operands */
    bool writes_once; /* with one kernel position and one group of input channels, each result is written once */

    /* Proposes its vertex types for a transformed convolution (plan_propose); plan has the transform and the types. */
    void (*propose)(struct plan_proposals *to, struct conv_plan plan);
    /* The method of another pass (1: backward, 2: update) of a fully connected layer's joint plan, from the plan and
     * the parameters of the forward pass, which has this method.  As Poplibs (getFullyConnectedBwdMethod, ..WUMethod).
     * Returns NULL if no vertex takes the groups of channels that the layout gives the pass: there is no such joint
     * plan.  The function is NULL for methods that serve no joint plans. */
    const struct conv_method *(*of_pass)(const struct conv_plan *forward, const poplin_conv_params *params,
                                         size_t pass);
    /* Completes a plan whose partition is known; NULL if nothing is needed. */
    void (*complete)(struct conv_plan *plan, const struct plan_candidate *candidate, const struct plan_tile *tile);

    /* The cycles of a tile's vertices. */
    uint64_t (*cycles)(const struct plan_candidate *candidate, const struct plan_tile *tile,
                       const struct plan_tile_work *work);
    /* Lower bounds of these cycles (NULL: 0).  pass_cycles: `passes` passes over field elements, `work` elements in
     * total: inner loops and their overhead.  pair_cycles: one pair of groups of input and output channels; unlike
     * cycles, it grows monotonically with each size of the tile. */
    uint64_t (*pass_cycles)(const struct plan_candidate *candidate, uint64_t passes, uint64_t work);
    uint64_t (*pair_cycles)(const struct plan_candidate *candidate, const struct plan_tile *tile);
    /* The cost of padding on the tile before the vertices run (NULL: none); the number of temporary sums besides the
     * outputs (NULL: 0). */
    poplin_plan_costs (*tile_transforms)(const struct plan_candidate *candidate, const struct plan_tile *tile,
                                         const struct plan_elements *elements);
    uint64_t (*buffer_elements)(const struct plan_candidate *candidate, const struct plan_tile *tile, uint64_t outputs);

    /* Creates the partials of all parts, and adds vertices for those that are not empty. */
    void (*add_vertices)(const struct conv_work *work, pop_compute_set compute, struct conv_parts *parts,
                         pop_tensor input, pop_tensor weights);
};

extern const struct conv_method *const plan_methods[]; /* terminated by NULL */

#endif
