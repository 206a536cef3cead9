/* SPDX-License-Identifier: Apache-2.0 */
/* An object in assembly language: what is printed can be assembled again and gives the same words. */
#include "tile/tile.h"

#include <string.h>

/* Labels that an identifier can spell: the assembler names others itself. */
static bool has_label(const struct tile_symbol *symbol)
{
    return !strchr(symbol->name, ':');
}

static void add_label(struct str *text, const struct tile_object *object, uint32_t symbol)
{
    const struct tile_symbol *s = object->symbols.data + symbol;
    if (has_label(s))
        str_add(text, s->name);
    else
        str_format(text, ".L%d_%x", s->section, s->value);
}

static const struct tile_fixup *fixup_at(const struct tile_object *object, uint32_t section, uint32_t offset)
{
    for (size_t i = 0; i < object->fixups.count; ++i)
        if (object->fixups.data[i].section == section && object->fixups.data[i].offset == offset)
            return object->fixups.data + i;
    return NULL;
}

/* Prints an instruction whose operand with a fixup is the label. */
static void add_instruction(struct str *text, const struct tile_object *object, const struct tile_instruction *made,
                            const struct tile_fixup *fixup, bool supervisor)
{
    struct str plain = { 0 };
    tile_print(&plain, made, supervisor);
    if (!fixup || fixup->kind != TILE_FIX_OPERAND) {
        str_add(text, plain.text);
        str_free(&plain);
        return;
    }
    const char *at = plain.text; /* the start of the operand */
    at += strcspn(at, " ");
    for (unsigned k = 0; k < fixup->operand && *at; ++k)
        at = strchr(at + 1, ',') ? strchr(at + 1, ',') + 1 : at;
    str_add_bytes(text, plain.text, (size_t)(at - plain.text));
    str_add(text, " ");
    add_label(text, object, fixup->symbol);
    if (fixup->addend)
        str_format(text, " + %d", fixup->addend);
    at += strcspn(at, ",");
    str_add(text, at);
    str_free(&plain);
}

struct listing {
    struct str *text;
    const struct tile_object *object;
    uint32_t section;
    const struct tile_section *bytes;
};

static const struct tile_line *line_at(const struct tile_object *object, uint32_t section, uint32_t offset)
{
    for (size_t i = 0; i < object->lines.count; ++i)
        if (object->lines.data[i].section == section && object->lines.data[i].offset == offset)
            return object->lines.data + i;
    return NULL;
}

/* Labels at an offset: those of the source, and of fixups that name others. */
static void add_labels(const struct listing *l, uint32_t offset)
{
    bool made = false;
    for (size_t i = 0; i < l->object->symbols.count; ++i) {
        const struct tile_symbol *s = l->object->symbols.data + i;
        if (s->section != (int32_t)l->section || s->value != offset)
            continue;
        if (!has_label(s) && made)
            continue;
        made |= !has_label(s);
        add_label(l->text, l->object, (uint32_t)i);
        str_add(l->text, ":\n");
    }
}

static uint32_t word_at(const struct listing *l, uint32_t offset)
{
    uint32_t word;
    memcpy(&word, l->bytes->bytes.data + offset, 4);
    return word;
}

/* Adds what stands at an offset of code; returns its bytes. */
static uint32_t add_step(const struct listing *l, uint32_t offset, bool supervisor)
{
    const struct tile_line *line = line_at(l->object, l->section, offset);
    uint32_t left = (uint32_t)l->bytes->bytes.count - offset, word = word_at(l, offset), words = 1, slots = 0;
    struct tile_instruction made[2];
    bool bundled =
        word & TILE_BUNDLED && left >= 8 && tile_decode(word, made) && tile_decode(word_at(l, offset + 4), made + 1);
    if (bundled) {
        words = 2;
    } else if ((word & TILE_BUNDLED) || !tile_decode(word, made)) {
        str_format(l->text, "    .int 0x%08x\n", word);
        return 4;
    }
    size_t start = l->text->length;
    str_add(l->text, bundled ? "    { " : "    ");
    for (uint32_t i = 0; i < words; ++i) {
        unsigned cost = tile_mnemonics[made[i].form->mnemonic].slots;
        slots = cost > slots ? cost : slots;
        str_add(l->text, i ? " ; " : "");
        add_instruction(l->text, l->object, made + i, fixup_at(l->object, l->section, offset + 4 * i), supervisor);
    }
    str_add(l->text, bundled ? " }" : "");
    for (size_t column = l->text->length - start; column < 76; ++column)
        str_add(l->text, " ");
    str_format(l->text, " # %05x %08x", offset, word);
    if (bundled)
        str_format(l->text, " %08x", word_at(l, offset + 4));
    str_format(l->text, " %u slot%s", slots, slots == 1 ? "" : "s");
    if (line)
        str_format(l->text, " line %u", line->line);
    str_add(l->text, "\n");
    return 4 * words;
}

static void add_code(const struct listing *l)
{
    uint32_t count = (uint32_t)l->bytes->bytes.count, offset = 0;
    bool supervisor = false;
    str_add(l->text, "    .worker\n");
    while (offset < count) {
        const struct tile_line *line = line_at(l->object, l->section, offset);
        if (line && line->supervisor != supervisor) {
            supervisor = line->supervisor;
            str_add(l->text, supervisor ? "    .supervisor\n" : "    .worker\n");
        }
        add_labels(l, offset);
        if (count - offset >= 4) {
            offset += add_step(l, offset, supervisor);
        } else {
            str_format(l->text, "    .byte 0x%02x\n", l->bytes->bytes.data[offset]);
            ++offset;
        }
    }
    add_labels(l, count);
}

static void add_data(const struct listing *l)
{
    uint32_t count = (uint32_t)l->bytes->bytes.count, offset = 0;
    while (offset < count) {
        static const char *const names[] = {
            [TILE_FIX_BYTES1] = ".byte", [TILE_FIX_BYTES2] = ".short", [TILE_FIX_BYTES4] = ".int"
        };
        static const uint8_t sizes[] = { [TILE_FIX_BYTES1] = 1, [TILE_FIX_BYTES2] = 2, [TILE_FIX_BYTES4] = 4 };
        const struct tile_fixup *fixup = fixup_at(l->object, l->section, offset);
        add_labels(l, offset);
        if (fixup && fixup->kind != TILE_FIX_OPERAND) {
            str_format(l->text, "    %s ", names[fixup->kind]);
            add_label(l->text, l->object, fixup->symbol);
            str_format(l->text, " + %d\n", fixup->addend);
            offset += sizes[fixup->kind];
        } else {
            str_format(l->text, "    .byte 0x%02x\n", l->bytes->bytes.data[offset]);
            ++offset;
        }
    }
    add_labels(l, count);
}

void tile_object_list(const struct tile_object *object, struct str *text)
{
    str_format(text, "# %s for %s\n", object->name, tile_arch_names[object->arch]);
    for (size_t i = 0; i < object->symbols.count; ++i)
        if (object->symbols.data[i].global)
            str_format(text, "    .globl %s\n", object->symbols.data[i].name);
    for (size_t i = 0; i < object->symbols.count; ++i)
        if (object->symbols.data[i].section == TILE_ABSOLUTE)
            str_format(text, "    .set %s, 0x%x\n", object->symbols.data[i].name, object->symbols.data[i].value);
    for (size_t s = 0; s < object->sections.count; ++s) {
        const struct listing l = { text, object, (uint32_t)s, object->sections.data + s };
        if (!l.bytes->bytes.count)
            continue;
        str_format(text, "    .section %s, \"%s\"\n    .balign %u\n", l.bytes->name, l.bytes->code ? "ax" : "a",
                   l.bytes->alignment);
        (l.bytes->code ? add_code : add_data)(&l);
    }
}
