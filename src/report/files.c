/* SPDX-License-Identifier: Apache-2.0 */
#include "report/report.h"

#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "report/select.h"

#include <errno.h>
#include <poplar/graph.h>
#include <poplar/text.h>
#include <stdlib.h>
#include <string.h>

static pop_status write_archive(pop_graph *graph, const struct image *image, const char *path, const char *id,
                                pop_error *error)
{
    (void)graph;
    return image_modelled(image) ? archive_write(image, path, id, error) : POP_OK; /* a CPU has no tile memory */
}

static bool put_graph(FILE *file, const void *user)
{
    pop_graph *const *graph = user;
    return pop_graph_serialize(*graph, file, POP_SERIALIZE_JSON);
}

/* Writes while serialising: the dump of a large graph may exceed memory. */
static pop_status write_graph(pop_graph *graph, const struct image *image, const char *path, const char *id,
                              pop_error *error)
{
    (void)image, (void)id; /* the format of graphs has no id */
    return file_write_stream(path, put_graph, &graph)
               ? POP_OK
               : error_set(error, POP_FILE_LOAD_ERROR, NO_WHERE, NULL, "cannot write '%s': %s", path,
                           pop_text_from_errno(errno));
}

static pop_status add_debug(pop_graph *graph, struct bundle *bundle, pop_error *error)
{
    double start = log_milliseconds();
    pop_status status = bundle_add_debug(bundle, graph->store, error);
    LOG(PROFILER, INFO, "wrote %s in %.1f ms", report_file_name(REPORT_FILE_DEBUG), log_milliseconds() - start);
    return status;
}

pop_status files_write(pop_graph *graph, const struct image *image, const struct option_set *options,
                       struct bundle *bundle, pop_error *error)
{
    static const struct {
        enum report_part part;
        enum report_file file;
        pop_status (*write)(pop_graph *graph, const struct image *image, const char *path, const char *id,
                            pop_error *error);
    } files[] = { { REPORT_ARCHIVE, REPORT_FILE_ARCHIVE, write_archive },
                  { REPORT_SERIALIZED_GRAPH, REPORT_FILE_GRAPH, write_graph } };
    pop_status status = report_asks(options, REPORT_DEBUG_INFO) ? add_debug(graph, bundle, error) : POP_OK;
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]) && status == POP_OK; ++i) {
        double start = log_milliseconds();
        if (!report_asks(options, files[i].part))
            continue;
        char *path = bundle_path(bundle, files[i].file);
        status = files[i].write(graph, image, path, bundle->id, error);
        LOG(PROFILER, INFO, "wrote %s in %.1f ms", report_file_name(files[i].file), log_milliseconds() - start);
        free(path);
        bundle_add(bundle, files[i].file);
    }
    return status;
}
