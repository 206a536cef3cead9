/* SPDX-License-Identifier: Apache-2.0 */
/* The graph's summary, printed when it has been compiled: debug.graphReportDestination, POPLAR_GRAPH_REPORT_DEST. */
#include "profile/graph_profile.h"
#include "profile/profile.h"

#include "base/file.h"

static const char *destination(const struct option_set *options)
{
    const char *environment = getenv("POPLAR_GRAPH_REPORT_DEST");
    return environment && *environment ? environment : options_get(options, "engine", "debug.graphReportDestination");
}

/* The whole text is built first, so that the file is complete or missing. */
static pop_status write_file(const char *path, const pop_profile_value *graph, pop_error *error)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return error_set(error, POP_RUNTIME_ERROR, NO_WHERE, NULL, "no memory for the graph report");
    pop_status status = pop_print_graph_summary(file, graph, POP_NO_OPTIONS, error);
    if (fclose(file) == 0 && status == POP_OK)
        status = file_write(path, text, size, error);
    free(text);
    return status;
}

pop_status graph_report(const struct image *image, const struct option_set *options, pop_error *error)
{
    const char *to = destination(options);
    if (!*to)
        return POP_OK;
    pop_error why = { 0 };
    pop_profile_value graph = graph_profile(image, NULL);
    pop_status status = strcmp(to, "stdout") == 0   ? pop_print_graph_summary(stdout, &graph, POP_NO_OPTIONS, &why)
                        : strcmp(to, "stderr") == 0 ? pop_print_graph_summary(stderr, &graph, POP_NO_OPTIONS, &why)
                                                    : write_file(to, &graph, &why);
    pop_profile_free(&graph);
    if (status == POP_OK)
        return POP_OK;
    return error_set(error, POP_RUNTIME_ERROR, NO_WHERE, NULL, "the graph report (debug.graphReportDestination): %s",
                     why.text);
}
