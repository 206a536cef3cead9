/* SPDX-License-Identifier: Apache-2.0 */
/* Loads objects for device_machine.c: sections in sequence, code first, then the relocations that clang makes for
 * 64-bit RISC-V without relaxation. */
#include "popc/device/device.h"

#include "base/mem.h"

#include "popc/module/debuginfo.h"
#include <stdio.h>
#include <string.h>

#ifndef EM_RISCV
#define EM_RISCV 243
#endif

/* Relocation types, numbered as in the RISC-V ELF specification. */
enum {
    REL_32 = 1,
    REL_64 = 2,
    REL_BRANCH = 16,
    REL_JAL = 17,
    REL_CALL = 18,
    REL_CALL_PLT = 19,
    REL_PCREL_HI = 23,
    REL_PCREL_LO_I = 24,
    REL_PCREL_LO_S = 25,
    REL_ADD32 = 35,
    REL_ADD64 = 36,
    REL_SUB32 = 39,
    REL_SUB64 = 40
};
enum { FUNCTION = 0x0b, ALIGNMENT = 16, MAX_BYTES = 64 << 20 };

struct loader {
    struct loader *all; /* of the image's objects */
    size_t count;
    Elf *elf;
    struct device_image *image;
    Elf_Data *symbols;
    size_t symbol_count, sections, names; /* names: section of the symbols' names */
    uint64_t *places;                     /* offsets of sections in the image; UINT64_MAX: not loaded */
    uint64_t *functions; /* by symbol: address of the word that represents a missing function, else 0 */
    struct outside {
        struct loader *loader; /* NULL: no other object defines it */
        size_t symbol;
    } * outside; /* by symbol */
    bool failed;
};

static uint64_t align_up(uint64_t value, uint64_t to)
{
    return (value + to - 1) / to * to;
}

/* ---- sections ---- */

static void place_sections(struct loader *l, bool code)
{
    for (Elf_Scn *section = elf_nextscn(l->elf, NULL); section; section = elf_nextscn(l->elf, section)) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header) || !(header.sh_flags & SHF_ALLOC) ||
            ((header.sh_flags & SHF_EXECINSTR) != 0) != code)
            continue;
        l->failed |= header.sh_size > MAX_BYTES || header.sh_addralign > 4096;
        if (l->failed)
            return;
        l->image->bytes = align_up(l->image->bytes, header.sh_addralign > ALIGNMENT ? header.sh_addralign : ALIGNMENT);
        l->places[elf_ndxscn(section)] = l->image->bytes;
        l->image->bytes += header.sh_size;
        l->failed |= l->image->bytes > MAX_BYTES;
    }
}

static void copy_sections(struct loader *l)
{
    for (Elf_Scn *section = elf_nextscn(l->elf, NULL); section; section = elf_nextscn(l->elf, section)) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header))
            continue;
        Elf_Data *data = header.sh_type == SHT_NOBITS ? NULL : elf_getdata(section, NULL);
        if (l->places[elf_ndxscn(section)] != UINT64_MAX && data && data->d_size <= header.sh_size && data->d_size)
            memcpy(l->image->memory + l->places[elf_ndxscn(section)], data->d_buf, data->d_size);
    }
}

/* ---- symbols ---- */

static bool find_symbols(struct loader *l)
{
    for (Elf_Scn *section = elf_nextscn(l->elf, NULL); section; section = elf_nextscn(l->elf, section)) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) && header.sh_type == SHT_SYMTAB && header.sh_entsize) {
            l->symbols = elf_getdata(section, NULL);
            l->symbol_count = header.sh_size / header.sh_entsize;
            l->names = header.sh_link;
        }
    }
    return l->symbols != NULL;
}

static const char *name_of(const struct loader *l, const GElf_Sym *symbol)
{
    const char *name = elf_strptr(l->elf, l->names, symbol->st_name);
    return name ? name : "";
}

static bool find_outside(struct loader *l, const char *name, struct outside *found)
{
    GElf_Sym symbol;
    for (struct loader *other = l->all; other < l->all + l->count; ++other)
        for (size_t i = 1; i < other->symbol_count; ++i)
            if (gelf_getsym(other->symbols, (int)i, &symbol) && symbol.st_shndx != SHN_UNDEF &&
                GELF_ST_BIND(symbol.st_info) != STB_LOCAL && strcmp(name_of(other, &symbol), name) == 0) {
                *found = (struct outside){ other, i };
                return true;
            }
    return false;
}

/* Lists the undefined functions that no object has; each gets a word after the code. */
static void list_missing(struct loader *l)
{
    for (size_t i = 1; i < l->symbol_count; ++i) {
        GElf_Sym symbol;
        if (!gelf_getsym(l->symbols, (int)i, &symbol) || symbol.st_shndx != SHN_UNDEF || !*name_of(l, &symbol) ||
            find_outside(l, name_of(l, &symbol), l->outside + i))
            continue;
        *vec_push(&l->image->missing) = strcpy(mem_alloc(strlen(name_of(l, &symbol)) + 1), name_of(l, &symbol));
        l->functions[i] = l->image->missing.count; /* index + 1 until addresses are assigned */
    }
}

static uint64_t address_of(struct loader *l, size_t index)
{
    GElf_Sym symbol;
    if (index < l->symbol_count && l->functions[index])
        return l->functions[index];
    if (index < l->symbol_count && l->outside[index].loader)
        return address_of(l->outside[index].loader, l->outside[index].symbol);
    if (!gelf_getsym(l->symbols, (int)index, &symbol) || symbol.st_shndx >= l->sections ||
        l->places[symbol.st_shndx] == UINT64_MAX) {
        l->failed = true;
        return 0;
    }
    return (uintptr_t)l->image->memory + l->places[symbol.st_shndx] + symbol.st_value;
}

static void keep_entry(struct loader *l, const char *name, uint64_t address)
{
    *vec_push(&l->image->entries) = (struct device_entry){ strcpy(mem_alloc(strlen(name) + 1), name), address };
}

/* Lists the functions, and the targets of the pointers popc_use_N of device_compile.c. */
static void list_entries(struct loader *l)
{
    for (size_t i = 1; i < l->symbol_count; ++i) {
        GElf_Sym symbol;
        if (!gelf_getsym(l->symbols, (int)i, &symbol) || symbol.st_shndx == SHN_UNDEF ||
            symbol.st_shndx >= l->sections || l->places[symbol.st_shndx] == UINT64_MAX)
            continue;
        uint64_t address = address_of(l, i), pointed, from = address - (uintptr_t)l->image->memory;
        const char *name = name_of(l, &symbol), *use = strstr(name, "popc_use_");
        if (GELF_ST_TYPE(symbol.st_info) == STT_FUNC) {
            keep_entry(l, name, address);
        } else if (use && from <= l->image->bytes - sizeof(pointed)) {
            memcpy(&pointed, l->image->memory + from, sizeof(pointed));
            keep_entry(l, use, pointed);
        }
    }
}

/* ---- relocations ---- */

struct patch {
    unsigned char *at;
    uint64_t address, value; /* address of the relocated place; value of symbol plus addend */
};

static void put_bits(unsigned char *at, uint32_t mask, uint32_t value)
{
    uint32_t word;
    memcpy(&word, at, sizeof(word));
    word = (word & ~mask) | (value & mask);
    memcpy(at, &word, sizeof(word));
}
static void put_upper(unsigned char *at, uint64_t difference)
{
    put_bits(at, 0xfffff000u, (uint32_t)difference + 0x800);
}
static void put_lower_i(unsigned char *at, uint64_t difference)
{
    put_bits(at, 0xfff00000u, (uint32_t)difference << 20);
}
static void put_lower_s(unsigned char *at, uint64_t difference)
{
    uint32_t low = (uint32_t)difference & 0xfff;
    put_bits(at, 0xfe000f80u, (low >> 5) << 25 | (low & 31) << 7);
}
static void put_branch(unsigned char *at, uint64_t difference)
{
    uint32_t d = (uint32_t)difference;
    put_bits(at, 0xfe000f80u, (d >> 12 & 1) << 31 | (d >> 5 & 63) << 25 | (d >> 1 & 15) << 8 | (d >> 11 & 1) << 7);
}
static void put_jal(unsigned char *at, uint64_t difference)
{
    uint32_t d = (uint32_t)difference;
    put_bits(at, 0xfffff000u,
             (d >> 20 & 1) << 31 | (d >> 1 & 0x3ff) << 21 | (d >> 11 & 1) << 20 | (d >> 12 & 0xff) << 12);
}
static void add_to(unsigned char *at, size_t bytes, uint64_t value)
{
    uint64_t now = 0;
    memcpy(&now, at, bytes);
    now += value;
    memcpy(at, &now, bytes);
}

/* The address that the upper half of a pc-relative pair is relative to: the symbol of the lower half names the
 * instruction with the upper half. */
static uint64_t upper_difference(struct loader *l, Elf_Data *relocations, uint64_t section_address, uint64_t label)
{
    GElf_Rela rela;
    for (int i = 0; gelf_getrela(relocations, i, &rela); ++i)
        if (GELF_R_TYPE(rela.r_info) == REL_PCREL_HI && section_address + rela.r_offset == label)
            return address_of(l, GELF_R_SYM(rela.r_info)) + (uint64_t)rela.r_addend - label;
    l->failed = true;
    return 0;
}

static void apply(struct loader *l, Elf_Data *relocations, uint64_t section_address, unsigned type,
                  const struct patch *p)
{
    uint64_t difference = p->value - p->address;
    switch (type) {
    case REL_32:
        memcpy(p->at, &p->value, 4);
        return;
    case REL_64:
        memcpy(p->at, &p->value, 8);
        return;
    case REL_BRANCH:
        put_branch(p->at, difference);
        return;
    case REL_JAL:
        put_jal(p->at, difference);
        return;
    case REL_CALL:
    case REL_CALL_PLT:
        put_upper(p->at, difference);
        put_lower_i(p->at + 4, difference);
        return;
    case REL_PCREL_HI:
        put_upper(p->at, difference);
        return;
    case REL_PCREL_LO_I:
        put_lower_i(p->at, upper_difference(l, relocations, section_address, p->value));
        return;
    case REL_PCREL_LO_S:
        put_lower_s(p->at, upper_difference(l, relocations, section_address, p->value));
        return;
    case REL_ADD32:
        add_to(p->at, 4, p->value);
        return;
    case REL_ADD64:
        add_to(p->at, 8, p->value);
        return;
    case REL_SUB32:
        add_to(p->at, 4, -p->value);
        return;
    case REL_SUB64:
        add_to(p->at, 8, -p->value);
        return;
    default:
        l->failed = true;
    }
}

static void relocate(struct loader *l)
{
    for (Elf_Scn *section = elf_nextscn(l->elf, NULL); section && !l->failed; section = elf_nextscn(l->elf, section)) {
        GElf_Shdr header, target;
        GElf_Rela rela;
        if (!gelf_getshdr(section, &header) || header.sh_type != SHT_RELA || header.sh_info >= l->sections ||
            l->places[header.sh_info] == UINT64_MAX || !gelf_getshdr(elf_getscn(l->elf, header.sh_info), &target))
            continue;
        Elf_Data *relocations = elf_getdata(section, NULL);
        unsigned char *memory = l->image->memory + l->places[header.sh_info];
        for (int i = 0; !l->failed && gelf_getrela(relocations, i, &rela); ++i) {
            if (rela.r_offset + 8 > target.sh_size + 4 * (GELF_R_TYPE(rela.r_info) != REL_64)) {
                l->failed = true;
                return;
            }
            struct patch patch = { memory + rela.r_offset, (uintptr_t)memory + rela.r_offset,
                                   address_of(l, GELF_R_SYM(rela.r_info)) + (uint64_t)rela.r_addend };
            apply(l, relocations, (uintptr_t)memory, (unsigned)GELF_R_TYPE(rela.r_info), &patch);
        }
    }
}

/* ---- images ---- */

/* Fills the words after the code: calls of missing functions by number. */
static void make_functions(struct device_image *image, uint64_t first)
{
    for (size_t i = 0; i < image->missing.count; ++i) {
        uint32_t word = FUNCTION | (uint32_t)i << 7;
        memcpy(image->memory + first + 4 * i, &word, sizeof(word));
    }
}

static void number_functions(struct loader *l, uint64_t first)
{
    for (size_t i = 0; i < l->symbol_count; ++i)
        if (l->functions[i])
            l->functions[i] = (uintptr_t)l->image->memory + first + 4 * (l->functions[i] - 1);
}

static bool open_part(struct loader *l, const struct module_code *part)
{
    GElf_Ehdr header;
    l->elf = debuginfo_open(part->data, part->size);
    if (!l->elf || !gelf_getehdr(l->elf, &header) || header.e_machine != EM_RISCV ||
        header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_type != ET_REL ||
        elf_getshdrnum(l->elf, &l->sections) != 0 || !l->sections || !find_symbols(l))
        return false;
    l->places = mem_alloc(l->sections * sizeof(*l->places));
    memset(l->places, 0xff, l->sections * sizeof(*l->places));
    l->functions = mem_zero(l->symbol_count, sizeof(*l->functions));
    l->outside = mem_zero(l->symbol_count, sizeof(*l->outside));
    return true;
}

/* All code comes first, then the words for missing functions, then all data. */
static void place_all(struct loader *loaders, size_t count, struct device_image *image, uint64_t *functions)
{
    for (size_t i = 0; i < count; ++i)
        list_missing(loaders + i);
    for (size_t i = 0; i < count; ++i)
        place_sections(loaders + i, true);
    *functions = image->bytes = align_up(image->bytes, ALIGNMENT);
    image->code_bytes = image->bytes = *functions + 4 * image->missing.count;
    for (size_t i = 0; i < count; ++i)
        place_sections(loaders + i, false);
}

static bool any_failed(const struct loader *loaders, size_t count)
{
    bool failed = false;
    for (size_t i = 0; i < count; ++i)
        failed |= loaders[i].failed;
    return failed;
}

static bool load(struct loader *loaders, size_t count, struct device_image *image)
{
    uint64_t functions;
    place_all(loaders, count, image, &functions);
    if (any_failed(loaders, count) || !image->code_bytes)
        return false;
    image->bytes = align_up(image->bytes + 8, ALIGNMENT); /* relocations of eight bytes stay inside the image */
    image->memory = mem_zero(image->bytes, 1);
    make_functions(image, functions);
    for (size_t i = 0; i < count; ++i) {
        number_functions(loaders + i, functions);
        copy_sections(loaders + i);
    }
    for (size_t i = 0; i < count; ++i)
        relocate(loaders + i);
    if (any_failed(loaders, count))
        return false;
    list_entries(loaders);
    return true;
}

struct device_image *device_image_load(const struct module_code *parts, size_t count)
{
    struct loader *loaders = mem_zero(count, sizeof(*loaders));
    struct device_image *image = MEM_NEW(struct device_image);
    bool good = true;
    for (size_t i = 0; i < count; ++i) {
        loaders[i] = (struct loader){ .all = loaders, .count = count, .image = image };
        good &= open_part(loaders + i, parts + i);
    }
    good = good && load(loaders, count, image);
    for (size_t i = 0; i < count; ++i) {
        free(loaders[i].places);
        free(loaders[i].functions);
        free(loaders[i].outside);
        debuginfo_close(loaders[i].elf);
    }
    free(loaders);
    if (good)
        return image;
    device_image_free(image);
    return NULL;
}

void device_image_free(struct device_image *image)
{
    if (!image)
        return;
    for (size_t i = 0; i < image->missing.count; ++i)
        free(image->missing.data[i]);
    for (size_t i = 0; i < image->entries.count; ++i)
        free(image->entries.data[i].name);
    vec_free(&image->missing);
    vec_free(&image->entries);
    free(image->memory);
    free(image);
}

uint64_t device_image_compute(const struct device_image *image, const char *name, uint32_t index)
{
    char function[256], use[32];
    snprintf(function, sizeof(function), "%s_compute", name);
    snprintf(use, sizeof(use), "popc_use_%u", (unsigned)index);
    for (size_t i = 0; i < image->entries.count; ++i)
        if (strcmp(image->entries.data[i].name, use) == 0)
            return image->entries.data[i].address;
    for (size_t i = 0; i < image->entries.count; ++i)
        if (strcmp(image->entries.data[i].name, function) == 0)
            return image->entries.data[i].address;
    return 0;
}
