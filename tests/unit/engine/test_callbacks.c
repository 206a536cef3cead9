/* SPDX-License-Identifier: Apache-2.0 */
/* Callbacks that destroy their own engine, and connections made while a callback is released. */
#include "builder.h"

static pop_device *device;
enum { BYTES = 4 };

/* The action of a callback and the call at which it happens; the engine, and counts that are read after it is
 * destroyed. */
enum act { NOTHING, DESTROY, CONNECT };
struct actor {
    pop_engine *engine;
    enum act fetch, prefetch, complete, invalidate, release;
    int fetched, completed, released;
    struct actor *connected; /* the connection that CONNECT makes */
};

static pop_stream_callback callback_of(struct actor *actor);

static void act(struct actor *actor, enum act what)
{
    if (what == DESTROY)
        pop_engine_destroy(actor->engine);
    if (what == CONNECT)
        assert_int_equal(pop_engine_connect_stream_callback(actor->engine, "in", callback_of(actor->connected), NULL),
                         POP_OK);
}

static pop_status on_fetch(void *buffer, void *user)
{
    struct actor *actor = user;
    memset(buffer, 0, BYTES);
    ++actor->fetched;
    act(actor, actor->fetch);
    memset(buffer, 0, BYTES);
    return POP_OK;
}

static pop_prefetch on_prefetch(void *buffer, void *user)
{
    struct actor *actor = user;
    act(actor, actor->prefetch);
    memset(buffer, 0, BYTES);
    return POP_PREFETCH_SUCCESS;
}

static void on_complete(void *user)
{
    struct actor *actor = user;
    ++actor->completed;
    act(actor, actor->complete);
}

static void on_invalidate(void *user)
{
    struct actor *actor = user;
    act(actor, actor->invalidate);
}

static void on_release(void *user)
{
    struct actor *actor = user;
    ++actor->released;
    act(actor, actor->release);
}

static pop_stream_callback callback_of(struct actor *actor)
{
    return (pop_stream_callback){ on_fetch, on_prefetch, on_complete, on_invalidate, on_release, actor };
}

/* Program 0: five times stream "in" -> x, a call of host function "tick". */
static pop_engine *make(void)
{
    struct image *image = build_image(64);
    uint32_t in = build_stream(image, "in", POP_INT, POP_HOST_TO_DEVICE_FIFO, 1);
    *vec_push(&image->host_functions) = (struct image_host_function){ build_string(image, "tick"), 0, 0, 0 };
    build_program(image);
    uint32_t repeat = build_op(image, OP_REPEAT, 0, 0, 0, 5);
    build_op(image, OP_STREAM_IN, in, build_copy(image, 0, 0, BYTES, 4), 0, 0);
    build_op(image, OP_CALL_HOST, 0, 0, 0, 0);
    image->ops.data[repeat].a = build_op(image, OP_REPEAT_END, repeat + 1, 0, 0, 0) + 1;
    build_op(image, OP_END, 0, 0, 0, 0);
    static const pop_option prefetch[] = { { "exchange.enablePrefetch", "true" },
                                           { "exchange.streamBufferOverlap", "none" } };
    return build_engine(image, (pop_options){ prefetch, 2 }, device);
}

static pop_status tick(const void *const *inputs, void *const *outputs, void *user)
{
    (void)inputs, (void)outputs, (void)user;
    return POP_OK;
}

static struct actor connected(void)
{
    struct actor actor = { .engine = make() };
    assert_int_equal(pop_engine_connect_host_function(actor.engine, "tick", tick, NULL, NULL), POP_OK);
    return actor;
}

static void an_engine_destroyed_by_a_callback_ends_its_run(void **state)
{
    (void)state;
    for (int way = 0; way < 3; ++way) {
        struct actor actor = connected();
        *(way == 0 ? &actor.fetch : way == 1 ? &actor.complete : &actor.prefetch) = DESTROY;
        assert_int_equal(pop_engine_connect_stream_callback(actor.engine, "in", callback_of(&actor), NULL), POP_OK);
        assert_int_equal(pop_engine_run(actor.engine, 0, NULL), POP_OK);
        assert_int_equal(actor.fetched, 1);
        assert_int_equal(actor.completed, 1);
        assert_int_equal(actor.released, 1); /* the engine is destroyed */
    }
}

static void an_engine_is_destroyed_while_a_callback_is_released(void **state)
{
    (void)state;
    for (int way = 0; way < 4; ++way) {
        struct actor actor = connected();
        *(way & 1 ? &actor.invalidate : &actor.release) = DESTROY;
        assert_int_equal(pop_engine_connect_stream_callback(actor.engine, "in", callback_of(&actor), NULL), POP_OK);
        assert_int_equal(pop_engine_run(actor.engine, 0, NULL), POP_OK);
        assert_int_equal(actor.released, 0);
        int32_t data = 0;
        if (way < 2)
            assert_int_equal(pop_engine_connect_stream(actor.engine, "in", &data, NULL), POP_OK);
        else if (way == 2)
            pop_engine_destroy(actor.engine);
        else
            assert_fails(pop_engine_load(actor.engine, device, error), POP_RUNTIME_ERROR, "destroyed by a callback");
        assert_int_equal(actor.released, 1);
    }
}

static void a_released_callback_may_connect_its_stream(void **state)
{
    (void)state;
    struct actor actor = connected(), other = { 0 }, third = { 0 };
    actor.release = CONNECT;
    actor.connected = &other;
    other.engine = third.engine = actor.engine;
    assert_int_equal(pop_engine_connect_stream_callback(actor.engine, "in", callback_of(&actor), NULL), POP_OK);
    assert_int_equal(pop_engine_connect_stream_callback(actor.engine, "in", callback_of(&third), NULL), POP_OK);
    assert_int_equal(actor.released, 1);
    assert_int_equal(third.released, 1); /* the last connection is the one that actor's release made */
    assert_int_equal(pop_engine_run(actor.engine, 0, NULL), POP_OK);
    assert_true(other.fetched > 0);
    pop_engine_destroy(actor.engine);
    assert_int_equal(other.released, 1);
    assert_int_equal(actor.released + third.released, 2);
}

static pop_engine *ending;

static void use_it(void *user)
{
    int *released = user;
    int32_t data = 0;
    struct actor none = { 0 };
    ++*released;
    assert_fails(pop_engine_connect_stream(ending, "in", &data, error), POP_STREAM_CONNECTION_ERROR, "destroyed");
    assert_fails(pop_engine_connect_stream_callback(ending, "in", callback_of(&none), error),
                 POP_STREAM_CONNECTION_ERROR, "destroyed");
    assert_fails(pop_engine_connect_host_function(ending, "tick", tick, NULL, error), POP_STREAM_CONNECTION_ERROR,
                 "destroyed");
    assert_fails(pop_engine_run(ending, 0, error), POP_RUNTIME_ERROR, "destroyed");
    assert_fails(pop_engine_load(ending, device, error), POP_RUNTIME_ERROR, "destroyed");
    assert_int_equal(none.released, 0);
}

static void an_engine_that_ends_refuses_calls(void **state)
{
    (void)state;
    int released = 0;
    ending = make();
    pop_stream_callback callback = { .fetch = on_fetch, .release = use_it, .user = &released };
    assert_int_equal(pop_engine_connect_stream_callback(ending, "in", callback, NULL), POP_OK);
    pop_engine_destroy(ending);
    assert_int_equal(released, 1);
}

static pop_status misuse(const void *const *inputs, void *const *outputs, void *user)
{
    (void)inputs, (void)outputs;
    struct actor *actor = user;
    assert_fails(pop_engine_connect_host_function(actor->engine, "tick", tick, NULL, error),
                 POP_STREAM_CONNECTION_ERROR, "by its own callback");
    if (++actor->fetched == 3)
        pop_engine_destroy(actor->engine);
    return POP_OK;
}

static void a_host_function_cannot_connect_itself(void **state)
{
    (void)state;
    struct actor actor = { .engine = make() };
    int32_t data = 0;
    assert_int_equal(pop_engine_connect_stream(actor.engine, "in", &data, NULL), POP_OK);
    assert_int_equal(pop_engine_connect_host_function(actor.engine, "tick", misuse, &actor, NULL), POP_OK);
    assert_int_equal(pop_engine_connect_host_function(actor.engine, "tick", misuse, &actor, NULL),
                     POP_OK); /* it is not running */
    assert_int_equal(pop_engine_run(actor.engine, 0, NULL), POP_OK);
    assert_int_equal(actor.fetched, 3);
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
        cmocka_unit_test(an_engine_destroyed_by_a_callback_ends_its_run),
        cmocka_unit_test(an_engine_is_destroyed_while_a_callback_is_released),
        cmocka_unit_test(a_released_callback_may_connect_its_stream),
        cmocka_unit_test(an_engine_that_ends_refuses_calls),
        cmocka_unit_test(a_host_function_cannot_connect_itself),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
