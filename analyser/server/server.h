/* SPDX-License-Identifier: Apache-2.0 */
/* The analyser's server: the page, its data and its events over HTTP. */
#ifndef ANALYSER_SERVER_H
#define ANALYSER_SERVER_H

#include <poplar/error.h>

struct server_options {
    const char *directories[2];
    size_t count;
    const char *address; /* NULL: 127.0.0.1 */
    unsigned port;       /* 0: the first free one from 8321 on */
    bool live, browser;
    unsigned query_seconds; /* time limit of a query of the SQL view */
};
/* Serves until SIGINT or SIGTERM; prints the address when it is ready. */
pop_status server_run(const struct server_options *options, pop_error *error);

#endif
