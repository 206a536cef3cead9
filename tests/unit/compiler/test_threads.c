/* SPDX-License-Identifier: Apache-2.0 */
/* The compiler's threads: the executable has the same bytes with any number of threads. */
#include "fixture.h"
#include "image/image.h"

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

/* Vertices of a set that several threads share, which are not created tile by tile. */
enum { LARGE = 70000, LARGE_ELEMENTS = 2 * LARGE + 4 };

static pop_tensor long_variable(struct fixture *f, const char *name)
{
    pop_tensor t = pop_graph_add_variable(f->graph, POP_FLOAT, POP_SHAPE(LARGE_ELEMENTS), name);
    for (unsigned tile = 0, each = LARGE_ELEMENTS / TILES; tile < TILES; ++tile)
        pop_graph_set_tile_mapping(
            f->graph, pop_tensor_slice(t, tile * each, tile + 1 < TILES ? (tile + 1) * each : LARGE_ELEMENTS, 0), tile);
    return t;
}

/* Tables, vector data and scalar state. */
static void add_rows(struct fixture *f, pop_compute_set set, unsigned i, pop_tensor in, pop_tensor out)
{
    pop_vertex v = vertex(f, set, "Rows", i % TILES, 1);
    pop_graph_set_field_size(f->graph, v, "in", 1 + i % 2);
    for (unsigned row = 0; row < 1 + i % 2; ++row)
        pop_graph_connect_index(f->graph, v, "in", row, pop_tensor_slice(in, i + row, i + row + 1 + i % 3, 0));
    pop_graph_set_field(f->graph, v, "gain", POP_FLOAT, &(float){ (float)i });
    pop_graph_set_field_vector(f->graph, v, (pop_field){ "taps", POP_WHOLE }, POP_FLOAT, (float[]){ 1, 2, 3, 4 },
                               i % 5);
    pop_graph_connect(f->graph, v, "out", pop_tensor_slice(out, i, i + 1, 0));
}

/* A set of many types, one of gathers and scatters, one whose results are written from last to first, and read by
 * their own vertices, and one that exchanges nothing. */
static pop_program large_sets(struct fixture *f)
{
    pop_compute_set mixed = pop_graph_add_compute_set(f->graph, "mixed"),
                    gathers = pop_graph_add_compute_set(f->graph, "gathers"),
                    last_first = pop_graph_add_compute_set(f->graph, "last first"),
                    local = pop_graph_add_compute_set(f->graph, "local");
    pop_tensor in = long_variable(f, "in"), out = long_variable(f, "out"), again = long_variable(f, "again"),
               away = long_variable(f, "away"), near = long_variable(f, "near");
    for (unsigned i = 0; i < LARGE; ++i) {
        add_rows(f, mixed, i, in, out);
        if (i % 3 == 0)
            in_out(f, mixed, "Sum", i % TILES, pop_tensor_slice(in, i, i + 4, 0), pop_tensor_at(out, LARGE + i));
        if (i % 3 == 1) {
            pop_vertex v = vertex(f, mixed, "Pass", i % TILES, 10);
            pop_graph_connect_constant(f->graph, v, "in", POP_FLOAT, &(float){ (float)(i % 8) });
            pop_graph_connect(f->graph, v, "out", pop_tensor_at(out, LARGE + i));
        }
        pop_tensor row = i % 4 ? pop_tensor_slice(out, i, i + 3, 0)
                               : pop_tensor_slice(pop_tensor_reverse(out, 0), i, i + 2 + i % 3, 0);
        in_out(f, gathers, i % 2 ? "Map" : "Wide", i * 7 % TILES, row, pop_tensor_slice(again, 2 * i, 2 * i + 1, 0));
        unsigned at = LARGE - 1 - i;
        pop_tensor own = pop_tensor_slice(away, at, at + 1, 0);
        in_out(f, last_first, "Map", i % TILES, own, own);
        unsigned home = i / (LARGE_ELEMENTS / TILES);
        in_out(f, local, "Sum", home, pop_tensor_slice(in, i, i + 1, 0), pop_tensor_at(near, i));
    }
    pop_program sequence = pop_sequence(f->graph, "large");
    pop_sequence_add(sequence, pop_execute(mixed, NULL));
    pop_sequence_add(sequence, pop_execute(gathers, NULL));
    pop_sequence_add(sequence, pop_execute(last_first, NULL));
    pop_sequence_add(sequence, pop_execute(local, NULL));
    return sequence;
}

typedef pop_program (*program_fn)(struct fixture *f);

static void begin_with(struct fixture *f, const char *threads, bool checked)
{
    begin(f);
    pop_option options[] = { { "target.hostThreads", threads },
                             { "debug.checkedExecution", checked ? "true" : "false" } };
    assert_int_equal(
        options_apply(&f->options, "engine", (pop_options){ options, 2 }, NULL, (pop_where){ 0 }, "test", NULL),
        POP_OK);
}

static void compile_with(const char *threads, bool checked, program_fn make, char **data, size_t *size)
{
    struct fixture f;
    begin_with(&f, threads, checked);
    compiled(&f, make(&f));
    options_free(&f.image->options); /* the number of threads differs in them */
    image_write(f.image, data, size);
    end(&f);
}

static void check_same_bytes(bool checked, program_fn make)
{
    static const char *const threads[] = { "2", "7" };
    size_t counts = checked ? 1 : sizeof(threads) / sizeof(threads[0]);
    char *one, *many;
    size_t size, other;
    compile_with("1", checked, make, &one, &size);
    assert_true(size > 0);
    for (size_t i = 0; i < counts; ++i) {
        compile_with(threads[i], checked, make, &many, &other);
        assert_int_equal(other, size);
        assert_memory_equal(many, one, size);
        free(many);
    }
    free(one);
}

static void test_same_bytes(void **state)
{
    (void)state;
    check_same_bytes(false, steps);
}

static void test_same_bytes_of_large_sets(void **state)
{
    (void)state;
    check_same_bytes(false, large_sets);
    check_same_bytes(true, large_sets);
}

/* The error names the same tile, with the same text, with one thread and with several. */
static void test_same_error(void **state)
{
    (void)state;
    static const char *const threads[] = { "1", "3" };
    pop_error errors[2];
    for (size_t i = 0; i < 2; ++i) {
        struct fixture f;
        begin_with(&f, threads[i], false);
        f.graph->store->target.type = POP_TARGET_IPU; /* where programs that do not fit are refused */
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

/* The last vertex that one thread takes and the first of the next one are wrong; then one in two sets. */
static pop_error first_error(const char *threads, bool hazard)
{
    enum { TAKEN = 1 << 14, ALL = 40000 };
    struct fixture f;
    begin_with(&f, threads, false);
    pop_compute_set sets[] = { pop_graph_add_compute_set(f.graph, "first"),
                               pop_graph_add_compute_set(f.graph, "next") };
    pop_tensor in = long_variable(&f, "in"), out = long_variable(&f, "out"), more = long_variable(&f, "more");
    for (unsigned i = 0; i < ALL; ++i) {
        bool no_out = !hazard && i == TAKEN - 1, no_in = !hazard && (i == TAKEN || i == 2 * TAKEN);
        pop_vertex v = vertex(&f, sets[i / (ALL / 2)], "Sum", i % TILES, 1);
        unsigned to = hazard && (i == ALL / 2 - 1 || i == ALL - 1) ? i - 18 : i;
        if (!no_in)
            pop_graph_connect(f.graph, v, "in", pop_tensor_slice(in, i, i + 2, 0));
        if (!no_out)
            pop_graph_connect(f.graph, v, "out", pop_tensor_at(i % 2 ? out : more, to));
    }
    pop_program program = pop_sequence(f.graph, "both");
    for (size_t i = 0; i < 2; ++i)
        pop_sequence_add(program, pop_execute(sets[i], NULL));
    assert_int_equal(compile(&f, program), hazard ? POP_GRAPH_CYCLE_ERROR : POP_GRAPH_CONNECTION_ERROR);
    assert_non_null(strstr(f.error.text, hazard ? "19981" : "Sum.out"));
    pop_error error = f.error;
    assert_string_equal(error.path, "first");
    end(&f);
    return error;
}

static void test_first_error(void **state)
{
    (void)state;
    static const char *const threads[] = { "2", "4" };
    for (int hazard = 0; hazard < 2; ++hazard) {
        pop_error one = first_error("1", hazard);
        for (size_t i = 0; i < 2; ++i) {
            pop_error error = first_error(threads[i], hazard);
            assert_string_equal(error.text, one.text);
            assert_int_equal(error.where.line, one.where.line);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_same_bytes),
                                        cmocka_unit_test(test_same_bytes_of_large_sets),
                                        cmocka_unit_test(test_same_error), cmocka_unit_test(test_first_error) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
