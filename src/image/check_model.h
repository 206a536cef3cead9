/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of an image: the modelled program. */
#ifndef IMAGE_CHECK_MODEL_H
#define IMAGE_CHECK_MODEL_H

#include "image/check.h"

/* The modelled program, its costs and its memory. */
bool check_model(struct check *check);

#endif
