/* SPDX-License-Identifier: Apache-2.0 */
/* What an endpoint of the analyser sees: the request, the open reports, and the answer that it fills.
 * docs/reference/analyser-server.md defines the wire forms.
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
 * An endpoint that returns another status than POP_OK has filled *error; the server answers with its text.  Endpoints
 * run on threads of their own, several at a time. */
#ifndef ANALYSER_ANSWER_H
#define ANALYSER_ANSWER_H

#include <jansson.h>
#include <pva/pva.h>

struct request; /* one call */
struct answer;
struct lod;
struct nesting;
struct costs;

/* An open report.  file is for one thread at a time: request_report locks it for the call. */
struct analyser_report {
    pva_file *file;
    char *directory;         /* that holds the file */
    char *path;              /* the file: profile.pop, or the temporary file of a program that runs */
    char *name;              /* the directory's last two parts */
    bool temporary;          /* the program that writes it has not ended, or was killed */
    struct lod *lod;         /* what trace.h gives; NULL until it is asked for */
    struct nesting *nesting; /* the same of nesting.h */
    struct costs *costs;     /* the same of costs.h */
};

/* A parameter of the query string, decoded; fallback when it is absent. */
const char *request_text(const struct request *request, const char *name, const char *fallback);
/* The same as a number.  False, and *error is filled, when it is none. */
bool request_uint(const struct request *request, const char *name, uint64_t fallback, uint64_t *value,
                  pop_error *error);
bool request_real(const struct request *request, const char *name, double fallback, double *value, pop_error *error);
/* The report that the parameter report=0|1 names (0 when absent), locked until the endpoint returns.  NULL, and *error
 * is filled, when there is none. */
struct analyser_report *request_report(const struct request *request, pop_error *error);
/* The same by index.  One that needs both locks 0 before 1. */
struct analyser_report *request_report_at(const struct request *request, unsigned index, pop_error *error);
/* Whether the client has gone, or the server ends: a long loop asks now and then, and ends early. */
bool request_cancelled(const struct request *request);
/* The body of a POST, terminated by a zero that is not counted; "" and 0 when there is none. */
const char *request_body(const struct request *request, size_t *size);

/* An answer is JSON, or columns with JSON beside. */
void answer_json(struct answer *answer, json_t *value); /* takes the reference; NULL is out of memory */

enum column_type { COLUMN_U8, COLUMN_U16, COLUMN_U32, COLUMN_F32, COLUMN_F64, COLUMN_TEXT };
/* Adds a column; data are copied. */
void answer_column(struct answer *answer, const char *name, enum column_type type, const void *data, size_t count);
/* Adds a column of text; NULL is "".  Bytes that are not UTF-8 become U+FFFD. */
void answer_texts(struct answer *answer, const char *name, const char *const *texts, size_t count);
/* JSON beside the columns; takes the reference. */
void answer_meta(struct answer *answer, json_t *meta);

/* Text of a report as a JSON string: bytes that are not UTF-8 become U+FFFD.  A new reference. */
json_t *answer_string(const char *text);
/* A text property of an object, the same way. */
json_t *answer_text_of(pva_object object, pva_property property);

/* Fills *error and returns status.  The HTTP status follows from it: POP_INVALID_OPTION and POP_PARSE_ERROR 400,
 * POP_FILE_LOAD_ERROR 404, POP_APPLICATION_RUNTIME_ERROR 409 (cancelled, or not possible now), others 500. */
pop_status answer_fail(pop_error *error, pop_status status, const char *format, ...) POP_PRINTF(3, 4);
/* What every endpoint ends with after reading through libpva: the file's first failure, if any. */
pop_status answer_read(struct analyser_report *report, pop_error *error);

typedef pop_status endpoint(const struct request *request, struct answer *answer, pop_error *error);
#define ENDPOINT(path, function, what)      endpoint function;
#define POST_ENDPOINT(path, function, what) endpoint function;
#include "endpoints.def"
#undef ENDPOINT
#undef POST_ENDPOINT

#endif
