/* SPDX-License-Identifier: Apache-2.0 */
/* Slots of codelets that Poplibs' estimates publish: the same loops and sequences, assembled and run (counts.S). */
#include "run.h"

#include "base/file.h"

struct count {
    const char *name, *registers;
    unsigned published;
};
#define DATA "m0=80000 m1=90000 m2=a0010 "
static const struct count counts[] = {
    /* words to fill, at a multiple of 8 bytes, and 4 behind one */
    { "fill32", "m0=4e000 M4e004=80000 M4e008=1", 23 },
    { "fill32", "m0=4e000 M4e004=80004 M4e008=1", 24 },
    { "fill32", "m0=4e000 M4e004=80000 M4e008=4", 24 },
    { "fill32", "m0=4e000 M4e004=80004 M4e008=4", 26 },
    { "fill32", "m0=4e000 M4e004=80000 M4e008=64", 72 },
    { "fill32", "m0=4e000 M4e004=80004 M4e008=64", 74 },
/* halves at 2, 4 and 8 bytes */
#define HALVES(n, at2, at4, at8)                                                                                       \
    { "fill_half", "m0=4e000 M4e004=80002 M4e008=" n, at2 }, { "fill_half", "m0=4e000 M4e004=80004 M4e008=" n, at4 },  \
    {                                                                                                                  \
        "fill_half", "m0=4e000 M4e004=80000 M4e008=" n, at8                                                            \
    }
    HALVES("1", 15, 16, 16),
    HALVES("2", 20, 23, 22),
    HALVES("4", 30, 24, 22),
    HALVES("8", 31, 25, 23),
    HALVES("64", 54, 48, 46),
#undef HALVES
    { "set_seed", "", 27 },
    /* 21 + 4 for each vector, 21 + 1, 24 + 2 */
    { "uniform", DATA "m2=1", 25 },
    { "uniform", DATA "m2=2", 29 },
    { "uniform", DATA "m2=8", 53 },
    { "bernoulli", DATA "m2=1", 22 },
    { "bernoulli", DATA "m2=2", 23 },
    { "bernoulli", DATA "m2=4", 25 },
    { "dropout", DATA "m2=1", 26 },
    { "dropout", DATA "m2=2", 28 },
    { "dropout", DATA "m2=8", 40 },
    /* L and c: 2 + 5 + 2 + L (3 + 4 (c - 1) + 6) with the exit; 7 + L (6 + 2 c) */
    { "divide_odd", DATA "m5=2 m6=3", 72 },
    { "divide_even", DATA "m5=3 m6=9", 270 },
    { "divide_even", DATA "m5=7 m6=2", 194 },
    { "inner_add", DATA "m5=0 m6=0", 15 },
    { "inner_add", DATA "m5=2 m6=3", 49 },
    { "inner_add", DATA "m5=7 m6=9", 215 },
    { "inner_mul", DATA "m5=0 m6=0", 15 },
    { "inner_mul", DATA "m5=2 m6=3", 49 },
    { "inner_mul", DATA "m5=7 m6=9", 215 },
    /* halves: 27 + 2 (c - 1) + (L / 8 - 1) (13 + 2 (c - 1)); 15 + L / 4 (8 + c) */
    { "inner_add_half", DATA "m5=0 m6=4", 35 },
    { "inner_add_half", DATA "m5=1 m6=3", 52 },
    { "inner_add_half", DATA "m5=7 m6=9", 262 },
    { "inner_mul_half", DATA "m3=80040 m5=1 m6=4 m7=1", 41 },
    { "inner_mul_half", DATA "m3=80040 m5=3 m6=3 m7=1", 63 },
    { "inner_mul_half", DATA "m3=80040 m5=f m6=9 m7=1", 303 },
    /* 27 + 2 op k */
    { "sigmoid_half", DATA "m6=0", 31 },
    { "sigmoid_half", DATA "m6=1", 35 },
    { "sigmoid_half", DATA "m6=3", 43 },
    { "tanh_half", DATA "m6=0", 29 },
    { "tanh_half", DATA "m6=1", 31 },
    { "tanh_half", DATA "m6=3", 35 },
    { "tanh_float", DATA "m6=0", 37 },
    { "tanh_float", DATA "m6=3", 67 },
    { "tanh_float", DATA "m6=7", 107 },
    { "add_float_fast", DATA "m1=88008 m6=32", 138 },
    { "add_float_fast", DATA "m1=88008 m6=1", 40 },
    { "add_float_slow", DATA "m6=32", 188 },
    { "add_float_slow", DATA "m6=1", 41 },
    { "add_half_fast", DATA "m1=88008 m6=19", 91 },
    { "add_half_fast", DATA "m1=88008 m6=1", 43 },
    { "add_half_slow", DATA "m6=19", 116 },
    { "add_half_slow", DATA "m6=1", 44 },
    { "scaled_add", DATA "m1=88008 m6=2", 32 },
    { "scaled_add", DATA "m1=88008 m6=8", 44 },
    { "scaled_add", DATA "m1=88008 m6=28", 108 },
    /* 19 + l (3 P + 7) */
    { "reduce_add", DATA "m5=0 m6=4", 38 },
    { "reduce_add", DATA "m5=1 m6=a", 93 },
    /* 30 + 2 m / 4 */
    { "has_nan", DATA "m6=2", 34 },
    { "has_nan", DATA "m6=14", 70 },
    /* 31 + 3 m / 4 */
    { "has_nan_or_inf", DATA "m6=2", 37 },
    { "has_nan_or_inf", DATA "m6=14", 91 },
    /* 23 + G (9 + W (6 + (C - 6) / 2)) */
    { "outer_product", DATA "m1=98008 m3=0 m7=0 m6=1", 39 },
    { "outer_product", DATA "m1=98008 m3=2 m7=6 m6=0", 176 },
    { "outer_product", DATA "m1=98008 m3=1 m7=9 m6=5", 261 },
    /* 29 + 8 p */
    { "normalise", DATA "m6=1", 37 },
    { "normalise", DATA "m6=2", 45 },
    { "normalise", DATA "m6=a", 109 },
    { "slic_row", DATA "m6=5", 44 },
    { "slic_row", DATA "m6=c", 51 },
    /* 29 + 4 (n - 3) */
    { "conv_1x1", "m0=80000 m1=88008 m2=90000 m6=0", 29 },
    { "conv_1x1", "m0=80000 m1=88008 m2=90000 m6=7", 57 },
    { "conv_1x1", "m0=80000 m1=88008 m2=90000 m6=61", 417 },
/* without partials 26 + 4 (n - 3); two sets as conv_1x1; floats 56 + 8 (n - 3), with zeroing 2 + 4 n more */
#define PACKED "m4=80000 m5=24088008 "
    { "conv_zero", PACKED "m6=7", 54 },
    { "conv_zero", PACKED "m6=61", 414 },
    { "conv_sets", PACKED "m6=0", 29 },
    { "conv_sets", PACKED "m6=1", 33 },
    { "conv_sets", PACKED "m6=7", 57 },
    { "conv_float", "m0=80000 m1=88008 m2=90000 m6=0 m7=0", 56 },
    { "conv_float", "m0=80000 m1=88008 m2=90000 m6=1 m7=0", 64 },
    { "conv_float", "m0=80000 m1=88008 m2=90000 m6=7 m7=0", 112 },
    { "conv_float", "m0=80000 m1=88008 m2=90000 m6=0 m7=1 m8=3 m9=98000", 70 },
    { "conv_float", "m0=80000 m1=88008 m2=90000 m6=1 m7=1 m8=4 m9=98000", 82 },
    { "conv_float", "m0=80000 m1=88008 m2=90000 m6=7 m7=1 m8=a m9=98000", 154 },
    /* 34 + blocks (3 + zb (3 + 23 bs / 4)) */
    { "transpose", DATA "m5=1 m8=0 m9=1", 63 },
    { "transpose", DATA "m5=2 m8=0 m9=2", 135 },
    { "transpose", DATA "m5=4 m8=1 m9=2", 420 },
};

static void slots_are_the_published_ones(void **state)
{
    (void)state;
    char *code;
    size_t size;
    struct str messages = { 0 };
    pop_error error = { 0 };
    assert_int_equal(file_read(SOURCE_DIR "/tests/unit/tile/counts.S", &code, &size, &error), POP_OK);
    struct tile_object *object = tile_assemble("counts.S", code, TILE_IPU2, &messages);
    if (!object)
        fail_msg("%s", str_text(&messages));
    unsigned different = 0;
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); ++i) {
        const struct count *count = counts + i;
        const struct tile_object *objects[] = { object };
        struct str why = { 0 };
        struct tile_result result;
        struct tile_program *program = tile_program_link(objects, 1, &count->name, 1, 0, &why);
        if (!program)
            fail_msg("%s: %s", count->name, str_text(&why));
        struct tile *tile = tile_create(program);
        tile_set_register(tile, 0, 10, 0);
        each_setting(tile, count->registers, false);
        if (!tile_run_workers(tile, tile_program_symbol(program, count->name), 0x4e000, 1, &result))
            fail_msg("%s (%s): %s", count->name, count->registers, result.fault.text);
        print_message("%s (%s): %u slots published, %u counted\n", count->name, count->registers, count->published,
                      (unsigned)result.slots);
        different += result.slots != count->published;
        tile_free(tile);
        tile_program_free(program);
        str_free(&why);
    }
    assert_int_equal(different, 0);
    tile_object_free(object);
    free(code);
    str_free(&messages);
}

/* ---- results of those that compute something whole, against C ---- */

struct bench {
    struct tile_object *object;
    struct tile_program *program;
    struct tile *tile;
};

static struct bench bench_open(const char *name)
{
    char *code;
    size_t size;
    struct bench b = { 0 };
    struct str text = { 0 };
    pop_error error = { 0 };
    assert_int_equal(file_read(SOURCE_DIR "/tests/unit/tile/counts.S", &code, &size, &error), POP_OK);
    b.object = tile_assemble("counts.S", code, TILE_IPU2, &text);
    const struct tile_object *objects[] = { b.object };
    b.program = tile_program_link(objects, 1, &name, 1, 0, &text);
    assert_non_null(b.program);
    b.tile = tile_create(b.program);
    free(code);
    str_free(&text);
    return b;
}

static void bench_run(struct bench *b, const char *name)
{
    struct tile_result result;
    if (!tile_run_workers(b->tile, tile_program_symbol(b->program, name), 0x4e000, 1, &result))
        fail_msg("%s: %s", name, result.fault.text);
}

static void bench_close(struct bench *b)
{
    tile_free(b->tile);
    tile_program_free(b->program);
    tile_object_free(b->object);
}

static float *floats(struct bench *b, uint32_t address)
{
    return (float *)(void *)tile_memory(b->tile, address, 4096);
}

static void fill_writes_its_words_alone(void **state)
{
    (void)state;
    for (uint32_t start = 0x80000; start <= 0x80004; start += 4)
        for (uint32_t count = 0; count < 12; ++count) {
            struct bench b = bench_open("fill32");
            char settings[80];
            snprintf(settings, sizeof(settings), "m0=4e000 M4e000=3fc00000 M4e004=%x M4e008=%x", start, count);
            each_setting(b.tile, settings, false);
            bench_run(&b, "fill32");
            for (uint32_t i = 0; i < 16; ++i) {
                uint32_t address = 0x80000 + 4 * i;
                assert_true(*floats(&b, address) == (address >= start && address < start + 4 * count ? 1.5f : 0));
            }
            bench_close(&b);
        }
}

static void sums_are_those_of_c(void **state)
{
    (void)state;
    static const char *const names[] = { "add_float_fast", "add_float_slow" };
    for (int n = 0; n < 2; ++n) {
        struct bench b = bench_open(names[n]);
        float *x = floats(&b, 0x80000), *y = floats(&b, 0x88008), *sum = floats(&b, 0xa0010);
        for (int i = 0; i < 100; ++i) {
            x[i] = (float)i / 3;
            y[i] = (float)(i * i) / 7;
        }
        each_setting(b.tile, "m0=80000 m1=88008 m2=a0010 m6=32", false);
        bench_run(&b, names[n]);
        for (int i = 0; i < 100; ++i)
            assert_true(sum[i] == x[i] + y[i]);
        assert_true(sum[100] == 0);
        bench_close(&b);
    }
}

/* Each group has four columns; partials of a group follow each other. */
static void reductions_are_those_of_c(void **state)
{
    (void)state;
    enum { PARTIALS = 10 };
    struct bench b = bench_open("reduce_add");
    float *x = floats(&b, 0x80000), *sum = floats(&b, 0x90000);
    for (int i = 0; i < 4 * PARTIALS; ++i)
        x[i] = (float)(i % 7) - 2.5f;
    each_setting(b.tile, "m0=80000 m1=90000 m5=0 m6=a", false);
    bench_run(&b, "reduce_add");
    for (int column = 0; column < 4; ++column) {
        double wanted = 0;
        for (int p = 0; p < PARTIALS; ++p)
            wanted += (double)x[4 * p + column];
        assert_true((double)sum[column] == wanted);
    }
    bench_close(&b);
}

static void a_nan_is_found(void **state)
{
    (void)state;
    for (int nan = 0; nan < 2; ++nan) {
        struct bench b = bench_open("has_nan");
        struct tile_result result;
        uint32_t quiet = 0x7fc00000;
        if (nan)
            memcpy(tile_memory(b.tile, 0x8000c, 4), &quiet, 4);
        each_setting(b.tile, "m0=80000 m6=4", false);
        assert_true(tile_run_workers(b.tile, tile_program_symbol(b.program, "has_nan"), 0, 1, &result));
        assert_int_equal(result.agreed, !nan);
        bench_close(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(slots_are_the_published_ones),
                                        cmocka_unit_test(fill_writes_its_words_alone),
                                        cmocka_unit_test(sums_are_those_of_c),
                                        cmocka_unit_test(reductions_are_those_of_c), cmocka_unit_test(a_nan_is_found) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
