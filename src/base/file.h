/* SPDX-License-Identifier: Apache-2.0 */
/* Files: read whole, written whole.  A half-written file never carries the final name. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <poplar/error.h>
#include <stdio.h>

/* Reads a file; *data is malloc'ed and followed by a zero byte that size does not count. */
pop_status file_read(const char *path, char **data, size_t *size, pop_error *error);
pop_status file_read_stream(FILE *file, char **data, size_t *size, pop_error *error);
/* Writes a temporary file beside path, flushes it, renames it. */
pop_status file_write(const char *path, const void *data, size_t size, pop_error *error);

/* The same of a file that put writes as it comes: false, and errno, when something of it could not be written. */
bool file_write_stream(const char *path, bool (*put)(FILE *file, const void *user), const void *user);

/* The same of bytes, in a file for the user alone, mode 0600. */
pop_status file_write_private(const char *path, const void *data, size_t size, pop_error *error);

#endif
