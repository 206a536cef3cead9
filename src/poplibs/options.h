/* SPDX-License-Identifier: Apache-2.0 */
/* Parses options of a library's calls by the rows of poplibs/options.def for the group:
 *
 *     static const struct poplibs_option table[] = {
 *     #define CONV_OPTION(...) POPLIBS_ROW(struct options, __VA_ARGS__)
 *     #include "poplibs/options.def"
 *     };
 *     if (!poplibs_parse_options(where, graph, api, given, table, COUNT(table), &options)) return ...;
 *
 * An unknown key or value is an invalid_option that lists the allowed ones.  One warning lists the options that are
 * given and have no effect. */
#ifndef POPLIBS_OPTIONS_H
#define POPLIBS_OPTIONS_H

#include "poplibs/log.h"
#include "poplibs/support.h"

#include <poplar/options.h>
#include <poplar/text.h>

enum poplibs_option_kind { POPLIBS_BOOL, POPLIBS_UNSIGNED, POPLIBS_DOUBLE, POPLIBS_CHOICE, POPLIBS_TEXT };
struct poplibs_option {
    const char *key;
    enum poplibs_option_kind kind; /* bool, unsigned, double, int or const char * (borrowed) */
    size_t offset;
    const char *choices;  /* for POPLIBS_CHOICE: "a|b|c"; the member is an int, the index in the list */
    const char *standard; /* text of the default; "" when there is none */
    const char *effect;   /* "none: why" for options without effect */
};
#define POPLIBS_ROW(type, key, kind, member, choices, standard, effect)                                                \
    { key, kind, offsetof(type, member), choices, standard, effect },

/* Edit distance of two words, ignoring case. */
static inline size_t poplibs_distance(const char *a, const char *b)
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

static inline int poplibs_choice(const char *choices, const char *value)
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

/* Not inline: gcc would warn about member types for which a small struct of options is too small. */
__attribute__((noinline, unused)) static bool poplibs_set_option(const struct poplibs_option *option, const char *value,
                                                                 void *options)
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
        int place = poplibs_choice(option->choices, value);
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

/* Warns once for each API call about options without effect that are given with another value than the default. */
static inline void poplibs_warn_of_idle(const char *api, pop_options given, const struct poplibs_option *table,
                                        size_t count)
{
    char list[400] = "";
    size_t length = 0;
    for (size_t j = 0; j < count; ++j)
        for (size_t i = 0; i < given.count && strncmp(table[j].effect, "none: ", 6) == 0; ++i)
            if (strcmp(given.list[i].key, table[j].key) == 0 && strcmp(given.list[i].value, table[j].standard) != 0 &&
                length < sizeof(list)) {
                length +=
                    (size_t)snprintf(list + length, sizeof(list) - length, "%s%s", length ? ", " : "", table[j].key);
                break;
            }
    if (length)
        pop_log_once(POPLIBS_LIBRARY, POP_LOG_WARN, "%s: options without effect here: %s", api, list);
}

/* options must be initialised with the defaults. */
static inline bool poplibs_parse_options(pop_where where, pop_graph *graph, const char *api, pop_options given,
                                         const struct poplibs_option *table, size_t count, void *options)
{
    static const char *const kinds[] = { "true or false", "a whole number", "a number", NULL, "a text" };
    for (size_t i = 0; i < given.count; ++i) {
        const char *key = given.list[i].key, *value = given.list[i].value;
        size_t nearest = 0, found = count;
        if (!key || !value)
            return poplibs_fail(graph, POP_INVALID_OPTION, where, api, "option %zu has no %s: it is NULL", i + 1,
                                key ? "value" : "key");
        for (size_t j = 0; j < count && found == count; ++j) {
            if (strcmp(key, table[j].key) == 0)
                found = j;
            else if (poplibs_distance(key, table[j].key) < poplibs_distance(key, table[nearest].key))
                nearest = j;
        }
        if (found == count && !count)
            return poplibs_fail(graph, POP_INVALID_OPTION, where, api, "unknown option '%s': this call takes none",
                                key);
        if (found == count)
            return poplibs_fail(graph, POP_INVALID_OPTION, where, api, "unknown option '%s'; the nearest is '%s'", key,
                                table[nearest].key);
        if (!poplibs_set_option(&table[found], value, options))
            return poplibs_fail(graph, POP_INVALID_OPTION, where, api, "option '%s' cannot be '%s'; it takes %s", key,
                                value, table[found].choices ? table[found].choices : kinds[table[found].kind]);
    }
    if (given.count && pop_log_on(POPLIBS_LIBRARY, POP_LOG_WARN))
        poplibs_warn_of_idle(api, given, table, count);
    return true;
}

#endif
