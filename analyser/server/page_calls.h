/* SPDX-License-Identifier: Apache-2.0 */
/* Answers embedded in an exported page: their index {"path?a=1&b=2": [position, bytes, 1 for columns]}, then them. */
#ifndef ANALYSER_PAGE_CALLS_H
#define ANALYSER_PAGE_CALLS_H

#include "base/vec.h"
#include "columns.h"
#include "report.h"
#include "request.h"

#include <stdio.h>

enum { MAX_DETAILS = 400, MAX_PARAMETERS_OF_CALL = 8 };

struct kept_answer {
    uint64_t hash;
    size_t at, size;
};
struct page_out {
    FILE *out;
    struct reports *reports;
    json_t *index;
    struct str body; /* the answers: equal ones once */
    VEC(struct kept_answer) kept;
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
