/* SPDX-License-Identifier: Apache-2.0 */
/* Writes PopEF files. */
#include "popef/format.h"

#include <errno.h>
#include <fcntl.h>
#include <poplar/text.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

struct popef_writer {
    FILE *file;
    char *path, *temporary; /* NULL: the caller's file; temporary NULL: what is there is added to */
    long start;             /* where a section was appended */
    XXH3_state_t *hash;     /* of the section so far */
    uint64_t count;         /* blobs */
    bool failed;
};

static pop_status write_failed(popef_writer *writer, const char *api, pop_error *error)
{
    writer->failed = true;
    return format_fail(error, POP_FILE_LOAD_ERROR, api, "%s cannot be written: %s",
                       writer->path ? writer->path : "the file", pop_text_from_errno(errno));
}

static bool put(popef_writer *writer, const void *data, size_t size)
{
    XXH3_128bits_update(writer->hash, data, size);
    return fwrite(data, 1, size, writer->file) == size;
}

/* Bytes and the zeros up to a whole block. */
static bool put_blocks(popef_writer *writer, const void *data, size_t size)
{
    static const unsigned char zeros[BLOCK];
    return (!size || put(writer, data, size)) && put(writer, zeros, (size_t)(format_blocks(size) - size));
}

static bool put_start(popef_writer *writer)
{
    unsigned char head[BLOCK] = { 0 };
    memcpy(head, MAGIC, MAGIC_BYTES);
    head[MAGIC_BYTES] = VERSION;
    return put(writer, head, sizeof(head));
}

/* The end: the number of blobs, and the checksum of the section. */
static bool put_end(popef_writer *writer)
{
    unsigned char end[BLOCK];
    format_put_head(end, &(struct blob_head){ 0, 0, writer->count });
    put(writer, end, BLOCK - CHECKSUM_BYTES);
    XXH128_canonical_t sum;
    XXH128_canonicalFromHash(&sum, XXH3_128bits_digest(writer->hash));
    return fwrite(&sum, 1, sizeof(sum), writer->file) == sizeof(sum) && fflush(writer->file) == 0 &&
           !ferror(writer->file);
}

static popef_writer *writer_new(const char *path)
{
    popef_writer *writer = calloc(1, sizeof(*writer));
    if (!writer)
        return NULL;
    writer->hash = XXH3_createState();
    writer->path = path ? strdup(path) : NULL;
    if (writer->hash && (!path || writer->path)) {
        XXH3_128bits_reset(writer->hash);
        return writer;
    }
    popef_writer_abandon(writer);
    return NULL;
}

static void writer_free(popef_writer *writer)
{
    XXH3_freeState(writer->hash);
    free(writer->path);
    free(writer->temporary);
    free(writer);
}

static popef_writer *no_memory(const char *api, pop_error *error)
{
    format_fail(error, POP_SYSTEM_RUNTIME_ERROR, api, "out of memory");
    return NULL;
}

/* Opens the file that is there to append to; a new one if there is none. */
static bool open_to_append(popef_writer *writer, const char *api, pop_error *error)
{
    if (access(writer->path, F_OK) == 0) {
        popef_reader *there = popef_reader_open(writer->path, error);
        if (!there)
            return false;
        popef_reader_close(there);
    }
    writer->file = fopen(writer->path, "ab");
    if (writer->file && fseek(writer->file, 0, SEEK_END) == 0)
        writer->start = ftell(writer->file);
    return writer->file || write_failed(writer, api, error) == POP_OK;
}

/* A new file beside the path, which replaces it when it is complete. */
static bool open_new(popef_writer *writer, const char *api, pop_error *error)
{
    size_t size = strlen(writer->path) + 40;
    writer->temporary = malloc(size);
    if (!writer->temporary)
        return no_memory(api, error);
    int descriptor = -1;
    for (int i = 0; i < 100 && descriptor < 0 && (!i || errno == EEXIST); ++i) {
        snprintf(writer->temporary, size, "%s.%ld-%d.part", writer->path, (long)getpid(), i);
        descriptor = open(writer->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    }
    writer->file = descriptor < 0 ? NULL : fdopen(descriptor, "wb");
    if (writer->file)
        return true;
    free(writer->temporary);
    writer->temporary = NULL;
    return write_failed(writer, api, error) == POP_OK;
}

popef_writer *popef_writer_open(const char *path, bool append, pop_error *error)
{
    static const char api[] = "popef_writer_open";
    if (!path) {
        format_fail(error, POP_RUNTIME_ERROR, api, "the path is NULL");
        return NULL;
    }
    popef_writer *writer = writer_new(path);
    if (!writer)
        return no_memory(api, error);
    if (append ? open_to_append(writer, api, error) : open_new(writer, api, error)) {
        if (put_start(writer))
            return writer;
        write_failed(writer, api, error);
    }
    popef_writer_abandon(writer);
    return NULL;
}

popef_writer *popef_writer_create(FILE *file, pop_error *error)
{
    static const char api[] = "popef_writer_create";
    if (!file) {
        format_fail(error, POP_RUNTIME_ERROR, api, "the file is NULL");
        return NULL;
    }
    popef_writer *writer = writer_new(NULL);
    if (!writer)
        return no_memory(api, error);
    writer->file = file;
    if (put_start(writer))
        return writer;
    write_failed(writer, api, error);
    writer_free(writer);
    return NULL;
}

/* The description as CBOR in memory that the caller frees; NULL if there is no memory for it. */
static char *encode(const pop_profile_value *description, size_t *size)
{
    char *text = NULL;
    FILE *file = open_memstream(&text, size);
    bool good = file && pop_profile_write_cbor(file, description);
    if (file)
        good &= fclose(file) == 0;
    if (good)
        return text;
    free(text);
    return NULL;
}

pop_status popef_writer_add(popef_writer *writer, popef_kind kind, const pop_profile_value *description,
                            const void *data, size_t size, pop_error *error)
{
    static const char api[] = "popef_writer_add";
    char why[200];
    if (!writer || (size && !data))
        return format_fail(error, POP_RUNTIME_ERROR, api, "%s NULL", writer ? "the data is" : "the writer is");
    if (!popef_kind_name(kind))
        return format_fail(error, POP_PARSE_ERROR, api, "%d is no kind of blob", (int)kind);
    if (!format_check(kind, description, size, why, sizeof(why)))
        return format_fail(error, POP_PARSE_ERROR, api, "blob %llu (%s): %s", (unsigned long long)writer->count,
                           popef_kind_name(kind), why);
    size_t length = 0;
    char *text = encode(description, &length);
    if (!text)
        return format_fail(error, POP_SYSTEM_RUNTIME_ERROR, api, "out of memory");
    if (length > LARGEST_DESCRIPTION) {
        free(text);
        return format_fail(error, POP_PARSE_ERROR, api, "a description has %zu bytes, at most %u are allowed", length,
                           LARGEST_DESCRIPTION);
    }
    unsigned char head[BLOCK];
    format_put_head(head, &(struct blob_head){ (uint32_t)kind, (uint32_t)length, size });
    bool good = put(writer, head, sizeof(head)) && put_blocks(writer, text, length) && put_blocks(writer, data, size);
    free(text);
    ++writer->count;
    return good ? POP_OK : write_failed(writer, api, error);
}

/* Takes back what was written to the path. */
static void take_back(popef_writer *writer)
{
    if (writer->temporary)
        unlink(writer->temporary);
    else if (writer->path && truncate(writer->path, writer->start) != 0)
        return; /* as it is: readers refuse the incomplete section */
}

pop_status popef_writer_close(popef_writer *writer, pop_error *error)
{
    static const char api[] = "popef_writer_close";
    if (!writer)
        return format_fail(error, POP_RUNTIME_ERROR, api, "the writer is NULL");
    pop_status status = POP_OK;
    if (writer->failed)
        status = format_fail(error, POP_FILE_LOAD_ERROR, api, "an earlier blob could not be written");
    else if (!put_end(writer))
        status = write_failed(writer, api, error);
    if (writer->path) {
        if (fclose(writer->file) != 0 && status == POP_OK)
            status = write_failed(writer, api, error);
        if (status == POP_OK && writer->temporary && rename(writer->temporary, writer->path) != 0)
            status = write_failed(writer, api, error);
        if (status != POP_OK)
            take_back(writer);
    }
    writer_free(writer);
    return status;
}

void popef_writer_abandon(popef_writer *writer)
{
    if (!writer)
        return;
    if (writer->path && writer->file) {
        fclose(writer->file);
        take_back(writer);
    }
    writer_free(writer);
}
