/* SPDX-License-Identifier: Apache-2.0 */
/* Queries of users in a process of their own. SQLite checks for an end between its instructions only, and one call of
 * a function can take hours; a process can be ended at any time, and its memory is limited. */
#ifndef ANALYSER_SQL_PROCESS_H
#define ANALYSER_SQL_PROCESS_H

#include "answer.h"

/* Runs the query over the file in a process and fills the answer with its columns. The process is ended when the
 * request is cancelled, or after the seconds: POP_APPLICATION_RUNTIME_ERROR. */
pop_status sql_process_ask(const struct request *request, const char *path, const char *sql, unsigned seconds,
                           struct answer *answer, pop_error *error);

/* What that process does (pva query --format columns): runs the query and writes the encoded columns. */
pop_status sql_process_run(const char *path, const char *sql, FILE *out, pop_error *error);

/* Runs the query; of several, the answer has the columns of the last (api/sql.c). */
pop_status sql_columns(pva_file *file, const char *sql, struct answer *answer, pop_error *error);

#endif
