/* SPDX-License-Identifier: Apache-2.0 */
/* The graph profile's liveness. */
#ifndef PROFILE_GRAPH_LIVENESS_H
#define PROFILE_GRAPH_LIVENESS_H

#include "image/image.h"
#include "value/value.h"

pop_profile_value liveness_profile(const struct image *image);

#endif
