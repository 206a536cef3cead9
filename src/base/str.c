/* SPDX-License-Identifier: Apache-2.0 */
#include "base/str.h"

#include "base/mem.h"

#include <assert.h>
#include <errno.h>
#include <poplar/text.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void str_add_bytes(struct str *s, const char *bytes, size_t count)
{
    assert(!s->text || s->length < s->capacity);
    if (s->length + count + 1 > s->capacity) {
        s->capacity = (s->length + count + 1) * 2;
        s->text = mem_grow(s->text, s->capacity);
    }
    memcpy(s->text + s->length, bytes, count);
    s->length += count;
    s->text[s->length] = 0;
}

void str_add(struct str *s, const char *text)
{
    str_add_bytes(s, text, strlen(text));
}

void str_vformat(struct str *s, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int length = pop_text_vformat(NULL, 0, format, arguments);
    if (length > 0) {
        char *text = mem_alloc((size_t)length + 1);
        pop_text_vformat(text, (size_t)length + 1, format, again);
        str_add_bytes(s, text, (size_t)length);
        free(text);
    }
    va_end(again);
}

void str_format(struct str *s, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    str_vformat(s, format, arguments);
    va_end(arguments);
}

void str_free(struct str *s)
{
    free(s->text);
    *s = (struct str){ 0 };
}

const char *str_text(const struct str *s)
{
    return s->text ? s->text : "";
}

/* Levenshtein distance, given up (limit + 1) once every path exceeds limit. */
static size_t distance(const char *a, const char *b, size_t limit)
{
    enum { LONGEST = 96 };
    size_t n = strlen(a), m = strlen(b);
    if (n >= LONGEST || m >= LONGEST || (n > m ? n - m : m - n) > limit)
        return limit + 1;
    size_t row[LONGEST];
    for (size_t j = 0; j <= m; ++j)
        row[j] = j;
    for (size_t i = 1; i <= n; ++i) {
        size_t diagonal = row[0], min = row[0] = i;
        for (size_t j = 1; j <= m; ++j) {
            size_t change = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            row[j] = row[j] + 1 < row[j - 1] + 1 ? row[j] + 1 : row[j - 1] + 1;
            if (change < row[j])
                row[j] = change;
            if (row[j] < min)
                min = row[j];
        }
        if (min > limit)
            return limit + 1;
    }
    return row[m];
}

const char *str_nearest(const char *word, const char *const *names, size_t count)
{
    size_t limit = strlen(word) / 3 + 1;
    const char *best = NULL;
    for (size_t i = 0; i < count; ++i) {
        size_t d = distance(word, names[i], limit);
        if (d <= limit) {
            best = names[i];
            if (!d)
                break;
            limit = d - 1;
        }
    }
    return best;
}

bool str_integer(const char *text, uint64_t max, uint64_t *value)
{
    bool hexadecimal = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const char *digits = hexadecimal ? text + 2 : text;
    if (!*digits || digits[strspn(digits, hexadecimal ? "0123456789abcdefABCDEF" : "0123456789")])
        return false;
    errno = 0;
    unsigned long long number = strtoull(digits, NULL, hexadecimal ? 16 : 10);
    if (errno || number > max)
        return false;
    *value = number;
    return true;
}
