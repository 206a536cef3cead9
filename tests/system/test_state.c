/* SPDX-License-Identifier: Apache-2.0 */
/* Lifetime of state: between runs and programs, initial values at each load, executables in another process. */
#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void programs_share_state_between_runs(struct fixture *w)
{
    pop_tensor a = fixture_variable(w, POP_INT, POP_SHAPE(3), "a"), b = fixture_variable(w, POP_INT, POP_SHAPE(3), "b");
    fixture_start(w, POP_PROGRAMS(pop_copy(a, b, false, NULL),
                                  pop_copy(pop_tensor_slice(b, 1, 3, 0), pop_tensor_slice(a, 0, 2, 0), false, NULL)));
    FIXTURE_PUT(w, "a", ((const int[]){ 1, 2, 3 }));
    fixture_run(w, 0);
    fixture_run(w, 1);
    fixture_run(w, 0);
    fixture_run(w, 1);
    FIXTURE_INTS(w, "a", 3, 3, 3);
    FIXTURE_INTS(w, "b", 2, 3, 3);
}

static void a_load_restores_initial_values(struct fixture *w)
{
    pop_tensor v = fixture_variable(w, POP_FLOAT, POP_SHAPE(2, 2), "v"),
               h = fixture_variable(w, POP_HALF, POP_SHAPE(2), "h");
    pop_tensor u = fixture_variable(w, POP_INT, POP_SHAPE(2), "u");
    pop_graph_set_initial_value(w->graph, pop_tensor_transpose(v), POP_DOUBLE, ((const double[]){ 1, 2, 3, 4 }));
    pop_graph_set_initial_fill(w->graph, pop_tensor_at(pop_tensor_at(v, 1), 1), POP_INT, &(const int){ 9 });
    pop_graph_set_initial_half(w->graph, h, ((const uint16_t[]){ 0x3c00, 0xc000 }));
    fixture_start(w, POP_PROGRAMS(pop_sequence(w->graph, NULL)));
    for (int load = 0; load < 2; ++load) {
        FIXTURE_FLOATS(w, "v", 1, 3, 2, 9);
        fixture_expect(w, "h", POP_HALF, ((const uint16_t[]){ 0x3c00, 0xc000 }), 4);
        FIXTURE_INTS(w, "u", 0, 0);
        FIXTURE_PUT(w, "v", ((const float[]){ 5, 5, 5, 5 }));
        FIXTURE_PUT(w, "u", ((const int[]){ 6, 6 }));
        pop_error error = { 0 };
        must(pop_engine_load(w->engine, w->device, &error), &error);
    }
    pop_tensor zero = pop_tensor_slice(u, 0, 0, 0); /* zero elements have an initial value too */
    pop_graph_set_initial_value(w->graph, zero, POP_INT, NULL);
    must_build(w);
}

static void two_engines_of_one_graph_do_not_share(struct fixture *w)
{
    pop_tensor v = fixture_variable(w, POP_INT, POP_SHAPE(2), "v");
    pop_program swap = pop_copy(pop_tensor_reverse(v, 0), v, false, NULL);
    fixture_start(w, POP_PROGRAMS(swap));
    struct fixture other = *w;
    other.engine = NULL;
    fixture_start(&other, POP_PROGRAMS(swap));
    FIXTURE_PUT(w, "v", ((const int[]){ 1, 2 }));
    FIXTURE_PUT(&other, "v", ((const int[]){ 3, 4 }));
    fixture_run(w, 0);
    FIXTURE_INTS(w, "v", 2, 1);
    FIXTURE_INTS(&other, "v", 3, 4);
    pop_engine_destroy(other.engine);
    fixture_run(w, 0);
    FIXTURE_INTS(w, "v", 1, 2);
}

static void an_executable_outlives_its_graph(struct fixture *w)
{
    pop_tensor v = fixture_variable(w, POP_INT, POP_SHAPE(2), "v");
    pop_graph_set_initial_value(w->graph, v, POP_INT, ((const int[]){ 1, 2 }));
    pop_executable *executable = NULL;
    pop_error error = { 0 };
    must(pop_compile_graph(w->graph, POP_PROGRAMS(pop_copy(pop_tensor_reverse(v, 0), v, false, NULL)), POP_NO_OPTIONS,
                           NULL, NULL, &executable, &error),
         &error);
    pop_graph_destroy(w->graph);
    w->graph = NULL;
    w->engine = pop_engine_create_from(executable, POP_NO_OPTIONS, &error);
    must(error.status, &error);
    pop_executable_destroy(executable);
    must(pop_engine_load_and_run(w->engine, w->device, 0, &error), &error);
    FIXTURE_INTS(w, "v", 2, 1);
}

static void count_progress(int done, int total, void *user)
{
    int *last = user;
    assert_true(done >= *last && done <= total);
    *last = done;
}

static void progress_goes_from_zero_to_the_total(struct fixture *w)
{
    pop_tensor v = fixture_variable(w, POP_INT, POP_SHAPE(2), "v");
    pop_executable *executable = NULL;
    pop_error error = { 0 };
    int last = 0;
    must(pop_compile_graph(w->graph, POP_PROGRAMS(pop_write_undef(v, NULL)), POP_NO_OPTIONS, count_progress, &last,
                           &executable, &error),
         &error);
    assert_true(last > 0);
    pop_executable_destroy(executable);
}

/* ---- the same program in another process, which has no graph ---- */

enum { HISTORY = 4 };

/* v = v reversed, k times; the stream sends k, prints show v; a vertex adds 1 to each. */
static void build_for_the_child(struct fixture *w, const char *path)
{
    fixture_codelets(w);
    pop_tensor v = fixture_variable(w, POP_FLOAT, POP_SHAPE(3), "v"),
               more = fixture_variable(w, POP_BOOL, POP_SHAPE(HISTORY), "more");
    pop_graph_set_initial_value(w->graph, v, POP_INT, ((const int[]){ 1, 2, 3 }));
    pop_stream in =
        pop_graph_add_host_to_device_fifo(w->graph, "in", POP_BOOL, HISTORY, POP_STREAM_REPLICATE, POP_NO_OPTIONS);
    pop_compute_set set = pop_graph_add_compute_set(w->graph, "set");
    pop_graph_connect(w->graph, fixture_vertex(w, set, "AddOne", 1), "data", pop_tensor_reverse(v, 0));
    pop_tensor rest = pop_tensor_slice(more, 1, HISTORY, 0), first = pop_tensor_slice(more, 0, 1, 0);
    pop_program shift = pop_copy(pop_tensor_concat(POP_TENSORS(rest, first), 0), more, false, NULL);
    pop_program body = pop_sequence_of(
        w->graph, POP_PROGRAMS(pop_execute(set, NULL), pop_copy(pop_tensor_reverse(v, 0), v, false, NULL), shift),
        NULL);
    pop_program loop = pop_repeat_while_true(pop_sequence(w->graph, NULL), pop_tensor_at(more, 0), body, NULL);
    pop_program main = pop_sequence_of(
        w->graph, POP_PROGRAMS(pop_copy_from_stream(in, more, false, NULL), loop, pop_print_tensor("v", v, NULL)),
        NULL);
    pop_executable *executable = NULL;
    pop_error error = { 0 };
    must_build(w);
    must(pop_compile_graph(w->graph, POP_PROGRAMS(main),
                           POP_OPTIONS({ "debug.checkedExecution", w->checked ? "true" : "false" }), NULL, NULL,
                           &executable, &error),
         &error);
    must(pop_executable_save(executable, path, &error), &error);
    pop_executable_destroy(executable);
}

/* In the child: 0 if all is correct. */
static int child(const char *path)
{
    pop_error error = { 0 };
    pop_executable *executable = NULL;
    uint8_t more[HISTORY] = { 1, 1, 1, 0 };
    float v[3] = { 0 };
    char *text = NULL;
    size_t size = 0;
    if (pop_executable_load(path, &executable, &error)) {
        pop_error_print(&error);
        return 2;
    }
    pop_device *device = pop_device_create(pop_executable_target(executable), &error);
    pop_engine *engine = device ? pop_engine_create_from(executable, POP_NO_OPTIONS, &error) : NULL;
    FILE *file = open_memstream(&text, &size);
    pop_engine_set_print_stream(engine, file);
    bool ok = engine && !pop_engine_load(engine, device, &error) &&
              !pop_engine_connect_stream(engine, "in", more, &error) && !pop_engine_run(engine, 0, &error) &&
              !pop_engine_read_tensor(engine, "v", v, sizeof(v), &error);
    pop_engine_destroy(engine);
    pop_device_destroy(device);
    fclose(file);
    if (!ok)
        pop_error_print(&error);
    ok = ok && v[0] == 6 && v[1] == 5 && v[2] == 4 && strncmp(text, "v: ", 3) == 0 && strstr(text, "6") &&
         pop_executable_num_programs(executable) == 1;
    if (!ok)
        fprintf(stderr, "v is {%g,%g,%g}, printed '%s'\n", v[0], v[1], v[2], text);
    pop_executable_destroy(executable);
    free(text);
    return ok ? 0 : 1;
}

static void an_executable_runs_in_another_process(struct fixture *w)
{
    char path[] = "system_state_XXXXXX", program[4096];
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    build_for_the_child(w, path);
    ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
    assert_true(length > 0);
    program[length] = 0;
    pid_t pid = fork();
    if (pid == 0) {
        execl(program, program, "--child", path, (char *)NULL);
        _exit(127);
    }
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    unlink(path);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--child") == 0)
        return child(argv[2]);
    const struct CMUnitTest tests[] = {
        SCENARIO(programs_share_state_between_runs),     SCENARIO(a_load_restores_initial_values),
        SCENARIO(two_engines_of_one_graph_do_not_share), SCENARIO(an_executable_outlives_its_graph),
        SCENARIO(progress_goes_from_zero_to_the_total),  SCENARIO(an_executable_runs_in_another_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
