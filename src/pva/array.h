/* SPDX-License-Identifier: Apache-2.0 */
/* The coding of arrays in report files (docs/reference/report-files.md, "The coding of arrays"): reading. */
#ifndef PVA_ARRAY_H
#define PVA_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A place in a coded array, for reading in order.  The data is borrowed. */
struct array_cursor {
    const unsigned char *data;
    size_t size, at;
    uint64_t value;    /* of the last element */
    uint64_t left;     /* elements of the token that are still to come */
    bool run, damaged; /* the token is of equal elements; the data is none of this coding */
};
struct array_cursor array_begin(const void *data, size_t size);
/* Elements from the cursor on that are equal, at most `most`, which is not 0: *value is theirs.  Behind the last token
 * zeros go on for ever. */
uint64_t array_next(struct array_cursor *cursor, uint64_t most, uint64_t *value);

/* All elements of an array; false when the data is damaged (numbers are 0 from there on). */
bool array_decode(const void *data, size_t size, uint64_t *numbers, size_t count);
/* One element; 0 behind the end. */
uint64_t array_at(const void *data, size_t size, uint64_t index);

#endif
