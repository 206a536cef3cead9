/* SPDX-License-Identifier: Apache-2.0 */
#include "report/report.h"

#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "value/report_files.h"

#include <dirent.h>
#include <errno.h>
#include <poplar/text.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* root may be the current directory of a large tree: engines' names are short paths, and few. */
enum { DEEPEST = 4, MAX_ENTRIES = 4096 };

static bool is_same(const char *path, const char *other)
{
    struct stat a, b;
    return stat(path, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* From the directory of path to the file at root: "../../debug.cbor", where root is the second directory above. */
static bool relative(const char *root, const char *path, struct str *target)
{
    struct str above = { 0 };
    str_add(&above, path);
    *strrchr(above.text, '/') = '\0';
    above.length = strlen(above.text);
    bool found = false;
    for (int depth = 0; depth < DEEPEST && !found; ++depth) {
        str_add(target, "../");
        str_add(&above, "/..");
        found = is_same(above.text, root);
    }
    str_add(target, report_file_name(REPORT_FILE_DEBUG));
    str_free(&above);
    return found;
}

bool debug_link(const char *root, const char *path)
{
    struct str target = { 0 };
    char *file = report_file_path(root, REPORT_FILE_DEBUG, NULL);
    bool good = relative(root, path, &target);
    if (!good) { /* a directory on the way is a link itself */
        char *whole = realpath(file, NULL);
        str_free(&target);
        if (whole)
            str_add(&target, whole);
        good = whole != NULL;
        free(whole);
    }
    if (good)
        unlink(path);
    good = good && symlink(target.text, path) == 0;
    int reason = errno;
    str_free(&target);
    free(file);
    errno = reason;
    return good;
}

/* The file whose links are looked for. */
struct link_search {
    const char *file;
    int left; /* directory entries to read */
};

/* Replaces a link at a path by another name of the file, unless it became something else meanwhile. */
static void keep_one(const struct link_search *search, const char *directory, const char *path)
{
    struct str beside = { 0 };
    struct stat facts;
    int lock = report_lock(directory);
    str_format(&beside, "%s.link", path);
    unlink(beside.text);
    bool still = lstat(path, &facts) == 0 && S_ISLNK(facts.st_mode) && is_same(path, search->file);
    if (still && (link(search->file, beside.text) != 0 || rename(beside.text, path) != 0))
        LOG(PROFILER, WARN, "'%s' is lost: %s", path, pop_text_from_errno(errno));
    unlink(beside.text);
    report_unlock(lock);
    str_free(&beside);
}

static void keep_below(struct link_search *search, const char *directory, int depth)
{
    DIR *entries = opendir(directory);
    for (struct dirent *entry; entries && search->left-- > 0 && (entry = readdir(entries));) {
        struct str below = { 0 };
        struct stat facts;
        str_format(&below, "%s/%s", directory, entry->d_name);
        if (entry->d_name[0] != '.' && lstat(below.text, &facts) == 0 && S_ISDIR(facts.st_mode)) {
            char *path = report_file_path(below.text, REPORT_FILE_DEBUG, NULL);
            if (lstat(path, &facts) == 0 && S_ISLNK(facts.st_mode) && is_same(path, search->file))
                keep_one(search, below.text, path);
            free(path);
            if (depth < DEEPEST)
                keep_below(search, below.text, depth + 1);
        }
        str_free(&below);
    }
    if (entries)
        closedir(entries);
}

void debug_links_keep(const char *root)
{
    struct stat facts;
    char *file = report_file_path(root, REPORT_FILE_DEBUG, NULL);
    struct link_search search = { file, MAX_ENTRIES };
    if (lstat(file, &facts) == 0 && S_ISREG(facts.st_mode))
        keep_below(&search, root, 1);
    free(file);
}
