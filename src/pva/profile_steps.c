/* SPDX-License-Identifier: Apache-2.0 */
/* Executed steps of a report in the form of an execution profile, one per row of `executed`. */
#include "pva/model.h"
#include "pva/reader.h"

#include "value/made.h"
#include "value/step.h"

static const char sql[] =
    "SELECT p.type, p.name, p.detail, p.compute_set, x.total_data, x.data_balance, max(i.cycles), "
    "max(e.base + ifnull(d.cycles, 0) + i.all_from_max), max(e.base + ifnull(d.cycles, 0) + i.all_to_max), "
    "sum(i.active_tiles), sum(i.cycles_sum), e.id, p.step, x.number "
    "FROM executed e JOIN programs p ON p.id = e.program JOIN pattern_ipus i ON i.pattern = e.pattern LEFT JOIN drifts "
    "d ON d.drift = e.drift AND d.ipu = "
    "i.ipu LEFT JOIN exchanges x ON x.id = p.exchange WHERE e.id >= ?1 AND e.id < ?2 GROUP BY e.id ORDER BY e.id";
enum { TYPE, NAME, DETAIL, SET, DATA, DATA_BALANCE, CYCLES, FROM, TO, TILES, SUM, ID, PROGRAM, EXCHANGE };

struct profile_steps {
    pva_file *file;
    uint64_t *active; /* by compute set: issue slots of its vertices */
    uint64_t sets;
};

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

static pop_profile_value value_of(const struct profile_steps *steps, sqlite3_stmt *row)
{
    uint64_t set = number_at(row, SET), cycles = number_at(row, CYCLES), from = number_at(row, FROM),
             to = number_at(row, TO);
    bool compute = strcmp(text_at(row, TYPE), "OnTileExecute") == 0;
    return profile_step_value(
        &(struct profile_step){ .type = text_at(row, TYPE),
                                .name = text_at(row, NAME),
                                .detail = text_at(row, DETAIL),
                                .program = number_at(row, PROGRAM),
                                .index = number_at(row, compute ? SET : EXCHANGE),
                                .cycles = cycles,
                                .from = from,
                                .to = to,
                                .overlapped = to >= from && cycles > to - from ? cycles - (to - from) : 0,
                                .active_tiles = number_at(row, TILES),
                                .tiles = steps->file->tiles,
                                .sum = (double)number_at(row, SUM),
                                .active = compute && set < steps->sets ? (double)steps->active[set] : 0,
                                .data = number_at(row, DATA),
                                .data_balance = sqlite3_column_double(row, DATA_BALANCE) });
}

static void make(void *user, size_t first, size_t count, pop_profile_value *items)
{
    const struct profile_steps *steps = user;
    sqlite3_stmt *row = query(steps->file, sql, first, first + count);
    while (row && query_step(steps->file, row)) {
        uint64_t place = number_at(row, ID) - first;
        if (place < count) {
            pop_profile_free(&items[place]);
            items[place] = value_of(steps, row);
        }
    }
    if (row)
        sqlite3_reset(row);
}

static void end(void *user)
{
    struct profile_steps *steps = user;
    free(steps->active);
    free(steps);
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
    struct profile_steps *steps = MEM_NEW(struct profile_steps);
    steps->file = file;
    steps->sets = table_count(file, TABLE_COMPUTE_SET);
    steps->active = active_by_set(file, steps->sets);
    return profile_made((size_t)table_count(file, TABLE_STEP), make, end, steps);
}
