/* SPDX-License-Identifier: Apache-2.0 */
/* Code sizes on the device: what is compiled, what is measured, what is cached, and the messages when that is not
 * possible. */
#include "popc/module/device_code.h"
#include "popc/module/link.h"
#include "popc/module/module.h"
#include "popc/popc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
/* cmocka needs the above first */
#include <cmocka.h>

#include "base/container.h"
#include "base/file.h"
#include "base/log.h"
#include "base/str.h"
#include "popc/module/machine.h"
#include "scratch.h"

#include <poplar/popc.h>
#include <poplar/poplar.h>
#include <sys/stat.h>

/* Source that the device's compiler refuses. */
#if defined(__x86_64__)
#define HOST_CODE "__asm__ volatile(\"xorl %%eax, %%eax\" ::: \"eax\");"
#else
#define HOST_CODE "__asm__ volatile(\"mov w9, wzr\" ::: \"w9\");"
#endif
#define HEAD "#include <poplar/vertex.h>\n"
#define VERTEX(name, body)                                                                                             \
    "POP_VERTEX(" name ") { POP_OUTPUT(POP_VECTOR(float)) out; };\nvoid " name "_compute(" name " *v) { " body " }\n"
#define ALL "--target ipu1,ipu2,ipu21,cpu"

static int clean(void **state)
{
    (void)state;
    unsetenv("TREMULA_DEVICE_CC");
    unsetenv("TREMULA_CC");
    unsetenv("POPLAR_LOG_DEST");
    unsetenv("POPLAR_CODELETS_LOG_LEVEL");
    log_reset();
    return scratch_empty();
}

/* Measuring needs clang, which scripts/install-dependencies check installs; nothing else is skipped. */
static void need_clang(void)
{
    struct str path = { 0 }, identity = { 0 };
    bool there = machine_device_compiler(&path, &identity);
    str_free(&path);
    str_free(&identity);
    if (!there) {
        print_message("skipped: there is no clang\n");
        skip();
    }
}

static const char *in_scratch(char *path, const char *name)
{
    snprintf(path, 128, "%s/%s", scratch_path, name);
    return path;
}

static struct module *compiled(const char *text, const char *flags)
{
    struct module *module;
    pop_error error;
    if (popc_compile("text.c", text, flags, &module, &error) != POP_OK)
        fail_msg("%s", error.text);
    return module;
}

static struct device_code code_in(const struct module *module, const char *vertex, const char *system)
{
    pop_target target;
    pop_error error;
    struct device_code code;
    assert_int_equal(pop_target_create_ipu(1, system, &target, &error), POP_OK);
    for (uint32_t i = 0; i < module->codelet_count; ++i)
        if (strcmp(module->codelets[i].name, vertex) == 0) {
            assert_true(device_code_of(module, module->codelets + i, &target, &code));
            return code;
        }
    fail_msg("no vertex %s", vertex);
    return (struct device_code){ 0 };
}

static struct device_code measured(const struct module *module, const char *vertex, const char *system)
{
    struct device_code code = code_in(module, vertex, system);
    if (code.estimated)
        fail_msg("%s on %s is estimated: %s", vertex, system, code.reason);
    assert_string_equal(code.reason, "");
    assert_int_equal(code.bytes % 4, 0);
    return code;
}

static uint32_t bytes_of(const char *text, const char *system)
{
    struct module *module = compiled(text, ALL);
    uint32_t bytes = measured(module, "V", system).bytes;
    module_release(module);
    return bytes;
}

/* ---- what is measured ---- */

static void a_longer_body_has_more_bytes(void **state)
{
    (void)state;
    need_clang();
    uint32_t none = bytes_of(HEAD VERTEX("V", "(void)v;"), "ipu2");
    uint32_t one = bytes_of(HEAD VERTEX("V", "v->out.data[0] = 1;"), "ipu2");
    uint32_t more = bytes_of(
        HEAD VERTEX("V", "for (size_t i = 0; i < v->out.size; ++i) v->out.data[i] = v->out.data[i] * 3 + i;"), "ipu2");
    assert_int_equal(none, 4); /* a return instruction */
    assert_true(none < one && one < more && more < 200);
    assert_true(bytes_of(HEAD VERTEX("V", "v->out.data[0] = 1;"), "ipu1") == one);
}

static void only_the_device_has_the_ipu_macro(void **state)
{
    (void)state;
    need_clang();
    static const char text[] =
        HEAD "#if defined(__IPU__) && __IPU_ARCH_VERSION__ == 21\n#define MORE ((volatile float *)v->out.data)[3] = 4, "
             "((volatile float *)v->out.data)[1] = 2\n"
             "#elif defined(__IPU__)\n#define MORE (void)0\n#else\n#define MORE v->host = 1\n#endif\n"
             "#ifdef __IPU__\n_Static_assert(sizeof(void *) == 4 && __POPC__, \"32 "
             "bits\");\n#else\n_Static_assert(sizeof(void *) == 8, \"64\");\n#endif\n"
             "POP_VERTEX(V) { POP_OUTPUT(POP_VECTOR(float)) out;\n#ifndef __IPU__\nchar host;\n#endif\n};\nvoid "
             "V_compute(V *v) { MORE; }\n";
    struct module *module = compiled(text, ALL);
    assert_int_equal(module->codelets[0].field_count,
                     2); /* the host's compilation decides the vertex's kind and fields */
    assert_int_equal(measured(module, "V", "ipu1").bytes, 4);
    assert_int_equal(measured(module, "V", "ipu2").bytes, 4);
    assert_int_equal(measured(module, "V", "bow").bytes, 4);
    assert_true(measured(module, "V", "ipu21").bytes > 8);
    pop_error error;
    codelet_run run;
    float data[4] = { 0 };
    struct {
        float *data;
        size_t size;
        char host;
    } vertex = { data, 4, 0 };
    assert_int_equal(module_link(module, NULL, &error), POP_OK);
    run = module_run(module, module->codelets);
    run(&(struct codelet_call){ .states = &vertex, .stride = sizeof(vertex), .count = 1 });
    assert_int_equal(vertex.host, 1);
    assert_true(data[1] == 0);
    module_release(module);
}

static void functions_that_are_reached_count_once(void **state)
{
    (void)state;
    need_clang();
    static const char text[] =
        HEAD "#define APART __attribute__((noinline)) static\n"
             "static const float table[16] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 };\n"
             "APART float own(float x) { return x * x + 3; }\n"
             "APART float both(float x) { return x > 1 ? x * 2 : x + 1; }\n" VERTEX("Plain", "v->out.data[0] = 1;")
                 VERTEX("A", "v->out.data[0] = own(v->out.data[0]) + both(v->out.data[1]);")
                     VERTEX("B", "v->out.data[0] = both(v->out.data[1]) * table[v->out.size];");
    struct module *module = compiled(text, ALL);
    struct device_code plain = measured(module, "Plain", "ipu2"), a = measured(module, "A", "ipu2"),
                       b = measured(module, "B", "ipu2");
    assert_int_equal(plain.shared_bytes, 0);
    assert_int_equal(plain.data_bytes, 0);
    assert_true(a.shared_bytes && a.shared_bytes == b.shared_bytes);
    assert_true(a.bytes > plain.bytes);
    assert_true(b.data_bytes >= 64 && a.data_bytes < b.data_bytes);
    module_release(module);
}

static void a_stack_is_that_of_the_deepest_calls(void **state)
{
    (void)state;
    need_clang();
    static const char text[] = HEAD
        "#define APART __attribute__((noinline)) static\n"
        "#define FILL(n) volatile float a[n]; for (int i = 0; i < n; ++i) a[i] = x; return a[(int)x]\n"
        "APART float wide(float x) { FILL(100); }\nAPART float flat(float x) { FILL(10); }\n"
        "APART float again(volatile float *x) { volatile float y[2] = { x[0] + 1, x[1] };\n"
        "  return x[0] > 9 ? x[1] : again(y) * y[0]; }\n" VERTEX("Plain", "(void)v;")
            VERTEX("Flat", "v->out.data[0] = flat(v->out.data[1]);")
                VERTEX("Both", "v->out.data[0] = flat(v->out.data[1]) + wide(v->out.data[2]) + flat(v->out.data[3]);")
                    VERTEX("Endless", "v->out.data[0] = again(v->out.data);");
    struct module *module = compiled(text, ALL), *read;
    pop_error error;
    char *data;
    size_t size;
    assert_int_equal(module_write(module, &data, &size, &error), POP_OK);
    assert_int_equal(module_read("stacks.gp", data, size, &read, &error), POP_OK);
    struct module *both[] = { module, read };
    for (int i = 0; i < 2; ++i) {
        struct device_code plain = measured(both[i], "Plain", "ipu2"), flat = measured(both[i], "Flat", "ipu2"),
                           all = measured(both[i], "Both", "ipu2"), endless = measured(both[i], "Endless", "ipu2");
        assert_true(plain.stack_measured && flat.stack_measured && all.stack_measured);
        assert_int_equal(plain.stack_bytes, 0);
        assert_true(endless.stack_measured && endless.stack_bytes && endless.stack_bytes < 150); /* one iteration */
        assert_true(flat.stack_bytes >= 40 && flat.stack_bytes < 150);
        assert_true(all.stack_bytes >= 400 && all.stack_bytes < 550); /* of one call after the other */
        module_release(both[i]);
    }
    free(data);
}

static void a_static_compute_and_the_kinds_of_vertex_are_measured(void **state)
{
    (void)state;
    need_clang();
    struct module *module = compiled(
        HEAD "POP_MULTI_VERTEX(M) { POP_OUTPUT(POP_VECTOR(half)) out; };\n"
             "static void M_compute(M *v, unsigned worker) { v->out.data[worker] *= 2; }\n"
             "POP_SUPERVISOR_VERTEX(S) { POP_INOUT(int64_t) x; };\nbool S_compute(S *v) { return *v->x / 3; }\n",
        ALL);
    assert_true(measured(module, "M", "ipu1").bytes >= 16);
    assert_true(measured(module, "S", "ipu1").bytes >= 16); /* the division is a helper function of the device */
    module_release(module);
}

/* Blocks of memory are copied by helper functions of the device. */
static void copies_of_blocks_are_measured(void **state)
{
    (void)state;
    need_clang();
    struct module *module = compiled(
        HEAD VERTEX(
            "V",
            "__builtin_memcpy(v->out.data, v->out.data + v->out.size / 2, v->out.size / 2 * sizeof(*v->out.data));"),
        ALL);
    assert_false(measured(module, "V", "ipu2").estimated);
    module_release(module);
}

/* ---- what is cached ---- */

static void write_counter(const char *name, const char *program)
{
    char path[128];
    struct str text = { 0 };
    str_format(&text, "#!/bin/sh\necho run >>'%s/runs'\nexec %s \"$@\"\n", scratch_path, program);
    assert_int_equal(file_write(in_scratch(path, name), text.text, text.length, NULL), POP_OK);
    assert_int_equal(chmod(path, 0755), 0);
    str_free(&text);
}

static int runs(void)
{
    char path[128], *text;
    size_t size;
    if (file_read(in_scratch(path, "runs"), &text, &size, NULL) != POP_OK)
        return 0;
    int count = 0;
    for (size_t i = 0; i < size; ++i)
        count += text[i] == '\n';
    free(text);
    return count;
}

static void the_second_time_runs_no_compiler(void **state)
{
    (void)state;
    need_clang();
    char host[128], device[128];
    write_counter("host", "gcc");
    write_counter("device", "clang");
    setenv("TREMULA_CC", in_scratch(host, "host"), 1);
    setenv("TREMULA_DEVICE_CC", in_scratch(device, "device"), 1);
    static const char text[] = HEAD VERTEX("V", "v->out.data[0] = 2;");
    module_release(compiled(text, ""));
    assert_int_equal(runs(), 2); /* as always: nothing is compiled for a device unless requested */
    struct module *first = compiled(text, "--target ipu2");
    assert_int_equal(runs(), 6); /* one more of the host's, which prints the paths of headers */
    struct module *second = compiled(text, "--target=ipu2");
    assert_int_equal(runs(), 6);
    assert_int_equal(measured(first, "V", "ipu2").bytes, measured(second, "V", "ipu2").bytes);
    assert_true(code_in(first, "V", "ipu1").estimated);
    module_release(first);
    module_release(second);
    /* without compilers the entry is still good */
    setenv("TREMULA_CC", "/nonexistent", 1);
    setenv("TREMULA_DEVICE_CC", "/nonexistent", 1);
    second = compiled(text, "--target ipu2");
    measured(second, "V", "ipu2");
    module_release(second);
}

/* Sizes that graphs request: no device compiler runs before the first request, then it runs once, with the same result.
 */
static void code_is_measured_when_it_is_needed(void **state)
{
    (void)state;
    char host[128], device[128];
    write_counter("host", "gcc");
    write_counter("device", "clang");
    setenv("TREMULA_CC", in_scratch(host, "host"), 1);
    setenv("TREMULA_DEVICE_CC", in_scratch(device, "device"), 1);
    static const char text[] = HEAD VERTEX("V", "v->out.data[0] = 3;") VERTEX("W", "v->out.data[0] /= 3;");
    struct module *later = compiled(text, "--target ipu2 --measure-later");
    assert_int_equal(runs(), 2);
    assert_true(code_in(later, "V", "ipu1").estimated); /* no size was requested */
    assert_int_equal(runs(), 2);
    struct device_code code = measured(later, "W", "ipu2");
    assert_int_equal(runs(), 4); /* the paths of headers, and the sizes */
    measured(later, "V", "ipu2");
    struct module *again = compiled(text, "--target ipu2 --measure-later"), *at_once = compiled(text, "--target ipu2");
    size_t before = runs();
    assert_int_equal(measured(again, "W", "ipu2").bytes, code.bytes); /* from the cache */
    assert_int_equal(measured(at_once, "W", "ipu2").bytes, code.bytes);
    assert_int_equal(runs(), before);
    module_release(later);
    module_release(again);
    module_release(at_once);
    /* a source that only the host can compile is estimated, for the same reason */
    static const char other[] = "#ifdef __IPU__\n#error not for us\n#endif\n" HEAD VERTEX("V", "v->out.data[0] = 4;");
    later = compiled(other, "--target ipu2 --measure-later");
    assert_true(code_in(later, "V", "ipu2").estimated);
    assert_non_null(strstr(code_in(later, "V", "ipu2").reason, "not for us"));
    module_release(later);
}

/* The host does not read the header; the device does, and its compilation fails while the header has the error. */
static void a_change_of_a_header_that_only_the_device_includes_is_found(void **state)
{
    (void)state;
    need_clang();
    char path[128], flags[192];
    static const char text[] =
        HEAD "#ifdef __IPU__\n#include \"device_only.h\"\n#else\n#define VALUE 1\n#endif\n" VERTEX(
            "V", "v->out.data[0] = VALUE;");
    static const char bad[] = "#error not yet\n", good[] = "#define VALUE 2\n",
                      longer[] = "#define VALUE (v->out.data[1] * v->out.data[2])\n";
    snprintf(flags, sizeof(flags), "--target ipu2 -I %s", scratch_path);
    assert_int_equal(file_write(in_scratch(path, "device_only.h"), bad, strlen(bad), NULL), POP_OK);
    struct module *module = compiled(text, flags);
    struct device_code code = code_in(module, "V", "ipu2");
    assert_true(code.estimated && strstr(code.reason, "not yet"));
    module_release(module);
    assert_int_equal(file_write(path, good, strlen(good), NULL), POP_OK);
    module = compiled(text, flags);
    uint32_t bytes = measured(module, "V", "ipu2").bytes;
    module_release(module);
    assert_int_equal(file_write(path, longer, strlen(longer), NULL), POP_OK);
    module = compiled(text, flags);
    assert_true(measured(module, "V", "ipu2").bytes > bytes);
    module_release(module);
}

static void sizes_are_in_a_file_and_in_a_merged_file(void **state)
{
    (void)state;
    need_clang();
    struct module *parts[] = { compiled(HEAD VERTEX("A", "v->out.data[0] = 2;"), "--target ipu2"),
                               compiled(HEAD VERTEX("B", "v->out.data[1] = 2;"), "") };
    struct module *merged, *read;
    pop_error error;
    char *data;
    size_t size;
    assert_int_equal(module_merge(parts, 2, "both.gp", &merged, &error), POP_OK);
    assert_int_equal(module_write(merged, &data, &size, &error), POP_OK);
    assert_int_equal(module_read("both.gp", data, size, &read, &error), POP_OK);
    assert_int_equal(measured(read, "A", "ipu2").bytes, measured(parts[0], "A", "ipu2").bytes);
    struct device_code b = code_in(read, "B", "ipu2");
    assert_true(b.estimated && !b.stack_measured && b.bytes >= 8 && strstr(b.reason, "--target"));
    assert_true(code_in(read, "A", "ipu1").estimated);
    pop_target cpu = pop_target_create_cpu(false, 1);
    assert_false(device_code_of(read, read->codelets, &cpu, &b));
    free(data);
    module_release(parts[0]);
    module_release(parts[1]);
    module_release(merged);
    module_release(read);
}

/* popc --target adds code from which cycles are counted; --sizes-only leaves it out. */
static void a_file_may_have_sizes_only(void **state)
{
    (void)state;
    need_clang();
    char source[128], output[128];
    static const char text[] = HEAD VERTEX("A", "v->out.data[0] = 2;");
    static const char *const flags[2] = { "--target ipu2", "--target ipu2 --sizes-only" };
    assert_int_equal(file_write(in_scratch(source, "a.c"), text, sizeof(text) - 1, NULL), POP_OK);
    in_scratch(output, "a.gp");
    for (int only = 0; only < 2; ++only) {
        struct module *module;
        pop_error error;
        assert_int_equal(popc_compile_files((const char *const[]){ source }, 1, flags[only], output, false, &error),
                         POP_OK);
        assert_int_equal(module_load(output, &module, &error), POP_OK);
        assert_true(measured(module, "A", "ipu2").bytes > 0);
        assert_int_equal(module->objects->counted_size > 0, !only);
        module_release(module);
    }
}

/* --code-of: code sizes of another file, which was compiled for size; vertices that it lacks are estimated. */
static void sizes_are_taken_from_another_file(void **state)
{
    (void)state;
    need_clang();
    char path[128], flags[256];
    char *data;
    size_t size;
    pop_error error;
    static const char text[] =
        HEAD VERTEX("A", "for (unsigned i = 1; i < 9; ++i) v->out.data[i] += v->out.data[i - 1] / v->out.data[0];");
    struct module *fast = compiled(text, "-O3 --target ipu2"), *small = compiled(text, "-O3 -Os --target ipu1,ipu2");
    uint32_t bytes = measured(small, "A", "ipu2").bytes;
    assert_true(bytes < measured(fast, "A", "ipu2").bytes);
    assert_int_equal(module_write(small, &data, &size, &error), POP_OK);
    assert_int_equal(file_write(in_scratch(path, "small.gp"), data, size, NULL), POP_OK);
    snprintf(flags, sizeof(flags), "-O3 --code-of %s", path);
    struct module *taken = compiled(HEAD VERTEX("A", "v->out.data[0] = 1;") VERTEX("B", "v->out.data[0] = 2;"), flags);
    assert_int_equal(measured(taken, "A", "ipu2").bytes, bytes);
    assert_int_equal(measured(taken, "A", "ipu1").bytes, measured(small, "A", "ipu1").bytes);
    assert_true(code_in(taken, "B", "ipu2").estimated);
    assert_true(code_in(taken, "A", "ipu21").estimated);
    free(data);
    module_release(fast);
    module_release(small);
    module_release(taken);
}

/* Functions of the mathematical library count once each; those that are device instructions have no size. */
static void library_functions_have_known_sizes(void **state)
{
    (void)state;
    need_clang();
#define MATHS(name, body) HEAD "#include <math.h>\n" VERTEX(name, body)
    struct module *instruction = compiled(MATHS("V", "v->out.data[0] = expf(v->out.data[0]);"), "--target ipu2"),
                  *one = compiled(MATHS("V", "v->out.data[0] = atanf(v->out.data[0]);"), "--target ipu2"),
                  *two =
                      compiled(MATHS("V", "v->out.data[0] = fmodf(atanf(v->out.data[0]), atanf(2));"), "--target ipu2");
    assert_int_equal(measured(instruction, "V", "ipu2").shared_bytes, 0);
    assert_int_equal(measured(one, "V", "ipu2").shared_bytes, 700);
    assert_int_equal(measured(two, "V", "ipu2").shared_bytes, 700 + 572);
    module_release(instruction);
    module_release(one);
    module_release(two);
}

/* ---- what cannot be measured ---- */

/* What was logged since the last call. */
static void log_to_scratch(char *path)
{
    setenv("POPLAR_LOG_DEST", in_scratch(path, "log"), 1);
    setenv("POPLAR_CODELETS_LOG_LEVEL", "WARN", 1);
    log_reset();
}

static int times_logged(const char *path, const char *words)
{
    char *text;
    size_t size;
    setenv("POPLAR_LOG_DEST", "stderr", 1);
    log_reset(); /* closes the file */
    if (file_read(path, &text, &size, NULL) != POP_OK)
        return 0;
    int count = 0;
    struct str whole = { 0 };
    str_add_bytes(&whole, text, size);
    for (const char *at = str_text(&whole); (at = strstr(at, words)) != NULL; ++at)
        ++count;
    str_free(&whole);
    free(text);
    return count;
}

static void runs_anyway(struct module *module)
{
    pop_error error;
    float data[4] = { 4, 0, 0, 0 };
    struct {
        float *data;
        size_t size;
    } vertex = { data, 4 };
    assert_int_equal(module_link(module, NULL, &error), POP_OK);
    module_run(module,
               module->codelets)(&(struct codelet_call){ .states = &vertex, .stride = sizeof(vertex), .count = 1 });
    assert_true(data[1] == 2);
}

static void uncompilable_code_is_listed_and_estimated_and_runs(void **state)
{
    (void)state;
    need_clang();
    static const struct {
        const char *text, *reason;
    } cases[] = {
        { HEAD
          "#include <math.h>\n" VERTEX("V", "v->out.data[1] = 2; if (v->out.size == 9) v->out.data[0] = tgammaf(3);"),
          "it uses 'tgammaf'" },
        { HEAD "#include <stdio.h>\n" VERTEX("V", "v->out.data[1] = 2; if (v->out.size == 9) printf(\"%d\", 3);"),
          "it uses 'printf'" },
        { HEAD "#ifdef __IPU__\n#include <nowhere.h>\n#endif\n" VERTEX("V", "v->out.data[1] = 2;"),
          "'nowhere.h' file not found" },
        { HEAD VERTEX("V", "v->out.data[1] = 2; if (v->out.size == 9) __builtin_printf(\"%d\", (int)v->out.size);"),
          "it uses 'printf'" },
        { HEAD VERTEX("V", HOST_CODE " v->out.data[1] = 2;"), "text.c:3:" },
        { HEAD "#ifdef __IPU__\n#error not for us\n#endif\n" VERTEX("V", "v->out.data[1] = 2;"), "not for us" },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i)
        for (int again = 0; again < 2; ++again) { /* a cached entry has it in the list too */
            char path[128];
            log_to_scratch(path);
            struct module *module = compiled(cases[i].text, "--target ipu2");
            struct device_code code = code_in(module, "V", "ipu2");
            assert_true(code.estimated && code.bytes >= 8 && code.bytes < 400);
            if (!strstr(code.reason, cases[i].reason))
                fail_msg("'%s' does not contain '%s'", code.reason, cases[i].reason);
            assert_int_equal(times_logged(path, "code sizes on ipu2 are estimated for 'V'"), 1);
            assert_int_equal(remove(path), 0);
            runs_anyway(module);
            module_release(module);
        }
}

/* Headers of the C++ library that need nothing of the library itself. */
static void standard_headers_are_found(void **state)
{
    (void)state;
    need_clang();
    static const char text[] =
        "#include <algorithm>\n#include <array>\n#include <cassert>\n#include <cmath>\n#include <cstdio>\n#include "
        "<cstdint>\n#include <cstring>\n"
        "#include <functional>\n#include <limits>\n#include <map>\n#include <memory>\n#include <numeric>\n#include "
        "<string>\n#include <tuple>\n"
        "#include <type_traits>\n#include <utility>\n#include <vector>\n#include <poplar/Vertex.hpp>\n"
        "struct V : poplar::Vertex {\n    poplar::Output<poplar::Vector<float>> out;\n    void compute()\n    {\n"
        "        std::array<float, 2> a{ { 1, 2 } };\n        std::sort(out.begin(), out.end());\n"
        "        out[0] = std::max(a[0], std::sqrt(out[1])) + std::numeric_limits<int>::max();\n"
        "        static_assert(sizeof(std::size_t) == sizeof(void *) && sizeof(std::int64_t) == 8, \"\");\n    }\n};\n";
    struct module *module;
    pop_error error;
    if (popc_compile_as(POPC_CPP, "text.cpp", text, "--target ipu2", &module, &error) != POP_OK)
        fail_msg("%s", error.text);
    assert_true(measured(module, "V", "ipu2").bytes > 100);
    module_release(module);
}

static void a_long_list_says_the_reason_first(void **state)
{
    (void)state;
    need_clang();
    struct str text = { 0 }, lines = { 0 };
    str_add(&text, HEAD "#ifdef __IPU__\n#error not for us\n#endif\n");
    for (int i = 0; i < 6; ++i)
        str_format(&text, "POP_VERTEX(V%d) { POP_OUTPUT(float) out; };\nvoid V%d_compute(V%d *v) { *v->out = 1; }\n", i,
                   i, i);
    struct module *module = compiled(text.text, "--target ipu2");
    device_code_list(module, 1u << 1, &lines);
    assert_true(strncmp(lines.text, "text.c: text.c:", 15) == 0);
    assert_non_null(
        strstr(lines.text, "not for us: code sizes on ipu2 are estimated for 'V0', 'V1', 'V2' and 3 more\n"));
    module_release(module);
    str_free(&text);
    str_free(&lines);
}

static void without_clang_one_warning_names_the_package(void **state)
{
    (void)state;
    char path[128];
    setenv("TREMULA_DEVICE_CC", "/nonexistent", 1);
    log_to_scratch(path);
    struct module *module =
        compiled(HEAD VERTEX("V", "v->out.data[1] = 2;") VERTEX("W", "v->out.data[1] = 2;"), "--target ipu2");
    struct device_code code = code_in(module, "V", "ipu2");
    assert_true(code.estimated && code.bytes >= 8 && code.bytes < 40);
    runs_anyway(module);
    module_release(module);
    assert_int_equal(times_logged(path, "install the package clang"), 1);
    /* once clang is found again, the sizes are measured */
    unsetenv("TREMULA_DEVICE_CC");
    need_clang();
    module = compiled(HEAD VERTEX("V", "v->out.data[1] = 2;") VERTEX("W", "v->out.data[1] = 2;"), "--target ipu2");
    measured(module, "W", "ipu2");
    module_release(module);
}

static void a_file_without_sizes_is_listed_where_they_are_wanted(void **state)
{
    (void)state;
    char path[128], file[128], *data;
    size_t size;
    pop_error error;
    struct module *module = compiled(HEAD VERTEX("V", "v->out.data[1] = 2;"), "");
    assert_int_equal(module_write(module, &data, &size, &error), POP_OK);
    assert_int_equal(file_write(in_scratch(file, "v.gp"), data, size, NULL), POP_OK);
    free(data);
    module_release(module);
    log_to_scratch(path);
    assert_int_equal(popc_load(file, "", &module, &error), POP_OK);
    module_release(module);
    assert_int_equal(popc_load(file, "--target ipu2", &module, &error), POP_OK);
    module_release(module);
    assert_int_equal(times_logged(path, "compiled without popc's --target ipu2"), 1);
}

/* ---- what is refused ---- */

static void unknown_targets_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *flags, *words;
    } cases[] = {
        { "--target ipu3", "unknown target 'ipu3'; --target takes ipu1, ipu2, ipu21 and cpu" },
        { "--target ipu2,", "unknown target ''" },
        { "--target=", "unknown target ''" },
        { "--target", "needs an argument" },
        { "--targets ipu2", "unknown flag '--targets'" },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        struct module *module;
        pop_error error;
        assert_int_equal(popc_compile("text.c", HEAD VERTEX("V", ""), cases[i].flags, &module, &error),
                         POP_INVALID_OPTION);
        if (!strstr(error.text, cases[i].words))
            fail_msg("'%s' does not contain '%s'", error.text, cases[i].words);
    }
}

/* The sections of a valid file with another "devices", with a valid checksum. */
static pop_status read_with(const struct module *module, const struct bytes *devices)
{
    static const char magic[8] = { 'T', 'R', 'M', 'C', 'O', 'D', 'E', '\n' };
    struct container_section sections[5];
    struct module *read;
    pop_error error;
    char *data, *other;
    size_t size, count;
    assert_int_equal(module_write(module, &data, &size, &error), POP_OK);
    assert_int_equal(container_open(magic, MODULE_VERSION, "", "", data, size, sections, 5, &count, &error), POP_OK);
    assert_int_equal(count, 4);
    sections[4] = (struct container_section){ "devices", devices->v.data, devices->v.count };
    container_build(magic, MODULE_VERSION, sections, 5, &other, &size);
    pop_status status = module_read("bad.gp", other, size, &read, &error);
    module_release(read);
    free(data);
    free(other);
    return status;
}

static void damaged_sections_are_refused(void **state)
{
    (void)state;
    struct module *module = compiled(HEAD VERTEX("V", "v->out.data[1] = 2;"), "");
    struct bytes good = { 0 };
    const uint8_t flags[] = { 1, 0, 1 };
    for (int arch = 0; arch < 3; ++arch) {
        bytes_u8(&good, flags[arch]);
        for (int i = 0; flags[arch] && i < 3; ++i)
            bytes_u32(&good, 8);
        if (flags[arch]) {
            bytes_u8(&good, arch == 2);
            bytes_string(&good, arch == 2 ? "why" : "");
        }
    }
    assert_int_equal(read_with(module, &good), POP_OK);
    for (size_t length = 0; length < good.v.count; ++length) {
        struct bytes part = { 0 };
        bytes_put(&part, good.v.data, length);
        assert_int_equal(read_with(module, &part), POP_GRAPH_OBJECT_LOAD_ERROR);
        vec_free(&part.v);
    }
    static const struct {
        size_t at;
        uint8_t value;
    } wrong[] = { { 0, 2 }, { 0, 0 }, { 1, 0 }, { 13, 1 }, { 13, 9 }, { 14, 1 }, { 18, 1 }, { 32, 0 }, { 33, 200 } };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); ++i) {
        uint8_t before = good.v.data[wrong[i].at];
        good.v.data[wrong[i].at] = wrong[i].value;
        if (read_with(module, &good) != POP_GRAPH_OBJECT_LOAD_ERROR)
            fail_msg("byte %zu can be %u", wrong[i].at, wrong[i].value);
        good.v.data[wrong[i].at] = before;
    }
    bytes_u8(&good, 0);
    assert_int_equal(read_with(module, &good), POP_GRAPH_OBJECT_LOAD_ERROR);
    vec_free(&good.v);
    module_release(module);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_of_blocks_are_measured),
        cmocka_unit_test_teardown(a_longer_body_has_more_bytes, clean),
        cmocka_unit_test_teardown(only_the_device_has_the_ipu_macro, clean),
        cmocka_unit_test_teardown(functions_that_are_reached_count_once, clean),
        cmocka_unit_test_teardown(a_stack_is_that_of_the_deepest_calls, clean),
        cmocka_unit_test_teardown(a_static_compute_and_the_kinds_of_vertex_are_measured, clean),
        cmocka_unit_test_teardown(the_second_time_runs_no_compiler, clean),
        cmocka_unit_test_teardown(code_is_measured_when_it_is_needed, clean),
        cmocka_unit_test_teardown(a_change_of_a_header_that_only_the_device_includes_is_found, clean),
        cmocka_unit_test_teardown(sizes_are_in_a_file_and_in_a_merged_file, clean),
        cmocka_unit_test_teardown(a_file_may_have_sizes_only, clean),
        cmocka_unit_test_teardown(sizes_are_taken_from_another_file, clean),
        cmocka_unit_test_teardown(library_functions_have_known_sizes, clean),
        cmocka_unit_test_teardown(uncompilable_code_is_listed_and_estimated_and_runs, clean),
        cmocka_unit_test_teardown(standard_headers_are_found, clean),
        cmocka_unit_test_teardown(a_long_list_says_the_reason_first, clean),
        cmocka_unit_test_teardown(without_clang_one_warning_names_the_package, clean),
        cmocka_unit_test_teardown(a_file_without_sizes_is_listed_where_they_are_wanted, clean),
        cmocka_unit_test_teardown(unknown_targets_are_refused, clean),
        cmocka_unit_test_teardown(damaged_sections_are_refused, clean),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
