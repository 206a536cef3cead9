/* SPDX-License-Identifier: Apache-2.0 */
/* The Insights view: whether the program fits, the time of a run and what it consists of, what to improve first, and
 * what takes most memory. */
#include "../advice.h"
#include "../answer.h"
#include "../flops.h"
#include "../query.h"

#include <stdlib.h>

/* Answers that only need the report's tables. Each bar of the histogram is a sixth of a tile's memory; the last one
 * includes larger tiles. */
static const struct query_part parts[] = {
    { "memory", true,
      "SELECT count(*) AS tiles, sum(total) AS used, (SELECT memory_per_replica FROM target) AS capacity, "
      "(SELECT bytes_per_tile FROM target) AS bytesPerTile, max(total_including_gaps) AS largest, "
      "sum(total_including_gaps > (SELECT bytes_per_tile FROM target)) AS overflowing FROM memory_by_tile" },
    { "worstTiles", false,
      "SELECT tile, tile / tiles_per_ipu AS ipu, total_including_gaps AS bytes, total AS withoutGaps, "
      "always_live AS alwaysLive FROM memory_by_tile, target ORDER BY total_including_gaps > bytes_per_tile DESC, "
      "total DESC, tile LIMIT 5" },
    { "histogram", false,
      "WITH RECURSIVE bar(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM bar WHERE n < 5) "
      "SELECT n * bytes_per_tile / 6 AS \"from\", (n + 1) * bytes_per_tile / 6 AS \"to\", "
      "(SELECT count(*) FROM memory_by_tile WHERE min(5, total * 6 / bytes_per_tile) = n) AS tiles "
      "FROM bar, target WHERE bytes_per_tile > 0" },
    { "runs", true,
      "SELECT count(*) AS runs, min(cycles_to - cycles_from) AS minimum, avg(cycles_to - cycles_from) AS mean, "
      "max(cycles_to - cycles_from) AS maximum, (SELECT clock_frequency FROM target) AS clock FROM runs" },
    { "cycles", true,
      "SELECT total, total * tiles_per_replica AS available, active_compute AS activeCompute, compute, exchange, "
      "global_exchange AS globalExchange, stream_copy AS streamCopy, sync FROM execution_cycle_totals, target" },
    { "vertexCode", false,
      "SELECT name, code_bytes AS bytes FROM vertex_types WHERE code_bytes > 0 ORDER BY code_bytes DESC, id LIMIT 5" },
    { "vertexState", false,
      "SELECT name, ifnull(vertex_data_bytes, 0) + ifnull(copy_ptr_bytes, 0) + ifnull(edge_ptr_bytes, 0) + "
      "ifnull(descriptor_bytes, 0) + ifnull(padding_bytes, 0) AS bytes FROM vertex_types WHERE bytes > 0 "
      "ORDER BY bytes DESC, id LIMIT 5" },
    { "exchanges", false,
      "SELECT name, code_bytes AS bytes FROM exchanges WHERE code_bytes > 0 ORDER BY code_bytes DESC, id LIMIT 5" },
    { "alwaysLive", false,
      "SELECT v.name, v.bytes FROM live_lists l, array(l.variable_list, l.variables) a JOIN live_variables v ON "
      "v.id = a.value WHERE l.id = 0 ORDER BY v.bytes DESC, v.id LIMIT 5" },
    { "peak", true,
      "SELECT s.id AS step, p.name, p.type, l.bytes FROM live_lists l JOIN liveness_steps s ON s.list = l.id JOIN "
      "programs p ON p.id = s.program ORDER BY l.bytes DESC, s.id LIMIT 1" },
    { "atPeak", false,
      "SELECT v.name, v.bytes FROM (SELECT l.* FROM live_lists l JOIN liveness_steps s ON s.list = l.id ORDER BY "
      "l.bytes DESC, s.id LIMIT 1) l, array(l.variable_list, l.variables) a JOIN live_variables v ON v.id = a.value "
      "ORDER BY v.bytes DESC, v.id LIMIT 5" },
    { "float32", false,
      "SELECT name, sum(bytes) AS bytes, sum(bytes) / 2 AS saved, count(*) AS count FROM variables WHERE lower(type) "
      "IN "
      "('float', 'float32') AND bytes > 0 GROUP BY name ORDER BY 2 DESC, min(id) LIMIT 5" },
    /* Upper bounds: floats stored as HALF; half of what is live at the step with the most live bytes; memory live
     * only there. */
    { "savings", true,
      "WITH peak AS (SELECT s.program, l.* FROM live_lists l JOIN liveness_steps s ON s.list = l.id ORDER BY l.bytes "
      "DESC, s.id LIMIT 1) SELECT (SELECT sum(bytes) / 2 FROM variables WHERE lower(type) IN ('float', 'float32')) AS "
      "float32, (SELECT bytes / 2 FROM peak) AS batch, (SELECT sum(v.bytes) FROM peak, array(peak.variable_list, "
      "peak.variables) a JOIN live_variables v ON v.id = a.value WHERE v.name IN (SELECT name FROM variables) AND "
      "v.name "
      "NOT IN (SELECT w.name FROM program_vars x JOIN variables w ON w.id = x.var WHERE x.program = peak.program)) AS "
      "again" },
};

static json_t *json_of(const struct advice *advice)
{
    json_t *one = json_object();
    json_object_set_new(one, "kind", json_string(advice_names[advice->kind]));
    json_object_set_new(one, "advice", json_string(advice_text(advice)));
    json_object_set_new(one, "name", answer_string(advice->name));
    json_object_set_new(one, "detail", answer_string(advice->detail));
    json_object_set_new(one, "cycles", json_real(advice->cycles));
    json_object_set_new(one, "bytes", json_real(advice->bytes));
    json_object_set_new(one, "urgent", json_boolean(advice->urgent));
    const struct {
        const char *name;
        uint64_t value;
    } numbers[] = { { "program", advice->program }, { "tile", advice->tile }, { "times", advice->times } };
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); ++i)
        json_object_set_new(one, numbers[i].name,
                            numbers[i].value == UINT64_MAX ? json_null() : json_integer((json_int_t)numbers[i].value));
    json_object_set_new(one, "file", advice->file && *advice->file ? answer_string(advice->file) : json_null());
    json_object_set_new(one, "line", json_integer((json_int_t)advice->line));
    return one;
}

static json_t *activities_json(const double *cycles, double total)
{
    json_t *one = json_object();
    json_object_set_new(one, "total", json_real(total));
    for (size_t i = 0; i < ACTIVITIES; ++i)
        json_object_set_new(one, activity_ids[i], json_real(cycles[i]));
    return one;
}

/* Adds to each entry a step of its program, the first that was executed, and when its tiles begin and end. */
static pop_status add_steps(json_t *list, pva_file *file, pop_error *error)
{
    struct str sql = { 0 };
    json_t *one, *row;
    size_t i, k;
    str_add(&sql, "SELECT f.program, f.step, e.base + min(i.all_from_min) AS \"from\", e.base + max(i.all_to_max) AS "
                  "\"to\" FROM (SELECT program, min(first) AS step FROM executed_times WHERE program IN (-1");
    json_array_foreach(list, i, one) if (json_is_integer(json_object_get(one, "program")))
        str_format(&sql, ", %lld", (long long)json_integer_value(json_object_get(one, "program")));
    str_add(&sql, ") GROUP BY 1) f JOIN executed e ON e.id = f.step JOIN pattern_ipus i ON i.pattern = e.pattern "
                  "GROUP BY 1");
    json_t *rows = query_rows(file, sql.text, error);
    str_free(&sql);
    if (!rows)
        return error->status;
    json_array_foreach(list, i, one) json_array_foreach(
        rows, k, row) if (json_equal(json_object_get(row, "program"), json_object_get(one, "program")))
        json_object_update(one, row);
    json_decref(rows);
    return POP_OK;
}

/* The account of time, and that of each run; null on failure. */
static json_t *account_json(struct analyser_report *report, pop_error *error)
{
    enum { MAX_RUNS = 1000 };
    struct account account = { 0 };
    const struct elapsed *elapsed = elapsed_of(report, error);
    json_t *all = NULL;
    if (elapsed && account_read(&account, elapsed, report->file, error) == POP_OK) {
        all = activities_json(account.cycles, account.total);
        json_t *runs = json_array();
        for (size_t i = 0; i < account.runs.count && i < MAX_RUNS; ++i) {
            json_t *run = activities_json(account.runs.data[i].cycles, account.runs.data[i].total);
            json_object_set_new(run, "id", json_integer((json_int_t)account.runs.data[i].id));
            json_object_set_new(run, "name", answer_string(account.runs.data[i].name));
            json_array_append_new(runs, run);
        }
        json_object_set_new(all, "runs", runs);
        json_object_set_new(all, "utilisation", json_real(account.utilisation));
    }
    account_free(&account);
    return all;
}

/* What entries save by activity, and what is left: the end of the list of advice. */
static json_t *sum_json(const struct advices *found, struct analyser_report *report, size_t rows, pop_error *error)
{
    struct account account = { 0 };
    const struct elapsed *elapsed = elapsed_of(report, error);
    json_t *sum = NULL;
    if (elapsed && account_read(&account, elapsed, report->file, error) == POP_OK) {
        struct advice_sum of = advices_sum(found, &account, rows);
        sum = activities_json(account.cycles, account.total);
        json_object_set_new(sum, "saved", activities_json(of.saved, of.all));
        json_object_set_new(sum, "left", json_real(of.left));
        json_object_set_new(sum, "entries", json_integer((json_int_t)found->list.count));
    }
    account_free(&account);
    return sum;
}

pop_status insights(const struct request *request, struct answer *answer, pop_error *error)
{
    struct analyser_report *report = request_report(request, error);
    if (!report)
        return error->status;
    json_t *all = query_parts(report->file, parts, sizeof(parts) / sizeof(parts[0]), error);
    if (!all)
        return error->status;
    json_t *account = account_json(report, error);
    if (!account) {
        json_decref(all);
        return error->status;
    }
    json_object_set_new(all, "account", account);
    json_t *arithmetic = flops_json(report->file, error);
    if (!arithmetic) {
        json_decref(all);
        return error->status;
    }
    json_object_set_new(all, "arithmetic", arithmetic);
    pop_status status = answer_read(report, error);
    json_object_set_new(
        all, "outOfMemory",
        answer_text_of(pva_get(pva_root(report->file), PVA_REPORT_COMPILATION), PVA_COMPILATION_OUT_OF_MEMORY));
    answer_json(answer, all);
    return status;
}

pop_status insights_advice(const struct request *request, struct answer *answer, pop_error *error)
{
    enum { LIMIT = 200 };
    struct analyser_report *report = request_report(request, error);
    uint64_t rows;
    if (!report || !request_uint(request, "rows", 20, &rows, error))
        return error->status;
    const struct elapsed *elapsed = elapsed_of(report, error);
    struct advices found = { 0 };
    pop_status status = elapsed ? POP_OK : error->status;
    for (int kind = 0; kind < ADVICE_KINDS && status == POP_OK; ++kind) {
        if (request_cancelled(request))
            status = answer_fail(error, POP_APPLICATION_RUNTIME_ERROR, "the call was cancelled");
        else
            status = advices_find(&found, elapsed, report->file, (enum advice_kind)kind, error);
    }
    advices_order(&found, report->file);
    json_t *list = json_array();
    for (size_t i = 0; i < found.list.count && i < rows && i < LIMIT; ++i) {
        advice_find_line(report->file, &found.list.data[i]);
        json_array_append_new(list, json_of(&found.list.data[i]));
    }
    if (status == POP_OK)
        status = add_steps(list, report->file, error);
    json_t *sum = status == POP_OK ? sum_json(&found, report, rows, error) : NULL;
    if (status == POP_OK && !sum)
        status = error->status;
    advices_free(&found);
    if (status == POP_OK)
        status = answer_read(report, error);
    json_t *all = json_pack("{s:o, s:o?}", "entries", list, "sum", sum);
    if (status == POP_OK)
        answer_json(answer, all);
    else
        json_decref(all);
    return status;
}
