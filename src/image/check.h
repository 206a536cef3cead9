/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by check.c, check_states.c and check_model.c. */
#ifndef IMAGE_CHECK_H
#define IMAGE_CHECK_H

#include "image/image.h"

struct check {
    const struct image *image;
    const char *name; /* of the file */
    pop_error *error;
};

/* Records what is wrong and returns false. */
bool check_fail(struct check *check, const char *format, ...) POP_PRINTF(2, 3);
/* Whether offset .. offset + bytes lies in 0 .. limit; no sum overflows. */
bool check_within(uint64_t offset, uint64_t bytes, uint64_t limit);
/* A copy between two blocks of these sizes. */
bool check_copy(struct check *check, uint64_t index, uint64_t source_limit, uint64_t destination_limit);
/* Compute sets: groups, vertex states, gathers, checked mode's arrays. */
bool check_sets(struct check *check);
/* The modelled program, its costs and its memory. */
bool check_model(struct check *check);

#endif
