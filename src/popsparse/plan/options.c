/* SPDX-License-Identifier: Apache-2.0 */
#include "popsparse/plan/options.h"
#include "poplibs/options.h"

#include <jansson.h>

struct static_options {
    struct sparse_options common;
    unsigned bands, splits;
    bool verbose, preprocessing;
};

static const struct poplibs_option fully_connected_table[] = {
#define SPARSE_OPTION(...)          POPLIBS_ROW(struct sparse_options, __VA_ARGS__)
#define SPARSE_TRAINING_OPTION(...) POPLIBS_ROW(struct sparse_options, __VA_ARGS__)
#include "poplibs/options.def"
};
static const struct poplibs_option mat_mul_table[] = {
#define SPARSE_OPTION(...) POPLIBS_ROW(struct sparse_options, __VA_ARGS__)
#include "poplibs/options.def"
};
static const struct poplibs_option static_table[] = {
#define STATIC_SPARSE_OPTION(...) POPLIBS_ROW(struct static_options, __VA_ARGS__)
#include "poplibs/options.def"
};

/* {"partition": {"x": n, "y": n, "z": n}} */
static bool read_splits(const struct call *call, const json_t *partition, struct sparse_options *options)
{
    const char *key;
    json_t *value;
    if (!json_is_object(partition))
        return call_fail(call, POP_INVALID_OPTION, "option 'planConstraints': 'partition' is not an object");
    json_object_foreach((json_t *)(uintptr_t)partition, key, value)
    {
        size_t axis = (size_t)(*key - 'x');
        if (axis > 2 || key[1])
            return call_fail(call, POP_INVALID_OPTION, "'partition.%s': key is not currently handled or does not exist",
                             key);
        if (!json_is_integer(value) || json_integer_value(value) < 1 || json_integer_value(value) > UINT32_MAX)
            return call_fail(call, POP_INVALID_OPTION, "'partition.%s' is not a whole number from 1 on", key);
        options->splits[axis] = (size_t)json_integer_value(value);
    }
    return true;
}
static bool read_constraints(const struct call *call, const json_t *object, struct sparse_options *options)
{
    const char *key;
    json_t *value;
    if (!json_is_object(object))
        return call_fail(call, POP_INVALID_OPTION, "option 'planConstraints' is not a JSON object");
    json_object_foreach((json_t *)(uintptr_t)object, key, value)
    {
        if (strcmp(key, "partition") != 0)
            return call_fail(call, POP_INVALID_OPTION, "'%s': key is not currently handled or does not exist", key);
        if (!read_splits(call, value, options))
            return false;
    }
    return true;
}
static bool take_constraints(const struct call *call, struct sparse_options *options)
{
    if (!*options->constraints)
        return true;
    json_error_t error;
    void *locale = pop_text_begin();
    json_t *object = json_loads(options->constraints, 0, &error);
    pop_text_end(locale);
    bool right = object ? read_constraints(call, object, options)
                        : call_fail(call, POP_INVALID_OPTION, "option 'planConstraints' is not JSON: %s", error.text);
    json_decref(object);
    return right;
}

static bool check(const struct call *call, const struct sparse_options *options)
{
    if (!(options->proportion >= 0))
        return call_fail(call, POP_INVALID_OPTION, "option 'availableMemoryProportion' is %g; it must be at least 0",
                         options->proportion);
    if (!(options->oversize >= 0 && options->oversize <= 1000))
        return call_fail(call, POP_INVALID_OPTION,
                         "option 'metaInfoBucketOversizeProportion' is %g; it must be from 0 to 1000",
                         options->oversize);
    return true;
}

bool sparse_options_parse(const struct call *call, enum sparse_option_set set, struct sparse_options *options)
{
    struct static_options parsed = { .common = { .proportion = 0.6,
                                                 .oversize = 0.3,
                                                 .for_speed = true,
                                                 .shared = true,
                                                 .rearrange = true,
                                                 .constraints = "" },
                                     .preprocessing = true };
    const struct poplibs_option *table = set == SPARSE_OF_FULLY_CONNECTED ? fully_connected_table
                                         : set == SPARSE_OF_MAT_MUL       ? mat_mul_table
                                                                          : static_table;
    size_t count = set == SPARSE_OF_FULLY_CONNECTED ? sizeof(fully_connected_table) / sizeof(*table)
                   : set == SPARSE_OF_MAT_MUL       ? sizeof(mat_mul_table) / sizeof(*table)
                                                    : sizeof(static_table) / sizeof(*table);
    if (set == SPARSE_OF_MAT_MUL)
        parsed.common.grad_a = true;
    if (!call_parse_options(call, call->options, table, count, &parsed))
        return false;
    *options = parsed.common;
    return check(call, options) && take_constraints(call, options);
}
