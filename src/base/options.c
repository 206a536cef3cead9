/* SPDX-License-Identifier: Apache-2.0 */
#include "base/options.h"

#include "base/error.h"
#include "base/log.h"
#include "base/str.h"

#include <assert.h>
#include <jansson.h>
#include <math.h>
#include <poplar/text.h>

#define HARDWARE "" /* meaningful for hardware alone: no effect here */
static const pop_option_info table[] = {
#define POP_OPTION(group, key, values, standard, effect) { group, key, values, standard, effect },
#include "base/options.def"
#undef POP_OPTION
};
enum { ROWS = sizeof(table) / sizeof(table[0]) };

const pop_option_info *pop_option_table(size_t *count)
{
    if (count)
        *count = ROWS;
    return table;
}

/* Run-time options are rows of group "engine" that take effect at run time. */
static const char *table_group(const char *group)
{
    return strcmp(group, "runtime") == 0 ? "engine" : group;
}

static bool row_takes(const pop_option_info *row, const char *key)
{
    size_t length = strlen(row->key);
    return length && row->key[length - 1] == '*' ? strncmp(row->key, key, length - 1) == 0 : strcmp(row->key, key) == 0;
}

static const pop_option_info *row_find(const char *group, const char *key)
{
    group = table_group(group);
    for (size_t i = 0; i < ROWS; ++i)
        if (strcmp(table[i].group, group) == 0 && row_takes(&table[i], key))
            return &table[i];
    return NULL;
}

/* The row whose value a row sets: its own, or the one that it is another name of. */
static const pop_option_info *row_meant(const pop_option_info *row)
{
    static const char words[] = "another name of ";
    bool other = row->effect && strncmp(row->effect, words, sizeof(words) - 1) == 0;
    return other ? row_find(row->group, row->effect + sizeof(words) - 1) : row;
}

/* A group's name in messages. */
static const char *group_words(const char *group)
{
    return strcmp(group, "report") == 0 ? "profile summary" : group;
}

/* Where a value was set: an API call or an environment variable. */
struct option_source {
    const char *group, *variable, *api;
    pop_where where;
};

static pop_status fail(const struct option_source *source, pop_error *error, const char *format, ...) POP_PRINTF(3, 4);
static pop_status fail(const struct option_source *source, pop_error *error, const char *format, ...)
{
    struct str text = { 0 };
    va_list arguments;
    va_start(arguments, format);
    str_vformat(&text, format, arguments);
    va_end(arguments);
    error_set(error, POP_INVALID_OPTION, source->where, source->api, "%s%s%s", source->variable ? source->variable : "",
              source->variable ? ": " : "", str_text(&text));
    str_free(&text);
    return POP_INVALID_OPTION;
}

static pop_status fail_unknown(const struct option_source *source, const char *key, pop_error *error)
{
    const char *names[ROWS];
    size_t count = 0;
    for (size_t i = 0; i < ROWS; ++i)
        if (strcmp(table[i].group, table_group(source->group)) == 0)
            names[count++] = table[i].key;
    char hint[160];
    error_hint(hint, sizeof(hint), key, names, count);
    for (size_t i = 0; i < ROWS && !hint[0]; ++i)
        if (strcmp(table[i].key, key) == 0)
            snprintf(hint, sizeof(hint), " (there is a %s option of that name)", group_words(table[i].group));
    return fail(source, error, "Unrecognised option '%s': no %s option has this name%s", key,
                group_words(source->group), hint);
}

static bool read_number(const char *text)
{
    if (!*text || text[strspn(text, "0123456789.eE+-")])
        return false;
    char *end;
    double value = pop_text_to_double(text, &end);
    return !*end && isfinite(value) && value >= 0;
}

/* Matches value against one alternative of a row's values: the text to store, or NULL when it does not match. */
static const char *match(const char *kind, size_t length, const char *value)
{
#define IS(word) (length == sizeof(word) - 1 && memcmp(kind, word, length) == 0)
    uint64_t integer;
    if (IS("text") || IS("path"))
        return value;
    if (IS("integer"))
        return str_integer(value, INT64_MAX, &integer) ? value : NULL;
    if (IS("number"))
        return read_number(value) ? value : NULL;
    if (IS("true") && strcmp(value, "1") == 0)
        return "true";
    if (IS("false") && strcmp(value, "0") == 0)
        return "false";
#undef IS
    return strlen(value) == length && memcmp(kind, value, length) == 0 ? value : NULL;
}

static const char *match_any(const char *values, const char *value)
{
    for (const char *kind = values; *kind;) {
        size_t length = strcspn(kind, "|");
        const char *stored = match(kind, length, value);
        if (stored)
            return stored;
        kind += length + (kind[length] == '|');
    }
    return NULL;
}

/* "true or false", "an integer (decimal or 0x...) or auto". */
static void describe(const char *values, struct str *words)
{
    for (const char *kind = values; *kind;) {
        size_t length = strcspn(kind, "|");
        if (kind != values)
            str_add(words, strchr(kind, '|') ? ", " : " or ");
        if (length == 7 && memcmp(kind, "integer", 7) == 0)
            str_add(words, "an integer (decimal or 0x...) from 0 to 2^63 - 1");
        else if (length == 6 && memcmp(kind, "number", 6) == 0)
            str_add(words, "a number that is not negative");
        else
            str_add_bytes(words, kind, length);
        kind += length + (kind[length] == '|');
    }
}

static void put(struct option_set *set, const pop_option_info *row, const char *key, const char *value)
{
    for (size_t i = 0; i < set->set.count; ++i)
        if (strcmp(set->set.data[i].key, key) == 0) {
            free(set->set.data[i].value);
            set->set.count--;
            memmove(&set->set.data[i], &set->set.data[i + 1], (set->set.count - i) * sizeof(set->set.data[0]));
            break;
        }
    /* Keys of the table are static; a key that matched a wildcard row is stored after its value. */
    bool own = strcmp(row->key, key) != 0;
    size_t length = strlen(value) + 1, key_length = own ? strlen(key) + 1 : 0;
    char *text = mem_alloc(length + key_length);
    memcpy(text, value, length);
    if (own)
        memcpy(text + length, key, key_length);
    vec_reserve(&set->set, 1);
    set->set.data[set->set.count].key = own ? text + length : row->key;
    set->set.data[set->set.count++].value = text;
}

/* A path in the home directory: no shell expands the ~ of an option. */
static pop_status add_home(struct option_set *set, const struct option_source *source, const pop_option_info *row,
                           const char *key, const char *value, pop_error *error)
{
    const char *home = getenv("HOME");
    struct str path = { 0 };
    if (!home || !*home)
        return fail(source, error, "the value of option '%s' is '%s', but HOME is not set, which ~ stands for", key,
                    value);
    str_format(&path, "%s%s", home, value + 1);
    put(set, row, key, str_text(&path));
    str_free(&path);
    return POP_OK;
}

static pop_status add(struct option_set *set, const struct option_source *source, const char *key, const char *value,
                      pop_error *error)
{
    if (!key || !value)
        return fail(source, error, key ? "%s option '%s' has no value" : "%s option%s without a name",
                    group_words(source->group), key ? key : "");
    const pop_option_info *row = row_find(source->group, key);
    if (!row)
        return fail_unknown(source, key, error);
    const char *stored = match_any(row->values, value);
    if (!stored) {
        struct str words = { 0 };
        describe(row->values, &words);
        fail(source, error, "the value of option '%s' is '%s', it must be %s", key, value, str_text(&words));
        str_free(&words);
        return POP_INVALID_OPTION;
    }
    if (strcmp(row->values, "path") == 0 && stored[0] == '~' && (!stored[1] || stored[1] == '/'))
        return add_home(set, source, row, key, stored, error);
    const pop_option_info *meant = row_meant(row);
    put(set, meant, meant == row ? key : meant->key, stored);
    return POP_OK;
}

static pop_status add_json(struct option_set *set, const struct option_source *source, const char *key,
                           const json_t *value, pop_error *error)
{
    char number[64];
    switch (json_typeof(value)) {
    case JSON_STRING:
        return add(set, source, key, json_string_value(value), error);
    case JSON_TRUE:
    case JSON_FALSE:
        return add(set, source, key, json_is_true(value) ? "true" : "false", error);
    case JSON_INTEGER:
        snprintf(number, sizeof(number), "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        return add(set, source, key, number, error);
    case JSON_REAL:
        pop_text_format(number, sizeof(number), "%.15g", json_real_value(value));
        return add(set, source, key, number, error);
    default:
        return fail(source, error, "the value of option '%s' must be a string, a number or a boolean", key);
    }
}

static pop_status add_environment(struct option_set *set, const struct option_source *source, pop_error *error)
{
    const char *text = getenv(source->variable);
    if (!text || !*text)
        return POP_OK;
    json_error_t at;
    void *begun = pop_text_begin();
    json_t *object = json_loads(text, JSON_REJECT_DUPLICATES, &at);
    pop_text_end(begun);
    if (!object && json_error_code(&at) == json_error_duplicate_key)
        return error_set(error, POP_PARSE_ERROR, source->where, source->api,
                         "%s names an option twice: line %d, column %d: %s", source->variable, at.line, at.column,
                         at.text);
    if (!object)
        return error_set(error, POP_PARSE_ERROR, source->where, source->api, "%s is not JSON: line %d, column %d: %s",
                         source->variable, at.line, at.column, at.text);
    pop_status status = POP_OK;
    const char *key;
    json_t *value;
    if (!json_is_object(object))
        status = error_set(error, POP_PARSE_ERROR, source->where, source->api,
                           "%s must be a JSON object of strings, as {\"debug.instrument\": \"true\"}, not an array",
                           source->variable);
    else
        json_object_foreach(object, key, value) if (status == POP_OK) status = add_json(set, source, key, value, error);
    json_decref(object);
    return status;
}

pop_status options_apply(struct option_set *set, const char *group, pop_options options, const char *environment,
                         pop_where where, const char *api, pop_error *error)
{
    struct option_set applied = { 0 };
    if (options.count && !options.list)
        return error_set(error, POP_INVALID_OPTION, where, api, "the list of %zu options is NULL", options.count);
    options_copy(&applied, set);
    struct option_source source = { group, NULL, api, where };
    pop_status status = POP_OK;
    for (size_t i = 0; i < options.count && status == POP_OK; ++i)
        status = add(&applied, &source, options.list[i].key, options.list[i].value, error);
    source.variable = environment;
    if (status == POP_OK && environment)
        status = add_environment(&applied, &source, error);
    if (status == POP_OK) {
        struct option_set old = *set;
        *set = applied;
        applied = old;
    }
    options_free(&applied);
    return status;
}

static const char *find(const struct option_set *set, const char *key)
{
    for (size_t i = 0; set && i < set->set.count; ++i)
        if (strcmp(set->set.data[i].key, key) == 0)
            return set->set.data[i].value;
    return NULL;
}

const char *options_get(const struct option_set *set, const char *group, const char *key)
{
    const char *value = find(set, key);
    if (value)
        return value;
    const pop_option_info *row = row_find(group, key);
    assert(row);
    return row ? row->standard : "";
}

bool options_is_set(const struct option_set *set, const char *key)
{
    return find(set, key) != NULL;
}

bool options_bool(const struct option_set *set, const char *group, const char *key)
{
    return strcmp(options_get(set, group, key), "true") == 0;
}

int64_t options_int(const struct option_set *set, const char *group, const char *key)
{
    uint64_t value = 0;
    str_integer(options_get(set, group, key), INT64_MAX, &value);
    return (int64_t)value;
}

void options_copy(struct option_set *to, const struct option_set *from)
{
    struct option_set copy = { 0 };
    for (size_t i = 0; i < from->set.count; ++i) {
        const char *key = from->set.data[i].key, *value = from->set.data[i].value;
        /* A key stored after its value is copied with it. */
        bool own = key == value + strlen(value) + 1;
        size_t bytes = strlen(value) + 1 + (own ? strlen(key) + 1 : 0);
        vec_reserve(&copy.set, 1);
        char *text = mem_copy(value, bytes);
        copy.set.data[copy.set.count].value = text;
        copy.set.data[copy.set.count++].key = own ? text + strlen(value) + 1 : key;
    }
    options_free(to);
    *to = copy;
}

void options_free(struct option_set *set)
{
    for (size_t i = 0; i < set->set.count; ++i)
        free(set->set.data[i].value);
    vec_free(&set->set);
}

/* ---- options without effect ---- */

/* Lists those set to another value than the default. */
static void list_idle(const struct option_set *set, const char *group, bool hardware, struct str *list)
{
    for (size_t i = 0; i < set->set.count; ++i) {
        const pop_option_info *row = row_find(group, set->set.data[i].key);
        bool none = row && (!row->effect || strncmp(row->effect, "none: ", 6) == 0);
        bool idle = hardware ? row && row->effect && !*row->effect : none;
        if (idle && strcmp(set->set.data[i].value, row->standard) != 0)
            str_format(list, "%s%s", list->length ? ", " : "", set->set.data[i].key);
    }
}

void options_log_idle(const struct option_set *set, const char *group, const char *others)
{
    struct str idle = { 0 }, hardware = { 0 };
    list_idle(set, group, false, &idle);
    list_idle(set, group, true, &hardware);
    if (others)
        str_format(&idle, "%s%s", idle.length ? ", " : "", others);
    if (idle.length)
        LOG(ENGINE, WARN, "options without effect here: %s", str_text(&idle));
    if (hardware.length)
        LOG(ENGINE, INFO, "options for hardware alone, without effect here: %s", str_text(&hardware));
    str_free(&idle);
    str_free(&hardware);
}
