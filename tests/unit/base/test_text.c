/* SPDX-License-Identifier: Apache-2.0 */
/* Growing text, interned text, arenas, and texts of errors. */
#include "base/error.h"
#include "base/intern.h"
#include "base/str.h"
#include "base/terminal.h"

#include <locale.h>
#include <poplar/text.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_text_grows(void **state)
{
    (void)state;
    struct str s = { 0 };
    assert_string_equal(str_text(&s), "");
    for (int i = 0; i < 1000; ++i)
        str_format(&s, "%03d", i);
    str_add_bytes(&s, "ab\0cd", 2);
    assert_int_equal(s.length, 3002);
    assert_int_equal(strlen(s.text), 3002);
    assert_string_equal(s.text + 2997, "999ab");
    str_free(&s);
    assert_null(s.text);
}

static void test_nearest_names(void **state)
{
    (void)state;
    static const char *const names[] = { "tiles", "type", "workers", "memory" };
    assert_string_equal(str_nearest("tile", names, 4), "tiles");
    assert_string_equal(str_nearest("wrokers", names, 4), "workers");
    assert_string_equal(str_nearest("memory", names, 4), "memory");
    assert_null(str_nearest("something else", names, 4));
    assert_null(str_nearest("tile", NULL, 0));
    char longest[300];
    memset(longest, 'x', sizeof(longest) - 1);
    longest[sizeof(longest) - 1] = 0;
    assert_null(str_nearest(longest, names, 4));
}

static void test_interning(void **state)
{
    (void)state;
    struct intern table = { 0 };
    char name[32];
    assert_int_equal(intern_find(&table, "a"), UINT32_MAX);
    assert_int_equal(intern_add(&table, ""), 0);
    assert_int_equal(intern_add(&table, NULL), 0);
    for (uint32_t round = 0; round < 2; ++round)
        for (uint32_t i = 1; i <= 5003; ++i) {
            snprintf(name, sizeof(name), "name %u", (unsigned)i);
            assert_int_equal(intern_add(&table, name), i);
        }
    assert_string_equal(intern_text(&table, 4999), "name 4999");
    assert_int_equal(intern_find(&table, "name 17"), 17);
    assert_int_equal(intern_find(&table, "name 0"), UINT32_MAX);
    assert_string_equal(intern_text(&table, 9999), "");
    intern_free(&table);
}

static void test_arenas(void **state)
{
    (void)state;
    struct arena arena = { 0 };
    static const size_t sizes[] = { 0, 1, 17, 4096, 3, 100003, 16 };
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); ++i) {
        unsigned char *memory = arena_alloc(&arena, sizes[i]);
        assert_int_equal((uintptr_t)memory % 16, 0);
        memset(memory, 0xaa, sizes[i]);
    }
    assert_string_equal(arena_string(&arena, "kept"), "kept");
    arena_free(&arena);
    assert_null(arena.block);
}

static void test_large_blocks_may_fail(void **state)
{
    (void)state;
    assert_null(mem_try(SIZE_MAX));
    unsigned char *memory = mem_try(65);
    assert_int_equal((uintptr_t)memory % 64, 0);
    for (int i = 0; i < 65; ++i)
        assert_int_equal(memory[i], 0);
    free(memory);
    free(mem_try(0));
    enum { LARGE = 9 << 20, LARGE_PAGE = 2 << 20 };
    memory = mem_try(LARGE);
    assert_int_equal((uintptr_t)memory % LARGE_PAGE, 0);
    for (int i = 0; i < LARGE; ++i)
        assert_int_equal(memory[i], 0);
    memset(memory, 0xaa, LARGE);
    free(memory);
    memory = mem_try(LARGE); /* mostly the same addresses */
    for (int i = 0; i < LARGE; ++i)
        assert_int_equal(memory[i], 0);
    free(memory);
}

static void test_kinds_of_error(void **state)
{
    (void)state;
    assert_string_equal(pop_status_name(POP_OK), "ok");
    assert_string_equal(pop_status_name(POP_INVALID_TILE_MAPPING), "invalid_tile_mapping");
    assert_string_equal(pop_status_name((pop_status)9999), "unknown status");
    assert_int_equal(pop_status_base(POP_APPLICATION_RUNTIME_ERROR), POP_RUNTIME_ERROR);
    assert_int_equal(pop_status_base(POP_RECOVERABLE_RUNTIME_ERROR), POP_SYSTEM_RUNTIME_ERROR);
    for (int i = 1; i < POP_STATUS_COUNT; ++i) { /* every kind derives from poplar_error */
        pop_status kind = (pop_status)i;
        int steps = 0;
        while (kind != POP_POPLAR_ERROR && steps++ < 5)
            kind = pop_status_base(kind);
        assert_int_equal(kind, POP_POPLAR_ERROR);
    }
    assert_int_equal(pop_status_base(POP_POPLAR_ERROR), POP_OK);
}

static void test_errors_as_text(void **state)
{
    (void)state;
    char text[4096], large[3000], path[400];
    pop_error error;
    assert_int_equal(error_set(NULL, POP_TYPE_ERROR, NO_WHERE, "call", "%d", 1), POP_TYPE_ERROR);
    error_set(&error, POP_TYPE_ERROR, (pop_where){ "user.c", 12, 0 }, "pop_call", "saw %d", 7);
    error_note(&error, "and %s", "more");
    error_path(&error, "model/layer");
    size_t length = pop_error_format(&error, text, sizeof(text));
    assert_string_equal(text, "pop_call: type_error: saw 7\nand more\n  in model/layer\n  at user.c:12");
    assert_int_equal(length, strlen(text));
    assert_int_equal(pop_error_format(&error, text, 5), length);
    assert_string_equal(text, "pop_");
    assert_int_equal(pop_error_format(&error, NULL, 0), length);
    pop_error_format(NULL, text, sizeof(text));
    assert_string_equal(text, "no error");
    /* Text that is too long is cut at its end, a path at its beginning. */
    memset(large, 'x', sizeof(large) - 1);
    large[sizeof(large) - 1] = 0;
    error_set(&error, POP_TYPE_ERROR, NO_WHERE, large, "%s", large);
    error_note(&error, "no space");
    snprintf(path, sizeof(path), "%.300s/end", large);
    error_path(&error, path);
    assert_int_equal(strlen(error.text), sizeof(error.text) - 1);
    assert_string_equal(error.path + strlen(error.path) - 4, "/end");
}

/* The same bytes in every locale, where the machine has one with a decimal comma (scripts/test-locale brings its own).
 */
static void test_numbers_follow_no_locale(void **state)
{
    (void)state;
    const char *before = setlocale(LC_ALL, NULL);
    char kept[128], text[POP_TEXT_DOUBLE], *end;
    snprintf(kept, sizeof(kept), "%s", before);
    static const char *const names[] = { "C", "de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8" };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); ++i) {
        if (!setlocale(LC_ALL, names[i]))
            continue;
        static const double values[] = { 0, -0.5, 0.1, 1e20, 1.0 / 3, 1e-320, 123456789.125 };
        for (size_t v = 0; v < sizeof(values) / sizeof(values[0]); ++v) {
            size_t length = pop_text_from_double(values[v], text);
            assert_int_equal(length, strlen(text));
            assert_null(strchr(text, ','));
            assert_true(pop_text_to_double(text, &end) == values[v] && !*end);
        }
        assert_true(pop_text_to_double("1.5,2", &end) == 1.5 && *end == ',');
        assert_true(pop_text_to_double("x", &end) == 0 && *end == 'x');
        pop_text_format(text, sizeof(text), "%.2f|%d", 2.5, 1000000);
        assert_string_equal(text, "2.50|1000000");
        assert_string_equal(pop_text_from_errno(2), "No such file or directory");
        assert_false(pop_text_is_word((char)0xe9));
    }
    setlocale(LC_ALL, kept);
}

/* A message does not change a thread's own locale. */
static void test_a_threads_locale_is_kept(void **state)
{
    (void)state;
    char text[32];
    locale_t own = newlocale(LC_ALL_MASK, "POSIX", NULL);
    assert_true(own != NULL);
    locale_t before = uselocale(own);
    pop_text_format(text, sizeof(text), "%.1f %d", 0.5, 3);
    assert_string_equal(text, "0.5 3");
    assert_true(uselocale(NULL) == own);
    uselocale(before);
    freelocale(own);
}

/* The text that a terminal gets, when it is written in parts of so many bytes. */
static void expect_shown(const char *text, size_t part, const char *shown)
{
    char *got = NULL;
    size_t size = 0;
    struct terminal state;
    FILE *to = open_memstream(&got, &size), *stream = terminal_stream(&state, to);
    setvbuf(stream, NULL, _IONBF, 0);
    for (size_t at = 0, length = strlen(text); at < length; at += part)
        assert_true(fwrite(text + at, 1, part < length - at ? part : length - at, stream) > 0);
    assert_int_equal(fclose(stream), 0);
    assert_int_equal(fclose(to), 0); /* it stayed open */
    assert_string_equal(got, shown);
    free(got);
}

/* Names of strangers neither move a terminal's cursor nor colour, hide or turn around its text. */
static void test_terminals_show_control_characters(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        { "plain\ttext\n", "plain\ttext\n" },
        { "\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m" },
        { "a\rb\x07\x7f\x01", "a\\x0db\\x07\\x7f\\x01" },
        { "\xc2\x9b[2J\xc2\xa0", "\\u009b[2J\xc2\xa0" },
        { "\xe2\x80\xae"
          "evil\xe2\x81\xa9\xe2\x80\x8f\xd8\x9c",
          "\\u202eevil\\u2069\\u200f\\u061c" },
        { "\xc3\xa4\xe2\x82\xac\xf0\x9f\x8c\xb3", "\xc3\xa4\xe2\x82\xac\xf0\x9f\x8c\xb3" },
        { "\x9b\xff"
          "a\xe2\x82"
          "b\xf0\x9f",
          "\\x9b\\xffa\\xe2\\x82b\\xf0\\x9f" },
        { "", "" },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i)
        for (size_t part = 1; part <= 8; ++part)
            expect_shown(cases[i][0], part, cases[i][1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_threads_locale_is_kept),
        cmocka_unit_test(test_text_grows),
        cmocka_unit_test(test_nearest_names),
        cmocka_unit_test(test_interning),
        cmocka_unit_test(test_arenas),
        cmocka_unit_test(test_large_blocks_may_fail),
        cmocka_unit_test(test_kinds_of_error),
        cmocka_unit_test(test_errors_as_text),
        cmocka_unit_test(test_terminals_show_control_characters),
        cmocka_unit_test(test_numbers_follow_no_locale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
