/* SPDX-License-Identifier: Apache-2.0 */
/* How profile values are held. */
#ifndef PROFILE_VALUE_H
#define PROFILE_VALUE_H

#include "base/vec.h"

#include <poplar/profile.h>

struct profile_entry {
    char *key;
    pop_profile_value value;
};
struct pop_profile_vector {
    VEC(pop_profile_value) items;
};
struct pop_profile_map {
    VEC(struct profile_entry) entries; /* sorted by key */
};

/* Trees that are read may not be deeper than this, so that neither a parser nor a visitor can run out of stack. */
enum { PROFILE_DEEPEST = 512 };

#endif
