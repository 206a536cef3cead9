/* SPDX-License-Identifier: Apache-2.0 */
/* The profile of a whole program, with every kind of step, through the public interface: its arithmetic, its texts, and
 * that it does not depend on host threads or on saving and loading. */
#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ELEMENTS = 64 };

static void open_on(struct fixture *w, const char *target_text, pop_target_type type)
{
    pop_error error = { 0 };
    pop_target target;
    *w = (struct fixture){ .machine = target_text };
    must(pop_target_from_text(target_text, &target, &error), &error);
    target.type = type;
    w->device = pop_device_create(&target, &error);
    must(error.status, &error);
    w->tiles = pop_target_num_tiles(&target);
    w->graph = pop_graph_create(&target);
    must_build(w);
}

static pop_vertex timed_vertex(struct fixture *w, pop_compute_set set, const char *type, unsigned tile, unsigned cycles)
{
    pop_vertex v = fixture_vertex(w, set, type, tile);
    pop_graph_set_perf_estimate(w->graph, v, cycles, 0);
    return v;
}

static pop_program add_one(struct fixture *w, pop_tensor t, const char *name)
{
    pop_compute_set set = pop_graph_add_compute_set(w->graph, name);
    for (unsigned tile = 0; tile < w->tiles; ++tile)
        pop_graph_connect(w->graph, timed_vertex(w, set, "AddOne", tile, 10 + tile), "data",
                          pop_tensor_slice(t, tile * ELEMENTS / w->tiles, (tile + 1) * ELEMENTS / w->tiles, 0));
    return pop_execute(set, name);
}

/* Each tile sums a slice of its neighbour. */
static pop_program sums(struct fixture *w, pop_tensor t, pop_tensor out)
{
    pop_compute_set set = pop_graph_add_compute_set(w->graph, "sums");
    for (unsigned tile = 0; tile < w->tiles; ++tile) {
        unsigned next = (tile + 1) % w->tiles;
        pop_vertex v = timed_vertex(w, set, "SumVertex", tile, 100);
        pop_graph_connect(w->graph, v, "in",
                          pop_tensor_slice(t, next * ELEMENTS / w->tiles, (next + 1) * ELEMENTS / w->tiles, 0));
        pop_graph_connect(w->graph, v, "out", pop_tensor_at(out, tile));
    }
    return pop_execute(set, NULL);
}

/* Streams, vertices with exchange, copies, a loop, an If, a Switch and a function that is called twice. */
static pop_program build(struct fixture *w)
{
    fixture_codelets(w);
    pop_graph *g = w->graph;
    pop_tensor v = fixture_variable(w, POP_FLOAT, POP_SHAPE(ELEMENTS), "v"),
               u = pop_graph_add_variable(g, POP_FLOAT, POP_SHAPE(ELEMENTS), "u");
    pop_tensor out = fixture_variable(w, POP_FLOAT, POP_SHAPE(w->tiles), "sums");
    pop_tensor flag = pop_graph_add_variable(g, POP_BOOL, POP_SHAPE(), "flag"),
               choice = pop_graph_add_variable(g, POP_INT, POP_SHAPE(), "choice");
    pop_graph_set_tile_mapping(g, u, w->tiles - 1);
    pop_graph_set_tile_mapping(g, flag, 0);
    pop_graph_set_tile_mapping(g, choice, 0);
    pop_graph_set_initial_fill(g, flag, POP_BOOL, &(bool){ true });
    pop_graph_set_initial_fill(g, choice, POP_INT, &(int){ 1 });
    pop_stream in =
        pop_graph_add_host_to_device_fifo(g, "in", POP_FLOAT, ELEMENTS, POP_STREAM_REPLICATE, POP_NO_OPTIONS);
    pop_stream back = pop_graph_add_device_to_host_fifo(g, "back", POP_FLOAT, ELEMENTS, POP_NO_OPTIONS);
    pop_function function = pop_graph_add_function(g, add_one(w, v, "called"));
    pop_program chosen = pop_switch(choice, "choose");
    pop_switch_add(chosen, 0, pop_copy(v, u, false, NULL));
    pop_switch_add(chosen, 1, pop_copy(u, v, false, "back again"));
    pop_program main = pop_sequence(g, "main");
    pop_sequence_add(main, pop_copy_from_stream(in, v, false, "input"));
    pop_sequence_add(main, sums(w, v, out));
    pop_sequence_add(main, pop_copy(v, u, false, "gather"));
    pop_sequence_add(main, pop_repeat(3, add_one(w, v, "again"), NULL));
    pop_sequence_add(main, pop_if(flag, add_one(w, v, "then"), pop_copy(v, u, false, NULL), NULL));
    pop_sequence_add(main, chosen);
    pop_sequence_add(main, pop_call(function, NULL));
    pop_sequence_add(main, pop_call(function, NULL));
    pop_sequence_add(main, pop_copy_to_stream(v, back, false, "output"));
    must_build(w);
    return main;
}

static void connect(struct fixture *w)
{
    static float data[ELEMENTS];
    pop_error error = { 0 };
    must(pop_engine_connect_stream(w->engine, "in", data, &error), &error);
    must(pop_engine_connect_stream(w->engine, "back", data, &error), &error);
}

static pop_profile_value graph_of(struct fixture *w)
{
    pop_error error = { 0 };
    pop_profile_value value;
    must(pop_engine_graph_profile(w->engine, &value, &error), &error);
    return value;
}

static pop_profile_value execution_of(struct fixture *w)
{
    pop_error error = { 0 };
    pop_profile_value value;
    must(pop_engine_execution_profile(w->engine, &value, &error), &error);
    return value;
}

static char *summary_of(struct fixture *w, pop_options options)
{
    char *summary = NULL;
    size_t size;
    pop_error error = { 0 };
    FILE *file = open_memstream(&summary, &size);
    must(pop_engine_print_profile_summary(w->engine, file, options, &error), &error);
    fclose(file);
    return summary;
}

static char *text_of(const pop_profile_value *value, bool cbor, size_t *size)
{
    char *text = NULL;
    FILE *file = open_memstream(&text, size);
    assert_true(cbor ? pop_profile_write_cbor(file, value) : pop_profile_write_json(file, value, false));
    fclose(file);
    return text;
}

static uint64_t number(const pop_profile_value *map, const char *path)
{
    const pop_profile_value *value = pop_profile_path(map, path);
    if (!value)
        fail_msg("there is no %s", path);
    return pop_profile_as_uint(value);
}

static const char *text(const pop_profile_value *map, const char *key)
{
    return pop_profile_as_string(pop_profile_get(map, key));
}

/* [a][b] of a table of the profile. */
static uint64_t sum_at(const pop_profile_value *profile, const char *path, uint64_t index)
{
    const pop_profile_value *row = pop_profile_at(pop_profile_path(profile, path), (size_t)index);
    assert_non_null(row);
    return pop_profile_sum_uint(row);
}

static uint64_t by_tile(const pop_profile_value *profile, const char *path, size_t tile)
{
    const pop_profile_value *array = pop_profile_path(profile, path);
    if (!pop_profile_at(array, tile))
        fail_msg("%s has no tile %zu", path, tile);
    return pop_profile_as_uint(pop_profile_at(array, tile));
}

/* Regions add up to the total, and so do the categories; the exclusive bytes of a category are part of its total, which
 * is part of all. */
static void check_memory(const pop_profile_value *graph, size_t tiles)
{
    static const char *const regions[] = { "interleaved", "nonInterleaved", "overflowed" };
    const pop_profile_value *categories = pop_profile_path(graph, "memory.byCategory");
    assert_int_equal(pop_profile_size(categories), 25);
    for (size_t tile = 0; tile < tiles; ++tile) {
        uint64_t total = by_tile(graph, "memory.byTile.total", tile), of_regions = 0, of_categories = 0;
        const pop_profile_value *bytes = pop_profile_path(graph, "memory.byTile");
        for (size_t r = 0; r < 3; ++r)
            of_regions += by_tile(bytes, regions[r], tile);
        assert_true(total == of_regions);
        assert_true(by_tile(bytes, "totalIncludingGaps", tile) >= total);
        for (size_t i = 0; i < pop_profile_size(categories); ++i) {
            const pop_profile_value *category = pop_profile_item(categories, i);
            uint64_t alone = 0, all = 0, own = by_tile(category, "total", tile);
            for (size_t r = 0; r < 3; ++r) {
                const pop_profile_value *region = pop_profile_get(category, regions[r]);
                alone += by_tile(region, "nonOverlapped", tile);
                all += by_tile(region, "nonOverlapped", tile) + by_tile(region, "overlapped", tile);
            }
            assert_true(alone <= own && (own <= all || strcmp(pop_profile_key(categories, i), "multiple") == 0));
            of_categories += own;
        }
        assert_true(of_categories == total);
    }
}

/* Every program is the child of at most one other, and no executed program lacks the fields of its type. */
static void check_programs(const pop_profile_value *graph)
{
    const pop_profile_value *programs = pop_profile_get(graph, "programs");
    size_t count = pop_profile_size(programs);
    unsigned *parents = calloc(count, sizeof(*parents));
    for (size_t i = 0; i < count; ++i) {
        const pop_profile_value *program = pop_profile_at(programs, i),
                                *children = pop_profile_get(program, "children");
        const char *type = text(program, "type");
        for (size_t k = 0; k < pop_profile_size(children); ++k) {
            size_t child = (size_t)pop_profile_as_uint(pop_profile_at(children, k));
            assert_true(child < count);
            ++parents[child];
        }
        if (strcmp(type, "OnTileExecute") == 0)
            assert_true(number(program, "computeSet") < pop_profile_size(pop_profile_path(graph, "computeSets.names")));
        if (strcmp(type, "DoExchange") == 0)
            assert_true(number(program, "exchange") <
                        pop_profile_size(pop_profile_path(graph, "exchanges.cyclesByTile")));
        if (strcmp(type, "StreamCopy") == 0)
            assert_true(number(program, "exchange") <
                        pop_profile_size(pop_profile_path(graph, "hostExchanges.estimatedCyclesByTile")));
        if (strcmp(type, "Call") == 0)
            assert_true(number(program, "target") < pop_profile_size(pop_profile_get(graph, "functionPrograms")));
        assert_true(!pop_profile_get(program, "name") || *text(program, "name"));
    }
    for (size_t i = 0; i < count; ++i)
        assert_true(parents[i] <= 1);
    free(parents);
    assert_true(pop_profile_size(pop_profile_get(graph, "controlPrograms")) == 1);
}

static void add_step(const pop_profile_value *graph, const pop_profile_value *step, uint64_t *compute,
                     uint64_t *exchange, uint64_t *host)
{
    const char *type = text(step, "type");
    bool copy = strncmp(type, "StreamCopy", strlen("StreamCopy")) == 0;
    uint64_t from = number(step, "cyclesFrom"), to = number(step, "cyclesTo");
    const pop_profile_value *program =
        pop_profile_at(pop_profile_get(graph, "programs"), (size_t)number(step, "program"));
    assert_string_equal(text(program, "type"), copy ? "StreamCopy" : type);
    assert_string_equal(text(program, "name"), text(step, "name"));
    if (copy && strcmp(type, "StreamCopyMid") != 0) /* its syncs */
        return;
    uint64_t cycles = number(step, "cycles");
    assert_true(from <= to && to - from <= cycles);
    if (pop_profile_get(step, "cyclesOverlapped"))
        assert_true(to - from == cycles - number(step, "cyclesOverlapped"));
    if (strcmp(type, "OnTileExecute") == 0)
        *compute += sum_at(graph, "computeSets.cycleEstimates.cyclesByTile", number(step, "computeSet"));
    else if (strcmp(type, "DoExchange") == 0)
        *exchange += sum_at(graph, "exchanges.cyclesByTile", number(step, "exchange"));
    else if (copy)
        *host += sum_at(graph, "hostExchanges.estimatedCyclesByTile", number(step, "hostExchange"));
    const char *shares[] = { "tileBalance", "activeTileBalance", "threadBalance", "dataBalance" };
    for (size_t i = 0; i < 4; ++i)
        assert_true(pop_profile_as_double(pop_profile_get(step, shares[i])) >= 0 &&
                    pop_profile_as_double(pop_profile_get(step, shares[i])) <= 1.0000001);
}

/* The simulation repeats the figures of the graph profile and the trace. */
static void check_execution(const pop_profile_value *graph, const pop_profile_value *execution)
{
    const pop_profile_value *steps = pop_profile_path(execution, "simulation.steps"),
                            *trace = pop_profile_get(execution, "programTrace");
    uint64_t compute = 0, exchange = 0, host = 0, last = 0, tiles = number(graph, "target.numTiles"),
             cycles = number(execution, "simulation.cycles");
    for (size_t i = 0; i < pop_profile_size(trace); ++i)
        assert_true(pop_profile_as_uint(pop_profile_at(trace, i)) <
                    pop_profile_size(pop_profile_get(graph, "programs")));
    for (size_t i = 0; i < pop_profile_size(steps); ++i) {
        const pop_profile_value *step = pop_profile_at(steps, i);
        if (pop_profile_get(step, "syncType"))
            continue;
        add_step(graph, step, &compute, &exchange, &host);
        assert_true(number(step, "cyclesTo") >= last && number(step, "cyclesTo") <= cycles);
        last = number(step, "cyclesTo");
    }
    assert_true(compute == number(execution, "simulation.tileCycles.compute"));
    assert_true(exchange == number(execution, "simulation.tileCycles.doExchange"));
    assert_true(host == number(execution, "simulation.tileCycles.streamCopy"));
    assert_true(compute && exchange && host);
    assert_true(number(execution, "simulation.tileCycles.activeCompute") <= compute);
    assert_true(compute + exchange + host + number(execution, "simulation.tileCycles.globalExchange") +
                    number(execution, "simulation.tileCycles.sync") <=
                cycles * tiles);
}

static void the_profile_adds_up(void **state)
{
    static const char *const machines[] = { "ipu1 tiles=8", "ipu2 tiles=8", "ipu2 tiles=4 ipus=2" };
    (void)state;
    for (size_t i = 0; i < 3; ++i) {
        struct fixture w;
        open_on(&w, machines[i], POP_TARGET_IPU_MODEL);
        fixture_start(&w, POP_PROGRAMS(build(&w)));
        connect(&w);
        fixture_run(&w, 0);
        fixture_run(&w, 0);
        pop_profile_value graph = graph_of(&w), execution = execution_of(&w);
        check_memory(&graph, w.tiles);
        check_programs(&graph);
        check_execution(&graph, &execution);
        pop_cycles cycles;
        must(pop_engine_cycles(w.engine, &cycles, NULL), NULL);
        assert_true(cycles.total == number(&execution, "simulation.cycles"));
        pop_profile_free(&graph);
        pop_profile_free(&execution);
        fixture_close(&w);
    }
}

/* Every run begins with the steps that send the number of the program to the device. */
static void several_programs_are_one_tree(void **state)
{
    (void)state;
    struct fixture w;
    open_on(&w, "ipu2 tiles=8", POP_TARGET_IPU_MODEL);
    pop_program whole = build(&w);
    pop_tensor x = fixture_variable(&w, POP_FLOAT, POP_SHAPE(ELEMENTS), "x");
    fixture_start(&w, POP_PROGRAMS(whole, add_one(&w, x, "other"), pop_sequence(w.graph, "nothing")));
    connect(&w);
    for (unsigned i = 0; i < 6; ++i)
        fixture_run(&w, i % 3);
    pop_profile_value graph = graph_of(&w), execution = execution_of(&w);
    check_programs(&graph);
    check_execution(&graph, &execution);
    const pop_profile_value *trace = pop_profile_get(&execution, "programTrace"),
                            *programs = pop_profile_get(&graph, "programs");
    const pop_profile_value *first = pop_profile_at(programs, (size_t)pop_profile_as_uint(pop_profile_at(trace, 0)));
    assert_string_equal(text(first, "type"), "StreamCopy");
    pop_profile_free(&graph);
    pop_profile_free(&execution);
    fixture_close(&w);
}

/* Programs nest without a limit; the liveness tree has a limit, so that every reader can read it. */
static void deeply_nested_programs_can_be_read(void **state)
{
    (void)state;
    struct fixture w;
    open_on(&w, "ipu2 tiles=8", POP_TARGET_IPU_MODEL);
    fixture_codelets(&w);
    pop_tensor x = fixture_variable(&w, POP_FLOAT, POP_SHAPE(ELEMENTS), "x");
    pop_program program = add_one(&w, x, "deep");
    for (unsigned i = 0; i < 3000; ++i)
        program = pop_repeat(i < 2 ? 2 : 1, pop_sequence_of(w.graph, POP_PROGRAMS(program), NULL), NULL);
    fixture_start(&w, POP_PROGRAMS(program));
    fixture_run(&w, 0);
    pop_profile_value graph = graph_of(&w), execution = execution_of(&w), again;
    size_t size;
    char *json = text_of(&graph, false, &size);
    must(pop_profile_read_json(json, size, &again, NULL), NULL);
    free(json);
    assert_true(pop_profile_size(pop_profile_get(&graph, "programs")) > 3000);
    assert_int_equal(pop_profile_size(pop_profile_get(&execution, "programTrace")), 4);
    char *summary = summary_of(&w, POP_OPTIONS({ "showVarStorage", "1" }));
    free(summary);
    pop_profile_free(&again);
    pop_profile_free(&graph);
    pop_profile_free(&execution);
    fixture_close(&w);
}

static void every_kind_of_step_is_listed(void **state)
{
    (void)state;
    struct fixture w;
    open_on(&w, "ipu2 tiles=8", POP_TARGET_IPU_MODEL);
    fixture_start(&w, POP_PROGRAMS(build(&w)));
    pop_profile_value graph = graph_of(&w);
    const pop_profile_value *programs = pop_profile_get(&graph, "programs");
    static const char *const types[] = { "Sequence",   "OnTileExecute", "DoExchange",
                                         "StreamCopy", "Repeat",        "SetLocalConsensusFromVar",
                                         "Sync",       "IfElse",        "Switch",
                                         "Call" };
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); ++i) {
        bool found = false;
        for (size_t k = 0; k < pop_profile_size(programs); ++k)
            found |= strcmp(text(pop_profile_at(programs, k), "type"), types[i]) == 0;
        if (!found)
            fail_msg("no program of type %s", types[i]);
    }
    pop_profile_free(&graph);
    fixture_close(&w);
}

static void json_and_cbor_read_back(void **state)
{
    (void)state;
    struct fixture w;
    open_on(&w, "ipu2 tiles=8", POP_TARGET_IPU_MODEL);
    fixture_start(&w, POP_PROGRAMS(build(&w)));
    connect(&w);
    fixture_run(&w, 0);
    pop_profile_value both[2] = { graph_of(&w), execution_of(&w) };
    for (int i = 0; i < 2; ++i)
        for (int cbor = 0; cbor < 2; ++cbor) {
            size_t size, again_size;
            pop_profile_value again;
            pop_error error = { 0 };
            char *data = text_of(&both[i], cbor, &size);
            must(cbor ? pop_profile_read_cbor(data, size, &again, &error)
                      : pop_profile_read_json(data, size, &again, &error),
                 &error);
            char *second = text_of(&again, cbor, &again_size);
            assert_int_equal(size, again_size);
            assert_memory_equal(data, second, size);
            pop_profile_free(&again);
            free(data);
            free(second);
        }
    pop_profile_free(&both[0]);
    pop_profile_free(&both[1]);
    fixture_close(&w);
}

/* Both profiles as one text. */
static char *everything(struct fixture *w)
{
    pop_profile_value map = pop_profile_map_new();
    size_t size;
    pop_profile_set(&map, "graph", graph_of(w));
    pop_profile_set(&map, "execution", execution_of(w));
    char *result = text_of(&map, false, &size);
    pop_profile_free(&map);
    return result;
}

static char *of_threads(const char *threads)
{
    struct fixture w;
    open_on(&w, "ipu2 tiles=8", POP_TARGET_IPU_MODEL);
    fixture_start_with(&w, POP_PROGRAMS(build(&w)), POP_OPTIONS({ "target.hostThreads", threads }));
    connect(&w);
    fixture_run(&w, 0);
    char *result = everything(&w);
    fixture_close(&w);
    return result;
}

static char *of_file(void)
{
    struct fixture w;
    char path[] = "/tmp/tremula-profile-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    pop_error error = { 0 };
    pop_executable *compiled, *loaded;
    open_on(&w, "ipu2 tiles=8", POP_TARGET_IPU_MODEL);
    must(pop_compile_graph(w.graph, POP_PROGRAMS(build(&w)), POP_NO_OPTIONS, NULL, NULL, &compiled, &error), &error);
    must(pop_executable_save(compiled, path, &error), &error);
    must(pop_executable_load(path, &loaded, &error), &error);
    w.engine = pop_engine_create_from(loaded, POP_NO_OPTIONS, &error);
    assert_non_null(w.engine);
    must(pop_engine_load(w.engine, w.device, &error), &error);
    connect(&w);
    fixture_run(&w, 0);
    char *result = everything(&w);
    pop_executable_destroy(compiled);
    pop_executable_destroy(loaded);
    fixture_close(&w);
    unlink(path);
    return result;
}

static void threads_and_files_change_nothing(void **state)
{
    (void)state;
    char *texts[4] = { of_threads("1"), of_threads("2"), of_threads("4"), of_file() };
    for (int i = 1; i < 4; ++i)
        assert_string_equal(texts[0], texts[i]);
    for (int i = 0; i < 4; ++i)
        free(texts[i]);
}

static const char *mode_of(struct fixture *w)
{
    static char mode[32];
    pop_profile_value execution = execution_of(w);
    snprintf(mode, sizeof(mode), "%s", text(&execution, "profilerMode"));
    pop_profile_free(&execution);
    return mode;
}

static void recording_can_be_stopped_and_reset(void **state)
{
    (void)state;
    struct fixture w;
    open_on(&w, "ipu2 tiles=8", POP_TARGET_IPU_MODEL);
    fixture_start(&w, POP_PROGRAMS(build(&w)));
    connect(&w);
    assert_string_equal(mode_of(&w), "NONE");
    pop_engine_disable_execution_profiling(w.engine);
    fixture_run(&w, 0);
    assert_string_equal(mode_of(&w), "NONE");
    pop_engine_enable_execution_profiling(w.engine);
    fixture_run(&w, 0);
    assert_string_equal(mode_of(&w), "IPU_MODEL");
    char *once = everything(&w);
    pop_engine_reset_execution_profile(w.engine);
    assert_string_equal(mode_of(&w), "NONE");
    fixture_run(&w, 0);
    char *again = everything(&w);
    assert_string_equal(once, again);
    free(once);
    free(again);
    fixture_close(&w);
}

static void a_report_that_cannot_be_written_is_an_error_of_its_call(void **state)
{
    (void)state;
    struct fixture w;
    open_on(&w, "ipu2 tiles=8", POP_TARGET_IPU_MODEL);
    fixture_start(&w, POP_PROGRAMS(build(&w)));
    pop_error error = { 0 };
    assert_int_equal(pop_engine_write_report(w.engine, "/dev/null/report", true, &error), POP_FILE_LOAD_ERROR);
    assert_string_equal(error.api, "pop_engine_write_report");
    assert_non_null(strstr(error.text, "/dev/null/report"));
    fixture_close(&w);
}

/* A device of type IPU has no estimates; instrumentation measures the same figures. */
static void hardware_is_measured(void **state)
{
    (void)state;
    struct fixture w;
    open_on(&w, "ipu2 tiles=8", POP_TARGET_IPU);
    fixture_start_with(&w, POP_PROGRAMS(build(&w)),
                       POP_OPTIONS({ "debug.instrument", "true" }, { "debug.computeInstrumentationLevel", "vertex" }));
    connect(&w);
    fixture_run(&w, 0);
    pop_profile_value graph = graph_of(&w), execution = execution_of(&w);
    assert_string_equal(text(&execution, "profilerMode"), "VERTICES");
    assert_null(pop_profile_path(&graph, "computeSets.cycleEstimates"));
    assert_int_equal(pop_profile_size(pop_profile_get(&execution, "vertexCycles")), 4 * w.tiles);
    uint64_t sums = 6 * (3 * (8 * 10 + 28) + 8 * 100); /* three times AddOne, and SumVertex */
    assert_true(pop_profile_sum_uint(pop_profile_get(&execution, "vertexCycles")) == sums);
    char *summary = NULL;
    size_t size;
    FILE *file = open_memstream(&summary, &size);
    must(pop_engine_print_profile_summary(w.engine, file, POP_OPTIONS({ "showExecutionSteps", "1" }), NULL), NULL);
    fclose(file);
    assert_non_null(strstr(summary, "(24 instances):        1,944\n"));
    assert_null(strstr(summary, "By vertex type:"));
    free(summary);
    pop_profile_free(&graph);
    pop_profile_free(&execution);
    fixture_close(&w);
}

/* Figures of a run of the program of build() at a level of instrumentation, on that many IPUs. */
struct level_run {
    unsigned internal, external;
    uint64_t cycles;
};
static struct level_run run_at_level(const char *machine, const char *level)
{
    struct fixture w;
    struct level_run run = { 0 };
    open_on(&w, machine, POP_TARGET_IPU);
    fixture_start_with(
        &w, POP_PROGRAMS(build(&w)),
        POP_OPTIONS({ "debug.instrumentCompute", "true" }, { "debug.computeInstrumentationLevel", level }));
    connect(&w);
    fixture_run(&w, 0);
    pop_profile_value profile = execution_of(&w);
    const pop_profile_value *steps = pop_profile_path(&profile, "simulation.steps");
    for (size_t i = 0; i < pop_profile_size(steps); ++i) {
        const pop_profile_value *step = pop_profile_at(steps, i);
        bool sync = !strcmp(text(step, "type"), "Sync"), internal = sync && !strcmp(text(step, "syncType"), "Internal");
        run.internal += internal;
        run.external += sync && !internal;
    }
    run.cycles = pop_profile_as_uint(pop_profile_path(&profile, "simulation.cycles"));
    pop_profile_free(&profile);
    fixture_close(&w);
    return run;
}

/* One measured tile for all IPUs needs external syncs around each of the seven sets that run, one for each IPU internal
 * ones, and all measured tiles none. */
static void levels_of_instrumentation_have_their_syncs(void **state)
{
    (void)state;
    enum { AROUND = 2 * 7 };
    for (unsigned ipus = 1; ipus <= 2; ++ipus) {
        const char *machine = ipus == 1 ? "ipu2 tiles=8" : "ipu2 tiles=4 ipus=2";
        struct level_run tile = run_at_level(machine, "tile"), vertex = run_at_level(machine, "vertex"),
                         ipu = run_at_level(machine, "ipu"), device = run_at_level(machine, "device");
        assert_int_equal(vertex.internal, tile.internal);
        assert_int_equal(vertex.external, tile.external);
        assert_int_equal(vertex.cycles, tile.cycles);
        assert_int_equal(ipu.internal, tile.internal + AROUND);
        assert_int_equal(ipu.external, tile.external);
        assert_int_equal(device.internal, tile.internal + (ipus == 1 ? AROUND : 0));
        assert_int_equal(device.external, tile.external + (ipus == 1 ? 0 : AROUND));
        assert_true(ipu.cycles > tile.cycles);
        assert_true(ipus == 1 ? device.cycles == ipu.cycles : device.cycles > ipu.cycles);
    }
}

static void expect_words(const char *summary, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        if (!strstr(summary, words[i]))
            fail_msg("'%s' is not in:\n%s", words[i], summary);
}

static void summaries_of_all_kinds(void **state)
{
    (void)state;
    struct fixture w;
    open_on(&w, "ipu2 tiles=4 ipus=2", POP_TARGET_IPU_MODEL);
    fixture_start(&w, POP_PROGRAMS(build(&w)));
    connect(&w);
    char *before = summary_of(&w, POP_NO_OPTIONS); /* no program has run */
    assert_null(strstr(before, "Execution:"));
    fixture_run(&w, 0);
    char *all = summary_of(&w, POP_OPTIONS({ "showVarStorage", "1" }, { "showOptimizations", "1" },
                                           { "showExecutionSteps", "1" }, { "showPerIpuMemoryUsage", "1" },
                                           { "colours", "false" }));
    expect_words(all,
                 (const char *const[]){ "Number of IPUs:         2",
                                        "Memory on IPU 0:", "Memory on IPU 1:", "Variable Storage Liveness: All tiles",
                                        "Optimizations:", "Execution:", "Steps\n", "OnTileExecute",
                                        "--- External Sync ---" },
                 9);
    char *averages = summary_of(&w, POP_OPTIONS({ "showTileAverages", "1" }, { "colours", "true" }));
    expect_words(averages,
                 (const char *const[]){ "Tile average sync cycles:", "% of total)", "\033[1mExecution:\033[0m" }, 3);
    free(before);
    free(all);
    free(averages);
    fixture_close(&w);

    fixture_open(&w, "cpu", false);
    pop_tensor x = fixture_variable(&w, POP_FLOAT, POP_SHAPE(4), "x");
    fixture_start(&w, POP_PROGRAMS(pop_copy(pop_tensor_reverse(x, 0), x, false, NULL)));
    fixture_run(&w, 0);
    assert_string_equal(mode_of(&w), "CPU");
    char *cpu = summary_of(&w, POP_OPTIONS({ "showVarStorage", "1" }));
    expect_words(cpu, (const char *const[]){ "Target:", "Number of variables:" }, 2);
    assert_null(strstr(cpu, "Memory Usage"));
    free(cpu);
    fixture_close(&w);

    open_on(&w, "ipu2 tiles=2", POP_TARGET_IPU_MODEL); /* an empty program */
    fixture_start(&w, POP_PROGRAMS(pop_sequence(w.graph, NULL)));
    fixture_run(&w, 0);
    char *empty = summary_of(&w, POP_OPTIONS({ "showVarStorage", "1" }, { "showExecutionSteps", "1" }));
    expect_words(empty,
                 (const char *const[]){ "Number of vertices:                0",
                                        "Total cycles:                                  0 (approx 0.0 microseconds)" },
                 2);
    free(empty);
    fixture_close(&w);
}

/* Six tiles out of memory: their number, and the five that need most. */
static void tiles_out_of_memory_are_shown(void **state)
{
    (void)state;
    struct fixture w;
    open_on(&w, "ipu2 tiles=8", POP_TARGET_IPU_MODEL);
    for (unsigned tile = 0; tile < 6; ++tile) {
        size_t bytes = (tile == 3 ? 2000 : 700 + tile) * (size_t)1024;
        char handle[16];
        snprintf(handle, sizeof(handle), "huge %u", tile);
        pop_tensor t = pop_graph_add_variable(w.graph, POP_CHAR, POP_SHAPE(bytes), "huge");
        pop_graph_set_tile_mapping(w.graph, t, tile);
        pop_graph_create_host_read(w.graph, handle, t);
    }
    fixture_start_with(&w, POP_PROGRAMS(pop_sequence(w.graph, NULL)),
                       POP_OPTIONS({ "debug.allowOutOfMemory", "true" }));
    pop_profile_value graph = graph_of(&w);
    check_memory(&graph, w.tiles);
    pop_profile_free(&graph);
    char *summary = summary_of(&w, POP_OPTIONS({ "showPerIpuMemoryUsage", "1" }));
    expect_words(summary,
                 (const char *const[]){ "    6 tile(s) out of memory\n\nTile # 3 memory usage:\nMemory Usage:\n",
                                        "Tile # 5 memory usage:", "Tile # 1 memory usage:", "Overflowed:" },
                 4);
    assert_null(strstr(summary, "Tile # 0 memory usage:"));
    free(summary);
    fixture_close(&w);
}

static size_t file_bytes(const char *path)
{
    FILE *file = fopen(path, "r");
    if (!file)
        return 0;
    fseek(file, 0, SEEK_END);
    size_t size = (size_t)ftell(file);
    fclose(file);
    return size;
}

static void the_graph_is_reported_after_compiling(void **state)
{
    (void)state;
    char directory[] = "/tmp/tremula-profile-XXXXXX", option[64], variable[64];
    assert_non_null(mkdtemp(directory));
    snprintf(option, sizeof(option), "%s/option", directory);
    snprintf(variable, sizeof(variable), "%s/variable", directory);
    struct fixture w;
    open_on(&w, "ipu2 tiles=2", POP_TARGET_IPU_MODEL);
    pop_program nothing = pop_sequence(w.graph, NULL);
    fixture_start_with(&w, POP_PROGRAMS(nothing), POP_OPTIONS({ "debug.graphReportDestination", option }));
    assert_true(file_bytes(option) > 500);
    unlink(option);
    setenv("POPLAR_GRAPH_REPORT_DEST", variable, 1); /* has priority over the option */
    fixture_start_with(&w, POP_PROGRAMS(nothing), POP_OPTIONS({ "debug.graphReportDestination", option }));
    unsetenv("POPLAR_GRAPH_REPORT_DEST");
    assert_true(file_bytes(variable) > 500 && !file_bytes(option));
    fixture_close(&w);
    unlink(variable);
    rmdir(directory);
}

static void the_summary_report_describes_the_process(void **state)
{
    (void)state;
    setenv("POPLAR_ENGINE_OPTIONS", "{}", 1);
    setenv("SOME_SECRET", "hidden", 1);
    pop_profile_value report = pop_profile_summary_report();
    unsetenv("POPLAR_ENGINE_OPTIONS");
    static const char *const keys[] = { "command", "end_time",   "envs",     "executable", "name",
                                        "poplar",  "start_time", "sys_info", "version" };
    assert_int_equal(pop_profile_size(&report), 9);
    for (size_t i = 0; i < 9; ++i)
        assert_string_equal(pop_profile_key(&report, i), keys[i]);
    assert_string_equal(pop_profile_as_string(pop_profile_path(&report, "envs.POPLAR_ENGINE_OPTIONS")), "{}");
    assert_null(pop_profile_path(&report, "envs.SOME_SECRET"));
    assert_true(pop_profile_size(pop_profile_get(&report, "command")) >= 1);
    double began = pop_profile_as_double(pop_profile_get(&report, "start_time")),
           now = pop_profile_as_double(pop_profile_get(&report, "end_time"));
    assert_true(began > 1e9 && began <= now && now - began < 3600);
    assert_true(number(&report, "sys_info.cpu_info.count") >= 1);
    assert_string_equal(pop_profile_as_string(pop_profile_path(&report, "poplar.version")), pop_version_string());
    pop_profile_free(&report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_profile_adds_up),
        cmocka_unit_test(several_programs_are_one_tree),
        cmocka_unit_test(a_report_that_cannot_be_written_is_an_error_of_its_call),
        cmocka_unit_test(deeply_nested_programs_can_be_read),
        cmocka_unit_test(every_kind_of_step_is_listed),
        cmocka_unit_test(json_and_cbor_read_back),
        cmocka_unit_test(threads_and_files_change_nothing),
        cmocka_unit_test(recording_can_be_stopped_and_reset),
        cmocka_unit_test(hardware_is_measured),
        cmocka_unit_test(levels_of_instrumentation_have_their_syncs),
        cmocka_unit_test(summaries_of_all_kinds),
        cmocka_unit_test(tiles_out_of_memory_are_shown),
        cmocka_unit_test(the_graph_is_reported_after_compiling),
        cmocka_unit_test(the_summary_report_describes_the_process),
    };
    return cmocka_run_group_tests_name("profile", tests, NULL, NULL);
}
