/* SPDX-License-Identifier: Apache-2.0 */
#include "tile/object.h"

#include "base/container.h"

#include <string.h>

enum { MAX_SECTION_BYTES = 1 << 20 };

struct tile_object *tile_object_create(enum tile_arch arch, const char *name)
{
    struct tile_object *object = MEM_NEW(struct tile_object);
    object->arch = arch;
    object->name = arena_string(&object->arena, name);
    return object;
}

void tile_object_free(struct tile_object *object)
{
    if (!object)
        return;
    for (size_t i = 0; i < object->sections.count; ++i)
        vec_free(&object->sections.data[i].bytes);
    vec_free(&object->sections);
    vec_free(&object->symbols);
    vec_free(&object->fixups);
    vec_free(&object->lines);
    vec_free(&object->stacks);
    arena_free(&object->arena);
    mem_free(object);
}

/* ---- writing ---- */

static void write_lines(struct bytes *out, const struct tile_object *object)
{
    const char *file = NULL;
    bytes_u64(out, object->lines.count);
    for (size_t i = 0; i < object->lines.count; ++i) {
        const struct tile_line *line = object->lines.data + i;
        bytes_u32(out, line->section);
        bytes_u32(out, line->offset);
        bytes_u32(out, line->line);
        bytes_u8(out, line->supervisor);
        bytes_u8(out, line->file != file); /* the file is that of the line before, mostly */
        if (line->file != file)
            bytes_string(out, line->file);
        file = line->file;
    }
}

void tile_object_write(const struct tile_object *object, char **data, size_t *size)
{
    struct bytes out = { 0 };
    bytes_u8(&out, (uint8_t)object->arch);
    bytes_string(&out, object->name);
    bytes_u64(&out, object->sections.count);
    for (size_t i = 0; i < object->sections.count; ++i) {
        const struct tile_section *section = object->sections.data + i;
        bytes_string(&out, section->name);
        bytes_u8(&out, section->code);
        bytes_u32(&out, section->alignment);
        bytes_u64(&out, section->bytes.count);
        bytes_put(&out, section->bytes.data, section->bytes.count);
    }
    bytes_u64(&out, object->symbols.count);
    for (size_t i = 0; i < object->symbols.count; ++i) {
        const struct tile_symbol *symbol = object->symbols.data + i;
        bytes_string(&out, symbol->name);
        bytes_u32(&out, (uint32_t)symbol->section);
        bytes_u32(&out, symbol->value);
        bytes_u8(&out, symbol->global);
    }
    bytes_u64(&out, object->fixups.count);
    for (size_t i = 0; i < object->fixups.count; ++i) {
        const struct tile_fixup *fixup = object->fixups.data + i;
        bytes_u32(&out, fixup->section);
        bytes_u32(&out, fixup->offset);
        bytes_u32(&out, fixup->symbol);
        bytes_u32(&out, (uint32_t)fixup->addend);
        bytes_u8(&out, fixup->kind);
        bytes_u8(&out, fixup->operand);
    }
    write_lines(&out, object);
    bytes_u64(&out, object->stacks.count);
    for (size_t i = 0; i < object->stacks.count; ++i) {
        bytes_string(&out, object->stacks.data[i].function);
        bytes_u32(&out, object->stacks.data[i].bytes);
    }
    *data = mem_copy(out.v.data, out.v.count);
    *size = out.v.count;
    vec_free(&out.v);
}

/* ---- reading ---- */

static const char *read_name(struct container_reader *r, struct tile_object *object)
{
    char *text = reader_string(r);
    const char *name = arena_string(&object->arena, text);
    mem_free(text);
    return name;
}

static void read_sections(struct container_reader *r, struct tile_object *object)
{
    uint64_t count = reader_count(r, 17);
    for (uint64_t i = 0; i < count && !r->failed; ++i) {
        struct tile_section *section = vec_push(&object->sections);
        *section = (struct tile_section){ .name = read_name(r, object), .code = reader_u8(r) != 0 };
        section->alignment = reader_u32(r);
        uint64_t size = reader_u64(r);
        const void *bytes = size <= MAX_SECTION_BYTES ? reader_take(r, size) : NULL;
        uint32_t alignment = section->alignment;
        if ((size && !bytes) || !alignment || (alignment & (alignment - 1)) || alignment > 0x8000)
            r->failed = true;
        else if (size)
            memcpy(vec_extend(&section->bytes, size), bytes, size);
    }
}

static void read_symbols(struct container_reader *r, struct tile_object *object)
{
    uint64_t count = reader_count(r, 13);
    for (uint64_t i = 0; i < count && !r->failed; ++i) {
        struct tile_symbol *symbol = vec_push(&object->symbols);
        *symbol = (struct tile_symbol){ .name = read_name(r, object), .section = (int32_t)reader_u32(r) };
        symbol->value = reader_u32(r);
        symbol->global = reader_u8(r) != 0;
        int32_t s = symbol->section;
        if (s < TILE_ABSOLUTE ||
            (s >= 0 && ((size_t)s >= object->sections.count || symbol->value > object->sections.data[s].bytes.count)))
            r->failed = true;
    }
}

static bool fixup_fits(const struct tile_object *object, const struct tile_fixup *fixup)
{
    static const uint8_t bytes[] = { 4, 1, 2, 4 };
    return fixup->section < object->sections.count && fixup->symbol < object->symbols.count &&
           fixup->kind <= TILE_FIX_BYTES4 && fixup->operand < TILE_OPERANDS &&
           fixup->offset + (uint64_t)bytes[fixup->kind] <= object->sections.data[fixup->section].bytes.count;
}

static void read_fixups(struct container_reader *r, struct tile_object *object)
{
    uint64_t count = reader_count(r, 18);
    for (uint64_t i = 0; i < count && !r->failed; ++i) {
        struct tile_fixup *fixup = vec_push(&object->fixups);
        *fixup = (struct tile_fixup){ .section = reader_u32(r), .offset = reader_u32(r) };
        fixup->symbol = reader_u32(r);
        fixup->addend = (int32_t)reader_u32(r);
        fixup->kind = reader_u8(r);
        fixup->operand = reader_u8(r);
        r->failed |= !fixup_fits(object, fixup);
    }
}

static void read_lines(struct container_reader *r, struct tile_object *object)
{
    const char *file = object->name;
    uint64_t count = reader_count(r, 14);
    for (uint64_t i = 0; i < count && !r->failed; ++i) {
        struct tile_line *line = vec_push(&object->lines);
        *line = (struct tile_line){ .section = reader_u32(r), .offset = reader_u32(r) };
        line->line = reader_u32(r);
        line->supervisor = reader_u8(r) != 0;
        if (reader_u8(r))
            file = read_name(r, object);
        line->file = file;
        r->failed |= line->section >= object->sections.count;
    }
}

static void read_stacks(struct container_reader *r, struct tile_object *object)
{
    uint64_t count = reader_count(r, 8);
    for (uint64_t i = 0; i < count && !r->failed; ++i) {
        struct tile_stack *stack = vec_push(&object->stacks);
        stack->function = read_name(r, object);
        stack->bytes = reader_u32(r);
        r->failed |= stack->bytes > 0x10000;
    }
}

struct tile_object *tile_object_read(const void *data, size_t size)
{
    struct container_reader r = { .data = data, .size = size };
    struct tile_object *object = tile_object_create(TILE_IPU1, "");
    uint8_t arch = reader_u8(&r);
    object->arch = (enum tile_arch)(arch < TILE_ARCHS ? arch : 0);
    object->name = read_name(&r, object);
    read_sections(&r, object);
    if (!r.failed)
        read_symbols(&r, object);
    if (!r.failed)
        read_fixups(&r, object);
    if (!r.failed)
        read_lines(&r, object);
    if (!r.failed)
        read_stacks(&r, object);
    if (!r.failed && r.at == r.size && arch < TILE_ARCHS)
        return object;
    tile_object_free(object);
    return NULL;
}
