/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers that live from the step that fills them to the step that uses them: what a set reads from other tiles, what
 * is rearranged for it, what it writes for other tiles; sub-words sent to or from the host; the values that Switches
 * read. */
#ifndef COMPILER_LIVENESS_LIVE_BUFFERS_H
#define COMPILER_LIVENESS_LIVE_BUFFERS_H

#include "compiler/liveness/live.h"

/* Buffers of all steps. */
void live_buffers(struct compiler *c, const struct live_inputs *in, struct live *live,
                  const struct set_accesses *accesses);

#endif
