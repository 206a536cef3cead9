/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON of planConstraints.  Numbers and flags may be in quotes, as the original's property trees have them.  An
 * array where one value is asked for is a choice between its values: all combinations of choices are read, each as
 * constraints of its own. */
#include "poplin/planner/plan_constraints.h"
#include "poplin/params/params.h"
#include "poplin/planner/conv_options.h"
#include "poplin/planner/method.h"

#include "poplibs/log.h"
#include "poplibs/options.h"

#include <jansson.h>
#include <poplar/text.h>

enum { MOST_CHOICES = 8 };
struct reader {
    struct poplin_plan_constraints *to;
    char *text;
    size_t size;
    size_t choices, chosen[MOST_CHOICES], of[MOST_CHOICES]; /* met so far; which one is taken of how many */
    bool first;                                             /* time: says what has no effect */
};

enum shape { NUMBER, FLAG, SET, LIST, METHOD, SPLIT, NO_EFFECT };
#define ENTRY(name, shape, member)                                                                                     \
    {                                                                                                                  \
        name, shape, offsetof(struct poplin_plan_constraints, member)                                                  \
    }
static const struct entry {
    const char *name;
    enum shape shape;
    size_t offset;
} transform_entries[] = {
    ENTRY("swapOperands", FLAG, swap_operands),
    ENTRY("expandDims", SET, expand_dims),
    ENTRY("outChanFlattenDims", SET, out_chan_flatten_dims),
    ENTRY("combineConvGroupsFactor", NUMBER, combine_conv_groups_factor),
    { NULL, NUMBER, 0 },
}, partition_entries[] = {
    ENTRY("fieldSplit", LIST, field_split),
    ENTRY("kernelSplit", LIST, kernel_split),
    ENTRY("batchSplit", NUMBER, batch_split),
    ENTRY("convGroupSplit", NUMBER, conv_group_split),
    ENTRY("outChanSplit", SPLIT, out_chan_serial),
    ENTRY("inChanSplit", SPLIT, in_chan_serial),
    { NULL, NUMBER, 0 },
}, split_entries[] = {
    ENTRY("serial", NUMBER, out_chan_serial), /* of the place that the split has */
    ENTRY("parallel", NUMBER, out_chan_parallel),
    { NULL, NUMBER, 0 },
}, vertex_entries[] = {
    ENTRY("method", METHOD, method),
    ENTRY("convGroupsPerGroup", NUMBER, conv_groups_per_group),
    ENTRY("inChansPerGroup", NUMBER, in_chans_per_group),
    ENTRY("partialChansPerGroup", NUMBER, partial_chans_per_group),
    ENTRY("numAmpConvUnits", NUMBER, num_conv_units),
    ENTRY("numConvUnits", NUMBER, num_conv_units),
    ENTRY("slicWindowWidth", NUMBER, slic_window_width),
    { NULL, NUMBER, 0 },
}, method_entries[] = {
    ENTRY("type", METHOD, method),
    ENTRY("convUnits", NUMBER, num_conv_units),
    ENTRY("numConvUnits", NUMBER, num_conv_units),
    ENTRY("windowWidth", NUMBER, slic_window_width),
    ENTRY("slicWindowWidth", NUMBER, slic_window_width),
    ENTRY("convGroupsPerGroup", NUMBER, conv_groups_per_group),
    ENTRY("convInputLoadElems", NO_EFFECT, method),
    ENTRY("numConvChains", NO_EFFECT, method),
    ENTRY("useLimitedVersion", NO_EFFECT, method),
    { NULL, NUMBER, 0 },
};
static const struct entry *const level_groups[] = { transform_entries, partition_entries };
static const char *const level_names[] = { "transform", "partition" };

static bool wrong(struct reader *r, const char *name, const char *takes)
{
    snprintf(r->text, r->size, "planConstraints: '%s' takes %s", name, takes);
    return false;
}

/* Methods by the names that constraints may have: "A, B (or C) or D". */
static bool wrong_method(struct reader *r, const char *name)
{
    char list[200];
    struct poplin_text text = { list, sizeof(list), 0 };
    for (size_t i = 0; poplin_methods[i]; ++i) {
        const struct poplin_method *row = poplin_methods[i];
        poplin_text_add(&text, "%s%s", i == 0 ? "" : poplin_methods[i + 1] ? ", " : " or ", row->name);
        if (row->other_name)
            poplin_text_add(&text, " (or %s)", row->other_name);
    }
    poplin_text_add(&text, ", or an object with such a type; there is no VMAC here");
    return wrong(r, name, list);
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
/* "0": 3, as Poplibs writes lists of which not all entries are fixed; or [3, 1]. */
static bool list(json_t *value, unsigned *to)
{
    size_t i;
    json_t *item;
    const char *key;
    if (json_is_array(value)) {
        json_array_foreach(value, i,
                           item) if (i >= POPLIN_MOST_FIELD_DIMS || !number(item, &to[i]) || !to[i]) return false;
        return true;
    }
    json_object_foreach(value, key, item)
    {
        char *end;
        i = strtoul(key, &end, 10);
        if (end == key || *end || i >= POPLIN_MOST_FIELD_DIMS || !number(item, &to[i]) || !to[i])
            return false;
    }
    return json_is_object(value);
}
static bool set(json_t *value, unsigned *to)
{
    size_t i;
    json_t *item;
    *to = 0;
    if (json_is_string(value) && !*json_string_value(value)) /* a property tree's empty list */
        return true;
    json_array_foreach(value, i, item)
    {
        unsigned dim;
        if (!number(item, &dim) || dim >= POPLIN_MOST_FIELD_DIMS)
            return false;
        *to |= 1u << dim;
    }
    return json_is_array(value);
}
static bool method(json_t *value, unsigned *to)
{
    const char *name = json_is_string(value) ? json_string_value(value) : "";
    for (*to = 0; poplin_methods[*to]; ++*to) {
        const struct poplin_method *row = poplin_methods[*to];
        if (strcmp(row->name, name) == 0 || (row->other_name && strcmp(row->other_name, name) == 0))
            return true;
    }
    return false;
}

/* The value itself, or the one that is its turn of an array. */
static json_t *choose(struct reader *r, json_t *value, enum shape shape)
{
    bool is_choice = json_is_array(value) && shape != LIST && (shape != SET || json_is_array(json_array_get(value, 0)));
    if (!is_choice || !json_array_size(value) || r->choices == MOST_CHOICES)
        return value;
    size_t at = r->choices++;
    r->of[at] = json_array_size(value);
    return json_array_get(value, r->chosen[at]);
}

/* ---- entries ---- */

static bool read_entries(struct reader *r, json_t *object, const struct entry *entries, size_t base, const char *group);

static bool read_entry(struct reader *r, json_t *given, const struct entry *entry, size_t base)
{
    unsigned *to = (unsigned *)(void *)((char *)r->to + base + entry->offset);
    json_t *value = choose(r, given, entry->shape);
    switch (entry->shape) {
    case NUMBER:
        return (number(value, to) && *to) || wrong(r, entry->name, "a whole number from 1 on");
    case FLAG:
        return flag(value, to) || wrong(r, entry->name, "true or false");
    case SET:
        return set(value, to) || wrong(r, entry->name, "a list of field dimensions");
    case LIST:
        return list(value, to) ||
               wrong(r, entry->name, "a list of whole numbers from 1 on, or an object of them by dimension");
    case METHOD:
        if (json_is_object(value))
            return read_entries(r, value, method_entries, 0, entry->name);
        return method(value, to) || wrong_method(r, entry->name);
    case NO_EFFECT:
        if (r->first)
            POPLIBS_LOG(WARN, "planConstraints: '%s' has no effect", entry->name);
        return true;
    case SPLIT:
        break;
    }
    if (json_is_object(value))
        return read_entries(r, value, split_entries,
                            entry->offset - offsetof(struct poplin_plan_constraints, out_chan_serial), entry->name);
    return (number(value, &to[1]) && to[1]) ||
           wrong(r, entry->name, "a whole number from 1 on, or serial and parallel ones");
}

/* An entry's name that is near, in text. */
static bool unknown(struct reader *r, const char *group, const char *key, const struct entry *entries)
{
    const struct entry *nearest = entries;
    for (const struct entry *entry = entries; entry->name; ++entry)
        if (poplibs_distance(key, entry->name) < poplibs_distance(key, nearest->name))
            nearest = entry;
    snprintf(r->text, r->size, "planConstraints: '%s' has no '%s'; the nearest is '%s'", group, key, nearest->name);
    return false;
}

static bool read_entries(struct reader *r, json_t *object, const struct entry *entries, size_t base, const char *group)
{
    const char *key;
    json_t *value;
    if (!json_is_object(object))
        return wrong(r, group, "an object");
    json_object_foreach(object, key, value)
    {
        const struct entry *entry = entries;
        while (entry->name && strcmp(entry->name, key) != 0)
            ++entry;
        if (!entry->name)
            return unknown(r, group, key, entries);
        if (!read_entry(r, value, entry, base))
            return false;
    }
    return true;
}

/* ---- levels: keys "0", "1" ---- */

/* Constraints of one level alone, into to. */
static bool read_level(struct reader *r, json_t *level, const char *name, struct poplin_plan_constraints *to)
{
    const char *key;
    json_t *value;
    struct reader of_level = *r;
    memset(to, 0xff, sizeof(*to));
    of_level.to = to;
    if (level && !json_is_object(level))
        return wrong(r, name, "an object");
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
        good = good && read_entries(&of_level, value, level_groups[group], 0, key);
    }
    r->choices = of_level.choices;
    memcpy(r->of, of_level.of, sizeof(r->of));
    return good;
}

static bool is_one_of(unsigned value, unsigned neutral)
{
    return value == POPLIN_FREE || value == neutral;
}
static const char *transforms_something(const struct poplin_plan_constraints *c)
{
    return !is_one_of(c->swap_operands, 0)                ? "swapOperands"
           : !is_one_of(c->expand_dims, 0)                ? "expandDims"
           : !is_one_of(c->out_chan_flatten_dims, 0)      ? "outChanFlattenDims"
           : !is_one_of(c->combine_conv_groups_factor, 1) ? "combineConvGroupsFactor"
                                                          : NULL;
}
static const char *splits_something(const struct poplin_plan_constraints *c)
{
    for (size_t d = 0; d < POPLIN_MOST_FIELD_DIMS; ++d) {
        if (!is_one_of(c->field_split[d], 1))
            return "fieldSplit";
        if (!is_one_of(c->kernel_split[d], 1))
            return "kernelSplit";
    }
    return !is_one_of(c->batch_split, 1)                                              ? "batchSplit"
           : !is_one_of(c->conv_group_split, 1)                                       ? "convGroupSplit"
           : !is_one_of(c->out_chan_serial, 1) || !is_one_of(c->out_chan_parallel, 1) ? "outChanSplit"
           : !is_one_of(c->in_chan_serial, 1) || !is_one_of(c->in_chan_parallel, 1)   ? "inChanSplit"
                                                                                      : NULL;
}

/* A plan is for the tiles of one IPU.  With one IPU that is level 0, and level 1 has transforms alone, of what is on a
 * tile, of which there are none here. With more level 0 is between IPUs and level 1 on each of them; a program that
 * names level 0 alone means the tiles. */
static bool read_levels(struct reader *r, json_t *root, unsigned num_ipus)
{
    struct poplin_plan_constraints levels[2];
    json_t *given[2] = { json_object_get(root, "0"), json_object_get(root, "1") };
    if (!read_level(r, given[0], "0", &levels[0]) || !read_level(r, given[1], "1", &levels[1]))
        return false;
    bool second = num_ipus > 1 && given[1];
    const struct poplin_plan_constraints *taken = &levels[second], *other = &levels[!second];
    const char *transform = transforms_something(other), *split = splits_something(other);
    if (transform || (split && second)) {
        snprintf(r->text, r->size,
                 "planConstraints: level \"%d\" cannot have this '%s': plans are for the tiles of one IPU, which are "
                 "level \"%d\" here",
                 !second, transform ? transform : split, second);
        return false;
    }
    if (split && r->first)
        POPLIBS_LOG(
            WARN,
            "planConstraints: the partition of level \"1\" has no effect on one IPU, whose tiles are level \"0\"");
    *r->to = *taken;
    return true;
}

/* ---- all of it ---- */

static bool read_once(struct reader *r, json_t *root, unsigned num_ipus)
{
    const char *key;
    json_t *value;
    r->choices = 0;
    if (!read_levels(r, root, num_ipus))
        return false;
    json_object_foreach(root, key, value)
    {
        const struct entry *entry = vertex_entries;
        if (strcmp(key, "0") == 0 || strcmp(key, "1") == 0)
            continue;
        while (entry->name && strcmp(entry->name, key) != 0)
            ++entry;
        if (!entry->name)
            return unknown(r, "planConstraints", key, vertex_entries);
        if (!read_entry(r, value, entry, 0))
            return false;
    }
    return true;
}
/* The next combination; false after the last. */
static bool advance(struct reader *r)
{
    for (size_t i = 0; i < r->choices; ++i) {
        if (++r->chosen[i] < r->of[i])
            return true;
        r->chosen[i] = 0;
    }
    return false;
}

bool poplin_plan_constraints_read(const char *json, unsigned num_ipus, struct poplin_plan_constraints *list_of,
                                  unsigned *count, char *text, size_t size)
{
    json_error_t error;
    struct reader r = { .text = text, .size = size, .first = true };
    void *begun = pop_text_begin();
    json_t *root = json_loads(json, 0, &error);
    pop_text_end(begun);
    bool good = json_is_object(root), more = good;
    if (!root)
        snprintf(text, size, "planConstraints is no JSON: %s (line %d)", error.text, error.line);
    else if (!good)
        wrong(&r, "planConstraints", "an object");
    for (*count = 0; good && more; ++*count) {
        if (*count == POPLIN_MOST_ALTERNATIVES) {
            snprintf(text, size, "planConstraints: its arrays have more than %d combinations",
                     POPLIN_MOST_ALTERNATIVES);
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
