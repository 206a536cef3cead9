/* SPDX-License-Identifier: Apache-2.0 */
/* Directives: sections, symbols, data, modes. */
#include "tile/asm.h"

#include <poplar/text.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SECTION = 1 << 20 };

uint32_t asm_section(struct assembler *a, const char *name, bool code)
{
    for (size_t i = 0; i < a->object->sections.count; ++i)
        if (strcmp(a->object->sections.data[i].name, name) == 0)
            return (uint32_t)i;
    *vec_push(&a->object->sections) =
        (struct tile_section){ .name = arena_string(&a->object->arena, name), .code = code, .alignment = 4 };
    return (uint32_t)a->object->sections.count - 1;
}

uint32_t asm_reserve(struct assembler *a, size_t bytes)
{
    struct tile_section *section = &a->object->sections.data[a->section];
    size_t offset = section->bytes.count;
    if (bytes > MAX_SECTION || offset + bytes > MAX_SECTION) {
        asm_error(a, a->place, "section %s has more than %d bytes, which no tile has", section->name, MAX_SECTION);
        bytes = 0;
    }
    if (bytes)
        memset(vec_extend(&section->bytes, bytes), 0, bytes);
    return (uint32_t)offset;
}

/* ---- sections ---- */

static const char *take_word(struct assembler *a, const char **at)
{
    const char *start = asm_blank(*at), *end = start;
    if (*start == '"') {
        end = strchr(start + 1, '"');
        end = end ? end : start + strlen(start);
        *at = *end ? end + 1 : end;
        return asm_copy(a, start + 1, (size_t)(end - start - 1));
    }
    while (*end && *end != ',' && !pop_text_is_space(*end))
        ++end;
    *at = end;
    return asm_copy(a, start, (size_t)(end - start));
}

static bool take_comma(const char **at)
{
    *at = asm_blank(*at);
    if (**at != ',')
        return false;
    *at = asm_blank(*at + 1);
    return true;
}

static void enter(struct assembler *a, uint32_t section)
{
    a->previous = a->section;
    a->section = section;
}

static void section_directive(struct assembler *a, const char *rest)
{
    const char *name = take_word(a, &rest), *flags = take_comma(&rest) ? take_word(a, &rest) : NULL;
    bool code = flags ? strchr(flags, 'x') != NULL : strncmp(name, ".text", 5) == 0;
    if (!*name)
        asm_error(a, a->place, ".section has no name");
    else
        enter(a, asm_section(a, name, code));
}

static bool section_change(struct assembler *a, const char *directive, const char *rest)
{
    static const char *const plain[] = { ".text", ".data", ".rodata", ".bss" };
    for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); ++i)
        if (strcmp(directive, plain[i]) == 0) {
            enter(a, asm_section(a, directive, i == 0));
            return true;
        }
    if (strcmp(directive, ".section") == 0) {
        section_directive(a, rest);
    } else if (strcmp(directive, ".pushsection") == 0) {
        if (a->depth == sizeof(a->stack) / sizeof(a->stack[0])) {
            asm_error(a, a->place, ".pushsection is too deep");
            return true;
        }
        a->stack[a->depth++] = a->section;
        section_directive(a, rest);
    } else if (strcmp(directive, ".popsection") == 0 && a->depth) {
        enter(a, a->stack[--a->depth]);
    } else if (strcmp(directive, ".previous") == 0) {
        enter(a, a->previous);
    } else {
        return false;
    }
    return true;
}

/* ---- alignment and space ---- */

static void align(struct assembler *a, int64_t bytes)
{
    struct tile_section *section = &a->object->sections.data[a->section];
    if (bytes < 1 || bytes > 0x8000 || (bytes & (bytes - 1))) {
        asm_error(a, a->place, "an alignment is a power of two from 1 to 32768");
        return;
    }
    section->alignment = (uint32_t)bytes > section->alignment ? (uint32_t)bytes : section->alignment;
    size_t fill = (size_t)(-(int64_t)section->bytes.count & (bytes - 1));
    uint32_t offset = asm_reserve(a, fill);
    for (size_t i = 0; section->code && i + 4 <= fill; i += 4) { /* padding of code is executed: nop */
        static const uint32_t nop = 0x19e00000;
        size_t at = a->object->sections.data[a->section].bytes.count - i - 4;
        if (at >= offset)
            memcpy(a->object->sections.data[a->section].bytes.data + at, &nop, 4);
    }
}

static bool layout_directive(struct assembler *a, const char *directive, const char *rest)
{
    int64_t value;
    const char *comma = strchr(rest, ',');
    char *first = asm_copy(a, rest, comma ? (size_t)(comma - rest) : strlen(rest));
    if (strcmp(directive, ".align") == 0 || strcmp(directive, ".balign") == 0 || strcmp(directive, ".p2align") == 0) {
        if (asm_absolute(a, first, &value))
            align(a, strcmp(directive, ".p2align") != 0 ? value : value >= 0 && value < 16 ? 1 << value : 0);
        return true;
    }
    if (strcmp(directive, ".zero") == 0 || strcmp(directive, ".space") == 0 || strcmp(directive, ".skip") == 0 ||
        strcmp(directive, ".fill") == 0) {
        int64_t size = 1, fill = 0;
        bool fills = strcmp(directive, ".fill") == 0;
        if (!asm_absolute(a, first, &value))
            return true;
        if (comma && fills) {
            const char *next = strchr(comma + 1, ',');
            asm_absolute(a, asm_copy(a, comma + 1, next ? (size_t)(next - comma - 1) : strlen(comma + 1)), &size);
            if (next)
                asm_absolute(a, next + 1, &fill);
        } else if (comma) {
            asm_absolute(a, comma + 1, &fill);
        }
        if (value < 0 || size < 1 || size > 8 || value > MAX_SECTION) {
            asm_error(a, a->place, "%s: the size is not from 0 to %d", directive, MAX_SECTION);
            return true;
        }
        size_t count = a->object->sections.data[a->section].bytes.count;
        uint32_t offset = asm_reserve(a, (size_t)(value * size));
        for (int64_t i = 0; i < value && a->object->sections.data[a->section].bytes.count > count; ++i)
            memcpy(a->object->sections.data[a->section].bytes.data + offset + i * size, &fill, (size_t)size);
        return true;
    }
    return false;
}

/* ---- data ---- */

static void numbers(struct assembler *a, const char *rest, const char *statement, uint8_t bytes)
{
    const char *at = rest;
    do {
        const struct asm_node *value = asm_parse(a, &at, statement);
        if (!value)
            return;
        size_t before = a->object->sections.data[a->section].bytes.count;
        uint32_t offset = asm_reserve(a, bytes);
        if (a->object->sections.data[a->section].bytes.count > before)
            *vec_push(&a->data) = (struct asm_data){ value, a->place, a->section, offset, bytes };
    } while (take_comma(&at));
    if (*asm_blank(at))
        asm_error(a, a->place, "',' or the end of the line is expected at '%.20s'", asm_blank(at));
}

static void floats(struct assembler *a, const char *rest)
{
    do {
        char *end;
        const char *start = asm_blank(rest);
        float value = (float)pop_text_to_double(start, &end);
        if (end == start) {
            asm_error(a, a->place, "'%.20s' is no number", start);
            return;
        }
        size_t before = a->object->sections.data[a->section].bytes.count;
        uint32_t offset = asm_reserve(a, 4);
        if (a->object->sections.data[a->section].bytes.count > before)
            memcpy(a->object->sections.data[a->section].bytes.data + offset, &value, 4);
        rest = end;
    } while (take_comma(&rest));
}

static void text(struct assembler *a, const char *rest, bool ends)
{
    static const char escapes[] = "n\nt\tr\r0\0";
    rest = asm_blank(rest);
    if (*rest != '"') {
        asm_error(a, a->place, "a text stands in quotes");
        return;
    }
    struct str bytes = { 0 };
    for (++rest; *rest && *rest != '"'; ++rest) {
        char c = *rest;
        if (c == '\\' && rest[1]) {
            const char *found = strchr(escapes, *++rest);
            c = found ? found[1] : *rest;
        }
        str_add_bytes(&bytes, &c, 1);
    }
    size_t before = a->object->sections.data[a->section].bytes.count;
    uint32_t offset = asm_reserve(a, bytes.length + ends);
    if (bytes.length && a->object->sections.data[a->section].bytes.count > before)
        memcpy(a->object->sections.data[a->section].bytes.data + offset, bytes.text, bytes.length);
    str_free(&bytes);
}

static bool data_directive(struct assembler *a, const char *directive, const char *rest, const char *statement)
{
    static const struct {
        const char *name;
        uint8_t bytes;
    } kinds[] = { { ".byte", 1 }, { ".short", 2 }, { ".half", 2 },  { ".hword", 2 }, { ".2byte", 2 }, { ".int", 4 },
                  { ".long", 4 }, { ".word", 4 },  { ".4byte", 4 }, { ".quad", 8 },  { ".8byte", 8 } };
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); ++i)
        if (strcmp(directive, kinds[i].name) == 0) {
            numbers(a, rest, statement, kinds[i].bytes);
            return true;
        }
    if (strcmp(directive, ".float") == 0 || strcmp(directive, ".single") == 0)
        floats(a, rest);
    else if (strcmp(directive, ".ascii") == 0)
        text(a, rest, false);
    else if (strcmp(directive, ".asciz") == 0 || strcmp(directive, ".string") == 0)
        text(a, rest, true);
    else
        return false;
    return true;
}

/* ---- symbols ---- */

static void assign(struct assembler *a, const char *name, const char *value, const char *statement)
{
    const struct asm_node *parsed = asm_parse(a, &value, statement);
    if (!parsed)
        return;
    struct asm_value known = asm_evaluate(a, parsed);
    struct asm_name *entry = asm_name(a, name);
    if (known.known && known.symbol < 0)
        parsed = asm_number(a, known.number);
    entry->assigned = parsed;
    if (entry->symbol >= 0 && known.known && known.symbol < 0) { /* used before: those uses take this value, too */
        a->object->symbols.data[entry->symbol].section = TILE_ABSOLUTE;
        a->object->symbols.data[entry->symbol].value = (uint32_t)known.number;
    }
}

static void make_global(struct assembler *a, const char *rest)
{
    do {
        const char *name = take_word(a, &rest);
        int32_t symbol = *name ? asm_symbol(a, asm_name(a, name)) : -1;
        if (symbol >= 0)
            a->object->symbols.data[symbol].global = true;
    } while (take_comma(&rest));
}

static bool symbol_directive(struct assembler *a, const char *directive, const char *rest, const char *statement)
{
    if (strcmp(directive, ".equ") == 0 || strcmp(directive, ".set") == 0 || strcmp(directive, ".equiv") == 0) {
        const char *name = take_word(a, &rest);
        if (!*name || !take_comma(&rest))
            asm_error(a, a->place, "%s has a name, a comma and a value", directive);
        else
            assign(a, name, rest, statement);
    } else if (strcmp(directive, ".globl") == 0 || strcmp(directive, ".global") == 0 ||
               strcmp(directive, ".weak") == 0) {
        make_global(a, rest);
    } else if (strcmp(directive, ".stack_usage") == 0) { /* DEF_STACK_USAGE of poplar/StackSizeDefs.hpp */
        int64_t bytes;
        const char *name = take_word(a, &rest);
        if (!take_comma(&rest) || !asm_absolute(a, rest, &bytes))
            return true;
        if (bytes < 0 || bytes > 0x10000)
            asm_error(a, a->place, "a stack of %lld bytes is not from 0 to 65536", (long long)bytes);
        else
            *vec_push(&a->object->stacks) =
                (struct tile_stack){ arena_string(&a->object->arena, name), (uint32_t)bytes };
    } else {
        return false;
    }
    return true;
}

/* ---- modes ---- */

static bool mode_directive(struct assembler *a, const char *directive)
{
    static const char *const ignored[] = { ".type",  ".size",          ".extern",      ".file",   ".ident",    ".loc",
                                           ".local", ".cfi_startproc", ".cfi_endproc", ".hidden", ".protected" };
    const struct {
        const char *name;
        bool *flag, value;
    } switches[] = { { ".worker", &a->supervisor, false },
                     { ".supervisor", &a->supervisor, true },
                     { ".allow_optimizations", &a->optimises, true },
                     { ".allow_invalid_repeat", &a->allow_repeat, true },
                     { ".error_on_invalid_repeat", &a->allow_repeat, false },
                     { ".allow_invalid_operands", &a->allow_operands, true },
                     { ".error_on_invalid_operands", &a->allow_operands, false },
                     { ".allow_invalid_execution_mode", &a->allow_mode, true },
                     { ".error_on_invalid_execution_mode", &a->allow_mode, false },
                     { ".warn_on_invalid_bundles", &a->allow_bundles, false },
                     { ".error_on_invalid_bundles", &a->allow_bundles, false } };
    for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); ++i)
        if (strcmp(directive, ignored[i]) == 0)
            return true;
    for (size_t i = 0; i < sizeof(switches) / sizeof(switches[0]); ++i)
        if (strcmp(directive, switches[i].name) == 0) {
            *switches[i].flag = switches[i].value;
            return true;
        }
    return false;
}

bool asm_directive(struct assembler *a, const char *directive, const char *rest, const char *statement)
{
    if (strcmp(directive, ".macro") == 0)
        return asm_macro_define(a, rest);
    if (strcmp(directive, ".purgem") == 0) {
        asm_macro_purge(a, rest);
        return true;
    }
    if (strcmp(directive, ".error") == 0 || strcmp(directive, ".err") == 0 || strcmp(directive, ".warning") == 0) {
        const char *said = take_word(a, &rest);
        if (directive[1] == 'w')
            asm_warn(a, a->place, "%s", said);
        else
            asm_error(a, a->place, "%s", *said ? said : ".err");
        return true;
    }
    return asm_repeat(a, directive, rest) || section_change(a, directive, rest) ||
           layout_directive(a, directive, rest) || data_directive(a, directive, rest, statement) ||
           symbol_directive(a, directive, rest, statement) || mode_directive(a, directive);
}
