/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/fault.h"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

/* Signal handlers belong to the process and get no argument of ours, so this file has the engine's only globals. */
static _Thread_local struct fault_watch *volatile watching;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned installed;
static struct sigaction old_segv, old_bus;

static bool is_write(const void *context)
{
#if defined(__x86_64__)
    const ucontext_t *machine = context;
    return machine->uc_mcontext.gregs[REG_ERR] & 2;
#else
    (void)context;
    return true;
#endif
}

/* Makes a guard page writable and paints it. */
static bool open_guard(unsigned char *page, size_t bytes)
{
    if (mprotect(page, bytes, PROT_READ | PROT_WRITE) != 0)
        return false;
    for (size_t i = 0; i < bytes; ++i)
        page[i] = fault_canary(page + i);
    return true;
}

static bool open_low(struct fault_region *region, const unsigned char *address)
{
    region->low_touch = address;
    return region->low_open = open_guard(region->low, region->page);
}

static bool open_high(struct fault_region *region, const unsigned char *address)
{
    region->high_touch = address;
    return region->high_open = open_guard(region->low + region->page + region->bytes, region->page);
}

/* True when the write may go on, into an opened guard. */
static bool let_write(struct fault_watch *watch, const unsigned char *address)
{
    for (size_t i = 0; i < watch->used && !watch->opened; ++i) {
        struct fault_region *region = watch->regions.data + i;
        unsigned char *high = region->low + region->page + region->bytes;
        if (address >= region->low && address < region->low + region->page)
            return watch->opened = open_low(region, address);
        if (address >= high && address < high + region->page)
            return watch->opened = open_high(region, address);
    }
    return false;
}

static void on_fault(int signal, siginfo_t *info, void *context)
{
    struct fault_watch *watch = watching;
    if (!watch) { /* not a codelet's: whoever was here before us deals with it when the instruction runs again */
        sigaction(signal, signal == SIGBUS ? &old_bus : &old_segv, NULL);
        return;
    }
    watch->address = info->si_addr;
    watch->write = is_write(context);
    if (watch->write && let_write(watch, watch->address))
        return;
    watching = NULL;
    /* Leaves with the mask of the code that faulted: ThreadSanitizer's handler, which calls this one, runs with every signal blocked. */
    pthread_sigmask(SIG_SETMASK, &((const ucontext_t *)context)->uc_sigmask, NULL);
    longjmp(*watch->jump, 2);
}

void fault_handler_install(void)
{
    pthread_mutex_lock(&lock);
    if (!installed++) {
        /* SA_NODEFER: the handler leaves by longjmp, and the signal must not stay blocked. */
        struct sigaction ours = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER };
        sigemptyset(&ours.sa_mask);
        sigaction(SIGSEGV, &ours, &old_segv);
        sigaction(SIGBUS, &ours, &old_bus);
    }
    pthread_mutex_unlock(&lock);
}

void fault_handler_remove(void)
{
    pthread_mutex_lock(&lock);
    if (!--installed) {
        sigaction(SIGSEGV, &old_segv, NULL);
        sigaction(SIGBUS, &old_bus, NULL);
    }
    pthread_mutex_unlock(&lock);
}

void fault_watch_begin(struct fault_watch *watch, jmp_buf *jump)
{
    watch->jump = jump;
    watching = watch;
}

void fault_watch_end(void)
{
    watching = NULL;
}

void fault_watch_close(struct fault_watch *watch)
{
    for (size_t i = 0; i < watch->used; ++i) {
        struct fault_region *region = watch->regions.data + i;
        if (region->low_open)
            mprotect(region->low, region->page, PROT_NONE);
        if (region->high_open)
            mprotect(region->low + region->page + region->bytes, region->page, PROT_NONE);
        region->low_open = region->high_open = false;
    }
    watch->opened = false;
}
