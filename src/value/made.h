/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors whose elements are made when they are looked at: the steps of a profile, of which there may be more than
 * memory holds.  Elements that pop_profile_at has returned stay as long as the vector; who iterates over all of them
 * reads them with a reader, which holds a page of them at a time. */
#ifndef VALUE_MADE_H
#define VALUE_MADE_H

#include <poplar/profile.h>

/* Makes elements [first, first + count), which there are; items are null before.  One thread at a time is in it. */
typedef void (*profile_make)(void *user, size_t first, size_t count, pop_profile_value *items);

/* A vector of `size` elements; `end` frees user with the last holder of the vector. */
pop_profile_value profile_made(size_t size, profile_make make, void (*end)(void *user), void *user);

/* Elements of any vector one after another.  Zero is a reader of nothing. */
struct profile_reader {
    const pop_profile_value *vector;
    pop_profile_value *page; /* NULL: not a made one, or none read yet */
    size_t first, count;
};
/* Element `index`, until the next call; NULL behind the end. */
const pop_profile_value *profile_read(struct profile_reader *reader, size_t index);
void profile_reader_end(struct profile_reader *reader);

/* ---- for value.c ---- */

struct profile_source;
void profile_source_free(struct profile_source *source);
size_t profile_source_size(const struct profile_source *source);
const pop_profile_value *profile_source_at(struct profile_source *source, size_t index);

#endif
