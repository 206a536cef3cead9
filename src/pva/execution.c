/* SPDX-License-Identifier: Apache-2.0 */
/* Cycles of executed steps: their patterns, shifted to their bases (docs/reference/report-files.md, "Execution"). */
#include "pva/reader.h"
#include "pva/repeats.h"
#include "value/array.h"

enum { LONGEST_CHAIN = 64 };

/* Adds the array in a column of a row to numbers; part is scratch of `count` elements. */
static void add_column(pva_file *file, sqlite3_stmt *row, int column, uint64_t *part, uint64_t *numbers, uint64_t count)
{
    const void *data = sqlite3_column_blob(row, column);
    if (!data)
        return;
    if (!array_decode(data, (size_t)sqlite3_column_bytes(row, column), part, count)) {
        file_fail(file, POP_PARSE_ERROR, "a damaged array (arrays)");
        return;
    }
    for (uint64_t i = 0; i < count; ++i)
        numbers[i] += part[i];
}

/* Adds an array of `arrays` to numbers: its own elements plus those of its parent. */
static void add_array(pva_file *file, uint64_t id, uint64_t *numbers, uint64_t count)
{
    static const char sql[] = "SELECT a.data, p.data, a.parent FROM arrays a LEFT JOIN arrays p ON a.data IS NULL AND "
                              "p.id = a.plus WHERE a.id = ?1 AND ?2 >= 0";
    uint64_t *part = mem_zero(count, sizeof(*part));
    bool more = true;
    for (unsigned depth = 0; more && depth <= LONGEST_CHAIN && !file->failed; ++depth) {
        sqlite3_stmt *row = query(file, sql, id, 0);
        more = row && query_step(file, row) && sqlite3_column_type(row, 0) == SQLITE_NULL &&
               sqlite3_column_type(row, 2) == SQLITE_INTEGER;
        for (int column = 0; row && sqlite3_data_count(row) && column < 2; ++column)
            add_column(file, row, column, part, numbers, count);
        id = more ? (uint64_t)sqlite3_column_int64(row, 2) : id;
        if (row)
            sqlite3_reset(row);
    }
    if (more && !file->failed)
        file_fail(file, POP_PARSE_ERROR, "array %llu has more than %d parents", (unsigned long long)id, LONGEST_CHAIN);
    free(part);
}

struct execution_step {
    uint64_t program, pattern, drift, base;
};

static struct execution_step step_of(pva_object o)
{
    return (struct execution_step){ table_uint(o.file, TABLE_STEP, 0, o.key, 2),
                                    table_uint(o.file, TABLE_STEP, 0, o.key, 3),
                                    table_uint(o.file, TABLE_STEP, 0, o.key, 4),
                                    (uint64_t)table_int(o.file, TABLE_STEP, 0, o.key, 5) };
}

static uint64_t base_of(pva_file *file, const struct execution_step *step, uint64_t ipu)
{
    return step->base + (uint64_t)table_int(file, TABLE_DRIFT, step->drift, ipu, 1);
}

/* Adds the base of each tile's IPU and, for ends, the pattern's shift on that IPU. Steps describe one replica. */
static void add_bases(pva_object o, const struct execution_step *step, bool ends, uint64_t *numbers, uint64_t count)
{
    uint64_t per_ipu = o.file->tiles_per_ipu;
    for (uint64_t ipu = 0; ipu < o.file->ipus && ipu * per_ipu < count; ++ipu) {
        uint64_t add = base_of(o.file, step, ipu) +
                       (ends ? (uint64_t)table_int(o.file, TABLE_PATTERN_IPU, step->pattern, ipu, 1) : 0);
        for (uint64_t i = ipu * per_ipu; i < count && i < (ipu + 1) * per_ipu; ++i)
            numbers[i] += add;
    }
}

uint64_t step_tiles_length(pva_object o)
{
    struct source_cell cell;
    bool has = table_cell(o.file, TABLE_PATTERN, 0, step_of(o).pattern, 1, &cell) && cell.kind == CELL_INTEGER;
    return has ? o.file->tiles : 0;
}

void step_from(pva_object o, uint64_t *numbers, uint64_t count)
{
    struct execution_step step = step_of(o);
    memset(numbers, 0, count * sizeof(*numbers));
    add_array(o.file, table_uint(o.file, TABLE_PATTERN, 0, step.pattern, 1), numbers, count);
    add_bases(o, &step, false, numbers, count);
}

void step_to(pva_object o, uint64_t *numbers, uint64_t count)
{
    struct execution_step step = step_of(o);
    memset(numbers, 0, count * sizeof(*numbers));
    add_array(o.file, table_uint(o.file, TABLE_PATTERN, 0, step.pattern, 2), numbers, count);
    add_bases(o, &step, true, numbers, count);
    uint64_t sync = table_uint(o.file, TABLE_PATTERN, 0, step.pattern, 3);
    if (!sync)
        return;
    uint64_t *parts = mem_zero(count, sizeof(*parts)), *from = mem_zero(count, sizeof(*from));
    query_array(o.file, "SELECT cycles_by_tile FROM exchanges WHERE id = ?1 AND ?2 >= 0",
                table_uint(o.file, TABLE_PROGRAM, 0, step.program, 5), 0, parts,
                count); /* 0: the tile takes no part in the exchange */
    step_from(o, from, count);
    for (uint64_t i = 0; i < count; ++i)
        if ((parts[i] != 0) != (sync == 1))
            numbers[i] = from[i];
    free(parts);
    free(from);
}

void step_cycles(pva_object o, uint64_t *numbers, uint64_t count)
{
    uint64_t *from = mem_zero(count, sizeof(*from));
    step_from(o, from, count);
    step_to(o, numbers, count);
    for (uint64_t i = 0; i < count; ++i)
        numbers[i] -= from[i] < numbers[i] ? from[i] : numbers[i];
    free(from);
}

/* A figure of a step on an IPU; columns 5 to 12 are times relative to the IPU's base. */
static uint64_t ipu_step_uint(pva_object o, int column)
{
    pva_object of = object_make(o.file, PVA_CLASS_STEP, o.owner, 0, 0);
    struct execution_step step = step_of(of);
    uint64_t figure = (uint64_t)table_int(o.file, TABLE_PATTERN_IPU, step.pattern, o.key, column);
    return column >= 5 && column <= 12 ? base_of(o.file, &step, o.key) + figure : figure;
}

pva_object pva_worst_liveness_step(pva_file *report)
{
    if (!report || report->kind != FILE_REPORT)
        return object_null;
    static const char sql[] =
        "SELECT min(s.id) FROM liveness_steps s WHERE s.list = (SELECT id FROM live_lists WHERE id > 0 AND "
        "?1 | ?2 >= 0 ORDER BY bytes DESC, id LIMIT 1)";
    uint64_t id = query_uint(report, sql, 0, 0, UINT64_MAX);
    return id == UINT64_MAX ? object_null : object_make(report, PVA_CLASS_LIVENESS_STEP, id, 0, 0);
}

pva_object pva_peak_tile(pva_file *report)
{
    if (!report || report->kind != FILE_REPORT)
        return object_null;
    static const char sql[] =
        "SELECT tile FROM memory_by_tile WHERE ?1 | ?2 >= 0 ORDER BY total_including_gaps DESC, tile LIMIT 1";
    uint64_t tile = query_uint(report, sql, 0, 0, UINT64_MAX);
    return tile == UINT64_MAX ? object_null : object_make(report, PVA_CLASS_TILE, tile, 0, 0);
}

/* Cycles of each pattern on its slowest IPU; *max receives the largest. */
static uint64_t *cycles_by_pattern(pva_file *report, uint64_t *count, uint64_t *max)
{
    *count = query_uint(report, "SELECT max(id) + 1 FROM patterns WHERE ?1 | ?2 >= 0", 0, 0, 0);
    *count = *count > report->bytes ? 0 : *count; /* a damaged count is capped: each row takes at least a byte */
    uint64_t *cycles = mem_zero(*count + 1, sizeof(*cycles));
    sqlite3_stmt *row = query(report, "SELECT pattern, cycles FROM pattern_ipus WHERE ?1 | ?2 >= 0", 0, 0);
    *max = 0;
    while (row && query_step(report, row)) {
        uint64_t pattern = (uint64_t)sqlite3_column_int64(row, 0), value = (uint64_t)sqlite3_column_int64(row, 1);
        if (pattern >= *count || value > INT64_MAX)
            continue;
        cycles[pattern] = value > cycles[pattern] ? value : cycles[pattern];
        *max = value > *max ? value : *max;
    }
    return cycles;
}

struct long_step {
    uint64_t id, cycles;
};

/* Adds a step to those that are kept, by cycles, then by number; false: it is not among them. */
static bool keep_long(struct long_step *kept, size_t *found, size_t count, struct long_step step)
{
    if (*found == count && (step.cycles < kept[count - 1].cycles ||
                            (step.cycles == kept[count - 1].cycles && step.id > kept[count - 1].id)))
        return false;
    size_t at = *found < count ? (*found)++ : count - 1;
    for (;
         at && (kept[at - 1].cycles < step.cycles || (kept[at - 1].cycles == step.cycles && kept[at - 1].id > step.id));
         --at)
        kept[at] = kept[at - 1];
    kept[at] = step;
    return true;
}

/* Scans the rows once and keeps the longest steps in order; stops early when all kept steps have the maximum length,
 * and those of further rows are behind them. */
static size_t find_longest(pva_file *report, struct long_step *kept, size_t count)
{
    uint64_t patterns, max, *cycles = cycles_by_pattern(report, &patterns, &max);
    const struct repeats *repeats = repeats_of(report);
    sqlite3_stmt *row =
        repeats ? query(report, "SELECT id, pattern FROM executed_rows WHERE ?1 | ?2 >= 0 ORDER BY id", 0, 0) : NULL;
    struct repeat_share share = { 0 };
    size_t found = 0;
    while (row && query_step(report, row)) {
        uint64_t id = (uint64_t)sqlite3_column_int64(row, 0), pattern = (uint64_t)sqlite3_column_int64(row, 1);
        if (found == count && kept[count - 1].cycles == max && kept[count - 1].id < id)
            break;
        if (id < share.first || id >= share.end)
            share = repeats_share(repeats, id);
        for (uint64_t n = 0; n < share.times; ++n)
            if (!keep_long(kept, &found, count,
                           (struct long_step){ repeats_nth(repeats, &share, id, n),
                                               pattern < patterns ? cycles[pattern] : 0 }))
                break;
    }
    if (row)
        sqlite3_reset(row);
    free(cycles);
    return found;
}

size_t pva_longest_steps(pva_file *report, pva_object *steps, size_t count)
{
    if (!report || report->kind != FILE_REPORT || !count)
        return 0;
    uint64_t all = table_count(report, TABLE_STEP);
    count = count > all ? (size_t)all : count;
    struct long_step *kept = mem_zero(count + 1, sizeof(*kept));
    size_t found = count ? find_longest(report, kept, count) : 0;
    for (size_t i = 0; i < found; ++i)
        steps[i] = object_make(report, PVA_CLASS_STEP, kept[i].id, 0, 0);
    free(kept);
    return found;
}

uint64_t run_step_count(pva_object o)
{
    return table_uint(o.file, TABLE_RUN, 0, o.key, 5);
}
pva_object run_step_at(pva_object o, uint64_t i)
{
    return object_make(o.file, PVA_CLASS_STEP, table_uint(o.file, TABLE_RUN, 0, o.key, 4) + i, 0, 0);
}
pva_object ipu_step_at(pva_object o, uint64_t i)
{
    return object_make(o.file, PVA_CLASS_IPU_STEP, i, o.key, 0);
}
static pva_object step_set(pva_object o)
{
    struct source_cell cell;
    uint64_t program = table_uint(o.file, TABLE_STEP, 0, o.key, 2);
    if (!table_cell(o.file, TABLE_PROGRAM, 0, program, 4, &cell) || cell.kind != CELL_INTEGER || cell.integer < 0)
        return object_null;
    return object_make(o.file, PVA_CLASS_COMPUTE_SET, (uint64_t)cell.integer, o.key + 1, 0);
}
uint64_t step_set_count(pva_object o)
{
    return !pva_is_null(step_set(o));
}
pva_object step_set_at(pva_object o, uint64_t i)
{
    return (void)i, step_set(o);
}
void ipu_step(pva_object o, const struct binding *bind, struct value *v)
{
    v->natural = ipu_step_uint(o, bind->column);
}
/* Balance of the cycles over the tiles: sum / (maximum x tiles). */
static double ipu_balance(pva_object o, uint64_t tiles)
{
    uint64_t cycles = ipu_step_uint(o, 2), sum = ipu_step_uint(o, 3);
    return cycles && tiles ? (double)sum / ((double)cycles * (double)tiles) : 0;
}
void ipu_tile_balance(pva_object o, struct value *v)
{
    v->real = ipu_balance(o, o.file->tiles_per_ipu);
}
void ipu_active_balance(pva_object o, struct value *v)
{
    v->real = ipu_balance(o, ipu_step_uint(o, 4));
}
/* Of the part's columns, 0 is the minimum and 1 the maximum. */
void range_end(pva_object o, const struct binding *bind, struct value *v)
{
    v->natural = ipu_step_uint(o, (int)o.part + bind->column);
}

/* Records of overflows and of unknown blocks have no program. */
void block_program(pva_object o, struct value *v)
{
    enum { OVERFLOW = 3 };
    struct source_cell cell;
    table_cell(o.file, TABLE_BLOCK, 0, o.key, 3, &cell);
    if (cell.kind == CELL_INTEGER && cell.integer >= 0)
        v->object = object_make(o.file, PVA_CLASS_PROGRAM, (uint64_t)cell.integer, 0, 0);
    else if (cell.kind != CELL_NULL || table_uint(o.file, TABLE_BLOCK, 0, o.key, 4) < OVERFLOW)
        fail_reference(o, PVA_BLOCK_PROGRAM);
}

void block_is(pva_object o, const struct binding *bind, struct value *v)
{
    v->natural = table_uint(o.file, TABLE_BLOCK, 0, o.key, 4) == (uint64_t)bind->column;
}
