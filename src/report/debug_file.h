/* SPDX-License-Identifier: Apache-2.0 */
/* debug.cbor of a process in a directory: one file, which the process adds to until it exits. Each compiled graph is a
 * part of it, and so are the debug contexts of a framework that have ended since the part before
 * (docs/reference/report-files.md, debug.cbor). The caller holds a lock. */
#ifndef REPORT_DEBUG_FILE_H
#define REPORT_DEBUG_FILE_H

#include "report/debug_records.h"
#include "value/report_files.h"

#include <sys/types.h>

enum { DEBUG_FILE_NAME = 32 };
struct debug_file {
    char id[REPORT_ID_SIZE];
    char temporary[DEBUG_FILE_NAME]; /* in the directory, until debug_file_place and the caller's rename */
    int descriptor;
    dev_t device; /* of the directory */
    ino_t number;
    pid_t owner;    /* a forked child leaves the file to its parent */
    size_t next;    /* the first record that it has not */
    unsigned users; /* reports that are open: the file stays open too, also when its name is gone */
};
struct debug_files {
    VEC(struct debug_file) list;
};

/* The file of this process in a directory, under its final or its temporary name; NULL: it has none. */
struct debug_file *debug_file_find(struct debug_files *files, const char *directory);
struct debug_file *debug_file_by_id(struct debug_files *files, const char *id);
/* Makes the file under a temporary name, of the directory and an id. NULL: errno says why. */
struct debug_file *debug_file_make(struct debug_files *files, const char *directory, const char *temporary);
/* Adds a part: what put writes, if it is not NULL, and the records that the file has not. On failure returns false,
 * sets errno, and the file is as before. */
bool debug_file_add(struct debug_file *file, const struct debug_records *records,
                    void (*put)(struct debug_stream *stream, const void *user), const void *user);
uint64_t debug_file_bytes(const struct debug_file *file);
/* Makes sure that the file is debug.cbor of the directory or at temporary, for the caller to rename it then: a process
 * that took the name meanwhile has it no longer. The directory is locked (report_lock). On failure sets errno. */
bool debug_file_place(struct debug_file *file, const char *directory, const char *temporary);
/* Writes the whole file to a path, which must not exist. On failure sets errno. */
bool debug_file_copy(const struct debug_file *file, const char *path);
/* Adds the records to all files; closes those that have no user and no name, or are too many. */
void debug_files_flush(struct debug_files *files, const struct debug_records *records);
void debug_files_free(struct debug_files *files);

#endif
