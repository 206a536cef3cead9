/* SPDX-License-Identifier: Apache-2.0 */
/* The execution profile of a run built by hand: fields by mode and by step, and the arithmetic between them. */
#include "unit/profile/values.h"

#include "profile/profile.h"
#include "unit/profile/model.h"
#include "value/made.h"

static struct instrumentation instrumentation_of(const struct option_set *set)
{
    struct engine_options options;
    engine_options_read(&options, set);
    return options.instrumentation;
}

static pop_profile_value profile_of(pop_target_type type, pop_options list, bool ran)
{
    struct image *image = small_image(type);
    struct trace trace = small_trace(), none = { 0 };
    struct option_set options = { 0 };
    pop_profile_value profile = { 0 };
    assert_int_equal(options_apply(&options, "engine", list, NULL, (pop_where){ 0 }, "test", NULL), POP_OK);
    assert_int_equal(execution_profile(image, &(struct instrumentation[]){ instrumentation_of(&options) }[0],
                                       ran ? &trace : &none, "test", &profile, NULL),
                     POP_OK);
    options_free(&options);
    trace_free(&trace);
    image_release(image);
    return profile;
}

static const pop_profile_value *step_of(const pop_profile_value *profile, size_t index)
{
    return pop_profile_at(pop_profile_path(profile, "simulation.steps"), index);
}

static void steps_have_the_fields_of_their_type(void **state)
{
    (void)state;
    pop_profile_value p = profile_of(POP_TARGET_IPU_MODEL, POP_NO_OPTIONS, true);
    expect_keys(&p, "", "profilerMode programTrace simulation");
    expect(&p, "profilerMode", "\"IPU_MODEL\"");
    expect(&p, "programTrace", "[1,2,4,4,4,8,6]");
    expect_keys(&p, "simulation", "cycles steps tileCycles");
    static const char *const types[] = {
        "Sync",          "DoExchange",      "Sync",          "OnTileExecute", "OnTileExecute",
        "OnTileExecute", "StreamCopyBegin", "StreamCopyMid", "StreamCopyEnd"
    };
    assert_int_equal(pop_profile_size(pop_profile_path(&p, "simulation.steps")), 9);
    for (size_t i = 0; i < 9; ++i)
        assert_string_equal(pop_profile_as_string(pop_profile_get(step_of(&p, i), "type")), types[i]);
    expect(step_of(&p, 0), "syncType", "\"Internal\"");
    expect(step_of(&p, 2), "syncType", "\"External\"");
    expect_keys(step_of(&p, 0), "", "syncType type");
    expect_keys(
        step_of(&p, 1), "",
        "activeTileBalance activeTiles cycles cyclesFrom cyclesOverlapped cyclesTo dataBalance exchange name program "
        "tileBalance totalData type");
    expect_keys(step_of(&p, 3), "",
                "activeTileBalance activeTiles computeSet cycles cyclesFrom cyclesOverlapped cyclesTo name program "
                "threadBalance tileBalance type");
    expect_keys(
        step_of(&p, 7), "",
        "activeTileBalance activeTiles cycles cyclesFrom cyclesTo dataBalance detail hostExchange program tileBalance "
        "totalData type");
    expect(step_of(&p, 7), "detail", "\"Host\"");
    for (size_t i = 6; i <= 8; i += 2)
        expect_keys(step_of(&p, i), "", "cyclesFrom cyclesTo hostExchange program type");
    for (size_t i = 7; i <= 8; ++i) /* the parts of a copy follow each other */
        assert_int_equal(pop_profile_as_uint(pop_profile_get(step_of(&p, i), "cyclesFrom")),
                         pop_profile_as_uint(pop_profile_get(step_of(&p, i - 1), "cyclesTo")));
    pop_profile_free(&p);
}

static double number(const pop_profile_value *map, const char *path)
{
    return pop_profile_as_double(pop_profile_path(map, path));
}

static void totals_match_their_parts(void **state)
{
    (void)state;
    pop_profile_value p = profile_of(POP_TARGET_IPU_MODEL, POP_NO_OPTIONS, true);
    const pop_profile_value *exchange = step_of(&p, 1), *compute = step_of(&p, 3), *copy = step_of(&p, 7);
    assert_true(number(exchange, "cycles") == 30 && number(exchange, "totalData") == 8 &&
                number(exchange, "dataBalance") == 1);
    assert_true(number(exchange, "tileBalance") == 110 / 120.0 && number(exchange, "activeTiles") == 4);
    assert_true(number(compute, "cycles") == 600 && number(compute, "activeTiles") == 3);
    assert_true(number(compute, "tileBalance") == 1230 / 2400.0 &&
                number(compute, "activeTileBalance") == 1230 / 1800.0);
    assert_true(number(compute, "threadBalance") == 230 / 1230.0);
    assert_true(number(copy, "cycles") == 84 && number(copy, "totalData") == 200 &&
                number(copy, "tileBalance") == 0.25);
    assert_true(number(&p, "simulation.tileCycles.compute") == 3 * 1230 &&
                number(&p, "simulation.tileCycles.activeCompute") == 3 * 230);
    assert_true(number(&p, "simulation.tileCycles.doExchange") == 110 &&
                number(&p, "simulation.tileCycles.streamCopy") == 84);
    /* All tiles end with the sync after the copy, or a ramp before it. */
    double spent = pop_profile_sum(pop_profile_path(&p, "simulation.tileCycles")) -
                   number(&p, "simulation.tileCycles.activeCompute");
    assert_true(spent <= 4 * number(&p, "simulation.cycles") && spent > 4 * number(&p, "simulation.cycles") - 4 * 126);
    assert_true(number(exchange, "cyclesTo") - number(exchange, "cyclesFrom") + number(exchange, "cyclesOverlapped") ==
                30);
    pop_profile_free(&p);
}

static void modes_and_their_fields(void **state)
{
    (void)state;
    static const struct {
        pop_target_type type;
        bool ran;
        pop_option options[3];
        size_t count;
        const char *mode, *fields;
    } cases[] = {
        { POP_TARGET_IPU_MODEL, false, { { 0 } }, 0, "NONE", "profilerMode" },
        { POP_TARGET_CPU, true, { { 0 } }, 0, "CPU", "profilerMode" },
        { POP_TARGET_IPU, true, { { 0 } }, 0, "NONE", "profilerMode" },
        { POP_TARGET_IPU,
          true,
          { { "debug.instrument", "true" } },
          1,
          "COMPUTE_SETS",
          "computeSetCyclesByTile externalExchangeCycles hostExchangeCycles profilerMode programTrace simulation" },
        { POP_TARGET_IPU,
          true,
          { { "debug.instrumentCompute", "true" } },
          1,
          "COMPUTE_SETS",
          "computeSetCyclesByTile profilerMode programTrace simulation" },
        { POP_TARGET_IPU,
          true,
          { { "debug.instrumentExternalExchange", "true" } },
          1,
          "HOST_EXCHANGES",
          "externalExchangeCycles hostExchangeCycles profilerMode programTrace simulation" },
        { POP_TARGET_IPU,
          true,
          { { "debug.instrument", "true" }, { "debug.instrumentCompute", "false" } },
          2,
          "HOST_EXCHANGES",
          "externalExchangeCycles hostExchangeCycles profilerMode programTrace simulation" },
        { POP_TARGET_IPU,
          true,
          { { "debug.instrumentCompute", "true" }, { "debug.computeInstrumentationLevel", "device" } },
          2,
          "SINGLE_TILE_COMPUTE_SETS",
          "computeSetCycles profilerMode programTrace simulation" },
        { POP_TARGET_IPU,
          true,
          { { "debug.instrumentCompute", "true" }, { "debug.computeInstrumentationLevel", "ipu" } },
          2,
          "SINGLE_TILE_COMPUTE_SETS",
          "computeSetCycles profilerMode programTrace simulation" },
        { POP_TARGET_IPU_MODEL,
          true,
          { { "debug.instrument", "true" } },
          1,
          "IPU_MODEL",
          "computeSetCyclesByTile externalExchangeCycles hostExchangeCycles profilerMode programTrace simulation" },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        pop_profile_value p =
            profile_of(cases[i].type, (pop_options){ cases[i].options, cases[i].count }, cases[i].ran);
        assert_string_equal(pop_profile_as_string(pop_profile_get(&p, "profilerMode")), cases[i].mode);
        expect_keys(&p, "", cases[i].fields);
        pop_profile_free(&p);
    }
    pop_profile_value p = profile_of(POP_TARGET_IPU, POP_OPTIONS({ "debug.instrument", "true" }), true);
    expect(&p, "computeSetCyclesByTile", "[[0,600,600,30]]");
    expect(&p, "hostExchangeCycles", "[[0,0,84,0]]");
    expect(&p, "externalExchangeCycles", "[]");
    pop_profile_free(&p);
    p = profile_of(POP_TARGET_IPU,
                   POP_OPTIONS({ "debug.instrument", "true" }, { "debug.computeInstrumentationLevel", "device" }),
                   true);
    expect(&p, "computeSetCycles", "[600]");
    pop_profile_free(&p);
    p = profile_of(
        POP_TARGET_IPU,
        POP_OPTIONS({ "debug.instrumentCompute", "true" }, { "debug.computeInstrumentationLevel", "vertex" }), true);
    expect_keys(&p, "", "profilerMode programTrace simulation vertexComputeSet vertexCycles vertexType");
    expect(&p, "profilerMode", "\"VERTICES\"");
    expect(&p, "vertexCycles", "[600,600,30]");
    expect(&p, "vertexComputeSet", "[0,0,0]");
    expect(&p, "vertexType", "[0,0,1]");
    pop_profile_free(&p);
}

static void a_set_without_estimates_is_named(void **state)
{
    (void)state;
    struct image *image = small_image(POP_TARGET_IPU_MODEL);
    struct trace trace = small_trace();
    struct option_set options = { 0 };
    pop_profile_value profile = { 0 };
    pop_error error;
    image->model.sets.data[0].missing_estimate = text_in(image, "Unknown<float>");
    assert_int_equal(execution_profile(image, &(struct instrumentation[]){ instrumentation_of(&options) }[0], &trace,
                                       "test", &profile, &error),
                     POP_MISSING_PERF_ESTIMATE);
    assert_non_null(strstr(error.text, "Unknown<float>"));
    assert_non_null(strstr(error.text, "Layer/Convolve"));
    assert_int_equal(profile.type, POP_PROFILE_NULL);
    trace_free(&trace);
    image_release(image);
}

/* Tiles that take no part in an exchange acknowledge its sync before it and wait for its end. */
static void idle_tiles_have_steps(void **state)
{
    (void)state;
    struct image *image = small_image(POP_TARGET_IPU_MODEL);
    struct trace trace = small_trace();
    struct option_set options = { 0 };
    pop_profile_value p = { 0 };
    image->model.flows.data[0].cycles = 0;
    assert_int_equal(execution_profile(image, &(struct instrumentation[]){ instrumentation_of(&options) }[0], &trace,
                                       "test", &p, NULL),
                     POP_OK);
    static const char *const types[] = { "Sans", "Sync", "SyncAns", "DoExchange", "Sync" };
    for (size_t i = 0; i < 5; ++i)
        assert_string_equal(pop_profile_as_string(pop_profile_get(step_of(&p, i), "type")), types[i]);
    expect_keys(step_of(&p, 0), "", "syncType type");
    pop_profile_free(&p);
    trace_free(&trace);
    image_release(image);
}

/* Two thousand million iterations: all their steps are listed, without memory for each. */
static void endless_runs_have_all_their_steps(void **state)
{
    (void)state;
    struct image *image = small_image(POP_TARGET_IPU_MODEL);
    struct trace trace = small_trace();
    struct option_set options = { 0 };
    pop_profile_value p = { 0 };
    const uint64_t times = 2000000000;
    trace.entries.data[2].times = times;
    assert_int_equal(execution_profile(image, &(struct instrumentation[]){ instrumentation_of(&options) }[0], &trace,
                                       "test", &p, NULL),
                     POP_OK);
    image_release(image); /* the profile needs no engine */
    trace_free(&trace);
    assert_true(number(&p, "simulation.tileCycles.compute") == 2e9 * 1230);
    uint64_t cycles = pop_profile_as_uint(pop_profile_path(&p, "simulation.cycles"));
    assert_true(cycles > times * 600);
    const pop_profile_value *steps = pop_profile_path(&p, "simulation.steps");
    assert_int_equal(pop_profile_size(steps), times + 6);
    assert_int_equal(pop_profile_size(pop_profile_path(&p, "programTrace")), times + 4);
    static const char *const last[] = { "OnTileExecute", "StreamCopyBegin", "StreamCopyMid", "StreamCopyEnd" };
    for (size_t i = 0; i < 4; ++i)
        assert_string_equal(pop_profile_as_string(pop_profile_get(step_of(&p, times + 2 + i), "type")), last[i]);
    assert_int_equal(pop_profile_as_uint(pop_profile_get(step_of(&p, times + 5), "cyclesTo")), cycles);
    /* Each iteration takes the same time, at any position of the list. */
    uint64_t middle = pop_profile_as_uint(pop_profile_get(step_of(&p, times / 2), "cyclesTo")),
             next = pop_profile_as_uint(pop_profile_get(step_of(&p, times / 2 + 1), "cyclesTo")),
             early = pop_profile_as_uint(pop_profile_get(step_of(&p, 10), "cyclesTo"));
    assert_int_equal(next - middle, 600);
    assert_int_equal(middle - early, (times / 2 - 10) * 600);
    assert_int_equal(pop_profile_as_uint(pop_profile_at(pop_profile_path(&p, "programTrace"), times)), 4);
    assert_null(step_of(&p, times + 6));
    pop_profile_free(&p);
}

static bool same_value(const pop_profile_value *a, const pop_profile_value *b)
{
    char *first = json_of(a), *second = json_of(b);
    bool same = strcmp(first, second) == 0;
    free(first);
    free(second);
    return same;
}

/* Elements read in random order equal those read in sequence. */
static void steps_are_the_same_in_any_order(void **state)
{
    (void)state;
    struct image *image = small_image(POP_TARGET_IPU_MODEL);
    struct trace trace = small_trace();
    struct option_set options = { 0 };
    pop_profile_value p = { 0 };
    trace.entries.data[0].times = 700; /* runs, each of which begins with an exchange between IPUs */
    trace.entries.data[2].times = 5;
    ADD(image->model.entry, { 2 });
    assert_int_equal(execution_profile(image, &(struct instrumentation[]){ instrumentation_of(&options) }[0], &trace,
                                       "test", &p, NULL),
                     POP_OK);
    const pop_profile_value *steps = pop_profile_path(&p, "simulation.steps");
    size_t size = pop_profile_size(steps);
    assert_int_equal(size, 700 * (1 + 11));
    pop_profile_value copy = pop_profile_copy(&p), plain = pop_profile_vector_new();
    struct profile_reader reader = { .vector = steps };
    for (size_t i = 0; i < size; ++i)
        pop_profile_push(&plain, pop_profile_copy(profile_read(&reader, i)));
    profile_reader_end(&reader);
    for (size_t k = 0; k < 300; ++k) {
        size_t i = k * 7919 % size;
        assert_true(same_value(pop_profile_at(steps, i), pop_profile_at(&plain, i)));
    }
    assert_true(same_value(steps, &plain));
    /* A copy shares the list; a program that appends to it gets its own. */
    pop_profile_value *own = (pop_profile_value *)(uintptr_t)pop_profile_path(&copy, "simulation.steps");
    pop_profile_push(own, pop_profile_bool(true));
    assert_int_equal(pop_profile_size(own), size + 1);
    assert_int_equal(pop_profile_size(steps), size);
    assert_true(same_value(pop_profile_at(own, size - 1), pop_profile_at(&plain, size - 1)));
    pop_profile_free(&copy);
    pop_profile_free(&plain);
    pop_profile_free(&p);
    trace_free(&trace);
    image_release(image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_have_the_fields_of_their_type),
        cmocka_unit_test(totals_match_their_parts),
        cmocka_unit_test(modes_and_their_fields),
        cmocka_unit_test(idle_tiles_have_steps),
        cmocka_unit_test(endless_runs_have_all_their_steps),
        cmocka_unit_test(steps_are_the_same_in_any_order),
        cmocka_unit_test(a_set_without_estimates_is_named),
    };
    return cmocka_run_group_tests_name("execution profile", tests, NULL, NULL);
}
