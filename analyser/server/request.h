/* SPDX-License-Identifier: Apache-2.0 */
/* The server's view of a request; endpoints see answer.h. */
#ifndef ANALYSER_REQUEST_H
#define ANALYSER_REQUEST_H

#include "report.h"

enum { LARGEST_BODY = 1 << 20, LARGEST_PARAMETERS = 64 };

struct held {
    struct report_use *use;
    bool locked; /* whether its file is locked */
};
struct server;
struct request {
    struct server *server;
    struct reports *reports;
    int socket; /* socket of the connection; -1: none */
    struct str body;
    bool too_large;
    size_t parameters;
    struct {
        char *name, *value;
    } parameter[LARGEST_PARAMETERS];
    struct held *held; /* MAX_REPORTS entries: reports that the endpoint uses; released when it returns */
};

/* Acquires a report by index without locking its file; NULL with an error. */
struct report_use *request_use(const struct request *request, unsigned index, pop_error *error);
/* Acquires the report that the parameter report= selects. */
struct report_use *request_use_named(const struct request *request, pop_error *error);
/* Starts another server in this process, without a report, on its own port. */
pop_status server_window(const struct request *request, unsigned *port, pop_error *error);
/* The time limit of a query of a user. */
unsigned server_query_seconds(const struct request *request);
/* Releases the reports that it uses. */
void request_release(struct request *request);
/* Frees parameters and body. */
void request_clear(struct request *request);

#endif
