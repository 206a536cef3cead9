/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions by the vectors of the reference and of its definitions, a test each; and a check that each instruction
 * is in a vector, or in the list of those that other tests execute. */
#include "run.h"

#include <math.h>

struct vector {
    enum tile_arch arch;
    const char *before, *code, *after;
    unsigned slots;
};
static struct vector vectors[] = {
#define VECTOR(arch, before, code, after, slots) { TILE_##arch, before, code, after, slots },
#include "vectors.def"
#undef VECTOR
};
enum { VECTORS = sizeof(vectors) / sizeof(vectors[0]) };

static void a_vector_gives_its_result(void **state)
{
    const struct vector *v = *state;
    struct snippet s;
    snippet_make(&s, v->arch, v->code);
    each_setting(s.tile, v->before, false);
    if (!snippet_run(&s))
        fail_msg("%s", s.result.fault.text);
    each_setting(s.tile, v->after, true);
    assert_int_equal(s.result.slots, v->slots + 1);
    snippet_free(&s);
}

/* ---- what vectors cannot say ---- */

/* How a worker ends is its result. */
static void exits_have_results(void **state)
{
    (void)state;
    static const struct {
        const char *code;
        uint32_t value;
        bool agreed;
    } rows[] = { { "exitz $m0", 0, true },
                 { "exitz $m0", 1, false },
                 { "exitnz $m0", 0, false },
                 { "exitnz $m0", 2, true },
                 { "exitneg $m0", 5, false },
                 { "exitneg $m0", 0x80000000, true },
                 { "exitpos $m0", 0x80000000, false },
                 { "exitpos $m0", 0, true } };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        struct snippet s;
        snippet_make(&s, TILE_IPU2, rows[i].code);
        tile_set_register(s.tile, 0, 0, rows[i].value);
        assert_true(snippet_run(&s));
        assert_int_equal(s.result.agreed, rows[i].agreed);
        snippet_free(&s);
    }
}

static void a_trap_ends_the_run(void **state)
{
    (void)state;
    struct snippet s;
    snippet_make(&s, TILE_IPU2, "trap 1");
    assert_false(snippet_run(&s));
    assert_int_equal(s.result.fault.code, TILE_PBRK1);
    snippet_free(&s);
}

/* The supervisor's own: what it starts, waits for and sets. */
static void a_supervisor_controls_its_workers(void **state)
{
    (void)state;
    struct snippet s;
    snippet_make(&s, TILE_IPU2,
                 "get $m1, $WSR\nand $m1, $m1, 7\nadd $m2, $m13, $m1\nexitz $mzero\n"
                 ".globl boss\n.supervisor\nboss:\nsetzi $m2, start\nsetzi $m3, 0x80000\n"
                 "run $m2, $m3, 0\nsync 2\nrunall $m2, $m3, 2\nsync 2\nsetzi $m5, 7\nput $CCCSLOAD, $m3\n"
                 "get $m6, $CCCSLOAD\nbr $lr\n.worker");
    if (!tile_run_supervisor(s.tile, tile_program_symbol(s.program, "boss"), 0, 0, &s.result))
        fail_msg("%s", s.result.fault.text);
    assert_int_equal(tile_register(s.tile, TILE_WORKERS, 5), 7);
    assert_int_equal(tile_register(s.tile, TILE_WORKERS, 6), 0x80000);
    for (unsigned w = 0; w < TILE_WORKERS; ++w) /* bases of vertices are two words apart */
        assert_int_equal(tile_register(s.tile, w, 2), 0x80000 + 8 * w + w);
    snippet_free(&s);
}

/* What is for programs of the supervisor outside of vertices ends the run. */
static void exchange_is_refused(void **state)
{
    (void)state;
    static const char *const codes[] = { "sans 0", "sync 1" };
    for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); ++i) {
        char code[200];
        struct snippet s;
        snprintf(code, sizeof(code), "exitz $mzero\n.globl boss\n.supervisor\nboss:\n%s\nbr $lr\n.worker", codes[i]);
        snippet_make(&s, TILE_IPU2, code);
        assert_false(tile_run_supervisor(s.tile, tile_program_symbol(s.program, "boss"), 0, 0, &s.result));
        assert_int_equal(s.result.fault.code, TILE_INVALID_INSTR);
        snippet_free(&s);
    }
}

static uint64_t cycles_of(const char *code)
{
    char text[200];
    struct snippet s;
    snprintf(text, sizeof(text), "exitz $mzero\n.globl boss\n.supervisor\nboss:\n%s\nbr $lr\n.worker", code);
    snippet_make(&s, TILE_IPU2, text);
    assert_true(tile_run_supervisor(s.tile, tile_program_symbol(s.program, "boss"), 0, 0, &s.result));
    snippet_free(&s);
    return s.result.cycles;
}

static void a_delay_takes_its_cycles(void **state)
{
    (void)state;
    assert_int_equal(cycles_of("delay 50") - cycles_of("delay 5"), 45);
}

/* Samples with the mean 0 and the variance 1: the errors of both are below four deviations. */
static void samples_are_normal(void **state)
{
    (void)state;
    enum { SAMPLES = 4096, AT = 0x80000 };
    static const char *const draws[] = { "f32v2grand $a0:1", "f16v2grand $a2\nf16v2tof32 $a0:1, $a2" };
    for (size_t i = 0; i < 2; ++i) {
        char code[300];
        double sum = 0, squares = 0;
        struct snippet s;
        snprintf(code, sizeof(code),
                 "setzi $m0, 0x%x\nsetzi $m1, %d\n1: %s\nst64step $a0:1, $mzero, $m0+=, 1\nbrnzdec $m1, 1b", AT,
                 SAMPLES / 2 - 1, draws[i]);
        snippet_make(&s, TILE_IPU2, code);
        assert_true(snippet_run(&s));
        for (uint32_t k = 0; k < SAMPLES; ++k) {
            float x;
            memcpy(&x, tile_memory(s.tile, AT + 4 * k, 4), 4);
            sum += (double)x;
            squares += (double)x * (double)x;
        }
        assert_true(fabs(sum / SAMPLES) < 4 / sqrt(SAMPLES));
        assert_true(fabs(squares / SAMPLES - 1) < 4 * sqrt(2.0 / SAMPLES));
        snippet_free(&s);
    }
}

/* ---- each instruction ---- */

/* Instructions that the tests above and test_amp.c execute. */
static const char *const elsewhere[] = {
    "delay",         "exitneg",        "exitnz",
    "exitpos",       "f16v2grand",     "f16v4hihoamp",
    "f16v4hihoslic", "f16v4hihov4amp", "f16v4hihov4slic",
    "f16v4sihoamp",  "f16v4sihoslic",  "f16v4sisoamp",
    "f16v4sisoslic", "f32sisoamp",     "f32sisoslic",
    "f32sisov2amp",  "f32sisov2slic",  "f32v2grand",
    "f8v8hihov4amp", "f8v8hihov4slic", "get",
    "ld128putcs",    "ld64putcs",      "put",
    "run",           "runall",         "sans",
    "sync",          "trap",
};

static void note_executed(const struct vector *v, bool *executed)
{
    struct snippet s;
    snippet_make(&s, v->arch, v->code);
    for (uint32_t at = 0; at < s.program->code_bytes; at += 4) {
        struct tile_instruction i;
        uint32_t word;
        memcpy(&word, s.program->image + at, 4);
        if (tile_decode(word, &i))
            executed[i.form - tile_forms] = true;
    }
    snippet_free(&s);
}

static void each_instruction_has_a_test(void **state)
{
    (void)state;
    bool *executed = calloc(tile_form_count, sizeof(*executed));
    size_t vectored = 0, missing = 0, count;
    for (size_t i = 0; i < VECTORS; ++i)
        note_executed(vectors + i, executed);
    for (size_t m = 0; m < tile_mnemonic_count; ++m) {
        const struct tile_form *forms = tile_forms_named(tile_mnemonics[m].name, &count);
        bool found = false, other = false;
        for (size_t f = 0; f < count; ++f)
            found |= executed[forms - tile_forms + f];
        for (size_t i = 0; i < sizeof(elsewhere) / sizeof(elsewhere[0]); ++i)
            other |= strcmp(elsewhere[i], tile_mnemonics[m].name) == 0;
        vectored += found;
        missing += !found && !other;
        if (!found && !other)
            print_message("no test executes %s\n", tile_mnemonics[m].name);
        if (found && other)
            fail_msg("%s is in a vector: it needs no other test", tile_mnemonics[m].name);
    }
    print_message("%zu instructions in %d vectors, %zu in other tests, %zu in none\n", vectored, VECTORS,
                  tile_mnemonic_count - vectored - missing, missing);
    assert_int_equal(missing, 0);
    free(executed);
}

int main(void)
{
    const struct CMUnitTest others[] = { cmocka_unit_test(exits_have_results),
                                         cmocka_unit_test(a_trap_ends_the_run),
                                         cmocka_unit_test(a_supervisor_controls_its_workers),
                                         cmocka_unit_test(exchange_is_refused),
                                         cmocka_unit_test(a_delay_takes_its_cycles),
                                         cmocka_unit_test(samples_are_normal),
                                         cmocka_unit_test(each_instruction_has_a_test) };
    enum { OTHERS = sizeof(others) / sizeof(others[0]) };
    static struct CMUnitTest tests[VECTORS + OTHERS];
    for (size_t i = 0; i < VECTORS; ++i)
        tests[i] = (struct CMUnitTest){ vectors[i].code, a_vector_gives_its_result, NULL, NULL, &vectors[i] };
    memcpy(tests + VECTORS, others, sizeof(others));
    return cmocka_run_group_tests(tests, NULL, NULL);
}
