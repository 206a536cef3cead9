/* SPDX-License-Identifier: Apache-2.0 */
/* A directory of the test's own, which is also its cache; and the path of the test codelets. */
#ifndef TESTS_POPC_SCRATCH_H
#define TESTS_POPC_SCRATCH_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char scratch_path[64];

static inline int scratch_make(void)
{
    snprintf(scratch_path, sizeof(scratch_path), "/tmp/tremula-test-XXXXXX");
    return !mkdtemp(scratch_path) || setenv("TREMULA_CACHE_DIR", scratch_path, 1) != 0;
}

static inline int scratch_empty(void)
{
    DIR *directory = opendir(scratch_path);
    int failed = !directory;
    for (struct dirent *entry; directory && (entry = readdir(directory)) != NULL;)
        if (entry->d_name[0] != '.')
            failed |= unlinkat(dirfd(directory), entry->d_name, 0);
    if (directory)
        closedir(directory);
    return failed;
}

static inline int scratch_remove(void)
{
    return scratch_empty() || rmdir(scratch_path);
}

/* As a group's setup and teardown. */
static inline int scratch_setup(void **state)
{
    (void)state;
    return scratch_make();
}

static inline int scratch_teardown(void **state)
{
    (void)state;
    return scratch_remove();
}

/* tests/codelets/NAME, beside this file's directory. */
static inline const char *test_codelets(char *path, size_t size, const char *name)
{
    snprintf(path, size, "%.*s/../../codelets/%s", (int)(strrchr(__FILE__, '/') - __FILE__), __FILE__, name);
    return path;
}

#endif
