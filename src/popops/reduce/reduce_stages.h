/* SPDX-License-Identifier: Apache-2.0 */
/* The first stage: each tile reduces what it holds. */
#ifndef POPOPS_REDUCE_REDUCE_STAGES_H
#define POPOPS_REDUCE_REDUCE_STAGES_H

#include "popops/reduce/reduce_parts.h"

/* Builds all stages. */
void reduce_stages(struct reduction *r);

#endif
