/* SPDX-License-Identifier: Apache-2.0 */
/* debug.cbor: from a compute set to the library call that made it, its arguments and the user's line. */
#include "poplibs/numeric.h"

#include <poplar/debug.h>
#include <popops/cast.h>
#include <popops/codelets.h>

static const char path[] = "test_popops_debug.json";

static pop_profile_value read_contexts(void)
{
    pop_profile_value value = { 0 };
    char *text = NULL;
    size_t size = 0;
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    ssize_t length = getdelim(&text, &size, 0, file);
    fclose(file);
    assert_true(length > 0);
    assert_int_equal(pop_profile_read_json(text, (size_t)length, &value, NULL), POP_OK);
    free(text);
    remove(path);
    return value;
}

static const pop_profile_value *find(const pop_profile_value *file, const char *key, const char *text)
{
    const pop_profile_value *contexts = pop_profile_get(file, "contexts");
    for (size_t i = 0; i < pop_profile_size(contexts); ++i) {
        const pop_profile_value *context = pop_profile_at(contexts, i), *value = pop_profile_get(context, key);
        if (value && !strcmp(pop_profile_as_string(value), text))
            return context;
    }
    fail_msg("no context whose %s is '%s'", key, text);
    return NULL;
}

static void a_compute_set_leads_to_its_call(void **state)
{
    (void)state;
    pop_target target = pop_target_create_cpu(false, 1);
    pop_graph *graph = pop_graph_create(&target);
    popops_add_codelets(graph);
    pop_tensor x = pop_graph_add_variable_mapped(graph, POP_HALF, POP_SHAPE(3, 5), POP_MAPPING_LINEAR, "x");
    pop_program sequence = pop_sequence(graph, NULL);
    int line = __LINE__ + 1;
    popops_cast(graph, x, POP_FLOAT, sequence, "layer/cast");
    pop_executable *executable;
    pop_error error;
    assert_int_equal(pop_debug_open(path, POP_DEBUG_JSON, NULL), POP_OK);
    if (pop_compile_graph(graph, (pop_programs){ 1, &sequence }, POP_NO_OPTIONS, NULL, NULL, &executable, &error) !=
        POP_OK)
        fail_msg("%s", error.text);
    assert_int_equal(pop_debug_close(NULL), POP_OK);
    pop_profile_value file = read_contexts();
    const pop_profile_value *call = find(&file, "api", "popops_cast"), *set = find(&file, "category", "computeset");
    assert_int_equal(pop_profile_as_uint(pop_profile_get(set, "parentId")),
                     pop_profile_as_uint(pop_profile_get(call, "id")));
    assert_string_equal(pop_profile_as_string(pop_profile_path(call, "args.in.shape")), "[3, 5]");
    assert_string_equal(pop_profile_as_string(pop_profile_path(call, "args.in.type")), "half");
    assert_string_equal(pop_profile_as_string(pop_profile_path(call, "args.type")), "float");
    assert_int_equal(pop_profile_as_int(pop_profile_path(call, "location.lineNumber")), line);
    const pop_profile_value *strings = pop_profile_get(&file, "stringTable");
    assert_string_equal(
        pop_profile_as_string(pop_profile_at(strings, pop_profile_as_uint(pop_profile_get(call, "name")))),
        "layer/cast");
    pop_profile_free(&file);
    pop_executable_destroy(executable);
    pop_graph_destroy(graph);
}

/* Debug paths of deep networks are longer than any fixed buffer. */
static void long_debug_paths_are_kept(void **state)
{
    (void)state;
    enum { LONG = 1000 };
    char prefix[LONG + 1];
    memset(prefix, 'n', LONG);
    prefix[LONG] = 0;
    pop_target target = pop_target_create_cpu(false, 1);
    pop_graph *graph = pop_graph_create(&target);
    popops_add_codelets(graph);
    pop_tensor x = pop_graph_add_variable_mapped(graph, POP_HALF, POP_SHAPE(3, 5), POP_MAPPING_LINEAR, "x");
    pop_program sequence = pop_sequence(graph, NULL);
    popops_cast(graph, x, POP_FLOAT, sequence, prefix);
    pop_executable *executable;
    assert_int_equal(pop_debug_open(path, POP_DEBUG_JSON, NULL), POP_OK);
    assert_int_equal(
        pop_compile_graph(graph, (pop_programs){ 1, &sequence }, POP_NO_OPTIONS, NULL, NULL, &executable, NULL),
        POP_OK);
    assert_int_equal(pop_debug_close(NULL), POP_OK);
    pop_profile_value file = read_contexts();
    const pop_profile_value *set = find(&file, "category", "computeset"),
                            *strings = pop_profile_get(&file, "stringTable");
    const char *name =
        pop_profile_as_string(pop_profile_at(strings, pop_profile_as_uint(pop_profile_get(set, "name"))));
    assert_true(strlen(name) > LONG + 1);
    assert_memory_equal(name, prefix, LONG);
    assert_int_equal(name[LONG], '/');
    pop_profile_free(&file);
    pop_executable_destroy(executable);
    pop_graph_destroy(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_compute_set_leads_to_its_call),
                                        cmocka_unit_test(long_debug_paths_are_kept) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
