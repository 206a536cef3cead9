/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/fault.h"

#include "engine/fault_machine.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>

/* Signal handlers are per process and take no user argument, so this file has global state. */
_Thread_local __attribute__((tls_model("initial-exec"))) struct fault_thread fault_thread;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned installed;
enum { SIGNALS = sizeof(fault_signals) / sizeof(fault_signals[0]) };
static struct {
    struct sigaction before;
    bool superseded; /* a handler that was installed later may still call this one */
} handlers[SIGNALS];

/* ---- a stack for the handler ---- */

enum { STACK_BYTES = 1 << 18, STACK_NEAR = 1 << 20 };
static pthread_once_t stack_once = PTHREAD_ONCE_INIT;
static pthread_key_t stack_key;

/* Runs when a thread ends. */
static void drop_stack(void *space)
{
    stack_t now;
    if (sigaltstack(NULL, &now) == 0 && now.ss_sp == space)
        sigaltstack(&(stack_t){ .ss_flags = SS_DISABLE }, NULL);
    munmap(space, STACK_BYTES);
}

static void make_stack_key(void)
{
    pthread_key_create(&stack_key, drop_stack);
}

/* Gives the thread an alternate signal stack unless it has one. */
void fault_prepare_thread(void)
{
    stack_t now;
    fault_thread.prepared = true;
    if (sigaltstack(NULL, &now) != 0 || !(now.ss_flags & SS_DISABLE))
        return;
    void *space = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (space == MAP_FAILED)
        return;
    sigaltstack(&(stack_t){ .ss_sp = space, .ss_size = STACK_BYTES }, NULL);
    pthread_once(&stack_once, make_stack_key);
    pthread_setspecific(stack_key, space);
}

/* Whether the address is near the stack pointer: a stack overflow. */
static bool is_stack(const unsigned char *address, const ucontext_t *context)
{
    intptr_t away = (intptr_t)address - (intptr_t)fault_stack_pointer(context);
    return away > -STACK_NEAR && away < STACK_NEAR;
}

/* ---- guards ---- */

/* Makes a guard page writable and fills it with canaries. */
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

/* Opens the guard that was written; true when the write may be repeated. */
static bool allow_write(struct fault_watch *watch, const unsigned char *address)
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

/* ---- the handler ---- */

/* Calls the previous handler. */
static void pass_on(int signal, siginfo_t *info, void *context)
{
    size_t i = 0;
    while (fault_signals[i] != signal)
        ++i;
    const struct sigaction *before = &handlers[i].before;
    bool has_info = before->sa_flags & SA_SIGINFO, sent = info->si_code <= 0;
    if (!has_info && before->sa_handler == SIG_IGN && sent)
        return;
    if (!has_info && (before->sa_handler == SIG_IGN || before->sa_handler == SIG_DFL)) {
        sigaction(signal, &(struct sigaction){ .sa_handler = SIG_DFL }, NULL);
        if (sent)
            raise(signal);
        return; /* the instruction is repeated */
    }
    sigset_t mask = before->sa_mask, kept;
    if (!(before->sa_flags & SA_NODEFER))
        sigaddset(&mask, signal);
    pthread_sigmask(SIG_BLOCK, &mask, &kept);
    if (has_info)
        before->sa_sigaction(signal, info, context);
    else
        before->sa_handler(signal);
    pthread_sigmask(SIG_SETMASK, &kept, NULL);
}

static void on_fault(int signal, siginfo_t *info, void *context)
{
    struct fault_thread *thread = &fault_thread;
    jmp_buf *jump = thread->jump;
    if (!jump || info->si_code <= 0) { /* not in a codelet, or sent by kill */
        pass_on(signal, info, context);
        return;
    }
    bool touch = signal == SIGSEGV || signal == SIGBUS;
    struct fault fault = { .signal = signal, .code = info->si_code, .address = info->si_addr };
    fault.write = touch && fault_is_write(context);
    fault.stack = touch && is_stack(fault.address, context);
    if (fault.write && thread->watch && allow_write(thread->watch, fault.address))
        return;
    thread->fault = fault;
    thread->jump = NULL;
    /* Leaves with the mask of the code that faulted: ThreadSanitizer's handler, which calls this one, runs with every
     * signal blocked. */
    pthread_sigmask(SIG_SETMASK, &((const ucontext_t *)context)->uc_sigmask, NULL);
    longjmp(*jump, FAULT_HAPPENED);
}

static bool is_fault_handler(const struct sigaction *action)
{
    return (action->sa_flags & SA_SIGINFO) && action->sa_sigaction == on_fault;
}

/* A handler that was installed over ours may call ours; installing ours again over it would make an endless cycle. */
static void install(size_t i)
{
    /* SA_NODEFER: the handler leaves by longjmp, and the signal must not stay blocked. */
    struct sigaction ours = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK }, now;
    sigemptyset(&ours.sa_mask);
    sigaction(fault_signals[i], NULL, &now);
    bool calls_nobody = !(now.sa_flags & SA_SIGINFO) && (now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN);
    if (is_fault_handler(&now) || (handlers[i].superseded && !calls_nobody))
        return;
    handlers[i].before = now;
    sigaction(fault_signals[i], &ours, NULL);
}

void fault_handler_install(void)
{
    pthread_mutex_lock(&lock);
    if (!installed++)
        for (size_t i = 0; i < SIGNALS; ++i)
            install(i);
    pthread_mutex_unlock(&lock);
}

void fault_handler_remove(void)
{
    struct sigaction now;
    pthread_mutex_lock(&lock);
    if (!--installed)
        for (size_t i = 0; i < SIGNALS; ++i) {
            sigaction(fault_signals[i], NULL, &now);
            handlers[i].superseded = !is_fault_handler(&now);
            if (is_fault_handler(&now))
                sigaction(fault_signals[i], &handlers[i].before, NULL);
        }
    pthread_mutex_unlock(&lock);
}

void fault_text(const struct fault *fault, char *text, size_t size)
{
    if (fault->signal == SIGFPE)
        snprintf(text, size, "%s",
                 fault->code == FPE_INTDIV   ? "divided by zero, or the least integer by -1"
                 : fault->code == FPE_FLTDIV ? "divided by zero, and the exception div0 is on"
                 : fault->code == FPE_FLTOVF ? "overflowed, and the exception oflo is on"
                 : fault->code == FPE_FLTINV
                     ? "computed what has no value (as 0/0 or inf - inf), and the exception inv is on"
                     : "raised a floating-point exception");
    else if (fault->signal == SIGILL || fault->signal == SIGTRAP)
        snprintf(text, size, "reached a trap, or an instruction that this machine lacks");
    else if (fault->stack)
        snprintf(text, size, "needed more stack than there is: does it call itself without end?");
    else
        snprintf(text, size, "%s at address 0x%llx, outside its fields", fault->write ? "wrote" : "read",
                 (unsigned long long)(uintptr_t)fault->address);
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
