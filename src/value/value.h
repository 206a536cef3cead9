/* SPDX-License-Identifier: Apache-2.0 */
/* How profile values are held, so that a profile is hardly larger than the tables that it is made of.
 *
 * A vector of numbers by tile is held as runs of equal ones.  Vectors and maps that our own writers repeat are held
 * once, by several holders: nothing changes a shared one (who wants to gets a copy of his own first).  Keys that our
 * writers name are not copied. */
#ifndef VALUE_VALUE_H
#define VALUE_VALUE_H

#include "base/vec.h"

#include <poplar/profile.h>

struct profile_entry {
    char *key;
    pop_profile_value value;
};
struct pop_profile_vector {
    unsigned more_holders;
    VEC(pop_profile_value) items;
    size_t *ends;                  /* NULL, or for each item one more than the last index that it stands for */
    struct profile_source *source; /* NULL, or what makes the elements when they are looked at: made.h */
};
struct pop_profile_map {
    unsigned more_holders;
    bool lent_keys;                    /* keys are not ours to free */
    VEC(struct profile_entry) entries; /* sorted by key */
};

/* A map for entries that come in the order of their keys, which live as long as the program. */
pop_profile_value profile_map(size_t entries);
pop_profile_value *profile_add(pop_profile_value *map, const char *key, pop_profile_value item);
/* Room for so many more elements. */
pop_profile_value profile_vector(size_t elements);
/* Adds `count` elements of one value to a vector that was made by profile_runs. */
pop_profile_value profile_runs(size_t runs);
void profile_add_run(pop_profile_value *vector, uint64_t value, size_t count);
/* The same vector or map, held once more. */
pop_profile_value profile_share(const pop_profile_value *value);
/* How many elements from index on have its value, as far as that is known without looking; 0 behind the end. */
size_t profile_run(const pop_profile_value *vector, size_t index);

/* Trees that are read may not be deeper than this, so that neither a parser nor a visitor can run out of stack. */
enum { PROFILE_DEEPEST = 512 };

#endif
