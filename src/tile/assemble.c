/* SPDX-License-Identifier: Apache-2.0 */
/* Pass 1 of the assembler: statements to instructions and data at offsets of sections. */
#include "tile/asm.h"
#include "tile/tile.h"

#include <poplar/text.h>
#include <stdlib.h>
#include <string.h>

/* ---- instructions ---- */

/* Adds an instruction of 4 bytes, or nothing when the section is full. */
static void add(struct assembler *a, struct asm_instruction instruction)
{
    size_t before = a->object->sections.data[a->section].bytes.count;
    instruction.section = a->section;
    instruction.offset = asm_reserve(a, 4);
    if (a->object->sections.data[a->section].bytes.count == before)
        return;
    *vec_push(&a->instructions) = instruction;
    if (instruction.bundle != 2) {
        const char *file = instruction.place.file ? instruction.place.file : a->object->name;
        struct tile_line *last = a->object->lines.count ? a->object->lines.data + a->object->lines.count - 1 : NULL;
        const char *kept = last && strcmp(last->file, file) == 0 ? last->file : arena_string(&a->object->arena, file);
        *vec_push(&a->object->lines) = (struct tile_line){ .section = a->section,
                                                           .offset = instruction.offset,
                                                           .line = instruction.place.line,
                                                           .supervisor = a->supervisor,
                                                           .file = kept };
    }
}

static void instruction(struct assembler *a, const char *name, const char *rest, const char *statement)
{
    struct asm_instruction made;
    if (!a->object->sections.data[a->section].code) {
        asm_error(a, a->place, "instruction '%s' stands in section %s, which is not code: use .text or flags \"ax\"",
                  name, a->object->sections.data[a->section].name);
        return;
    }
    if (!asm_parse_instruction(a, name, rest, statement, &made))
        return;
    if (a->object->sections.data[a->section].bytes.count % 4) {
        asm_error(a, a->place, "code must be aligned to 4 bytes");
        return;
    }
    if (a->in_bundle) {
        size_t count = a->instructions.count - a->bundle_first;
        made.bundle = (uint8_t)(count + 1);
        if (count == 2 || strcmp(name, "ldconst") == 0) {
            asm_error(a, a->place,
                      count == 2 ? "a bundle has two instructions; this is the third"
                                 : "ldconst is two instructions, and cannot stand in a bundle");
            return;
        }
    }
    if (strcmp(name, "ldconst") != 0) {
        add(a, made);
        return;
    }
    if (made.operands != 2 || made.operand[0].value || !made.operand[1].value) {
        asm_error(a, a->place, "ldconst has a register and a number");
        return;
    }
    struct asm_value value = asm_evaluate(a, made.operand[1].value);
    made.part = 1;
    add(a, made);
    if (value.known && value.symbol < 0 && ((uint64_t)value.number & 0xfff00000)) {
        made.part = 2;
        add(a, made);
    }
}

static void open_bundle(struct assembler *a, struct asm_place place)
{
    if (a->in_bundle)
        asm_error(a, place, "a bundle begins inside of the one at line %u", a->bundle_place.line);
    a->in_bundle = true;
    a->bundle_place = place;
    a->bundle_first = a->instructions.count;
}

/* .allow_optimizations: { rpt; fnop } is a lone rpt where that aligns the body, and a bundle whose instructions stand
 * in the wrong order is swapped. */
static void optimise_bundle(struct assembler *a)
{
    struct asm_instruction *pair = a->instructions.data + a->bundle_first, kept;
    struct tile_section *section = &a->object->sections.data[a->section];
    size_t main, aux;
    if (strcmp(pair[0].name, "rpt") == 0 && strcmp(pair[1].name, "fnop") == 0 && section->bytes.count % 8) {
        pair[0].bundle = 0;
        --a->instructions.count;
        section->bytes.count -= 4;
        return;
    }
    const struct tile_form *first = tile_forms_named(pair[0].name, &main),
                           *second = tile_forms_named(pair[1].name, &aux);
    if (main == 0 || aux == 0 || first->lane != TILE_AUX || second->lane != TILE_MAIN)
        return;
    kept = pair[0];
    pair[0] = pair[1];
    pair[1] = kept;
    pair[0].bundle = 1;
    pair[1].bundle = 2;
    pair[1].offset = pair[0].offset;
    pair[0].offset = kept.offset;
}

static void close_bundle(struct assembler *a, struct asm_place place)
{
    size_t count = a->instructions.count - a->bundle_first;
    if (!a->in_bundle)
        asm_error(a, place, "'}' without '{'");
    else if (count != 2 && !a->errors)
        asm_error(a, a->bundle_place, "a bundle has two instructions; this one has %zu", count);
    else if (count == 2 && a->optimises)
        optimise_bundle(a);
    a->in_bundle = false;
}

/* ---- statements ---- */

/* "name = value" */
static bool assignment(struct assembler *a, const char *name, const char *rest)
{
    struct str text = { 0 };
    if (rest[0] != '=' || rest[1] == '=')
        return false;
    str_format(&text, "%s, %s", name, rest + 1);
    char *copy = asm_copy(a, text.text, text.length);
    str_free(&text);
    asm_directive(a, ".set", copy, copy);
    return true;
}

/* Takes labels off the statement's beginning. */
static const char *take_labels(struct assembler *a, const char *text)
{
    for (;;) {
        const char *end = text;
        if (*text == '"') {
            const char *close = strchr(text + 1, '"');
            end = close ? close + 1 : text;
        } else if (pop_text_is_digit(*text)) {
            while (pop_text_is_digit(*end))
                ++end;
        } else {
            while (asm_is_name(*end, end == text))
                ++end;
        }
        const char *colon = asm_blank(end);
        if (end == text || *colon != ':')
            return text;
        bool quoted = *text == '"';
        if (asm_reading(a))
            asm_label(a, asm_copy(a, text + quoted, (size_t)(end - text) - 2 * quoted));
        text = asm_blank(colon + 1);
    }
}

static void statement(struct assembler *a, const struct asm_statement *read)
{
    const char *text = take_labels(a, read->text), *end = text;
    if (!*text)
        return;
    while (asm_is_name(*end, end == text))
        ++end;
    char *name = asm_copy(a, text, (size_t)(end - text));
    const char *rest = asm_blank(end);
    if (asm_condition(a, name, rest) || !asm_reading(a))
        return;
    if (!*name) {
        asm_error(a, a->place, "an instruction or directive is expected at '%.20s'", text);
    } else if (!assignment(a, name, rest) && !asm_macro_call(a, name, rest)) {
        if (*name != '.')
            instruction(a, name, rest, read->text);
        else if (!asm_directive(a, name, rest, read->text))
            asm_error(a, a->place, "there is no directive '%s'", name);
    }
}

static void read_all(struct assembler *a)
{
    for (;;) {
        struct asm_statement read = asm_next(a);
        if (read.end == ASM_END || a->errors > ASM_ERRORS)
            break;
        a->place = read.place;
        if (read.end == ASM_STATEMENT)
            statement(a, &read);
        else if (asm_reading(a))
            (read.end == ASM_OPEN ? open_bundle : close_bundle)(a, read.place);
    }
    if (a->in_bundle)
        asm_error(a, a->bundle_place, "the bundle that begins here does not end");
    if (a->conditions.count && a->errors <= ASM_ERRORS)
        asm_error(a, a->place, "there is .if without .endif");
}

/* Local labels that are used must be defined; others can be of another file. */
static void check_symbols(struct assembler *a)
{
    for (size_t i = 0; i < a->names.count; ++i) {
        const struct asm_name *name = a->names.data + i;
        if (name->symbol < 0 || !name->used.line || a->object->symbols.data[name->symbol].section != TILE_UNDEFINED)
            continue;
        if (pop_text_is_digit(name->name[0]))
            asm_error(a, name->used, "there is no label '%.*s:' behind its use", (int)strcspn(name->name, ":"),
                      name->name);
        else if (strncmp(name->name, ".L", 2) == 0)
            asm_error(a, name->used, "there is no label '%s', and labels that begin with .L are of this file alone",
                      name->name);
    }
}

struct tile_object *tile_assemble(const char *name, const char *text, enum tile_arch arch, struct str *messages)
{
    struct arena arena = { 0 };
    struct assembler a = { .arena = &arena, .messages = messages, .object = tile_object_create(arch, name) };
    a.section = a.previous = asm_section(&a, ".text", true);
    a.place = (struct asm_place){ a.object->name, 1, 1 };
    asm_push_text(&a, text, false);
    read_all(&a);
    if (!a.errors)
        check_symbols(&a);
    if (!a.errors)
        asm_encode_all(&a);
    vec_free(&a.texts);
    vec_free(&a.macros);
    vec_free(&a.conditions);
    vec_free(&a.names);
    vec_free(&a.instructions);
    vec_free(&a.data);
    intern_free(&a.interned);
    arena_free(&arena);
    if (!a.errors)
        return a.object;
    tile_object_free(a.object);
    return NULL;
}
