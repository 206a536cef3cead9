/* SPDX-License-Identifier: Apache-2.0 */
/* Liveness of variables in programs (formats document, Variable liveness): the lists of live variables by step. */
#include "compiler/pipeline.h"
#include "fixture.h"

/* var on tile 0, two elements; a Sync does nothing, and its list holds the variables that are live at that point. */
struct scene {
    struct fixture f;
    pop_tensor var, other, flag;
    pop_program all;
};

static void begin_scene(struct scene *s)
{
    begin(&s->f);
    s->var = variable(&s->f, 2, 0, "var");
    s->other = variable(&s->f, 2, 0, "other");
    s->flag = pop_graph_add_variable(s->f.graph, POP_INT, POP_SHAPE(), "flag");
    pop_graph_set_tile_mapping(s->f.graph, s->flag, 0);
    s->all = pop_sequence(s->f.graph, NULL);
}

/* A set whose vertices write elements [from, to) of the tensor. */
static pop_program write_part(struct scene *s, pop_tensor t, size_t from, size_t to)
{
    pop_compute_set set = pop_graph_add_compute_set(s->f.graph, "write");
    for (size_t i = from; i < to; ++i) {
        pop_vertex v = vertex(&s->f, set, "Scalar", 0, 10);
        pop_graph_connect(s->f.graph, v, "out", pop_tensor_at(t, i));
    }
    return pop_execute(set, NULL);
}

static pop_program read_all(struct scene *s, pop_tensor t)
{
    pop_compute_set set = pop_graph_add_compute_set(s->f.graph, "read");
    pop_vertex v = vertex(&s->f, set, "Sink", 0, 10);
    pop_graph_connect(s->f.graph, v, "in", t);
    return pop_execute(set, NULL);
}

static void here(struct scene *s)
{
    pop_sequence_add(s->all, pop_sync(s->f.graph, POP_SYNC_INTERNAL, NULL));
}

static bool in_list(const struct fixture *f, uint32_t list, const char *name)
{
    const struct model *model = &f->image->model;
    const struct model_live_list *of = &model->live_lists.data[list];
    for (uint64_t i = of->first; i < of->first + of->count; ++i)
        if (!strcmp(image_string(f->image, model->live.data[i].name), name))
            return true;
    return false;
}

/* Whether a variable is live at the Sync with this number, in the order of the steps. */
static bool live_at(const struct fixture *f, size_t number, const char *name)
{
    const struct model *model = &f->image->model;
    for (size_t i = 0; i < model->steps.count; ++i)
        if (model->steps.data[i].kind == MODEL_SYNC && !number--)
            return in_list(f, 0, name) || in_list(f, model->step_live.data[i], name);
    fail_msg("there are not so many places");
    return false;
}

/* The guide's first fragment: var is dead between two sets that each write all of it. */
static void test_all_elements_are_written(void **state)
{
    (void)state;
    struct scene s;
    begin_scene(&s);
    pop_sequence_add(s.all, write_part(&s, s.var, 0, 2));
    here(&s);
    pop_sequence_add(s.all, write_part(&s, s.var, 0, 2));
    here(&s);
    pop_sequence_add(s.all, read_all(&s, s.var));
    here(&s);
    compiled(&s.f, s.all);
    assert_false(live_at(&s.f, 0, "var"));
    assert_true(live_at(&s.f, 1, "var"));
    assert_false(live_at(&s.f, 2, "var"));
    end(&s.f);
}

/* The second: a set that writes only one of the elements keeps it live. */
static void test_one_element_is_written(void **state)
{
    (void)state;
    struct scene s;
    begin_scene(&s);
    pop_sequence_add(s.all, write_part(&s, s.var, 0, 2));
    here(&s);
    pop_sequence_add(s.all, write_part(&s, s.var, 0, 1));
    pop_sequence_add(s.all, read_all(&s, s.var));
    here(&s);
    compiled(&s.f, s.all);
    assert_true(live_at(&s.f, 0, "var"));
    assert_false(live_at(&s.f, 1, "var"));
    end(&s.f);
}

/* The third: all elements are written, but in two sets, and liveness is that of whole variables. */
static void test_elements_in_separate_sets(void **state)
{
    (void)state;
    struct scene s;
    begin_scene(&s);
    pop_sequence_add(s.all, write_part(&s, s.var, 0, 2));
    here(&s);
    pop_sequence_add(s.all, write_part(&s, s.var, 0, 1));
    pop_sequence_add(s.all, write_part(&s, s.var, 1, 2));
    pop_sequence_add(s.all, read_all(&s, s.var));
    compiled(&s.f, s.all);
    assert_true(live_at(&s.f, 0, "var"));
    end(&s.f);
}

static void test_write_undef(void **state)
{
    (void)state;
    struct scene s;
    begin_scene(&s);
    pop_sequence_add(s.all, write_part(&s, s.var, 0, 2));
    here(&s);
    pop_sequence_add(s.all, pop_write_undef(s.var, NULL));
    pop_sequence_add(s.all, write_part(&s, s.var, 0, 1));
    pop_sequence_add(s.all, write_part(&s, s.var, 1, 2));
    pop_sequence_add(s.all, read_all(&s, s.var));
    compiled(&s.f, s.all);
    assert_false(live_at(&s.f, 0, "var"));
    end(&s.f);
}

/* Undefining a part of a variable does not make it dead. */
static void test_write_undef_of_a_slice(void **state)
{
    (void)state;
    struct scene s;
    begin_scene(&s);
    pop_sequence_add(s.all, write_part(&s, s.var, 0, 2));
    here(&s);
    pop_sequence_add(s.all, pop_write_undef(pop_tensor_slice(s.var, 0, 1, 0), NULL));
    pop_sequence_add(s.all, read_all(&s, s.var));
    compiled(&s.f, s.all);
    assert_true(live_at(&s.f, 0, "var"));
    end(&s.f);
}

static void test_copies_kill(void **state)
{
    (void)state;
    struct scene s;
    begin_scene(&s);
    pop_stream in =
        pop_graph_add_host_to_device_fifo(s.f.graph, "in", POP_FLOAT, 2, POP_STREAM_REPLICATE, POP_NO_OPTIONS);
    here(&s);
    pop_sequence_add(s.all, pop_copy_from_stream(in, s.var, false, NULL));
    here(&s);
    pop_sequence_add(s.all, pop_copy(s.var, s.other, false, NULL));
    here(&s);
    pop_sequence_add(s.all, read_all(&s, s.other));
    compiled(&s.f, s.all);
    assert_false(live_at(&s.f, 0, "var"));
    assert_true(live_at(&s.f, 1, "var"));
    assert_false(live_at(&s.f, 1, "other"));
    assert_false(live_at(&s.f, 2, "var"));
    assert_true(live_at(&s.f, 2, "other"));
    end(&s.f);
}

/* A variable that only one branch of an If writes is live before it; one that both write is not. */
static void test_if(void **state)
{
    (void)state;
    struct scene s;
    begin_scene(&s);
    pop_program both = pop_sequence(s.f.graph, NULL), one = pop_sequence(s.f.graph, NULL);
    pop_sequence_add(both, write_part(&s, s.var, 0, 2));
    pop_sequence_add(both, write_part(&s, s.other, 0, 2));
    pop_sequence_add(one, write_part(&s, s.var, 0, 2));
    pop_sequence_add(s.all, write_part(&s, s.other, 0, 2));
    here(&s);
    pop_sequence_add(s.all, pop_if(s.flag, both, one, NULL));
    pop_sequence_add(s.all, read_all(&s, s.var));
    pop_sequence_add(s.all, read_all(&s, s.other));
    compiled(&s.f, s.all);
    assert_false(live_at(&s.f, 0, "var"));
    assert_true(live_at(&s.f, 0, "other"));
    end(&s.f);
}

/* A value from before a loop is live in all iterations; one that each iteration writes first is dead at its start. */
static void test_repeat(void **state)
{
    (void)state;
    struct scene s;
    begin_scene(&s);
    pop_program body = pop_sequence(s.f.graph, NULL), outer = s.all;
    pop_sequence_add(outer, write_part(&s, s.var, 0, 2));
    s.all = body;
    here(&s);
    pop_sequence_add(body, write_part(&s, s.other, 0, 2));
    pop_sequence_add(body, read_all(&s, s.var));
    pop_sequence_add(body, read_all(&s, s.other));
    here(&s);
    pop_sequence_add(outer, pop_repeat(3, body, NULL));
    compiled(&s.f, outer);
    assert_true(live_at(&s.f, 0, "var"));
    assert_true(live_at(&s.f, 1, "var"));
    assert_false(live_at(&s.f, 0, "other"));
    assert_false(live_at(&s.f, 1, "other"));
    end(&s.f);
}

/* A body that never runs makes nothing dead. */
static void test_repeat_zero_times(void **state)
{
    (void)state;
    struct scene s;
    begin_scene(&s);
    pop_sequence_add(s.all, write_part(&s, s.var, 0, 2));
    here(&s);
    pop_sequence_add(s.all, pop_repeat(0, write_part(&s, s.var, 0, 2), NULL));
    pop_sequence_add(s.all, read_all(&s, s.var));
    compiled(&s.f, s.all);
    assert_true(live_at(&s.f, 0, "var"));
    end(&s.f);
}

/* A variable that is live across a call is live in the function; the function's own values are not live outside. */
static void test_call(void **state)
{
    (void)state;
    struct scene s;
    begin_scene(&s);
    pop_program body = pop_sequence(s.f.graph, NULL), outer = s.all;
    pop_sequence_add(body, write_part(&s, s.other, 0, 2));
    s.all = body;
    here(&s);
    pop_sequence_add(body, read_all(&s, s.other));
    pop_function function = pop_graph_add_function(s.f.graph, body);
    s.all = outer;
    pop_sequence_add(outer, pop_call(function, NULL));
    pop_sequence_add(outer, write_part(&s, s.var, 0, 2));
    here(&s);
    pop_sequence_add(outer, pop_call(function, NULL));
    pop_sequence_add(outer, read_all(&s, s.var));
    compiled(&s.f, outer);
    size_t in_function = 0, outside = 1;
    if (s.f.image->model.functions.count != 1)
        fail_msg("%zu functions", s.f.image->model.functions.count);
    if (!live_at(&s.f, in_function, "other")) { /* the order of steps in the table is not specified */
        in_function = 1;
        outside = 0;
    }
    assert_true(live_at(&s.f, in_function, "other"));
    assert_true(live_at(&s.f, in_function, "var"));
    assert_true(live_at(&s.f, outside, "var"));
    assert_false(live_at(&s.f, outside, "other"));
    end(&s.f);
}

/* A variable that a program reads first has its value from an earlier run, so it is always live; so are variables that
 * the host reads or writes, and constants. */
static void test_always_live(void **state)
{
    (void)state;
    struct scene s;
    begin_scene(&s);
    pop_tensor handle = variable(&s.f, 3, 1, "handle"),
               constant = pop_graph_add_constant_float(s.f.graph, POP_FLOAT, POP_SHAPE(2), 1, "constant");
    pop_graph_set_tile_mapping(s.f.graph, constant, 0);
    pop_graph_create_host_read(s.f.graph, "handle", handle);
    pop_sequence_add(s.all, read_all(&s, s.var));
    pop_sequence_add(s.all, read_all(&s, constant));
    pop_sequence_add(s.all, write_part(&s, s.other, 0, 2));
    compiled(&s.f, s.all);
    assert_true(in_list(&s.f, 0, "var"));
    assert_true(in_list(&s.f, 0, "handle"));
    assert_true(in_list(&s.f, 0, "constant"));
    assert_false(in_list(&s.f, 0, "other"));
    end(&s.f);
}

/* A variable that one program writes and another reads is live at the end of all of them. */
static void test_several_programs(void **state)
{
    (void)state;
    struct scene s;
    begin_scene(&s);
    pop_program programs[3];
    for (int i = 0; i < 3; ++i) {
        programs[i] = s.all = pop_sequence(s.f.graph, NULL);
        if (i == 0)
            pop_sequence_add(s.all, write_part(&s, s.var, 0, 2));
        here(&s);
        if (i == 1)
            pop_sequence_add(s.all, read_all(&s, s.var));
    }
    assert_int_equal(compile_programs(&s.f, programs, 3), POP_OK);
    for (size_t i = 0; i < 3; ++i)
        assert_true(live_at(&s.f, i, "var"));
    assert_false(in_list(&s.f, 0, "var")); /* dead before the first writes it */
    const struct model *model = &s.f.image->model;
    bool id = false, broadcast = false;
    for (size_t i = 1; i < model->live_lists.count; ++i) {
        id |= in_list(&s.f, (uint32_t)i, "programId");
        broadcast |= in_list(&s.f, (uint32_t)i, "broadcastProgramId");
    }
    assert_true(id && broadcast);
    end(&s.f);
}

/* Lists: sorted by name, their bytes are the sum of their rows, equal lists are shared. */
static void test_lists(void **state)
{
    (void)state;
    struct scene s;
    begin_scene(&s);
    pop_tensor far = variable(&s.f, 5, 3, "far"), anonymous = variable(&s.f, 1, 0, NULL);
    pop_compute_set set = pop_graph_add_compute_set(s.f.graph, "reads");
    pop_sequence_add(s.all, write_part(&s, s.var, 0, 2));
    pop_sequence_add(s.all, write_part(&s, anonymous, 0, 1));
    here(&s);
    here(&s);
    pop_graph_connect(s.f.graph, vertex(&s.f, set, "Sink", 0, 10), "in", far);
    pop_sequence_add(s.all, pop_execute(set, NULL));
    pop_sequence_add(s.all, read_all(&s, s.var));
    pop_sequence_add(s.all, read_all(&s, anonymous));
    compiled(&s.f, s.all);
    const struct model *model = &s.f.image->model;
    bool message = false, anon = false;
    for (size_t l = 0; l < model->live_lists.count; ++l) {
        const struct model_live_list *list = &model->live_lists.data[l];
        uint64_t sum = 0;
        for (uint64_t i = list->first; i < list->first + list->count; ++i) {
            sum += model->live.data[i].bytes;
            if (i > list->first)
                assert_true(strcmp(image_string(s.f.image, model->live.data[i - 1].name),
                                   image_string(s.f.image, model->live.data[i].name)) < 0);
        }
        assert_int_equal(sum, list->bytes);
        message |= in_list(&s.f, (uint32_t)l, "<message:far>");
        anon |= in_list(&s.f, (uint32_t)l, "<anon>");
    }
    assert_true(message && anon);
    uint32_t syncs[2], count = 0;
    for (size_t i = 0; i < model->steps.count; ++i)
        if (model->steps.data[i].kind == MODEL_SYNC)
            syncs[count++] = model->step_live.data[i];
    assert_int_equal(count, 2);
    assert_int_equal(syncs[0], syncs[1]);
    end(&s.f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_elements_are_written),
        cmocka_unit_test(test_one_element_is_written),
        cmocka_unit_test(test_elements_in_separate_sets),
        cmocka_unit_test(test_write_undef),
        cmocka_unit_test(test_write_undef_of_a_slice),
        cmocka_unit_test(test_copies_kill),
        cmocka_unit_test(test_if),
        cmocka_unit_test(test_repeat),
        cmocka_unit_test(test_repeat_zero_times),
        cmocka_unit_test(test_call),
        cmocka_unit_test(test_always_live),
        cmocka_unit_test(test_several_programs),
        cmocka_unit_test(test_lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
