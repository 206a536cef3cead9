/* SPDX-License-Identifier: Apache-2.0 */
/* The printed summary of a report file. libpva reads it; it is loaded when it is needed, as programs that print no
 * report need no SQLite. */
#include "base/error.h"
#include "base/plugin.h"

#include <dlfcn.h>
#include <poplar/profile.h>
#include <pva/pva.h>
#include <string.h>

/* The functions of libpva that are used. */
struct summary_reader {
    pva_file *(*open)(const char *path, const char *debug_cbor, pop_error *error);
    pop_status (*print)(FILE *stream, pva_file *report, pop_options options, pop_error *error);
    void (*close)(pva_file *file);
};

static bool find(void *library, const char *name, void *function, size_t size)
{
    void *address = dlsym(library, name);
    memcpy(function, &address, size);
    return address;
}

static bool load_reader(struct summary_reader *reader)
{
    void *library = plugin_load("libpva.so.0", RTLD_NOW | RTLD_LOCAL); /* stays loaded */
    return library && find(library, "pva_open_report", &reader->open, sizeof(reader->open)) &&
           find(library, "pva_print_summary", &reader->print, sizeof(reader->print)) &&
           find(library, "pva_close", &reader->close, sizeof(reader->close));
}

pop_status pop_print_report_summary(FILE *file, const char *path, pop_options options, pop_error *error)
{
    static const char api[] = "pop_print_report_summary";
    if (!file || !path)
        return error_set(error, POP_RUNTIME_ERROR, NO_WHERE, api, "the %s is NULL", file ? "path" : "file");
    struct summary_reader reader;
    if (!load_reader(&reader))
        return error_set(error, POP_FILE_LOAD_ERROR, NO_WHERE, api,
                         "libpva.so.0, which reads reports, cannot be loaded: install it beside libpoplar");
    pop_error problem;
    pva_file *report = reader.open(path, NULL, &problem);
    if (!report) {
        error_rename(&problem, problem.status, "pva_open_report", api);
        if (error)
            *error = problem;
        return problem.status;
    }
    pop_status status = reader.print(file, report, options, error);
    reader.close(report);
    return status;
}
