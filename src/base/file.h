/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and writes whole files. A partially written file never has the final name. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <poplar/error.h>
#include <stdio.h>

/* Reads a file; *data is malloc'ed and followed by a zero byte that size does not count. */
pop_status file_read(const char *path, char **data, size_t *size, pop_error *error);
pop_status file_read_stream(FILE *file, char **data, size_t *size, pop_error *error);
/* A file's bytes for reading: mapped where it is a regular file, so that pages that nobody reads take no memory, else
 * read.  If the file is modified in place, the mapped bytes change; a file that replaces it (file_write) does not. */
struct file_view {
    const void *data;
    size_t size;
    bool mapped;
};
pop_status file_view_open(const char *path, struct file_view *view, pop_error *error);
void file_view_close(struct file_view *view); /* data that is not mapped is free()d */
/* Opens a regular file for reading; -1, with errno set, when there is none: EISDIR for a directory, EINVAL for a FIFO,
 * a socket or a device, which are not opened because that can block and can have effects. The caller closes it. */
int file_open_regular(const char *path);
/* Writes a temporary file in path's directory, flushes it and renames it to path. */
pop_status file_write(const char *path, const void *data, size_t size, pop_error *error);

/* Same, with content streamed by the callback put, which returns false and sets errno when a write failed.  The disk
 * writes while put goes on. */
bool file_write_stream(const char *path, bool (*put)(FILE *file, const void *user), const void *user);

/* Same as file_write, with mode 0600. */
pop_status file_write_private(const char *path, const void *data, size_t size, pop_error *error);

#endif
