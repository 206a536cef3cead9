/* SPDX-License-Identifier: Apache-2.0 */
/* The pool runs every chunk exactly once, whatever the sizes, and returns only when all are done. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/pool.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LIMIT = 1000 };
struct work {
    unsigned char ran[LIMIT]; /* plain bytes: TSan reports accesses that the pool does not order */
    atomic_uint calls;
    struct thread_pool *pool;
};

static void mark(void *context, uint32_t chunk)
{
    struct work *work = context;
    ++work->ran[chunk];
    atomic_fetch_add(&work->calls, 1);
}

static void each_chunk_runs_once(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= 5; ++threads) {
        struct thread_pool *pool = pool_create(threads);
        assert_int_equal(pool_threads(pool), threads);
        static const uint32_t sizes[] = { 0, 1, 2, 3, 7, 64, 997 };
        for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); ++i) {
            struct work work = { .pool = pool };
            pool_run(pool, sizes[i], mark, &work);
            assert_int_equal(atomic_load(&work.calls), sizes[i]);
            for (uint32_t c = 0; c < sizes[i]; ++c)
                assert_int_equal(work.ran[c], 1);
        }
        pool_destroy(pool);
    }
}

static void many_tiny_regions(void **state)
{
    (void)state;
    struct thread_pool *pool = pool_create(4);
    struct work work = { .pool = pool };
    for (unsigned i = 0; i < 50000; ++i) {
        memset(work.ran, 0, 3);
        pool_run(pool, 3, mark, &work);
        assert_true(work.ran[0] == 1 && work.ran[1] == 1 && work.ran[2] == 1);
        if (i % 10000 == 0)
            usleep(3000); /* worker threads go to sleep */
    }
    assert_int_equal(atomic_load(&work.calls), 150000);
    pool_destroy(pool);
}

static void nested(void *context, uint32_t chunk)
{
    struct work *work = context;
    struct work inner = { .pool = work->pool };
    pool_run(work->pool, 5, mark, &inner);
    if (atomic_load(&inner.calls) == 5)
        mark(work, chunk);
}

static void a_region_within_a_chunk_runs_on_its_thread(void **state)
{
    (void)state;
    struct thread_pool *pool = pool_create(3);
    struct work work = { .pool = pool };
    pool_run(pool, 20, nested, &work);
    assert_int_equal(atomic_load(&work.calls), 20);
    pool_destroy(pool);
}

static void slow(void *context, uint32_t chunk)
{
    usleep(chunk == 0 ? 100 : 2000);
    mark(context, chunk);
}

static void the_caller_waits_for_long_chunks(void **state)
{
    (void)state;
    struct thread_pool *pool = pool_create(4);
    for (int i = 0; i < 10; ++i) {
        struct work work = { .pool = pool };
        pool_run(pool, 4, slow, &work);
        assert_int_equal(atomic_load(&work.calls), 4);
    }
    pool_destroy(pool);
}

static void no_pool_is_serial(void **state)
{
    (void)state;
    struct work work = { .pool = NULL };
    pool_run(NULL, 9, mark, &work);
    assert_int_equal(atomic_load(&work.calls), 9);
    assert_int_equal(pool_threads(NULL), 1);
    pool_destroy(NULL);
    for (int i = 0; i < 100; ++i)
        pool_destroy(pool_create(3)); /* destroyed before its threads started */
}

static unsigned processors_for(const char *ranks)
{
    setenv("OMPI_COMM_WORLD_LOCAL_SIZE", ranks, 1);
    unsigned processors = pool_processors();
    unsetenv("OMPI_COMM_WORLD_LOCAL_SIZE");
    return processors;
}

static void ranks_share_the_machine(void **state)
{
    (void)state;
    unsetenv("OMPI_COMM_WORLD_LOCAL_SIZE");
    unsigned own = pool_processors(), all = (unsigned)sysconf(_SC_NPROCESSORS_ONLN), half = all / 2 ? all / 2 : 1;
    assert_true(own >= 1 && own <= all);
    assert_int_equal(processors_for("1"), own);
    assert_int_equal(processors_for("0"), own);
    assert_int_equal(processors_for("two"), own);
    assert_int_equal(processors_for("2"), half < own ? half : own);
    assert_int_equal(processors_for("1000000"), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_chunk_runs_once),
        cmocka_unit_test(many_tiny_regions),
        cmocka_unit_test(a_region_within_a_chunk_runs_on_its_thread),
        cmocka_unit_test(the_caller_waits_for_long_chunks),
        cmocka_unit_test(no_pool_is_serial),
        cmocka_unit_test(ranks_share_the_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
