/* SPDX-License-Identifier: Apache-2.0 */
/* AMP and SLIC against convolutions in double precision; inputs are small integers, whose sums are exact. */
#include "run.h"

#include <poplar/type.h>

enum { INPUTS = 0x80000, PARTIALS = 0x90000, OUTPUTS = 0xa0000, WEIGHTS = 0xb0000, POSITIONS = 5 };

static uint64_t dice = 3;
static int roll(void)
{
    dice = dice * 6364136223846793005u + 1442695040888963407u;
    return (int)(dice >> 60) - 8;
}

static void put_half(struct tile *tile, uint32_t address, int value)
{
    uint16_t bits = pop_half_from_double(value);
    memcpy(tile_memory(tile, address, 2), &bits, 2);
}

static double get_half(struct tile *tile, uint32_t address)
{
    uint16_t bits;
    memcpy(&bits, tile_memory(tile, address, 2), 2);
    return (double)pop_half_to_float(bits);
}

static void put_float(struct tile *tile, uint32_t address, int value)
{
    float f = (float)value;
    memcpy(tile_memory(tile, address, 4), &f, 4);
}

static double get_float(struct tile *tile, uint32_t address)
{
    float f;
    memcpy(&f, tile_memory(tile, address, 4), 4);
    return (double)f;
}

/* A worker that executes code, with a supervisor function "load" that loads the words of weights before. */
static void make(struct snippet *s, const char *code, unsigned words)
{
    struct str text = { 0 };
    str_format(&text,
               "setzi $m0, 0x%x\nsetzi $m1, 0x%x\nsetzi $m2, 0x%x\nsetzi $a7, 8\nuput $FP_CLR, $a7\n%s\n"
               "exitz $mzero\n.globl load\n.supervisor\nload:\nsetzi $m1, 0x%x\nput $CCCSLOAD, $m1\n"
               ".set word, 0\n.rept %u\nld64putcs word\n.set word, word + 1\n.endr\nbr $lr\n.worker\n",
               INPUTS, PARTIALS, OUTPUTS, code, WEIGHTS, words);
    snippet_make(s, TILE_IPU2, text.text);
    str_free(&text);
}

static void run(struct snippet *s)
{
    if (!tile_run_supervisor(s->tile, tile_program_symbol(s->program, "load"), 0, 0, &s->result) || !snippet_run(s))
        fail_msg("%s", s->result.fault.text);
}

/* out[position][m] = partial[position][m] + sum of x[position][i] w[m][i]: the weights of unit m are word 4 m + phase.
 */
static void halves_with_float_partials(void **state)
{
    (void)state;
    struct str code = { 0 };
    struct snippet s;
    int w[8][16], x[POSITIONS][16], p[POSITIONS][8];
    for (int position = 0; position < POSITIONS + 2; ++position)
        for (int phase = 0; phase < 4; ++phase) {
            bool in = position >= 1 && position <= POSITIONS, partial = position < POSITIONS;
            str_add(&code, in ? "ld64step $a0:1, $mzero, $m0+=, 1\n" : "and64 $a0:1, $azeros, $azeros\n");
            str_add(&code, partial ? "ld64step $a2:3, $mzero, $m1+=, 1\n" : "and64 $a2:3, $azeros, $azeros\n");
            str_format(&code, "f16v4sisoamp $a4:5, $a0:1, $a2:3, %d\n", phase);
            if (position >= 2)
                str_add(&code, "st64step $a4:5, $mzero, $m2+=, 1\n");
        }
    make(&s, code.text, 32);
    for (int m = 0; m < 8; ++m)
        for (int i = 0; i < 16; ++i)
            put_half(s.tile, WEIGHTS + 32 * (uint32_t)m + 2 * (uint32_t)i, w[m][i] = roll());
    for (int n = 0; n < POSITIONS; ++n) {
        for (int i = 0; i < 16; ++i)
            put_half(s.tile, INPUTS + 32 * (uint32_t)n + 2 * (uint32_t)i, x[n][i] = roll());
        for (int m = 0; m < 8; ++m)
            put_float(s.tile, PARTIALS + 32 * (uint32_t)n + 4 * (uint32_t)m, p[n][m] = roll());
    }
    run(&s);
    for (int n = 0; n < POSITIONS; ++n)
        for (int m = 0; m < 8; ++m) {
            double sum = p[n][m];
            for (int i = 0; i < 16; ++i)
                sum += (double)x[n][i] * w[m][i];
            assert_true(get_float(s.tile, OUTPUTS + 32 * (uint32_t)n + 4 * (uint32_t)m) == sum);
        }
    snippet_free(&s);
    str_free(&code);
}

/* Sixteen channels: channel c of memory is unit 0, 1, 8, 9, 2, 3, 10, 11, ... */
static void two_sets_of_halves(void **state)
{
    (void)state;
    struct str code = { 0 };
    struct snippet s;
    int w[16][16], x[POSITIONS][16], p[POSITIONS][16];
    for (int position = 0; position < POSITIONS + 2; ++position)
        for (int phase = 0; phase < 4; ++phase) {
            bool in = position >= 1 && position <= POSITIONS, partial = position < POSITIONS;
            str_add(&code, in ? "ld64step $a0:1, $mzero, $m0+=, 1\n" : "and64 $a0:1, $azeros, $azeros\n");
            str_add(&code, partial ? "ld64step $a2:3, $mzero, $m1+=, 1\n" : "and64 $a2:3, $azeros, $azeros\n");
            str_format(&code, "f16v4hihov4amp $a4:5, $a0:1, $a2:3, %d\n", phase);
            if (position >= 2)
                str_add(&code, "st64step $a4:5, $mzero, $m2+=, 1\n");
        }
    make(&s, code.text, 64);
    for (int c = 0; c < 16; ++c) {
        int unit = c % 4 < 2 ? c / 4 * 2 + c % 4 : 8 + c / 4 * 2 + c % 4 - 2;
        for (int i = 0; i < 16; ++i)
            put_half(s.tile, WEIGHTS + 32 * (uint32_t)unit + 2 * (uint32_t)i, w[c][i] = roll());
    }
    for (int n = 0; n < POSITIONS; ++n)
        for (int i = 0; i < 16; ++i) {
            put_half(s.tile, INPUTS + 32 * (uint32_t)n + 2 * (uint32_t)i, x[n][i] = roll());
            put_half(s.tile, PARTIALS + 32 * (uint32_t)n + 2 * (uint32_t)i, p[n][i] = roll());
        }
    run(&s);
    for (int n = 0; n < POSITIONS; ++n)
        for (int c = 0; c < 16; ++c) {
            double sum = p[n][c];
            for (int i = 0; i < 16; ++i)
                sum += (double)x[n][i] * w[c][i];
            assert_true(get_half(s.tile, OUTPUTS + 32 * (uint32_t)n + 2 * (uint32_t)c) == sum);
        }
    snippet_free(&s);
    str_free(&code);
}

/* Eight floats of input a position; set 0 moves with even phases, set 1 with odd ones. */
static void floats_in_two_sets(void **state)
{
    (void)state;
    struct str code = { 0 };
    struct snippet s;
    int w[16][8], x[POSITIONS][8], p[POSITIONS][16];
    for (int position = 0; position < POSITIONS + 2; ++position)
        for (int phase = 0; phase < 8; ++phase) {
            bool in = position >= 1 && position <= POSITIONS, partial = position < POSITIONS;
            str_add(&code, in ? "ld32step $a0, $mzero, $m0+=, 1\n" : "setzi $a0, 0\n");
            str_add(&code, partial ? "ld64step $a2:3, $mzero, $m1+=, 1\n" : "and64 $a2:3, $azeros, $azeros\n");
            str_format(&code, "f32sisov2amp $a4:5, $a0, $a2:3, %d\n", phase);
            if (position >= 2)
                str_add(&code, "st64step $a4:5, $mzero, $m2+=, 1\n");
        }
    make(&s, code.text, 64);
    for (int c = 0; c < 16; ++c) {
        int unit = c % 4 < 2 ? c / 4 * 2 + c % 4 : 8 + c / 4 * 2 + c % 4 - 2;
        for (int i = 0; i < 8; ++i)
            put_float(s.tile, WEIGHTS + 32 * (uint32_t)unit + 4 * (uint32_t)i, w[c][i] = roll());
    }
    for (int n = 0; n < POSITIONS; ++n) {
        for (int i = 0; i < 8; ++i)
            put_float(s.tile, INPUTS + 32 * (uint32_t)n + 4 * (uint32_t)i, x[n][i] = roll());
        for (int c = 0; c < 16; ++c)
            put_float(s.tile, PARTIALS + 64 * (uint32_t)n + 4 * (uint32_t)c, p[n][c] = roll());
    }
    run(&s);
    for (int n = 0; n < POSITIONS; ++n)
        for (int c = 0; c < 16; ++c) {
            double sum = p[n][c];
            for (int i = 0; i < 8; ++i)
                sum += (double)x[n][i] * w[c][i];
            assert_true(get_float(s.tile, OUTPUTS + 64 * (uint32_t)n + 4 * (uint32_t)c) == sum);
        }
    snippet_free(&s);
    str_free(&code);
}

/* A kernel of 4 positions over groups of 4 channels: out[k] = p[k] + sum over j of x[k + j] . W(unit 6 - 2 j + q). */
static void a_narrow_convolution(void **state)
{
    (void)state;
    enum { LENGTH = 9, TAPS = 4, RESULTS = LENGTH - TAPS + 1 };
    struct str code = { 0 };
    struct snippet s;
    int w[8][4], x[LENGTH][4], p[RESULTS][2];
    for (int step = 0; step < LENGTH + 1; ++step) {
        str_add(&code, step < LENGTH ? "ld64step $a0:1, $mzero, $m0+=, 1\n" : "and64 $a0:1, $azeros, $azeros\n");
        str_add(&code, step < RESULTS ? "ld64step $a2:3, $mzero, $m1+=, 1\n" : "and64 $a2:3, $azeros, $azeros\n");
        str_add(&code, "f16v4sisoslic $a4:5, $a0:1, $a2:3, 16\n");
        if (step >= TAPS)
            str_add(&code, "st64step $a4:5, $mzero, $m2+=, 1\n");
    }
    make(&s, code.text, 64);
    for (int unit = 0; unit < 8; ++unit)
        for (int i = 0; i < 4; ++i)
            put_half(s.tile, WEIGHTS + 32 * (uint32_t)unit + 2 * (uint32_t)i, w[unit][i] = roll());
    for (int k = 0; k < LENGTH; ++k)
        for (int i = 0; i < 4; ++i)
            put_half(s.tile, INPUTS + 8 * (uint32_t)k + 2 * (uint32_t)i, x[k][i] = roll());
    for (int k = 0; k < RESULTS; ++k)
        for (int q = 0; q < 2; ++q)
            put_float(s.tile, PARTIALS + 8 * (uint32_t)k + 4 * (uint32_t)q, p[k][q] = roll());
    run(&s);
    for (int k = 0; k < RESULTS; ++k)
        for (int q = 0; q < 2; ++q) {
            double sum = p[k][q];
            for (int j = 0; j < TAPS; ++j)
                for (int i = 0; i < 4; ++i)
                    sum += (double)x[k + j][i] * w[6 - 2 * j + q][i];
            assert_true(get_float(s.tile, OUTPUTS + 8 * (uint32_t)k + 4 * (uint32_t)q) == sum);
        }
    snippet_free(&s);
    str_free(&code);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(halves_with_float_partials),
                                        cmocka_unit_test(two_sets_of_halves), cmocka_unit_test(floats_in_two_sets),
                                        cmocka_unit_test(a_narrow_convolution) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
