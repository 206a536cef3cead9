/* SPDX-License-Identifier: Apache-2.0 */
/* Options that name a file write it, or are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <poplar/poplar.h>

static pop_status compile(const char *key, const char *value, bool cpu, pop_error *error)
{
    pop_device *device =
        cpu ? pop_cpu_device_create(NULL)
            : pop_ipu_model_create_device(&(pop_ipu_model){ .version = "ipu2", .tiles_per_ipu = 3 }, NULL);
    pop_graph *graph = pop_graph_create(pop_device_target(device));
    pop_tensor a = pop_graph_add_variable_mapped(graph, POP_FLOAT, POP_SHAPE(5), POP_MAPPING_LINEAR, "a");
    pop_program program = pop_copy(a, pop_tensor_reverse(a, 0), false, "copy");
    pop_option option = { key, value };
    pop_executable *executable;
    pop_status status = pop_compile_graph(graph, (pop_programs){ 1, &program }, (pop_options){ &option, 1 }, NULL, NULL,
                                          &executable, error);
    pop_executable_destroy(executable);
    pop_graph_destroy(graph);
    pop_device_destroy(device);
    return status;
}

static void expect_file(const char *key, const char *begin)
{
    pop_error error;
    char text[64] = "";
    if (compile(key, "test_named.out", false, &error) != POP_OK)
        fail_msg("%s", error.text);
    FILE *file = fopen("test_named.out", "rb");
    assert_non_null(file);
    assert_true(fread(text, 1, sizeof(text) - 1, file) > strlen(begin));
    fclose(file);
    remove("test_named.out");
    assert_memory_equal(text, begin, strlen(begin));
    assert_int_equal(compile(key, "no/such/directory/x", false, &error), POP_FILE_LOAD_ERROR);
    assert_non_null(strstr(error.text, "no/such/directory/x"));
}

static void files_are_written(void **state)
{
    (void)state;
    expect_file("target.saveArchive", "!<arch>\n");
    expect_file("target.saveOutputVertexGraph", "digraph");
}

static void others_are_refused(void **state)
{
    (void)state;
    pop_error error;
    assert_int_equal(compile("debug.traceFile", "trace.txt", false, &error), POP_INVALID_OPTION);
    assert_non_null(strstr(error.text, "debug.traceFile is 'trace.txt'"));
    assert_int_equal(compile("debug.cborFile", "x.cbor", false, &error), POP_INVALID_OPTION);
    assert_int_equal(compile("target.saveArchive", "test_named.a", true, &error),
                     POP_FILE_LOAD_ERROR); /* a CPU has no tile memory */
    assert_null(fopen("test_named.a", "rb"));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(files_are_written), cmocka_unit_test(others_are_refused) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
