/* SPDX-License-Identifier: Apache-2.0 */
/* Public calls in the log: with their arguments at INFO, nested calls at DEBUG; nothing at a lower level. */
#include "poplibs/numeric.h"

#include <popnn/codelets.h>
#include <popnn/log_softmax.h>
#include <popnn/pooling.h>
#include <popops/codelets.h>
#include <popops/expr.h>
#include <popops/reduce.h>
#include <poputil/tile_mapping.h>
#include <setjmp.h>
#include <sys/wait.h>
#include <unistd.h>

static char file_name[] = "test_popnn_log.XXXXXX";

/* The log of a process that builds with these variables; the caller frees it. */
static char *logged(const char *variable, const char *level, void (*build)(struct fixture *))
{
    unlink(file_name);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
        setenv(variable, level, 1);
        setenv("POPLIBS_LOG_DEST", file_name, 1);
        struct fixture fixture = fixture_open(FIXTURE_MODEL, 4, NULL);
        build(&fixture);
        const pop_error *error = pop_graph_error(fixture.graph);
        _exit(error ? 1 : 0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    FILE *file = fopen(file_name, "re");
    char *text = calloc(1, 1 << 16);
    if (file) {
        assert_true(fread(text, 1, (1 << 16) - 1, file) < (1 << 16) - 1);
        fclose(file);
    }
    unlink(file_name);
    return text;
}

static void build(struct fixture *fixture)
{
    popnn_add_codelets(fixture->graph);
    popops_add_codelets(fixture->graph);
    pop_tensor t = fixture_input(fixture, POP_FLOAT, POP_SHAPE(6, 4), FIXTURE_LINEAR);
    popops_reduce(fixture->graph, t, POP_TYPE_NULL, POP_DIMS(1), (popops_reduce_params){ .op = POPOPS_MAX },
                  fixture->program, "highest", POP_OPTIONS({ "accumType.inVertex", "float" }));
    popnn_log_softmax(fixture->graph, t, fixture->program, "");
    popnn_pool_params params = { .type = POPNN_POOL_MAX,
                                 .dims = 2,
                                 .input_field = { 2, 2 },
                                 .kernel = { 2, 1 },
                                 .stride = { 1, 1 },
                                 .channels = 3,
                                 .batch = 2,
                                 .data_type = POP_FLOAT };
    popnn_pool(fixture->graph, &params, pop_tensor_reshape(t, POP_SHAPE(2, 3, 2, 2)), fixture->program, "p",
               POP_NO_OPTIONS);
}

static void test_calls_with_their_arguments(void **state)
{
    (void)state;
    char *text = logged("POPLIBS_LOG_LEVEL", "INFO", build);
    assert_non_null(strstr(text, "PL:POPOPS "));
    assert_non_null(strstr(
        text,
        "[INFO] popops_reduce in float{6,4} dims {1} params.op 'MAX' name 'highest' options {accumType.inVertex=float} "
        "("));
    assert_non_null(strstr(text, "test_popnn_log.c:"));
    assert_non_null(strstr(text, "[INFO] popnn_log_softmax t float{6,4} ("));
    assert_non_null(strstr(
        text, "[INFO] popnn_pool params max of float 2x3x(2x2), kernel 2x1, stride 1x1 in float{2,3,2,2} name 'p' ("));
    assert_null(strstr(text, "DEBUG"));
    free(text);
}

static void test_nested_calls_are_logged_as_nested(void **state)
{
    (void)state;
    char *text = logged("POPLIBS_LOG_LEVEL", "DEBUG", build);
    char *outer = strstr(text, "[INFO] popnn_log_softmax"), *inner = strstr(text, "[DEBUG]   popops_");
    assert_true(outer && inner && strstr(outer, "[DEBUG]   popops_"));
    assert_null(strstr(text, "[DEBUG] popops_")); /* never without its caller */
    free(text);
}

static void test_a_library_alone_and_silence(void **state)
{
    (void)state;
    char *text = logged("POPLIBS_POPNN_LOG_LEVEL", "INFO", build);
    assert_true(strstr(text, "PL:POPNN ") && !strstr(text, "PL:POPOPS "));
    free(text);
    text = logged("POPLIBS_LOG_LEVEL", "WARN", build);
    assert_string_equal(text, "");
    free(text);
}

/* ---- calls that a handler of errors leaves ---- */

static void leave(const pop_error *error, void *user)
{
    (void)error;
    longjmp(*(jmp_buf *)user, 1);
}
static void refuse(struct fixture *fixture)
{
    popnn_log_softmax(fixture->graph, (pop_tensor){ 0 }, fixture->program, "wrong");
}
static void fail_and_leave(struct fixture *fixture)
{
    jmp_buf here;
    pop_graph_on_error(fixture->graph, leave, &here);
    if (!setjmp(here))
        refuse(fixture);
}
static void build_after_errors(struct fixture *fixture)
{
    popnn_add_codelets(fixture->graph);
    popops_add_codelets(fixture->graph);
    fail_and_leave(fixture);
    pop_graph_on_error(fixture->graph, NULL, NULL);
    pop_graph_take_error(fixture->graph, NULL);
    popnn_log_softmax(fixture->graph, fixture_input(fixture, POP_FLOAT, POP_SHAPE(6, 4), FIXTURE_LINEAR),
                      fixture->program, "next");
}
static void test_a_call_that_a_handler_leaves(void **state)
{
    (void)state;
    char *text = logged("POPLIBS_LOG_LEVEL", "INFO", build_after_errors);
    assert_non_null(strstr(text, "[INFO] popnn_log_softmax name 'wrong' ("));
    assert_non_null(strstr(text, "[INFO] popnn_log_softmax t float{6,4} name 'next' ("));
    free(text);
}

/* ---- options without effect ---- */

static void build_sums(struct fixture *fixture)
{
    popops_add_codelets(fixture->graph);
    pop_tensor t = fixture_input(fixture, POP_FLOAT, POP_SHAPE(2, 3), FIXTURE_LINEAR);
    for (int i = 0; i < 2; ++i) {
        popops_map(fixture->graph, "_1 + _1", POP_TENSORS(t), fixture->program, "p",
                   POP_OPTIONS({ "enableExpressionOptimizations", "false" }, { "enableGenerateCodelet", "false" }));
        popops_map(fixture->graph, "_1 + _1", POP_TENSORS(t), fixture->program, "p",
                   POP_OPTIONS({ "enableExpressionOptimizations", "true" })); /* the default */
    }
}
static void test_a_call_warns_once(void **state)
{
    (void)state;
    char *text = logged("POPLIBS_LOG_LEVEL", "WARN", build_sums);
    char *line = strstr(text, "[WARN] popops_map: options without effect here: enableExpressionOptimizations\n");
    assert_true(line && !strstr(strchr(line, '\n'), "without effect"));
    assert_null(strstr(text, "enableGenerateCodelet"));
    free(text);
}

static void build_engine(struct fixture *fixture)
{
    pop_error error;
    setenv("POPLAR_SIMULATOR_OPTIONS", "{}", 1);
    pop_engine *engine = pop_engine_create(
        fixture->graph, POP_PROGRAMS(fixture->program),
        POP_OPTIONS({ "debug.trace", "true" }, { "debug.verify", "false" }, { "debug.checkedExecution", "false" },
                    { "target.syncMethod", "polling" }, { "target.hostSyncTimeout", "10" }),
        &error);
    pop_engine_destroy(engine);
}
static void build_streams(struct fixture *fixture)
{
    pop_graph_add_host_to_device_fifo(fixture->graph, "deep", POP_FLOAT, 4, POP_STREAM_REPLICATE,
                                      POP_OPTIONS({ "bufferingDepth", "3" }));
    pop_graph_add_device_to_host_fifo(fixture->graph, "plain", POP_FLOAT, 4, POP_OPTIONS({ "bufferingDepth", "1" }));
}
static void test_a_stream_warns(void **state)
{
    (void)state;
    setenv("POPLAR_LOG_DEST", file_name, 1);
    char *text = logged("POPLAR_LOG_LEVEL", "WARN", build_streams);
    char *line = strstr(text, "[WARN] options without effect here: bufferingDepth\n");
    assert_true(line && !strstr(strchr(line, '\n'), "without effect"));
    free(text);
    unsetenv("POPLAR_LOG_DEST");
}
static void test_an_engine_warns_in_one_line(void **state)
{
    (void)state;
    setenv("POPLAR_LOG_DEST", file_name, 1);
    char *text = logged("POPLAR_LOG_LEVEL", "WARN", build_engine);
    char *line = strstr(
        text, "[WARN] options without effect here: debug.trace, POPLAR_SIMULATOR_OPTIONS (there is no simulator)\n");
    assert_true(line && !strstr(strchr(line, '\n'), "without effect"));
    free(text);
    text = logged("POPLAR_LOG_LEVEL", "INFO", build_engine);
    assert_non_null(strstr(
        text, "[INFO] options for hardware alone, without effect here: target.syncMethod, target.hostSyncTimeout\n"));
    free(text);
    unsetenv("POPLAR_LOG_DEST");
}

int main(void)
{
    close(mkstemp(file_name));
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_calls_with_their_arguments),  cmocka_unit_test(test_nested_calls_are_logged_as_nested),
        cmocka_unit_test(test_a_library_alone_and_silence), cmocka_unit_test(test_a_call_that_a_handler_leaves),
        cmocka_unit_test(test_a_call_warns_once),           cmocka_unit_test(test_a_stream_warns),
        cmocka_unit_test(test_an_engine_warns_in_one_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
