/* SPDX-License-Identifier: Apache-2.0 */
#include "popc/module/elf_symbols.h"

#include "popc/module/debuginfo.h"
#include <stdbool.h>
#include <stdint.h>

/* The symbol table used for linking: the dynamic one, or the only one of a relocatable object. */
static Elf_Data *symbol_table(Elf *elf, GElf_Word *names)
{
    GElf_Ehdr head;
    GElf_Shdr header;
    bool relocatable = gelf_getehdr(elf, &head) && head.e_type == ET_REL;
    for (Elf_Scn *section = elf_nextscn(elf, NULL); section; section = elf_nextscn(elf, section))
        if (gelf_getshdr(section, &header) && header.sh_type == (relocatable ? SHT_SYMTAB : SHT_DYNSYM)) {
            *names = header.sh_link;
            return elf_getdata(section, NULL);
        }
    return NULL;
}

void elf_each_undefined(const void *object, size_t size, void (*each)(const char *symbol, void *context), void *context)
{
    Elf *elf = debuginfo_open(object, size);
    GElf_Word names;
    GElf_Sym symbol;
    Elf_Data *data = elf ? symbol_table(elf, &names) : NULL;
    for (int i = 1; data && gelf_getsym(data, i, &symbol); ++i) {
        const char *name = symbol.st_shndx == SHN_UNDEF && GELF_ST_BIND(symbol.st_info) == STB_GLOBAL
                               ? elf_strptr(elf, names, symbol.st_name)
                               : NULL;
        if (name && *name)
            each(name, context);
    }
    debuginfo_close(elf);
}
