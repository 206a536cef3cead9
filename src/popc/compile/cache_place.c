/* SPDX-License-Identifier: Apache-2.0 */
#include "popc/compile/cache_place.h"

#include "base/log.h"
#include "base/vec.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poplar/text.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    STANDARD_MEGABYTES = 1024,
    STALE_SECONDS = 3600 /* age in seconds after which an unfinished file is taken for one of a killed run */
};

static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

/* Whether only the user and root can change the file; else sets the reason. */
static bool is_private(const struct stat *status, struct str *reason)
{
    if (status->st_uid != geteuid() && status->st_uid != 0)
        str_format(reason, "it belongs to user %u", (unsigned)status->st_uid);
    else if (status->st_mode & 022)
        str_format(reason, "others can write to it (mode %03o; allowed: 0755 or less)",
                   (unsigned)status->st_mode & 0777);
    else
        return true;
    return false;
}

static bool make_directories(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        bool good = mkdir(path, 0700) == 0 || errno == EEXIST;
        *slash = '/';
        if (!good)
            return false;
    }
    return mkdir(path, 0700) == 0 || errno == EEXIST;
}

static bool usable(const char *path, int access_mode, struct str *reason)
{
    struct stat status;
    if (stat(path, &status) != 0 || access(path, access_mode) != 0)
        str_add(reason, pop_text_from_errno(errno));
    else if (!S_ISDIR(status.st_mode))
        str_add(reason, "it is not a directory");
    else
        return is_private(&status, reason);
    return false;
}

static void own_place(struct str *path)
{
    const char *own = variable("TREMULA_CACHE_DIR"), *caches = variable("XDG_CACHE_HOME"), *home = variable("HOME");
    if (own)
        str_add(path, own);
    else if (caches)
        str_format(path, "%s/tremula", caches);
    else if (home)
        str_format(path, "%s/.cache/tremula", home);
}

static void add_shared(struct cache_places *places)
{
    static atomic_flag reported = ATOMIC_FLAG_INIT;
    const char *shared = variable("TREMULA_CACHE_SHARED");
    for (size_t length; shared && *shared && places->count < CACHE_PLACES; shared += length + (shared[length] == ':')) {
        struct str *path = places->path + places->count, reason = { 0 };
        length = strcspn(shared, ":");
        str_add_bytes(path, shared, length);
        if (length && usable(path->text, R_OK | X_OK, &reason))
            ++places->count;
        else {
            if (length && !atomic_flag_test_and_set(&reported))
                LOG(CODELETS, WARN, "the shared cache of compiled codelets '%s' is not used: %s", path->text,
                    str_text(&reason));
            str_free(path);
        }
        str_free(&reason);
    }
}

void cache_places_find(struct cache_places *places)
{
    static atomic_flag reported = ATOMIC_FLAG_INIT;
    *places = (struct cache_places){ .count = 0 };
    struct str *path = places->path, reason = { 0 };
    own_place(path);
    if (!path->length)
        str_add(&reason, "there is no home directory");
    else if (!make_directories(path->text))
        str_add(&reason, pop_text_from_errno(errno));
    else
        places->own = usable(path->text, R_OK | W_OK | X_OK, &reason);
    if (!places->own && !atomic_flag_test_and_set(&reported))
        LOG(CODELETS, WARN,
            "no cache of compiled codelets: '%s' is not used: %s; set TREMULA_CACHE_DIR to a directory of your own",
            path->length ? path->text : "~/.cache/tremula", reason.text);
    if (places->own)
        places->count = 1;
    else
        str_free(path);
    str_free(&reason);
    add_shared(places);
}

void cache_places_free(struct cache_places *places)
{
    for (size_t i = 0; i < places->count; ++i)
        str_free(places->path + i);
}

bool cache_file_trusted(const char *path)
{
    struct stat status;
    struct str reason = { 0 };
    if (lstat(path, &status) != 0)
        return false;
    bool trusted = S_ISREG(status.st_mode) && is_private(&status, &reason);
    if (!trusted)
        LOG(CODELETS, WARN, "the cache entry '%s' is not used: %s", path,
            reason.length ? reason.text : "it is not a regular file");
    str_free(&reason);
    return trusted;
}

void cache_file_used(const char *path)
{
    utimensat(AT_FDCWD, path, NULL, 0);
}

/* ---- the limit ---- */

struct entry {
    struct timespec used;
    uint64_t bytes;
    char *name;
};
typedef VEC(struct entry) entry_vec;

static int earlier(const void *a, const void *b)
{
    const struct timespec *one = &((const struct entry *)a)->used, *other = &((const struct entry *)b)->used;
    if (one->tv_sec != other->tv_sec)
        return one->tv_sec < other->tv_sec ? -1 : 1;
    return one->tv_nsec < other->tv_nsec ? -1 : one->tv_nsec > other->tv_nsec;
}

static bool ends_in(const char *name, const char *ending)
{
    size_t length = strlen(name), of = strlen(ending);
    return length >= of && strcmp(name + length - of, ending) == 0;
}

static uint64_t list_entries(int directory, DIR *stream, entry_vec *entries)
{
    uint64_t bytes = 0;
    time_t now = time(NULL);
    for (struct dirent *found; (found = readdir(stream)) != NULL;) {
        struct stat status;
        bool partial = strstr(found->d_name, ".codelets.") && ends_in(found->d_name, ".tmp");
        if ((!partial && !ends_in(found->d_name, ".codelets")) ||
            fstatat(directory, found->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        if (partial) {
            if (now - status.st_mtime > STALE_SECONDS)
                unlinkat(directory, found->d_name, 0);
            continue;
        }
        *vec_push(entries) =
            (struct entry){ status.st_mtim, (uint64_t)status.st_blocks * 512, mem_string(found->d_name) };
        bytes += (uint64_t)status.st_blocks * 512;
    }
    return bytes;
}

static uint64_t limit(void)
{
    const char *text = variable("TREMULA_CACHE_SIZE");
    char *end;
    unsigned long long megabytes = text ? strtoull(text, &end, 10) : STANDARD_MEGABYTES;
    if (text && (*end || *text == '-')) {
        LOG(CODELETS, WARN, "TREMULA_CACHE_SIZE is '%s' (allowed: a number of megabytes); %d is taken", text,
            STANDARD_MEGABYTES);
        megabytes = STANDARD_MEGABYTES;
    }
    return megabytes < UINT64_MAX >> 20 ? (uint64_t)megabytes << 20 : UINT64_MAX;
}

void cache_trim(const char *directory)
{
    DIR *stream = opendir(directory);
    if (!stream)
        return;
    entry_vec entries = { 0 };
    uint64_t max = limit(), bytes = list_entries(dirfd(stream), stream, &entries);
    if (bytes > max && entries.count) {
        qsort(entries.data, entries.count, sizeof(*entries.data), earlier);
        /* deletes a quarter more than necessary, so that not every new entry causes a deletion */
        for (size_t i = 0; i < entries.count && bytes > max - max / 4; ++i)
            if (unlinkat(dirfd(stream), entries.data[i].name, 0) == 0)
                bytes -= entries.data[i].bytes;
    }
    for (size_t i = 0; i < entries.count; ++i)
        free(entries.data[i].name);
    vec_free(&entries);
    closedir(stream);
}
