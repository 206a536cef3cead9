/* SPDX-License-Identifier: Apache-2.0 */
/* Answers that are rows of the report: a query in SQL (docs/reference/report-files.md) as JSON or as columns. */
#ifndef ANALYSER_QUERY_H
#define ANALYSER_QUERY_H

#include "answer.h"
#include "base/str.h"

/* The rows as objects, {column: value}; NULL, and *error is filled, when the query fails.  A new reference. */
json_t *query_rows(pva_file *file, const char *sql, pop_error *error);
/* The first row, or null where there is none. */
json_t *query_row(pva_file *file, const char *sql, pop_error *error);
/* A part of an answer that is rows of a query. */
struct query_part {
    const char *name;
    bool one; /* the first row alone */
    const char *sql;
};
/* An object with each part by its name; NULL, and *error is filled, when a query fails.  A new reference. */
json_t *query_parts(pva_file *file, const struct query_part *parts, size_t count, pop_error *error);
/* Adds the rows' columns to the answer: types has a letter a column, 't' for text and 'f' for a number, which is NaN
 * where the row has none.  Ends early when the client has gone. */
pop_status query_columns(const struct request *request, pva_file *file, struct answer *answer, const char *types,
                         const char *sql, pop_error *error);
/* The first column of the rows as numbers, malloc'ed; NULL with *error. */
double *query_numbers(pva_file *file, const char *sql, size_t *count, pop_error *error);
/* The first number of the first row; fallback where there is none. */
double query_number(pva_file *file, const char *sql, double fallback);

/* Adds text as a literal of SQL, quotes included. */
void query_quote(struct str *sql, const char *text);

/* An array by tile that a query gives as array_text(blob, count) is added to sums, of count elements. */
pop_status query_add_array(pva_file *file, const char *sql, double *sums, size_t count, pop_error *error);

#endif
