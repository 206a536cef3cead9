/* SPDX-License-Identifier: Apache-2.0 */
/* Cycles of a tile's vertices. */
#ifndef POPLIN_PLAN_WORK_H
#define POPLIN_PLAN_WORK_H

#include "poplin/plan_cost.h"

uint64_t plan_vertex_cycles(struct plan_candidate *candidate, const struct plan_tile *tile);
/* Whether the tile is one for ConvPartial1x1Out. */
bool plan_is_1x1(const struct plan_candidate *candidate, const struct plan_tile *tile);

#endif
