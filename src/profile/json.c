/* SPDX-License-Identifier: Apache-2.0 */
/* Profile values as JSON: our own streaming writer, jansson as the reader. */
#include "base/error.h"
#include "profile/value.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>

static void write_string(FILE *file, const char *text)
{
    fputc('"', file);
    for (const unsigned char *c = (const unsigned char *)text; *c; ++c) {
        if (*c == '"' || *c == '\\')
            fprintf(file, "\\%c", *c);
        else if (*c == '\n')
            fputs("\\n", file);
        else if (*c == '\t')
            fputs("\\t", file);
        else if (*c < 0x20)
            fprintf(file, "\\u%04x", *c);
        else
            fputc(*c, file);
    }
    fputc('"', file);
}

/* The fewest digits that read back as the same number.  JSON has no infinities: they and NaN are null. */
static void write_double(FILE *file, double value)
{
    if (!isfinite(value)) {
        fputs("null", file);
        return;
    }
    char text[40];
    for (int digits = 15; digits <= 17; ++digits) {
        snprintf(text, sizeof(text), "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    fputs(text, file);
    if (!strpbrk(text, ".e"))
        fputs(".0", file); /* a double stays one when it is read */
}

static void new_line(FILE *file, unsigned depth)
{
    fprintf(file, "\n%*s", (int)depth * 2, "");
}

/* Whether a value is written over several lines when pretty: maps with members, and vectors that hold such or vectors.
 */
static bool is_tall(const pop_profile_value *value)
{
    if (value->type == POP_PROFILE_MAP)
        return pop_profile_size(value) != 0;
    for (size_t i = 0; i < pop_profile_size(value); i += profile_run(value, i))
        if (pop_profile_at(value, i)->type >= POP_PROFILE_VECTOR)
            return true;
    return false;
}

/* Most of a profile is such numbers, most of them 0. */
static void write_natural(FILE *file, uint64_t value)
{
    char digits[24], *digit = digits + sizeof(digits);
    do
        *--digit = (char)('0' + value % 10);
    while (value /= 10);
    fwrite(digit, 1, (size_t)(digits + sizeof(digits) - digit), file);
}

static void write_value(FILE *file, const pop_profile_value *value, bool pretty, unsigned depth)
{
    switch (value->type) {
    case POP_PROFILE_NULL:
        fputs("null", file);
        break;
    case POP_PROFILE_BOOL:
        fputs(value->as.boolean ? "true" : "false", file);
        break;
    case POP_PROFILE_INT:
        fprintf(file, "%" PRId64, value->as.integer);
        break;
    case POP_PROFILE_UINT:
        write_natural(file, value->as.natural);
        break;
    case POP_PROFILE_DOUBLE:
        write_double(file, value->as.real);
        break;
    case POP_PROFILE_STRING:
        write_string(file, value->as.string);
        break;
    case POP_PROFILE_VECTOR:
    case POP_PROFILE_MAP: {
        bool map = value->type == POP_PROFILE_MAP, tall = pretty && is_tall(value);
        fputc(map ? '{' : '[', file);
        for (size_t i = 0; i < pop_profile_size(value); ++i) {
            if (i)
                fputc(',', file);
            if (tall)
                new_line(file, depth + 1);
            if (map) {
                write_string(file, pop_profile_key(value, i));
                fputc(':', file);
            }
            write_value(file, map ? pop_profile_item(value, i) : pop_profile_at(value, i), pretty, depth + 1);
        }
        if (tall)
            new_line(file, depth);
        fputc(map ? '}' : ']', file);
        break;
    }
    }
}

bool pop_profile_write_json(FILE *file, const pop_profile_value *value, bool pretty)
{
    static const pop_profile_value nothing;
    write_value(file, value ? value : &nothing, pretty, 0);
    if (pretty)
        fputc('\n', file);
    return fflush(file) == 0 && !ferror(file);
}

static pop_profile_value from_json(json_t *json)
{
    switch (json_typeof(json)) {
    case JSON_OBJECT: {
        pop_profile_value map = pop_profile_map_new();
        const char *key;
        json_t *item;
        json_object_foreach(json, key, item) pop_profile_set(&map, key, from_json(item));
        return map;
    }
    case JSON_ARRAY: {
        pop_profile_value vector = pop_profile_vector_new();
        size_t i;
        json_t *item;
        json_array_foreach(json, i, item) pop_profile_push(&vector, from_json(item));
        return vector;
    }
    case JSON_STRING:
        return pop_profile_string(json_string_value(json));
    case JSON_INTEGER:
        return json_integer_value(json) < 0 ? pop_profile_int(json_integer_value(json))
                                            : pop_profile_uint((uint64_t)json_integer_value(json));
    case JSON_REAL:
        return pop_profile_double(json_real_value(json));
    case JSON_TRUE:
    case JSON_FALSE:
        return pop_profile_bool(json_typeof(json) == JSON_TRUE);
    default:
        return (pop_profile_value){ 0 };
    }
}

pop_status pop_profile_read_json(const char *text, size_t size, pop_profile_value *value, pop_error *error)
{
    *value = (pop_profile_value){ 0 };
    json_error_t why;
    json_t *json = json_loadb(text, size, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, &why);
    if (!json)
        return error_set(error, POP_PARSE_ERROR, NO_WHERE, "pop_profile_read_json", "line %d, column %d: %s", why.line,
                         why.column, why.text);
    *value = from_json(json);
    json_decref(json);
    return POP_OK;
}
