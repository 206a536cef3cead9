/* SPDX-License-Identifier: Apache-2.0 */
/* Parses options of a library's calls by the rows of poplibs/options.def for the group:
 *
 *     static const struct poplibs_option table[] = {
 *     #define CONV_OPTION(...) POPLIBS_ROW(struct options, __VA_ARGS__)
 *     #include "poplibs/options.def"
 *     };
 *     if (!call_parse_options(call, call->options, table, COUNT(table), &options)) return ...;
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
    const char *choices;  /* for POPLIBS_CHOICE: "a|b|c"; the member is an int, the index in the list */
    const char *standard; /* text of the default; "" when there is none */
    const char *effect;   /* "none: why" for options without effect */
};
#define POPLIBS_ROW(type, key, kind, member, choices, standard, effect)                                                \
    { key, kind, offsetof(type, member), choices, standard, effect },

/* Edit distance of two words, ignoring case. */
size_t poplibs_distance(const char *a, const char *b);

/* options must be initialised with the defaults. */
bool call_parse_options(const struct call *call, pop_options given, const struct poplibs_option *table, size_t count,
                        void *options);
#endif
