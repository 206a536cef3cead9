/* SPDX-License-Identifier: Apache-2.0 */
/* Answers embedded in an exported page: {"path?a=1&b=2": answer}, with columns as base64. */
#ifndef ANALYSER_PAGE_CALLS_H
#define ANALYSER_PAGE_CALLS_H

#include "columns.h"
#include "report.h"
#include "request.h"

#include <stdio.h>

enum { MAX_DETAILS = 400, MAX_PARAMETERS_OF_CALL = 8 };

struct page_out {
    FILE *out;
    struct reports *reports;
    bool any; /* whether an answer was written */
};
struct parameter {
    const char *name, *value;
};

/* Calls an endpoint and writes its answer under a key with the first `named` parameters, which are sorted by name.
 * keep: receives the answer, owned by the caller. A failed call is omitted, as the page states. Returns false on
 * failure. */
bool page_call(struct page_out *page, const char *path, const struct parameter *parameters, size_t count, size_t named,
               struct answer *keep);
/* A column of an answer; NULL when there is none with this name. */
const struct column *page_column(const struct answer *answer, const char *name);
/* The text in a row of a column, malloc'ed. */
char *page_text(const struct column *column, size_t row);

/* The requests of the views of these names (page_views.c). */
void page_trace(struct page_out *page);
void page_memory(struct page_out *page);
void page_liveness(struct page_out *page);

#endif
