/* SPDX-License-Identifier: Apache-2.0 */
/* The Summary view: target, graph, options, and the program and host that made the report. */
#include "../answer.h"
#include "../query.h"
#include "base/file.h"
#include "base/mem.h"

#include <errno.h>
#include <poplar/text.h>
#include <string.h>

enum { LARGEST_JSON = 4 << 20 };

static const struct query_part parts[] = {
    { "target", true,
      "SELECT type, architecture, iif(type IS NULL, NULL, num_ipus) AS ipus, "
      "iif(type IS NULL, NULL, tiles_per_ipu) AS tilesPerIpu, num_tiles AS tiles, "
      "bytes_per_tile AS bytesPerTile, bytes_per_ipu AS bytesPerIpu, total_memory AS totalMemory, "
      "clock_frequency AS clock, num_replicas AS replicas, iif(type IS NULL, NULL, ipus_per_replica) AS "
      "ipusPerReplica, "
      "ifnull((SELECT CAST(value AS INTEGER) FROM options WHERE name = 'profiler.replicaToProfile'), 0) AS replica, "
      "tiles_per_replica AS tilesPerReplica, memory_per_replica AS memoryPerReplica FROM target" },
    { "graph", true,
      "SELECT num_compute_sets AS computeSets, num_edges AS edges, num_vars AS variables, num_vertices AS vertices "
      "FROM graph" },
    { "instrumentation", true,
      "SELECT compute, external_exchange AS externalExchange, control_flow AS controlFlow, "
      "profiling_tile AS profilingTile, branch_record_tile AS branchRecordTile, mode FROM instrumentation" },
    { "format", true,
      "SELECT major || '.' || minor || '.' || point AS version, writer, compilation, lowered_vars AS loweredVariables, "
      "execution, closed FROM format" },
    { "info", false, "SELECT name, value FROM info WHERE name <> 'summary' ORDER BY name" },
    { "options", false, "SELECT name, value, is_set AS isSet FROM options ORDER BY name" },
    { "metrics", false, "SELECT name, value FROM metrics ORDER BY name" },
};

/* The runs with their parameters. */
static json_t *runs_of(pva_file *file, pop_error *error)
{
    json_t *runs = query_rows(file,
                              "SELECT id, name, cycles_to - cycles_from AS cycles, "
                              "end_microseconds - start_microseconds AS microseconds FROM runs ORDER BY id LIMIT 1000",
                              error);
    json_t *parameters =
        runs ? query_rows(file, "SELECT run, name, value FROM run_parameters ORDER BY run, name", error) : NULL;
    if (!parameters) {
        json_decref(runs);
        return NULL;
    }
    size_t i;
    json_t *one;
    json_array_foreach(runs, i, one) json_object_set_new(one, "parameters", json_array());
    json_array_foreach(parameters, i, one)
    {
        json_t *run = json_array_get(runs, (size_t)json_integer_value(json_object_get(one, "run")));
        json_object_del(one, "run");
        if (run)
            json_array_append(json_object_get(run, "parameters"), one);
    }
    json_decref(parameters);
    return runs;
}

/* A JSON file in the report's directory: {"content": ..}, {"error": ..}, or null when there is none. */
static json_t *beside(const struct analyser_report *report, const char *name)
{
    struct str path = { 0 };
    str_format(&path, "%s/%s", report->directory, name);
    int descriptor = file_open_regular(path.text), reason = errno;
    FILE *stream = descriptor < 0 ? NULL : fdopen(descriptor, "rb");
    str_free(&path);
    if (!stream)
        return reason == ENOENT
                   ? json_null()
                   : json_pack("{s:s}", "error", reason == EINVAL ? "not a regular file" : pop_text_from_errno(reason));
    char *text = mem_alloc(LARGEST_JSON + 1);
    size_t size = fread(text, 1, LARGEST_JSON + 1, stream);
    fclose(stream);
    json_t *result = json_object();
    json_error_t where;
    if (size > LARGEST_JSON) {
        json_object_set_new(result, "error", json_string("larger than 4 MiB"));
    } else {
        json_t *content = json_loadb(text, size, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, &where);
        if (content)
            json_object_set_new(result, "content", content);
        else
            json_object_set_new(result, "error", answer_string(where.text));
    }
    free(text);
    return result;
}

/* Command, environment and system, which the report stores as JSON. */
static json_t *host_of(pva_file *file)
{
    json_t *row = query_row(file, "SELECT value FROM info WHERE name = 'summary'", NULL);
    const char *text = json_string_value(json_object_get(row, "value"));
    json_error_t where;
    json_t *host = text ? json_loads(text, 0, &where) : NULL;
    json_decref(row);
    return host ? host : json_null();
}

pop_status summary(const struct request *request, struct answer *answer, pop_error *error)
{
    struct analyser_report *report = request_report(request, error);
    if (!report)
        return error->status;
    json_t *all = query_parts(report->file, parts, sizeof(parts) / sizeof(parts[0]), error);
    if (!all)
        return error->status;
    json_t *runs = runs_of(report->file, error);
    if (!runs) {
        json_decref(all);
        return error->status;
    }
    json_object_set_new(all, "runs", runs);
    json_object_set_new(all, "framework", beside(report, "framework.json"));
    json_object_set_new(all, "application", beside(report, "app.json"));
    json_object_set_new(all, "host", host_of(report->file));
    answer_json(answer, all);
    return POP_OK;
}
