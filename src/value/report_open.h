/* SPDX-License-Identifier: Apache-2.0 */
/* Opens databases that others may have made: what could block, run without end or have effects is refused. */
#ifndef VALUE_REPORT_OPEN_H
#define VALUE_REPORT_OPEN_H

#include <sqlite3.h>
#include <stdbool.h>

enum { REPORT_SCHEMA_NAME = 96 };

/* Whether the path is a regular file, and what SQLite opens beside it too: to open a FIFO waits for its writer, to open
 * a device can have effects. */
bool report_is_regular(const char *path);
bool report_has_regular_logs(const char *path);
/* sqlite3_open_v2 of a file that is only read, with these flags besides.  A file can become a FIFO after the checks
 * above: the opening does not wait for its writer, and nothing is read of it. */
int report_open_readonly(const char *name, int flags, sqlite3 **db);
/* SQLITE_OK if the database has tables of stored columns, their indexes and the views of reports alone; SQLITE_MISUSE,
 * and "trigger NAME" or the like in what, for anything else; another code: the database cannot be read. */
int report_check_schema(sqlite3 *db, char what[REPORT_SCHEMA_NAME]);
/* Opens a report for reading, with the checks above; NULL if it is none or fails them. */
sqlite3 *report_open(const char *path);
/* Counts a result that SQLite gave for lack of memory as a failed allocation (base/mem.h), so that the public call
 * reports it where its cause is not told from a file that is no report. */
void report_count_memory(int result);

#endif
