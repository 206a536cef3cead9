/* SPDX-License-Identifier: Apache-2.0 */
/* schedule: the vertices of each tile onto its worker contexts. */
#ifndef COMPILER_SCHEDULE_SCHEDULE_H
#define COMPILER_SCHEDULE_SCHEDULE_H

#include "compiler/common/compiler.h"

struct dry_run;

/* Adds the sets of programs to the image, with what is known of them before pass_vertices, and to the model, with the
 * same indices, their parts and shares, and missing_estimate to the sets of both.  NULL: an estimate is too large. */
const struct schedule_result *pass_schedule(struct compiler *c, const struct order_result *order);

/* dry_run.c: cycles of vertices that come without an estimate: what their device code executes on fields of their
 * sizes (docs/decisions/0015-estimates-of-vertices.md). */
struct dry_run *dry_run_create(struct compiler *c);
/* NULL is nothing to do. */
void dry_run_free(struct dry_run *dry);
/* An estimate of a vertex (index of the store), and how it was found: MODEL_COUNTED or MODEL_GUESSED. */
uint64_t dry_run_cycles(struct dry_run *dry, uint32_t vertex, enum model_estimate *how);
/* How much of the code of a type (of the store) is in assembly, which is counted when it runs: nothing, statements and
 * functions that C++ calls, or all. */
enum dry_run_assembly { DRY_RUN_NONE = 0, DRY_RUN_PART, DRY_RUN_WHOLE };
enum dry_run_assembly dry_run_assembly(struct dry_run *dry, uint32_t type);
/* Says which types were estimated so, and why some were guessed. */
void dry_run_report(const struct dry_run *dry);

/* order.c: sets, order: the vertices of each compute set, in order. */

/* By (set, creation), without groups. */
const struct order_result *pass_sets(struct compiler *c, const struct use_result *use,
                                     const struct check_result *check);
/* By (set, type, tile, creation): runs of one type are long, and a tile's vertices are neighbours. */
const struct order_result *pass_order(struct compiler *c, const struct use_result *use,
                                      const struct order_result *sets);

#endif
