/* SPDX-License-Identifier: Apache-2.0 */
/* Cycles of vertices that come without an estimate: what their device code executes on fields of their sizes
 * (docs/decisions/0015-estimates-of-vertices.md). */
#ifndef COMPILER_SCHEDULE_DRY_RUN_H
#define COMPILER_SCHEDULE_DRY_RUN_H

#include "compiler/common/compiler.h"

struct dry_run;
struct dry_run *dry_run_create(struct compiler *c);
/* NULL is nothing to do. */
void dry_run_free(struct dry_run *dry);
/* An estimate of a vertex (index of the store), and how it was found: MODEL_COUNTED or MODEL_GUESSED. */
uint64_t dry_run_cycles(struct dry_run *dry, uint32_t vertex, enum model_estimate *how);
/* Says which types were estimated so, and why some were guessed. */
void dry_run_report(const struct dry_run *dry);

#endif
