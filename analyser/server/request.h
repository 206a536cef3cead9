/* SPDX-License-Identifier: Apache-2.0 */
/* A request and its answer as the server sees them. */
#ifndef ANALYSER_REQUEST_H
#define ANALYSER_REQUEST_H

#include "columns.h"
#include "report.h"

enum { LARGEST_BODY = 1 << 20, LARGEST_PARAMETERS = 64 };

struct held {
    struct report_use *use;
    bool locked; /* its file */
};
struct server;
struct request {
    struct server *server;
    struct reports *reports;
    int socket; /* of the connection; -1: none */
    struct str body;
    bool too_large;
    size_t parameters;
    struct {
        char *name, *value;
    } parameter[LARGEST_PARAMETERS];
    struct held *held; /* MOST_REPORTS of them: what the endpoint holds; released when it returns */
};
struct answer {
    json_t *json;
    struct columns columns;
    bool has_columns, failed;
};

/* A use of a report without its file's lock, of an index; NULL with an error. */
struct report_use *request_use(const struct request *request, unsigned index, pop_error *error);
/* The same for the report that the parameter report= names. */
struct report_use *request_use_named(const struct request *request, pop_error *error);
/* Starts another server in this process, without a report, on a port of its own. */
pop_status server_window(const struct request *request, unsigned *port, pop_error *error);
/* Gives back what it holds. */
void request_release(struct request *request);
/* Frees parameters and body. */
void request_clear(struct request *request);
void answer_clear(struct answer *answer);

#endif
