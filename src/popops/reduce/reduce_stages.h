/* SPDX-License-Identifier: Apache-2.0 */
/* The first stage: each tile reduces its own elements. */
#ifndef POPOPS_REDUCE_REDUCE_STAGES_H
#define POPOPS_REDUCE_REDUCE_STAGES_H

#include "popops/reduce/reduce_parts.h"

/* Builds all stages of a reduction. */
void reduce_stages(struct reduction *r);

#endif
