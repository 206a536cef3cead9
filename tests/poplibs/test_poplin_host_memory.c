/* SPDX-License-Identifier: Apache-2.0 */
/* Without host memory: a program with a convolution, streams, an executable saved and loaded, and a profile, in which
 * the n-th allocation fails, or all from the n-th on.  Every call reports it, everything can be destroyed, and nothing
 * is leaked (the leak check of AddressSanitizer looks after each round). */
#include "poplibs/fixture.h"
#include "rounds.h"

#include <poplar/memory.h>
#include <poplin/codelets.h>
#include <poplin/convolution.h>
#include <popops/codelets.h>
#include <time.h>
#include <unistd.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#else
static int __lsan_do_recoverable_leak_check(void)
{
    return 0;
}
#endif

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

static void close_program(struct program *p)
{
    pop_profile_free(&p->graph_profile);
    pop_profile_free(&p->execution_profile);
    pop_engine_destroy(p->engine);
    pop_executable_destroy(p->loaded);
    pop_executable_destroy(p->executable);
    pop_graph_destroy(p->graph);
    pop_device_destroy(p->device);
    unlink(p->file);
}

/* One round; returns how many allocations it was short of the one that was to fail: 0 when that one failed. */
static size_t round_of(size_t call, bool onwards)
{
    struct program p = { .graph_profile = { 0 } };
    snprintf(p.file, sizeof(p.file), "host_memory.%ld.exe", (long)getpid());
    pop_memory_fail(call, onwards);
    pop_status status = run(&p);
    size_t left = pop_memory_fail(0, false);
    if (onwards && left == 1)
        left = status == POP_OK;
    if (status == POP_OK)
        for (unsigned i = 0; i < OUT; ++i)
            if (p.out[i] != 18)
                fail_msg("allocation %zu: element %u is %g", call, i, (double)p.out[i]);
    if (!left && status == POP_OK)
        fail_msg("allocation %zu failed, and no call said so", call);
    if (left && status != POP_OK)
        fail_msg("allocation %zu was not reached: %s: %s", call, p.error.api, p.error.text);
    if (status != POP_OK && !strstr(p.error.text, "host memory"))
        fail_msg("allocation %zu: the message is '%s'", call, p.error.text);
    close_program(&p);
    if (pop_memory_reserve_in_use() || __lsan_do_recoverable_leak_check())
        fail_msg("allocation %zu%s: %zu blocks of the reserve are in use", call, onwards ? " and all after it" : "",
                 pop_memory_reserve_in_use());
    return left;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* The first dense allocations one by one, those behind them in steps that grow; or, without time for all of them, as
 * many as there is time for, spread evenly. */
static void test_failures(bool onwards, double limit)
{
    const char *all = getenv("TREMULA_ALL_ALLOCATIONS");
    enum { DENSE = 5000, FAR = 1 << 30 };
    round_of(FAR, false); /* what is kept for the life of the process */
    size_t total = FAR - round_of(FAR, false), rounds_done = 0;
    double begin = seconds();
    round_of(FAR, false);
    double each = seconds() - begin;
    size_t step = all ? 1 : 1 + (size_t)((double)total * each / limit);
    for (size_t call = 1 + (onwards ? step / 2 : 0); call <= total; ++rounds_done) {
        round_of(call, onwards);
        call += !all || call < DENSE ? step : 1 + call / 200;
    }
    print_message("%zu allocations, %zu rounds of %.0f ms\n", total, rounds_done, 1e3 * each);
}

static void test_each(void **state)
{
    (void)state;
    test_failures(false, 8);
}

static void test_all_from(void **state)
{
    (void)state;
    test_failures(true, 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_each), cmocka_unit_test(test_all_from) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
