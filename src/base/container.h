/* SPDX-License-Identifier: Apache-2.0 */
/* The container that .gp files and executables are written in: an 8-byte magic, a format version, then named sections,
 * and an XXH3-128 checksum over all of it, so that a truncated or altered file is refused before its content is used.
 *
 *   magic[8] | u32 version | u32 sections | sections x { char name[16]; u64 offset; u64 size } | data, 64-byte aligned
 * | hash[16]
 *
 * Little-endian; the library refuses to build elsewhere. */
#ifndef BASE_CONTAINER_H
#define BASE_CONTAINER_H

#include "base/vec.h"

#include <poplar/error.h>
#include <stdio.h>

/* Growing buffer for writing: numbers in memory representation, strings with a u32 length prefix. */
struct bytes {
    VEC(unsigned char) v;
};
void bytes_put(struct bytes *b, const void *data, size_t size);
void bytes_u8(struct bytes *b, uint8_t value);
void bytes_u32(struct bytes *b, uint32_t value);
void bytes_u64(struct bytes *b, uint64_t value);
void bytes_string(struct bytes *b, const char *text);

/* A read beyond the end sets failed and gives zeros, so that a parser checks once at its end. */
struct container_reader {
    const unsigned char *data;
    size_t size, at;
    bool failed;
};
const void *reader_take(struct container_reader *r, size_t size); /* NULL when fewer bytes are left */
uint8_t reader_u8(struct container_reader *r);
uint32_t reader_u32(struct container_reader *r);
uint64_t reader_u64(struct container_reader *r);
char *reader_string(struct container_reader *r); /* malloc'ed, never NULL */
/* Reads a count of items of at least item_bytes each; sets failed and returns 0 when the rest is too short for them. */
uint64_t reader_count(struct container_reader *r, size_t item_bytes);

struct container_section {
    char name[16];
    const void *data;
    size_t size;
};
/* Bytes of a container with these sections, of which only the sizes are read. */
size_t container_bytes(const struct container_section *sections, size_t count);
/* A container that is being written. */
struct container_writer;
void container_put(struct container_writer *writer, const void *data, size_t size);
/* What a container is made of.  A section whose data is NULL is put by `make`, in parts of `size` bytes in all: it need
 * not exist as a whole. */
struct container_content {
    const char *magic;
    uint32_t version;
    const struct container_section *sections;
    size_t count;
    void (*make)(struct container_writer *writer, size_t section, const void *user);
    const void *user;
};
/* Writes it in order, to a file (false, and errno set, when that failed) or to memory of container_bytes bytes. */
bool container_write(const struct container_content *content, FILE *file);
void container_fill(const struct container_content *content, char *memory);
/* Assembles a whole file; *file is malloc'ed. */
void container_build(const char magic[8], uint32_t version, const struct container_section *sections, size_t count,
                     char **file, size_t *size);
/* Checks magic, version, bounds and checksum. Errors use what (the kind of file, "codelet file") and name (the file).
 * Sections point into data. */
pop_status container_open(const char magic[8], uint32_t version, const char *what, const char *name, const void *data,
                          size_t size, struct container_section *sections, size_t capacity, size_t *count,
                          pop_error *error);
/* NULL, and *size 0, when no section has that name. */
const void *container_find(const struct container_section *sections, size_t count, const char *name, size_t *size);

#endif
