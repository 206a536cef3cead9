/* SPDX-License-Identifier: Apache-2.0 */
/* Loading a module's objects into the process. */
#include "popc/module/link.h"
#include "popc/module/elf_symbols.h"
#include "popc/module/initialisers.h"
#include "popc/module/machine.h"
#include "popc/module/module.h"
#include "popc/module/resolve.h"

#include "base/error.h"
#include "base/str.h"

#include <assert.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poplar/text.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Sets the sizes of the lists of initialisers and finalisers to 0, so that the loader calls none. */
static void hide_initialisers(int fd, const struct initialisers *initialisers, enum object_ends ends)
{
    static const uint64_t none;
    for (int i = 0; i < (ends == OBJECT_SILENT ? 2 : 1); ++i)
        while (initialisers->size_at[i] && pwrite(fd, &none, sizeof(none), (off_t)initialisers->size_at[i]) < 0 &&
               errno == EINTR)
            continue;
}

static bool write_object(const struct module_object *object, int fd)
{
    for (size_t done = 0; done < object->size;) {
        ssize_t wrote = write(fd, object->data + done, object->size - done);
        if (wrote > 0)
            done += (size_t)wrote;
        else if (errno != EINTR)
            return false;
    }
    return true;
}

/* dlopen takes equal names for the same object, and descriptor numbers are reused. The path therefore encodes the
 * file's inode number, which is unique while the object is mapped, in separators that the kernel skips: "/" for a 0,
 * "/." for a 1. */
static void unique_path(int fd, struct str *path)
{
    struct stat status;
    str_add(path, "/proc/self/fd");
    if (fstat(fd, &status) == 0)
        for (uint64_t bits = status.st_ino; bits; bits >>= 1)
            str_add(path, bits & 1 ? "/." : "/");
    str_format(path, "/%d", fd);
}

/* dlerror's text without the temporary path: "undefined symbol: foo". */
static const char *reason_of(const char *text, const char *path)
{
    if (!text)
        return "unknown reason";
    size_t length = strlen(path);
    return strncmp(text, path, length) == 0 && text[length] == ':' ? text + length + 2 : text;
}

/* Opens a file with the object and gives the path to load it by: in memory, or in the directory that
 * TREMULA_CODELET_FILES names, where debuggers and profilers find symbols and lines and where it stays. Returns -1
 * with the reason on failure. */
static int object_file(const struct module_object *object, struct str *path, struct str *reason)
{
    static atomic_uint count;
    const char *directory = codelet_files();
    bool visible = directory != NULL;
    if (visible)
        str_format(path, "%s/codelets-%ld-%u.so", directory, (long)getpid(), atomic_fetch_add(&count, 1));
    int fd =
        visible ? open(path->text, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : memfd_create("codelets", MFD_CLOEXEC);
    if (fd < 0 || !write_object(object, fd)) {
        int problem = errno;
        if (visible)
            str_format(reason, "TREMULA_CODELET_FILES: '%s': ", path->text);
        str_add(reason, pop_text_from_errno(problem));
        if (fd >= 0 && visible)
            unlink(path->text);
        if (fd >= 0)
            close(fd);
        return -1;
    }
    if (!visible)
        unique_path(fd, path);
    return fd;
}

void *object_open(const struct module_object *object, int mode, enum object_ends ends,
                  struct initialisers *initialisers, struct str *reason)
{
    initialisers_find(object->data, object->size, initialisers);
    struct str path = { 0 };
    int fd = object_file(object, &path, reason);
    if (fd < 0) {
        str_free(&path);
        return NULL;
    }
    hide_initialisers(fd, initialisers, ends);
    void *handle = dlopen(path.text, mode | RTLD_LOCAL);
    if (!handle) {
        void *begun = pop_text_begin(); /* dlerror's text depends on the locale */
        str_add(reason, reason_of(dlerror(), path.text));
        pop_text_end(begun);
    }
    close(fd);
    str_free(&path);
    return handle;
}

/* ---- symbols that no file defines ---- */

struct missing {
    const struct shared_symbols *shared;
    struct str names; /* of functions that another file could define */
    size_t count;
    const char *library; /* what only a C++ library defines, which codelets do not have, even when the program has it */
};
enum { NAMES_LISTED = 8 };

static bool is_library(const char *symbol)
{
    static const char *const prefixes[] = { "_ZSt", "_ZNSt", "_ZNKSt", "_ZTI",   "_ZTV",    "_Zn",
                                            "_Zd",  "_ZdlP", "__cxa_", "__gxx_", "_Unwind_" };
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); ++i)
        if (strncmp(symbol, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return false;
}

/* The C++ name of a function that a C file defines. */
static bool defined_in_c(const struct missing *missing, const char *symbol)
{
    struct str name = { 0 };
    symbol_spell(symbol, &name);
    size_t length = name.length;
    if (length > 2 && strcmp(name.text + length - 2, "()") == 0)
        name.text[length - 2] = 0;
    bool found = strcmp(symbol, name.text) != 0 && shared_symbols_find(missing->shared, name.text);
    str_free(&name);
    return found;
}

static void find_missing(const char *symbol, void *context)
{
    struct missing *missing = context;
    if (shared_symbols_find(missing->shared, symbol) || strcmp(symbol, "__cxa_finalize") == 0 ||
        strcmp(symbol, "__cxa_atexit") == 0)
        return;
    if (is_library(symbol)) {
        missing->library = missing->library ? missing->library : symbol;
        return;
    }
    if ((strncmp(symbol, "_Z", 2) != 0 && dlsym(RTLD_DEFAULT, symbol)) || missing->count++ >= NAMES_LISTED)
        return;
    str_add(&missing->names, missing->names.length ? ", '" : "'");
    symbol_spell(symbol, &missing->names);
    str_format(&missing->names, "'%s",
               defined_in_c(missing, symbol) ? " (a C file has it: declare it extern \"C\")" : "");
}

/* Writes the reason why an object cannot be loaded; nothing when nothing is missing. */
static void list_missing(const struct module_object *object, const struct shared_symbols *shared, struct str *reason)
{
    struct missing missing = { .shared = shared };
    elf_each_undefined(object->data, object->size, find_missing, &missing);
    if (missing.library)
        str_format(reason, "undefined symbol %s%s: codelets have no C++ library and no memory to allocate",
                   missing.library,
                   strncmp(missing.library, "_Zn", 3) == 0   ? " (operator new)"
                   : strncmp(missing.library, "_Zd", 3) == 0 ? " (operator delete)"
                                                             : "");
    else if (missing.count)
        str_format(
            reason,
            "no file defines %s%s, which it uses: name the file that does beside it (popc %s other.cpp -o x.gp), "
            "or add that file to the graph, too",
            str_text(&missing.names), missing.count > NAMES_LISTED ? " and more" : "", object->source);
    str_free(&missing.names);
}

/* ---- static initialisers ---- */

struct starter {
    struct codelet_call call; /* first member: fail() gets a pointer to it */
    jmp_buf stopped;
    char message[512];
};

static void on_fail(struct codelet_call *call, const char *message, const char *file, int line)
{
    struct starter *starter = (struct starter *)(void *)call;
    if (file)
        snprintf(starter->message, sizeof(starter->message), "%s at %s:%d", message, file, line);
    else
        snprintf(starter->message, sizeof(starter->message), "%s", message);
    longjmp(starter->stopped, 1);
}

/* In this library's part of each thread's first memory, so that it takes none later. */
static _Thread_local __attribute__((tls_model("initial-exec"))) struct codelet_call *running;

struct codelet_call **codelet_place(void)
{
    return &running;
}

void object_enter(void *handle)
{
    void *symbol = dlsym(handle, "popc_enter");
    void (*enter)(struct codelet_call * *(*)(void)) = NULL;
    memcpy(&enter, &symbol, sizeof(enter));
    if (enter)
        enter(codelet_place);
}

/* Returns false when an initialiser called exit() or similar. */
static bool start_object(const struct object_place *place, const struct initialisers *initialisers, struct str *reason)
{
    struct starter starter = { .call = { .fail = on_fail } };
    void *handle = place->module->objects[place->object].handle;
    object_enter(handle);
    running = &starter.call;
    bool started = !setjmp(starter.stopped);
    if (started)
        initialisers_run(initialisers, handle);
    else
        str_format(reason, "a static initialiser failed: %s", starter.message);
    running = NULL;
    return started;
}

struct linking {
    const bool *const *needed; /* by module, then codelet; NULL: all */
    struct module *const *modules;
    size_t count;
    struct shared_symbols shared;
    struct object_list objects;
    VEC(struct opened {
        struct object_place place;
        struct initialisers initialisers;
    })
    opened;
};

static const bool *needed_of(const struct linking *l, const struct module *module)
{
    for (size_t m = 0; m < l->count; ++m)
        if (l->modules[m] == module)
            return l->needed ? l->needed[m] : NULL;
    return NULL;
}

static pop_status cannot_load(const struct object_place *place, struct str *reason, pop_error *error)
{
    pop_status status = error_set(error, POP_LINK_ERROR, NO_WHERE, NULL, "cannot load the code of '%s': %s",
                                  place->module->name, str_text(reason));
    str_free(reason);
    return status;
}

static pop_status open_object(struct linking *l, const struct object_place *place, pop_error *error)
{
    struct module_object *object = place->module->objects + place->object;
    struct str reason = { 0 };
    struct opened opened = { .place = *place };
    struct bytes named = { .v = { 0 } };
    struct module_object file = *object;
    list_missing(object, &l->shared, &reason);
    if (codelet_files() && object_with_names(place->module, place->object, needed_of(l, place->module), &named)) {
        file.data = named.v.data;
        file.size = named.v.count;
    } else if (object->shares) {
        bytes_put(&named, object->data, object->size);
        file.data = named.v.data;
    }
    if (object->shares)
        resolve_weaken(named.v.data, named.v.count, &l->shared);
    if (!reason.length)
        object->handle = object_open(&file, RTLD_NOW, OBJECT_FINALISES, &opened.initialisers, &reason);
    vec_free(&named.v);
    if (!object->handle)
        return cannot_load(place, &reason, error);
    *vec_push(&l->opened) = opened;
    return POP_OK;
}

/* Objects are joined once all are loaded, because they may use each other, and only then started. */
static pop_status join_objects(struct linking *l, pop_error *error)
{
    struct str reason = { 0 };
    for (size_t i = 0; i < l->opened.count; ++i)
        if (!resolve_object(&l->opened.data[i].place, &l->shared, &reason))
            return cannot_load(&l->opened.data[i].place, &reason, error);
    for (size_t i = 0; i < l->opened.count; ++i)
        if (!start_object(&l->opened.data[i].place, &l->opened.data[i].initialisers, &reason))
            return cannot_load(&l->opened.data[i].place, &reason, error);
    return POP_OK;
}

static void close_opened(const struct linking *l)
{
    for (size_t i = 0; i < l->opened.count; ++i) {
        struct module_object *object = l->opened.data[i].place.module->objects + l->opened.data[i].place.object;
        dlclose(object->handle);
        object->handle = NULL;
    }
}

static pop_status check_symbols(const struct module *module, const bool *needed, pop_error *error)
{
    for (uint32_t i = 0; i < module->codelet_count; ++i)
        if ((!needed || needed[i]) && !module_run(module, module->codelets + i))
            return error_set(error, POP_LINK_ERROR, NO_WHERE, NULL, "the code of '%s' lacks '%s' of vertex type '%s'",
                             module->name, module->codelets[i].symbol, module->codelets[i].name);
    return POP_OK;
}

static pop_status check_level(const struct module *module, pop_error *error)
{
    const char *own = machine_level_name(machine_level());
    if (machine_runs(module->level))
        return POP_OK;
    return error_set(error, POP_LINK_ERROR, NO_WHERE, NULL,
                     "'%s' was compiled for %s and this machine has %s: compile it again here, or with -march=%s",
                     module->name, machine_level_name(module->level), own, own);
}

/* Lists the objects of the needed codelets, and those that they use. */
static pop_status list_objects(struct linking *l, pop_error *error)
{
    pop_status status = POP_OK;
    for (size_t m = 0; m < l->count && status == POP_OK; ++m) {
        struct module *module = l->modules[m];
        status = check_level(module, error);
        for (uint32_t i = 0; i < module->codelet_count; ++i)
            if (!l->needed || !l->needed[m] || l->needed[m][i])
                object_list_add(&l->objects, module, module->codelets[i].object);
    }
    if (status == POP_OK) {
        shared_symbols_read(&l->shared, l->modules, l->count);
        object_list_complete(&l->objects, &l->shared);
        status = shared_symbols_check(&l->shared, &l->objects, error);
    }
    return status;
}

static pop_status load_objects(struct linking *l, pop_error *error)
{
    pop_status status = POP_OK;
    for (size_t i = 0; i < l->objects.v.count && status == POP_OK; ++i) {
        const struct object_place *place = l->objects.v.data + i;
        if (!place->module->objects[place->object].handle)
            status = open_object(l, place, error);
    }
    if (status == POP_OK)
        status = join_objects(l, error);
    for (size_t m = 0; m < l->count && status == POP_OK && l->opened.count; ++m)
        status = check_symbols(l->modules[m], l->needed ? l->needed[m] : NULL, error);
    if (status != POP_OK)
        close_opened(l);
    return status;
}

pop_status modules_link(struct module *const *modules, const bool *const *needed, size_t count, pop_error *error)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    struct linking l = { .needed = needed, .modules = modules, .count = count };
    pthread_mutex_lock(&lock);
    pop_status status = list_objects(&l, error);
    if (status == POP_OK)
        status = load_objects(&l, error);
    pthread_mutex_unlock(&lock);
    vec_free(&l.opened);
    vec_free(&l.objects.v);
    shared_symbols_free(&l.shared);
    return status;
}

pop_status module_link(struct module *module, const bool *needed, pop_error *error)
{
    return modules_link(&module, &needed, 1, error);
}

codelet_run module_run(const struct module *module, const struct codelet *codelet)
{
    assert(codelet->module == module && codelet->object < module->object_count &&
           module->objects[codelet->object].handle);
    void *handle = module->objects[codelet->object].handle;
    codelet_run run = NULL;
    void *symbol = handle ? dlsym(handle, codelet->symbol) : NULL;
    memcpy(&run, &symbol, sizeof(run)); /* ISO C does not convert an object pointer to a function pointer */
    return run;
}
