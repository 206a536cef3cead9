/* SPDX-License-Identifier: Apache-2.0 */
#include "report/files.h"

#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/str.h"
#include "report/archive.h"
#include "report/database.h"
#include "report/debug_graph.h"
#include "report/report.h"
#include "report/select.h"

#include <errno.h>
#include <poplar/graph.h>
#include <poplar/text.h>
#include <stdlib.h>

static pop_status write_debug(pop_graph *graph, const struct image *image, const char *path, pop_error *error)
{
    (void)image;
    return debug_graph_write(graph->store, path, error);
}

static pop_status write_archive(pop_graph *graph, const struct image *image, const char *path, pop_error *error)
{
    (void)graph;
    return image_modelled(image) ? archive_write(image, path, error) : POP_OK; /* a CPU has no tile memory */
}

static bool put_graph(FILE *file, const void *user)
{
    pop_graph *const *graph = user;
    return pop_graph_serialize(*graph, file, POP_SERIALIZE_JSON);
}

/* As it comes: the dump of a large graph is larger still. */
static pop_status write_graph(pop_graph *graph, const struct image *image, const char *path, pop_error *error)
{
    (void)image;
    return file_write_stream(path, put_graph, &graph)
               ? POP_OK
               : error_set(error, POP_FILE_LOAD_ERROR, NO_WHERE, NULL, "cannot write '%s': %s", path,
                           pop_text_from_errno(errno));
}

pop_status report_write_files(pop_graph *graph, const struct image *image, const struct option_set *options,
                              const char *engine, const char *api, pop_error *error)
{
    static const struct {
        enum report_part part;
        const char *name;
        pop_status (*write)(pop_graph *graph, const struct image *image, const char *path, pop_error *error);
    } files[] = { { REPORT_DEBUG_INFO, "debug.cbor", write_debug },
                  { REPORT_ARCHIVE, "archive.a", write_archive },
                  { REPORT_SERIALIZED_GRAPH, "serialized_graph.json", write_graph } };
    pop_error ours;
    error = error ? error : &ours;
    if (!report_asks_any(options))
        return POP_OK;
    char *directory = report_directory(options, engine, api, error);
    if (!directory)
        return error->status;
    pop_status status = database_directories(directory, error) ? POP_OK : error->status;
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]) && status == POP_OK; ++i) {
        struct str path = { 0 };
        double start = log_milliseconds();
        if (!report_asks(options, files[i].part))
            continue;
        str_format(&path, "%s/%s", directory, files[i].name);
        status = files[i].write(graph, image, path.text, error);
        LOG(PROFILER, INFO, "wrote '%s' in %.1f ms", path.text, log_milliseconds() - start);
        str_free(&path);
    }
    free(directory);
    return status;
}

void report_failure(pop_graph *graph, struct image *image, const struct option_set *options, const char *engine,
                    int64_t started, pop_error *error)
{
    struct report *report = NULL;
    pop_error ours = { .status = POP_OK };
    pop_status status = report_write_files(graph, image, options, engine, error->api, &ours);
    if (status == POP_OK)
        status = report_begin(image, options, engine, started, error->api, &report, &ours);
    if (report) {
        report_out_of_memory(report, error->text);
        char *path = mem_string(report_path(report));
        status = report_end(report, &ours);
        if (status == POP_OK)
            error_note(error, "Profile saved to: %s", path);
        free(path);
    }
    if (status != POP_OK)
        error_note(error, "no profile could be saved: %s", ours.text);
}
