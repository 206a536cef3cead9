/* SPDX-License-Identifier: Apache-2.0 */
#include "popc/module/module.h"
#include "popc/module/object_functions.h"

#include "base/str.h"

#include <elf.h>

const char *codelet_files(void)
{
    const char *directory = getenv("TREMULA_CODELET_FILES");
    return directory && *directory ? directory : NULL;
}

/* Tables of an object that are written again, after its end. */
struct tables {
    const struct module_object *object;
    Elf64_Ehdr head;
    VEC(Elf64_Shdr) sections;
    VEC(Elf64_Sym) symbols;
    struct bytes names, section_names;
    uint32_t table;                    /* the section of the symbols */
    struct object_functions functions; /* of a stripped object */
};

static const void *part(const struct module_object *object, uint64_t at, uint64_t bytes)
{
    return at <= object->size && bytes <= object->size - at ? object->data + at : NULL;
}

/* Copies a section of strings, which ends with a 0. */
static bool read_strings(const struct tables *t, uint32_t section, struct bytes *strings)
{
    if (section >= t->sections.count)
        return false;
    const Elf64_Shdr *header = t->sections.data + section;
    const char *from = header->sh_type == SHT_STRTAB ? part(t->object, header->sh_offset, header->sh_size) : NULL;
    if (!from || !header->sh_size || from[header->sh_size - 1])
        return false;
    bytes_put(strings, from, header->sh_size);
    return true;
}

static uint32_t find_section(const struct tables *t, uint32_t type)
{
    uint32_t i = 0;
    while (i < t->sections.count && t->sections.data[i].sh_type != type)
        ++i;
    return i;
}

static bool read_tables(struct tables *t)
{
    const void *head = part(t->object, 0, sizeof(t->head));
    if (!head)
        return false;
    memcpy(&t->head, head, sizeof(t->head));
    if (t->head.e_ident[EI_CLASS] != ELFCLASS64 || t->head.e_shentsize != sizeof(Elf64_Shdr) || !t->head.e_shnum)
        return false;
    const void *sections = part(t->object, t->head.e_shoff, (uint64_t)t->head.e_shnum * sizeof(Elf64_Shdr));
    if (!sections)
        return false;
    memcpy(vec_extend(&t->sections, t->head.e_shnum), sections, t->head.e_shnum * sizeof(Elf64_Shdr));
    t->table = find_section(t, SHT_SYMTAB);
    if (t->table == t->sections.count)
        t->table = find_section(t, SHT_DYNSYM);
    if (t->table == t->sections.count)
        return false;
    const Elf64_Shdr *table = t->sections.data + t->table;
    size_t count = table->sh_size / sizeof(Elf64_Sym);
    const void *symbols = part(t->object, table->sh_offset, table->sh_size);
    if (!symbols || !count || table->sh_entsize != sizeof(Elf64_Sym))
        return false;
    memcpy(vec_extend(&t->symbols, count), symbols, count * sizeof(Elf64_Sym));
    return read_strings(t, table->sh_link, &t->names) && read_strings(t, t->head.e_shstrndx, &t->section_names);
}

static void count_caller(struct object_function *function, uint32_t number)
{
    function->first = function->callers ? function->first : number;
    ++function->callers;
}

/* Gives the functions of the object's vertex types the types' names, and notes what these functions call. */
static void rename_functions(struct tables *t, const struct module *module, const bool *needed)
{
    size_t own = t->names.v.count;
    for (size_t s = 1; s < t->symbols.count; ++s) {
        Elf64_Sym *symbol = t->symbols.data + s;
        for (uint32_t c = 0; c < module->codelet_count && symbol->st_name < own; ++c) {
            const struct codelet *codelet = module->codelets + c;
            if (module->objects + codelet->object != t->object ||
                strcmp((const char *)t->names.v.data + symbol->st_name, codelet->symbol) != 0)
                continue;
            symbol->st_name = (uint32_t)t->names.v.count;
            bytes_put(&t->names, codelet->name, strlen(codelet->name) + 1);
            size_t function = object_functions_find(&t->functions, symbol->st_value);
            if (function != SIZE_MAX && (!needed || needed[c]))
                object_functions_reach(&t->functions, function, c + 1, count_caller);
        }
    }
}

static bool has_symbol(const struct tables *t, uint64_t address)
{
    for (size_t s = 1; s < t->symbols.count; ++s)
        if (t->symbols.data[s].st_value == address && t->symbols.data[s].st_shndx != SHN_UNDEF)
            return true;
    return false;
}

static uint16_t section_of(const struct tables *t, uint64_t address)
{
    for (uint16_t i = 1; i < t->sections.count; ++i)
        if (t->sections.data[i].sh_flags & SHF_EXECINSTR && address >= t->sections.data[i].sh_addr &&
            address - t->sections.data[i].sh_addr < t->sections.data[i].sh_size)
            return i;
    return SHN_ABS;
}

/* A symbol for a function that functions of vertex types call: the first type's name, and how many more there are. */
static Elf64_Sym name_function(struct tables *t, const struct module *module, const struct object_function *f)
{
    struct str name = { 0 };
    str_add(&name, module->codelets[f->first - 1].name);
    if (f->callers > 1)
        str_format(&name, " and %u more", f->callers - 1);
    Elf64_Sym symbol = { .st_name = (uint32_t)t->names.v.count,
                         .st_info = ELF64_ST_INFO(STB_LOCAL, STT_FUNC),
                         .st_shndx = section_of(t, f->address),
                         .st_value = f->address,
                         .st_size = f->bytes };
    bytes_put(&t->names, name.text, name.length + 1);
    str_free(&name);
    return symbol;
}

/* Local symbols come first in a table. Returns how many there are. */
static uint32_t name_functions(struct tables *t, const struct module *module)
{
    VEC(Elf64_Sym) named = { 0 };
    for (size_t i = 0; i < t->functions.list.count; ++i) {
        const struct object_function *f = t->functions.list.data + i;
        if (f->callers && !has_symbol(t, f->address))
            *vec_push(&named) = name_function(t, module, f);
    }
    uint32_t locals = t->sections.data[t->table].sh_info;
    if (named.count && locals <= t->symbols.count) {
        vec_reserve(&t->symbols, named.count);
        Elf64_Sym *to = t->symbols.data + locals;
        memmove(to + named.count, to, (t->symbols.count - locals) * sizeof(*to));
        t->symbols.count += named.count;
        memcpy(to, named.data, named.count * sizeof(*to));
        locals += (uint32_t)named.count;
    }
    vec_free(&named);
    return locals;
}

static uint32_t add_section(struct tables *t, const char *name, uint32_t type)
{
    *vec_push(&t->sections) =
        (Elf64_Shdr){ .sh_name = (uint32_t)t->section_names.v.count, .sh_type = type, .sh_addralign = 8 };
    bytes_put(&t->section_names, name, strlen(name) + 1);
    return (uint32_t)t->sections.count - 1;
}

/* A stripped object has only the symbols that the loader needs: the others get sections of their own. */
static void add_symbol_table(struct tables *t, const struct module *module)
{
    if (t->sections.data[t->table].sh_type == SHT_SYMTAB)
        return;
    uint32_t locals = name_functions(t, module);
    t->table = add_section(t, ".symtab", SHT_SYMTAB);
    uint32_t names = add_section(t, ".strtab", SHT_STRTAB);
    t->sections.data[t->table].sh_link = names;
    t->sections.data[t->table].sh_info = locals;
    t->sections.data[t->table].sh_entsize = sizeof(Elf64_Sym);
}

static void put_section(struct tables *t, uint32_t section, const void *data, size_t size, size_t begin,
                        struct bytes *out)
{
    static const char zeros[8];
    bytes_put(out, zeros, (8 - (out->v.count - begin) % 8) % 8);
    t->sections.data[section].sh_offset = out->v.count - begin;
    t->sections.data[section].sh_size = size;
    bytes_put(out, data, size);
}

static void put_object(struct tables *t, struct bytes *out)
{
    size_t begin = out->v.count;
    bytes_put(out, t->object->data, t->object->size);
    put_section(t, t->table, t->symbols.data, t->symbols.count * sizeof(Elf64_Sym), begin, out);
    put_section(t, t->sections.data[t->table].sh_link, t->names.v.data, t->names.v.count, begin, out);
    put_section(t, t->head.e_shstrndx, t->section_names.v.data, t->section_names.v.count, begin, out);
    static const char zeros[8];
    bytes_put(out, zeros, (8 - (out->v.count - begin) % 8) % 8);
    t->head.e_shoff = out->v.count - begin;
    t->head.e_shnum = (uint16_t)t->sections.count;
    memcpy(out->v.data + begin, &t->head, sizeof(t->head));
    bytes_put(out, t->sections.data, t->sections.count * sizeof(Elf64_Shdr));
}

bool object_with_names(const struct module *module, uint32_t object, const bool *needed, struct bytes *out)
{
    struct tables t = { .object = module->objects + object };
    bool good = read_tables(&t);
    if (good) {
        if (t.sections.data[t.table].sh_type != SHT_SYMTAB)
            object_functions_read(&t.functions, t.object->data, t.object->size, t.sections.data, t.sections.count);
        rename_functions(&t, module, needed);
        add_symbol_table(&t, module);
        put_object(&t, out);
    }
    vec_free(&t.functions.list);
    vec_free(&t.sections);
    vec_free(&t.symbols);
    vec_free(&t.names.v);
    vec_free(&t.section_names.v);
    return good;
}
