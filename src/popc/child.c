/* SPDX-License-Identifier: Apache-2.0 */
#include "popc/child.h"

#include "base/error.h"
#include "base/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* Our environment, but the compiler speaks one language: its messages become ours.  Entries are borrowed. */
static char **environment(void)
{
    static char language[] = "LC_ALL=C";
    VEC(char *) list = { 0 };
    for (char **entry = environ; entry && *entry; ++entry)
        if (strncmp(*entry, "LC_ALL=", 7) != 0 && strncmp(*entry, "LANGUAGE=", 9) != 0)
            *vec_push(&list) = *entry;
    *vec_push(&list) = language;
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
            return 0; /* somebody else reaped it: whether it worked shows in what it wrote */
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

pop_status child_start(struct child *child, const char *const *arguments, pop_error *error)
{
    child->output = memfd_create("compiler output", MFD_CLOEXEC);
    if (child->output < 0)
        return error_set(error, POP_NO_ENVIRONMENT, NO_WHERE, NULL, "cannot run '%s': %s", arguments[0], strerror(errno));
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
    return error_set(error, POP_NO_ENVIRONMENT, NO_WHERE, NULL, "cannot run '%s': %s", arguments[0], strerror(reason));
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
