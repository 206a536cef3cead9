/* SPDX-License-Identifier: Apache-2.0 */
/* Options of convolutions. */
#include "poplin/planner/conv_options.h"
#include "poplin/planner/planner.h"

#include "poplibs/log.h"
#include "poplibs/options.h"

#include <poplar/text.h>

/* The values that the table parses; types are indices in a list of names. */
struct parsed {
    struct conv_options options;
    int partials, inter_tile;
    unsigned num_ipus, tiles_per_ipu;
    const char *constraints, *output;
    bool idle; /* options without effect; equal plans are found whatever they are */
    int idle_choice;
};
static const struct poplibs_option table[] = {
#define CONV_OPTION(...) POPLIBS_ROW(struct parsed, __VA_ARGS__)
#include "poplibs/options.def"
};

static pop_type partials_of(int choice)
{
    return choice ? POP_FLOAT : POP_HALF;
}

/* Copies the parsed values to options; for an invalid value text describes the error. */
static bool take(const pop_target *target, const struct parsed *parsed, struct conv_options *options, char *text,
                 size_t size)
{
    *options = parsed->options;
    if (!(options->available_memory_proportion >= 0)) {
        pop_text_format(text, size, "option 'availableMemoryProportion' is %g; it must not be negative",
                        options->available_memory_proportion);
        return false;
    }
    if (!parsed->num_ipus || parsed->num_ipus > target->num_ipus || !parsed->tiles_per_ipu ||
        parsed->tiles_per_ipu > target->tiles_per_ipu) {
        bool ipus = !parsed->num_ipus || parsed->num_ipus > target->num_ipus;
        snprintf(text, size, "option '%s' is %u; the target has %u", ipus ? "numIPUs" : "tilesPerIPU",
                 ipus ? parsed->num_ipus : parsed->tiles_per_ipu, ipus ? target->num_ipus : target->tiles_per_ipu);
        return false;
    }
    options->num_ipus = parsed->num_ipus;
    options->tiles_per_ipu = parsed->tiles_per_ipu;
    options->partials_type = partials_of(parsed->partials);
    options->inter_tile_partials_type = partials_of(parsed->inter_tile < 0 ? parsed->partials : parsed->inter_tile);
    if (parsed->output && strlen(parsed->output) >= sizeof(options->constraints_output)) {
        snprintf(text, size, "option 'planConstraintsOutputFilename' has %zu characters; at most %zu are allowed",
                 strlen(parsed->output), sizeof(options->constraints_output) - 1);
        return false;
    }
    if (parsed->output)
        memcpy(options->constraints_output, parsed->output, strlen(parsed->output) + 1);
    if (!parsed->constraints || !*parsed->constraints)
        return true;
    options->is_constrained = true;
    return plan_constraints_read(parsed->constraints, options->num_ipus, options->constraints, &options->alternatives,
                                 text, size);
}

enum { OPTIONS = sizeof(table) / sizeof(table[0]) };

/* Padding bytes are zero, so that equal options have equal bytes. */
static struct parsed defaults(const pop_target *target)
{
    struct parsed parsed;
    memset(&parsed, 0, sizeof(parsed));
    memset(&parsed.options.constraints, 0xff, sizeof(parsed.options.constraints));
    parsed.options.alternatives = 1;
    parsed.inter_tile = -1;
    parsed.num_ipus = target->num_ipus;
    parsed.tiles_per_ipu = target->tiles_per_ipu;
    poplibs_default_options(table, OPTIONS, &parsed);
    return parsed;
}

bool conv_options_parse(const struct call *call, const pop_target *target, pop_options given,
                        struct conv_options *options)
{
    char text[400];
    struct parsed parsed = defaults(target);
    if (!call_parse_options(call, given, table, OPTIONS, &parsed))
        return false;
    return take(target, &parsed, options, text, sizeof(text)) || call_fail(call, POP_INVALID_OPTION, "%s", text);
}

void conv_options_for_quarter(struct conv_options *options)
{
    if (options->partials_type != POP_HALF)
        POPLIBS_LOG(INFO, "partial sums of quarter operands are half, not %s", pop_type_name(options->partials_type));
    options->partials_type = options->inter_tile_partials_type = POP_HALF;
}
