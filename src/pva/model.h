/* SPDX-License-Identifier: Apache-2.0 */
/* The binding of each property to its source: one row of a table each (bindings.c). */
#ifndef PVA_MODEL_H
#define PVA_MODEL_H

#include "pva/source.h"

#include "base/str.h"
#include "base/vec.h"

/* The result of a property function. */
struct value {
    uint64_t natural;
    double real;
    struct str text;
    pva_object object;
};
struct keys {
    uint64_t *data;
    size_t count, capacity;
};

struct binding {
    enum {
        BIND_NONE = 0,
        BIND_COLUMN,  /* a column of the object's row */
        BIND_PART,    /* the same; the object's part is added to the column's index */
        BIND_VIEW,    /* an object of the same row: part is set to `column` */
        BIND_NARROW,  /* the same; `column` is added to the part */
        BIND_KEYED,   /* an object whose key is in a column; null when the column is null */
        BIND_NEEDED,  /* the same, but a column without a key is an error */
        BIND_ROWS,    /* a list of all rows of a table */
        BIND_KEYS,    /* a list of objects whose keys `keys` gives; `column` selects their owner */
        BIND_NUMBERS, /* an array by tile from one row of `sql`, with the object's key and owner as parameters */
        BIND_GET,     /* `get` */
        BIND_FROM,    /* `from`, with a name in `sql` or a number in `column` */
        BIND_ARRAY,   /* an array that `array` fills */
        BIND_LIST     /* `count` and `at` */
    } how;
    enum table table;
    bool owned; /* rows of the table are found by owner and key */
    int column;
    const char *sql;
    void (*get)(pva_object object, struct value *value);
    void (*from)(pva_object object, const struct binding *, struct value *value);
    void (*keys)(pva_object object, struct keys *keys);
    uint64_t (*length)(pva_object object); /* length of `array`; NULL: the number of tiles */
    void (*array)(pva_object object, uint64_t *numbers, uint64_t count);
    uint64_t (*count)(pva_object object);
    pva_object (*at)(pva_object object, uint64_t index);
};
enum { OWNER_NONE = 0, OWNER_IS_KEY, OWNER_IS_OWNER /* and part is part */ };
extern const struct binding bindings[PVA_PROPERTY_COUNT];

static inline pva_object object_make(pva_file *file, pva_class type, uint64_t key, uint64_t owner, uint32_t part)
{
    return (pva_object){ file, type, part, key, owner };
}
static const pva_object object_null;
/* Records a failure: an object that must be referred to is missing. */
void fail_reference(pva_object, pva_property);

#endif
