/* SPDX-License-Identifier: Apache-2.0 */
/* The interface of an endpoint of the analyser: the request, the open reports, and the answer that it fills.
 * docs/reference/analyser-server.md defines the wire formats.
 *
 *     static pop_status compute_sets(const struct request *request, struct answer *answer, pop_error *error)
 *     {
 *         struct analyser_report *report = request_report(request, error);
 *         if (!report)
 *             return error->status;
 *         uint64_t count = pva_count(compilation_of(report->file), PVA_COMPILATION_COMPUTE_SETS);
 *         answer_json(answer, json_pack("{s:I}", "computeSets", (json_int_t)count));
 *         return POP_OK;
 *     }
 *
 * An endpoint that returns another status than POP_OK has filled *error, whose text the server sends. Endpoints run
 * concurrently, each on its own thread. */
#ifndef ANALYSER_ANSWER_H
#define ANALYSER_ANSWER_H

#include "columns.h"

#include <pva/pva.h>

struct request; /* one call */

/* What endpoints make of a report and keep with it; freed with the report, in this order. */
enum kept_kind { KEPT_NESTING, KEPT_TRACE, KEPT_COSTS, KEPT_ELAPSED, KEPT_HOST, KEPT_KINDS };
struct kept {
    void *data; /* NULL until first used */
    void (*release)(void *data);
};

/* An open report. One thread at a time may use file: request_report locks it for the call. */
struct analyser_report {
    pva_file *file;
    char *directory;              /* directory of the file */
    char *path;                   /* the file: profile.pop, or the temporary file of a running program */
    char *name;                   /* the last two components of the directory */
    bool temporary;               /* the program that writes it is still running or was killed */
    struct kept kept[KEPT_KINDS]; /* struct nesting, lod, costs, elapsed, host_trace */
};

/* A parameter of the query string, decoded; fallback when it is missing. */
const char *request_text(const struct request *request, const char *name, const char *fallback);
/* A parameter of the query string as a number. False, with *error set, when it is not one. */
bool request_uint(const struct request *request, const char *name, uint64_t fallback, uint64_t *value,
                  pop_error *error);
bool request_real(const struct request *request, const char *name, double fallback, double *value, pop_error *error);
/* The report that the parameter report=0|1 selects (0 when missing), locked until the endpoint returns. NULL, with
 * *error set, when it is not open. */
struct analyser_report *request_report(const struct request *request, pop_error *error);
/* A report by index. Lock report 0 before report 1 when both are needed, to avoid deadlock. */
struct analyser_report *request_report_at(const struct request *request, unsigned index, pop_error *error);
/* Whether the client has disconnected or the server ends. Long loops check it periodically and stop early. */
bool request_cancelled(const struct request *request);
/* The body of a POST, zero-terminated; *size does not count the zero. "" and 0 when there is none. */
const char *request_body(const struct request *request, size_t *size);

/* An answer is either JSON, or columns with optional JSON metadata. */
struct answer {
    json_t *json;
    struct columns columns;
    bool has_columns, failed;
    char *encoded; /* columns that are encoded already, malloc'ed; sent as they are */
    size_t encoded_bytes;
};
void answer_clear(struct answer *answer);
void answer_json(struct answer *answer, json_t *value); /* steals the reference; NULL means out of memory */

/* Adds a column; copies the data. */
void answer_column(struct answer *answer, const char *name, enum column_type type, const void *data, size_t count);
/* Adds a column of texts; NULL becomes "". Bytes that are not UTF-8 become U+FFFD. */
void answer_texts(struct answer *answer, const char *name, const char *const *texts, size_t count);
/* Where a column's values are in rows: their type and the member's offset. */
struct row_column {
    const char *name;
    enum column_type type; /* COLUMN_TEXT: a const char *, NULL becomes "" */
    size_t offset;
};
/* Adds a column for each entry; rows are structures of `size` bytes. Copies the data. */
void answer_rows(struct answer *answer, const void *rows, size_t count, size_t size, const struct row_column *columns,
                 size_t column_count);
/* Adds JSON metadata to the columns; steals the reference. */
void answer_meta(struct answer *answer, json_t *meta);

/* A text of a report as a JSON string (new reference); bytes that are not UTF-8 become U+FFFD. */
json_t *answer_string(const char *text);
/* A text property of an object as a JSON string (new reference). */
json_t *answer_text_of(pva_object object, pva_property property);

/* Sets *error and returns status, which determines the HTTP status: POP_INVALID_OPTION and POP_PARSE_ERROR 400,
 * POP_FILE_LOAD_ERROR 404, POP_APPLICATION_RUNTIME_ERROR 409 (cancelled, or currently impossible), others 500. */
pop_status answer_fail(pop_error *error, pop_status status, const char *format, ...) POP_PRINTF(3, 4);
/* Returns the file's first failure, if any. Endpoints that read through libpva end with this call. */
pop_status answer_read(struct analyser_report *report, pop_error *error);

typedef pop_status endpoint(const struct request *request, struct answer *answer, pop_error *error);
#define ENDPOINT(path, function, what)      endpoint function;
#define POST_ENDPOINT(path, function, what) endpoint function;
#include "endpoints.def"
#undef ENDPOINT
#undef POST_ENDPOINT

#endif
