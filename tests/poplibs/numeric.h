/* SPDX-License-Identifier: Apache-2.0 */
/* A fixture for numeric tests: a graph on a device, tensors with random scattered mappings and values, one program,
 * and comparison with references in double precision.  fixture_open, then fixture_input for inputs and the operations
 * under test on fixture.graph and fixture.program; fixture_given is the value of an input, rounded to its type;
 * fixture_run returns an output, fixture_check compares it, and fixture_close frees everything. */
#ifndef TESTS_POPLIBS_NUMERIC_H
#define TESTS_POPLIBS_NUMERIC_H

#include "poplibs/fixture.h"

#include <math.h>

enum fixture_device {
    FIXTURE_CPU,
    FIXTURE_MODEL,
    FIXTURE_DEVICES
}; /* loop over both: for (enum fixture_device d = FIXTURE_CPU; d < FIXTURE_DEVICES; ++d) */
enum fixture_mapping { FIXTURE_LINEAR, FIXTURE_SCATTERED, FIXTURE_ONE_TILE };
enum { FIXTURE_TENSORS = 64 };

struct fixture {
    pop_device *device;
    pop_graph *graph;
    pop_program program; /* a sequence */
    uint64_t random;
    size_t count;
    struct {
        pop_tensor tensor;
        double *values;
        bool written;
    } tensors[FIXTURE_TENSORS];
    pop_engine *engine;
};

/* tiles is used for the model only.  add_codelets may be NULL. */
static inline struct fixture fixture_open_with(enum fixture_device device, unsigned tiles, pop_options options,
                                               void (*add_codelets)(pop_where, pop_graph *))
{
    pop_error error;
    struct fixture fixture = { .random = 1 };
    fixture.device =
        device == FIXTURE_CPU
            ? pop_cpu_device_create(&error)
            : pop_ipu_model_create_device_options(
                  &(pop_ipu_model){ .version = "ipu2", .num_ipus = 1, .tiles_per_ipu = tiles }, options, &error);
    if (!fixture.device)
        fail_msg("%s", error.text);
    fixture.graph = pop_graph_create(pop_device_target(fixture.device));
    fixture.program = pop_sequence(fixture.graph, "test");
    if (add_codelets)
        add_codelets(POP_HERE, fixture.graph);
    assert_built(fixture.graph);
    return fixture;
}

static inline struct fixture fixture_open(enum fixture_device device, unsigned tiles,
                                          void (*add_codelets)(pop_where, pop_graph *))
{
    return fixture_open_with(device, tiles, POP_NO_OPTIONS, add_codelets);
}

/* Maps t in pieces of random length to random tiles. */
static inline void fixture_scatter(struct fixture *fixture, pop_tensor t)
{
    unsigned tiles = pop_target_num_tiles(pop_graph_target(fixture->graph));
    pop_tensor flat = pop_tensor_flatten(t);
    for (size_t at = 0, end = pop_tensor_num_elements(t); at < end;) {
        size_t next = at + 1 + next_random(&fixture->random) % 9;
        next = next < end ? next : end;
        pop_graph_set_tile_mapping(fixture->graph, pop_tensor_slice(flat, at, next, 0),
                                   next_random(&fixture->random) % tiles);
        at = next;
    }
}
static inline void fixture_map(struct fixture *fixture, pop_tensor t, enum fixture_mapping mapping)
{
    unsigned tiles = pop_target_num_tiles(pop_graph_target(fixture->graph));
    pop_tensor flat = pop_tensor_flatten(t);
    size_t count = pop_tensor_num_elements(t), share = (count + tiles - 1) / tiles;
    if (mapping == FIXTURE_SCATTERED)
        fixture_scatter(fixture, t);
    else if (mapping == FIXTURE_ONE_TILE)
        pop_graph_set_tile_mapping(fixture->graph, t, 0);
    else
        for (size_t at = 0; at < count; at += share)
            pop_graph_set_tile_mapping(fixture->graph,
                                       pop_tensor_slice(flat, at, at + share < count ? at + share : count, 0),
                                       (unsigned)(at / share));
}

/* Registers a tensor and the values to write before the run: values (NULL: random ones by type, in [low, high)). */
static inline void fixture_write(struct fixture *fixture, pop_tensor t, const double *values, double low, double high)
{
    size_t count = pop_tensor_num_elements(t);
    pop_type type = pop_tensor_type(t);
    double *kept = malloc(count * sizeof(*kept) + 1);
    void *device = malloc(count * 8 + 1);
    for (size_t i = 0; i < count; ++i)
        kept[i] = values ? values[i] : low + (high - low) * next_random(&fixture->random) / 2147483648.0;
    if (!pop_type_is_floating_point(type))
        for (size_t i = 0; i < count; ++i)
            kept[i] = floor(kept[i]);
    pop_convert(POP_DOUBLE, kept, type, device, count); /* rounded to the device's type */
    pop_convert(type, device, POP_DOUBLE, kept, count);
    free(device);
    assert_true(fixture->count < FIXTURE_TENSORS);
    fixture->tensors[fixture->count].tensor = t;
    fixture->tensors[fixture->count].values = kept;
    fixture->tensors[fixture->count++].written = true;
}
/* A new variable with random contents: reals of [-1, 1), integers of [-8, 8) or [0, 16). */
static inline pop_tensor fixture_input_of(struct fixture *fixture, pop_type type, pop_shape shape,
                                          enum fixture_mapping mapping, double low, double high)
{
    pop_tensor t = pop_graph_add_variable(fixture->graph, type, shape, "input");
    fixture_map(fixture, t, mapping);
    fixture_write(fixture, t, NULL, low, high);
    return t;
}
static inline pop_tensor fixture_input(struct fixture *fixture, pop_type type, pop_shape shape,
                                       enum fixture_mapping mapping)
{
    if (type == POP_BOOL)
        return fixture_input_of(fixture, type, shape, mapping, 0, 2);
    if (pop_type_is_floating_point(type))
        return fixture_input_of(fixture, type, shape, mapping, -1, 1);
    return pop_type_is_signed(type) ? fixture_input_of(fixture, type, shape, mapping, -8, 8)
                                    : fixture_input_of(fixture, type, shape, mapping, 0, 16);
}
/* The values written to t, which fixture_write or fixture_input registered; owned by the fixture. */
static inline double *fixture_given(struct fixture *fixture, pop_tensor t)
{
    for (size_t i = 0; i < fixture->count; ++i)
        if (pop_tensor_equal(fixture->tensors[i].tensor, t))
            return fixture->tensors[i].values;
    fail_msg("nothing was written to this tensor");
    return NULL;
}

/* Compiles, writes, runs once, and reads the outputs: *values[i] are those of outputs[i], owned by the fixture. */
static inline void fixture_run_all(struct fixture *fixture, const pop_tensor *outputs, double **values, size_t count)
{
    char handle[32];
    pop_error error;
    for (size_t i = 0; i < fixture->count; ++i) {
        snprintf(handle, sizeof(handle), "write%zu", i);
        pop_graph_create_host_write(fixture->graph, handle, fixture->tensors[i].tensor);
    }
    for (size_t i = 0; i < count; ++i) {
        snprintf(handle, sizeof(handle), "read%zu", i);
        pop_graph_create_host_read(fixture->graph, handle, outputs[i]);
    }
    assert_built(fixture->graph);
    fixture->engine = pop_engine_create(fixture->graph, POP_PROGRAMS(fixture->program), POP_NO_OPTIONS, &error);
    if (!fixture->engine)
        fail_msg("%s", error.text);
    if (pop_engine_load(fixture->engine, fixture->device, &error) != POP_OK)
        fail_msg("%s", error.text);
    for (size_t i = 0; i < fixture->count; ++i) {
        size_t elements = pop_tensor_num_elements(fixture->tensors[i].tensor);
        pop_type type = pop_tensor_type(fixture->tensors[i].tensor);
        void *data = malloc(elements * 8 + 1);
        pop_convert(POP_DOUBLE, fixture->tensors[i].values, type, data, elements);
        snprintf(handle, sizeof(handle), "write%zu", i);
        if (pop_engine_write_tensor(fixture->engine, handle, data, POP_WHOLE, &error) != POP_OK)
            fail_msg("%s", error.text);
        free(data);
    }
    if (pop_engine_run(fixture->engine, 0, &error) != POP_OK)
        fail_msg("%s", error.text);
    for (size_t i = 0; i < count; ++i) {
        size_t elements = pop_tensor_num_elements(outputs[i]);
        void *data = malloc(elements * 8 + 1);
        values[i] = malloc(elements * sizeof(double) + 1);
        snprintf(handle, sizeof(handle), "read%zu", i);
        if (pop_engine_read_tensor(fixture->engine, handle, data, POP_WHOLE, &error) != POP_OK)
            fail_msg("%s", error.text);
        pop_convert(pop_tensor_type(outputs[i]), data, POP_DOUBLE, values[i], elements);
        free(data);
        assert_true(fixture->count < FIXTURE_TENSORS);
        fixture->tensors[fixture->count].tensor = outputs[i];
        fixture->tensors[fixture->count].written = false;
        fixture->tensors[fixture->count++].values = values[i];
    }
}
static inline double *fixture_run(struct fixture *fixture, pop_tensor output)
{
    double *values;
    fixture_run_all(fixture, &output, &values, 1);
    return values;
}

static inline void fixture_close(struct fixture *fixture)
{
    pop_engine_destroy(fixture->engine);
    pop_graph_destroy(fixture->graph);
    pop_device_destroy(fixture->device);
    for (size_t i = 0; i < fixture->count; ++i)
        free(fixture->tensors[i].values);
}

/* |got - wanted| <= absolute + relative |wanted|; infinities and NaN must be equal. */
static inline void fixture_check(const double *got, const double *wanted, size_t count, double relative,
                                 double absolute)
{
    for (size_t i = 0; i < count; ++i) {
        if (got[i] == wanted[i] || (isnan(got[i]) && isnan(wanted[i])))
            continue;
        if (!(fabs(got[i] - wanted[i]) <= absolute + relative * fabs(wanted[i])))
            fail_msg("element %zu of %zu: %.9g where %.9g was expected", i, count, got[i], wanted[i]);
    }
}

#endif
