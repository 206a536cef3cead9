/* SPDX-License-Identifier: Apache-2.0 */
/* The table of errors: each row makes one mistake and states the expected error.  The rows are in rows_*.def; a row's
 * code is one statement list on one line, so that "the caller's line" is the row's. */
#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum row_class { ROW_BUILD, ROW_COMPILE, ROW_CALL, ROW_RUN };
struct row {
    enum row_class class;
    const char *call, *name; /* the public call, and what was wrong with it */
    pop_status status;
    const char *words; /* separated by | */
    void (*build)(struct fixture *r);
    pop_status (*run)(struct fixture *r);
    pop_options (*options)(void);
};

/* First the code of the rows.  HERE comes before code on a line of its own. */
#define HERE r->line = __LINE__
#define BUILD(call, name, status, words, ...)                                                                          \
    static void build_##call##_##name(struct fixture *r)                                                               \
    {                                                                                                                  \
        r->file = __FILE__, r->line = __LINE__;                                                                        \
        __VA_ARGS__;                                                                                                   \
    }
#define COMPILE(call, name, status, words, option_list, ...)                                                           \
    static pop_options options_##call##_##name(void)                                                                   \
    {                                                                                                                  \
        static pop_option kept[4];                                                                                     \
        pop_options given = option_list;                                                                               \
        for (size_t i = 0; i < given.count; ++i)                                                                       \
            kept[i] = given.list[i];                                                                                   \
        return (pop_options){ kept, given.count };                                                                     \
    }                                                                                                                  \
    BUILD(call, name, status, words, __VA_ARGS__)
#define RUN COMPILE
#define CALL(call, name, status, words, expression)                                                                    \
    static pop_status run_##call##_##name(struct fixture *r)                                                           \
    {                                                                                                                  \
        r->file = __FILE__, r->line = __LINE__;                                                                        \
        return expression;                                                                                             \
    }
#include "rows.def"
#undef BUILD
#undef COMPILE
#undef RUN
#undef CALL

/* ... then the table. */
static const struct row rows[] = {
#define BUILD(call, name, status, words, ...)                                                                          \
    { ROW_BUILD, #call, #name, POP_##status, words, build_##call##_##name, NULL, NULL },
#define COMPILE(call, name, status, words, options, ...)                                                               \
    { ROW_COMPILE, #call, #name, POP_##status, words, build_##call##_##name, NULL, options_##call##_##name },
#define RUN(call, name, status, words, options, ...)                                                                   \
    { ROW_RUN, #call, #name, POP_##status, words, build_##call##_##name, NULL, options_##call##_##name },
#define CALL(call, name, status, words, expression)                                                                    \
    { ROW_CALL, #call, #name, POP_##status, words, NULL, run_##call##_##name, NULL },
#include "rows.def"
};
enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

/* Kinds of errors that nothing can raise yet. */
static const struct {
    pop_status status;
    const char *why;
} not_yet[] = {
    { POP_MEMORY_ELEM_CONSTRAINTS_ERROR, "there is no placement in tile memory yet" },
    { POP_SYMBOL_ERROR, "there is no placement of code in tile memory yet" },
    { POP_SYSTEM_RUNTIME_ERROR, "a modelled device does not break" },
    { POP_RECOVERABLE_RUNTIME_ERROR, "a modelled device does not break" },
    { POP_UNRECOVERABLE_RUNTIME_ERROR, "a modelled device does not break" },
    { POP_UNKNOWN_RUNTIME_ERROR, "a modelled device does not break" },
};

/* Calls that take the caller's line or an error and that no argument can make fail. */
static const struct {
    const char *call, *why;
} cannot_fail[] = {
    { "pop_graph_share_top_level", "only of a graph with a replication factor (graph/test_virtual)" },
    { "pop_tensor_flatten", "every tensor can be flattened" },
    { "pop_tensor_transpose", "every tensor can be transposed" },
    { "pop_graph_add_compute_set", "any name will do" },
    { "pop_graph_create_replicated", "the error is kept by the graph that it makes: tests/system/test_replicas.c" },
    { "pop_graph_add_replication_index_constant", "any name will do" },
    { "pop_sequence", "any name will do" },
    { "pop_print_tensor", "a null tensor belongs to no graph that could keep the error" },
    { "pop_print_tensor_format", "a null tensor belongs to no graph that could keep the error" },
    { "pop_write_undef", "a null tensor belongs to no graph that could keep the error" },
    { "pop_assume_equal_across_replicas", "a null tensor belongs to no graph that could keep the error" },
    { "pop_cpu_device_create", "the host is always there" },
};

static void check_words(const struct row *row, const char *text)
{
    char words[512];
    assert_true(strlen(row->words) < sizeof(words));
    strcpy(words, row->words);
    assert_true(text[0] != 0);
    for (char *word = strtok(words, "|"); word; word = strtok(NULL, "|"))
        if (!strstr(text, word))
            fail_msg("'%s' is not in '%s'", word, text);
}

static void check_kind(const struct row *row, const pop_error *error)
{
    if (error->status != row->status)
        fail_msg("%s expected, seen: %s: %s", pop_status_name(row->status), pop_status_name(error->status),
                 error->text);
    check_words(row, error->text);
}

static void check_where(const struct fixture *r, const pop_error *error)
{
    if (!r->line)
        return;
    if (!error->where.file || strcmp(error->where.file, r->file) != 0 || error->where.line != r->line)
        fail_msg("%s:%d expected, seen: %s:%d: %s", r->file, r->line, error->where.file ? error->where.file : "nowhere",
                 error->where.line, error->text);
}

/* Calls on the graph have no effect until the error is taken; then they work as if the failing call had not been made.
 */
static void check_graph_waits(struct fixture *r, const struct row *row)
{
    size_t variables = pop_graph_num_variables(r->graph), sets = pop_graph_num_compute_sets(r->graph);
    pop_error first = *pop_graph_error(r->graph), taken;
    assert_false(pop_tensor_valid(pop_graph_add_variable(r->graph, POP_FLOAT, POP_SHAPE(1), "ignored")));
    assert_int_equal(pop_graph_add_compute_set(r->graph, "ignored").id, 0);
    assert_true(pop_program_is_empty(pop_copy(r->v, r->v, false, NULL)));
    pop_graph_set_tile_mapping(r->graph, r->v, 99);
    assert_int_equal(pop_graph_num_variables(r->graph), variables);
    assert_int_equal(pop_graph_num_compute_sets(r->graph), sets);
    assert_memory_equal(&first, pop_graph_error(r->graph), sizeof(first));
    assert_int_equal(pop_graph_take_error(r->graph, &taken), row->status);
    assert_memory_equal(&first, &taken, sizeof(first));
    assert_null(pop_graph_error(r->graph));
    assert_int_equal(pop_graph_take_error(r->graph, NULL), POP_OK);
    assert_true(pop_tensor_valid(pop_graph_add_variable(r->graph, POP_FLOAT, POP_SHAPE(1), "continues")));
}

static void run_build_row(struct fixture *r, const struct row *row)
{
    size_t variables = pop_graph_num_variables(r->graph), vertices = pop_graph_num_vertices(r->graph);
    row->build(r);
    const pop_error *error = pop_graph_error(r->graph);
    if (!error)
        fail_msg("no error");
    check_kind(row, error);
    check_where(r, error);
    assert_string_equal(error->api, row->call);
    assert_int_equal(pop_graph_num_variables(r->graph), variables);
    assert_int_equal(pop_graph_num_vertices(r->graph), vertices);
    check_graph_waits(r, row);
}

static void run_compile_row(struct fixture *r, const struct row *row)
{
    row->build(r);
    pop_where where = { r->file, r->line, 0 };
    r->executable = (pop_executable *)r; /* must become NULL */
    pop_status status = pop_compile_graph_at(where, r->graph, POP_PROGRAMS(r->main), row->options(), NULL, NULL,
                                             &r->executable, &r->error);
    if (status == POP_OK)
        fail_msg("no error");
    assert_int_equal(status, r->error.status);
    assert_null(r->executable);
    check_kind(row, &r->error);
    check_where(r, &r->error);
}

static void run_call_row(struct fixture *r, const struct row *row)
{
    memset(&r->error, 0, sizeof(r->error));
    pop_status status = row->run(r);
    if (status == POP_OK)
        fail_msg("no error");
    assert_int_equal(status, r->error.status);
    check_kind(row, &r->error);
    if (strcmp(r->error.api, row->call) != 0)
        fail_msg("the error is of '%s': %s", r->error.api, r->error.text);
}

static void run_run_row(struct fixture *r, const struct row *row)
{
    row->build(r);
    pop_engine *engine = r->engine = pop_engine_create(r->graph, POP_PROGRAMS(r->main), row->options(), &r->error);
    fixture_must(r->error.status, &r->error);
    FILE *quiet = fopen("/dev/null", "w");
    pop_engine_set_print_stream(engine, quiet);
    fixture_must(pop_engine_load(engine, r->device, &r->error), &r->error);
    for (int times = 0; times < 2; ++times) { /* a run that failed leaves an engine that fails in the same way */
        pop_status status = pop_engine_run(engine, 0, &r->error);
        if (status == POP_OK)
            fail_msg("no error");
        assert_int_equal(status, r->error.status);
        check_kind(row, &r->error);
    }
    fclose(quiet);
}

static void run_row(void **state)
{
    const struct row *row = *state;
    static void (*const runners[])(struct fixture *, const struct row *) = { run_build_row, run_compile_row,
                                                                             run_call_row, run_run_row };
    static const enum fixture_purpose purposes[] = { FIXTURE_BUILD, FIXTURE_COMPILE, FIXTURE_HOST, FIXTURE_COMPILE };
    static struct fixture r;
    fixture_open(&r, purposes[row->class]);
    runners[row->class](&r, row);
    fixture_close(&r);
}

/* A row that fails ends early.  Its engine would keep the handlers of signals, which then are not installed over those
 * that cmocka sets for each later row. */
static int close_failed(void **state)
{
    (void)state;
    fixture_close_failed();
    return 0;
}

/* ---- the table as a whole ---- */

static void every_kind_is_in_a_row_or_on_the_list(void **state)
{
    (void)state;
    for (int kind = 1; kind < POP_STATUS_COUNT; ++kind) {
        bool raised = false, excused = false;
        for (size_t i = 0; i < ROWS; ++i)
            raised |= (int)rows[i].status == kind;
        for (size_t i = 0; i < sizeof(not_yet) / sizeof(not_yet[0]); ++i)
            excused |= (int)not_yet[i].status == kind;
        if (raised == excused)
            fail_msg("%s is %s", pop_status_name((pop_status)kind),
                     raised ? "on the list, but a row raises it" : "neither in a row nor on the list");
    }
    assert_true(ROWS >= 100);
}

static bool has_row(const char *call)
{
    for (size_t i = 0; i < ROWS; ++i)
        if (strcmp(rows[i].call, call) == 0)
            return true;
    for (size_t i = 0; i < sizeof(cannot_fail) / sizeof(cannot_fail[0]); ++i)
        if (strcmp(cannot_fail[i].call, call) == 0)
            return true;
    return false;
}

/* Declarations that take the caller's line or fill in an error are the calls that can fail. */
static int count_missing(const char *path)
{
    FILE *file = fopen(path, "r");
    static char text[1 << 17];
    assert_non_null(file);
    text[fread(text, 1, sizeof(text) - 1, file)] = 0;
    fclose(file);
    int missing = 0;
    for (char *p = strstr(text, "\nPOP_API "); p; p = strstr(p + 1, "\nPOP_API ")) {
        char declaration[2048], name[128];
        snprintf(declaration, sizeof(declaration), "%.*s", (int)strcspn(p + 1, ";"), p + 1);
        char *open = strchr(declaration, '('), *place = strstr(declaration, "pop_where where"),
             *error = strstr(declaration, "pop_error *error");
        if (!open || (!place && (!error || strncmp(error - 6, "const ", 6) == 0)))
            continue;
        char *begin = open;
        while (begin > declaration &&
               (begin[-1] == '_' || (begin[-1] >= 'a' && begin[-1] <= 'z') || (begin[-1] >= '0' && begin[-1] <= '9')))
            --begin;
        snprintf(name, sizeof(name), "%.*s", (int)(open - begin) - (place ? 3 : 0), begin);
        if (strcmp(name, "pop_graph_take_error") != 0 && !has_row(name)) {
            print_error("%s has no row\n", name);
            ++missing;
        }
    }
    return missing;
}

static void every_call_that_can_fail_has_a_row(void **state)
{
    (void)state;
    static const char *const headers[] = {
        "device", "engine", "graph", "popc", "profile", "program", "target", "tensor"
    };
    int missing = 0;
    for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); ++i) {
        char path[512];
        snprintf(path, sizeof(path), "%s/poplar/%s.h", ERRORS_INCLUDE, headers[i]);
        missing += count_missing(path);
    }
    assert_int_equal(missing, 0);
}

static void remember(const pop_error *error, void *user)
{
    *(pop_error *)user = *error;
}

static void a_handler_is_called_before_the_failing_call_returns(void **state)
{
    (void)state;
    static struct fixture r;
    fixture_open(&r, FIXTURE_BUILD);
    pop_error seen = { 0 };
    pop_graph_on_error(r.graph, remember, &seen);
    pop_tensor_at(r.v, 9), r.line = __LINE__;
    assert_int_equal(seen.status, POP_INDEX_ERROR);
    assert_int_equal(seen.where.line, r.line);
    seen.status = POP_OK;
    pop_tensor_at(r.v, 9); /* not called again while the first error is pending */
    assert_int_equal(seen.status, POP_OK);
    fixture_close(&r);
}

static void virtual_graphs_share_the_error(void **state)
{
    (void)state;
    static struct fixture r;
    fixture_open(&r, FIXTURE_BUILD);
    r.made = pop_graph_create_virtual_range(r.graph, 1, 3);
    pop_graph_set_tile_mapping(r.made, r.v, 2); /* tile 2 of two */
    assert_non_null(pop_graph_error(r.graph));
    assert_int_equal(pop_graph_take_error(r.graph, NULL), POP_INVALID_TILE_MAPPING);
    assert_null(pop_graph_error(r.made));
    fixture_close(&r);
}

static void errors_are_one_text_with_kind_and_place(void **state)
{
    (void)state;
    pop_error error = {
        .status = POP_INDEX_ERROR, .where = { "prog.c", 12, 0 }, .api = "pop_tensor_at", .text = "index 4 of 3"
    };
    char text[256], small[8];
    size_t length = pop_error_format(&error, text, sizeof(text));
    assert_int_equal(length, strlen(text));
    assert_non_null(strstr(text, "index_error: index 4 of 3"));
    assert_non_null(strstr(text, "prog.c:12"));
    assert_int_equal(pop_error_format(&error, small, sizeof(small)), length);
    assert_int_equal(strlen(small), sizeof(small) - 1);
    assert_string_equal(pop_status_name(POP_OK), "ok");
    assert_int_equal(pop_status_base(POP_APPLICATION_RUNTIME_ERROR), POP_RUNTIME_ERROR);
    assert_int_equal(pop_status_base(POP_RECOVERABLE_RUNTIME_ERROR), POP_SYSTEM_RUNTIME_ERROR);
    assert_int_equal(pop_status_base(POP_POPLAR_ERROR), POP_OK);
}

void null_handles(void **state); /* null_handles.c */
void null_lists(void **state);   /* null_lists.c */

int main(int argc, char **argv)
{
    static struct CMUnitTest tests[ROWS + 8];
    static char names[ROWS][128];
    size_t count = 0;
    for (size_t i = 0; i < ROWS; ++i) {
        snprintf(names[i], sizeof(names[i]), "%s: %s", rows[i].call, rows[i].name);
        tests[count++] = (struct CMUnitTest){ names[i], run_row, NULL, close_failed, (void *)(uintptr_t)&rows[i] };
    }
    const struct CMUnitTest whole[] = {
        cmocka_unit_test(every_kind_is_in_a_row_or_on_the_list),
        cmocka_unit_test(every_call_that_can_fail_has_a_row),
        cmocka_unit_test_teardown(a_handler_is_called_before_the_failing_call_returns, close_failed),
        cmocka_unit_test_teardown(virtual_graphs_share_the_error, close_failed),
        cmocka_unit_test(errors_are_one_text_with_kind_and_place),
        cmocka_unit_test(null_handles),
        cmocka_unit_test(null_lists),
    };
    for (size_t i = 0; i < sizeof(whole) / sizeof(whole[0]); ++i)
        tests[count++] = whole[i];
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return _cmocka_run_group_tests("errors", tests, count, NULL, NULL);
}
