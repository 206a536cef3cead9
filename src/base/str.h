/* SPDX-License-Identifier: Apache-2.0 */
/* Text that grows; zero is empty, text is always terminated once something was added. */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <poplar/visibility.h>
#include <stdarg.h>

struct str {
    char *text;
    size_t length, capacity;
};
void str_add(struct str *s, const char *text);
void str_add_bytes(struct str *s, const char *bytes, size_t count);
void str_format(struct str *s, const char *format, ...) POP_PRINTF(2, 3);
void str_vformat(struct str *s, const char *format, va_list arguments);
void str_free(struct str *s);
const char *str_text(const struct str *s); /* "" when empty */

/* The nearest of count names to a word by edit distance, at most a third of its length; NULL if none is that near. */
const char *str_nearest(const char *word, const char *const *names, size_t count);

/* Parses a whole text as an integer, decimal or 0x..., of at most max; otherwise returns false and leaves *value
 * unchanged. */
bool str_integer(const char *text, uint64_t max, uint64_t *value);

#endif
