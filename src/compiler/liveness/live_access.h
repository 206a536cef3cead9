/* SPDX-License-Identifier: Apache-2.0 */
/* What sets and programs read and write, by variable. */
#ifndef COMPILER_LIVENESS_LIVE_ACCESS_H
#define COMPILER_LIVENESS_LIVE_ACCESS_H

#include "compiler/liveness/live.h"

/* Also finds what fields ask of the variables that they are connected to, and the tiles of constants: live->alignment,
 * interleaved, constants. */
void accesses_of_sets(struct compiler *c, const struct live_inputs *in, struct live *live,
                      struct set_accesses *accesses);
void accesses_free(struct set_accesses *accesses);
struct view_sums *view_sums_create(const struct compiler *c);
void view_sums_free(struct view_sums *sums);
void accesses_of_node(const struct compiler *c, struct view_sums *sums, const struct program_node *n, access_fn fn,
                      void *context);

#endif
