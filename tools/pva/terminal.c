/* SPDX-License-Identifier: Apache-2.0 */
/* Standard output and standard error of a terminal. Names in a report are whatever its writer chose: control
 * characters in them could move the cursor, hide lines or set the terminal's title, so they are shown as "\x1b". */
#include "pva.h"

#include <string.h>
#include <unistd.h>

/* The sequences that pva itself writes; none of them hides text. */
static const char *const own[] = { "\033[0m", "\033[1m", "\033[31m", "\033[32m" };

static bool is_control(unsigned char c)
{
    return (c < 32 && c != '\n' && c != '\t') || c == 127;
}

/* The length of what is written as it is at the beginning of the text: one of our own sequences, or characters that
 * a terminal only shows. */
static size_t shown(const char *text, size_t size)
{
    for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); ++i)
        if (size >= strlen(own[i]) && memcmp(text, own[i], strlen(own[i])) == 0)
            return strlen(own[i]);
    size_t length = 0;
    while (length < size && !is_control((unsigned char)text[length]) &&
           !((unsigned char)text[length] == 0xc2 && length + 1 < size && (unsigned char)text[length + 1] < 0xa0))
        ++length; /* c2 80 to c2 9f is a control character in UTF-8 */
    return length;
}

static bool put(int fd, const char *text, size_t size)
{
    while (size) {
        ssize_t wrote = write(fd, text, size);
        if (wrote <= 0)
            return false;
        text += wrote;
        size -= (size_t)wrote;
    }
    return true;
}

static ssize_t put_escaped(void *cookie, const char *text, size_t size)
{
    int fd = *(const int *)cookie;
    for (size_t at = 0; at < size;) {
        size_t length = shown(text + at, size - at);
        char code[8];
        if (length ? !put(fd, text + at, length)
                   : !put(fd, code, (size_t)snprintf(code, sizeof(code), "\\x%02x", (unsigned char)text[at])))
            return 0; /* an error: cookies may not return -1 for it */
        at += length ? length : 1;
    }
    return (ssize_t)size;
}

static void escape(FILE **stream, const int *fd)
{
    FILE *escaped =
        isatty(*fd) ? fopencookie((void *)(uintptr_t)fd, "w", (cookie_io_functions_t){ .write = put_escaped }) : NULL;
    if (!escaped)
        return;
    setvbuf(escaped, NULL, _IOLBF, 0); /* whole lines: a sequence is never divided */
    *stream = escaped;
}

void terminal_begin(void)
{
    static const int output = STDOUT_FILENO, errors = STDERR_FILENO;
    escape(&stdout, &output);
    escape(&stderr, &errors);
}
