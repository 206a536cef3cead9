/* SPDX-License-Identifier: Apache-2.0 */
#include "base/utf8.h"

static bool is_tail(unsigned char byte)
{
    return byte >> 6 == 2;
}

/* The bytes of the character at *c, of `left` bytes; 0: it is none. */
static size_t character(const unsigned char *c, size_t left)
{
    static const struct {
        unsigned char first, last, low, high; /* of the first byte, and of the second */
        size_t bytes;
    } forms[] = {
        { 0xc2, 0xdf, 0x80, 0xbf, 2 }, { 0xe0, 0xe0, 0xa0, 0xbf, 3 }, { 0xe1, 0xec, 0x80, 0xbf, 3 },
        { 0xed, 0xed, 0x80, 0x9f, 3 }, { 0xee, 0xef, 0x80, 0xbf, 3 }, { 0xf0, 0xf0, 0x90, 0xbf, 4 },
        { 0xf1, 0xf3, 0x80, 0xbf, 4 }, { 0xf4, 0xf4, 0x80, 0x8f, 4 },
    };
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); ++i)
        if (c[0] >= forms[i].first && c[0] <= forms[i].last)
            return forms[i].bytes <= left && c[1] >= forms[i].low && c[1] <= forms[i].high &&
                           (forms[i].bytes < 3 || is_tail(c[2])) && (forms[i].bytes < 4 || is_tail(c[3]))
                       ? forms[i].bytes
                       : 0;
    return 0;
}

size_t utf8_span(const char *text, size_t length)
{
    const unsigned char *bytes = (const unsigned char *)text;
    size_t at = 0;
    for (size_t size; at < length; at += size)
        if (!(size = bytes[at] < 0x80 ? 1 : character(bytes + at, length - at)))
            break;
    return at;
}

void utf8_escape(struct str *s, const char *text, size_t length)
{
    for (size_t span; length; text += span, length -= span) {
        span = utf8_span(text, length);
        str_add_bytes(s, text, span);
        if (span < length) {
            str_format(s, "\\x%02x", (unsigned char)text[span]);
            ++span;
        }
    }
}
