/* SPDX-License-Identifier: Apache-2.0 */
#include "report/debug_file.h"

#include "base/log.h"
#include "base/mem.h"
#include "report/report.h"

#include <errno.h>
#include <fcntl.h>
#include <poplar/text.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { UNUSED_MAX = 16, COPY_BYTES = 1 << 16 };

/* Whether the file has this path. */
static bool is_at(const struct debug_file *file, const char *path)
{
    struct stat here, there;
    return lstat(path, &there) == 0 && fstat(file->descriptor, &here) == 0 && here.st_dev == there.st_dev &&
           here.st_ino == there.st_ino;
}

static bool is_final(const struct debug_file *file, const char *directory)
{
    char *path = report_file_path(directory, REPORT_FILE_DEBUG, NULL);
    bool good = is_at(file, path);
    free(path);
    return good;
}

static char *in_directory(const char *directory, const char *name)
{
    size_t length = strlen(directory), size = strlen(name) + 1;
    char *path = mem_alloc(length + 1 + size);
    memcpy(path, directory, length);
    path[length] = '/';
    memcpy(path + length + 1, name, size);
    return path;
}

static bool is_temporary(const struct debug_file *file, const char *directory)
{
    char *path = in_directory(directory, file->temporary);
    bool good = is_at(file, path);
    free(path);
    return good;
}

struct debug_file *debug_file_find(struct debug_files *files, const char *directory)
{
    struct stat facts;
    if (stat(directory, &facts) != 0)
        return NULL;
    for (size_t i = files->list.count; i--;) {
        struct debug_file *file = &files->list.data[i];
        if (file->owner == getpid() && file->device == facts.st_dev && file->number == facts.st_ino &&
            (is_final(file, directory) || is_temporary(file, directory)))
            return file;
    }
    return NULL;
}

struct debug_file *debug_file_by_id(struct debug_files *files, const char *id)
{
    for (size_t i = 0; i < files->list.count; ++i)
        if (!strcmp(files->list.data[i].id, id))
            return &files->list.data[i];
    return NULL;
}

static int make(const char *path)
{
    return open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
}

/* The list lives as long as the process, so it never takes the memory that is set aside for errors. */
static struct debug_file *push(struct debug_files *files, const char *name)
{
    struct debug_file *list = mem_try_grow(files->list.data, (files->list.count + 1) * sizeof(*list));
    if (!list)
        return NULL;
    files->list.data = list;
    files->list.capacity = files->list.count + 1;
    list[files->list.count] = (struct debug_file){ .owner = getpid() };
    snprintf(list[files->list.count].temporary, DEBUG_FILE_NAME, "%s", name);
    return &list[files->list.count++];
}

struct debug_file *debug_file_make(struct debug_files *files, const char *directory, const char *temporary)
{
    struct stat facts;
    int descriptor = stat(directory, &facts) == 0 ? make(temporary) : -1;
    if (descriptor < 0)
        return NULL;
    struct debug_file *file = push(files, strrchr(temporary, '/') + 1);
    if (!file) {
        close(descriptor);
        unlink(temporary);
        errno = ENOMEM;
        return NULL;
    }
    report_id_make(file->id);
    file->descriptor = descriptor;
    file->device = facts.st_dev;
    file->number = facts.st_ino;
    return file;
}

uint64_t debug_file_bytes(const struct debug_file *file)
{
    struct stat facts;
    return fstat(file->descriptor, &facts) == 0 ? (uint64_t)facts.st_size : 0;
}

bool debug_file_add(struct debug_file *file, const struct debug_records *records,
                    void (*put)(struct debug_stream *stream, const void *user), const void *user)
{
    struct debug_stream stream;
    off_t before = lseek(file->descriptor, 0, SEEK_END);
    int copy = before < 0 ? -1 : fcntl(file->descriptor, F_DUPFD_CLOEXEC, 0);
    FILE *out = copy < 0 ? NULL : fdopen(copy, "r+b");
    if (!out) {
        if (copy >= 0)
            close(copy);
        return false;
    }
    debug_stream_begin(&stream, out, POP_DEBUG_CBOR, before ? NULL : file->id);
    if (put)
        put(&stream, user);
    debug_records_put(records, file->next, &stream);
    errno = 0;
    bool good = debug_stream_end(&stream);
    int reason = errno ? errno : ENOSPC;
    if (fclose(out) != 0 && good) {
        reason = errno;
        good = false;
    }
    if (good)
        file->next = records->list.count;
    else if (ftruncate(file->descriptor, before) != 0)
        LOG(PROFILER, DEBUG, "a part of debug contexts is cut");
    errno = reason;
    return good;
}

static bool copy_bytes(int from, int to)
{
    char *bytes = mem_alloc(COPY_BYTES);
    off_t at = 0;
    ssize_t got;
    while ((got = pread(from, bytes, COPY_BYTES, at)) > 0) {
        ssize_t written = pwrite(to, bytes, (size_t)got, at);
        if (written <= 0) {
            got = -1;
            break;
        }
        at += written;
    }
    int reason = errno;
    free(bytes);
    errno = reason;
    return got == 0;
}

/* The descriptor of a copy at a path; -1: errno says why. */
static int copy_to(const struct debug_file *file, const char *path)
{
    int copy = make(path);
    if (copy < 0 || copy_bytes(file->descriptor, copy))
        return copy;
    int reason = errno;
    close(copy);
    unlink(path);
    errno = reason;
    return -1;
}

bool debug_file_copy(const struct debug_file *file, const char *path)
{
    int copy = copy_to(file, path);
    return copy >= 0 && close(copy) == 0;
}

/* Gives the file the name `temporary`: by a copy where it has no name in the directory. */
static bool move_to(struct debug_file *file, const char *directory, const char *temporary)
{
    if (is_at(file, temporary))
        return true;
    if (is_temporary(file, directory)) {
        char *path = in_directory(directory, file->temporary);
        bool good = rename(path, temporary) == 0;
        int reason = errno;
        free(path);
        errno = reason;
        if (!good)
            return false;
    } else {
        int copy = copy_to(file, temporary);
        if (copy < 0)
            return false;
        close(file->descriptor);
        file->descriptor = copy;
    }
    snprintf(file->temporary, DEBUG_FILE_NAME, "%s", strrchr(temporary, '/') + 1);
    return true;
}

bool debug_file_place(struct debug_file *file, const char *directory, const char *temporary)
{
    if (is_final(file, directory))
        return true;
    if (!move_to(file, directory, temporary))
        return false;
    debug_links_keep(directory);
    return true;
}

void debug_files_flush(struct debug_files *files, const struct debug_records *records)
{
    size_t kept = 0, unused = 0;
    for (size_t i = 0; i < files->list.count; ++i)
        unused += !files->list.data[i].users;
    for (size_t i = 0; i < files->list.count; ++i) {
        struct debug_file *file = &files->list.data[i];
        struct stat facts;
        bool named = file->owner == getpid() && fstat(file->descriptor, &facts) == 0 && facts.st_nlink > 0;
        size_t count = records->list.count - file->next;
        if (named && count && !debug_file_add(file, records, NULL, NULL)) {
            LOG(PROFILER, WARN, "a debug.cbor lacks %zu debug contexts: %s", count, pop_text_from_errno(errno));
            file->next = records->list.count;
        }
        bool spare = !file->users && unused > UNUSED_MAX;
        unused -= spare;
        if (!spare && (named || (file->users && file->owner == getpid())))
            files->list.data[kept++] = *file;
        else
            close(file->descriptor);
    }
    files->list.count = kept;
}

void debug_files_free(struct debug_files *files)
{
    for (size_t i = 0; i < files->list.count; ++i)
        close(files->list.data[i].descriptor);
    vec_free(&files->list);
}
