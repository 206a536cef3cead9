/* SPDX-License-Identifier: Apache-2.0 */
/* Words of instructions: published samples; and every form, with random operands, encoded, decoded, printed and
 * assembled. */
#include "run.h"

#include "tile/tile.h"

struct sample {
    const char *text;
    uint32_t word;
};
static const struct sample samples[] = {
    { "add $m0, $m0, 42", 0x2200002a },
    { "add $m3, $m4, -2", 0x2243fffe },
    { "setzi $m0, 0x40388", 0x19040388 },
    { "call $m10, 0x402dc", 0x18a100b7 },
    { "ld32 $m2, $m13, $m15, 1", 0x01d2f001 },
    { "st32 $m1, $m15, $m0, 0", 0x4ff10000 },
    { "get $m0, $WSR", 0x41000001 },
    { "and $m0, $m0, 7", 0x42008007 },
    { "exitz $m15", 0x43f04000 },
    { "bri 0x4c010", 0x40813004 },
    { "brnzdec $m2, 0x4c010", 0x13293004 },
    { "rpt $m0, 1", 0x4300a001 },
    { "ld64step $a0:1, $m15, $m3+=, 6", 0x1ef03206 },
    { "st64step $a2:3, $m15, $m4+=, 6", 0x5cf64120 },
    { "f32v2add $a2:3, $a0:1, $a4:5", 0x58004023 },
    { "f32v2mul $a0:1, $a4:B, $a0:1", 0x58480303 },
    { "uput $FP_CLR, $a0", 0x51008001 },
    { "put $FP_CLR, $a0", 0x51008001 },
    { "nop", 0x19e00000 },
    { "fnop", 0x1ad00000 },
    { "trap 0", 0x41801000 },
};

static struct tile_object *assemble(const char *mode, const char *code)
{
    struct str text = { 0 }, messages = { 0 };
    str_format(&text,
               ".allow_invalid_repeat\n.allow_invalid_operands\n.allow_invalid_execution_mode\n.align 8\n.%s\n%s\n",
               mode, code);
    struct tile_object *object = tile_assemble("words.S", text.text, TILE_IPU21, &messages);
    if (!object)
        fail_msg("%s: %s", code, str_text(&messages));
    str_free(&text);
    str_free(&messages);
    return object;
}

static uint32_t word_of(const struct tile_object *object, size_t index)
{
    uint32_t word;
    assert_true(object->sections.data[0].bytes.count >= 4 * index + 4);
    memcpy(&word, object->sections.data[0].bytes.data + 4 * index, 4);
    return word;
}

static void samples_have_their_words(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); ++i) {
        struct tile_object *object = assemble("worker", samples[i].text);
        if (word_of(object, 0) != samples[i].word)
            fail_msg("%s is %08x, not %08x", samples[i].text, word_of(object, 0), samples[i].word);
        tile_object_free(object);
    }
    struct tile_object *object = assemble("supervisor", "runall $m0, $m15, 0");
    assert_int_equal(word_of(object, 0), 0x1500f000);
    tile_object_free(object);
    object = assemble("worker", "{ ld64step $a0:1,$m15,$m3+=,6 ; f32v2add $a2:3,$a0:1,$a4:5 }");
    assert_int_equal(word_of(object, 0), 0x9ef03206);
    assert_int_equal(word_of(object, 1), 0xd8004023);
    tile_object_free(object);
}

static uint32_t roll(uint64_t *state, uint32_t sides)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33) % sides;
}

static int64_t random_value(uint64_t *dice, const struct tile_operand *operand)
{
    const struct immediate_range range = tile_immediate_range((enum tile_kind)operand->kind);
    int64_t steps = (range.high - range.low) / range.multiple + 1;
    return range.low + (int64_t)roll(dice, (uint32_t)(steps > INT32_MAX ? INT32_MAX : steps)) * range.multiple;
}

static struct tile_instruction random_instruction(uint64_t *dice, const struct tile_form *form)
{
    struct tile_instruction made = { .form = form };
    for (unsigned i = 0; i < form->operands; ++i) {
        const struct tile_operand *operand = form->operand + i;
        unsigned registers = tile_operand_registers(operand);
        if (operand->spread && roll(dice, 2)) {
            made.spread = operand->spread & TILE_ALLOWS_HIGH && (roll(dice, 2) || !(operand->spread & TILE_ALLOWS_LOW))
                              ? TILE_SPREAD_HIGH
                              : TILE_SPREAD_LOW;
            registers = 1;
        }
        made.value[i] = registers ? (int64_t)(roll(dice, 16 / registers) * registers) : random_value(dice, operand);
    }
    return made;
}

static bool same(const struct tile_instruction *x, const struct tile_instruction *y)
{
    bool equal = strcmp(x->form->name, y->form->name) == 0 && x->form->lane == y->form->lane &&
                 x->spread == y->spread && x->form->operands == y->form->operands;
    for (unsigned i = 0; equal && i < x->form->operands; ++i)
        equal = x->value[i] == y->value[i];
    return equal;
}

static void every_form_survives_words_and_text(void **state)
{
    (void)state;
    uint64_t dice = 7;
    for (size_t f = 0; f < tile_form_count; ++f)
        for (int round = 0; round < 8; ++round) {
            struct tile_instruction made = random_instruction(&dice, tile_forms + f), decoded;
            bool supervisor = tile_forms[f].flags & TILE_SUPERVISOR;
            uint32_t word = tile_encode(&made);
            struct str text = { 0 };
            if (!tile_decode(word, &decoded) || !same(&made, &decoded))
                fail_msg("%08x of %s is decoded as something else", word, tile_forms[f].name);
            assert_int_equal(tile_encode(&decoded), word);
            tile_print(&text, &made, supervisor);
            struct tile_object *object = assemble(supervisor ? "supervisor" : "worker", text.text);
            if (word_of(object, 0) != word)
                fail_msg("'%s' is %08x, and assembled %08x", text.text, word, word_of(object, 0));
            tile_object_free(object);
            str_free(&text);
        }
}

static void no_word_has_two_meanings(void **state)
{
    (void)state;
    for (size_t f = 0; f < tile_form_count; ++f)
        for (size_t g = 0; g < f; ++g) {
            const struct tile_form *x = tile_forms + f, *y = tile_forms + g;
            if (((x->word ^ y->word) & x->mask & y->mask) == 0)
                fail_msg("%s %08x and %s %08x", x->name, x->word, y->name, y->word);
            assert_true((x->word & ~x->mask) == 0);
        }
}

static void a_listing_gives_the_same_words(void **state)
{
    (void)state;
    static const char code[] =
        ".globl f\nf: bri 2f\n1: ldconst $m1, 0x12345678\n{ ld32 $a0, $m1, 3; f32add $a1, $a0, $a0 }\n"
        "brnzdec $m3, 1b\n2: setzi $m2, table + 4\nexitz $m2\n"
        ".section .rodata\n.align 8\ntable: .int 7, f + 8, -1\n.half 1.5h\n";
    struct tile_object *first = assemble("worker", code);
    struct str text = { 0 }, messages = { 0 };
    tile_object_list(first, &text);
    struct tile_object *second = tile_assemble("listing.S", text.text, TILE_IPU21, &messages);
    if (!second)
        fail_msg("%s\n%s", str_text(&messages), text.text);
    for (size_t i = 0; i < first->sections.data[0].bytes.count / 4; ++i)
        assert_int_equal(word_of(first, i), word_of(second, i));
    assert_int_equal(first->sections.data[1].bytes.count, second->sections.data[1].bytes.count);
    assert_int_equal(first->fixups.count, second->fixups.count);
    tile_object_free(first);
    tile_object_free(second);
    str_free(&text);
    str_free(&messages);
}

/* Programs of random words end: by an exception, an exit or the limit. */
static void random_programs_end(void **state)
{
    (void)state;
    enum { PROGRAMS = 300, WORDS = 64 };
    uint64_t dice = 99;
    for (int p = 0; p < PROGRAMS; ++p) {
        struct str text = { 0 };
        struct snippet s;
        str_add(&text, ".int 0x19100003\n"); /* setzi */
        for (int i = 0; i < WORDS; ++i) {
            struct tile_instruction made =
                random_instruction(&dice, tile_forms + roll(&dice, (uint32_t)tile_form_count));
            bool pair = made.form->lane == TILE_MAIN && roll(&dice, 2);
            for (unsigned k = 0; k < made.form->operands; ++k)
                if (made.form->operand[k].kind == TILE_TARGET19 || made.form->operand[k].kind == TILE_TARGET20)
                    made.value[k] = tile_maps[TILE_IPU21].base + 4 * roll(&dice, WORDS);
            str_format(&text, ".int 0x%x\n", tile_encode(&made) | (pair ? TILE_BUNDLED : 0));
            do
                made = random_instruction(&dice, tile_forms + roll(&dice, (uint32_t)tile_form_count));
            while (made.form->lane != TILE_AUX);
            if (pair)
                str_format(&text, ".int 0x%x\n", tile_encode(&made) | TILE_BUNDLED);
        }
        snippet_make(&s, TILE_IPU21, text.text);
        tile_limit(s.tile, 10000);
        for (unsigned r = 0; r < 12; ++r)
            tile_set_register(s.tile, 0, r, roll(&dice, 2) ? 0x80000 + 8 * roll(&dice, 50000) : roll(&dice, 100));
        if (!snippet_run(&s))
            assert_true(s.result.fault.text[0]);
        tile_run_supervisor(s.tile, tile_program_symbol(s.program, "start"), 0, 0x4e000, &s.result);
        snippet_free(&s);
        str_free(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(samples_have_their_words),
                                        cmocka_unit_test(every_form_survives_words_and_text),
                                        cmocka_unit_test(no_word_has_two_meanings),
                                        cmocka_unit_test(a_listing_gives_the_same_words),
                                        cmocka_unit_test(random_programs_end) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
