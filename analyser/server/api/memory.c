/* SPDX-License-Identifier: Apache-2.0 */
/* The Memory view: figures by tile at the resolution of a graph, the floor plan, the contents of a tile, and its
 * variables and code. */
#include "../query.h"
#include "../tiles.h"
#include "base/mem.h"

#include <math.h>
#include <string.h>

enum { MAX_SERIES = 40, MAX_TILES = 64, MAX_PIXELS = 16384 };

pop_status memory(const struct request *request, struct answer *answer, pop_error *error)
{
    static const char overview[] =
        "SELECT tiles_per_replica AS tiles, tiles_per_ipu AS tilesPerIpu, ipus_per_replica AS ipus, bytes_per_tile AS "
        "bytesPerTile, "
        "interleaved_start AS interleavedStart, (SELECT lowered_vars FROM format) AS loweredVariables, "
        "(SELECT sum(total) FROM memory_by_tile) AS total, "
        "(SELECT sum(total_including_gaps) FROM memory_by_tile) AS gaps, "
        "(SELECT count(*) FROM memory_by_tile WHERE total_including_gaps > bytes_per_tile) AS overflowing, "
        "(SELECT tile FROM memory_by_tile ORDER BY total DESC, tile LIMIT 1) AS peakTile, "
        "(SELECT tile FROM memory_by_tile ORDER BY total_including_gaps DESC, tile LIMIT 1) AS peakTileWithGaps, "
        /* Every tile holds some code and a stack: tiles in use hold more than a fiftieth of the range above that. */
        "(SELECT max(tile) + 1 FROM memory_by_tile, (SELECT min(total) AS least, max(total) AS most FROM "
        "memory_by_tile) WHERE total > least + (most - least) / 50) AS tilesInUse FROM target";
    static const char categories[] =
        "SELECT c.name, sum(m.bytes) AS bytes FROM memory_by_category m JOIN var_categories c ON c.id = m.category "
        "WHERE m.overlap <> 1 GROUP BY c.name HAVING sum(m.bytes) > 0 ORDER BY bytes DESC, c.name";
    struct analyser_report *report = request_report(request, error);
    if (!report)
        return error->status;
    json_t *all = query_row(report->file, overview, error);
    json_t *list = all ? query_rows(report->file, categories, error) : NULL;
    if (!list) {
        json_decref(all);
        return error->status;
    }
    json_object_set_new(all, "categories", list);
    json_object_set_new(
        all, "outOfMemory",
        answer_text_of(pva_get(pva_root(report->file), PVA_REPORT_COMPILATION), PVA_COMPILATION_OUT_OF_MEMORY));
    answer_json(answer, all);
    return answer_read(report, error);
}

/* Splits a list at commas; the caller frees the copies. */
static size_t split(const char *list, char **names, size_t max)
{
    size_t count = 0;
    while (*list && count < max) {
        size_t length = strcspn(list, ",");
        char *name = mem_alloc(length + 1);
        memcpy(name, list, length);
        name[length] = '\0';
        names[count++] = name;
        list += length + (list[length] == ',');
    }
    return count;
}

/* The request of memory/tiles. */
struct wanted {
    struct tiles tiles;
    uint64_t from, to, pixels;
    bool physical;
};

static pop_status read_wanted(const struct request *request, struct wanted *wanted, pop_error *error)
{
    uint64_t ipu;
    const char *order = request_text(request, "order", "software");
    size_t count = wanted->tiles.count, per_ipu = wanted->tiles.per_ipu;
    if (!request_uint(request, "ipu", UINT64_MAX, &ipu, error))
        return error->status;
    bool one = ipu != UINT64_MAX;
    if (one && (!per_ipu || ipu >= count / per_ipu))
        return answer_fail(error, POP_INVALID_OPTION, "no IPU %llu: the report has %zu", (unsigned long long)ipu,
                           per_ipu ? count / per_ipu : 0);
    if (!request_uint(request, "from", one ? ipu * per_ipu : 0, &wanted->from, error) ||
        !request_uint(request, "to", one ? (ipu + 1) * per_ipu : count, &wanted->to, error) ||
        !request_uint(request, "pixels", 1024, &wanted->pixels, error))
        return error->status;
    if (wanted->to > count)
        wanted->to = count;
    if (wanted->pixels > MAX_PIXELS)
        wanted->pixels = MAX_PIXELS;
    wanted->physical = strcmp(order, "physical") == 0;
    if (!wanted->physical && strcmp(order, "software") != 0)
        return answer_fail(error, POP_INVALID_OPTION, "no order '%.40s' (allowed: software, physical)", order);
    return POP_OK;
}

static void add_bins(struct answer *answer, const struct tile_bin *bins, size_t count)
{
    uint32_t *first = mem_zero(3 * count + 1, sizeof(*first)), *last = first + count, *tile = last + count;
    double *minimum = mem_zero(2 * count + 1, sizeof(*minimum)), *maximum = minimum + count;
    for (size_t i = 0; i < count; ++i) {
        first[i] = bins[i].first;
        last[i] = bins[i].last;
        tile[i] = bins[i].tile;
        minimum[i] = bins[i].minimum;
        maximum[i] = bins[i].maximum;
    }
    answer_column(answer, "first", COLUMN_U32, first, count);
    answer_column(answer, "last", COLUMN_U32, last, count);
    answer_column(answer, "tile", COLUMN_U32, tile, count);
    answer_column(answer, "minimum", COLUMN_F64, minimum, count);
    answer_column(answer, "maximum", COLUMN_F64, maximum, count);
    free(first);
    free(minimum);
}

/* Adds the column of a figure: its value on each bin's tile. */
static void add_series(struct answer *answer, const char *name, const double *figure, const struct tile_bin *bins,
                       size_t count)
{
    double *values = mem_zero(count + 1, sizeof(*values));
    for (size_t i = 0; i < count; ++i)
        values[i] = figure[bins[i].tile];
    answer_column(answer, name, COLUMN_F64, values, count);
    free(values);
}

/* Statistics over the requested tiles. */
static json_t *statistics_of(const struct wanted *wanted, const uint32_t *order, const double *key)
{
    double minimum = INFINITY, maximum = 0, sum = 0, squares = 0;
    size_t count = wanted->to > wanted->from ? wanted->to - wanted->from : 0;
    for (size_t i = wanted->from; i < wanted->to; ++i) {
        double value = key[order[i]];
        minimum = fmin(minimum, value);
        maximum = fmax(maximum, value);
        sum += value;
        squares += value * value;
    }
    double mean = count ? sum / (double)count : 0;
    double variance = count ? fmax(0, squares / (double)count - mean * mean) : 0;
    return json_pack("{s:I, s:I, s:I, s:f, s:f, s:f, s:f, s:f}", "tiles", (json_int_t)count, "from",
                     (json_int_t)wanted->from, "to", (json_int_t)wanted->to, "minimum", count ? minimum : 0.0, "mean",
                     mean, "maximum", maximum, "deviation", sqrt(variance), "sum", sum);
}

pop_status memory_tiles(const struct request *request, struct answer *answer, pop_error *error)
{
    struct analyser_report *report = request_report(request, error);
    if (!report)
        return error->status;
    struct wanted wanted = { .tiles = tiles_of(report->file) };
    if (read_wanted(request, &wanted, error) != POP_OK)
        return error->status;
    char *names[MAX_SERIES];
    size_t series = split(request_text(request, "series", "total,gaps"), names, MAX_SERIES), bins = 0;
    uint32_t *order = tiles_order(&wanted.tiles, wanted.physical, error);
    double *key = order ? tiles_figure(&wanted.tiles, request_text(request, "key", "gaps"), error) : NULL;
    pop_status status = key ? POP_OK : error->status;
    if (status == POP_OK) {
        struct tile_bin *list = tiles_bin(order, key, wanted.from, wanted.to, wanted.pixels, &bins);
        add_bins(answer, list, bins);
        for (size_t i = 0; i < series && status == POP_OK; ++i) {
            double *figure = tiles_figure(&wanted.tiles, names[i], error);
            if (figure)
                add_series(answer, names[i], figure, list, bins);
            else
                status = error->status;
            free(figure);
        }
        answer_meta(answer, statistics_of(&wanted, order, key));
        free(list);
    }
    for (size_t i = 0; i < series; ++i)
        free(names[i]);
    free(key);
    free(order);
    return status == POP_OK ? answer_read(report, error) : status;
}

pop_status memory_plan(const struct request *request, struct answer *answer, pop_error *error)
{
    struct analyser_report *report = request_report(request, error);
    if (!report)
        return error->status;
    struct tiles tiles = tiles_of(report->file);
    double *values = tiles_figure(&tiles, request_text(request, "figure", "total"), error);
    uint32_t *local = values ? tiles_by_distance(&tiles, error) : NULL;
    if (!local) {
        free(values);
        return error->status;
    }
    answer_column(answer, "bytes", COLUMN_F64, values, tiles.count);
    answer_column(answer, "order", COLUMN_U32, local, tiles.per_ipu);
    size_t height = (size_t)ceil(sqrt((double)tiles.per_ipu));
    answer_meta(answer, json_pack("{s:I, s:I, s:I}", "tiles", (json_int_t)tiles.count, "tilesPerIpu",
                                  (json_int_t)tiles.per_ipu, "height", (json_int_t)height));
    free(values);
    free(local);
    return answer_read(report, error);
}

/* Reads the parameter tiles=1,2,3: numbers below `tiles`. Returns 0 and sets *error when one is invalid or none is
 * given. */
static size_t read_tiles(const struct request *request, size_t tiles, uint64_t *list, pop_error *error)
{
    char *names[MAX_TILES];
    size_t count = split(request_text(request, "tiles", ""), names, MAX_TILES), good = 0;
    for (size_t i = 0; i < count; ++i) {
        if (good == i && str_integer(names[i], INT64_MAX, &list[i]) && list[i] < tiles)
            ++good;
        else if (good == i)
            answer_fail(error, POP_INVALID_OPTION, "no tile '%.40s': the report has %zu", names[i], tiles);
        free(names[i]);
    }
    if (!count)
        answer_fail(error, POP_INVALID_OPTION, "tiles= names no tile");
    return good == count ? count : 0;
}

static json_t *describe_tile(pva_file *file, uint64_t tile, pop_error *error)
{
    struct str sql = { 0 };
    str_format(&sql,
               "SELECT tile, tile / tiles_per_ipu AS ipu, tile %% tiles_per_ipu AS tileOfIpu, total, "
               "total_including_gaps AS gaps, interleaved, interleaved_including_gaps AS interleavedGaps, "
               "non_interleaved AS nonInterleaved, non_interleaved_including_gaps AS nonInterleavedGaps, overflowed, "
               "overflowed_including_gaps AS overflowedGaps, always_live AS alwaysLive, "
               "not_always_live AS notAlwaysLive, bytes_per_tile AS bytesPerTile FROM memory_by_tile, target "
               "WHERE tile = %llu",
               (unsigned long long)tile);
    json_t *one = query_row(file, sql.text, error);
    sql.length = 0;
    str_format(&sql,
               "SELECT c.name, m.region, m.overlap, array_at(m.bytes_by_tile, %llu) AS bytes FROM memory_by_category m "
               "JOIN var_categories c ON c.id = m.category WHERE array_at(m.bytes_by_tile, %llu) > 0 "
               "ORDER BY bytes DESC, c.name",
               (unsigned long long)tile, (unsigned long long)tile);
    json_t *categories = one ? query_rows(file, sql.text, error) : NULL;
    str_free(&sql);
    if (!categories) {
        json_decref(one);
        return NULL;
    }
    if (json_is_object(one))
        json_object_set_new(one, "categories", categories);
    else
        json_decref(categories);
    return one;
}

pop_status memory_tile(const struct request *request, struct answer *answer, pop_error *error)
{
    struct analyser_report *report = request_report(request, error);
    uint64_t list[MAX_TILES];
    size_t count = report ? read_tiles(request, tiles_of(report->file).count, list, error) : 0;
    if (!count)
        return error->status;
    json_t *all = json_array();
    for (size_t i = 0; i < count; ++i) {
        json_t *one = describe_tile(report->file, list[i], error);
        if (!one) {
            json_decref(all);
            return error->status;
        }
        json_array_append_new(all, one);
    }
    answer_json(answer, all);
    return answer_read(report, error);
}

pop_status memory_layout(const struct request *request, struct answer *answer, pop_error *error)
{
    struct analyser_report *report = request_report(request, error);
    uint64_t tile;
    if (!report || !request_uint(request, "tile", 0, &tile, error))
        return error->status;
    struct tiles tiles = tiles_of(report->file);
    if (tile >= tiles.count)
        return answer_fail(error, POP_INVALID_OPTION, "no tile %llu: the report has %zu", (unsigned long long)tile,
                           tiles.count);
    struct str sql = { 0 };
    str_format(
        &sql,
        "SELECT v.id, s.string AS name, c.name AS category, v.offset AS address, v.size_bytes AS bytes, "
        "v.alignment, v.equivalence_class AS class, v.flags, v.var AS variable, "
        "(SELECT min(start) FROM class_intervals i WHERE i.class = v.equivalence_class) AS firstStep, "
        "(SELECT max(end) FROM class_intervals i WHERE i.class = v.equivalence_class) AS endStep FROM vars_info v "
        "JOIN vars_string_table s ON s.id = v.name JOIN var_categories c ON c.id = v.category "
        "WHERE v.tile = %llu ORDER BY v.offset, v.id",
        (unsigned long long)tile);
    pop_status status = query_columns(request, report->file, answer, "fttffffffff", sql.text, error);
    str_free(&sql);
    answer_meta(answer, json_pack("{s:I}", "tile", (json_int_t)tile));
    return status == POP_OK ? answer_read(report, error) : status;
}

pop_status memory_variables(const struct request *request, struct answer *answer, pop_error *error)
{
    enum { MAX_VARIABLES = 20000 };
    struct analyser_report *report = request_report(request, error);
    if (!report)
        return error->status;
    struct str sql = { 0 };
    str_format(&sql,
               "SELECT id, name, type, bytes, always_live AS alwaysLive, array_max(bytes_by_tile) AS largest FROM "
               "variables WHERE instr(lower(name), lower(");
    query_quote(&sql, request_text(request, "search", ""));
    str_format(&sql, ")) > 0 ORDER BY bytes DESC, id LIMIT %d", MAX_VARIABLES);
    pop_status status = query_columns(request, report->file, answer, "fttfff", sql.text, error);
    str_free(&sql);
    answer_meta(answer, json_pack("{s:i, s:I}", "most", MAX_VARIABLES, "variables",
                                  (json_int_t)query_number(report->file, "SELECT count(*) FROM variables", 0)));
    return status == POP_OK ? answer_read(report, error) : status;
}

/* Code and state by purpose. */
static const struct {
    const char *kind, *types, *before, *after;
    const char *columns[6]; /* without the suffix _bytes */
} codes[] = {
    { "computeSets",
      "ftfffffff",
      "SELECT compute_set AS id, name, vertices",
      " FROM compute_sets ORDER BY compute_set",
      { "code", "vertex_data", "edge_ptr", "copy_ptr", "descriptor", "padding" } },
    { "vertexTypes",
      "ftfffffff",
      "SELECT id, name, (SELECT sum(count) FROM compute_set_vertices v WHERE v.vertex_type = id) AS vertices",
      " FROM vertex_types ORDER BY id",
      { "code", "vertex_data", "edge_ptr", "copy_ptr", "descriptor", "padding" } },
    { "exchanges", "fttff", "SELECT id, name, kind, total_data AS data", " FROM exchanges ORDER BY id", { "code" } },
};
enum { CODES = sizeof(codes) / sizeof(codes[0]) };

pop_status memory_code(const struct request *request, struct answer *answer, pop_error *error)
{
    struct analyser_report *report = request_report(request, error);
    if (!report)
        return error->status;
    const char *kind = request_text(request, "kind", "computeSets");
    size_t k = 0, count = 0;
    uint64_t list[MAX_TILES];
    while (k < CODES && strcmp(kind, codes[k].kind) != 0)
        ++k;
    if (k == CODES)
        return answer_fail(error, POP_INVALID_OPTION,
                           "no kind of code '%.40s' (allowed: computeSets, vertexTypes, exchanges)", kind);
    if (*request_text(request, "tiles", "")) {
        count = read_tiles(request, tiles_of(report->file).count, list, error);
        if (!count)
            return error->status;
    }
    struct str sql = { 0 };
    str_add(&sql, codes[k].before);
    for (size_t i = 0; i < 6 && codes[k].columns[i]; ++i) {
        str_add(&sql, ", ");
        if (!count)
            str_format(&sql, "ifnull(%s_bytes, 0)", codes[k].columns[i]);
        for (size_t t = 0; t < count; ++t)
            str_format(&sql, "%sarray_at(%s_bytes_by_tile, %llu)", t ? " + " : "", codes[k].columns[i],
                       (unsigned long long)list[t]);
        str_format(&sql, " AS %s", codes[k].columns[i]);
    }
    str_add(&sql, codes[k].after);
    pop_status status = query_columns(request, report->file, answer, codes[k].types, sql.text, error);
    str_free(&sql);
    return status == POP_OK ? answer_read(report, error) : status;
}
