/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers and formatted text that do not depend on the locale.
 *
 * printf, strtod, isalpha and their like follow the locale that a program sets with setlocale or uselocale: the decimal
 * point can be a comma there. What the library reads or writes (options, expressions, targets, profiles, executables,
 * printed tensors, messages) has to be the same everywhere, so it uses these functions instead; operation libraries and
 * programs may use them too. All are thread-safe. */
#ifndef POPLAR_TEXT_H
#define POPLAR_TEXT_H

#include <poplar/visibility.h>

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/* Buffer size for any number that pop_text_from_double writes, with the terminating 0. */
enum { POP_TEXT_DOUBLE = 32 };

POP_BEGIN_DECLS

/* As strtod, with a decimal point in every locale: parses the number at the start of text and sets *end after it (end
 * may be NULL), or to text when there is no number. */
POP_API double pop_text_to_double(const char *text, char **end);

/* Writes the shortest of %.15g, %.16g and %.17g that reads back as the same value: "0.1", "1e+20", "inf", "nan".
 * Returns its length. */
POP_API size_t pop_text_from_double(double value, char text[POP_TEXT_DOUBLE]);

/* As snprintf and vsnprintf, with a decimal point in every locale: the length of the whole text, or a negative number
 * on failure. */
POP_API int pop_text_format(char *buffer, size_t size, const char *format, ...) POP_PRINTF(3, 4);
/* As vsnprintf, with a decimal point in every locale. */
POP_API int pop_text_vformat(char *buffer, size_t size, const char *format, va_list arguments) POP_PRINTF(3, 0);

/* As strerror, in English in every locale.  The text is valid until the thread's next call. */
POP_API const char *pop_text_from_errno(int reason);

/* Brackets for code of other libraries that formats or parses numbers: the calling thread uses the C locale from begin
 * until end, which takes the result of begin. They nest. */
POP_API void *pop_text_begin(void);
POP_API void pop_text_end(void *begun); /* Ends what pop_text_begin began, whose result it takes. */

/* Classes of ASCII characters; all others belong to none, in every locale. */
static inline bool pop_text_is_digit(char c)
{
    return c >= '0' && c <= '9';
}
static inline bool pop_text_is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}
/* The lower-case letter of an upper-case one; other characters as they are. */
static inline char pop_text_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}
/* The upper-case letter of a lower-case one; other characters as they are. */
static inline char pop_text_upper(char c)
{
    return c >= 'a' && c <= 'z' ? (char)(c - ('a' - 'A')) : c;
}
/* A letter, a digit or an underscore. */
static inline bool pop_text_is_word(char c)
{
    const char lower = pop_text_lower(c);
    return (lower >= 'a' && lower <= 'z') || pop_text_is_digit(c) || c == '_';
}

POP_END_DECLS
#endif
