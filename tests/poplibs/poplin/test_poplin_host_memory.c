/* SPDX-License-Identifier: Apache-2.0 */
/* Programs without host memory: a convolution, streams, an executable saved and loaded, and a profile, in which the
 * n-th allocation fails, or all from the n-th on.  Every call reports it, everything can be destroyed, and nothing is
 * leaked (AddressSanitizer checks for leaks after each round). */
#include "host_memory.h"
#include "poplibs/fixture.h"

#include <poplin/codelets.h>
#include <poplin/convolution.h>
#include <popops/codelets.h>
#include <unistd.h>

enum { TILES = 4, IN = 2 * 5 * 5, OUT = 2 * 3 * 3 };

struct program {
    pop_error error;
    pop_device *device;
    pop_graph *graph;
    pop_executable *executable, *loaded;
    pop_engine *engine;
    pop_profile_value graph_profile, execution_profile;
    char file[64];
    float in[IN], out[OUT];
};

/* Ones convolved with ones over 2 channels and 3x3 kernels. */
static pop_status build(struct program *p)
{
    static const size_t field[] = { 5, 5 }, kernel[] = { 3, 3 };
    p->graph = pop_graph_create(pop_device_target(p->device));
    popops_add_codelets(p->graph);
    poplin_add_codelets(p->graph);
    poplin_conv_params params =
        poplin_conv_params_make(POP_FLOAT, POP_FLOAT, 1, (pop_shape){ 2, field }, (pop_shape){ 2, kernel }, 2, 2, 1);
    pop_tensor in = poplin_create_input(p->graph, &params, "in", POP_NO_OPTIONS, NULL);
    pop_tensor weights = poplin_create_weights(p->graph, &params, "weights", POP_NO_OPTIONS, NULL);
    pop_stream from =
        pop_graph_add_host_to_device_fifo(p->graph, "in", POP_FLOAT, IN, POP_STREAM_REPLICATE, POP_NO_OPTIONS);
    pop_stream to = pop_graph_add_device_to_host_fifo(p->graph, "out", POP_FLOAT, OUT, POP_NO_OPTIONS);
    pop_program sequence = pop_sequence(p->graph, "convolve");
    float ones[2 * 2 * 3 * 3];
    for (unsigned i = 0; i < 36; ++i)
        ones[i] = 1;
    pop_graph_set_initial_value(p->graph, weights, POP_FLOAT, ones);
    pop_sequence_add(sequence, pop_copy_from_stream(from, in, false, "in"));
    pop_tensor out =
        poplin_convolution(p->graph, in, weights, &params, false, sequence, "convolution", POP_NO_OPTIONS, NULL);
    pop_sequence_add(sequence, pop_copy_to_stream(out, to, false, "out"));
    pop_status status = pop_graph_take_error(p->graph, &p->error);
    return status != POP_OK ? status
                            : pop_compile_graph(p->graph, POP_PROGRAMS(sequence), POP_NO_OPTIONS, NULL, NULL,
                                                &p->executable, &p->error);
}

static pop_status run(struct program *p)
{
    pop_status status = POP_OK;
    for (unsigned i = 0; i < IN; ++i)
        p->in[i] = 1;
    if (!(p->device =
              pop_ipu_model_create_device(&(pop_ipu_model){ .version = "ipu2", .tiles_per_ipu = TILES }, &p->error)))
        return p->error.status;
#define TRY(call)                                                                                                      \
    if ((status = (call)) != POP_OK)                                                                                   \
    return status
    TRY(build(p));
    TRY(pop_executable_save(p->executable, p->file, &p->error));
    TRY(pop_executable_load(p->file, &p->loaded, &p->error));
    if (!(p->engine = pop_engine_create_from(p->loaded, POP_NO_OPTIONS, &p->error)))
        return p->error.status;
    TRY(pop_engine_connect_stream(p->engine, "in", p->in, &p->error));
    TRY(pop_engine_connect_stream(p->engine, "out", p->out, &p->error));
    TRY(pop_engine_load(p->engine, p->device, &p->error));
    TRY(pop_engine_run(p->engine, 0, &p->error));
    TRY(pop_engine_graph_profile(p->engine, &p->graph_profile, &p->error));
    TRY(pop_engine_execution_profile(p->engine, &p->execution_profile, &p->error));
#undef TRY
    return POP_OK;
}

static void close_program(void *context)
{
    struct program *p = context;
    pop_profile_free(&p->graph_profile);
    pop_profile_free(&p->execution_profile);
    pop_engine_destroy(p->engine);
    pop_executable_destroy(p->loaded);
    pop_executable_destroy(p->executable);
    pop_graph_destroy(p->graph);
    pop_device_destroy(p->device);
    unlink(p->file);
}

/* The result is correct if nothing failed. */
static pop_status run_program(void *context, pop_error *error)
{
    struct program *p = context;
    memset(p, 0, sizeof(*p));
    snprintf(p->file, sizeof(p->file), "host_memory.%ld.exe", (long)getpid());
    pop_status status = run(p);
    *error = p->error;
    if (status == POP_OK)
        for (unsigned i = 0; i < OUT; ++i)
            if (p->out[i] != 18)
                fail_msg("element %u is %g", i, (double)p->out[i]);
    return status;
}

static struct program program;
static const struct memory_program cases = { run_program, NULL, close_program, &program };

static void test_each(void **state)
{
    (void)state;
    memory_failures(&cases, false, 40);
}

static void test_all_from(void **state)
{
    (void)state;
    memory_failures(&cases, true, 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_each), cmocka_unit_test(test_all_from) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
