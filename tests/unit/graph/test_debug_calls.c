/* SPDX-License-Identifier: Apache-2.0 */
/* Library calls are recorded, and additions to the graph belong to their call. */
#include "graph/store/store.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static pop_graph *new_graph(void)
{
    pop_target target = pop_target_create_cpu(false, 1);
    return pop_graph_create(&target);
}

static void additions_of_a_call_have_its_context(void **state)
{
    (void)state;
    pop_graph *graph = new_graph();
    pop_tensor x = pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(3, 5), "x");
    pop_where user = { "user.c", 7, 0 };
    pop_log_argument arguments[] = {
        { "x", POP_LOG_TENSOR, { .tensor = x } },
        { "axis", POP_LOG_INTEGER, { .integer = -1 } },
        { "name", POP_LOG_TEXT, { .text = "path" } },
        { "log_it(2, options)", POP_LOG_OPTIONS, { .options = POP_OPTIONS({ "a", "b" }) } }
    };
    pop_where outer = pop_debug_call(graph, user, "poplibs", "lib::outer", arguments, 4);
    assert_int_not_equal(outer.context, 0);
    assert_int_equal(outer.line, 7);
    pop_where inner = pop_debug_call(graph, outer, "poplibs", "lib::inner", NULL, 0);
    pop_graph_add_variable_at(inner, graph, POP_FLOAT, POP_SHAPE(2), "made");
    pop_store *store = graph->store;
    assert_int_equal(store->wheres.data[store->variables.data[0].where].context, 0);
    assert_int_equal(store->wheres.data[store->variables.data[1].where].context, inner.context);
    assert_int_equal(store->calls.calls.count, 2);
    assert_int_equal(store->calls.calls.data[0].parent, 0);
    assert_int_equal(store->calls.calls.data[1].parent, outer.context);
    const struct debug_value *value = &store->calls.values.data[store->calls.calls.data[0].arguments - 1];
    assert_string_equal(store_name(store, value->name), "x");
    const uint64_t *words = store->calls.words.data + value->first;
    assert_int_equal(value->count, 4);
    assert_true(words[0] == POP_FLOAT && words[1] == 2 && words[2] == 3 && words[3] == 5);
    value = &store->calls.values.data[value->next - 1];
    assert_string_equal(store_name(store, value->name), "axis");
    assert_int_equal((int64_t)store->calls.words.data[value->first], -1);
    value = &store->calls.values.data[value->next - 1];
    assert_string_equal(store_name(store, (uint32_t)store->calls.words.data[value->first]), "a");
    assert_int_equal(value->next, 0);
    pop_graph_destroy(graph);
}

static void results_belong_to_their_call(void **state)
{
    (void)state;
    pop_graph *graph = new_graph();
    pop_where where = { "user.c", 8, 0 };
    pop_log_argument none = { "nothing", POP_LOG_TENSOR, { .tensor = { 0 } } },
                     name = { "y", POP_LOG_TEXT, { .text = NULL } };
    pop_debug_result(graph, where, &name); /* no call: no record */
    where = pop_debug_call(graph, where, "poplibs", "lib::f", NULL, 0);
    pop_debug_call(graph, where, "poplibs", "lib::g", NULL, 0);
    pop_debug_result(graph, where, &none);
    pop_debug_result(graph, where, &name);
    const struct debug_calls *calls = &graph->store->calls;
    assert_int_equal(calls->calls.data[1].results, 0);
    const struct debug_value *value = &calls->values.data[calls->calls.data[0].results - 1];
    assert_string_equal(store_name(graph->store, value->name), "y");
    assert_int_equal(calls->values.data[value->next - 1].count, 0);
    assert_int_equal(pop_debug_call(NULL, (pop_where){ 0 }, "l", "f", NULL, 0).context, 0);
    pop_graph_destroy(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(additions_of_a_call_have_its_context),
                                        cmocka_unit_test(results_belong_to_their_call) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
