/* SPDX-License-Identifier: Apache-2.0 */
/* Endpoints for the open reports, opening others, and browsing directories. */
#include "../lod.h"
#include "../query.h"
#include "../request.h"
#include "../sets.h"

#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_ENTRIES = 2000 };

/* The report files in a directory. */
static json_t *files_of(const char *directory)
{
    json_t *files = json_array();
    struct str path = { 0 };
    for (size_t i = 0; i < REPORT_FILES; ++i) {
        struct stat facts = { 0 };
        path.length = 0;
        str_format(&path, "%s/%s", directory, report_files[i]);
        bool present = stat(path.text, &facts) == 0;
        json_array_append_new(files, json_pack("{s:s, s:I, s:f, s:b}", "name", report_files[i], "bytes",
                                               present ? (json_int_t)facts.st_size : 0, "modified",
                                               present ? (double)facts.st_mtim.tv_sec : 0.0, "present", present));
    }
    str_free(&path);
    return files;
}

/* Why a report is incomplete, or null. */
static json_t *partial_of(const struct analyser_report *report)
{
    if (report->temporary)
        return json_string("the program that writes it has not ended, or was killed: what it has written so far");
    char *text = pva_text_copy(pva_get(pva_root(report->file), PVA_REPORT_COMPILATION), PVA_COMPILATION_OUT_OF_MEMORY);
    json_t *partial = *text ? answer_string("compilation ended out of memory: nothing was executed") : json_null();
    free(text);
    return partial;
}

/* The replica that was recorded: 0 by default. */
static uint64_t replica_of(pva_file *file)
{
    return (uint64_t)query_number(
        file, "SELECT CAST(value AS INTEGER) FROM options WHERE name = 'profiler.replicaToProfile'", 0);
}

static json_t *describe(const struct analyser_report *report, unsigned index)
{
    pva_object root = pva_root(report->file), execution = pva_get(root, PVA_REPORT_EXECUTION),
               compilation = pva_get(root, PVA_REPORT_COMPILATION),
               target = pva_get(compilation, PVA_COMPILATION_TARGET);
    json_t *json = json_object();
    json_object_set_new(json, "index", json_integer(index));
    json_object_set_new(json, "directory", answer_string(report->directory));
    json_object_set_new(json, "name", answer_string(report->name));
    json_object_set_new(json, "files", files_of(report->directory));
    json_object_set_new(
        json, "hasExecution",
        json_boolean(pva_count(execution, PVA_EXECUTION_STEPS) ||
                     query_number(report->file, "SELECT count(*) FROM (SELECT 1 FROM blocks LIMIT 1)", 0) > 0));
    json_object_set_new(json, "hasLiveness",
                        json_boolean(pva_count(compilation, PVA_COMPILATION_LIVENESS_PROGRAM_STEPS) > 0));
    json_object_set_new(json, "hasDebug", json_boolean(pva_count(root, PVA_REPORT_DEBUG_CONTEXTS) > 0));
    json_object_set_new(json, "replicas", json_integer((json_int_t)pva_uint(target, PVA_TARGET_NUM_REPLICAS)));
    json_object_set_new(json, "replica", json_integer((json_int_t)replica_of(report->file)));
    json_object_set_new(json, "partial", partial_of(report));
    char *parent = mem_string(report->directory), *slash = strrchr(parent, '/');
    if (slash && slash > parent)
        *slash = '\0';
    json_object_set_new(json, "set", set_list(parent));
    free(parent);
    return json;
}

pop_status api_reports(const struct request *request, struct answer *answer, pop_error *error)
{
    json_t *list = json_array();
    unsigned count = reports_count(request->reports);
    for (unsigned i = 0; i < count; ++i) {
        struct analyser_report *report = request_report_at(request, i, error);
        if (!report)
            break; /* the reports were replaced by fewer in the meantime */
        json_array_append_new(list, describe(report, i));
        if (answer_read(report, error) != POP_OK) {
            json_decref(list);
            return error->status;
        }
    }
    answer_json(answer, list);
    return POP_OK;
}

pop_status api_open(const struct request *request, struct answer *answer, pop_error *error)
{
    size_t size;
    const char *body = request_body(request, &size);
    json_error_t where;
    json_t *json = json_loadb(body, size, 0, &where), *list = json_object_get(json, "directories");
    const char *directories[MAX_REPORTS];
    size_t count = 0;
    pop_status status = POP_OK;
    if (!json_is_array(list) || json_array_size(list) < 1 || json_array_size(list) > MAX_REPORTS)
        status =
            answer_fail(error, POP_INVALID_OPTION, "the body is no {\"directories\": [..]} with one directory or two");
    for (; status == POP_OK && count < json_array_size(list); ++count) {
        directories[count] = json_string_value(json_array_get(list, count));
        if (!directories[count])
            status = answer_fail(error, POP_INVALID_OPTION, "a directory must be a string");
    }
    if (status == POP_OK)
        status = reports_open(request->reports, directories, count, error);
    if (status == POP_OK)
        reports_prepare(request->reports, lod_prepare);
    json_decref(json);
    return status == POP_OK ? api_reports(request, answer, error) : status;
}

pop_status api_close(const struct request *request, struct answer *answer, pop_error *error)
{
    (void)error;
    reports_close(request->reports);
    answer_json(answer, json_pack("{s:b}", "closed", true));
    return POP_OK;
}

pop_status api_window(const struct request *request, struct answer *answer, pop_error *error)
{
    unsigned port;
    pop_status status = server_window(request, &port, error);
    if (status == POP_OK)
        answer_json(answer, json_pack("{s:i}", "port", (int)port));
    return status;
}

/* The report that `make demo` left next to this build, or that was installed with the command; malloc'ed. NULL:
 * none. */
static char *demo_report(void)
{
    static const char *const places[] = { "../demo-report", "../share/tremula/demo-report" };
    char *self = realpath("/proc/self/exe", NULL), *found = NULL, *slash = self ? strrchr(self, '/') : NULL;
    struct str path = { 0 };
    for (size_t i = 0; slash && !found && i < sizeof(places) / sizeof(places[0]); ++i) {
        path.length = 0;
        str_format(&path, "%.*s/%s/profile.pop", (int)(slash - self), self, places[i]);
        if (access(path.text, R_OK) == 0) {
            path.text[strlen(path.text) - strlen("/profile.pop")] = '\0';
            found = realpath(path.text, NULL);
        }
    }
    str_free(&path);
    free(self);
    return found;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The subdirectories of a path, sorted by name, without hidden ones. */
static json_t *directories_of(const char *path, bool *cut, pop_error *error)
{
    DIR *stream = opendir(path);
    VEC(char *) names = { 0 };
    struct str whole = { 0 };
    if (!stream) {
        answer_fail(error, POP_FILE_LOAD_ERROR, "%.200s: %s", path, strerror(errno));
        return NULL;
    }
    for (struct dirent *entry; (entry = readdir(stream)) && names.count <= MAX_ENTRIES;) {
        struct stat facts;
        whole.length = 0;
        str_format(&whole, "%s/%s", path, entry->d_name);
        if (entry->d_name[0] != '.' && stat(whole.text, &facts) == 0 && S_ISDIR(facts.st_mode))
            *(char **)vec_push(&names) = mem_string(entry->d_name);
    }
    closedir(stream);
    if (names.count)
        qsort(names.data, names.count, sizeof(*names.data), compare_names);
    *cut = names.count > MAX_ENTRIES;
    json_t *list = json_array();
    for (size_t i = 0; i < names.count; ++i) {
        whole.length = 0;
        str_format(&whole, "%s/%s", path, names.data[i]);
        if (i < MAX_ENTRIES) {
            json_t *one = json_object();
            json_object_set_new(one, "name", answer_string(names.data[i]));
            json_object_set_new(one, "path", answer_string(whole.text));
            json_object_set_new(one, "files", files_of(whole.text));
            json_array_append_new(list, one);
        }
        free(names.data[i]);
    }
    vec_free(&names);
    str_free(&whole);
    return list;
}

pop_status api_browse(const struct request *request, struct answer *answer, pop_error *error)
{
    const char *wanted = request_text(request, "path", "");
    char *path = realpath(*wanted ? wanted : ".", NULL);
    bool cut = false;
    if (!path)
        return answer_fail(error, POP_FILE_LOAD_ERROR, "%.200s: %s", wanted, strerror(errno));
    json_t *directories = directories_of(path, &cut, error);
    if (directories) {
        char *parent = mem_string(path), *slash = strrchr(parent, '/');
        if (slash)
            slash[slash == parent] = '\0';
        json_t *json = json_object();
        json_object_set_new(json, "path", answer_string(path));
        json_object_set_new(json, "parent", answer_string(parent));
        json_object_set_new(json, "files", files_of(path));
        json_object_set_new(json, "directories", directories);
        json_object_set_new(json, "cut", json_boolean(cut));
        char *demo = demo_report();
        json_object_set_new(json, "demo", demo ? answer_string(demo) : json_null());
        free(demo);
        answer_json(answer, json);
        free(parent);
    }
    free(path);
    return directories ? POP_OK : error->status;
}

/* Deletes a report's cache file; returns 1 when there was one. */
static int delete_cache(const char *directory)
{
    struct str path = { 0 };
    str_format(&path, "%s/profile.pop_cache", directory);
    int deleted = unlink(path.text) == 0;
    str_free(&path);
    return deleted;
}

pop_status api_cache_delete(const struct request *request, struct answer *answer, pop_error *error)
{
    int deleted = 0;
    unsigned count = reports_count(request->reports);
    (void)error;
    reports_finish(request->reports); /* otherwise a cache that is being written would appear afterwards */
    for (unsigned i = 0; i < count; ++i) {
        char *directory = reports_directory(request->reports, i);
        if (directory)
            deleted += delete_cache(directory);
        free(directory);
    }
    answer_json(answer, json_pack("{s:i}", "deleted", deleted));
    return POP_OK;
}
