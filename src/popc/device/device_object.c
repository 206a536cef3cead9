/* SPDX-License-Identifier: Apache-2.0 */
/* Code sizes from ELF objects. Each function has its own section, so the size of a codelet is that of the sections
 * reachable from its compute through relocations. */
#include "popc/device/device.h"

#include "popc/module/debuginfo.h"
#include <stdio.h>

struct object;
struct object_node {
    const struct object *object;
    uint64_t bytes;
    Elf_Data *relocations; /* NULL when the section has none */
    bool allocated, code, has_addends;
    bool seen, open; /* by the walk; on the path of calls that deepest() follows */
    uint32_t users;  /* number of codelets that reach it */
    uint32_t frame;  /* stack of its function in bytes */
};

struct object {
    Elf *elf;
    Elf_Data *symbols;
    size_t symbol_count;
    GElf_Word names; /* section of the symbols' names */
    size_t section_names;
    struct object_node *nodes; /* by section */
    size_t node_count;
};

static void read_section(struct object *object, Elf_Scn *section, const GElf_Shdr *header)
{
    size_t index = elf_ndxscn(section);
    struct object_node *node = object->nodes + index;
    node->bytes = header->sh_size;
    node->allocated = (header->sh_flags & SHF_ALLOC) != 0;
    node->code = (header->sh_flags & SHF_EXECINSTR) != 0;
    if (header->sh_type == SHT_SYMTAB && header->sh_entsize) {
        object->symbols = elf_getdata(section, NULL);
        object->symbol_count = header->sh_size / header->sh_entsize;
        object->names = header->sh_link;
    } else if ((header->sh_type == SHT_RELA || header->sh_type == SHT_REL) && header->sh_info < object->node_count) {
        object->nodes[header->sh_info].relocations = elf_getdata(section, NULL);
        object->nodes[header->sh_info].has_addends = header->sh_type == SHT_RELA;
    }
}

/* Bytes of stack of a function stand in a section beside its own, after its address: seven bits a byte, the lowest
 * first. */
static void read_frame(struct object *object, Elf_Scn *section, const GElf_Shdr *header)
{
    const char *name = elf_strptr(object->elf, object->section_names, header->sh_name);
    Elf_Data *data = elf_getdata(section, NULL);
    size_t at = gelf_getclass(object->elf) == ELFCLASS32 ? 4 : 8;
    if (!name || strcmp(name, ".stack_sizes") != 0 || !data || header->sh_link >= object->node_count)
        return;
    uint64_t frame = 0;
    for (unsigned shift = 0; at < data->d_size && shift < 32; shift += 7) {
        unsigned char byte = ((const unsigned char *)data->d_buf)[at++];
        frame |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            break;
    }
    object->nodes[header->sh_link].frame = frame < UINT32_MAX ? (uint32_t)frame : UINT32_MAX;
}

static bool open_object(struct object *object, const void *data, size_t size)
{
    *object = (struct object){ .elf = debuginfo_open(data, size) };
    if (!object->elf || elf_getshdrnum(object->elf, &object->node_count) != 0 || !object->node_count ||
        elf_getshdrstrndx(object->elf, &object->section_names) != 0)
        return false;
    object->nodes = mem_zero(object->node_count, sizeof(*object->nodes));
    for (size_t i = 0; i < object->node_count; ++i)
        object->nodes[i].object = object;
    for (Elf_Scn *section = elf_nextscn(object->elf, NULL); section; section = elf_nextscn(object->elf, section)) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header))
            continue;
        read_section(object, section, &header);
        read_frame(object, section, &header);
    }
    return object->symbols != NULL;
}

static void close_object(struct object *object)
{
    free(object->nodes);
    debuginfo_close(object->elf);
}

static const char *symbol_name(const struct object *object, const GElf_Sym *symbol)
{
    const char *name = elf_strptr(object->elf, object->names, symbol->st_name);
    return name ? name : "";
}

/* The section of NAME_compute, or 0. */
static size_t find_compute(const struct object *object, const char *vertex)
{
    size_t length = strlen(vertex);
    for (size_t i = 0; i < object->symbol_count; ++i) {
        GElf_Sym symbol;
        if (!gelf_getsym(object->symbols, (int)i, &symbol) || GELF_ST_TYPE(symbol.st_info) != STT_FUNC)
            continue;
        const char *name = symbol_name(object, &symbol);
        if (strncmp(name, vertex, length) == 0 && strcmp(name + length, "_compute") == 0 &&
            symbol.st_shndx < object->node_count)
            return symbol.st_shndx;
    }
    return 0;
}

/* The section that the variable popc_use_INDEX points to, which holds the compute of a C++ vertex; or 0. */
static size_t find_used(const struct object *object, uint32_t index)
{
    char variable[32];
    snprintf(variable, sizeof(variable), "popc_use_%u", (unsigned)index);
    for (size_t i = 0; i < object->symbol_count; ++i) {
        GElf_Sym symbol, target;
        GElf_Rela with;
        GElf_Rel without;
        if (!gelf_getsym(object->symbols, (int)i, &symbol) || symbol.st_shndx >= object->node_count)
            continue;
        /* compilers mangle the names of static variables: _ZL10popc_use_0 */
        const char *name = symbol_name(object, &symbol), *at = strstr(name, variable);
        struct object_node *node = object->nodes + symbol.st_shndx;
        if (!at || at[strlen(variable)] || !node->relocations)
            continue;
        uint64_t info = node->has_addends && gelf_getrela(node->relocations, 0, &with)      ? with.r_info
                        : !node->has_addends && gelf_getrel(node->relocations, 0, &without) ? without.r_info
                                                                                            : 0;
        if (gelf_getsym(object->symbols, (int)GELF_R_SYM(info), &target) && target.st_shndx < object->node_count)
            return target.st_shndx;
    }
    return 0;
}

/* Whether a function is a runtime helper to which compilers emit calls on their own; the device provides those. */
static bool is_helper(const char *name)
{
    static const char *const memory[] = { "memcpy", "memmove", "memset", "memcmp" };
    for (int i = 0; i < 4; ++i)
        if (strcmp(name, memory[i]) == 0)
            return true;
    return strncmp(name, "__", 2) == 0;
}

/* Objects of one or more files, of which the first has the codelets. */
struct object_walk {
    struct object *objects;
    size_t object_count;
    VEC(struct object_node *) reached;
    VEC(const char *) library; /* functions of the mathematical library */
    uint64_t library_bytes;
    const char *missing;
};

static struct object_node *node_at(const struct object *object, const GElf_Sym *symbol)
{
    return symbol->st_shndx != SHN_UNDEF && symbol->st_shndx < object->node_count ? object->nodes + symbol->st_shndx
                                                                                  : NULL;
}

/* Where another file defines a function or variable; NULL: none does. */
static struct object_node *find_definition(const struct object_walk *walk, const char *name)
{
    for (size_t o = 0; o < walk->object_count; ++o)
        for (size_t i = 0; i < walk->objects[o].symbol_count && *name; ++i) {
            GElf_Sym symbol;
            if (gelf_getsym(walk->objects[o].symbols, (int)i, &symbol) && GELF_ST_BIND(symbol.st_info) != STB_LOCAL &&
                node_at(walk->objects + o, &symbol) && strcmp(symbol_name(walk->objects + o, &symbol), name) == 0)
                return node_at(walk->objects + o, &symbol);
        }
    return NULL;
}

static void follow_outside(struct object_walk *walk, const char *name)
{
    uint32_t bytes;
    if (device_library_bytes(name, &bytes)) {
        for (size_t i = 0; i < walk->library.count; ++i)
            if (strcmp(walk->library.data[i], name) == 0)
                return;
        *vec_push(&walk->library) = name;
        walk->library_bytes += bytes;
    } else if (*name && !is_helper(name) && !walk->missing) {
        walk->missing = name;
    }
}

static void follow(struct object_walk *walk, const struct object *object, size_t symbol_index)
{
    GElf_Sym symbol;
    if (!gelf_getsym(object->symbols, (int)symbol_index, &symbol))
        return;
    bool outside = symbol.st_shndx == SHN_UNDEF;
    struct object_node *node = outside ? find_definition(walk, symbol_name(object, &symbol)) : node_at(object, &symbol);
    if (outside && !node) {
        follow_outside(walk, symbol_name(object, &symbol));
    } else if (node && node->allocated && !node->seen) {
        node->seen = true;
        *vec_push(&walk->reached) = node;
    }
}

/* The symbol of a relocation; false at the end. */
static bool next_symbol(const struct object_node *node, int i, size_t *symbol)
{
    GElf_Rela with;
    GElf_Rel without;
    if (!node->relocations)
        return false;
    if (node->has_addends && gelf_getrela(node->relocations, i, &with))
        *symbol = GELF_R_SYM(with.r_info);
    else if (!node->has_addends && gelf_getrel(node->relocations, i, &without))
        *symbol = GELF_R_SYM(without.r_info);
    else
        return false;
    return true;
}

/* Marks the sections that are reachable from one, including itself. */
static void walk_from(struct object_walk *walk, struct object_node *first)
{
    for (size_t i = 0; i < walk->reached.count; ++i)
        walk->reached.data[i]->seen = false;
    walk->missing = NULL;
    walk->library.count = 0;
    walk->library_bytes = 0;
    walk->reached.count = 0;
    first->seen = true;
    *vec_push(&walk->reached) = first;
    for (size_t i = 0, symbol; i < walk->reached.count; ++i)
        for (int k = 0; next_symbol(walk->reached.data[i], k, &symbol); ++k)
            follow(walk, walk->reached.data[i]->object, symbol);
}

static const char *because(struct arena *arena, const char *words, const char *name)
{
    struct str text = { 0 };
    str_format(&text, "%s '%s'", words, name);
    const char *reason = arena_string(arena, text.text);
    str_free(&text);
    return reason;
}

static uint32_t at_most_32_bits(uint64_t value)
{
    return value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
}

/* Bytes of stack from a function on: its own, and those of the deepest that it calls; of functions that call themselves
 * one round counts. */
static uint64_t deepest(const struct object_walk *walk, struct object_node *node)
{
    uint64_t max = 0;
    size_t index;
    node->open = true;
    for (int i = 0; next_symbol(node, i, &index); ++i) {
        GElf_Sym symbol;
        if (!gelf_getsym(node->object->symbols, (int)index, &symbol))
            continue;
        struct object_node *called = symbol.st_shndx == SHN_UNDEF
                                         ? find_definition(walk, symbol_name(node->object, &symbol))
                                         : node_at(node->object, &symbol);
        uint64_t bytes = called && called->code && !called->open ? deepest(walk, called) : 0;
        max = bytes > max ? bytes : max;
    }
    node->open = false;
    return node->frame + max;
}

/* What another file has is shared: codelets of further files may use it. */
static void sum_up(const struct object_walk *walk, struct device_code *code)
{
    uint64_t own = 0, shared = walk->library_bytes, data = 0;
    for (size_t i = 0; i < walk->reached.count; ++i) {
        const struct object_node *node = walk->reached.data[i];
        bool several = i && (node->users > 1 || node->object != walk->objects);
        *(!node->code ? &data : several ? &shared : &own) += node->bytes;
    }
    uint64_t stack = deepest(walk, walk->reached.data[0]);
    *code = (struct device_code){ .bytes = at_most_32_bits(own),
                                  .shared_bytes = at_most_32_bits(shared),
                                  .data_bytes = at_most_32_bits(data),
                                  .stack_bytes = at_most_32_bits(stack),
                                  .stack_measured = !walk->missing,
                                  .reason = "" };
}

static void measure_all(struct object_walk *walk, const struct codelet *codelets, uint32_t count, struct arena *arena,
                        struct device_code *codes)
{
    size_t *firsts = mem_zero(count, sizeof(*firsts));
    for (uint32_t i = 0; i < count; ++i) {
        firsts[i] = find_compute(walk->objects, codelets[i].name);
        firsts[i] = firsts[i] ? firsts[i] : find_used(walk->objects, i);
        if (!firsts[i])
            continue;
        walk_from(walk, walk->objects->nodes + firsts[i]);
        for (size_t k = 0; k < walk->reached.count; ++k)
            ++walk->reached.data[k]->users;
    }
    for (uint32_t i = 0; i < count; ++i) {
        if (!firsts[i]) {
            codes[i] = (struct device_code){
                .estimated = true, .reason = because(arena, "the device's object has no function of", codelets[i].name)
            };
            continue;
        }
        walk_from(walk, walk->objects->nodes + firsts[i]);
        sum_up(walk, codes + i);
        codes[i].estimated = walk->missing != NULL;
        if (walk->missing)
            codes[i].reason = because(arena, "the device has no library, and it uses", walk->missing);
    }
    free(firsts);
}

bool device_measure(const struct module_code *parts, size_t count, const struct codelet *codelets,
                    uint32_t codelet_count, struct arena *arena, struct device_code *codes)
{
    struct object_walk walk = { .objects = mem_zero(count, sizeof(*walk.objects)) };
    bool good = true;
    for (; walk.object_count < count && good; ++walk.object_count)
        good =
            open_object(walk.objects + walk.object_count, parts[walk.object_count].data, parts[walk.object_count].size);
    if (good)
        measure_all(&walk, codelets, codelet_count, arena, codes);
    for (size_t i = 0; i < walk.object_count; ++i)
        close_object(walk.objects + i);
    vec_free(&walk.reached);
    vec_free(&walk.library);
    free(walk.objects);
    return good;
}

/* ---- host objects: shared, stripped ---- */

uint64_t host_code_bytes(const void *object, size_t size, const char *symbol)
{
    Elf *elf = debuginfo_open(object, size);
    uint64_t bytes = 0;
    GElf_Shdr header;
    for (Elf_Scn *section = elf ? elf_nextscn(elf, NULL) : NULL; section && !bytes;
         section = elf_nextscn(elf, section)) {
        if (!gelf_getshdr(section, &header) || header.sh_type != SHT_DYNSYM)
            continue;
        Elf_Data *data = elf_getdata(section, NULL);
        GElf_Sym found;
        for (int i = 0; data && gelf_getsym(data, i, &found) && !bytes; ++i) {
            const char *name = elf_strptr(elf, header.sh_link, found.st_name);
            if (name && strcmp(name, symbol) == 0)
                bytes = found.st_size;
        }
    }
    debuginfo_close(elf);
    return bytes;
}
