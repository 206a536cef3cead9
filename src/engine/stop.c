/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/stop.h"

#include "engine/fault.h"
#include "engine/ranks.h"

#include <errno.h>
#include <semaphore.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

/* Ignored by default, so that a late signal has no effect. */
enum { SIGNAL = SIGURG };

/* Signal handlers take no user argument: the process has one list of its running engines, and one thread that watches
 * those being stopped. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pop_engine *running;
static pid_t watcher_of; /* the process that started the watcher: a forked child has none */
static struct sigaction before_handler, before_interrupt;
static bool handles, handles_interrupt;
static atomic_uint interrupts;
static atomic_bool runs; /* some engine is in the list */
static sem_t wake;
static pthread_once_t wake_once = PTHREAD_ONCE_INIT;

static void make_wake(void)
{
    sem_init(&wake, 0, 0);
}

static uint64_t milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* ---- the signal ---- */

static void on_signal(int signal, siginfo_t *info, void *context)
{
    struct fault_thread *thread = &fault_thread;
    jmp_buf *jump = thread->jump;
    if (jump && thread->abandon && atomic_load(thread->abandon)) {
        thread->jump = NULL;
        pthread_sigmask(SIG_SETMASK, &((const ucontext_t *)context)->uc_sigmask, NULL);
        longjmp(*jump, FAULT_ABANDONED);
    }
    if (before_handler.sa_flags & SA_SIGINFO)
        before_handler.sa_sigaction(signal, info, context);
    else if (before_handler.sa_handler != SIG_DFL && before_handler.sa_handler != SIG_IGN)
        before_handler.sa_handler(signal);
}

/* Without SA_RESTART, so that blocking calls of a callback return EINTR. */
static void handle(void)
{
    struct sigaction ours = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK };
    sigemptyset(&ours.sa_mask);
    if (!handles)
        sigaction(SIGNAL, &ours, &before_handler);
    handles = true;
}

static void handle_no_more(void)
{
    if (handles)
        sigaction(SIGNAL, &before_handler, NULL);
    handles = false;
}

/* ---- the watcher ---- */

static void abandon(pop_engine *engine)
{
    handle();
    atomic_store(&engine->abandon, true);
    pthread_kill(engine->runner, SIGNAL);
    pool_signal(engine->pool, SIGNAL);
    stream_threads_signal(engine->stream_threads, SIGNAL);
}

static void stop_all(void)
{
    for (pop_engine *engine = running; engine; engine = engine->next_running) {
        atomic_store(&engine->stop, true);
        ranks_stop(engine);
        engine->stopped_at = engine->stopped_at ? engine->stopped_at : milliseconds();
    }
}

/* Abandons and signals the runs that are due; whether more will be. */
static bool watch(void)
{
    bool waits = false;
    pthread_mutex_lock(&lock);
    if (atomic_exchange(&interrupts, 0))
        stop_all();
    for (pop_engine *engine = running; engine; engine = engine->next_running) {
        waits |= engine->stopped_at != 0;
        if (engine->stopped_at && milliseconds() - engine->stopped_at >= STOP_GRACE)
            abandon(engine);
    }
    if (!waits)
        handle_no_more();
    pthread_mutex_unlock(&lock);
    return waits;
}

static void *watcher(void *unused)
{
    (void)unused;
    for (;;) {
        if (!watch()) {
            sem_wait(&wake);
            continue;
        }
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += STOP_AGAIN * 1000000L;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        sem_timedwait(&wake, &until);
    }
    return NULL;
}

/* The watcher blocks all signals: they are for the program's threads. */
static void start_watcher(void)
{
    pthread_t thread;
    sigset_t all, kept;
    pthread_once(&wake_once, make_wake);
    if (watcher_of == getpid())
        return;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &kept);
    if (pthread_create(&thread, NULL, watcher, NULL) == 0) {
        pthread_detach(thread);
        watcher_of = getpid();
    }
    pthread_sigmask(SIG_SETMASK, &kept, NULL);
}

/* ---- runs ---- */

void stop_run_begins(pop_engine *engine)
{
    pthread_mutex_lock(&lock);
    atomic_store(&engine->stop, false);
    atomic_store(&engine->abandon, false);
    engine->stopped_at = 0;
    engine->runner = pthread_self();
    engine->next_running = running;
    running = engine;
    engine->running = true;
    atomic_store(&runs, true);
    pthread_mutex_unlock(&lock);
}

void stop_run_ends(pop_engine *engine)
{
    pthread_mutex_lock(&lock);
    for (pop_engine **at = &running; *at; at = &(*at)->next_running)
        if (*at == engine) {
            *at = engine->next_running;
            break;
        }
    engine->running = false;
    engine->stopped_at = 0;
    atomic_store(&runs, running != NULL);
    pthread_mutex_unlock(&lock);
}

void pop_engine_stop(pop_engine *engine)
{
    if (!engine)
        return;
    pthread_mutex_lock(&lock);
    atomic_store(&engine->stop, true);
    if (engine->running && !engine->stopped_at) {
        ranks_stop(engine);
        engine->stopped_at = milliseconds();
        start_watcher();
        sem_post(&wake);
    }
    pthread_mutex_unlock(&lock);
}

/* ---- SIGINT ---- */

/* The first SIGINT stops all runs; a second one, or one when nothing runs, is passed to the previous handler. */
static void on_interrupt(int signal)
{
    if (!atomic_load(&runs) || atomic_fetch_add(&interrupts, 1)) {
        sigaction(signal, &before_interrupt, NULL);
        raise(signal);
        return;
    }
    int reason = errno;
    sem_post(&wake);
    errno = reason;
}

void pop_stop_on_interrupt(bool stops)
{
    struct sigaction ours = { .sa_handler = on_interrupt };
    sigemptyset(&ours.sa_mask);
    pthread_mutex_lock(&lock);
    if (stops && !handles_interrupt) {
        start_watcher();
        sigaction(SIGINT, &ours, &before_interrupt);
    } else if (!stops && handles_interrupt) {
        sigaction(SIGINT, &before_interrupt, NULL);
    }
    handles_interrupt = stops;
    pthread_mutex_unlock(&lock);
}
