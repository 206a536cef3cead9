/* SPDX-License-Identifier: Apache-2.0 */
/* A report that consists of archive.a alone: memory of each tile and its variables, read from the ELF files into a
 * temporary database with the tables of profile.pop; all other tables stay empty. */
#include "pva/reader.h"

#include "base/file.h"
#include "base/vec.h"

#include <ar.h>
#include <elf.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MEMBER_MAX = 1 << 28 };

struct archive {
    pva_file *file;
    int descriptor;
    off_t at, size;
    const char *path;
    unsigned char *data; /* of the current member */
    size_t bytes, capacity;
    int64_t tiles, names, variables, categories;
    sqlite3_stmt *add_memory, *add_name, *add_category, *find_category, *add_variable;
};

static bool damaged(struct archive *a, const char *why)
{
    file_fail(a->file, POP_PARSE_ERROR, "%s is damaged: %s (at byte %lld)", a->path, why, (long long)a->at);
    return false;
}

static bool run(struct archive *a, const char *sql)
{
    if (sqlite3_exec(a->file->db, sql, NULL, NULL, NULL) == SQLITE_OK)
        return true;
    file_fail_sql(a->file, "a temporary database");
    return false;
}

static bool create_tables(struct archive *a)
{
    static const char *const tables[] = {
#define REPORT_TABLE(constant, name, columns) "CREATE TABLE " name "(" columns,
#include "value/report_tables.def"
#undef REPORT_TABLE
        "CREATE INDEX category_names ON var_categories(name)", "BEGIN"
    };
    static const struct {
        size_t offset;
        const char *sql;
    } statements[] = {
        { offsetof(struct archive, add_memory),
          "INSERT INTO memory_by_tile(tile, total, total_including_gaps) VALUES(?1, ?2, ?3)" },
        { offsetof(struct archive, add_name), "INSERT INTO vars_string_table VALUES(?1, ?2)" },
        { offsetof(struct archive, add_category), "INSERT INTO var_categories VALUES(?1, ?2)" },
        { offsetof(struct archive, find_category), "SELECT id FROM var_categories WHERE name = ?1" },
        { offsetof(struct archive, add_variable),
          "INSERT INTO vars_info(id, tile, size_bytes, category, name, offset, alignment, flags) "
          "VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, 1)" },
    };
    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); ++i)
        if (!run(a, tables[i]))
            return false;
    for (size_t i = 0; i < sizeof(statements) / sizeof(statements[0]); ++i) {
        sqlite3_stmt *statement;
        if (sqlite3_prepare_v2(a->file->db, statements[i].sql, -1, &statement, NULL) != SQLITE_OK)
            return damaged(a, sqlite3_errmsg(a->file->db));
        memcpy((char *)a + statements[i].offset, &statement, sizeof(statement));
    }
    return true;
}

/* Binds numbers to a statement's parameters in order; a text parameter is bound by the caller before. */
static bool insert(struct archive *a, sqlite3_stmt *statement, const int64_t *numbers, int count)
{
    for (int i = 0; i < count; ++i)
        sqlite3_bind_int64(statement, i + 1, numbers[i]);
    bool good = sqlite3_step(statement) == SQLITE_DONE;
    sqlite3_reset(statement);
    if (!good)
        file_fail_sql(a->file, "a temporary database");
    return good;
}

static bool read_at(const struct archive *a, off_t at, void *data, size_t bytes)
{
    return at >= 0 && (off_t)bytes <= a->size - at && pread(a->descriptor, data, bytes, at) == (ssize_t)bytes;
}

/* Reads the next member of the archive into a->data; *end is set after the last one. */
static bool next_member(struct archive *a, bool *end)
{
    struct ar_hdr head;
    char size[sizeof(head.ar_size) + 1] = { 0 };
    *end = a->at >= a->size;
    if (*end)
        return true;
    if (!read_at(a, a->at, &head, sizeof(head)) || memcmp(head.ar_fmag, ARFMAG, 2) != 0)
        return damaged(a, "no member begins there");
    memcpy(size, head.ar_size, sizeof(head.ar_size));
    a->bytes = (size_t)strtoull(size, NULL, 10);
    if (a->bytes > MEMBER_MAX)
        return damaged(a, "a member is too large");
    if (a->bytes > a->capacity) {
        a->capacity = a->bytes;
        a->data = mem_grow(a->data, a->capacity);
    }
    if (!read_at(a, a->at + (off_t)sizeof(head), a->data, a->bytes))
        return damaged(a, "a member is cut short");
    a->at += (off_t)(sizeof(head) + a->bytes + a->bytes % 2);
    return true;
}

/* A table of the ELF file with `count` entries; NULL when it is out of bounds. */
static const void *table_at(const struct archive *a, uint64_t offset, uint64_t count, size_t entry)
{
    return offset <= a->bytes && count <= (a->bytes - offset) / entry ? a->data + offset : NULL;
}

static const char *text_at(const struct archive *a, const Elf32_Shdr *table, uint32_t at)
{
    const char *text = table_at(a, table->sh_offset, table->sh_size, 1);
    return text && at < table->sh_size && memchr(text + at, 0, table->sh_size - at) ? text + at : "";
}

static bool add_memory(struct archive *a, const Elf32_Ehdr *head)
{
    uint64_t total = 0, end = 0;
    for (unsigned i = 0; i < head->e_phnum; ++i) {
        Elf32_Phdr segment;
        const char *from = table_at(a, head->e_phoff, head->e_phnum, sizeof(segment));
        if (!from)
            return damaged(a, "segments are outside of the file");
        memcpy(&segment, from + i * sizeof(segment), sizeof(segment));
        total += segment.p_type == PT_LOAD ? segment.p_memsz : 0;
        if (segment.p_type == PT_LOAD && (uint64_t)segment.p_vaddr + segment.p_memsz > end)
            end = (uint64_t)segment.p_vaddr + segment.p_memsz;
    }
    return insert(a, a->add_memory, (const int64_t[]){ a->tiles, (int64_t)total, (int64_t)end }, 3);
}

static bool category_of(struct archive *a, const char *name, int64_t *id)
{
    sqlite3_bind_text(a->find_category, 1, name, -1, SQLITE_TRANSIENT);
    bool found = sqlite3_step(a->find_category) == SQLITE_ROW;
    if (found)
        *id = sqlite3_column_int64(a->find_category, 0);
    sqlite3_reset(a->find_category);
    if (found)
        return true;
    *id = a->categories++;
    sqlite3_bind_text(a->add_category, 2, name, -1, SQLITE_TRANSIENT);
    return insert(a, a->add_category, id, 1);
}

/* Symbols become variables; their sections are named after storage categories. */
static bool add_variables(struct archive *a, const Elf32_Ehdr *head)
{
    const Elf32_Shdr *sections = table_at(a, head->e_shoff, head->e_shnum, sizeof(*sections));
    if (!sections || head->e_shoff % 4 || head->e_shstrndx >= head->e_shnum)
        return damaged(a, "sections are outside of the file");
    for (unsigned s = 0; s < head->e_shnum; ++s) {
        const Elf32_Shdr *section = sections + s;
        uint64_t count = section->sh_size / sizeof(Elf32_Sym);
        const Elf32_Sym *symbols = table_at(a, section->sh_offset, count, sizeof(*symbols));
        if (section->sh_type != SHT_SYMTAB)
            continue;
        if (!symbols || section->sh_offset % 4 || section->sh_link >= head->e_shnum)
            return damaged(a, "symbols are outside of the file");
        for (uint64_t i = 1; i < count; ++i) {
            const Elf32_Shdr *of = symbols[i].st_shndx < head->e_shnum ? sections + symbols[i].st_shndx : NULL;
            const char *category = of ? text_at(a, sections + head->e_shstrndx, of->sh_name) : "";
            int64_t id, name = a->names++;
            if (!category_of(a, *category == '.' ? category + 1 : category, &id))
                return false;
            sqlite3_bind_text(a->add_name, 2, text_at(a, sections + section->sh_link, symbols[i].st_name), -1,
                              SQLITE_TRANSIENT);
            if (!insert(a, a->add_name, &name, 1) ||
                !insert(a, a->add_variable,
                        (const int64_t[]){ a->variables++, a->tiles, symbols[i].st_size, id, name, symbols[i].st_value,
                                           of ? of->sh_addralign : 1 },
                        7))
                return false;
        }
    }
    return true;
}

static bool add_tile(struct archive *a)
{
    Elf32_Ehdr head;
    if (a->bytes < sizeof(head))
        return damaged(a, "a member is not an ELF file");
    memcpy(&head, a->data, sizeof(head));
    if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS32 ||
        head.e_ident[EI_DATA] != ELFDATA2LSB)
        return damaged(a, "a member is not a 32-bit little-endian ELF file");
    bool good = add_memory(a, &head) && add_variables(a, &head);
    ++a->tiles;
    return good;
}

static bool read_members(struct archive *a)
{
    char magic[SARMAG];
    bool end = false;
    if (!read_at(a, 0, magic, SARMAG) || memcmp(magic, ARMAG, SARMAG) != 0)
        return damaged(a, "it does not begin as an ar archive does");
    a->at = SARMAG;
    while (!end)
        if (!next_member(a, &end) || (!end && !add_tile(a)))
            return false;
    char *facts =
        sqlite3_mprintf("INSERT INTO format VALUES('tremula profile', 1, 0, 0, 0, '', 0, 1, 0, 1);"
                        "INSERT INTO target(num_ipus, tiles_per_ipu, num_tiles, num_replicas, ipus_per_replica, "
                        "tiles_per_replica) VALUES(1, %lld, %lld, 1, 1, %lld); COMMIT; PRAGMA query_only=ON",
                        (long long)a->tiles, (long long)a->tiles, (long long)a->tiles);
    bool good = facts && run(a, facts);
    sqlite3_free(facts);
    str_add(&a->file->warning,
            "the report is archive.a alone, which has the memory of each tile: the number of IPUs (shown "
            "as 1), the device, its bytes of memory, programs and runs are unknown");
    return good;
}

bool archive_fill(pva_file *file, const char *path)
{
    struct archive a = { .file = file, .path = path, .descriptor = file_open_regular(path) };
    struct stat facts;
    bool good = a.descriptor >= 0 && fstat(a.descriptor, &facts) == 0;
    if (good)
        a.size = facts.st_size;
    else
        file_fail(file, POP_FILE_LOAD_ERROR, "%s cannot be read", path);
    good = good && create_tables(&a) && read_members(&a);
    sqlite3_stmt *statements[] = { a.add_memory, a.add_name, a.add_category, a.find_category, a.add_variable };
    for (size_t i = 0; i < sizeof(statements) / sizeof(statements[0]); ++i)
        sqlite3_finalize(statements[i]);
    if (a.descriptor >= 0)
        close(a.descriptor);
    free(a.data);
    return good;
}
