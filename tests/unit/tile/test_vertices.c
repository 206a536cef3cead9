/* SPDX-License-Identifier: Apache-2.0 */
/* Ten vertices of the libraries in assembly (vertices.S) against C, and their slots against the published formulas
 * (docs/reference/tile-isa.md, 6). */
#include "run.h"

#include "base/file.h"

#include <poplar/type.h>

enum { STATE = 0x4e000, X = 0x80000, Y = 0x90000, OUT = 0xa0000, WEIGHTS = 0xb0000, BYTES = 0x8000 };

struct bench {
    struct tile_object *object;
    struct tile_program *program;
    struct tile *tile;
    struct tile_result result;
};

static void bench_open(struct bench *b, const char *name)
{
    char *code;
    size_t size;
    const char *roots[] = { name, "weights" };
    struct str text = { 0 };
    pop_error error = { 0 };
    assert_int_equal(file_read(SOURCE_DIR "/tests/unit/tile/vertices.S", &code, &size, &error), POP_OK);
    b->object = tile_assemble("vertices.S", code, TILE_IPU2, &text);
    if (!b->object)
        fail_msg("%s", str_text(&text));
    const struct tile_object *objects[] = { b->object };
    b->program = tile_program_link(objects, 1, roots, 2, 0, &text);
    if (!b->program)
        fail_msg("%s", str_text(&text));
    b->tile = tile_create(b->program);
    free(code);
    str_free(&text);
}

static void bench_close(struct bench *b)
{
    tile_free(b->tile);
    tile_program_free(b->program);
    tile_object_free(b->object);
}

/* Runs a vertex with words of state; it must take this many slots. */
static void run(struct bench *b, const char *name, const uint32_t *state, size_t words, uint64_t slots)
{
    memcpy(tile_memory(b->tile, STATE, (uint32_t)(4 * words)), state, 4 * words);
    if (!tile_run_workers(b->tile, tile_program_symbol(b->program, name), STATE, 1, &b->result))
        fail_msg("%s: %s", name, b->result.fault.text);
    if (b->result.slots != slots)
        fail_msg("%s takes %u slots, not %u", name, (unsigned)b->result.slots, (unsigned)slots);
}
#define RUN(b, name, slots, ...)                                                                                       \
    run(b, name, (const uint32_t[]){ __VA_ARGS__ }, sizeof((const uint32_t[]){ __VA_ARGS__ }) / 4, slots)

static float *floats(struct bench *b, uint32_t address)
{
    return (float *)(void *)tile_memory(b->tile, address, BYTES);
}
static uint16_t *halves(struct bench *b, uint32_t address)
{
    return (uint16_t *)(void *)tile_memory(b->tile, address, BYTES);
}
static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, 4);
    return bits;
}
/* Small integers and quarters, whose sums and products are exact. */
static float sample(int i)
{
    return (float)((i * 37 + 11) % 29 - 14) / 4;
}
static uint16_t half_of(float value)
{
    return pop_half_from_double((double)value);
}
static float value_of(uint16_t half)
{
    return pop_half_to_float(half);
}
static void fill_floats(float *x, int count, int first)
{
    for (int i = 0; i < count; ++i)
        x[i] = sample(first + i);
}
static void fill_halves(uint16_t *x, int count, int first)
{
    for (int i = 0; i < count; ++i)
        x[i] = half_of(sample(first + i));
}

static void fill(void **state)
{
    (void)state;
    static const unsigned sizes[] = { 4, 10, 100 };
    for (int t = 0; t < 3; ++t) {
        struct bench b;
        bench_open(&b, "fill");
        RUN(&b, "fill", 22 + sizes[t] / 2, bits_of(1.5f), OUT, sizes[t]);
        for (unsigned i = 0; i <= sizes[t]; ++i)
            assert_true(floats(&b, OUT)[i] == (i < sizes[t] ? 1.5f : 0));
        bench_close(&b);
    }
}

static void scaled_add(void **state)
{
    (void)state;
    static const unsigned pairs[] = { 2, 8, 40 };
    for (int t = 0; t < 3; ++t) {
        struct bench b;
        bench_open(&b, "scaled_add");
        int count = 2 * (int)pairs[t];
        fill_floats(floats(&b, X), count, 0);
        fill_floats(floats(&b, Y), count, 100);
        RUN(&b, "scaled_add", 28 + 2 * pairs[t], X, Y, pairs[t] - 1, bits_of(-0.5f));
        for (int i = 0; i < count; ++i)
            assert_true(floats(&b, Y)[i] == sample(100 + i) - 0.5f * sample(i));
        assert_true(floats(&b, Y)[count] == 0);
        bench_close(&b);
    }
}

static void reduce_add(void **state)
{
    (void)state;
    static const unsigned sizes[][2] = { { 4, 1 }, { 10, 2 }, { 1, 7 } };
    for (int t = 0; t < 3; ++t) {
        struct bench b;
        unsigned partials = sizes[t][0], groups = sizes[t][1];
        bench_open(&b, "reduce_add");
        fill_floats(floats(&b, X), (int)(4 * partials * groups), 0);
        RUN(&b, "reduce_add", 19 + groups * (3 * partials + 7), X, OUT, groups - 1, partials);
        for (unsigned i = 0; i < 4 * groups; ++i) {
            float sum = 0;
            for (unsigned p = 0; p < partials; ++p)
                sum += sample((int)(i / 4 * partials * 4 + 4 * p + i % 4));
            assert_true(floats(&b, OUT)[i] == sum);
        }
        bench_close(&b);
    }
}

/* Weight of column m for input c: word 4 m + c / 4. */
static void load_weights(struct bench *b)
{
    struct tile_result result;
    fill_halves(halves(b, WEIGHTS), 256, 500);
    assert_true(tile_run_supervisor(b->tile, tile_program_symbol(b->program, "weights"), WEIGHTS, 0, &result));
}
static float weight(int m, int c)
{
    return value_of(half_of(sample(500 + 16 * m + c)));
}

static void conv_1x1(void **state)
{
    (void)state;
    static const unsigned sizes[] = { 3, 10, 100 };
    for (int t = 0; t < 3; ++t) {
        struct bench b;
        int positions = (int)sizes[t];
        bench_open(&b, "conv_1x1");
        load_weights(&b);
        fill_halves(halves(&b, X), 16 * positions, 0);
        fill_floats(floats(&b, Y), 8 * positions, 200);
        RUN(&b, "conv_1x1", 29 + 4 * (sizes[t] - 3), X, Y, OUT, sizes[t] - 3);
        for (int p = 0; p < positions; ++p)
            for (int m = 0; m < 8; ++m) {
                float sum = sample(200 + 8 * p + m);
                for (int c = 0; c < 16; ++c)
                    sum += sample(16 * p + c) * weight(m, c);
                assert_true(floats(&b, OUT)[8 * p + m] == sum);
            }
        assert_true(floats(&b, OUT)[8 * positions] == 0);
        bench_close(&b);
    }
}

/* Tap j of column q of a set is in the set's unit 6 - 2 j + q. */
static void slic_1x4(void **state)
{
    (void)state;
    static const unsigned sizes[] = { 5, 12, 1 };
    for (int t = 0; t < 3; ++t) {
        struct bench b;
        int positions = (int)sizes[t];
        bench_open(&b, "slic_1x4");
        load_weights(&b);
        for (int i = 0; i < 4 * (positions + 6); ++i)
            halves(&b, X)[i] = half_of((float)(int)sample(i));
        RUN(&b, "slic_1x4", 39 + sizes[t], X, OUT, sizes[t] - 1);
        for (int k = 0; k < positions; ++k)
            for (int column = 0; column < 4; ++column) {
                float sum = 0;
                for (int j = 0; j < 4; ++j)
                    for (int c = 0; c < 4; ++c)
                        sum += (float)(int)sample(4 * (k + j) + c) * weight(column / 2 * 8 + 6 - 2 * j + column % 2, c);
                assert_int_equal(halves(&b, OUT)[4 * k + column], half_of(sum));
            }
        assert_int_equal(halves(&b, OUT)[4 * positions], 0);
        bench_close(&b);
    }
}

static void transpose(void **state)
{
    (void)state;
    static const unsigned sizes[][3] = { { 1, 1, 1 }, { 2, 2, 1 }, { 4, 2, 2 } }; /* bs / 4, zb, blocks */
    for (int t = 0; t < 3; ++t) {
        struct bench b;
        unsigned groups = sizes[t][0], zb = sizes[t][1], blocks = sizes[t][2], all = 4 * groups * zb * blocks;
        bench_open(&b, "transpose");
        for (unsigned i = 0; i < 16 * all; ++i)
            halves(&b, X)[i] = (uint16_t)i;
        RUN(&b, "transpose", 34 + blocks * (3 + zb * (3 + 23 * groups)), X, OUT, groups, zb, blocks - 1);
        for (unsigned i = 0; i < 16 * all; ++i)
            assert_int_equal(halves(&b, OUT)[i], i / 16 * 16 + i % 4 * 4 + i % 16 / 4);
        assert_int_equal(halves(&b, OUT)[16 * all], 0);
        bench_close(&b);
    }
}

static void binary_add(void **state)
{
    (void)state;
    static const unsigned pairs[] = { 1, 8, 50 };
    for (int t = 0; t < 3; ++t) {
        struct bench b;
        int count = 2 * (int)pairs[t];
        bench_open(&b, "binary_add");
        fill_floats(floats(&b, X), count, 0);
        fill_floats(floats(&b, Y), count, 100);
        RUN(&b, "binary_add", 38 + 2 * pairs[t], X, Y, OUT, pairs[t]);
        for (int i = 0; i <= count; ++i)
            assert_true(floats(&b, OUT)[i] == (i < count ? sample(i) + sample(100 + i) : 0));
        bench_close(&b);
    }
}

static void relu(void **state)
{
    (void)state;
    static const unsigned vectors[] = { 1, 2, 25 };
    for (int t = 0; t < 3; ++t) {
        struct bench b;
        int count = 4 * (int)vectors[t];
        bench_open(&b, "relu");
        fill_halves(halves(&b, X), count, 0);
        RUN(&b, "relu", 27 + 2 * vectors[t], X, OUT, vectors[t]);
        for (int i = 0; i <= count; ++i)
            assert_true(value_of(halves(&b, OUT)[i]) == (i < count && sample(i) > 0 ? sample(i) : 0));
        bench_close(&b);
    }
}

static uint64_t rotated(uint64_t x, int bits)
{
    return x << bits | x >> (64 - bits);
}
static uint64_t next_random(uint64_t s[2])
{
    uint64_t x = s[0] ^ s[1], a = s[0] & s[1];
    s[0] = rotated(s[0], 55) ^ x ^ x << 14;
    s[1] = rotated(x, 36);
    return x ^ (rotated(a, 1) | rotated(a, 2));
}

static void dropout(void **state)
{
    (void)state;
    static const unsigned pairs[] = { 1, 2, 60 };
    enum { PROBABILITY = 0xb000 };
    for (int t = 0; t < 3; ++t) {
        struct bench b;
        int count = 2 * (int)pairs[t], kept = 0;
        uint64_t random[2] = { 1234567, 89 };
        bench_open(&b, "dropout");
        fill_floats(floats(&b, X), count, 0);
        tile_set_prng(b.tile, 0, random[0], random[1]);
        RUN(&b, "dropout", 24 + 2 * pairs[t], X, OUT, pairs[t] - 1, bits_of(1.5f), PROBABILITY);
        for (int i = 0; i < count; i += 2) {
            uint64_t bits = next_random(random);
            for (int k = 0; k < 2; ++k) {
                bool keeps = (bits >> 16 * k & 0xffff) < PROBABILITY;
                assert_true(floats(&b, OUT)[i + k] == (keeps ? 1.5f * sample(i + k) : 0));
                kept += keeps;
            }
        }
        assert_true(count < 100 || (kept > count / 2 && kept < count * 9 / 10));
        bench_close(&b);
    }
}

static void cast(void **state)
{
    (void)state;
    static const unsigned vectors[] = { 1, 2, 25 };
    for (int t = 0; t < 3; ++t) {
        struct bench b;
        int count = 4 * (int)vectors[t];
        bench_open(&b, "cast");
        for (int i = 0; i < count; ++i)
            floats(&b, X)[i] = sample(i) / 3;
        RUN(&b, "cast", 20 + 3 * vectors[t], X, OUT, vectors[t] - 1);
        for (int i = 0; i <= count; ++i)
            assert_int_equal(halves(&b, OUT)[i], i < count ? half_of(sample(i) / 3) : 0);
        bench_close(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(fill),       cmocka_unit_test(scaled_add),
                                        cmocka_unit_test(reduce_add), cmocka_unit_test(conv_1x1),
                                        cmocka_unit_test(slic_1x4),   cmocka_unit_test(transpose),
                                        cmocka_unit_test(binary_add), cmocka_unit_test(relu),
                                        cmocka_unit_test(dropout),    cmocka_unit_test(cast) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
