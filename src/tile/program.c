/* SPDX-License-Identifier: Apache-2.0 */
/* Links objects to a program: the sections that the roots reach, code first, at the beginning of the tile's memory. */
#include "tile/program.h"
#include "tile/tile.h"

#include <string.h>

/* A section of an object, when it is reached. */
struct section_place {
    bool reached;
    uint32_t address;
};
/* Where a symbol is defined; section is TILE_ABSOLUTE or TILE_UNDEFINED for those. */
struct definition {
    size_t object;
    const struct tile_symbol *symbol;
};

struct linker {
    const struct tile_object *const *objects;
    size_t count;
    struct section_place **sections; /* by object */
    struct arena arena;
    VEC(struct definition) reached; /* sections that are still to be looked at: the symbol that reached them */
    struct str *why;
    bool failed;
};

static void fail(struct linker *l, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void fail(struct linker *l, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (!l->failed)
        str_vformat(l->why, format, arguments);
    va_end(arguments);
    l->failed = true;
}

static bool is_defined(const struct tile_symbol *symbol)
{
    return symbol->section != TILE_UNDEFINED;
}

/* A symbol by name: in the object that names it, else a global one of any. */
static struct definition find(const struct linker *l, size_t object, const char *name)
{
    for (size_t pass = 0; pass < 2; ++pass)
        for (size_t o = pass ? 0 : object; o < (pass ? l->count : object + 1) && o < l->count; ++o)
            for (size_t s = 0; s < l->objects[o]->symbols.count; ++s) {
                const struct tile_symbol *symbol = l->objects[o]->symbols.data + s;
                if (is_defined(symbol) && (!pass || symbol->global) && strcmp(symbol->name, name) == 0)
                    return (struct definition){ o, symbol };
            }
    return (struct definition){ l->count, NULL };
}

static void reach(struct linker *l, struct definition found)
{
    if (found.symbol->section < 0 || l->sections[found.object][found.symbol->section].reached)
        return;
    l->sections[found.object][found.symbol->section].reached = true;
    *vec_push(&l->reached) = found;
}

static struct definition target_of(const struct linker *l, size_t object, const struct tile_fixup *fixup)
{
    const struct tile_symbol *symbol = l->objects[object]->symbols.data + fixup->symbol;
    return is_defined(symbol) ? (struct definition){ object, symbol } : find(l, object, symbol->name);
}

/* Marks what a reached section's fixups name. */
static void reach_more(struct linker *l, struct definition from)
{
    const struct tile_object *object = l->objects[from.object];
    for (size_t i = 0; i < object->fixups.count && !l->failed; ++i) {
        if (object->fixups.data[i].section != (uint32_t)from.symbol->section)
            continue;
        struct definition target = target_of(l, from.object, object->fixups.data + i);
        if (target.symbol)
            reach(l, target);
        else
            fail(l, "'%s', which %s uses, is not defined by any object",
                 object->symbols.data[object->fixups.data[i].symbol].name, object->name);
    }
}

static uint32_t aligned(uint32_t address, uint32_t alignment)
{
    return (address + alignment - 1) & ~(alignment - 1);
}

/* Gives the reached sections addresses from `base` on, code first; returns the end. */
static uint32_t place(struct linker *l, const struct tile_memory_map *map, uint32_t base, uint32_t *code_end)
{
    uint64_t at = base;
    for (int data = 0; data < 2; ++data) {
        for (size_t o = 0; o < l->count; ++o)
            for (size_t s = 0; s < l->objects[o]->sections.count; ++s) {
                const struct tile_section *section = l->objects[o]->sections.data + s;
                if (!l->sections[o][s].reached || section->code == (data != 0))
                    continue;
                at = aligned((uint32_t)at, section->alignment);
                l->sections[o][s].address = (uint32_t)at;
                at += section->bytes.count;
                if (at > map->interleaved) {
                    fail(l, "code and constants need more than %u bytes of a tile", map->interleaved - map->base);
                    return map->base;
                }
            }
        if (!data)
            *code_end = (uint32_t)(at = aligned((uint32_t)at, 8));
    }
    return aligned((uint32_t)at, 16);
}

/* ---- filling in ---- */

static int64_t address_of(const struct linker *l, struct definition target)
{
    if (target.symbol->section == TILE_ABSOLUTE)
        return target.symbol->value;
    return (int64_t)l->sections[target.object][target.symbol->section].address + target.symbol->value;
}

static void fill_operand(struct linker *l, const struct tile_object *object, const struct tile_fixup *fixup,
                         unsigned char *at, int64_t value)
{
    struct tile_instruction instruction;
    uint32_t word;
    memcpy(&word, at, 4);
    if (!tile_decode(word, &instruction) || fixup->operand >= instruction.form->operands) {
        fail(l, "the object of %s is damaged", object->name);
        return;
    }
    if (!tile_fits(instruction.form->operand + fixup->operand, value)) {
        fail(l, "address 0x%llx of '%s' does not fit into %s in %s", (unsigned long long)value,
             object->symbols.data[fixup->symbol].name, instruction.form->name, object->name);
        return;
    }
    instruction.value[fixup->operand] = value;
    word = tile_encode(&instruction) | (word & TILE_BUNDLED);
    memcpy(at, &word, 4);
}

static void fill(struct linker *l, struct tile_program *program, size_t o, const struct tile_fixup *fixup)
{
    static const uint8_t bytes[] = { [TILE_FIX_BYTES1] = 1, [TILE_FIX_BYTES2] = 2, [TILE_FIX_BYTES4] = 4 };
    const struct tile_object *object = l->objects[o];
    unsigned char *at = program->image + (l->sections[o][fixup->section].address - program->base) + fixup->offset;
    int64_t value = address_of(l, target_of(l, o, fixup)) + fixup->addend;
    if (fixup->kind == TILE_FIX_OPERAND)
        fill_operand(l, object, fixup, at, value);
    else
        memcpy(at, &value, bytes[fixup->kind]);
}

static int compare_lines(const void *x, const void *y)
{
    uint32_t a = ((const struct tile_line *)x)->offset, b = ((const struct tile_line *)y)->offset;
    return (a > b) - (a < b);
}

static void copy_object(struct linker *l, struct tile_program *program, size_t o)
{
    const struct tile_object *object = l->objects[o];
    for (size_t s = 0; s < object->sections.count; ++s)
        if (l->sections[o][s].reached && object->sections.data[s].bytes.count)
            memcpy(program->image + (l->sections[o][s].address - program->base), object->sections.data[s].bytes.data,
                   object->sections.data[s].bytes.count);
    for (size_t i = 0; i < object->fixups.count && !l->failed; ++i)
        if (l->sections[o][object->fixups.data[i].section].reached)
            fill(l, program, o, object->fixups.data + i);
    for (size_t i = 0; i < object->symbols.count; ++i) {
        const struct tile_symbol *symbol = object->symbols.data + i;
        if (symbol->section >= 0 && l->sections[o][symbol->section].reached)
            *vec_push(&program->symbols) =
                (struct tile_program_symbol){ arena_string(&program->arena, symbol->name),
                                              l->sections[o][symbol->section].address + symbol->value };
    }
    for (size_t i = 0; i < object->lines.count; ++i) {
        const struct tile_line *line = object->lines.data + i;
        if (!l->sections[o][line->section].reached)
            continue;
        struct tile_line *last = program->lines.count ? program->lines.data + program->lines.count - 1 : NULL;
        const char *file =
            last && strcmp(last->file, line->file) == 0 ? last->file : arena_string(&program->arena, line->file);
        struct tile_line *copy = vec_push(&program->lines);
        *copy = *line;
        copy->file = file;
        copy->offset = l->sections[o][line->section].address + line->offset;
    }
}

/* Adds up the reached sections; the first root's is apart. */
static void add_sizes(const struct linker *l, struct definition root, struct tile_program *program)
{
    for (size_t o = 0; o < l->count; ++o)
        for (size_t s = 0; s < l->objects[o]->sections.count; ++s) {
            const struct tile_section *section = l->objects[o]->sections.data + s;
            bool first = o == root.object && root.symbol && root.symbol->section == (int32_t)s;
            if (l->sections[o][s].reached)
                *(first           ? &program->root_bytes
                  : section->code ? &program->other_bytes
                                  : &program->data_bytes) += (uint32_t)section->bytes.count;
        }
}

static struct tile_program *build(struct linker *l, uint32_t base, uint32_t end, uint32_t code_end)
{
    struct tile_program *program = MEM_NEW(struct tile_program);
    program->arch = l->objects[0]->arch;
    program->base = base;
    program->code_bytes = code_end - program->base;
    program->bytes = end - program->base;
    program->image = arena_zero(&program->arena, program->bytes + 16, 1);
    for (size_t o = 0; o < l->count; ++o)
        copy_object(l, program, o);
    if (program->lines.count)
        qsort(program->lines.data, program->lines.count, sizeof(*program->lines.data), compare_lines);
    if (!l->failed)
        tile_program_decode(program);
    return program;
}

struct tile_program *tile_program_link(const struct tile_object *const *objects, size_t count, const char *const *roots,
                                       size_t root_count, uint32_t base, struct str *why)
{
    struct linker l = { .objects = objects, .count = count, .why = why };
    struct tile_program *program = NULL;
    uint32_t code_end = 0;
    l.sections = arena_alloc(&l.arena, (count + 1) * sizeof(*l.sections));
    for (size_t o = 0; o < count; ++o)
        l.sections[o] = arena_zero(&l.arena, objects[o]->sections.count + 1, sizeof(**l.sections));
    for (size_t i = 0; i < root_count; ++i) {
        struct definition root = find(&l, count, roots[i]);
        if (root.symbol)
            reach(&l, root);
        else
            fail(&l, "'%s' is not defined by any object", roots[i]);
    }
    while (l.reached.count && !l.failed)
        reach_more(&l, l.reached.data[--l.reached.count]);
    if (!l.failed && count) {
        base = base ? base : tile_maps[objects[0]->arch].base;
        uint32_t end = place(&l, tile_maps + objects[0]->arch, base, &code_end);
        if (!l.failed)
            program = build(&l, base, end, code_end);
        if (program && root_count)
            add_sizes(&l, find(&l, count, roots[0]), program);
    }
    if (l.failed) {
        tile_program_free(program);
        program = NULL;
    }
    vec_free(&l.reached);
    arena_free(&l.arena);
    return program;
}

void tile_program_free(struct tile_program *program)
{
    if (!program)
        return;
    vec_free(&program->symbols);
    vec_free(&program->lines);
    arena_free(&program->arena);
    mem_free(program);
}

uint32_t tile_program_symbol(const struct tile_program *program, const char *name)
{
    for (size_t i = 0; i < program->symbols.count; ++i)
        if (strcmp(program->symbols.data[i].name, name) == 0)
            return program->symbols.data[i].address;
    return 0;
}

const struct tile_line *tile_program_line(const struct tile_program *program, uint32_t address)
{
    size_t low = 0, high = program->lines.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (program->lines.data[middle].offset <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low || address - program->base >= program->code_bytes)
        return NULL;
    return program->lines.data + low - 1;
}
