/* SPDX-License-Identifier: Apache-2.0 */
#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void fixture_must(pop_status status, const pop_error *error)
{
    if (status == POP_OK)
        return;
    char text[2048];
    pop_error_format(error, text, sizeof(text));
    fail_msg("%s", text);
}

static struct fixture *opened;

static void must_build(struct fixture *r)
{
    const pop_error *error = pop_graph_error(r->graph);
    if (error)
        fixture_must(error->status, error);
}

static pop_tensor variable(struct fixture *r, pop_type type, pop_shape shape, const char *name)
{
    pop_tensor t = pop_graph_add_variable(r->graph, type, shape, name);
    pop_graph_set_tile_mapping(r->graph, t, 1);
    return t;
}

static void open_graph(struct fixture *r)
{
    pop_graph *graph = r->graph = pop_graph_create(pop_device_target(r->device));
    pop_graph_add_codelets(graph, ERRORS_CODELETS);
    r->v = variable(r, POP_FLOAT, POP_SHAPE(4), "v");
    r->m = variable(r, POP_FLOAT, POP_SHAPE(3, 4), "m");
    r->n = variable(r, POP_INT, POP_SHAPE(4), "n");
    r->scalar = variable(r, POP_INT, POP_SHAPE(), "scalar");
    r->flag = variable(r, POP_BOOL, POP_SHAPE(), "flag");
    r->sums = variable(r, POP_FLOAT, POP_SHAPE(1), "s");
    r->u = pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(4), "u");
    r->constant = pop_graph_add_constant_float(graph, POP_FLOAT, POP_SHAPE(4), 1, "one");
    pop_graph_set_tile_mapping(graph, r->constant, 0);
    r->list[0] = r->v;
    r->list[1] = r->m;
    r->set = pop_graph_add_compute_set(graph, "set");
    r->copy = pop_copy(r->constant, r->v, false, "copy");
    r->main = pop_sequence(graph, "main");
    r->in = pop_graph_add_host_to_device_fifo(graph, "in", POP_FLOAT, 4, POP_STREAM_REPLICATE, POP_NO_OPTIONS);
    r->out = pop_graph_add_device_to_host_fifo(graph, "out", POP_FLOAT, 4, POP_NO_OPTIONS);
    r->far = pop_graph_add_remote_buffer(graph, "far", POP_FLOAT, 4, 3, false, false);
    r->host = pop_graph_add_host_function(graph, "host", &(pop_host_argument){ POP_INT, 4 }, 1,
                                          &(pop_host_argument){ POP_INT, 4 }, 1);
    pop_graph_create_host_write(graph, "taken", r->v);
    pop_graph_create_host_read(graph, "taken", r->v);
    must_build(r);
}

static void open_other_graph(struct fixture *r)
{
    r->other = pop_graph_create(pop_device_target(r->device));
    pop_graph_add_codelets(r->other, ERRORS_CODELETS);
    r->foreign = pop_graph_add_variable(r->other, POP_FLOAT, POP_SHAPE(4), "foreign");
    r->foreign_set = pop_graph_add_compute_set(r->other, "foreign");
    r->foreign_program = pop_sequence(r->other, "foreign");
    r->foreign_sum = pop_graph_add_vertex(r->other, r->foreign_set, "Sum");
    assert_null(pop_graph_error(r->other));
}

static void open_engine(struct fixture *r)
{
    pop_sequence_add(r->main, r->copy);
    pop_program uses = pop_sequence(r->graph, "uses");
    pop_sequence_add(uses, pop_copy_from_stream(r->in, r->v, false, NULL));
    pop_sequence_add(uses, pop_copy_to_stream(r->v, r->out, false, NULL));
    pop_sequence_add(uses, pop_copy_to_remote(r->v, r->far, r->scalar, NULL));
    pop_sequence_add(uses, pop_call_host(r->host, POP_TENSORS(r->n), POP_TENSORS(r->n), NULL));
    fixture_must(
        pop_compile_graph(r->graph, POP_PROGRAMS(r->main, uses), POP_NO_OPTIONS, NULL, NULL, &r->good, &r->error),
        &r->error);
    r->engine = pop_engine_create_from(r->good, POP_NO_OPTIONS, &r->error);
    fixture_must(r->error.status, &r->error);
    r->unloaded = pop_engine_create_from(r->good, POP_NO_OPTIONS, &r->error);
    fixture_must(r->error.status, &r->error);
    fixture_must(pop_engine_load(r->engine, r->device, &r->error), &r->error);
    r->other_device = pop_ipu_model_create_device(&(pop_ipu_model){ .version = "ipu1", .tiles_per_ipu = 4 }, &r->error);
    fixture_must(r->error.status, &r->error);
    r->manager = pop_device_manager_create(POP_NO_OPTIONS, &r->error);
    fixture_must(r->error.status, &r->error);
}

void fixture_open(struct fixture *r, enum fixture_purpose purpose)
{
    memset(r, 0, sizeof(*r));
    opened = r;
    strcpy(r->directory, "/tmp/tremula_errors_XXXXXX");
    assert_non_null(mkdtemp(r->directory));
    r->scratch = tmpfile();
    r->full = fopen("/dev/full", "w");
    r->device = pop_ipu_model_create_device(&(pop_ipu_model){ .version = "ipu2", .tiles_per_ipu = 4 }, &r->error);
    fixture_must(r->error.status, &r->error);
    r->target = *pop_device_target(r->device);
    open_graph(r);
    open_other_graph(r);
    if (purpose == FIXTURE_BUILD) {
        r->sum = pop_graph_add_vertex(r->graph, r->set, "Sum");
        r->mixed = pop_graph_add_vertex(r->graph, r->set, "Mixed");
        must_build(r);
    }
    if (purpose == FIXTURE_HOST)
        open_engine(r);
}

void fixture_close(struct fixture *r)
{
    opened = NULL;
    if (r->executable == (pop_executable *)r) /* the mark of a row that compiles, if the row did not replace it */
        r->executable = NULL;
    pop_engine_destroy(r->engine);
    pop_engine_destroy(r->unloaded);
    pop_executable_destroy(r->executable);
    pop_executable_destroy(r->good);
    pop_interval_lists_free(&r->lists);
    pop_profile_free(&r->value);
    pop_graph_destroy(r->made);
    pop_graph_destroy(r->other);
    pop_graph_destroy(r->graph);
    pop_device_manager_destroy(r->manager);
    pop_device_destroy(r->cpu);
    pop_device_destroy(r->other_device);
    pop_device_destroy(r->device);
    if (r->scratch)
        fclose(r->scratch);
    if (r->stream)
        fclose(r->stream);
    if (r->full)
        fclose(r->full);
    if (r->path[0])
        unlink(r->path);
    rmdir(r->directory);
}

void fixture_close_failed(void)
{
    if (opened)
        fixture_close(opened);
}

static pop_vertex vertex(struct fixture *r, const char *type)
{
    pop_where where = { r->file, r->line, 0 };
    pop_vertex made = pop_graph_add_vertex_at(where, r->graph, r->set, type);
    pop_graph_map_vertex_at(where, r->graph, made, 0);
    return made;
}

void fixture_sum(struct fixture *r, pop_tensor in, pop_tensor out)
{
    pop_vertex sum = vertex(r, "Sum");
    pop_graph_connect(r->graph, sum, "in", in);
    pop_graph_connect(r->graph, sum, "out", out);
}

void fixture_source_without_tmp(struct fixture *r, const char *file, int line)
{
    char source[256], old[256] = "";
    if (getenv("TMPDIR"))
        snprintf(old, sizeof(old), "%s", getenv("TMPDIR"));
    snprintf(source, sizeof(source),
             "/* %s */\n#include <poplar/vertex.h>\nPOP_VERTEX(V) { POP_OUTPUT(int) out; };\nvoid V_compute(V *v) { "
             "*v->out = 1; }\n",
             r->directory); /* a new text, so that no cache has it */
    setenv("TMPDIR", "/no/such/directory", 1);
    pop_graph_add_codelets_source_at((pop_where){ file, line, 0 }, r->graph, source, POP_FILE_C, "");
    if (old[0])
        setenv("TMPDIR", old, 1);
    else
        unsetenv("TMPDIR");
}

void fixture_fill(struct fixture *r, pop_tensor out)
{
    pop_graph_connect(r->graph, vertex(r, "Fill"), "out", out);
}

pop_vertex fixture_mixed(struct fixture *r)
{
    pop_vertex mixed = vertex(r, "Mixed");
    pop_graph_connect_constant(r->graph, mixed, "a", POP_FLOAT, &(float){ 1 });
    pop_graph_connect(r->graph, mixed, "b", pop_tensor_at(r->m, 0));
    return mixed;
}

void fixture_vertex(struct fixture *r, const char *type, const char *field, pop_tensor t)
{
    pop_graph_connect(r->graph, vertex(r, type), field, t);
    pop_sequence_add(r->main, pop_execute(r->set, NULL));
}

void fixture_state_vertex(struct fixture *r, const char *type, const char *field, pop_tensor t)
{
    pop_vertex v = vertex(r, type);
    pop_graph_set_field_size(r->graph, v, "kept", 2);
    pop_graph_connect(r->graph, v, field, t);
    pop_sequence_add(r->main, pop_execute(r->set, NULL));
}

const char *fixture_file(struct fixture *r, const char *name, const char *text)
{
    snprintf(r->path, sizeof(r->path), "%s/%s", r->directory, name);
    FILE *file = fopen(r->path, "wb");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    return r->path;
}

FILE *fixture_stream(struct fixture *r, const char *text)
{
    r->stream = tmpfile();
    fputs(text, r->stream);
    rewind(r->stream);
    return r->stream;
}

const char *fixture_executable(struct fixture *r, const char *name, int cut, long flip)
{
    snprintf(r->path, sizeof(r->path), "%s/%s", r->directory, name);
    fixture_must(pop_executable_save(r->good, r->path, &r->error), &r->error);
    FILE *file = fopen(r->path, "r+b");
    assert_non_null(file);
    if (flip) {
        fseek(file, flip, SEEK_SET);
        int byte = fgetc(file);
        fseek(file, flip, SEEK_SET);
        fputc(byte ^ 1, file);
    }
    fseek(file, 0, SEEK_END);
    assert_int_equal(ftruncate(fileno(file), ftell(file) + cut), 0);
    fclose(file);
    return r->path;
}

const pop_device *fixture_detached(struct fixture *r)
{
    pop_device_detach(r->device);
    assert_false(pop_device_is_attached(r->device));
    return r->device;
}

pop_status fixture_debug_on_a_full_disk(struct fixture *r)
{
    assert_int_equal(pop_debug_open("/dev/full", POP_DEBUG_JSON, NULL), POP_OK);
    return pop_debug_close(&r->error);
}

pop_status fixture_host(const void *const *inputs, void *const *outputs, void *user)
{
    (void)inputs, (void)outputs, (void)user;
    return POP_OK;
}

pop_status fixture_no_device(struct fixture *r, pop_device *device)
{
    assert_null(device);
    return r->error.status;
}

pop_status fixture_none(struct fixture *r, size_t count)
{
    assert_int_equal(count, 0);
    return r->error.status;
}

pop_status fixture_no_manager(struct fixture *r, pop_device_manager *manager)
{
    assert_null(manager);
    return r->error.status;
}

pop_status fixture_no_engine(struct fixture *r, pop_engine *engine)
{
    assert_null(engine);
    return r->error.status;
}

pop_status fixture_hazard(struct fixture *r)
{
    fixture_sum(r, r->v, r->sums);
    fixture_sum(r, r->v, r->sums);
    return fixture_no_engine(
        r, pop_engine_create(r->graph, POP_PROGRAMS(pop_execute(r->set, NULL)), POP_NO_OPTIONS, &r->error));
}

pop_status fixture_link(struct fixture *r)
{
    pop_graph_add_codelets_source(
        r->graph,
        "#include <poplar/vertex.h>\nint no_such_function(void);\nPOP_VERTEX(V) { POP_OUTPUT(int) out; };\n"
        "bool V_compute(V *v) { *v->out = no_such_function(); return true; }\n",
        POP_FILE_C, "");
    pop_graph_connect(r->graph, vertex(r, "V"), "out", r->scalar);
    return fixture_no_engine(
        r, pop_engine_create(r->graph, POP_PROGRAMS(pop_execute(r->set, NULL)), POP_NO_OPTIONS, &r->error));
}

/* Four terabytes. */
pop_status fixture_load_huge(struct fixture *r)
{
    pop_tensor huge =
        pop_graph_add_variable_mapped(r->graph, POP_FLOAT, POP_SHAPE((size_t)1 << 40), POP_MAPPING_LINEAR, "huge");
    pop_graph_create_host_read(r->graph, "huge", pop_tensor_slice(huge, 0, 4, 0));
    pop_engine_destroy(r->engine);
    r->engine = pop_engine_create(r->graph, POP_PROGRAMS(r->copy), POP_NO_OPTIONS, &r->error);
    fixture_must(r->error.status, &r->error);
    return pop_engine_load(r->engine, r->device, &r->error);
}

const pop_profile_value *fixture_profile(struct fixture *r)
{
    fixture_must(pop_profile_read_json("{\"a\": 1}", 8, &r->value, &r->error), &r->error);
    return &r->value;
}

/* Runs a graph's main program and asks for its cycles. */
static pop_status cycles_of(struct fixture *r, const pop_device *device)
{
    pop_engine_destroy(r->engine);
    r->engine = pop_engine_create(r->graph, POP_PROGRAMS(r->main),
                                  POP_OPTIONS({ "debug.requirePerfEstimates", "true" }), &r->error);
    fixture_must(r->error.status, &r->error);
    fixture_must(pop_engine_load_and_run(r->engine, device, 0, &r->error), &r->error);
    pop_cycles cycles;
    return pop_engine_cycles(r->engine, &cycles, &r->error);
}

pop_status fixture_cycles(struct fixture *r)
{
    fixture_sum(r, r->v, r->sums);
    pop_sequence_add(r->main, pop_execute(r->set, NULL));
    return cycles_of(r, r->device);
}

pop_status fixture_cycles_on_the_cpu(struct fixture *r)
{
    r->cpu = pop_cpu_device_create(&r->error);
    fixture_must(r->error.status, &r->error);
    r->made = r->graph;
    r->graph = pop_graph_create(pop_device_target(r->cpu));
    pop_tensor x = pop_graph_add_variable_mapped(r->graph, POP_FLOAT, POP_SHAPE(4), POP_MAPPING_LINEAR, "x");
    r->main = pop_copy(pop_tensor_reverse(x, 0), x, false, NULL);
    return cycles_of(r, r->cpu);
}

pop_status fixture_cycles_without_a_model(struct fixture *r)
{
    pop_cycles cycles;
    pop_engine_destroy(r->engine);
    r->engine = pop_engine_create(r->graph, POP_PROGRAMS(r->main), POP_OPTIONS({ "debug.model", "false" }), &r->error);
    fixture_must(r->error.status, &r->error);
    return pop_engine_cycles(r->engine, &cycles, &r->error);
}

pop_status fixture_environment(struct fixture *r, const char *text)
{
    setenv("POPLAR_ENGINE_OPTIONS", text, 1);
    pop_status status =
        pop_compile_graph(r->graph, POP_PROGRAMS(r->main), POP_NO_OPTIONS, NULL, NULL, &r->executable, &r->error);
    unsetenv("POPLAR_ENGINE_OPTIONS");
    return status;
}
