/* SPDX-License-Identifier: Apache-2.0 */
/* What the search for a plan (plan_search.h) uses: constraints, costs, the order of candidates, text. */
#ifndef POPLIN_PLANNER_PLANNER_H
#define POPLIN_PLANNER_PLANNER_H

#include "poplin/planner/conv_options.h"
#include "poplin/planner/plan.h"
#include "poplin/planner/plan_cache.h"
#include "poplin/planner/plan_candidate.h"
#include "poplin/planner/plan_search.h"

/* plan_constraints.c: parser of planConstraints. */

/* Parses the JSON of planConstraints to at most POPLIN_MAX_ALTERNATIVES constraints; false, with an error message in
 * text, if it is invalid. */
bool plan_constraints_read(const char *json, unsigned num_ipus, struct plan_constraints *constraints, unsigned *count,
                           char *text, size_t size);

/* plan_order.c: the order in which vertex types of a transformed convolution are tried. It decides between plans of
 * equal cost, and how soon a good plan bounds the search. */

/* Orders proposals as Poplibs does: by method in release 1.2, by useful multiplications a cycle in that of 2021. */
void plan_order(struct plan_proposals *proposals);

/* plan_rank.c: the rank of a plan: its objective as one number, less is better. */

/* The rank of a plan; UINT64_MAX if it does not meet the goal. */
uint64_t plan_rank(const struct plan_goal *goal, const struct plan_cost *cost);
/* A lower bound of the ranks of plans with at least so many cycles; UINT64_MAX if none of them meets the goal. */
uint64_t plan_rank_from_cycles(const struct plan_goal *goal, uint64_t cycles);
/* The longer one of each step of two plans, without their memory. */
poplin_detailed_plan_costs plan_longest_steps(const poplin_detailed_plan_costs *a, const poplin_detailed_plan_costs *b);

/* plan_text.c: writes plans as text, and as JSON of planConstraints. */

/* Writes lines of text; buffer and result as snprintf. */
size_t plan_text(const struct conv_plan *plan, const struct plan_cost *cost, const poplin_conv_params *params,
                 char *buffer, size_t size);
/* Writes a plan as planConstraints to a file; false if that fails. */
bool plan_write_constraints(const struct conv_plan *plan, const char *file);

/* plan_blame.c: explains why no plan satisfies the given constraints. */

/* Writes which constraints cannot be satisfied (together), why, and the nearest plan: the best one without them.  find
 * plans a convolution and returns false if there is no plan. */
void plan_blame(const pop_target *target, const struct plan_cached *asked,
                bool (*find)(const pop_target *, struct plan_cached *), char *buffer, size_t size);

/* plan_work.c: cycles of a tile's vertices and their lower bounds. */
uint64_t plan_vertex_cycles(struct plan_candidate *candidate, const struct plan_tile *tile);
/* Lower bounds of the cycles, as described in struct conv_method. */
uint64_t plan_pass_cycles(const struct plan_candidate *candidate, uint64_t passes, uint64_t work);
uint64_t plan_pair_cycles(const struct plan_candidate *candidate, const struct plan_tile *tile);
/* Passes times field elements of the whole convolution. */
double plan_whole_work(const struct plan_candidate *candidate);
/* A lower bound of the cycles on `tiles` tiles, for any partition: inner loops only. */
uint64_t plan_min_work(const struct plan_candidate *candidate, unsigned tiles);

#endif
