/* SPDX-License-Identifier: Apache-2.0 */
/* The table of options (options.def) and sets of values that were checked against it. */
#ifndef BASE_OPTIONS_H
#define BASE_OPTIONS_H

#include "base/vec.h"

#include <poplar/error.h>
#include <poplar/options.h>

/* Values set for one group. Zero-initialised: all defaults. */
struct option_set {
    VEC(struct {
        const char *key;
        char *value;
    })
    set; /* key points into the table */
};
/* Checks and stores options of a group ("engine", ...). Later options override earlier ones; those of the environment
 * variable (a JSON object of strings; NULL for none) override all. Errors: invalid_option, with the nearest key or the
 * allowed values; parse_error for malformed JSON. Wildcard rows ("x.*") of the table accept any key with that prefix.
 */
pop_status options_apply(struct option_set *set, const char *group, pop_options options, const char *environment,
                         pop_where where, const char *api, pop_error *error);
const char *options_get(const struct option_set *set, const char *group,
                        const char *key); /* the default when unset; never NULL for a known key */
bool options_is_set(const struct option_set *set, const char *key);
bool options_bool(const struct option_set *set, const char *group, const char *key);
int64_t options_int(const struct option_set *set, const char *group, const char *key);
/* Logs one line with the options of the set that have no effect (WARN), and one with those meaningful for hardware
 * alone (INFO). others: further text for the first list, or NULL. */
void options_log_idle(const struct option_set *set, const char *group, const char *others);
void options_copy(struct option_set *to, const struct option_set *from);
void options_free(struct option_set *set);

#endif
