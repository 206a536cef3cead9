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

enum { REPORT_ID_SIZE = 17 }; /* 16 hexadecimal digits and a zero */

/* debug.cbor begins with this, then the id; a stream that is no report's begins otherwise. */
#define REPORT_DEBUG_HEAD                                                                                              \
    "\xa3\x66"                                                                                                         \
    "report\x70"
/* The note in the first member of archive.a: its name; its place in the member, behind the head of the ELF file. */
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
/* Whether a name (without directory) is a temporary one; which file it is of, and its id. */
bool report_file_is_temporary(const char *name, enum report_file *file, char id[REPORT_ID_SIZE]);
/* The id that is written in debug.cbor or archive.a; "" when there is none, or the file cannot be read. */
void report_file_id(const char *path, enum report_file file, char id[REPORT_ID_SIZE]);
/* The size of a regular file; UINT64_MAX when there is none. */
uint64_t report_file_bytes(const char *path);

/* Waits, for a few seconds at most, until nobody else gives names to files of the directory; what it returns is for
 * report_unlock. */
int report_lock(const char *directory);
void report_unlock(int lock);
/* Renames the temporary files of a report that are there, profile.pop first: with it the others belong to the report,
 * under either name.  must[file]: it is an error that it is not there; NULL: none is.  false, errno and the file that
 * could not be renamed. */
bool report_files_rename(const char *directory, const char *id, const bool *must, enum report_file *failed);

#endif
