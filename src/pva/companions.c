/* SPDX-License-Identifier: Apache-2.0 */
/* The files in the directory of profile.pop: which belong to the same report (docs/reference/report-files.md, Life
 * of a report). */
#include "pva/companions.h"
#include "pva/debug.h"

#include "base/error.h"
#include "base/file.h"
#include "base/str.h"

#include <errno.h>
#include <poplar/text.h>
#include <unistd.h>

void companions_read(pva_file *file, struct companions *companions)
{
    char *id = query_text(file, "SELECT value FROM info WHERE name = 'id' AND ?1 | ?2 >= 0"),
         *debug = query_text(file, "SELECT value FROM info WHERE name = 'debug' AND ?1 | ?2 >= 0");
    snprintf(companions->id, sizeof(companions->id), "%s", id ? id : "");
    snprintf(companions->debug, sizeof(companions->debug), "%s", debug && *debug ? debug : companions->id);
    free(id);
    free(debug);
    for (int i = 0; i < REPORT_FILES; ++i)
        companions->bytes[i] = UINT64_MAX;
    sqlite3_stmt *row = *companions->id ? query(file, "SELECT name, bytes FROM files WHERE ?1 | ?2 >= 0", 0, 0) : NULL;
    while (row && query_step(file, row)) {
        const char *name = (const char *)sqlite3_column_text(row, 0);
        for (int i = 0; name && i < REPORT_FILES; ++i)
            if (!strcmp(name, report_file_name((enum report_file)i)))
                companions->bytes[i] = (uint64_t)sqlite3_column_int64(row, 1);
    }
    if (row)
        sqlite3_reset(row);
}

bool companions_own(const struct companions *companions, enum report_file file, const char *path)
{
    char id[REPORT_ID_SIZE];
    const char *own = file == REPORT_FILE_DEBUG ? companions->debug : companions->id;
    report_file_id(path, file, id);
    if (!*own || (*id && !strcmp(id, own)))
        return true; /* early writers store no id */
    if (file == REPORT_FILE_GRAPH)
        return companions->bytes[file] == report_file_bytes(path);
    return !*id && companions->bytes[file] == UINT64_MAX && file == REPORT_FILE_DEBUG; /* a framework's file */
}

static void warn(pva_file *file, const char *path, const char *what)
{
    str_format(&file->warning, "%s is not used: %s", path, what);
}

/* Checks a file of debug contexts by its beginning and its size; adds a warning when it cannot be complete. */
static bool is_complete(pva_file *file, const char *path, uint64_t written)
{
    unsigned char first = 0;
    uint64_t bytes = report_file_bytes(path);
    int descriptor = file_open_regular(path);
    ssize_t got = descriptor < 0 ? -1 : read(descriptor, &first, 1);
    int reason = errno;
    if (descriptor >= 0)
        close(descriptor);
    struct str why = { 0 };
    if (got < 0 || bytes == UINT64_MAX)
        str_format(&why, "it cannot be read%s%s", got < 0 ? ": " : "", got < 0 ? pop_text_from_errno(reason) : "");
    else if (!got)
        str_add(&why, "it is empty");
    else if (first >> 5 != 5)
        str_add(&why, "it is not a file of debug contexts, or is damaged");
    else if (written != UINT64_MAX && bytes < written) /* it grows until its program ends */
        str_format(&why, "it is damaged: it has %llu bytes, and %llu were written", (unsigned long long)bytes,
                   (unsigned long long)written);
    if (why.length)
        warn(file, path, why.text);
    bool whole = !why.length;
    str_free(&why);
    return whole;
}

void companions_open_debug(pva_file *file)
{
    struct companions companions;
    char id[REPORT_ID_SIZE];
    companions_read(file, &companions);
    char *path = report_file_path(file->directory, REPORT_FILE_DEBUG, NULL),
         *temporary = *companions.id ? report_file_path(file->directory, REPORT_FILE_DEBUG, companions.id) : NULL;
    bool there = access(path, F_OK) == 0, own = there && companions_own(&companions, REPORT_FILE_DEBUG, path);
    if (temporary && !own && access(temporary, F_OK) == 0) {
        if (is_complete(file, temporary, companions.bytes[REPORT_FILE_DEBUG]))
            debug_open(file, temporary);
    } else if (there) {
        report_file_id(path, REPORT_FILE_DEBUG, id);
        if (!own && *id)
            warn(file, path, "it belongs to another report");
        else if (is_complete(file, path, companions.bytes[REPORT_FILE_DEBUG]) && !own)
            warn(file, path, "it does not say that it belongs to this report");
        else if (own && !file->warning.length)
            debug_open(file, path);
    }
    free(path);
    free(temporary);
}

void report_warning(pva_object o, struct value *value)
{
    str_add(&value->text, str_text(&o.file->warning));
}
