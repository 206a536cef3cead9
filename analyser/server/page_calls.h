/* SPDX-License-Identifier: Apache-2.0 */
/* Calls whose answers an exported page holds: {"path?a=1&b=2": answer}; columns as base64. */
#ifndef ANALYSER_PAGE_CALLS_H
#define ANALYSER_PAGE_CALLS_H

#include "columns.h"
#include "report.h"
#include "request.h"

#include <stdio.h>

enum { MOST_DETAILS = 400, MOST_PARAMETERS_OF_CALL = 8 };

struct page_out {
    FILE *out;
    struct reports *reports;
    bool any; /* an answer was written */
};
struct parameter {
    const char *name, *value;
};

/* Calls an endpoint and writes its answer; its name has the first `named` parameters, which are in order of their
 * names. keep: the answer is the caller's.  What fails is left out: the page says so.  False when it fails. */
bool page_call(struct page_out *page, const char *path, const struct parameter *parameters, size_t count, size_t named,
               struct answer *keep);
/* A column of an answer; NULL when it has none of the name. */
const struct column *page_column(const struct answer *answer, const char *name);
/* The row-th text of a column, malloc'ed. */
char *page_text(const struct column *column, size_t row);

/* What the views of these names ask for (page_views.c). */
void page_trace(struct page_out *page);
void page_memory(struct page_out *page);
void page_liveness(struct page_out *page);

#endif
