/* SPDX-License-Identifier: Apache-2.0 */
/* The coding of arrays over tiles in report files (docs/reference/report-files.md, The coding of arrays): writing and
 * reading. */
#ifndef VALUE_ARRAY_H
#define VALUE_ARRAY_H

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

/* An array being coded; zero is empty.  bytes hold it once array_end was called. */
struct array {
    VEC(unsigned char) bytes;
    VEC(uint64_t) singles; /* differences of elements that are not part of a run */
    uint64_t last;         /* value of the element before */
    uint64_t value, count; /* equal elements that are not coded yet */
    uint64_t sum, max;     /* of all elements so far */
};

/* Forgets all elements, keeps the memory. */
void array_begin(struct array *array);
/* Adds count elements of one value. */
void array_add(struct array *array, uint64_t value, uint64_t count);
void array_end(struct array *array);
void array_free(struct array *array);

/* The whole array. */
void array_of(struct array *array, const uint64_t *values, size_t count);

/* A place in a coded array, for reading in order.  The data is borrowed. */
struct array_cursor {
    const unsigned char *data;
    size_t size, at;
    uint64_t value;    /* of the last element */
    uint64_t left;     /* elements of the token that are still to come */
    bool run, damaged; /* the token is of equal elements; the data is none of this coding */
};
struct array_cursor array_cursor(const void *data, size_t size);
/* Elements from the cursor on that are equal, at most `most`, which is not 0: *value is theirs.  Behind the last token
 * zeros go on forever. */
uint64_t array_next(struct array_cursor *cursor, uint64_t max, uint64_t *value);

/* All elements of an array; false when the data is damaged (numbers are 0 from there on). */
bool array_decode(const void *data, size_t size, uint64_t *numbers, size_t count);
/* One element; 0 behind the end. */
uint64_t array_at(const void *data, size_t size, uint64_t index);

#endif
