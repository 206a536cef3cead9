/* SPDX-License-Identifier: Apache-2.0 */
/* Lightweight profiling: which blocks are recorded, what an overflow loses, when buffers are flushed. */
#include "sql.h"

#include <poplar/poplar.h>

#include <unistd.h>

enum { TILES = 5, TIMES = 100 };

struct lwp_case {
    pop_option options[8];
    size_t count;
    unsigned ipus;
};

/* A loop of TIMES blocks "model/step" of one Copy, inside a block "other". */
static void run(const struct lwp_case *of, const char *directory)
{
    pop_device *device = pop_ipu_model_create_device(
        &(pop_ipu_model){ .version = "ipu2", .num_ipus = of->ipus ? of->ipus : 1, .tiles_per_ipu = TILES }, NULL);
    pop_graph *graph = pop_graph_create(pop_device_target(device));
    pop_tensor a = pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(13), "a");
    pop_tensor b = pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(13), "b");
    pop_graph_set_tile_mapping(graph, a, 0);
    pop_graph_set_tile_mapping(graph, b, 0);
    pop_program copy = pop_copy(a, pop_tensor_reverse(b, 0), false, "copy");
    pop_program block = pop_block(copy, "model/step"), loop = pop_repeat(TIMES, block, "loop");
    pop_program program = pop_sequence(graph, "main");
    pop_sequence_add(program, pop_block(loop, "other"));
    pop_option options[12] = { { "autoReport.directory", directory },
                               { "autoReport.outputExecutionProfile", "true" },
                               { "debug.instrumentCompute", "false" },
                               { "debug.instrumentExternalExchange", "false" } };
    memcpy(options + 4, of->options, of->count * sizeof(*options));
    pop_error error;
    pop_program programs[] = { program, pop_sequence(graph, "nothing") };
    pop_engine *engine =
        pop_engine_create(graph, (pop_programs){ 2, programs }, (pop_options){ options, 4 + of->count }, &error);
    if (!engine || pop_engine_load_and_run(engine, device, 0, &error) != POP_OK)
        fail_msg("%s", error.text);
    pop_engine_destroy(engine);
    pop_graph_destroy(graph);
    pop_device_destroy(device);
}

static sqlite3 *report_of(const struct lwp_case *of)
{
    run(of, "blocks");
    return sql_open("blocks/profile.pop");
}

static void done(sqlite3 *db)
{
    sqlite3_close(db);
    remove("blocks/profile.pop");
    rmdir("blocks");
}

static void a_full_buffer_loses_blocks(void **state)
{
    (void)state;
    sqlite3 *db = report_of(&(struct lwp_case){ { { "profiler.blocks.filter", "^model" } }, 1, 0 });
    assert_int_equal(sql_number(db, "SELECT count(*) FROM blocks"), 43); /* 1,000 bytes: 83 records of 12 */
    assert_int_equal(sql_number(db, "SELECT count(*) FROM blocks WHERE kind = 0"), 42);
    assert_int_equal(sql_number(db, "SELECT count(*) FROM blocks WHERE kind = 0 AND cycles_to IS NULL"), 1);
    assert_int_equal(sql_number(db, "SELECT lost FROM blocks WHERE kind = 3"), TIMES - 42);
    sql_expect_text(db, "SELECT DISTINCT p.type || ' ' || p.name FROM blocks b JOIN programs p ON p.id = b.program",
                    "Block model/step");
    assert_int_equal(sql_number(db, "SELECT max(tile) FROM blocks"), 0);
    assert_int_equal(sql_number(db, "SELECT count(*) FROM steps"), 0); /* nothing else is recorded */
    /* each begins 36 cycles after the end of the one before, and all take the same time */
    assert_int_equal(sql_number(db, "SELECT count(*) FROM blocks a JOIN blocks b ON b.id = a.id + 1 WHERE b.kind = 0 "
                                    "AND b.cycles_from - a.cycles_to != 36"),
                     0);
    assert_int_equal(sql_number(db, "SELECT count(DISTINCT cycles_to - cycles_from) FROM blocks WHERE kind = 0"), 1);
    done(db);
}

static void flushes_lose_nothing(void **state)
{
    (void)state;
    sqlite3 *db = report_of(&(struct lwp_case){ { { "profiler.blocks.filter", "^model" },
                                                  { "profiler.blocks.implicitFlush", "true" },
                                                  { "debug.instrumentExternalExchange", "true" } },
                                                3,
                                                0 });
    assert_int_equal(sql_number(db, "SELECT count(*) FROM blocks WHERE tile = 0"),
                     TIMES + 3 * TIMES + 6); /* two copies of control head a run */
    assert_int_equal(sql_number(db, "SELECT count(*) FROM blocks WHERE kind = 0 AND cycles_to > cycles_from"), TIMES);
    assert_int_equal(sql_number(db, "SELECT count(*) FROM blocks WHERE kind = 2"), 3 * TIMES);
    assert_int_equal(sql_number(db, "SELECT count(*) FROM blocks WHERE kind = 1"), 6);
    assert_int_equal(sql_number(db, "SELECT count(*) FROM blocks WHERE kind > 2"), 0);
    done(db);
}

/* A block around everything begins before the overflow and ends in it; if only its end was recorded, its begin is
 * unknown. */
static void executed_instructions_are_counted(void **state)
{
    (void)state;
    for (int bytes = 24; bytes < 300; bytes += 12) {
        char size[8];
        snprintf(size, sizeof(size), "%d", bytes);
        sqlite3 *db = report_of(
            &(struct lwp_case){ { { "profiler.blocks.filter", "." }, { "profiler.blocks.bufferSize", size } }, 2, 0 });
        assert_int_equal(sql_number(db, "SELECT sum(kind = 0 OR kind = 4) + sum(lost) FROM blocks"), TIMES + 1);
        assert_int_equal(sql_number(db, "SELECT count(*) FROM blocks WHERE kind = 3 AND cycles_from > cycles_to"), 0);
        assert_int_equal(sql_number(db, "SELECT count(*) FROM blocks b JOIN programs p ON p.id = b.program WHERE "
                                        "p.name = 'other' AND cycles_to IS NULL"),
                         1);
        done(db);
    }
}

static void tiles_and_programs_are_chosen(void **state)
{
    (void)state;
    sqlite3 *db = report_of(&(struct lwp_case){ { { "profiler.programs.filter", "^co" },
                                                  { "profiler.blocks.tile", "3,1" },
                                                  { "profiler.blocks.bufferSize", "4000" } },
                                                3,
                                                2 });
    assert_int_equal(sql_number(db, "SELECT count(DISTINCT tile) FROM blocks"), 4);
    assert_int_equal(sql_number(db, "SELECT count(*) FROM blocks WHERE tile = 8 AND kind = 0"), TIMES);
    sql_expect_text(db, "SELECT group_concat(tile) FROM (SELECT DISTINCT tile FROM blocks ORDER BY tile)", "1,3,6,8");
    sql_expect_text(db, "SELECT DISTINCT p.type || ' ' || p.name FROM blocks b JOIN programs p ON p.id = b.program",
                    "Block copy");
    assert_true(sql_number(db, "SELECT c.bytes FROM memory_by_category c JOIN var_categories v ON v.id = c.category "
                               "WHERE v.name = 'instrumentationResults'") >= 4 * 4000);
    done(db);
}

static void expect_refused(const char *key, const char *value, const char *text)
{
    pop_device *device =
        pop_ipu_model_create_device(&(pop_ipu_model){ .version = "ipu2", .num_ipus = 1, .tiles_per_ipu = TILES }, NULL);
    pop_graph *graph = pop_graph_create(pop_device_target(device));
    pop_program program = pop_sequence(graph, "main");
    pop_option options[] = { { "profiler.blocks.filter", "." }, { key, value } };
    pop_executable *executable;
    pop_error error;
    assert_int_equal(pop_compile_graph(graph, (pop_programs){ 1, &program }, (pop_options){ options, 2 }, NULL, NULL,
                                       &executable, &error),
                     POP_INVALID_OPTION);
    if (!strstr(error.text, text))
        fail_msg("'%s' lacks '%s'", error.text, text);
    pop_graph_destroy(graph);
    pop_device_destroy(device);
}

static void wrong_options_are_refused(void **state)
{
    (void)state;
    expect_refused("profiler.programs.filter", "(", "profiler.programs.filter is '('");
    expect_refused("profiler.blocks.tile", "5", "has tiles 0 to 4");
    expect_refused("profiler.blocks.tile", "1,x", "numbers of tiles");
    expect_refused("profiler.blocks.bufferSize", "23", "it may be 24 to");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_full_buffer_loses_blocks),        cmocka_unit_test(flushes_lose_nothing),
        cmocka_unit_test(executed_instructions_are_counted), cmocka_unit_test(tiles_and_programs_are_chosen),
        cmocka_unit_test(wrong_options_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
