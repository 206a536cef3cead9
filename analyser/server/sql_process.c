/* SPDX-License-Identifier: Apache-2.0 */
#include "sql_process.h"
#include "base/str.h"
#include "request.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <poplar/text.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { WATCH_MILLISECONDS = 50, LARGEST_ANSWER = 512 << 20, LARGEST_MESSAGE = 4096 };

/* A process with pipes to its standard streams; -1: closed. */
struct process {
    pid_t id;
    int input, output, errors;
};

static void close_one(int *descriptor)
{
    if (*descriptor >= 0)
        close(*descriptor);
    *descriptor = -1;
}

/* Starts this program as `pva query PATH - --format columns`. */
static int spawn(pid_t *id, const char *path, const int streams[3])
{
    const char *const arguments[] = { "pva", "query", path, "-", "--format", "columns", NULL };
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, standard;
    sigemptyset(&none);
    sigemptyset(&standard);
    sigaddset(&standard, SIGPIPE); /* the server ignores it */
    posix_spawn_file_actions_init(&actions);
    for (int i = 0; i < 3; ++i)
        posix_spawn_file_actions_adddup2(&actions, streams[i], i);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &standard);
    int failed = posix_spawn(id, "/proc/self/exe", &actions, &attributes, (char *const *)(uintptr_t)arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return failed;
}

static bool start(struct process *process, const char *path)
{
    int pipes[3][2] = { { -1, -1 }, { -1, -1 }, { -1, -1 } }, failed = 0;
    for (int i = 0; i < 3 && !failed; ++i)
        failed = pipe2(pipes[i], O_CLOEXEC) == 0 ? 0 : errno;
    if (!failed)
        failed = spawn(&process->id, path, (const int[3]){ pipes[0][0], pipes[1][1], pipes[2][1] });
    close_one(&pipes[0][0]);
    close_one(&pipes[1][1]);
    close_one(&pipes[2][1]);
    if (failed)
        for (int i = 0; i < 3; ++i)
            close_one(&pipes[i][i == 0]);
    *process = (struct process){ failed ? -1 : process->id, pipes[0][1], pipes[1][0], pipes[2][0] };
    errno = failed;
    return !failed;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* Appends what can be read; false at the end of the stream. */
static bool receive(int descriptor, struct str *text, size_t limit)
{
    static const size_t part = 1 << 16;
    char *buffer = mem_alloc(part);
    ssize_t got = read(descriptor, buffer, part);
    if (got > 0 && text->length < limit)
        str_add_bytes(text, buffer, (size_t)got);
    free(buffer);
    return got > 0 || (got < 0 && errno == EINTR);
}

/* Sends the query and reads the process's streams until it closes them; an error when it has to be ended before. */
static pop_status converse(struct process *process, const struct request *request, const char *sql, unsigned seconds,
                           struct str texts[2], pop_error *error)
{
    double end = now() + seconds;
    size_t left = strlen(sql);
    fcntl(process->input, F_SETFL, O_NONBLOCK);
    while (process->output >= 0 || process->errors >= 0) {
        if (left) {
            ssize_t wrote = write(process->input, sql, left);
            bool over = wrote < 0 && errno != EAGAIN && errno != EINTR;
            sql += wrote > 0 ? wrote : 0;
            left = over ? 0 : left - (size_t)(wrote > 0 ? wrote : 0);
        }
        if (!left)
            close_one(&process->input);
        struct pollfd polled[2] = { { process->output, POLLIN, 0 }, { process->errors, POLLIN, 0 } };
        poll(polled, 2, WATCH_MILLISECONDS);
        if (polled[0].revents && !receive(process->output, &texts[0], LARGEST_ANSWER + 1))
            close_one(&process->output);
        if (polled[1].revents && !receive(process->errors, &texts[1], LARGEST_MESSAGE))
            close_one(&process->errors);
        if (request_cancelled(request))
            return answer_fail(error, POP_APPLICATION_RUNTIME_ERROR, "the query was cancelled");
        if (now() > end)
            return answer_fail(error, POP_APPLICATION_RUNTIME_ERROR,
                               "the query was ended after %u seconds (pva serve --query-seconds allows more)", seconds);
        if (texts[0].length > LARGEST_ANSWER)
            return answer_fail(error, POP_APPLICATION_RUNTIME_ERROR, "the query's answer is larger than 512 MiB");
    }
    return POP_OK;
}

/* The process's line on standard error, without its prefix. */
static pop_status failure(const struct str *message, int code, pop_error *error)
{
    static const char prefix[] = "pva query: ";
    const char *text = str_text(message), *found = strstr(text, prefix);
    if (WIFSIGNALED(code) || !found)
        return answer_fail(error, POP_APPLICATION_RUNTIME_ERROR, "the query's process ended unexpectedly%s%s",
                           WIFSIGNALED(code) ? ": " : "", WIFSIGNALED(code) ? strsignal(WTERMSIG(code)) : "");
    found += sizeof(prefix) - 1;
    return answer_fail(error, POP_PARSE_ERROR, "%.*s", (int)strcspn(found, "\n"), found);
}

pop_status sql_process_ask(const struct request *request, const char *path, const char *sql, unsigned seconds,
                           struct answer *answer, pop_error *error)
{
    struct process process;
    struct str texts[2] = { 0 };
    if (!start(&process, path))
        return answer_fail(error, POP_SYSTEM_RUNTIME_ERROR, "no process for the query: %s", pop_text_from_errno(errno));
    pop_status status = converse(&process, request, sql, seconds, texts, error);
    if (status != POP_OK)
        kill(process.id, SIGKILL);
    close_one(&process.input);
    close_one(&process.output);
    close_one(&process.errors);
    int code = 0;
    while (waitpid(process.id, &code, 0) < 0 && errno == EINTR)
        continue;
    if (status == POP_OK && code != 0)
        status = failure(&texts[1], code, error);
    str_free(&texts[1]);
    if (status == POP_OK) {
        answer->encoded = texts[0].text;
        answer->encoded_bytes = texts[0].length;
    } else {
        str_free(&texts[0]);
    }
    return status;
}

/* Limits of the process: it ends with the server, and its memory does not take the machine's. */
static void limit(void)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#ifndef __SANITIZE_ADDRESS__ /* which reserves terabytes of addresses */
    const rlim_t bytes = (rlim_t)4 << 30;
    setrlimit(RLIMIT_AS, &(struct rlimit){ bytes, bytes });
#endif
    setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
}

pop_status sql_process_run(const char *path, const char *sql, FILE *out, pop_error *error)
{
    limit();
    pva_file *file = pva_open_report(path, NULL, error);
    if (!file)
        return error->status;
    struct answer answer = { 0 };
    pop_status status = sql_columns(file, sql, &answer, error);
    pva_close(file);
    if (status == POP_OK && (answer.failed || !answer.has_columns))
        status = answer_fail(error, POP_RUNTIME_ERROR, "no memory for the query's answer");
    if (status == POP_OK) {
        size_t size;
        char *data = columns_encode(&answer.columns, &size);
        if (fwrite(data, 1, size, out) != size || fflush(out) != 0)
            status = answer_fail(error, POP_SYSTEM_RUNTIME_ERROR, "the answer cannot be written");
        free(data);
    }
    answer_clear(&answer);
    return status;
}
