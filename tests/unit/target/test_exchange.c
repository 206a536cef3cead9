/* SPDX-License-Identifier: Apache-2.0 */
#include "target/cost.h"

#include <poplar/device.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LINK (128.0 * 1024 * 1024 * 1024 * 0.85)

/* Count and array of flows, and a list of limits: { bandwidth, FLOWS(...) }. */
#define COUNTED(type, ...)                                                                                             \
    (uint32_t)(sizeof((type[]){ __VA_ARGS__ }) / sizeof(type)), (const type[])                                         \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }
#define FLOWS(...)  COUNTED(pop_exchange_flow, __VA_ARGS__)
#define LIMITS(...) ((pop_exchange_limits){ COUNTED(pop_exchange_limit, __VA_ARGS__) })

static pop_target ipus(unsigned count)
{
    pop_target target;
    assert_int_equal(pop_target_create_ipu(count, "ipu2", &target, NULL), POP_OK);
    return target;
}

static pop_target listed(unsigned count, pop_exchange_limits limits)
{
    pop_target target = ipus(count);
    target.global_exchange = POP_GLOBAL_EXCHANGE_LISTED;
    target.exchange_limits = limits;
    assert_int_equal(pop_target_check(&target, NULL), POP_OK);
    return target;
}

static void test_one_ipu_has_no_constraints(void **state)
{
    (void)state;
    pop_target one = ipus(1), cpu = pop_target_create_cpu(false, 4);
    assert_int_equal(pop_target_num_global_exchange_constraints(&one), 0);
    assert_int_equal(pop_target_num_global_exchange_constraints(&cpu), 0);
    assert_int_equal(pop_target_num_global_exchange_constraints(NULL), 0);
    assert_true(pop_target_global_exchange_bandwidth(&one, 0) == 0);
    assert_int_equal(pop_target_global_exchange_flows(&one, 0, NULL, 0), 0);
    assert_int_equal(pop_target_global_exchange_flows(NULL, 0, NULL, 0), 0);
}

/* The links of a ladder: 4 within a card, 2 across, 2 up and 2 down (docs/reference/ipu-model.md, 1.6). */
static void test_the_ladder_has_the_published_links(void **state)
{
    (void)state;
    static const struct {
        unsigned ipus, card, cross, gap;
    } rows[] = { { 2, 2, 0, 0 }, { 4, 4, 4, 4 }, { 8, 8, 8, 12 }, { 16, 16, 16, 28 } };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        pop_target target = ipus(rows[i].ipus);
        size_t count = pop_target_num_global_exchange_constraints(&target);
        assert_int_equal(count, rows[i].card + rows[i].cross + rows[i].gap);
        for (size_t c = 0; c < count; ++c) {
            double links = c < rows[i].card ? 4 : 2;
            assert_true(pop_target_global_exchange_bandwidth(&target, c) == links * LINK);
            assert_true(pop_target_global_exchange_flows(&target, c, NULL, 0) > 0);
        }
        assert_true(pop_target_global_exchange_bandwidth(&target, count) == 0);
    }
}

static void test_the_flows_of_four_ipus(void **state)
{
    (void)state;
    pop_target four = ipus(4);
    static const struct {
        size_t count;
        pop_exchange_flow flows[2];
    } rows[12] = {
        { 1, { { 0, 1 } } },           { 1, { { 1, 0 } } },           { 1, { { 2, 3 } } },
        { 1, { { 3, 2 } } }, /* within a card */
        { 1, { { 0, 3 } } },           { 1, { { 1, 2 } } },           { 1, { { 2, 1 } } },
        { 1, { { 3, 0 } } },                                                                         /* across first */
        { 2, { { 0, 2 }, { 1, 2 } } }, { 2, { { 2, 0 }, { 3, 0 } } }, { 2, { { 0, 3 }, { 1, 3 } } }, /* up, down, up */
        { 2, { { 2, 1 }, { 3, 1 } } },
    };
    assert_int_equal(pop_target_num_global_exchange_constraints(&four), 12);
    for (size_t c = 0; c < 12; ++c) {
        pop_exchange_flow flows[4];
        assert_int_equal(pop_target_global_exchange_flows(&four, c, flows, 4), rows[c].count);
        assert_memory_equal(flows, rows[c].flows, rows[c].count * sizeof(flows[0]));
    }
    pop_exchange_flow few[2] = { { 9, 9 }, { 9, 9 } };
    assert_int_equal(pop_target_global_exchange_flows(&four, 8, few, 1), 2); /* does not write beyond the buffer */
    assert_true(few[0].destination == 2 && few[1].source == 9);
}

/* Loads that the cost rule finds by routing equal those of the lists of flows. */
static void check_loads(const pop_target *target)
{
    size_t count = pop_target_num_global_exchange_constraints(target);
    uint64_t *loads = calloc(count + 1, sizeof(*loads));
    pop_exchange_flow *flows = calloc((size_t)target->num_ipus * target->num_ipus, sizeof(*flows));
    for (uint32_t s = 0; s < target->num_ipus; ++s)
        for (uint32_t d = 0; d < target->num_ipus; ++d) {
            struct exchange_load flow = { s, d, 1 + s * 1000 + d };
            exchange_loads(target, &flow, 1, loads);
        }
    for (size_t c = 0; c < count; ++c) {
        size_t number = pop_target_global_exchange_flows(target, c, flows, (size_t)target->num_ipus * target->num_ipus);
        uint64_t expected = 0;
        for (size_t f = 0; f < number; ++f) {
            assert_true(flows[f].source != flows[f].destination);
            assert_true(flows[f].source < target->num_ipus && flows[f].destination < target->num_ipus);
            expected += 1 + flows[f].source * 1000 + flows[f].destination;
        }
        assert_int_equal(loads[c], expected);
    }
    free(flows);
    free(loads);
}

static void test_routes_and_lists_agree(void **state)
{
    (void)state;
    for (unsigned count = 1; count <= 17; ++count) { /* odd numbers too */
        pop_target ladder = ipus(count);
        for (unsigned domain = 0; domain < 7; ++domain) /* 0: one domain of all; the last one may be smaller */
            for (int torus = 0; torus < 2; ++torus) {
                ladder.ipu_link_domain_size = domain;
                snprintf(ladder.ipu_link_topology, sizeof(ladder.ipu_link_topology), torus ? "torus" : "mesh");
                check_loads(&ladder);
            }
        /* Flows that overlap count once; IPU 40 does not exist. */
        pop_target own =
            listed(count, LIMITS({ 1e9, FLOWS({ 0, POP_ANY_IPU }, { POP_ANY_IPU, 1 }) },
                                 { 2e9, FLOWS({ POP_ANY_IPU, POP_ANY_IPU }) }, { 3e9, FLOWS({ 40, 0 }, { 1, 0 }) }));
        check_loads(&own);
    }
}

/* The ends of a torus are neighbours: a flow takes the shorter direction. */
static void test_a_torus_is_closed(void **state)
{
    (void)state;
    pop_target open = ipus(16), torus = ipus(16), four = ipus(4), closed_four = ipus(4);
    snprintf(torus.ipu_link_topology, sizeof(torus.ipu_link_topology), "torus");
    snprintf(closed_four.ipu_link_topology, sizeof(closed_four.ipu_link_topology), "torus");
    assert_int_equal(pop_target_num_global_exchange_constraints(&torus),
                     pop_target_num_global_exchange_constraints(&open) + 4);
    assert_int_equal(pop_target_num_global_exchange_constraints(&closed_four),
                     pop_target_num_global_exchange_constraints(&four));
    /* Half of the IPUs to the other half: a ladder has one gap in its middle, a torus two. */
    struct exchange_load halves[16];
    for (uint32_t i = 0; i < 16; ++i)
        halves[i] = (struct exchange_load){ i, (i + 8) % 16, 1 << 20 };
    uint64_t one = cost_global_exchange(&open, halves, 16), two = cost_global_exchange(&torus, halves, 16);
    assert_true(one > two);
    struct exchange_load ends = { 0, 14, 1 << 20 }, ring[16];
    uint64_t loads[64] = { 0 };
    exchange_loads(&torus, &ends, 1, loads);
    unsigned used = 0;
    for (size_t i = 0; i < 64; ++i)
        used += loads[i] != 0;
    assert_int_equal(used, 1);
    /* A ring over the cards of one side costs no more than one of its steps. */
    for (uint32_t i = 0; i < 8; ++i)
        ring[i] = (struct exchange_load){ 2 * i, (2 * i + 2) % 16, 1 << 20 };
    assert_int_equal(cost_global_exchange(&torus, ring, 8), cost_global_exchange(&torus, ring, 1));
}

static pop_target domains(unsigned count, unsigned size, const char *topology)
{
    pop_target target = ipus(count);
    target.ipu_link_domain_size = size;
    snprintf(target.ipu_link_topology, sizeof(target.ipu_link_topology), "%s", topology);
    assert_int_equal(pop_target_check(&target, NULL), POP_OK);
    return target;
}

/* Limits that apply to a flow, in order. */
static void assert_way(const pop_target *target, uint32_t from, uint32_t to, size_t count, const size_t *limits)
{
    uint64_t loads[256] = { 0 };
    struct exchange_load flow = { from, to, 7 };
    assert_true(pop_target_num_global_exchange_constraints(target) <= 256);
    exchange_loads(target, &flow, 1, loads);
    for (size_t i = 0, next = 0; i < 256; ++i) {
        bool on = next < count && limits[next] == i;
        next += on;
        if (loads[i] != (on ? 7 : 0))
            fail_msg("from IPU %u to %u: limit %zu has %llu bytes", from, to, i, (unsigned long long)loads[i]);
    }
}

/* Two domains of two machines: 28 limits each of links, then gateways: machine 0 up and down, machine 1 up and down. */
static void test_gateways_join_link_domains(void **state)
{
    (void)state;
    pop_target two = domains(16, 8, "default"), one = domains(16, 16, "default"), plain = ipus(16);
    assert_int_equal(pop_target_num_global_exchange_constraints(&two), 28 + 28 + 4);
    assert_int_equal(pop_target_num_global_exchange_constraints(&one),
                     pop_target_num_global_exchange_constraints(&plain));
    for (size_t c = 0; c < 60; ++c)
        assert_true(pop_target_global_exchange_bandwidth(&two, c) == (c >= 56      ? 85e9
                                                                      : c % 28 < 8 ? 4 * LINK
                                                                                   : 2 * LINK));
    assert_way(&two, 0, 8, 1, (const size_t[]){ 56 });
    assert_way(&two, 8, 0, 1, (const size_t[]){ 57 });
    assert_way(&two, 7, 15, 1, (const size_t[]){ 58 });
    /* To place 5 by its own links first: across the card, then up the odd side, over two gaps. */
    assert_way(&two, 0, 13, 4, (const size_t[]){ 8, 16 + 2, 16 + 4 + 2, 58 });
    /* Back through the gateway of place 5, then across and down the even side of the lower domain. */
    assert_way(&two, 13, 0, 4, (const size_t[]){ 8 + 5, 16 + 1, 16 + 4 + 1, 59 });
    assert_way(&two, 8, 9, 1, (const size_t[]){ 28 });
    /* Domains of 4, 4 and 2: no flow needs the links that the last one lacks. */
    pop_target odd = domains(10, 4, "torus"); /* not closed */
    assert_int_equal(pop_target_num_global_exchange_constraints(&odd), 12 + 12 + 2 + 4);
    assert_way(&odd, 9, 3, 3, (const size_t[]){ 10, 27, 29 }); /* down both gateways, place 1 to 3 on the odd side */
    assert_way(&odd, 3, 9, 3, (const size_t[]){ 11, 26, 28 });
    /* Four domains in a ring: the last is a neighbour of the first. */
    pop_target ring = domains(16, 4, "torus"), row = domains(16, 4, "mesh");
    assert_int_equal(pop_target_num_global_exchange_constraints(&ring), 4 * 12 + 8);
    assert_int_equal(pop_target_num_global_exchange_constraints(&row), 4 * 12 + 6);
    assert_way(&ring, 0, 12, 1, (const size_t[]){ 48 + 7 });
    assert_way(&row, 0, 12, 3, (const size_t[]){ 48, 50, 52 });
}

/* 2^23 bits at 85 Gbit/s are 98,689.5 ns, or 131,257.04 cycles of 1.33 GHz; a gateway's microsecond is 1,330. */
static void test_gateways_cost_time(void **state)
{
    (void)state;
    pop_target two = domains(16, 8, "default"), ring = domains(16, 4, "torus"), row = domains(16, 4, "mesh");
    const uint32_t bytes = 1 << 20;
    struct exchange_load flows[8] = { { 0, 8, bytes } }, three = { 0, 12, bytes }, none = { 0, 12, 0 };
    assert_int_equal(cost_global_exchange(&two, flows, 1), 132588);
    for (uint32_t i = 0; i < 8; ++i)
        flows[i] = (struct exchange_load){ i, 8 + i, bytes };
    assert_int_equal(cost_global_exchange(&two, flows, 8), 526359); /* four IPUs share a gateway */
    assert_int_equal(cost_global_exchange(&row, &three, 1), 131258 + 3 * 1330);
    assert_int_equal(cost_global_exchange(&ring, &three, 1), 131258 + 1330);
    assert_int_equal(cost_global_exchange(&ring, &none, 1), 0);
    two.gateway_bandwidth *= 4;
    two.gateway_latency = 0;
    assert_int_equal(cost_global_exchange(&two, flows, 8), 131258);
    /* 600 cycles; 39.9 for the second hop of four IPUs; gateways there and back. */
    assert_int_equal(cost_sync_global(&row, 4), 640);
    assert_int_equal(cost_sync_global(&row, 16), 600 + 8020);
    assert_int_equal(cost_sync_global(&row, 8), 600 + 2700);
    assert_int_equal(cost_sync_global(&ring, 16), 600 + 5360);
    assert_int_equal(pop_target_sync_cycles(&ring, 16), 600 + 5360);
    assert_int_equal(pop_target_sync_cycles(NULL, 16), 0);
    row.global_sync_cycles = 0;
    assert_int_equal(cost_sync_global(&row, 16), 0);
    /* A list has no gateways. */
    pop_target own = listed(16, LIMITS({ 8 * 1.33e9, FLOWS({ 0, 12 }) }));
    own.ipu_link_domain_size = 4;
    assert_int_equal(cost_global_exchange(&own, &three, 1), bytes);
}

static void test_time_is_that_of_the_slowest_limit(void **state)
{
    (void)state;
    pop_target two = ipus(2), four = ipus(4), one = ipus(1);
    uint64_t bytes = 1u << 20;
    double cycles = (double)bytes * 8 / (4 * LINK) * 1.33e9;
    struct exchange_load there = { 0, 1, bytes }, both[] = { { 0, 1, bytes }, { 1, 0, bytes } }, same = { 1, 1, bytes };
    assert_int_equal(cost_global_exchange(&two, &there, 1), (uint64_t)cycles + 1);
    assert_int_equal(cost_global_exchange(&two, both, 2),
                     (uint64_t)cycles + 1); /* the two directions have separate links */
    assert_int_equal(cost_global_exchange(&two, &same, 1), 0);
    assert_int_equal(cost_global_exchange(&two, NULL, 0), 0);
    assert_int_equal(cost_global_exchange(&one, NULL, 0), 0);
    /* Two flows share the two links up to IPU 2: four times the bytes per link. */
    struct exchange_load shared[] = { { 0, 2, bytes }, { 1, 2, bytes } };
    assert_int_equal(cost_global_exchange(&four, shared, 2), (uint64_t)(4 * cycles) + 1);
    pop_target slow = listed(2, LIMITS({ 8 * 1.33e9, FLOWS({ 0, 1 }) }, { 4 * 1.33e9, FLOWS({ 1, 0 }) }));
    assert_int_equal(cost_global_exchange(&slow, &there, 1), bytes);
    assert_int_equal(cost_global_exchange(&slow, both, 2), 2 * bytes);
    pop_target unlimited = listed(2, (pop_exchange_limits){ 0 });
    assert_int_equal(pop_target_num_global_exchange_constraints(&unlimited), 0);
    assert_int_equal(cost_global_exchange(&unlimited, both, 2), 0);
}

static void test_senseless_limits_are_refused(void **state)
{
    (void)state;
    const struct {
        pop_exchange_limits limits;
        const char *words;
    } rows[] = {
        { { .count = 65 }, "exchange_limits has 65 limits, but limits is NULL" },
        { LIMITS({ 0, FLOWS({ 0, 1 }) }), "the bandwidth of exchange limit 0 is 0, it must be from 1 to 1e+18" },
        { LIMITS({ 1e9, FLOWS({ 0, 1 }) }, { 1e9, 0, NULL }),
          "exchange limit 1 has 0 flows, it must have at least one flow" },
        { LIMITS({ 1e9, 9, NULL }), "exchange limit 0 has flows that are NULL" },
        { LIMITS({ 1e9, FLOWS({ 0, 1 }, { 3, 3 }) }), "flow 1 of exchange limit 0 goes from IPU 3 to itself" },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        pop_target target = ipus(4);
        pop_error error;
        target.exchange_limits = rows[i].limits;
        assert_int_equal(pop_target_check(&target, &error), POP_INVALID_MACHINE_MODEL);
        assert_non_null(strstr(error.text, rows[i].words));
    }
}

/* A device keeps its own list: the caller's may change; equal lists are stored once. */
static void test_lists_of_any_length_are_kept(void **state)
{
    (void)state;
    enum { LIMITS_GIVEN = 100, FLOWS_GIVEN = 16 * 15 };
    pop_exchange_flow flows[FLOWS_GIVEN];
    pop_exchange_limit limits[LIMITS_GIVEN];
    for (uint32_t i = 0; i < FLOWS_GIVEN; ++i)
        flows[i] = (pop_exchange_flow){ i / 15, (i / 15 + 1 + i % 15) % 16 };
    for (unsigned i = 0; i < LIMITS_GIVEN; ++i)
        limits[i] = (pop_exchange_limit){ 1e9 + i, FLOWS_GIVEN, flows };
    pop_target given = listed(16, (pop_exchange_limits){ LIMITS_GIVEN, limits }), kept, read;
    pop_device *device = pop_ipu_model_create_device(
        &(pop_ipu_model){ .num_ipus = 16, .global_exchange_constraints = &given.exchange_limits }, NULL);
    kept = *pop_device_target(device);
    struct exchange_load one = { 15, 3, 1 << 20 };
    assert_int_equal(cost_global_exchange(&given, &one, 1), cost_global_exchange(&kept, &one, 1));
    memset(flows, 0, sizeof(flows));
    memset(limits, 0, sizeof(limits));
    pop_device_destroy(device);
    assert_int_equal(pop_target_num_global_exchange_constraints(&kept), LIMITS_GIVEN);
    assert_int_equal(pop_target_global_exchange_flows(&kept, 99, flows, FLOWS_GIVEN), FLOWS_GIVEN);
    assert_true(flows[239].source == 15 && flows[239].destination == 14);
    size_t size = pop_target_to_text(&kept, NULL, 0) + 1;
    char *text = malloc(size);
    pop_target_to_text(&kept, text, size);
    assert_int_equal(pop_target_from_text(text, &read, NULL), POP_OK);
    free(text);
    assert_true(pop_target_equal(&kept, &read) && kept.exchange_limits.limits == read.exchange_limits.limits);
}

static void test_limits_are_part_of_a_targets_value(void **state)
{
    (void)state;
    pop_target a = listed(2, LIMITS({ 1e9, FLOWS({ 0, 1 }) })), b = listed(2, LIMITS({ 1e9, FLOWS({ 0, 1 }) })), back;
    assert_true(a.exchange_limits.limits != b.exchange_limits.limits);
    assert_true(pop_target_equal(&a, &b) && pop_target_hash(&a) == pop_target_hash(&b));
    b.exchange_limits = LIMITS({ 1e9, FLOWS({ 0, POP_ANY_IPU }) });
    assert_false(pop_target_equal(&a, &b));
    assert_true(pop_target_hash(&a) != pop_target_hash(&b));
    assert_int_equal(pop_target_compare(&a, &b), -pop_target_compare(&b, &a));
    char text[POP_TARGET_TEXT_SIZE];
    pop_target_to_text(&b, text, sizeof(text));
    assert_string_equal(text, "ipu2 ipus=2 global_exchange=listed exchange_limits=1000000000:0>*");
    assert_int_equal(pop_target_from_text(text, &back, NULL), POP_OK);
    assert_true(pop_target_equal(&b, &back));
    assert_int_equal(pop_target_from_text("ipu2 ipus=2 exchange_limits=1e9:0>1,*>0;5e6:1>*", &back, NULL), POP_OK);
    assert_int_equal(back.exchange_limits.count, 2);
    assert_true(back.exchange_limits.limits[0].flows[1].source == POP_ANY_IPU &&
                back.exchange_limits.limits[1].bandwidth == 5e6);
    assert_int_equal(pop_target_from_text("ipu2 exchange_limits=none", &back, NULL), POP_OK);
    static const char *const wrong[] = {
        "",         "1e9",      "1e9:",  "1e9:0",   "1e9:0>",           "1e9:0>1,",
        "1e9:0>1;", ":0>1",     "x:0>1", "1e9;0>1", "1e9:0>1 x",        "1e9:0>1>2",
        "1e9:-1>0", "1e9:0>1x", "0:0>1", "1e9:0>0", "1e9:0>4294967295", "1e9:0>99999999999999"
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); ++i) {
        char line[200];
        snprintf(line, sizeof(line), "ipu2 exchange_limits=%s", wrong[i]);
        if (pop_target_from_text(line, &back, NULL) == POP_OK)
            fail_msg("%s", line);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_ipu_has_no_constraints),
        cmocka_unit_test(test_the_ladder_has_the_published_links),
        cmocka_unit_test(test_a_torus_is_closed),
        cmocka_unit_test(test_the_flows_of_four_ipus),
        cmocka_unit_test(test_routes_and_lists_agree),
        cmocka_unit_test(test_gateways_join_link_domains),
        cmocka_unit_test(test_gateways_cost_time),
        cmocka_unit_test(test_time_is_that_of_the_slowest_limit),
        cmocka_unit_test(test_senseless_limits_are_refused),
        cmocka_unit_test(test_lists_of_any_length_are_kept),
        cmocka_unit_test(test_limits_are_part_of_a_targets_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
