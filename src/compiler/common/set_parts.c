/* SPDX-License-Identifier: Apache-2.0 */
#include "compiler/common/set_parts.h"

#include <assert.h>

enum { PART = 1 << 15 };

void set_parts_list(set_part_list *parts, const struct order_result *sets)
{
    assert(!parts->count);
    for (uint32_t s = 0; s < sets->sets.count; ++s) {
        const struct used_set *set = &sets->sets.data[s];
        for (uint64_t at = 0; at < set->count; at += PART)
            *vec_push(parts) = (struct set_part){ s, set->count <= PART, set->first + at,
                                                  set->count - at < PART ? set->count - at : PART };
    }
}
