/* SPDX-License-Identifier: Apache-2.0 */
/* A copy between two views, in parts that are each on one tile at both ends:
 * copy_parts_begin(...); while (copy_parts_next(&parts)) ... */
#ifndef COMPILER_EXCHANGE_COPY_PARTS_H
#define COMPILER_EXCHANGE_COPY_PARTS_H

#include "compiler/common/owners.h"
#include "compiler/common/runs.h"

struct copy_parts {
    struct owners *owners;
    struct run_cursor from, to;
    /* The part: `count` elements from the front of both runs. */
    uint64_t count;
    uint32_t sender, receiver; /* tiles; a sender that has all is HOME_EVERYWHERE */
};
void copy_parts_begin(struct copy_parts *parts, struct owners *owners, const struct view *source,
                      const struct view *destination);
bool copy_parts_next(struct copy_parts *parts);

#endif
