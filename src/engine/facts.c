/* SPDX-License-Identifier: Apache-2.0 */
/* Additions of programs to their reports: framework.json, app.json, and parameters of runs. */
#include "base/file.h"
#include "base/str.h"
#include "engine/state.h"
#include "report/database.h"
#include "report/report.h"
#include "report/select.h"

#include <poplar/profile.h>

static pop_status write_json(const char *path, const pop_profile_value *value, const char *api, pop_error *error)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    bool good = file && pop_profile_write_json(file, value, true);
    if (file)
        good &= fclose(file) == 0;
    pop_status status = good ? file_write(path, text, size, error)
                             : error_set(error, POP_FILE_LOAD_ERROR, NO_WHERE, api,
                                         "the value cannot be written as JSON to '%s'", path);
    free(text);
    return status;
}

pop_status pop_engine_report_json(const pop_engine *engine, const char *name, const pop_profile_value *value,
                                  pop_error *error)
{
    static const char api[] = "pop_engine_report_json";
    pop_error ours;
    error = error ? error : &ours;
    if (!engine || !name || !value)
        return error_set(error, POP_RUNTIME_ERROR, NO_WHERE, api, "the %s is NULL",
                         !engine ? "engine"
                         : !name ? "name"
                                 : "value");
    if (strcmp(name, "framework") != 0 && strcmp(name, "app") != 0)
        return error_set(error, POP_INVALID_OPTION, NO_WHERE, api,
                         "the file '%s' is unknown: 'framework' and 'app' are known", name);
    if (!report_asks_any(&engine->options))
        return POP_OK;
    struct str path = { 0 };
    char *directory = report_directory(&engine->options, engine->name, api, error);
    pop_status status = directory && database_directories(directory, error) ? POP_OK : error->status;
    if (status == POP_OK) {
        str_format(&path, "%s/%s.json", directory, name);
        status = write_json(path.text, value, api, error);
    }
    str_free(&path);
    free(directory);
    return status;
}

pop_status pop_engine_report_run_parameter(pop_engine *engine, const char *name, const char *value, pop_error *error)
{
    static const char api[] = "pop_engine_report_run_parameter";
    if (!engine || !name || !value)
        return error_set(error, POP_RUNTIME_ERROR, NO_WHERE, api, "the %s is NULL",
                         !engine ? "engine"
                         : !name ? "name"
                                 : "value");
    if (engine->report)
        report_run_parameter(engine->report, name, value);
    return POP_OK;
}
