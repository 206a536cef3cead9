/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions of control code that a step needs on each tile (docs/memory.md). */
#ifndef COMPILER_PLACEMENT_CONTROL_CODE_H
#define COMPILER_PLACEMENT_CONTROL_CODE_H

#include "image/model.h"

/* Adds them, without those of its children, to change: by tile, and one more, the difference to the tile before. */
void control_code_add(const struct model *model, const struct model_step *step, uint32_t tiles, int64_t *change);

#endif
