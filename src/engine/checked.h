/* SPDX-License-Identifier: Apache-2.0 */
/* Checked execution: every vertex of a set alone, its edges in guarded buffers. */
#ifndef ENGINE_CHECKED_H
#define ENGINE_CHECKED_H

#include "engine/state.h"

struct checked *checked_create(void);
void checked_destroy(struct checked *checked);
/* Every vertex of a set, its edges in guarded buffers.  False: the run has failed. */
bool checked_execute(struct engine_run *run, const struct image_set *set, bool *consensus);

#endif
