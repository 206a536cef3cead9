/* SPDX-License-Identifier: Apache-2.0 */
/* popc as users see it: errors with their own lines, the cache, .gp files and what is refused. */
#include "popc/module/codelet.h"
#include "popc/module/link.h"
#include "popc/module/machine.h"
#include "popc/module/module.h"
#include "popc/popc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
/* cmocka needs the above first */
#include <cmocka.h>

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "scratch.h"

#include <poplar/popc.h>
#include <pthread.h>

#define VERTEX(name)                                                                                                   \
    "#include <poplar/vertex.h>\nPOP_VERTEX(" name ") { POP_OUTPUT(int) out; };\nvoid " name "_compute(" name          \
    " *v) { *v->out = 1; }\n"

static int clean(void **state)
{
    (void)state;
    unsetenv("TREMULA_CC");
    return scratch_empty();
}

static const char *in_scratch(char *path, const char *name)
{
    snprintf(path, 128, "%s/%s", scratch_path, name);
    return path;
}

static void write_file(const char *name, const char *text)
{
    char path[128];
    assert_int_equal(file_write(in_scratch(path, name), text, strlen(text), NULL), POP_OK);
}

static bool compiles(const char *text, const char *flags)
{
    struct module *module;
    pop_error error;
    pop_status status = popc_compile("text.c", text, flags, &module, &error);
    module_release(module);
    return status == POP_OK;
}

#define EXPECT(call, status_, ...)                                                                                     \
    do {                                                                                                               \
        const char *const words[] = { __VA_ARGS__ };                                                                   \
        assert_int_equal(call, status_);                                                                               \
        assert_int_equal(error.status, status_);                                                                       \
        for (size_t w = 0; w < sizeof(words) / sizeof(words[0]); ++w)                                                  \
            if (!strstr(error.text, words[w]))                                                                         \
                fail_msg("'%s' does not contain '%s'", error.text, words[w]);                                          \
    } while (0)

/* ---- errors ---- */

static void the_compilers_message_has_the_users_line(void **state)
{
    (void)state;
    pop_error error;
    struct module *module;
    const char *text = "#include <poplar/vertex.h>\nPOP_VERTEX(V) {\n    POP_OUTPUT(int) out;\n};\n"
                       "void V_compute(V *v)\n{\n    *v->out = nothing;\n}\n";
    EXPECT(popc_compile("dir/mine.c", text, NULL, &module, &error), POP_GRAPH_PROGRAM_COMPILATION_ERROR,
           "cannot compile 'dir/mine.c'", "dir/mine.c:7:15: error: 'nothing' undeclared");
    assert_null(module);
    text = "#include <poplar/vertex.h>\nPOP_VERTEX(V) {\n    POP_INPUT(POP_VECTOR(float, ROUND)) in;\n};\nvoid "
           "V_compute(V *v) { }\n";
    EXPECT(popc_compile("mine.c", text, NULL, &module, &error), POP_GRAPH_PROGRAM_COMPILATION_ERROR,
           "mine.c:3:", "ROUND");
    text = "#include <poplar/vertex.h>\nPOP_VERTEX(V) {\n    POP_INPUT(float) in;\n};\nvoid V_compute(V *v) { *v->in = "
           "1; }\n";
    EXPECT(popc_compile("mine.c", text, NULL, &module, &error), POP_GRAPH_PROGRAM_COMPILATION_ERROR,
           "mine.c:5:", "read-only");
    text = "#include \"nowhere.h\"\n";
    EXPECT(popc_compile("mine.c", text, NULL, &module, &error), POP_GRAPH_PROGRAM_COMPILATION_ERROR,
           "mine.c:1:", "nowhere.h");
}

static void a_long_message_begins_with_its_error(void **state)
{
    (void)state;
    struct str text = { 0 };
    for (int i = 0; i < 40; ++i)
        str_format(&text, "#warning number %d\n", i);
    str_add(&text, "int x = nothing;\n");
    pop_error error;
    struct module *module;
    EXPECT(popc_compile("mine.c", text.text, NULL, &module, &error), POP_GRAPH_PROGRAM_COMPILATION_ERROR,
           "mine.c:41:9: error: 'nothing'");
    str_free(&text);
}

/* Fields that share a byte of the state would let one write change the other. */
static void fields_that_overlap_are_refused(void **state)
{
    (void)state;
    static const char text[] = "#include <poplar/vertex.h>\n"
                               "POP_VERTEX(Two) { POP_INPUT(POP_VECTOR(float)) in; POP_OUTPUT(float) out; };\n"
                               "bool Two_compute(Two *v) { *v->out = (float)v->in.size; return true; }\n";
    pop_error error;
    struct module *module, *read;
    assert_int_equal(popc_compile("two.c", text, NULL, &module, &error), POP_OK);
    struct codelet_field *fields = module->codelets[0].fields;
    uint32_t right = fields[1].offset;
    for (int wrong = 0; wrong <= 1; ++wrong) {
        char *data;
        size_t size;
        fields[1].offset = wrong ? fields[0].offset + fields[0].bytes - 8 : right;
        assert_int_equal(module_write(module, &data, &size, &error), POP_OK);
        if (wrong)
            EXPECT(module_read("two.gp", data, size, &read, &error), POP_GRAPH_OBJECT_LOAD_ERROR, "two.gp", "damaged");
        else
            assert_int_equal(module_read("two.gp", data, size, &read, &error), POP_OK);
        module_release(read);
        free(data);
    }
    module_release(module);
}

static void files_that_are_not_codelets(void **state)
{
    (void)state;
    pop_error error;
    struct module *module;
    EXPECT(popc_load("nowhere.c", NULL, &module, &error), POP_FILE_LOAD_ERROR, "cannot open 'nowhere.c'");
    EXPECT(popc_load("nowhere.gp", NULL, &module, &error), POP_FILE_LOAD_ERROR, "cannot open 'nowhere.gp'");
    EXPECT(popc_load("nowhere.S", NULL, &module, &error), POP_FILE_LOAD_ERROR, "cannot open 'nowhere.S'");
    EXPECT(popc_load("nowhere.cpp", NULL, &module, &error), POP_FILE_LOAD_ERROR, "cannot open 'nowhere.cpp'");
    EXPECT(popc_load("codelets", NULL, &module, &error), POP_FILE_LOAD_ERROR,
           "'codelets' does not end as a codelet file", ".gp");
}

static void flags_that_are_refused(void **state)
{
    (void)state;
    pop_error error;
    struct module *module;
#define FLAG(flags, ...)                                                                                               \
    EXPECT(popc_compile("v.c", VERTEX("V"), flags, &module, &error), POP_INVALID_OPTION, __VA_ARGS__)
    FLAG("-O7", "unknown flag '-O7'", "did you mean '-O0'");
    FLAG("-g -includ x.h", "unknown flag '-includ'", "did you mean '-include'");
    FLAG("-Wl,-z,now", "unknown flag '-Wl,-z,now'");
    FLAG("-I", "'-I' needs an argument");
    FLAG("-std=c89", "unknown flag '-std=c89'");
    FLAG("x.c", "unknown flag 'x.c'");
}

static void flags_reach_the_compiler(void **state)
{
    (void)state;
    write_file("wanted.h", "#define WANTED 3\n");
    char flags[256];
    snprintf(flags, sizeof(flags), "-D A=1 -DB='2' -I %s -include wanted.h \"-DC=4\"", scratch_path);
    assert_true(compiles("#if A != 1 || B != 2 || WANTED != 3 || C != 4\n#error\n#endif\n" VERTEX("V"), flags));
    assert_false(compiles("#warning no\n" VERTEX("V"), "-Werror"));
}

/* ---- the compiler and the cache ---- */

static void a_vertex_may_have_a_name_that_c_cannot_spell(void **state)
{
    (void)state;
    struct module *module;
    pop_error error;
    assert_int_equal(popc_compile("mine.c", VERTEX("SumFloat") "POP_VERTEX_NAME(SumFloat, \"ns::Sum<float,true>\");\n",
                                  "--target ipu2", &module, &error),
                     POP_OK);
    assert_int_equal(module->codelet_count, 1);
    assert_string_equal(module->codelets[0].name, "ns::Sum<float,true>");
    assert_int_equal(module_link(module, NULL, &error), POP_OK);
    assert_non_null(module_run(module, module->codelets));
    module_release(module);
    EXPECT(popc_compile("mine.c", VERTEX("A") "POP_VERTEX_NAME(B, \"x\");\n", NULL, &module, &error),
           POP_GRAPH_PROGRAM_COMPILATION_ERROR, "not a vertex", "'B'");
    EXPECT(popc_compile("mine.c", VERTEX("A") VERTEX("B") "POP_VERTEX_NAME(A, \"B\");\n", NULL, &module, &error),
           POP_GRAPH_PROGRAM_COMPILATION_ERROR, "two vertices", "'B'");
    EXPECT(popc_compile("mine.c", VERTEX("A") "POP_VERTEX_NAME(A, \"\");\n", NULL, &module, &error),
           POP_GRAPH_PROGRAM_COMPILATION_ERROR, "empty", "'A'");
}

static void a_missing_compiler_names_the_remedies(void **state)
{
    (void)state;
    pop_error error;
    struct module *module;
    setenv("TREMULA_CC", "/nonexistent/gcc", 1);
    EXPECT(popc_compile("v.c", VERTEX("V"), NULL, &module, &error), POP_NO_ENVIRONMENT, "'/nonexistent/gcc'",
           "install gcc", "TREMULA_CC", ".gp");
}

static void a_hit_needs_no_compiler(void **state)
{
    (void)state;
    assert_true(compiles(VERTEX("V"), NULL));
    setenv("TREMULA_CC", "/nonexistent/gcc", 1);
    assert_true(compiles(VERTEX("V"), NULL));
    assert_true(compiles(VERTEX("V"), ""));
    assert_false(compiles(VERTEX("W"), NULL));  /* other source */
    assert_false(compiles(VERTEX("V"), "-O1")); /* other flags */
    assert_false(compiles(VERTEX("V"), "-DX"));
    if (machine_level() > LEVEL_X86_64 && machine_level() <= LEVEL_X86_64_V4)
        assert_false(compiles(VERTEX("V"), "-march=x86-64"));
}

/* A compiler of another version than the entry's is run. */
static void a_change_of_compiler_compiles_again(void **state)
{
    (void)state;
    assert_true(compiles(VERTEX("V"), NULL));
    setenv("TREMULA_CC", "/bin/false", 1);
    assert_false(compiles(VERTEX("V"), NULL));
}

static void a_changed_include_compiles_again(void **state)
{
    (void)state;
    char path[128];
    pop_error error;
    struct module *module;
    write_file("part.h", "#define TYPE float\n");
    write_file("whole.c", "#include \"part.h\"\n#include <poplar/vertex.h>\nPOP_VERTEX(V) { TYPE x; };\nvoid "
                          "V_compute(V *v) { v->x = 0; }\n");
    assert_int_equal(popc_load(in_scratch(path, "whole.c"), NULL, &module, &error), POP_OK);
    assert_int_equal(module->codelets[0].fields[0].type, POP_FLOAT);
    module_release(module);
    write_file("part.h", "#define TYPE short\n");
    assert_int_equal(popc_load(path, NULL, &module, &error), POP_OK);
    assert_int_equal(module->codelets[0].fields[0].type, POP_SHORT);
    module_release(module);
    setenv("TREMULA_CC", "/nonexistent/gcc", 1);
    assert_int_equal(popc_load(path, NULL, &module, &error), POP_OK);
    module_release(module);
    write_file("part.h", "#define TYPE int\n");
    assert_int_equal(popc_load(path, NULL, &module, &error), POP_NO_ENVIRONMENT);
}

/* Alters one byte of each cache entry. */
static void damage_cache(void)
{
    DIR *directory = opendir(scratch_path);
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        char path[512], *data;
        size_t size;
        if (!strstr(entry->d_name, ".codelets"))
            continue;
        snprintf(path, sizeof(path), "%s/%s", scratch_path, entry->d_name);
        assert_int_equal(file_read(path, &data, &size, NULL), POP_OK);
        data[size / 2] ^= 1;
        assert_int_equal(file_write(path, data, size, NULL), POP_OK);
        free(data);
    }
    closedir(directory);
}

static void a_damaged_entry_is_made_again(void **state)
{
    (void)state;
    assert_true(compiles(VERTEX("V"), NULL));
    damage_cache();
    setenv("TREMULA_CC", "/nonexistent/gcc", 1);
    assert_false(compiles(VERTEX("V"), NULL));
    unsetenv("TREMULA_CC");
    assert_true(compiles(VERTEX("V"), NULL));
    setenv("TREMULA_CC", "/nonexistent/gcc", 1);
    assert_true(compiles(VERTEX("V"), NULL));
}

static void no_cache_is_no_error(void **state)
{
    (void)state;
    setenv("TREMULA_CACHE_DIR", "/proc/nowhere", 1);
    bool good = compiles(VERTEX("V"), NULL);
    setenv("TREMULA_CACHE_DIR", scratch_path, 1);
    assert_true(good);
}

static void *compile_in_thread(void *number)
{
    struct module *module;
    pop_error error;
    char text[256];
    snprintf(text, sizeof(text), VERTEX("V") "int number = %d;\n", (int)(intptr_t)number % 2);
    bool good =
        popc_compile("thread.c", text, NULL, &module, &error) == POP_OK && module_link(module, NULL, &error) == POP_OK;
    module_release(module);
    return good ? number : NULL;
}

static void threads_may_compile_at_once(void **state)
{
    (void)state;
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    for (intptr_t i = 0; i < THREADS; ++i)
        assert_int_equal(pthread_create(threads + i, NULL, compile_in_thread, (void *)(i + 1)), 0);
    for (int i = 0; i < THREADS; ++i) {
        void *result;
        pthread_join(threads[i], &result);
        assert_non_null(result);
    }
}

/* ---- .gp files ---- */

static void every_damage_of_a_gp_is_seen(void **state)
{
    (void)state;
    struct module *module, *read;
    pop_error error;
    char *data;
    size_t size;
    assert_int_equal(popc_compile("v.c", VERTEX("V"), NULL, &module, &error), POP_OK);
    assert_int_equal(module_write(module, &data, &size, NULL), POP_OK);
    module_release(module);
    for (size_t at = 0; at < size; at += at < 512 ? 1 : 97) {
        data[at] ^= 0x10;
        assert_int_not_equal(module_read("v.gp", data, size, &read, &error), POP_OK);
        assert_null(read);
        assert_non_null(strstr(error.text, "v.gp"));
        data[at] ^= 0x10;
    }
    for (size_t length = 0; length < size; length += length < 512 ? 1 : 101) {
        char *part = mem_copy(data, length); /* an allocation of this exact size, for the sanitizer */
        assert_int_not_equal(module_read("v.gp", part, length, &read, &error), POP_OK);
        free(part);
    }
    assert_int_equal(module_read("v.gp", data, size, &read, &error), POP_OK);
    module_release(read);
    free(data);
}

static void sources_and_gps_merge(void **state)
{
    (void)state;
    char a[128], b[128], first[128], both[128];
    pop_error error;
    struct module *module;
    write_file("a.c", VERTEX("A") "int helper(void);\nint helper(void) { return 1; }\n");
    write_file("b.c", VERTEX("B") "int helper(void);\nint helper(void) { return 2; }\n");
    in_scratch(a, "a.c");
    in_scratch(b, "b.c");
    in_scratch(first, "first.gp");
    in_scratch(both, "both.gp");
    assert_int_equal(popc_compile_files((const char *const[]){ a }, 1, "-O1", first, false, &error), POP_OK);
    assert_int_equal(popc_compile_files((const char *const[]){ first, b }, 2, NULL, both, false, &error), POP_OK);
    assert_int_equal(popc_load(both, NULL, &module, &error), POP_OK);
    assert_int_equal(module->codelet_count, 2);
    assert_int_equal(module_link(module, NULL, &error), POP_OK);
    for (uint32_t i = 0; i < 2; ++i) {
        int out = 0, *vertex = &out;
        struct codelet_call call = { .states = &vertex, .stride = sizeof(vertex), .count = 1 };
        assert_true(module_run(module, module->codelets + i)(&call));
        assert_int_equal(out, 1);
    }
    module_release(module);
    EXPECT(popc_compile_files((const char *const[]){ both, a }, 2, NULL, first, false, &error),
           POP_GRAPH_OBJECT_CREATION_ERROR, "'A'", "both.gp", "a.c");
}

static void a_failure_leaves_no_output(void **state)
{
    (void)state;
    char bad[128], good[128], output[128], nowhere[128];
    pop_error error;
    write_file("bad.c", "int x = y;\n");
    write_file("good.c", VERTEX("V"));
    in_scratch(output, "out.gp");
    in_scratch(nowhere, "no/such/place.gp");
    EXPECT(popc_compile_files((const char *const[]){ in_scratch(good, "good.c"), in_scratch(bad, "bad.c") }, 2, NULL,
                              output, false, &error),
           POP_GRAPH_PROGRAM_COMPILATION_ERROR, "bad.c:1:9");
    assert_int_not_equal(access(output, F_OK), 0);
    EXPECT(popc_compile_files((const char *const[]){ good }, 1, NULL, nowhere, false, &error), POP_POPLAR_ERROR,
           "cannot write", "place.gp");
    EXPECT(popc_compile_files(NULL, 0, NULL, output, false, &error), POP_INVALID_OPTION, "no input file");
}

/* A text may end without a newline, and with anything. */
static void the_last_line_may_have_no_newline(void **state)
{
    (void)state;
    assert_true(compiles(VERTEX("V") "// the end", ""));
    assert_true(compiles(VERTEX("V") "#define LAST 1", ""));
    assert_true(compiles(VERTEX("V") "static int last;", "-O0"));
}

/* Warning flags are part of the key of a cache entry. */
static void warning_flags_have_their_own_entries(void **state)
{
    (void)state;
    static const char text[] = VERTEX("V") "static int unused_one(void) { return 1; }\n";
    pop_error error;
    struct module *module;
    char log[128];
    setenv("POPLAR_CODELETS_LOG_LEVEL", "WARN", 1);
    setenv("POPLAR_LOG_DEST", in_scratch(log, "log"), 1);
    static const char *const flags[] = { "", "-Wall", "", "-Wall" };
    for (int i = 0; i < 4; ++i) {
        char *said = NULL;
        size_t size;
        unlink(log);
        log_reset();
        assert_int_equal(popc_compile("text.c", text, flags[i], &module, &error), POP_OK);
        module_release(module);
        bool warned = file_read(log, &said, &size, NULL) == POP_OK && strstr(said, "unused_one");
        assert_int_equal(warned, i % 2);
        free(said);
    }
    unsetenv("POPLAR_CODELETS_LOG_LEVEL");
    unsetenv("POPLAR_LOG_DEST");
    log_reset();
}

/* An entry whose header is missing is not used. */
static void a_missing_header_makes_the_entry_invalid(void **state)
{
    (void)state;
    static const char text[] = "#include \"gone.h\"\n" VERTEX("V");
    char path[128], flags[160];
    struct module *module;
    pop_error error;
    write_file("gone.h", "#define GONE 1\n");
    snprintf(flags, sizeof(flags), "-I%s", scratch_path);
    assert_int_equal(popc_compile("text.c", text, flags, &module, &error), POP_OK);
    module_release(module);
    unlink(in_scratch(path, "gone.h"));
    EXPECT(popc_compile("text.c", text, flags, &module, &error), POP_GRAPH_PROGRAM_COMPILATION_ERROR, "gone.h");
}

static void an_output_that_is_an_input_is_refused(void **state)
{
    (void)state;
    char path[128], other[160], *text;
    size_t size;
    pop_error error;
    write_file("same.c", VERTEX("V"));
    in_scratch(path, "same.c");
    snprintf(other, sizeof(other), "%s/./same.c", scratch_path);
    EXPECT(popc_compile_files((const char *const[]){ path }, 1, NULL, path, false, &error), POP_INVALID_OPTION,
           "would be lost", "same.c");
    EXPECT(popc_compile_files((const char *const[]){ path }, 1, NULL, other, false, &error), POP_INVALID_OPTION,
           "would be lost");
    assert_int_equal(file_read(path, &text, &size, NULL), POP_OK);
    assert_string_equal(text, VERTEX("V"));
    free(text);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, clean)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(the_last_line_may_have_no_newline, clean),
        cmocka_unit_test_teardown(warning_flags_have_their_own_entries, clean),
        cmocka_unit_test_teardown(a_missing_header_makes_the_entry_invalid, clean),
        cmocka_unit_test_teardown(an_output_that_is_an_input_is_refused, clean),
        TEST(the_compilers_message_has_the_users_line),
        TEST(a_long_message_begins_with_its_error),
        TEST(fields_that_overlap_are_refused),
        TEST(files_that_are_not_codelets),
        TEST(flags_that_are_refused),
        TEST(flags_reach_the_compiler),
        TEST(a_vertex_may_have_a_name_that_c_cannot_spell),
        TEST(a_missing_compiler_names_the_remedies),
        TEST(a_hit_needs_no_compiler),
        TEST(a_change_of_compiler_compiles_again),
        TEST(a_changed_include_compiles_again),
        TEST(a_damaged_entry_is_made_again),
        TEST(no_cache_is_no_error),
        TEST(threads_may_compile_at_once),
        TEST(every_damage_of_a_gp_is_seen),
        TEST(sources_and_gps_merge),
        TEST(a_failure_leaves_no_output),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
