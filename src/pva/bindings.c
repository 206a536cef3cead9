/* SPDX-License-Identifier: Apache-2.0 */
/* The source of each property: a column, a view of the same row, a list of rows, or a function. */
#include "pva/companions.h"
#include "pva/model.h"
#include "pva/reader.h"

#include <string.h>

#define COLUMN(t, c)                                                                                                   \
    {                                                                                                                  \
        .how = BIND_COLUMN, .table = TABLE_##t, .column = c                                                            \
    }
#define OWNED(t, c)                                                                                                    \
    {                                                                                                                  \
        .how = BIND_COLUMN, .table = TABLE_##t, .column = c, .owned = true                                             \
    }
#define PART(t, c)                                                                                                     \
    {                                                                                                                  \
        .how = BIND_PART, .table = TABLE_##t, .column = c                                                              \
    }
#define VIEW(part)                                                                                                     \
    {                                                                                                                  \
        .how = BIND_VIEW, .column = part                                                                               \
    }
#define NARROW(c)                                                                                                      \
    {                                                                                                                  \
        .how = BIND_NARROW, .column = c                                                                                \
    }
#define KEYED(t, c)                                                                                                    \
    {                                                                                                                  \
        .how = BIND_KEYED, .table = TABLE_##t, .column = c                                                             \
    }
#define NEEDED(t, c)                                                                                                   \
    {                                                                                                                  \
        .how = BIND_NEEDED, .table = TABLE_##t, .column = c                                                            \
    }
#define ROWS(t)                                                                                                        \
    {                                                                                                                  \
        .how = BIND_ROWS, .table = TABLE_##t                                                                           \
    }
#define KEYS(f)                                                                                                        \
    {                                                                                                                  \
        .how = BIND_KEYS, .keys = f                                                                                    \
    }
#define KEYS_OF_KEY(f)                                                                                                 \
    {                                                                                                                  \
        .how = BIND_KEYS, .keys = f, .column = OWNER_IS_KEY                                                            \
    }
#define SAME_KEYS(f)                                                                                                   \
    {                                                                                                                  \
        .how = BIND_KEYS, .keys = f, .column = OWNER_IS_OWNER                                                          \
    }
#define NUMBERS(text)                                                                                                  \
    {                                                                                                                  \
        .how = BIND_NUMBERS, .sql = text                                                                               \
    }
#define GET(f)                                                                                                         \
    {                                                                                                                  \
        .how = BIND_GET, .get = f                                                                                      \
    }
/* An object found by a name or a number. */
#define FROM(f, name, number)                                                                                          \
    {                                                                                                                  \
        .how = BIND_FROM, .from = f, .sql = name, .column = number                                                     \
    }
#define LIST(f, g)                                                                                                     \
    {                                                                                                                  \
        .how = BIND_LIST, .count = f, .at = g                                                                          \
    }

/* Reads the keys that a query returns. */
static void list_keys(pva_object o, const char *sql, uint64_t first, uint64_t second, struct keys *keys)
{
    sqlite3_stmt *statement = query(o.file, sql, first, second);
    if (!statement)
        return;
    while (query_step(o.file, statement))
        *vec_push(keys) = (uint64_t)sqlite3_column_int64(statement, 0);
    sqlite3_reset(statement);
}
static void set_vertices(pva_object o, struct keys *keys)
{
    list_keys(o, "SELECT vertex_type FROM compute_set_vertices WHERE compute_set = ?1 AND ?2 >= 0 ORDER BY vertex_type",
              o.key, 0, keys);
}
static void program_vars(pva_object o, struct keys *keys)
{
    list_keys(o, "SELECT var FROM program_vars WHERE program = ?1 AND ?2 >= 0 ORDER BY var", o.key, 0, keys);
}
/* Variables without memory have no rows, so that ids have gaps. */
static void variables(pva_object o, struct keys *keys)
{
    list_keys(o, "SELECT id FROM variables WHERE ?1 | ?2 >= 0 ORDER BY id", 0, 0, keys);
}
static void blocks_of_tile(pva_object o, struct keys *keys)
{
    list_keys(o, "SELECT id FROM blocks WHERE tile = ?1 AND ?2 >= 0 ORDER BY id", o.key, 0, keys);
}
static void instances_type(pva_object o, struct value *v)
{
    v->object = object_make(o.file, PVA_CLASS_VERTEX_TYPE, o.key, 0, 0);
}

/* Cycles of an executed step, when the compute set belongs to one (its owner is then the step's id + 1). */
static void set_cycles(pva_object o, uint64_t *numbers, uint64_t count)
{
    if (o.owner)
        step_cycles(object_make(o.file, PVA_CLASS_STEP, o.owner - 1, 0, 0), numbers, count);
    else
        query_array(o.file, "SELECT estimated_cycles_by_tile FROM compute_sets WHERE compute_set = ?1 AND ?2 >= 0",
                    o.key, 0, numbers, count);
}

static uint64_t set_cycles_length(pva_object o)
{
    return o.owner ? step_tiles_length(object_make(o.file, PVA_CLASS_STEP, o.owner - 1, 0, 0)) : o.file->tiles;
}

static uint64_t child_count(pva_object o)
{
    return query_uint(o.file, "SELECT max(position) + 1 FROM program_children WHERE program = ?1 AND ?2 >= 0", o.key, 0,
                      0);
}
static pva_object child_at(pva_object o, uint64_t i)
{
    return object_make(o.file, PVA_CLASS_PROGRAM, table_uint(o.file, TABLE_CHILDREN, o.key, i, 1), 0, 0);
}
static uint64_t control_count(pva_object o)
{
    return table_count(o.file, TABLE_CONTROL_PROGRAM);
}
static pva_object control_at(pva_object o, uint64_t i)
{
    return object_make(o.file, PVA_CLASS_PROGRAM, table_uint(o.file, TABLE_CONTROL_PROGRAM, 0, i, 1), 0, 0);
}
static uint64_t function_count(pva_object o)
{
    return table_count(o.file, TABLE_FUNCTION);
}
static pva_object function_at(pva_object o, uint64_t i)
{
    return object_make(o.file, PVA_CLASS_PROGRAM, table_uint(o.file, TABLE_FUNCTION, 0, i, 1), 0, 0);
}

static void program_text(pva_object o, int column, struct value *v)
{
    struct source_cell cell;
    if (table_cell(o.file, TABLE_PROGRAM, 0, o.key, column, &cell))
        str_add(&v->text, cell.text);
}
static void program_type(pva_object o, struct value *v)
{
    struct source_cell cell;
    table_cell(o.file, TABLE_PROGRAM, 0, o.key, 1, &cell);
    while (v->natural < PVA_PROGRAM_TYPE_UNKNOWN &&
           strcmp(pva_program_type_name((pva_program_type)v->natural), cell.text) != 0)
        ++v->natural;
}
static void program_name(pva_object o, struct value *v)
{
    struct source_cell cell;
    table_cell(o.file, TABLE_PROGRAM, 0, o.key, 1, &cell);
    program_text(o, strcmp(cell.text, "Sync") == 0 ? 3 : 2, v);
}
static bool program_is(pva_object o, const char *type)
{
    struct source_cell cell;
    return table_cell(o.file, TABLE_PROGRAM, 0, o.key, 1, &cell) && strcmp(cell.text, type) == 0;
}
static uint64_t exchange_length(pva_object o)
{
    return program_is(o, "DoExchange") ? o.file->tiles : 0;
}
static void exchange_code(pva_object o, uint64_t *numbers, uint64_t count)
{
    query_array(o.file, "SELECT code_bytes_by_tile FROM exchanges WHERE id = ?1 AND ?2 >= 0",
                table_uint(o.file, TABLE_PROGRAM, 0, o.key, 5), 0, numbers, count);
}
static uint64_t estimate_length(pva_object o)
{
    static const char *const types[] = { "OnTileExecute", "DoExchange", "GlobalExchange", "StreamCopyMid" };
    struct source_cell cell;
    table_cell(o.file, TABLE_PROGRAM, 0, o.key, 1, &cell);
    return name_at(types, 4, cell.text) < 4 ? o.file->tiles : 0;
}
static void program_estimates(pva_object o, uint64_t *numbers, uint64_t count)
{
    struct source_cell set;
    if (table_cell(o.file, TABLE_PROGRAM, 0, o.key, 4, &set) && set.kind == CELL_INTEGER)
        query_array(o.file, "SELECT estimated_cycles_by_tile FROM compute_sets WHERE compute_set = ?1 AND ?2 >= 0",
                    (uint64_t)set.integer, 0, numbers, count);
    else
        query_array(o.file, "SELECT cycles_by_tile FROM exchanges WHERE id = ?1 AND ?2 >= 0",
                    table_uint(o.file, TABLE_PROGRAM, 0, o.key, 5), 0, numbers, count);
}

static void debug_context_of(pva_object o, enum table table, int column, struct value *v)
{
    struct source_cell cell;
    if (table_cell(o.file, table, 0, o.key, column, &cell) && cell.kind == CELL_INTEGER && cell.integer >= 0)
        v->object = debug_by_id(o.file, (uint64_t)cell.integer);
}
static void variable_context(pva_object o, struct value *v)
{
    debug_context_of(o, TABLE_VARIABLE, 4, v);
}
static void set_context(pva_object o, struct value *v)
{
    debug_context_of(o, TABLE_COMPUTE_SET, 2, v);
}
static void program_context(pva_object o, struct value *v)
{
    debug_context_of(o, TABLE_PROGRAM, 7, v);
}

static void liveness_memory(pva_object o, struct value *v)
{
    struct source_cell cell;
    uint64_t list = table_uint(o.file, TABLE_LIVENESS_STEP, 0, o.key, 2);
    if (!table_cell(o.file, TABLE_LIVE_LIST, 0, list, 0, &cell))
        file_fail_missing(o.file, TABLE_LIVE_LIST, list);
    v->object = object_make(o.file, PVA_CLASS_LIVE_MEMORY, list, 0, 0);
}
static void always_live(pva_object o, struct keys *keys)
{
    live_variables(object_make(o.file, PVA_CLASS_LIVE_MEMORY, 0, 0, 0), keys);
}

/* Lowered variables of a tile have consecutive keys. */
static uint64_t lowered_count(pva_object o)
{
    if (!o.part)
        return table_count(o.file, TABLE_LOWERED_VAR);
    uint64_t end = query_uint(o.file, "SELECT max(id) + 1 FROM vars_info WHERE tile = ?1 AND ?2 >= 0", o.owner, 0, 0),
             first = o.key;
    return end > first ? end - first : 0;
}
static pva_object lowered_at(pva_object o, uint64_t i)
{
    return object_make(o.file, PVA_CLASS_LOWERED_VAR, i + (o.part ? o.key : 0), 0, 0);
}
static pva_object brief_at(pva_object o, uint64_t i)
{
    return object_make(o.file, PVA_CLASS_BRIEF_VAR, i + (o.part ? o.key : 0), 0, 0);
}
static void has_unlowered(pva_object o, struct value *v)
{
    struct source_cell cell;
    v->natural = table_cell(o.file, TABLE_LOWERED_VAR, 0, o.key, 5, &cell) && cell.kind == CELL_INTEGER;
}
static void own_key(pva_object o, struct value *v)
{
    v->natural = o.key;
}
static uint64_t interval_count(pva_object o)
{
    return query_uint(o.file, "SELECT max(position) + 1 FROM class_intervals WHERE class = ?1 AND ?2 >= 0", o.key, 0,
                      0);
}
static pva_object interval_at(pva_object o, uint64_t i)
{
    return object_make(o.file, PVA_CLASS_INTERVAL, i, o.key, 0);
}

const struct binding bindings[PVA_PROPERTY_COUNT] = {
    [PVA_REPORT_COMPILATION] = VIEW(0),
    [PVA_REPORT_EXECUTION] = VIEW(0),
    [PVA_REPORT_INSTRUMENTATION_SETTINGS] = VIEW(0),
    [PVA_REPORT_POPLAR_VERSION] = VIEW(0),
    [PVA_REPORT_VERSION] = VIEW(0),
    [PVA_REPORT_OPTIONS] = LIST(option_count, option_at),
    [PVA_REPORT_OPERATIONS] = LIST(operation_count, operation_at),
    [PVA_REPORT_DEBUG_CONTEXTS] = LIST(debug_count, debug_at),
    [PVA_REPORT_WARNING] = GET(report_warning),
    [PVA_POPLAR_VERSION_MAJOR] = FROM(info_text, "poplar_major", 0),
    [PVA_POPLAR_VERSION_MINOR] = FROM(info_text, "poplar_minor", 0),
    [PVA_POPLAR_VERSION_POINT] = FROM(info_text, "poplar_point", 0),
    [PVA_POPLAR_VERSION_PACKAGE_HASH] = FROM(info_text, "package_hash", 0),
    [PVA_POPLAR_VERSION_STRING] = FROM(info_text, "poplar_version", 0),
    [PVA_VERSION_MAJOR] = COLUMN(FORMAT, 2),
    [PVA_VERSION_MINOR] = COLUMN(FORMAT, 3),
    [PVA_VERSION_POINT] = COLUMN(FORMAT, 4),
    [PVA_VERSION_IS_UNSTABLE_FORMAT] = COLUMN(FORMAT, 5),
    [PVA_VERSION_IS_CLOSED] = COLUMN(FORMAT, 10),
    [PVA_INSTRUMENTATION_COMPUTE] = COLUMN(INSTRUMENTATION, 1),
    [PVA_INSTRUMENTATION_EXTERNAL_EXCHANGE] = COLUMN(INSTRUMENTATION, 2),
    [PVA_INSTRUMENTATION_MODE] = COLUMN(INSTRUMENTATION, 3),
    [PVA_OPTION_NAME] = FROM(option_text, NULL, 0),
    [PVA_OPTION_VALUE] = FROM(option_text, NULL, 1),
    [PVA_OPTION_IS_SET] = FROM(option_text, NULL, 2),

    [PVA_COMPILATION_TARGET] = VIEW(0),
    [PVA_COMPILATION_GRAPH] = VIEW(0),
    [PVA_COMPILATION_TILES] = LIST(tile_count, tile_at),
    [PVA_COMPILATION_IPUS] = LIST(ipu_count, ipu_at),
    [PVA_COMPILATION_COMPUTE_SETS] = ROWS(COMPUTE_SET),
    [PVA_COMPILATION_PROGRAMS] = ROWS(PROGRAM),
    [PVA_COMPILATION_CONTROL_PROGRAMS] = LIST(control_count, control_at),
    [PVA_COMPILATION_FUNCTIONS] = LIST(function_count, function_at),
    [PVA_COMPILATION_LIVENESS_PROGRAM_STEPS] = ROWS(LIVENESS_STEP),
    [PVA_COMPILATION_ALWAYS_LIVE_VARIABLES] = SAME_KEYS(always_live),
    [PVA_COMPILATION_LOWERED_VARIABLES] = VIEW(0),
    [PVA_COMPILATION_VARIABLES] = KEYS(variables),
    [PVA_COMPILATION_VERTEX_TYPES] = ROWS(VERTEX_TYPE),
    [PVA_COMPILATION_OUT_OF_MEMORY] = FROM(info_text, "out_of_memory", 0),
    [PVA_GRAPH_NUM_COMPUTE_SETS] = COLUMN(GRAPH, 1),
    [PVA_GRAPH_NUM_VERTICES] = COLUMN(GRAPH, 2),
    [PVA_GRAPH_NUM_EDGES] = COLUMN(GRAPH, 3),
    [PVA_GRAPH_NUM_VARS] = COLUMN(GRAPH, 4),
    [PVA_TARGET_TYPE] = GET(target_type),
    [PVA_TARGET_ARCHITECTURE] = GET(target_architecture),
    [PVA_TARGET_ARCHITECTURE_NAME] = COLUMN(TARGET, 2),
    [PVA_TARGET_NUM_IPUS] = COLUMN(TARGET, 3),
    [PVA_TARGET_TILES_PER_IPU] = COLUMN(TARGET, 4),
    [PVA_TARGET_NUM_TILES] = COLUMN(TARGET, 5),
    [PVA_TARGET_BYTES_PER_TILE] = COLUMN(TARGET, 6),
    [PVA_TARGET_BYTES_PER_IPU] = COLUMN(TARGET, 7),
    [PVA_TARGET_TOTAL_MEMORY] = COLUMN(TARGET, 8),
    [PVA_TARGET_CLOCK_FREQUENCY] = COLUMN(TARGET, 9),
    [PVA_TARGET_NUM_REPLICAS] = COLUMN(TARGET, 10),
    [PVA_TARGET_IPUS_PER_REPLICA] = COLUMN(TARGET, 11),
    [PVA_TARGET_TILES_PER_REPLICA] = COLUMN(TARGET, 12),
    [PVA_TARGET_MEMORY_PER_REPLICA] = COLUMN(TARGET, 13),

    [PVA_IPU_TILES] = LIST(ipu_tile_count, ipu_tile_at),
    [PVA_TILE_TILE_ID] = GET(own_key),
    [PVA_TILE_MEMORY] = VIEW(0),
    [PVA_TILE_MEMORY_TOTAL] = VIEW(1),
    [PVA_TILE_MEMORY_INTERLEAVED] = VIEW(3),
    [PVA_TILE_MEMORY_NON_INTERLEAVED] = VIEW(5),
    [PVA_TILE_MEMORY_OVERFLOWED] = VIEW(7),
    [PVA_TILE_MEMORY_ALWAYS_LIVE_BYTES] = COLUMN(TILE_MEMORY, 9),
    [PVA_TILE_MEMORY_NOT_ALWAYS_LIVE_BYTES] = COLUMN(TILE_MEMORY, 10),
    [PVA_TILE_MEMORY_CATEGORY] = VIEW(0),
    [PVA_TILE_MEMORY_VERTICES] = KEYS_OF_KEY(tile_vertices),
    [PVA_MEMORY_SIZE_INCLUDING_GAPS] = PART(TILE_MEMORY, 0),
    [PVA_MEMORY_SIZE_EXCLUDING_GAPS] = PART(TILE_MEMORY, 1),
    [PVA_CATEGORY_NAME] = GET(category_name),
    [PVA_CATEGORY_TOTAL] = GET(category_total),
    [PVA_CATEGORY_NON_INTERLEAVED] = VIEW(0),
    [PVA_CATEGORY_INTERLEAVED] = VIEW(1),
    [PVA_CATEGORY_OVERFLOWED] = VIEW(2),
    [PVA_OVERLAP_NON_OVERLAPPED] = GET(overlap_apart),
    [PVA_OVERLAP_OVERLAPPED] = GET(overlap_shared),
    [PVA_TILE_VERTEX_TYPE] = GET(tile_vertex_type),
    [PVA_TILE_VERTEX_CODE_BYTES] = GET(tile_vertex_code),
    [PVA_VERTEX_TYPE_NAME] = COLUMN(VERTEX_TYPE, 1),
    [PVA_VERTEX_TYPE_SIZE] = COLUMN(VERTEX_TYPE, 2),
    [PVA_VERTEX_TYPE_CODE_BYTES] = COLUMN(VERTEX_TYPE, 3),
    [PVA_VERTEX_TYPE_CODE_BYTES_BY_TILE] =
        NUMBERS("SELECT code_bytes_by_tile FROM vertex_types WHERE id = ?1 AND ?2 >= 0"),
    [PVA_COMPUTE_SET_NAME] = COLUMN(COMPUTE_SET, 1),
    [PVA_COMPUTE_SET_VERTICES] = KEYS_OF_KEY(set_vertices),
    [PVA_COMPUTE_SET_ESTIMATED_CYCLES_BY_TILE] =
        NUMBERS("SELECT estimated_cycles_by_tile FROM compute_sets WHERE compute_set = ?1 AND ?2 >= 0"),
    [PVA_COMPUTE_SET_DEBUG_CONTEXT] = GET(set_context),
    [PVA_PROGRAM_DEBUG_CONTEXT] = GET(program_context),
    [PVA_COMPUTE_SET_CYCLES_BY_TILE] = { .how = BIND_ARRAY, .array = set_cycles, .length = set_cycles_length },
    [PVA_VERTEX_INSTANCES_TYPE] = GET(instances_type),
    [PVA_VERTEX_INSTANCES_COUNT] = OWNED(SET_VERTICES, 1),
    [PVA_VERTEX_INSTANCES_COUNT_BY_TILE] =
        NUMBERS("SELECT count_by_tile FROM compute_set_vertices WHERE vertex_type = ?1 AND compute_set = ?2"),

    [PVA_PROGRAM_ID] = COLUMN(PROGRAM, 0),
    [PVA_PROGRAM_TYPE] = GET(program_type),
    [PVA_PROGRAM_TYPE_NAME] = COLUMN(PROGRAM, 1),
    [PVA_PROGRAM_NAME] = GET(program_name),
    [PVA_PROGRAM_DETAIL] = COLUMN(PROGRAM, 3),
    [PVA_PROGRAM_CHILDREN] = LIST(child_count, child_at),
    [PVA_PROGRAM_VARS] = KEYS(program_vars),
    [PVA_PROGRAM_CONTROL_CODE_BY_TILE] = NUMBERS("SELECT control_code_by_tile FROM programs WHERE id = ?1 AND ?2 >= 0"),
    [PVA_PROGRAM_CODE_BYTES_BY_TILE] = { .how = BIND_ARRAY, .array = exchange_code, .length = exchange_length },
    [PVA_PROGRAM_ESTIMATED_CYCLES_BY_TILE] = { .how = BIND_ARRAY,
                                               .array = program_estimates,
                                               .length = estimate_length },
    [PVA_PROGRAM_COMPUTESET] = KEYED(PROGRAM, 4),
    [PVA_PROGRAM_TARGET] = KEYED(PROGRAM, 6),
    [PVA_VARIABLE_ID] = COLUMN(VARIABLE, 0),
    [PVA_VARIABLE_NAME] = COLUMN(VARIABLE, 1),
    [PVA_VARIABLE_BYTES] = COLUMN(VARIABLE, 2),
    [PVA_VARIABLE_ALWAYS_LIVE] = COLUMN(VARIABLE, 3),
    [PVA_VARIABLE_BYTES_BY_TILE] = NUMBERS("SELECT bytes_by_tile FROM variables WHERE id = ?1 AND ?2 >= 0"),
    [PVA_VARIABLE_DEBUG_CONTEXT] = GET(variable_context),
    [PVA_LIVENESS_STEP_PROGRAM] = NEEDED(LIVENESS_STEP, 1),
    [PVA_LIVENESS_STEP_NOT_ALWAYS_LIVE_MEMORY] = GET(liveness_memory),
    [PVA_LIVE_MEMORY_BYTES] = GET(live_bytes),
    [PVA_LIVE_MEMORY_VARIABLES] = SAME_KEYS(live_variables),
    [PVA_LIVE_MEMORY_BYTES_BY_TILE] = NUMBERS("SELECT bytes_by_tile FROM live_lists WHERE id = ?1 AND ?2 >= 0"),
    [PVA_LIVE_VARIABLE_NAME] = COLUMN(LIVE_VARIABLE, 1),
    [PVA_LIVE_VARIABLE_SIZE] = GET(live_variable_size),
    [PVA_LOWERED_VARIABLES_ALL_BRIEF_VARS] = LIST(lowered_count, brief_at),
    [PVA_LOWERED_VARIABLES_ALL_VARS] = LIST(lowered_count, lowered_at),
    [PVA_LOWERED_VAR_ID] = COLUMN(LOWERED_VAR, 0),
    [PVA_LOWERED_VAR_NAME] = COLUMN(LOWERED_VAR, 1),
    [PVA_LOWERED_VAR_BYTES] = COLUMN(LOWERED_VAR, 2),
    [PVA_LOWERED_VAR_TILE_ID] = COLUMN(LOWERED_VAR, 3),
    [PVA_LOWERED_VAR_EQUIVALENCE_CLASS] = NEEDED(LOWERED_VAR, 4),
    [PVA_LOWERED_VAR_HAS_UNLOWERED_VAR] = GET(has_unlowered),
    [PVA_LOWERED_VAR_UNLOWERED_VAR] = KEYED(LOWERED_VAR, 5),
    [PVA_LOWERED_VAR_CATEGORY] = COLUMN(LOWERED_VAR, 6),
    [PVA_LOWERED_VAR_OFFSET] = COLUMN(LOWERED_VAR, 7),
    [PVA_LOWERED_VAR_ALIGNMENT] = COLUMN(LOWERED_VAR, 8),
    [PVA_LOWERED_VAR_FLAGS] = COLUMN(LOWERED_VAR, 9),
    [PVA_BRIEF_VAR_ID] = COLUMN(BRIEF_VAR, 0),
    [PVA_BRIEF_VAR_BYTES] = COLUMN(BRIEF_VAR, 1),
    [PVA_BRIEF_VAR_TILE_ID] = COLUMN(BRIEF_VAR, 2),
    [PVA_BRIEF_VAR_EQUIVALENCE_CLASS] = NEEDED(BRIEF_VAR, 3),
    [PVA_EQUIVALENCE_CLASS_ID] = GET(own_key),
    [PVA_EQUIVALENCE_CLASS_STEPS] = LIST(interval_count, interval_at),
    [PVA_INTERVAL_START] = OWNED(INTERVAL, 1),
    [PVA_INTERVAL_END] = OWNED(INTERVAL, 2),

    [PVA_EXECUTION_RUNS] = ROWS(RUN),
    [PVA_EXECUTION_STEPS] = ROWS(STEP),
    [PVA_EXECUTION_TOTAL_CYCLES] = VIEW(0),
    [PVA_TOTAL_CYCLES_TOTAL] = COLUMN(TOTALS, 1),
    [PVA_TOTAL_CYCLES_ACTIVE_COMPUTE] = COLUMN(TOTALS, 2),
    [PVA_TOTAL_CYCLES_COMPUTE] = COLUMN(TOTALS, 3),
    [PVA_TOTAL_CYCLES_EXCHANGE] = COLUMN(TOTALS, 4),
    [PVA_TOTAL_CYCLES_GLOBAL_EXCHANGE] = COLUMN(TOTALS, 5),
    [PVA_TOTAL_CYCLES_STREAM_COPY] = COLUMN(TOTALS, 6),
    [PVA_TOTAL_CYCLES_SYNC] = COLUMN(TOTALS, 7),
    [PVA_RUN_NAME] = COLUMN(RUN, 1),
    [PVA_RUN_STEPS] = LIST(run_step_count, run_step_at),
    [PVA_RUN_MICROSECONDS] = VIEW(0),
    [PVA_RUN_PARAMETERS] = LIST(parameter_count, parameter_at),
    [PVA_RUN_CYCLES] = VIEW(0),
    [PVA_CYCLES_FROM] = COLUMN(RUN, 6),
    [PVA_CYCLES_TO] = COLUMN(RUN, 7),
    [PVA_MICROSECONDS_START] = COLUMN(RUN, 2),
    [PVA_MICROSECONDS_END] = COLUMN(RUN, 3),
    [PVA_PARAMETER_NAME] = FROM(parameter_text, NULL, 0),
    [PVA_PARAMETER_VALUE] = FROM(parameter_text, NULL, 1),
    [PVA_STEP_PROGRAM] = NEEDED(STEP, 2),
    [PVA_STEP_IPUS] = LIST(ipu_count, ipu_step_at),
    [PVA_STEP_CYCLES_BY_TILE] = { .how = BIND_ARRAY, .array = step_cycles, .length = step_tiles_length },
    [PVA_STEP_FROM_BY_TILE] = { .how = BIND_ARRAY, .array = step_from, .length = step_tiles_length },
    [PVA_STEP_TO_BY_TILE] = { .how = BIND_ARRAY, .array = step_to, .length = step_tiles_length },
    [PVA_STEP_COMPUTE_SETS] = LIST(step_set_count, step_set_at),
    [PVA_STEP_RUN] = NEEDED(STEP, 1),
    [PVA_IPU_STEP_CYCLES] = FROM(ipu_step, NULL, 2),
    [PVA_IPU_STEP_ALL_CYCLES] = VIEW(9),
    [PVA_IPU_STEP_ACTIVE_CYCLES] = VIEW(5),
    [PVA_IPU_STEP_TILE_BALANCE] = GET(ipu_tile_balance),
    [PVA_IPU_STEP_ACTIVE_TILE_BALANCE] = GET(ipu_active_balance),
    [PVA_IPU_STEP_ACTIVE_TILES] = FROM(ipu_step, NULL, 4),
    [PVA_IPU_STEP_DATA_IN] = FROM(ipu_step, NULL, 13),
    [PVA_IPU_STEP_DATA_OUT] = FROM(ipu_step, NULL, 14),
    [PVA_CYCLE_RANGE_FROM] = NARROW(0),
    [PVA_CYCLE_RANGE_TO] = NARROW(2),
    [PVA_MIN_MAX_MIN] = FROM(range_end, NULL, 0),
    [PVA_MIN_MAX_MAX] = FROM(range_end, NULL, 1),
    [PVA_BLOCKS_BLOCKS] = KEYS(blocks_of_tile),
    [PVA_BLOCK_PROGRAM] = GET(block_program),
    [PVA_BLOCK_CYCLES_FROM] = COLUMN(BLOCK, 5),
    [PVA_BLOCK_CYCLES_TO] = COLUMN(BLOCK, 6),
    [PVA_BLOCK_TILE] = COLUMN(BLOCK, 2),
    [PVA_BLOCK_IS_COMMON] = FROM(block_is, NULL, 0),
    [PVA_BLOCK_IS_OVERFLOW] = FROM(block_is, NULL, 3),
    [PVA_BLOCK_IS_BLOCK_FLUSH] = FROM(block_is, NULL, 2),
    [PVA_BLOCK_IS_STREAM_COPY] = FROM(block_is, NULL, 1),
    [PVA_BLOCK_IS_UNKNOWN] = FROM(block_is, NULL, 4),
    [PVA_BLOCK_RUN] = NEEDED(BLOCK, 1),
    [PVA_BLOCK_LOST] = COLUMN(BLOCK, 7),
    [PVA_OPERATION_NAME] = GET(operation_name),
    [PVA_OPERATION_PROGRAMS] = KEYS(operation_programs),
    [PVA_OPERATION_VARS] = KEYS(operation_vars),
    [PVA_OPERATION_FIRST_STEP_INDEX] = GET(operation_first),
    [PVA_OPERATION_LAST_STEP_INDEX] = GET(operation_last),
    [PVA_OPERATION_DEBUG_CONTEXT] = GET(operation_context),
    [PVA_OPERATION_REPLACED_DEBUG_CONTEXT] = KEYS(operation_replaced),
    [PVA_DEBUG_CONTEXT_ID] = GET(context_id),
    [PVA_DEBUG_CONTEXT_NAME] = FROM(context_text, "name", 0),
    [PVA_DEBUG_CONTEXT_JSON] = GET(context_json),
    [PVA_DEBUG_CONTEXT_LAYER] = FROM(context_text, "layer", 0),
    [PVA_DEBUG_CONTEXT_PARENTS] = LIST(context_parents, context_parent),
    [PVA_DEBUG_CONTEXT_LOCATION] = VIEW(0),
    [PVA_LOCATION_FILE_NAME] = FROM(context_text, "location.fileName", 0),
    [PVA_LOCATION_FUNCTION_NAME] = FROM(context_text, "location.functionName", 0),
    [PVA_LOCATION_LINE_NUMBER] = FROM(context_text, "location.lineNumber", 0),

    [PVA_TRACE_PROCESSES] = ROWS(PROCESS),
    [PVA_PROCESS_PID] = COLUMN(PROCESS, 1),
    [PVA_PROCESS_NAME] = COLUMN(PROCESS, 2),
    [PVA_PROCESS_THREADS] = LIST(thread_count, thread_at),
    [PVA_THREAD_TID] = OWNED(THREAD, 2),
    [PVA_THREAD_NAME] = OWNED(THREAD, 3),
    [PVA_THREAD_EVENTS] = LIST(event_count, event_at),
    [PVA_EVENT_LABEL] = OWNED(EVENT, 2),
    [PVA_EVENT_CHANNEL] = OWNED(EVENT, 3),
    [PVA_EVENT_TIMESTAMP] = GET(event_time),
    [PVA_EVENT_DURATION] = GET(event_duration),
    [PVA_EVENT_CHILDREN] = LIST(event_count, event_at),
    [PVA_EVENT_METADATA] = OWNED(EVENT, 6),
};
