/* SPDX-License-Identifier: Apache-2.0 */
#include "report/bundle.h"

#include "base/error.h"
#include "base/mem.h"
#include "report/database.h"

#include <errno.h>
#include <poplar/text.h>
#include <unistd.h>

pop_status bundle_begin(struct bundle *bundle, char *directory, pop_error *error)
{
    *bundle = (struct bundle){ .directory = directory };
    report_id_make(bundle->id);
    return database_directories(directory, error) ? POP_OK : POP_FILE_LOAD_ERROR;
}

char *bundle_path(const struct bundle *bundle, enum report_file file)
{
    return report_file_path(bundle->directory, file, bundle->id);
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
        replaced[i] = ours && !bundle->has[i] && (i == REPORT_FILE_PROFILE || bytes[i] == report_file_bytes(path)) &&
                      report_file_bytes(path) != UINT64_MAX;
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

pop_status bundle_place(const struct bundle *bundle, pop_error *error)
{
    bool replaced[REPORT_FILES];
    enum report_file failed = REPORT_FILE_PROFILE;
    int lock = report_lock(bundle->directory);
    find_replaced(bundle, replaced);
    bool good = report_files_rename(bundle->directory, bundle->id, bundle->has, &failed);
    int reason = errno;
    if (good)
        remove_replaced(bundle, replaced);
    report_unlock(lock);
    if (good)
        return POP_OK;
    char *path = bundle_path(bundle, failed);
    error_set(error, POP_FILE_LOAD_ERROR, NO_WHERE, NULL, "the report: '%s' cannot be renamed to %s: %s", path,
              report_file_name(failed), pop_text_from_errno(reason));
    free(path);
    return POP_FILE_LOAD_ERROR;
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
