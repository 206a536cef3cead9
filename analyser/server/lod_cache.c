/* SPDX-License-Identifier: Apache-2.0 */
/* profile.pop_cache: the results of lod_read_steps and lod_make_buckets, as arrays after a header. A cache belongs
 * to one report file (identified by size, time and inode in the header) and one version of this program; any other
 * is made again. */
#include "base/file.h"
#include "lod.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CACHE_VERSION = 1 };

struct header {
    char magic[8];
    uint32_t version, bucket_bytes;
    uint64_t report_bytes, report_seconds, report_nanoseconds, report_inode;
    uint64_t ipus, tiles_per_ipu, programs, nodes;
    uint64_t steps, patterns, drifts, buckets;
};

static bool header_of(const struct lod *lod, const char *report, struct header *header)
{
    struct stat facts;
    memset(header, 0, sizeof(*header));
    if (stat(report, &facts) != 0)
        return false;
    memcpy(header->magic, "TPOPLOD", 8);
    header->version = CACHE_VERSION;
    header->bucket_bytes = sizeof(struct bucket);
    header->report_bytes = (uint64_t)facts.st_size;
    header->report_seconds = (uint64_t)facts.st_mtim.tv_sec;
    header->report_nanoseconds = (uint64_t)facts.st_mtim.tv_nsec;
    header->report_inode = (uint64_t)facts.st_ino;
    header->ipus = lod->ipus;
    header->tiles_per_ipu = lod->tiles_per_ipu;
    header->programs = lod->programs;
    header->nodes = lod->nodes;
    header->steps = lod->steps;
    header->patterns = lod->patterns;
    header->drifts = lod->drifts;
    header->buckets = lod->buckets;
    return true;
}

/* The arrays with their numbers of elements: one table for loading and saving. */
struct part {
    void **data;
    uint64_t count, bytes;
};
enum { PARTS = 7 };
static void parts_of(struct lod *lod, struct part parts[PARTS])
{
    struct part all[PARTS] = {
        { (void **)&lod->base, lod->steps, sizeof(*lod->base) },
        { (void **)&lod->program, lod->steps, sizeof(*lod->program) },
        { (void **)&lod->pattern, lod->steps, sizeof(*lod->pattern) },
        { (void **)&lod->drift, lod->steps, sizeof(*lod->drift) },
        { (void **)&lod->figures, lod->patterns * lod->ipus, sizeof(*lod->figures) },
        { (void **)&lod->shifts, lod->drifts * lod->ipus, sizeof(*lod->shifts) },
        { (void **)&lod->bucket, lod->buckets * lod->ipus, sizeof(*lod->bucket) },
    };
    memcpy(parts, all, sizeof(all));
}

static char *cache_path(const char *report)
{
    struct str path = { 0 };
    str_format(&path, "%s_cache", report);
    return path.text;
}

/* Whether all loaded indices are in range. */
static bool is_consistent(const struct lod *lod)
{
    for (uint64_t i = 0; i < lod->steps; ++i)
        if (lod->program[i] >= lod->programs || lod->pattern[i] >= lod->patterns || lod->drift[i] >= lod->drifts)
            return false;
    for (uint64_t i = 0; i < lod->buckets * lod->ipus; ++i)
        if (lod->bucket[i].common != NO_NODE && lod->bucket[i].common >= lod->nodes)
            return false;
    return true;
}

static bool load_parts(struct lod *lod, FILE *file, uint64_t bytes)
{
    struct part parts[PARTS];
    parts_of(lod, parts);
    uint64_t expected = sizeof(struct header);
    for (size_t i = 0; i < PARTS; ++i) {
        if (parts[i].count > bytes / parts[i].bytes)
            return false;
        expected += parts[i].count * parts[i].bytes;
    }
    if (expected != bytes)
        return false;
    for (size_t i = 0; i < PARTS; ++i) {
        *parts[i].data = mem_alloc(parts[i].count * parts[i].bytes + 1);
        if (fread(*parts[i].data, parts[i].bytes, parts[i].count, file) != parts[i].count)
            return false;
    }
    return is_consistent(lod);
}

bool lod_load(struct lod *lod, const char *report)
{
    struct header wanted, found;
    struct stat facts;
    char *path = cache_path(report);
    int descriptor = file_open_regular(path);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "rb");
    free(path);
    bool good = file && header_of(lod, report, &wanted) && fread(&found, sizeof(found), 1, file) == 1 &&
                memcmp(&wanted, &found, offsetof(struct header, steps)) == 0 && fstat(fileno(file), &facts) == 0;
    /* The limits keep the products below from overflowing; no real file is that large. */
    good = good && found.steps < (uint64_t)1 << 40 && found.patterns < (uint64_t)1 << 33 &&
           found.drifts < (uint64_t)1 << 33 && found.buckets == (found.steps + BUCKET_STEPS - 1) / BUCKET_STEPS;
    if (good) {
        lod->steps = found.steps;
        lod->patterns = found.patterns;
        lod->drifts = found.drifts;
        lod->buckets = found.buckets;
        good = load_parts(lod, file, (uint64_t)facts.st_size);
        if (!good) {
            struct part parts[PARTS];
            parts_of(lod, parts);
            for (size_t i = 0; i < PARTS; ++i) {
                free(*parts[i].data);
                *parts[i].data = NULL;
            }
            lod->steps = lod->patterns = lod->drifts = lod->buckets = 0;
        }
    }
    if (file)
        fclose(file);
    return good;
}

static bool write_parts(const struct lod *lod, FILE *file, const struct header *header)
{
    struct lod view = *lod;
    struct part parts[PARTS];
    parts_of(&view, parts);
    if (fwrite(header, sizeof(*header), 1, file) != 1)
        return false;
    for (size_t i = 0; i < PARTS; ++i)
        if (fwrite(*parts[i].data, parts[i].bytes, parts[i].count, file) != parts[i].count)
            return false;
    return true;
}

struct lod_saving {
    struct header header;
    char *path, *temporary; /* of the cache, and of the temporary file that is renamed to it */
    FILE *file;
};

static char *why_not(int problem)
{
    struct str why = { 0 };
    str_format(&why, "no cache could be written beside the report (%s): opening it takes as long again",
               strerror(problem));
    return why.text;
}

static void end_saving(struct lod_saving *saving)
{
    if (saving->file)
        fclose(saving->file);
    if (saving->temporary)
        unlink(saving->temporary);
    free(saving->temporary);
    free(saving->path);
    free(saving);
}

struct lod_saving *lod_save_begin(const struct lod *lod, const char *report, char **why)
{
    struct lod_saving *saving = MEM_NEW(struct lod_saving);
    struct stat facts;
    struct str name = { 0 };
    saving->path = cache_path(report);
    str_format(&name, "%s.XXXXXX", saving->path);
    mode_t mode = stat(report, &facts) == 0 ? facts.st_mode & 0666 : 0600; /* who may read the report */
    bool folder = stat(saving->path, &facts) == 0 && S_ISDIR(facts.st_mode);
    errno = EISDIR; /* the error that rename would give at the end */
    int descriptor = !folder && header_of(lod, report, &saving->header) ? mkstemp(name.text) : -1;
    saving->temporary = descriptor >= 0 ? name.text : NULL;
    saving->file = descriptor >= 0 && fchmod(descriptor, mode) == 0 ? fdopen(descriptor, "wb") : NULL;
    if (saving->file)
        return saving;
    *why = why_not(errno);
    if (descriptor >= 0)
        close(descriptor);
    else
        str_free(&name);
    end_saving(saving);
    return NULL;
}

char *lod_save_end(struct lod_saving *saving, const struct lod *lod)
{
    char *why = NULL;
    bool good = write_parts(lod, saving->file, &saving->header);
    int problem = errno;
    bool closed = fclose(saving->file) == 0;
    saving->file = NULL;
    if (!good || !closed || rename(saving->temporary, saving->path) != 0) {
        why = why_not(good ? errno : problem);
    } else {
        free(saving->temporary);
        saving->temporary = NULL;
    }
    end_saving(saving);
    return why;
}
