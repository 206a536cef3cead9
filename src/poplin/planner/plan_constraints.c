/* SPDX-License-Identifier: Apache-2.0 */
/* Parser of planConstraints (JSON).  Numbers and flags may be quoted, as Poplibs' property trees write them.  An array
 * in place of a single value is a choice; the parser reads all combinations of choices, each as constraints of its
 * own. */
#include "poplin/planner/method.h"
#include "poplin/planner/plan_fields.h"
#include "poplin/planner/planner.h"

#include "poplibs/log.h"
#include "poplibs/options.h"

#include <jansson.h>
#include <poplar/text.h>

enum { MAX_CHOICES = 8 };
struct reader {
    struct plan_constraints *to;
    char *text;
    size_t size;
    /* Number of choices found so far; the index of the option taken; the number of options. */
    size_t choices, chosen[MAX_CHOICES], of[MAX_CHOICES];
    /* First combination: only then unused entries are logged. */
    bool first;
};

/* Names in addition to those of plan_fields: where they are allowed, and the field that they mean (NULL: no effect). */
enum constraint_place {
    IN_TRANSFORM = PLAN_TRANSFORM,
    IN_PARTITION = PLAN_PARTITION,
    AT_THE_TOP = PLAN_VERTEX,
    IN_METHOD
};
static const struct other_name {
    enum constraint_place place;
    const char *name, *field;
} other_names[] = {
    { AT_THE_TOP, "numConvUnits", "numAmpConvUnits" },
    { IN_METHOD, "type", "method" },
    { IN_METHOD, "convUnits", "numAmpConvUnits" },
    { IN_METHOD, "numConvUnits", "numAmpConvUnits" },
    { IN_METHOD, "windowWidth", "slicWindowWidth" },
    { IN_METHOD, "slicWindowWidth", "slicWindowWidth" },
    { IN_METHOD, "convGroupsPerGroup", "convGroupsPerGroup" },
    { IN_METHOD, "convInputLoadElems", NULL },
    { IN_METHOD, "numConvChains", NULL },
    { IN_METHOD, "useLimitedVersion", NULL },
};
enum { OTHER_NAMES = sizeof(other_names) / sizeof(other_names[0]) };
static const char *const level_names[] = { [PLAN_TRANSFORM] = "transform", [PLAN_PARTITION] = "partition" };

/* The i-th name that is allowed in a place; false after the last. */
static bool name_at(enum constraint_place place, size_t i, const char **name, const struct plan_field **field)
{
    for (const struct plan_field *at = plan_fields; at->name; ++at)
        if (at->is_constrained && (int)at->group == (int)place && i-- == 0) {
            *name = at->name;
            *field = at;
            return true;
        }
    for (size_t k = 0; k < OTHER_NAMES; ++k)
        if (other_names[k].place == place && i-- == 0) {
            *name = other_names[k].name;
            *field = other_names[k].field ? plan_field_named(other_names[k].field) : NULL;
            return true;
        }
    return false;
}

static bool wrong(struct reader *r, const char *name, const char *takes, const json_t *seen)
{
    void *begun = pop_text_begin();
    char *text = json_dumps(seen, JSON_ENCODE_ANY | JSON_COMPACT); /* NULL without host memory */
    pop_text_end(begun);
    snprintf(r->text, r->size, "planConstraints: '%s' takes %s%s%.60s", name, takes, text ? ", not " : "",
             text ? text : "");
    free(text);
    return false;
}

static bool unknown(struct reader *r, const char *group, const char *key, const char *nearest)
{
    snprintf(r->text, r->size, "planConstraints: '%s' has no '%s'; the nearest is '%s'", group, key, nearest);
    return false;
}

/* Reports an unknown method and lists the allowed names: "A, B (or C) or D". */
static bool wrong_method(struct reader *r, const char *name, const json_t *seen)
{
    char list[200];
    struct params_text text = { list, sizeof(list), 0 };
    for (size_t i = 0; plan_methods[i]; ++i) {
        const struct conv_method *row = plan_methods[i];
        params_text_add(&text, "%s%s", i == 0 ? "" : plan_methods[i + 1] ? ", " : " or ", row->name);
        if (row->other_name)
            params_text_add(&text, " (or %s)", row->other_name);
    }
    params_text_add(&text, ", or an object with such a type");
    return wrong(r, name, list, seen);
}

/* ---- values ---- */

static bool number(json_t *value, unsigned *to)
{
    if (json_is_string(value)) {
        char *end;
        const char *text = json_string_value(value);
        unsigned long long parsed = strtoull(text, &end, 10);
        bool whole = *text >= '0' && *text <= '9' && !*end && parsed < POPLIN_FREE;
        if (whole)
            *to = (unsigned)parsed;
        return whole;
    }
    bool fits = json_is_integer(value) && json_integer_value(value) >= 0 && json_integer_value(value) < POPLIN_FREE;
    if (fits)
        *to = (unsigned)json_integer_value(value);
    return fits;
}
static bool flag(json_t *value, unsigned *to)
{
    unsigned digit = 2;
    if (json_is_boolean(value))
        digit = json_is_true(value);
    else if (json_is_string(value) && !number(value, &digit))
        digit = strcmp(json_string_value(value), "true") == 0    ? 1
                : strcmp(json_string_value(value), "false") == 0 ? 0
                                                                 : 2;
    else if (json_is_integer(value))
        number(value, &digit);
    *to = digit;
    return digit < 2;
}
/* A list as an object, "0": 3, which Poplibs writes if not all entries are fixed, or as an array, [3, 1]. */
static bool list(json_t *value, unsigned *to)
{
    size_t i;
    json_t *item;
    const char *key;
    if (json_is_array(value)) {
        json_array_foreach(value, i,
                           item) if (i >= POPLIN_MAX_FIELD_DIMS || !number(item, &to[i]) || !to[i]) return false;
        return true;
    }
    json_object_foreach(value, key, item)
    {
        char *end;
        i = strtoul(key, &end, 10);
        if (end == key || *end || i >= POPLIN_MAX_FIELD_DIMS || !number(item, &to[i]) || !to[i])
            return false;
    }
    return json_is_object(value);
}
static bool set(json_t *value, unsigned *to)
{
    size_t i;
    json_t *item;
    *to = 0;
    if (json_is_string(value) && !*json_string_value(value)) /* an empty list of a property tree */
        return true;
    json_array_foreach(value, i, item)
    {
        unsigned dim;
        if (!number(item, &dim) || dim >= POPLIN_MAX_FIELD_DIMS)
            return false;
        *to |= 1u << dim;
    }
    return json_is_array(value);
}
static bool method(json_t *value, unsigned *to)
{
    const char *name = json_is_string(value) ? json_string_value(value) : "";
    for (*to = 0; plan_methods[*to]; ++*to) {
        const struct conv_method *row = plan_methods[*to];
        if (strcmp(row->name, name) == 0 || (row->other_name && strcmp(row->other_name, name) == 0))
            return true;
    }
    return false;
}

/* The value itself, or, for an array of choices, the current one. */
static json_t *choose(struct reader *r, json_t *value, enum plan_field_kind kind)
{
    bool is_choice =
        json_is_array(value) && kind != PLAN_LIST && (kind != PLAN_DIMS || json_is_array(json_array_get(value, 0)));
    if (!is_choice || !json_array_size(value) || r->choices == MAX_CHOICES)
        return value;
    size_t at = r->choices++;
    r->of[at] = json_array_size(value);
    return json_array_get(value, r->chosen[at]);
}

/* ---- entries ---- */

static bool read_entries(struct reader *r, json_t *object, enum constraint_place place, const char *group);

static bool read_number(struct reader *r, json_t *given, const char *name, unsigned *to)
{
    return (number(choose(r, given, PLAN_NUMBER), to) && *to) || wrong(r, name, "a whole number from 1 on", given);
}

/* Reads an object with both numbers, or the parallel number alone. */
static bool read_split(struct reader *r, json_t *value, const char *group, struct plan_split *to)
{
    const char *key;
    json_t *item;
    if (!json_is_object(value))
        return (number(value, &to->parallel) && to->parallel) ||
               wrong(r, group, "a whole number from 1 on, or serial and parallel ones", value);
    json_object_foreach(value, key, item)
    {
        bool serial = strcmp(key, "serial") == 0;
        if (!serial && strcmp(key, "parallel") != 0) {
            bool nearer = poplibs_distance(key, "parallel") < poplibs_distance(key, "serial");
            return unknown(r, group, key, nearer ? "parallel" : "serial");
        }
        if (!read_number(r, item, key, serial ? &to->serial : &to->parallel))
            return false;
    }
    return true;
}

static bool read_entry(struct reader *r, json_t *given, const char *name, const struct plan_field *field)
{
    unsigned *to = plan_constraint_of(r->to, field);
    if (field->kind == PLAN_NUMBER)
        return read_number(r, given, name, to);
    json_t *value = choose(r, given, field->kind);
    switch (field->kind) {
    case PLAN_FLAG:
        return flag(value, to) || wrong(r, name, "true or false", value);
    case PLAN_DIMS:
        return set(value, to) || wrong(r, name, "a list of field dimensions", value);
    case PLAN_LIST:
        return list(value, to) ||
               wrong(r, name, "a list of whole numbers from 1 on, or an object of them by dimension", value);
    case PLAN_METHOD:
        return json_is_object(value) ? read_entries(r, value, IN_METHOD, name)
                                     : method(value, to) || wrong_method(r, name, value);
    case PLAN_SPLIT:
        return read_split(r, value, name, (struct plan_split *)(void *)to);
    case PLAN_NUMBER:
    case PLAN_TYPE:
    case PLAN_DIRECTION:
        break;
    }
    return false;
}

static const char *nearest_name(enum constraint_place place, const char *key)
{
    const char *name, *nearest = NULL;
    const struct plan_field *field;
    for (size_t i = 0; name_at(place, i, &name, &field); ++i)
        if (!nearest || poplibs_distance(key, name) < poplibs_distance(key, nearest))
            nearest = name;
    return nearest;
}

/* Reads an entry of the given place and name. */
static bool read_named(struct reader *r, json_t *value, enum constraint_place place, const char *group, const char *key)
{
    const char *name;
    const struct plan_field *field;
    for (size_t i = 0; name_at(place, i, &name, &field); ++i) {
        if (strcmp(name, key) != 0)
            continue;
        if (field)
            return read_entry(r, value, name, field);
        (void)choose(r, value, PLAN_NUMBER);
        if (r->first)
            POPLIBS_LOG(WARN, "planConstraints: '%s' has no effect", name);
        return true;
    }
    return unknown(r, group, key, nearest_name(place, key));
}

static bool read_entries(struct reader *r, json_t *object, enum constraint_place place, const char *group)
{
    const char *key;
    json_t *value;
    if (!json_is_object(object))
        return wrong(r, group, "an object", object);
    json_object_foreach(object, key, value) if (!read_named(r, value, place, group, key)) return false;
    return true;
}

/* ---- levels: keys "0", "1" ---- */

/* Reads the constraints of one level into *to. */
static bool read_level(struct reader *r, json_t *level, const char *name, struct plan_constraints *to)
{
    const char *key;
    json_t *value;
    struct reader of_level = *r;
    memset(to, 0xff, sizeof(*to));
    of_level.to = to;
    if (level && !json_is_object(level))
        return wrong(r, name, "an object", level);
    bool good = true;
    json_object_foreach(level, key, value)
    {
        size_t group = strcmp(key, level_names[1]) == 0;
        if (!group && strcmp(key, level_names[0]) != 0) {
            bool second = poplibs_distance(key, level_names[1]) < poplibs_distance(key, level_names[0]);
            snprintf(r->text, r->size, "planConstraints: a level has no '%s'; the nearest is '%s'", key,
                     level_names[second]);
            return false;
        }
        good = good && read_entries(&of_level, value, (enum constraint_place)group, key);
    }
    r->choices = of_level.choices;
    memcpy(r->of, of_level.of, sizeof(r->of));
    return good;
}

/* The first field of a group whose constraint has an effect; NULL if there is none. */
static const char *does_something(const struct plan_constraints *c, enum plan_field_group group)
{
    for (const struct plan_field *field = plan_fields; field->name; ++field)
        for (size_t i = 0; field->is_constrained && field->group == group && i < plan_field_count(field); ++i) {
            unsigned value = ((const unsigned *)(const void *)((const char *)c + field->in_constraints))[i];
            if (value != POPLIN_FREE && value != field->neutral)
                return field->name;
        }
    return NULL;
}

/* A plan is for the tiles of one IPU.  With one IPU these are level 0; level 1 then has only transforms on a tile,
 * which do not exist here: they are read, so that constraints written for Poplibs are taken, and logged.  With more
 * IPUs level 0 is between IPUs and level 1 on each of them; a program that names only level 0 means the tiles. */
static bool read_levels(struct reader *r, json_t *root, unsigned num_ipus)
{
    struct plan_constraints levels[2];
    json_t *given[2] = { json_object_get(root, "0"), json_object_get(root, "1") };
    if (!read_level(r, given[0], "0", &levels[0]) || !read_level(r, given[1], "1", &levels[1]))
        return false;
    bool second = num_ipus > 1 && given[1];
    const struct plan_constraints *taken = &levels[second], *other = &levels[!second];
    const char *transform = does_something(other, PLAN_TRANSFORM), *split = does_something(other, PLAN_PARTITION);
    if (r->first && (transform || split))
        POPLIBS_LOG(
            WARN,
            "planConstraints: '%s' of level \"%d\" has no effect: plans are for the tiles of one IPU, which are "
            "level \"%d\" here",
            transform ? transform : split, !second, second);
    *r->to = *taken;
    return true;
}

/* ---- the whole text ---- */

/* Reads an entry beside the levels.  Poplibs takes names that it does not know there; a number is a level. */
static bool read_at_the_top(struct reader *r, json_t *value, const char *key)
{
    if (*key && strspn(key, "0123456789") == strlen(key)) {
        snprintf(r->text, r->size, "planConstraints: \"%.20s\" is not a valid level of hierarchy: there are 0 and 1",
                 key);
        return false;
    }
    const char *nearest = nearest_name(AT_THE_TOP, key);
    if (strcmp(nearest, key) == 0)
        return read_named(r, value, AT_THE_TOP, "planConstraints", key);
    if (r->first)
        POPLIBS_LOG(WARN, "planConstraints: '%s' is unknown and has no effect; the nearest is '%s'", key, nearest);
    return true;
}

static bool read_once(struct reader *r, json_t *root, unsigned num_ipus)
{
    const char *key;
    json_t *value;
    r->choices = 0;
    if (!read_levels(r, root, num_ipus))
        return false;
    json_object_foreach(root, key, value)
    {
        if (strcmp(key, "0") != 0 && strcmp(key, "1") != 0 && !read_at_the_top(r, value, key))
            return false;
    }
    return true;
}

/* Advances to the next combination of choices; false after the last. */
static bool advance(struct reader *r)
{
    for (size_t i = 0; i < r->choices; ++i) {
        if (++r->chosen[i] < r->of[i])
            return true;
        r->chosen[i] = 0;
    }
    return false;
}

bool plan_constraints_read(const char *json, unsigned num_ipus, struct plan_constraints *list_of, unsigned *count,
                           char *text, size_t size)
{
    json_error_t error;
    struct reader r = { .text = text, .size = size, .first = true };
    void *begun = pop_text_begin();
    json_t *root = json_loads(json, 0, &error);
    pop_text_end(begun);
    bool good = json_is_object(root), more = good;
    if (!root)
        snprintf(text, size, "planConstraints is not valid JSON: %s (line %d)", error.text, error.line);
    else if (!good)
        wrong(&r, "planConstraints", "an object", root);
    for (*count = 0; good && more; ++*count) {
        if (*count == POPLIN_MAX_ALTERNATIVES) {
            snprintf(text, size, "planConstraints: its arrays have more than %d combinations", POPLIN_MAX_ALTERNATIVES);
            good = false;
            break;
        }
        r.to = &list_of[*count];
        good = read_once(&r, root, num_ipus);
        more = advance(&r);
        r.first = false;
    }
    json_decref(root);
    return good;
}
