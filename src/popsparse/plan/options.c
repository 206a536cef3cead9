/* SPDX-License-Identifier: Apache-2.0 */
#include "popsparse/plan/options.h"
#include "poplibs/constraints.h"
#include "poplibs/options.h"

struct static_options {
    struct sparse_options common;
    unsigned bands, splits;
    bool preprocessing; /* without effect */
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

static bool take_constraints(const struct call *call, struct sparse_options *options)
{
    const struct poplibs_constraint rows[] = { { "x", &options->splits[0], false },
                                               { "y", &options->splits[1], false },
                                               { "z", &options->splits[2], false } };
    return call_read_constraints(call, options->constraints, "partition", rows, sizeof(rows) / sizeof(rows[0]));
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

struct sparse_options sparse_options_default(void)
{
    return (struct sparse_options){ .proportion = 0.6,
                                    .oversize = 0.3,
                                    .for_speed = true,
                                    .shared = true,
                                    .rearrange = true,
                                    .constraints = "",
                                    .sums = POP_FLOAT };
}

bool sparse_options_parse(const struct call *call, enum sparse_option_set set, bool transposed,
                          struct sparse_options *options)
{
    /* With what the table of a set lacks. */
    struct static_options parsed = { .common = sparse_options_default() };
    const struct poplibs_option *table = set == SPARSE_OF_FULLY_CONNECTED ? fully_connected_table
                                         : set == SPARSE_OF_MAT_MUL       ? mat_mul_table
                                                                          : static_table;
    size_t count = set == SPARSE_OF_FULLY_CONNECTED ? sizeof(fully_connected_table) / sizeof(*table)
                   : set == SPARSE_OF_MAT_MUL       ? sizeof(mat_mul_table) / sizeof(*table)
                                                    : sizeof(static_table) / sizeof(*table);
    if (set == SPARSE_OF_MAT_MUL)
        parsed.common.grad_a = true;
    if (!call_read_options(call, call->options, table, count, &parsed))
        return false;
    *options = parsed.common;
    /* Bands divide what is summed over. */
    options->splits[transposed ? 0 : 1] = parsed.bands;
    options->splits[2] = parsed.splits;
    return check(call, options) && take_constraints(call, options);
}
