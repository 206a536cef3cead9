/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of the model as a flow: control programs first, each function after all its callers. */
#ifndef COMPILER_LIVENESS_LIVE_TREE_H
#define COMPILER_LIVENESS_LIVE_TREE_H

#include "compiler/liveness/live.h"

/* The tree of steps as a flow; live->step. */
void live_tree(struct compiler *c, const struct steps_result *steps, struct live *live);

#endif
