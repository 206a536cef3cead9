/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/isolate.h"
#include "engine/engine.h"
#include "engine/execute.h"

#include <errno.h>
#include <poll.h>
#include <poplar/text.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { POLL_MILLISECONDS = 20 };

/* Messages in shared memory; a byte on the socket passes control to the other process. */
struct exchange {
    uint32_t set, replica;
    uint64_t executed_sets; /* of the replica */
    bool consensus;
    pop_status status;
    pop_error error;
};

struct isolate {
    pid_t child;
    int socket;
    struct exchange *shared;
};

/* ---- shared memory ---- */

enum { HEAD = 64 };

void *isolate_block(uint64_t bytes)
{
    if (bytes > SIZE_MAX / 2)
        return NULL;
    size_t all = (size_t)bytes + HEAD;
    void *block = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED)
        return NULL;
    memcpy(block, &all, sizeof(all));
    return (unsigned char *)block + HEAD;
}

void isolate_free(void *block)
{
    if (!block)
        return;
    size_t all;
    unsigned char *begin = (unsigned char *)block - HEAD;
    memcpy(&all, begin, sizeof(all));
    munmap(begin, all);
}

/* ---- the child ---- */

/* AddressSanitizer would check the stack of the thread that has ended. */
__attribute__((no_sanitize("address"))) static void thread_ended(void *unused)
{
    (void)unused;
    _exit(ISOLATE_THREAD_ENDED);
}

static void serve(pop_engine *engine, int socket, struct exchange *shared)
{
    char turn;
    while (read(socket, &turn, 1) == 1) {
        struct engine_run run = { .engine = engine,
                                  .replica = engine->replicas + shared->replica,
                                  .image = engine->image,
                                  .pool = engine->pool,
                                  .error = &shared->error,
                                  .api = "pop_engine_run",
                                  .names = engine->replica_count > 1 };
        run.replica->executed_sets = shared->executed_sets;
        execute_set(&run, engine->image->sets.data + shared->set, &shared->consensus);
        shared->status = run.status;
        if (write(socket, &turn, 1) != 1)
            break;
    }
}

/* Main loop of the child, a fork without the parent's threads. Exits without running the program's exit handlers. */
static void child_main(pop_engine *engine, int socket, struct exchange *shared)
{
    unsigned threads = pool_threads(engine->pool);
    if (socket > 3)
        close_range(3, (unsigned)socket - 1, 0);
    close_range((unsigned)socket + 1, ~0u, 0);
    signal(SIGINT, SIG_IGN); /* handled by the parent */
    signal(SIGTERM, SIG_DFL);
    engine->pool = pool_create(threads);
    engine->in_child = true;
    pthread_cleanup_push(thread_ended, NULL);
    serve(engine, socket, shared);
    pthread_cleanup_pop(0);
    _exit(0);
}

/* ---- the parent ---- */

static bool start(struct engine_run *run)
{
    pop_engine *engine = run->engine;
    int sockets[2];
    struct exchange *shared = isolate_block(sizeof(*shared));
    if (!shared || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) {
        isolate_free(shared);
        run_fail(run, POP_SYSTEM_RUNTIME_ERROR, "cannot start a process for codelets: %s", pop_text_from_errno(errno));
        return false;
    }
    pid_t child = fork();
    if (child == 0) {
        close(sockets[0]);
        child_main(engine, sockets[1], shared);
    }
    int reason = errno;
    close(sockets[1]);
    if (child < 0) {
        close(sockets[0]);
        isolate_free(shared);
        run_fail(run, POP_SYSTEM_RUNTIME_ERROR, "cannot start a process for codelets: %s", pop_text_from_errno(reason));
        return false;
    }
    engine->isolate = MEM_NEW(struct isolate);
    *engine->isolate = (struct isolate){ child, sockets[0], shared };
    return true;
}

/* Ends the child and returns its wait status; 0 when the program reaped it. */
static int end(pop_engine *engine, bool kills)
{
    struct isolate *isolate = engine->isolate;
    int status = 0;
    if (kills)
        kill(isolate->child, SIGKILL);
    close(isolate->socket);
    while (waitpid(isolate->child, &status, 0) < 0)
        if (errno != EINTR) {
            status = 0;
            break;
        }
    isolate_free(isolate->shared);
    free(isolate);
    engine->isolate = NULL;
    return status;
}

void isolate_end(pop_engine *engine)
{
    if (engine->isolate && !engine->in_child)
        end(engine, true);
}

/* Waits for the child: 1: its byte came; 0: it ended; -1: the engine was stopped. */
static int await(pop_engine *engine)
{
    struct isolate *isolate = engine->isolate;
    for (;;) {
        struct pollfd poll_on = { .fd = isolate->socket, .events = POLLIN };
        char turn;
        if (poll(&poll_on, 1, POLL_MILLISECONDS) > 0)
            return read(isolate->socket, &turn, 1) == 1;
        if (atomic_load(&engine->abandon))
            return -1;
    }
}

static bool report_end(struct engine_run *run, const struct image_set *set, int status)
{
    const char *name = image_string(run->image, set->name);
    if (WIFSIGNALED(status))
        run_fail(run, POP_APPLICATION_RUNTIME_ERROR,
                 "a vertex of compute set '%s' ended its process by signal %d (%s); load the engine again", name,
                 WTERMSIG(status), strsignal(WTERMSIG(status)));
    else if (WIFEXITED(status) && WEXITSTATUS(status) == ISOLATE_THREAD_ENDED)
        run_fail(run, POP_APPLICATION_RUNTIME_ERROR,
                 "a vertex of compute set '%s' ended its thread; load the engine again", name);
    else
        run_fail(run, POP_APPLICATION_RUNTIME_ERROR,
                 "a vertex of compute set '%s' left its process with exit code %d; load the engine again", name,
                 WEXITSTATUS(status));
    return false;
}

bool isolate_execute(struct engine_run *run, const struct image_set *set, bool *consensus)
{
    pop_engine *engine = run->engine;
    if (!engine->isolate && !start(run))
        return false;
    struct isolate *isolate = engine->isolate;
    isolate->shared->set = (uint32_t)(set - engine->image->sets.data);
    isolate->shared->replica = run->replica->number;
    isolate->shared->executed_sets = run->replica->executed_sets;
    isolate->shared->consensus = true;
    char turn = 0;
    int answer = send(isolate->socket, &turn, 1, MSG_NOSIGNAL) == 1 ? await(engine) : 0;
    if (answer <= 0) {
        int status = end(engine, answer < 0);
        engine->loaded = false; /* states and variables may be partly written */
        if (answer == 0)
            return report_end(run, set, status);
        execute_abandoned(run, set);
        return false;
    }
    *consensus = isolate->shared->consensus;
    if (isolate->shared->status == POP_OK)
        return true;
    if (run->error)
        *run->error = isolate->shared->error;
    run->status = isolate->shared->status;
    if (run->error)
        snprintf(run->error->api, sizeof(run->error->api), "%s", run->api);
    return false;
}
