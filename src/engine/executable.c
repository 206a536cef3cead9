/* SPDX-License-Identifier: Apache-2.0 */
/* Executables: compiled from a graph, written to files, and read without a graph. */
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "compiler/pipeline.h"
#include "image/image.h"
#include "profile/profile.h"
#include "report/report.h"
#include "report/select.h"

#include <assert.h>
#include <errno.h>
#include <poplar/text.h>

static pop_executable *make_executable(struct image *image)
{
    pop_executable *executable = MEM_NEW(pop_executable);
    executable->image = image;
    return executable;
}

/* Writes all reports that options enable; frees the image after an error. */
static pop_status write_reports(const struct report_of *of, struct report **report, pop_error *error)
{
    struct image *image = of->image;
    pop_status status = graph_report(image, of->options, error);
    if (status == POP_OK)
        status = report_begin(of, "pop_compile_graph", report, error);
    placement_free(image->placement); /* only reports use it */
    image->placement = NULL;
    if (status != POP_OK)
        image_release(image);
    return status;
}

/* Destroys the executable, with an out-of-memory error, if it was made with memory of the reserve. */
static pop_status finish_executable(pop_executable **executable, size_t failures, const char *api, pop_error *error)
{
    pop_status status = error_if_memory_failed(error, POP_OK, failures, api);
    if (status != POP_OK) {
        pop_executable_destroy(*executable);
        *executable = NULL;
    }
    return status;
}

static pop_status compile_named(pop_where where, pop_graph *graph, pop_programs programs, pop_options options,
                                pop_progress progress, void *progress_user, const char *name,
                                pop_executable **executable, pop_error *error)
{
    static const char api[] = "pop_compile_graph";
    int64_t started = report_now();
    if (executable)
        *executable = NULL;
    if (!graph || !executable)
        return error_set(error, POP_GRAPH_OBJECT_CREATION_ERROR, where, api, "the %s is NULL",
                         graph ? "place for the executable" : "graph");
    if (programs.count && !programs.list)
        return error_set(error, POP_CONTROL_PROGRAM_ERROR, where, api, "the list of %zu programs is NULL",
                         programs.count);
    const pop_error *pending = pop_graph_error(graph);
    size_t failures = mem_failures();
    if (pending && pending->status != POP_OK) {
        if (error)
            *error = *pending;
        return pending->status;
    }
    struct option_set set = { 0 };
    struct image *image = NULL;
    struct report *report = NULL;
    pop_error ours = { .status = POP_OK };
    error = error ? error : &ours;
    pop_status status = options_apply(&set, "engine", options, "POPLAR_ENGINE_OPTIONS", where, api, error);
    if (status == POP_OK)
        report_imply(&set);
    if (status == POP_OK)
        status = named_files_check(&set, api, error);
    bool placed = report_asks_any(&set) || named_files_any(&set);
    const struct compile_request request = { graph->store, programs, &set, placed, progress, progress_user };
    if (status == POP_OK)
        status = compile_graph(&request, &image, error);
    if (status == POP_OK)
        debug_graph_stream(graph->store);
    if (status != POP_OK && image) { /* out of memory */
        report_failure(&(struct report_of){ graph, image, &set, name, started, NULL, NULL }, error);
        image_release(image);
    } else if (status == POP_OK && (status = named_files_write(graph, programs, image, &set, error)) != POP_OK) {
        image_release(image);
    } else if (status == POP_OK) {
        status = write_reports(&(struct report_of){ graph, image, &set, name, started, NULL, NULL }, &report, error);
    }
    options_free(&set);
    if (status != POP_OK) {
        if (error && !error->where.file)
            error->where = where;
        return error_rename(error, status, "", api);
    }
    *executable = make_executable(image);
    (*executable)->report = report;
    if (name && *name)
        image->name = mem_string(name);
    return finish_executable(executable, failures, api, error);
}

const char *pop_compile_pass(int done, double *share)
{
    return compile_pass(done, share);
}

void pop_cancel_compilation(pop_graph *graph)
{
    if (graph)
        atomic_store(&graph->store->cancelled, true);
}

pop_status pop_compile_graph_at(pop_where where, pop_graph *graph, pop_programs programs, pop_options options,
                                pop_progress progress, void *progress_user, pop_executable **executable,
                                pop_error *error)
{
    return compile_named(where, graph, programs, options, progress, progress_user, NULL, executable, error);
}

pop_status pop_compile_graph_named_at(pop_where where, pop_graph *graph, pop_programs programs, pop_options options,
                                      pop_progress progress, void *progress_user, const char *name,
                                      pop_executable **executable, pop_error *error)
{
    pop_status status =
        compile_named(where, graph, programs, options, progress, progress_user, name, executable, error);
    return error_rename(error, status, "pop_compile_graph", "pop_compile_graph_named");
}

void pop_executable_destroy(pop_executable *executable)
{
    pop_error error;
    if (!executable)
        return;
    if (report_end(executable->report, &error) != POP_OK)
        pop_error_print(&error);
    image_release(executable->image);
    free(executable);
}

static pop_status no_executable(const char *api, pop_error *error)
{
    return error_set(error, POP_POPLAR_ERROR, NO_WHERE, api, "the executable is NULL");
}

/* Argument of put_image; failures: mem_failures() at the start of the call. */
struct image_to_save {
    const struct image *image;
    size_t failures;
};

static bool put_image(FILE *file, const void *user)
{
    const struct image_to_save *saved = user;
    return image_put(saved->image, file) && mem_failures() == saved->failures;
}

pop_status pop_executable_save(const pop_executable *executable, const char *path, pop_error *error)
{
    static const char api[] = "pop_executable_save";
    if (!path)
        return error_set(error, POP_POPLAR_ERROR, NO_WHERE, api, "the path is NULL");
    if (!executable)
        return no_executable(api, error);
    struct image_to_save saved = { executable->image, mem_failures() };
    bool written = file_write_stream(path, put_image, &saved);
    int reason = errno;
    pop_status status = error_if_memory_failed(error, POP_OK, saved.failures, api);
    if (written || status != POP_OK)
        return status;
    return error_set(error, POP_POPLAR_ERROR, NO_WHERE, api, "cannot write '%s': %s", path,
                     pop_text_from_errno(reason));
}

pop_status pop_executable_write(const pop_executable *executable, FILE *file, pop_error *error)
{
    static const char api[] = "pop_executable_write";
    if (!file)
        return error_set(error, POP_POPLAR_ERROR, NO_WHERE, api, "the file is NULL");
    if (!executable)
        return no_executable(api, error);
    size_t failures = mem_failures();
    if (!image_put(executable->image, file) || fflush(file) != 0)
        return error_set(error, POP_POPLAR_ERROR, NO_WHERE, api, "cannot write the executable: %s",
                         pop_text_from_errno(errno));
    return error_if_memory_failed(error, POP_OK, failures, api);
}

/* The image takes the file. */
static pop_status read_image(const char *name, struct file_view *file, pop_executable **executable, pop_error *error,
                             const char *api)
{
    struct image *image;
    size_t failures = mem_failures();
    pop_status status = image_open(name, file, &image, error);
    if (status == POP_OK) {
        *executable = make_executable(image);
        status = finish_executable(executable, failures, api, error);
    }
    return error_rename(error, status, "", api);
}

pop_status pop_executable_load(const char *path, pop_executable **executable, pop_error *error)
{
    static const char api[] = "pop_executable_load";
    struct file_view file;
    if (executable)
        *executable = NULL;
    if (!path || !executable)
        return error_set(error, POP_FILE_LOAD_ERROR, NO_WHERE, api, "the %s is NULL",
                         path ? "place for the executable" : "path");
    pop_status status = file_view_open(path, &file, error);
    if (status != POP_OK)
        return error_rename(error, status, "", api);
    return read_image(path, &file, executable, error, api);
}

pop_status pop_executable_read(FILE *file, pop_executable **executable, pop_error *error)
{
    static const char api[] = "pop_executable_read";
    char *data;
    size_t size;
    if (executable)
        *executable = NULL;
    if (!file || !executable)
        return error_set(error, POP_FILE_LOAD_ERROR, NO_WHERE, api, "the %s is NULL",
                         file ? "place for the executable" : "file");
    pop_status status = file_read_stream(file, &data, &size, error);
    if (status != POP_OK)
        return error_rename(error, status, "", api);
    return read_image("stream", &(struct file_view){ data, size, false }, executable, error, api);
}

pop_status pop_executable_to_memory(const pop_executable *executable, void **data, size_t *size, pop_error *error)
{
    static const char api[] = "pop_executable_to_memory";
    if (!data || !size)
        return error_set(error, POP_POPLAR_ERROR, NO_WHERE, api, "the place for the bytes is NULL");
    *data = NULL;
    if (!executable)
        return no_executable(api, error);
    size_t failures = mem_failures();
    char *bytes;
    image_write(executable->image, &bytes, size);
    if (error_if_memory_failed(error, POP_OK, failures, api) != POP_OK) {
        free(bytes);
        return POP_SYSTEM_RUNTIME_ERROR;
    }
    *data = bytes;
    return bytes ? POP_OK
                 : error_set(error, POP_POPLAR_ERROR, NO_WHERE, api,
                             "a codelet file of the executable cannot be written again");
}

pop_status pop_executable_from_memory(const void *data, size_t size, pop_executable **executable, pop_error *error)
{
    static const char api[] = "pop_executable_from_memory";
    if (executable)
        *executable = NULL;
    if (!data || !executable)
        return error_set(error, POP_FILE_LOAD_ERROR, NO_WHERE, api, "the %s is NULL",
                         data ? "place for the executable" : "data");
    void *copy = mem_try_grow(NULL, size);
    if (!copy)
        return error_set(error, POP_SYSTEM_RUNTIME_ERROR, NO_WHERE, api,
                         "there is no host memory for a copy of its %zu bytes", size);
    memcpy(copy, data, size);
    return read_image("memory", &(struct file_view){ copy, size, false }, executable, error, api);
}

size_t pop_executable_num_programs(const pop_executable *executable)
{
    return executable ? executable->image->programs.count : 0;
}

const pop_target *pop_executable_target(const pop_executable *executable)
{
    return executable ? &executable->image->target : NULL;
}
