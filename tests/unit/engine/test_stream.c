/* SPDX-License-Identifier: Apache-2.0 */
/* Streams and remote buffers: what is transferred, in which order callbacks are called, and what cannot be connected.
 */
#include "builder.h"

static pop_device *device;
enum { N = 3, BYTES = N * 4 };

/* Program 0: five times stream "in" -> x -> stream "out". */
static pop_engine *make(pop_options options)
{
    struct image *image = build_image(64);
    uint32_t in = build_stream(image, "in", POP_INT, POP_HOST_TO_DEVICE_FIFO, N);
    uint32_t out = build_stream(image, "out", POP_INT, POP_DEVICE_TO_HOST_FIFO, N);
    build_stream(image, "unused", POP_INT, POP_HOST_TO_DEVICE_FIFO, 0);
    build_program(image);
    uint32_t repeat = build_op(image, OP_REPEAT, 0, 0, 0, 5);
    build_op(image, OP_STREAM_IN, in, build_copy(image, 0, 0, BYTES, 4), 0, 0);
    build_op(image, OP_STREAM_OUT, out, build_copy(image, 0, 0, BYTES, 4), 0, 0);
    image->ops.data[repeat].a = build_op(image, OP_REPEAT_END, repeat + 1, 0, 0, 0) + 1;
    build_op(image, OP_END, 0, 0, 0, 0);
    return build_engine(image, options, device);
}

static void buffers_are_reused_and_circular_ones_advance(void **state)
{
    (void)state;
    pop_engine *engine = make(POP_NO_OPTIONS);
    int32_t in[6] = { 1, 1, 1, 2, 2, 2 }, out[9] = { 0 };
    assert_int_equal(pop_engine_connect_stream_circular(engine, "in", in, in + 6, NULL), POP_OK);
    assert_int_equal(pop_engine_connect_stream_circular(engine, "out", out, out + 9, NULL), POP_OK);
    assert_int_equal(pop_engine_run(engine, 0, NULL), POP_OK); /* 1 2 1 2 1 to rows 0 1 2 0 1 */
    static const int32_t first[] = { 2, 2, 2, 1, 1, 1, 1, 1, 1 };
    assert_memory_equal(out, first, sizeof(first));
    assert_int_equal(pop_engine_run(engine, 0, NULL), POP_OK); /* continues: 2 1 2 1 2 to rows 2 0 1 2 0 */
    static const int32_t second[] = { 2, 2, 2, 2, 2, 2, 1, 1, 1 };
    assert_memory_equal(out, second, sizeof(second));
    int32_t same[N];
    assert_int_equal(pop_engine_connect_stream(engine, "in", in + 3, NULL), POP_OK);
    assert_int_equal(pop_engine_connect_stream(engine, "out", same, NULL), POP_OK);
    assert_int_equal(pop_engine_run(engine, 0, NULL), POP_OK);
    assert_memory_equal(same, in + 3, BYTES);
    pop_engine_destroy(engine);
}

static void invalid_connections_are_refused(void **state)
{
    (void)state;
    pop_engine *engine = make(POP_NO_OPTIONS);
    int32_t data[8];
    assert_fails(pop_engine_run(engine, 0, error), POP_STREAM_CONNECTION_ERROR, "'in', which is not connected");
    assert_int_equal(pop_engine_connect_stream(engine, "in", data, NULL), POP_OK);
    assert_fails(pop_engine_run(engine, 0, error), POP_STREAM_CONNECTION_ERROR, "'out', which is not connected");
    assert_fails(pop_engine_connect_stream(engine, "oot", data, error), POP_STREAM_CONNECTION_ERROR,
                 "did you mean 'out'?");
    assert_fails(pop_engine_connect_stream(engine, NULL, data, error), POP_STREAM_CONNECTION_ERROR, "NULL");
    assert_fails(pop_engine_connect_stream(NULL, "in", data, error), POP_STREAM_CONNECTION_ERROR, "NULL");
    assert_fails(pop_engine_connect_stream(engine, "in", NULL, error), POP_STREAM_CONNECTION_ERROR, "NULL");
    assert_fails(pop_engine_connect_stream_circular(engine, "in", data, data + 4, error), POP_STREAM_CONNECTION_ERROR,
                 "16 bytes, it must be a positive multiple of the 12");
    assert_fails(pop_engine_connect_stream_circular(engine, "in", data, data, error), POP_STREAM_CONNECTION_ERROR,
                 "positive multiple");
    assert_fails(pop_engine_connect_stream_circular(engine, "in", data + 4, data, error), POP_STREAM_CONNECTION_ERROR,
                 "ends before");
    assert_fails(pop_engine_connect_stream_callback(engine, "in", (pop_stream_callback){ 0 }, error),
                 POP_STREAM_CONNECTION_ERROR, "fetch");
    const char *names[4] = { 0 };
    assert_int_equal(pop_engine_list_streams(engine, names, 2), 3);
    assert_string_equal(names[0], "in");
    assert_string_equal(names[1], "out");
    assert_null(names[2]);
    pop_engine_destroy(engine);
}

/* A callback that records its calls: f fetch, c complete, p prefetch, i invalidate, r release. */
struct journal {
    char text[128];
    int next, got, fail_at;
    bool offers;
    pop_engine *engine;
};

static void note(struct journal *journal, char what)
{
    size_t length = strlen(journal->text);
    journal->text[length] = what;
    journal->text[length + 1] = 0;
}

static pop_status fetch_in(void *buffer, void *user)
{
    struct journal *journal = user;
    note(journal, 'f');
    int32_t *to = buffer;
    to[0] = to[1] = to[2] = journal->next++;
    return journal->next == journal->fail_at ? POP_PARSE_ERROR : POP_OK;
}

static pop_prefetch prefetch_in(void *buffer, void *user)
{
    struct journal *journal = user;
    note(journal, 'p');
    if (!journal->offers)
        return POP_PREFETCH_NOT_AVAILABLE;
    int32_t *to = buffer;
    to[0] = to[1] = to[2] = journal->next++;
    return POP_PREFETCH_SUCCESS;
}

static pop_status fetch_out(void *buffer, void *user)
{
    struct journal *journal = user;
    note(journal, 'f');
    journal->got = journal->got * 10 + ((int32_t *)buffer)[2];
    return journal->got == journal->fail_at ? POP_PARSE_ERROR : POP_OK;
}

static void on_complete(void *user)
{
    note(user, 'c');
}

static void on_invalidate(void *user)
{
    struct journal *journal = user;
    note(journal, 'i');
    --journal->next;
}

static void on_release(void *user)
{
    note(user, 'r');
}

static pop_stream_callback reading(struct journal *journal)
{
    return (pop_stream_callback){ fetch_in, prefetch_in, on_complete, on_invalidate, on_release, journal };
}

static pop_stream_callback receiving(struct journal *journal)
{
    return (pop_stream_callback){ fetch_out, NULL, on_complete, NULL, on_release, journal };
}

static void callbacks_are_called_in_order(void **state)
{
    (void)state;
    struct journal in = { .next = 1, .offers = true }, out = { 0 };
    pop_engine *engine = make(POP_NO_OPTIONS); /* overlap is not "none": no prefetch */
    assert_int_equal(pop_engine_connect_stream_callback(engine, "in", reading(&in), NULL), POP_OK);
    assert_int_equal(pop_engine_connect_stream_callback(engine, "out", receiving(&out), NULL), POP_OK);
    assert_int_equal(pop_engine_run(engine, 0, NULL), POP_OK);
    assert_int_equal(out.got, 12345);
    assert_string_equal(in.text, "fcfcfcfcfc");
    assert_string_equal(out.text, "fcfcfcfcfc");
    pop_engine_destroy(engine);
    assert_string_equal(in.text, "fcfcfcfcfcr");
    assert_string_equal(out.text, "fcfcfcfcfcr");
}

static const pop_option prefetching[] = { { "exchange.streamBufferOverlap", "none" },
                                          { "exchange.enablePrefetch", "true" } };

static void prefetched_data_is_consumed_or_dropped(void **state)
{
    (void)state;
    struct journal in = { .next = 1, .offers = true }, out = { 0 };
    pop_engine *engine = make((pop_options){ prefetching, 2 });
    assert_int_equal(pop_engine_connect_stream_callback(engine, "in", reading(&in), NULL), POP_OK);
    assert_int_equal(pop_engine_connect_stream_callback(engine, "out", receiving(&out), NULL), POP_OK);
    assert_int_equal(pop_engine_run(engine, 0, NULL), POP_OK);
    assert_int_equal(out.got, 12345);
    assert_string_equal(in.text, "fcpcpcpcpcp");
    assert_int_equal(pop_engine_run(engine, 0, NULL), POP_OK); /* the sixth was prefetched before */
    assert_int_equal(out.got, 1234567900);                     /* 6 7 8 9 10: 12345678 * 10 + 9, then * 10 + 10 */
    assert_int_equal(pop_engine_load(engine, device, NULL), POP_OK);
    assert_non_null(strstr(in.text, "cpi"));
    in.offers = false;
    in.text[0] = 0;
    in.next = 1;
    out.got = 0;
    assert_int_equal(pop_engine_run(engine, 0, NULL), POP_OK);
    assert_int_equal(out.got, 12345);
    assert_string_equal(in.text, "fcpfcpfcpfcpfcp");
    in.offers = true;
    in.text[0] = 0;
    assert_int_equal(pop_engine_run(engine, 0, NULL), POP_OK);
    struct journal other = { .next = 1 };
    assert_int_equal(pop_engine_connect_stream_callback(engine, "in", reading(&other), NULL), POP_OK);
    assert_string_equal(in.text, "fcpcpcpcpcpir");
    pop_engine_destroy(engine);
}

static void a_failed_callback_ends_the_run(void **state)
{
    (void)state;
    struct journal in = { .next = 1, .fail_at = 3 }, out = { 0 };
    pop_engine *engine = make(POP_NO_OPTIONS);
    assert_int_equal(pop_engine_connect_stream_callback(engine, "in", reading(&in), NULL), POP_OK);
    assert_int_equal(pop_engine_connect_stream_callback(engine, "out", receiving(&out), NULL), POP_OK);
    assert_fails(pop_engine_run(engine, 0, error), POP_PARSE_ERROR, "stream callback failed: fetch of stream 'in'");
    assert_int_equal(out.got, 1);
    assert_int_equal(pop_engine_run(engine, 0, NULL), POP_OK); /* 3 4 5 6 7 */
    assert_int_equal(out.got, 134567);
    out.got = 0;
    out.fail_at = 89;
    assert_fails(pop_engine_run(engine, 0, error), POP_PARSE_ERROR, "stream 'out'");
    pop_engine_destroy(engine);
}

static pop_status misuse(void *buffer, void *user)
{
    struct journal *journal = user;
    memset(buffer, 0, BYTES);
    int32_t data[N];
    assert_fails(pop_engine_connect_stream(journal->engine, "in", data, error), POP_STREAM_CONNECTION_ERROR,
                 "by its own callback");
    assert_fails(pop_engine_run(journal->engine, 0, error), POP_RUNTIME_ERROR, "running");
    assert_fails(pop_engine_load(journal->engine, device, error), POP_RUNTIME_ERROR, "running");
    if (++journal->got == 2)
        pop_engine_stop(journal->engine);
    return POP_OK;
}

static void a_callback_may_only_stop_the_run(void **state)
{
    (void)state;
    pop_engine *engine = make(POP_NO_OPTIONS);
    struct journal journal = { .engine = engine };
    int32_t data[N];
    assert_int_equal(pop_engine_connect_stream_callback(
                         engine, "in", (pop_stream_callback){ .fetch = misuse, .user = &journal }, NULL),
                     POP_OK);
    assert_int_equal(pop_engine_connect_stream(engine, "out", data, NULL), POP_OK);
    assert_int_equal(pop_engine_run(engine, 0, NULL), POP_OK);
    assert_int_equal(journal.got, 2);
    pop_engine_destroy(engine);
}

/* Rows of two ints; program 0: one row in, program 1: three rows out, program 2: three rows in, program 3: row 0 out.
 */
static pop_engine *make_remote(void)
{
    struct image *image = build_image(256);
    *vec_push(&image->remotes) = (struct image_remote){ build_string(image, "weights"), POP_INT, 2, 5, 1, 0 };
    build_handle(image, "index", 0, 4);
    build_handle(image, "indices", 64, 12);
    build_handle(image, "x", 128, 24);
    uint32_t one = build_operand(image, 0, POP_INT, 1), three = build_operand(image, 64, POP_UNSIGNED_INT, 3);
    static const struct {
        unsigned kind;
        bool indexed;
        uint64_t rows;
    } programs[] = {
        { OP_REMOTE_IN, true, 1 }, { OP_REMOTE_OUT, true, 3 }, { OP_REMOTE_IN, true, 3 }, { OP_REMOTE_OUT, false, 1 }
    };
    for (unsigned i = 0; i < 4; ++i) {
        uint64_t bytes = programs[i].rows * 8;
        bool in = programs[i].kind == OP_REMOTE_IN;
        build_program(image);
        build_op(image, programs[i].kind, 0, build_copy(image, in ? 0 : 128, in ? 128 : 0, bytes, 4),
                 !programs[i].indexed ? 0 : 1 + (bytes == 8 ? one : three), programs[i].rows);
        build_op(image, OP_END, 0, 0, 0, 0);
    }
    return build_engine(image, POP_NO_OPTIONS, device);
}

static void remote_rows_move_by_index(void **state)
{
    (void)state;
    pop_engine *engine = make_remote();
    int32_t index = 4, indices[3] = { 3, 0, 4 }, x[6] = { 1, 2, 3, 4, 5, 6 }, row[2];
    assert_int_equal(pop_engine_write_tensor(engine, "indices", indices, 12, NULL), POP_OK);
    assert_int_equal(pop_engine_write_tensor(engine, "x", x, 24, NULL), POP_OK);
    assert_int_equal(pop_engine_run(engine, 1, NULL), POP_OK);
    for (unsigned i = 0; i < 3; ++i) {
        assert_int_equal(pop_engine_copy_from_remote_buffer(engine, "weights", row, (uint64_t)indices[i], NULL),
                         POP_OK);
        assert_memory_equal(row, x + 2 * i, 8);
    }
    int32_t mine[2] = { 70, 71 };
    assert_int_equal(pop_engine_copy_to_remote_buffer(engine, mine, "weights", 4, NULL), POP_OK);
    assert_int_equal(pop_engine_write_tensor(engine, "index", &index, 4, NULL), POP_OK);
    assert_int_equal(pop_engine_run(engine, 0, NULL), POP_OK);
    assert_int_equal(pop_engine_read_tensor(engine, "x", x, 24, NULL), POP_OK);
    assert_memory_equal(x, mine, 8);
    assert_int_equal(pop_engine_run(engine, 3, NULL), POP_OK);
    assert_int_equal(pop_engine_run(engine, 2, NULL), POP_OK);
    assert_int_equal(pop_engine_read_tensor(engine, "x", x, 24, NULL), POP_OK);
    static const int32_t wanted[] = { 1, 2, 70, 71, 70, 71 };
    assert_memory_equal(x, wanted, 24);
    index = -1;
    assert_int_equal(pop_engine_write_tensor(engine, "index", &index, 4, NULL), POP_OK);
    assert_fails(pop_engine_run(engine, 0, error), POP_APPLICATION_RUNTIME_ERROR,
                 "row -1 of remote buffer 'weights', which has 5 rows");
    indices[1] = 5;
    assert_int_equal(pop_engine_write_tensor(engine, "indices", indices, 12, NULL), POP_OK);
    assert_fails(pop_engine_run(engine, 1, error), POP_APPLICATION_RUNTIME_ERROR,
                 "row 5 of remote buffer 'weights', which has 5 rows");
    assert_fails(pop_engine_copy_from_remote_buffer(engine, "weights", row, 5, error), POP_INDEX_ERROR, "row 5");
    assert_fails(pop_engine_copy_to_remote_buffer(engine, row, "weight", 0, error), POP_STREAM_CONNECTION_ERROR,
                 "did you mean 'weights'?");
    assert_fails(pop_engine_copy_to_remote_buffer(engine, NULL, "weights", 0, error), POP_STREAM_CONNECTION_ERROR,
                 "NULL");
    pop_engine_destroy(engine);
}

static int setup(void **state)
{
    (void)state;
    device = build_device();
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    pop_device_destroy(device);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buffers_are_reused_and_circular_ones_advance),
        cmocka_unit_test(invalid_connections_are_refused),
        cmocka_unit_test(callbacks_are_called_in_order),
        cmocka_unit_test(prefetched_data_is_consumed_or_dropped),
        cmocka_unit_test(a_failed_callback_ends_the_run),
        cmocka_unit_test(a_callback_may_only_stop_the_run),
        cmocka_unit_test(remote_rows_move_by_index),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
