/* SPDX-License-Identifier: Apache-2.0 */
#define DEBUGINFO_OWN_NAMES
#include "popc/module/debuginfo.h"

#include "base/mem.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

struct debuginfo_functions debuginfo;

static char missing[300];

enum { LIBELF, LIBDW, LIBRARIES };
static const char *const libraries[LIBRARIES] = { "libelf.so.1", "libdw.so.1" };
static const struct {
    const char *name;
    size_t offset;
    int library;
} functions[] = {
#define DEBUGINFO_ELF(function)   { #function, offsetof(struct debuginfo_functions, function), LIBELF },
#define DEBUGINFO_DWARF(function) { #function, offsetof(struct debuginfo_functions, function), LIBDW },
#include "popc/module/debuginfo.def"
#undef DEBUGINFO_ELF
#undef DEBUGINFO_DWARF
};

/* Loads the libraries, which stay loaded until the process ends. */
static void load(void)
{
    void *loaded[LIBRARIES];
    for (int i = 0; i < LIBRARIES; ++i) {
        loaded[i] = dlopen(libraries[i], RTLD_NOW | RTLD_LOCAL);
        if (!loaded[i]) {
            snprintf(missing, sizeof(missing), "%s", dlerror());
            return;
        }
    }
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); ++i) {
        void *function = dlsym(loaded[functions[i].library], functions[i].name);
        if (!function) {
            snprintf(missing, sizeof(missing), "%s has no %s", libraries[functions[i].library], functions[i].name);
            return;
        }
        memcpy((char *)&debuginfo + functions[i].offset, &function, sizeof(function));
    }
    debuginfo.elf_version(EV_CURRENT);
}

const char *debuginfo_missing(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return *missing ? missing : NULL;
}

/* Makes the calling thread's copies of the two libraries' thread-local variables, 4 and 16 bytes.  The dynamic loader
 * makes a copy when it is first used, and ends the process where malloc fails: it gets the blocks that are released
 * here.  False without memory, which is counted. */
static bool make_thread_variables(void)
{
    enum { BYTES = 16 };
    size_t failures = mem_failures();
    void *blocks[LIBRARIES];
    for (int i = 0; i < LIBRARIES; ++i)
        blocks[i] = mem_alloc(BYTES);
    for (int i = 0; i < LIBRARIES; ++i)
        mem_free(blocks[i]);
    if (mem_failures() != failures)
        return false;
    debuginfo.elf_errno();
    debuginfo.dwarf_errno();
    return true;
}

Elf *debuginfo_open(const void *object, size_t size)
{
    if (debuginfo_missing() || !make_thread_variables())
        return NULL;
    return debuginfo.elf_memory((char *)(uintptr_t)object, size);
}

void debuginfo_close(Elf *elf)
{
    if (elf)
        debuginfo.elf_end(elf);
}
