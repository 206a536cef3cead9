/* SPDX-License-Identifier: Apache-2.0 */
/* The interpreter of device code against the host: the same source, compiled for both, gives the same bits; and it
 * stops at forbidden operations. */
#include "popc/device/device.h"
#include "popc/module/link.h"
#include "popc/module/module.h"
#include "popc/popc.h"

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
/* cmocka needs the above first */
#include <cmocka.h>

#include "scratch.h"

#include <poplar/popc.h>
#include <poplar/type.h>

enum { COUNT = 64, RESULTS = 48, MEMORY = 16 << 10 };

static const char text[] =
    "#include <poplar/vertex.h>\n"
    "float expf(float); double exp(double); void *memcpy(void *, const void *, size_t);\n"
    "struct pair { int a; long long b; };\n"
    "static long long mixed(long long x, long long y) { return y ? x / y + x % y : x << 3; }\n"
    "static unsigned choose(unsigned k) { switch (k) { case 0: return 7; case 1: return 77; case 2: return 1; case 3: "
    "return 12; case 4: return 5; case 5: return 9; default: return 2; } }\n"
    "POP_VERTEX(Same) { POP_INPUT(POP_VECTOR(int)) in; POP_INPUT(POP_VECTOR(float)) f; POP_INPUT(POP_VECTOR(half)) h; "
    "POP_OUTPUT(POP_VECTOR(long long)) out; };\n"
    "bool Same_compute(Same *v) {\n"
    "  long long *o = v->out.data; const int *in = v->in.data; const float *f = v->f.data; const half *h = v->h.data; "
    "size_t n = v->in.size;\n"
    "  long long s = 0; unsigned u = 1; double d = 0; float g = 0; half q = 0; int c = 0;\n"
    "  for (size_t i = 0; i < n; ++i) { s += mixed(in[i], in[n - 1 - i]); u = u * 31u + (unsigned)in[i]; d += f[i] * "
    "0.5; g = g * 0.5f + f[i]; q += h[i]; c += f[i] < (float)h[i]; }\n"
    "  o[0] = s; o[1] = u; o[2] = (long long)d; o[3] = (long long)(g * 1000); o[4] = (long long)((float)q * 64); o[5] "
    "= c;\n"
    "  o[6] = (int)(u >> 7) >> 3; o[7] = (long long)(unsigned char)in[1]; o[8] = (short)in[2]; o[9] = (long "
    "long)((unsigned long long)s >> 5);\n"
    "  o[10] = choose(u % 8); o[11] = choose((unsigned)in[3] & 7); o[12] = (long long)__builtin_sqrtf(f[5] * f[5] + "
    "1); o[13] = f[3] > f[4] ? 1 : -1;\n"
    "  o[14] = (long long)(expf(f[0]) * 1e6f); o[15] = (long long)(exp(f[1]) * 1e9); o[16] = (int)f[2]; o[17] = "
    "(unsigned)(f[6] < 0 ? -f[6] : f[6]);\n"
    "  struct pair a = { in[4], in[5] }, b; memcpy(&b, &a, sizeof(b)); o[18] = b.a * b.b; o[19] = (long "
    "long)(float)in[6]; o[20] = (long long)((float)(half)(in[7] % 1000) * 8);\n"
    "  o[21] = __builtin_fmaf(f[1], f[2], f[3]) * 100; o[22] = -f[4] * 100; o[23] = (in[8] ^ in[9]) | (in[10] & "
    "~in[11]); o[24] = in[12] < in[13]; o[25] = (unsigned)in[12] < (unsigned)in[13];\n"
    "  o[26] = (long long)((unsigned __int128)(unsigned long long)(s * 12345678901ll) * 987654321987ull >> 64); o[27] "
    "= f[7] == f[7]; o[28] = (long long)(d > 1.5) + (d < -1.5) * 2 + (d == d) * 4;\n"
    "  o[29] = in[14] >= 0 ? in[14] : -in[14]; o[30] = (int)(in[15] * 7u) % 11; o[31] = (long long)((unsigned)in[15] / "
    "7u); o[32] = (long long)(unsigned)(int)d;\n"
    "  o[34] = __builtin_fmaf(f[1], f[2], -f[3]) * 1e4f; o[35] = __builtin_fmaf(-f[1], f[2], f[3]) * 1e4f; o[36] = "
    "-__builtin_fmaf(f[1], f[2], f[3]) * 1e4f; o[37] = __builtin_fmaf(-f[1], f[2], -f[3]) * 1e4f; o[38] = (long "
    "long)((__int128)(s * 12345678901ll) * (in[17] * 987654321987ll) >> 64);\n"
    "  long long t = 0; for (int i = 0; i < in[16] % 5 + 6; ++i) for (int j = 0; j < i; ++j) t += i * j; o[33] = t;\n"
    "  return true; }\n"
    "POP_VERTEX(Outside) { POP_STATE(unsigned) way; POP_OUTPUT(POP_VECTOR(int)) out; };\n"
    "static volatile int never = 1;\n"
    "bool Outside_compute(Outside *v) { int *o = v->out.data;\n"
    "  switch (v->way) { case 0: o[1 << 28] = 1; break; case 1: o[0] = *(volatile int *)8; break; case 2: while "
    "(never) {} break;\n"
    "    case 3: ((void (*)(void))16)(); break; case 4: { unsigned (*volatile code)(unsigned) = choose; *(int *)(void "
    "*)code = 1; break; } default: o[0] = 5; }\n"
    "  return true; }\n";

static struct module *module;

static int setup(void **state)
{
    (void)state;
    pop_error error;
    if (scratch_make() || popc_compile("same.c", text, "-O2", &module, &error) != POP_OK ||
        module_link(module, NULL, &error) != POP_OK) {
        pop_error_print(&error);
        return 1;
    }
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    module_release(module);
    return scratch_remove();
}

struct span {
    void *data;
    size_t size;
};

static const struct codelet *find(const char *name)
{
    for (uint32_t i = 0; i < module->codelet_count; ++i)
        if (strcmp(module->codelets[i].name, name) == 0)
            return module->codelets + i;
    fail_msg("no codelet %s", name);
    return NULL;
}

static void put(const struct codelet *codelet, unsigned char *state, const char *name, void *data, size_t size)
{
    memcpy(state + codelet_find_field(codelet, name)->offset, &(struct span){ data, size }, sizeof(struct span));
}

/* The state of Same in memory, followed by numbers from a seed; returns the address of the results. */
static long long *make_same(unsigned char *memory, unsigned seed)
{
    const struct codelet *same = find("Same");
    int *in = (int *)(memory + 256);
    float *f = (float *)(memory + 1024);
    uint16_t *h = (uint16_t *)(memory + 2048);
    long long *out = (long long *)(memory + 4096);
    memset(memory, 0, MEMORY);
    for (int i = 0; i < COUNT; ++i) {
        seed = seed * 1664525u + 1013904223u;
        in[i] = (int)((seed >> (i % 3 * 8)) - (i % 2 ? 1u << 20 : 0));
        f[i] = (float)(int)(seed >> 8) / 4194304.0f - 2;
        pop_convert(POP_FLOAT, f + i, POP_HALF, h + i, 1);
    }
    in[20] = 0; /* a divisor of 0 */
    put(same, memory, "in", in, COUNT);
    put(same, memory, "f", f, COUNT);
    put(same, memory, "h", h, COUNT);
    put(same, memory, "out", out, RESULTS);
    return out;
}

static bool same_with(struct device_counter *counter, unsigned seed, uint64_t *cycles)
{
    _Alignas(64) static unsigned char ours[MEMORY], hosts[MEMORY];
    const struct codelet *same = find("Same");
    const long long *expected = make_same(hosts, seed), *results = make_same(ours, seed);
    struct codelet_call call = { .states = hosts, .stride = same->state_bytes, .count = 1 };
    assert_true(module_run(module, same)(&call));
    struct device_run run = { .memory = ours, .bytes = sizeof(ours), .max = 1000000 };
    if (!device_counter_run(counter, same, &run, cycles))
        fail_msg("%s", run.reason);
    for (int i = 0; i < RESULTS; ++i)
        if (results[i] != expected[i])
            fail_msg("result %d with seed %u: %lld, the host has %lld", i, seed, results[i], expected[i]);
    return true;
}

static void it_computes_the_hosts_results(void **state)
{
    (void)state;
    struct device_counter *counter = device_counter_create(DEVICE_IPU2, NULL, 0);
    uint64_t cycles;
    for (unsigned seed = 1; seed < 200; ++seed)
        same_with(counter, seed, &cycles);
    assert_in_range(cycles, 64 * 20, 64 * 2000);
    device_counter_free(counter);
}

static void it_stops_at_forbidden_operations(void **state)
{
    (void)state;
    static const char *const words[] = { "writes memory", "reads memory", "more than 100000 instructions",
                                         "outside of its code", "writes memory" };
    const struct codelet *outside = find("Outside");
    struct device_counter *counter = device_counter_create(DEVICE_IPU2, NULL, 0);
    for (unsigned way = 0; way <= 5; ++way) {
        _Alignas(64) static unsigned char memory[MEMORY];
        uint64_t cycles;
        memset(memory, 0, sizeof(memory));
        memcpy(memory + codelet_find_field(outside, "way")->offset, &way, sizeof(way));
        put(outside, memory, "out", memory + 256, 4);
        struct device_run run = { .memory = memory, .bytes = sizeof(memory), .max = 100000 };
        bool good = device_counter_run(counter, outside, &run, &cycles);
        assert_int_equal(good, way == 5);
        if (!good && !strstr(run.reason, words[way]))
            fail_msg("way %u: %s", way, run.reason);
        if (good)
            assert_int_equal(memory[256], 5);
    }
    device_counter_free(counter);
}

static struct device_image *load_image(const char *object, size_t size)
{
    return device_image_load(&(struct module_code){ (const unsigned char *)object, size }, 1);
}

static void damaged_objects_are_no_images(void **state)
{
    (void)state;
    char why[120];
    size_t size, loaded = 0;
    char *object = popc_counted_object(module, 0, DEVICE_IPU1, &size, why, sizeof(why));
    assert_non_null(object);
    struct device_image *whole = load_image(object, size);
    assert_non_null(whole);
    device_image_free(whole);
    assert_null(load_image(object, 100));
    assert_null(load_image("no object", 9));
    for (size_t at = 0; at < size; at += 7) { /* any byte altered: an image or none, without a fault */
        char kept = object[at];
        object[at] = (char)(kept ^ 0x5a);
        struct device_image *image = load_image(object, size);
        loaded += image != NULL;
        device_image_free(image);
        object[at] = kept;
    }
    assert_true(loaded > 0);
    free(object);
}

/* The lower half of an address is relative to the place of its upper half; without that, its base is unknown. */
static void a_lower_half_without_its_upper_half_is_no_image(void **state)
{
    (void)state;
    enum { ABSOLUTE_32 = 1, UPPER_HALF = 23 };
    char why[120];
    size_t size, changed = 0;
    char *object = popc_counted_object(module, 0, DEVICE_IPU1, &size, why, sizeof(why));
    assert_non_null(object);
    Elf64_Ehdr header;
    memcpy(&header, object, sizeof(header));
    for (size_t i = 0; i < header.e_shnum; ++i) {
        Elf64_Shdr section;
        memcpy(&section, object + header.e_shoff + i * header.e_shentsize, sizeof(section));
        for (size_t at = 0; section.sh_type == SHT_RELA && at < section.sh_size; at += sizeof(Elf64_Rela)) {
            Elf64_Rela rela, kept;
            memcpy(&kept, object + section.sh_offset + at, sizeof(kept));
            if (ELF64_R_TYPE(kept.r_info) != UPPER_HALF)
                continue;
            rela = kept;
            rela.r_info = ELF64_R_INFO(ELF64_R_SYM(kept.r_info), ABSOLUTE_32);
            memcpy(object + section.sh_offset + at, &rela, sizeof(rela));
            assert_null(load_image(object, size));
            memcpy(object + section.sh_offset + at, &kept, sizeof(kept));
            ++changed;
        }
    }
    assert_true(changed > 0);
    free(object);
}

/* A module of several sources has an object of each. */
static void vertices_of_one_module_are_counted_in_their_own_objects(void **state)
{
    (void)state;
    static const char *const bodies[] = { "*v->out = 1;", "for (int i = 0; i < 50; ++i) *v->out += i;" };
    char paths[3][128], code[256];
    for (int i = 0; i < 2; ++i) {
        snprintf(paths[i], sizeof(paths[i]), "%s/part%d.c", scratch_path, i);
        FILE *file = fopen(paths[i], "w");
        assert_non_null(file);
        snprintf(code, sizeof(code),
                 "#include <poplar/vertex.h>\nPOP_VERTEX(V%d) { POP_INOUT(int) out; };\nvoid V%d_compute(V%d *v) { %s "
                 "}\n",
                 i, i, i, bodies[i]);
        fputs(code, file);
        fclose(file);
    }
    snprintf(paths[2], sizeof(paths[2]), "%s/all.gp", scratch_path);
    const char *const sources[] = { paths[0], paths[1] };
    struct module *all = NULL;
    pop_error error;
    if (popc_compile_files(sources, 2, "-O1 --target ipu2", paths[2], false, &error) != POP_OK ||
        popc_load(paths[2], NULL, &all, &error) != POP_OK)
        fail_msg("%s", error.text);
    assert_int_equal(all->object_count, 2);
    struct device_counter *counter = device_counter_create(DEVICE_IPU2, NULL, 0);
    uint64_t cycles[4];
    for (int i = 0; i < 4; ++i) { /* each of them once more */
        _Alignas(64) static unsigned char memory[MEMORY];
        const struct codelet *codelet = all->codelets + i % 2;
        void *out = memory + 256;
        memset(memory, 0, sizeof(memory));
        memcpy(memory + codelet_find_field(codelet, "out")->offset, &out, sizeof(out));
        struct device_run run = { .memory = memory, .bytes = sizeof(memory), .max = 100000 };
        if (!device_counter_run(counter, codelet, &run, cycles + i))
            fail_msg("%s: %s", codelet->name, run.reason);
        assert_int_equal(*(int *)out, i % 2 ? 49 * 50 / 2 : 1);
    }
    assert_true(cycles[0] == cycles[2] && cycles[1] == cycles[3] && cycles[0] < cycles[1]);
    device_counter_free(counter);
    module_release(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_computes_the_hosts_results),
        cmocka_unit_test(it_stops_at_forbidden_operations),
        cmocka_unit_test(damaged_objects_are_no_images),
        cmocka_unit_test(a_lower_half_without_its_upper_half_is_no_image),
        cmocka_unit_test(vertices_of_one_module_are_counted_in_their_own_objects),
    };
    return cmocka_run_group_tests_name("device machine", tests, setup, teardown);
}
