/* SPDX-License-Identifier: Apache-2.0 */
#include "popc/compile/child.h"

#include "base/error.h"
#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <poplar/text.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
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
                                          "LD_PRELOAD=",
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

/* ---- limits ---- */

static unsigned long limit_of(const char *variable, unsigned long standard, const char *unit)
{
    const char *text = getenv(variable);
    char *end;
    unsigned long value = text && *text ? strtoul(text, &end, 10) : standard;
    if (!text || !*text || (!*end && *text != '-'))
        return value;
    LOG(CODELETS, WARN, "%s is '%s' (allowed: a number of %s, 0 for no limit); %lu is taken", variable, text, unit,
        standard);
    return standard;
}

static unsigned long seconds_allowed(void)
{
    enum { STANDARD = 1800 };
    return limit_of("TREMULA_CC_SECONDS", STANDARD, "seconds");
}

static unsigned long megabytes_allowed(void)
{
    enum { STANDARD = 8192 };
    return limit_of("TREMULA_CC_MEGABYTES", STANDARD, "megabytes");
}

/* The words that run a program with limited memory, which its own children inherit.  A limit that is set after the
 * program has started could come too late. */
static void limited_words(struct child *child, const char *const *arguments)
{
    static const char script[] = "ulimit -v \"$0\" 2>/dev/null; exec \"$@\"";
    unsigned long megabytes = megabytes_allowed();
    if (megabytes && megabytes <= ULONG_MAX >> 10) {
        snprintf(child->memory, sizeof(child->memory), "%lu", megabytes << 10);
        *vec_push(&child->words) = "/bin/sh";
        *vec_push(&child->words) = "-c";
        *vec_push(&child->words) = script;
        *vec_push(&child->words) = child->memory;
    }
    for (size_t i = 0; arguments[i]; ++i)
        *vec_push(&child->words) = arguments[i];
    *vec_push(&child->words) = NULL;
}

/* ---- the end of the library ---- */

/* The child and its own children are a process group, which holds the read end of a pipe.  When the write end is
 * closed, the kernel sends SIGKILL to the group: that is, when this process ends, in whatever way. */
static void bind_to_group(const struct child *child)
{
    struct f_owner_ex owner = { F_OWNER_PGRP, child->id };
    fcntl(child->pipe[0], F_SETOWN_EX, &owner);
    fcntl(child->pipe[0], F_SETSIG, SIGKILL);
    fcntl(child->pipe[0], F_SETFL, O_ASYNC);
}

/* A compiler's server that stays in the group may live on. */
static void release_group(const struct child *child)
{
    fcntl(child->pipe[0], F_SETFL, 0);
    close(child->pipe[1]);
    close(child->pipe[0]);
}

/* ---- start and end ---- */

static int spawn(struct child *child)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, child->output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, child->output, STDERR_FILENO);
    posix_spawn_file_actions_adddup2(&actions, child->pipe[0], child->pipe[0]); /* it is inherited */
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&attributes, 0);
    char **variables = environment();
    int reason = posix_spawn(&child->id, child->words.data[0], &actions, &attributes,
                             (char *const *)(uintptr_t)child->words.data, variables);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    free(variables);
    return reason;
}

static pop_status cannot_run(const char *program, int reason, pop_error *error)
{
    return error_set(error, POP_NO_ENVIRONMENT, NO_WHERE, NULL, "cannot run '%s': %s", program,
                     pop_text_from_errno(reason));
}

pop_status child_start(struct child *child, const char *const *arguments, pop_error *error)
{
    *child = (struct child){ .output = -1 };
    if (access(arguments[0], X_OK) != 0)
        return cannot_run(arguments[0], errno, error);
    child->output = memfd_create("compiler output", MFD_CLOEXEC);
    if (child->output < 0)
        return cannot_run(arguments[0], errno, error);
    if (pipe2(child->pipe, O_CLOEXEC) != 0) {
        int reason = errno;
        close(child->output);
        return cannot_run(arguments[0], reason, error);
    }
    limited_words(child, arguments);
    int reason = spawn(child);
    if (!reason) {
        bind_to_group(child);
        return POP_OK;
    }
    pop_status status = cannot_run(child->words.data[0], reason, error);
    close(child->output);
    release_group(child);
    vec_free(&child->words);
    return status;
}

/* Whether a child ended within a time; 0: any. */
static bool ended_within(pid_t child, unsigned long seconds, int *status)
{
    double until = log_milliseconds() + (double)seconds * 1000;
    int handle = seconds ? (int)syscall(SYS_pidfd_open, child, 0) : -1;
    struct pollfd ended = { handle, POLLIN, 0 };
    pid_t got;
    do {
        if (handle >= 0)
            poll(&ended, 1, 1000);
        else if (seconds) /* an old kernel */
            usleep(5000);
        got = waitpid(child, status, seconds ? WNOHANG : 0);
        if (got < 0 && errno != EINTR)
            *status = 0; /* another part of the program reaped it: its output shows whether it succeeded */
        else if (got <= 0)
            got = 0;
    } while (!got && (!seconds || log_milliseconds() < until));
    if (handle >= 0)
        close(handle);
    return got != 0;
}

int child_wait(struct child *child, struct str *said)
{
    unsigned long seconds = seconds_allowed();
    int status = 0;
    bool ended = ended_within(child->id, seconds, &status);
    if (!ended) {
        kill(-child->id, SIGKILL);
        ended_within(child->id, 0, &status);
    }
    release_group(child);
    read_back(child->output, said);
    close(child->output);
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (!ended)
        str_format(said, "error: the compiler did not end within %lu seconds (TREMULA_CC_SECONDS)\n", seconds);
    else if (code && child->memory[0] && (strstr(str_text(said), "memory") || strstr(str_text(said), "bad_alloc")))
        str_format(said, "error: a compiler may use %lu megabytes (TREMULA_CC_MEGABYTES)\n", megabytes_allowed());
    vec_free(&child->words);
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
