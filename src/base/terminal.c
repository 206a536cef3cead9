/* SPDX-License-Identifier: Apache-2.0 */
#include "base/terminal.h"

#include "base/utf8.h"

#include <string.h>

enum { CHARACTER = sizeof(((struct terminal *)NULL)->begun) }; /* bytes of the longest character */

/* The number of a character of UTF-8 with two or three bytes; 0 for others. */
static unsigned code_of(const unsigned char *c)
{
    if (c[0] >> 5 == 6)
        return (c[0] & 31u) << 6 | (c[1] & 63u);
    return c[0] >> 4 == 14 ? (c[0] & 15u) << 12 | (c[1] & 63u) << 6 | (c[2] & 63u) : 0;
}

/* U+0080 to U+009F are control characters, U+061C, U+200E, U+200F, U+202A to U+202E and U+2066 to U+2069 are marks and
 * overrides of direction, U+2028 and U+2029 begin a new line. */
static bool acts(unsigned code)
{
    return (code >= 0x80 && code < 0xa0) || code == 0x61c || code == 0x200e || code == 0x200f ||
           (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

/* Writes what is at the beginning of a text that is not empty; returns its bytes, 0 after an error. */
static size_t put_some(FILE *to, const char *text, size_t size)
{
    const unsigned char *bytes = (const unsigned char *)text;
    size_t length = 0;
    while (length < size &&
           ((bytes[length] >= ' ' && bytes[length] < 127) || bytes[length] == '\n' || bytes[length] == '\t'))
        ++length;
    if (length)
        return fwrite(text, 1, length, to);
    while (length < CHARACTER && length < size && utf8_span(text, length + 1) == 0)
        ++length;
    const bool whole = length < CHARACTER && length < size;
    length = whole ? length + 1 : 1;
    const unsigned code = whole ? code_of(bytes) : 0;
    if (whole && bytes[0] >= 0x80 && !acts(code))
        return fwrite(text, 1, length, to);
    return fprintf(to, code ? "\\u%04x" : "\\x%02x", code ? code : bytes[0]) < 0 ? 0 : length;
}

/* Whether these bytes, the last of a write, are the beginning of a character that the next one may end. */
static bool is_begun(const char *text, size_t size)
{
    const unsigned char first = (unsigned char)text[0];
    size_t length = first > 0xf4 || first < 0xc2 ? 1 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    for (size_t i = 1; i < size && i < length; ++i)
        if ((unsigned char)text[i] >> 6 != 2)
            length = 1;
    return size < length;
}

static bool put(struct terminal *t, const char *text, size_t size, bool last)
{
    while (size && (last || !is_begun(text, size))) {
        const size_t done = put_some(t->to, text, size);
        if (!done)
            return false;
        text += done;
        size -= done;
    }
    memmove(t->begun, text, size);
    t->kept = size;
    return true;
}

static ssize_t put_shown(void *cookie, const char *text, size_t size)
{
    struct terminal *t = cookie;
    size_t at = 0;
    while (t->kept && at < size) { /* a character that the last write began, one byte at a time */
        char begun[CHARACTER + 1];
        const size_t count = t->kept;
        memcpy(begun, t->begun, count);
        begun[count] = text[at++];
        if (!put(t, begun, count + 1, false))
            return 0; /* an error: cookies may not return -1 for it */
    }
    return (at == size || put(t, text + at, size - at, false)) && fflush(t->to) == 0 ? (ssize_t)size : 0;
}

static int end(void *cookie)
{
    struct terminal *t = cookie;
    char begun[CHARACTER];
    const size_t kept = t->kept;
    memcpy(begun, t->begun, kept);
    return put(t, begun, kept, true) && fflush(t->to) == 0 ? 0 : -1;
}

FILE *terminal_stream(struct terminal *state, FILE *to)
{
    *state = (struct terminal){ .to = to };
    return fopencookie(state, "w", (cookie_io_functions_t){ .write = put_shown, .close = end });
}

void terminal_show(struct terminal *state, FILE **stream)
{
    FILE *shown = terminal_stream(state, *stream);
    if (!shown)
        return;
    setvbuf(shown, NULL, _IOLBF, 0);
    *stream = shown;
}
