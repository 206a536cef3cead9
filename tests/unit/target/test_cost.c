/* SPDX-License-Identifier: Apache-2.0 */
#include "target/cost.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static pop_target ipu(const char *system)
{
    pop_target target;
    assert_int_equal(pop_target_create_ipu(1, system, &target, NULL), POP_OK);
    return target;
}

static uint64_t equal_workers(const pop_target *target, size_t count, uint64_t estimate)
{
    struct cost_tile tile = cost_tile_start(target);
    for (size_t i = 0; i < count; ++i)
        cost_tile_worker(&tile, estimate);
    return cost_tile_cycles(&tile);
}

/* Tutorial 7 (anchors/README.md) and LBM (docs/reference/ipu-model.md, 2.1). */
static void test_published_compute(void **state)
{
    (void)state;
    pop_target one = ipu("ipu1"), two = ipu("ipu2");
    assert_int_equal(equal_workers(&one, 42, 105), 4410); /* 50,000 vertices on 1,216 tiles */
    assert_int_equal(equal_workers(&one, 9, 8), 96);      /* its reduction: 10,000 rows */
    assert_int_equal(equal_workers(&two, 48, 77), 3696);  /* the same on ipu2, split 7 */
    assert_int_equal(equal_workers(&one, 1, 100), 600);   /* alone or not, every sixth cycle */
    assert_int_equal(equal_workers(&one, 0, 100), 0);
}

static void test_workers_and_supervisors(void **state)
{
    (void)state;
    pop_target one = ipu("ipu1");
    static const uint64_t workers[] = { 10, 1, 1, 1, 1, 1, 1, 20 };
    /* The seventh and the eighth run on the first free contexts: 1 + 1, 1 + 20. */
    assert_int_equal(cost_compute(&one, workers, 8, 0), 6 * 21);
    assert_int_equal(cost_compute(&one, workers, 7, 999), 6 * 10 + 999);
    assert_int_equal(cost_compute(&one, NULL, 0, 146), 146); /* SetSeedSupervisor, 146 on each tile */
    struct cost_tile tile = cost_tile_start(&one);
    cost_tile_worker(&tile, 50);
    cost_tile_supervisor(&tile, 7);
    assert_int_equal(tile.active, 57);
    pop_target cpu = pop_target_create_cpu(false, 1);
    assert_int_equal(cost_compute(&cpu, workers, 8, 0), 36);
    one.num_worker_contexts = 64;
    assert_int_equal(equal_workers(&one, 65, 3), 64 * 6);
}

static void test_published_syncs(void **state)
{
    (void)state;
    pop_target one = ipu("ipu1"), two = ipu("ipu2");
    assert_int_equal(cost_sync_all(&one), 118);
    assert_int_equal(cost_sync_all(&two), 126);
    assert_int_equal(cost_sync_arrive(&one, 1215), 59);
    assert_int_equal(cost_sync_resume(&one, 1215), 59);
    assert_int_equal(cost_sync_arrive(&one, 391), 39); /* the farthest of the guide's 392 active tiles */
    assert_int_equal(cost_sync_resume(&one, 391), 39);
    assert_int_equal(cost_sync_arrive(&one, 0), 29);
    assert_int_equal(cost_sync_resume(&one, 0), 30);
    assert_int_equal(cost_sync_global(&one, 1), 118);
    assert_int_equal(cost_sync_global(&one, 2), 500);
    assert_int_equal(cost_sync_global(&one, 4),
                     500 + 48); /* a hop more, in both directions (docs/concepts/devices.md) */
    assert_int_equal(cost_sync_global(&one, 16), 500 + 4 * 48);
    one.ipu_link_domain_size = 8; /* two domains connected by gateways: a microsecond, in both directions */
    assert_int_equal(cost_sync_global(&one, 16), 500 + 2 * 48 + 2 * 1600);
    assert_int_equal(cost_sync_hops(2), 1);
    assert_int_equal(cost_sync_hops(64), 17);
    one.min_ipu_sync_delay = 0; /* as in the tutorials */
    one.relative_sync_delay = POP_SYNC_DELAY_NONE;
    assert_int_equal(cost_sync_all(&one), 0);
    for (unsigned tile = 0; tile < 1216; ++tile)
        assert_int_equal(cost_sync_arrive(&one, tile) + cost_sync_resume(&one, tile), 0);
    for (unsigned tile = 0; tile < 1472; ++tile)
        assert_int_equal(cost_sync_arrive(&two, tile) + cost_sync_resume(&two, tile),
                         pop_target_sync_delay(&two, tile));
}

/* A sync of every tile: tile 391 and the last one request it at these times; the times at which both continue. */
struct clocks {
    uint64_t near, last;
};
static struct clocks after_sync(const pop_target *target, struct clocks at)
{
    uint64_t near = at.near + cost_sync_arrive(target, 391), last = at.last + cost_sync_arrive(target, 1215);
    uint64_t release = near > last ? near : last;
    return (struct clocks){ release + cost_sync_resume(target, 391), release + cost_sync_resume(target, 1215) };
}

/* The guide's step listing: its times, from the delays alone. */
static void test_published_timestamps(void **state)
{
    (void)state;
    pop_target one = ipu("ipu1");
    struct clocks at = after_sync(&one, (struct clocks){ 0, 0 });
    assert_int_equal(at.last, 118);
    for (int i = 0; i < 3; ++i)
        at = after_sync(&one, at);
    assert_int_equal(at.last, 472);
    for (int i = 0; i < 3; ++i)
        at = after_sync(&one, at);
    assert_int_equal(at.last, 826);
    at = (struct clocks){ at.near + 120, at.last + 120 };
    assert_int_equal(at.last, 946);
    at = after_sync(&one, at);
    assert_int_equal(at.last, 1064);
    for (int i = 0; i < 3; ++i)
        at = after_sync(&one, at);
    assert_int_equal(at.last, 1418);
    at.near += 10700;
    assert_int_equal(at.near, 12098);
    for (int i = 0; i < 3; ++i)
        at = after_sync(&one, at);
    assert_int_equal(at.last, 12432);
    assert_int_equal(at.last - at.near, 20);
    at.near += 169;
    assert_int_equal(at.near, 12581);
    assert_int_equal(at.near + 999, 13580);
}

static void test_published_host_exchange(void **state)
{
    (void)state;
    pop_target one = ipu("ipu1"), two = ipu("ipu2");
    assert_int_equal(cost_host_exchange(&one, 4, 1), 7);
    assert_int_equal(cost_host_exchange(&one, 8, 2), 9);
    assert_int_equal(cost_host_exchange(&one, 50244, 404), 10700);
    assert_int_equal(cost_host_exchange(&one, 40044000, 109992),
                     8184792); /* published: 8,184,787 on average, packets inferred */
    assert_int_equal(cost_host_exchange(&two, 40044000, 109992),
                     6664008); /* 4 + ceil(40,044,000 / 6.009); published: 6,663,550.8 on average */
    assert_int_equal(cost_host_exchange(&one, 0, 0), 0);
    assert_true(cost_host_exchange(&two, UINT64_MAX / 8, 0) > UINT64_MAX / 64);
}

/* Invented machines, from their text: the rules hold for all of them. */
static void test_invented_machines(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "ipu1 tiles=1 workers=1",
        "ipu2 tiles=1471 min_sync=0 max_sync=0",
        "ipu2 tiles=2 min_sync=7 max_sync=7",
        "ipu21 tiles=1009 workers=64 sync_delay=none min_sync=0",
        "bow tiles=200 min_sync=11 max_sync=91",
        "ipu1 tiles=7 exchange_bytes=1 memcpy_bytes=1 host_bytes=1 host_grain=1 clock=1e3 memory=1024 memory_element=64"
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); ++i) {
        pop_target target, again;
        char text[1000];
        assert_int_equal(pop_target_from_text(texts[i], &target, NULL), POP_OK);
        assert_in_range(pop_target_to_text(&target, text, sizeof(text)), 1, sizeof(text) - 1);
        assert_int_equal(pop_target_from_text(text, &again, NULL), POP_OK);
        assert_int_equal(pop_target_compare(&target, &again), 0);
        for (unsigned tile = 0; tile < target.tiles_per_ipu; ++tile) {
            unsigned delay = pop_target_sync_delay(&target, tile);
            assert_in_range(delay, target.min_ipu_sync_delay, target.max_ipu_sync_delay);
            assert_int_equal(cost_sync_arrive(&target, tile) + cost_sync_resume(&target, tile), delay);
        }
        assert_int_equal(cost_sync_all(&target), pop_target_sync_delay(&target, target.tiles_per_ipu - 1));
        assert_int_equal(equal_workers(&target, target.num_worker_contexts + 1, 10), 20 * target.num_worker_contexts);
        assert_int_equal(cost_host_exchange(&target, 0, 0), 0);
        assert_true(cost_host_exchange(&target, 1000, 2) > 4);
        assert_int_equal(cost_memcpy(&target, 4096), 4096 / target.memcpy_bytes_per_cycle);
    }
}

/* 512 bytes fit a packet: rows of 800 take two, the guide's 128 one. */
static void test_packets(void **state)
{
    (void)state;
    assert_int_equal(cost_host_packets(0), 0);
    assert_int_equal(cost_host_packets(1), 1);
    assert_int_equal(cost_host_packets(128), 1);
    assert_int_equal(cost_host_packets(512), 1);
    assert_int_equal(cost_host_packets(513), 2);
    assert_int_equal(cost_host_packets(800), 2);
    assert_true(cost_host_packets(UINT64_MAX) == ((uint64_t)1 << 55));
}

static void test_memcpy(void **state)
{
    (void)state;
    pop_target two = ipu("ipu2");
    assert_int_equal(cost_memcpy(&two, 0), 0);
    assert_int_equal(cost_memcpy(&two, 1), 1);
    assert_int_equal(cost_memcpy(&two, 8), 1);
    assert_int_equal(cost_memcpy(&two, 4097), 513);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published_compute),       cmocka_unit_test(test_workers_and_supervisors),
        cmocka_unit_test(test_published_syncs),         cmocka_unit_test(test_published_timestamps),
        cmocka_unit_test(test_published_host_exchange), cmocka_unit_test(test_memcpy),
        cmocka_unit_test(test_invented_machines),       cmocka_unit_test(test_packets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
