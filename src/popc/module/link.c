/* SPDX-License-Identifier: Apache-2.0 */
/* Loading a module's objects into the process. */
#include "popc/module/link.h"
#include "popc/module/elf_symbols.h"
#include "popc/module/initialisers.h"
#include "popc/module/machine.h"
#include "popc/module/module.h"
#include "popc/module/object_names.h"

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

/* Refuses symbols of the C++ library: codelets do not have it, even when the program has loaded it. */
static void find_cpp_symbol(const char *symbol, void *context)
{
    static const char *const prefixes[] = { "_Z", "__cxa_", "__gxx_", "_Unwind_" };
    struct str *reason = context;
    if (reason->length || strcmp(symbol, "__cxa_finalize") == 0 || strcmp(symbol, "__cxa_atexit") == 0)
        return;
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); ++i)
        if (strncmp(symbol, prefixes[i], strlen(prefixes[i])) == 0) {
            const char *what = strncmp(symbol, "_Zn", 3) == 0   ? " (operator new)"
                               : strncmp(symbol, "_Zd", 3) == 0 ? " (operator delete)"
                                                                : "";
            str_format(reason,
                       "undefined symbol %s%s: codelets have no C++ library and no memory to allocate, and each source "
                       "has to define what it uses",
                       symbol, what);
            return;
        }
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

/* Any run function of an object: a call with no vertices sets the function that the object's code calls on failure. */
static codelet_run any_run(const struct module *module, uint32_t object)
{
    for (uint32_t i = 0; i < module->codelet_count; ++i)
        if (module->codelets[i].object == object)
            return module_run(module, module->codelets + i);
    return NULL;
}

/* Returns false when an initialiser called exit() or similar. */
static bool start_object(const struct module *module, uint32_t index, const struct initialisers *initialisers,
                         struct str *reason)
{
    struct starter starter = { .call = { .fail = on_fail } };
    codelet_run run = any_run(module, index);
    if (run)
        run(&starter.call);
    if (!setjmp(starter.stopped)) {
        initialisers_run(initialisers, module->objects[index].handle);
        return true;
    }
    str_format(reason, "a static initialiser failed: %s", starter.message);
    return false;
}

static pop_status link_object(const struct module *module, uint32_t index, const bool *needed, pop_error *error)
{
    struct module_object *object = module->objects + index;
    struct str reason = { 0 };
    struct initialisers initialisers;
    elf_each_undefined(object->data, object->size, find_cpp_symbol, &reason);
    struct bytes named = { .v = { 0 } };
    struct module_object file = *object;
    if (codelet_files() && object_with_names(module, index, needed, &named)) {
        file.data = named.v.data;
        file.size = named.v.count;
    }
    if (!reason.length)
        object->handle = object_open(&file, RTLD_NOW, OBJECT_FINALISES, &initialisers, &reason);
    vec_free(&named.v);
    if (object->handle && !start_object(module, index, &initialisers, &reason)) {
        dlclose(object->handle);
        object->handle = NULL;
    }
    pop_status status = POP_OK;
    if (!object->handle)
        status = error_set(error, POP_LINK_ERROR, NO_WHERE, NULL, "cannot load the code of '%s': %s", module->name,
                           str_text(&reason));
    str_free(&reason);
    return status;
}

static pop_status check_symbols(const struct module *module, const bool *needed, pop_error *error)
{
    for (uint32_t i = 0; i < module->codelet_count; ++i)
        if ((!needed || needed[i]) && !module_run(module, module->codelets + i))
            return error_set(error, POP_LINK_ERROR, NO_WHERE, NULL, "the code of '%s' lacks '%s' of vertex type '%s'",
                             module->name, module->codelets[i].symbol, module->codelets[i].name);
    return POP_OK;
}

pop_status module_link(struct module *module, const bool *needed, pop_error *error)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    const char *own = machine_level_name(machine_level());
    if (!machine_runs(module->level))
        return error_set(error, POP_LINK_ERROR, NO_WHERE, NULL,
                         "'%s' was compiled for %s and this machine has %s: compile it again here, or with -march=%s",
                         module->name, machine_level_name(module->level), own, own);
    pop_status status = POP_OK;
    pthread_mutex_lock(&lock);
    bool fresh = false;
    for (uint32_t i = 0; i < module->codelet_count && status == POP_OK; ++i) {
        uint32_t object = module->codelets[i].object;
        if ((!needed || needed[i]) && !module->objects[object].handle) {
            fresh = true;
            status = link_object(module, object, needed, error);
        }
    }
    if (fresh && status == POP_OK)
        status = check_symbols(module, needed, error);
    pthread_mutex_unlock(&lock);
    return status;
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
