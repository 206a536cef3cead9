/* SPDX-License-Identifier: Apache-2.0 */
/* PrintTensor's text: the guide's form, the newer one, alignment, wrapping, summaries, unusual shapes. */
#include "engine/engine.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char *printed(const char *title, pop_type type, const uint64_t *dims, size_t rank, const void *data,
                     pop_print_format format)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    print_tensor(file, title, type, dims, rank, data, &format);
    fclose(file);
    return text;
}

/* The formats that src/program makes, without a graph. */
#define EXPECT(text_, ...)                                                                                             \
    do {                                                                                                               \
        char *got = printed(__VA_ARGS__);                                                                              \
        assert_string_equal(got, text_);                                                                               \
        free(got);                                                                                                     \
    } while (0)
#define DIMS(...) (const uint64_t[]){ __VA_ARGS__ }, sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t)

static void guide_text(void **state)
{
    (void)state;
    EXPECT("v1-debug: {1,1.5,2,2.5}\n", "v1-debug", POP_FLOAT, DIMS(4), (float[]){ 1, 1.5f, 2, 2.5f },
           pop_print_format_guide());
    EXPECT("v1-debug: {0,0,0,0}\n", "v1-debug", POP_FLOAT, DIMS(4), (float[]){ 0, 0, 0, 0 }, pop_print_format_guide());
    EXPECT("v4-0: {0,1,2,3,4,5,6,7,8,9}\n", "v4-0", POP_INT, DIMS(10), (int[]){ 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 },
           pop_print_format_guide());
    EXPECT("v3: {\n {5,4.5},\n {4,3.5}\n}\n", "v3", POP_FLOAT, DIMS(2, 2), (float[]){ 5, 4.5f, 4, 3.5f },
           pop_print_format_guide());
}

static void newer_text(void **state)
{
    (void)state;
    EXPECT("v2: [7.0000000 6.0000000 4.5000000 2.5000000]\n", "v2", POP_FLOAT, DIMS(4), (float[]){ 7, 6, 4.5f, 2.5f },
           pop_print_format_default());
    EXPECT("v4-1: [10 11 12 13 14 15 16 17 18 19]\n", "v4-1", POP_INT, DIMS(10),
           (int[]){ 10, 11, 12, 13, 14, 15, 16, 17, 18, 19 }, pop_print_format_default());
    EXPECT("v3: [\n [5.0000000 4.5000000]\n [4.0000000 3.5000000]\n]\n", "v3", POP_FLOAT, DIMS(2, 2),
           (float[]){ 5, 4.5f, 4, 3.5f }, pop_print_format_default());
}

static void elements_are_aligned(void **state)
{
    (void)state;
    EXPECT("a: [ -7 100   0]\n", "a", POP_INT, DIMS(3), (int[]){ -7, 100, 0 }, pop_print_format_default());
    EXPECT("b: [100.50000   2.25000]\n", "b", POP_FLOAT, DIMS(2), (float[]){ 100.5f, 2.25f },
           pop_print_format_default());
    EXPECT("c: [1.0000000e+10 1.0000000e+00]\n", "c", POP_FLOAT, DIMS(2), (float[]){ 1e10f, 1 },
           pop_print_format_default());
    EXPECT("d: [      nan       inf 1.0000000]\n", "d", POP_FLOAT, DIMS(3),
           (float[]){ 0.0f / 0.0f * -1, 1e38f * 10, 1 }, pop_print_format_default());
}

static void unusual_shapes(void **state)
{
    (void)state;
    EXPECT("s: 3\n", "s", POP_UNSIGNED_CHAR, NULL, 0, (unsigned char[]){ 3 }, pop_print_format_default());
    EXPECT("[]\n", NULL, POP_FLOAT, DIMS(0), "", pop_print_format_default());
    EXPECT("[]\n", "", POP_FLOAT, DIMS(2, 0), "", pop_print_format_default());
    EXPECT("r: [\n [\n  [1 2]\n ]\n [\n  [3 4]\n ]\n]\n", "r", POP_SHORT, DIMS(2, 1, 2), (short[]){ 1, 2, 3, 4 },
           pop_print_format_default());
    EXPECT("h: [1.5000000]\n", "h", POP_HALF, DIMS(1), (uint16_t[]){ 0x3e00 }, pop_print_format_default());
    EXPECT("u: [18446744073709551615]\n", "u", POP_UNSIGNED_LONGLONG, DIMS(1), (uint64_t[]){ UINT64_MAX },
           pop_print_format_default());
    EXPECT("o: 1 0\n", "o", POP_BOOL, DIMS(2), (unsigned char[]){ 1, 0 }, pop_print_format_plain());
}

static void long_rows_wrap(void **state)
{
    (void)state;
    int numbers[40];
    for (int i = 0; i < 40; ++i)
        numbers[i] = i;
    pop_print_format format = pop_print_format_default();
    format.max_line_width = 32;
    char *text = printed("", POP_INT, DIMS(40), numbers, format);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        assert_true(strlen(line) <= 33);
    free(text);
}

static void many_elements_are_summarised(void **state)
{
    (void)state;
    static int numbers[1001];
    for (int i = 0; i < 1001; ++i)
        numbers[i] = i;
    EXPECT("n: [   0    1    2  ...  998  999 1000]\n", "n", POP_INT, DIMS(1001), numbers, pop_print_format_default());
    pop_print_format format = pop_print_format_default();
    format.summarise_threshold = 10;
    format.edge_items = 1;
    EXPECT("m: [\n [ 0 ...  4]\n ...\n [15 ... 19]\n]\n", "m", POP_INT, DIMS(4, 5), numbers, format);
}

/* PrintTensorFmt(0, 3, 0): neither shortened nor split. */
static void zero_is_no_limit(void **state)
{
    (void)state;
    static int numbers[1500];
    pop_print_format format = pop_print_format_default();
    format.summarise_threshold = format.max_line_width = 0;
    char *text = printed("n", POP_INT, DIMS(1500), numbers, format);
    assert_int_equal(strlen(text), strlen("n: []\n") + 1500 + 1499);
    assert_null(strstr(text, "..."));
    assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
    free(text);
}

/* The last element that fits ends at the line width: a width of one column less wraps it. */
static void a_row_as_wide_as_a_line_stays_in_it(void **state)
{
    (void)state;
    int numbers[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
    size_t whole = 0;
    for (size_t width = 40; width >= 4; --width) {
        pop_print_format format = pop_print_format_default();
        format.max_line_width = width;
        char *text = printed("", POP_INT, DIMS(8), numbers, format);
        size_t lines = 0, longest = 0;
        for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
            longest = strlen(line) > longest ? strlen(line) : longest;
            ++lines;
        }
        whole = lines == 1 ? width : whole;
        free(text);
        if (lines > 1)
            break;
        assert_int_equal(longest, strlen("[1 2 3 4 5 6 7 8]"));
    }
    assert_in_range(whole, strlen("[1 2 3 4 5 6 7 8]") - 1, strlen("[1 2 3 4 5 6 7 8]"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_as_wide_as_a_line_stays_in_it),
        cmocka_unit_test(zero_is_no_limit),
        cmocka_unit_test(guide_text),
        cmocka_unit_test(newer_text),
        cmocka_unit_test(elements_are_aligned),
        cmocka_unit_test(unusual_shapes),
        cmocka_unit_test(long_rows_wrap),
        cmocka_unit_test(many_elements_are_summarised),
    };
    return cmocka_run_group_tests_name("print", tests, NULL, NULL);
}
