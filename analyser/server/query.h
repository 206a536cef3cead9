/* SPDX-License-Identifier: Apache-2.0 */
/* Answers from SQL queries over the report (docs/reference/report-files.md), as JSON or as columns. */
#ifndef ANALYSER_QUERY_H
#define ANALYSER_QUERY_H

#include "answer.h"
#include "base/str.h"

/* The rows as objects, {column: value}; NULL, with *error set, when the query fails. A new reference. */
json_t *query_rows(pva_file *file, const char *sql, pop_error *error);
/* The first row as an object, or null when there is none. */
json_t *query_row(pva_file *file, const char *sql, pop_error *error);
/* A member of an answer, filled from a query. */
struct query_part {
    const char *name;
    bool one; /* only the first row */
    const char *sql;
};
/* An object with a member for each part; NULL, with *error set, when a query fails. A new reference. */
json_t *query_parts(pva_file *file, const struct query_part *parts, size_t count, pop_error *error);
/* Adds the rows as columns of the answer: types has a letter for each column, 't' for text and 'f' for a number,
 * which is NaN for null. Stops early when the client has disconnected. */
pop_status query_columns(const struct request *request, pva_file *file, struct answer *answer, const char *types,
                         const char *sql, pop_error *error);
/* The first column of the rows as numbers, malloc'ed; NULL with *error set on failure. */
double *query_numbers(pva_file *file, const char *sql, size_t *count, pop_error *error);
/* The number in the first column of the first row; fallback when there is none. */
double query_number(pva_file *file, const char *sql, double fallback);

/* The variable of the graph with an id; null: there is none. Variables without memory have no rows. */
pva_object query_variable(pva_file *file, uint64_t id);

/* Appends text as an SQL literal, including quotes. */
void query_quote(struct str *sql, const char *text);

/* Adds an array by tile, which the query returns as array_text(blob, count), to sums, of count elements. */
pop_status query_add_array(pva_file *file, const char *sql, double *sums, size_t count, pop_error *error);

#endif
