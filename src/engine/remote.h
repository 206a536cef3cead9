/* SPDX-License-Identifier: Apache-2.0 */
/* Remote buffers of a replica. */
#ifndef ENGINE_REMOTE_H
#define ENGINE_REMOTE_H

#include "engine/state.h"

pop_status remotes_create(struct replica *replica, const char *api, pop_error *error);
void remotes_destroy(struct replica *replica);

#endif
