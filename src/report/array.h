/* SPDX-License-Identifier: Apache-2.0 */
/* The coding of arrays over tiles in report files (docs/reference/report-files.md, The coding of arrays). */
#ifndef REPORT_ARRAY_H
#define REPORT_ARRAY_H

#include "base/vec.h"

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

#endif
