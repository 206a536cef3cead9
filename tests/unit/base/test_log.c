/* SPDX-License-Identifier: Apache-2.0 */
#include "base/file.h"
#include "base/log.h"

#include <pthread.h>
#include <regex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static const char file_name[] = "test_log.txt";

static int clear(void **state)
{
    (void)state;
    static const char *const names[] = { "POPLAR_LOG_LEVEL",         "POPLAR_LOG_DEST",
                                         "POPLAR_ENGINE_LOG_LEVEL",  "POPLIBS_LOG_LEVEL",
                                         "POPLIBS_LOG_DEST",         "POPLAR_TENSOR_LOG_LEVEL",
                                         "POPLIBS_POPLIN_LOG_LEVEL", "POPLAR_POPLIN_LOG_LEVEL" };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); ++i)
        unsetenv(names[i]);
    log_reset();
    unlink(file_name);
    return 0;
}

static char *logged(void)
{
    char *text;
    size_t size;
    return file_read(file_name, &text, &size, NULL) == POP_OK ? text : calloc(1, 1);
}

/* What is written to fd 2 while what() runs. */
static char *on_stderr(void (*what)(void))
{
    char *text;
    size_t size;
    FILE *file = tmpfile();
    fflush(stderr);
    int saved = dup(2);
    dup2(fileno(file), 2);
    what();
    fflush(stderr);
    dup2(saved, 2);
    close(saved);
    rewind(file);
    assert_int_equal(file_read_stream(file, &text, &size, NULL), POP_OK);
    fclose(file);
    return text;
}

static size_t lines(const char *text)
{
    size_t count = 0;
    for (; *text; ++text)
        count += *text == '\n';
    return count;
}

static void one_of_each(void)
{
    LOG(ENGINE, ERR, "e");
    LOG(ENGINE, WARN, "w");
    LOG(ENGINE, INFO, "i");
    LOG(ENGINE, DEBUG, "d");
    LOG(ENGINE, TRACE, "t");
}

static void test_each_level_prints_its_own_messages(void **state)
{
    (void)state;
    static const char *const names[] = { "OFF", "ERR", "WARN", "INFO", "DEBUG", "TRACE", "trace" };
    setenv("POPLAR_LOG_DEST", file_name, 1);
    for (size_t level = 0; level < 7; ++level) {
        unlink(file_name);
        setenv("POPLAR_LOG_LEVEL", names[level], 1);
        log_reset();
        one_of_each();
        char *text = logged();
        assert_int_equal(lines(text), level < 6 ? level : 5);
        free(text);
        assert_int_equal(access(file_name, F_OK) == 0, level > 0); /* level OFF creates no file */
        assert_false(log_on(LOG_ENGINE, LOG_OFF));
    }
}

static void test_the_format_of_a_line(void **state)
{
    (void)state;
    setenv("POPLAR_LOG_LEVEL", "INFO", 1);
    setenv("POPLAR_LOG_DEST", file_name, 1);
    log_reset();
    LOG(GRAPH, WARN, "two %d\nlines\n", 2);
    LOG(TARGET, INFO, "%s", "");
    char *text = logged();
    regex_t pattern;
    assert_int_equal(regcomp(&pattern,
                             "^PO:GRAPH [0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:]{8}\\.[0-9]{3} \\[WARN\\] two 2\n"
                             "PO:GRAPH [^\n]* \\[WARN\\] lines\nPO:TARGET [^\n]* \\[INFO\\] \n$",
                             REG_EXTENDED | REG_NOSUB),
                     0);
    assert_int_equal(regexec(&pattern, text, 0, NULL, 0), 0);
    regfree(&pattern);
    /* the time of day, in UTC, at most a minute old */
    int hour = (text[20] - '0') * 10 + text[21] - '0', minute = (text[23] - '0') * 10 + text[24] - '0';
    int now = (int)(time(NULL) / 60 % 1440), age = (now - (hour * 60 + minute) + 1440) % 1440;
    if (age > 1)
        fail_msg("%d minutes old: %.40s", age, text);
    free(text);
}

static void test_modules_and_libraries_are_separate(void **state)
{
    (void)state;
    setenv("POPLAR_LOG_LEVEL", "ERR", 1);
    setenv("POPLAR_TENSOR_LOG_LEVEL", "TRACE", 1);
    log_reset();
    assert_true(log_on(LOG_TENSOR, LOG_TRACE) && !log_on(LOG_GRAPH, LOG_WARN) && log_on(LOG_GRAPH, LOG_ERR));
    /* POPLAR_LOG_LEVEL does not apply to the libraries, which log warnings by default. */
    assert_true(log_on(LOG_POPLIBS, LOG_WARN) && !log_on(LOG_POPLIBS, LOG_INFO));
    setenv("POPLIBS_LOG_LEVEL", "INFO", 1);
    setenv("POPLIBS_LOG_DEST", file_name, 1);
    log_reset();
    LOG(POPLIBS, INFO, "popops::add");
    char *text = logged();
    assert_int_equal(strncmp(text, "PL:POPLIBS ", 11), 0);
    free(text);
}

static void test_each_library_has_a_level(void **state)
{
    (void)state;
    static const struct {
        enum log_module module;
        const char *name;
    } libraries[] = { { LOG_POPUTIL, "POPUTIL" },   { LOG_POPOPS, "POPOPS" },      { LOG_POPLIN, "POPLIN" },
                      { LOG_POPNN, "POPNN" },       { LOG_POPRAND, "POPRAND" },    { LOG_POPSOLVER, "POPSOLVER" },
                      { LOG_POPFLOAT, "POPFLOAT" }, { LOG_POPSPARSE, "POPSPARSE" } };
    setenv("POPLIBS_LOG_DEST", file_name, 1);
    for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); ++i) {
        char variable[64], begins[32];
        snprintf(variable, sizeof(variable), "POPLIBS_%s_LOG_LEVEL", libraries[i].name);
        snprintf(begins, sizeof(begins), "PL:%s ", libraries[i].name);
        setenv("POPLIBS_LOG_LEVEL", "ERR", 1);
        setenv("POPLAR_LOG_LEVEL", "OFF", 1);
        setenv(variable, "DEBUG", 1);
        unlink(file_name);
        log_reset();
        for (size_t k = 0; k < sizeof(libraries) / sizeof(libraries[0]); ++k) {
            assert_int_equal(log_on(libraries[k].module, LOG_DEBUG), k == i);
            assert_true(log_on(libraries[k].module, LOG_ERR));
        }
        assert_true(log_on(LOG_POPLIBS, LOG_ERR) && !log_on(LOG_POPLIBS, LOG_WARN) && !log_on(LOG_COMPILER, LOG_ERR));
        log_write(libraries[i].module, LOG_DEBUG, "plan");
        char *text = logged();
        assert_int_equal(strncmp(text, begins, strlen(begins)), 0);
        free(text);
        unsetenv(variable);
    }
    setenv("POPLAR_POPLIN_LOG_LEVEL", "TRACE", 1); /* a library is not a module of poplar */
    log_reset();
    assert_false(log_on(LOG_POPLIN, LOG_WARN));
    clear(NULL);
    for (int m = 0; m < LOG_MODULES; ++m) /* default: warnings */
        assert_true(log_on((enum log_module)m, LOG_WARN) && !log_on((enum log_module)m, LOG_INFO));
}

static void unknown_level(void)
{
    setenv("POPLAR_LOG_LEVEL", "VERBOSE", 1);
    log_reset();
    one_of_each();
    one_of_each();
}

static void unopenable_file(void)
{
    setenv("POPLAR_LOG_LEVEL", "ERR", 1);
    setenv("POPLAR_LOG_DEST", "no/such/directory/log", 1);
    log_reset();
    one_of_each();
    one_of_each();
}

static void test_mistakes_are_reported_once(void **state)
{
    (void)state;
    char *text = on_stderr(unknown_level);
    static const char complaint[] =
        "tremula: POPLAR_LOG_LEVEL: unknown log level 'VERBOSE', it can be OFF, ERR, WARN, INFO, DEBUG or TRACE\n";
    assert_int_equal(strncmp(text, complaint, sizeof(complaint) - 1), 0);
    assert_int_equal(lines(text), 1 + 4); /* an error and a warning, twice */
    free(text);
    text = on_stderr(unopenable_file);
    assert_int_equal(lines(text), 3);
    assert_int_equal(strncmp(text,
                             "tremula: POPLAR_LOG_DEST: cannot open 'no/such/directory/log', logging to standard error "
                             "instead\nPO:ENGINE ",
                             106),
                     0);
    free(text);
}

static void *chatter(void *user)
{
    (void)user;
    for (int i = 0; i < 200; ++i)
        LOG(ENGINE, INFO, "message %d of a thread that says a little more than one word", i);
    return NULL;
}

static void test_lines_of_threads_do_not_mix(void **state)
{
    (void)state;
    setenv("POPLAR_LOG_LEVEL", "INFO", 1);
    setenv("POPLAR_LOG_DEST", file_name, 1);
    log_reset();
    pthread_t threads[4];
    for (int i = 0; i < 4; ++i)
        assert_int_equal(pthread_create(&threads[i], NULL, chatter, NULL), 0);
    for (int i = 0; i < 4; ++i)
        pthread_join(threads[i], NULL);
    char *text = logged();
    assert_int_equal(lines(text), 800);
    size_t begins = 0;
    for (const char *at = text; (at = strstr(at, "PO:ENGINE ")); ++at)
        begins += at == text || at[-1] == '\n';
    assert_int_equal(begins, 800);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_each_level_prints_its_own_messages, clear, clear),
        cmocka_unit_test_setup_teardown(test_the_format_of_a_line, clear, clear),
        cmocka_unit_test_setup_teardown(test_modules_and_libraries_are_separate, clear, clear),
        cmocka_unit_test_setup_teardown(test_each_library_has_a_level, clear, clear),
        cmocka_unit_test_setup_teardown(test_mistakes_are_reported_once, clear, clear),
        cmocka_unit_test_setup_teardown(test_lines_of_threads_do_not_mix, clear, clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
