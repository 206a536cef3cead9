/* SPDX-License-Identifier: Apache-2.0 */
/* Executed steps as the execution profile has them: a stream copy is one step between its syncs, and tiles without a
 * part in a sync have no step of their own. */
#include "pva/model.h"
#include "pva/profiles.h"

#include "value/value.h"

enum { MOST_STEPS = 1 << 20 }; /* as many as a profile holds */

static const char sql[] =
    "SELECT p.type, p.name, p.detail, p.compute_set, x.total_data, x.data_balance, max(i.cycles), "
    "max(e.base + ifnull(d.cycles, 0) + i.all_from_max), max(e.base + ifnull(d.cycles, 0) + i.all_to_max), "
    "sum(i.active_tiles), sum(i.cycles_sum) "
    "FROM executed e JOIN programs p ON p.id = e.program JOIN pattern_ipus i ON i.pattern = e.pattern LEFT JOIN drifts "
    "d ON d.drift = e.drift AND d.ipu = "
    "i.ipu LEFT JOIN exchanges x ON x.id = p.exchange WHERE ?1 | ?2 >= 0 AND p.type NOT IN ('Sans', 'SyncAns') GROUP "
    "BY e.id ORDER BY e.id";
enum { TYPE, NAME, DETAIL, SET, DATA, DATA_BALANCE, CYCLES, FROM, TO, TILES, SUM };

static uint64_t number_at(sqlite3_stmt *row, int column)
{
    sqlite3_int64 number = sqlite3_column_int64(row, column);
    return number > 0 ? (uint64_t)number : 0;
}

static const char *text_at(sqlite3_stmt *row, int column)
{
    const char *text = (const char *)sqlite3_column_text(row, column);
    return text ? text : "";
}

static void put_sync(pop_profile_value *steps, const char *kind)
{
    pop_profile_value map = pop_profile_map_new();
    pop_profile_set(&map, "syncType", pop_profile_string(kind));
    pop_profile_set(&map, "type", pop_profile_string("Sync"));
    pop_profile_push(steps, map);
}

static double share(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

/* active: issue slots that vertices of each compute set use. */
static void put_step(pop_profile_value *steps, const pva_file *file, sqlite3_stmt *row, const char *type,
                     const uint64_t *active, uint64_t sets)
{
    bool compute = strcmp(type, "OnTileExecute") == 0, exchange = strcmp(type, "DoExchange") == 0;
    double sum = (double)number_at(row, SUM), most = (double)number_at(row, CYCLES);
    uint64_t cycles = number_at(row, CYCLES), from = number_at(row, FROM), to = number_at(row, TO),
             set = number_at(row, SET);
    pop_profile_value map = pop_profile_map_new();
    pop_profile_set(&map, "type", pop_profile_string(type));
    pop_profile_set(&map, "name", pop_profile_string(text_at(row, NAME)));
    pop_profile_set(&map, "cycles", pop_profile_uint(cycles));
    pop_profile_set(&map, "cyclesFrom", pop_profile_uint(from));
    pop_profile_set(&map, "cyclesTo", pop_profile_uint(to));
    if (compute || exchange)
        pop_profile_set(&map, "cyclesOverlapped",
                        pop_profile_uint(to >= from && cycles > to - from ? cycles - (to - from) : 0));
    pop_profile_set(&map, "activeTiles", pop_profile_uint(number_at(row, TILES)));
    pop_profile_set(&map, "tileBalance", pop_profile_double(share(sum, most * (double)file->tiles)));
    pop_profile_set(&map, "activeTileBalance", pop_profile_double(share(sum, most * (double)number_at(row, TILES))));
    if (compute) { /* of a set that takes no time no thread was ever idle */
        pop_profile_set(&map, "computeSet", pop_profile_uint(set));
        pop_profile_set(&map, "threadBalance",
                        pop_profile_double(sum > 0 && set < sets ? share((double)active[set], sum) : 1));
    } else {
        pop_profile_set(&map, "totalData", pop_profile_uint(number_at(row, DATA)));
        pop_profile_set(&map, "dataBalance", pop_profile_double(sqlite3_column_double(row, DATA_BALANCE)));
    }
    pop_profile_push(steps, map);
}

static uint64_t *active_by_set(pva_file *file, uint64_t sets)
{
    uint64_t *active = mem_zero(sets + 1, sizeof(*active));
    sqlite3_stmt *row =
        query(file, "SELECT compute_set, array_sum(active_cycles_by_tile) FROM compute_sets WHERE ?1 | ?2 >= 0", 0, 0);
    while (row && query_step(file, row))
        if (number_at(row, 0) < sets)
            active[number_at(row, 0)] = number_at(row, 1);
    return active;
}

pop_profile_value profile_steps(pva_file *file)
{
    pop_profile_value steps = pop_profile_vector_new();
    uint64_t sets = table_count(file, TABLE_COMPUTE_SET), *active = active_by_set(file, sets);
    sqlite3_stmt *row = query(file, sql, 0, 0);
    while (row && pop_profile_size(&steps) < MOST_STEPS && query_step(file, row)) {
        const char *type = text_at(row, TYPE);
        if (strcmp(type, "Sync") == 0)
            put_sync(&steps, text_at(row, DETAIL));
        else if (strcmp(type, "StreamCopyBegin") == 0)
            put_sync(&steps, "External");
        else if (strcmp(type, "StreamCopyMid") == 0)
            put_step(&steps, file, row, "StreamCopy", active, sets);
        else if (strcmp(type, "OnTileExecute") == 0 || strcmp(type, "DoExchange") == 0 ||
                 strcmp(type, "GlobalExchange") == 0)
            put_step(&steps, file, row, type, active, sets);
        else if (strcmp(type, "StreamCopyEnd") == 0)
            for (int i = 0; i < 2; ++i)
                put_sync(&steps, "Internal");
    }
    if (row)
        sqlite3_reset(row);
    free(active);
    return steps;
}
