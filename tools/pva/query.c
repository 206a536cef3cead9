/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the rows of a query as a table, CSV, JSON, or the columns that the analyser's server sends. */
#include "pva.h"
#include "sql_process.h"

#include "base/file.h"

#include <stdlib.h>
#include <string.h>

/* A table is as wide as its longest value, so at most this many rows are kept to measure and print; later ones are
 * omitted. */
enum { KEPT_ROWS = 100000 };
struct output {
    FILE *file;
    enum { AS_TABLE, AS_CSV, AS_JSON } format;
    size_t columns, rows, *widths;
    char **cells, *numbers; /* rows x columns: text, and whether it is a number */
    char **names;
};

static void json_row(struct output *out, size_t columns, const char *const *names, const pva_value *values)
{
    fputs(out->rows ? ",\n {" : "\n {", out->file);
    for (size_t i = 0; i < columns; ++i) {
        fputs(i ? ", " : "", out->file);
        put_json(out->file, names[i]);
        fputs(": ", out->file);
        if (values[i].kind == PVA_VALUE_NULL)
            fputs("null", out->file);
        else if (values[i].kind == PVA_VALUE_INTEGER ||
                 (values[i].kind == PVA_VALUE_REAL && strpbrk(values[i].text, "0123456789")))
            fputs(values[i].text, out->file);
        else
            put_json(out->file, values[i].text);
    }
    fputc('}', out->file);
}

static void csv_row(struct output *out, size_t columns, const char *const *texts, const pva_value *values)
{
    for (size_t i = 0; i < columns; ++i) {
        fputs(i ? "," : "", out->file);
        const char *text = values ? values[i].text : texts[i];
        put_csv(out->file, text ? text : "");
    }
    fputc('\n', out->file);
}

static void keep(struct output *out, const char *text, bool number)
{
    size_t at = out->rows * out->columns, column = 0;
    while (column < out->columns && out->cells[at + column])
        ++column;
    out->cells[at + column] = strdup(text);
    out->numbers[at + column] = number;
    if (strlen(text) > out->widths[column])
        out->widths[column] = strlen(text);
}

static bool begin_table(struct output *out, size_t columns, const char *const *names)
{
    out->columns = columns;
    out->widths = calloc(columns + 1, sizeof(*out->widths));
    out->names = calloc(columns + 1, sizeof(*out->names));
    out->cells = calloc((size_t)KEPT_ROWS * (columns + 1), sizeof(*out->cells));
    out->numbers = calloc((size_t)KEPT_ROWS * (columns + 1), 1);
    for (size_t i = 0; out->names && out->widths && i < columns; ++i) {
        out->names[i] = strdup(names[i]);
        out->widths[i] = strlen(names[i]);
    }
    return out->widths && out->names && out->cells && out->numbers;
}

static bool on_row(void *context, size_t columns, const char *const *names, const pva_value *values)
{
    struct output *out = context;
    if (!values) {
        if (out->format == AS_CSV)
            csv_row(out, columns, names, NULL);
        return out->format != AS_TABLE || out->cells || begin_table(out, columns, names);
    }
    if (out->format == AS_CSV)
        csv_row(out, columns, names, values);
    else if (out->format == AS_JSON)
        json_row(out, columns, names, values);
    for (size_t i = 0; out->format == AS_TABLE && i < columns; ++i)
        keep(out, values[i].text ? values[i].text : "",
             values[i].kind == PVA_VALUE_INTEGER || values[i].kind == PVA_VALUE_REAL);
    ++out->rows;
    return out->format != AS_TABLE || out->rows < KEPT_ROWS;
}

static void print_table(const struct output *out)
{
    if (out->file == stdout)
        paint(PAINT_BOLD);
    for (size_t i = 0; i < out->columns; ++i)
        fprintf(out->file, "%s%-*s", i ? "  " : "", i + 1 < out->columns ? (int)out->widths[i] : 0, out->names[i]);
    if (out->file == stdout)
        paint(PAINT_NONE);
    fputc('\n', out->file);
    for (size_t row = 0; row < out->rows; ++row) {
        for (size_t i = 0; i < out->columns; ++i) {
            size_t at = row * out->columns + i;
            int width = i + 1 < out->columns || out->numbers[at] ? (int)out->widths[i] : 0;
            fprintf(out->file, out->numbers[at] ? "%s%*s" : "%s%-*s", i ? "  " : "", width, out->cells[at]);
        }
        fputc('\n', out->file);
    }
}

static void end_table(struct output *out)
{
    for (size_t i = 0; i < out->rows * out->columns && out->cells; ++i)
        free(out->cells[i]);
    for (size_t i = 0; i < out->columns && out->names; ++i)
        free(out->names[i]);
    free(out->cells);
    free(out->numbers);
    free(out->names);
    free(out->widths);
}

/* Without a text in *error the failure has been printed. */
static pop_status print_rows(struct output *out, const char *path, const char *sql, pop_error *error)
{
    pva_file *file = open_or_say(path);
    if (!file)
        return POP_FILE_LOAD_ERROR;
    if (out->format == AS_JSON)
        fputc('[', stdout);
    pop_status status = pva_sql(file, sql, on_row, out, error);
    if (out->format == AS_JSON)
        fputs("\n]\n", stdout);
    else if (out->format == AS_TABLE && status == POP_OK && out->columns)
        print_table(out);
    if (out->format == AS_TABLE && out->rows == KEPT_ROWS)
        fprintf(stderr, "pva query: the first %d rows; --format csv writes all\n", KEPT_ROWS);
    end_table(out);
    pva_close(file);
    return status;
}

int command_query(int argc, char **argv)
{
    struct arguments arguments = { .options = { { "--format", NULL }, { "--spreadsheet!", NULL } } };
    if (!arguments_read(&arguments, argc, argv, 2, 2))
        return EXIT_WRONG;
    csv_for_spreadsheet(arguments_get(&arguments, "--spreadsheet") != NULL);
    const char *format = arguments_get(&arguments, "--format");
    struct output out = { .file = stdout, .format = AS_TABLE };
    if (format && strcmp(format, "csv") == 0)
        out.format = AS_CSV;
    else if (format && strcmp(format, "json") == 0)
        out.format = AS_JSON;
    else if (format && strcmp(format, "table") != 0 && strcmp(format, "columns") != 0)
        return say("query", "unknown format '%s' (allowed: table, csv, json, columns)", format);
    pop_error error = { 0 };
    const char *sql = arguments.words[1];
    char *input = NULL;
    size_t size;
    if (strcmp(sql, "-") == 0 && file_read_stream(stdin, &input, &size, &error) != POP_OK)
        return say_error("query", &error);
    sql = input ? input : sql;
    bool columns = format && strcmp(format, "columns") == 0;
    pop_status status = columns ? sql_process_run(arguments.words[0], sql, stdout, &error)
                                : print_rows(&out, arguments.words[0], sql, &error);
    free(input);
    return status == POP_OK ? EXIT_DONE : *error.text ? say_error("query", &error) : EXIT_WRONG;
}
