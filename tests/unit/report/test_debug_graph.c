/* SPDX-License-Identifier: Apache-2.0 */
/* debug.cbor: the contents of a graph, and the library calls that created them, with the user's lines. */
#include "graph/store/debug_calls.h"
#include "unit/profile/values.h"

#include "base/file.h"
#include "report/debug_process.h"
#include "report/report.h"

#include <errno.h>

static pop_graph *small_graph(pop_where *call)
{
    pop_target target = pop_target_create_cpu(false, 1);
    pop_graph *graph = pop_graph_create(&target);
    pop_tensor x = pop_graph_add_variable_at((pop_where){ "user.c", 3, 0 }, graph, POP_FLOAT, POP_SHAPE(3, 5), "x");
    pop_option option = { "key", "value" };
    size_t dims[] = { 4, 1 };
    pop_log_argument arguments[] = { { "x", POP_LOG_TENSOR, { .tensor = x } },
                                     { "none", POP_LOG_TENSOR, { .tensor = { 0 } } },
                                     { "list", POP_LOG_TENSORS, { .tensors = { 1, &x } } },
                                     { "dims", POP_LOG_SHAPE, { .shape = { 2, dims } } },
                                     { "type", POP_LOG_TYPE, { .type = POP_HALF } },
                                     { "n", POP_LOG_INTEGER, { .integer = -4 } },
                                     { "u", POP_LOG_UNSIGNED, { .natural = UINT64_MAX } },
                                     { "r", POP_LOG_NUMBER, { .number = 0.1 } },
                                     { "b", POP_LOG_BOOL, { .flag = true } },
                                     { "t", POP_LOG_TEXT, { .text = "text" } },
                                     { "name", POP_LOG_TEXT, { .text = "op" } },
                                     { "log_none()", POP_LOG_NONE, { .text = NULL } },
                                     { "options", POP_LOG_OPTIONS, { .options = { &option, 1 } } } };
    *call = pop_debug_call(graph, (pop_where){ "user.c", 9, 0 }, "poplibs", "popops::f", arguments, 13);
    pop_tensor y = pop_graph_add_variable_at(*call, graph, POP_HALF, POP_SHAPE(2), "op/y");
    pop_debug_result(graph, *call, &(pop_log_argument){ "y", POP_LOG_TENSOR, { .tensor = y } });
    pop_compute_set set = pop_graph_add_compute_set_at(*call, graph, "op/set");
    pop_execute_at(*call, set, "op/run");
    store_number_contexts(graph->store);
    return graph;
}

static pop_profile_value read_file(const char *path)
{
    char *data;
    size_t size;
    pop_profile_value read;
    assert_int_equal(file_read(path, &data, &size, NULL), POP_OK);
    assert_int_equal(pop_profile_read_cbor(data, size, &read, NULL), POP_OK);
    free(data);
    remove(path);
    return read;
}

/* The graph's contexts as a file, read back. */
static pop_profile_value written(const pop_graph *graph)
{
    struct debug_stream stream;
    FILE *file = fopen("test_debug.cbor", "wbe");
    assert_non_null(file);
    debug_stream_begin(&stream, file, POP_DEBUG_CBOR, NULL);
    debug_graph_put(&stream, graph->store);
    assert_true(debug_stream_end(&stream));
    fclose(file);
    return read_file("test_debug.cbor");
}

/* The context with a debug path in a category (a call: NULL). */
static const pop_profile_value *context_of(const pop_profile_value *file, const char *category, const char *name)
{
    const pop_profile_value *contexts = pop_profile_get(file, "contexts"),
                            *strings = pop_profile_get(file, "stringTable");
    for (size_t i = 0; i < pop_profile_size(contexts); ++i) {
        const pop_profile_value *context = pop_profile_at(contexts, i), *kind = pop_profile_get(context, "category");
        const char *path =
            pop_profile_as_string(pop_profile_at(strings, pop_profile_as_uint(pop_profile_get(context, "name"))));
        if (!strcmp(path, name) && (category ? kind && !strcmp(pop_profile_as_string(kind), category) : !kind))
            return context;
    }
    fail_msg("no context '%s'", name);
    return NULL;
}

static void calls_have_arguments_results_and_lines(void **state)
{
    (void)state;
    pop_where call;
    pop_graph *graph = small_graph(&call);
    pop_profile_value file = written(graph);
    const pop_profile_value *f = context_of(&file, NULL, "op");
    char *args = json_of(pop_profile_get(f, "args"));
    assert_string_equal(
        args,
        "{\"b\":true,\"dims\":\"[4, 1]\",\"list\":[{\"shape\":\"[3, 5]\",\"type\":\"float\"}],\"n\":-4,\"none\":null,"
        "\"options\":{\"key\":\"value\"},\"r\":0.1,\"t\":\"text\",\"type\":\"half\",\"u\":18446744073709551615,"
        "\"x\":{\"shape\":\"[3, 5]\",\"type\":\"float\"}}");
    char *outputs = json_of(pop_profile_get(f, "outputs"));
    assert_string_equal(outputs, "{\"y\":{\"shape\":\"[2]\",\"type\":\"half\"}}");
    assert_string_equal(pop_profile_as_string(pop_profile_get(f, "api")), "popops::f");
    assert_string_equal(pop_profile_as_string(pop_profile_get(f, "layer")), "poplibs");
    assert_int_equal(pop_profile_as_int(pop_profile_path(f, "location.lineNumber")), 9);
    free(args);
    free(outputs);
    pop_profile_free(&file);
    pop_graph_destroy(graph);
}

static void elements_of_a_graph_have_their_call_as_parent(void **state)
{
    (void)state;
    pop_where call;
    pop_graph *graph = small_graph(&call);
    pop_profile_value file = written(graph);
    const pop_profile_value *x = context_of(&file, "variable", "x"), *y = context_of(&file, "variable", "op/y"),
                            *set = context_of(&file, "computeset", "op/set"),
                            *run = context_of(&file, "program", "op/run");
    assert_null(pop_profile_get(x, "parentId"));
    assert_int_equal(pop_profile_as_uint(pop_profile_get(x, "id")), graph->store->contexts.variables);
    assert_int_equal(pop_profile_as_uint(pop_profile_get(y, "id")), graph->store->contexts.variables + 1);
    assert_int_equal(pop_profile_as_uint(pop_profile_get(y, "elements")), 2);
    assert_int_equal(pop_profile_as_uint(pop_profile_get(y, "parentId")), call.context);
    assert_int_equal(pop_profile_as_uint(pop_profile_get(set, "parentId")), call.context);
    assert_int_equal(pop_profile_as_uint(pop_profile_get(run, "parentId")), call.context);
    assert_int_equal(pop_profile_as_uint(pop_profile_get(run, "computeSet")),
                     pop_profile_as_uint(pop_profile_get(set, "id")));
    pop_profile_free(&file);
    pop_graph_destroy(graph);
}

static void an_open_file_gets_the_graph_too(void **state)
{
    (void)state;
    pop_where call;
    pop_graph *graph = small_graph(&call);
    debug_graph_stream(graph->store); /* no file is open: no call */
    assert_int_equal(pop_debug_open("test_debug.stream", POP_DEBUG_CBOR, NULL), POP_OK);
    pop_debug_write(&(pop_debug_record){ .id = pop_debug_new_id(), .layer = "framework", .name = "model" });
    debug_graph_stream(graph->store);
    assert_int_equal(pop_debug_close(NULL), POP_OK);
    pop_profile_value file = read_file("test_debug.stream");
    context_of(&file, NULL, "model");
    context_of(&file, "variable", "op/y");
    pop_profile_free(&file);
    pop_graph_destroy(graph);
}

static void a_file_that_cannot_be_written_is_an_error(void **state)
{
    (void)state;
    pop_where call;
    pop_graph *graph = small_graph(&call);
    pop_error error = { 0 };
    struct debug_added added;
    assert_int_equal(debug_process_add("no/such", "no/such/debug_0.cbor", graph->store, &added, &error),
                     POP_FILE_LOAD_ERROR);
    assert_non_null(strstr(error.text, "no/such/debug_0.cbor"));
    pop_graph_destroy(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_have_arguments_results_and_lines),
        cmocka_unit_test(elements_of_a_graph_have_their_call_as_parent),
        cmocka_unit_test(an_open_file_gets_the_graph_too),
        cmocka_unit_test(a_file_that_cannot_be_written_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
