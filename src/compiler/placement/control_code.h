/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions of control code that a program's beginning and its steps need on each tile (docs/concepts/memory.md).
 * `change`: by tile, and one more, the difference to the tile before. */
#ifndef COMPILER_PLACEMENT_CONTROL_CODE_H
#define COMPILER_PLACEMENT_CONTROL_CODE_H

#include <poplar/target.h>

#include "image/model.h"

/* Adds what tiles need besides their steps. */
void control_code_start(const pop_target *target, int64_t *change);
/* Adds a step (one of model->steps), without its children. */
void control_code_add(const struct model *model, const struct model_step *step, const pop_target *target,
                      int64_t *change);

#endif
