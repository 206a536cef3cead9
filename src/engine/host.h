/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of host functions. */
#ifndef ENGINE_HOST_H
#define ENGINE_HOST_H

#include "engine/state.h"

/* What a host function was called with. */
void host_arguments_free(pop_engine *engine);

#endif
