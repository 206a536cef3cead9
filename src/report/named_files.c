/* SPDX-License-Identifier: Apache-2.0 */
#include "report/report.h"

#include "base/error.h"
#include "base/file.h"

#include <poplar/text.h>

#include <errno.h>

struct named_source {
    pop_graph *graph;
    pop_programs programs;
    const struct image *image;
};

static pop_status write_archive(const struct named_source *source, const char *path, pop_error *error)
{
    return archive_write(source->image, path, NULL, error);
}

static bool put_vertex_graph(FILE *file, const void *user)
{
    const struct named_source *source = user;
    return pop_graph_output_vertex_graph(source->graph, file, source->programs.list, source->programs.count);
}

static pop_status write_vertex_graph(const struct named_source *source, const char *path, pop_error *error)
{
    return file_write_stream(path, put_vertex_graph, source)
               ? POP_OK
               : error_set(error, POP_FILE_LOAD_ERROR, NO_WHERE, NULL, "'%s' cannot be written: %s", path,
                           pop_text_from_errno(errno));
}

/* write: NULL when the option is refused; instead: the option that replaces it. */
static const struct {
    const char *key;
    pop_status (*write)(const struct named_source *source, const char *path, pop_error *error);
    const char *instead;
} files[] = {
    { "target.saveArchive", write_archive, NULL },
    { "target.saveOutputVertexGraph", write_vertex_graph, NULL },
    { "debug.traceFile", NULL,
      "autoReport.outputExecutionProfile keeps what has run; 'pva export' writes it as a trace" },
    { "debug.cborFile", NULL, "autoReport.outputDebugInfo writes debug.cbor" },
};

pop_status named_files_check(const struct option_set *options, const char *api, pop_error *error)
{
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); ++i) {
        const char *path = options_get(options, "engine", files[i].key);
        if (*path && !files[i].write)
            return error_set(error, POP_INVALID_OPTION, NO_WHERE, api,
                             "%s is '%s', but no such file is written here: %s", files[i].key, path, files[i].instead);
    }
    return POP_OK;
}

bool named_files_any(const struct option_set *options)
{
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); ++i)
        if (*options_get(options, "engine", files[i].key))
            return true;
    return false;
}

pop_status named_files_write(pop_graph *graph, pop_programs programs, const struct image *image,
                             const struct option_set *options, pop_error *error)
{
    struct named_source source = { graph, programs, image };
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); ++i) {
        const char *path = options_get(options, "engine", files[i].key);
        pop_status status = *path ? files[i].write(&source, path, error) : POP_OK;
        if (status != POP_OK)
            return status;
    }
    return POP_OK;
}
