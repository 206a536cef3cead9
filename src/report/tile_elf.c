/* SPDX-License-Identifier: Apache-2.0 */
#include "report/tile_elf.h"

#include "base/str.h"
#include "value/report_files.h"

#include <elf.h>

static const char *const categories[] = {
#define MODEL_CATEGORY(constant, name) name,
#include "image/model_categories.def"
#undef MODEL_CATEGORY
};

/* Section numbers from SHN_LORESERVE on are reserved: further blocks have a symbol but no section. */
enum { FIRST_BLOCK = 1, TABLES = 4, BLOCK_SECTIONS_MAX = SHN_LORESERVE - FIRST_BLOCK - TABLES };

struct text_table {
    VEC(char) text;
};
static uint32_t add_text(struct text_table *table, const char *prefix, const char *text)
{
    size_t at = table->text.count, lengths[] = { strlen(prefix), strlen(text) };
    char *to = vec_extend(&table->text, lengths[0] + lengths[1] + 1);
    memcpy(to, prefix, lengths[0]);
    memcpy(to + lengths[0], text, lengths[1] + 1);
    return (uint32_t)at;
}

struct elf_range {
    uint64_t first, end;
};
static int by_address(const void *left, const void *right)
{
    const struct elf_range *a = left, *b = right;
    return (a->first > b->first) - (a->first < b->first);
}

/* Finds the disjoint address ranges of the blocks, in ascending order; the caller frees them. */
static struct elf_range *find_ranges(const struct placement_block *blocks, size_t count, size_t *found)
{
    struct elf_range *ranges = mem_alloc((count + 1) * sizeof(*ranges));
    for (size_t i = 0; i < count; ++i)
        ranges[i] = (struct elf_range){ blocks[i].offset, blocks[i].offset + blocks[i].bytes };
    if (count)
        qsort(ranges, count, sizeof(*ranges), by_address);
    *found = 0;
    for (size_t i = 0; i < count; ++i) {
        struct elf_range *last = ranges + *found - 1;
        if (*found && ranges[i].first <= last->end)
            last->end = ranges[i].end > last->end ? ranges[i].end : last->end;
        else
            ranges[(*found)++] = ranges[i];
    }
    return ranges;
}

static Elf32_Shdr block_section(const struct placement_block *block, uint32_t name)
{
    return (Elf32_Shdr){ .sh_name = name,
                         .sh_type = SHT_NOBITS,
                         .sh_flags = SHF_ALLOC | (block->code ? SHF_EXECINSTR : SHF_WRITE),
                         .sh_addr = (Elf32_Addr)block->offset,
                         .sh_size = (Elf32_Word)block->bytes,
                         .sh_addralign = block->alignment };
}

static Elf32_Sym block_symbol(const struct placement_block *block, uint32_t name, size_t section)
{
    return (Elf32_Sym){ .st_name = name,
                        .st_value = (Elf32_Addr)block->offset,
                        .st_size = (Elf32_Word)block->bytes,
                        .st_info = ELF32_ST_INFO(STB_GLOBAL, block->code ? STT_FUNC : STT_OBJECT),
                        .st_shndx = section <= BLOCK_SECTIONS_MAX ? (Elf32_Half)section : SHN_ABS };
}

static uint32_t append(elf_bytes *out, const void *data, size_t bytes)
{
    while (out->count % 4)
        *vec_push(out) = 0;
    size_t at = out->count;
    if (bytes)
        memcpy(vec_extend(out, bytes), data, bytes);
    return (uint32_t)at;
}

/* Appends the note after the ELF header, where readers expect it. */
static uint32_t append_note(elf_bytes *out, const char *id)
{
    unsigned char note[REPORT_NOTE_SIZE];
    if (!id)
        return 0;
    report_note(id, note);
    return append(out, note, sizeof(note));
}

static void append_segments(elf_bytes *out, const struct elf_range *ranges, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        Elf32_Word bytes = (Elf32_Word)(ranges[i].end - ranges[i].first);
        Elf32_Phdr segment = { .p_type = PT_LOAD,
                               .p_vaddr = (Elf32_Addr)ranges[i].first,
                               .p_paddr = (Elf32_Addr)ranges[i].first,
                               .p_memsz = bytes,
                               .p_flags = PF_R | PF_W | PF_X,
                               .p_align = 1 };
        append(out, &segment, sizeof(segment));
    }
}

static Elf32_Ehdr file_head(size_t segments, size_t sections)
{
    Elf32_Ehdr head = { .e_type = ET_EXEC,
                        .e_machine = EM_NONE,
                        .e_version = EV_CURRENT,
                        .e_ehsize = sizeof(head),
                        .e_phentsize = sizeof(Elf32_Phdr),
                        .e_shentsize = sizeof(Elf32_Shdr),
                        .e_phnum = (Elf32_Half)segments,
                        .e_shnum = (Elf32_Half)sections,
                        .e_shstrndx = (Elf32_Half)(sections - 1) };
    memcpy(head.e_ident, ELFMAG, SELFMAG);
    head.e_ident[EI_CLASS] = ELFCLASS32;
    head.e_ident[EI_DATA] = ELFDATA2LSB;
    head.e_ident[EI_VERSION] = EV_CURRENT;
    return head;
}

typedef VEC(Elf32_Shdr) elf_sections;
typedef VEC(Elf32_Sym) elf_symbols;

static void add_blocks(const struct image *image, uint32_t tile, elf_sections *headers, elf_symbols *symbols,
                       struct text_table *section_names, struct text_table *symbol_names)
{
    const struct placement *placement = image->placement;
    const struct placement_block *blocks = placement->blocks.data + placement->first.data[tile];
    size_t count = placement->first.data[tile + 1] - placement->first.data[tile];
    for (size_t i = 0; i < count; ++i) {
        if (i < BLOCK_SECTIONS_MAX)
            *vec_push(headers) =
                block_section(&blocks[i], add_text(section_names, ".", categories[blocks[i].category]));
        *vec_push(symbols) =
            block_symbol(&blocks[i], add_text(symbol_names, "", image_string(image, blocks[i].name)), FIRST_BLOCK + i);
    }
}

void tile_elf_make(const struct image *image, uint32_t tile, const char *id, elf_bytes *out)
{
    const struct placement *placement = image->placement;
    size_t first = placement->first.data[tile], count = placement->first.data[tile + 1] - first, segments;
    elf_sections headers = { 0 };
    elf_symbols symbols = { 0 };
    struct text_table section_names = { 0 }, symbol_names = { 0 };
    struct elf_range *ranges = find_ranges(placement->blocks.data + first, count, &segments);
    out->count = 0;
    add_text(&section_names, "", "");
    add_text(&symbol_names, "", "");
    *vec_push(&headers) = (Elf32_Shdr){ 0 };
    *vec_push(&symbols) = (Elf32_Sym){ 0 };
    add_blocks(image, tile, &headers, &symbols, &section_names, &symbol_names);
    uint32_t strings = (uint32_t)headers.count + (id ? 2 : 1);
    Elf32_Shdr note = { .sh_name = id ? add_text(&section_names, "", ".note.report") : 0,
                        .sh_type = SHT_NOTE,
                        .sh_size = REPORT_NOTE_SIZE,
                        .sh_addralign = 4 };
    Elf32_Shdr tables[] = {
        { .sh_name = add_text(&section_names, "", ".symtab"),
          .sh_type = SHT_SYMTAB,
          .sh_size = (Elf32_Word)(symbols.count * sizeof(Elf32_Sym)),
          .sh_link = strings,
          .sh_info = 1,
          .sh_addralign = 4,
          .sh_entsize = sizeof(Elf32_Sym) },
        { .sh_name = add_text(&section_names, "", ".strtab"),
          .sh_type = SHT_STRTAB,
          .sh_size = (Elf32_Word)symbol_names.text.count,
          .sh_addralign = 1 },
        { .sh_name = add_text(&section_names, "", ".shstrtab"), .sh_type = SHT_STRTAB, .sh_addralign = 1 },
    };
    tables[2].sh_size = (Elf32_Word)section_names.text.count;
    Elf32_Ehdr head = file_head(segments, strings + 2);
    append(out, &head, sizeof(head));
    note.sh_offset = append_note(out, id);
    head.e_phoff = (Elf32_Off)out->count;
    append_segments(out, ranges, segments);
    tables[0].sh_offset = append(out, symbols.data, symbols.count * sizeof(Elf32_Sym));
    tables[1].sh_offset = append(out, symbol_names.text.data, symbol_names.text.count);
    tables[2].sh_offset = append(out, section_names.text.data, section_names.text.count);
    if (id)
        *vec_push(&headers) = note;
    memcpy(vec_extend(&headers, sizeof(tables) / sizeof(tables[0])), tables, sizeof(tables));
    head.e_shoff = append(out, headers.data, headers.count * sizeof(Elf32_Shdr));
    memcpy(out->data, &head, sizeof(head));
    free(ranges);
    vec_free(&headers);
    vec_free(&symbols);
    vec_free(&section_names.text);
    vec_free(&symbol_names.text);
}
