/* SPDX-License-Identifier: Apache-2.0 */
/* PrintTensor to a FILE, in the three formats, and the option that makes the guide's format the default. */
#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The text that a run of a program prints; the caller frees it. */
static char *printed(struct fixture *w, unsigned program)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    pop_engine_set_print_stream(w->engine, file);
    fixture_run(w, program);
    pop_engine_set_print_stream(w->engine, NULL);
    fclose(file);
    return text;
}

static void expect_print(struct fixture *w, unsigned program, const char *expected)
{
    char *text = printed(w, program);
    if (strcmp(text, expected) != 0) {
        print_error("expected:\n%sseen:\n%s", expected, text);
        free(text);
        fail();
    }
    free(text);
}

static void the_guides_text(struct fixture *w)
{
    pop_tensor v1 = fixture_variable(w, POP_FLOAT, POP_SHAPE(4), "v1"),
               m = fixture_variable(w, POP_FLOAT, POP_SHAPE(2, 3), "m");
    pop_tensor n = fixture_variable(w, POP_INT, POP_SHAPE(3), "n"), s = fixture_variable(w, POP_INT, POP_SHAPE(), "s");
    pop_print_format guide = pop_print_format_guide();
    fixture_start(w, POP_PROGRAMS(pop_print_tensor_format("v1-debug", v1, guide, NULL),
                                  pop_print_tensor_format(NULL, m, guide, NULL),
                                  pop_print_tensor_format("n", n, guide, NULL),
                                  pop_print_tensor_format("s", s, guide, NULL)));
    FIXTURE_PUT(w, "v1", ((const float[]){ 1, 1.5f, 2, 2.5f }));
    FIXTURE_PUT(w, "m", ((const float[]){ 1, 2, 3, 4, 5, 6.5f }));
    FIXTURE_PUT(w, "n", ((const int[]){ -1, 0, 1000000 }));
    expect_print(w, 0, "v1-debug: {1,1.5,2,2.5}\n");
    expect_print(w, 2, "n: {-1,0,1000000}\n");
    char *text = printed(w, 1); /* nested braces; the title is the variable's name */
    assert_int_equal(strncmp(text, "m: {", 4), 0);
    assert_non_null(strstr(text, "{1,2,3}"));
    assert_non_null(strstr(text, "{4,5,6.5}"));
    free(text);
    text = printed(w, 3);
    assert_non_null(strstr(text, "0"));
    free(text);
}

static void the_newer_text(struct fixture *w)
{
    pop_tensor v2 = fixture_variable(w, POP_FLOAT, POP_SHAPE(4), "v2"),
               v4 = fixture_variable(w, POP_INT, POP_SHAPE(10), "v4"),
               m = fixture_variable(w, POP_FLOAT, POP_SHAPE(2, 2), "m");
    pop_tensor b = fixture_variable(w, POP_BOOL, POP_SHAPE(2), "b"),
               h = fixture_variable(w, POP_HALF, POP_SHAPE(2), "h"),
               many = fixture_variable(w, POP_INT, POP_SHAPE(2000), "many");
    fixture_start(w, POP_PROGRAMS(pop_print_tensor("v2", v2, NULL), pop_print_tensor("v4-1", v4, NULL),
                                  pop_print_tensor("m", m, NULL), pop_print_tensor("b", b, NULL),
                                  pop_print_tensor("h", h, NULL), pop_print_tensor("many", many, NULL)));
    FIXTURE_PUT(w, "v2", ((const float[]){ 7, 6, 4.5f, 2.5f }));
    FIXTURE_PUT(w, "v4", ((const int[]){ 10, 11, 12, 13, 14, 15, 16, 17, 18, 19 }));
    FIXTURE_PUT(w, "m", ((const float[]){ 5, 4.5f, 3, -2 }));
    expect_print(w, 0, "v2: [7.0000000 6.0000000 4.5000000 2.5000000]\n");
    expect_print(w, 1, "v4-1: [10 11 12 13 14 15 16 17 18 19]\n");
    char *text = printed(w, 2);
    assert_int_equal(strncmp(text, "m: [", 4), 0);
    assert_non_null(strstr(text, "5.0000000"));
    assert_non_null(strstr(text, "\n"));
    free(text);
    for (unsigned i = 3; i < 5; ++i) {
        text = printed(w, i);
        assert_non_null(strstr(text, ": ["));
        free(text);
    }
    text = printed(w, 5); /* summarised */
    assert_non_null(strstr(text, "..."));
    assert_true(strlen(text) < 400);
    free(text);
}

static void plain_text_and_custom_formats(struct fixture *w)
{
    pop_tensor v = fixture_variable(w, POP_INT, POP_SHAPE(5), "v"), e = fixture_variable(w, POP_INT, POP_SHAPE(0), "e");
    pop_print_format own = pop_print_format_default();
    own.separator = ';', own.open = '<', own.close = '>';
    fixture_start(w, POP_PROGRAMS(pop_print_tensor_format("v", v, own, NULL),
                                  pop_print_tensor_format("v", v, pop_print_format_plain(), NULL),
                                  pop_print_tensor("e", e, NULL)));
    FIXTURE_PUT(w, "v", ((const int[]){ 1, 2, 3, 4, 5 }));
    expect_print(w, 0, "v: <1;2;3;4;5>\n");
    char *text = printed(w, 1);
    assert_null(strchr(text, '['));
    assert_non_null(strstr(text, "1 2 3 4 5"));
    free(text);
    text = printed(w, 2);
    assert_int_equal(strncmp(text, "e: ", 3), 0);
    free(text);
}

static void an_option_makes_the_guides_text_the_default(struct fixture *w)
{
    pop_tensor v = fixture_variable(w, POP_FLOAT, POP_SHAPE(2), "v");
    fixture_start_with(
        w,
        POP_PROGRAMS(pop_print_tensor("v", v, NULL), pop_print_tensor_format("v", v, pop_print_format_default(), NULL)),
        POP_OPTIONS({ "print.guideFormat", "true" }));
    FIXTURE_PUT(w, "v", ((const float[]){ 1, 0.5f }));
    expect_print(w, 0, "v: {1,0.5}\n");
    expect_print(w, 1, "v: [1.0000000 0.5000000]\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCENARIO(the_guides_text),
        SCENARIO(the_newer_text),
        SCENARIO(plain_text_and_custom_formats),
        SCENARIO(an_option_makes_the_guides_text_the_default),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
