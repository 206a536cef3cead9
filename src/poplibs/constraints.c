/* SPDX-License-Identifier: Apache-2.0 */
#include "poplibs/constraints.h"

#include <poplar/profile.h>

struct reading {
    const struct call *call;
    const char *group;
    const struct poplibs_constraint *rows;
    size_t count;
};

/* Records what is wrong, and what the option takes. */
static bool refuse(const struct reading *r, const char *key, const char *wrong)
{
    char names[256] = "";
    size_t length = 0;
    for (size_t i = 0; i < r->count && length < sizeof(names); ++i)
        length += (size_t)snprintf(names + length, sizeof(names) - length, "%s%s",
                                   !i                  ? ""
                                   : i + 1 == r->count ? " and "
                                                       : ", ",
                                   r->rows[i].key);
    return call_fail(r->call, POP_INVALID_OPTION, "option 'planConstraints': %s%s%s; it takes JSON: %s%s%s with %s",
                     key ? key : "", key ? " " : "", wrong, r->group ? "{\"" : "{...}", r->group ? r->group : "",
                     r->group ? "\": {...}}" : "", names);
}

static bool read_number(const pop_profile_value *value, unsigned *number)
{
    const char *text = pop_profile_as_string(value);
    if (value->type == POP_PROFILE_STRING) {
        char *end;
        unsigned long long parsed = strtoull(text, &end, 10);
        *number = (unsigned)parsed;
        return *text >= '0' && *text <= '9' && !*end && parsed && parsed <= UINT32_MAX;
    }
    uint64_t given = pop_profile_as_uint(value);
    *number = (unsigned)given;
    return (value->type == POP_PROFILE_UINT || (value->type == POP_PROFILE_INT && pop_profile_as_int(value) > 0)) &&
           given && given <= UINT32_MAX;
}
static bool read_flag(const pop_profile_value *value, unsigned *flag)
{
    const char *text = pop_profile_as_string(value);
    if (value->type == POP_PROFILE_STRING) {
        *flag = strcmp(text, "true") == 0;
        return *flag || strcmp(text, "false") == 0;
    }
    *flag = value->type == POP_PROFILE_BOOL ? pop_profile_as_bool(value) : (unsigned)pop_profile_as_uint(value);
    return value->type == POP_PROFILE_BOOL ||
           ((value->type == POP_PROFILE_UINT || value->type == POP_PROFILE_INT) && pop_profile_as_uint(value) <= 1);
}

static bool read_member(const struct reading *r, const char *key, const pop_profile_value *value)
{
    char name[128];
    snprintf(name, sizeof(name), "'%s%s%s'", r->group ? r->group : "", r->group ? "." : "", key);
    for (size_t i = 0; i < r->count; ++i) {
        const struct poplibs_constraint *row = &r->rows[i];
        if (strcmp(row->key, key) != 0)
            continue;
        unsigned number;
        if (row->is_flag ? !read_flag(value, &number) : !read_number(value, &number))
            return refuse(r, name, row->is_flag ? "is neither true nor false" : "is not a whole number from 1 on");
        *row->value = number;
        return true;
    }
    return refuse(r, name, "is unknown");
}

static bool read_members(const struct reading *r, const pop_profile_value *object)
{
    if (object->type != POP_PROFILE_MAP)
        return refuse(r, NULL, r->group ? "the value of the key is not an object" : "it is not an object");
    for (size_t i = 0; i < pop_profile_size(object); ++i)
        if (!read_member(r, pop_profile_key(object, i), pop_profile_item(object, i)))
            return false;
    return true;
}

static bool read_root(const struct reading *r, const pop_profile_value *root)
{
    if (!r->group)
        return read_members(r, root);
    if (root->type != POP_PROFILE_MAP)
        return refuse(r, NULL, "it is not an object");
    for (size_t i = 0; i < pop_profile_size(root); ++i) {
        char name[128];
        snprintf(name, sizeof(name), "'%s'", pop_profile_key(root, i));
        if (strcmp(pop_profile_key(root, i), r->group) != 0)
            return refuse(r, name, "is unknown");
        if (!read_members(r, pop_profile_item(root, i)))
            return false;
    }
    return true;
}

bool call_read_constraints(const struct call *call, const char *text, const char *group,
                           const struct poplibs_constraint *rows, size_t count)
{
    const struct reading r = { call, group, rows, count };
    pop_profile_value root = { 0 };
    pop_error error = { 0 };
    if (!text[strspn(text, " \t\r\n")])
        return true;
    if (pop_profile_read_json(text, strlen(text), &root, &error) != POP_OK)
        return refuse(&r, NULL, error.text);
    bool right = read_root(&r, &root);
    pop_profile_free(&root);
    return right;
}
