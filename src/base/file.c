/* SPDX-License-Identifier: Apache-2.0 */
#include "base/file.h"

#include "base/error.h"
#include "base/str.h"
#include "base/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poplar/text.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Limit for devices and pipes, in bytes; longer input is refused. */
#define MAX_STREAM_BYTES ((size_t)256 << 20)

static pop_status read_all(FILE *file, const char *name, size_t limit, char **data, size_t *size, pop_error *error)
{
    VEC(char) text = { 0 };
    struct stat status;
    if (fstat(fileno(file), &status) == 0 && S_ISREG(status.st_mode)) {
        limit = SIZE_MAX;
        text.data = mem_try_grow(NULL, (size_t)status.st_size + 2);
        text.capacity = text.data ? (size_t)status.st_size + 2 : 0;
        if (!text.data) {
            atomic_fetch_add(&mem_failed, 1); /* callers for which the file is optional must not treat it as missing */
            return error_set(error, POP_FILE_LOAD_ERROR, NO_WHERE, NULL,
                             "cannot read '%s': there is no host memory for its %lld bytes", name,
                             (long long)status.st_size);
        }
    }
    while (text.count < limit) {
        vec_reserve(&text, text.capacity - text.count > 1 ? 1 : 65536);
        size_t got = fread(text.data + text.count, 1, text.capacity - text.count - 1, file);
        text.count += got;
        if (!got)
            break;
    }
    if (text.count >= limit) {
        vec_free(&text);
        return error_set(error, POP_FILE_LOAD_ERROR, NO_WHERE, NULL,
                         "cannot read '%s': it is no regular file and does not end after %zu bytes", name, limit);
    }
    if (ferror(file)) {
        int reason = errno;
        vec_free(&text);
        return error_set(error, POP_FILE_LOAD_ERROR, NO_WHERE, NULL, "cannot read '%s': %s", name,
                         pop_text_from_errno(reason));
    }
    text.data[text.count] = 0;
    *data = text.data;
    *size = text.count;
    return POP_OK;
}

pop_status file_read_stream(FILE *file, char **data, size_t *size, pop_error *error)
{
    return read_all(file, "stream", SIZE_MAX, data, size, error);
}

static pop_status open_for_reading(const char *path, FILE **file, pop_error *error)
{
    *file = fopen(path, "rbe");
    char directory[PATH_MAX];
    if (!*file && errno == ENOENT && *path != '/' && getcwd(directory, sizeof(directory)))
        return error_set(error, POP_FILE_LOAD_ERROR, NO_WHERE, NULL, "cannot open '%s': %s (looked for in '%s')", path,
                         pop_text_from_errno(ENOENT), directory);
    return *file ? POP_OK
                 : error_set(error, POP_FILE_LOAD_ERROR, NO_WHERE, NULL, "cannot open '%s': %s", path,
                             pop_text_from_errno(errno));
}

pop_status file_read(const char *path, char **data, size_t *size, pop_error *error)
{
    FILE *file;
    pop_status status = open_for_reading(path, &file, error);
    if (status != POP_OK)
        return status;
    status = read_all(file, path, MAX_STREAM_BYTES, data, size, error);
    fclose(file);
    return status;
}

static bool map_file(FILE *file, struct file_view *view)
{
    struct stat status;
    if (fstat(fileno(file), &status) != 0 || !S_ISREG(status.st_mode) || status.st_size <= 0)
        return false;
    int populate = 0;
#ifdef MAP_POPULATE
    populate = MAP_POPULATE; /* the checksum reads all of it */
#endif
    void *data = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE | populate, fileno(file), 0);
    if (data == MAP_FAILED)
        return false;
    *view = (struct file_view){ data, (size_t)status.st_size, true };
    return true;
}

pop_status file_view_open(const char *path, struct file_view *view, pop_error *error)
{
    FILE *file;
    *view = (struct file_view){ NULL, 0, false };
    pop_status status = open_for_reading(path, &file, error);
    if (status != POP_OK)
        return status;
    char *data = NULL;
    if (!map_file(file, view) && (status = read_all(file, path, MAX_STREAM_BYTES, &data, &view->size, error)) == POP_OK)
        view->data = data;
    fclose(file);
    return status;
}

void file_view_close(struct file_view *view)
{
    if (view->mapped)
        munmap((void *)view->data, view->size);
    else
        free((void *)view->data);
    *view = (struct file_view){ NULL, 0, false };
}

int file_open_regular(const char *path)
{
    struct stat facts;
    int fd = -1;
    if (stat(path, &facts) == 0 && S_ISREG(facts.st_mode))
        fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* does not block if the file is replaced meanwhile */
    else if (stat(path, &facts) == 0)
        errno = S_ISDIR(facts.st_mode) ? EISDIR : EINVAL;
    if (fd >= 0 && (fstat(fd, &facts) != 0 || !S_ISREG(facts.st_mode))) {
        close(fd);
        errno = EINVAL;
        fd = -1;
    }
    return fd;
}

static bool write_all(int fd, const char *data, size_t size)
{
    while (size) {
        ssize_t wrote = write(fd, data, size);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0)
            return false;
        data += wrote;
        size -= (size_t)wrote;
    }
    return true;
}

/* Creates a new file with a unique name in path's directory; appends its name to *name. */
static int open_beside(const char *path, mode_t mode, struct str *name)
{
    for (unsigned attempt = 0; attempt < 100; ++attempt) {
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        str_free(name);
        str_format(name, "%s.%ld.%lx.tmp", path, (long)getpid(), (unsigned long)now.tv_nsec + attempt);
        int fd = open(name->text, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return -1;
}

/* The content to write: bytes, or a callback that streams it and returns false with errno set on failure. */
struct content {
    bool (*write)(int fd, const struct content *content);
    const void *data; /* bytes */
    size_t size;
    bool (*put)(FILE *file, const void *user); /* or streamed */
    const void *user;
};

static bool write_bytes(int fd, const struct content *content)
{
    return write_all(fd, content->data, content->size);
}

/* A descriptor that is written to, and how many bytes the disk has not been asked to write yet. */
struct streamed {
    int fd;
    size_t waiting;
};

/* Asks the disk to write every few MB: the flush at the end waits for the last of them only. */
static ssize_t put_streamed(void *cookie, const char *data, size_t size)
{
    enum { ENOUGH = 4 << 20 };
    struct streamed *s = cookie;
    if (!write_all(s->fd, data, size))
        return 0; /* an error: cookies may not return -1 for it */
    s->waiting += size;
#ifdef SYNC_FILE_RANGE_WRITE
    if (s->waiting >= ENOUGH) {
        int reason = errno;
        (void)!sync_file_range(s->fd, 0, 0, SYNC_FILE_RANGE_WRITE); /* advice: fails for pipes */
        errno = reason;
        s->waiting = 0;
    }
#endif
    return (ssize_t)size;
}

/* Some formats fill in a length at the end. */
static int seek_streamed(void *cookie, off64_t *offset, int whence)
{
    struct streamed *s = cookie;
    off_t at = lseek(s->fd, *offset, whence);
    if (at < 0)
        return -1;
    *offset = at;
    return 0;
}

static bool write_stream(int fd, const struct content *content)
{
    struct streamed streamed = { .fd = fd };
    FILE *file = fopencookie(&streamed, "wb", (cookie_io_functions_t){ .write = put_streamed, .seek = seek_streamed });
    if (!file)
        return false;
    bool good = content->put(file, content->user);
    int reason = errno;
    if (fclose(file) != 0 && good)
        return false;
    errno = reason;
    return good;
}

static bool replace(const char *path, mode_t mode, bool keep_mode, const struct content *content)
{
    struct str name = { 0 };
    int fd = open_beside(path, mode, &name);
    bool good = fd >= 0;
    if (good) {
        good = (!keep_mode || fchmod(fd, mode) == 0) && content->write(fd, content) && fsync(fd) == 0;
        int reason = errno;
        if (close(fd) != 0 && good) {
            good = false;
            reason = errno;
        }
        if (good && rename(name.text, path) != 0) {
            good = false;
            reason = errno;
        }
        if (!good)
            unlink(name.text);
        errno = reason;
    }
    int reason = errno;
    str_free(&name);
    errno = reason;
    return good;
}

/* Devices and pipes cannot be replaced, only written to. */
static bool write_through(const char *path, const struct content *content)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool good = content->write(fd, content);
    int reason = errno;
    if (close(fd) != 0 && good)
        return false;
    errno = reason;
    return good;
}

static bool write_content(const char *path, const struct content *content)
{
    struct stat old;
    bool exists = stat(path, &old) == 0;
    if (exists && !S_ISREG(old.st_mode))
        return write_through(path, content);
    char *real = exists ? realpath(path, NULL) : NULL; /* the target of a symbolic link is replaced, not the link */
    bool good = replace(real ? real : path, exists ? old.st_mode & 0777 : 0666, exists, content);
    int reason = errno;
    free(real);
    errno = reason;
    return good;
}

static pop_status written(bool good, const char *path, pop_error *error)
{
    return good ? POP_OK
                : error_set(error, POP_POPLAR_ERROR, NO_WHERE, NULL, "cannot write '%s': %s", path,
                            pop_text_from_errno(errno));
}

pop_status file_write(const char *path, const void *data, size_t size, pop_error *error)
{
    return written(write_content(path, &(struct content){ write_bytes, .data = data, .size = size }), path, error);
}

pop_status file_write_private(const char *path, const void *data, size_t size, pop_error *error)
{
    struct content content = { write_bytes, .data = data, .size = size };
    return written(replace(path, 0600, true, &content), path, error);
}

bool file_write_stream(const char *path, bool (*put)(FILE *file, const void *user), const void *user)
{
    return write_content(path, &(struct content){ write_stream, .put = put, .user = user });
}
