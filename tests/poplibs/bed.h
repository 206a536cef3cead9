/* SPDX-License-Identifier: Apache-2.0 */
/* A test bed for numeric tests: a graph on a device, tensors with random scattered mappings and values, one program,
 * and comparison with references in double precision.  bed_open, then bed_input for inputs and the operations under
 * test on bed.graph and bed.program; bed_given is the value of an input, rounded to its type; bed_run returns an
 * output, bed_check compares it, and bed_close frees everything. */
#ifndef TESTS_POPLIBS_BED_H
#define TESTS_POPLIBS_BED_H

#include "poplibs/fixture.h"

#include <math.h>

enum bed_device {
    BED_CPU,
    BED_MODEL,
    BED_DEVICES
}; /* loop over both: for (enum bed_device d = BED_CPU; d < BED_DEVICES; ++d) */
enum bed_mapping { BED_LINEAR, BED_SCATTERED, BED_ONE_TILE };
enum { BED_TENSORS = 64 };

struct bed {
    pop_device *device;
    pop_graph *graph;
    pop_program program; /* a sequence */
    uint64_t random;
    size_t count;
    struct {
        pop_tensor tensor;
        double *values;
        bool written;
    } tensors[BED_TENSORS];
    pop_engine *engine;
};

/* tiles is used for the model only.  add_codelets may be NULL. */
static inline struct bed bed_open_with(enum bed_device device, unsigned tiles, pop_options options,
                                       void (*add_codelets)(pop_where, pop_graph *))
{
    pop_error error;
    struct bed bed = { .random = 1 };
    bed.device = device == BED_CPU ? pop_cpu_device_create(&error)
                                   : pop_ipu_model_create_device_options(
                                         &(pop_ipu_model){ .version = "ipu2", .num_ipus = 1, .tiles_per_ipu = tiles },
                                         options, &error);
    if (!bed.device)
        fail_msg("%s", error.text);
    bed.graph = pop_graph_create(pop_device_target(bed.device));
    bed.program = pop_sequence(bed.graph, "test");
    if (add_codelets)
        add_codelets(POP_HERE, bed.graph);
    assert_built(bed.graph);
    return bed;
}

static inline struct bed bed_open(enum bed_device device, unsigned tiles, void (*add_codelets)(pop_where, pop_graph *))
{
    return bed_open_with(device, tiles, POP_NO_OPTIONS, add_codelets);
}

/* Maps t in pieces of random length to random tiles. */
static inline void bed_scatter(struct bed *bed, pop_tensor t)
{
    unsigned tiles = pop_target_num_tiles(pop_graph_target(bed->graph));
    pop_tensor flat = pop_tensor_flatten(t);
    for (size_t at = 0, end = pop_tensor_num_elements(t); at < end;) {
        size_t next = at + 1 + next_random(&bed->random) % 9;
        next = next < end ? next : end;
        pop_graph_set_tile_mapping(bed->graph, pop_tensor_slice(flat, at, next, 0), next_random(&bed->random) % tiles);
        at = next;
    }
}
static inline void bed_map(struct bed *bed, pop_tensor t, enum bed_mapping mapping)
{
    unsigned tiles = pop_target_num_tiles(pop_graph_target(bed->graph));
    pop_tensor flat = pop_tensor_flatten(t);
    size_t count = pop_tensor_num_elements(t), share = (count + tiles - 1) / tiles;
    if (mapping == BED_SCATTERED)
        bed_scatter(bed, t);
    else if (mapping == BED_ONE_TILE)
        pop_graph_set_tile_mapping(bed->graph, t, 0);
    else
        for (size_t at = 0; at < count; at += share)
            pop_graph_set_tile_mapping(bed->graph,
                                       pop_tensor_slice(flat, at, at + share < count ? at + share : count, 0),
                                       (unsigned)(at / share));
}

/* Registers a tensor and the values to write before the run: values (NULL: random ones by type, in [low, high)). */
static inline void bed_write(struct bed *bed, pop_tensor t, const double *values, double low, double high)
{
    size_t count = pop_tensor_num_elements(t);
    pop_type type = pop_tensor_type(t);
    double *kept = malloc(count * sizeof(*kept) + 1);
    void *device = malloc(count * 8 + 1);
    for (size_t i = 0; i < count; ++i)
        kept[i] = values ? values[i] : low + (high - low) * next_random(&bed->random) / 2147483648.0;
    if (!pop_type_is_floating_point(type))
        for (size_t i = 0; i < count; ++i)
            kept[i] = floor(kept[i]);
    pop_convert(POP_DOUBLE, kept, type, device, count); /* rounded to the device's type */
    pop_convert(type, device, POP_DOUBLE, kept, count);
    free(device);
    assert_true(bed->count < BED_TENSORS);
    bed->tensors[bed->count].tensor = t;
    bed->tensors[bed->count].values = kept;
    bed->tensors[bed->count++].written = true;
}
/* A new variable with random contents: reals of [-1, 1), integers of [-8, 8) or [0, 16). */
static inline pop_tensor bed_input_of(struct bed *bed, pop_type type, pop_shape shape, enum bed_mapping mapping,
                                      double low, double high)
{
    pop_tensor t = pop_graph_add_variable(bed->graph, type, shape, "input");
    bed_map(bed, t, mapping);
    bed_write(bed, t, NULL, low, high);
    return t;
}
static inline pop_tensor bed_input(struct bed *bed, pop_type type, pop_shape shape, enum bed_mapping mapping)
{
    if (type == POP_BOOL)
        return bed_input_of(bed, type, shape, mapping, 0, 2);
    if (pop_type_is_floating_point(type))
        return bed_input_of(bed, type, shape, mapping, -1, 1);
    return pop_type_is_signed(type) ? bed_input_of(bed, type, shape, mapping, -8, 8)
                                    : bed_input_of(bed, type, shape, mapping, 0, 16);
}
/* The values written to t, which bed_write or bed_input registered; owned by the bed. */
static inline double *bed_given(struct bed *bed, pop_tensor t)
{
    for (size_t i = 0; i < bed->count; ++i)
        if (pop_tensor_equal(bed->tensors[i].tensor, t))
            return bed->tensors[i].values;
    fail_msg("nothing was written to this tensor");
    return NULL;
}

/* Compiles, writes, runs once, and reads the outputs: *values[i] are those of outputs[i], owned by the bed. */
static inline void bed_run_all(struct bed *bed, const pop_tensor *outputs, double **values, size_t count)
{
    char handle[32];
    pop_error error;
    for (size_t i = 0; i < bed->count; ++i) {
        snprintf(handle, sizeof(handle), "write%zu", i);
        pop_graph_create_host_write(bed->graph, handle, bed->tensors[i].tensor);
    }
    for (size_t i = 0; i < count; ++i) {
        snprintf(handle, sizeof(handle), "read%zu", i);
        pop_graph_create_host_read(bed->graph, handle, outputs[i]);
    }
    assert_built(bed->graph);
    bed->engine = pop_engine_create(bed->graph, POP_PROGRAMS(bed->program), POP_NO_OPTIONS, &error);
    if (!bed->engine)
        fail_msg("%s", error.text);
    if (pop_engine_load(bed->engine, bed->device, &error) != POP_OK)
        fail_msg("%s", error.text);
    for (size_t i = 0; i < bed->count; ++i) {
        size_t elements = pop_tensor_num_elements(bed->tensors[i].tensor);
        pop_type type = pop_tensor_type(bed->tensors[i].tensor);
        void *data = malloc(elements * 8 + 1);
        pop_convert(POP_DOUBLE, bed->tensors[i].values, type, data, elements);
        snprintf(handle, sizeof(handle), "write%zu", i);
        if (pop_engine_write_tensor(bed->engine, handle, data, POP_WHOLE, &error) != POP_OK)
            fail_msg("%s", error.text);
        free(data);
    }
    if (pop_engine_run(bed->engine, 0, &error) != POP_OK)
        fail_msg("%s", error.text);
    for (size_t i = 0; i < count; ++i) {
        size_t elements = pop_tensor_num_elements(outputs[i]);
        void *data = malloc(elements * 8 + 1);
        values[i] = malloc(elements * sizeof(double) + 1);
        snprintf(handle, sizeof(handle), "read%zu", i);
        if (pop_engine_read_tensor(bed->engine, handle, data, POP_WHOLE, &error) != POP_OK)
            fail_msg("%s", error.text);
        pop_convert(pop_tensor_type(outputs[i]), data, POP_DOUBLE, values[i], elements);
        free(data);
        assert_true(bed->count < BED_TENSORS);
        bed->tensors[bed->count].tensor = outputs[i];
        bed->tensors[bed->count].written = false;
        bed->tensors[bed->count++].values = values[i];
    }
}
static inline double *bed_run(struct bed *bed, pop_tensor output)
{
    double *values;
    bed_run_all(bed, &output, &values, 1);
    return values;
}

static inline void bed_close(struct bed *bed)
{
    pop_engine_destroy(bed->engine);
    pop_graph_destroy(bed->graph);
    pop_device_destroy(bed->device);
    for (size_t i = 0; i < bed->count; ++i)
        free(bed->tensors[i].values);
}

/* |got - wanted| <= absolute + relative |wanted|; infinities and NaN must be equal. */
static inline void bed_check(const double *got, const double *wanted, size_t count, double relative, double absolute)
{
    for (size_t i = 0; i < count; ++i) {
        if (got[i] == wanted[i] || (isnan(got[i]) && isnan(wanted[i])))
            continue;
        if (!(fabs(got[i] - wanted[i]) <= absolute + relative * fabs(wanted[i])))
            fail_msg("element %zu of %zu: %.9g where %.9g was expected", i, count, got[i], wanted[i]);
    }
}

#endif
