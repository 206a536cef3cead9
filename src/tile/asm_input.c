/* SPDX-License-Identifier: Apache-2.0 */
/* Reading statements: files and expansions as a stack of texts, line markers, comments, conditions. */
#include "tile/asm.h"

#include <poplar/text.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void report(struct assembler *a, struct asm_place place, const char *what, const char *format, va_list arguments)
{
    str_format(a->messages, "%s:%u:%u: %s: ", place.file ? place.file : a->object->name, place.line,
               place.column ? place.column : 1, what);
    str_vformat(a->messages, format, arguments);
    str_add(a->messages, "\n");
}

void asm_error(struct assembler *a, struct asm_place place, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (a->errors++ < ASM_ERRORS)
        report(a, place, "error", format, arguments);
    va_end(arguments);
}

void asm_warn(struct assembler *a, struct asm_place place, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    report(a, place, "warning", format, arguments);
    va_end(arguments);
}

char *asm_copy(struct assembler *a, const char *text, size_t length)
{
    char *copy = arena_alloc(a->arena, length + 1);
    memcpy(copy, text, length);
    copy[length] = 0;
    return copy;
}

bool asm_is_name(char c, bool first)
{
    return c == '.' || (pop_text_is_word(c) && !(first && pop_text_is_digit(c))) || (!first && c == '$');
}

const char *asm_blank(const char *text)
{
    while (*text == ' ' || *text == '\t' || *text == '\r')
        ++text;
    return text;
}

/* ---- texts ---- */

void asm_push_text(struct assembler *a, const char *text, bool expansion)
{
    if (a->texts.count >= ASM_DEPTH) {
        asm_error(a, a->place, "macros are expanded more than %d deep", ASM_DEPTH);
        return;
    }
    *vec_push(&a->texts) = (struct asm_text){ .at = text,
                                              .end = text + strlen(text),
                                              .line_start = text,
                                              .place = expansion ? a->place : (struct asm_place){ NULL, 1, 1 },
                                              .expansion = expansion,
                                              .conditions = (uint32_t)a->conditions.count };
}

static void next_line(struct asm_text *text)
{
    if (!text->expansion)
        ++text->place.line;
    text->line_start = text->at;
}

/* "# 12 "file" 1": what follows is line 12 of the file. */
static bool line_marker(struct assembler *a, struct asm_text *text)
{
    const char *at = asm_blank(text->at);
    char *end;
    if (text->at != text->line_start || *at != '#')
        return false;
    at = asm_blank(at + 1);
    if (strncmp(at, "line", 4) == 0)
        at = asm_blank(at + 4);
    if (!pop_text_is_digit(*at))
        return false;
    unsigned long line = strtoul(at, &end, 10);
    at = asm_blank(end);
    const char *close = *at == '"' ? strchr(at + 1, '"') : NULL;
    if (!close || close > text->end)
        return false;
    text->place.file = asm_copy(a, at + 1, (size_t)(close - at - 1));
    while (text->at < text->end && *text->at != '\n')
        ++text->at;
    text->place.line = (uint32_t)line - 1; /* the end of this line counts one */
    return true;
}

/* Behind blanks and comments; stays at the end of the line. */
static void skip_blank(struct assembler *a, struct asm_text *text)
{
    for (;;) {
        text->at = asm_blank(text->at);
        if (line_marker(a, text) || *text->at == '#' || (text->at[0] == '/' && text->at[1] == '/')) {
            while (text->at < text->end && *text->at != '\n')
                ++text->at;
            return;
        }
        if (text->at[0] != '/' || text->at[1] != '*')
            return;
        for (text->at += 2; text->at < text->end && !(text->at[0] == '*' && text->at[1] == '/'); ++text->at)
            if (*text->at == '\n' && !text->expansion)
                ++text->place.line;
        text->at += text->at < text->end ? 2 : 0;
    }
}

/* Copies a quoted text, with its quotes. */
static const char *copy_quoted(struct str *to, const char *at, const char *end)
{
    const char *start = at++;
    while (at < end && *at != '"' && *at != '\n')
        at += at[0] == '\\' && at + 1 < end ? 2 : 1;
    at += at < end && *at == '"' ? 1 : 0;
    str_add_bytes(to, start, (size_t)(at - start));
    return at;
}

/* A character constant is copied whole, so that ';' and '#' are not taken for more. */
static size_t character_length(const char *at, const char *end)
{
    if (*at != '\'' || at + 1 >= end)
        return 0;
    size_t length = at[1] == '\\' ? 3 : 2;
    return at + length < end && at[length] == '\'' ? length + 1 : 0;
}

/* Reads a statement's text, up to a separator, which stays. */
static void read_text(struct asm_text *text, struct str *to)
{
    bool directive = *text->at == '.';
    while (text->at < text->end) {
        char c = *text->at;
        size_t length = character_length(text->at, text->end);
        bool blank_before = to->length && (to->text[to->length - 1] == ' ' || to->text[to->length - 1] == '\t');
        if (length) {
            str_add_bytes(to, text->at, length);
            text->at += length;
        } else if (c == '"') {
            text->at = copy_quoted(to, text->at, text->end);
        } else if (c == '\n' || c == ';' || (!directive && (c == '{' || c == '}')) || (c == '#' && blank_before) ||
                   (c == '/' && (text->at[1] == '/' || text->at[1] == '*'))) {
            return;
        } else {
            str_add_bytes(to, text->at++, 1);
        }
    }
}

static struct asm_statement take_statement(struct assembler *a, struct asm_text *text)
{
    struct str read = { 0 };
    struct asm_statement statement = { .end = ASM_STATEMENT, .place = text->place };
    statement.place.column = text->expansion ? text->place.column : (uint32_t)(text->at - text->line_start) + 1;
    read_text(text, &read);
    while (read.length && pop_text_is_space(read.text[read.length - 1]))
        read.text[--read.length] = 0;
    statement.text = asm_copy(a, str_text(&read), read.length);
    str_free(&read);
    return statement;
}

struct asm_statement asm_next(struct assembler *a)
{
    while (a->texts.count) {
        struct asm_text *text = &a->texts.data[a->texts.count - 1];
        skip_blank(a, text);
        if (text->at >= text->end) {
            --a->texts.count;
            continue;
        }
        char c = *text->at;
        if (c == '\n' || c == ';') {
            ++text->at;
            if (c == '\n')
                next_line(text);
            continue;
        }
        if (c == '{' || c == '}') {
            struct asm_statement brace = { .end = c == '{' ? ASM_OPEN : ASM_CLOSE, .place = text->place };
            brace.place.column = text->expansion ? text->place.column : (uint32_t)(text->at - text->line_start) + 1;
            ++text->at;
            return brace;
        }
        return take_statement(a, text);
    }
    return (struct asm_statement){ .end = ASM_END, .place = a->place };
}

/* Whether a line's statement is a directive, perhaps behind labels. */
static bool is_directive(const char *line, const char *name)
{
    size_t length = strlen(name);
    line = asm_blank(line);
    return strncmp(line, name, length) == 0 && !asm_is_name(line[length], false);
}

const char *asm_read_body(struct assembler *a, const char *const *begins, const char *ends)
{
    struct asm_text *text = &a->texts.data[a->texts.count - 1];
    struct asm_place place = a->place;
    unsigned depth = 1;
    while (text->at < text->end && *text->at != '\n')
        ++text->at;
    const char *start = text->at;
    while (text->at < text->end) {
        ++text->at; /* the end of the line before */
        next_line(text);
        const char *line = text->at;
        while (text->at < text->end && *text->at != '\n')
            ++text->at;
        for (size_t i = 0; begins[i]; ++i)
            depth += is_directive(line, begins[i]);
        if (is_directive(line, ends) && --depth == 0)
            return asm_copy(a, start, (size_t)(line - start));
    }
    asm_error(a, place, "there is no %s", ends);
    return NULL;
}

/* ---- conditions ---- */

bool asm_reading(const struct assembler *a)
{
    for (size_t i = 0; i < a->conditions.count; ++i)
        if (!a->conditions.data[i].reads)
            return false;
    return true;
}

/* The text without blanks around it and without quotes. */
static char *bare(struct assembler *a, const char *text, size_t length)
{
    while (length && pop_text_is_space(*text))
        ++text, --length;
    while (length && pop_text_is_space(text[length - 1]))
        --length;
    if (length >= 2 && text[0] == '"' && text[length - 1] == '"')
        ++text, length -= 2;
    return asm_copy(a, text, length);
}

static bool texts_equal(struct assembler *a, const char *rest)
{
    bool quoted = false;
    const char *comma = rest;
    for (; *comma && (*comma != ',' || quoted); ++comma)
        quoted ^= *comma == '"';
    if (!*comma) {
        asm_error(a, a->place, "two texts with a comma between them are compared");
        return false;
    }
    return strcmp(bare(a, rest, (size_t)(comma - rest)), bare(a, comma + 1, strlen(comma + 1))) == 0;
}

static bool is_defined(struct assembler *a, const char *rest)
{
    const struct asm_name *name = asm_find_name(a, bare(a, rest, strlen(rest)));
    return name &&
           (name->assigned || (name->symbol >= 0 && a->object->symbols.data[name->symbol].section != TILE_UNDEFINED));
}

static bool decide(struct assembler *a, const char *kind, const char *rest)
{
    int64_t value = 0;
    if (strcmp(kind, "c") == 0 || strcmp(kind, "eqs") == 0)
        return texts_equal(a, rest);
    if (strcmp(kind, "nc") == 0 || strcmp(kind, "nes") == 0)
        return !texts_equal(a, rest);
    if (strcmp(kind, "b") == 0 || strcmp(kind, "nb") == 0)
        return (*bare(a, rest, strlen(rest)) == 0) == (kind[0] == 'b');
    if (strcmp(kind, "def") == 0)
        return is_defined(a, rest);
    if (strcmp(kind, "ndef") == 0 || strcmp(kind, "notdef") == 0)
        return !is_defined(a, rest);
    if (!asm_absolute(a, rest, &value))
        return false;
    return strcmp(kind, "eq") == 0   ? value == 0
           : strcmp(kind, "gt") == 0 ? value > 0
           : strcmp(kind, "ge") == 0 ? value >= 0
           : strcmp(kind, "lt") == 0 ? value < 0
           : strcmp(kind, "le") == 0 ? value <= 0
                                     : value != 0;
}

static bool else_branch(struct assembler *a, const char *directive, const char *rest)
{
    if (!a->conditions.count) {
        asm_error(a, a->place, "%s without .if", directive);
        return true;
    }
    struct asm_condition *condition = &a->conditions.data[a->conditions.count - 1];
    if (strcmp(directive, ".endif") == 0) {
        --a->conditions.count;
        return true;
    }
    if (condition->has_else)
        asm_error(a, a->place, "%s after .else", directive);
    condition->reads = false;
    bool last = strcmp(directive, ".else") == 0;
    condition->has_else = last;
    --a->conditions.count; /* what encloses it decides whether the branch is looked at */
    bool enclosing = asm_reading(a);
    ++a->conditions.count;
    condition->reads = enclosing && !condition->done && (last || decide(a, "", rest));
    condition->done |= condition->reads;
    return true;
}

bool asm_condition(struct assembler *a, const char *directive, const char *rest)
{
    static const char *const kinds[] = { "",     "c",      "nc", "eqs", "nes", "b",  "nb", "def",
                                         "ndef", "notdef", "eq", "ne",  "gt",  "ge", "lt", "le" };
    if (strcmp(directive, ".else") == 0 || strcmp(directive, ".elseif") == 0 || strcmp(directive, ".endif") == 0)
        return else_branch(a, directive, rest);
    if (strncmp(directive, ".if", 3) != 0)
        return false;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); ++i)
        if (strcmp(directive + 3, kinds[i]) == 0) {
            bool reads = asm_reading(a) && decide(a, kinds[i], rest);
            *vec_push(&a->conditions) = (struct asm_condition){ .reads = reads, .done = reads };
            return true;
        }
    return false;
}
