/* SPDX-License-Identifier: Apache-2.0 */
/* Cycles of a tile's vertices and their lower bounds. */
#ifndef POPLIN_PLANNER_PLAN_WORK_H
#define POPLIN_PLANNER_PLAN_WORK_H

#include "poplin/planner/plan_candidate.h"

uint64_t plan_vertex_cycles(struct plan_candidate *candidate, const struct plan_tile *tile);
/* Lower bounds of the cycles, as described in struct poplin_method. */
uint64_t plan_pass_cycles(const struct plan_candidate *candidate, uint64_t passes, uint64_t work);
uint64_t plan_pair_cycles(const struct plan_candidate *candidate, const struct plan_tile *tile);
/* Passes times field elements of the whole convolution. */
double plan_whole_work(const struct plan_candidate *candidate);
/* A lower bound of the cycles on `tiles` tiles, for any partition: inner loops only. */
uint64_t plan_min_work(const struct plan_candidate *candidate, unsigned tiles);

#endif
