/* SPDX-License-Identifier: Apache-2.0 */
#include "popc/compile/made.h"
#include "popc/compile/build.h"
#include "popc/compile/command.h"
#include "popc/module/elf_symbols.h"
#include "popc/module/initialisers.h"
#include "popc/module/link.h"

#include "base/error.h"
#include "base/log.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <poplar/text.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- members that are declared but not defined ---- */

static bool ends_with(const char *name, const char *ending)
{
    size_t length = strlen(name), end = strlen(ending);
    return length > end && strcmp(name + length - end, ending) == 0;
}

/* Whether a mangled name has the name of a vertex's class in it, which is preceded by its length. */
static bool names_vertex(const struct reflection *r, const char *symbol)
{
    for (size_t i = 0; i < r->vertices.count; ++i) {
        const char *name = r->vertices.data[i].codelet.name, *end = name + strcspn(name, "<");
        const char *start = end;
        while (start > name && start[-1] != ':')
            --start;
        struct str part = { 0 };
        str_format(&part, "%d%.*s", (int)(end - start), (int)(end - start), start);
        bool found = strstr(symbol, part.text) != NULL;
        str_free(&part);
        if (found)
            return true;
    }
    return false;
}

/* The substitute for a mangled name: a vertex's constructor without parameters, or a compute with or without a worker;
 * NULL for any other. */
static const char *replacement(const struct reflection *r, const char *symbol)
{
    if (strncmp(symbol, "_ZN", 3) != 0)
        return NULL;
    if (ends_with(symbol, "C1Ev") || ends_with(symbol, "C2Ev"))
        return names_vertex(r, symbol) ? NO_CONSTRUCTOR : NULL;
    return ends_with(symbol, "7computeEv") || ends_with(symbol, "7computeEj") ? NO_COMPUTE : NULL;
}

struct completion {
    struct command *command;
    const struct reflection *r;
};

static void complete(const char *symbol, void *context)
{
    const struct completion *completion = context;
    const char *by = replacement(completion->r, symbol);
    if (!by)
        return;
    struct str word = { 0 };
    str_format(&word, "-Wl,--defsym=%s=%s", symbol, by);
    *vec_push(&completion->command->words) = arena_string(completion->r->arena, word.text);
    str_free(&word);
}

void made_complete(struct command *command, const void *object, size_t size, const struct reflection *r)
{
    struct completion completion = { command, r };
    elf_each_undefined(object, size, complete, &completion);
}

/* ---- running the file's code ---- */

/* State shared with the child process that constructs vertices. */
struct trial {
    size_t at; /* 0: in static initialisers; then 1 + index of the vertex */
    bool over;
    char message[512];
};

/* The vertices of a file and their memory, in the parent and in the child. */
struct maker {
    struct codelet_call call; /* first member: stop() gets a pointer to it */
    struct reflection *r;
    void *handle;
    const struct made *made;
    struct initialisers initialisers;
    size_t bytes; /* of the trial and the vertices after it */
    struct trial *trial;
};

/* The memory of a vertex after the trial; for the number of vertices, the end of the memory. */
static unsigned char *image_of(const struct maker *maker, size_t vertex)
{
    unsigned char *at = (unsigned char *)(maker->trial + 1);
    for (size_t i = 0;; ++i) {
        if (i < maker->r->vertices.count)
            at += -(uintptr_t)at & (maker->made[i].alignment - 1);
        if (i == vertex)
            return at;
        at += maker->made[i].bytes;
    }
}

static pop_status open_trial(struct maker *maker)
{
    maker->bytes = sizeof(struct trial);
    for (size_t i = 0; i < maker->r->vertices.count; ++i)
        maker->bytes += maker->made[i].bytes + maker->made[i].alignment;
    maker->trial = mmap(NULL, maker->bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (maker->trial != MAP_FAILED)
        return POP_OK;
    maker->trial = NULL;
    return error_set(maker->r->error, POP_SYSTEM_RUNTIME_ERROR, NO_WHERE, NULL,
                     "cannot get memory for the vertices of '%s'", maker->r->source);
}

/* Runs in the child at a failed assertion, exit() or similar. */
static void stop(struct codelet_call *call, const char *message, const char *file, int line)
{
    struct maker *maker = (struct maker *)(void *)call;
    (void)file;
    (void)line;
    snprintf(maker->trial->message, sizeof(maker->trial->message), "%s", message);
    _exit(0);
}

/* Detaches the child from the program: no handlers, no buffered output, no core dump, and it dies with its parent. */
static void become_small(void)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_DUMPABLE, 0);
    for (int number = 1; number < NSIG; ++number)
        sigaction(number, &(struct sigaction){ .sa_handler = SIG_DFL }, NULL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    int null_file = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (null_file >= 0)
        dup2(null_file, STDOUT_FILENO);
}

static _Noreturn void construct_all(struct maker *maker, int done)
{
    become_small();
    *codelet_place() = &maker->call;
    initialisers_run(&maker->initialisers, maker->handle);
    for (size_t i = 0; i < maker->r->vertices.count; ++i) {
        maker->trial->at = i + 1;
        if (maker->made[i].make)
            maker->made[i].make(image_of(maker, i));
    }
    maker->trial->over = true;
    _exit(write(done, "", 1) != 1);
}

/* Waits for the child's message or its end. False after a timeout. */
static bool await_child(pid_t child, int done, unsigned seconds, int *status)
{
    struct timespec now, end;
    struct pollfd waits = { .fd = done, .events = POLLIN };
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += seconds;
    int64_t left = (int64_t)seconds * 1000;
    while (left > 0 && poll(&waits, 1, (int)left) < 0 && errno == EINTR) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        left = (int64_t)(end.tv_sec - now.tv_sec) * 1000 + (end.tv_nsec - now.tv_nsec) / 1000000;
    }
    /* Another process may hold the other end of the pipe and keep it open; so the child's state is checked too. */
    bool in_time = (waits.revents & (POLLIN | POLLHUP)) || waitpid(child, status, WNOHANG) == child;
    if (!in_time)
        kill(child, SIGKILL);
    while (waitpid(child, status, 0) < 0 && errno == EINTR)
        continue;
    return in_time;
}

/* Reports how the child ended before it had constructed all vertices. */
static pop_status refuse_trial(const struct maker *maker, bool in_time, int status, unsigned seconds)
{
    const struct trial *trial = maker->trial;
    struct str who = { 0 };
    if (trial->at)
        str_format(&who, "the default constructor of '%s'", maker->r->vertices.data[trial->at - 1].codelet.name);
    else
        str_add(&who, "a static initialiser");
    pop_status refused;
    if (trial->message[0])
        refused = reflect_refuse(maker->r, NULL, "%s failed: %s", who.text, trial->message);
    else if (!in_time)
        refused = reflect_refuse(maker->r, NULL, "%s did not end within %u s", who.text, seconds);
    else if (WIFSIGNALED(status))
        refused = reflect_refuse(maker->r, NULL, "%s was ended by signal %d (%s)", who.text, WTERMSIG(status),
                                 sigdescr_np(WTERMSIG(status)));
    else
        refused = reflect_refuse(maker->r, NULL, "%s ended its process", who.text);
    str_free(&who);
    return refused;
}

static pop_status run_trial(struct maker *maker, unsigned seconds)
{
    int pipe_ends[2], status = 0;
    pid_t child = pipe2(pipe_ends, O_CLOEXEC) == 0 ? fork() : -2;
    if (child == 0)
        construct_all(maker, pipe_ends[1]);
    int reason = errno;
    if (child != -2)
        close(pipe_ends[1]);
    bool in_time = child > 0 && await_child(child, pipe_ends[0], seconds, &status);
    if (child != -2)
        close(pipe_ends[0]);
    if (child < 0)
        return error_set(maker->r->error, POP_SYSTEM_RUNTIME_ERROR, NO_WHERE, NULL,
                         "cannot start a process for the constructors of '%s': %s", maker->r->source,
                         pop_text_from_errno(reason));
    return maker->trial->over ? POP_OK : refuse_trial(maker, in_time, status, seconds);
}

/* ---- defaults ---- */

/* Takes over only the plain fields of a default-constructed vertex: edges are connected elsewhere. */
static void take_defaults(const struct reflection *r, struct codelet *codelet, const unsigned char *image)
{
    unsigned char *defaults = memset(arena_alloc(r->arena, codelet->state_bytes), 0, codelet->state_bytes);
    for (uint32_t i = 0; i < codelet->field_count; ++i) {
        const struct codelet_field *field = codelet->fields + i;
        if (field->direction == FIELD_STATE && field->shape == SHAPE_SCALAR)
            memcpy(defaults + field->offset, image + field->offset, field->bytes);
    }
    codelet->defaults = defaults;
}

static pop_status check_sizes(struct reflection *r, const struct made *made)
{
    for (size_t i = 0; i < r->vertices.count; ++i) {
        const struct codelet *codelet = &r->vertices.data[i].codelet;
        if (made[i].bytes != codelet->state_bytes)
            return reflect_refuse(r, NULL,
                                  "vertex '%s' depends on how it is compiled: it has %u bytes, and %zu when optimised",
                                  codelet->name, (unsigned)codelet->state_bytes, made[i].bytes);
    }
    return POP_OK;
}

static bool has_code(const struct maker *maker)
{
    bool any = initialisers_any(&maker->initialisers);
    for (size_t i = 0; i < maker->r->vertices.count; ++i)
        any |= maker->made[i].make != NULL;
    return any;
}

static pop_status read_table(struct maker *maker, unsigned seconds)
{
    struct reflection *r = maker->r;
    object_enter(maker->handle); /* before the fork: another thread may hold the loader's lock then */
    pop_status status = check_sizes(r, maker->made);
    if (status == POP_OK)
        status = open_trial(maker);
    if (status == POP_OK && has_code(maker))
        status = run_trial(maker, seconds);
    for (size_t i = 0; i < r->vertices.count && status == POP_OK; ++i) {
        take_defaults(r, &r->vertices.data[i].codelet, image_of(maker, i));
        r->vertices.data[i].codelet.state_alignment = (uint32_t)maker->made[i].alignment;
    }
    if (maker->trial)
        munmap(maker->trial, maker->bytes);
    return status;
}

pop_status made_read(struct reflection *r, const void *object, size_t size, unsigned seconds)
{
    struct module_object loaded = { .data = object, .size = size };
    struct str reason = { 0 };
    struct maker maker = { .call = { .fail = stop }, .r = r };
    if (!r->vertices.count)
        return POP_OK;
    char *copy = r->imports ? mem_copy(object, size) : NULL; /* other files may have variables that it uses */
    if (copy) {
        elf_weaken(copy, size, NULL, NULL);
        loaded.data = (const unsigned char *)copy;
    }
    maker.handle = object_open(&loaded, RTLD_LAZY, OBJECT_SILENT, &maker.initialisers, &reason);
    free(copy);
    maker.made = maker.handle ? dlsym(maker.handle, MADE_SYMBOL) : NULL;
    pop_status status = maker.made ? read_table(&maker, seconds) : POP_OK;
    if (!maker.made)
        LOG(CODELETS, INFO, "the fields of '%s' have no default values: %s", r->source, str_text(&reason));
    if (maker.handle)
        dlclose(maker.handle);
    str_free(&reason);
    return status;
}
