/* SPDX-License-Identifier: Apache-2.0 */
/* What to mend first: where cycles and bytes could be won, and how many.  Each kind of loss says what mending it would
 * leave:
 *
 *   imbalance    a compute set takes as long as its slowest tile.  Spread over all tiles it would take what all its
 * vertices take together divided by the tiles, but no less than one of its vertices does, of which six share a tile.
 *   exchange     an exchange and the sync before it would be gone if the data lay where it is used.
 *   stream       a copy from or to the host that is executed several times could be one copy: what its syncs and its
 * set-up take would be paid once. rearrange    copies on tiles before and after a compute set would be gone if tensors
 * had the layout that its vertices want. memory       a tile that needs more than it has, or nearly all: the bytes
 * beyond the average tile.
 *
 * What a step takes is by how much it moves the time of the last tile. */
#include "pva.h"

#include <poplar/text.h>

#include <stdlib.h>
#include <string.h>

enum kind { MEMORY, IMBALANCE, EXCHANGE, STREAM, REARRANGE, KINDS };
static const struct {
    const char *name, *advice;
} kinds[KINDS] = {
    [MEMORY] = { "memory", "move variables or vertices to tiles that have room" },
    [IMBALANCE] = { "imbalance", "spread its vertices over the tiles, or cut them into smaller ones" },
    [EXCHANGE] = { "exchange", "map its data to the tiles that use it" },
    [STREAM] = { "stream", "copy once, before or after the loop" },
    [REARRANGE] = { "rearrange", "give its tensors the layout that the vertices use" },
};

struct advice {
    enum kind kind;
    double cycles, bytes;
    uint64_t program, tile, times;
    bool urgent;
    char *name, *detail, *file;
    uint64_t line;
};
struct advices {
    struct advice *list;
    size_t count, room;
    enum kind kind;
};

/* What each executed program moved the last tile's time by, in all its executions: table moved(program, step, type,
 * times, cycles). */
#define MOVED                                                                                                          \
    "WITH ends AS (SELECT e.id, e.program, max(e.base + ifnull((SELECT d.cycles FROM drifts d WHERE d.drift = "        \
    "e.drift AND d.ipu = i.ipu), 0) + i.all_to_max) AS end "                                                           \
    "FROM executed e JOIN pattern_ipus i ON i.pattern = e.pattern GROUP BY e.id), "                                    \
    "shifts AS (SELECT program, max(end - ifnull(max(end) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 "   \
    "PRECEDING), 0), 0) AS by FROM ends), "                                                                            \
    "moved AS MATERIALIZED (SELECT s.program, p.step, p.type, p.name, count(*) AS times, sum(s.by) AS cycles FROM "    \
    "shifts s JOIN programs p ON p.id = s.program "                                                                    \
    "GROUP BY s.program) "

/* Each gives: program, cycles, bytes, tile, times, name, detail. */
static const char *const queries[KINDS] = {
    [MEMORY] = "SELECT NULL, 0, total_including_gaps - (SELECT avg(total_including_gaps) FROM memory_by_tile), tile, "
               "0, 'tile ' || tile, "
               "total_including_gaps || ' of ' || bytes_per_tile || ' bytes' || CASE WHEN total_including_gaps > "
               "bytes_per_tile THEN ': out of memory' ELSE '' END "
               "FROM memory_by_tile, target WHERE total_including_gaps > 0.9 * bytes_per_tile ORDER BY "
               "total_including_gaps DESC LIMIT 5",
    [IMBALANCE] = MOVED "SELECT m.program, m.times * (c.estimated_cycles - max((SELECT sum(active_cycles) FROM "
                        "compute_set_vertices v WHERE v.compute_set = c.compute_set) * 1.0 / "
                        "(SELECT num_tiles FROM target), (SELECT max(6.0 * active_cycles / count) FROM "
                        "compute_set_vertices v WHERE v.compute_set = c.compute_set AND count > 0))) AS won, "
                        "0, (SELECT a.i FROM array(c.estimated_cycles_by_tile, (SELECT num_tiles FROM target)) a ORDER "
                        "BY a.value DESC, a.i LIMIT 1), m.times, m.name, "
                        "'slowest vertices: ' || ifnull((SELECT t.name FROM compute_set_vertices v JOIN vertex_types t "
                        "ON t.id = v.vertex_type WHERE v.compute_set = c.compute_set ORDER BY "
                        "v.active_cycles DESC LIMIT 1), '?') FROM moved m JOIN programs p ON p.id = m.program JOIN "
                        "compute_sets c ON c.compute_set = p.compute_set WHERE won > 0 AND m.name NOT "
                        "LIKE '%/OnTileCopyPre' AND m.name NOT LIKE '%/OnTileCopyPost'",
    [EXCHANGE] = MOVED ", byStep AS (SELECT step, max(program) AS program, max(times) AS times, sum(cycles) AS won "
                       "FROM moved GROUP BY step) "
                       "SELECT g.program, g.won, 0, NULL, g.times, x.name, 'with the sync before it' FROM byStep g "
                       "JOIN programs x ON x.id = g.program "
                       "WHERE x.type IN ('DoExchange', 'GlobalExchange') AND g.won > 0",
    [STREAM] = MOVED ", byStep AS (SELECT step, max(program) AS program, max(times) AS times, sum(CASE WHEN type = "
                     "'StreamCopyMid' THEN 0.0 ELSE cycles * (times - 1.0) / "
                     "times END) AS won FROM moved GROUP BY step) SELECT g.program, g.won, 0, NULL, g.times, x.name, "
                     "'its syncs with the host' FROM byStep g "
                     "JOIN programs x ON x.id = g.program WHERE x.type LIKE 'StreamCopy%' AND g.won > 0",
    [REARRANGE] = MOVED "SELECT m.program, m.cycles AS won, 0, NULL, m.times, m.name, 'copies on tiles' FROM moved m "
                        "WHERE (m.name LIKE '%/OnTileCopyPre' OR m.name LIKE "
                        "'%/OnTileCopyPost') AND won > 0",
};

static char *copy_text(const pva_value *value)
{
    return strdup(value->text ? value->text : "");
}

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
    if (all->count == all->room) {
        size_t room = all->room ? 2 * all->room : 64;
        struct advice *list = realloc(all->list, room * sizeof(*list));
        if (!list)
            return false;
        all->list = list;
        all->room = room;
    }
    all->list[all->count++] =
        (struct advice){ .kind = all->kind,
                         .program = number_of(&values[0]),
                         .cycles = values[1].text ? pop_text_to_double(values[1].text, NULL) : 0,
                         .bytes = values[2].text ? pop_text_to_double(values[2].text, NULL) : 0,
                         .tile = number_of(&values[3]),
                         .times = number_of(&values[4]),
                         .name = copy_text(&values[5]),
                         .detail = copy_text(&values[6]),
                         .urgent = values[6].text && strstr(values[6].text, "out of memory") != NULL };
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

/* The user's line: that of the outermost context that has one. */
static void find_line(pva_file *file, struct advice *advice)
{
    enum { DEEPEST = 64 };
    if (advice->program == UINT64_MAX)
        return;
    pva_object compilation = pva_get(pva_root(file), PVA_REPORT_COMPILATION);
    pva_object context =
        pva_get(pva_at(compilation, PVA_COMPILATION_PROGRAMS, advice->program), PVA_PROGRAM_DEBUG_CONTEXT);
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

static void print_json(const struct advice *a, size_t rank)
{
    put_numbers(stdout, "%s\n {\"rank\":%zu,\"kind\":\"%s\",\"cycles\":%.0f,\"bytes\":%.0f,\"times\":%llu,\"name\":",
                rank ? "," : "", rank + 1, kinds[a->kind].name, a->cycles, a->bytes,
                (unsigned long long)(a->times == UINT64_MAX ? 0 : a->times));
    put_json(stdout, a->name);
    printf(",\"detail\":");
    put_json(stdout, a->detail);
    if (a->tile != UINT64_MAX)
        printf(",\"tile\":%llu", (unsigned long long)a->tile);
    printf(",\"file\":");
    put_json(stdout, a->file ? a->file : "");
    printf(",\"line\":%llu,\"advice\":", (unsigned long long)a->line);
    put_json(stdout, kinds[a->kind].advice);
    printf("}");
}

static void print_text(const struct advice *a, size_t rank, double total)
{
    bool colour = colours();
    char number[32];
    printf("%s%zu. %s: %s%s\n", colour ? "\033[1m" : "", rank + 1, kinds[a->kind].name,
           *a->name ? a->name : "(no name)", colour ? "\033[0m" : "");
    if (a->cycles >= 1)
        put_numbers(stdout, "   wins %s cycles (%.1f%% of all)\n", number_text(number, (uint64_t)(a->cycles + 0.5)),
                    total > 0 ? a->cycles / total * 100 : 0);
    if (a->bytes >= 1)
        printf("   wins %s bytes\n", number_text(number, (uint64_t)(a->bytes + 0.5)));
    printf("   %s", a->detail);
    if (a->times && a->times != UINT64_MAX)
        printf("; executed %s times", number_text(number, a->times));
    if (a->tile != UINT64_MAX && a->kind == IMBALANCE)
        printf("; slowest on tile %llu", (unsigned long long)a->tile);
    printf("\n   %s\n", kinds[a->kind].advice);
    if (a->file && *a->file)
        printf("   %s:%llu\n", a->file, (unsigned long long)a->line);
}

int command_advise(int argc, char **argv)
{
    struct arguments arguments = { .options = { { "--rows", NULL }, { "--format", NULL } } };
    if (!arguments_read(&arguments, argc, argv, 1, 1))
        return EXIT_WRONG;
    const char *format = arguments_get(&arguments, "--format"), *limit = arguments_get(&arguments, "--rows");
    bool json = format && strcmp(format, "json") == 0;
    if (format && !json && strcmp(format, "table") != 0)
        return say("advise", "unknown format '%s' (allowed: table, json)", format);
    pva_file *file = open_or_say(arguments.words[0]);
    if (!file)
        return EXIT_WRONG;
    struct advices all = { 0 };
    pop_error error = { 0 };
    pop_status status = POP_OK;
    struct progress progress = progress_begin("looking", KINDS);
    for (int kind = 0; kind < KINDS && status == POP_OK; ++kind) {
        all.kind = (enum kind)kind;
        status = pva_sql(file, queries[kind], on_row, &all, &error);
        progress_at(&progress, (uint64_t)kind + 1);
    }
    progress_end(&progress);
    if (all.count)
        qsort(all.list, all.count, sizeof(*all.list), by_weight);
    size_t rows = limit ? strtoul(limit, NULL, 10) : 10;
    double total = (double)sql_uint(file, "SELECT total FROM execution_cycle_totals");
    if (json)
        printf("[");
    for (size_t i = 0; i < all.count && i < rows && status == POP_OK; ++i) {
        find_line(file, &all.list[i]);
        if (json)
            print_json(&all.list[i], i);
        else
            print_text(&all.list[i], i, total);
    }
    if (json)
        printf("\n]\n");
    else if (!all.count && status == POP_OK)
        printf("nothing stands out\n");
    for (size_t i = 0; i < all.count; ++i) {
        free(all.list[i].name);
        free(all.list[i].detail);
        free(all.list[i].file);
    }
    free(all.list);
    if (status == POP_OK)
        status = pva_take_error(file, &error);
    pva_close(file);
    return status == POP_OK ? EXIT_DONE : say_error("advise", &error);
}
