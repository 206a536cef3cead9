/* SPDX-License-Identifier: Apache-2.0 */
/* The printed summary of a report: builds the parts of the two profiles that pop_print_profile_summary reads
 * (docs/reports/profiling.md) from the file's tables. */
#include "pva/model.h"
#include "pva/reader.h"
#include "value/array.h"

#include "base/error.h"
#include "value/value.h"

/* An array of a row as a run-length coded vector. */
static pop_profile_value array_value(sqlite3_stmt *statement, int column, uint64_t count)
{
    const void *data = sqlite3_column_blob(statement, column);
    size_t size = data ? (size_t)sqlite3_column_bytes(statement, column) : 0;
    struct array_cursor cursor = array_cursor(data, size);
    size_t runs = 1;
    for (uint64_t i = 0, value; i < count; ++runs)
        i += array_next(&cursor, count - i, &value);
    pop_profile_value vector = profile_runs(runs);
    cursor = array_cursor(data, size);
    for (uint64_t i = 0; i < count;) {
        uint64_t value, run = array_next(&cursor, count - i, &value);
        profile_add_run(&vector, value, (size_t)run);
        i += run;
    }
    return vector;
}

static void put_number(pop_profile_value *map, const char *key, uint64_t value)
{
    pop_profile_set(map, key, pop_profile_uint(value));
}

/* Whether the report is archive.a alone: most of its target is unknown. */
static bool is_archive_alone(pva_file *file)
{
    return query_uint(file, "SELECT type IS NULL FROM target WHERE ?1 | ?2 >= 0", 0, 0, 0) != 0;
}

static pop_profile_value target_value(pva_file *file)
{
    static const struct {
        const char *key;
        int column;
    } numbers[] = { { "numIPUs", 3 },     { "tilesPerIPU", 4 }, { "numTiles", 5 },    { "bytesPerTile", 6 },
                    { "bytesPerIPU", 7 }, { "totalMemory", 8 }, { "numReplicas", 10 } };
    pop_profile_value map = pop_profile_map_new();
    struct source_cell cell;
    if (is_archive_alone(file)) {
        put_number(&map, "numTiles", table_uint(file, TABLE_TARGET, 0, 0, 5));
        return map;
    }
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); ++i)
        put_number(&map, numbers[i].key, table_uint(file, TABLE_TARGET, 0, 0, numbers[i].column));
    table_cell(file, TABLE_TARGET, 0, 0, 9, &cell);
    pop_profile_set(&map, "clockFrequency", pop_profile_double(cell.real));
    table_cell(file, TABLE_TARGET, 0, 0, 1, &cell);
    pop_profile_set(&map, "type", pop_profile_string(cell.text));
    return map;
}

static pop_profile_value counts_value(pva_file *file)
{
    static const char *const keys[] = { "numComputeSets", "numVertices", "numEdges", "numVars" };
    pop_profile_value map = pop_profile_map_new();
    for (int i = 0; i < 4; ++i)
        put_number(&map, keys[i], table_uint(file, TABLE_GRAPH, 0, 0, i + 1));
    return map;
}

static pop_profile_value metrics_value(pva_file *file)
{
    pop_profile_value map = pop_profile_map_new();
    sqlite3_stmt *statement = query(file, "SELECT name, value FROM metrics WHERE ?1 | ?2 >= 0", 0, 0);
    while (statement && query_step(file, statement)) {
        const char *name = (const char *)sqlite3_column_text(statement, 0);
        pop_profile_set(&map, name ? name : "", pop_profile_double(sqlite3_column_double(statement, 1)));
    }
    return map;
}

static pop_profile_value by_tile_value(pva_file *file)
{
    static const struct {
        const char *key;
        int column;
    } numbers[] = {
        { "total", 2 }, { "totalIncludingGaps", 1 }, { "interleaved", 4 }, { "nonInterleaved", 6 }, { "overflowed", 8 }
    };
    pop_profile_value map = pop_profile_map_new();
    uint64_t tiles = table_count(file, TABLE_TILE_MEMORY);
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); ++i) {
        pop_profile_value vector = profile_runs((size_t)tiles + 1);
        for (uint64_t tile = 0; tile < tiles; ++tile)
            profile_add_run(&vector, table_uint(file, TABLE_TILE_MEMORY, 0, tile, numbers[i].column), 1);
        pop_profile_set(&map, numbers[i].key, vector);
    }
    return map;
}

/* The map at a key, created when missing. */
static pop_profile_value *map_in(pop_profile_value *map, const char *key)
{
    if (!pop_profile_get(map, key))
        pop_profile_set(map, key, pop_profile_map_new());
    return (pop_profile_value *)(uintptr_t)pop_profile_get(map, key);
}

static pop_profile_value by_category_value(pva_file *file)
{
    static const char *const regions[] = { "nonInterleaved", "interleaved", "overflowed" }, *const overlaps[] = {
        "nonOverlapped", "overlapped"
    };
    static const char sql[] = "SELECT c.name, m.region, m.overlap, m.bytes_by_tile FROM memory_by_category m JOIN "
                              "var_categories c ON c.id = m.category "
                              "WHERE ?1 | ?2 >= 0 AND m.region BETWEEN 0 AND 2 AND m.overlap BETWEEN 0 AND 1";
    pop_profile_value map = pop_profile_map_new();
    sqlite3_stmt *statement = query(file, sql, 0, 0);
    while (statement && query_step(file, statement)) {
        const char *name = (const char *)sqlite3_column_text(statement, 0);
        pop_profile_value *region = map_in(map_in(&map, name ? name : ""), regions[sqlite3_column_int(statement, 1)]);
        pop_profile_set(region, overlaps[sqlite3_column_int(statement, 2)], array_value(statement, 3, file->tiles));
    }
    return map;
}

/* Bytes of each vertex type by kind. The summary sums over tiles, so the vector has a single element, the sum. */
static pop_profile_value by_type_value(pva_file *file)
{
    static const char *const kinds[] = { "codeBytes",    "copyPtrBytes",    "descriptorBytes", "edgePtrBytes",
                                         "paddingBytes", "vertexDataBytes", "totalBytes" };
    static const char sql[] = "SELECT code_bytes, copy_ptr_bytes, descriptor_bytes, edge_ptr_bytes, padding_bytes, "
                              "vertex_data_bytes FROM vertex_types "
                              "WHERE ?1 | ?2 >= 0 ORDER BY id";
    pop_profile_value map = pop_profile_map_new(), vectors[7];
    for (int i = 0; i < 7; ++i)
        vectors[i] = pop_profile_vector_new();
    sqlite3_stmt *statement = query(file, sql, 0, 0);
    while (statement && query_step(file, statement)) {
        uint64_t total = 0;
        for (int i = 0; i < 7; ++i) {
            uint64_t bytes = i < 6 ? (uint64_t)sqlite3_column_int64(statement, i) : total;
            pop_profile_value *sum = pop_profile_push(&vectors[i], pop_profile_vector_new());
            pop_profile_push(sum, pop_profile_uint(bytes));
            total += bytes;
        }
    }
    for (int i = 0; i < 7; ++i)
        pop_profile_set(&map, kinds[i], vectors[i]);
    return map;
}

static pop_profile_value types_value(pva_file *file)
{
    pop_profile_value map = pop_profile_map_new(), names = pop_profile_vector_new(), origins = pop_profile_vector_new();
    struct source_cell cell;
    for (uint64_t i = 0; i < table_count(file, TABLE_VERTEX_TYPE); ++i) {
        table_cell(file, TABLE_VERTEX_TYPE, 0, i, 1, &cell);
        pop_profile_push(&names, pop_profile_string(cell.text));
    }
    static const char asked[] =
        "SELECT count(*) FROM pragma_table_info('vertex_types') WHERE name = 'estimate' AND ?1 | ?2 >= 0";
    bool marked = false;
    for (sqlite3_stmt *has = query(file, asked, 0, 0); has && query_step(file, has);)
        marked = sqlite3_column_int(has, 0);
    sqlite3_stmt *statement =
        marked ? query(file, "SELECT estimate FROM vertex_types WHERE ?1 | ?2 >= 0 ORDER BY id", 0, 0) : NULL;
    while (statement && query_step(file, statement)) {
        const char *origin = (const char *)sqlite3_column_text(statement, 0);
        pop_profile_push(&origins, pop_profile_string(origin ? origin : ""));
    }
    pop_profile_set(&map, "estimates", origins);
    pop_profile_set(&map, "names", names);
    return map;
}

static pop_profile_value sets_value(pva_file *file)
{
    static const char sql[] = "SELECT vertex_type, count, active_cycles FROM compute_set_vertices WHERE compute_set = "
                              "?1 AND ?2 >= 0 ORDER BY vertex_type";
    uint64_t types = table_count(file, TABLE_VERTEX_TYPE), sets = table_count(file, TABLE_COMPUTE_SET);
    pop_profile_value map = pop_profile_map_new(), names = pop_profile_vector_new(), counts = pop_profile_vector_new(),
                      kinds = pop_profile_vector_new(), cycles = pop_profile_vector_new();
    for (uint64_t set = 0; set < sets && !file->failed; ++set) {
        pop_profile_push(&names, (pop_profile_value){ 0 });
        pop_profile_value *set_counts = pop_profile_push(&counts, pop_profile_vector_new()),
                          *set_kinds = pop_profile_push(&kinds, pop_profile_vector_new());
        pop_profile_value active = profile_runs((size_t)types + 2);
        uint64_t at = 0;
        sqlite3_stmt *statement = query(file, sql, set, 0);
        while (statement && query_step(file, statement)) {
            uint64_t type = (uint64_t)sqlite3_column_int64(statement, 0);
            if (type < at || type >= types)
                continue;
            pop_profile_push(set_kinds, pop_profile_uint(type));
            pop_profile_push(set_counts, pop_profile_uint((uint64_t)sqlite3_column_int64(statement, 1)));
            profile_add_run(&active, 0, (size_t)(type - at));
            profile_add_run(&active, (uint64_t)sqlite3_column_int64(statement, 2), 1);
            at = type + 1;
        }
        pop_profile_push(&cycles, active);
    }
    pop_profile_set(&map, "names", names);
    pop_profile_set(&map, "vertexCounts", counts);
    pop_profile_set(&map, "vertexTypes", kinds);
    struct source_cell type;
    table_cell(file, TABLE_TARGET, 0, 0, 1, &type);
    if (strcmp(type.text, "IPU_MODEL") == 0)
        pop_profile_set(map_in(&map, "cycleEstimates"), "activeCyclesByVertexType", cycles);
    else
        pop_profile_free(&cycles);
    return map;
}

/* Liveness. An entry of the graph profile's programs is a step, which a report may split into several programs. */
enum { MAX_NODES = 1 << 18, DEEPEST = PROFILE_DEEPEST / 2 - 16, MAX_CHILDREN = 1 << 22 };
struct liveness {
    pva_file *file;
    pop_profile_value *lists; /* variables of each list; null until needed */
    uint64_t list_count;
    size_t nodes;
    uint64_t path[DEEPEST + 1]; /* steps from the control program to the current node */
};

static pop_profile_value variables_value(struct liveness *l, uint64_t list)
{
    if (list >= l->list_count)
        return pop_profile_vector_new();
    if (l->lists[list].type != POP_PROFILE_VECTOR) {
        struct keys keys = { 0 };
        live_variables(object_make(l->file, PVA_CLASS_LIVE_MEMORY, list, 0, 0), &keys);
        l->lists[list] = profile_vector(keys.count);
        for (size_t i = 0; i < keys.count; ++i) {
            struct source_cell name;
            pop_profile_value map = profile_map(2);
            table_cell(l->file, TABLE_LIVE_VARIABLE, 0, keys.data[i], 1, &name);
            profile_add(&map, "name", pop_profile_string(name.text));
            profile_add(&map, "size", pop_profile_uint(table_uint(l->file, TABLE_LIVE_VARIABLE, 0, keys.data[i], 2)));
            pop_profile_push(&l->lists[list], map);
        }
        vec_free(&keys);
    }
    return profile_share(&l->lists[list]);
}

static uint64_t step_of_program(pva_file *file, uint64_t program)
{
    return query_uint(file, "SELECT step FROM programs WHERE id = ?1 AND ?2 >= 0", program, 0, UINT64_MAX);
}

static pop_profile_value node(struct liveness *l, uint64_t step, unsigned depth);

static void add_node(struct liveness *l, pop_profile_value *children, uint64_t program, unsigned depth)
{
    uint64_t step = step_of_program(l->file, program);
    if (l->nodes >= MAX_NODES || step == UINT64_MAX || l->file->failed)
        return;
    for (unsigned i = 0; i < depth; ++i)
        if (l->path[i] == step) {
            file_fail(l->file, POP_PARSE_ERROR, "program %llu contains itself: the file is damaged",
                      (unsigned long long)program);
            return;
        }
    l->path[depth] = step;
    ++l->nodes;
    pop_profile_push(children, node(l, step, depth));
}

/* The program of a step that has its children, target and liveness; the others are parts of it. */
static uint64_t main_program(pva_file *file, uint64_t step)
{
    static const char sql[] = "SELECT id FROM programs WHERE step = ?1 AND ?2 >= 0 AND type NOT IN ('Sans', 'SyncAns', "
                              "'StreamCopyBegin', 'StreamCopyEnd') "
                              "ORDER BY type = 'Sync', id LIMIT 1";
    return query_uint(file, sql, step, 0, UINT64_MAX);
}

static pop_profile_value node(struct liveness *l, uint64_t step, unsigned depth)
{
    pva_file *file = l->file;
    uint64_t program = main_program(file, step);
    uint64_t list =
        query_uint(file, "SELECT list FROM liveness_steps WHERE program = ?1 AND ?2 >= 0 LIMIT 1", program, 0, 0);
    uint64_t count = query_uint(file, "SELECT max(position) + 1 FROM program_children WHERE program = ?1 AND ?2 >= 0",
                                program, 0, 0);
    uint64_t target = query_uint(file, "SELECT target FROM programs WHERE id = ?1 AND ?2 >= 0", program, 0, UINT64_MAX),
             last = UINT64_MAX;
    pop_profile_value map = pop_profile_map_new();
    if (list)
        put_number(&map, "bytes", table_uint(file, TABLE_LIVE_LIST, 0, list, 1));
    if (depth < DEEPEST && (count || target != UINT64_MAX)) {
        pop_profile_value children = pop_profile_vector_new();
        for (uint64_t i = 0; i < count && i < MAX_CHILDREN && !file->failed; ++i) {
            uint64_t child = table_uint(file, TABLE_CHILDREN, program, i, 1), of = step_of_program(file, child);
            if (of != last)
                add_node(l, &children, child, depth + 1);
            last = of;
        }
        if (target != UINT64_MAX)
            add_node(l, &children, target, depth + 1);
        pop_profile_set(&map, "children", children);
    }
    put_number(&map, "program", step);
    if (list)
        pop_profile_set(&map, "variables", variables_value(l, list));
    return map;
}

static pop_profile_value liveness_value(pva_file *file)
{
    struct liveness l = { .file = file,
                          .list_count =
                              query_uint(file, "SELECT max(id) + 1 FROM live_lists WHERE ?1 | ?2 >= 0", 0, 0, 0) };
    if (l.list_count > file->bytes)
        l.list_count = 0;
    l.lists = mem_zero(l.list_count + 1, sizeof(*l.lists));
    pop_profile_value map = pop_profile_map_new(), always = pop_profile_map_new(), others = pop_profile_map_new(),
                      programs = pop_profile_vector_new();
    pop_profile_value bytes = pop_profile_vector_new();
    uint64_t sum = query_uint(file, "SELECT sum(always_live) FROM memory_by_tile WHERE ?1 | ?2 >= 0", 0, 0, 0);
    pop_profile_push(&bytes, pop_profile_uint(sum));
    pop_profile_set(&always, "bytesByTile", bytes);
    pop_profile_set(&always, "variables", variables_value(&l, 0));
    for (uint64_t i = 0; i < table_count(file, TABLE_CONTROL_PROGRAM); ++i)
        add_node(&l, &programs, table_uint(file, TABLE_CONTROL_PROGRAM, 0, i, 1), 0);
    pop_profile_set(&others, "byProgram", programs);
    put_number(&others, "maxBytes",
               query_uint(file, "SELECT max(bytes) FROM live_lists WHERE id > 0 AND ?1 | ?2 >= 0", 0, 0, 0));
    pop_profile_set(&map, "alwaysLive", always);
    pop_profile_set(&map, "notAlwaysLive", others);
    for (uint64_t i = 0; i < l.list_count; ++i)
        pop_profile_free(&l.lists[i]);
    free(l.lists);
    return map;
}

/* Type and name of each entry of the graph profile's programs. */
static pop_profile_value programs_value(pva_file *file)
{
    pop_profile_value vector = pop_profile_vector_new();
    sqlite3_stmt *statement =
        query(file,
              "SELECT step, type, name, detail FROM programs WHERE ?1 | ?2 >= 0 AND type NOT IN ('Sans', 'SyncAns', "
              "'StreamCopyBegin', 'StreamCopyEnd') ORDER BY step, type <> 'Sync', id",
              0, 0);
    while (statement && query_step(file, statement)) {
        uint64_t step = (uint64_t)sqlite3_column_int64(statement, 0);
        const char *type = (const char *)sqlite3_column_text(statement, 1),
                   *name = (const char *)sqlite3_column_text(statement, 2),
                   *detail = (const char *)sqlite3_column_text(statement, 3);
        if (step > pop_profile_size(&vector) || step + 1 < pop_profile_size(&vector)) /* there are no gaps */
            continue;
        pop_profile_value map = pop_profile_map_new();
        pop_profile_set(&map, "type",
                        pop_profile_string(type && strcmp(type, "StreamCopyMid") == 0 ? "StreamCopy" : type));
        if (name && !(detail && strcmp(name, detail) == 0))
            pop_profile_set(&map, "name", pop_profile_string(name));
        if (step < pop_profile_size(&vector)) { /* the sync before an exchange came earlier */
            pop_profile_value *of = (pop_profile_value *)(uintptr_t)pop_profile_at(&vector, (size_t)step);
            pop_profile_free(of);
            *of = map;
        } else {
            pop_profile_push(&vector, map);
        }
    }
    return vector;
}

static pop_profile_value graph_value(pva_file *file, bool liveness)
{
    pop_profile_value map = pop_profile_map_new();
    pop_profile_set(&map, "target", target_value(file));
    if (is_archive_alone(file)) {
        pop_profile_set(map_in(&map, "memory"), "byTile", by_tile_value(file));
        return map;
    }
    pop_profile_set(&map, "graph", counts_value(file));
    if (!table_count(file, TABLE_TILE_MEMORY)) /* a CPU has no tile memory */
        return map;
    pop_profile_set(&map, "optimizationInfo", metrics_value(file));
    pop_profile_set(&map, "vertexTypes", types_value(file));
    pop_profile_set(&map, "computeSets", sets_value(file));
    pop_profile_value *memory = map_in(&map, "memory");
    pop_profile_set(memory, "byTile", by_tile_value(file));
    pop_profile_set(memory, "byCategory", by_category_value(file));
    pop_profile_set(memory, "byVertexType", by_type_value(file));
    if (liveness) {
        pop_profile_set(memory, "liveness", liveness_value(file));
        pop_profile_set(&map, "programs", programs_value(file));
    }
    return map;
}

/* Vertices that were measured individually. */
static void add_vertices(pva_file *file, pop_profile_value *map)
{
    pop_profile_value cycles = profile_runs(8), types = profile_runs(8);
    sqlite3_stmt *statement =
        query(file, "SELECT vertex_type, cycles FROM vertices WHERE ?1 | ?2 >= 0 ORDER BY id", 0, 0);
    size_t count = 0;
    for (; statement && query_step(file, statement); ++count) {
        profile_add_run(&types, (uint64_t)sqlite3_column_int64(statement, 0), 1);
        profile_add_run(&cycles, (uint64_t)sqlite3_column_int64(statement, 1), 1);
    }
    if (!count) {
        pop_profile_free(&cycles);
        pop_profile_free(&types);
        return;
    }
    pop_profile_set(map, "vertexCycles", cycles);
    pop_profile_set(map, "vertexType", types);
}

static pop_profile_value execution_value(pva_file *file, bool steps)
{
    static const char *const keys[] = {
        "activeCompute", "compute", "doExchange", "globalExchange", "streamCopy", "sync"
    };
    pop_profile_value map = pop_profile_map_new();
    struct source_cell cell;
    if (!table_cell(file, TABLE_TOTALS, 0, 0, 0, &cell))
        return map;
    pop_profile_value cycles = pop_profile_map_new(), simulation = pop_profile_map_new();
    for (int i = 0; i < 6; ++i)
        put_number(&cycles, keys[i], table_uint(file, TABLE_TOTALS, 0, 0, i + 2));
    put_number(&cycles, "copySharedStructure", 0);
    put_number(&simulation, "cycles", table_uint(file, TABLE_TOTALS, 0, 0, 1));
    pop_profile_set(&simulation, "tileCycles", cycles);
    if (steps)
        pop_profile_set(&simulation, "steps", profile_steps(file));
    pop_profile_set(&map, "simulation", simulation);
    add_vertices(file, &map);
    return map;
}

pop_status pva_print_summary(FILE *stream, pva_file *report, pop_options options, pop_error *error)
{
    static const char api[] = "pva_print_summary";
    if (!report || report->kind != FILE_REPORT)
        return error_set(error, POP_MISSING_GRAPH_PROFILE, NO_WHERE, api, "no report");
    bool liveness = false, steps = false;
    for (size_t i = 0; i < options.count; ++i) {
        liveness |= strcmp(options.list[i].key, "showVarStorage") == 0;
        steps |= strcmp(options.list[i].key, "showExecutionSteps") == 0;
    }
    pop_profile_value graph = graph_value(report, liveness), execution = execution_value(report, steps);
    pop_status status = pva_take_error(report, error);
    if (status == POP_OK)
        status = pop_print_profile_summary(stream, &graph, &execution, options, error);
    pop_profile_free(&graph);
    pop_profile_free(&execution);
    return status;
}
