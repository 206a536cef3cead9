/* SPDX-License-Identifier: Apache-2.0 */
#include "report/select.h"

#include "base/error.h"
#include "base/str.h"

#include <assert.h>

static const struct {
    const char *key;
    bool by_all; /* also enabled by autoReport.all */
} parts[] = {
    [REPORT_GRAPH_PROFILE] = { "autoReport.outputGraphProfile", true },
    [REPORT_EXECUTION_PROFILE] = { "autoReport.outputExecutionProfile", true },
    [REPORT_LOWERED_VARS] = { "autoReport.outputLoweredVars", true },
    [REPORT_ARCHIVE] = { "autoReport.outputArchive", true },
    [REPORT_DEBUG_INFO] = { "autoReport.outputDebugInfo", true },
    [REPORT_SERIALIZED_GRAPH] = { "autoReport.outputSerializedGraph", false },
};

static bool by_key(const struct option_set *options, enum report_part part)
{
    if (*options_get(options, "engine", parts[part].key))
        return options_bool(options, "engine", parts[part].key);
    return parts[part].by_all &&
           (options_bool(options, "engine", "autoReport.all") || options_bool(options, "engine", "autoReport.enable"));
}

/* A profile may lack the execution but never the compilation, and lowered variables are in the same file. */
bool report_asks(const struct option_set *options, enum report_part part)
{
    return by_key(options, part) || (part == REPORT_GRAPH_PROFILE && (by_key(options, REPORT_EXECUTION_PROFILE) ||
                                                                      by_key(options, REPORT_LOWERED_VARS)));
}

int report_asks_key(const struct option_set *options, const char *key)
{
    for (int part = 0; part < REPORT_PARTS; ++part)
        if (!strcmp(parts[part].key, key))
            return report_asks(options, (enum report_part)part);
    return -1;
}

bool report_asks_any(const struct option_set *options)
{
    for (int part = 0; part < REPORT_PARTS; ++part)
        if (report_asks(options, (enum report_part)part))
            return true;
    return false;
}

static void imply(struct option_set *options, const char *key, const char *value)
{
    if (options_is_set(options, key))
        return;
    pop_error error;
    pop_option option = { key, value };
    pop_status status =
        options_apply(options, "engine", (pop_options){ &option, 1 }, NULL, NO_WHERE, "report_imply", &error);
    assert(status == POP_OK);
    (void)status;
}

void report_imply(struct option_set *options)
{
    const char *execution = options_get(options, "engine", parts[REPORT_EXECUTION_PROFILE].key);
    bool refused = *execution && !options_bool(options, "engine", parts[REPORT_EXECUTION_PROFILE].key);
    bool off = options_is_set(options, "debug.instrument") && !options_bool(options, "engine", "debug.instrument");
    if (refused || off) {
        imply(options, "debug.instrumentCompute", "false");
        imply(options, "debug.instrumentExternalExchange", "false");
    } else if (report_asks(options, REPORT_EXECUTION_PROFILE)) {
        imply(options, "debug.instrument", "true");
    }
}

/* Whether a path is relative and stays below its starting directory. */
static bool is_inside(const char *name)
{
    if (*name == '/')
        return false;
    for (const char *part = name; part; part = strchr(part, '/')) {
        part += *part == '/';
        if (!strncmp(part, "..", 2) && (part[2] == '/' || !part[2]))
            return false;
    }
    return true;
}

const char *report_root(const struct option_set *options)
{
    const char *directory = options_get(options, "engine", "autoReport.directory");
    return *directory ? directory : ".";
}

char *report_directory(const struct option_set *options, const char *engine, const char *api, pop_error *error)
{
    struct str path = { 0 };
    if (engine && !is_inside(engine)) {
        error_set(error, POP_INVALID_OPTION, NO_WHERE, api,
                  "the engine's name is '%s', and its report goes to a directory of that name below "
                  "autoReport.directory: a name may not begin with '/' "
                  "or have a part '..'",
                  engine);
        return NULL;
    }
    str_add(&path, report_root(options));
    if (engine && *engine)
        str_format(&path, "/%s", engine);
    return path.text;
}
