/* SPDX-License-Identifier: Apache-2.0 */
/* Text that terminals show. Names in a report or a model are whatever its writer chose: control characters in them
 * could move the cursor, hide or colour lines or set the terminal's title, marks of direction show text in another
 * order than it has. */
#ifndef BASE_TERMINAL_H
#define BASE_TERMINAL_H

#include <stdio.h>

struct terminal {
    FILE *to;
    size_t kept;   /* bytes at the end of the last write that may begin a character */
    char begun[4]; /* these */
};

/* A stream that writes to another, which stays open when it is closed; *state lasts as long as it does. Shown as "\x1b"
 * or "\u202e": control characters of ASCII but line feed and tab, those of U+0080 to U+009F, marks that change the
 * direction of text, and bytes that are not UTF-8. The program's own sequences, colours for example, are written to the
 * other stream after fflush of this one. NULL without memory. */
FILE *terminal_stream(struct terminal *state, FILE *to);
/* Puts such a stream in the place of standard output or standard error, which is kept without memory. It writes whole
 * lines. */
void terminal_show(struct terminal *state, FILE **stream);

#endif
