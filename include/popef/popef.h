/* SPDX-License-Identifier: Apache-2.0 */
/* PopEF files: executables with what a program needs to run them: facts about streams, the tensors' values, data of a
 * framework (docs/reference/popef.md has the format).
 *
 *     popef_writer *writer = popef_writer_open("model.popef", false, &error);
 *     if (writer && popef_writer_add(writer, POPEF_TENSOR, &description, values, size, &error) == POP_OK)
 *         status = popef_writer_close(writer, &error);
 *
 * A file is a list of blobs: a kind, a description (a map) and bytes. Tremula's own format: Graphcore's is not public.
 * Errors: file_load_error (the file cannot be read or written), parse_error (a broken or foreign file, or a description
 * that lacks a member of its kind). */
#ifndef POPEF_POPEF_H
#define POPEF_POPEF_H

#include <poplar/profile.h>

/* Kinds of blobs, and the members of their descriptions; all others are the writer's own. */
typedef enum popef_kind {
    POPEF_METADATA = 1, /* no bytes; "executable", the name of the executable that it describes */
    POPEF_EXECUTABLE,   /* "name"; the bytes of pop_executable_write, or others */
    POPEF_OPAQUE,       /* "name", "executable"; bytes of a framework */
    POPEF_TENSOR,       /* "name", "type" ("F32", "F16", ...), "shape" (a vector of sizes); the values */
    POPEF_FEED,         /* as a tensor, with "tensors": values for that many transfers of a stream */
    POPEF_KINDS
} popef_kind;

/* A blob of a file; borrowed from its reader. */
typedef struct popef_blob {
    popef_kind kind;                      /* what it holds */
    const pop_profile_value *description; /* a map */
    const void *data;                     /* aligned to 64 bytes in a file that was opened; NULL if there are none */
    size_t size;                          /* bytes */
} popef_blob;

/* Opaque. A writer is used by one thread at a time; a reader may be used by several. */
typedef struct popef_writer popef_writer;
typedef struct popef_reader popef_reader;

POP_BEGIN_DECLS

/* "executable" for POPEF_EXECUTABLE; NULL for what is no kind. */
POP_API const char *popef_kind_name(popef_kind kind);
/* Bytes of an element of a type: 4 for "F32"; 0 for an unknown name. Types: BOOL, S8, U8, S16, U16, S32, U32, S64, U64,
 * F8_143, F8_152, F16, F32, F64. */
POP_API size_t popef_type_bytes(const char *type);

/* Begins a file; with append, a section at the end of what is there, which is checked first. NULL on failure. The file
 * has its contents under a temporary name (without append) until popef_writer_close. */
POP_API popef_writer *popef_writer_open(const char *path, bool append, pop_error *error) POP_MUST_CHECK;
/* Writes to a file that the caller opened, and closes. */
POP_API popef_writer *popef_writer_create(FILE *file, pop_error *error) POP_MUST_CHECK;
/* Adds a blob. parse_error: the description lacks a member, or a tensor's shape and type need another size. */
POP_API pop_status popef_writer_add(popef_writer *writer, popef_kind kind, const pop_profile_value *description,
                                    const void *data, size_t size, pop_error *error) POP_MUST_CHECK;
/* Completes the file and frees the writer; after a failure the file at the path is as it was before. */
POP_API pop_status popef_writer_close(popef_writer *writer, pop_error *error) POP_MUST_CHECK;
/* Frees the writer; nothing is written to its path. NULL: no effect. */
POP_API void popef_writer_abandon(popef_writer *writer);

/* Reads and checks a file, which is mapped. NULL on failure. */
POP_API popef_reader *popef_reader_open(const char *path, pop_error *error) POP_MUST_CHECK;
/* Reads bytes, which must stay until the reader is closed. name is for errors. */
POP_API popef_reader *popef_reader_of(const void *data, size_t size, const char *name, pop_error *error) POP_MUST_CHECK;
/* Number of blobs. */
POP_API size_t popef_reader_count(const popef_reader *reader);
/* A blob by its number, from 0 on, in the order of the file; kind 0 beyond the last. */
POP_API popef_blob popef_reader_blob(const popef_reader *reader, size_t index);
/* Frees the reader and its blobs. NULL: no effect. */
POP_API void popef_reader_close(popef_reader *reader);

POP_END_DECLS
#endif
