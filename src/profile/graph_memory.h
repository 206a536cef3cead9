/* SPDX-License-Identifier: Apache-2.0 */
/* The graph profile's memory. */
#ifndef PROFILE_GRAPH_MEMORY_H
#define PROFILE_GRAPH_MEMORY_H

#include "image/image.h"
#include "value/value.h"

pop_profile_value memory_profile(const struct image *image);

#endif
