/* SPDX-License-Identifier: Apache-2.0 */
#include "advice.h"
#include "query.h"

#include "base/mem.h"
#include "base/str.h"

#include <poplar/text.h>

#include <stdlib.h>
#include <string.h>

const char *const advice_names[ADVICE_KINDS] = {
    [ADVICE_MEMORY] = "memory",       [ADVICE_IMBALANCE] = "imbalance", [ADVICE_THREADS] = "threads",
    [ADVICE_EXCHANGE] = "exchange",   [ADVICE_STREAM] = "stream",       [ADVICE_TRANSFER] = "transfer",
    [ADVICE_REARRANGE] = "rearrange",
};
static const char *const texts[ADVICE_KINDS] = {
    [ADVICE_MEMORY] = "move variables or vertices to tiles with free memory",
    [ADVICE_IMBALANCE] = "spread its vertices over the tiles, or cut them into smaller ones",
    [ADVICE_THREADS] = "give each tile six vertices of equal work, or a multiple of six",
    [ADVICE_EXCHANGE] = "map its data to the tiles that use it, or exchange once for several steps",
    [ADVICE_STREAM] = "copy once, before or after the loop",
    [ADVICE_TRANSFER] = "send its floats as HALF and cast them on the tiles, or keep them on the device between runs",
    [ADVICE_REARRANGE] = "give its tensors the layout that the vertices use",
};

/* Nouns for several merged entries of a line. */
static const char *const advice_nouns[ADVICE_KINDS] = {
    [ADVICE_MEMORY] = "tiles",           [ADVICE_IMBALANCE] = "compute sets", [ADVICE_THREADS] = "compute sets",
    [ADVICE_EXCHANGE] = "exchanges",     [ADVICE_STREAM] = "stream copies",   [ADVICE_TRANSFER] = "stream copies",
    [ADVICE_REARRANGE] = "compute sets",
};

/* The critical path summed over executions, by program: the table moved(program, step, type, name, times, runs, cycles)
 * of the other queries, as SQL (malloc'ed). */
static char *moved_sql(const struct elapsed *elapsed)
{
    struct str sql = { 0 };
    size_t programs = 0;
    for (size_t i = 0; i < elapsed->rows.count; ++i)
        programs = elapsed->rows.data[i].program >= programs ? elapsed->rows.data[i].program + 1u : programs;
    struct {
        uint64_t times, runs;
        double cycles;
    } *sums = mem_zero(programs + 1, sizeof(*sums));
    for (size_t i = 0; i < elapsed->rows.count; ++i) { /* a row for each run */
        const struct elapsed_row *row = &elapsed->rows.data[i];
        sums[row->program].times += row->times;
        sums[row->program].cycles += row->cycles;
        ++sums[row->program].runs;
    }
    str_add(&sql, "WITH moved AS MATERIALIZED (SELECT p.id AS program, p.step, p.type, p.name, v.column2 AS times, "
                  "v.column3 AS runs, v.column4 AS cycles FROM (VALUES (-1, 0, 0, 0)");
    for (size_t i = 0; i < programs; ++i)
        if (sums[i].times)
            str_format(&sql, ", (%zu, %llu, %llu, %lld)", i, (unsigned long long)sums[i].times,
                       (unsigned long long)sums[i].runs, (long long)sums[i].cycles);
    str_add(&sql, ") v JOIN programs p ON p.id = v.column1) ");
    free(sums);
    return sql.text;
}

/* Names of the copies that the compiler adds before and after an Execute, and of those of a Copy. */
#define COPIES "(m.name LIKE '%/OnTileCopyPre' OR m.name LIKE '%/OnTileCopyPost' OR m.name LIKE '%/OnTileCopy')"

#define SLOWEST_TILE                                                                                                   \
    "(SELECT a.i FROM array(c.estimated_cycles_by_tile, (SELECT tiles_per_replica FROM target)) a ORDER BY a.value "   \
    "DESC, a.i LIMIT 1)"
/* Whether tiles take about as long, so that what a compute set loses, it loses between the workers of a tile. */
#define EVEN_TILES                                                                                                     \
    "(array_sum(c.estimated_cycles_by_tile) >= 0.9 * c.estimated_cycles * (SELECT tiles_per_replica FROM target))"
#define SLOWEST_VERTICES                                                                                               \
    "'slowest vertices: ' || ifnull((SELECT t.name FROM compute_set_vertices v JOIN vertex_types t ON t.id = "         \
    "v.vertex_type WHERE v.compute_set = c.compute_set ORDER BY v.active_cycles DESC LIMIT 1), '?')"

/* All but the first begin with the table moved.  Columns of each query: program, cycles, bytes, tile, times, name,
 * detail, variable, activity of the cycles, and those of them that are sync. */
static const char *const queries[ADVICE_KINDS] = {
    [ADVICE_MEMORY] =
        "WITH full AS (SELECT tile, total_including_gaps AS bytes, bytes_per_tile AS capacity, (SELECT "
        "avg(total_including_gaps) FROM memory_by_tile) AS mean FROM memory_by_tile, target WHERE bytes > 0.9 * "
        "capacity "
        "ORDER BY bytes DESC, tile LIMIT 5), "
        "most AS (SELECT full.*, v.id AS variable, v.name, max(array_at(v.bytes_by_tile, full.tile)) AS part FROM full "
        "LEFT JOIN variables v GROUP BY full.tile) "
        "SELECT NULL, 0, bytes - mean, tile, 0, 'tile ' || tile, bytes || ' of ' || capacity || ' bytes' || CASE WHEN "
        "bytes "
        "> capacity THEN ': out of memory' ELSE '' END || CASE WHEN mean > 0.9 * capacity THEN '; all tiles together "
        "lack the "
        "capacity for it' ELSE '' END || CASE WHEN part > 0 THEN '; largest: ' || name || ', ' || part || ' bytes' "
        "ELSE "
        "'' END, CASE WHEN part > 0 THEN variable END, 0, 0 FROM most",
    /* Spread evenly, a tile has ceil(n / tiles) of the n vertices; up to six of them take as long as one.  More than
     * six take their average, and nothing is faster than the slowest type's vertex. */
    [ADVICE_IMBALANCE] =
        ", spread AS (SELECT v.compute_set, sum(v.count) AS n, sum(v.active_cycles) AS active, max(6.0 * "
        "v.active_cycles / v.count) AS one, (sum(v.count) - 1) / t.tiles_per_replica + 1 AS share FROM "
        "compute_set_vertices v, target t WHERE v.count > 0 GROUP BY 1) SELECT m.program, m.times * "
        "(c.estimated_cycles - max(s.one, s.active * 1.0 / s.n * max(s.share, 6))) AS won, 0, " SLOWEST_TILE
        ", m.times, m.name, " SLOWEST_VERTICES ", NULL, 0, 0 FROM moved m JOIN programs p ON p.id = m.program JOIN "
        "compute_sets c ON c.compute_set = p.compute_set JOIN spread s ON s.compute_set = c.compute_set WHERE "
        "won > 0 AND NOT " EVEN_TILES " AND NOT " COPIES,
    /* A tile issues for its workers in turn, one per cycle: with all six busy, a compute set takes its active
     * cycles. */
    [ADVICE_THREADS] =
        ", onTile AS (SELECT c.*, m.program, m.times, m.name AS step, " SLOWEST_TILE " AS tile, " EVEN_TILES
        " AS even FROM moved m JOIN programs p ON p.id = m.program JOIN compute_sets c ON c.compute_set = "
        "p.compute_set WHERE NOT " COPIES "), counted AS (SELECT c.*, (SELECT sum(array_at(v.count_by_tile, "
        "c.tile)) FROM compute_set_vertices v WHERE v.compute_set = c.compute_set) AS count FROM onTile c) "
        "SELECT c.program, c.times * (c.estimated_cycles - array_max(c.active_cycles_by_tile) - 60) AS won, 0, "
        "c.tile, c.times, c.step, CASE WHEN count < 6 THEN printf('only %d of 6 workers %s busy: split each "
        "vertex in %d; ', count, CASE count WHEN 1 THEN 'is' ELSE 'are' END, CASE count WHEN 1 THEN 6 WHEN 3 "
        "THEN 2 WHEN 5 THEN 6 ELSE 3 END) ELSE printf('%d vertices for 6 "
        "workers, which wait for the slowest; ', count) END || " SLOWEST_VERTICES
        ", NULL, 0, 0 FROM counted c WHERE won > 0 "
        "AND (count < 6 OR even)",
    /* Data that tiles receive evenly takes its time wherever it is: that much of an exchange is not saved, and its sync
     * neither, unless the exchange is uneven, so that another mapping may do without it, or waits more than it moves.
     */
    [ADVICE_EXCHANGE] =
        ", byStep AS (SELECT step, max(program) AS program, max(times) AS times, sum(cycles) AS won, count(*) AS "
        "parts, sum(CASE WHEN type IN ('Sync', 'Sans', 'SyncAns') THEN cycles ELSE 0 END) AS sync, "
        "sum(type = 'GlobalExchange') AS afar, ifnull(sum(CASE WHEN type = 'DoExchange' THEN times * (SELECT "
        "e.total_data "
        "FROM programs q JOIN exchanges e ON e.id = q.exchange WHERE q.id = moved.program) / 4.0 / (SELECT "
        "tiles_per_replica FROM target) END), 0) AS even FROM moved GROUP BY step), "
        "winnable AS (SELECT *, CASE WHEN 2 * sync > won OR won - sync - even > 0.2 * (won - sync) THEN sync ELSE 0 "
        "END AS "
        "syncs, max(won - sync - even, 0) AS moves FROM byStep) "
        "SELECT g.program, g.syncs + g.moves AS saved, 0, NULL, g.times, x.name, CASE WHEN x.type = 'Sync' THEN 'a "
        "sync of "
        "its own' ELSE printf('bound by %s (the preceding sync is %d %% of this time)', CASE WHEN 2 * sync > won THEN "
        "'sync' ELSE 'data' END, round(100.0 * sync / won)) END, NULL, CASE WHEN g.afar > 0 THEN 2 ELSE 1 END, g.syncs "
        "FROM winnable g JOIN programs x ON x.id = g.program "
        "WHERE (x.type IN ('DoExchange', 'GlobalExchange') OR (x.type = 'Sync' AND g.parts = 1)) AND g.won > 0 AND "
        "saved > "
        "0 AND ifnull(x.name, '') NOT LIKE 'switchControlBroadcast%'",
    [ADVICE_STREAM] =
        ", byStep AS (SELECT step, max(program) AS program, max(times) AS times, sum(CASE WHEN type = "
        "'StreamCopyMid' THEN 0.0 ELSE cycles * 1.0 * (times - runs) / times END) AS won, sum(CASE WHEN type IN "
        "('Sync', 'Sans', 'SyncAns') THEN cycles * 1.0 * (times - runs) / times ELSE 0.0 END) AS sync FROM moved "
        "GROUP BY step) SELECT g.program, g.won, 0, NULL, g.times, x.name, 'its syncs with the host', NULL, 3, "
        "g.sync FROM byStep g JOIN programs x ON x.id = g.program WHERE x.type LIKE 'StreamCopy%' AND g.won > 0",
    /* A transfer takes as long as its bytes at the host's rate.  Of a copy of several variables, floats have the share
     * that they have of the variables' bytes. */
    [ADVICE_TRANSFER] =
        ", floats AS (SELECT x.program, sum(v.bytes) AS bytes, sum(CASE WHEN v.type = 'float' THEN v.bytes ELSE 0 "
        "END) AS floats FROM (SELECT DISTINCT program, var FROM program_vars) x JOIN variables v ON v.id = x.var "
        "GROUP BY 1) SELECT m.program, m.cycles * 0.5 * f.floats / f.bytes AS won, 0, NULL, m.times, m.name, "
        "printf('%.1f %% of all cycles; %,lld bytes each time at the rate of the host, %d %% of them floats', 100.0 "
        "* m.cycles / (SELECT sum(cycles) FROM moved), 2 * (SELECT e.total_data FROM programs p JOIN exchanges e "
        "ON e.id = p.exchange WHERE p.id = m.program), round(100.0 * f.floats / f.bytes)), NULL, 3, 0 FROM moved "
        "m JOIN floats f ON f.program = m.program WHERE m.type = 'StreamCopyMid' AND f.bytes > 0 AND won > 0",
    [ADVICE_REARRANGE] =
        "SELECT m.program, m.cycles AS won, 0, NULL, m.times, m.name, 'on-tile copies', NULL, 0, 0 FROM moved m "
        "WHERE " COPIES " AND won > 0",
};

static uint64_t number_of(const pva_value *value)
{
    return value->text ? strtoull(value->text, NULL, 10) : UINT64_MAX;
}

static bool on_row(void *context, size_t columns, const char *const *names, const pva_value *values)
{
    struct advices *all = context;
    (void)columns, (void)names;
    if (!values)
        return true;
    struct advice *advice = vec_push(&all->list);
    *advice = (struct advice){ .kind = all->kind,
                               .program = number_of(&values[0]),
                               .cycles = values[1].text ? pop_text_to_double(values[1].text, NULL) : 0,
                               .bytes = values[2].text ? pop_text_to_double(values[2].text, NULL) : 0,
                               .tile = number_of(&values[3]),
                               .times = number_of(&values[4]),
                               .variable = number_of(&values[7]),
                               .name = mem_string(values[5].text ? values[5].text : ""),
                               .detail = mem_string(values[6].text ? values[6].text : ""),
                               .urgent = values[6].text && strstr(values[6].text, "out of memory") != NULL };
    double sync = values[9].text ? pop_text_to_double(values[9].text, NULL) : 0;
    uint64_t activity = number_of(&values[8]);
    advice->part[activity < ACTIVITIES ? activity : ACTIVITY_OTHER] = advice->cycles - sync;
    advice->part[ACTIVITY_SYNC] += sync;
    return true;
}

static int by_weight(const void *left, const void *right)
{
    const struct advice *a = left, *b = right;
    if (a->urgent != b->urgent)
        return a->urgent ? -1 : 1;
    if (a->cycles != b->cycles)
        return a->cycles < b->cycles ? 1 : -1;
    if (a->bytes != b->bytes)
        return a->bytes < b->bytes ? 1 : -1;
    return a->program != b->program ? (a->program < b->program ? -1 : 1) : (a->tile > b->tile) - (a->tile < b->tile);
}

void advice_find_line(pva_file *file, struct advice *advice)
{
    enum { DEEPEST = 64 };
    pva_object compilation = pva_get(pva_root(file), PVA_REPORT_COMPILATION), context = { 0 };
    if (advice->program != UINT64_MAX)
        context = pva_get(pva_at(compilation, PVA_COMPILATION_PROGRAMS, advice->program), PVA_PROGRAM_DEBUG_CONTEXT);
    else if (advice->variable != UINT64_MAX)
        context = pva_get(query_variable(file, advice->variable), PVA_VARIABLE_DEBUG_CONTEXT);
    for (int depth = 0; depth < DEEPEST && !pva_is_null(context); ++depth) {
        pva_object place = pva_get(context, PVA_DEBUG_CONTEXT_LOCATION);
        if (pva_uint(place, PVA_LOCATION_LINE_NUMBER)) {
            free(advice->file);
            advice->file = pva_text_copy(place, PVA_LOCATION_FILE_NAME);
            advice->line = pva_uint(place, PVA_LOCATION_LINE_NUMBER);
        }
        context = pva_count(context, PVA_DEBUG_CONTEXT_PARENTS) ? pva_at(context, PVA_DEBUG_CONTEXT_PARENTS, 0)
                                                                : (pva_object){ 0 };
    }
}

pop_status advices_find(struct advices *all, const struct elapsed *elapsed, pva_file *file, enum advice_kind kind,
                        pop_error *error)
{
    struct str sql = { 0 };
    all->kind = kind;
    if (kind != ADVICE_MEMORY && !all->moved)
        all->moved = moved_sql(elapsed);
    str_add(&sql, kind == ADVICE_MEMORY ? "" : all->moved);
    str_add(&sql, queries[kind]);
    pop_status status = pva_sql(file, sql.text, on_row, all, error);
    str_free(&sql);
    return status;
}

/* Libraries whose vertices a program cannot change. */
static bool is_library(const struct advice *advice)
{
    static const char *const spaces[] = { "poplin::",    "popnn::",   "popops::",    "poprand::", "popsparse::",
                                          "popsolver::", "poputil::", "poplar_rt::", "gcl::" };
    const char *name = strstr(advice->detail, "slowest vertices: ");
    for (size_t i = 0; name && i < sizeof(spaces) / sizeof(spaces[0]); ++i)
        if (strncmp(name + strlen("slowest vertices: "), spaces[i], strlen(spaces[i])) == 0)
            return true;
    return false;
}

const char *advice_text(const struct advice *advice)
{
    if (advice->kind == ADVICE_IMBALANCE && is_library(advice))
        return "map the operands of the library's call to more tiles, or give one call more to do: larger batches";
    if (advice->kind == ADVICE_THREADS && is_library(advice))
        return "the call makes these vertices: give it more elements, or do the work of several calls in one";
    return texts[advice->kind];
}

/* Names of the steps that the compiler adds before (1) and after (2) an Execute, and of those of a Copy. */
static const struct {
    const char *end;
    int side;
} parts[] = {
    { "/GlobalPre/GlobalExchange", 1 },
    { "/ExchangePre", 1 },
    { "/OnTileCopyPre", 1 },
    { "/GlobalPost/GlobalExchange", 2 },
    { "/ExchangePost", 2 },
    { "/OnTileCopyPost", 2 },
    { "/GlobalExchange", 0 },
    { "/OnTileCopy", 0 },
};
enum { PARTS = sizeof(parts) / sizeof(parts[0]) };

/* The kind of added step that a name denotes, PARTS for a Copy's exchange; *length receives the length of the name
 * of its Execute or Copy. */
static size_t part_of(const char *name, size_t *length)
{
    size_t all = strlen(name);
    for (size_t i = 0; i < PARTS; ++i) {
        size_t end = strlen(parts[i].end);
        if (all > end && strcmp(name + all - end, parts[i].end) == 0) {
            *length = all - end;
            return i;
        }
    }
    *length = all;
    return PARTS;
}

static bool moves_data(const struct advice *a)
{
    return a->kind == ADVICE_EXCHANGE || a->kind == ADVICE_REARRANGE;
}

/* Returns 0 when both steps move data on the same side of the same Execute or Copy. */
static int compare_causes(const struct advice *a, const struct advice *b)
{
    if (moves_data(a) != moves_data(b))
        return moves_data(a) ? -1 : 1;
    size_t x, y, i = part_of(a->name, &x), k = part_of(b->name, &y);
    int order = strncmp(a->name, b->name, x < y ? x : y),
        sides[] = { i < PARTS ? parts[i].side : 0, k < PARTS ? parts[k].side : 0 };
    if (order || x != y)
        return order ? order : x < y ? -1 : 1;
    return sides[0] - sides[1];
}

static int by_cause(const void *left, const void *right)
{
    const struct advice *a = left, *b = right;
    int order = compare_causes(a, b);
    return order ? order : (a->program > b->program) - (a->program < b->program);
}

static void advice_free(struct advice *advice)
{
    free(advice->name);
    free(advice->detail);
    free(advice->file);
}

/* Merges b into a, which has the same cause: name and advice are those of the larger. */
static void merge(struct advice *a, struct advice *b)
{
    struct advice *larger = b->cycles > a->cycles ? b : a, *smaller = larger == a ? b : a;
    struct str detail = { 0 };
    const char *slash = strrchr(smaller->name, '/');
    str_format(&detail, "%s; `%s` accounts for %.0f cycles", larger->detail, slash ? slash + 1 : smaller->name,
               smaller->cycles);
    struct advice merged = *larger;
    merged.cycles += smaller->cycles;
    for (size_t i = 0; i < ACTIVITIES; ++i)
        merged.part[i] += smaller->part[i];
    merged.detail = mem_string(detail.text);
    str_free(&detail);
    free(larger->detail);
    advice_free(smaller);
    *a = merged;
}

/* Data on other tiles is the common cause of the exchanges and of the copies on one side of an Execute; merges them. */
static void merge_causes(struct advices *all)
{
    size_t kept = 0, length;
    bool seen[PARTS + 1] = { false };
    qsort(all->list.data, all->list.count, sizeof(*all->list.data), by_cause);
    for (size_t i = 0; i < all->list.count; ++i) {
        struct advice *a = &all->list.data[i], *before = kept ? &all->list.data[kept - 1] : NULL;
        size_t part = part_of(a->name, &length);
        bool same = before && moves_data(a) && moves_data(before) && !seen[part] && compare_causes(before, a) == 0;
        if (!same) {
            memset(seen, 0, sizeof(seen));
            all->list.data[kept++] = *a;
        } else {
            merge(before, a);
        }
        seen[part] = true;
    }
    all->list.count = kept;
}

static bool of_compute(const struct advice *a)
{
    return a->kind == ADVICE_IMBALANCE || a->kind == ADVICE_THREADS;
}

static int by_compute(const void *left, const void *right)
{
    const struct advice *a = left, *b = right;
    if (of_compute(a) != of_compute(b))
        return of_compute(a) ? -1 : 1;
    return a->program != b->program ? (a->program < b->program ? -1 : 1) : by_weight(a, b);
}

/* Keeps one entry of a compute set, the larger: cycles that even tiles save are not there to be saved by workers. */
static void keep_larger(struct advices *all)
{
    size_t kept = 0;
    qsort(all->list.data, all->list.count, sizeof(*all->list.data), by_compute);
    for (size_t i = 0; i < all->list.count; ++i) {
        struct advice *a = &all->list.data[i], *before = kept ? &all->list.data[kept - 1] : NULL;
        if (before && of_compute(a) && of_compute(before) && a->program == before->program)
            advice_free(a);
        else
            all->list.data[kept++] = *a;
    }
    all->list.count = kept;
}

static int by_name(const void *left, const void *right)
{
    const struct advice *a = left, *b = right;
    int order = a->kind != b->kind ? (a->kind < b->kind ? -1 : 1) : strcmp(a->name, b->name);
    if (!order)
        order = strcmp(a->file ? a->file : "", b->file ? b->file : "");
    if (!order)
        order = (a->line > b->line) - (a->line < b->line);
    return order ? order : by_weight(a, b);
}

/* Joins entries of one source line, which by_name has made adjacent; the first, with the most cycles, gives the
 * name. */
static void join_line(struct advice *entries, size_t count)
{
    struct advice *a = &entries[0];
    struct str detail = { 0 };
    str_format(&detail, "merged from %zu %s on this line; %s", count, advice_nouns[a->kind], a->detail);
    free(a->detail);
    a->detail = mem_string(detail.text);
    str_free(&detail);
    for (size_t i = 1; i < count; ++i) {
        a->cycles += entries[i].cycles;
        for (size_t k = 0; k < ACTIVITIES; ++k)
            a->part[k] += entries[i].part[k];
        a->times = a->times == UINT64_MAX || entries[i].times == UINT64_MAX ? UINT64_MAX : a->times + entries[i].times;
        advice_free(&entries[i]);
    }
}

/* The number of entries from the first on with its kind and name and, with `lines`, its source line. */
static size_t equal_entries(const struct advice *first, size_t max, bool lines)
{
    size_t count = 1;
    for (; count < max; ++count) {
        const struct advice *a = &first[count];
        if (a->kind != first->kind || strcmp(a->name, first->name) != 0)
            break;
        if (lines && (a->line != first->line || strcmp(a->file ? a->file : "", first->file ? first->file : "") != 0))
            break;
    }
    return count;
}

/* Source lines are looked up only for entries with equal kinds and names, because a report may have many thousands
 * of entries. */
static void join_lines(struct advices *all, pva_file *file)
{
    struct advice *list = all->list.data;
    size_t kept = 0, same;
    qsort(list, all->list.count, sizeof(*list), by_name);
    for (size_t i = 0; i < all->list.count; i += same) {
        same = equal_entries(&list[i], all->list.count - i, false);
        for (size_t k = i; same > 1 && k < i + same; ++k)
            advice_find_line(file, &list[k]);
    }
    qsort(list, all->list.count, sizeof(*list), by_name);
    for (size_t i = 0; i < all->list.count; i += same) {
        same = equal_entries(&list[i], all->list.count - i, true);
        if (same > 1)
            join_line(&list[i], same);
        list[kept++] = list[i];
    }
    all->list.count = kept;
}

void advices_order(struct advices *all, pva_file *file)
{
    if (!all->list.count)
        return;
    keep_larger(all);
    merge_causes(all);
    join_lines(all, file);
    qsort(all->list.data, all->list.count, sizeof(*all->list.data), by_weight);
}

struct advice_sum advices_sum(const struct advices *all, const struct account *account, size_t rows)
{
    struct advice_sum sum = { 0 };
    for (size_t i = 0; i < all->list.count; ++i)
        for (size_t k = 0; k < ACTIVITIES; ++k)
            sum.saved[k] += all->list.data[i].part[k];
    for (size_t k = 0; k < ACTIVITIES; ++k) {
        sum.saved[k] = sum.saved[k] < account->cycles[k] ? sum.saved[k] : account->cycles[k];
        sum.all += sum.saved[k];
        sum.left += account->cycles[k] - sum.saved[k];
    }
    for (size_t i = 0; i < all->list.count && i < rows; ++i)
        sum.shown += all->list.data[i].cycles;
    sum.shown = sum.shown < sum.all ? sum.shown : sum.all;
    return sum;
}

void advices_free(struct advices *all)
{
    for (size_t i = 0; i < all->list.count; ++i)
        advice_free(&all->list.data[i]);
    vec_free(&all->list);
    free(all->moved);
    *all = (struct advices){ 0 };
}
