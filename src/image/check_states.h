/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of an image: compute sets and vertex states. */
#ifndef IMAGE_CHECK_STATES_H
#define IMAGE_CHECK_STATES_H

#include "image/check.h"

/* Compute sets: groups, vertex states, gathers, checked mode's arrays. */
bool check_sets(struct check *check);

#endif
