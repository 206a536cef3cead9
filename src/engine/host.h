/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of host functions. */
#ifndef ENGINE_HOST_H
#define ENGINE_HOST_H

#include "engine/state.h"

/* Frees the arguments of a host function's call. */
void host_arguments_free(pop_engine *engine);

#endif
