/* SPDX-License-Identifier: Apache-2.0 */
#define DEBUGINFO_OWN_NAMES
#include "popc/module/debuginfo.h"

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

Elf *debuginfo_open(const void *object, size_t size)
{
    return debuginfo_missing() ? NULL : debuginfo.elf_memory((char *)(uintptr_t)object, size);
}

void debuginfo_close(Elf *elf)
{
    if (elf)
        debuginfo.elf_end(elf);
}
