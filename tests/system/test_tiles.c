/* SPDX-License-Identifier: Apache-2.0 */
/* Tile state that programs read and set: clocks, seeds, floating-point behaviour. */
#include "fixture.h"

#include <string.h>

static uint64_t clock_of(struct fixture *w, const char *handle)
{
    uint32_t words[2];
    fixture_get(w, handle, words, sizeof(words));
    return (uint64_t)words[1] << 32 | words[0];
}

static pop_program loop_of_work(struct fixture *w, pop_tensor data, unsigned times)
{
    pop_compute_set set = pop_graph_add_compute_set(w->graph, "work");
    pop_vertex vertex = fixture_vertex(w, set, "AddOne", 0);
    pop_graph_connect(w->graph, vertex, "data", data);
    pop_graph_set_perf_estimate(w->graph, vertex, 100, 0);
    return pop_repeat(times, pop_execute(set, NULL), NULL);
}

static bool has_cycles(const struct fixture *w)
{
    return strcmp(w->machine, "cpu") != 0;
}

/* A stamp equals the engine's cycle count after it: here tile 0 ends with the stamp. */
static void a_stamp_equals_the_tiles_clock(struct fixture *w)
{
    fixture_codelets(w);
    pop_tensor data = fixture_variable(w, POP_FLOAT, POP_SHAPE(1), "data");
    pop_program once = pop_sequence_of(w->graph, POP_PROGRAMS(loop_of_work(w, data, 1000)), NULL);
    pop_tensor stamp = pop_cycle_stamp(w->graph, once, 0, POP_SYNC_INTERNAL, "stamp");
    pop_graph_create_host_read(w->graph, "stamp", stamp);
    fixture_start(w, POP_PROGRAMS(once, pop_repeat(20, once, NULL)));
    uint64_t last = 0;
    for (unsigned run = 0; run < 3; ++run) {
        pop_cycles cycles;
        pop_error error = { 0 };
        fixture_run(w, run % 2);
        uint64_t now = clock_of(w, "stamp");
        assert_true(now > last);
        if (has_cycles(w)) {
            must(pop_engine_cycles(w->engine, &cycles, &error), &error);
            assert_true(now <= cycles.total && cycles.total - now < 200); /* the sync reaches other tiles later */
            assert_true(now - last >= (run % 2 ? 20 : 1) * 600000u);
        }
        last = now;
    }
    if (!has_cycles(w))
        return;
    pop_engine_disable_execution_profiling(w->engine);
    fixture_run(w, 0);
    assert_int_equal(clock_of(w, "stamp"), 0);
}

static void a_count_equals_the_cycles_of_the_sequence(struct fixture *w)
{
    fixture_codelets(w);
    pop_tensor data = fixture_variable(w, POP_FLOAT, POP_SHAPE(1), "data");
    pop_program loop = pop_sequence_of(w->graph, POP_PROGRAMS(loop_of_work(w, data, 1000)), NULL);
    pop_program all = pop_sequence_of(w->graph, POP_PROGRAMS(loop, loop), NULL), alone = pop_sequence_copy(all);
    pop_graph_create_host_read(w->graph, "count", pop_cycle_count(w->graph, all, 0, POP_SYNC_EXTERNAL, NULL));
    fixture_start(w, POP_PROGRAMS(all, alone, pop_repeat(3, all, NULL)));
    fixture_run(w, 1);
    FIXTURE_FLOATS(w, "data", 2000);
    for (unsigned run = 0; run < 3; run += 2) {
        fixture_run(w, run);
        uint64_t count = clock_of(w, "count");
        assert_true(count > 0);
        if (has_cycles(w))
            assert_true(count >= 1200000 && count < 1201000);
    }
}

static void seeds_are_kept(struct fixture *w)
{
    pop_program get = pop_sequence(w->graph, NULL), set = pop_sequence(w->graph, NULL);
    pop_tensor seeds = pop_get_hw_seeds(w->graph, get, NULL);
    size_t count = pop_tensor_num_elements(seeds);
    pop_tensor mine = fixture_variable(w, POP_UNSIGNED_INT, POP_SHAPE(count), "mine");
    pop_graph_create_host_read(w->graph, "seeds", seeds);
    pop_set_hw_seeds(w->graph, mine, set, "set");
    assert_int_equal(pop_tensor_dim(seeds, 0), w->tiles);
    assert_int_equal(pop_tensor_dim(seeds, 2), 4);
    fixture_start(w, POP_PROGRAMS(get, set));
    uint32_t first[1024], numbers[1024], found[1024];
    assert_true(count <= 1024);
    for (uint32_t i = 0; i < count; ++i)
        numbers[i] = 7 * i;
    fixture_run(w, 0);
    fixture_get(w, "seeds", first, count * sizeof(*first));
    if (count > 4) /* workers differ */
        assert_memory_not_equal(first, first + 4, 4 * sizeof(*first));
    fixture_put(w, "mine", numbers, count * sizeof(*numbers));
    fixture_run(w, 1);
    fixture_run(w, 0);
    fixture_get(w, "seeds", found, count * sizeof(*found));
    assert_memory_equal(found, numbers, count * sizeof(*found));
}

static void floating_point_behaviour_is_kept(struct fixture *w)
{
    pop_program program = pop_sequence(w->graph, NULL);
    const pop_float_behaviour none = { 0 }, exceptions = { .inv = true, .div0 = true, .oflo = true };
    pop_set_float_behaviour(w->graph, program, exceptions, NULL);
    pop_set_stochastic_rounding(w->graph, program, true, NULL);
    pop_tensor before =
        pop_modify_float_behaviour(w->graph, program, exceptions, (pop_float_behaviour){ .nanoo = true }, NULL);
    pop_tensor after = pop_modify_float_behaviour(w->graph, program, none, none, NULL);
    pop_restore_float_behaviour(w->graph, program, before, NULL);
    pop_tensor restored = pop_modify_float_behaviour(w->graph, program, none, none, NULL);
    pop_graph_create_host_read(w->graph, "before", pop_tensor_at(before, 0));
    pop_graph_create_host_read(w->graph, "after", pop_tensor_at(after, w->tiles - 1));
    pop_graph_create_host_read(w->graph, "restored", pop_tensor_at(restored, 0));
    fixture_start(w, POP_PROGRAMS(program));
    fixture_run(w, 0);
    uint32_t flags[5];
    fixture_get(w, "before", flags, sizeof(flags));
    assert_memory_equal(flags, ((uint32_t[]){ 1, 1, 1, 1, 0 }), sizeof(flags));
    fixture_get(w, "after", flags, sizeof(flags));
    assert_memory_equal(flags, ((uint32_t[]){ 0, 0, 0, 1, 1 }), sizeof(flags));
    fixture_get(w, "restored", flags, sizeof(flags));
    assert_memory_equal(flags, ((uint32_t[]){ 1, 1, 1, 1, 0 }), sizeof(flags));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCENARIO(a_stamp_equals_the_tiles_clock),
        SCENARIO(a_count_equals_the_cycles_of_the_sequence),
        SCENARIO(seeds_are_kept),
        SCENARIO(floating_point_behaviour_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
