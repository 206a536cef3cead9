/* SPDX-License-Identifier: Apache-2.0 */
#include "report/bundle.h"

#include "base/error.h"
#include "base/log.h"
#include "base/mem.h"
#include "report/database.h"

#include <errno.h>
#include <poplar/text.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

pop_status bundle_begin(struct bundle *bundle, char *directory, pop_error *error)
{
    *bundle = (struct bundle){ .directory = directory };
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

/* Finds files that the current profile.pop lists and the new report does not write. */
static void find_replaced(const struct bundle *bundle, bool *replaced)
{
    char *profile = report_file_path(bundle->directory, REPORT_FILE_PROFILE, NULL);
    uint64_t bytes[REPORT_FILES];
    bool ours = database_companions(profile, bytes);
    for (int i = 0; i < REPORT_FILES; ++i) {
        char *path = report_file_path(bundle->directory, (enum report_file)i, NULL);
        uint64_t now = report_file_bytes(path);
        bool same = i == REPORT_FILE_PROFILE || bytes[i] == now || (i == REPORT_FILE_DEBUG && bytes[i] < now);
        replaced[i] = ours && !bundle->has[i] && same && now != UINT64_MAX;
        free(path);
    }
    free(profile);
}

static void remove_replaced(const struct bundle *bundle, const bool *replaced)
{
    for (int i = 0; i < REPORT_FILES; ++i) {
        char *path = replaced[i] ? report_file_path(bundle->directory, (enum report_file)i, NULL) : NULL;
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

/* Whether the file system cannot make links; profile.pop is a link afterwards if it can. */
static bool without_links(const struct bundle *bundle, bool *good)
{
    *good = report_link(bundle->directory, bundle->name);
    return !*good && (errno == EPERM || errno == EOPNOTSUPP || errno == ENOSYS);
}

/* Gives the companions their names, and removes those of the previous report. */
static pop_status place_companions(const struct bundle *bundle, const bool *replaced, pop_error *error)
{
    enum report_file failed = REPORT_FILE_DEBUG;
    if (bundle->continues)
        return POP_OK;
    if (!report_companions_rename(bundle->directory, bundle->id, bundle->has, &failed))
        return fail(bundle, failed, error);
    remove_replaced(bundle, replaced);
    return POP_OK;
}

pop_status bundle_publish(struct bundle *bundle, pop_error *error)
{
    bool replaced[REPORT_FILES], good = true;
    int lock = report_lock(bundle->directory);
    find_replaced(bundle, replaced);
    bundle->late = bundle->has[REPORT_FILE_PROFILE] && without_links(bundle, &good);
    pop_status status = POP_OK;
    if (!bundle->late)
        status = good ? place_companions(bundle, replaced, error) : fail(bundle, REPORT_FILE_PROFILE, error);
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
        status = place_companions(bundle, replaced, error);
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
}

void bundle_free(struct bundle *bundle)
{
    free(bundle->directory);
    bundle->directory = NULL;
}
