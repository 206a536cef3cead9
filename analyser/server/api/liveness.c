/* SPDX-License-Identifier: Apache-2.0 */
/* The Liveness view: live memory over the steps of the program, the variables live at a step, and the lifetime of a
 * variable.
 *
 * A source selects tiles: all, those of an IPU, or one tile. Queries return blobs by tile, so that the bytes of a
 * source are an SQL expression. */
#include "../query.h"
#include "../tiles.h"
#include "base/mem.h"

#include <math.h>
#include <string.h>

enum { MAX_STEPS = 16, MAX_PIXELS = 16384 };

struct source {
    enum { ALL_TILES, ONE_IPU, ONE_TILE } kind;
    uint64_t index;
    struct tiles tiles;
};

static pop_status read_source(const struct request *request, struct analyser_report *report, struct source *source,
                              pop_error *error)
{
    static const char *const names[] = { [ALL_TILES] = "all", [ONE_IPU] = "ipu", [ONE_TILE] = "tile" };
    const char *name = request_text(request, "source", "all");
    int kind = ALL_TILES;
    while (kind <= ONE_TILE && strcmp(name, names[kind]) != 0)
        ++kind;
    *source = (struct source){ .tiles = tiles_of(report->file) };
    if (kind > ONE_TILE)
        return answer_fail(error, POP_INVALID_OPTION, "no source '%.40s' (allowed: all, ipu, tile)", name);
    source->kind = kind;
    if (!request_uint(request, "index", 0, &source->index, error))
        return error->status;
    uint64_t ipus = source->tiles.per_ipu ? source->tiles.count / source->tiles.per_ipu : 0,
             max = kind == ONE_TILE  ? source->tiles.count
                   : kind == ONE_IPU ? ipus
                                     : UINT64_MAX;
    if (source->index >= max)
        return answer_fail(error, POP_INVALID_OPTION, "no %s %llu: the report has %llu", name,
                           (unsigned long long)source->index, (unsigned long long)max);
    return POP_OK;
}

/* Appends the expression for the bytes of a row of live_lists or live_variables, whose alias is given. */
static void add_bytes(struct str *sql, const struct source *source, const char *alias)
{
    unsigned long long per_ipu = source->tiles.per_ipu, index = source->index;
    if (source->kind == ALL_TILES)
        str_format(sql, "%s.bytes", alias);
    else if (source->kind == ONE_TILE)
        str_format(sql, "array_at(%s.bytes_by_tile, %llu)", alias, index);
    else
        str_format(sql, "(SELECT ifnull(sum(b.value), 0) FROM array(%s.bytes_by_tile, %llu) b WHERE b.i >= %llu)",
                   alias, (index + 1) * per_ipu, index * per_ipu);
}

/* Total memory of a source in bytes. */
static double capacity_of(const struct source *source)
{
    static const char *const sql[] = { [ALL_TILES] = "SELECT memory_per_replica FROM target",
                                       [ONE_IPU] = "SELECT bytes_per_ipu FROM target",
                                       [ONE_TILE] = "SELECT bytes_per_tile FROM target" };
    return query_number(source->tiles.file, sql[source->kind], 0);
}

static double always_of(const struct source *source)
{
    struct str sql = { 0 };
    str_add(&sql, "SELECT ");
    add_bytes(&sql, source, "l");
    str_add(&sql, " FROM live_lists l WHERE l.id = 0");
    double bytes = query_number(source->tiles.file, sql.text, 0);
    str_free(&sql);
    return bytes;
}

/* Indices of the steps whose program's name contains a text, or of all. */
static double *steps_with(pva_file *file, const char *filter, size_t *count, pop_error *error)
{
    struct str sql = { 0 };
    str_add(&sql, "SELECT s.id FROM liveness_steps s");
    if (*filter) {
        str_add(&sql, " JOIN programs p ON p.id = s.program WHERE instr(lower(p.name), lower(");
        query_quote(&sql, filter);
        str_add(&sql, ")) > 0");
    }
    str_add(&sql, " ORDER BY s.id");
    double *ids = query_numbers(file, sql.text, count, error);
    str_free(&sql);
    return ids;
}

/* Live bytes at each step on a source; steps that share a list are evaluated once. */
static double *live_of(const struct source *source, size_t *count, pop_error *error)
{
    pva_file *file = source->tiles.file;
    struct str sql = { 0 };
    size_t lists = 0;
    str_add(&sql, "SELECT ");
    add_bytes(&sql, source, "l");
    str_add(&sql, " FROM live_lists l ORDER BY l.id");
    double *bytes = query_numbers(file, sql.text, &lists, error);
    double *list = bytes ? query_numbers(file, "SELECT list FROM liveness_steps ORDER BY id", count, error) : NULL;
    for (size_t i = 0; list && i < *count; ++i)
        list[i] = list[i] >= 0 && list[i] < (double)lists ? bytes[(size_t)list[i]] : 0;
    str_free(&sql);
    free(bytes);
    return list;
}

/* Positions of the shown steps, at most one for each pixel: the step with the most live bytes represents its
 * neighbours. */
struct step_bins {
    size_t count;
    uint32_t *first, *last, *step;
    double *maximum, *minimum;
};

static struct step_bins bin_steps(const double *kept, const double *live, size_t steps, size_t from, size_t to,
                                  size_t pixels)
{
    size_t positions = to > from ? to - from : 0, count = positions < pixels ? positions : pixels;
    uint32_t *numbers = mem_zero(3 * count + 1, sizeof(*numbers));
    double *reals = mem_zero(2 * count + 1, sizeof(*reals));
    struct step_bins bins = { count, numbers, numbers + count, numbers + 2 * count, reals, reals + count };
    for (size_t i = 0; i < count; ++i) {
        size_t first = from + positions * i / count, last = from + positions * (i + 1) / count;
        bins.first[i] = (uint32_t)first;
        bins.last[i] = (uint32_t)last;
        bins.maximum[i] = -1;
        bins.minimum[i] = INFINITY;
        for (size_t k = first; k < last; ++k) {
            size_t step = (size_t)kept[k];
            double bytes = step < steps ? live[step] : 0;
            if (bytes > bins.maximum[i]) {
                bins.maximum[i] = bytes;
                bins.step[i] = (uint32_t)step;
            }
            bins.minimum[i] = fmin(bins.minimum[i], bytes);
        }
    }
    return bins;
}

/* Facts about all steps, shown or not. */
static json_t *facts_of(const struct source *source, const double *live, size_t steps, size_t kept, size_t from,
                        size_t to)
{
    size_t peak = 0;
    for (size_t i = 1; i < steps; ++i)
        peak = live[i] > live[peak] ? i : peak;
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:f, s:f, s:f}", "steps", (json_int_t)steps, "kept", (json_int_t)kept,
                     "from", (json_int_t)from, "to", (json_int_t)to, "peakStep", (json_int_t)peak, "peakBytes",
                     steps ? live[peak] : 0.0, "alwaysLive", always_of(source), "capacity", capacity_of(source));
}

pop_status liveness_steps(const struct request *request, struct answer *answer, pop_error *error)
{
    struct analyser_report *report = request_report(request, error);
    struct source source;
    uint64_t from, to, pixels;
    if (!report || read_source(request, report, &source, error) != POP_OK)
        return error->status;
    size_t steps = 0, kept = 0;
    double *live = live_of(&source, &steps, error);
    double *ids = live ? steps_with(report->file, request_text(request, "filter", ""), &kept, error) : NULL;
    bool good = ids && request_uint(request, "from", 0, &from, error) &&
                request_uint(request, "to", kept, &to, error) && request_uint(request, "pixels", 1024, &pixels, error);
    if (good) {
        to = to < kept ? to : kept;
        struct step_bins bins =
            bin_steps(ids, live, steps, from, to, pixels < MAX_PIXELS ? (size_t)pixels : MAX_PIXELS);
        answer_column(answer, "first", COLUMN_U32, bins.first, bins.count);
        answer_column(answer, "last", COLUMN_U32, bins.last, bins.count);
        answer_column(answer, "step", COLUMN_U32, bins.step, bins.count);
        answer_column(answer, "maximum", COLUMN_F64, bins.maximum, bins.count);
        answer_column(answer, "minimum", COLUMN_F64, bins.minimum, bins.count);
        answer_meta(answer, facts_of(&source, live, steps, kept, from, to));
        free(bins.first);
        free(bins.maximum);
    }
    free(live);
    free(ids);
    return good ? answer_read(report, error) : error->status;
}

pop_status liveness_names(const struct request *request, struct answer *answer, pop_error *error)
{
    struct analyser_report *report = request_report(request, error);
    uint64_t from, to;
    if (!report || !request_uint(request, "from", 0, &from, error) ||
        !request_uint(request, "to", UINT32_MAX, &to, error))
        return error->status;
    struct str sql = { 0 };
    str_format(&sql,
               "SELECT s.id AS step, p.name, p.type, s.program FROM liveness_steps s JOIN programs p ON "
               "p.id = s.program WHERE s.id >= %llu AND s.id < %llu ORDER BY s.id",
               (unsigned long long)from, (unsigned long long)(to < INT64_MAX ? to : INT64_MAX));
    pop_status status = query_columns(request, report->file, answer, "fttf", sql.text, error);
    str_free(&sql);
    return status == POP_OK ? answer_read(report, error) : status;
}

/* Appends the query for the variables of a list that have bytes on the source; id is an expression. */
static void add_variables(struct str *sql, const struct source *source, const char *list)
{
    str_add(sql, "SELECT * FROM (SELECT v.id, v.name, ");
    add_bytes(sql, source, "v");
    str_format(sql,
               " AS bytes FROM live_lists l, array(l.variable_list, l.variables) a JOIN live_variables v ON "
               "v.id = a.value WHERE l.id = %s) WHERE bytes > 0 ORDER BY bytes DESC, id",
               list);
}

pop_status liveness_always(const struct request *request, struct answer *answer, pop_error *error)
{
    struct analyser_report *report = request_report(request, error);
    struct source source;
    if (!report || read_source(request, report, &source, error) != POP_OK)
        return error->status;
    struct str sql = { 0 };
    add_variables(&sql, &source, "0");
    pop_status status = query_columns(request, report->file, answer, "ftf", sql.text, error);
    str_free(&sql);
    answer_meta(answer, json_pack("{s:f}", "bytes", always_of(&source)));
    return status == POP_OK ? answer_read(report, error) : status;
}

/* A debug context with its ancestors, and the user's source line. */
static json_t *describe_context(pva_object context)
{
    enum { DEEPEST = 64 };
    json_t *chain = json_array(), *result = json_object();
    json_t *file = json_null();
    uint64_t line = 0;
    for (int depth = 0; depth < DEEPEST && !pva_is_null(context); ++depth) {
        pva_object place = pva_get(context, PVA_DEBUG_CONTEXT_LOCATION);
        json_t *one = json_object();
        json_object_set_new(one, "name", answer_text_of(context, PVA_DEBUG_CONTEXT_NAME));
        json_object_set_new(one, "layer", answer_text_of(context, PVA_DEBUG_CONTEXT_LAYER));
        json_object_set_new(one, "json", answer_text_of(context, PVA_DEBUG_CONTEXT_JSON));
        json_object_set_new(one, "file", answer_text_of(place, PVA_LOCATION_FILE_NAME));
        json_object_set_new(one, "function", answer_text_of(place, PVA_LOCATION_FUNCTION_NAME));
        uint64_t number = pva_uint(place, PVA_LOCATION_LINE_NUMBER);
        json_object_set_new(one, "line", json_integer((json_int_t)number));
        if (number) { /* the outermost context with a line is the user's */
            json_decref(file);
            file = answer_text_of(place, PVA_LOCATION_FILE_NAME);
            line = number;
        }
        json_array_append_new(chain, one);
        bool parent = pva_count(context, PVA_DEBUG_CONTEXT_PARENTS) > 0;
        context = parent ? pva_at(context, PVA_DEBUG_CONTEXT_PARENTS, 0) : (pva_object){ 0 };
    }
    json_object_set_new(result, "contexts", chain);
    json_object_set_new(result, "file", file);
    json_object_set_new(result, "line", json_integer((json_int_t)line));
    return result;
}

static json_t *describe_step(const struct source *source, uint64_t step, pop_error *error)
{
    pva_file *file = source->tiles.file;
    struct str sql = { 0 }, list = { 0 };
    str_format(&sql, "SELECT s.id AS step, s.program, s.list, p.name, p.type, p.detail, (SELECT estimated_cycles FROM "
                     "compute_sets c WHERE c.compute_set = p.compute_set) AS estimatedCycles, ");
    add_bytes(&sql, source, "l");
    str_format(&sql,
               " AS bytes FROM liveness_steps s JOIN programs p ON p.id = s.program JOIN live_lists l ON "
               "l.id = s.list WHERE s.id = %llu",
               (unsigned long long)step);
    json_t *one = query_row(file, sql.text, error), *variables = NULL, *vertices = NULL;
    if (json_is_object(one)) {
        str_format(&list, "%lld", (long long)json_integer_value(json_object_get(one, "list")));
        sql.length = 0;
        add_variables(&sql, source, list.text);
        variables = query_rows(file, sql.text, error);
        sql.length = 0;
        str_format(
            &sql,
            "SELECT t.name, v.count FROM programs p JOIN compute_set_vertices v ON v.compute_set = p.compute_set "
            "JOIN vertex_types t ON t.id = v.vertex_type WHERE p.id = %lld ORDER BY v.count DESC, t.id",
            (long long)json_integer_value(json_object_get(one, "program")));
        vertices = variables ? query_rows(file, sql.text, error) : NULL;
    } else if (one) {
        answer_fail(error, POP_INVALID_OPTION, "no step %llu", (unsigned long long)step);
    }
    str_free(&sql);
    str_free(&list);
    if (!vertices) {
        json_decref(variables);
        json_decref(one);
        return NULL;
    }
    pva_object compilation = pva_get(pva_root(file), PVA_REPORT_COMPILATION),
               program = pva_get(pva_at(compilation, PVA_COMPILATION_LIVENESS_PROGRAM_STEPS, step),
                                 PVA_LIVENESS_STEP_PROGRAM);
    json_object_set_new(one, "variables", variables);
    json_object_set_new(one, "vertices", vertices);
    json_object_set_new(one, "debug", describe_context(pva_get(program, PVA_PROGRAM_DEBUG_CONTEXT)));
    return one;
}

pop_status liveness_step(const struct request *request, struct answer *answer, pop_error *error)
{
    struct analyser_report *report = request_report(request, error);
    struct source source;
    if (!report || read_source(request, report, &source, error) != POP_OK)
        return error->status;
    json_t *all = json_array();
    const char *text = request_text(request, "steps", "");
    while (*text) {
        char number[24] = "";
        uint64_t step;
        size_t length = strcspn(text, ",");
        if (length < sizeof(number))
            memcpy(number, text, length);
        json_t *one = NULL;
        if (json_array_size(all) == MAX_STEPS)
            answer_fail(error, POP_INVALID_OPTION, "steps= has more than %d", MAX_STEPS);
        else if (!str_integer(number, INT32_MAX, &step))
            answer_fail(error, POP_INVALID_OPTION, "no step '%.20s'", text);
        else
            one = describe_step(&source, step, error);
        if (!one) {
            json_decref(all);
            return error->status;
        }
        json_array_append_new(all, one);
        text += length + (text[length] == ',');
    }
    answer_json(answer, all);
    return answer_read(report, error);
}

/* Intervals of steps, [first, end, bytes], in which variables of a name are live; several variables may share a name
 * and be live at different steps. */
static json_t *lifetime_of(const struct source *source, const char *name, pop_error *error)
{
    struct str sql = { 0 };
    str_add(&sql, "WITH named AS MATERIALIZED (SELECT v.id, ");
    add_bytes(&sql, source, "v");
    str_add(&sql, " AS bytes FROM live_variables v WHERE v.name = ");
    query_quote(&sql, name);
    str_add(&sql, "), holding AS MATERIALIZED (SELECT l.id AS list, sum(n.bytes) AS bytes FROM live_lists l, "
                  "array(l.variable_list, l.variables) a JOIN named n ON n.id = a.value WHERE l.id > 0 GROUP BY l.id) "
                  "SELECT s.id AS step, h.bytes FROM liveness_steps s JOIN holding h ON h.list = s.list ORDER BY s.id");
    json_t *steps = query_rows(source->tiles.file, sql.text, error), *intervals = steps ? json_array() : NULL, *row;
    size_t i;
    json_int_t first = 0, end = -1, bytes = 0;
    str_free(&sql);
    json_array_foreach(steps, i, row)
    {
        json_int_t step = json_integer_value(json_object_get(row, "step")),
                   now = json_integer_value(json_object_get(row, "bytes"));
        if (step != end || now != bytes) {
            if (i)
                json_array_append_new(intervals, json_pack("[I, I, I]", first, end, bytes));
            first = step;
            bytes = now;
        }
        end = step + 1;
    }
    if (end >= 0)
        json_array_append_new(intervals, json_pack("[I, I, I]", first, end, bytes));
    json_decref(steps);
    return intervals;
}

/* The graph's variables with a name, and their debug contexts. */
static json_t *graph_variables(pva_file *file, const char *name, pop_error *error)
{
    struct str sql = { 0 };
    str_add(&sql, "SELECT id, name, type, bytes FROM variables WHERE name = ");
    query_quote(&sql, name);
    str_add(&sql, " ORDER BY bytes DESC, id LIMIT 20");
    json_t *list = query_rows(file, sql.text, error), *one;
    size_t i;
    json_array_foreach(list, i, one)
    {
        uint64_t id = (uint64_t)json_integer_value(json_object_get(one, "id"));
        pva_object variable = query_variable(file, id);
        json_object_set_new(one, "debug", describe_context(pva_get(variable, PVA_VARIABLE_DEBUG_CONTEXT)));
    }
    str_free(&sql);
    return list;
}

pop_status liveness_variable(const struct request *request, struct answer *answer, pop_error *error)
{
    struct analyser_report *report = request_report(request, error);
    struct source source;
    if (!report || read_source(request, report, &source, error) != POP_OK)
        return error->status;
    const char *name = request_text(request, "name", "");
    struct str sql = { 0 };
    str_add(&sql, "SELECT max(v.bytes) AS bytesOfAllTiles, max(array_max(v.bytes_by_tile)) AS largestOfTile, max(");
    add_bytes(&sql, &source, "v");
    str_add(&sql, ") AS bytes, max(v.id IN (SELECT a.value FROM live_lists l, array(l.variable_list, l.variables) a "
                  "WHERE l.id = 0)) AS alwaysLive FROM live_variables v WHERE v.name = ");
    query_quote(&sql, name);
    str_add(&sql, " GROUP BY v.name");
    json_t *one = query_row(report->file, sql.text, error);
    str_free(&sql);
    bool found = json_is_object(one);
    if (one && !found)
        answer_fail(error, POP_FILE_LOAD_ERROR, "no live variable '%.120s'", name);
    json_t *variables = found ? graph_variables(report->file, name, error) : NULL,
           *intervals = variables ? lifetime_of(&source, name, error) : NULL;
    if (!intervals) {
        json_decref(one);
        json_decref(variables);
        return error->status;
    }
    json_object_set_new(one, "name", answer_string(name));
    json_object_set_new(one, "intervals", intervals);
    json_object_set_new(one, "variables", variables);
    answer_json(answer, one);
    return answer_read(report, error);
}
