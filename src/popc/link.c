/* SPDX-License-Identifier: Apache-2.0 */
/* Loading a module's objects into the process. */
#include "popc/elf_symbols.h"
#include "popc/machine.h"
#include "popc/module.h"

#include "base/error.h"
#include "base/str.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A descriptor of a file in memory that holds the object; -1 with errno. */
static int memory_file(const struct module_object *object)
{
    int fd = memfd_create("codelets", MFD_CLOEXEC);
    size_t done = 0;
    while (fd >= 0 && done < object->size) {
        ssize_t wrote = write(fd, object->data + done, object->size - done);
        if (wrote > 0) {
            done += (size_t)wrote;
        } else if (errno != EINTR) {
            int reason = errno;
            close(fd);
            errno = reason;
            return -1;
        }
    }
    return fd;
}

/* dlopen takes two equal names for one object, and descriptors are used again.  So the name spells the file's inode number, which nobody
 * shares while the object is mapped, in parts that the kernel skips: "/" for a 0, "/." for a 1. */
static void unique_path(int fd, struct str *path)
{
    struct stat status;
    str_add(path, "/proc/self/fd");
    if (fstat(fd, &status) == 0)
        for (uint64_t bits = status.st_ino; bits; bits >>= 1)
            str_add(path, bits & 1 ? "/." : "/");
    str_format(path, "/%d", fd);
}

/* dlerror's text without our name of the file: "undefined symbol: foo". */
static const char *reason_of(const char *text, const char *path)
{
    if (!text)
        return "unknown reason";
    size_t length = strlen(path);
    return strncmp(text, path, length) == 0 && text[length] == ':' ? text + length + 2 : text;
}

void *object_open(const struct module_object *object, int mode, struct str *reason)
{
    int fd = memory_file(object);
    if (fd < 0) {
        str_add(reason, strerror(errno));
        return NULL;
    }
    struct str path = { 0 };
    unique_path(fd, &path);
    void *handle = dlopen(path.text, mode | RTLD_LOCAL);
    if (!handle)
        str_add(reason, reason_of(dlerror(), path.text));
    close(fd);
    str_free(&path);
    return handle;
}

/* The C++ library is not there for codelets, even where the program has loaded it. */
static void find_cpp_symbol(const char *symbol, void *context)
{
    static const char *const prefixes[] = { "_Z", "__cxa_", "__gxx_", "_Unwind_" };
    struct str *reason = context;
    if (reason->length || strcmp(symbol, "__cxa_finalize") == 0 || strcmp(symbol, "__cxa_atexit") == 0)
        return;
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); ++i)
        if (strncmp(symbol, prefixes[i], strlen(prefixes[i])) == 0) {
            const char *what = strncmp(symbol, "_Zn", 3) == 0 ? " (operator new)" : strncmp(symbol, "_Zd", 3) == 0 ? " (operator delete)" : "";
            str_format(reason, "undefined symbol %s%s: codelets have no C++ library and no memory to allocate, and each source has to define what it uses",
                       symbol, what);
            return;
        }
}

static pop_status link_object(const struct module *module, struct module_object *object, pop_error *error)
{
    struct str reason = { 0 };
    elf_each_undefined(object->data, object->size, find_cpp_symbol, &reason);
    if (!reason.length)
        object->handle = object_open(object, RTLD_NOW, &reason);
    pop_status status = POP_OK;
    if (!object->handle)
        status = error_set(error, POP_LINK_ERROR, NO_WHERE, NULL, "cannot load the code of '%s': %s", module->name, str_text(&reason));
    str_free(&reason);
    return status;
}

static pop_status check_symbols(const struct module *module, pop_error *error)
{
    for (uint32_t i = 0; i < module->codelet_count; ++i)
        if (!module_run(module, module->codelets + i))
            return error_set(error, POP_LINK_ERROR, NO_WHERE, NULL, "the code of '%s' lacks '%s' of vertex type '%s'", module->name,
                             module->codelets[i].symbol, module->codelets[i].name);
    return POP_OK;
}

pop_status module_link(struct module *module, pop_error *error)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    unsigned level = machine_level();
    if (module->level > level)
        return error_set(error, POP_LINK_ERROR, NO_WHERE, NULL,
                         "'%s' was compiled for x86-64-v%u and this machine has x86-64-v%u: compile it again here, or with -march=x86-64-v%u",
                         module->name, module->level, level, level);
    pop_status status = POP_OK;
    pthread_mutex_lock(&lock);
    bool fresh = false;
    for (uint32_t i = 0; i < module->object_count && status == POP_OK; ++i)
        if (!module->objects[i].handle) {
            fresh = true;
            status = link_object(module, module->objects + i, error);
        }
    if (fresh && status == POP_OK)
        status = check_symbols(module, error);
    pthread_mutex_unlock(&lock);
    return status;
}

codelet_run module_run(const struct module *module, const struct codelet *codelet)
{
    void *handle = module->objects[codelet->object].handle;
    codelet_run run = NULL;
    void *symbol = handle ? dlsym(handle, codelet->symbol) : NULL;
    memcpy(&run, &symbol, sizeof(run)); /* ISO C has no conversion from an object's pointer to a function's */
    return run;
}
