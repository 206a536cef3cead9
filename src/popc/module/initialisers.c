/* SPDX-License-Identifier: Apache-2.0 */
#include "popc/module/initialisers.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

/* Copies a part of the object; false when it is out of bounds. */
static bool take(const void *object, size_t size, uint64_t at, void *part, size_t bytes)
{
    if (at > size || bytes > size - at)
        return false;
    memcpy(part, (const char *)object + at, bytes);
    return true;
}

static void read_dynamic(const void *object, size_t size, uint64_t at, struct initialisers *found)
{
    Elf64_Dyn entry;
    for (; take(object, size, at, &entry, sizeof(entry)) && entry.d_tag != DT_NULL; at += sizeof(entry)) {
        size_t value_at = at + offsetof(Elf64_Dyn, d_un);
        if (entry.d_tag == DT_INIT_ARRAY) {
            found->address = entry.d_un.d_ptr;
        } else if (entry.d_tag == DT_INIT_ARRAYSZ) {
            found->count = entry.d_un.d_val / sizeof(uint64_t);
            found->size_at[0] = value_at;
        } else if (entry.d_tag == DT_FINI_ARRAYSZ) {
            found->size_at[1] = value_at;
        }
    }
}

void initialisers_find(const void *object, size_t size, struct initialisers *found)
{
    Elf64_Ehdr head;
    Elf64_Phdr part;
    *found = (struct initialisers){ 0 };
    if (!take(object, size, 0, &head, sizeof(head)) || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
        head.e_ident[EI_CLASS] != ELFCLASS64)
        return;
    for (unsigned i = 0; i < head.e_phnum; ++i)
        if (take(object, size, head.e_phoff + (uint64_t)i * sizeof(part), &part, sizeof(part)) &&
            part.p_type == PT_DYNAMIC)
            read_dynamic(object, size, part.p_offset, found);
}

void initialisers_run(const struct initialisers *found, void *handle)
{
    typedef void (*initialiser)(int, char **, char **);
    static char *no_arguments[] = { NULL };
    struct link_map *map;
    if (!found->count || dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0)
        return;
    const unsigned char *list =
        (const unsigned char *)(uintptr_t)(map->l_addr + found->address); /* the loader has relocated the list */
    for (uint64_t i = 0; i < found->count; ++i) {
        initialiser function;
        memcpy(&function, list + i * sizeof(function), sizeof(function));
        function(0, no_arguments, environ);
    }
}
