/* SPDX-License-Identifier: Apache-2.0 */
/* debug.dumpPasses: results of passes as text, compared with tests/golden/passes.txt. */
#include "base/file.h"
#include "base/str.h"
#include "compiler/pipeline.h"
#include "fixture.h"

#include <stdio.h>
#include <unistd.h>

#ifndef GOLDEN
#define GOLDEN "tests/golden"
#endif

static void set_option(struct fixture *f, const char *key, const char *value)
{
    pop_option option = { key, value };
    assert_int_equal(
        options_apply(&f->options, "engine", (pop_options){ &option, 1 }, NULL, (pop_where){ 0 }, "test", NULL),
        POP_OK);
}

/* Two sums of slices on two tiles, added up by a third tile, three times; a copy back, and the same set again. */
static pop_program example(struct fixture *f)
{
    pop_tensor in = variable(f, 8, 0, "in"), partial = variable(f, 2, 1, "partial"), out = variable(f, 1, 2, "out");
    pop_compute_set sums = pop_graph_add_compute_set(f->graph, "sums"),
                    all = pop_graph_add_compute_set(f->graph, "all");
    for (unsigned i = 0; i < 2; ++i)
        in_out(f, sums, "Sum", 1 + i, pop_tensor_slice(in, 4 * i, 4 * i + 4, 0), pop_tensor_at(partial, i));
    in_out(f, all, "Sum", 2, partial, pop_tensor_at(out, 0));
    pop_program body = pop_sequence(f->graph, NULL);
    pop_sequence_add(body, pop_execute(sums, NULL));
    pop_sequence_add(body, pop_execute(all, NULL));
    pop_program whole = pop_sequence(f->graph, NULL);
    pop_sequence_add(whole, pop_repeat(3, body, NULL));
    pop_sequence_add(whole, pop_copy(out, pop_tensor_slice(in, 0, 1, 0), false, "copy"));
    pop_sequence_add(whole, pop_execute(sums, NULL));
    return whole;
}

static char *dumped(struct fixture *f, const char *passes)
{
    char path[64], *text = NULL;
    size_t size = 0;
    snprintf(path, sizeof(path), "passes-%ld.txt", (long)getpid());
    set_option(f, "debug.dumpPasses", passes);
    set_option(f, "debug.dumpPassesFile", path);
    compiled(f, example(f));
    assert_int_equal(file_read(path, &text, &size, NULL), POP_OK);
    assert_int_equal(remove(path), 0);
    return text;
}

/* tests/golden/passes.txt is written with UPDATE_GOLDEN set, and then reviewed. */
static void dump_of_all_passes_matches_the_golden_file(void **state)
{
    (void)state;
    struct fixture f;
    char *expected = NULL;
    size_t size;
    begin(&f);
    char *text = dumped(&f, "use,check,sets,order,storage,outline,lower,schedule,exchange,steps,live,vertices,emit");
    if (getenv("UPDATE_GOLDEN"))
        assert_int_equal(file_write(GOLDEN "/passes.txt", text, strlen(text), NULL), POP_OK);
    assert_int_equal(file_read(GOLDEN "/passes.txt", &expected, &size, NULL), POP_OK);
    assert_string_equal(text, expected);
    free(text);
    free(expected);
    end(&f);
}

static void dump_has_the_requested_passes(void **state)
{
    (void)state;
    static const char *const passes[] = { "use",    "check",   "sets",  "order",    "storage",
                                          "blocks", "outline", "lower", "schedule", "exchange",
                                          "steps",  "live",    "place", "vertices", "emit" };
    for (size_t i = 0; i < sizeof(passes) / sizeof(passes[0]); ++i) {
        struct fixture f;
        char title[40];
        begin(&f);
        char *text = dumped(&f, passes[i]);
        snprintf(title, sizeof(title), "==== %s ====\n", passes[i]);
        assert_int_equal(strncmp(text, title, strlen(title)), 0);
        assert_null(strstr(text + 1, "\n===="));
        free(text);
        end(&f);
    }
    struct fixture f;
    begin(&f);
    char *text = dumped(&f, "all");
    for (size_t i = 0; i < sizeof(passes) / sizeof(passes[0]); ++i) {
        char title[40];
        snprintf(title, sizeof(title), "==== %s ====\n", passes[i]);
        assert_non_null(strstr(text, title));
    }
    free(text);
    end(&f);
}

static void dump_of_an_unknown_pass_is_refused(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    set_option(&f, "debug.dumpPasses", "order,stps");
    refused(&f, example(&f), POP_INVALID_OPTION,
            "debug.dumpPasses: there is no pass 'stps'; did you mean 'steps'? (allowed: all, use, check,");
    end(&f);
}

static void dump_of_a_pass_without_a_result_is_refused(void **state)
{
    (void)state;
    static const char *const passes[] = { "hazard", "image" };
    for (size_t i = 0; i < sizeof(passes) / sizeof(passes[0]); ++i) {
        struct fixture f;
        char expected[160];
        begin(&f);
        set_option(&f, "debug.dumpPasses", passes[i]);
        snprintf(expected, sizeof(expected),
                 "debug.dumpPasses: pass '%s' only checks: it has no result to dump (allowed: all, use, check, sets, "
                 "order, storage,",
                 passes[i]);
        refused(&f, example(&f), POP_INVALID_OPTION, expected);
        end(&f);
    }
}

static void dump_to_a_file_that_cannot_be_written_is_refused(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    set_option(&f, "debug.dumpPasses", "order");
    set_option(&f, "debug.dumpPassesFile", "/no/such/directory/dump.txt");
    refused(&f, example(&f), POP_POPLAR_ERROR, "debug.dumpPassesFile: ");
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dump_of_all_passes_matches_the_golden_file),
        cmocka_unit_test(dump_has_the_requested_passes),
        cmocka_unit_test(dump_of_an_unknown_pass_is_refused),
        cmocka_unit_test(dump_of_a_pass_without_a_result_is_refused),
        cmocka_unit_test(dump_to_a_file_that_cannot_be_written_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
