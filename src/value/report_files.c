/* SPDX-License-Identifier: Apache-2.0 */
#include "value/report_files.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"

#include <ar.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

_Static_assert(REPORT_NOTE_AT == sizeof(Elf32_Ehdr), "the note is after the head");

static const struct {
    const char *stem, *ending, *name;
} files[REPORT_FILES] = {
    [REPORT_FILE_PROFILE] = { "profile", ".pop", "profile.pop" },
    [REPORT_FILE_DEBUG] = { "debug", ".cbor", "debug.cbor" },
    [REPORT_FILE_ARCHIVE] = { "archive", ".a", "archive.a" },
    [REPORT_FILE_GRAPH] = { "serialized_graph", ".json", "serialized_graph.json" },
};

static const char digits[] = "0123456789abcdef";

void report_id_make(char id[REPORT_ID_SIZE])
{
    uint64_t number = 0;
    if (getrandom(&number, sizeof(number), 0) != sizeof(number)) {
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        number = (uint64_t)now.tv_sec << 40 ^ (uint64_t)now.tv_nsec << 20 ^ (uint64_t)getpid();
    }
    for (int i = 0; i < REPORT_ID_SIZE - 1; ++i)
        id[i] = digits[number >> 4 * i & 15];
    id[REPORT_ID_SIZE - 1] = '\0';
}

const char *report_file_name(enum report_file file)
{
    return files[file].name;
}

char *report_file_path(const char *directory, enum report_file file, const char *id)
{
    struct str path = { 0 };
    bool slash = *directory && directory[strlen(directory) - 1] == '/';
    str_format(&path, "%s%s%s%s%s%s", directory, slash ? "" : "/", files[file].stem, id ? "_" : "", id ? id : "",
               files[file].ending);
    return path.text;
}

static bool is_id(const char *text, size_t length)
{
    return length == REPORT_ID_SIZE - 1 && strspn(text, digits) >= length;
}

bool report_file_is_temporary(const char *name, enum report_file *file, char id[REPORT_ID_SIZE])
{
    for (int i = 0; i < REPORT_FILES; ++i) {
        size_t length = strlen(name), stem = strlen(files[i].stem), ending = strlen(files[i].ending);
        if (length <= stem + 1 + ending || strncmp(name, files[i].stem, stem) != 0 || name[stem] != '_' ||
            strcmp(name + length - ending, files[i].ending) != 0 || !is_id(name + stem + 1, length - stem - 1 - ending))
            continue;
        *file = (enum report_file)i;
        memcpy(id, name + stem + 1, REPORT_ID_SIZE - 1);
        id[REPORT_ID_SIZE - 1] = '\0';
        return true;
    }
    return false;
}

void report_note(const char *id, unsigned char *note)
{
    const Elf32_Nhdr head = { sizeof(REPORT_NOTE_NAME), REPORT_ID_SIZE - 1, REPORT_NOTE_TYPE };
    memcpy(note, &head, sizeof(head));
    memcpy(note + sizeof(head), REPORT_NOTE_NAME, sizeof(REPORT_NOTE_NAME));
    memcpy(note + sizeof(head) + sizeof(REPORT_NOTE_NAME), id, REPORT_ID_SIZE - 1);
}

/* Offset of the id in a file, after *size constant bytes *before. */
static size_t id_place(enum report_file file, const unsigned char **before, size_t *size, unsigned char *note)
{
    switch (file) {
    case REPORT_FILE_DEBUG:
        *before = (const unsigned char *)REPORT_DEBUG_HEAD;
        *size = sizeof(REPORT_DEBUG_HEAD) - 1;
        return 0;
    case REPORT_FILE_ARCHIVE:
        report_note("0123456789abcdef", note);
        *before = note;
        *size = REPORT_NOTE_SIZE - (REPORT_ID_SIZE - 1);
        return SARMAG + sizeof(struct ar_hdr) + REPORT_NOTE_AT;
    default:
        *size = 0;
        return 0;
    }
}

void report_file_id(const char *path, enum report_file file, char id[REPORT_ID_SIZE])
{
    unsigned char note[REPORT_NOTE_SIZE], found[REPORT_NOTE_SIZE + sizeof(REPORT_DEBUG_HEAD)];
    const unsigned char *before = note;
    size_t size, at = id_place(file, &before, &size, note), all = size + REPORT_ID_SIZE - 1;
    *id = '\0';
    int descriptor = size ? file_open_regular(path) : -1;
    if (descriptor < 0)
        return;
    if (pread(descriptor, found, all, (off_t)at) == (ssize_t)all && memcmp(found, before, size) == 0) {
        memcpy(id, found + size, REPORT_ID_SIZE - 1);
        id[REPORT_ID_SIZE - 1] = '\0';
        if (!is_id(id, REPORT_ID_SIZE - 1))
            *id = '\0';
    }
    close(descriptor);
}

uint64_t report_file_bytes(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && S_ISREG(facts.st_mode) ? (uint64_t)facts.st_size : UINT64_MAX;
}

bool report_link(const char *directory, const char *id)
{
    char *link = report_file_path(directory, REPORT_FILE_PROFILE, NULL),
         *target = report_file_path(directory, REPORT_FILE_PROFILE, id);
    struct str beside = { 0 };
    str_format(&beside, "%s.link", target);
    unlink(beside.text); /* of a process with this id that was killed here */
    bool good = symlink(strrchr(target, '/') + 1, beside.text) == 0;
    if (good && rename(beside.text, link) != 0) {
        int reason = errno;
        unlink(beside.text);
        errno = reason;
        good = false;
    }
    int reason = errno;
    str_free(&beside);
    free(target);
    free(link);
    errno = reason;
    return good;
}

void report_linked(const char *directory, char id[REPORT_ID_SIZE])
{
    char *link = report_file_path(directory, REPORT_FILE_PROFILE, NULL), target[64];
    ssize_t length = readlink(link, target, sizeof(target) - 1);
    enum report_file file = REPORT_FILES;
    target[length > 0 ? length : 0] = '\0';
    if (!report_file_is_temporary(target, &file, id) || file != REPORT_FILE_PROFILE)
        *id = '\0';
    free(link);
}

int report_lock(const char *directory)
{
    enum { ATTEMPTS = 100, PAUSE = 50000000 }; /* five seconds: a process that holds the lock longer was suspended */
    int lock = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int i = 0; lock >= 0 && i < ATTEMPTS && flock(lock, LOCK_EX | LOCK_NB) != 0; ++i) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            break; /* a file system without locks */
        nanosleep(&(struct timespec){ 0, PAUSE }, NULL);
    }
    return lock;
}

void report_unlock(int lock)
{
    if (lock >= 0)
        close(lock);
}

bool report_companions_rename(const char *directory, const char *id, const bool *must, enum report_file *failed)
{
    bool good = true;
    for (int i = REPORT_FILE_DEBUG; i < REPORT_FILES && good; ++i) {
        char *from = report_file_path(directory, (enum report_file)i, id),
             *to = report_file_path(directory, (enum report_file)i, NULL);
        *failed = (enum report_file)i;
        good = rename(from, to) == 0 || (errno == ENOENT && !(must && must[i]));
        int reason = errno;
        free(from);
        free(to);
        errno = reason;
    }
    return good;
}
