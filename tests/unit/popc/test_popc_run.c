/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled codelets run on states built by hand. */
#include "popc/module/codelet.h"
#include "popc/module/link.h"
#include "popc/module/machine.h"
#include "popc/module/module.h"
#include "popc/popc.h"

#include <dirent.h>
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
/* cmocka needs the above first */
#include <cmocka.h>

#include "scratch.h"

#include <poplar/type.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

struct span {
    void *data;
    size_t size;
};

static int running_setup(void **state)
{
    char path[512];
    pop_error error;
    struct module *module;
    if (scratch_make() || popc_load(test_codelets(path, sizeof(path), "running.c"), NULL, &module, &error) != POP_OK ||
        module_link(module, NULL, &error) != POP_OK) {
        pop_error_print(&error);
        return 1;
    }
    *state = module;
    return 0;
}

static int running_teardown(void **state)
{
    module_release(*state);
    return scratch_remove();
}

static const struct codelet *find(const struct module *module, const char *name)
{
    for (uint32_t i = 0; i < module->codelet_count; ++i)
        if (strcmp(module->codelets[i].name, name) == 0)
            return module->codelets + i;
    fail_msg("no codelet %s", name);
    return NULL;
}

static void put(const struct codelet *codelet, void *vertex, const char *name, const void *value)
{
    const struct codelet_field *field = codelet_find_field(codelet, name);
    assert_non_null(field);
    memcpy((char *)vertex + field->offset, value, field->bytes);
}

static void put_pointer(const struct codelet *codelet, void *vertex, const char *name, void *to)
{
    put(codelet, vertex, name, &to);
}

static void put_span(const struct codelet *codelet, void *vertex, const char *name, void *data, size_t size)
{
    struct span span = { data, size };
    put(codelet, vertex, name, &span);
}

static bool run(const struct codelet *codelet, void *states, size_t stride, size_t count)
{
    struct codelet_call call = { .states = states, .stride = stride, .count = count, .workers = 6 };
    return module_run(codelet->module, codelet)(&call);
}

/* Several states with their own stride; sizes 0, 1, a prime and more. */
static void a_batch_of_vectors(void **state)
{
    const struct codelet *sum = find(*state, "Sum");
    enum { COUNT = 4 };
    static const size_t sizes[COUNT] = { 0, 1, 7, 1000 };
    size_t stride = sum->state_bytes + 24;
    unsigned char *states = mem_zero(COUNT, stride);
    float in[1000], out[COUNT] = { -1, -1, -1, -1 };
    for (int i = 0; i < 1000; ++i)
        in[i] = (float)i;
    for (int i = 0; i < COUNT; ++i) {
        put_span(sum, states + (size_t)i * stride, "in", in, sizes[i]);
        put_pointer(sum, states + (size_t)i * stride, "out", out + i);
    }
    assert_true(run(sum, states, stride, 0));
    assert_true(out[0] < 0);
    assert_true(run(sum, states, stride, COUNT));
    for (int i = 0; i < COUNT; ++i)
        assert_true(out[i] == (float)(sizes[i] * (sizes[i] ? sizes[i] - 1 : 0) / 2));
    free(states);
}

static void vectors_of_vectors_and_state_that_stays(void **state)
{
    const struct codelet *rows = find(*state, "RowSums");
    void *vertex = mem_zero(1, rows->state_bytes);
    int a[] = { 1, 2, 3 }, b[] = { 10 }, sums[] = { -1, -1, -1, -1 };
    struct span table[] = { { a, 3 }, { NULL, 0 }, { b, 1 } };
    put_span(rows, vertex, "rows", table, 3);
    put_pointer(rows, vertex, "sums", sums);
    assert_true(run(rows, vertex, rows->state_bytes, 1)); /* void counts as true */
    assert_true(run(rows, vertex, rows->state_bytes, 1));
    assert_int_equal(sums[0], 6);
    assert_int_equal(sums[1], 0);
    assert_int_equal(sums[2], 10);
    assert_int_equal(sums[3], -1);
    unsigned runs;
    memcpy(&runs, (char *)vertex + codelet_find_field(rows, "runs")->offset, sizeof(runs));
    assert_int_equal(runs, 2);
    free(vertex);
}

static void a_multi_vertex_runs_all_six_workers(void **state)
{
    const struct codelet *stripes = find(*state, "Stripes");
    void *vertex = mem_zero(1, stripes->state_bytes);
    unsigned out[13], calls[6] = { 0 };
    put_span(stripes, vertex, "out", out, 13);
    put_span(stripes, vertex, "calls", calls, 6);
    assert_false(run(stripes, vertex, stripes->state_bytes, 1)); /* worker 3 returned false */
    for (unsigned i = 0; i < 13; ++i)
        assert_int_equal(out[i], i % 6);
    for (int i = 0; i < 6; ++i)
        assert_int_equal(calls[i], 1);
    free(vertex);
}

static void half_rounds_after_each_operation(void **state)
{
    const struct codelet *mac = find(*state, "HalfMac");
    void *vertex = mem_zero(1, mac->state_bytes);
    /* 1.0009765625 squared is 1.00195407867...; in half it rounds to 1.001953125, so that adding -1.001953125 gives 0.
     */
    uint16_t a = pop_half_from_float(1.0009765625f), c = pop_half_from_float(-1.001953125f), out = 0x1234;
    put_pointer(mac, vertex, "a", &a);
    put_pointer(mac, vertex, "b", &a);
    put_pointer(mac, vertex, "c", &c);
    put_pointer(mac, vertex, "out", &out);
    run(mac, vertex, mac->state_bytes, 1);
    assert_int_equal(out & 0x7fff, 0);
    free(vertex);
}

static void floats_are_not_contracted(void **state)
{
    const struct codelet *mac = find(*state, "FloatMac");
    void *vertex = mem_zero(1, mac->state_bytes);
    volatile float a = 1 + 0x1p-12f, product = a * a; /* its last bit is lost to rounding */
    float value = a, c = -product, out = 1;
    put_pointer(mac, vertex, "a", &value);
    put_pointer(mac, vertex, "b", &value);
    put_pointer(mac, vertex, "c", &c);
    put_pointer(mac, vertex, "out", &out);
    run(mac, vertex, mac->state_bytes, 1);
    assert_true(out == 0);
    free(vertex);
}

static void tables_of_scalars_and_static_computes(void **state)
{
    const struct codelet *pick = find(*state, "Pick");
    void *vertex = mem_zero(1, pick->state_bytes);
    float a = 1, b = 49, out = 0;
    void *table[] = { &a, &b };
    put_span(pick, vertex, "in", table, 2);
    put_pointer(pick, vertex, "out", &out);
    assert_true(run(pick, vertex, pick->state_bytes, 1));
    assert_true(out == 7);
    put_span(pick, vertex, "in", table, 1);
    assert_false(run(pick, vertex, pick->state_bytes, 1));
    free(vertex);
}

/* ---- a codelet that fails ---- */

struct caught {
    struct codelet_call call; /* first, so that fail can cast to the rest */
    jmp_buf back;
    char message[256], file[256];
    int line;
};

static void catch_failure(struct codelet_call *call, const char *message, const char *file, int line)
{
    struct caught *caught = (struct caught *)(void *)call;
    snprintf(caught->message, sizeof(caught->message), "%s", message);
    snprintf(caught->file, sizeof(caught->file), "%s", file ? file : "");
    caught->line = line;
    longjmp(caught->back, 1);
}

static void fails_with(const struct codelet *codelet, int how, struct caught *caught)
{
    unsigned char *states = mem_zero(2, codelet->state_bytes);
    int fine = 0;
    put_pointer(codelet, states, "how", &fine);
    put_pointer(codelet, states + codelet->state_bytes, "how", &how);
    *caught = (struct caught){
        .call = { .states = states, .stride = codelet->state_bytes, .count = 2, .workers = 6, .fail = catch_failure }
    };
    if (setjmp(caught->back) == 0) {
        module_run(codelet->module, codelet)(&caught->call);
        fail_msg("it went on");
    }
    assert_ptr_equal(caught->call.current, states + codelet->state_bytes);
    free(states);
}

static void failures_are_returned_and_name_their_vertex(void **state)
{
    const struct codelet *fails = find(*state, "Fails");
    struct caught caught;
    fails_with(fails, 1, &caught);
    assert_string_equal(caught.message, "assertion '*v->how != 1' failed");
    assert_non_null(strstr(caught.file, "running.c"));
    assert_in_range(caught.line, 90, 110);
    fails_with(fails, 2, &caught);
    assert_string_equal(caught.message, "abort() was called");
    fails_with(fails, 3, &caught);
    assert_string_equal(caught.message, "exit() was called");
}

/* ---- several modules ---- */

static struct module *compile(const char *name, const char *text)
{
    pop_error error;
    struct module *module;
    if (popc_compile(name, text, NULL, &module, &error) != POP_OK || module_link(module, NULL, &error) != POP_OK)
        fail_msg("%s", error.text);
    return module;
}

#define COUNTER(start)                                                                                                 \
    "#include <poplar/vertex.h>\nint total = " start ";\nPOP_VERTEX(V) { POP_OUTPUT(int) out; };\n"                    \
    "void V_compute(V *v) { *v->out = ++total; }\n"

static int count_once(const struct module *module)
{
    const struct codelet *codelet = find(module, "V");
    int out = -1;
    void *vertex = mem_zero(1, codelet->state_bytes);
    put_pointer(codelet, vertex, "out", &out);
    run(codelet, vertex, codelet->state_bytes, 1);
    free(vertex);
    return out;
}

/* Equal names of globals in two files stay separate, although dlopen treats equal paths as one object. */
static void modules_do_not_share_their_globals(void **state)
{
    (void)state;
    struct module *modules[5];
    static const char *const texts[] = { COUNTER("0"), COUNTER("100"), COUNTER("200"), COUNTER("300"), COUNTER("0") };
    static const int starts[] = { 0, 100, 200, 300, 0 };
    for (int i = 0; i < 5; ++i)
        modules[i] = compile("counter.c", texts[i]);
    for (int round = 1; round <= 2; ++round)
        for (int i = 0; i < 5; ++i)
            assert_int_equal(count_once(modules[i]), starts[i] + round);
    for (int i = 0; i < 5; ++i)
        module_release(modules[i]);
}

static void a_missing_symbol_is_named(void **state)
{
    (void)state;
    pop_error error;
    struct module *module;
    assert_int_equal(popc_compile("missing.c",
                                  "#include <poplar/vertex.h>\nint nowhere_defined(void);\nPOP_VERTEX(V) { int x; };\n"
                                  "void V_compute(V *v) { v->x = nowhere_defined(); }\n",
                                  NULL, &module, &error),
                     POP_OK);
    assert_int_equal(module_link(module, NULL, &error), POP_LINK_ERROR);
    assert_non_null(strstr(error.text, "missing.c"));
    assert_non_null(strstr(error.text, "no file defines 'nowhere_defined'"));
    assert_null(strstr(error.text, "/proc/"));
    module_release(module);
}

static void a_level_that_the_machine_lacks_is_refused(void **state)
{
    (void)state;
    pop_error error;
    struct module *module = compile("level.c", COUNTER("5")), *other;
    char *data;
    size_t size;
    unsigned own = module->level;
    for (unsigned level = 1; level < LEVELS; ++level) {
        module->level = level;
        assert_int_equal(module_write(module, &data, &size, NULL), POP_OK);
        assert_int_equal(module_read("level.gp", data, size, &other, &error), POP_OK);
        bool family = (level == LEVEL_ARMV8) == (own == LEVEL_ARMV8);
        assert_int_equal(module_link(other, NULL, &error), family && level <= own ? POP_OK : POP_LINK_ERROR);
        if (!family || level > own) {
            assert_non_null(strstr(error.text, machine_level_name(level)));
            assert_non_null(strstr(error.text, machine_level_name(own)));
        }
        free(data);
        module_release(other);
    }
    module->level = own;
    module_release(module);
}

static void code_of_two_architectures_is_not_merged(void **state)
{
    (void)state;
    pop_error error;
    struct module *merged, *modules[2] = { compile("one.c", COUNTER("5")), compile("two.c", COUNTER("6")) };
    modules[1]->level = modules[1]->level == LEVEL_ARMV8 ? LEVEL_X86_64_V3 : LEVEL_ARMV8;
    assert_int_equal(module_merge(modules, 2, "both.gp", &merged, &error), POP_LINK_ERROR);
    assert_non_null(strstr(error.text, "'two.c' for "));
    module_release(modules[0]);
    module_release(modules[1]);
}

/* The lowest level of this machine, without its number. */
static const char *lowest_march(void)
{
    return machine_level() == LEVEL_ARMV8 ? "-march=armv8-a" : "-march=x86-64";
}

static void flags_of_another_architecture_are_refused(void **state)
{
    (void)state;
    bool arm = machine_level() == LEVEL_ARMV8;
    const char *const refused[] = { arm ? "-march=x86-64-v3" : "-march=armv8-a",
                                    arm ? "-ffloat-behaviour" : "-march=x86-64-v5" };
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); ++i) {
        pop_error error;
        struct module *module;
        assert_int_equal(popc_compile("v.c", COUNTER("5"), refused[i], &module, &error), POP_INVALID_OPTION);
        assert_non_null(strstr(error.text, refused[i]));
        assert_non_null(strstr(error.text, arm ? "armv8-a" : "x86-64-v1 to -v4"));
    }
}

static void optimisation_levels_agree(void **state)
{
    (void)state;
    const char *const flags[] = { "-O0", "-O1", "-O3 -g", lowest_march(), "-std=gnu17 -Wall -DTWICE=2" };
    for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); ++i) {
        pop_error error;
        struct module *module;
        assert_int_equal(popc_compile("v.c", COUNTER("40"), flags[i], &module, &error), POP_OK);
        assert_int_equal(module_link(module, NULL, &error), POP_OK);
        assert_int_equal(count_once(module), 41);
        module_release(module);
    }
}

/* What debuggers use: the file, and the function's name in it. */
static void objects_are_files_on_request(void **state)
{
    (void)state;
    pop_error error;
    struct module *module;
    Dl_info found;
    setenv("TREMULA_CODELET_FILES", scratch_path, 1);
    assert_int_equal(popc_compile("v.c", COUNTER("40"), "-g", &module, &error), POP_OK);
    assert_int_equal(module_link(module, NULL, &error), POP_OK);
    assert_int_equal(count_once(module), 41);
    assert_true(dladdr((void *)(uintptr_t)module_run(module, module->codelets), &found) != 0);
    assert_non_null(strstr(found.dli_fname, scratch_path));
    assert_non_null(found.dli_sname);
    assert_int_equal(access(found.dli_fname, R_OK), 0);
    module_release(module);

    setenv("TREMULA_CODELET_FILES", "/nonexistent", 1);
    assert_int_equal(popc_compile("v.c", COUNTER("41"), "-g", &module, &error), POP_OK);
    assert_int_not_equal(module_link(module, NULL, &error), POP_OK);
    assert_non_null(strstr(error.text, "TREMULA_CODELET_FILES: '/nonexistent/codelets-"));
    unsetenv("TREMULA_CODELET_FILES");
    module_release(module);
}

/* All lines that a command prints about a file. */
static void ask(const char *command, const char *file, char *answer, size_t size)
{
    char line[1024];
    snprintf(line, sizeof(line), command, file);
    FILE *out = popen(line, "r");
    assert_non_null(out);
    answer[fread(answer, 1, size - 1, out)] = 0;
    pclose(out);
}

/* The path of the file of a linked module with one codelet. */
static const char *file_of(const struct module *module)
{
    Dl_info found;
    assert_true(dladdr((void *)(uintptr_t)module_run(module, module->codelets), &found) != 0);
    assert_non_null(strstr(found.dli_fname, scratch_path));
    return found.dli_fname;
}

/* A stripped object, as libraries have, gets the names of its vertex types; one that is compiled with debug information
 * has lines too. */
static void debuggers_and_profilers_name_codelets(void **state)
{
    (void)state;
    static char answer[1 << 16];
    struct module *stripped, *module;
    pop_error error;
    assert_int_equal(popc_compile("stripped.c", COUNTER("50"), NULL, &stripped, &error), POP_OK);
    setenv("TREMULA_CODELET_FILES", scratch_path, 1);
    assert_int_equal(module_link(stripped, NULL, &error), POP_OK);
    assert_int_equal(count_once(stripped), 51);
    ask("nm '%s'", file_of(stripped), answer, sizeof(answer));
    assert_non_null(strstr(answer, " T V\n"));
    assert_null(strstr(answer, "pop_run_"));
    assert_int_equal(popc_compile("lines.c", "\n\n" COUNTER("60"), NULL, &module, &error), POP_OK);
    assert_int_equal(module_link(module, NULL, &error), POP_OK);
    assert_int_equal(count_once(module), 61);
    ask("nm '%s'", file_of(module), answer, sizeof(answer));
    assert_non_null(strstr(answer, " T V\n"));
    if (system("gdb --version >/dev/null 2>&1") == 0) {
        ask("gdb -nx -batch -ex 'info line V_compute' '%s' 2>&1", file_of(module), answer, sizeof(answer));
        assert_non_null(strstr(answer, "Line 6 of "));
        assert_non_null(strstr(answer, "lines.c\" starts at address"));
        ask("gdb -nx -batch -ex 'info address V' '%s' 2>&1", file_of(stripped), answer, sizeof(answer));
        assert_non_null(strstr(answer, "Symbol \"V\" is at 0x"));
    }
    unsetenv("TREMULA_CODELET_FILES");
    module_release(module);
    module_release(stripped);
}

/* A kernel that two types share has no name in a stripped object. */
#define SHARED                                                                                                         \
    "#include <poplar/vertex.h>\n__attribute__((noinline)) static int twice(int x) { return x * 2 + 1; }\n"            \
    "POP_VERTEX(A) { POP_OUTPUT(int) out; };\nvoid A_compute(A *v) { *v->out = twice(*v->out); }\n"                    \
    "POP_VERTEX(B) { POP_OUTPUT(int) out; };\nvoid B_compute(B *v) { *v->out = twice(*v->out) + 1; }\n"

static void functions_of_stripped_objects_are_named_after_their_callers(void **state)
{
    (void)state;
    struct module *module;
    struct bytes named = { .v = { 0 } };
    pop_error error;
    assert_int_equal(popc_compile("shared.c", SHARED, NULL, &module, &error), POP_OK);
    const bool needed[2] = { false, true };
    assert_true(object_with_names(module, 0, needed, &named));
    static const char both[] = " and 1 more";
    assert_null(memmem(named.v.data, named.v.count, both, strlen(both)));
    named.v.count = 0;
    assert_true(object_with_names(module, 0, NULL, &named));
    bool intel = machine_level() != LEVEL_ARMV8; /* elsewhere only the types' own functions have names */
    assert_true(!intel || memmem(named.v.data, named.v.count, both, strlen(both)));
    for (size_t size = module->objects[0].size; size-- > 0;) { /* damaged: no read beyond the end */
        struct module_object cut = { .data = mem_copy(module->objects[0].data, size), .size = size };
        struct module damaged = *module;
        damaged.objects = &cut;
        named.v.count = 0;
        bool there = object_with_names(&damaged, 0, NULL, &named);
        assert_true(there == (named.v.count > 0));
        free((void *)(uintptr_t)cut.data);
    }
    vec_free(&named.v);
    module_release(module);
}

/* Only objects of codelets that are needed are loaded. */
static void objects_are_loaded_when_they_are_needed(void **state)
{
    (void)state;
    struct module *parts[] = { compile("first.c", COUNTER("1")),
                               compile("second.c",
                                       "#include <poplar/vertex.h>\nPOP_VERTEX(W) { POP_OUTPUT(int) out; };\n"
                                       "void W_compute(W *v) { *v->out = 1; }\n") };
    struct module *merged;
    pop_error error;
    assert_int_equal(module_merge(parts, 2, "both.gp", &merged, &error), POP_OK);
    assert_int_equal(merged->codelet_count, 2);
    bool needed[2] = { false, true };
    assert_int_equal(module_link(merged, needed, &error), POP_OK);
    assert_null(merged->objects[merged->codelets[0].object].handle);
    assert_non_null(merged->objects[merged->codelets[1].object].handle);
    assert_int_equal(module_link(merged, NULL, &error), POP_OK);
    assert_non_null(merged->objects[merged->codelets[0].object].handle);
    module_release(merged);
    module_release(parts[0]);
    module_release(parts[1]);
}

static unsigned count_codelet_files(void)
{
    unsigned count = 0;
    DIR *directory = opendir(scratch_path);
    assert_non_null(directory);
    for (struct dirent *entry; (entry = readdir(directory));)
        count += strncmp(entry->d_name, "codelets-", 9) == 0;
    closedir(directory);
    return count;
}

/* A file size limit in place of a full disk. */
static void an_object_that_cannot_be_written_leaves_no_file(void **state)
{
    (void)state;
    pop_error error;
    struct module *module;
    struct rlimit limit, small;
    assert_int_equal(popc_compile("v.c", COUNTER("42"), "-g", &module, &error), POP_OK);
    unsigned before = count_codelet_files();
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    small = (struct rlimit){ 100, limit.rlim_max };
    signal(SIGXFSZ, SIG_IGN);
    setenv("TREMULA_CODELET_FILES", scratch_path, 1);
    setrlimit(RLIMIT_FSIZE, &small);
    pop_status status = module_link(module, NULL, &error);
    setrlimit(RLIMIT_FSIZE, &limit);
    unsetenv("TREMULA_CODELET_FILES");
    signal(SIGXFSZ, SIG_DFL);
    assert_int_not_equal(status, POP_OK);
    assert_non_null(strstr(error.text, "File too large"));
    assert_int_equal(count_codelet_files(), before);
    module_release(module);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_batch_of_vectors),
        cmocka_unit_test(vectors_of_vectors_and_state_that_stays),
        cmocka_unit_test(a_multi_vertex_runs_all_six_workers),
        cmocka_unit_test(half_rounds_after_each_operation),
        cmocka_unit_test(floats_are_not_contracted),
        cmocka_unit_test(tables_of_scalars_and_static_computes),
        cmocka_unit_test(failures_are_returned_and_name_their_vertex),
        cmocka_unit_test(modules_do_not_share_their_globals),
        cmocka_unit_test(a_missing_symbol_is_named),
        cmocka_unit_test(a_level_that_the_machine_lacks_is_refused),
        cmocka_unit_test(code_of_two_architectures_is_not_merged),
        cmocka_unit_test(flags_of_another_architecture_are_refused),
        cmocka_unit_test(optimisation_levels_agree),
        cmocka_unit_test(objects_are_files_on_request),
        cmocka_unit_test(debuggers_and_profilers_name_codelets),
        cmocka_unit_test(functions_of_stripped_objects_are_named_after_their_callers),
        cmocka_unit_test(objects_are_loaded_when_they_are_needed),
        cmocka_unit_test(an_object_that_cannot_be_written_leaves_no_file),
    };
    return cmocka_run_group_tests(tests, running_setup, running_teardown);
}
