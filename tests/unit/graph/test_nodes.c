/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes of tensors: released by reference counts wherever they were made, also together with marks, and with the nodes
 * that they refer to. */
#include "fixture.h"
#include "graph/graph.h"
#include "graph/view/view.h"

enum { TURNS = 1000 };

struct fixture {
    pop_graph *graph;
    struct tensor_nodes *nodes;
    pop_tensor a, b; /* 100 elements each, which no concatenation joins */
};

static struct fixture setup(void)
{
    struct fixture s = { .graph = fixture_graph(1, 4) };
    s.nodes = s.graph->store->nodes;
    s.a = pop_graph_add_variable(s.graph, POP_FLOAT, POP_SHAPE(100), "a");
    s.b = pop_graph_add_variable(s.graph, POP_FLOAT, POP_SHAPE(100), "b");
    return s;
}

static void done(struct fixture *s)
{
    expect_no_error(s->graph);
    pop_graph_destroy(s->graph);
}

static pop_tensor part(pop_tensor t, size_t begin, size_t count)
{
    return pop_tensor_slice(t, begin, begin + count, 0);
}

static pop_tensor join(pop_tensor first, pop_tensor second)
{
    return pop_tensor_concat(POP_TENSORS(first, second), 0);
}

/* As in C++ assignment: the new value exists before the old one is released. */
static void assign(pop_tensor *to, pop_tensor value)
{
    pop_tensor_retain(&value);
    pop_tensor_release(to);
    *to = value;
}

static void clear(pop_tensor *t)
{
    assign(t, (pop_tensor){ 0 });
}

/* More pieces than a composite copies from another: one for each element. */
static pop_tensor alternating(const struct fixture *s, size_t pairs)
{
    pop_tensor list[200];
    for (size_t i = 0; i < pairs; ++i) {
        list[2 * i] = part(s->a, (7 * i) % 100, 1);
        list[2 * i + 1] = part(s->b, (3 * i) % 100, 1);
    }
    return pop_tensor_concat(((pop_tensors){ 2 * pairs, list }), 0);
}

static uint64_t variable_of(pop_tensor t, size_t element)
{
    pop_variable_interval *regions;
    uint64_t variable = UINT64_MAX;
    if (pop_tensor_var_regions(part(t, element, 1), &regions))
        variable = regions[0].variable;
    free(regions);
    return variable;
}

static void only_some_values_have_a_node(void **state)
{
    (void)state;
    struct fixture s = setup();
    pop_tensor null = { 0 }, cut = part(s.a, 3, 4), joined = join(s.a, s.b), inside = part(joined, 10, 20);
    pop_tensor wide = pop_tensor_reshape(part(s.a, 0, 64), POP_SHAPE(2, 2, 2, 2, 2, 2, 1, 1));
    assert_false(pop_tensor_has_node(&null));
    assert_false(pop_tensor_has_node(&s.a));
    assert_false(pop_tensor_has_node(&cut));
    assert_false(pop_tensor_has_node(&inside));
    assert_true(pop_tensor_has_node(&joined));
    assert_true(pop_tensor_has_node(&wide));
    pop_tensor_retain(&null); /* no effect on null tensors */
    pop_tensor_release(&null);
    pop_tensor_retain(&cut);
    pop_tensor_release(&cut);
    pop_tensor_release(&joined); /* it was never retained */
    assert_int_equal(tensor_nodes_count(s.nodes), 2);
    assert_int_equal(pop_tensor_num_elements(joined), 200);
    done(&s);
}

static void a_reassigned_value_takes_one_node(void **state)
{
    (void)state;
    struct fixture s = setup();
    pop_tensor t = { 0 }, ring[3] = { { 0 } }, wide = { 0 };
    for (size_t i = 0; i < TURNS; ++i) {
        assign(&t, join(part(s.a, i % 90, 2), s.b));
        assign(&ring[i % 3], join(t, part(s.a, 0, 1 + i % 3)));
        assign(&wide,
               pop_tensor_reshape(join(part(s.a, 1, 32), part(s.b, i % 50, 32)), POP_SHAPE(2, 2, 2, 2, 2, 2, 1, 1)));
        assert_true(tensor_nodes_count(s.nodes) <= 7);
        assert_int_equal(variable_of(t, 1), variable_of(s.a, 0));
        assert_int_equal(variable_of(t, 2), variable_of(s.b, 0));
    }
    clear(&t);
    clear(&wide);
    for (int i = 0; i < 3; ++i)
        clear(&ring[i]);
    assert_int_equal(tensor_nodes_count(s.nodes), 0);
    done(&s);
}

/* A concatenation that another one uses is kept until that one is released, in any order of release. */
static void operands_of_a_node_stay_valid(void **state)
{
    (void)state;
    struct fixture s = setup();
    pop_tensor inner = { 0 }, outer = { 0 }, view = { 0 };
    assign(&inner, alternating(&s, 20));
    assign(&outer, join(s.a, inner));
    assign(&view,
           pop_tensor_reshape(part(outer, 90, 50), POP_SHAPE(5, 1, 2, 1, 5, 1, 1, 1))); /* wide, a view of outer */
    clear(&inner);
    clear(&outer);
    assert_int_equal(tensor_nodes_count(s.nodes), 3);
    pop_tensor flat = { 0 };
    assign(&flat, pop_tensor_flatten(view));
    for (size_t i = 0; i < 50; ++i)
        assert_int_equal(variable_of(flat, i), variable_of(i < 10 || i % 2 == 0 ? s.a : s.b, 0));
    clear(&view);
    assert_int_equal(tensor_nodes_count(s.nodes), 2);
    clear(&flat);
    assert_int_equal(tensor_nodes_count(s.nodes), 0);
    done(&s);
}

static void an_index_used_again_is_the_new_composite(void **state)
{
    (void)state;
    struct fixture s = setup();
    pop_tensor t[8] = { { 0 } };
    for (size_t i = 0; i < TURNS; ++i) {
        assign(&t[(i * 5) % 8], join(part(i % 2 ? s.a : s.b, i % 50, 3), part(i % 2 ? s.b : s.a, i % 40, 1 + i % 7)));
        for (size_t k = 0; k <= i && k < 8; ++k) {
            size_t made = i - k;
            assert_int_equal(pop_tensor_num_elements(t[(made * 5) % 8]), 4 + made % 7);
            assert_int_equal(variable_of(t[(made * 5) % 8], 2), variable_of(made % 2 ? s.a : s.b, 0));
        }
    }
    for (int i = 0; i < 8; ++i)
        clear(&t[i]);
    assert_int_equal(tensor_nodes_count(s.nodes), 0);
    done(&s);
}

static void appending_adds_to_one_node(void **state)
{
    (void)state;
    struct fixture s = setup();
    pop_tensor t = { 0 }, first = { 0 };
    assign(&first, join(part(s.a, 0, 1), part(s.b, 0, 1)));
    assign(&t, first);
    for (size_t i = 0; i < TURNS; ++i)
        assign(&t, join(t, part(i % 2 ? s.a : s.b, (7 * i) % 100, 1)));
    assert_int_equal(tensor_nodes_count(s.nodes), 1);
    assert_int_equal(pop_tensor_num_elements(t), TURNS + 2);
    clear(&t);
    assert_int_equal(pop_tensor_num_elements(first), 2);
    assert_int_equal(variable_of(first, 1), variable_of(s.b, 0));
    clear(&first);
    assert_int_equal(tensor_nodes_count(s.nodes), 0);
    done(&s);
}

/* A walk, with or without a cached one, finds the same runs as looking up each element: of the whole, its second third,
 * and all reversed. */
static void expect_walks(pop_tensor t)
{
    size_t count = pop_tensor_num_elements(t), begin = count / 3, end = 2 * begin;
    pop_tensor views[] = { t, part(t, begin, end - begin), pop_tensor_reverse(t, 0) };
    for (size_t turn = 0; turn < 2; ++turn)
        for (size_t v = 0; v < 3; ++v) {
            pop_variable_interval *regions;
            size_t found = pop_tensor_var_regions(views[v], &regions), at = 0;
            for (size_t r = 0; r < found; ++r)
                for (size_t k = regions[r].interval.begin; k < regions[r].interval.end; ++k, ++at) {
                    struct run run;
                    assert_true(tensor_single_run(part(t,
                                                       v == 0   ? at
                                                       : v == 1 ? begin + at
                                                                : count - 1 - at,
                                                       1),
                                                  &run));
                    assert_int_equal(regions[r].variable, run.variable);
                    assert_int_equal(k, run.offset);
                }
            assert_int_equal(at, pop_tensor_num_elements(views[v]));
            free(regions);
        }
}

static void walks_follow_changes_of_a_value(void **state)
{
    (void)state;
    struct fixture s = setup();
    pop_tensor t = { 0 };
    for (size_t i = 0; i < 20; ++i) { /* the same index again and again */
        assign(&t, alternating(&s, 30 + i));
        expect_walks(t);
        clear(&t);
    }
    pop_tensor longer = alternating(&s, 40);
    expect_walks(longer);
    for (size_t i = 0; i < 20; ++i) { /* appended to, and removed by the mark */
        pop_mark mark = pop_graph_mark(s.graph);
        expect_walks(join(longer, part(i % 2 ? s.a : s.b, 5 * i % 90, 4)));
        pop_graph_release(s.graph, mark);
        expect_walks(longer);
    }
    done(&s);
}

struct place_list {
    VEC(uint64_t) list; /* of elements: the variable in the upper half, the offset in the lower */
};

static bool list_places(const struct run *run, void *context)
{
    struct place_list *places = context;
    for (uint64_t i = 0; i < run->count; ++i)
        *vec_push(&places->list) = (uint64_t)run->variable << 32 | (run->offset + i);
    return true;
}

/* Pieces of runs, and of single elements, which the whole reads from a table. */
static void parts_match_the_whole(void **state)
{
    (void)state;
    struct fixture s = setup();
    pop_tensor grid = pop_graph_add_variable(s.graph, POP_FLOAT, POP_SHAPE(9, 48), "grid"), columns[96];
    for (size_t i = 0; i < 96; ++i)
        columns[i] = pop_tensor_flatten(
            pop_tensor_slice(i % 2 ? pop_tensor_reverse(grid, 0) : grid, i * 7 % 48, i * 7 % 48 + 1, 1));
    pop_tensor pieces = pop_tensor_concat(((pop_tensors){ 96, columns }), 0);
    pop_tensor views[] = { pieces, pop_tensor_transpose(pop_tensor_reshape(pieces, POP_SHAPE(96, 9))) };
    for (size_t v = 0; v < 2; ++v) {
        pop_tensor t = pop_tensor_flatten(views[v]);
        struct place_list whole = { .list = { 0 } };
        tensor_each_run(t, list_places, &whole);
        size_t elements = pop_tensor_num_elements(t);
        assert_int_equal(whole.list.count, elements);
        for (size_t begin = 0; begin < elements; begin += 5)
            for (size_t end = begin + 1; end < elements; end += 41) {
                struct place_list part = { .list = { 0 } };
                tensor_each_run_in(t, begin, end, list_places, &part);
                assert_int_equal(part.list.count, end - begin);
                assert_memory_equal(part.list.data, whole.list.data + begin, (end - begin) * sizeof(uint64_t));
                vec_free(&part.list);
            }
        vec_free(&whole.list);
    }
    done(&s);
}

/* A queue: elements dropped at its front are released. */
static void a_moving_window_stays_small(void **state)
{
    (void)state;
    struct fixture s = setup();
    pop_tensor window = { 0 };
    assign(&window, alternating(&s, 20));
    for (size_t i = 0; i < 20 * TURNS; ++i) {
        pop_tensor rest = { 0 };
        assign(&rest, part(window, 1, 39));
        assign(&window, join(rest, part(i % 2 ? s.b : s.a, (13 * i) % 100, 1)));
        clear(&rest);
        assert_true(tensor_nodes_count(s.nodes) < 50);
    }
    for (size_t i = 0; i < 40; ++i)
        assert_int_equal(variable_of(window, i), variable_of(i % 2 ? s.b : s.a, 0));
    clear(&window);
    assert_int_equal(tensor_nodes_count(s.nodes), 0);
    done(&s);
}

/* A composite is appended to one that is made of it: a cycle of references would never be released. */
static void no_node_refers_to_itself(void **state)
{
    (void)state;
    struct fixture s = setup();
    pop_tensor t = { 0 }, outer = { 0 }, both = { 0 };
    assign(&t, alternating(&s, 20));
    assign(&outer, join(s.a, t));
    assign(&both, join(t, outer));
    assert_int_equal(pop_tensor_num_elements(both), 180);
    for (size_t i = 0; i < 180; ++i)
        assert_int_equal(variable_of(both, i), variable_of((i >= 40 && i < 140) || i % 2 == 0 ? s.a : s.b, 0));
    clear(&t);
    clear(&outer);
    clear(&both);
    assert_int_equal(tensor_nodes_count(s.nodes), 0);
    done(&s);
}

static void marks_do_not_release_retained_values(void **state)
{
    (void)state;
    struct fixture s = setup();
    pop_tensor inner = { 0 }, outer = { 0 }, before = { 0 };
    assign(&before, join(s.b, s.a));
    pop_mark mark = pop_graph_mark(s.graph);
    for (size_t i = 0; i < 10; ++i)
        join(part(s.a, i, 2), s.b);
    assign(&inner, alternating(&s, 20));
    assign(&outer, join(s.a, inner));
    join(outer, inner);
    clear(&inner);
    assign(&before, join(before, part(s.b, 10, 5)));
    pop_graph_release(s.graph, mark);
    assert_int_equal(tensor_nodes_count(s.nodes), 3);
    assert_int_equal(variable_of(outer, 101), variable_of(s.b, 0));
    assert_int_equal(variable_of(outer, 102), variable_of(s.a, 0));
    assert_int_equal(pop_tensor_num_elements(before), 205);
    assert_int_equal(variable_of(before, 204), variable_of(s.b, 0));
    clear(&outer);
    pop_graph_release(s.graph, mark);
    clear(&before);
    assert_int_equal(tensor_nodes_count(s.nodes), 0);
    done(&s);
}

/* Values that C holds without a reference count stay valid if nothing made later is retained and released. */
static void marks_work_below_retained_values(void **state)
{
    (void)state;
    struct fixture s = setup();
    pop_tensor list = join(part(s.a, 0, 3), part(s.b, 0, 2));
    for (size_t i = 0; i < TURNS; ++i) {
        pop_mark mark = pop_graph_mark(s.graph);
        pop_tensor longer = join(list, part(i % 2 ? s.a : s.b, 9 + i % 50, 3));
        assert_int_equal(pop_tensor_num_elements(longer), 8);
        assert_int_equal(variable_of(longer, 7), variable_of(i % 2 ? s.a : s.b, 0));
        pop_graph_release(s.graph, mark);
        assert_int_equal(pop_graph_mark(s.graph).position, mark.position);
        assert_int_equal(tensor_nodes_count(s.nodes), 1);
        assert_int_equal(variable_of(list, 2), variable_of(s.a, 0));
        assert_int_equal(variable_of(list, 4), variable_of(s.b, 0));
    }
    done(&s);
}

/* Temporary nodes of a call. */
static void calls_leave_no_temporary_nodes(void **state)
{
    (void)state;
    struct fixture s = setup();
    pop_tensor columns = pop_tensor_transpose(pop_tensor_reshape(part(s.a, 0, 48), POP_SHAPE(6, 8)));
    pop_tensor rows = { 0 };
    for (size_t i = 0; i < TURNS; ++i) {
        assign(&rows, pop_tensor_reshape(columns, POP_SHAPE(12, 4))); /* strides cannot express it */
        pop_tensor one = pop_tensor_at(rows, i % 12), every = { 0 };
        assert_int_equal(pop_tensor_num_elements(one), 4);
        assign(&every, pop_tensor_sub_sample(pop_tensor_flatten(columns), 1 + (unsigned)i % 7, 0));
        clear(&every);
        assert_true(tensor_nodes_count(s.nodes) < 4);
    }
    clear(&rows);
    pop_mark mark = pop_graph_mark(s.graph);
    pop_tensor flat = pop_tensor_flatten(columns); /* two digits */
    pop_tensor cut = part(flat, 1, 3);             /* inside one of them */
    assert_false(pop_tensor_has_node(&cut));
    assert_int_equal(pop_graph_mark(s.graph).position, mark.position);
    done(&s);
}

/* The nodes of the first lists, when a later list is invalid. */
static void failed_slices_leave_no_nodes(void **state)
{
    (void)state;
    struct fixture s = setup();
    pop_tensor list = join(s.a, s.b), slices[5];
    pop_mark mark = pop_graph_mark(s.graph);
    pop_interval parts[] = { { 0, 3 }, { 5, 9 }, { 90, 120 }, { 0, 3 }, { 7, 7000 } };
    size_t first[] = { 0, 2, 3, 5 };
    pop_interval_lists lists = { 3, first, parts };
    for (int i = 0; i < 3; ++i) {
        assert_false(pop_tensor_slices_nested(list, &lists, 0, slices));
        EXPECT_ERROR(s.graph, POP_INDEX_ERROR, "7000");
        assert_false(pop_tensor_slices(list, ((pop_interval_list){ 5, parts }), 0, slices));
        EXPECT_ERROR(s.graph, POP_INDEX_ERROR, "7000");
        assert_false(pop_tensor_slices_indices(list, POP_DIMS(1, 2, 200), 0, slices));
        EXPECT_ERROR(s.graph, POP_INDEX_ERROR, "201");
        for (int k = 0; k < 3; ++k)
            assert_false(pop_tensor_valid(slices[k]));
        assert_int_equal(pop_graph_mark(s.graph).position, mark.position);
    }
    assert_true(pop_tensor_slices_nested(list, &(pop_interval_lists){ 2, first, parts }, 0, slices));
    assert_int_equal(pop_tensor_num_elements(slices[0]), 7);
    done(&s);
}

static void a_retained_value_outlives_its_graph(void **state)
{
    (void)state;
    struct fixture s = setup();
    pop_tensor t = { 0 }, more = { 0 };
    assign(&t, join(s.a, part(s.b, 0, 50)));
    assign(&more, alternating(&s, 30));
    pop_graph_destroy(s.graph);
    assert_int_equal(pop_tensor_num_elements(t), 150);
    clear(&t);
    assert_int_equal(pop_tensor_num_elements(more), 60);
    clear(&more); /* releases all other nodes too */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_some_values_have_a_node),
        cmocka_unit_test(a_reassigned_value_takes_one_node),
        cmocka_unit_test(operands_of_a_node_stay_valid),
        cmocka_unit_test(an_index_used_again_is_the_new_composite),
        cmocka_unit_test(appending_adds_to_one_node),
        cmocka_unit_test(walks_follow_changes_of_a_value),
        cmocka_unit_test(parts_match_the_whole),
        cmocka_unit_test(a_moving_window_stays_small),
        cmocka_unit_test(no_node_refers_to_itself),
        cmocka_unit_test(marks_do_not_release_retained_values),
        cmocka_unit_test(marks_work_below_retained_values),
        cmocka_unit_test(calls_leave_no_temporary_nodes),
        cmocka_unit_test(failed_slices_leave_no_nodes),
        cmocka_unit_test(a_retained_value_outlives_its_graph),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
