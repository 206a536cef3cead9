/* SPDX-License-Identifier: Apache-2.0 */
/* Profile values as JSON: our own streaming writer, jansson as the reader. */
#include "base/error.h"
#include "base/utf8.h"
#include "value/made.h"
#include "value/output.h"
#include "value/value.h"

#include <jansson.h>
#include <math.h>
#include <poplar/text.h>

/* Cache of the texts of doubles: a profile repeats a few shares in each step. */
enum { KEPT = 256 };
struct json_writer {
    struct output out;
    bool pretty;
    struct kept_double {
        double value;
        char text[40]; /* empty: none */
    } kept[KEPT];
};

static void write_text(struct json_writer *w, const char *text)
{
    output_put(&w->out, text, strlen(text));
}

static void write_utf8(struct json_writer *w, const char *text)
{
    output_char(&w->out, '"');
    for (const char *c = text; *c;) {
        size_t plain = 0;
        while ((unsigned char)c[plain] >= 0x20 && c[plain] != '"' && c[plain] != '\\')
            ++plain;
        output_put(&w->out, c, plain);
        c += plain;
        if (!*c)
            break;
        char escape[8];
        if (*c == '"' || *c == '\\')
            snprintf(escape, sizeof(escape), "\\%c", *c);
        else if (*c == '\n' || *c == '\t')
            snprintf(escape, sizeof(escape), "\\%c", *c == '\n' ? 'n' : 't');
        else
            snprintf(escape, sizeof(escape), "\\u%04x", (unsigned char)*c);
        write_text(w, escape);
        ++c;
    }
    output_char(&w->out, '"');
}

/* A text that is not UTF-8 is escaped, so that every reader takes the file. */
static void write_string(struct json_writer *w, const char *text)
{
    size_t length = strlen(text);
    struct str escaped = { 0 };
    if (utf8_span(text, length) < length)
        utf8_escape(&escaped, text, length);
    write_utf8(w, escaped.text ? escaped.text : text);
    str_free(&escaped);
}

/* The fewest characters that read back as the same number: 42, 0.0123, 1e20.  JSON has one type of number, so that a
 * whole one needs no point; minus zero does, since readers take -0 for an integer.  JSON has no infinities: they and
 * NaN are null. */
static void double_text(double value, char text[40])
{
    if (!isfinite(value)) {
        strcpy(text, "null");
        return;
    }
    pop_text_from_double(value, text);
    if (value == 0 && signbit(value))
        strcpy(text, "-0.0");
    char *exponent = strchr(text, 'e');
    if (exponent) { /* C writes a sign and at least two digits: e+20, e-07 */
        char *to = exponent + 1;
        const char *from = to;
        if (*from == '-')
            ++to;
        from += strspn(from, "+-");
        from += strspn(from, "0");
        memmove(to, from, strlen(from) + 1);
    }
}

static void write_double(struct json_writer *w, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    struct kept_double *kept = &w->kept[(bits * UINT64_C(0x9E3779B97F4A7C15)) >> 56];
    /* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): what is kept is the text of these bits */
    if (!kept->text[0] || memcmp(&kept->value, &value, sizeof(value)) != 0) {
        double_text(value, kept->text);
        kept->value = value;
    }
    write_text(w, kept->text);
}

static void new_line(struct json_writer *w, unsigned depth)
{
    output_char(&w->out, '\n');
    output_repeat(&w->out, "  ", 2, depth);
}

/* Whether pretty output breaks a value over several lines: non-empty maps, and vectors with an element that is a map or
 * a vector. */
static bool spans_lines(const pop_profile_value *value)
{
    if (value->type == POP_PROFILE_MAP)
        return pop_profile_size(value) != 0;
    size_t size = pop_profile_size(value);
    if (value->type == POP_PROFILE_VECTOR && value->as.vector->source && size > 1)
        size = 1; /* elements of a generated vector are all of one kind */
    struct profile_reader reader = { .vector = value };
    bool in_lines = false;
    for (size_t i = 0; i < size && !in_lines; i += profile_run(value, i))
        in_lines = profile_read(&reader, i)->type >= POP_PROFILE_VECTOR;
    profile_reader_end(&reader);
    return in_lines;
}

/* Faster than printf: most of a profile is natural numbers, most of them 0. Returns the number of characters, which
 * begin at *first. */
static size_t natural_text(uint64_t value, char digits[24], const char **first)
{
    char *digit = digits + 24;
    do
        *--digit = (char)('0' + value % 10);
    while (value /= 10);
    *first = digit;
    return (size_t)(digits + 24 - digit);
}

static void write_natural(struct json_writer *w, uint64_t value)
{
    char digits[24];
    const char *first;
    size_t length = natural_text(value, digits, &first);
    output_put(&w->out, first, length);
}

static void write_value(struct json_writer *w, const pop_profile_value *value, unsigned depth);

/* Elements of a vector held as runs; all are numbers. */
static void write_runs(struct json_writer *w, const pop_profile_value *vector)
{
    for (size_t i = 0, run; i < pop_profile_size(vector); i += run) {
        char digits[24], piece[25] = ",";
        const char *first;
        run = profile_run(vector, i);
        size_t length = natural_text(pop_profile_at(vector, i)->as.natural, digits, &first);
        output_put(&w->out, ",", i != 0);
        output_put(&w->out, first, length);
        memcpy(piece + 1, first, length);
        output_repeat(&w->out, piece, length + 1, run - 1);
    }
}

static void write_members(struct json_writer *w, const pop_profile_value *value, unsigned depth)
{
    bool map = value->type == POP_PROFILE_MAP, in_lines = w->pretty && spans_lines(value);
    output_char(&w->out, map ? '{' : '[');
    if (!map && value->as.vector->ends) {
        write_runs(w, value);
    } else {
        struct profile_reader reader = { .vector = value };
        for (size_t i = 0; i < pop_profile_size(value); ++i) {
            if (i)
                output_char(&w->out, ',');
            if (in_lines)
                new_line(w, depth + 1);
            if (map) {
                write_string(w, pop_profile_key(value, i));
                output_char(&w->out, ':');
            }
            write_value(w, map ? pop_profile_item(value, i) : profile_read(&reader, i), depth + 1);
        }
        profile_reader_end(&reader);
    }
    if (in_lines)
        new_line(w, depth);
    output_char(&w->out, map ? '}' : ']');
}

static void write_value(struct json_writer *w, const pop_profile_value *value, unsigned depth)
{
    switch (value->type) {
    case POP_PROFILE_NULL:
        write_text(w, "null");
        break;
    case POP_PROFILE_BOOL:
        write_text(w, value->as.boolean ? "true" : "false");
        break;
    case POP_PROFILE_INT:
        if (value->as.integer < 0)
            output_char(&w->out, '-');
        write_natural(w, value->as.integer < 0 ? ~(uint64_t)value->as.integer + 1 : (uint64_t)value->as.integer);
        break;
    case POP_PROFILE_UINT:
        write_natural(w, value->as.natural);
        break;
    case POP_PROFILE_DOUBLE:
        write_double(w, value->as.real);
        break;
    case POP_PROFILE_STRING:
        write_string(w, value->as.string);
        break;
    case POP_PROFILE_VECTOR:
    case POP_PROFILE_MAP:
        write_members(w, value, depth);
        break;
    }
}

bool pop_profile_write_json(FILE *file, const pop_profile_value *value, bool pretty)
{
    static const pop_profile_value nothing;
    struct json_writer *w = MEM_NEW(struct json_writer);
    w->out.file = file;
    w->pretty = pretty;
    write_value(w, value ? value : &nothing, 0);
    if (pretty)
        output_char(&w->out, '\n');
    bool good = output_end(&w->out);
    free(w);
    return good;
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
    void *begun = pop_text_begin();
    json_t *json = json_loadb(text, size, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, &why);
    pop_text_end(begun);
    if (!json)
        return error_set(error, POP_PARSE_ERROR, NO_WHERE, "pop_profile_read_json", "line %d, column %d: %s", why.line,
                         why.column, why.text);
    size_t failures = mem_failures();
    *value = from_json(json);
    json_decref(json);
    if (mem_failures() == failures)
        return POP_OK;
    pop_profile_free(value);
    return error_if_memory_failed(error, POP_OK, failures, "pop_profile_read_json");
}
