/* SPDX-License-Identifier: Apache-2.0 */
#include "popc/tile_operands.h"

#include <poplar/text.h>
#include <stdlib.h>
#include <string.h>

/* Registers that operands can have: m0 to m9, a0 to a7. Places of a registers begin at 32. */
enum { FIRST_A = 32, M_REGISTERS = 10, A_REGISTERS = 8 };

struct choice {
    const struct popc_assembly *statement;
    uint64_t taken;  /* bits by place: no operand may have them */
    uint64_t shared; /* of outputs that an input may share: written when inputs were read */
    struct tile_place *places;
    struct str *why;
};

static bool has(const char *constraint, char letter)
{
    return strchr(constraint, letter) != NULL;
}

static bool is_constant(const struct popc_operand *operand)
{
    bool constant = has(operand->constraint, 'i') || has(operand->constraint, 'n') || has(operand->constraint, 'I');
    return operand->kind == 'c' || (operand->kind == 'i' && constant && !has(operand->constraint, 'r'));
}

/* A register by its name, $m3, $a4:5, $lr; 0 registers for what is none. *end is behind it. */
static struct tile_place named(const char *name, const char **end)
{
    static const struct {
        const char *name;
        uint8_t number;
    } aliases[] = { { "$bp", 8 }, { "$fp", 9 }, { "$lr", 10 }, { "$sp", 11 } };
    struct tile_place none = { 0, 0 };
    char *behind;
    *end = name + 1;
    for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); ++i)
        if (strncmp(name, aliases[i].name, 3) == 0 && !pop_text_is_word(name[3]))
            return (struct tile_place){ aliases[i].number, 1 };
    if (name[0] != '$' || (name[1] != 'm' && name[1] != 'a') || !pop_text_is_digit(name[2]))
        return none;
    unsigned long first = strtoul(name + 2, &behind, 10), last = first;
    if (*behind == ':' && pop_text_is_digit(behind[1]))
        last = strtoul(behind + 1, &behind, 10);
    *end = behind;
    if (last < first || last > 15)
        return none;
    return (struct tile_place){ (uint8_t)(first + (name[1] == 'a' ? FIRST_A : 0)), (uint8_t)(last - first + 1) };
}

static uint64_t bits_of(struct tile_place place)
{
    return ((UINT64_C(1) << place.registers) - 1) << place.first;
}

/* Registers that a text names. */
static uint64_t named_in(const char *text)
{
    uint64_t bits = 0;
    for (const char *at = strchr(text, '$'), *end; at; at = strchr(end, '$'))
        bits |= bits_of(named(at, &end));
    return bits;
}

static bool take(struct choice *c, unsigned index, char file, unsigned registers, bool share)
{
    unsigned first = file == 'a' ? FIRST_A : 0, count = file == 'a' ? A_REGISTERS : M_REGISTERS;
    for (unsigned at = 0; at + registers <= count; at += registers) {
        struct tile_place place = { (uint8_t)(first + at), (uint8_t)registers };
        uint64_t bits = bits_of(place);
        if ((c->taken & bits) && !(share && (c->shared & bits) == bits))
            continue;
        c->taken |= bits;
        c->shared &= ~bits;
        c->places[index] = place;
        return true;
    }
    return false;
}

/* Chooses the registers of one operand. */
static bool choose(struct choice *c, unsigned index, bool wide_in_a)
{
    const struct popc_operand *operand = c->statement->operands + index;
    const char *constraint = operand->constraint, *end;
    unsigned registers = (operand->bytes + 3u) / 4;
    bool output = index < c->statement->outputs, numbers = operand->kind == 'f' || (operand->kind == 'e' && wide_in_a);
    char file = has(constraint, 'A') || (numbers && !has(constraint, 'M')) ? 'a' : 'm';
    constraint += strspn(constraint, "=+&%");
    if (is_constant(operand)) {
        c->places[index] = (struct tile_place){ 0, 0 };
        return true;
    }
    if (*constraint == '$') {
        c->places[index] = named(constraint, &end);
        return true;
    }
    if (pop_text_is_digit(*constraint)) {
        unsigned long same = strtoul(constraint, NULL, 10);
        if (same < c->statement->outputs) {
            c->places[index] = c->places[same];
            return true;
        }
    } else if (strpbrk(constraint, "rAM")) {
        if (take(c, index, file, registers, false) || (!output && take(c, index, file, registers, true))) {
            if (output && operand->constraint[0] == '=' && !has(operand->constraint, '&'))
                c->shared |= bits_of(c->places[index]);
            return true;
        }
        str_format(c->why, "there are not enough %c registers for its operands", file);
        return false;
    }
    str_format(c->why,
               "operand %u has the constraint \"%s\", and those of the tile are \"r\", \"i\" and numbers of outputs",
               index, operand->constraint);
    return false;
}

static void add_operand(const struct popc_operand *operand, struct tile_place place, struct str *text)
{
    char file = place.first >= FIRST_A ? 'a' : 'm';
    unsigned number = place.first % FIRST_A;
    if (!place.registers)
        str_format(text, "%d", (int)operand->words[0]);
    else if (place.registers == 1)
        str_format(text, "$%c%u", file, number);
    else
        str_format(text, "$%c%u:%u", file, number, number + place.registers - 1);
}

/* The operand that %... names; *at moves behind it. */
static int operand_at(const struct popc_assembly *statement, const char **at)
{
    const char *from = *at;
    if (*from && *from != '[' && !pop_text_is_digit(*from))
        ++from; /* a letter that says how to print it */
    if (*from == '[') {
        size_t length = strcspn(++from, "]");
        *at = from + length + (from[length] == ']');
        for (unsigned i = 0; i < statement->count; ++i)
            if (strlen(statement->operands[i].name) == length &&
                strncmp(statement->operands[i].name, from, length) == 0)
                return (int)i;
        return -1;
    }
    if (!pop_text_is_digit(*from))
        return -1;
    char *end;
    unsigned long number = strtoul(from, &end, 10);
    *at = end;
    return number < statement->count ? (int)number : -1;
}

static bool add_text(const struct choice *c, struct str *text)
{
    for (const char *at = c->statement->text; *at;) {
        const char *percent = at + strcspn(at, "%");
        str_add_bytes(text, at, (size_t)(percent - at));
        if (!*percent)
            break;
        at = percent + 1;
        if (*at && strchr("%{}|", *at)) {
            str_add_bytes(text, at++, 1);
            continue;
        }
        if (*at == '=') {
            str_add(text, "0"); /* each statement is a program of its own */
            ++at;
            continue;
        }
        int operand = operand_at(c->statement, &at);
        if (operand < 0) {
            str_format(c->why, "'%.*s' is none of its operands", (int)strcspn(percent, ", \n"), percent);
            return false;
        }
        add_operand(c->statement->operands + operand, c->places[operand], text);
    }
    return true;
}

bool tile_operands_place(const struct popc_assembly *statement, bool wide_in_a, struct tile_place *places,
                         struct str *text, struct str *why)
{
    struct choice c = { .statement = statement, .places = places, .why = why };
    c.taken = named_in(statement->text) | named_in(statement->clobbers);
    for (unsigned i = 0; i < statement->count; ++i) {
        const char *end, *fixed = strchr(statement->operands[i].constraint, '$');
        if (fixed)
            c.taken |= bits_of(named(fixed, &end));
        if (statement->calls && !fixed) {
            str_add(why, "a function in assembly has at most four arguments in m registers and six in a registers");
            return false;
        }
    }
    for (unsigned i = 0; i < statement->count; ++i)
        if (!choose(&c, i, wide_in_a))
            return false;
    if (statement->calls)
        return true;
    return add_text(&c, text);
}
