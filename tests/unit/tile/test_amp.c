/* SPDX-License-Identifier: Apache-2.0 */
/* Each instruction of AMP and SLIC against convolutions in double precision; inputs are small integers, whose sums are
 * exact. */
#include "run.h"

#include <poplar/type.h>

enum { INPUTS = 0x80000, PARTIALS = 0x90000, OUTPUTS = 0xa0000, WEIGHTS = 0xb0000, POSITIONS = 5 };

static uint64_t dice = 3;
static int roll(void)
{
    dice = dice * 6364136223846793005u + 1442695040888963407u;
    return (int)(dice >> 60) - 8;
}

enum number { HALF, FLOAT, QUARTER };
static const uint32_t bytes_of[] = { [HALF] = 2, [FLOAT] = 4, [QUARTER] = 1 };

/* A small integer in 1-4-3 bits with the bias 8. */
static unsigned quarter(int value)
{
    unsigned magnitude = (unsigned)abs(value), exponent = 0;
    while (magnitude >> (exponent + 1))
        ++exponent;
    return value ? (value < 0 ? 0x80u : 0u) | (exponent + 8) << 3 | (((magnitude << 3) >> exponent) & 7) : 0;
}

/* Element `index` at an address. */
static void put(struct tile *tile, enum number number, uint32_t address, int index, int value)
{
    float f = (float)value;
    uint16_t half = pop_half_from_double(value);
    unsigned char code = (unsigned char)quarter(value);
    const void *from = number == HALF ? (const void *)&half : number == FLOAT ? (const void *)&f : &code;
    uint32_t bytes = bytes_of[number];
    memcpy(tile_memory(tile, address + bytes * (uint32_t)index, bytes), from, bytes);
}

static double get(struct tile *tile, enum number number, uint32_t address, int index)
{
    const unsigned char *at = tile_memory(tile, address + bytes_of[number] * (uint32_t)index, bytes_of[number]);
    float f = 0;
    uint16_t half = 0;
    memcpy(number == HALF ? (void *)&half : &f, at, bytes_of[number]);
    return number == HALF ? (double)pop_half_to_float(half) : (double)f;
}

/* An instruction: numbers of its inputs, partials and results, and sets of accumulators. */
struct unit {
    const char *name;
    enum number x, in, out;
    int sets;
};
static enum tile_arch arch_of(const struct unit *u)
{
    return u->x == QUARTER ? TILE_IPU21 : TILE_IPU2;
}

/* "$a4:5", or "$a4" for two halves. */
static void add_register(struct str *code, int first, bool pair)
{
    str_format(code, pair ? "$a%d:%d" : "$a%d", first, first + 1);
}

/* Loads into a register, or clears it. */
static void add_load(struct str *code, int first, bool pair, unsigned pointer, bool there)
{
    str_add(code, there ? pair ? "ld64step " : "ld32step " : pair ? "and64 " : "and ");
    add_register(code, first, pair);
    str_format(code, there ? ", $mzero, $m%u+=, 1\n" : pair ? ", $azeros, $azeros\n" : ", $azero, $azero\n", pointer);
}

/* name d, x, p, flags */
static void add_unit(struct str *code, const struct unit *u, int flags)
{
    str_format(code, "%s ", u->name);
    add_register(code, 4, u->out == FLOAT || u->sets == 2);
    str_add(code, ", ");
    add_register(code, 0, u->x != FLOAT);
    str_add(code, ", ");
    add_register(code, 2, u->in == FLOAT || u->sets == 2);
    str_format(code, ", %d\n", flags);
}

static void add_store(struct str *code, const struct unit *u)
{
    str_add(code, u->out == FLOAT || u->sets == 2 ? "st64step " : "st32step ");
    add_register(code, 4, u->out == FLOAT || u->sets == 2);
    str_add(code, ", $mzero, $m2+=, 1\n");
}

/* A worker that executes code, with a supervisor function "load" that loads all weights before. */
static void make(struct snippet *s, const struct unit *u, const char *code)
{
    struct str text = { 0 };
    bool wide = u->x != HALF; /* both instructions that load weights */
    str_format(&text,
               "setzi $m0, 0x%x\nsetzi $m1, 0x%x\nsetzi $m2, 0x%x\nsetzi $a7, 8\nuput $FP_CLR, $a7\n%s\n"
               "exitz $mzero\n.globl load\n.supervisor\nload:\nsetzi $m1, 0x%x\nput $CCCSLOAD, $m1\n"
               ".set word, 0\n.rept %d\n%s word\n.set word, word + %d\n.endr\nbr $lr\n.worker\n",
               INPUTS, PARTIALS, OUTPUTS, code, WEIGHTS, wide ? 32 : 64, wide ? "ld128putcs" : "ld64putcs",
               wide ? 2 : 1);
    snippet_make(s, arch_of(u), text.text);
    str_free(&text);
}

static void run(struct snippet *s)
{
    if (!tile_run_supervisor(s->tile, tile_program_symbol(s->program, "load"), 0, 0, &s->result) || !snippet_run(s))
        fail_msg("%s", s->result.fault.text);
}

static int roll_for(const struct unit *u)
{
    return u->x == QUARTER ? roll() / 2 : roll();
}

/* ---- AMP: out[position][c] = partial[position][c] + sum of x[position][i] w[c][i] ---- */

/* The weights of unit m are the words 4 m to 4 m + 3. Of two sets, channels of memory are units 0, 1, 8, 9, 2, 3, ...
 */
static int unit_of(const struct unit *u, int channel)
{
    int pair = channel / 2;
    return u->sets == 1 ? channel : 8 * (pair % 2) + pair / 2 * 2 + channel % 2;
}

static void product_code(struct str *code, const struct unit *u)
{
    int phases = u->x == FLOAT ? 8 : 4;
    for (int position = 0; position < POSITIONS + 2; ++position)
        for (int phase = 0; phase < phases; ++phase) {
            bool moves = phases == 4 || u->sets == 2 || phase % 2 == 0;
            add_load(code, 0, u->x != FLOAT, 0, position >= 1 && position <= POSITIONS);
            add_load(code, 2, u->in == FLOAT || u->sets == 2, 1, moves && position < POSITIONS);
            add_unit(code, u, phase);
            if (moves && position >= 2)
                add_store(code, u);
        }
}

static void a_product(void **state)
{
    const struct unit *u = *state;
    enum { MOST_INPUTS = 32, MOST_CHANNELS = 16, WEIGHT_BYTES = 32 };
    const int inputs = WEIGHT_BYTES / (int)bytes_of[u->x], channels = 8 * u->sets;
    int w[MOST_CHANNELS][MOST_INPUTS], x[POSITIONS][MOST_INPUTS], p[POSITIONS][MOST_CHANNELS];
    struct str code = { 0 };
    struct snippet s;
    product_code(&code, u);
    make(&s, u, code.text);
    for (int c = 0; c < channels; ++c)
        for (int i = 0; i < inputs; ++i)
            put(s.tile, u->x, WEIGHTS + WEIGHT_BYTES * (uint32_t)unit_of(u, c), i, w[c][i] = roll_for(u));
    for (int n = 0; n < POSITIONS; ++n) {
        for (int i = 0; i < inputs; ++i)
            put(s.tile, u->x, INPUTS, inputs * n + i, x[n][i] = roll_for(u));
        for (int c = 0; c < channels; ++c)
            put(s.tile, u->in, PARTIALS, channels * n + c, p[n][c] = roll());
    }
    run(&s);
    for (int n = 0; n < POSITIONS; ++n)
        for (int c = 0; c < channels; ++c) {
            double sum = p[n][c];
            for (int i = 0; i < inputs; ++i)
                sum += (double)x[n][i] * w[c][i];
            assert_true(get(s.tile, u->out, OUTPUTS, channels * n + c) == sum);
        }
    snippet_free(&s);
    str_free(&code);
}

/* ---- SLIC: a kernel of 3 or 4 positions over groups of channels ---- */

enum { LENGTH = 9, WORD = 1, HIGH = 2, OF_4 = 16 };

static bool is_pair(const struct unit *u)
{
    return u->in == FLOAT || u->sets == 2;
}

/* One instruction of a position: the second channel of a word of floats has one of its own. */
static void add_slim_step(struct str *code, const struct unit *u, int step, int taps, int flags)
{
    bool moves = !(flags & HIGH) || u->sets == 2;
    add_load(code, 0, u->x != FLOAT, 0, step < LENGTH);
    add_load(code, 2, is_pair(u), 1, moves && step <= LENGTH - taps);
    add_unit(code, u, flags);
    if (moves && step >= taps)
        add_store(code, u);
}

/* out[k] = p[k] + sum over j of x[k + j] . W(unit 2 (taps - 1 - j) + q), with units 8 and later for the second set and
 * word `word` of each unit. */
static void check_slim_convolution(const struct unit *u, int taps, int word)
{
    enum { MOST_CHANNELS = 8, WORD_BYTES = 8 };
    const int channels = WORD_BYTES / (int)bytes_of[u->x], results = 2 * u->sets, count = LENGTH - taps + 1;
    const int flags = word | (taps == 4 ? OF_4 : 0);
    int w[16][MOST_CHANNELS], x[LENGTH][MOST_CHANNELS], p[LENGTH][4];
    struct str code = { 0 };
    struct snippet s;
    for (int step = 0; step < LENGTH + 1; ++step) {
        add_slim_step(&code, u, step, taps, flags);
        if (u->x == FLOAT)
            add_slim_step(&code, u, step, taps, flags | HIGH);
    }
    make(&s, u, code.text);
    for (int unit = 0; unit < 16; ++unit)
        for (int i = 0; i < 4 * channels; ++i) {
            int value = roll_for(u);
            put(s.tile, u->x, WEIGHTS + 4 * WORD_BYTES * (uint32_t)unit, i, value);
            if (i / channels == word)
                w[unit][i % channels] = value;
        }
    for (int k = 0; k < LENGTH; ++k)
        for (int i = 0; i < channels; ++i)
            put(s.tile, u->x, INPUTS, channels * k + i, x[k][i] = roll_for(u));
    for (int k = 0; k < count; ++k)
        for (int q = 0; q < results; ++q)
            put(s.tile, u->in, PARTIALS, results * k + q, p[k][q] = roll());
    run(&s);
    for (int k = 0; k < count; ++k)
        for (int q = 0; q < results; ++q) {
            double sum = p[k][q];
            for (int j = 0; j < taps; ++j)
                for (int i = 0; i < channels; ++i)
                    sum += (double)x[k + j][i] * w[q / 2 * 8 + 2 * (taps - 1 - j) + q % 2][i];
            if (get(s.tile, u->out, OUTPUTS, results * k + q) != sum)
                fail_msg("1x%d, word %d: output %d of position %d is %g, not %g", taps, word, q, k,
                         get(s.tile, u->out, OUTPUTS, results * k + q), sum);
        }
    snippet_free(&s);
    str_free(&code);
}

static void a_slim_convolution(void **state)
{
    for (int word = 0; word <= WORD; ++word) {
        check_slim_convolution(*state, 3, word);
        check_slim_convolution(*state, 4, word);
    }
}

int main(void)
{
    static struct unit products[] = {
        { "f16v4sisoamp", HALF, FLOAT, FLOAT, 1 },  { "f16v4hihoamp", HALF, HALF, HALF, 1 },
        { "f16v4sihoamp", HALF, FLOAT, HALF, 1 },   { "f16v4hihov4amp", HALF, HALF, HALF, 2 },
        { "f32sisoamp", FLOAT, FLOAT, FLOAT, 1 },   { "f32sisov2amp", FLOAT, FLOAT, FLOAT, 2 },
        { "f8v8hihov4amp", QUARTER, HALF, HALF, 2 }
    };
    static struct unit slims[] = {
        { "f16v4sisoslic", HALF, FLOAT, FLOAT, 1 },  { "f16v4hihoslic", HALF, HALF, HALF, 1 },
        { "f16v4sihoslic", HALF, FLOAT, HALF, 1 },   { "f16v4hihov4slic", HALF, HALF, HALF, 2 },
        { "f32sisoslic", FLOAT, FLOAT, FLOAT, 1 },   { "f32sisov2slic", FLOAT, FLOAT, FLOAT, 2 },
        { "f8v8hihov4slic", QUARTER, HALF, HALF, 2 }
    };
    enum { PRODUCTS = sizeof(products) / sizeof(products[0]), SLIMS = sizeof(slims) / sizeof(slims[0]) };
    struct CMUnitTest tests[PRODUCTS + SLIMS];
    for (size_t i = 0; i < PRODUCTS; ++i)
        tests[i] = (struct CMUnitTest){ products[i].name, a_product, NULL, NULL, products + i };
    for (size_t i = 0; i < SLIMS; ++i)
        tests[PRODUCTS + i] = (struct CMUnitTest){ slims[i].name, a_slim_convolution, NULL, NULL, slims + i };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
