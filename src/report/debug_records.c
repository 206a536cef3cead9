/* SPDX-License-Identifier: Apache-2.0 */
#include "report/debug_records.h"

#include "base/log.h"
#include "base/mem.h"
#include "value/value.h"

#include <errno.h>
#include <fcntl.h>
#include <poplar/text.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { RECORDS_MAX = 1 << 16 };

pop_profile_value debug_record_values(const pop_profile_value *values)
{
    return values && values->type == POP_PROFILE_MAP ? pop_profile_copy(values) : pop_profile_map_new();
}

void debug_records_add(struct debug_records *records, const struct debug_context *context,
                       const pop_profile_value *values)
{
    if (records->list.count == RECORDS_MAX)
        return;
    *vec_push(&records->list) = (struct debug_kept){ .context = *context,
                                                     .layer = intern_add(&records->texts, context->layer),
                                                     .name = intern_add(&records->texts, context->name),
                                                     .function = intern_add(&records->texts, context->function),
                                                     .file = intern_add(&records->texts, context->where.file),
                                                     .values = debug_record_values(values) };
    if (records->list.count == RECORDS_MAX)
        LOG(PROFILER, WARN, "reports have the first %d debug contexts of this process, and no more", RECORDS_MAX);
}

void debug_records_put(const struct debug_records *records, size_t first, struct debug_stream *stream)
{
    for (size_t i = first; i < records->list.count; ++i) {
        const struct debug_kept *kept = records->list.data + i;
        struct debug_context context = kept->context;
        context.layer = intern_text(&records->texts, kept->layer);
        context.name = intern_text(&records->texts, kept->name);
        context.function = intern_text(&records->texts, kept->function);
        context.where.file = kept->file ? intern_text(&records->texts, kept->file) : NULL;
        debug_stream_put(stream, &context, pop_profile_copy(&kept->values));
    }
}

void debug_records_free(struct debug_records *records)
{
    for (size_t i = 0; i < records->list.count; ++i)
        pop_profile_free(&records->list.data[i].values);
    vec_free(&records->list);
    intern_free(&records->texts);
}

/* The list lives as long as the process, so it never takes the memory that is set aside for errors: without memory a
 * file gets no further records. */
void debug_followed_add(struct debug_followed *followed, const char *path, const char *temporary, size_t records)
{
    struct stat facts;
    if (stat(temporary, &facts) != 0)
        return;
    size_t length = strlen(path) + 1, size = strlen(temporary) + 1;
    struct debug_file *list =
        mem_try_grow(followed->list.data, (followed->list.count + 1) * sizeof(*followed->list.data));
    if (!list)
        return;
    followed->list.data = list;
    followed->list.capacity = followed->list.count + 1;
    char *names = mem_try_grow(NULL, length + size);
    if (!names)
        return;
    memcpy(names, path, length);
    memcpy(names + length, temporary, size);
    list[followed->list.count++] = (struct debug_file){ .path = names,
                                                        .temporary = names + length,
                                                        .device = facts.st_dev,
                                                        .number = facts.st_ino,
                                                        .next = records,
                                                        .owner = getpid() };
}

/* The file under one of its names, to be written at its end; -1: it is there no more. */
static int open_followed(const struct debug_file *file)
{
    const char *const names[] = { file->path, file->temporary };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); ++i) {
        struct stat facts;
        int descriptor = open(names[i], O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
        if (descriptor >= 0 && fstat(descriptor, &facts) == 0 && facts.st_dev == file->device &&
            facts.st_ino == file->number)
            return descriptor;
        if (descriptor >= 0)
            close(descriptor);
    }
    return -1;
}

/* Writes bytes whole, or not at all. */
static bool append(int descriptor, const char *bytes, size_t size)
{
    off_t before = lseek(descriptor, 0, SEEK_END);
    while (size) {
        ssize_t written = write(descriptor, bytes, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0) {
            int reason = errno;
            if (before < 0 || ftruncate(descriptor, before) != 0)
                LOG(PROFILER, DEBUG, "a part of debug contexts is cut");
            errno = reason;
            return false;
        }
        bytes += written;
        size -= (size_t)written;
    }
    return true;
}

/* The records from `first` on as a part of debug.cbor, malloc'ed; NULL: no memory. The stream goes back to write its
 * count, which open_memstream takes for its end: a file without a name holds the part. */
static char *part_of(const struct debug_records *records, size_t first, size_t *size)
{
    struct debug_stream stream;
    FILE *file = tmpfile();
    if (!file)
        return NULL;
    debug_stream_begin(&stream, file, POP_DEBUG_CBOR, NULL);
    debug_records_put(records, first, &stream);
    bool good = debug_stream_end(&stream) && fseek(file, 0, SEEK_END) == 0;
    long end = good ? ftell(file) : -1;
    char *bytes = end > 0 ? malloc((size_t)end) : NULL;
    *size = end > 0 ? (size_t)end : 0;
    rewind(file);
    if (bytes && fread(bytes, 1, *size, file) != *size) {
        free(bytes);
        bytes = NULL;
    }
    fclose(file);
    return bytes;
}

static void flush_one(struct debug_file *file, const struct debug_records *records, int descriptor)
{
    size_t size;
    char *part = part_of(records, file->next, &size);
    if (part && !append(descriptor, part, size))
        LOG(PROFILER, WARN, "'%s' lacks %zu debug contexts: %s", file->path, records->list.count - file->next,
            pop_text_from_errno(errno));
    free(part);
    close(descriptor);
    file->next = records->list.count;
}

void debug_followed_flush(struct debug_followed *followed, const struct debug_records *records)
{
    size_t kept = 0;
    for (size_t i = 0; i < followed->list.count; ++i) {
        struct debug_file *file = followed->list.data + i;
        int descriptor = file->owner == getpid() ? open_followed(file) : -1;
        if (descriptor < 0) {
            mem_free(file->path);
            continue;
        }
        if (file->next < records->list.count)
            flush_one(file, records, descriptor);
        else
            close(descriptor);
        followed->list.data[kept++] = *file;
    }
    followed->list.count = kept;
}

void debug_followed_free(struct debug_followed *followed)
{
    for (size_t i = 0; i < followed->list.count; ++i)
        mem_free(followed->list.data[i].path);
    vec_free(&followed->list);
}
