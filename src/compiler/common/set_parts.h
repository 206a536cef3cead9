/* SPDX-License-Identifier: Apache-2.0 */
/* Used vertices by set, divided for threads: a part is a set, or some ten thousand vertices of a large one. */
#ifndef COMPILER_COMMON_SET_PARTS_H
#define COMPILER_COMMON_SET_PARTS_H

#include "compiler/common/compiler.h"

struct set_part {
    uint32_t set;          /* index of order_result.sets */
    bool whole;            /* it is all of the set */
    uint64_t first, count; /* of order_result.vertices */
};
typedef VEC(struct set_part) set_part_list;
/* In order; none for sets without vertices. */
void set_parts_list(set_part_list *parts, const struct order_result *sets);

#endif
