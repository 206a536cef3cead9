/* SPDX-License-Identifier: Apache-2.0 */
/* Published exchanges, each as a list of messages (docs/decisions/0004-exchange-rule.md). */
#include "target/exchange_cost.h"
#include "target/exchange_schedule.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static pop_target machine(const char *text)
{
    pop_target target;
    assert_int_equal(pop_target_from_text(text, &target, NULL), POP_OK);
    return target;
}

static uint64_t end_of(struct exchange_schedule *schedule, uint32_t tile)
{
    exchange_schedule_finish(schedule);
    return exchange_schedule_end(schedule, tile);
}

static uint64_t cycles_of(const pop_target *target, struct exchange_schedule *schedule, uint32_t tile, uint64_t sent,
                          uint64_t received)
{
    struct exchange_tile part = { .tile = tile, .sent = sent, .received = received, .end = end_of(schedule, tile) };
    return cost_exchange_cycles(target, &part);
}

/* The guide: one word from tile 0 to all others; 120 cycles, on the last tile, balance 86.6 % of it. */
static void test_one_word_to_all(void **state)
{
    (void)state;
    pop_target one = machine("ipu1");
    struct exchange_schedule *schedule = exchange_schedule_create(&one);
    uint64_t max = 0, sum = 0, cycles = 0;
    for (uint32_t tile = 1; tile < 1216; ++tile)
        exchange_schedule_message(schedule, 0, tile, 4, 7);
    for (uint32_t tile = 0; tile < 1216; ++tile) {
        cycles = cycles_of(&one, schedule, tile, tile ? 0 : 4, tile ? 4 : 0);
        sum += cycles;
        max = cycles > max ? cycles : max;
    }
    assert_int_equal(max, 120);
    assert_int_equal(cycles, 120);
    assert_in_range(sum * 10000 / (1216 * max), 8655, 8664);
    exchange_schedule_free(schedule);
}

/* The guide's convolution: 16 images of 784 floats, 32 floats per tile, to 4 tiles for each 8 of the 784: each receives
 * its 8 of every image.  A tile has 4 such pieces, each sent once; 98 groups of tiles. */
enum { IMAGES = 16, GROUPS = 98, OUTPUTS = 4, PIECES = 4, CONV_TILES = GROUPS * OUTPUTS };

static void convolution(const pop_target *target, uint64_t *cycles)
{
    struct exchange_schedule *schedule = exchange_schedule_create(target);
    for (uint32_t tile = 0; tile < CONV_TILES; ++tile)
        for (uint32_t image = 0; image < IMAGES; ++image) {
            uint32_t piece = image * GROUPS + tile / OUTPUTS;
            exchange_schedule_message(schedule, piece / PIECES, tile, 32, piece);
        }
    for (uint32_t tile = 0; tile < CONV_TILES; ++tile)
        cycles[tile] = cycles_of(target, schedule, tile, 128, 512);
    exchange_schedule_free(schedule);
}

/* 169 cycles, on tile 391; 146.4 on average, which this pattern matches within 0.5 %. */
static void test_convolution(void **state)
{
    (void)state;
    pop_target one = machine("ipu1 bus_sharing=false");
    uint64_t cycles[CONV_TILES], max = 0, sum = 0;
    convolution(&one, cycles);
    for (uint32_t tile = 0; tile < CONV_TILES; ++tile) {
        sum += cycles[tile];
        max = cycles[tile] > max ? cycles[tile] : max;
        assert_true(cycles[tile] >= 128);
    }
    assert_int_equal(max, 169);
    assert_int_equal(cycles[391], 169);
    assert_in_range(sum * 10 / CONV_TILES, 1457, 1471);
}

/* LBM: 302 words from near neighbours on every tile; 332.5 on average over the steps. */
static void test_halo(void **state)
{
    (void)state;
    pop_target one = machine("ipu1");
    struct exchange_schedule *schedule = exchange_schedule_create(&one);
    uint64_t max = 0;
    for (uint32_t tile = 0; tile < 1216; ++tile) {
        exchange_schedule_message(schedule, (tile + 1215) % 1216, tile, 150 * 4, tile);
        exchange_schedule_message(schedule, (tile + 1) % 1216, tile, 152 * 4, 2000 + tile);
    }
    for (uint32_t tile = 0; tile < 1216; ++tile) {
        uint64_t cycles = cycles_of(&one, schedule, tile, 302 * 4, 302 * 4);
        max = cycles > max ? cycles : max;
    }
    assert_in_range(max * 10, 3292, 3358); /* 1 % */
    exchange_schedule_free(schedule);
}

/* Data with several receivers are sent once, when all are free; a tile receives in the order of its requests. */
static void test_order(void **state)
{
    (void)state;
    pop_target one = machine("ipu1");
    struct exchange_schedule *schedule = exchange_schedule_create(&one);
    exchange_schedule_message(schedule, 0, 5, 400, 1);
    exchange_schedule_message(schedule, 0, 6, 400, 1); /* with tile 5 */
    exchange_schedule_message(schedule, 0, 7, 40, 2);  /* when tile 0 is free */
    exchange_schedule_message(schedule, 1, 7, 40, 3);  /* after it, though tile 1 could send at once */
    exchange_schedule_message(schedule, 10, 12, 400, EXCHANGE_ONCE);
    exchange_schedule_message(schedule, 10, 14, 400, EXCHANGE_ONCE); /* not shared: after the other */
    assert_int_equal(end_of(schedule, 5), 100);
    assert_int_equal(end_of(schedule, 6), 100);
    assert_int_equal(end_of(schedule, 0), 110);
    assert_int_equal(end_of(schedule, 7), 120);
    assert_int_equal(end_of(schedule, 1), 120);
    assert_int_equal(end_of(schedule, 14), 200);
    assert_int_equal(exchange_schedule_follows(schedule, 7), 1);
    assert_int_equal(exchange_schedule_follows(schedule, 5), 0);
    exchange_schedule_clear(schedule);
    for (uint32_t tile = 0; tile < 1216; ++tile)
        assert_int_equal(end_of(schedule, tile), 0);
    exchange_schedule_clear(schedule);
    exchange_schedule_message(schedule, 3, 3, 3, 1); /* a tile's own message, among the others */
    exchange_schedule_message(schedule, 3, 4, 0, 1); /* no words */
    assert_int_equal(end_of(schedule, 3), 1);
    assert_int_equal(end_of(schedule, 4), 0);
    exchange_schedule_free(schedule);
    exchange_schedule_free(NULL);
}

/* A receiver takes data that another waits for before its own turn, so that they are sent once; they do not continue
 * what it received before. */
static void test_out_of_turn(void **state)
{
    (void)state;
    pop_target one = machine("ipu1");
    struct exchange_schedule *schedule = exchange_schedule_create(&one);
    exchange_schedule_message(schedule, 0, 5, 40, 1);
    exchange_schedule_message(schedule, 1, 6, 80, 2);
    exchange_schedule_message(schedule, 0, 6, 40, 1);
    assert_int_equal(end_of(schedule, 0), 10); /* tile 6 gets it before tile 1's */
    assert_int_equal(end_of(schedule, 6), 30);
    assert_int_equal(exchange_schedule_follows(schedule, 6), 0);
    exchange_schedule_clear(schedule);
    exchange_schedule_message(schedule, 2, 5, 400, 1); /* tile 5 is busy: its sender takes the second, then the third */
    exchange_schedule_message(schedule, 3, 5, 40, 2);
    exchange_schedule_message(schedule, 3, 6, 40, 2);
    exchange_schedule_message(schedule, 3, 7, 40, 3);
    exchange_schedule_message(schedule, 3, 8, 40, 4);
    assert_int_equal(end_of(schedule, 7), 10);
    assert_int_equal(end_of(schedule, 8), 20);
    assert_int_equal(end_of(schedule, 6), 110);
    exchange_schedule_free(schedule);
}

/* The same data twice to one tile, in a row of its own: sent twice. */
static void test_twice(void **state)
{
    (void)state;
    pop_target one = machine("ipu1");
    struct exchange_schedule *schedule = exchange_schedule_create(&one);
    for (int piece = 0; piece < 2; ++piece) {
        for (int i = 0; i < 2; ++i) {
            exchange_schedule_row(schedule, 5);
            if (piece)
                exchange_schedule_piece(schedule, 0, 5, 40, 1, 0);
            else
                exchange_schedule_message(schedule, 0, 5, 40, 1);
        }
        assert_int_equal(end_of(schedule, 0), 20);
        assert_int_equal(end_of(schedule, 5), 20);
        assert_int_equal(exchange_schedule_follows(schedule, 5), 0);
        exchange_schedule_clear(schedule);
    }
    exchange_schedule_free(schedule);
}

/* The end of a message of 11 words from tile 2 to some others. */
static uint64_t end_of_shared(const char *text, const uint32_t *receivers, uint32_t count)
{
    pop_target target = machine(text);
    struct exchange_schedule *schedule = exchange_schedule_create(&target);
    for (uint32_t i = 0; i < count; ++i)
        exchange_schedule_message(schedule, 2, receivers[i], 44, 1);
    exchange_schedule_message(schedule, 8, 9, 4, 1); /* other data */
    uint64_t end = end_of(schedule, receivers[0]);
    exchange_schedule_free(schedule);
    return end;
}

/* What both tiles of each bus receive is sent two words a cycle; one of the tiles may be the sender. */
static void test_shared_buses(void **state)
{
    (void)state;
    assert_int_equal(end_of_shared("ipu1", (uint32_t[]){ 4, 5 }, 2), 6);
    assert_int_equal(end_of_shared("ipu1", (uint32_t[]){ 4, 5, 12, 13 }, 4), 6);
    assert_int_equal(end_of_shared("ipu1", (uint32_t[]){ 4, 3, 5 }, 3), 6);
    assert_int_equal(end_of_shared("ipu1", (uint32_t[]){ 4, 5, 12 }, 3), 11);
    assert_int_equal(end_of_shared("ipu1", (uint32_t[]){ 5, 6 }, 2), 11);
    assert_int_equal(end_of_shared("ipu1", (uint32_t[]){ 4 }, 1), 11);
    assert_int_equal(end_of_shared("ipu1", (uint32_t[]){ 3 }, 1), 11);
    assert_int_equal(end_of_shared("ipu1 bus_sharing=false", (uint32_t[]){ 4, 5 }, 2), 11);
    assert_int_equal(end_of_shared("ipu1 tiles=15", (uint32_t[]){ 12, 13 }, 2), 6);
    assert_int_equal(end_of_shared("ipu1 tiles=15", (uint32_t[]){ 13, 14 }, 2), 11); /* the last has no other */
    assert_int_equal(end_of_shared("ipu1 tiles=15 ipus=2", (uint32_t[]){ 4, 5 }, 2), 6);
}

/* Parts of a copy have no order: a tile receives what is sent first, and senders send in the order of addresses. */
static void test_pieces(void **state)
{
    (void)state;
    pop_target one = machine("ipu1");
    struct exchange_schedule *schedule = exchange_schedule_create(&one);
    exchange_schedule_piece(schedule, 1, 9, 40, 1, 0);
    exchange_schedule_piece(schedule, 1, 8, 40, 2, 40);
    exchange_schedule_piece(schedule, 0, 9, 80, 3, 0);
    assert_int_equal(end_of(schedule, 0), 20); /* first, by its number */
    assert_int_equal(end_of(schedule, 8), 10); /* tile 1 does not wait for tile 9 */
    assert_int_equal(end_of(schedule, 9), 30);
    exchange_schedule_clear(schedule);
    exchange_schedule_piece(schedule, 1, 9, 40, 1, 80);
    exchange_schedule_piece(schedule, 1, 8, 80, 2, 0);
    assert_int_equal(end_of(schedule, 8), 20);
    assert_int_equal(end_of(schedule, 9), 30);
    exchange_schedule_clear(schedule);
    exchange_schedule_piece(schedule, 1, 9, 40, 1, 0);
    exchange_schedule_clear(schedule);
    assert_int_equal(end_of(schedule, 9), 0);
    exchange_schedule_free(schedule);
}

/* Every message arrives once, whatever the order, the receivers and the repetitions: a tile's end is at least the
 * cycles of all that it receives, and the last end at most those of all messages. */
static void test_random(void **state)
{
    (void)state;
    pop_target one = machine("ipu1 tiles=23");
    struct exchange_schedule *schedule = exchange_schedule_create(&one);
    for (uint32_t round = 0, random = 1; round < 200; ++round) {
        uint64_t received[23] = { 0 }, all = 0;
        for (uint32_t i = 0; i < 300; ++i) {
            random = random * 1664525 + 1013904223;
            uint32_t from = random >> 8 & 7, to = (random >> 12) % 23, what = random >> 20 & 7, words = 1 + what * from;
            if (random >> 28 == 0)
                exchange_schedule_row(schedule, to);
            if (random >> 25 & 1)
                exchange_schedule_piece(schedule, from, to, 4 * words, what, what);
            else
                exchange_schedule_message(schedule, from, to, 4 * words, what);
            received[to] += words;
            all += words;
        }
        for (uint32_t tile = 0; tile < 23; ++tile) {
            assert_true(end_of(schedule, tile) >= received[tile]);
            assert_true(end_of(schedule, tile) <= all);
        }
        exchange_schedule_clear(schedule);
    }
    exchange_schedule_free(schedule);
}

/* More bytes than a tile's memory cost their cycles; more than any machine holds are not scheduled. */
static void test_too_much(void **state)
{
    (void)state;
    pop_target one = machine("ipu1");
    struct exchange_schedule *schedule = exchange_schedule_create(&one);
    exchange_schedule_message(schedule, 0, 1, (uint64_t)1 << 38, 1);
    exchange_schedule_message(schedule, 0, 2, (uint64_t)1 << 38, 2);
    exchange_schedule_message(schedule, 0, 4, (uint64_t)1 << 38, 2);
    assert_int_equal(end_of(schedule, 0), (uint64_t)2 << 36);
    assert_int_equal(end_of(schedule, 2), (uint64_t)2 << 36);
    exchange_schedule_clear(schedule);
    exchange_schedule_message(schedule, 0, 1, UINT64_MAX, 1);
    exchange_schedule_message(schedule, 0, 2, UINT64_MAX, 2);
    assert_int_equal(end_of(schedule, 0), 0);
    exchange_schedule_free(schedule);
}

/* Many messages: the table grows, and each is found again. */
static void test_many_messages(void **state)
{
    (void)state;
    pop_target one = machine("ipu1");
    struct exchange_schedule *schedule = exchange_schedule_create(&one);
    for (uint32_t tile = 1; tile < 4; ++tile)
        for (uint32_t i = 0; i < 10000; ++i)
            exchange_schedule_message(schedule, 0, tile, 4, i);
    for (uint32_t tile = 0; tile < 4; ++tile)
        assert_int_equal(end_of(schedule, tile), 10000);
    exchange_schedule_free(schedule);
}

/* More messages than are scheduled: none waits for another. */
static void test_too_many_messages(void **state)
{
    (void)state;
    pop_target one = machine("ipu1");
    struct exchange_schedule *schedule = exchange_schedule_create(&one);
    for (uint32_t i = 0; i <= EXCHANGE_SCHEDULE_MAX; ++i)
        exchange_schedule_message(schedule, i % 600, 600 + i % 601, 4, i);
    assert_int_equal(end_of(schedule, 0), 0);
    assert_int_equal(exchange_schedule_follows(schedule, 601), 0);
    exchange_schedule_clear(schedule);
    exchange_schedule_message(schedule, 0, 1, 4, 1);
    assert_int_equal(end_of(schedule, 0), 1);
    exchange_schedule_free(schedule);
}

static void test_one_tile(void **state)
{
    (void)state;
    pop_target one = machine("ipu1"), small = machine("ipu1 tiles=7 exchange_bytes=3");
    assert_int_equal(cost_exchange_cycles(&one, &(struct exchange_tile){ 0 }), 0);
    assert_int_equal(cost_exchange_cycles(&one, &(struct exchange_tile){ .sent = 9 }),
                     3); /* a sender does not wait for the others */
    assert_int_equal(cost_exchange_cycles(&one, &(struct exchange_tile){ .received = 9 }), 89);
    assert_int_equal(cost_exchange_cycles(&one, &(struct exchange_tile){ .received = 800 }), 200);
    assert_int_equal(cost_exchange_cycles(&one, &(struct exchange_tile){ .received = 800, .end = 250 }), 250);
    assert_int_equal(cost_exchange_cycles(&one, &(struct exchange_tile){ .received = 800, .end = 100 }),
                     100); /* two words a cycle */
    assert_int_equal(cost_exchange_cycles(&one, &(struct exchange_tile){ .tile = 1215, .received = 4 }), 120);
    assert_int_equal(cost_exchange_cycles(&small, &(struct exchange_tile){ .tile = 6, .received = 301 }), 101);
    assert_int_equal(cost_exchange_cycles(&one, &(struct exchange_tile){ .tile = 1048575, .received = 4 }), 89 + 26753);
}

/* The guide's tile: 24 bytes of delays, 16 of addresses, 32 of muxes, 8 of sends. */
static void test_code(void **state)
{
    (void)state;
    pop_target one = machine("ipu1");
    struct exchange_code code = cost_exchange_code(
        &one,
        &(struct exchange_tile){ .sends = 2, .receives = 4, .receivers = 2, .senders = 4, .sent = 8, .received = 16 });
    assert_int_equal(code.delay * 4, 24);
    assert_int_equal(code.receive_address * 4, 16);
    assert_int_equal(code.receive_mux * 4, 32);
    assert_int_equal(code.send * 4, 8);
    assert_int_equal(code.exchange, 0);
    code = cost_exchange_code(&one,
                              &(struct exchange_tile){ .receives = 16, .follows = 15, .senders = 16, .received = 64 });
    assert_int_equal(code.receive_mux, 17);
    assert_int_equal(code.receive_address, 1);
    assert_int_equal(code.delay, 1);
}

/* 1,000 halves from 10 tiles, one by one, would take 16,000 bytes of code for 2,000 bytes of data: each tile sends all
 * of its own in one message.  20 words from 10 tiles are sent one by one: sorting takes 240 bytes of code and buffers,
 * which is not less. */
static void test_code_of_pieces(void **state)
{
    (void)state;
    pop_target one = machine("ipu1");
    struct exchange_code code =
        cost_exchange_code(&one, &(struct exchange_tile){ .receives = 1000, .senders = 10, .received = 2000 });
    assert_int_equal(code.delay, 10);
    assert_int_equal(code.receive_address, 10);
    assert_int_equal(code.receive_mux, 20);
    code = cost_exchange_code(&one, &(struct exchange_tile){ .sends = 1000, .receivers = 10, .sent = 2000 });
    assert_int_equal(code.send, 10);
    code = cost_exchange_code(&one,
                              &(struct exchange_tile){ .receives = 20, .senders = 10, .follows = 15, .received = 80 });
    assert_int_equal(code.receive_address, 5);
    assert_int_equal(code.receive_mux, 25);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_word_to_all),
        cmocka_unit_test(test_convolution),
        cmocka_unit_test(test_halo),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_out_of_turn),
        cmocka_unit_test(test_twice),
        cmocka_unit_test(test_shared_buses),
        cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_too_much),
        cmocka_unit_test(test_many_messages),
        cmocka_unit_test(test_too_many_messages),
        cmocka_unit_test(test_one_tile),
        cmocka_unit_test(test_code),
        cmocka_unit_test(test_code_of_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
