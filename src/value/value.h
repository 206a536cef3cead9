/* SPDX-License-Identifier: Apache-2.0 */
/* Representation of profile values, designed so that a profile takes little more memory than the tables it describes.
 *
 * A vector of numbers by tile is held as runs of equal elements. Vectors and maps are reference-counted and
 * copy-on-write, so that the library's writers store repeated ones once. Keys that those writers pass are borrowed
 * string literals. */
#ifndef VALUE_VALUE_H
#define VALUE_VALUE_H

#include "base/vec.h"

#include <poplar/profile.h>

struct profile_entry {
    char *key;
    pop_profile_value value;
};
struct pop_profile_vector {
    unsigned extra_references; /* references beyond the first */
    VEC(pop_profile_value) items;
    size_t *ends;                  /* NULL, or the end of each item's run: item i covers [ends[i - 1], ends[i]) */
    struct profile_source *source; /* NULL, or generates the elements on access (made.h) */
};
struct pop_profile_map {
    unsigned extra_references;         /* references beyond the first */
    bool borrowed_keys;                /* keys are borrowed: not freed with the map */
    VEC(struct profile_entry) entries; /* sorted by key */
};

/* A map for entries that are added in key order; the keys are borrowed and have static lifetime. */
pop_profile_value profile_map(size_t entries);
pop_profile_value *profile_add(pop_profile_value *map, const char *key, pop_profile_value item);
/* An empty vector with this capacity. */
pop_profile_value profile_vector(size_t elements);
/* An empty vector of numbers that is held as runs, with capacity for the given number of runs. */
pop_profile_value profile_runs(size_t runs);
/* Appends a run of `count` elements of one value to a vector from profile_runs. */
void profile_add_run(pop_profile_value *vector, uint64_t value, size_t count);
/* Another reference to the same vector or map. */
pop_profile_value profile_share(const pop_profile_value *value);
/* Length of the run of equal elements that begins at index, as the representation has it (values are not compared); 0
 * past the end. */
size_t profile_run(const pop_profile_value *vector, size_t index);

/* Maximum depth of trees that are read, so that neither a parser nor a visitor exhausts the stack. */
enum { PROFILE_DEEPEST = 512 };

#endif
