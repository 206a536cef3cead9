/* SPDX-License-Identifier: Apache-2.0 */
/* The graph profile's programs. */
#ifndef PROFILE_GRAPH_PROGRAMS_H
#define PROFILE_GRAPH_PROGRAMS_H

#include "image/image.h"
#include "value/value.h"

pop_profile_value programs_profile(const struct image *image);

#endif
