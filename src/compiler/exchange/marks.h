/* SPDX-License-Identifier: Apache-2.0 */
/* A set of elements that can be cleared in time proportional to its content. */
#ifndef COMPILER_EXCHANGE_MARKS_H
#define COMPILER_EXCHANGE_MARKS_H

#include "compiler/common/compiler.h"

struct variable_part {
    uint32_t variable;
    uint64_t begin, end;
};
struct marks {
    struct bitmaps *bits; /* all 0 while nothing is marked */
    const struct variable *of;
    struct variable_part *spans;     /* by variable: [first element, last + 1); end 0: none */
    VEC(uint32_t) variables;         /* that have a span */
    VEC(struct variable_part) parts; /* while they are few: what to clear; else spans are cleared whole */
    bool many;
};
void marks_init(struct marks *marks, struct bitmaps *bits, const pop_store *store);
void marks_free(struct marks *marks);
/* How many elements of the part were not marked before. */
uint64_t marks_set(struct marks *marks, struct variable_part part);
void marks_clear(struct marks *marks);

static inline uint64_t *marks_bits(struct marks *marks, uint32_t variable)
{
    return bitmaps_get(marks->bits, variable, marks->of[variable].elements);
}
static inline bool marks_all(struct marks *marks, uint32_t variable, uint64_t begin, uint64_t end)
{
    return bits_all(marks_bits(marks, variable), begin, end);
}

#endif
