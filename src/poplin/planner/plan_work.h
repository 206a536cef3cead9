/* SPDX-License-Identifier: Apache-2.0 */
/* Cycles of a tile's vertices. */
#ifndef POPLIN_PLANNER_PLAN_WORK_H
#define POPLIN_PLANNER_PLAN_WORK_H

#include "poplin/planner/plan_cost.h"

uint64_t plan_vertex_cycles(struct plan_candidate *candidate, const struct plan_tile *tile);
/* SLIC: rows of POPLIN_SLIC_WINDOW kernel elements that a tile's kernel is cut into. */
uint64_t plan_sub_kernels(const struct plan_candidate *candidate, const struct plan_tile *tile);
/* Cycles of so many passes over field elements, work of them in all, at least: the vertices' inner loops, and what
 * begins each of them. */
uint64_t plan_pass_cycles(const struct plan_candidate *candidate, uint64_t passes, uint64_t work);
/* Cycles of one pair of groups of input and output channels on a tile, at least: unlike those of vertices they grow
 * with each size. */
uint64_t plan_pair_cycles(const struct plan_candidate *candidate, const struct plan_tile *tile);
/* Passes times field elements of the whole convolution. */
double plan_whole_work(const struct plan_candidate *candidate);
/* Cycles that so many tiles need at least, however the work is split: their inner loops without anything around them.
 */
uint64_t plan_least_work(const struct plan_candidate *candidate, unsigned tiles);
/* Whether the tile is one for ConvPartial1x1Out. */
bool plan_is_1x1(const struct plan_candidate *candidate, const struct plan_tile *tile);

#endif
