/* SPDX-License-Identifier: Apache-2.0 */
#include "popc/compile/child.h"

#include "base/error.h"
#include "base/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <poplar/text.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* Variables that influence the compiler besides its arguments; they are not part of the cache key. */
static const char *const not_passed[] = { "LC_ALL=",
                                          "LANGUAGE=",
                                          "TZ=",
                                          "CPATH=",
                                          "C_INCLUDE_PATH=",
                                          "CPLUS_INCLUDE_PATH=",
                                          "LIBRARY_PATH=",
                                          "COMPILER_PATH=",
                                          "GCC_EXEC_PREFIX=",
                                          "CCC_OVERRIDE_OPTIONS=",
                                          "DEPENDENCIES_OUTPUT=",
                                          "SUNPRO_DEPENDENCIES=",
                                          "SOURCE_DATE_EPOCH=" };

static bool is_passed(const char *entry)
{
    for (size_t i = 0; i < sizeof(not_passed) / sizeof(not_passed[0]); ++i)
        if (strncmp(entry, not_passed[i], strlen(not_passed[i])) == 0)
            return false;
    return true;
}

/* The environment of this process with a fixed locale (messages are quoted) and without variables that would make
 * results differ between machines. Entries are borrowed. */
static char **environment(void)
{
    static char language[] = "LC_ALL=C", zone[] = "TZ=UTC0";
    VEC(char *) list = { 0 };
    for (char **entry = environ; entry && *entry; ++entry)
        if (is_passed(*entry))
            *vec_push(&list) = *entry;
    *vec_push(&list) = language;
    *vec_push(&list) = zone;
    *vec_push(&list) = NULL;
    return list.data;
}

static void read_back(int fd, struct str *said)
{
    char buffer[4096];
    off_t at = 0;
    for (ssize_t got; (got = pread(fd, buffer, sizeof(buffer), at)) > 0; at += got)
        str_add_bytes(said, buffer, (size_t)got);
}

static int wait_for(pid_t child)
{
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return 0; /* another part of the program reaped it: its output shows whether it succeeded */
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

pop_status child_start(struct child *child, const char *const *arguments, pop_error *error)
{
    child->output = memfd_create("compiler output", MFD_CLOEXEC);
    if (child->output < 0)
        return error_set(error, POP_NO_ENVIRONMENT, NO_WHERE, NULL, "cannot run '%s': %s", arguments[0],
                         pop_text_from_errno(errno));
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, child->output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, child->output, STDERR_FILENO);
    char **variables = environment();
    int reason = posix_spawn(&child->id, arguments[0], &actions, NULL, (char *const *)(uintptr_t)arguments, variables);
    posix_spawn_file_actions_destroy(&actions);
    free(variables);
    if (!reason)
        return POP_OK;
    close(child->output);
    return error_set(error, POP_NO_ENVIRONMENT, NO_WHERE, NULL, "cannot run '%s': %s", arguments[0],
                     pop_text_from_errno(reason));
}

int child_wait(struct child *child, struct str *said)
{
    int code = wait_for(child->id);
    read_back(child->output, said);
    close(child->output);
    return code;
}

pop_status child_run(const char *const *arguments, struct str *said, int *code, pop_error *error)
{
    struct child child;
    pop_status status = child_start(&child, arguments, error);
    if (status == POP_OK)
        *code = child_wait(&child, said);
    return status;
}
