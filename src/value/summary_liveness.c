/* SPDX-License-Identifier: Apache-2.0 */
/* The summary's liveness: what is always live, and what else is live at each program, as a tree.
 *
 * memory.liveness.alwaysLive = {bytesByTile, variables: [{name, size}]}; notAlwaysLive = {maxBytes, maxBytesByTile,
 * byProgram: [node]}, a node being {program: index of programs, bytes, variables, children}; bytes and variables are
 * missing where a program has no live lines (Sequence); maxBytes is the largest bytes of all nodes, including those
 * that an abbreviated tree omits. */
#include "value/summary.h"

static int by_name(const void *a, const void *b)
{
    const struct column_row *x = a, *y = b;
    return strcmp(x->label, y->label);
}

/* Prints variables sorted by name; those of equal name share a row. */
static void variable_rows(struct summary *s, const pop_profile_value *variables, int indent)
{
    struct column column = { 0 };
    for (size_t i = 0; i < pop_profile_size(variables); ++i) {
        const pop_profile_value *variable = pop_profile_at(variables, i);
        column_add(&column, indent, pop_profile_as_string(pop_profile_get(variable, "name")),
                   pop_profile_as_uint(pop_profile_get(variable, "size")));
    }
    if (column.rows.count)
        qsort(column.rows.data, column.rows.count, sizeof(*column.rows.data), by_name);
    size_t kept = 0;
    for (size_t i = 0; i < column.rows.count; ++i) {
        struct column_row *row = &column.rows.data[i];
        if (kept && strcmp(column.rows.data[kept - 1].label, row->label) == 0) {
            column.rows.data[kept - 1].value += row->value;
            free(row->label);
        } else {
            column.rows.data[kept++] = *row;
        }
    }
    column.rows.count = kept;
    column_print(s, &column, 14, "");
}

static void tree(struct summary *s, const pop_profile_value *node, int indent)
{
    const pop_profile_value *program = pop_profile_at(pop_profile_get(s->graph, "programs"),
                                                      (size_t)pop_profile_as_uint(pop_profile_get(node, "program")));
    const char *name = pop_profile_as_string(pop_profile_get(program, "name"));
    fprintf(s->file, "%*s%s%s%s\n", indent, "", pop_profile_as_string(pop_profile_get(program, "type")),
            *name ? ": " : "", name);
    const pop_profile_value *bytes = pop_profile_get(node, "bytes");
    if (bytes) {
        struct str number = { 0 };
        text_number(&number, pop_profile_as_uint(bytes));
        fprintf(s->file, "%*sLive Bytes (excluding always-live): %s\n", indent + 2, "", str_text(&number));
        fprintf(s->file, "%*sLive Vars (excluding always-live):\n", indent + 2, "");
        str_free(&number);
        variable_rows(s, pop_profile_get(node, "variables"), indent + 4);
    }
    const pop_profile_value *children = pop_profile_get(node, "children");
    for (size_t i = 0; i < pop_profile_size(children); ++i)
        tree(s, pop_profile_at(children, i), indent + 2);
}

/* The largest bytes of a tree. */
static uint64_t max_live(const pop_profile_value *node)
{
    uint64_t max = pop_profile_as_uint(pop_profile_get(node, "bytes"));
    const pop_profile_value *children = pop_profile_get(node, "children");
    for (size_t i = 0; i < pop_profile_size(children); ++i) {
        uint64_t below = max_live(pop_profile_at(children, i));
        max = below > max ? below : max;
    }
    return max;
}

void summary_liveness(struct summary *s)
{
    const pop_profile_value *always = pop_profile_path(s->graph, "memory.liveness.alwaysLive");
    const pop_profile_value *programs = pop_profile_path(s->graph, "memory.liveness.notAlwaysLive.byProgram");
    uint64_t bytes = pop_profile_sum_uint(pop_profile_get(always, "bytesByTile"));
    uint64_t max = pop_profile_as_uint(pop_profile_path(s->graph, "memory.liveness.notAlwaysLive.maxBytes"));
    for (size_t i = 0; i < pop_profile_size(programs); ++i) {
        uint64_t live = max_live(pop_profile_at(programs, i));
        max = live > max ? live : max;
    }
    struct str numbers[2] = { { 0 } };
    text_number(&numbers[0], bytes);
    text_number(&numbers[1], bytes + max);
    fprintf(s->file, "\n\n\n");
    summary_heading(s, "  Variable Storage Liveness: All tiles");
    fprintf(s->file, "\n    Always-live bytes: %s\n    Always-live variables:\n", str_text(&numbers[0]));
    variable_rows(s, pop_profile_get(always, "variables"), 6);
    fprintf(s->file, "\n    Maximum live bytes (including always-live): %s\n\n", str_text(&numbers[1]));
    for (size_t i = 0; i < pop_profile_size(programs); ++i)
        tree(s, pop_profile_at(programs, i), 4);
    str_free(&numbers[0]);
    str_free(&numbers[1]);
}
