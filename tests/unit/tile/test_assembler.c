/* SPDX-License-Identifier: Apache-2.0 */
/* The assembler's language, and its errors; what an exception says. */
#include "run.h"

/* Text, and the words that it gives. */
static const struct {
    const char *text;
    uint32_t words[6];
    size_t count;
} texts[] = {
    { ".macro two a, b=2\nadd $m0, $m0, \\a\nadd $m0, $m0, \\b\n.endm\ntwo 1\ntwo b=4 a=3",
      { 0x22000001, 0x22000002, 0x22000003, 0x22000004 },
      4 },
    { ".macro op name rest:vararg\n\\name\\()s $m1, \\rest\n.endm\nop add $m2, 7", { 0x22210007 }, 1 },
    { ".macro l\nl\\@: bri l\\@\n.endm\nl\nl", { 0x40800000, 0x40800000 }, 2 },
    { ".set i, 0\n.rept 3\nadd $m0, $m0, i\n.set i, i + 1\n.endr", { 0x22000000, 0x22000001, 0x22000002 }, 3 },
    { ".irp r, 1, 2\nmov $m0, $m\\r\n.endr", { 0x4410f301, 0x4420f301 }, 2 },
    { ".if 2 > 1 && !(3 == 4)\nnop\n.else\nfnop\n.endif\n.ifdef nowhere\nfnop\n.elseif 1\nnop\n.endif",
      { 0x19e00000, 0x19e00000 },
      2 },
    { ".ifc \"a\", \"a\"\nnop\n.endif\n.ifnc a, b\nnop\n.endif", { 0x19e00000, 0x19e00000 }, 2 },
    { "setzi $m0, (1 << 4 | 3) * 2 - 0b101 % 3 # comment\nsetzi $m1, 'A'; nop // more\nsetzi $m2, ~0 & 0xff",
      { 0x19000024, 0x19100041, 0x19e00000, 0x192000ff },
      4 },
    { "or $a0, $azero, 0x3f800000\nsetzi $a1, 1.5h\nsetzi $a2, -1.0h",
      { 0x5200d3f8 | 0xf << 20, 0x1a103e00, 0x1a20bc00 },
      3 },
    { "ldconst $m1, 0x12345678\nldconst $m2, 5", { 0x19145678, 0x4211c123, 0x19200005 }, 3 },
    { "1: nop\nrpt 3, (2f - 1b) / 8 - 1 + 0\n2:", { 0x19e00000, 0x40000300 }, 2 },
    { ".allow_optimizations\n.align 8\nnop\n{ rpt 3, 0; fnop }\n{ f32add $a0, $a1, $a2; ld32 $m0, $m1, $mzero, 0 }",
      { 0x19e00000, 0x40000300, 0x8110f000, 0xd8102000 },
      4 },
    { "{ nop\n  fnop\n}", { 0x99e00000, 0x9ad00000 }, 2 },
    { "add $m0, $m1, 40000\naddz $m0, $m1, 5\nsub $m0, $m1, 3", { 0x20109c40, 0x20100005, 0x2210fffd }, 3 },
};

static void the_language_is_understood(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); ++i) {
        struct str text = { 0 }, messages = { 0 };
        str_format(&text, ".allow_invalid_repeat\n%s\n", texts[i].text);
        struct tile_object *object = tile_assemble("t.S", text.text, TILE_IPU2, &messages);
        if (!object)
            fail_msg("%s: %s", texts[i].text, str_text(&messages));
        for (size_t k = 0; k < texts[i].count; ++k) {
            uint32_t word;
            assert_true(object->sections.data[0].bytes.count >= 4 * k + 4);
            memcpy(&word, object->sections.data[0].bytes.data + 4 * k, 4);
            bool branch = (word & 0xff800000) == 0x40800000;
            if (!branch && word != texts[i].words[k])
                fail_msg("%s: word %zu is %08x, not %08x", texts[i].text, k, word, texts[i].words[k]);
        }
        assert_int_equal(object->sections.data[0].bytes.count, 4 * texts[i].count);
        tile_object_free(object);
        str_free(&text);
        str_free(&messages);
    }
}

static const struct {
    const char *text, *error;
} errors[] = {
    { "nop\n  ad $m0, $m1, $m2", "t.S:2:3: error: there is no instruction 'ad' (did you mean 'add'?)" },
    { "add $m0, $m1, 70000", "t.S:1:15: error: add: 70000 is not from" },
    { "and $m0, $m1, 4096", "and: 4096 is not from 0 to 4095" },
    { "or $m0, $m1, 0x180000", "is not" },
    { "ld64 $a1:2, $m0, $mzero, 0", "t.S:1:6: error: $a1:2 is no register: pairs begin at a multiple of 2" },
    { "add $m0, $a1, $m2", "these are not the operands of add; it is: add $m, $m, 0..65535" },
    { "add $m0, $m99, 1", "'$m99' is no register and no control register" },
    { "{ f32add $a0, $a1, $a2\n add $m0, $m1, $m2 }", "f32add and add cannot share a bundle" },
    { "{ ld32 $a0, $m0, $mzero, 0 ; f32add $a0, $a1, $a2 }",
      "ld32 and f32add cannot share a bundle: both write $a0\n" },
    { "{ ld64 $a2:3, $m0, $mzero, 0 ; f32add $a3, $a1, $a2 }", "both write $a3\n" },
    { "{ exitz $m0 ; fnop }", "exitz is always alone" },
    { "{ nop }", "a bundle has two instructions; this one has 1" },
    { "{ nop; fnop; fnop }", "this is the third" },
    { "{ nop\nnop", "t.S:1:1: error: the bundle that begins here does not end" },
    { "f16v4hihov4amp $a0:1, $a2:3, $a4:5, 0", NULL },
    { "f8v4class $a0, $a1", "ipu2 has no f8v4class with these operands" },
    { ".supervisor\nf32add $a0, $a1, $a2", "f32add is for workers, and this is supervisor code" },
    { "runall $m0, $m1, 0", "runall is for supervisors" },
    { "get $m0, $SSR", "a worker has no control register 'SSR'" },
    { ".align 8\nnop\nrpt 3, 0\nnop", "t.S:4:1: error: the body of rpt at line 3 consists of bundles alone" },
    { ".align 8\nrpt 3, 0\n{ nop; fnop }", "the body of rpt must begin at a multiple of 8 bytes" },
    { ".align 8\nnop\nrpt 3, 0\n{ br $m0; fnop }", "br cannot stand in the body of rpt at line 3" },
    { "bri 3f", "t.S:1:5: error: there is no label '3:' behind its use" },
    { "{ brz $m6, 9f\nfnop }\nnop\n8: nop", "t.S:1:12: error: there is no label '9:' behind its use" },
    { "nop\n  brz $m0, 8b\n8: nop", "t.S:2:12: error: there is no label '8:' before its use\n" },
    { "nop\n  brz $m0, .Ltail\nnop", "t.S:2:12: error: there is no label '.Ltail', and labels that begin with .L" },
    { ".data\n.int .La - .Lb\n.La:", "t.S:2:12: error: there is no label '.Lb'" },
    { "bri 100f", "t.S:1:5: error: local labels are 0: to 99: at '100f'" },
    { "a: nop\na: nop", "t.S:2:1: error: label 'a' is defined twice" },
    { ".macro m a:req\n.endm\nm", "macro 'm' needs its argument 'a'" },
    { ".macro m\nm\n.endm\nm", "deep" },
    { ".if 1", "there is .if without .endif" },
    { ".error \"not for this\"", "t.S:1:1: error: not for this" },
    { ".sectoin .text", "there is no directive '.sectoin'" },
    { "ld2x64pace $a0:1, $a0:1, $m0:1+=, $mzero, 0", "ld2x64pace writes $a0 twice" },
    { ".section .data\nnop", "which is not code" },
    { "setzi $m0, (1", "')' is missing" },
};

static void errors_say_what_and_where(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); ++i) {
        struct str messages = { 0 };
        struct tile_object *object = tile_assemble("t.S", errors[i].text, TILE_IPU2, &messages);
        if (!errors[i].error != (object != NULL) || (errors[i].error && !strstr(str_text(&messages), errors[i].error)))
            fail_msg("'%s' gives: %s", errors[i].text, str_text(&messages));
        tile_object_free(object);
        str_free(&messages);
    }
}

static const struct {
    const char *code, *text;
    enum tile_exception exception;
} faults[] = {
    { "ld32 $m0, $mzero, $mzero, 0", "loads 4 bytes at 0x0, which is outside of the tile's memory", TILE_INVALID_ADDR },
    { "setzi $m0, 0x80004\nld64 $a0:1, $m0, $mzero, 0", "not aligned", TILE_INVALID_ADDR },
    { "setzi $m0, 0xe8000\nld64step $azeros, $mzero, $m0+=, 1", "outside", TILE_INVALID_ADDR },
    { "setzi $m0, 0x50000\nld128 $a0:3, $m0, $mzero, 0", "not interleaved memory", TILE_INVALID_ADDR },
    { "setzi $m0, 0x50000\nsetzi $m1, 0x50100\ntapack $m2:3, $m0, $m1, $mzero\nld2x64pace $a0:1, $a2:3, $m2:3+=, "
      "$mzero, 0",
      "in one memory element", TILE_CONFLICT },
    { "setzi $m0, 0x80000\nsetzi $m1, 0x80008\ntapack $m2:3, $m0, $m1, $mzero\nld2x64pace $a0:1, $a2:3, $m2:3+=, "
      "$mzero, 0",
      NULL, TILE_NONE },
    { "br $mzero", "where there is no code", TILE_INVALID_PC },
    { ".int 0x7fffffff", "no valid instruction", TILE_INVALID_INSTR },
    { "trap 1", "trap 1", TILE_PBRK1 },
    { "1: bri 1b", "more than", TILE_LIMIT },
    { "setzi $a0, 1\nuput $FP_CTL, $a0\nor $a1, $azero, 0xbf800000\nf32sqrt $a2, $a1", "invalid operation", TILE_FP },
};

static void exceptions_are_described(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); ++i) {
        struct snippet s;
        snippet_make(&s, TILE_IPU2, faults[i].code);
        tile_limit(s.tile, 1000);
        bool good = snippet_run(&s);
        print_message("%s: %s\n", faults[i].code, s.result.fault.text);
        assert_int_equal(good, faults[i].exception == TILE_NONE);
        assert_int_equal(s.result.fault.code, faults[i].exception);
        if (faults[i].text)
            assert_non_null(strstr(s.result.fault.text, faults[i].text));
        snippet_free(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(the_language_is_understood),
                                        cmocka_unit_test(errors_say_what_and_where),
                                        cmocka_unit_test(exceptions_are_described) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
