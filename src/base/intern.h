/* SPDX-License-Identifier: Apache-2.0 */
/* Strings as 32-bit ids: equal text, equal id; id 0 is "". */
#ifndef BASE_INTERN_H
#define BASE_INTERN_H

#include "base/vec.h"

struct intern {
    struct arena text;
    VEC(const char *) names; /* by id */
    uint32_t *slots;         /* open-addressing hash table: id + 1, or 0 for free; a power of two of slots */
    size_t slot_count;
};
uint32_t intern_add(struct intern *table, const char *text);        /* NULL is "" */
uint32_t intern_find(const struct intern *table, const char *text); /* UINT32_MAX when not found */
const char *intern_text(const struct intern *table, uint32_t id);   /* borrowed: valid as long as the table */
void intern_free(struct intern *table);

#endif
