/* SPDX-License-Identifier: Apache-2.0 */
#include "report/bundle.h"

#include "base/error.h"
#include "base/log.h"
#include "base/mem.h"
#include "report/database.h"
#include "report/report.h"

#include <errno.h>
#include <poplar/text.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

pop_status bundle_begin(struct bundle *bundle, char *directory, const char *root, pop_error *error)
{
    *bundle = (struct bundle){ .directory = directory, .root = mem_string(root) };
    report_id_make(bundle->id);
    memcpy(bundle->name, bundle->id, sizeof(bundle->name));
    return database_directories(directory, error) ? POP_OK : POP_FILE_LOAD_ERROR;
}

void bundle_continue(struct bundle *bundle, const char *id)
{
    snprintf(bundle->id, sizeof(bundle->id), "%s", id);
    bundle->continues = true;
}

char *bundle_path(const struct bundle *bundle, enum report_file file)
{
    return report_file_path(bundle->directory, file, file == REPORT_FILE_PROFILE ? bundle->name : bundle->id);
}

void bundle_add(struct bundle *bundle, enum report_file file)
{
    char *path = bundle_path(bundle, file);
    bundle->bytes[file] = report_file_bytes(path);
    bundle->has[file] = bundle->bytes[file] != UINT64_MAX;
    free(path);
}

/* The path at which the process's file is made in the root, before it gets its name; the caller frees it. */
static char *root_path(const struct bundle *bundle)
{
    return report_file_path(bundle->root, REPORT_FILE_DEBUG, bundle->id);
}

pop_status bundle_add_debug(struct bundle *bundle, const pop_store *store, pop_error *error)
{
    char *temporary = root_path(bundle);
    pop_status status = debug_process_add(bundle->root, temporary, store, &bundle->debug, error);
    free(temporary);
    bundle->has[REPORT_FILE_DEBUG] = status == POP_OK;
    bundle->bytes[REPORT_FILE_DEBUG] = bundle->debug.bytes;
    return status;
}

/* Whether the report is in the root itself. */
static bool is_in_root(const struct bundle *bundle)
{
    struct stat a, b;
    return stat(bundle->root, &a) == 0 && stat(bundle->directory, &b) == 0 && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

/* Whether debug.cbor of the directory is that of the current profile.pop, as far as its id shows. */
static bool owns_debug(const char *profile, const char *path)
{
    char id[REPORT_ID_SIZE];
    char *debug = database_info(profile, "debug"), *own = debug ? debug : database_info(profile, "id");
    report_file_id(path, REPORT_FILE_DEBUG, id);
    bool same = own && !strcmp(own, id);
    free(own);
    return same;
}

/* Finds files that the current profile.pop lists and the new report does not write. */
static void find_replaced(const struct bundle *bundle, bool *replaced)
{
    char *profile = report_file_path(bundle->directory, REPORT_FILE_PROFILE, NULL);
    uint64_t bytes[REPORT_FILES];
    bool ours = database_companions(profile, bytes);
    for (int i = 0; i < REPORT_FILES; ++i) {
        char *path = report_file_path(bundle->directory, (enum report_file)i, NULL);
        uint64_t now = report_file_bytes(path);
        bool same = i == REPORT_FILE_PROFILE || (i == REPORT_FILE_DEBUG ? owns_debug(profile, path) : bytes[i] == now);
        replaced[i] = ours && !bundle->has[i] && same && now != UINT64_MAX;
        free(path);
    }
    free(profile);
}

static void remove_replaced(const struct bundle *bundle, const bool *replaced)
{
    for (int i = 0; i < REPORT_FILES; ++i) {
        char *path = replaced[i] ? report_file_path(bundle->directory, (enum report_file)i, NULL) : NULL;
        if (path && i == REPORT_FILE_DEBUG)
            debug_links_keep(bundle->directory);
        if (path)
            unlink(path);
        free(path);
    }
}

/* The error of a file that could not be renamed; errno says why. */
static pop_status fail(const struct bundle *bundle, enum report_file file, pop_error *error)
{
    int reason = errno;
    char *path = bundle_path(bundle, file);
    error_set(error, POP_FILE_LOAD_ERROR, NO_WHERE, NULL, "the report: '%s' cannot be renamed to %s: %s", path,
              report_file_name(file), pop_text_from_errno(reason));
    free(path);
    return POP_FILE_LOAD_ERROR;
}

static bool has_no_links(void)
{
    return errno == EPERM || errno == EOPNOTSUPP || errno == ENOSYS;
}

/* Whether the file system cannot make links; profile.pop is a link afterwards if it can. */
static bool without_links(const struct bundle *bundle, bool *good)
{
    *good = report_link(bundle->directory, bundle->name);
    return !*good && has_no_links();
}

/* Gives the companions their names, and removes those of the previous report. */
static pop_status place_companions(const struct bundle *bundle, const bool *replaced, pop_error *error)
{
    enum report_file failed = REPORT_FILE_DEBUG;
    bool must[REPORT_FILES];
    if (bundle->continues)
        return POP_OK;
    memcpy(must, bundle->has, sizeof(must));
    must[REPORT_FILE_DEBUG] &= !is_in_root(bundle); /* it may have its name already, of an earlier report */
    if (!report_companions_rename(bundle->directory, bundle->id, must, &failed))
        return fail(bundle, failed, error);
    remove_replaced(bundle, replaced);
    return POP_OK;
}

static pop_status fail_debug(const char *path, pop_error *error)
{
    return error_set(error, POP_FILE_LOAD_ERROR, NO_WHERE, "autoReport.outputDebugInfo", "'%s' cannot be written: %s",
                     path, pop_text_from_errno(errno));
}

/* A link to the process's file, or a copy of it where the file system has no links, at the temporary path. */
static pop_status link_debug(const struct bundle *bundle, pop_error *error)
{
    char *path = bundle_path(bundle, REPORT_FILE_DEBUG);
    bool good = debug_link(bundle->root, path) || (has_no_links() && debug_process_copy(bundle->debug.id, path));
    pop_status status = good ? POP_OK : fail_debug(path, error);
    free(path);
    return status;
}

/* Gives the process's file its name in the root, where the report itself is not. */
static pop_status place_in_root(const struct bundle *bundle, pop_error *error)
{
    char *from = root_path(bundle), *to = report_file_path(bundle->root, REPORT_FILE_DEBUG, NULL);
    int lock = report_lock(bundle->root);
    bool good = debug_process_place(bundle->debug.id, bundle->root, from) && (rename(from, to) == 0 || errno == ENOENT);
    pop_status status = good ? POP_OK : fail_debug(to, error);
    report_unlock(lock);
    free(from);
    free(to);
    return status == POP_OK ? link_debug(bundle, error) : status;
}

/* Makes sure that the process's file is in the directory, under one of its names. */
static pop_status place_debug(const struct bundle *bundle, pop_error *error)
{
    char *path = root_path(bundle);
    bool good = debug_process_place(bundle->debug.id, bundle->root, path);
    pop_status status = good ? POP_OK : fail_debug(path, error);
    free(path);
    return status;
}

pop_status bundle_publish(struct bundle *bundle, pop_error *error)
{
    bool replaced[REPORT_FILES], good = true, debug = bundle->has[REPORT_FILE_DEBUG], below = !is_in_root(bundle);
    pop_status status = debug && below ? place_in_root(bundle, error) : POP_OK;
    if (status != POP_OK)
        return status;
    int lock = report_lock(bundle->directory);
    if (debug && !below)
        status = place_debug(bundle, error);
    find_replaced(bundle, replaced);
    if (status == POP_OK) {
        bundle->late = bundle->has[REPORT_FILE_PROFILE] && without_links(bundle, &good);
        status = good || bundle->late ? POP_OK : fail(bundle, REPORT_FILE_PROFILE, error);
    }
    if (status == POP_OK && !bundle->late)
        status = place_companions(bundle, replaced, error);
    report_unlock(lock);
    return status;
}

pop_status bundle_finish(const struct bundle *bundle, pop_error *error)
{
    char id[REPORT_ID_SIZE], *from = bundle_path(bundle, REPORT_FILE_PROFILE),
                             *to = report_file_path(bundle->directory, REPORT_FILE_PROFILE, NULL);
    bool replaced[REPORT_FILES];
    int lock = report_lock(bundle->directory);
    pop_status status = POP_OK;
    report_linked(bundle->directory, id);
    if (bundle->late)
        find_replaced(bundle, replaced);
    if (!bundle->late && strcmp(id, bundle->name) != 0) {
        LOG(PROFILER, INFO, "'%s' is of a later report: this one is dropped", to);
        unlink(from);
    } else if (rename(from, to) != 0) {
        status = fail(bundle, REPORT_FILE_PROFILE, error);
    } else if (bundle->late) {
        bool debug = bundle->has[REPORT_FILE_DEBUG] && is_in_root(bundle);
        status = debug ? place_debug(bundle, error) : POP_OK;
        status = status == POP_OK ? place_companions(bundle, replaced, error) : status;
    }
    report_unlock(lock);
    free(from);
    free(to);
    return status;
}

void bundle_remove(const struct bundle *bundle)
{
    for (int i = 0; i < REPORT_FILES; ++i) {
        char *path = i != REPORT_FILE_PROFILE && bundle->has[i] ? bundle_path(bundle, (enum report_file)i) : NULL;
        if (path)
            unlink(path);
        free(path);
    }
    char *root = bundle->has[REPORT_FILE_DEBUG] ? root_path(bundle) : NULL;
    if (root)
        unlink(root);
    free(root);
}

void bundle_free(struct bundle *bundle)
{
    if (bundle->has[REPORT_FILE_DEBUG])
        debug_process_release(bundle->debug.id);
    free(bundle->directory);
    free(bundle->root);
    bundle->directory = bundle->root = NULL;
}
