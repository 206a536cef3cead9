/* SPDX-License-Identifier: Apache-2.0 */
/* schedule: the vertices of each tile onto its worker contexts. */
#ifndef COMPILER_SCHEDULE_SCHEDULE_H
#define COMPILER_SCHEDULE_SCHEDULE_H

#include "compiler/common/compiler.h"

/* Adds the sets of programs to the image, with what is known of them before pass_vertices, and to the model, with the
 * same indices, their parts and shares, and missing_estimate to the sets of both.  NULL: an estimate is too large. */
const struct schedule_result *pass_schedule(struct compiler *c, const struct order_result *order);

#endif
