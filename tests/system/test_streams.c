/* SPDX-License-Identifier: Apache-2.0 */
/* Streams to buffers, circular buffers and callbacks, with prefetch on and off; remote buffers with and without row
 * indices. */
#include "fixture.h"

#include <stdlib.h>
#include <string.h>

struct piped {
    pop_tensor v, w;
    pop_stream in, out;
    pop_program once; /* in -> v -> out */
};

static struct piped piped_open(struct fixture *w, size_t elements)
{
    struct piped p;
    p.v = fixture_variable(w, POP_INT, POP_SHAPE(elements), "v");
    p.in = pop_graph_add_host_to_device_fifo(w->graph, "in", POP_INT, elements, POP_STREAM_REPLICATE, POP_NO_OPTIONS);
    p.out = pop_graph_add_device_to_host_fifo(w->graph, "out", POP_INT, elements, POP_NO_OPTIONS);
    p.once = pop_sequence_of(
        w->graph,
        POP_PROGRAMS(pop_copy_from_stream(p.in, p.v, false, NULL), pop_copy_to_stream(p.v, p.out, false, NULL)), NULL);
    return p;
}

static void plain_buffers_move_the_same_elements_each_time(struct fixture *w)
{
    struct piped p = piped_open(w, 3);
    fixture_start(w, POP_PROGRAMS(pop_repeat(2, p.once, NULL)));
    int in[] = { 1, 2, 3 }, out[] = { 9, 9, 9, 9 };
    pop_error error = { 0 };
    must(pop_engine_connect_stream(w->engine, "in", in, &error), &error);
    must(pop_engine_connect_stream(w->engine, "out", out, &error), &error);
    fixture_run(w, 0);
    assert_memory_equal(out, ((const int[]){ 1, 2, 3, 9 }), sizeof(out));
    in[1] = 7; /* read again at the next run */
    fixture_run(w, 0);
    assert_memory_equal(out, ((const int[]){ 1, 7, 3, 9 }), sizeof(out));
}

static void circular_buffers_advance_and_wrap(struct fixture *w)
{
    struct piped p = piped_open(w, 2);
    fixture_start(w, POP_PROGRAMS(pop_repeat(2, p.once, NULL), p.once));
    int in[6] = { 1, 2, 3, 4, 5, 6 }, out[4] = { 0 };
    pop_error error = { 0 };
    must(pop_engine_connect_stream_circular(w->engine, "in", in, in + 6, &error), &error);
    must(pop_engine_connect_stream_circular(w->engine, "out", out, out + 4, &error), &error);
    fixture_run(w, 0);
    assert_memory_equal(out, ((const int[]){ 1, 2, 3, 4 }), sizeof(out));
    fixture_run(w, 1); /* programs share the position */
    assert_memory_equal(out, ((const int[]){ 5, 6, 3, 4 }), sizeof(out));
    fixture_run(w, 1);
    assert_memory_equal(out, ((const int[]){ 5, 6, 1, 2 }), sizeof(out));
    int other[] = { 8, 9 }; /* a new connection replaces the old one and starts at its beginning */
    must(pop_engine_connect_stream(w->engine, "in", other, &error), &error);
    fixture_run(w, 0);
    assert_memory_equal(out, ((const int[]){ 8, 9, 8, 9 }), sizeof(out));
}

/* A source of consecutive numbers that obeys the rules of prefetching. */
struct source {
    int next, fetches, prefetches, completes, released;
    bool prefetched, in_flight;
};

static void fill(struct source *s, void *buffer)
{
    int *values = buffer;
    for (int i = 0; i < 2; ++i)
        values[i] = s->next * 10 + i;
}

static pop_status source_fetch(void *buffer, void *user)
{
    struct source *s = user;
    ++s->fetches;
    assert_false(s->prefetched); /* prefetched data must be used first */
    fill(s, buffer);
    return POP_OK;
}

static pop_prefetch source_prefetch(void *buffer, void *user)
{
    struct source *s = user;
    if (++s->prefetches % 2 == 0)
        return POP_PREFETCH_NOT_AVAILABLE;
    fill(s, buffer);
    s->prefetched = true;
    return POP_PREFETCH_SUCCESS;
}

static void source_complete(void *user)
{
    struct source *s = user;
    s->prefetched = false;
    ++s->completes;
    ++s->next;
}

static void source_invalidate(void *user)
{
    ((struct source *)user)->prefetched = false;
}

static void source_release(void *user)
{
    ++((struct source *)user)->released;
}

static pop_status sink_fetch(void *buffer, void *user)
{
    struct source *s = user;
    const int *values = buffer;
    assert_int_equal(values[0], s->next * 10);
    assert_int_equal(values[1], s->next * 10 + 1);
    ++s->fetches;
    return POP_OK;
}

static void callbacks_with_options(struct fixture *w, pop_options options, bool with_prefetch)
{
    struct piped p = piped_open(w, 2);
    fixture_start_with(w, POP_PROGRAMS(pop_repeat(5, p.once, NULL)), options);
    struct source source = { 0 }, sink = { 0 };
    pop_error error = { 0 };
    pop_stream_callback in = { source_fetch,    with_prefetch ? source_prefetch : NULL,
                               source_complete, source_invalidate,
                               source_release,  &source };
    pop_stream_callback out = { sink_fetch, NULL, source_complete, NULL, source_release, &sink };
    must(pop_engine_connect_stream_callback(w->engine, "in", in, &error), &error);
    must(pop_engine_connect_stream_callback(w->engine, "out", out, &error), &error);
    fixture_run(w, 0);
    fixture_run(w, 0);
    assert_int_equal(source.completes, 10);
    assert_int_equal(sink.fetches, 10);
    assert_int_equal(sink.completes, 10);
    assert_true(source.fetches <= 10);
    if (!with_prefetch)
        assert_int_equal(source.fetches, 10);
    int plain[2] = { 0 };
    must(pop_engine_connect_stream(w->engine, "in", plain, &error), &error);
    assert_int_equal(source.released, 1);
    assert_int_equal(sink.released, 0);
    pop_engine_destroy(w->engine);
    w->engine = NULL;
    assert_int_equal(sink.released, 1);
}

static void callbacks_without_prefetch(struct fixture *w)
{
    callbacks_with_options(w, POP_OPTIONS({ "exchange.enablePrefetch", "false" }), false);
}

static void callbacks_that_could_prefetch_but_may_not(struct fixture *w)
{
    callbacks_with_options(w, POP_OPTIONS({ "exchange.enablePrefetch", "false" }), true);
}

static void callbacks_with_prefetch(struct fixture *w)
{
    callbacks_with_options(
        w, POP_OPTIONS({ "exchange.enablePrefetch", "true" }, { "exchange.streamBufferOverlap", "none" }), true);
}

static pop_status failing_fetch(void *buffer, void *user)
{
    (void)buffer, (void)user;
    return POP_RUNTIME_ERROR;
}

static void count_complete(void *user)
{
    ++*(int *)user;
}

static void a_callback_that_fails_ends_the_run(struct fixture *w)
{
    struct piped p = piped_open(w, 2);
    fixture_start(w, POP_PROGRAMS(p.once));
    int out[] = { 5, 5 };
    pop_error error = { 0 };
    int completes = 0;
    pop_stream_callback failing = { .fetch = failing_fetch, .complete = count_complete, .user = &completes };
    must(pop_engine_connect_stream_callback(w->engine, "in", failing, &error), &error);
    must(pop_engine_connect_stream(w->engine, "out", out, &error), &error);
    fixture_run_fails(w, 0, POP_RUNTIME_ERROR, "stream callback failed");
    assert_int_equal(out[0], 5);
    assert_int_equal(completes, 0); /* nothing was transferred */
    must(pop_engine_connect_stream(w->engine, "in", (int[]){ 10, 11 }, &error), &error);
    must(pop_engine_connect_stream_callback(w->engine, "out", failing, &error), &error);
    fixture_run_fails(w, 0, POP_RUNTIME_ERROR, "stream callback failed");
    assert_int_equal(completes, 0);
}

/* Every stream that a run could reach has to be connected: one of a case, and one of a default. */
static void a_stream_of_a_switch_must_be_connected(struct fixture *w)
{
    for (unsigned in_default = 0; in_default < 2; ++in_default) {
        pop_tensor control = fixture_variable(w, POP_INT, POP_SHAPE(), in_default ? "d" : "c"),
                   v = fixture_variable(w, POP_INT, POP_SHAPE(2), in_default ? "vd" : "vc");
        pop_stream stream = pop_graph_add_host_to_device_fifo(w->graph, in_default ? "only default" : "only case",
                                                              POP_INT, 2, POP_STREAM_REPLICATE, POP_NO_OPTIONS);
        pop_program select = pop_switch(control, NULL), copy = pop_copy_from_stream(stream, v, false, NULL);
        if (in_default)
            pop_switch_default(select, copy);
        else
            pop_switch_add(select, 3, copy);
        pop_engine_destroy(w->engine);
        w->engine = NULL;
        fixture_start(w, POP_PROGRAMS(select));
        fixture_run_fails(w, 0, POP_STREAM_CONNECTION_ERROR,
                          in_default ? "'only default', which is not connected"
                                     : "'only case', which is not connected");
    }
}

static void handles_can_be_listed(struct fixture *w)
{
    struct piped p = piped_open(w, 2);
    fixture_start(w, POP_PROGRAMS(p.once));
    const char *handles[8];
    size_t count = pop_engine_list_streams(w->engine, handles, 8), seen = 0;
    for (size_t i = 0; i < count; ++i)
        seen += strcmp(handles[i], "in") == 0 || strcmp(handles[i], "out") == 0;
    assert_int_equal(count, 2);
    assert_int_equal(seen, 2);
    assert_string_equal(pop_stream_handle(p.in), "in");
    assert_int_equal(pop_stream_num_elements(p.out), 2);
}

static void remote_rows(struct fixture *w)
{
    enum { ROWS = 5, N = 3 };
    pop_remote_buffer buffer = pop_graph_add_remote_buffer(w->graph, "far", POP_FLOAT, N, ROWS, false, false);
    pop_tensor one = fixture_variable(w, POP_FLOAT, POP_SHAPE(N), "one"),
               two = fixture_variable(w, POP_FLOAT, POP_SHAPE(2, N), "two");
    pop_tensor row = fixture_variable(w, POP_INT, POP_SHAPE(), "row"),
               rows = fixture_variable(w, POP_UNSIGNED_INT, POP_SHAPE(2), "rows");
    pop_tensor reversed = pop_tensor_reverse(two, 1);
    fixture_start(w,
                  POP_PROGRAMS(pop_copy_from_remote(buffer, one, row, NULL), pop_copy_to_remote(one, buffer, row, NULL),
                               pop_copy_from_remote(buffer, two, rows, NULL),
                               pop_copy_to_remote(reversed, buffer, rows, NULL)));
    pop_error error = { 0 };
    float data[N] = { 0 };
    for (unsigned i = 0; i < ROWS; ++i) {
        for (unsigned j = 0; j < N; ++j)
            data[j] = (float)(10 * i + j);
        must(pop_engine_copy_to_remote_buffer(w->engine, data, "far", i, &error), &error);
    }
    FIXTURE_PUT(w, "row", (const int[]){ 4 });
    fixture_run(w, 0);
    FIXTURE_FLOATS(w, "one", 40, 41, 42);
    FIXTURE_PUT(w, "row", (const int[]){ 1 });
    fixture_run(w, 1);
    FIXTURE_PUT(w, "rows", ((const unsigned[]){ 1, 0 }));
    fixture_run(w, 2);
    FIXTURE_FLOATS(w, "two", 40, 41, 42, 0, 1, 2);
    FIXTURE_PUT(w, "rows", ((const unsigned[]){ 3, 2 }));
    fixture_run(w, 3);
    must(pop_engine_copy_from_remote_buffer(w->engine, "far", data, 3, &error), &error);
    assert_memory_equal(data, ((const float[]){ 42, 41, 40 }), sizeof(data));
    must(pop_engine_copy_from_remote_buffer(w->engine, "far", data, 2, &error), &error);
    assert_memory_equal(data, ((const float[]){ 2, 1, 0 }), sizeof(data));
    /* a row out of range among valid ones: nothing moves */
    FIXTURE_PUT(w, "two", ((const float[]){ 7, 7, 7, 8, 8, 8 }));
    for (unsigned bad = 0; bad < 2; ++bad) {
        FIXTURE_PUT(w, "rows", ((const unsigned[]){ bad ? 0 : ROWS, bad ? ROWS : 0 }));
        fixture_run_fails(w, 3, POP_APPLICATION_RUNTIME_ERROR,
                          "row 5 of remote buffer 'far', which has 5 rows (0 to 4)");
        must(pop_engine_copy_from_remote_buffer(w->engine, "far", data, 0, &error), &error);
        assert_memory_equal(data, ((const float[]){ 0, 1, 2 }), sizeof(data));
        fixture_run_fails(w, 2, POP_APPLICATION_RUNTIME_ERROR, "row 5");
        FIXTURE_FLOATS(w, "two", 7, 7, 7, 8, 8, 8);
    }
    FIXTURE_PUT(w, "row", (const int[]){ ROWS });
    pop_status status = pop_engine_run(w->engine, 0, &error);
    assert_true(status == POP_INDEX_ERROR || status == POP_APPLICATION_RUNTIME_ERROR);
    FIXTURE_PUT(w, "row", (const int[]){ -1 });
    assert_int_not_equal(pop_engine_run(w->engine, 1, &error), POP_OK);
}

static void a_remote_buffer_of_one_row_needs_no_index(struct fixture *w)
{
    pop_remote_buffer buffer = pop_graph_add_remote_buffer(w->graph, "far", POP_HALF, 4, 1, false, true);
    pop_tensor v = fixture_variable(w, POP_HALF, POP_SHAPE(4), "v");
    pop_tensor none = { 0 };
    fixture_start(w, POP_PROGRAMS(pop_copy_to_remote(v, buffer, none, NULL),
                                  pop_copy_from_remote(buffer, pop_tensor_reverse(v, 0), none, NULL)));
    const uint16_t values[] = { pop_half_from_float(1), pop_half_from_float(2), pop_half_from_float(3),
                                pop_half_from_float(4) };
    const uint16_t reversed[] = { values[3], values[2], values[1], values[0] };
    FIXTURE_PUT(w, "v", values);
    fixture_run(w, 0);
    fixture_run(w, 1);
    fixture_expect(w, "v", POP_HALF, reversed, sizeof(reversed));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCENARIO(plain_buffers_move_the_same_elements_each_time),
        SCENARIO(circular_buffers_advance_and_wrap),
        SCENARIO(callbacks_without_prefetch),
        SCENARIO(callbacks_that_could_prefetch_but_may_not),
        SCENARIO(callbacks_with_prefetch),
        SCENARIO(a_callback_that_fails_ends_the_run),
        SCENARIO(a_stream_of_a_switch_must_be_connected),
        SCENARIO(handles_can_be_listed),
        SCENARIO(remote_rows),
        SCENARIO(a_remote_buffer_of_one_row_needs_no_index),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
