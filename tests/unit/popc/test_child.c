/* SPDX-License-Identifier: Apache-2.0 */
/* Compilers as child processes: they end with the process that started them, and within limits. */
#include "popc/compile/child.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define SHELL(text) ((const char *const[]){ "/bin/sh", "-c", text, NULL })

/* Waits until a process is gone; false if it is there after ten seconds. */
static bool ends(pid_t process)
{
    for (int i = 0; i < 1000 && kill(process, 0) == 0; ++i) {
        waitpid(process, NULL, WNOHANG); /* its parent is gone: it is this process's now */
        usleep(10000);
    }
    return kill(process, 0) != 0;
}

/* The number in a file, once there is one. */
static pid_t number_in(const char *name)
{
    int number = 0;
    for (int i = 0; i < 1000 && number <= 0; ++i) {
        FILE *file = fopen(name, "r");
        if (!file || fscanf(file, "%d\n", &number) != 1)
            usleep(10000);
        if (file)
            fclose(file);
    }
    assert_true(number > 0);
    return number;
}

/* The compiler's own child, as cc1 is gcc's, does not outlive the program, however that ends. */
static void compilers_end_with_the_program(void **state)
{
    (void)state;
    static const int how[] = { SIGKILL, SIGALRM, SIGSEGV, 0 };
    for (size_t i = 0; i < sizeof(how) / sizeof(how[0]); ++i) {
        unlink("test_child.pid");
        pid_t program = fork();
        if (!program) {
            struct child child;
            for (int s = 1; s < 32; ++s)
                signal(s, SIG_DFL);
            if (child_start(&child,
                            SHELL("sleep 300 & echo $! >test_child.tmp; mv test_child.tmp test_child.pid; wait"),
                            NULL) != POP_OK)
                _exit(1);
            number_in("test_child.pid");
            if (how[i])
                raise(how[i]);
            _exit(0);
        }
        waitpid(program, NULL, 0);
        assert_true(ends(number_in("test_child.pid")));
    }
    unlink("test_child.pid");
}

static void a_time_limit_ends_all_of_a_compiler(void **state)
{
    (void)state;
    struct str said = { 0 };
    int code = 0;
    time_t begun = time(NULL);
    setenv("TREMULA_CC_SECONDS", "1", 1);
    assert_int_equal(child_run(SHELL("echo begun; sleep 300 & echo $! >test_child.pid; wait"), &said, &code, NULL),
                     POP_OK);
    unsetenv("TREMULA_CC_SECONDS");
    assert_int_equal(code, 128 + SIGKILL);
    assert_string_equal(str_text(&said),
                        "begun\nerror: the compiler did not end within 1 seconds (TREMULA_CC_SECONDS)\n");
    assert_true(time(NULL) - begun < 60);
    assert_true(ends(number_in("test_child.pid")));
    unlink("test_child.pid");
    str_free(&said);
}

static void a_memory_limit_is_inherited(void **state)
{
    (void)state;
    static const struct {
        const char *megabytes, *kilobytes;
    } rows[] = { { "300", "307200\n" }, { NULL, "8388608\n" }, { "x", "8388608\n" }, { "0", NULL } };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        struct str said = { 0 };
        int code;
        if (rows[i].megabytes)
            setenv("TREMULA_CC_MEGABYTES", rows[i].megabytes, 1);
        assert_int_equal(child_run(SHELL("sh -c 'ulimit -v'"), &said, &code, NULL), POP_OK);
        unsetenv("TREMULA_CC_MEGABYTES");
        assert_int_equal(code, 0);
        if (rows[i].kilobytes)
            assert_string_equal(str_text(&said), rows[i].kilobytes);
        str_free(&said);
    }
    struct str said = { 0 };
    int code;
    child_run(SHELL("echo 'cc1: out of memory'; exit 1"), &said, &code, NULL);
    assert_int_equal(code, 1);
    assert_non_null(strstr(str_text(&said), "error: a compiler may use 8192 megabytes (TREMULA_CC_MEGABYTES)"));
    str_free(&said);
}

/* A server that a compiler started, as some caches do, stays. */
static void what_a_compiler_leaves_behind_is_not_ended(void **state)
{
    (void)state;
    struct str said = { 0 };
    int code;
    assert_int_equal(child_run(SHELL("sleep 30 >/dev/null 2>&1 & echo $!"), &said, &code, NULL), POP_OK);
    pid_t server = atoi(str_text(&said));
    usleep(100000);
    assert_true(server > 0 && kill(server, 0) == 0);
    kill(server, SIGKILL);
    str_free(&said);
}

static void what_cannot_be_run_is_named(void **state)
{
    (void)state;
    struct str said = { 0 };
    int code;
    pop_error error;
    assert_int_equal(child_run((const char *const[]){ "/nowhere/cc", NULL }, &said, &code, &error), POP_NO_ENVIRONMENT);
    assert_non_null(strstr(error.text, "cannot run '/nowhere/cc': No such file or directory"));
    assert_int_equal(child_run(SHELL("echo out; echo err >&2; exit 7"), &said, &code, &error), POP_OK);
    assert_int_equal(code, 7);
    assert_string_equal(str_text(&said), "out\nerr\n");
    str_free(&said);
}

int main(void)
{
    setenv("POPLAR_LOG_LEVEL", "OFF", 1);
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compilers_end_with_the_program), cmocka_unit_test(a_time_limit_ends_all_of_a_compiler),
        cmocka_unit_test(a_memory_limit_is_inherited),    cmocka_unit_test(what_a_compiler_leaves_behind_is_not_ended),
        cmocka_unit_test(what_cannot_be_run_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
