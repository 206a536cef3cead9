/* SPDX-License-Identifier: Apache-2.0 */
/* Strings as 32-bit ids: equal text, equal id; id 0 is "". */
#ifndef BASE_INTERN_H
#define BASE_INTERN_H

#include "base/vec.h"

struct intern {
    struct arena text;
    VEC(const char *) names; /* by id */
    uint32_t *slots;         /* id + 1, or 0; power-of-two many */
    size_t slot_count;
};
uint32_t intern_add(struct intern *table, const char *text);        /* NULL is "" */
uint32_t intern_find(const struct intern *table, const char *text); /* UINT32_MAX when it is not there */
const char *intern_text(const struct intern *table, uint32_t id);   /* lives as long as the table */
void intern_free(struct intern *table);

#endif
