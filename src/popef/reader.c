/* SPDX-License-Identifier: Apache-2.0 */
/* Reads PopEF files. */
#include "popef/format.h"

#include <errno.h>
#include <fcntl.h>
#include <poplar/text.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

struct blob {
    popef_kind kind;
    pop_profile_value description;
    const unsigned char *data;
    size_t size;
};

struct popef_reader {
    const unsigned char *data;
    size_t size;
    bool mapped;
    struct blob *blobs;
    size_t count, capacity;
};

/* A file that is being read: its name for errors, and the next byte. */
struct cursor {
    popef_reader *reader;
    const char *name, *api;
    size_t at;
    pop_error *error;
};

#define PARSE_FAIL(cursor, ...) (format_fail((cursor)->error, POP_PARSE_ERROR, (cursor)->api, __VA_ARGS__) == POP_OK)

static bool all_zero(const unsigned char *bytes, size_t size)
{
    for (size_t i = 0; i < size; ++i)
        if (bytes[i])
            return false;
    return true;
}

static struct blob *new_blob(popef_reader *reader)
{
    if (reader->count == reader->capacity) {
        size_t capacity = reader->capacity ? 2 * reader->capacity : 8;
        struct blob *more = realloc(reader->blobs, capacity * sizeof(*more));
        if (!more)
            return NULL;
        reader->blobs = more;
        reader->capacity = capacity;
    }
    return &reader->blobs[reader->count];
}

/* Reads the description and the data of a blob, whose sizes fit in the file. */
static bool read_blob(struct cursor *cursor, const struct blob_head *head, size_t number)
{
    popef_reader *reader = cursor->reader;
    struct blob *blob = new_blob(reader);
    if (!blob)
        return format_fail(cursor->error, POP_SYSTEM_RUNTIME_ERROR, cursor->api, "out of memory") == POP_OK;
    const unsigned char *text = reader->data + cursor->at, *data = text + format_blocks(head->description);
    pop_error why;
    char reason[200];
    *blob =
        (struct blob){ .kind = (popef_kind)head->kind, .data = head->size ? data : NULL, .size = (size_t)head->size };
    if (pop_profile_read_cbor(text, head->description, &blob->description, &why) != POP_OK)
        return PARSE_FAIL(cursor, "%s: the description of blob %zu (%s) cannot be read: %.300s", cursor->name, number,
                          popef_kind_name(blob->kind), why.text);
    ++reader->count; /* from here on the reader frees it */
    if (!format_check(blob->kind, &blob->description, head->size, reason, sizeof(reason)))
        return PARSE_FAIL(cursor, "%s: blob %zu (%s): %s", cursor->name, number, popef_kind_name(blob->kind), reason);
    cursor->at += (size_t)(format_blocks(head->description) + format_blocks(head->size));
    return true;
}

/* Whether the checksum of the section that ends with this block is right. */
static bool check_sum(struct cursor *cursor, size_t start)
{
    const unsigned char *data = cursor->reader->data;
    size_t end = cursor->at - CHECKSUM_BYTES;
    XXH128_canonical_t sum;
    XXH128_canonicalFromHash(&sum, XXH3_128bits(data + start, end - start));
    return memcmp(&sum, data + end, sizeof(sum)) == 0 ||
           PARSE_FAIL(cursor, "%s is damaged: its checksum is wrong", cursor->name);
}

/* Whether the parts of a blob fit in what is left of the file. */
static bool check_sizes(struct cursor *cursor, const struct blob_head *head, size_t number)
{
    uint64_t left = cursor->reader->size - cursor->at;
    if (!popef_kind_name((popef_kind)head->kind))
        return PARSE_FAIL(cursor, "%s: blob %zu has the unknown kind %u", cursor->name, number, head->kind);
    if (head->description > LARGEST_DESCRIPTION || format_blocks(head->description) > left || head->size > left ||
        format_blocks(head->size) > left - format_blocks(head->description))
        return PARSE_FAIL(cursor, "%s is cut off: blob %zu (%s) needs %llu bytes, %llu are left", cursor->name, number,
                          popef_kind_name((popef_kind)head->kind),
                          (unsigned long long)head->description + (unsigned long long)head->size,
                          (unsigned long long)left);
    return true;
}

/* Reads a section from its head to its end. */
static bool read_section(struct cursor *cursor)
{
    const popef_reader *reader = cursor->reader;
    size_t start = cursor->at;
    const unsigned char *head = reader->data + start;
    if (reader->size - start < BLOCK || memcmp(head, MAGIC, MAGIC_BYTES) != 0)
        return PARSE_FAIL(cursor, start ? "%s: what follows byte %zu is no section" : "%s is no PopEF file of Tremula",
                          cursor->name, start);
    if (head[MAGIC_BYTES] != VERSION || !all_zero(head + MAGIC_BYTES + 1, BLOCK - MAGIC_BYTES - 1))
        return PARSE_FAIL(cursor, "%s has version %u of the format, this library reads %d", cursor->name,
                          head[MAGIC_BYTES], VERSION);
    cursor->at += BLOCK;
    for (size_t number = 0;; ++number) {
        if (reader->size - cursor->at < BLOCK)
            return PARSE_FAIL(cursor, "%s is cut off: it has no end", cursor->name);
        const unsigned char *block = reader->data + cursor->at;
        struct blob_head next = format_get_head(block);
        cursor->at += BLOCK;
        if (!next.kind) {
            if (next.size != number || next.description || !all_zero(block + 16, BLOCK - 16 - CHECKSUM_BYTES))
                return PARSE_FAIL(cursor, "%s is damaged: its end counts %llu blobs, there are %zu", cursor->name,
                                  (unsigned long long)next.size, number);
            return check_sum(cursor, start);
        }
        if (!check_sizes(cursor, &next, number) || !read_blob(cursor, &next, number))
            return false;
    }
}

/* Reads all sections; closes the reader and returns NULL on failure. */
static popef_reader *read_all(popef_reader *reader, const char *name, const char *api, pop_error *error)
{
    struct cursor cursor = { reader, name, api, 0, error };
    do {
        if (!read_section(&cursor)) {
            popef_reader_close(reader);
            return NULL;
        }
    } while (cursor.at < reader->size);
    return reader;
}

static popef_reader *cannot_read(const char *path, const char *api, pop_error *error)
{
    format_fail(error, POP_FILE_LOAD_ERROR, api, "%s cannot be read: %s", path ? path : "NULL",
                pop_text_from_errno(path ? errno : ENOENT));
    return NULL;
}

popef_reader *popef_reader_open(const char *path, pop_error *error)
{
    static const char api[] = "popef_reader_open";
    int file = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    struct stat facts;
    if (file < 0)
        return cannot_read(path, api, error);
    if (fstat(file, &facts) != 0 || !S_ISREG(facts.st_mode)) {
        close(file);
        errno = EINVAL;
        return cannot_read(path, api, error);
    }
    popef_reader *reader = calloc(1, sizeof(*reader));
    size_t size = (size_t)facts.st_size;
    void *data = size ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0) : NULL;
    int problem = errno;
    close(file);
    if (!reader || data == MAP_FAILED) {
        free(reader);
        errno = problem;
        return cannot_read(path, api, error);
    }
    *reader = (popef_reader){ .data = data, .size = size, .mapped = size > 0 };
    return read_all(reader, path, api, error);
}

popef_reader *popef_reader_of(const void *data, size_t size, const char *name, pop_error *error)
{
    static const char api[] = "popef_reader_of";
    popef_reader *reader = data ? calloc(1, sizeof(*reader)) : NULL;
    if (!reader) {
        format_fail(error, POP_RUNTIME_ERROR, api, data ? "out of memory" : "the data is NULL");
        return NULL;
    }
    *reader = (popef_reader){ .data = data, .size = size };
    return read_all(reader, name ? name : "the data", api, error);
}

size_t popef_reader_count(const popef_reader *reader)
{
    return reader ? reader->count : 0;
}

popef_blob popef_reader_blob(const popef_reader *reader, size_t index)
{
    if (!reader || index >= reader->count)
        return (popef_blob){ .kind = (popef_kind)0 };
    const struct blob *blob = &reader->blobs[index];
    return (popef_blob){ blob->kind, &blob->description, blob->data, blob->size };
}

void popef_reader_close(popef_reader *reader)
{
    if (!reader)
        return;
    for (size_t i = 0; i < reader->count; ++i)
        pop_profile_free(&reader->blobs[i].description);
    free(reader->blobs);
    if (reader->mapped)
        munmap((void *)(uintptr_t)reader->data, reader->size);
    free(reader);
}
