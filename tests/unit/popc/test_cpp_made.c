/* SPDX-License-Identifier: Apache-2.0 */
/* Code of a C++ source that runs before any vertex, static initialisers and constructors: its faults end neither popc
 * nor the program. */
#include "popc/compile/made.h"
#include "popc/module/link.h"
#include "popc/popc.h"

#include "base/str.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
/* cmocka needs the above first */
#include <cmocka.h>

#include "scratch.h"

#define HEAD   "#include <stdlib.h>\n#include <poplar/Vertex.hpp>\nusing namespace poplar;\n"
#define VERTEX "class V : public Vertex { public: int x = 1; V() { %s } void compute() { x = value; } };\n"

static struct module *compiled(const char *text)
{
    pop_error error;
    struct module *module;
    if (popc_compile("made.cpp", text, NULL, &module, &error) != POP_OK)
        fail_msg("%s", error.text);
    return module;
}

/* One vertex; statements in the initialiser of a static number, and in its constructor. */
static void with_code(struct str *text, const char *initialiser, const char *constructor)
{
    str_format(text, HEAD "static int make() { %s; return 7; }\nint value = make();\n" VERTEX, initialiser,
               constructor);
}

static void code_that_fails_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *initialiser, *constructor, *words;
    } rows[] = {
        { "", "*(volatile int *)8 = 1;",
          "made.cpp: the default constructor of 'V' was ended by signal 11 (Segmentation fault)" },
        { "", "char b[100000000]; b[0] = 1; x = b[(long)this % 100];",
          "the default constructor of 'V' was ended by signal 11" },
#if defined(__x86_64__) /* elsewhere a trap is another signal, and division by zero raises none */
        { "", "__builtin_trap();", "the default constructor of 'V' was ended by signal 4" },
        { "", "volatile int none = 0; x = 100 / none;", "the default constructor of 'V' was ended by signal 8" },
#endif
        { "", "exit(3);", "the default constructor of 'V' failed: exit() was called" },
        { "", "kill_self(9);", "the default constructor of 'V' was ended by signal 9 (Killed)" },
        { "exit(3)", "", "a static initialiser failed: exit() was called" },
        { "abort()", "", "a static initialiser failed: abort() was called" },
        { "assert(1 > 2)", "", "a static initialiser failed: assertion '1 > 2' failed" },
        { "return *(volatile int *)8", "", "a static initialiser was ended by signal 11 (Segmentation fault)" },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        struct str text = { 0 };
        pop_error error;
        struct module *module;
        str_add(&text, "#include <assert.h>\n#include <signal.h>\n#include <unistd.h>\nstatic void kill_self(int by) { "
                       "kill(getpid(), by); }\n");
        with_code(&text, rows[i].initialiser, rows[i].constructor);
        if (popc_compile("made.cpp", text.text, NULL, &module, &error) != POP_GRAPH_PROGRAM_COMPILATION_ERROR)
            fail_msg("no '%s'", rows[i].words);
        assert_null(module);
        if (!strstr(error.text, rows[i].words))
            fail_msg("'%s' does not contain '%s'", error.text, rows[i].words);
        str_free(&text);
    }
}

/* Some systems' compilers protect stacks by default: the C library would end the process. */
static void protected_stacks(void **state)
{
    (void)state;
    char path[128];
    struct str text = { 0 };
    pop_error error;
    struct module *module;
    snprintf(path, sizeof(path), "%s/g++", scratch_path);
    FILE *script = fopen(path, "w");
    assert_non_null(script);
    fputs("#!/bin/sh\nexec g++ -fstack-protector-all \"$@\"\n", script);
    fclose(script);
    assert_int_equal(chmod(path, 0700), 0);
    const char *before = getenv("TREMULA_CXX");
    char *kept = before ? strdup(before) : NULL;
    setenv("TREMULA_CXX", path, 1);
    with_code(&text, "", "volatile char a[8]; volatile int most = 40; for (int i = 0; i < most; ++i) a[i] = 1;");
    assert_int_equal(popc_compile("made.cpp", text.text, NULL, &module, &error), POP_GRAPH_PROGRAM_COMPILATION_ERROR);
    assert_non_null(strstr(error.text, "the default constructor of 'V' failed: it wrote beyond an array of its own"));
    if (kept)
        setenv("TREMULA_CXX", kept, 1);
    else
        unsetenv("TREMULA_CXX");
    free(kept);
    str_free(&text);
}

/* A program that ignores SIGCHLD gets the same result. */
static void ignored_children(void **state)
{
    (void)state;
    struct str text = { 0 };
    pop_error error;
    struct module *module;
    struct sigaction ignore = { .sa_handler = SIG_IGN }, before;
    sigaction(SIGCHLD, &ignore, &before);
    with_code(&text, "", "x = 41;");
    module = compiled(text.text);
    int x;
    memcpy(&x, module->codelets[0].defaults + module->codelets[0].fields[0].offset, sizeof(x));
    assert_int_equal(x, 41);
    module_release(module);
    text.length = 0;
    with_code(&text, "", "*(volatile int *)8 = 1;");
    assert_int_equal(popc_compile("made.cpp", text.text, NULL, &module, &error), POP_GRAPH_PROGRAM_COMPILATION_ERROR);
    assert_non_null(strstr(error.text, "the default constructor of 'V' ended its process"));
    sigaction(SIGCHLD, &before, NULL);
    str_free(&text);
}

/* popc has run it before; its behaviour may depend on the process. */
static void code_that_fails_when_loaded(void **state)
{
    (void)state;
    struct str text = { 0 };
    pop_error error;
    with_code(&text, "if (getenv(\"TREMULA_TEST_LEAVE\")) exit(1)", "while (getenv(\"TREMULA_TEST_LOOP\"));");
    struct module *module = compiled(text.text);
    setenv("TREMULA_TEST_LEAVE", "1", 1);
    assert_int_equal(module_link(module, NULL, &error), POP_LINK_ERROR);
    assert_non_null(
        strstr(error.text, "cannot load the code of 'made.cpp': a static initialiser failed: exit() was called"));
    unsetenv("TREMULA_TEST_LEAVE");
    assert_int_equal(module_link(module, NULL, &error), POP_OK);

    struct reflection reflection = {
        .source = "made.cpp", .language = POPC_CPP, .arena = &module->arena, .error = &error
    };
    *vec_push(&reflection.vertices) = (struct reflected){ .codelet = module->codelets[0] };
    assert_int_equal(made_read(&reflection, module->objects[0].data, module->objects[0].size, 1), POP_OK);
    setenv("TREMULA_TEST_LOOP", "1", 1);
    time_t start = time(NULL);
    assert_int_equal(made_read(&reflection, module->objects[0].data, module->objects[0].size, 1),
                     POP_GRAPH_PROGRAM_COMPILATION_ERROR);
    assert_true(time(NULL) - start < 8);
    assert_non_null(strstr(error.text, "the default constructor of 'V' did not end within 1 s"));
    unsetenv("TREMULA_TEST_LOOP");
    vec_free(&reflection.vertices);
    module_release(module);
    str_free(&text);
}

/* Objects with constructors and destructors, in each of two sources of one file. */
static void statics_are_there_when_vertices_run(void **state)
{
    (void)state;
    pop_error error;
    static const char source[] =
        HEAD "struct Held { int n; Held(int n) : n(n) {} ~Held() { n = 0; } };\nstatic Held held(40), more(held.n + "
             "2);\nstatic int &value = more.n;\n"
             "class V : public Vertex { public: int x = 3; void compute() { x += value; } };\n";
    struct module *module = compiled(source);
    assert_int_equal(module_link(module, NULL, &error), POP_OK);
    int x;
    memcpy(&x, module->codelets[0].defaults, sizeof(x));
    assert_int_equal(x, 3);
    struct codelet_call call = { .states = &x, .stride = sizeof(x), .count = 1, .workers = 1 };
    assert_true(module_run(module, module->codelets)(&call));
    assert_int_equal(x, 45);
    module_release(module);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(code_that_fails_is_named),
        cmocka_unit_test(protected_stacks),
        cmocka_unit_test(ignored_children),
        cmocka_unit_test(code_that_fails_when_loaded),
        cmocka_unit_test(statics_are_there_when_vertices_run),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
