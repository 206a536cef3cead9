/* SPDX-License-Identifier: Apache-2.0 */
/* Places in the host's storage: which variables share one. */
#include "compiler/pipeline.h"
#include "fixture.h"

enum { ELEMENTS = 1 << 15 }; /* so many that sharing begins */

struct scene {
    struct fixture f;
    pop_tensor in, out, a, b;
    pop_program all;
};

static void begin_scene(struct scene *s)
{
    begin(&s->f);
    s->in = variable(&s->f, ELEMENTS, 0, "in");
    s->out = variable(&s->f, ELEMENTS, 1, "out");
    s->a = variable(&s->f, ELEMENTS, 2, "a");
    s->b = variable(&s->f, ELEMENTS, 3, "b");
    pop_graph_create_host_write(s->f.graph, "in", s->in);
    pop_graph_create_host_read(s->f.graph, "out", s->out);
    s->all = pop_sequence(s->f.graph, NULL);
}

static void copy(pop_program to, pop_tensor from, pop_tensor into)
{
    pop_sequence_add(to, pop_copy(from, into, false, NULL));
}

static struct image_variable place_of(const struct fixture *f, const char *name)
{
    for (size_t i = 0; i < f->image->variables.count; ++i)
        if (!strcmp(image_string(f->image, f->image->variables.data[i].name), name))
            return f->image->variables.data[i];
    fail_msg("no variable '%s'", name);
    return (struct image_variable){ 0 };
}

static bool share(const struct fixture *f, const char *a, const char *b)
{
    struct image_variable x = place_of(f, a), y = place_of(f, b);
    return x.offset < y.offset + y.bytes && y.offset < x.offset + x.bytes;
}

/* Compiles; in and out never share with anything. */
static bool ab_share(struct scene *s)
{
    compiled(&s->f, s->all);
    assert_false(share(&s->f, "in", "out") || share(&s->f, "in", "a") || share(&s->f, "in", "b") ||
                 share(&s->f, "out", "a") || share(&s->f, "out", "b"));
    bool shared = share(&s->f, "a", "b");
    end(&s->f);
    return shared;
}

static void through(struct scene *s, pop_program to, pop_tensor t)
{
    copy(to, s->in, t);
    copy(to, t, s->out);
}

static void test_one_after_another(void **state)
{
    (void)state;
    struct scene s;
    begin_scene(&s);
    through(&s, s.all, s.a);
    through(&s, s.all, s.b);
    assert_true(ab_share(&s));
}

/* A step reads one and writes the other. */
static void test_one_from_another(void **state)
{
    (void)state;
    struct scene s;
    begin_scene(&s);
    copy(s.all, s.in, s.a);
    copy(s.all, s.a, s.b);
    copy(s.all, s.b, s.out);
    assert_false(ab_share(&s));
}

static void test_read_again_later(void **state)
{
    (void)state;
    struct scene s;
    begin_scene(&s);
    through(&s, s.all, s.a);
    through(&s, s.all, s.b);
    copy(s.all, s.a, s.out);
    assert_false(ab_share(&s));
}

static void test_first_writes_a_part(void **state)
{
    (void)state;
    struct scene s;
    begin_scene(&s);
    copy(s.all, pop_tensor_slice(s.in, 1, ELEMENTS, 0), pop_tensor_slice(s.a, 1, ELEMENTS, 0));
    copy(s.all, s.a, s.out);
    through(&s, s.all, s.b);
    assert_false(ab_share(&s));
}

static void test_initial_value(void **state)
{
    (void)state;
    struct scene s;
    begin_scene(&s);
    pop_graph_set_initial_fill(s.f.graph, s.a, POP_FLOAT, &(float){ 1 });
    through(&s, s.all, s.a);
    through(&s, s.all, s.b);
    assert_false(ab_share(&s));
}

static void test_in_a_loop(void **state)
{
    (void)state;
    struct scene s;
    begin_scene(&s);
    pop_program body = pop_sequence(s.f.graph, NULL);
    through(&s, body, s.a);
    through(&s, body, s.b);
    pop_sequence_add(s.all, pop_repeat(3, body, NULL));
    assert_true(ab_share(&s));
}

/* b is written in each round, and a is read in the next one. */
static void test_across_rounds(void **state)
{
    (void)state;
    struct scene s;
    begin_scene(&s);
    pop_program body = pop_sequence(s.f.graph, NULL);
    copy(s.all, s.in, s.a);
    copy(body, s.a, s.out);
    through(&s, body, s.b);
    pop_sequence_add(s.all, pop_repeat(3, body, NULL));
    assert_false(ab_share(&s));
}

/* After the loop that reads a. */
static void test_after_a_loop(void **state)
{
    (void)state;
    struct scene s;
    begin_scene(&s);
    pop_program body = pop_sequence(s.f.graph, NULL);
    copy(s.all, s.in, s.a);
    copy(body, s.a, s.out);
    pop_sequence_add(s.all, pop_repeat(3, body, NULL));
    through(&s, s.all, s.b);
    assert_true(ab_share(&s));
}

/* What a branch writes is read after it. */
static void test_out_of_a_branch(void **state)
{
    (void)state;
    struct scene s;
    begin_scene(&s);
    pop_tensor flag = pop_graph_add_variable(s.f.graph, POP_BOOL, POP_SHAPE(), "flag");
    pop_graph_set_tile_mapping(s.f.graph, flag, 0);
    pop_program taken = pop_sequence(s.f.graph, NULL), other = pop_sequence(s.f.graph, NULL);
    copy(taken, s.in, s.a);
    pop_sequence_add(s.all, pop_if(flag, taken, other, NULL));
    copy(s.all, s.a, s.out);
    through(&s, s.all, s.b);
    assert_false(ab_share(&s));
}

/* A function is called while a is needed; a's place is used again after that. */
static void test_across_a_call(void **state)
{
    (void)state;
    struct scene s;
    begin_scene(&s);
    pop_program body = pop_sequence(s.f.graph, NULL);
    through(&s, body, s.b);
    copy(s.all, s.in, s.a);
    pop_sequence_add(s.all, pop_call(pop_graph_add_function(s.f.graph, body), NULL));
    copy(s.all, s.a, s.out);
    pop_tensor half = variable(&s.f, ELEMENTS / 2, 0, "half"), part = pop_tensor_slice(s.in, 0, ELEMENTS / 2, 0);
    copy(s.all, part, half);
    copy(s.all, half, pop_tensor_slice(s.out, 0, ELEMENTS / 2, 0));
    assert_false(ab_share(&s));
}

/* A print is no Copy and no vertex. */
static void test_printed(void **state)
{
    (void)state;
    struct scene s;
    begin_scene(&s);
    through(&s, s.all, s.a);
    pop_sequence_add(s.all, pop_print_tensor("a", s.a, NULL));
    through(&s, s.all, s.b);
    assert_false(ab_share(&s));
}

static bool filled(const char *type)
{
    struct scene s;
    begin_scene(&s);
    for (int i = 0; i < 2; ++i) {
        pop_compute_set set = pop_graph_add_compute_set(s.f.graph, "fill");
        pop_graph_connect(s.f.graph, vertex(&s.f, set, type, 0, 10), "out", i ? s.b : s.a);
        pop_sequence_add(s.all, pop_execute(set, NULL));
        copy(s.all, i ? s.b : s.a, s.out);
    }
    return ab_share(&s);
}

/* A user's vertex may leave elements of its output as they are. */
static void test_vertices(void **state)
{
    (void)state;
    assert_false(filled("Fill"));
    assert_true(filled("popops::Fill"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_after_another), cmocka_unit_test(test_one_from_another),
        cmocka_unit_test(test_read_again_later),  cmocka_unit_test(test_first_writes_a_part),
        cmocka_unit_test(test_initial_value),     cmocka_unit_test(test_in_a_loop),
        cmocka_unit_test(test_across_rounds),     cmocka_unit_test(test_after_a_loop),
        cmocka_unit_test(test_out_of_a_branch),   cmocka_unit_test(test_across_a_call),
        cmocka_unit_test(test_printed),           cmocka_unit_test(test_vertices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
