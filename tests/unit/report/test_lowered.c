/* SPDX-License-Identifier: Apache-2.0 */
/* Variables, lowered variables and liveness by tile: the tables of one file agree. */
#include "sql.h"

#include <poplar/poplar.h>

#include <unistd.h>

enum { TILES = 7 };

static pop_tensor variable(pop_graph *graph, size_t elements, unsigned first, unsigned tiles, const char *name)
{
    pop_tensor t = pop_graph_add_variable(graph, POP_HALF, POP_SHAPE(elements), name);
    for (size_t i = 0; i < elements; ++i)
        pop_graph_set_tile_mapping(graph, pop_tensor_at(t, i), first + (unsigned)(i * tiles / elements));
    return t;
}

/* a is copied to b across tiles, c is live only after that, twice in a loop.  A variable that nothing uses has no
 * memory, and no row: the others' ids have no gap. */
static void compile(void)
{
    pop_device *device =
        pop_ipu_model_create_device(&(pop_ipu_model){ .version = "ipu2", .num_ipus = 1, .tiles_per_ipu = TILES }, NULL);
    pop_graph *graph = pop_graph_create(pop_device_target(device));
    variable(graph, 21, 0, 7, "unused");
    pop_tensor a = variable(graph, 21, 0, 7, "a"), b = variable(graph, 21, 0, 3, "b"),
               c = variable(graph, 21, 4, 2, "c");
    pop_tensor k = pop_graph_add_constant_float(graph, POP_HALF, POP_SHAPE(3), 0.1, "k");
    pop_graph_set_tile_mapping(graph, k, 6);
    pop_stream in = pop_graph_add_host_to_device_fifo(graph, "in", POP_HALF, 21, POP_STREAM_REPLICATE, POP_NO_OPTIONS),
               out = pop_graph_add_device_to_host_fifo(graph, "out", POP_HALF, 21, POP_NO_OPTIONS);
    pop_program body = pop_sequence(graph, "body");
    pop_sequence_add(body, pop_copy_from_stream(in, a, false, "in"));
    pop_sequence_add(body, pop_copy(a, b, false, "ab"));
    pop_sequence_add(body, pop_copy(b, c, false, "bc"));
    pop_sequence_add(body, pop_copy(k, pop_tensor_slice(c, 2, 5, 0), false, "kc"));
    pop_sequence_add(body, pop_copy_to_stream(c, out, false, "out"));
    pop_program program = pop_repeat(2, body, "twice");
    pop_executable *executable;
    pop_error error;
    pop_option options[] = { { "autoReport.directory", "lowered" }, { "autoReport.outputLoweredVars", "true" } };
    if (pop_compile_graph(graph, (pop_programs){ 1, &program }, (pop_options){ options, 2 }, NULL, NULL, &executable,
                          &error) != POP_OK)
        fail_msg("%s", error.text);
    pop_executable_destroy(executable);
    pop_graph_destroy(graph);
    pop_device_destroy(device);
}

#define LIVE_AT_STEP "(v.equivalence_class IN (SELECT class FROM class_intervals WHERE start <= ?1 AND ?1 < end))"

/* Bytes of vars_info on a tile, or on all (-1), that meet a condition on v; ?1 is step. */
static int64_t sum_of(sqlite3 *db, const char *condition, int64_t step, int tile)
{
    char sql[512];
    snprintf(sql, sizeof(sql),
             "SELECT ifnull(sum(v.size_bytes), 0) FROM vars_info v WHERE ?1 >= 0 AND (?2 < 0 OR v.tile = ?2) AND %s",
             condition);
    sqlite3_stmt *statement = sql_query(db, sql);
    sqlite3_bind_int64(statement, 1, step);
    sqlite3_bind_int(statement, 2, tile);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    int64_t sum = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return sum;
}

static void expect_list(sqlite3 *db, const char *condition, int64_t step, int64_t bytes, const uint64_t *by_tile)
{
    assert_int_equal(sum_of(db, condition, step, -1), bytes);
    for (int tile = 0; tile < TILES; ++tile)
        assert_int_equal(sum_of(db, condition, step, tile), by_tile[tile]);
}

static void liveness_is_that_of_lowered_variables(sqlite3 *db)
{
    uint64_t by_tile[TILES];
    int64_t steps = 0;
    sql_array(db, "SELECT bytes_by_tile FROM live_lists WHERE id = 0", by_tile, TILES);
    expect_list(db, "v.equivalence_class = 1", 0, sql_number(db, "SELECT bytes FROM live_lists WHERE id = 0"), by_tile);
    sqlite3_stmt *statement = sql_query(
        db,
        "SELECT s.id, l.bytes, l.bytes_by_tile FROM liveness_steps s JOIN live_lists l ON l.id = s.list ORDER BY s.id");
    for (; sqlite3_step(statement) == SQLITE_ROW; ++steps) {
        assert_int_equal(sqlite3_column_int64(statement, 0), steps);
        sql_column_array(statement, 2, by_tile, TILES);
        expect_list(db, LIVE_AT_STEP, steps, sqlite3_column_int64(statement, 1), by_tile);
    }
    sqlite3_finalize(statement);
    assert_true(steps >= 5);
    assert_true(sql_number(db, "SELECT count(DISTINCT list) FROM liveness_steps") > 1);
}

static void sums_of_arrays(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *statement = sql_query(db, sql);
    int rows = 0;
    for (; sqlite3_step(statement) == SQLITE_ROW; ++rows) {
        uint64_t by_tile[TILES], sum = 0;
        sql_column_array(statement, 1, by_tile, TILES);
        for (int tile = 0; tile < TILES; ++tile)
            sum += by_tile[tile];
        assert_int_equal(sum, sqlite3_column_int64(statement, 0));
    }
    assert_true(rows > 2);
    sqlite3_finalize(statement);
}

static void tables_of_one_file_agree(void **state)
{
    (void)state;
    compile();
    sqlite3 *db = sql_open("lowered/profile.pop");
    assert_int_equal(sql_number(db, "SELECT lowered_vars FROM format"), 1);
    liveness_is_that_of_lowered_variables(db);
    sums_of_arrays(db, "SELECT bytes, bytes_by_tile FROM live_variables");
    sums_of_arrays(db, "SELECT bytes, bytes_by_tile FROM variables");
    assert_int_equal(sql_number(db, "SELECT count(*) FROM variables v WHERE v.bytes != (SELECT sum(size_bytes) FROM "
                                    "vars_info i WHERE i.var = v.id)"),
                     0);
    assert_int_equal(sql_number(db, "SELECT count(*) FROM variables WHERE name = 'unused'"), 0);
    assert_int_equal(sql_number(db, "SELECT min(id) = 0 AND max(id) + 1 = count(*) FROM variables"), 1);
    assert_int_equal(sql_number(db, "SELECT bytes FROM variables WHERE name = 'a'"), 42);
    sql_expect_text(db, "SELECT type FROM variables WHERE name = 'b'", "half");
    assert_int_equal(sql_number(db, "SELECT always_live FROM variables WHERE name = 'k'"), 1);
    assert_int_equal(
        sql_number(db, "SELECT count(*) FROM lowered_variables WHERE name = 'k' AND constant AND tile = 6"), 1);
    assert_int_equal(
        sql_number(db, "SELECT max(debug_context) - min(debug_context) FROM variables WHERE name IN ('a', 'c')"), 2);
    sql_expect_text(db,
                    "SELECT group_concat(v.name || x.access, ' ') FROM programs p JOIN program_vars x ON x.program = "
                    "p.id JOIN variables v ON v.id = x.var "
                    "WHERE p.name = 'bc' ORDER BY v.name",
                    "b1 c2");
    /* addresses: no always-live variable overlaps another one of its tile */
    assert_int_equal(
        sql_number(
            db,
            "SELECT count(*) FROM vars_info a JOIN vars_info b ON a.tile = b.tile AND a.id != b.id WHERE "
            "a.equivalence_class = 1 AND a.offset < b.offset + b.size_bytes AND b.offset < a.offset + a.size_bytes"),
        0);
    sqlite3_close(db);
    remove("lowered/profile.pop");
    rmdir("lowered");
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(tables_of_one_file_agree) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
