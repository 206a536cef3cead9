/* SPDX-License-Identifier: Apache-2.0 */
/* SQL queries over a report: result rows as columns of text and numbers. */
#include "../request.h"
#include "../sql_process.h"
#include "base/vec.h"

#include <math.h>
#include <poplar/text.h>
#include <string.h>

enum { MAX_ROWS = 50000, MAX_COLUMNS = 100, MAX_CELL_BYTES = 2000 };

struct result_column {
    char *name;
    bool numbers; /* all values so far are numbers or null */
    VEC(char *) texts;
};
struct result {
    struct result_column columns[MAX_COLUMNS];
    size_t count, rows, all_columns;
    bool cut;
};

static bool on_row(void *context, size_t columns, const char *const *names, const pva_value *values)
{
    struct result *result = context;
    if (!values) { /* of several queries, the last result is shown */
        for (size_t i = 0; i < result->count; ++i) {
            for (size_t k = 0; k < result->columns[i].texts.count; ++k)
                free(result->columns[i].texts.data[k]);
            vec_free(&result->columns[i].texts);
            free(result->columns[i].name);
        }
        *result = (struct result){ .count = columns < MAX_COLUMNS ? columns : MAX_COLUMNS, .all_columns = columns };
        for (size_t i = 0; i < result->count; ++i)
            result->columns[i] = (struct result_column){ .name = mem_string(names[i]), .numbers = true };
        return true;
    }
    if (result->rows == MAX_ROWS) {
        result->cut = true;
        return false;
    }
    for (size_t i = 0; i < result->count; ++i) {
        struct result_column *column = &result->columns[i];
        const char *text = values[i].text;
        size_t length = text ? strnlen(text, MAX_CELL_BYTES + 1) : 0, whole = length <= MAX_CELL_BYTES;
        char *copy = text ? mem_alloc(MAX_CELL_BYTES < length ? MAX_CELL_BYTES + sizeof("...") : length + 1) : NULL;
        if (copy)
            snprintf(copy, MAX_CELL_BYTES + sizeof("..."), "%.*s%s", MAX_CELL_BYTES, text, whole ? "" : "...");
        *vec_push(&column->texts) = copy;
        column->numbers &= !text || values[i].kind == PVA_VALUE_INTEGER || values[i].kind == PVA_VALUE_REAL;
    }
    ++result->rows;
    return true;
}

/* In a column of numbers, null is encoded as NaN. */
static void answer_result(struct answer *answer, const struct result *result)
{
    json_t *columns = json_array();
    double *numbers = mem_zero(result->rows + 1, sizeof(*numbers));
    for (size_t i = 0; i < result->count; ++i) {
        const struct result_column *column = &result->columns[i];
        char name[24];
        snprintf(name, sizeof(name), "c%zu", i);
        json_array_append_new(columns, json_pack("{s:o, s:b}", "name", answer_string(column->name), "number",
                                                 column->numbers && result->rows > 0));
        for (size_t k = 0; k < result->rows; ++k)
            numbers[k] = column->texts.data[k] ? pop_text_to_double(column->texts.data[k], NULL) : NAN;
        if (column->numbers && result->rows > 0)
            answer_column(answer, name, COLUMN_F64, numbers, result->rows);
        else
            answer_texts(answer, name, (const char *const *)column->texts.data, result->rows);
    }
    free(numbers);
    answer_meta(answer, json_pack("{s:o, s:I, s:b, s:I}", "columns", columns, "rows", (json_int_t)result->rows, "cut",
                                  result->cut, "allColumns", (json_int_t)result->all_columns));
}

pop_status sql_columns(pva_file *file, const char *sql, struct answer *answer, pop_error *error)
{
    struct result *result = MEM_NEW(struct result);
    pop_status status = pva_sql(file, sql, on_row, result, error);
    if (status == POP_OK)
        answer_result(answer, result);
    on_row(result, 0, NULL, NULL); /* frees the rows */
    free(result);
    return status;
}

/* The report is not locked: other calls are answered while the query runs. */
pop_status api_sql_query(const struct request *request, struct answer *answer, pop_error *error)
{
    const char *sql = request_text(request, "q", "");
    struct report_use *use = request_use_named(request, error);
    if (!use)
        return error->status;
    if (!*sql)
        return answer_fail(error, POP_INVALID_OPTION, "q is empty (allowed: a query in SQL)");
    const struct analyser_report *report = &use->report;
    return sql_process_ask(request, report->path ? report->path : report->directory, sql, server_query_seconds(request),
                           answer, error);
}

static bool on_column(void *context, size_t columns, const char *const *names, const pva_value *values)
{
    json_t *tables = context;
    (void)columns, (void)names;
    if (!values || !values[0].text || !values[1].text)
        return true;
    json_t *last = json_array_get(tables, json_array_size(tables) - 1);
    const char *table = json_string_value(json_object_get(last, "name"));
    if (!table || strcmp(table, values[0].text) != 0) {
        last = json_pack("{s:o, s:[]}", "name", answer_string(values[0].text), "columns");
        json_array_append_new(tables, last);
    }
    json_array_append_new(json_object_get(last, "columns"), answer_string(values[1].text));
    return true;
}

/* Tables and views with their columns. */
pop_status api_sql_schema(const struct request *request, struct answer *answer, pop_error *error)
{
    struct analyser_report *report = request_report(request, error);
    if (!report)
        return error->status;
    json_t *tables = json_array();
    pop_status status = pva_sql(report->file,
                                "SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type "
                                "IN ('table', 'view') AND m.name NOT LIKE 'sqlite_%' ORDER BY m.type, m.name, c.cid",
                                on_column, tables, error);
    answer_json(answer, tables);
    return status;
}
