/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of programs may be any bytes; files hold UTF-8. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include "base/str.h"

/* The number of bytes at the start of a text that are UTF-8 (RFC 3629: no surrogates, no longer form than needed). */
size_t utf8_span(const char *text, size_t length);
/* Adds a text; each byte that is not UTF-8 becomes \xNN. */
void utf8_escape(struct str *s, const char *text, size_t length);

#endif
