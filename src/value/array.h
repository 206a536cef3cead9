/* SPDX-License-Identifier: Apache-2.0 */
/* The coding of arrays over tiles in report files (docs/reference/report-files.md, The coding of arrays): writing and
 * reading. */
#ifndef VALUE_ARRAY_H
#define VALUE_ARRAY_H

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

/* An array being encoded; zero-initialised is empty. bytes holds the encoding after array_end. */
struct array {
    VEC(unsigned char) bytes;
    VEC(uint64_t) singles; /* differences of elements that are not part of a run */
    uint64_t last;         /* value of the previous element */
    uint64_t value, count; /* pending run of equal elements, not encoded yet */
    uint64_t sum, max;     /* of all elements so far */
};

/* Removes all elements and keeps the allocation. */
void array_begin(struct array *array);
/* Adds count elements of one value. */
void array_add(struct array *array, uint64_t value, uint64_t count);
void array_end(struct array *array);
void array_free(struct array *array);

/* Encodes a whole array. */
void array_of(struct array *array, const uint64_t *values, size_t count);

/* A read position in an encoded array. The data is borrowed. */
struct array_cursor {
    const unsigned char *data;
    size_t size, at;
    uint64_t value;    /* of the last element */
    uint64_t left;     /* elements of the current token not returned yet */
    bool run, damaged; /* the token is a run of equal elements; the data is not a valid encoding */
};
struct array_cursor array_cursor(const void *data, size_t size);
/* Advances over a run of equal elements, at most max (not 0), and returns its length and *value. After the last token
 * the array continues with zeros without end. */
uint64_t array_next(struct array_cursor *cursor, uint64_t max, uint64_t *value);

/* Decodes count elements; false when the data is damaged (numbers are 0 from there on). */
bool array_decode(const void *data, size_t size, uint64_t *numbers, size_t count);
/* One element; 0 after the last one. */
uint64_t array_at(const void *data, size_t size, uint64_t index);

#endif
