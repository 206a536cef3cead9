/* SPDX-License-Identifier: Apache-2.0 */
#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SMALL_TILES = 7, MAX_OPTIONS = 16 };

void must(pop_status status, const pop_error *error)
{
    if (status == POP_OK)
        return;
    char text[2048];
    pop_error_format(error, text, sizeof(text));
    fail_msg("%s", text);
}

void must_build(struct fixture *w)
{
    const pop_error *error = pop_graph_error(w->graph);
    if (error)
        must(error->status, error);
}

void fixture_open(struct fixture *w, const char *machine, bool checked)
{
    fixture_open_replicas(w, machine, checked, 1);
}

void fixture_open_replicas(struct fixture *w, const char *machine, bool checked, unsigned replicas)
{
    pop_error error = { 0 };
    *w = (struct fixture){ .machine = machine, .checked = checked };
    if (strcmp(machine, "cpu") == 0)
        w->device = pop_cpu_device_create(&error);
    else
        w->device = pop_ipu_model_create_device(
            &(pop_ipu_model){ .version = machine, .tiles_per_ipu = SMALL_TILES, .num_ipus = replicas }, &error);
    must(error.status, &error);
    assert_non_null(w->device);
    w->graph = pop_graph_create_replicated(pop_device_target(w->device), replicas);
    w->tiles = pop_target_num_tiles(pop_graph_target(w->graph));
    must_build(w);
}

void fixture_close(struct fixture *w)
{
    pop_engine_destroy(w->engine);
    pop_graph_destroy(w->graph);
    pop_device_destroy(w->device);
}

void on_every_machine(void **state)
{
    const struct scenario *scenario = *state;
    static const char *const machines[] = { "ipu1", "ipu2", "cpu" };
    for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); ++i)
        for (int checked = 0; checked < 2; ++checked) {
            struct fixture w;
            fixture_open(&w, machines[i], checked);
            scenario->run(&w);
            fixture_close(&w);
        }
}

void fixture_spread(struct fixture *w, pop_tensor t)
{
    pop_tensor flat = pop_tensor_flatten(t);
    size_t elements = pop_tensor_num_elements(t), share = (elements + w->tiles - 1) / w->tiles;
    for (size_t begin = 0, tile = 0; begin < elements; begin += share, ++tile) {
        size_t end = begin + share < elements ? begin + share : elements;
        pop_graph_set_tile_mapping(w->graph, pop_tensor_slice(flat, begin, end, 0), (unsigned)tile);
    }
    must_build(w);
}

pop_tensor fixture_variable(struct fixture *w, pop_type type, pop_shape shape, const char *name)
{
    pop_tensor t = pop_graph_add_variable(w->graph, type, shape, name);
    fixture_spread(w, t);
    pop_graph_create_host_read(w->graph, name, t);
    pop_graph_create_host_write(w->graph, name, t);
    must_build(w);
    return t;
}

pop_tensor fixture_constant(struct fixture *w, pop_type type, pop_shape shape, double value)
{
    pop_tensor t = pop_graph_add_constant_float(w->graph, type, shape, value, "constant");
    pop_graph_set_tile_mapping(w->graph, t, 0);
    must_build(w);
    return t;
}

pop_tensor fixture_ints(struct fixture *w, size_t count, const int *values)
{
    pop_tensor t = pop_graph_add_constant(w->graph, POP_INT, POP_SHAPE(count), POP_INT, values, "ints");
    pop_graph_set_tile_mapping(w->graph, t, 0);
    must_build(w);
    return t;
}

void fixture_codelets(struct fixture *w)
{
    pop_graph_add_codelets(w->graph, SYSTEM_CODELETS);
    must_build(w);
}

pop_vertex fixture_vertex(struct fixture *w, pop_compute_set set, const char *type, unsigned tile)
{
    pop_vertex vertex = pop_graph_add_vertex(w->graph, set, type);
    pop_graph_map_vertex(w->graph, vertex, tile % w->tiles);
    must_build(w);
    return vertex;
}

void fixture_start(struct fixture *w, pop_programs programs)
{
    fixture_start_with(w, programs, POP_NO_OPTIONS);
}

void fixture_start_with(struct fixture *w, pop_programs programs, pop_options options)
{
    pop_option list[MAX_OPTIONS] = { { "debug.checkedExecution", w->checked ? "true" : "false" } };
    assert_true(options.count < MAX_OPTIONS);
    for (size_t i = 0; i < options.count; ++i)
        list[i + 1] = options.list[i];
    pop_error error = { 0 };
    must_build(w);
    pop_engine_destroy(w->engine);
    w->engine = pop_engine_create(w->graph, programs, ((pop_options){ list, options.count + 1 }), &error);
    must(error.status, &error);
    assert_non_null(w->engine);
    must(pop_engine_load(w->engine, w->device, &error), &error);
}

void fixture_run(struct fixture *w, unsigned program)
{
    pop_error error = { 0 };
    must(pop_engine_run(w->engine, program, &error), &error);
}

void fixture_run_fails(struct fixture *w, unsigned program, pop_status status, const char *words)
{
    pop_error error = { 0 };
    pop_status seen = pop_engine_run(w->engine, program, &error);
    assert_string_equal(pop_status_name(seen), pop_status_name(status));
    assert_int_equal(error.status, status);
    if (!strstr(error.text, words))
        fail_msg("'%s' is not in '%s'", words, error.text);
}

void fixture_put(struct fixture *w, const char *handle, const void *data, size_t bytes)
{
    pop_error error = { 0 };
    must(pop_engine_write_tensor(w->engine, handle, data, bytes, &error), &error);
}

void fixture_get(struct fixture *w, const char *handle, void *data, size_t bytes)
{
    pop_error error = { 0 };
    must(pop_engine_read_tensor(w->engine, handle, data, bytes, &error), &error);
}

void fixture_expect(struct fixture *w, const char *handle, pop_type type, const void *expected, size_t bytes)
{
    size_t size = pop_type_size(type), count = bytes / size;
    void *seen = malloc(bytes ? bytes : 1);
    fixture_get(w, handle, seen, bytes);
    for (size_t i = 0; i < count; ++i) {
        double values[2];
        pop_convert(type, (char *)seen + i * size, POP_DOUBLE, &values[0], 1);
        pop_convert(type, (const char *)expected + i * size, POP_DOUBLE, &values[1], 1);
        if (memcmp((char *)seen + i * size, (const char *)expected + i * size, size) != 0) {
            free(seen);
            fail_msg("%s (%s%s): element %zu is %g, expected %g", handle, w->machine, w->checked ? ", checked" : "", i,
                     values[0], values[1]);
        }
    }
    free(seen);
}

uint32_t dice_roll(struct dice *dice, uint32_t sides)
{
    dice->state = dice->state * 6364136223846793005u + 1442695040888963407u;
    return sides ? (uint32_t)(dice->state >> 33) % sides : 0;
}
