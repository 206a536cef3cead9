/* SPDX-License-Identifier: Apache-2.0 */
/* The compiler's threads: the executable has the same bytes with any number of threads. */
#include "fixture.h"
#include "image/file.h"

#include <stdlib.h>

/* Enough vertices to start threads, and more steps than one batch of the exchange has. */
enum { TILES = 64, SETS = 300, VERTICES = 40, ELEMENTS = 4 * VERTICES };

static pop_tensor spread(struct fixture *f, unsigned shift, const char *name)
{
    pop_tensor t = pop_graph_add_variable(f->graph, POP_FLOAT, POP_SHAPE(ELEMENTS), name);
    for (unsigned i = 0; i < VERTICES; ++i)
        pop_graph_set_tile_mapping(f->graph, pop_tensor_slice(t, 4 * i, 4 * i + 4, 0), (i * 7 + shift) % TILES);
    return t;
}

/* In turn: vertices that read from other tiles, gathered rows, results that are sent to other tiles, and copies; tiles
 * have different work. */
static pop_program steps(struct fixture *f)
{
    pop_program sequence = pop_sequence(f->graph, "steps");
    pop_tensor in = spread(f, 0, "in");
    for (unsigned s = 0; s < SETS; ++s) {
        char name[32];
        snprintf(name, sizeof(name), "set%u", s);
        pop_compute_set set = pop_graph_add_compute_set(f->graph, name);
        pop_tensor out = spread(f, s % 5, name), moved = spread(f, 3 * s, "moved");
        for (unsigned i = 0; i < VERTICES; ++i) {
            unsigned from = (i * (s + 1)) % (ELEMENTS - 4);
            in_out(f, set, "Map", (i + s) % TILES, pop_tensor_slice(in, from, from + 1 + i % 4, 0),
                   pop_tensor_slice(out, 4 * i, 4 * i + 1 + i % 4, 0));
        }
        pop_sequence_add(sequence, pop_execute(set, NULL));
        pop_sequence_add(sequence, pop_copy(pop_tensor_reverse(out, 0), moved, false, "moved"));
        in = moved;
    }
    return sequence;
}

static void compile_with(const char *threads, char **data, size_t *size)
{
    struct fixture f;
    begin(&f);
    pop_option option = { "target.hostThreads", threads };
    assert_int_equal(
        options_apply(&f.options, "engine", (pop_options){ &option, 1 }, NULL, (pop_where){ 0 }, "test", NULL), POP_OK);
    compiled(&f, steps(&f));
    options_free(&f.image->options); /* the number of threads differs in them */
    image_write(f.image, data, size);
    end(&f);
}

static void test_same_bytes(void **state)
{
    (void)state;
    static const char *const threads[] = { "2", "4", "7" };
    char *one, *many;
    size_t size, other;
    compile_with("1", &one, &size);
    assert_true(size > 0);
    for (size_t i = 0; i < sizeof(threads) / sizeof(threads[0]); ++i) {
        compile_with(threads[i], &many, &other);
        assert_int_equal(other, size);
        assert_memory_equal(many, one, size);
        free(many);
    }
    free(one);
}

/* The error names the same tile, with the same text, with one thread and with several. */
static void test_same_error(void **state)
{
    (void)state;
    static const char *const threads[] = { "1", "3" };
    pop_error errors[2];
    for (size_t i = 0; i < 2; ++i) {
        struct fixture f;
        begin(&f);
        f.graph->store->target.type = POP_TARGET_IPU; /* where programs that do not fit are refused */
        pop_option option = { "target.hostThreads", threads[i] };
        assert_int_equal(
            options_apply(&f.options, "engine", (pop_options){ &option, 1 }, NULL, (pop_where){ 0 }, "test", NULL),
            POP_OK);
        pop_program program = steps(&f);
        pop_tensor large = variable(&f, 1 << 20, 9, "large"), larger = variable(&f, 1 << 21, 5, "larger");
        pop_sequence_add(program, pop_copy(pop_tensor_slice(larger, 0, 1 << 20, 0), large, false, "copy"));
        pop_sequence_add(program, pop_copy(large, pop_tensor_slice(larger, 0, 1 << 20, 0), false, "back"));
        assert_int_equal(compile(&f, program), POP_GRAPH_MEMORY_ALLOCATION_ERROR);
        errors[i] = f.error;
        end(&f);
    }
    assert_non_null(strstr(errors[0].text, "tile"));
    assert_string_equal(errors[0].text, errors[1].text);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_same_bytes), cmocka_unit_test(test_same_error) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
