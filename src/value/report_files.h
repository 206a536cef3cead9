/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a report: their names, temporary and final, and the id that they have in common
 * (docs/reference/report-files.md, Life of a report). */
#ifndef VALUE_REPORT_FILES_H
#define VALUE_REPORT_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum report_file {
    REPORT_FILE_PROFILE = 0, /* the others are its companions */
    REPORT_FILE_DEBUG,
    REPORT_FILE_ARCHIVE,
    REPORT_FILE_GRAPH,
    REPORT_FILES
};

enum { REPORT_ID_SIZE = 17 }; /* 16 hexadecimal digits and the terminating 0 */

/* debug.cbor of a report begins with this, then the id. */
#define REPORT_DEBUG_HEAD                                                                                              \
    "\xa3\x66"                                                                                                         \
    "report\x70"
/* The ELF note in the first member of archive.a: its name, and its offset in the member, after the ELF header. */
#define REPORT_NOTE_NAME "Tremula"
enum {
    REPORT_NOTE_TYPE = 1,
    REPORT_NOTE_AT = 52,
    REPORT_NOTE_SIZE = 12 + sizeof(REPORT_NOTE_NAME) + REPORT_ID_SIZE - 1
};
/* Writes the note's bytes. */
void report_note(const char *id, unsigned char *note);

/* A new id, of random digits. */
void report_id_make(char id[REPORT_ID_SIZE]);
/* "archive.a" */
const char *report_file_name(enum report_file file);
/* DIRECTORY/archive.a, or with an id the temporary DIRECTORY/archive_<id>.a; the caller frees it. */
char *report_file_path(const char *directory, enum report_file file, const char *id);
/* Whether a file name (without directory) is a temporary one; sets which file it is and its id. */
bool report_file_is_temporary(const char *name, enum report_file *file, char id[REPORT_ID_SIZE]);
/* Reads the id from debug.cbor or archive.a; "" when it has none or cannot be read. */
void report_file_id(const char *path, enum report_file file, char id[REPORT_ID_SIZE]);
/* The size of a regular file; UINT64_MAX when there is none. */
uint64_t report_file_bytes(const char *path);

/* Makes profile.pop a link to the temporary profile of an id, in place of what had that name. False: errno says why;
 * EPERM or EOPNOTSUPP on file systems without links. */
bool report_link(const char *directory, const char *id);
/* Reads the id of the temporary profile that profile.pop is a link to; "" when it is no such link. */
void report_linked(const char *directory, char id[REPORT_ID_SIZE]);

/* Locks the directory against other processes that rename reports in it. Waits five seconds at most, then continues
 * without the lock. Returns a handle for report_unlock. */
int report_lock(const char *directory);
void report_unlock(int lock);
/* Renames the temporary files of profile.pop's companions that exist, after profile.pop itself: from then on they
 * belong to the report under either name. must[file]: a missing file is an error (NULL: no file is required). On
 * failure returns false and sets errno and *failed. */
bool report_companions_rename(const char *directory, const char *id, const bool *must, enum report_file *failed);

#endif
