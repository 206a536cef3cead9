/* SPDX-License-Identifier: Apache-2.0 */
/* Builtins that C++ codelets call on the host, beside the instructions of a tile: each gives the same bits. */
#include "popc/module/codelet.h"
#include "popc/module/link.h"
#include "popc/module/module.h"
#include "popc/popc.h"

#include "base/mix.h"
#include "base/str.h"

#include "../tile/run.h"
#include "scratch.h"

#include <elf.h>
#include <poplar/type.h>

/* a, b: words.  f, g: floats, and v, w: pairs of them.  h: a half, p, q: two, s, t: four.  They are words 0 and 1, 0 to
 * 3, and 0 to 3 of what both sides are given: in $m0 to $m3 and $a0 to $a3 of the tile, whose result is in $m4 or $a4.
 */
static const struct row {
    const char *expression, *code;
    char of;    /* kind of the words: 'i', 'f', 'n' (floats that fit half), 'h', 'c' (floats or halves of
                   all classes), or 'r' for random numbers and a probability */
    char file;  /* the tile's registers: 'm' or 'a' */
    int halves; /* of the result */
} rows[] = {
#define PERMUTE(name)                                                                                                  \
    {                                                                                                                  \
        "__builtin_ipu_" #name "(a, b)", #name " $m4, $m0, $m1", 'i', 'm', 2                                           \
    }
    PERMUTE(roll8l),
    PERMUTE(roll8r),
    PERMUTE(shuf8x8lo),
    PERMUTE(shuf8x8hi),
    PERMUTE(sort8x8lo),
    PERMUTE(sort8x8hi),
    PERMUTE(roll16),
    PERMUTE(sort4x16lo),
    PERMUTE(sort4x16hi),
#define OF_ONE(name)                                                                                                   \
    {                                                                                                                  \
        "__builtin_ipu_" #name "(a)", #name " $m4, $m0", 'i', 'm', 2                                                   \
    }
    OF_ONE(swap8),
    OF_ONE(sort8),
    OF_ONE(swap16),
    OF_ONE(bitrev8),
    OF_ONE(clz),
    OF_ONE(cms),
    OF_ONE(popc),
    { "__builtin_ipu_roll32(v, w)", "roll32 $a4:5, $a0:1, $a2:3", 'i', 'a', 4 },
    { "__builtin_ipu_sort4x32lo(v, w)", "sort4x32lo $a4:5, $a0:1, $a2:3", 'i', 'a', 4 },
    { "__builtin_ipu_sort4x32hi(v, w)", "sort4x32hi $a4:5, $a0:1, $a2:3", 'i', 'a', 4 },
    { "__builtin_ipu_andc_f32(f, g)", "andc $a4, $a0, $a1", 'i', 'a', 2 },
#define COMPARE(name)                                                                                                  \
    { "__builtin_ipu_" #name "(f, g)", "f32" #name " $a4, $a0, $a1", 'f', 'a', 2 },                                    \
        { "__builtin_ipu_" #name "(v, w)", "f32v2" #name " $a4:5, $a0:1, $a2:3", 'f', 'a', 4 },                        \
        { "__builtin_ipu_" #name "(p, q)", "f16v2" #name " $a4, $a0, $a1", 'h', 'a', 2 },                              \
    {                                                                                                                  \
        "__builtin_ipu_" #name "(s, t)", "f16v4" #name " $a4:5, $a0:1, $a2:3", 'h', 'a', 4                             \
    }
    COMPARE(cmpeq),
    COMPARE(cmpne),
    COMPARE(cmplt),
    COMPARE(cmple),
    COMPARE(cmpgt),
    COMPARE(cmpge),
    { "__builtin_ipu_absadd(v, w)", "f32v2absadd $a4:5, $a0:1, $a2:3", 'f', 'a', 4 },
    { "__builtin_ipu_absmax(f, g)", "f32absmax $a4, $a0, $a1", 'f', 'a', 2 },
    { "__builtin_ipu_f16tof32(h)", "f16tof32 $a4, $a0", 'h', 'a', 2 },
    { "__builtin_ipu_f16v2tof32(p)", "f16v2tof32 $a4:5, $a0", 'h', 'a', 4 },
    { "__builtin_ipu_f32tof16(f)", "f32tof16 $a4, $a0", 'n', 'a', 1 },
    { "__builtin_ipu_f32v2tof16(v)", "f32v2tof16 $a4, $a0:1", 'n', 'a', 2 },
    { "__builtin_ipu_f32v4tof16(x)", "f32v4tof16 $a4:5, $a0:3", 'n', 'a', 4 },
    { "__builtin_ipu_f32fromi32(int(a))", "f32fromi32 $a4, $a0", 'i', 'a', 2 },
    { "__builtin_ipu_f32fromui32(a)", "f32fromui32 $a4, $a0", 'i', 'a', 2 },
    { "__builtin_ipu_f32toi32(f)", "f32toi32 $a4, $a0", 'f', 'a', 2 },
    { "__builtin_ipu_f32toui32(f)", "f32toui32 $a4, $a0", 'f', 'a', 2 },
    { "__builtin_ipu_f32sufromui(a)", "f32sufromui $a4, $a0", 'i', 'a', 2 },
    { "__builtin_ipu_f16v2sufromui(a)", "f16v2sufromui $a4, $a0", 'i', 'a', 2 },
    { "__builtin_ipu_f16v2sum(p)", "f16v2sum $a4, $a0", 'h', 'a', 2 },
    { "__builtin_ipu_f16v4sum(s)", "f16v4sum $a4:5, $a0:1", 'h', 'a', 4 },
    { "__builtin_ipu_f32clamp(f, w)", "f32clamp $a4, $a0, $a2:3", 'f', 'a', 2 },
    { "__builtin_ipu_f32v2clamp(v, w)", "f32v2clamp $a4:5, $a0:1, $a2:3", 'f', 'a', 4 },
    { "__builtin_ipu_f16v2clamp(p, q)", "f16v2clamp $a4, $a0, $a1", 'h', 'a', 2 },
    { "__builtin_ipu_f16v4clamp(s, at<half2>(i + 2))", "f16v4clamp $a4:5, $a0:1, $a2", 'h', 'a', 4 },
    { "__builtin_ipu_f16v2maxc(p)", "f16v2maxc $a4, $a0", 'i', 'a', 2 },
    { "__builtin_ipu_f16v4maxc(s)", "f16v4maxc $a4, $a0:1", 'i', 'a', 2 },
    { "__builtin_ipu_f32class(f)", "f32class $a4, $a0", 'c', 'a', 2 },
    { "__builtin_ipu_f32v2class(v)", "f32v2class $a4, $a0:1", 'c', 'a', 2 },
    { "__builtin_ipu_f16v2class(p)", "f16v2class $a4, $a0", 'c', 'a', 2 },
    { "__builtin_ipu_f16v4class(s)", "f16v4class $a4, $a0:1", 'c', 'a', 2 },
#define INTEGRAL(mode)                                                                                                 \
    {                                                                                                                  \
        "__builtin_ipu_f32int(f / 1024, " #mode ")",                                                                   \
            "setzi $a1, 0\nor $a1, $a1, 0x3a800000\nf32mul $a0, $a0, $a1\nf32int $a4, $a0, " #mode, 'f', 'a', 2        \
    }
    INTEGRAL(0),
    INTEGRAL(1),
    INTEGRAL(2),
    INTEGRAL(3),
    INTEGRAL(4),
    { "__builtin_ipu_urand32()", "urand32 $a4", 'r', 'a', 2 },
    { "(__builtin_ipu_urand32(), __builtin_ipu_urand64())", "urand32 $a6\nurand64 $a4:5", 'r', 'a', 4 },
    { "__builtin_ipu_urand_f32()", "urand32 $a6\nf32sufromui $a4, $a6", 'r', 'a', 2 },
    { "__builtin_ipu_f32v2grand()", "f32v2grand $a4:5", 'r', 'a', 4 },
    { "__builtin_ipu_f16v2grand()", "f16v2grand $a4", 'r', 'a', 2 },
    { "__builtin_ipu_f32v2rmask(v, b2)", "f32v2rmask $a4:5, $a0:1, $a2", 'r', 'a', 4 },
    { "__builtin_ipu_f16v4rmask(s, b2)", "f16v4rmask $a4:5, $a0:1, $a2", 'r', 'a', 4 },
};
enum { ROWS = sizeof(rows) / sizeof(rows[0]), TIMES = 60 };

static struct module *module;

/* A vertex for each row, without any #include of the builtins. */
static int setup(void **state)
{
    (void)state;
    struct str text = { 0 };
    pop_error error;
    if (scratch_make())
        return 1;
    str_add(&text, "#include <poplar/Vertex.hpp>\n#include <ipudef.h>\n#include <cstring>\n"
                   "template <class T> static T at(const unsigned *words) { T x; memcpy((void *)&x, words, sizeof(x)); "
                   "return x; }\n");
    for (int i = 0; i < ROWS; ++i)
        str_format(
            &text,
            "class Row%d : public poplar::Vertex {\npublic:\n    poplar::Input<poplar::Vector<unsigned, "
            "poplar::VectorLayout::ONE_PTR>> in;\n    poplar::Output<poplar::Vector<unsigned, "
            "poplar::VectorLayout::ONE_PTR>> out;\n    void compute()\n    {\n        const unsigned *i = "
            "&in[0], a = i[0], b = i[1], b2 = i[2];\n"
            "        const float f = at<float>(i), g = at<float>(i + 1);\n        const float2 v = at<float2>(i), w "
            "= at<float2>(i + 2);\n        const float4 x = at<float4>(i);\n        const half h = at<half>(i);\n"
            "        const half2 p = at<half2>(i), q = at<half2>(i + 1);\n        const half4 s = at<half4>(i), t = "
            "at<half4>(i + 2);\n        auto result = %s;\n        memcpy((void *)&out[0], &result, sizeof(result));\n"
            "    }\n};\n",
            i, rows[i].expression);
    pop_status status = popc_compile("builtins.cpp", text.text, "-w", &module, &error);
    if (status == POP_OK)
        status = module_link(module, NULL, &error);
    if (status != POP_OK)
        print_error("%s\n", error.text);
    str_free(&text);
    return status != POP_OK;
}

static int teardown(void **state)
{
    (void)state;
    module_release(module);
    return scratch_remove();
}

static uint32_t random_word(char of, uint64_t number, int word)
{
    uint64_t bits = mix(number * 4 + (uint64_t)word);
    if (of == 'f' || of == 'n') {
        float value = number % 7 == 0 ? (float)(int32_t)(bits % 5) - 2
                                      : (float)((double)(bits >> 40) - 0x1p23) *
                                            (of == 'n' || number % 3 == 0 ? 0x1p-13f : 0x1p10f);
        uint32_t word_bits;
        memcpy(&word_bits, &value, sizeof(word_bits));
        return word_bits;
    }
    if (of == 'c') { /* of all classes */
        static const uint32_t with[] = { 0,          0x80000000, 0x7f800000, 0xff800000, 0x7fc00000,
                                         0x7fa00001, 0x00000001, 0x80000002, 0x7c007e01, 0xfc007d01,
                                         0x00018001, 0x3c00bc00, 0x00008000, 0x3f800000 };
        return with[bits % (sizeof(with) / sizeof(with[0]))];
    }
    if (of == 'h') /* no NaN or infinity; often equal */
        return (uint32_t)(number % 5 == 0 ? bits & 0x80008000u : bits & 0xbbffbbffu);
    if (of == 'r' && word == 2)
        return (uint32_t)(bits % 0x10002);
    return (uint32_t)(of == 'r' ? bits & 0xbbffbbffu : bits);
}

static void run_on_host(int row, uint32_t *in, uint32_t *out, uint64_t seed)
{
    char name[16];
    _Alignas(16) unsigned char vertex[64] = { 0 };
    const struct codelet *codelet = NULL;
    snprintf(name, sizeof(name), "Row%d", row);
    for (uint32_t i = 0; i < module->codelet_count; ++i)
        if (strcmp(module->codelets[i].name, name) == 0)
            codelet = module->codelets + i;
    assert_non_null(codelet);
    memcpy(vertex + codelet_find_field(codelet, "in")->offset, &in, sizeof(in));
    memcpy(vertex + codelet_find_field(codelet, "out")->offset, &out, sizeof(out));
    struct codelet_call call = { .states = vertex, .stride = codelet->state_bytes, .count = 1, .seed = seed };
    assert_true(module_run(module, codelet)(&call));
}

static void run_on_tile(const struct snippet *made, const uint32_t *in, uint64_t seed)
{
    for (unsigned i = 0; i < 4; ++i) {
        tile_set_register(made->tile, 0, i, in[i]);
        tile_set_register(made->tile, 0, 32 + i, in[i]);
    }
    tile_set_prng(made->tile, 0, mix(mix(seed)), mix(mix(seed) + 1) | 1);
}

static void builtins_give_the_bits_of_instructions(void **state)
{
    (void)state;
    for (int row = 0; row < ROWS; ++row) {
        struct snippet made;
        snippet_make(&made, TILE_IPU21, rows[row].code);
        for (uint64_t number = 0; number < TIMES; ++number) {
            uint32_t in[4], out[4] = { 0 }, expected[2];
            for (int word = 0; word < 4; ++word)
                in[word] = random_word(rows[row].of, number, word);
            run_on_host(row, in, out, 1000 + number);
            run_on_tile(&made, in, 1000 + number);
            if (!snippet_run(&made))
                fail_msg("'%s' does not run", rows[row].code);
            for (unsigned i = 0; i < 2; ++i)
                expected[i] = tile_register(made.tile, 0, (rows[row].file == 'a' ? 32u : 0u) + 4 + i);
            if (memcmp(out, expected, 2 * (size_t)rows[row].halves) != 0)
                fail_msg("%s of %08x %08x %08x %08x: %08x %08x, the tile has %08x %08x", rows[row].expression, in[0],
                         in[1], in[2], in[3], out[0], out[1], expected[0], expected[1]);
        }
        snippet_free(&made);
    }
}

/* Vertices draw different numbers, whatever runs beside them, and the same ones again with the same seed. */
static void each_vertex_has_its_numbers(void **state)
{
    (void)state;
    static const char text[] = "#include <poplar/Vertex.hpp>\nclass Draw : public poplar::MultiVertex {\npublic:\n    "
                               "poplar::Output<poplar::Vector<unsigned, poplar::VectorLayout::ONE_PTR>> out;\n    void "
                               "compute(unsigned w)\n    "
                               "{\n        out[2 * w] = __builtin_ipu_urand32();\n        out[2 * w + 1] = "
                               "__builtin_ipu_urand32();\n    }\n};\n";
    enum { VERTICES = 4, WORKERS = 6, DRAWN = 2 * WORKERS };
    struct module *made;
    pop_error error;
    if (popc_compile("draw.cpp", text, NULL, &made, &error) != POP_OK || module_link(made, NULL, &error) != POP_OK)
        fail_msg("%s", error.text);
    uint32_t together[VERTICES * DRAWN], apart[VERTICES * DRAWN], *out[VERTICES];
    for (int i = 0; i < VERTICES; ++i)
        out[i] = together + i * DRAWN;
    codelet_run run = module_run(made, made->codelets);
    assert_int_equal(made->codelets->state_bytes, sizeof(*out));
    run(&(struct codelet_call){
        .states = out, .stride = sizeof(*out), .count = VERTICES, .workers = WORKERS, .seed = 7 });
    for (int i = VERTICES - 1; i >= 0; --i) { /* one by one, in another order */
        out[i] = apart + i * DRAWN;
        run(&(struct codelet_call){
            .states = out + i, .stride = sizeof(*out), .count = 1, .workers = WORKERS, .seed = 7 + (uint64_t)i });
    }
    assert_memory_equal(together, apart, sizeof(together));
    for (int i = 0; i < VERTICES * DRAWN; ++i)
        for (int k = 0; k < i; ++k)
            assert_int_not_equal(together[i], together[k]);
    module_release(made);
}

/* At the first use of such storage in a thread the C library allocates it, and ends the process where there is no
 * memory. */
static void objects_have_no_thread_local_storage(void **state)
{
    (void)state;
    static const char text[] = "#include <poplar/vertex.h>\n#include <assert.h>\n"
                               "POP_VERTEX(V) { POP_INOUT(int) x; };\n"
                               "bool V_compute(V *v) { assert(*v->x); return true; }\n";
    struct module *in_c;
    pop_error error;
    if (popc_compile("v.c", text, NULL, &in_c, &error) != POP_OK)
        fail_msg("%s", error.text);
    const struct module *modules[] = { module, in_c };
    for (int m = 0; m < 2; ++m) {
        const unsigned char *object = modules[m]->objects->data;
        Elf64_Ehdr head;
        memcpy(&head, object, sizeof(head));
        assert_true(head.e_type == ET_DYN && head.e_phnum > 0);
        for (unsigned i = 0; i < head.e_phnum; ++i) {
            Elf64_Phdr segment;
            memcpy(&segment, object + head.e_phoff + i * sizeof(segment), sizeof(segment));
            assert_int_not_equal(segment.p_type, PT_TLS);
        }
    }
    module_release(in_c);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(builtins_give_the_bits_of_instructions),
                                        cmocka_unit_test(each_vertex_has_its_numbers),
                                        cmocka_unit_test(objects_have_no_thread_local_storage) };
    return cmocka_run_group_tests(tests, setup, teardown);
}
