/* SPDX-License-Identifier: Apache-2.0 */
#include "poplibs/options.h"

#include <poplar/text.h>

size_t poplibs_distance(const char *a, const char *b)
{
    size_t row[64], n = strlen(b);
    if (n > 63)
        return SIZE_MAX;
    for (size_t j = 0; j <= n; ++j)
        row[j] = j;
    for (size_t i = 1; a[i - 1]; ++i) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= n; ++j) {
            size_t change = diagonal + (pop_text_lower(a[i - 1]) != pop_text_lower(b[j - 1]));
            diagonal = row[j];
            row[j] = poplibs_min(change, poplibs_min(row[j], row[j - 1]) + 1);
        }
    }
    return row[n];
}

static int place_of(const char *choices, const char *value)
{
    int place = 0;
    for (const char *at = choices; *at; ++place) {
        size_t length = strcspn(at, "|");
        if (strlen(value) == length && strncmp(at, value, length) == 0)
            return place;
        at += length + (at[length] == '|');
    }
    return -1;
}

static bool set_option(const struct poplibs_option *option, const char *value, void *options)
{
    char *end, *at = (char *)options + option->offset;
    switch (option->kind) {
    case POPLIBS_BOOL:
        *(bool *)at = strcmp(value, "true") == 0 || strcmp(value, "1") == 0;
        return *(bool *)at || strcmp(value, "false") == 0 || strcmp(value, "0") == 0;
    case POPLIBS_UNSIGNED: {
        unsigned long number = strtoul(value, &end, strstr(value, "0x") == value ? 16 : 10);
        *(unsigned *)(void *)at = (unsigned)number;
        return *value >= '0' && *value <= '9' && !*end && number <= UINT32_MAX;
    }
    case POPLIBS_DOUBLE:
        *(double *)(void *)at = pop_text_to_double(value, &end);
        return *value && !*end && *(double *)(void *)at == *(double *)(void *)at;
    case POPLIBS_CHOICE: {
        int place = place_of(option->choices, value);
        if (place >= 0)
            *(int *)(void *)at = place;
        return place >= 0;
    }
    case POPLIBS_TEXT:
        *(const char **)(void *)at = value;
        return true;
    }
    return false;
}

void poplibs_default_options(const struct poplibs_option *table, size_t count, void *options)
{
    for (size_t i = 0; i < count; ++i)
        if (*table[i].initial || table[i].kind == POPLIBS_TEXT)
            set_option(&table[i], table[i].initial, options);
}

/* Warns once for each API call about options without effect that are given with another value than the default. */
static void warn_of_idle(const struct call *call, pop_options given, const struct poplibs_option *table, size_t count)
{
    char list[400] = "";
    size_t length = 0;
    for (size_t j = 0; j < count; ++j)
        for (size_t i = 0; i < given.count && strncmp(table[j].effect, "none: ", 6) == 0; ++i)
            if (strcmp(given.list[i].key, table[j].key) == 0 && strcmp(given.list[i].value, table[j].initial) != 0 &&
                length < sizeof(list)) {
                length +=
                    (size_t)snprintf(list + length, sizeof(list) - length, "%s%s", length ? ", " : "", table[j].key);
                break;
            }
    if (length)
        pop_log_once(call->library, POP_LOG_WARN, "%s: options without effect here: %s", call->api, list);
}

bool call_parse_options(const struct call *call, pop_options given, const struct poplibs_option *table, size_t count,
                        void *options)
{
    static const char *const kinds[] = { "true or false", "a whole number", "a number", NULL, "a text" };
    for (size_t i = 0; i < given.count; ++i) {
        const char *key = given.list[i].key, *value = given.list[i].value;
        size_t nearest = 0, found = count;
        if (!key || !value)
            return call_fail(call, POP_INVALID_OPTION, "option %zu has no %s: it is NULL", i + 1,
                             key ? "value" : "key");
        for (size_t j = 0; j < count && found == count; ++j) {
            if (strcmp(key, table[j].key) == 0)
                found = j;
            else if (poplibs_distance(key, table[j].key) < poplibs_distance(key, table[nearest].key))
                nearest = j;
        }
        if (found == count && !count)
            return call_fail(call, POP_INVALID_OPTION, "Unrecognised option '%s': this call takes none", key);
        if (found == count)
            return call_fail(call, POP_INVALID_OPTION, "Unrecognised option '%s'; the nearest is '%s'", key,
                             table[nearest].key);
        if (!set_option(&table[found], value, options))
            return call_fail(call, POP_INVALID_OPTION, "option '%s' cannot be '%s'; it takes %s", key, value,
                             table[found].choices ? table[found].choices : kinds[table[found].kind]);
    }
    if (given.count && pop_log_on(call->library, POP_LOG_WARN))
        warn_of_idle(call, given, table, count);
    return true;
}

bool call_read_options(const struct call *call, pop_options given, const struct poplibs_option *table, size_t count,
                       void *options)
{
    poplibs_default_options(table, count, options);
    return call_parse_options(call, given, table, count, options);
}
