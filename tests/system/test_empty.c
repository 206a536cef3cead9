/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors without elements whose other dimensions are huge: no loop runs over a dimension of such a tensor, and
 * compiled programs can be saved and read. */
#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SECONDS = 60 }; /* a loop over a dimension would take centuries */

static void views(struct fixture *w, pop_tensor t)
{
    assert_int_equal(pop_tensor_num_elements(t), 0);
    pop_tensor turned = pop_tensor_transpose(t),
               copy = pop_graph_clone(w->graph, POP_FLOAT, t, POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES, NULL);
    pop_tensor flat = pop_tensor_flatten(t), again = pop_tensor_reshape(flat, POP_SHAPE(0, SIZE_MAX));
    pop_tensor slice = pop_tensor_slice(turned, 0, 0, 0), reversed = pop_tensor_reverse(t, 0),
               wide = pop_tensor_broadcast(t, 3, 1);
    pop_tensor both = pop_tensor_concat(POP_TENSORS(t, copy), 1);
    pop_tensor all[] = { t, turned, copy, flat, again, slice, reversed, wide, both };
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); ++i) {
        must_build(w);
        bool complete = false;
        pop_interval_lists mapping = { 0 };
        pop_interval *regions = NULL;
        char text[256];
        assert_true(pop_graph_get_tile_mapping(w->graph, all[i], &complete, &mapping));
        assert_true(complete);
        pop_interval_lists_free(&mapping);
        assert_int_equal(pop_tensor_contiguous_regions(all[i], &regions), 0);
        free(regions);
        assert_false(pop_tensor_contains_aliases(all[i]));
        assert_true(pop_tensor_is_contiguous(all[i]));
        assert_false(pop_tensor_intersects(all[i], t));
        assert_true(pop_tensor_to_string(all[i], text, sizeof(text)) > 0);
    }
}

static void huge_dimensions(struct fixture *w)
{
    alarm(SECONDS);
    pop_tensor t = fixture_variable(w, POP_FLOAT, POP_SHAPE(SIZE_MAX, 0), "t"),
               n = fixture_variable(w, POP_INT, POP_SHAPE(SIZE_MAX, SIZE_MAX, 0), "n");
    pop_tensor other = fixture_variable(w, POP_FLOAT, POP_SHAPE(0, SIZE_MAX), "other"),
               one = fixture_variable(w, POP_FLOAT, POP_SHAPE(1), "one");
    pop_tensor constant = fixture_constant(w, POP_FLOAT, POP_SHAPE(0, SIZE_MAX / 2), 1);
    views(w, t);
    pop_stream in =
        pop_graph_add_host_to_device_fifo(w->graph, "in", POP_FLOAT, 0, POP_STREAM_REPLICATE, POP_NO_OPTIONS);
    pop_stream out = pop_graph_add_device_to_host_fifo(w->graph, "out", POP_FLOAT, 0, POP_NO_OPTIONS);
    pop_print_format plain = pop_print_format_plain(), guide = pop_print_format_guide();
    pop_program program = pop_sequence(w->graph, NULL);
    pop_sequence_add(program, pop_print_tensor("t", t, NULL));
    pop_sequence_add(program, pop_print_tensor_format("g", t, guide, NULL));
    pop_sequence_add(program, pop_print_tensor_format("p", other, plain, NULL));
    pop_sequence_add(program, pop_print_tensor("n", n, NULL));
    pop_sequence_add(program, pop_print_tensor("c", constant, NULL));
    pop_sequence_add(program, pop_copy(pop_tensor_flatten(t), pop_tensor_flatten(other), false, NULL));
    pop_sequence_add(program, pop_copy_from_stream(in, t, false, NULL));
    pop_sequence_add(program, pop_copy_to_stream(other, out, false, NULL));
    pop_sequence_add(program, pop_print_tensor("one", one, NULL));
    must_build(w);
    fixture_start(w, POP_PROGRAMS(program));
    pop_error error;
    float nothing = 0;
    must(pop_engine_connect_stream(w->engine, "in", &nothing, &error), &error);
    must(pop_engine_connect_stream(w->engine, "out", &nothing, &error), &error);
    fixture_put(w, "t", &nothing, 0);
    fixture_get(w, "t", &nothing, 0);
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    pop_engine_set_print_stream(w->engine, file);
    fixture_run(w, 0);
    pop_engine_set_print_stream(w->engine, NULL);
    fclose(file);
    assert_string_equal(text, "t: []\ng: {}\np: \nn: []\nc: []\none: [0.0000000]\n");
    free(text);
    alarm(0);
}

/* A compiled program is read again. */
static void saved_and_loaded(struct fixture *w)
{
    alarm(SECONDS);
    pop_tensor t = fixture_variable(w, POP_HALF, POP_SHAPE(3, SIZE_MAX, 0), "t");
    pop_executable *executable = NULL, *again = NULL;
    pop_error error;
    must(pop_compile_graph(w->graph, POP_PROGRAMS(pop_print_tensor("t", t, NULL)), POP_NO_OPTIONS, NULL, NULL,
                           &executable, &error),
         &error);
    FILE *file = tmpfile();
    assert_non_null(file);
    must(pop_executable_write(executable, file, &error), &error);
    rewind(file);
    must(pop_executable_read(file, &again, &error), &error);
    fclose(file);
    pop_executable_destroy(again);
    pop_executable_destroy(executable);
    alarm(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { SCENARIO(huge_dimensions), SCENARIO(saved_and_loaded) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
