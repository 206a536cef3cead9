/* SPDX-License-Identifier: Apache-2.0 */
/* Whether an image can be run: the check, and what its parts share. */
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
/* Whether offset .. offset + bytes is in 0 .. limit; no sum overflows. */
static inline bool check_within(uint64_t offset, uint64_t bytes, uint64_t limit)
{
    return offset <= limit && bytes <= limit - offset;
}
/* A copy between two blocks of these sizes. */
bool check_copy(struct check *check, uint64_t index, uint64_t source_limit, uint64_t destination_limit);

/* Whether every index, offset and count fits its array or block; file_load_error (name: the file) says which does not.
 * Reading a file does this; debug builds do it to what the compiler made.  The rules that it checks:
 * docs/concepts/engine.md. */
pop_status image_check(const struct image *image, const char *name, pop_error *error);

/* check_model.c: checks of an image: the modelled program. */

/* The modelled program, its costs and its memory. */
bool check_model(struct check *check);

/* check_states.c: checks of an image: compute sets and vertex states. */

/* Compute sets: groups, vertex states, gathers, checked mode's arrays. */
bool check_sets(struct check *check);

#endif
