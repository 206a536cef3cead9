/* SPDX-License-Identifier: Apache-2.0 */
/* Options of convolutions. */
#include "poplin/planner/conv_options.h"
#include "poplin/planner/planner.h"

#include "poplibs/log.h"
#include "poplibs/options.h"

#include <poplar/text.h>

struct conv_options conv_options_default(const pop_target *target)
{
    struct conv_options options;
    memset(&options, 0, sizeof(options));
    memset(&options.constraints, 0xff, sizeof(options.constraints));
    options.alternatives = 1;
    options.available_memory_proportion = 0.6;
    options.pass = POPLIN_PASS_NONE;
    options.partials_type = options.inter_tile_partials_type = options.inter_ipu_partials_type = POP_FLOAT;
    options.enable_multi_stage_reduce = options.enable_single_input_reduce = options.remap_output_tensor = true;
    options.num_ipus = target->num_ipus;
    options.tiles_per_ipu = target->tiles_per_ipu;
    return options;
}

/* The values that the table parses; types are indices in a list of names. */
struct parsed {
    struct conv_options options;
    int partials, inter_tile, inter_ipu;
    unsigned num_ipus, tiles_per_ipu;
    const char *constraints, *output;
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
    options->inter_ipu_partials_type = partials_of(parsed->inter_ipu < 0 ? parsed->partials : parsed->inter_ipu);
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

static struct parsed defaults(const pop_target *target)
{
    struct parsed parsed;
    memset(&parsed, 0, sizeof(parsed));
    parsed.options = conv_options_default(target);
    parsed.partials = 1;
    parsed.inter_tile = parsed.inter_ipu = -1;
    parsed.num_ipus = target->num_ipus;
    parsed.tiles_per_ipu = target->tiles_per_ipu;
    return parsed;
}
enum { OPTIONS = sizeof(table) / sizeof(table[0]) };

bool conv_options_parse(const struct call *call, pop_options given, struct conv_options *options)
{
    char text[400];
    const pop_target *target = pop_graph_target(call->graph);
    struct parsed parsed = defaults(target);
    if (!call_parse_options(call, given, table, OPTIONS, &parsed))
        return false;
    return take(target, &parsed, options, text, sizeof(text)) || call_fail(call, POP_INVALID_OPTION, "%s", text);
}

/* Errors are recorded in a graph, so a temporary one is created. */
pop_status conv_options_read(const struct call *call, const pop_target *target, pop_options given,
                             struct conv_options *options, pop_error *error)
{
    pop_graph *graph = pop_graph_create(target);
    struct call own = call_on(call, graph);
    pop_status status = conv_options_parse(&own, given, options) ? POP_OK : pop_graph_take_error(graph, error);
    pop_graph_destroy(graph);
    return status;
}

void conv_options_for_quarter(struct conv_options *options)
{
    if (options->partials_type != POP_HALF)
        POPLIBS_LOG(INFO, "partial sums of quarter operands are half, not %s", pop_type_name(options->partials_type));
    options->partials_type = options->inter_tile_partials_type = options->inter_ipu_partials_type = POP_HALF;
}
