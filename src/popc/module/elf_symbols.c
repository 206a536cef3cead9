/* SPDX-License-Identifier: Apache-2.0 */
#include "popc/module/elf_symbols.h"

#include "popc/module/debuginfo.h"
#include <string.h>

/* The symbol table used for linking: the dynamic one, or the only one of a relocatable object. */
static Elf_Data *symbol_table(Elf *elf, GElf_Shdr *header)
{
    GElf_Ehdr head;
    bool relocatable = gelf_getehdr(elf, &head) && head.e_type == ET_REL;
    for (Elf_Scn *section = elf_nextscn(elf, NULL); section; section = elf_nextscn(elf, section))
        if (gelf_getshdr(section, header) && header->sh_type == (relocatable ? SHT_SYMTAB : SHT_DYNSYM))
            return elf_getdata(section, NULL);
    return NULL;
}

static const char *undefined_name(Elf *elf, const GElf_Shdr *table, const GElf_Sym *symbol)
{
    const char *name = symbol->st_shndx == SHN_UNDEF ? elf_strptr(elf, table->sh_link, symbol->st_name) : NULL;
    return name && *name ? name : NULL;
}

/* NULL also for a name that popc gives, not the source. */
static const char *defined_name(Elf *elf, const GElf_Shdr *table, const GElf_Sym *symbol)
{
    unsigned type = GELF_ST_TYPE(symbol->st_info), visibility = GELF_ST_VISIBILITY(symbol->st_other);
    const char *name = symbol->st_shndx != SHN_UNDEF ? elf_strptr(elf, table->sh_link, symbol->st_name) : NULL;
    bool chosen = name && *name && visibility == STV_DEFAULT && (type == STT_FUNC || type == STT_OBJECT) &&
                  strncmp(name, "popc_", 5) != 0 && strncmp(name, "__popc_", 7) != 0 &&
                  strncmp(name, "pop_run_", 8) != 0 && strcmp(name, "pop_made") != 0;
    return chosen ? name : NULL;
}

/* Calls each for the global symbols that have a name by name_of. */
static void each_global(const void *object, size_t size,
                        const char *(*name_of)(Elf *, const GElf_Shdr *, const GElf_Sym *),
                        void (*each)(const char *symbol, void *context), void *context)
{
    Elf *elf = debuginfo_open(object, size);
    GElf_Shdr table;
    GElf_Sym symbol;
    Elf_Data *data = elf ? symbol_table(elf, &table) : NULL;
    for (int i = 1; data && gelf_getsym(data, i, &symbol); ++i) {
        const char *name = name_of(elf, &table, &symbol);
        if (name && GELF_ST_BIND(symbol.st_info) == STB_GLOBAL)
            each(name, context);
    }
    debuginfo_close(elf);
}

void elf_each_undefined(const void *object, size_t size, void (*each)(const char *symbol, void *context), void *context)
{
    each_global(object, size, undefined_name, each, context);
}

bool elf_uses(const void *object, size_t size, const char *symbol)
{
    Elf *elf = debuginfo_open(object, size);
    GElf_Shdr table;
    GElf_Sym found;
    bool uses = false;
    Elf_Data *data = elf ? symbol_table(elf, &table) : NULL;
    for (int i = 1; data && !uses && gelf_getsym(data, i, &found); ++i) {
        const char *name = undefined_name(elf, &table, &found);
        uses = name && strcmp(name, symbol) == 0;
    }
    debuginfo_close(elf);
    return uses;
}

void elf_each_defined(const void *object, size_t size, void (*each)(const char *symbol, void *context), void *context)
{
    each_global(object, size, defined_name, each, context);
}

/* The relocations that hold an address: of a variable or function, or of a function that is called. */
static bool holds_address(unsigned machine, uint64_t type)
{
    if (machine == EM_X86_64)
        return type == R_X86_64_64 || type == R_X86_64_GLOB_DAT || type == R_X86_64_JUMP_SLOT;
    return machine == EM_AARCH64 &&
           (type == R_AARCH64_ABS64 || type == R_AARCH64_GLOB_DAT || type == R_AARCH64_JUMP_SLOT);
}

void elf_each_use(const void *object, size_t size, void (*each)(const struct elf_use *use, void *context),
                  void *context)
{
    Elf *elf = debuginfo_open(object, size);
    GElf_Ehdr head;
    GElf_Shdr table, header;
    GElf_Sym symbol;
    GElf_Rela rela;
    Elf_Data *symbols = elf && gelf_getehdr(elf, &head) ? symbol_table(elf, &table) : NULL;
    for (Elf_Scn *section = symbols ? elf_nextscn(elf, NULL) : NULL; section; section = elf_nextscn(elf, section)) {
        Elf_Data *data =
            gelf_getshdr(section, &header) && header.sh_type == SHT_RELA ? elf_getdata(section, NULL) : NULL;
        for (int i = 0; data && gelf_getrela(data, i, &rela); ++i) {
            const char *name = gelf_getsym(symbols, (int)GELF_R_SYM(rela.r_info), &symbol)
                                   ? undefined_name(elf, &table, &symbol)
                                   : NULL;
            if (name)
                each(&(struct elf_use){ name, rela.r_offset, (uint64_t)rela.r_addend,
                                        holds_address(head.e_machine, GELF_R_TYPE(rela.r_info)) },
                     context);
        }
    }
    debuginfo_close(elf);
}

void elf_weaken(void *object, size_t size, bool (*which)(const char *symbol, void *context), void *context)
{
    Elf *elf = debuginfo_open(object, size);
    GElf_Shdr table;
    GElf_Sym symbol;
    Elf_Data *data = elf ? symbol_table(elf, &table) : NULL;
    for (int i = 1; data && gelf_getsym(data, i, &symbol); ++i) {
        const char *name = undefined_name(elf, &table, &symbol);
        uint64_t at = table.sh_offset + (uint64_t)i * sizeof(Elf64_Sym) + offsetof(Elf64_Sym, st_info);
        if (name && at < size && GELF_ST_BIND(symbol.st_info) == STB_GLOBAL && (!which || which(name, context)))
            ((unsigned char *)object)[at] = GELF_ST_INFO(STB_WEAK, GELF_ST_TYPE(symbol.st_info));
    }
    debuginfo_close(elf);
}
