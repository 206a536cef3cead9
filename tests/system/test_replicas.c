/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs with a replication factor: values that differ between replicas, exchange between them, host access to each,
 * and steps that they must do together. */
#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIMIT = 7, ELEMENTS = 5 };

struct case_of {
    struct fixture w;
    unsigned replicas;
    pop_option threads;
};

static void open_case(struct case_of *c, const char *machine, bool checked, unsigned replicas, const char *threads)
{
    fixture_open_replicas(&c->w, machine, checked, replicas);
    c->replicas = replicas;
    c->threads = (pop_option){ "target.hostThreads", threads };
}

static void start(struct case_of *c, pop_programs programs)
{
    fixture_start_with(&c->w, programs, (pop_options){ &c->threads, 1 });
}

/* A row of the table: runs on every machine, with 1 to 7 replicas, with one thread and with several, checked and not.
 */
struct replicated {
    void (*run)(struct case_of *c);
};
static void on_replicas(void **state)
{
    static const char *const machines[] = { "ipu1", "ipu2", "cpu" }, *const threads[] = { "1", "2", "5" };
    static const unsigned counts[] = { 1, 2, 3, 4, LIMIT };
    const struct replicated *row = *state;
    for (size_t m = 0; m < 3; ++m)
        for (size_t n = 0; n < sizeof(counts) / sizeof(counts[0]); ++n)
            for (size_t t = 0; t < 3; ++t)
                for (int checked = 0; checked < 2; ++checked) {
                    struct case_of c;
                    open_case(&c, machines[m], checked, counts[n], threads[t]);
                    row->run(&c);
                    fixture_close(&c.w);
                }
}
#define REPLICATED(function)                                                                                           \
    {                                                                                                                  \
#function, on_replicas, NULL, NULL, &(struct replicated)                                                       \
        {                                                                                                              \
            function                                                                                                   \
        }                                                                                                              \
    }

/* Each to the next replica, the last to the first. */
static pop_program to_the_next(pop_tensor from, pop_tensor to, unsigned replicas, unsigned distance)
{
    pop_replica_pair pairs[64];
    for (unsigned r = 0; r < replicas; ++r)
        pairs[r] = (pop_replica_pair){ r, (r + distance) % replicas };
    return pop_cross_replica_copy(from, to, pairs, replicas, "next");
}

static pop_tensor rank_of(struct fixture *w)
{
    pop_tensor rank = pop_graph_add_replication_index_constant(w->graph, NULL);
    pop_graph_set_tile_mapping(w->graph, rank, 0);
    return rank;
}

static void the_graph_is_that_of_one_replica(struct case_of *c)
{
    assert_int_equal(pop_graph_replication_factor(c->w.graph), c->replicas);
    assert_int_equal(pop_graph_target(c->w.graph)->num_ipus, 1);
    assert_int_equal(c->w.tiles, strcmp(c->w.machine, "cpu") == 0 ? 1 : 7);
    assert_ptr_equal(pop_graph_top_level(c->w.graph), c->w.graph);
}

static void each_replica_has_a_number_and_values_of_its_own(struct case_of *c)
{
    struct fixture *w = &c->w;
    unsigned numbers[LIMIT], seen[LIMIT];
    float values[LIMIT][2], out[LIMIT][2];
    for (unsigned r = 0; r < c->replicas; ++r) {
        numbers[r] = r;
        values[r][0] = (float)r * 1.5f;
        values[r][1] = -(float)r;
    }
    pop_tensor rank = rank_of(w), v = fixture_variable(w, POP_UNSIGNED_INT, POP_SHAPE(1), "v"),
               own = pop_graph_add_replica_constant(w->graph, POP_FLOAT, POP_SHAPE(2), POP_FLOAT, values, "own"),
               u = fixture_variable(w, POP_FLOAT, POP_SHAPE(2), "u");
    pop_graph_set_tile_mapping(w->graph, own, 0);
    double value;
    assert_int_equal(pop_tensor_constant_double(rank, &value), c->replicas == 1);
    start(c, POP_PROGRAMS(pop_sequence_of(w->graph,
                                          POP_PROGRAMS(pop_copy(pop_tensor_reshape(rank, POP_SHAPE(1)), v, false, NULL),
                                                       pop_copy(own, u, false, NULL)),
                                          NULL)));
    fixture_run(w, 0);
    fixture_get(w, "v", seen, c->replicas * sizeof(*seen));
    fixture_get(w, "u", out, c->replicas * sizeof(*out));
    assert_memory_equal(seen, numbers, c->replicas * sizeof(*seen));
    assert_memory_equal(out, values, c->replicas * sizeof(*out));
}

static void host_tensors_are_one_replica_after_another(struct case_of *c)
{
    struct fixture *w = &c->w;
    float in[LIMIT][ELEMENTS], out[LIMIT][ELEMENTS];
    fixture_codelets(w);
    pop_tensor v = fixture_variable(w, POP_FLOAT, POP_SHAPE(ELEMENTS), "v");
    pop_compute_set set = pop_graph_add_compute_set(w->graph, "set");
    pop_graph_connect(w->graph, fixture_vertex(w, set, "AddOne", 0), "data", v);
    start(c, POP_PROGRAMS(pop_repeat(3, pop_execute(set, NULL), NULL)));
    for (unsigned r = 0; r < c->replicas; ++r)
        for (unsigned i = 0; i < ELEMENTS; ++i)
            in[r][i] = (float)(100 * r + i);
    fixture_put(w, "v", in, c->replicas * sizeof(*in));
    fixture_run(w, 0);
    fixture_get(w, "v", out, c->replicas * sizeof(*out));
    for (unsigned r = 0; r < c->replicas; ++r)
        for (unsigned i = 0; i < ELEMENTS; ++i)
            assert_true(out[r][i] == in[r][i] + 3);
    pop_error error = { 0 };
    if (c->replicas > 1)
        assert_int_equal(pop_engine_read_tensor(w->engine, "v", out, c->replicas * sizeof(*out) - 1, &error),
                         POP_TENSOR_IO_STATE_ERROR);
}

static void copies_between_replicas_read_before_they_write(struct case_of *c)
{
    struct fixture *w = &c->w;
    int in[LIMIT][ELEMENTS], out[LIMIT][ELEMENTS];
    pop_tensor v = fixture_variable(w, POP_INT, POP_SHAPE(ELEMENTS), "v"),
               u = fixture_variable(w, POP_INT, POP_SHAPE(ELEMENTS), "u");
    start(c, POP_PROGRAMS(to_the_next(v, u, c->replicas, 1), to_the_next(v, v, c->replicas, 2 % c->replicas),
                          to_the_next(v, pop_tensor_reverse(v, 0), c->replicas, 1)));
    for (unsigned r = 0; r < c->replicas; ++r)
        for (unsigned i = 0; i < ELEMENTS; ++i)
            in[r][i] = (int)(10 * r + i);
    for (unsigned program = 0; program < 3; ++program) {
        unsigned distance = program == 1 ? 2 : 1;
        fixture_put(w, "v", in, c->replicas * sizeof(*in));
        fixture_run(w, program);
        fixture_get(w, program ? "v" : "u", out, c->replicas * sizeof(*out));
        for (unsigned r = 0; r < c->replicas; ++r)
            for (unsigned i = 0; i < ELEMENTS; ++i)
                assert_int_equal(out[(r + distance) % c->replicas][program == 2 ? ELEMENTS - 1 - i : i], in[r][i]);
    }
}

/* ---- streams ---- */

struct log {
    struct case_of *c;
    unsigned replica, fetched, completed;
    int values[ELEMENTS];
};

static unsigned released, calls, order[64];

static pop_status give(void *buffer, void *user)
{
    struct log *log = user;
    int *values = buffer;
    for (int i = 0; i < ELEMENTS; ++i)
        values[i] = (int)(1000 * log->replica + 10 * log->fetched) + i;
    ++log->fetched;
    order[calls++ % 64] = log->replica;
    return POP_OK;
}

static pop_status receive(void *buffer, void *user)
{
    struct log *log = user;
    memcpy(log->values, buffer, sizeof(log->values));
    ++log->fetched;
    return POP_OK;
}

static void complete(void *user)
{
    struct log *log = user;
    ++log->completed;
}

static void release(void *user)
{
    (void)user;
    ++released;
}

static pop_program streamed(struct case_of *c, pop_replicated_stream_mode mode, unsigned times)
{
    struct fixture *w = &c->w;
    pop_tensor v = fixture_variable(w, POP_INT, POP_SHAPE(ELEMENTS), "v");
    pop_stream in = pop_graph_add_host_to_device_fifo(w->graph, "in", POP_INT, ELEMENTS, mode, POP_NO_OPTIONS),
               out = pop_graph_add_device_to_host_fifo(w->graph, "out", POP_INT, ELEMENTS, POP_NO_OPTIONS);
    assert_int_equal(pop_stream_replicated_mode(in), mode);
    return pop_repeat(
        times,
        pop_sequence_of(w->graph,
                        POP_PROGRAMS(pop_copy_from_stream(in, v, false, NULL), pop_copy_to_stream(v, out, false, NULL)),
                        NULL),
        NULL);
}

static void each_replica_has_a_callback_of_its_own(struct case_of *c)
{
    struct fixture *w = &c->w;
    struct log ins[LIMIT] = { { 0 } }, outs[LIMIT] = { { 0 } };
    pop_error error = { 0 };
    start(c, POP_PROGRAMS(streamed(c, POP_STREAM_REPLICATE, 2)));
    released = calls = 0;
    for (unsigned r = 0; r < c->replicas; ++r) {
        if (r)
            fixture_run_fails(w, 0, POP_STREAM_CONNECTION_ERROR, "not connected for replica");
        ins[r] = outs[r] = (struct log){ .c = c, .replica = r };
        must(pop_engine_connect_stream_callback_of(
                 w->engine, "in", r,
                 (pop_stream_callback){ .fetch = give, .complete = complete, .release = release, .user = &ins[r] },
                 &error),
             &error);
        must(pop_engine_connect_stream_callback_of(w->engine, "out", r,
                                                   (pop_stream_callback){ .fetch = receive, .user = &outs[r] }, &error),
             &error);
    }
    fixture_run(w, 0);
    for (unsigned r = 0; r < c->replicas; ++r) {
        assert_int_equal(ins[r].fetched, 2);
        assert_int_equal(ins[r].completed, 2);
        assert_int_equal(outs[r].fetched, 2);
        assert_int_equal(outs[r].values[ELEMENTS - 1], 1000 * (int)r + 10 + ELEMENTS - 1);
        assert_int_equal(order[r], r); /* in order of replicas, with any number of threads */
    }
    pop_status status = pop_engine_connect_stream_callback_of(w->engine, "in", c->replicas,
                                                              (pop_stream_callback){ .fetch = give }, &error);
    assert_int_equal(status, POP_GRAPH_REPLICATION_ERROR);
    assert_non_null(strstr(error.text, "there is no replica"));
    /* One for all: released once. */
    struct log all = { .c = c };
    released = 0;
    must(pop_engine_connect_stream_callback(
             w->engine, "in", (pop_stream_callback){ .fetch = give, .release = release, .user = &all }, &error),
         &error);
    assert_int_equal(released, c->replicas);
    released = 0;
    fixture_run(w, 0);
    assert_int_equal(all.fetched, 2 * c->replicas);
    must(pop_engine_connect_stream(w->engine, "in", ins, &error), &error);
    assert_int_equal(released, 1);
}

static void a_broadcast_stream_gives_all_the_same_once(struct case_of *c)
{
    struct fixture *w = &c->w;
    struct log in = { .c = c };
    int out[LIMIT][ELEMENTS];
    pop_error error = { 0 };
    start(c, POP_PROGRAMS(streamed(c, POP_STREAM_BROADCAST, 3)));
    must(pop_engine_connect_stream_callback(w->engine, "in", (pop_stream_callback){ .fetch = give, .user = &in },
                                            &error),
         &error);
    must(pop_engine_connect_stream(w->engine, "out", out, &error), &error);
    fixture_run(w, 0);
    assert_int_equal(in.fetched, 3);
    for (unsigned r = 0; r < c->replicas; ++r)
        assert_int_equal(out[r][1], 21);
    /* Its one callback is replica 0's: a new connection replaces the old one, and serves all. */
    struct log of_0 = { .c = c, .replica = 5 };
    released = 0;
    must(pop_engine_connect_stream_callback_of(
             w->engine, "in", 0, (pop_stream_callback){ .fetch = give, .release = release, .user = &of_0 }, &error),
         &error);
    fixture_run(w, 0);
    assert_true(in.fetched == 3 && of_0.fetched == 3);
    for (unsigned r = 0; r < c->replicas; ++r)
        assert_int_equal(out[r][1], 5021);
    /* A buffer has the data of one transfer, with any number of replicas. */
    int values[2 * ELEMENTS] = { 0, 7, [ELEMENTS + 1] = 8 };
    must(pop_engine_connect_stream_circular(w->engine, "in", values, values + ELEMENTS, &error), &error);
    assert_int_equal(released, 1);
    fixture_run(w, 0);
    for (unsigned r = 0; r < c->replicas; ++r)
        assert_int_equal(out[r][1], 7);
    must(pop_engine_connect_stream_circular(w->engine, "in", values, values + 2 * ELEMENTS, &error), &error);
    fixture_run(w, 0);
    for (unsigned r = 0; r < c->replicas; ++r)
        assert_int_equal(out[r][1], 7); /* 7, 8, 7 */
    assert_int_equal(pop_engine_connect_stream_circular(w->engine, "in", values, values + ELEMENTS + 1, &error),
                     POP_STREAM_CONNECTION_ERROR);
    if (c->replicas == 1)
        return;
    for (unsigned r = 1; r <= c->replicas; r += c->replicas - 1) {
        assert_int_equal(
            pop_engine_connect_stream_callback_of(w->engine, "in", r, (pop_stream_callback){ .fetch = give }, &error),
            POP_GRAPH_REPLICATION_ERROR);
        assert_non_null(strstr(error.text, r < c->replicas ? "broadcast" : "there is no replica"));
    }
}

static void a_stream_has_one_of_the_modes(void **state)
{
    (void)state;
    struct fixture w;
    pop_error error = { 0 };
    fixture_open_replicas(&w, "ipu2", false, 2);
    pop_graph_add_host_to_device_fifo(w.graph, "in", POP_INT, 1, (pop_replicated_stream_mode)7, POP_NO_OPTIONS);
    assert_int_equal(pop_graph_take_error(w.graph, &error), POP_GRAPH_OBJECT_CREATION_ERROR);
    assert_non_null(strstr(error.text, "the mode of stream 'in' is 7: POP_STREAM_REPLICATE (0) and"));
    fixture_close(&w);
}

static void buffers_hold_all_replicas(struct case_of *c)
{
    struct fixture *w = &c->w;
    enum { ROUNDS = 3 };
    int in[ROUNDS][LIMIT][ELEMENTS], out[ROUNDS][LIMIT][ELEMENTS], packed_in[ROUNDS * LIMIT * ELEMENTS];
    size_t all = c->replicas * ELEMENTS;
    pop_error error = { 0 };
    start(c, POP_PROGRAMS(streamed(c, POP_STREAM_REPLICATE, ROUNDS)));
    for (size_t i = 0; i < ROUNDS * all; ++i)
        packed_in[i] = (int)i * 3;
    must(pop_engine_connect_stream_circular(w->engine, "in", packed_in, packed_in + ROUNDS * all, &error), &error);
    must(pop_engine_connect_stream_circular(w->engine, "out", out, (int *)out + ROUNDS * all, &error), &error);
    fixture_run(w, 0);
    assert_memory_equal(out, packed_in, ROUNDS * all * sizeof(int));
    memset(in, 0, sizeof(in));
    if (c->replicas > 1)
        assert_int_equal(
            pop_engine_connect_stream_circular(w->engine, "in", packed_in, packed_in + all + ELEMENTS, &error),
            POP_STREAM_CONNECTION_ERROR);
    must(pop_engine_connect_stream(w->engine, "in", packed_in, &error), &error);
    fixture_run(w, 0);
    for (int round = 0; round < ROUNDS; ++round)
        assert_memory_equal((int *)out + (size_t)round * all, packed_in, all * sizeof(int));
}

static void remote_buffers_are_one_for_each(struct case_of *c)
{
    struct fixture *w = &c->w;
    enum { ROWS = 3 };
    pop_tensor v = fixture_variable(w, POP_INT, POP_SHAPE(ELEMENTS), "v");
    pop_tensor row = fixture_variable(w, POP_UNSIGNED_INT, POP_SHAPE(1), "row");
    pop_remote_buffer buffer = pop_graph_add_remote_buffer(w->graph, "buffer", POP_INT, ELEMENTS, ROWS, false, false);
    start(c, POP_PROGRAMS(pop_copy_from_remote(buffer, v, row, NULL)));
    pop_error error = { 0 };
    unsigned rows[LIMIT];
    int out[LIMIT][ELEMENTS], back[ELEMENTS];
    for (unsigned r = 0; r < c->replicas; ++r) {
        rows[r] = r % ROWS; /* replicas may read different rows */
        for (unsigned i = 0; i < ROWS; ++i) {
            int values[ELEMENTS] = { (int)(100 * r + i) };
            must(pop_engine_copy_to_remote_buffer_of(w->engine, r, values, "buffer", i, &error), &error);
        }
    }
    fixture_put(w, "row", rows, c->replicas * sizeof(*rows));
    fixture_run(w, 0);
    fixture_get(w, "v", out, c->replicas * sizeof(*out));
    for (unsigned r = 0; r < c->replicas; ++r) {
        assert_int_equal(out[r][0], 100 * r + r % ROWS);
        must(pop_engine_copy_from_remote_buffer_of(w->engine, r, "buffer", back, 2, &error), &error);
        assert_int_equal(back[0], 100 * r + 2);
    }
    assert_int_equal(pop_engine_copy_to_remote_buffer_of(w->engine, c->replicas, back, "buffer", 0, &error),
                     POP_GRAPH_REPLICATION_ERROR);
}

/* ---- control flow by replica, and in common ---- */

/* counts: iterations of each replica. */
static pop_program count_down(struct fixture *w, pop_program body)
{
    pop_tensor left = fixture_variable(w, POP_INT, POP_SHAPE(1), "left");
    pop_compute_set set = pop_graph_add_compute_set(w->graph, "less");
    pop_vertex vertex = fixture_vertex(w, set, "Predecessor", 0);
    pop_graph_connect(w->graph, vertex, "x", left);
    return pop_repeat_while_true(pop_sequence(w->graph, NULL), pop_tensor_reshape(left, POP_SHAPE()),
                                 pop_sequence_of(w->graph, POP_PROGRAMS(pop_execute(set, NULL), body), NULL), NULL);
}

static void replicas_branch_by_themselves(struct case_of *c)
{
    struct fixture *w = &c->w;
    int left[LIMIT], u[LIMIT];
    fixture_codelets(w);
    pop_tensor v = fixture_variable(w, POP_INT, POP_SHAPE(1), "v"), t = fixture_variable(w, POP_INT, POP_SHAPE(1), "u");
    pop_compute_set set = pop_graph_add_compute_set(w->graph, "more");
    pop_vertex vertex = fixture_vertex(w, set, "Successor", 0);
    pop_graph_connect(w->graph, vertex, "x", v);
    pop_graph_connect(w->graph, vertex, "y", v);
    pop_program loop = count_down(w, pop_execute(set, NULL));
    start(c, POP_PROGRAMS(pop_sequence_of(w->graph, POP_PROGRAMS(loop, to_the_next(v, t, c->replicas, 1)), NULL)));
    for (unsigned r = 0; r < c->replicas; ++r)
        left[r] = (int)(5 * r + 1);
    fixture_put(w, "left", left, c->replicas * sizeof(*left));
    fixture_run(w, 0);
    fixture_get(w, "u", u, c->replicas * sizeof(*u));
    for (unsigned r = 0; r < c->replicas; ++r)
        assert_int_equal(u[(r + 1) % c->replicas], 5 * r + 1);
}

static void replicas_that_wait_for_different_steps_are_named(struct case_of *c)
{
    struct fixture *w = &c->w;
    int left[LIMIT];
    if (c->replicas == 1)
        return;
    fixture_codelets(w);
    pop_tensor v = fixture_variable(w, POP_INT, POP_SHAPE(1), "v"), u = fixture_variable(w, POP_INT, POP_SHAPE(1), "u");
    start(c, POP_PROGRAMS(count_down(w, to_the_next(v, u, c->replicas, 1))));
    for (unsigned r = 0; r < c->replicas; ++r)
        left[r] = r == c->replicas - 1 ? 4 : 3;
    fixture_put(w, "left", left, c->replicas * sizeof(*left));
    char words[160];
    snprintf(words, sizeof(words), "replica 0 is at the end of the program, replica %u at CrossReplicaCopy 'next'",
             c->replicas - 1);
    fixture_run_fails(w, 0, POP_APPLICATION_RUNTIME_ERROR, words);
    for (unsigned r = 0; r < c->replicas; ++r) /* and continues in the next run */
        left[r] = 3;
    fixture_put(w, "left", left, c->replicas * sizeof(*left));
    fixture_run(w, 0);
}

static void the_first_replica_that_fails_is_named(struct case_of *c)
{
    struct fixture *w = &c->w;
    unsigned flags[LIMIT] = { 0 };
    pop_tensor flag = fixture_variable(w, POP_UNSIGNED_INT, POP_SHAPE(1), "flag");
    start(c, POP_PROGRAMS(pop_abort_on_condition(pop_tensor_reshape(flag, POP_SHAPE()), "no more", NULL)));
    fixture_run(w, 0);
    flags[c->replicas - 1] = 1;
    flags[c->replicas / 2] = 1;
    fixture_put(w, "flag", flags, c->replicas * sizeof(*flags));
    char words[64];
    snprintf(words, sizeof(words), c->replicas == 1 ? "no more" : "replica %u: no more", c->replicas / 2);
    fixture_run_fails(w, 0, POP_APPLICATION_RUNTIME_ERROR, words);
}

static void debug_runs_check_what_is_assumed_equal(struct case_of *c)
{
    struct fixture *w = &c->w;
    int values[LIMIT][ELEMENTS] = { { 0 } };
    pop_tensor v = fixture_variable(w, POP_INT, POP_SHAPE(ELEMENTS), "v");
    bool verify = c->threads.value[0] != '1'; /* either option has this effect */
    pop_option options[] = { c->threads, { "debug.runtimeVerify", verify ? "true" : "false" } };
    fixture_start_with(w, POP_PROGRAMS(pop_assume_equal_across_replicas(v, "weights")), (pop_options){ options, 2 });
    fixture_run(w, 0);
    values[c->replicas - 1][3] = 1;
    fixture_put(w, "v", values, c->replicas * sizeof(*values));
    char words[96];
    snprintf(words, sizeof(words), "'weights': element 3 differs between replica 0 and replica %u", c->replicas - 1);
    if ((w->checked || verify) && c->replicas > 1)
        fixture_run_fails(w, 0, POP_APPLICATION_RUNTIME_ERROR, words);
    else
        fixture_run(w, 0);
}

static void an_executable_keeps_its_replicas(struct case_of *c)
{
    struct fixture *w = &c->w;
    pop_tensor rank = rank_of(w), v = fixture_variable(w, POP_UNSIGNED_INT, POP_SHAPE(), "v"),
               u = fixture_variable(w, POP_UNSIGNED_INT, POP_SHAPE(), "u");
    pop_program program = pop_sequence_of(
        w->graph, POP_PROGRAMS(pop_copy(rank, v, false, NULL), to_the_next(v, u, c->replicas, 1)), NULL);
    pop_executable *made = NULL, *read = NULL;
    void *data = NULL;
    size_t size;
    unsigned seen[LIMIT];
    pop_error error = { 0 };
    must(pop_compile_graph(w->graph, POP_PROGRAMS(program), POP_NO_OPTIONS, NULL, NULL, &made, &error), &error);
    must(pop_executable_to_memory(made, &data, &size, &error), &error);
    must(pop_executable_from_memory(data, size, &read, &error), &error);
    w->engine = pop_engine_create_from(read, (pop_options){ &c->threads, 1 }, &error);
    must(error.status, &error);
    assert_int_equal(pop_engine_num_replicas(w->engine), c->replicas);
    must(pop_engine_load(w->engine, w->device, &error), &error);
    fixture_run(w, 0);
    fixture_get(w, "u", seen, c->replicas * sizeof(*seen));
    for (unsigned r = 0; r < c->replicas; ++r)
        assert_int_equal(seen[(r + 1) % c->replicas], r);
    free(data);
    pop_executable_destroy(made);
    pop_executable_destroy(read);
}

/* ---- errors ---- */

static void invalid_factors_are_refused(void **state)
{
    (void)state;
    static const struct {
        unsigned ipus, replicas;
        const char *words;
    } rows[] = { { 8, 3, "does not divide the target's 8 IPUs" },
                 { 8, 0, "a replication factor of 0" },
                 { 2, 4, "does not divide the target's 2 IPUs" },
                 { 1, 70000, "1 to 65536 are allowed" } };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        pop_error error = { 0 };
        pop_target target;
        must(pop_target_create_ipu(rows[i].ipus, "ipu2", &target, &error), &error);
        pop_graph *graph = pop_graph_create_replicated(&target, rows[i].replicas);
        assert_int_equal(pop_graph_take_error(graph, &error), POP_GRAPH_REPLICATION_ERROR);
        if (!strstr(error.text, rows[i].words))
            fail_msg("'%s' is not in '%s'", rows[i].words, error.text);
        assert_non_null(strstr(error.where.file, "test_replicas.c"));
        pop_graph_destroy(graph);
    }
}

static void maps_that_are_not_permutations_are_refused(void **state)
{
    (void)state;
    static const struct {
        size_t count;
        pop_replica_pair pairs[4];
        const char *words;
    } rows[] = {
        { 3, { { 0, 1 }, { 1, 2 }, { 0, 0 } }, "replica 0 sends twice" },
        { 3, { { 0, 1 }, { 1, 2 }, { 2, 1 } }, "replica 1 receives twice" },
        { 2, { { 0, 1 }, { 1, 0 } }, "replica 2 does not receive" },
        { 0, { { 0, 0 } }, "replica 0 does not receive" },
        { 3, { { 0, 1 }, { 1, 2 }, { 2, 3 } }, "replica 2 sends to replica 3: the graph has 3 (0 to 2)" },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        struct fixture w;
        fixture_open_replicas(&w, "ipu2", false, 3);
        pop_tensor v = fixture_variable(&w, POP_INT, POP_SHAPE(2), "v"),
                   u = fixture_variable(&w, POP_INT, POP_SHAPE(2), "u");
        pop_cross_replica_copy(v, u, rows[i].pairs, rows[i].count, "bad");
        pop_error error = { 0 };
        assert_int_equal(pop_graph_take_error(w.graph, &error), POP_GRAPH_REPLICATION_ERROR);
        if (!strstr(error.text, rows[i].words))
            fail_msg("'%s' is not in '%s'", rows[i].words, error.text);
        pop_cross_replica_copy(v, pop_tensor_reshape(u, POP_SHAPE(2, 1)), rows[0].pairs, 3, "shapes");
        assert_int_equal(pop_graph_take_error(w.graph, &error), POP_CONTROL_PROGRAM_ERROR);
        fixture_close(&w);
    }
}

static void the_profile_is_that_of_the_chosen_replica(void **state)
{
    (void)state;
    int left[3] = { 1, 5, 2 };
    pop_cycles cycles[3], again;
    pop_error error = { 0 };
    for (unsigned chosen = 0; chosen < 3; ++chosen) {
        struct fixture w;
        char number[4];
        snprintf(number, sizeof(number), "%u", chosen);
        fixture_open_replicas(&w, "ipu2", false, 3);
        fixture_codelets(&w);
        fixture_start_with(&w, POP_PROGRAMS(count_down(&w, pop_sequence(w.graph, NULL))),
                           POP_OPTIONS({ "profiler.replicaToProfile", number }));
        fixture_put(&w, "left", left, sizeof(left));
        fixture_run(&w, 0);
        must(pop_engine_cycles(w.engine, &cycles[chosen], &error), &error);
        pop_engine *bad = pop_engine_create(w.graph, POP_PROGRAMS(pop_sequence(w.graph, NULL)),
                                            POP_OPTIONS({ "profiler.replicaToProfile", "3" }), &error);
        assert_null(bad);
        assert_int_equal(error.status, POP_INVALID_OPTION);
        fixture_close(&w);
    }
    assert_true(cycles[1].total > cycles[2].total && cycles[2].total > cycles[0].total);
    /* The profile of one replica of three is that of the program on one IPU, except for exchange. */
    struct fixture w;
    fixture_open(&w, "ipu2", false);
    fixture_codelets(&w);
    fixture_start(&w, POP_PROGRAMS(count_down(&w, pop_sequence(w.graph, NULL))));
    fixture_put(&w, "left", left + 2, sizeof(left[0]));
    fixture_run(&w, 0);
    must(pop_engine_cycles(w.engine, &again, &error), &error);
    assert_int_equal(again.total, cycles[2].total);
    fixture_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        REPLICATED(the_graph_is_that_of_one_replica),
        REPLICATED(each_replica_has_a_number_and_values_of_its_own),
        REPLICATED(host_tensors_are_one_replica_after_another),
        REPLICATED(copies_between_replicas_read_before_they_write),
        REPLICATED(each_replica_has_a_callback_of_its_own),
        REPLICATED(a_broadcast_stream_gives_all_the_same_once),
        REPLICATED(buffers_hold_all_replicas),
        REPLICATED(remote_buffers_are_one_for_each),
        REPLICATED(replicas_branch_by_themselves),
        REPLICATED(replicas_that_wait_for_different_steps_are_named),
        REPLICATED(the_first_replica_that_fails_is_named),
        REPLICATED(debug_runs_check_what_is_assumed_equal),
        REPLICATED(an_executable_keeps_its_replicas),
        cmocka_unit_test(a_stream_has_one_of_the_modes),
        cmocka_unit_test(invalid_factors_are_refused),
        cmocka_unit_test(maps_that_are_not_permutations_are_refused),
        cmocka_unit_test(the_profile_is_that_of_the_chosen_replica),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
