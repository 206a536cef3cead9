/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of a copy that continue each other at both ends, though its views have others between them: a copy may move its
 * elements in any order, so they are one part. */
#ifndef COMPILER_EXCHANGE_COPY_MERGE_H
#define COMPILER_EXCHANGE_COPY_MERGE_H

#include "compiler/common/owners.h"

#include "base/vec.h"
#include "graph/view/view.h"

/* A part that may continue another one. */
struct open_part {
    uint64_t index, from, to, count; /* count: with the parts that were merged with it */
    uint32_t source, destination;    /* variables */
    uint32_t sender, receiver;
    bool begins, ends; /* open at that end */
};
struct copy_merge {
    VEC(struct open_part) parts; /* that others were merged with, or may be; at the end by ascending index */
    VEC(uint64_t) gone;          /* a bit for each part that is moved with another one */
    size_t at;
    bool any;
};
/* local: of parts that stay on their tile alone. */
void copy_merge_find(struct copy_merge *merge, struct owners *owners, const struct view *source,
                     const struct view *destination, bool local);
/* The elements of part `index`, which has `count` of its own; 0: they are moved with another part.  Call with ascending
 * indices. */
uint64_t copy_merge_count(struct copy_merge *merge, uint64_t index, uint64_t count);
void copy_merge_free(struct copy_merge *merge);

#endif
