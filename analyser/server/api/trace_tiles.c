/* SPDX-License-Identifier: Apache-2.0 */
/* Activity of single tiles: the BSP picture of a window, and the details of a step. */
#include "../flops.h"
#include "step_tiles.h"
#include "trace.h"

enum { MAX_HEIGHT = 2048, NO_KIND = 255 };

struct picture {
    struct window window;
    uint64_t first, tiles;
    unsigned height;
    uint8_t *kind; /* [row][pixel] */
};

/* The kind of step on each tile of an IPU at the cycle in the middle of a pixel; among overlapping steps the last
 * counts. */
static void paint_column(struct picture *picture, struct tile_times *times, unsigned ipu, unsigned pixel)
{
    const struct lod *lod = picture->window.lod;
    double cycle =
        picture->window.from + (picture->window.to - picture->window.from) * (pixel + 0.5) / picture->window.pixels;
    for (uint64_t i = lod_first_bucket(lod, ipu, cycle); i < lod->buckets && lod_bucket(lod, ipu, i)->begin <= cycle;
         ++i) {
        const struct bucket *bucket = lod_bucket(lod, ipu, i);
        if (bucket->from > cycle || bucket->to <= cycle)
            continue;
        uint64_t first = i * BUCKET_STEPS, end = first + BUCKET_STEPS < lod->steps ? first + BUCKET_STEPS : lod->steps;
        for (uint64_t step = first; step < end; ++step) {
            double from, to;
            uint8_t kind = lod_kind(lod, step);
            if (!lod_extent(lod, step, ipu, &from, &to) || from > cycle || to <= cycle ||
                window_hides(&picture->window, kind))
                continue;
            const struct tile_step *tiles = step_tiles(times, step);
            for (unsigned row = 0; tiles && row < picture->height; ++row) {
                uint64_t tile = picture->first + row * picture->tiles / picture->height;
                if (tile / lod->tiles_per_ipu != ipu)
                    continue;
                step_tiles_when(times, tiles, step, (unsigned)tile, &from, &to);
                if (from <= cycle && cycle < to)
                    picture->kind[(size_t)row * picture->window.pixels + pixel] = kind;
            }
        }
    }
}

pop_status trace_bsp(const struct request *request, struct answer *answer, pop_error *error)
{
    struct picture picture = { 0 };
    uint64_t height;
    struct analyser_report *report = request_report(request, error);
    if (!report || !request_uint(request, "height", 256, &height, error) ||
        !request_uint(request, "tile", 0, &picture.first, error) || !window_of(request, &picture.window, error))
        return error->status;
    const struct lod *lod = picture.window.lod;
    uint64_t all = (uint64_t)lod->ipus * lod->tiles_per_ipu;
    bool good = request_uint(request, "tiles", picture.first < all ? all - picture.first : 0, &picture.tiles, error);
    if (good && (picture.first >= all || !picture.tiles || picture.tiles > all - picture.first || !height ||
                 height > MAX_HEIGHT)) {
        answer_fail(error, POP_INVALID_OPTION,
                    "%llu tiles from %llu on, %llu rows (allowed: of tiles 0 to %llu, 1 to %d rows)",
                    (unsigned long long)picture.tiles, (unsigned long long)picture.first, (unsigned long long)height,
                    (unsigned long long)all - 1, MAX_HEIGHT);
        good = false;
    }
    if (!good) {
        window_free(&picture.window);
        return error->status;
    }
    picture.height = (unsigned)(height < picture.tiles ? height : picture.tiles);
    size_t size = (size_t)picture.height * picture.window.pixels;
    picture.kind = memset(mem_alloc(size), NO_KIND, size);
    struct tile_times times = step_tiles_begin(lod, report->file);
    pop_status status = POP_OK;
    for (unsigned pixel = 0; pixel < picture.window.pixels && status == POP_OK; ++pixel) {
        if (pixel % 64 == 0 && request_cancelled(request))
            status = answer_fail(error, POP_APPLICATION_RUNTIME_ERROR, "cancelled");
        for (uint64_t ipu = picture.first / lod->tiles_per_ipu;
             ipu <= (picture.first + picture.tiles - 1) / lod->tiles_per_ipu; ++ipu)
            paint_column(&picture, &times, (unsigned)ipu, pixel);
    }
    step_tiles_end(&times);
    if (status == POP_OK) {
        answer_column(answer, "kind", COLUMN_U8, picture.kind, size);
        answer_meta(answer,
                    json_pack("{s:f, s:f, s:i, s:i, s:I, s:I}", "from", picture.window.from, "to", picture.window.to,
                              "width", (int)picture.window.pixels, "height", (int)picture.height, "firstTile",
                              (json_int_t)picture.first, "tiles", (json_int_t)picture.tiles));
        status = answer_read(report, error);
    }
    free(picture.kind);
    window_free(&picture.window);
    return status;
}

static json_t *range_json(pva_object range)
{
    pva_object from = pva_get(range, PVA_CYCLE_RANGE_FROM), to = pva_get(range, PVA_CYCLE_RANGE_TO);
    return json_pack("{s:f, s:f, s:f, s:f}", "fromMin", (double)pva_uint(from, PVA_MIN_MAX_MIN), "fromMax",
                     (double)pva_uint(from, PVA_MIN_MAX_MAX), "toMin", (double)pva_uint(to, PVA_MIN_MAX_MIN), "toMax",
                     (double)pva_uint(to, PVA_MIN_MAX_MAX));
}

static json_t *ipus_json(pva_object step)
{
    json_t *list = json_array();
    for (uint64_t i = 0; i < pva_count(step, PVA_STEP_IPUS); ++i) {
        pva_object ipu = pva_at(step, PVA_STEP_IPUS, i);
        json_t *one = json_pack("{s:I, s:f, s:I, s:f, s:f, s:f, s:f}", "ipu", (json_int_t)i, "cycles",
                                (double)pva_uint(ipu, PVA_IPU_STEP_CYCLES), "activeTiles",
                                (json_int_t)pva_uint(ipu, PVA_IPU_STEP_ACTIVE_TILES), "tileBalance",
                                pva_real(ipu, PVA_IPU_STEP_TILE_BALANCE), "activeTileBalance",
                                pva_real(ipu, PVA_IPU_STEP_ACTIVE_TILE_BALANCE), "dataIn",
                                (double)pva_uint(ipu, PVA_IPU_STEP_DATA_IN), "dataOut",
                                (double)pva_uint(ipu, PVA_IPU_STEP_DATA_OUT));
        json_object_set_new(one, "active", range_json(pva_get(ipu, PVA_IPU_STEP_ACTIVE_CYCLES)));
        json_object_set_new(one, "all", range_json(pva_get(ipu, PVA_IPU_STEP_ALL_CYCLES)));
        json_array_append_new(list, one);
    }
    return list;
}

static json_t *vertices_json(pva_object set)
{
    json_t *list = json_array();
    for (uint64_t i = 0; i < pva_count(set, PVA_COMPUTE_SET_VERTICES); ++i) {
        pva_object vertices = pva_at(set, PVA_COMPUTE_SET_VERTICES, i);
        json_t *one = json_object();
        json_object_set_new(one, "type",
                            answer_text_of(pva_get(vertices, PVA_VERTEX_INSTANCES_TYPE), PVA_VERTEX_TYPE_NAME));
        json_object_set_new(one, "count", json_integer((json_int_t)pva_uint(vertices, PVA_VERTEX_INSTANCES_COUNT)));
        json_array_append_new(list, one);
    }
    return list;
}

static bool keep_row(void *context, size_t columns, const char *const *names, const pva_value *values)
{
    json_t *list = context;
    if (!values)
        return true;
    json_t *one = json_object();
    for (size_t i = 0; i < columns; ++i) {
        bool number = values[i].kind == PVA_VALUE_INTEGER || values[i].kind == PVA_VALUE_REAL;
        json_object_set_new(one, names[i],
                            values[i].kind == PVA_VALUE_NULL ? json_null()
                            : number                         ? json_real(strtod(values[i].text, NULL))
                                                             : answer_string(values[i].text));
    }
    json_array_append_new(list, one);
    return true;
}

/* Rows of a query as a list of objects; # in its text is replaced by the number. */
static json_t *rows_json(pva_file *file, const char *format, uint64_t number)
{
    struct str sql = { 0 };
    json_t *list = json_array();
    const char *at = strchr(format, '#');
    str_add_bytes(&sql, format, (size_t)(at - format));
    str_format(&sql, "%llu%s", (unsigned long long)number, at + 1);
    if (pva_sql(file, sql.text, keep_row, list, NULL) != POP_OK)
        json_array_clear(list);
    str_free(&sql);
    return list;
}

static json_t *source_json(pva_object context)
{
    pva_object location = pva_get(context, PVA_DEBUG_CONTEXT_LOCATION);
    char *file = pva_text_copy(location, PVA_LOCATION_FILE_NAME);
    json_t *json = json_null();
    if (*file) {
        json = json_object();
        json_object_set_new(json, "file", answer_string(file));
        json_object_set_new(json, "line", json_integer((json_int_t)pva_uint(location, PVA_LOCATION_LINE_NUMBER)));
        json_object_set_new(json, "function", answer_text_of(location, PVA_LOCATION_FUNCTION_NAME));
    }
    free(file);
    return json;
}

static json_t *step_json(pva_file *file, const struct lod *lod, pva_object step, uint64_t index)
{
    pva_object program = pva_get(step, PVA_STEP_PROGRAM), set = pva_get(program, PVA_PROGRAM_COMPUTESET);
    uint64_t id = pva_uint(program, PVA_PROGRAM_ID);
    json_t *json = json_pack("{s:I, s:I, s:s, s:I, s:f}", "step", (json_int_t)index, "program", (json_int_t)id, "kind",
                             kinds[lod_kind(lod, index)].label, "run", (json_int_t)lod_run_of(lod, index), "live",
                             lod->of_program[lod->program[index]].live);
    json_object_set_new(json, "name", answer_text_of(program, PVA_PROGRAM_NAME));
    json_object_set_new(json, "type", answer_text_of(program, PVA_PROGRAM_TYPE_NAME));
    json_object_set_new(json, "detail", answer_text_of(program, PVA_PROGRAM_DETAIL));
    json_object_set_new(json, "ipus", ipus_json(step));
    json_object_set_new(json, "computeSet", pva_is_null(set) ? json_null() : answer_text_of(set, PVA_COMPUTE_SET_NAME));
    json_object_set_new(json, "vertices", vertices_json(set));
    json_object_set_new(json, "source", source_json(pva_get(program, PVA_PROGRAM_DEBUG_CONTEXT)));
    json_object_set_new(
        json, "computeSetMemory",
        rows_json(file,
                  "SELECT c.compute_set AS id, c.code_bytes AS code, c.vertex_data_bytes AS vertexData, "
                  "c.copy_ptr_bytes AS copyPointers, c.descriptor_bytes AS descriptors, "
                  "c.edge_ptr_bytes AS edgePointers, c.padding_bytes AS padding FROM compute_sets c "
                  "JOIN programs p ON p.compute_set = c.compute_set WHERE p.id = #",
                  id));
    json_object_set_new(json, "exchange",
                        rows_json(file,
                                  "SELECT e.kind, e.name, e.total_data AS totalData, e.data_balance AS dataBalance, "
                                  "e.code_bytes AS codeBytes, e.from_host AS fromHost, e.to_host AS toHost, "
                                  "array_sum(e.sent_by_tile) AS sent, array_sum(e.received_by_tile) AS received FROM "
                                  "exchanges e JOIN programs p ON p.exchange = e.id WHERE p.id = #",
                                  id));
    json_object_set_new(json, "flops",
                        flops_recorded(file)
                            ? rows_json(file,
                                        "SELECT f.flops, f.uncounted FROM programs p JOIN (SELECT compute_set, "
                                        "ifnull(sum(flops), 0) AS flops, sum(CASE WHEN flops IS NULL THEN count ELSE 0 "
                                        "END) AS uncounted FROM compute_set_vertices GROUP BY 1) f ON f.compute_set = "
                                        "p.compute_set WHERE p.type = 'OnTileExecute' AND p.id = #",
                                        id)
                            : json_array());
    json_object_set_new(json, "sources",
                        rows_json(file,
                                  "SELECT v.name, v.bytes FROM program_vars a JOIN variables v ON v.id = a.var WHERE "
                                  "a.access & 1 AND a.program = # ORDER BY v.bytes DESC, v.name LIMIT 50",
                                  id));
    json_object_set_new(json, "destinations",
                        rows_json(file,
                                  "SELECT v.name, v.bytes FROM program_vars a JOIN variables v ON v.id = a.var WHERE "
                                  "a.access & 2 AND a.program = # ORDER BY v.bytes DESC, v.name LIMIT 50",
                                  id));
    return json;
}

/* The slowest tile of a step, its vertices, and the average time that tiles wait for it. */
static json_t *critical_json(pva_file *file, uint64_t program, const double *from, const double *to, uint64_t tiles)
{
    double max = 0, sum = 0;
    uint64_t tile = 0;
    for (uint64_t i = 0; i < tiles; ++i) {
        double cycles = to[i] - from[i];
        sum += cycles;
        if (cycles > max) {
            max = cycles;
            tile = i;
        }
    }
    if (max <= 0)
        return json_null();
    struct str sql = { 0 };
    str_format(&sql,
               "SELECT t.name AS type, a.value AS count FROM programs p JOIN compute_set_vertices v ON v.compute_set = "
               "p.compute_set JOIN vertex_types t ON t.id = v.vertex_type, array(v.count_by_tile, %llu) a WHERE a.i = "
               "%llu AND a.value > 0 AND p.id = #",
               (unsigned long long)tiles, (unsigned long long)tile);
    json_t *json = json_pack("{s:I, s:f, s:f, s:o}", "tile", (json_int_t)tile, "cycles", max, "lost",
                             max - sum / (double)tiles, "vertices", rows_json(file, sql.text, program));
    str_free(&sql);
    return json;
}

struct numbers {
    double *data;
    uint64_t count;
    unsigned column;
};

static bool keep_element(void *context, size_t columns, const int64_t *values)
{
    struct numbers *numbers = context;
    if (columns == 2 && (uint64_t)values[0] < numbers->count)
        numbers->data[values[0]] = (double)values[1];
    return true;
}

/* Reads an array by tile of the exchange of a program; false when it has none. */
static bool exchange_array(pva_file *file, uint64_t program, const char *column, uint64_t count, double *data)
{
    struct str sql = { 0 };
    struct numbers numbers = { data, count, 0 };
    memset(data, 0, count * sizeof(*data));
    str_format(&sql,
               "SELECT a.i, a.value FROM programs p JOIN exchanges e ON e.id = p.exchange, array(e.%s, %llu) a WHERE "
               "p.id = %llu",
               column, (unsigned long long)count, (unsigned long long)program);
    bool good = pva_sql_integers(file, sql.text, keep_element, &numbers, NULL) == POP_OK;
    str_free(&sql);
    return good;
}

pop_status trace_step(const struct request *request, struct answer *answer, pop_error *error)
{
    uint64_t index;
    struct analyser_report *report = request_report(request, error);
    const struct lod *lod = report ? lod_asked(request, error) : NULL;
    if (!lod || !request_uint(request, "index", 0, &index, error))
        return error->status;
    if (index >= lod->steps)
        return answer_fail(error, POP_INVALID_OPTION, "step %llu of %llu", (unsigned long long)index,
                           (unsigned long long)lod->steps);
    pva_object step = pva_at(pva_get(pva_root(report->file), PVA_REPORT_EXECUTION), PVA_EXECUTION_STEPS, index);
    uint64_t count = (uint64_t)lod->ipus * lod->tiles_per_ipu;
    double *data = mem_zero(count * 4 + 1, sizeof(*data));
    struct tile_times times = step_tiles_begin(lod, report->file);
    const struct tile_step *tiles = step_tiles(&times, index);
    for (uint64_t tile = 0; tiles && tile < count; ++tile)
        step_tiles_when(&times, tiles, index, (unsigned)tile, &data[tile], &data[count + tile]);
    step_tiles_end(&times);
    answer_column(answer, "from", COLUMN_F64, data, count);
    answer_column(answer, "to", COLUMN_F64, data + count, count);
    if (exchange_array(report->file, lod->program[index], "sent_by_tile", count, data + 2 * count) &&
        exchange_array(report->file, lod->program[index], "received_by_tile", count, data + 3 * count)) {
        answer_column(answer, "sent", COLUMN_F64, data + 2 * count, count);
        answer_column(answer, "received", COLUMN_F64, data + 3 * count, count);
    }
    json_t *meta = step_json(report->file, lod, step, index);
    json_object_set_new(meta, "critical", critical_json(report->file, lod->program[index], data, data + count, count));
    answer_meta(answer, meta);
    free(data);
    return answer_read(report, error);
}
