/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers that show and compare profile values. */
#ifndef TESTS_PROFILE_VALUES_H
#define TESTS_PROFILE_VALUES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"

#include <poplar/profile.h>

static inline char *json_of(const pop_profile_value *value)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    assert_true(pop_profile_write_json(file, value, false));
    fclose(file);
    return text;
}

static inline void expect(const pop_profile_value *profile, const char *path, const char *expected)
{
    const pop_profile_value *value = pop_profile_path(profile, path);
    if (!value)
        fail_msg("there is no %s", path);
    char *text = json_of(value);
    if (strcmp(text, expected) != 0)
        fail_msg("%s is\n%s, not\n%s", path, text, expected);
    free(text);
}

static inline void expect_keys(const pop_profile_value *profile, const char *path, const char *expected)
{
    const pop_profile_value *map = *path ? pop_profile_path(profile, path) : profile;
    struct str keys = { 0 };
    for (size_t i = 0; i < pop_profile_size(map); ++i)
        str_format(&keys, "%s%s", i ? " " : "", pop_profile_key(map, i));
    assert_string_equal(str_text(&keys), expected);
    str_free(&keys);
}

#endif
