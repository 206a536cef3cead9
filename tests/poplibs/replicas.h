/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by tests of replicas: a replicated graph on a modelled device with an IPU for each replica, its engine, and
 * tensors of all replicas as doubles. */
#ifndef TESTS_POPLIBS_REPLICAS_H
#define TESTS_POPLIBS_REPLICAS_H

#include "poplibs/numeric.h"

#include <popops/codelets.h>

struct replica_fixture {
    pop_device *device;
    pop_graph *graph;
    pop_program program; /* a sequence */
    pop_engine *engine;
    unsigned replicas;
};

static inline void must(pop_status status, const pop_error *error)
{
    if (status != POP_OK)
        fail_msg("%s", error->text);
}

static inline void open_replica_fixture_options(struct replica_fixture *r, unsigned replicas, unsigned tiles_per_ipu,
                                                pop_options options)
{
    pop_error error = { 0 };
    *r = (struct replica_fixture){ .replicas = replicas };
    r->device = pop_ipu_model_create_device_options(
        &(pop_ipu_model){ .version = "ipu2", .num_ipus = replicas, .tiles_per_ipu = tiles_per_ipu }, options, &error);
    must(error.status, &error);
    r->graph = pop_graph_create_replicated(pop_device_target(r->device), replicas);
    r->program = pop_sequence(r->graph, "test");
    popops_add_codelets(r->graph);
}

static inline void open_replica_fixture(struct replica_fixture *r, unsigned replicas, unsigned tiles_per_ipu)
{
    open_replica_fixture_options(r, replicas, tiles_per_ipu, POP_NO_OPTIONS);
}

static inline void close_replica_fixture(struct replica_fixture *r)
{
    pop_engine_destroy(r->engine);
    pop_graph_destroy(r->graph);
    pop_device_destroy(r->device);
}

/* A variable that the host can write by its name. */
static inline pop_tensor replica_fixture_input(struct replica_fixture *r, pop_type type, pop_shape shape,
                                               const char *name)
{
    pop_tensor t = pop_graph_add_variable_mapped(r->graph, type, shape, POP_MAPPING_LINEAR, name);
    pop_graph_create_host_write(r->graph, name, t);
    return t;
}

/* Creates the engine; a second call creates it again with other options. */
static inline void load_replica_fixture(struct replica_fixture *r, pop_options options)
{
    pop_error error = { 0 };
    pop_engine_destroy(r->engine);
    r->engine = pop_engine_create(r->graph, POP_PROGRAMS(r->program), options, &error);
    must(error.status, &error);
    must(pop_engine_load(r->engine, r->device, &error), &error);
}

static inline void run_replica_fixture(struct replica_fixture *r)
{
    pop_error error = { 0 };
    must(pop_engine_run(r->engine, 0, &error), &error);
}

/* Values of all replicas, `each` of one, converted by the device's type; values that put writes are rounded to it. */
static inline void replica_fixture_put(struct replica_fixture *r, const char *handle, pop_type type, double *values,
                                       size_t each)
{
    pop_error error = { 0 };
    void *data = malloc(r->replicas * each * sizeof(double));
    pop_convert(POP_DOUBLE, values, type, data, r->replicas * each);
    pop_convert(type, data, POP_DOUBLE, values, r->replicas * each);
    must(pop_engine_write_tensor(r->engine, handle, data, POP_WHOLE, &error), &error);
    free(data);
}

static inline void replica_fixture_get(struct replica_fixture *r, const char *handle, pop_type type, double *values,
                                       size_t each)
{
    pop_error error = { 0 };
    void *data = malloc(r->replicas * each * sizeof(double));
    must(pop_engine_read_tensor(r->engine, handle, data, POP_WHOLE, &error), &error);
    pop_convert(type, data, POP_DOUBLE, values, r->replicas * each);
    free(data);
}

#endif
