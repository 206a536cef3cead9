/* SPDX-License-Identifier: Apache-2.0 */
/* The device manager, modelled hardware through TREMULA_IPU, whole chips, and the cycles of a run on the model. */
#include "fixture.h"

#include <stdlib.h>
#include <string.h>

static pop_device_manager *manager_with(const char *ipu)
{
    if (ipu)
        setenv("TREMULA_IPU", ipu, 1);
    else
        unsetenv("TREMULA_IPU");
    pop_error error = { 0 };
    pop_device_manager *manager = pop_device_manager_create(POP_NO_OPTIONS, &error);
    must(error.status, &error);
    unsetenv("TREMULA_IPU");
    return manager;
}

static void without_the_variable_no_hardware_is_offered(void **state)
{
    (void)state;
    pop_device_manager *manager = manager_with("off");
    pop_device *devices[4] = { 0 };
    assert_int_equal(pop_device_manager_devices(manager, POP_TARGET_IPU, 1, devices, 4), 0);
    size_t models = pop_device_manager_devices(manager, POP_TARGET_IPU_MODEL, 1, devices, 4);
    assert_true(models >= 1 || pop_device_manager_devices(manager, POP_TARGET_CPU, 0, devices + 1, 3) >= 1);
    for (int i = 0; i < 4; ++i)
        pop_device_destroy(devices[i]);
    pop_device_manager_destroy(manager);
}

/* The usual start of programs for hardware: list the devices, attach the first that is free, run. */
static void programs_for_hardware_attach_and_run(void **state)
{
    (void)state;
    pop_device_manager *manager = manager_with("ipu2 tiles=5");
    pop_device *devices[2] = { 0 };
    pop_error error = { 0 };
    assert_int_equal(pop_device_manager_devices(manager, POP_TARGET_IPU, 1, devices, 2), 1);
    const pop_target *target = pop_device_target(devices[0]);
    assert_int_equal(target->type, POP_TARGET_IPU);
    assert_int_equal(pop_target_num_tiles(target), 5);
    assert_false(pop_device_is_attached(devices[0]));
    pop_device *same = pop_device_manager_device(manager, pop_device_id(devices[0]), &error);
    must(error.status, &error);
    assert_true(pop_device_attach(devices[0]));
    assert_false(pop_device_attach(same)); /* attached elsewhere */
    pop_graph *graph = pop_graph_create(target);
    pop_tensor v = pop_graph_add_variable_mapped(graph, POP_INT, POP_SHAPE(11), POP_MAPPING_LINEAR, "v");
    pop_graph_set_initial_fill(graph, pop_tensor_at(v, 0), POP_INT, &(const int){ 3 });
    pop_graph_create_host_read(graph, "v", v);
    pop_engine *engine = pop_engine_create(graph, POP_PROGRAMS(pop_copy(pop_tensor_reverse(v, 0), v, false, NULL)),
                                           POP_NO_OPTIONS, &error);
    must(error.status, &error);
    must(pop_engine_load_and_run(engine, devices[0], 0, &error), &error);
    int seen[11];
    must(pop_engine_read_tensor(engine, "v", seen, sizeof(seen), &error), &error);
    assert_int_equal(seen[10], 3);
    pop_engine_destroy(engine);
    pop_graph_destroy(graph);
    pop_device_detach(devices[0]);
    assert_true(pop_device_attach(same));
    pop_device_detach(same);
    pop_device_destroy(same);
    pop_device_destroy(devices[0]);
    pop_device_manager_destroy(manager);
}

static void several_modelled_devices(void **state)
{
    (void)state;
    pop_device_manager *manager = manager_with("ipu1 x2");
    pop_device *devices[8] = { 0 };
    size_t count = pop_device_manager_devices(manager, POP_TARGET_IPU, 1, devices, 8);
    assert_int_equal(count, 2);
    assert_int_not_equal(pop_device_id(devices[0]), pop_device_id(devices[1]));
    assert_string_equal(pop_device_target(devices[0])->arch, "ipu1");
    assert_true(pop_device_attach(devices[0]));
    assert_true(pop_device_attach(devices[1]));
    for (int i = 0; i < 8; ++i)
        pop_device_destroy(devices[i]);
    pop_device_manager_destroy(manager);
}

/* Every tile of a whole chip has work. */
static void whole_chips(void **state)
{
    (void)state;
    static const char *const versions[] = { "ipu1", "ipu2", "ipu21", "bow" };
    static const unsigned tiles[] = { 1216, 1472, 1472, 1472 };
    for (int i = 0; i < 4; ++i) {
        pop_error error = { 0 };
        struct fixture w = { .machine = versions[i] };
        w.device = pop_ipu_model_create_device(&(pop_ipu_model){ .version = versions[i] }, &error);
        must(error.status, &error);
        w.tiles = pop_target_num_tiles(pop_device_target(w.device));
        assert_int_equal(w.tiles, tiles[i]);
        w.graph = pop_graph_create(pop_device_target(w.device));
        fixture_codelets(&w);
        pop_tensor v = fixture_variable(&w, POP_FLOAT, POP_SHAPE(w.tiles, 3), "v"),
                   sums = fixture_variable(&w, POP_FLOAT, POP_SHAPE(w.tiles), "sums");
        pop_compute_set set = pop_graph_add_compute_set(w.graph, NULL);
        for (unsigned tile = 0; tile < w.tiles; ++tile) {
            pop_vertex vertex = fixture_vertex(&w, set, "SumVertex", tile);
            pop_graph_connect(w.graph, vertex, "in", pop_tensor_at(v, tile));
            pop_graph_connect(w.graph, vertex, "out", pop_tensor_at(sums, tile));
        }
        pop_graph_set_initial_fill(w.graph, pop_tensor_slice(v, 1, 2, 1), POP_FLOAT, &(const float){ 2 });
        fixture_start(&w, POP_PROGRAMS(pop_execute(set, NULL)));
        fixture_run(&w, 0);
        float seen[1472];
        fixture_get(&w, "sums", seen, w.tiles * sizeof(float));
        for (unsigned tile = 0; tile < w.tiles; ++tile)
            assert_true(seen[tile] == 2);
        fixture_close(&w);
    }
}

static pop_perf three_per_element(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)target;
    assert_string_equal(pop_vertex_view_type(vertex), "SumVertex");
    ++*(int *)user;
    return (pop_perf){ 3 * pop_vertex_view_field_size(vertex, "in", POP_WHOLE), 0 };
}

/* Compute cycles: the slowest tile, six workers in turn; they add up over runs until reset. */
static void cycles_of_the_compute_follow_the_estimates(void **state)
{
    (void)state;
    struct fixture w;
    fixture_open(&w, "ipu2", false);
    fixture_codelets(&w);
    int calls = 0;
    pop_graph_register_perf_estimator(w.graph, "SumVertex", three_per_element, &calls);
    pop_tensor v = fixture_variable(&w, POP_FLOAT, POP_SHAPE(4, 10), "v"),
               sums = fixture_variable(&w, POP_FLOAT, POP_SHAPE(4), "sums");
    pop_compute_set set = pop_graph_add_compute_set(w.graph, NULL);
    for (unsigned i = 0; i < 4; ++i) {
        pop_vertex vertex = fixture_vertex(&w, set, "SumVertex", i);
        pop_graph_connect(w.graph, vertex, "in", pop_tensor_slice(pop_tensor_at(v, i), 0, 7 + i, 0));
        pop_graph_connect(w.graph, vertex, "out", pop_tensor_at(sums, i));
        if (i == 0)
            pop_graph_set_perf_estimate(w.graph, vertex, 50, 0);
    }
    assert_int_equal(pop_graph_get_perf_estimate(w.graph, (pop_vertex){ sums.store, 2 }).cycles, 24);
    fixture_start(&w, POP_PROGRAMS(pop_repeat(3, pop_execute(set, NULL), NULL)));
    pop_cycles cycles;
    pop_error error = { 0 };
    fixture_run(&w, 0);
    must(pop_engine_cycles(w.engine, &cycles, &error), &error);
    assert_true(calls >= 3);
    assert_true(cycles.compute >= 3 * 6 * 50); /* the slowest vertex on a tile of its own */
    assert_int_equal(cycles.total,
                     cycles.compute + cycles.exchange + cycles.global_exchange + cycles.host_exchange + cycles.sync);
    pop_cycles once = cycles;
    fixture_run(&w, 0);
    must(pop_engine_cycles(w.engine, &cycles, &error), &error);
    assert_int_equal(cycles.compute, 2 * once.compute);
    assert_int_equal(cycles.steps, 2 * once.steps);
    assert_true(cycles.total > once.total &&
                cycles.total <= 2 * once.total); /* the second run begins while tiles without work wait */
    pop_engine_reset_execution_profile(w.engine);
    must(pop_engine_cycles(w.engine, &cycles, &error), &error);
    assert_int_equal(cycles.total, 0);
    fixture_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_the_variable_no_hardware_is_offered),
        cmocka_unit_test(programs_for_hardware_attach_and_run),
        cmocka_unit_test(several_modelled_devices),
        cmocka_unit_test(whole_chips),
        cmocka_unit_test(cycles_of_the_compute_follow_the_estimates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
