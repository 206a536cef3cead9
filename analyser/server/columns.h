/* SPDX-License-Identifier: Apache-2.0 */
/* Wire format of columns: "TCOL", the length of a JSON header, the header, arrays
 * (docs/reference/analyser-server.md). */
#ifndef ANALYSER_COLUMNS_H
#define ANALYSER_COLUMNS_H

#include "base/str.h"
#include "base/vec.h"

#include <jansson.h>

enum column_type { COLUMN_U8, COLUMN_U16, COLUMN_U32, COLUMN_F32, COLUMN_F64, COLUMN_TEXT };
struct column {
    char *name;
    enum column_type type;
    size_t count, bytes;
    void *data;
};
struct columns {
    json_t *meta;
    VEC(struct column) list;
};

void columns_add(struct columns *columns, const char *name, enum column_type type, const void *data, size_t count);
void columns_add_texts(struct columns *columns, const char *name, const char *const *texts, size_t count);
/* Encodes the columns; malloc'ed. */
char *columns_encode(const struct columns *columns, size_t *size);
/* Makes the numbers of encoded columns fit for compression (packed.h). */
void columns_planes(const struct columns *columns, char *encoded);
void columns_free(struct columns *columns);

/* Appends text to s, with bytes that are not UTF-8 replaced by U+FFFD. */
void utf8_add(struct str *s, const char *text);

#endif
