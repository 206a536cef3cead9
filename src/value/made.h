/* SPDX-License-Identifier: Apache-2.0 */
/* Lazy vectors, whose elements are generated on access: the steps of a profile may be more than memory holds. Pages
 * that pop_profile_at has read stay as long as the vector; to iterate over all elements, use a reader, which holds one
 * page at a time. */
#ifndef VALUE_MADE_H
#define VALUE_MADE_H

#include <poplar/profile.h>

/* Callback that fills items with elements [first, first + count), which exist; items are null before. Never called by
 * two threads at once. */
typedef void (*profile_make)(void *user, size_t first, size_t count, pop_profile_value *items);

/* A lazy vector of `size` elements; `end` frees user when the last reference to the vector ends. */
pop_profile_value profile_made(size_t size, profile_make make, void (*end)(void *user), void *user);

/* Iterates over the elements of any vector, lazy or not. Zero-initialised, it reads an empty vector. */
struct profile_reader {
    const pop_profile_value *vector;
    pop_profile_value *page; /* NULL: not a lazy vector, or no page read yet */
    size_t first, count;
};
/* Element `index`, valid until the next call; NULL past the end. */
const pop_profile_value *profile_read(struct profile_reader *reader, size_t index);
void profile_reader_end(struct profile_reader *reader);

/* ---- for value.c ---- */

struct profile_source;
void profile_source_free(struct profile_source *source);
size_t profile_source_size(const struct profile_source *source);
const pop_profile_value *profile_source_at(struct profile_source *source, size_t index);

#endif
