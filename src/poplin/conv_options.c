/* SPDX-License-Identifier: Apache-2.0 */
/* Options of convolutions, and the JSON of planConstraints. */
#include "poplin/conv_options.h"

#include "poplibs/options.h"

#include <jansson.h>

struct poplin_conv_options poplin_conv_options_default(const pop_target *target)
{
    struct poplin_conv_options options;
    memset(&options, 0, sizeof(options));
    memset(&options.constraints, 0xff, sizeof(options.constraints));
    options.available_memory_proportion = 0.6;
    options.pass = POPLIN_PASS_NONE;
    options.partials_type = options.inter_tile_partials_type = options.inter_ipu_partials_type = POP_FLOAT;
    options.enable_multi_stage_reduce = options.enable_single_input_reduce = options.remap_output_tensor = true;
    options.num_ipus = target->num_ipus;
    options.tiles_per_ipu = target->tiles_per_ipu;
    return options;
}

/* What the table parses; types are places in a list. */
struct parsed {
    struct poplin_conv_options options;
    int partials, inter_tile, inter_ipu;
    unsigned num_ipus, tiles_per_ipu;
    const char *constraints, *output;
};
#define OPTION(key, kind, member, choices) { key, kind, offsetof(struct parsed, member), choices }
static const struct poplibs_option table[] = {
    OPTION("availableMemoryProportion", POPLIBS_DOUBLE, options.available_memory_proportion, NULL),
    OPTION("pass", POPLIBS_CHOICE, options.pass, POPLIN_PASS_NAMES),
    OPTION("partialsType", POPLIBS_CHOICE, partials, "half|float"),
    OPTION("partialsType.interTile", POPLIBS_CHOICE, inter_tile, "half|float"),
    OPTION("partialsType.interIPU", POPLIBS_CHOICE, inter_ipu, "half|float"),
    OPTION("use128BitConvUnitLoad", POPLIBS_BOOL, options.use_128bit_conv_unit_load, NULL),
    OPTION("enableMultiStageReduce", POPLIBS_BOOL, options.enable_multi_stage_reduce, NULL),
    OPTION("enableFastReduce", POPLIBS_BOOL, options.enable_fast_reduce, NULL),
    OPTION("enableSingleInputReduce", POPLIBS_BOOL, options.enable_single_input_reduce, NULL),
    OPTION("enableConvDithering", POPLIBS_BOOL, options.enable_conv_dithering, NULL),
    OPTION("enableAmpHalfEnginesPlan", POPLIBS_BOOL, options.enable_amp_half_engines_plan, NULL),
    OPTION("numIPUs", POPLIBS_UNSIGNED, num_ipus, NULL),
    OPTION("tilesPerIPU", POPLIBS_UNSIGNED, tiles_per_ipu, NULL),
    OPTION("startTileMultiplier", POPLIBS_UNSIGNED, options.start_tile_multiplier, NULL),
    OPTION("remapOutputTensor", POPLIBS_BOOL, options.remap_output_tensor, NULL),
    OPTION("gatherConvOutput", POPLIBS_BOOL, options.gather_conv_output, NULL),
    OPTION("disableTransformations", POPLIBS_BOOL, options.disable_transformations, NULL),
    OPTION("insertTransformsCycleCountProgs", POPLIBS_BOOL, options.insert_transforms_cycle_count_progs, NULL),
    OPTION("experimental.convTransformsEstimates", POPLIBS_BOOL, options.conv_transforms_estimates, NULL),
    OPTION("disableSRForAMPVertices", POPLIBS_BOOL, options.disable_sr_for_amp_vertices, NULL),
    OPTION("planConstraints", POPLIBS_TEXT, constraints, NULL),
    OPTION("planConstraintsOutputFilename", POPLIBS_TEXT, output, NULL),
};

static pop_type partials_of(int choice)
{
    return choice ? POP_FLOAT : POP_HALF;
}

/* Takes what was parsed over; a text says what cannot be. */
static bool take(const pop_target *target, const struct parsed *parsed, struct poplin_conv_options *options, char *text, size_t size)
{
    *options = parsed->options;
    if (!(options->available_memory_proportion > 0 && options->available_memory_proportion <= 1)) {
        snprintf(text, size, "option 'availableMemoryProportion' is %g; it must be above 0 and at most 1", options->available_memory_proportion);
        return false;
    }
    if (!parsed->num_ipus || parsed->num_ipus > target->num_ipus || !parsed->tiles_per_ipu || parsed->tiles_per_ipu > target->tiles_per_ipu) {
        bool ipus = !parsed->num_ipus || parsed->num_ipus > target->num_ipus;
        snprintf(text, size, "option '%s' is %u; the target has %u", ipus ? "numIPUs" : "tilesPerIPU", ipus ? parsed->num_ipus : parsed->tiles_per_ipu,
                 ipus ? target->num_ipus : target->tiles_per_ipu);
        return false;
    }
    options->num_ipus = parsed->num_ipus;
    options->tiles_per_ipu = parsed->tiles_per_ipu;
    options->partials_type = partials_of(parsed->partials);
    options->inter_tile_partials_type = partials_of(parsed->inter_tile < 0 ? parsed->partials : parsed->inter_tile);
    options->inter_ipu_partials_type = partials_of(parsed->inter_ipu < 0 ? parsed->partials : parsed->inter_ipu);
    if (parsed->output && strlen(parsed->output) >= sizeof(options->constraints_output)) {
        snprintf(text, size, "option 'planConstraintsOutputFilename' has %zu characters; it takes %zu at most", strlen(parsed->output),
                 sizeof(options->constraints_output) - 1);
        return false;
    }
    if (parsed->output)
        memcpy(options->constraints_output, parsed->output, strlen(parsed->output) + 1);
    if (!parsed->constraints || !*parsed->constraints)
        return true;
    options->is_constrained = true;
    return poplin_plan_constraints_read(parsed->constraints, &options->constraints, text, size);
}

static struct parsed defaults(const pop_target *target)
{
    struct parsed parsed;
    memset(&parsed, 0, sizeof(parsed));
    parsed.options = poplin_conv_options_default(target);
    parsed.partials = 1;
    parsed.inter_tile = parsed.inter_ipu = -1;
    parsed.num_ipus = target->num_ipus;
    parsed.tiles_per_ipu = target->tiles_per_ipu;
    return parsed;
}
enum { OPTIONS = sizeof(table) / sizeof(table[0]) };

bool poplin_conv_options_parse(pop_where where, pop_graph *graph, const char *api, pop_options given, struct poplin_conv_options *options)
{
    char text[400];
    const pop_target *target = pop_graph_target(graph);
    struct parsed parsed = defaults(target);
    if (!poplibs_parse_options(where, graph, api, given, table, OPTIONS, &parsed))
        return false;
    return take(target, &parsed, options, text, sizeof(text)) || poplibs_fail(graph, POP_INVALID_OPTION, where, api, "%s", text);
}

/* poplibs_parse_options tells a graph what is wrong: one is made for it. */
pop_status poplin_conv_options_read(pop_where where, const pop_target *target, const char *api, pop_options given,
                                    struct poplin_conv_options *options, pop_error *error)
{
    pop_graph *graph = pop_graph_create(target);
    pop_status status = poplin_conv_options_parse(where, graph, api, given, options) ? POP_OK : pop_graph_take_error(graph, error);
    pop_graph_destroy(graph);
    return status;
}

/* ---- plan constraints ---- */

struct reader {
    struct poplin_plan_constraints *to;
    char *text;
    size_t size;
};
enum shape { NUMBER, FLAG, SET, LIST, METHOD, SPLIT };
#define ENTRY(name, shape, member) { name, shape, offsetof(struct poplin_plan_constraints, member) }
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
};

static bool wrong(struct reader *r, const char *name, const char *takes)
{
    snprintf(r->text, r->size, "planConstraints: '%s' takes %s", name, takes);
    return false;
}

static bool number(json_t *value, unsigned *to)
{
    bool fits = json_is_integer(value) && json_integer_value(value) >= 0 && json_integer_value(value) < POPLIN_FREE;
    if (fits)
        *to = (unsigned)json_integer_value(value);
    return fits;
}
/* "0": 3, as Poplibs writes lists of which not all entries are fixed; or [3, 1]. */
static bool list(json_t *value, unsigned *to)
{
    size_t i;
    json_t *item;
    const char *key;
    if (json_is_array(value)) {
        json_array_foreach(value, i, item)
            if (i >= POPLIN_MOST_FIELD_DIMS || !number(item, &to[i]) || !to[i])
                return false;
        return true;
    }
    json_object_foreach(value, key, item) {
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
    json_array_foreach(value, i, item) {
        unsigned dim;
        if (!number(item, &dim) || dim >= POPLIN_MOST_FIELD_DIMS)
            return false;
        *to |= 1u << dim;
    }
    return json_is_array(value);
}
static bool method(json_t *value, unsigned *to)
{
    int place = json_is_string(value) ? poplibs_choice("AMP|SLIC|MAC|OUTER_PRODUCT", json_string_value(value)) : -1;
    *to = (unsigned)place;
    return place >= 0;
}

static bool read_entries(struct reader *r, json_t *object, const struct entry *entries, size_t base, const char *group);

static bool read_entry(struct reader *r, json_t *value, const struct entry *entry, size_t base)
{
    unsigned *to = (unsigned *)(void *)((char *)r->to + base + entry->offset);
    switch (entry->shape) {
    case NUMBER: return (number(value, to) && *to) || wrong(r, entry->name, "a whole number from 1 on");
    case FLAG:
        if (json_is_boolean(value))
            *to = json_is_true(value);
        return json_is_boolean(value) || wrong(r, entry->name, "true or false");
    case SET: return set(value, to) || wrong(r, entry->name, "a list of field dimensions");
    case LIST: return list(value, to) || wrong(r, entry->name, "a list of whole numbers from 1 on, or an object of them by dimension");
    case METHOD: return method(value, to) || wrong(r, entry->name, "AMP, SLIC, MAC or OUTER_PRODUCT");
    case SPLIT: break;
    }
    if (json_is_object(value))
        return read_entries(r, value, split_entries, entry->offset - offsetof(struct poplin_plan_constraints, out_chan_serial), entry->name);
    return (number(value, &to[1]) && to[1]) || wrong(r, entry->name, "a whole number from 1 on, or serial and parallel ones");
}

static bool read_entries(struct reader *r, json_t *object, const struct entry *entries, size_t base, const char *group)
{
    const char *key;
    json_t *value;
    if (!json_is_object(object))
        return wrong(r, group, "an object");
    json_object_foreach(object, key, value) {
        const struct entry *entry = entries;
        while (entry->name && strcmp(entry->name, key) != 0)
            ++entry;
        if (!entry->name) {
            snprintf(r->text, r->size, "planConstraints: '%s' has no '%s'", group, key);
            return false;
        }
        if (!read_entry(r, value, entry, base))
            return false;
    }
    return true;
}

/* Levels of the hierarchy are keys "0", "1"; one IPU has its partition in level 0. */
static bool read_level(struct reader *r, json_t *level)
{
    const char *key;
    json_t *value;
    if (!json_is_object(level))
        return wrong(r, "0", "an object");
    json_object_foreach(level, key, value) {
        bool transform = strcmp(key, "transform") == 0;
        if (!transform && strcmp(key, "partition") != 0) {
            snprintf(r->text, r->size, "planConstraints: a level has no '%s', but 'transform' and 'partition'", key);
            return false;
        }
        if (!read_entries(r, value, transform ? transform_entries : partition_entries, 0, key))
            return false;
    }
    return true;
}

bool poplin_plan_constraints_read(const char *json, struct poplin_plan_constraints *constraints, char *text, size_t size)
{
    json_error_t error;
    struct reader r = { constraints, text, size };
    json_t *root = json_loads(json, 0, &error), *value;
    const char *key;
    bool good = json_is_object(root);
    memset(constraints, 0xff, sizeof(*constraints));
    if (!root)
        snprintf(text, size, "planConstraints is no JSON: %s (line %d)", error.text, error.line);
    else if (!good)
        wrong(&r, "planConstraints", "an object");
    json_object_foreach(root, key, value) {
        json_t *one = strcmp(key, "0") == 0 ? NULL : json_pack("{sO}", key, value);
        good = good && (one ? read_entries(&r, one, vertex_entries, 0, "planConstraints") : read_level(&r, value));
        json_decref(one);
    }
    json_decref(root);
    return good;
}
