/* SPDX-License-Identifier: Apache-2.0 */
/* The passes of liveness (live.h), in the order in which they run. */
#ifndef COMPILER_LIVENESS_LIVENESS_H
#define COMPILER_LIVENESS_LIVENESS_H

#include "compiler/liveness/live.h"

/* live_access.c: what sets and programs read and write, by variable. */

/* Also finds what fields ask of the variables that they are connected to, and the tiles of constants: live->alignment,
 * interleaved, constants. */
void accesses_of_sets(struct compiler *c, const struct live_inputs *in, struct live *live,
                      struct set_accesses *accesses);
void accesses_free(struct set_accesses *accesses);
struct view_sums *view_sums_create(const struct compiler *c);
void view_sums_free(struct view_sums *sums);
void accesses_of_node(const struct compiler *c, struct view_sums *sums, const struct program_node *n, access_fn fn,
                      void *context);

/* live_buffers.c: buffers that live from the step that fills them to the step that uses them: what a set reads from
 * other tiles, what is rearranged for it, what it writes for other tiles; sub-words sent to or from the host; the
 * values that Switches read. */

/* Buffers of all steps. */
void live_buffers(struct compiler *c, const struct live_inputs *in, struct live *live,
                  const struct set_accesses *accesses);

/* live_tree.c: the steps of the model as a flow: control programs first, each function after all its callers. */

/* The tree of steps as a flow; live->step. */
void live_tree(struct compiler *c, const struct steps_result *steps, struct live *live);

#endif
