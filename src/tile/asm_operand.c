/* SPDX-License-Identifier: Apache-2.0 */
/* Parsing an instruction: registers with their suffixes, control registers, immediates. */
#include "tile/asm.h"

#include <poplar/text.h>
#include <stdlib.h>
#include <string.h>

struct alias {
    const char *name;
    char file;
    uint8_t number, registers;
};
static const struct alias aliases[] = { { "bp", 'm', 8, 1 },
                                        { "fp", 'm', 9, 1 },
                                        { "lr", 'm', 10, 1 },
                                        { "sp", 'm', 11, 1 },
                                        { "mworker_base", 'm', 12, 1 },
                                        { "mvertex_base", 'm', 13, 1 },
                                        { "mzero", 'm', 15, 1 },
                                        { "azero", 'a', 15, 1 },
                                        { "azeros", 'a', 14, 2 } };

static bool set_register(struct asm_operand *operand, char file, unsigned long number, unsigned registers)
{
    operand->file = file;
    operand->number = (uint8_t)(number < 16 ? number : 16);
    operand->registers = (uint8_t)registers;
    return number + registers <= 16;
}

/* "m3", "a4:5", "a0:3", "ap1" (pair 1), "aq0" (quad 0): the text behind '$'. */
static bool take_numbered(const char **at, struct asm_operand *operand)
{
    const char *text = *at;
    char file = *text, *end;
    if (file != 'm' && file != 'a')
        return false;
    unsigned unit = text[1] == 'p' ? 2 : text[1] == 'q' ? 4 : 1;
    text += unit > 1 ? 2 : 1;
    if (!pop_text_is_digit(*text))
        return false;
    unsigned long number = strtoul(text, &end, 10), last = number;
    if (asm_is_name(*end, false) && *end != '.')
        return false;
    *at = end;
    if (unit > 1)
        return number < 16 && set_register(operand, file, number * unit, unit);
    if (end[0] == ':' && pop_text_is_digit(end[1])) {
        last = strtoul(end + 1, &end, 10);
        *at = end;
        if (last <= number || last - number > 7)
            return false;
    }
    return number < 16 && set_register(operand, file, number, (unsigned)(last - number) + 1);
}

static bool take_alias(struct assembler *a, const char **at, struct asm_operand *operand)
{
    const char *end = *at;
    while (pop_text_is_word(*end))
        ++end;
    size_t length = (size_t)(end - *at);
    for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); ++i)
        if (strlen(aliases[i].name) == length && strncmp(aliases[i].name, *at, length) == 0) {
            set_register(operand, aliases[i].file, aliases[i].number, aliases[i].registers);
            *at = end;
            return true;
        }
    operand->csr = asm_copy(a, *at, length);
    *at = end;
    for (size_t i = 0; i < tile_csr_count; ++i)
        if (strcmp(tile_csrs[i].name, operand->csr) == 0)
            return true;
    return false;
}

static void take_suffixes(const char **at, struct asm_operand *operand)
{
    static const struct {
        const char *text;
        uint8_t suffix;
    } suffixes[] = { { "+=", TILE_STEP }, { "++", TILE_INC }, { ">>", TILE_SHIFT }, { "@", TILE_DELTA } };
    if ((*at)[0] == ':' && (*at)[1] == 'B') {
        *at += 2;
        operand->spread = TILE_SPREAD_LOW;
        if (**at == 'L' || **at == 'U')
            operand->spread = *(*at)++ == 'U' ? TILE_SPREAD_HIGH : TILE_SPREAD_LOW;
    }
    const char *next = asm_blank(*at);
    for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); ++i)
        if (strncmp(next, suffixes[i].text, strlen(suffixes[i].text)) == 0) {
            operand->suffix = suffixes[i].suffix;
            *at = next + strlen(suffixes[i].text);
            return;
        }
}

static bool take_operand(struct assembler *a, const char **at, const char *statement, struct asm_operand *operand)
{
    *at = asm_blank(*at);
    *operand = (struct asm_operand){ .column = a->place.column + (uint32_t)(*at - statement) };
    if (**at != '$') {
        operand->value = asm_parse(a, at, statement);
        return operand->value != NULL;
    }
    const char *start = *at;
    *at = asm_blank(*at + 1);
    if (!take_numbered(at, operand)) {
        *at = asm_blank(start + 1);
        if (!take_alias(a, at, operand)) {
            asm_error(a, asm_at(a->place, operand->column), "'%.*s' is no register and no control register",
                      (int)(strcspn(start, " ,")), start);
            return false;
        }
    }
    take_suffixes(at, operand);
    return true;
}

bool asm_parse_instruction(struct assembler *a, const char *name, const char *rest, const char *statement,
                           struct asm_instruction *instruction)
{
    *instruction = (struct asm_instruction){ .name = name, .place = a->place, .supervisor = a->supervisor };
    const char *at = asm_blank(rest);
    while (*at) {
        if (instruction->operands == ASM_OPERANDS) {
            asm_error(a, a->place, "%s has too many operands", name);
            return false;
        }
        if (!take_operand(a, &at, statement, &instruction->operand[instruction->operands++]))
            return false;
        at = asm_blank(at);
        if (*at == ',') {
            at = asm_blank(at + 1);
            if (*at)
                continue;
            asm_error(a, a->place, "an operand is missing behind ','");
            return false;
        }
        if (*at) {
            asm_error(a, asm_at(a->place, a->place.column + (uint32_t)(at - statement)),
                      "',' or the end of the instruction is expected at '%.20s'", at);
            return false;
        }
    }
    return true;
}
