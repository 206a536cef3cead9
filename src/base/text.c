/* SPDX-License-Identifier: Apache-2.0 */
/* The one place that calls the C library's functions for numbers whose results depend on the locale. */
#include <poplar/text.h>

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The "C" locale is static in the C library: newlocale does not allocate it. */
static locale_t enter(void)
{
    return uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
}

void *pop_text_begin(void)
{
    return enter();
}

void pop_text_end(void *begun)
{
    uselocale(begun);
}

const char *pop_text_from_errno(int reason)
{
    locale_t before = enter();
    const char *text = strerror(reason);
    uselocale(before);
    return text;
}

double pop_text_to_double(const char *text, char **end)
{
    locale_t before = enter();
    double value = strtod(text, end);
    uselocale(before);
    return value;
}

size_t pop_text_from_double(double value, char text[POP_TEXT_DOUBLE])
{
    locale_t before = enter();
    int length = 0;
    for (int digits = 15; digits <= 17; ++digits) {
        length = snprintf(text, POP_TEXT_DOUBLE, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    uselocale(before);
    return (size_t)length;
}

int pop_text_vformat(char *buffer, size_t size, const char *format, va_list arguments)
{
    locale_t before = enter();
    int length = vsnprintf(buffer, size, format, arguments);
    uselocale(before);
    return length;
}

int pop_text_format(char *buffer, size_t size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = pop_text_vformat(buffer, size, format, arguments);
    va_end(arguments);
    return length;
}
