/* SPDX-License-Identifier: Apache-2.0 */
/* Callbacks of streams on worker threads: a prefetch that waits for the callback of another stream, and other events
 * while a prefetch runs. */
#include "builder.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

static pop_device *device;
enum { TIMES = 5 };

/* Program 0: five times stream "in" -> x -> stream "out", of one int. */
static pop_engine *make(const char *mode, const char *threads)
{
    struct image *image = build_image(64);
    uint32_t in = build_stream(image, "in", POP_INT, POP_HOST_TO_DEVICE_FIFO, 1);
    uint32_t out = build_stream(image, "out", POP_INT, POP_DEVICE_TO_HOST_FIFO, 1);
    build_program(image);
    uint32_t repeat = build_op(image, OP_REPEAT, 0, 0, 0, TIMES);
    build_op(image, OP_STREAM_IN, in, build_copy(image, 0, 0, 4, 4), 0, 0);
    build_op(image, OP_STREAM_OUT, out, build_copy(image, 0, 0, 4, 4), 0, 0);
    image->ops.data[repeat].a = build_op(image, OP_REPEAT_END, repeat + 1, 0, 0, 0) + 1;
    build_op(image, OP_END, 0, 0, 0, 0);
    return build_engine(image,
                        POP_OPTIONS({ "exchange.streamBufferOverlap", "none" }, { "exchange.enablePrefetch", "true" },
                                    { "streamCallbacks.multiThreadMode", mode },
                                    { "streamCallbacks.numWorkerThreads", threads }),
                        device);
}

/* State of both callbacks, under the lock. */
struct shared_state {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_t runner;
    pop_engine *engine;
    int received, last; /* results, and the last one's value */
    int next;           /* value to send */
    int fail_at;        /* the result that fails */
    int ahead;          /* a prefetch waits for this many results more than were sent before it */
    int fetches, prefetches, invalidated, released, by_runner;
    bool waits;              /* a prefetch is waiting */
    bool waits_for_prefetch; /* results wait for a prefetch */
    bool free;               /* no prefetch waits any more */
};

static void begin(struct shared_state *m)
{
    *m = (struct shared_state){ .runner = pthread_self(), .next = 1 };
    pthread_mutex_init(&m->lock, NULL);
    pthread_cond_init(&m->changed, NULL);
}

static void finish(struct shared_state *m)
{
    pthread_cond_destroy(&m->changed);
    pthread_mutex_destroy(&m->lock);
}

static void enter(struct shared_state *m)
{
    pthread_mutex_lock(&m->lock);
    m->by_runner += pthread_equal(pthread_self(), m->runner) != 0;
}

static void leave(struct shared_state *m)
{
    pthread_cond_broadcast(&m->changed);
    pthread_mutex_unlock(&m->lock);
}

static pop_status send_value(void *buffer, void *user)
{
    struct shared_state *m = user;
    enter(m);
    ++m->fetches;
    *(int32_t *)buffer = m->next++;
    leave(m);
    return POP_OK;
}

static pop_prefetch send_early(void *buffer, void *user)
{
    struct shared_state *m = user;
    enter(m);
    ++m->prefetches;
    m->waits = true;
    pthread_cond_broadcast(&m->changed);
    for (int wanted = m->next - 1 + m->ahead; m->received < wanted && !m->free;)
        pthread_cond_wait(&m->changed, &m->lock);
    m->waits = false;
    *(int32_t *)buffer = m->next++;
    leave(m);
    return POP_PREFETCH_SUCCESS;
}

static pop_status receive(void *buffer, void *user)
{
    struct shared_state *m = user;
    enter(m);
    ++m->received;
    m->last = *(int32_t *)buffer;
    while (m->waits_for_prefetch && !m->waits && !m->free)
        pthread_cond_wait(&m->changed, &m->lock);
    bool fails = m->received == m->fail_at;
    leave(m);
    return fails ? POP_PARSE_ERROR : POP_OK;
}

static void on_complete(void *user)
{
    enter(user);
    leave(user);
}

static void on_invalidate(void *user)
{
    ++((struct shared_state *)user)->invalidated;
}

static void on_release(void *user)
{
    ++((struct shared_state *)user)->released;
}

static void connect(pop_engine *engine, struct shared_state *m)
{
    m->engine = engine;
    pop_stream_callback in = { send_value, send_early, on_complete, on_invalidate, on_release, m };
    pop_stream_callback out = { .fetch = receive, .complete = on_complete, .user = m };
    assert_int_equal(pop_engine_connect_stream_callback(engine, "in", in, NULL), POP_OK);
    assert_int_equal(pop_engine_connect_stream_callback(engine, "out", out, NULL), POP_OK);
}

static void release_prefetch(struct shared_state *m)
{
    pthread_mutex_lock(&m->lock);
    m->free = true;
    leave(m);
}

static void a_prefetch_waits_for_a_result(void **state)
{
    (void)state;
    static const char *const modes[][2] = { { "dedicated", "1" },
                                            { "dedicated", "2" },
                                            { "dedicated", "auto" },
                                            { "collaborative", "1" },
                                            { "collaborative", "auto" } };
    for (unsigned i = 0; i < sizeof(modes) / sizeof(*modes); ++i) {
        struct shared_state m;
        begin(&m);
        pop_engine *engine = make(modes[i][0], modes[i][1]);
        connect(engine, &m);
        for (int run = 1; run <= 20; ++run) {
            assert_int_equal(pop_engine_run(engine, 0, NULL), POP_OK);
            assert_int_equal(m.received, run * TIMES);
            assert_int_equal(m.last, run * TIMES);
        }
        pop_engine_destroy(engine);
        assert_int_equal(m.released, 1);
        assert_in_range(m.invalidated, 0, 1); /* a prefetch that did not begin is not dropped */
        if (strcmp(modes[i][1], "2") == 0)
            assert_int_equal(m.by_runner, 0);
        if (modes[i][0][0] == 'c') /* fetch, complete, receive, complete: all but the prefetches */
            assert_int_equal(m.by_runner, m.fetches + 20 * TIMES * 3);
        finish(&m);
    }
}

/* A prefetch that still waits when its run ends is used by the next run; after a failed run it is dropped with its
 * value. */
static void a_prefetch_outlives_its_run(void **state)
{
    (void)state;
    struct shared_state m;
    begin(&m);
    pop_engine *engine = make("dedicated", "2");
    connect(engine, &m);
    m.fail_at = 1;
    m.ahead = 1;
    m.waits_for_prefetch = true;
    assert_fails(pop_engine_run(engine, 0, error), POP_PARSE_ERROR, "fetch of stream 'out'");
    assert_int_equal(pop_engine_load(engine, device, NULL), POP_OK);
    assert_int_equal(m.invalidated, 0);
    release_prefetch(&m);
    assert_int_equal(pop_engine_run(engine, 0, NULL), POP_OK);
    assert_int_equal(m.received, 1 + TIMES);
    assert_int_equal(m.invalidated, 1); /* value 2 */
    assert_int_equal(m.last, 2 + TIMES);
    pop_engine_destroy(engine);
    assert_int_equal(m.released, 1);
    finish(&m);
}

static void *stop_when_it_waits(void *argument)
{
    struct shared_state *m = argument;
    pthread_mutex_lock(&m->lock);
    while (!m->waits)
        pthread_cond_wait(&m->changed, &m->lock);
    pthread_mutex_unlock(&m->lock);
    usleep(100000);
    pop_engine_stop(m->engine);
    return NULL;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* The run waits at the second transfer for a prefetch that waits for a second result. */
static void a_run_that_waits_is_stopped(void **state)
{
    (void)state;
    struct shared_state m;
    begin(&m);
    m.ahead = 1;
    m.waits_for_prefetch = true;
    pop_engine *engine = make("collaborative", "1");
    connect(engine, &m);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, stop_when_it_waits, &m), 0);
    double from = seconds();
    assert_int_equal(pop_engine_run(engine, 0, NULL), POP_OK);
    assert_true(seconds() - from < 1.1);
    pthread_join(thread, NULL);
    assert_int_equal(m.received, 1);
    release_prefetch(&m);
    assert_int_equal(pop_engine_run(engine, 0, NULL), POP_OK); /* starts with the prefetched value */
    assert_int_equal(m.received, 1 + TIMES);
    assert_int_equal(m.last, 1 + TIMES);
    pop_engine_destroy(engine);
    finish(&m);
}

static pop_prefetch misuse(void *buffer, void *user)
{
    struct shared_state *m = user;
    *(int32_t *)buffer = 7;
    int32_t data[1];
    assert_fails(pop_engine_connect_stream(m->engine, "out", data, error), POP_STREAM_CONNECTION_ERROR,
                 "prefetch callback on a worker thread");
    assert_fails(pop_engine_run(m->engine, 0, error), POP_RUNTIME_ERROR, "prefetch callback on a worker thread");
    assert_fails(pop_engine_load(m->engine, device, error), POP_RUNTIME_ERROR, "prefetch callback on a worker thread");
    pthread_mutex_lock(&m->lock);
    ++m->prefetches;
    pthread_mutex_unlock(&m->lock);
    return POP_PREFETCH_NOT_AVAILABLE;
}

static void a_prefetch_does_not_use_its_engine(void **state)
{
    (void)state;
    struct shared_state m;
    begin(&m);
    pop_engine *engine = make("dedicated", "1");
    connect(engine, &m);
    pop_stream_callback in = { .fetch = send_value, .prefetch = misuse, .user = &m };
    assert_int_equal(pop_engine_connect_stream_callback(engine, "in", in, NULL), POP_OK);
    assert_int_equal(pop_engine_run(engine, 0, NULL), POP_OK);
    assert_int_equal(m.last, TIMES);
    pop_engine_destroy(engine);
    assert_int_equal(m.fetches, TIMES);
    finish(&m);
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
        cmocka_unit_test(a_prefetch_waits_for_a_result),
        cmocka_unit_test(a_prefetch_outlives_its_run),
        cmocka_unit_test(a_run_that_waits_is_stopped),
        cmocka_unit_test(a_prefetch_does_not_use_its_engine),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
