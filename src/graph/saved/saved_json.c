/* SPDX-License-Identifier: Apache-2.0 */
/* The layout of tensors as JSON.  Contents of constants are hexadecimal bytes, so that every bit comes back. */
#include "graph/saved/saved.h"

#include <jansson.h>
#include <poplar/text.h>

void saved_quote(struct str *out, const char *text)
{
    str_add(out, "\"");
    for (const char *c = text; *c; ++c) {
        if (*c == '"' || *c == '\\')
            str_format(out, "\\%c", *c);
        else if ((unsigned char)*c < 0x20)
            str_format(out, "\\u%04x", (unsigned)*c);
        else
            str_add_bytes(out, c, 1);
    }
    str_add(out, "\"");
}

static const char *comma(size_t i)
{
    return i ? "," : "";
}

static void write_variable(struct str *out, const struct saved_variable *v)
{
    str_add(out, "{\"name\":");
    saved_quote(out, v->name);
    str_format(out, ",\"type\":\"%s\",\"elements\":%llu", pop_type_name((pop_type)v->type),
               (unsigned long long)v->elements);
    if (v->constant) {
        str_format(out, ",\"constant\":true,\"followsVertex\":%s,\"fill\":%s,\"contents\":\"",
                   v->follows_vertex ? "true" : "false", v->fill ? "true" : "false");
        for (size_t i = 0; i < v->contents.count; ++i)
            str_format(out, "%02x", v->contents.data[i]);
        str_add(out, "\"");
    }
    str_add(out, ",\"mapping\":[");
    for (size_t i = 0; i < v->ranges.count; ++i)
        str_format(out, "%s[%llu,%llu,%u]", comma(i), (unsigned long long)v->ranges.data[i].begin,
                   (unsigned long long)v->ranges.data[i].end, v->ranges.data[i].tile);
    str_add(out, "]}");
}

static void write_tensor(struct str *out, const struct saved_tensor *t)
{
    str_format(out, "{\"type\":\"%s\",\"shape\":[", pop_type_name((pop_type)t->type));
    for (size_t i = 0; i < t->shape.count; ++i)
        str_format(out, "%s%zu", comma(i), t->shape.data[i]);
    str_add(out, "],\"pieces\":[");
    const struct digit *digit = t->digits.data;
    for (size_t i = 0; i < t->pieces.count; ++i) {
        str_format(out, "%s{\"variable\":%u,\"offset\":%llu,\"digits\":[", comma(i), t->pieces.data[i].variable,
                   (unsigned long long)t->pieces.data[i].offset);
        for (uint32_t k = 0; k < t->pieces.data[i].digits; ++k, ++digit)
            str_format(out, "%s[%llu,%lld]", comma(k), (unsigned long long)digit->extent, (long long)digit->stride);
        str_add(out, "]}");
    }
    str_add(out, "]}");
}

void saved_write_json(const struct saved *layout, struct str *out)
{
    str_add(out, "{\"format\":\"tremula tensor layout\",\"version\":1,\n\"variables\":[");
    for (size_t i = 0; i < layout->variables.count; ++i) {
        str_format(out, "%s\n", comma(i));
        write_variable(out, &layout->variables.data[i]);
    }
    str_add(out, "],\n\"tensors\":[");
    for (size_t i = 0; i < layout->tensors.count; ++i) {
        str_format(out, "%s\n", comma(i));
        write_tensor(out, &layout->tensors.data[i]);
    }
    str_add(out, "]}\n");
}

/* ---- reading: missing members, or of the wrong type, set *ok to false ---- */

static uint64_t number(const json_t *value, bool *ok)
{
    json_int_t n = json_integer_value(value);
    *ok &= json_is_integer(value) && n >= 0;
    return n < 0 ? 0 : (uint64_t)n;
}

static uint32_t small_number(const json_t *value, bool *ok)
{
    uint64_t n = number(value, ok);
    *ok &= n <= UINT32_MAX;
    return (uint32_t)n;
}

static uint8_t type_of(const json_t *object, bool *ok)
{
    const char *name = json_string_value(json_object_get(object, "type"));
    pop_type type = name ? pop_type_by_name(name) : POP_TYPE_NULL;
    *ok &= type != POP_TYPE_NULL;
    return (uint8_t)type;
}

static const json_t *list_of(const json_t *object, const char *key, bool *ok)
{
    const json_t *list = json_object_get(object, key);
    *ok &= json_is_array(list);
    return list;
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static void read_contents(const char *text, struct saved_variable *v, bool *ok)
{
    *ok &= text && strlen(text) % 2 == 0;
    for (; *ok && *text; text += 2) {
        int high = hex_digit(text[0]), low = hex_digit(text[1]);
        *ok &= high >= 0 && low >= 0;
        *vec_push(&v->contents) = (unsigned char)(*ok ? high << 4 | low : 0);
    }
}

static void read_variable(const json_t *from, struct saved *layout, bool *ok)
{
    struct saved_variable *v = saved_add_variable(layout);
    const char *name = json_string_value(json_object_get(from, "name"));
    *ok &= name != NULL;
    v->name = mem_string(name);
    v->type = type_of(from, ok);
    v->elements = number(json_object_get(from, "elements"), ok);
    v->constant = json_is_true(json_object_get(from, "constant"));
    if (v->constant) {
        v->follows_vertex = json_is_true(json_object_get(from, "followsVertex"));
        v->fill = json_is_true(json_object_get(from, "fill"));
        read_contents(json_string_value(json_object_get(from, "contents")), v, ok);
    }
    const json_t *mapping = list_of(from, "mapping", ok);
    for (size_t i = 0; *ok && i < json_array_size(mapping); ++i) {
        const json_t *range = json_array_get(mapping, i);
        struct tile_range *to = vec_push(&v->ranges);
        to->begin = number(json_array_get(range, 0), ok);
        to->end = number(json_array_get(range, 1), ok);
        to->tile = small_number(json_array_get(range, 2), ok);
    }
}

static void read_piece(const json_t *from, struct saved_tensor *t, bool *ok)
{
    const json_t *digits = list_of(from, "digits", ok);
    struct saved_piece *piece = vec_push(&t->pieces);
    piece->variable = small_number(json_object_get(from, "variable"), ok);
    piece->offset = number(json_object_get(from, "offset"), ok);
    piece->digits = (uint32_t)json_array_size(digits);
    for (size_t i = 0; *ok && i < json_array_size(digits); ++i) {
        const json_t *digit = json_array_get(digits, i), *stride = json_array_get(digit, 1);
        *ok &= json_is_integer(stride);
        *vec_push(&t->digits) = (struct digit){ number(json_array_get(digit, 0), ok), json_integer_value(stride) };
    }
}

static void read_tensor(const json_t *from, struct saved *layout, bool *ok)
{
    struct saved_tensor *t = saved_add_tensor(layout);
    t->type = type_of(from, ok);
    const json_t *shape = list_of(from, "shape", ok), *pieces = list_of(from, "pieces", ok);
    for (size_t i = 0; *ok && i < json_array_size(shape); ++i)
        *vec_push(&t->shape) = (size_t)number(json_array_get(shape, i), ok);
    for (size_t i = 0; *ok && i < json_array_size(pieces); ++i)
        read_piece(json_array_get(pieces, i), t, ok);
}

bool saved_read_json(const char *data, size_t size, struct saved *layout, pop_error *error)
{
    json_error_t wrong;
    void *begun = pop_text_begin();
    json_t *root = json_loadb(data, size, 0, &wrong);
    pop_text_end(begun);
    if (!root) {
        error_set(error, POP_PARSE_ERROR, NO_WHERE, NULL, "the file is no JSON: %s at line %d, column %d", wrong.text,
                  wrong.line, wrong.column);
        return false;
    }
    bool ok = json_integer_value(json_object_get(root, "version")) == 1;
    const json_t *variables = list_of(root, "variables", &ok), *tensors = list_of(root, "tensors", &ok);
    for (size_t i = 0; ok && i < json_array_size(variables); ++i)
        read_variable(json_array_get(variables, i), layout, &ok);
    for (size_t i = 0; ok && i < json_array_size(tensors); ++i)
        read_tensor(json_array_get(tensors, i), layout, &ok);
    json_decref(root);
    if (!ok)
        error_set(error, POP_PARSE_ERROR, NO_WHERE, NULL,
                  "the file is no tensor layout of version 1: something is missing in variable %zu, "
                  "tensor %zu",
                  layout->variables.count, layout->tensors.count);
    return ok;
}
