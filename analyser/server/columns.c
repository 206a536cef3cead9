/* SPDX-License-Identifier: Apache-2.0 */
#include "columns.h"
#include "packed.h"

#include <string.h>

static const struct {
    const char *name;
    size_t bytes;
} types[] = { [COLUMN_U8] = { "u8", 1 },   [COLUMN_U16] = { "u16", 2 }, [COLUMN_U32] = { "u32", 4 },
              [COLUMN_F32] = { "f32", 4 }, [COLUMN_F64] = { "f64", 8 }, [COLUMN_TEXT] = { "text", 0 } };

static void add(struct columns *columns, const char *name, enum column_type type, size_t count, void *data,
                size_t bytes)
{
    *(struct column *)vec_push(&columns->list) =
        (struct column){ .name = mem_string(name), .type = type, .count = count, .bytes = bytes, .data = data };
}

void columns_add(struct columns *columns, const char *name, enum column_type type, const void *data, size_t count)
{
    size_t bytes = count * types[type].bytes;
    add(columns, name, type, count, bytes ? mem_copy(data, bytes) : NULL, bytes);
}

/* Length of the UTF-8 sequence at text; 0 when it is invalid. */
static size_t sequence(const unsigned char *text)
{
    static const struct {
        unsigned char mask, lead, min;
    } forms[] = { { 0x80, 0x00, 0 }, { 0xe0, 0xc0, 0xc2 }, { 0xf0, 0xe0, 0xe0 }, { 0xf8, 0xf0, 0xf0 } };
    for (size_t length = 1; length <= 4; ++length) {
        if ((text[0] & forms[length - 1].mask) != forms[length - 1].lead || text[0] < forms[length - 1].min)
            continue;
        for (size_t i = 1; i < length; ++i)
            if ((text[i] & 0xc0) != 0x80)
                return 0;
        bool overlong = (text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xf0 && text[1] < 0x90),
             beyond = (text[0] == 0xed && text[1] > 0x9f) || (text[0] == 0xf4 && text[1] > 0x8f) || text[0] > 0xf4;
        return overlong || beyond ? 0 : length;
    }
    return 0;
}

void utf8_add(struct str *s, const char *text)
{
    for (const char *c = text; *c;) {
        size_t length = sequence((const unsigned char *)c);
        str_add_bytes(s, length ? c : "\xef\xbf\xbd", length ? length : 3);
        c += length ? length : 1;
    }
}

void columns_add_texts(struct columns *columns, const char *name, const char *const *texts, size_t count)
{
    uint32_t *offsets = mem_zero(count + 1, sizeof(*offsets));
    struct str all = { 0 };
    for (size_t i = 0; i < count; ++i) {
        utf8_add(&all, texts[i] ? texts[i] : "");
        offsets[i + 1] = (uint32_t)all.length;
    }
    size_t head = (count + 1) * sizeof(*offsets);
    char *data = mem_grow(offsets, head + all.length);
    if (all.length)
        memcpy(data + head, all.text, all.length);
    add(columns, name, COLUMN_TEXT, count, data, head + all.length);
    str_free(&all);
}

static size_t padded(size_t size)
{
    return (size + 7) / 8 * 8;
}

static char *header_text(const struct columns *columns, size_t *body)
{
    json_t *list = json_array();
    *body = 0;
    for (size_t i = 0; i < columns->list.count; ++i) {
        const struct column *column = &columns->list.data[i];
        json_array_append_new(list, json_pack("{s:s, s:s, s:I, s:I, s:I}", "name", column->name, "type",
                                              types[column->type].name, "count", (json_int_t)column->count, "at",
                                              (json_int_t)*body, "bytes", (json_int_t)column->bytes));
        *body += padded(column->bytes);
    }
    json_t *header = json_object();
    json_object_set_new(header, "meta", columns->meta ? json_incref(columns->meta) : json_object());
    json_object_set_new(header, "columns", list);
    char *text = json_dumps(header, JSON_COMPACT);
    json_decref(header);
    return text;
}

char *columns_encode(const struct columns *columns, size_t *size)
{
    size_t body;
    char *header = header_text(columns, &body);
    uint32_t length = header ? (uint32_t)strlen(header) : 0;
    size_t at = padded(8 + (size_t)length);
    *size = at + body;
    char *data = mem_zero(*size + 1, 1);
    memcpy(data, "TCOL", 4);
    for (unsigned i = 0; i < 4; ++i)
        data[4 + i] = (char)(length >> 8 * i);
    memcpy(data + 8, header ? header : "", length);
    free(header);
    for (size_t i = 0; i < columns->list.count; ++i) {
        const struct column *column = &columns->list.data[i];
        if (column->bytes)
            memcpy(data + at, column->data, column->bytes);
        at += padded(column->bytes);
    }
    return data;
}

void columns_planes(const struct columns *columns, char *encoded)
{
    uint32_t length = 0;
    memcpy(&length, encoded + 4, sizeof(length));
    size_t at = padded(8 + (size_t)length);
    for (size_t i = 0; i < columns->list.count; ++i) {
        const struct column *column = &columns->list.data[i];
        if (types[column->type].bytes > 1)
            packed_planes(encoded + at, column->count, types[column->type].bytes);
        at += padded(column->bytes);
    }
}

void columns_free(struct columns *columns)
{
    for (size_t i = 0; i < columns->list.count; ++i) {
        free(columns->list.data[i].name);
        free(columns->list.data[i].data);
    }
    vec_free(&columns->list);
    json_decref(columns->meta);
    columns->meta = NULL;
}
