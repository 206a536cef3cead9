/* SPDX-License-Identifier: Apache-2.0 */
/* Whether values can be held by another element type: what pop_convert would make the nearest bound, an infinity, or
 * wrap around. */
#ifndef BASE_FIT_H
#define BASE_FIT_H

#include <poplar/type.h>

/* The index of the first value beyond the type; count if there is none.  A fraction that an integer loses is not beyond
 * it, nor is -1 beyond an unsigned type, where it is the usual way to say all ones; NaN is beyond integers. */
size_t fit_first_beyond(pop_type from_type, const void *from, pop_type to_type, size_t count);

enum { FIT_TEXT = 40 };
/* A value in decimal, and the range of a type: "0 to 65535". */
void fit_value_text(char text[FIT_TEXT], pop_type type, const void *value);
void fit_range_text(char *text, size_t size, pop_type type);

#endif
