/* SPDX-License-Identifier: Apache-2.0 */
/* The execution profile of a run made by hand: fields by mode and by step, and the arithmetic between them. */
#include "unit/profile/values.h"

#include "profile/execution_profile.h"
#include "profile/first_steps.h"
#include "unit/profile/model.h"

static pop_profile_value profile_of(pop_target_type type, pop_options list, bool ran)
{
    struct image *image = small_image(type);
    struct trace trace = small_trace(), none = { 0 };
    struct option_set options = { 0 };
    pop_profile_value profile = { 0 };
    assert_int_equal(options_apply(&options, "engine", list, NULL, (pop_where){ 0 }, "test", NULL), POP_OK);
    assert_int_equal(execution_profile(image, &options, ran ? &trace : &none, "test", &profile, NULL), POP_OK);
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
    static const char *const types[] = { "Sync",          "DoExchange", "Sync",       "OnTileExecute", "OnTileExecute",
                                         "OnTileExecute", "Sync",       "StreamCopy", "Sync",          "Sync" };
    assert_int_equal(pop_profile_size(pop_profile_path(&p, "simulation.steps")), 10);
    for (size_t i = 0; i < 10; ++i)
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
    expect_keys(step_of(&p, 7), "",
                "activeTileBalance activeTiles cycles cyclesFrom cyclesTo dataBalance hostExchange program tileBalance "
                "totalData type");
    pop_profile_free(&p);
}

static double number(const pop_profile_value *map, const char *path)
{
    return pop_profile_as_double(pop_profile_path(map, path));
}

static void figures_add_up(void **state)
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
    /* All tiles end with the sync behind the copy, or a ramp before it. */
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
    assert_int_equal(execution_profile(image, &options, &trace, "test", &profile, &error), POP_MISSING_PERF_ESTIMATE);
    assert_non_null(strstr(error.text, "Unknown<float>"));
    assert_non_null(strstr(error.text, "Layer/Convolve"));
    assert_int_equal(profile.type, POP_PROFILE_NULL);
    trace_free(&trace);
    image_release(image);
}

/* Two thousand million iterations: sums of all of them, steps of the first. */
static void endless_runs_have_their_first_steps(void **state)
{
    (void)state;
    struct image *image = small_image(POP_TARGET_IPU_MODEL);
    struct trace trace = small_trace();
    struct option_set options = { 0 };
    pop_profile_value p = { 0 };
    trace.entries.data[2].times = 2000000000;
    assert_int_equal(execution_profile(image, &options, &trace, "test", &p, NULL), POP_OK);
    assert_true(number(&p, "simulation.tileCycles.compute") == 2e9 * 1230);
    assert_true(number(&p, "simulation.cycles") > 2e9 * 600);
    assert_int_equal(pop_profile_size(pop_profile_path(&p, "simulation.steps")), EXECUTION_STEPS_MOST);
    assert_int_equal(pop_profile_size(pop_profile_path(&p, "programTrace")),
                     EXECUTION_STEPS_MOST - 1); /* a sync comes with the exchange */
    pop_profile_free(&p);
    trace_free(&trace);
    image_release(image);
}

/* However long the beginning is asked to be, it is one: the steps are those of the whole, in order. */
static void beginnings_are_of_any_length(void **state)
{
    (void)state;
    struct image *image = small_image(POP_TARGET_IPU_MODEL);
    struct trace whole = small_trace(), first;
    whole.entries.data[0].times = 3; /* runs of ten steps told, and a sync at the beginning of each run */
    ADD(image->model.entry, { 2 });
    const uint64_t told = 3 * (1 + 10);
    for (uint64_t most = 0; most <= told + 1; ++most) {
        struct timeline timeline;
        first_steps(&first, &whole, &image->model, most);
        timeline_make(&timeline, image, &first, NULL, NULL);
        uint64_t steps = steps_told(&image->model, timeline.times);
        assert_true(steps <= most && steps + 4 > (most < told ? most : told));
        timeline_free(&timeline);
        trace_free(&first);
    }
    trace_free(&whole);
    image_release(image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_have_the_fields_of_their_type),
        cmocka_unit_test(figures_add_up),
        cmocka_unit_test(modes_and_their_fields),
        cmocka_unit_test(endless_runs_have_their_first_steps),
        cmocka_unit_test(beginnings_are_of_any_length),
        cmocka_unit_test(a_set_without_estimates_is_named),
    };
    return cmocka_run_group_tests_name("execution profile", tests, NULL, NULL);
}
