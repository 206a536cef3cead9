/* SPDX-License-Identifier: Apache-2.0 */
/* Start and end of every step on every tile, from the file, compared with the rules applied tile by tile. */
#include "sql.h"

#include "report/report.h"
#include "target/cost.h"
#include "unit/timeline/fixture.h"

#include <unistd.h>

enum { MAX_TILES = 64, MAX_STEPS = 12 };

static uint64_t seed;
static uint32_t roll(uint32_t below)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % below;
}

/* What a tile does in a step, as rows of the file: one for each part of it. */
struct expected_row {
    char type[20];
    uint64_t start[MAX_TILES], end[MAX_TILES];
};
struct naive {
    const struct image *image;
    uint32_t tiles;
    uint64_t clocks[MAX_TILES];
    VEC(struct expected_row) rows;
};

static struct image *any_image(void)
{
    struct image *image = model_image("ipu2", 1 + roll(3));
    image->target.tiles_per_ipu = 1 + roll(20);
    uint32_t tiles = pop_target_num_tiles(&image->target);
    static const uint8_t kinds[] = { MODEL_EXECUTE,         MODEL_EXECUTE,     MODEL_EXECUTE, MODEL_EXCHANGE,
                                     MODEL_GLOBAL_EXCHANGE, MODEL_STREAM_COPY, MODEL_SYNC };
    bool quiet = !roll(4); /* nothing but compute sets: no sync, long sequences */
    for (uint32_t left = 1 + roll(MAX_STEPS); left; --left) {
        unsigned kind = quiet ? MODEL_EXECUTE : kinds[roll(7)];
        if (kind == MODEL_SYNC) {
            model_op(image, kind, roll(2), 0);
            continue;
        }
        if (kind == MODEL_EXECUTE) {
            model_add_set(image);
            model_execute(image);
        } else {
            model_exchange(image, kind);
        }
        for (uint32_t tile = roll(tiles); tile < tiles;) {
            uint32_t count = 1 + roll(tiles - tile), cycles = roll(300);
            if (kind == MODEL_EXECUTE)
                model_part(image, tile, count, cycles, cycles / 2);
            else
                model_flow(image, tile, count, roll(50), roll(50), cycles);
            tile += count + roll(3);
        }
    }
    uint32_t steps = (uint32_t)image->model.steps.count;
    for (uint32_t i = 0; i < steps; ++i)
        *vec_push(&image->model.children) = i;
    *vec_push(&image->model.steps) = (struct model_step){ .kind = MODEL_SEQUENCE, .children = steps };
    *vec_push(&image->model.controls) = steps;
    return image;
}

static struct expected_row *row(struct naive *n, const char *type)
{
    struct expected_row *r = vec_push(&n->rows);
    memset(r, 0, sizeof(*r));
    snprintf(r->type, sizeof(r->type), "%s", type);
    memcpy(r->start, n->clocks, sizeof(r->start));
    memcpy(r->end, n->clocks, sizeof(r->end));
    return r;
}

static void naive_sync(struct naive *n, bool external)
{
    const pop_target *target = &n->image->target;
    uint64_t last = 0;
    for (uint32_t t = 0; t < n->tiles; ++t)
        last = n->clocks[t] > last ? n->clocks[t] : last;
    for (unsigned ipu = 0; ipu < target->num_ipus; ++ipu) {
        uint64_t release = 0, *clocks = n->clocks + (size_t)ipu * target->tiles_per_ipu;
        for (unsigned t = 0; t < target->tiles_per_ipu; ++t)
            release =
                clocks[t] + cost_sync_arrive(target, t) > release ? clocks[t] + cost_sync_arrive(target, t) : release;
        for (unsigned t = 0; t < target->tiles_per_ipu; ++t)
            clocks[t] = external && target->num_ipus > 1 ? last + cost_sync_global(target, target->num_ipus)
                                                         : release + cost_sync_resume(target, t);
    }
}

static uint64_t cycles_of(const struct naive *n, const struct model_step *step, uint32_t tile)
{
    const struct model *m = &n->image->model;
    if (step->kind == MODEL_EXECUTE) {
        const struct model_set *set = m->sets.data + step->index;
        for (uint32_t i = 0; i < set->parts; ++i) {
            const struct model_part *part = m->parts.data + set->first_part + i;
            if (tile >= part->tile && tile < part->tile + part->tiles)
                return part->cycles;
        }
        return 0;
    }
    const struct model_exchange *e = step->kind == MODEL_EXCHANGE          ? m->exchanges.data + step->index
                                     : step->kind == MODEL_GLOBAL_EXCHANGE ? m->global_exchanges.data + step->index
                                                                           : m->host_exchanges.data + step->index;
    for (uint32_t i = 0; i < e->flows; ++i) {
        const struct model_flow *flow = m->flows.data + e->first_flow + i;
        if (tile >= flow->tile && tile < flow->tile + flow->tiles)
            return flow->cycles;
    }
    return 0;
}

static void naive_work(struct naive *n, const struct model_step *step, const char *type)
{
    struct expected_row *r = row(n, type);
    for (uint32_t t = 0; t < n->tiles; ++t)
        r->end[t] = n->clocks[t] += cycles_of(n, step, t);
}

/* A sync as one row, or as three, by whether tiles take part in the step after it. */
static void naive_sync_rows(struct naive *n, const struct model_step *step, bool external, const char *type,
                            bool parted)
{
    uint64_t before[MAX_TILES];
    uint32_t answering = 0;
    memcpy(before, n->clocks, sizeof(before));
    for (uint32_t t = 0; parted && t < n->tiles; ++t)
        answering += !cycles_of(n, step, t);
    naive_sync(n, external);
    uint64_t after[MAX_TILES];
    memcpy(after, n->clocks, sizeof(after));
    memcpy(n->clocks, before, sizeof(before));
    if (answering)
        row(n, "Sans");
    struct expected_row *sync = row(n, type);
    for (uint32_t t = 0; t < n->tiles; ++t)
        sync->end[t] = !answering || cycles_of(n, step, t) ? after[t] : before[t];
    if (answering) {
        struct expected_row *answer = row(n, "SyncAns");
        for (uint32_t t = 0; t < n->tiles; ++t)
            answer->end[t] = cycles_of(n, step, t) ? before[t] : after[t];
    }
    memcpy(n->clocks, after, sizeof(after));
}

static void naive_step(struct naive *n, const struct model_step *step)
{
    if (step->kind == MODEL_EXECUTE) {
        naive_work(n, step, "OnTileExecute");
    } else if (step->kind == MODEL_SYNC) {
        naive_sync_rows(n, step, step->detail == MODEL_SYNC_EXTERNAL, "Sync", false);
    } else if (step->kind == MODEL_STREAM_COPY) {
        naive_sync_rows(n, step, true, "StreamCopyBegin", false);
        naive_work(n, step, "StreamCopyMid");
        struct expected_row *end = row(n, "StreamCopyEnd");
        size_t at = (size_t)(end - n->rows.data);
        naive_sync(n, false);
        naive_sync(n, false);
        memcpy(n->rows.data[at].end, n->clocks, sizeof(n->clocks));
    } else {
        naive_sync_rows(n, step, step->kind == MODEL_GLOBAL_EXCHANGE, "Sync", true);
        naive_work(n, step, step->kind == MODEL_EXCHANGE ? "DoExchange" : "GlobalExchange");
    }
}

/* ---- the file ---- */

static void add_array(sqlite3 *db, int64_t id, uint32_t tiles, uint64_t *values)
{
    char sql[160];
    snprintf(sql, sizeof(sql), "SELECT data, parent, plus FROM arrays WHERE id = %lld", (long long)id);
    sqlite3_stmt *statement = sql_query(db, sql);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    if (sqlite3_column_type(statement, 0) == SQLITE_NULL) {
        add_array(db, sqlite3_column_int64(statement, 1), tiles, values);
        add_array(db, sqlite3_column_int64(statement, 2), tiles, values);
    } else {
        uint64_t own[MAX_TILES];
        sql_column_array(statement, 0, own, tiles);
        for (uint32_t t = 0; t < tiles; ++t)
            values[t] += own[t];
    }
    sqlite3_finalize(statement);
}

static void check_ipu(sqlite3 *db, int64_t step, const struct naive *n, const struct expected_row *expected,
                      unsigned ipu)
{
    char sql[320];
    uint32_t first = ipu * n->image->target.tiles_per_ipu, end = first + n->image->target.tiles_per_ipu;
    uint64_t cycles = 0, active = 0, from = UINT64_MAX, to = 0, sum = 0;
    for (uint32_t t = first; t < end; ++t) {
        uint64_t own = expected->end[t] - expected->start[t];
        cycles = own > cycles ? own : cycles;
        sum += own;
        if (own) {
            ++active;
            from = expected->start[t] < from ? expected->start[t] : from;
            to = expected->end[t] > to ? expected->end[t] : to;
        }
    }
    snprintf(sql, sizeof(sql),
             "SELECT cycles, active_tiles, cycles_base + active_cycles_from_min, cycles_base + active_cycles_to_max, "
             "tile_balance FROM "
             "all_by_ipu WHERE step_id = %lld AND ipu = %u",
             (long long)step, ipu);
    sqlite3_stmt *statement = sql_query(db, sql);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    assert_int_equal(sqlite3_column_int64(statement, 0), cycles);
    assert_int_equal(sqlite3_column_int64(statement, 1), active);
    if (active) {
        assert_int_equal(sqlite3_column_int64(statement, 2), from);
        assert_int_equal(sqlite3_column_int64(statement, 3), to);
    }
    double balance = cycles ? (double)sum / ((double)cycles * (end - first)) : 0,
           seen = sqlite3_column_double(statement, 4);
    assert_true(balance - seen < 1e-9 && seen - balance < 1e-9);
    sqlite3_finalize(statement);
}

/* As documented: start = base + array, end = base + shift + array, and end = start if the tile has no part in a sync.
 */
static void check_tiles(sqlite3 *db, sqlite3_stmt *step, const struct naive *n, const struct expected_row *expected,
                        const uint64_t *start, const uint64_t *end)
{
    char sql[200];
    uint64_t takes[MAX_TILES];
    unsigned tiles = n->image->target.tiles_per_ipu;
    int64_t base = sqlite3_column_int64(step, 4), sync = sqlite3_column_int64(step, 7);
    if (sync) {
        snprintf(sql, sizeof(sql), "SELECT cycles_by_tile FROM exchanges WHERE id = %lld",
                 (long long)sqlite3_column_int64(step, 2));
        sql_array(db, sql, takes, n->tiles);
    }
    for (unsigned ipu = 0; ipu < n->image->target.num_ipus; ++ipu) {
        snprintf(sql, sizeof(sql), "SELECT ifnull(sum(cycles), 0) FROM drifts WHERE drift = %lld AND ipu = %u",
                 (long long)sqlite3_column_int64(step, 3), ipu);
        int64_t here = base + sql_number(db, sql);
        snprintf(sql, sizeof(sql), "SELECT end_shift FROM pattern_ipus WHERE pattern = %lld AND ipu = %u",
                 (long long)sqlite3_column_int64(step, 8), ipu);
        int64_t shift = sql_number(db, sql);
        for (uint32_t t = ipu * tiles; t < (ipu + 1) * tiles; ++t) {
            uint64_t from = (uint64_t)here + start[t], to = (uint64_t)(here + shift) + end[t];
            if (sync && (takes[t] != 0) != (sync == 1))
                to = from;
            assert_int_equal(from, expected->start[t]);
            assert_int_equal(to, expected->end[t]);
        }
    }
}

static void check_rows(sqlite3 *db, const struct naive *n)
{
    /* The views are evaluated once. */
    assert_int_equal(sqlite3_exec(db,
                                  "BEGIN; CREATE TEMP TABLE all_by_ipu AS SELECT * FROM steps_by_ipu; CREATE INDEX "
                                  "temp.by_step ON all_by_ipu(step_id, ipu)",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    sqlite3_stmt *steps = sql_query(db, "SELECT e.id, p.type, p.exchange, e.drift, e.base, t.start, t.end, t.sync, "
                                        "e.pattern FROM executed e JOIN programs p "
                                        "ON p.id = e.program JOIN patterns t ON t.id = e.pattern ORDER BY e.id");
    size_t at = 0;
    for (; sqlite3_step(steps) == SQLITE_ROW; ++at) {
        assert_true(at < n->rows.count);
        const struct expected_row *expected = n->rows.data + at;
        uint64_t start[MAX_TILES] = { 0 }, end[MAX_TILES] = { 0 };
        assert_int_equal(sqlite3_column_int64(steps, 0), at);
        assert_string_equal((const char *)sqlite3_column_text(steps, 1), expected->type);
        add_array(db, sqlite3_column_int64(steps, 5), n->tiles, start);
        add_array(db, sqlite3_column_int64(steps, 6), n->tiles, end);
        check_tiles(db, steps, n, expected, start, end);
        for (unsigned ipu = 0; ipu < n->image->target.num_ipus; ++ipu)
            check_ipu(db, (int64_t)at, n, expected, ipu);
    }
    assert_int_equal(at, n->rows.count);
    sqlite3_finalize(steps);
}

/* Loops within each other: of all ops, and of some of them. */
enum { LEVELS = 3 };
struct loop {
    uint32_t first, end;
    unsigned times; /* how often, or up to how often, in turns */
    bool varies;
};
struct running {
    struct report *report;
    struct naive *naive;
    struct trace trace;
    struct loop loops[LEVELS];
    unsigned levels;
    bool parts;
};

static void run_loop(struct running *r, unsigned level)
{
    struct loop *loop = &r->loops[level];
    unsigned times = loop->varies ? 1 + roll(loop->times) : loop->times;
    for (unsigned i = 0; i < times; ++i) {
        for (uint32_t step = loop->first; step < loop->end; ++step)
            if (level + 1 < r->levels && step == r->loops[level + 1].first) {
                run_loop(r, level + 1);
                step = r->loops[level + 1].end - 1;
            } else {
                naive_step(r->naive, r->naive->image->model.steps.data + step);
            }
        if (i + 1 == times)
            break;
        if (!trace_again(&r->trace, loop->end - 1, loop->first))
            trace_jump(&r->trace, loop->end - 1, loop->first, 0, true);
        if (r->parts && !roll(20)) {
            report_run_part(r->report, &r->trace);
            trace_restart(&r->trace, loop->first);
        }
    }
}

/* All ops as a loop, with loops of some of them inside; in parts if `parts` is set. */
static void run_program(struct report *report, struct naive *n, unsigned times, bool parts)
{
    uint32_t ops = (uint32_t)n->image->model.op_first.count - 1;
    struct running r = { .report = report, .naive = n, .parts = parts, .levels = 1, .loops = { { 0, ops, times, 0 } } };
    for (; r.levels < LEVELS && roll(5); ++r.levels) {
        const struct loop *around = &r.loops[r.levels - 1];
        uint32_t first = around->first + 1 + roll(4);
        if (first >= around->end)
            break;
        uint32_t end = around->end - roll(2);
        r.loops[r.levels] = (struct loop){ first, end > first ? end : around->end, 2 + roll(6), !roll(5) };
    }
    assert_true(report_run_begin(report, 0, NULL));
    trace_begin(&r.trace, 0);
    run_loop(&r, 0);
    trace_end(&r.trace, ops);
    assert_int_equal(report_run_end(report, &r.trace, "test", NULL), POP_OK);
    trace_free(&r.trace);
}

static void tiles_follow_the_rules(void **state)
{
    (void)state;
    char directory[] = "test_steps_XXXXXX", path[64];
    assert_non_null(mkdtemp(directory));
    snprintf(path, sizeof(path), "%s/profile.pop", directory);
    pop_option list[] = { { "autoReport.outputExecutionProfile", "true" },
                          { "autoReport.directory", directory },
                          { "debug.foldLoops", "false" } };
    int64_t repeats = 0, within = 0;
    for (seed = 1; seed < 81; seed += 2) {
        uint64_t round = seed;
        bool fold = seed % 10 != 1;
        struct naive n = { .image = any_image() };
        struct option_set options = { 0 };
        struct report *report;
        pop_error error = { 0 };
        n.tiles = pop_target_num_tiles(&n.image->target);
        assert_int_equal(options_apply(&options, "engine", (pop_options){ list, fold ? 2 : 3 }, NULL, (pop_where){ 0 },
                                       "test", NULL),
                         POP_OK);
        if (report_begin(&(struct report_of){ .image = (struct image *)n.image, .options = &options }, "test", &report,
                         &error) != POP_OK)
            fail_msg("%s", error.text);
        run_program(report, &n, 2 + roll(5), false);
        run_program(report, &n, roll(10) ? 1 + roll(10) : 20, true);
        assert_int_equal(report_end(report, NULL), POP_OK);
        sqlite3 *db = sql_open(path);
        assert_int_equal(sql_number(db, "SELECT count(*) FROM runs"), 2);
        assert_int_equal(sql_number(db, "SELECT sum(steps) FROM runs"), (int64_t)n.rows.count);
        check_rows(db, &n);
        assert_true(fold || !sql_number(db, "SELECT count(*) FROM repeats"));
        repeats += sql_number(db, "SELECT count(*) FROM repeats");
        within += sql_number(db, "SELECT count(*) FROM repeats WHERE parent IS NOT NULL");
        sqlite3_close(db);
        options_free(&options);
        vec_free(&n.rows);
        image_release((struct image *)n.image);
        unlink(path);
        seed = round;
    }
    assert_true(repeats > 50 && within > 5);
    assert_int_equal(rmdir(directory), 0); /* nothing else was left */
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(tiles_follow_the_rules) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
