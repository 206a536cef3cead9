/* SPDX-License-Identifier: Apache-2.0 */
/* Options of matrix products, and their conversion to options of convolutions. */
#include "poplibs/log.h"
#include "poplibs/options.h"
#include "poplin/product/mat_mul_call.h"
#include "poplin/product/product.h"

#include <stddef.h>

struct values {
    double proportion;
    int pass, partials;
    bool arranged, wide, stages, fast, remap, gather, single, rounds;
    const char *constraints;
};

static const struct poplibs_option table[] = {
#define MAT_MUL_OPTION(...) POPLIBS_ROW(struct values, __VA_ARGS__)
#include "poplibs/options.def"
};
static const char *const passes[] = { "NONE_MATMUL", "FC_INFERENCE_FWD", "FC_TRAINING_FWD", "FC_TRAINING_BWD",
                                      "FC_TRAINING_WU" };
enum { KEYS = sizeof(table) / sizeof(table[0]) };

/* The convolution's name for an option; NULL for one that convolutions do not have. */
static const char *conv_key(const char *key)
{
    if (strcmp(key, "inputRHSIsPreArranged") == 0)
        return NULL;
    return strcmp(key, "fullyConnectedPass") == 0 ? "pass"
           : strcmp(key, "gatherOutput") == 0     ? "gatherConvOutput"
                                                  : key;
}

static const char *last_value(pop_options options, const char *key)
{
    const char *value = NULL;
    for (size_t i = 0; i < options.count; ++i)
        if (strcmp(options.list[i].key, key) == 0)
            value = options.list[i].value;
    return value;
}

/* Converts each key once, with its last value; the pass always, because a product's default is not a convolution's. */
static size_t translate(pop_options options, const struct values *values, pop_option *list, size_t capacity)
{
    size_t count = 0;
    for (size_t k = 0; k < KEYS; ++k) {
        const char *key = conv_key(table[k].key), *value = last_value(options, table[k].key);
        if (key && strcmp(key, "pass") == 0)
            value = passes[values->pass];
        if (key && value && count < capacity)
            list[count++] = (pop_option){ key, value };
    }
    return count;
}

static bool read_options(const struct call *call, pop_option *list, size_t capacity, size_t *count,
                         bool *rhs_is_arranged)
{
    struct values values = { 0 };
    if (!call_read_options(call, call->options, table, KEYS, &values))
        return false;
    if (!(values.proportion >= 0))
        return call_fail(call, POP_INVALID_OPTION, "option 'availableMemoryProportion' is %g; it must not be negative",
                         values.proportion);
    *count = translate(call->options, &values, list, capacity);
    *rhs_is_arranged = values.arranged;
    return true;
}

bool mat_mul_begin(const struct call *call, struct mat_mul_call *request, poplin_planning_cache *cache)
{
    *request = (struct mat_mul_call){ .call = call, .cache = cache };
    return call_ready(call) &&
           read_options(call, request->list, POPLIN_MAX_MAT_MUL_OPTIONS, &request->options, &request->rhs_is_arranged);
}

bool poplin_matmul_validate_options_at(pop_where where, pop_graph *graph, pop_options options)
{
    POPLIBS_CALL(graph, options);
    struct mat_mul_call request;
    return mat_mul_begin(call, &request, NULL);
}

pop_status poplin_mat_mul_conv_options(pop_options options, pop_option *list, size_t capacity, size_t *count,
                                       pop_error *error)
{
    pop_error found;
    bool rhs_is_arranged;
    struct call call = call_reporting(
        &(struct call){ .api = "poplin_mat_mul_conv_options", .options = options, .library = POPLIBS_LIBRARY }, &found);
    return read_options(&call, list, capacity, count, &rhs_is_arranged) ? POP_OK : call_report(&call, error);
}
