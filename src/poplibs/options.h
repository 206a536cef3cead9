/* SPDX-License-Identifier: Apache-2.0 */
/* Reads options of a library's calls by the rows of poplibs/options.def for the group:
 *
 *     static const struct poplibs_option table[] = {
 *     #define CONV_OPTION(...) POPLIBS_ROW(struct options, __VA_ARGS__)
 *     #include "poplibs/options.def"
 *     };
 *     struct options options = { 0 };
 *     if (!call_read_options(call, call->options, table, COUNT(table), &options)) return ...;
 *
 * An unknown key or value is an invalid_option that lists the allowed ones.  One warning lists the options that are
 * given and have no effect. */
#ifndef POPLIBS_OPTIONS_H
#define POPLIBS_OPTIONS_H

#include "poplibs/log.h"
#include "poplibs/support.h"

#include <poplar/options.h>

enum poplibs_option_kind { POPLIBS_BOOL, POPLIBS_UNSIGNED, POPLIBS_DOUBLE, POPLIBS_CHOICE, POPLIBS_TEXT };
struct poplibs_option {
    const char *key;
    enum poplibs_option_kind kind; /* bool, unsigned, double, int or const char * (borrowed) */
    size_t offset;
    const char *choices; /* for POPLIBS_CHOICE: "a|b|c"; the member is an int, the index in the list */
    const char *initial; /* text of the default; "" when it depends on the call */
    const char *effect;  /* "none: why" for options without effect */
};
#define POPLIBS_ROW(type, key, kind, member, choices, initial, effect)                                                 \
    { key, kind, offsetof(type, member), choices, initial, effect },

/* Edit distance of two words, ignoring case. */
size_t poplibs_distance(const char *a, const char *b);

/* Sets the members of the table's rows to their defaults; those with "" are unchanged, but texts become "". */
void poplibs_default_options(const struct poplibs_option *table, size_t count, void *options);
/* Sets the members whose options are given; false after an error of the call. */
bool call_parse_options(const struct call *call, pop_options given, const struct poplibs_option *table, size_t count,
                        void *options);
/* Both: all members of the table's rows, given or not. */
bool call_read_options(const struct call *call, pop_options given, const struct poplibs_option *table, size_t count,
                       void *options);
#endif
