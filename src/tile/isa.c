/* SPDX-License-Identifier: Apache-2.0 */
#include "tile/isa.h"

#include <stdlib.h>
#include <string.h>

const char *const tile_arch_names[TILE_ARCHS] = { "ipu1", "ipu2", "ipu21" };
const struct tile_memory_map tile_maps[TILE_ARCHS] = { { 0x40000, 0x60000, 0x80000 },
                                                       { 0x4c000, 0x80000, 0xe8000 },
                                                       { 0x4c000, 0x80000, 0xe8000 } };

/* ---- the table of forms: first the bits of their operands, then the forms ---- */

enum { /* fields of split immediates */
       BITS_IN_PACE = 0x3 << 8 | 0xf,
       BITS_IN_RUN = 0xf << 16 | 0xfff,
       BITS_IN_STORE = 0xf << 8 | 0xf << 16 | 0xf,
       BITS_IN_STORE_STEP = 0xf | 0xf << 16,
       BITS_SPREAD = 3 << 18,
       WIDTH_Z4 = 4,
       WIDTH_Z6 = 6,
       WIDTH_Z8 = 8,
       WIDTH_Z12 = 12,
       WIDTH_Z16 = 16,
       WIDTH_Z19 = 19,
       WIDTH_Z20 = 20,
       WIDTH_S8 = 8,
       WIDTH_S16 = 16,
       WIDTH_IZ12 = 12,
       WIDTH_TARGET19 = 19,
       WIDTH_TARGET20 = 20,
       WIDTH_CSR = 8,
       WIDTH_UCSR = 8
};
static const uint8_t widths[TILE_KINDS] = {
    4,         4,         4,         4,        4,         WIDTH_Z4,   WIDTH_Z6,       WIDTH_Z8,       WIDTH_Z12,
    WIDTH_Z16, WIDTH_Z19, WIDTH_Z20, WIDTH_S8, WIDTH_S16, WIDTH_IZ12, WIDTH_TARGET19, WIDTH_TARGET20, WIDTH_CSR,
    WIDTH_UCSR
};

#define REGISTER_BITS(at)                                 | 0xfu << (at)
#define OF(kind, at)                                      REGISTER_BITS(at)
#define TO(kind, at)                                      REGISTER_BITS(at)
#define BOTH(kind, at)                                    REGISTER_BITS(at)
#define SPREAD(kind, at)                                  REGISTER_BITS(at) | BITS_SPREAD
#define SPREAD_LOW(kind, at)                              REGISTER_BITS(at) | BITS_SPREAD
#define SPREAD_HIGH(kind, at)                             REGISTER_BITS(at) | BITS_SPREAD
#define STEP(kind, at)                                    REGISTER_BITS(at)
#define INC(kind, at)                                     REGISTER_BITS(at)
#define SHIFT(kind, at)                                   REGISTER_BITS(at)
#define DELTA(kind, at)                                   REGISTER_BITS(at)
#define IMM(kind, at)                                     | ((1u << WIDTH_##kind) - 1) << (at)
#define IN_PACE(kind)                                     | BITS_IN_PACE
#define IN_RUN(kind)                                      | BITS_IN_RUN
#define IN_STORE(kind)                                    | BITS_IN_STORE
#define IN_STORE_STEP(kind)                               | BITS_IN_STORE_STEP
#define TILE_FORM(name, lane, word, operands, flags, run) MASK_##run##_##word = (int)(0x7fffffffu & ~(0u operands)),
enum form_mask {
#include "tile/forms.def"
};
#undef TILE_FORM
#undef OF
#undef TO
#undef BOTH
#undef SPREAD
#undef SPREAD_LOW
#undef SPREAD_HIGH
#undef STEP
#undef INC
#undef SHIFT
#undef DELTA
#undef IMM
#undef IN_PACE
#undef IN_RUN
#undef IN_STORE
#undef IN_STORE_STEP

enum mnemonic_index {
#define TILE_MNEMONIC(name, section, slots, what) INDEX_##name,
#include "tile/mnemonics.def"
#undef TILE_MNEMONIC
    MNEMONICS
};

#define CONTROL    TILE_CONTROL
#define SOLO       TILE_SOLO
#define SUPERVISOR TILE_SUPERVISOR
#define WORKER     TILE_WORKER
#define IPU2       TILE_FROM_IPU2
#define IPU21      TILE_FROM_IPU21

#define OPERAND(k, acc, suf, spr, pos) { .kind = TILE_##k, .access = acc, .suffix = suf, .spread = spr, .at = pos },
#define OF(kind, at)                   OPERAND(kind, TILE_READ, 0, 0, at)
#define TO(kind, at)                   OPERAND(kind, TILE_WRITTEN, 0, 0, at)
#define BOTH(kind, at)                 OPERAND(kind, TILE_READ | TILE_WRITTEN, 0, 0, at)
#define SPREAD(kind, at)               OPERAND(kind, TILE_READ, 0, TILE_ALLOWS_LOW | TILE_ALLOWS_HIGH, at)
#define SPREAD_LOW(kind, at)           OPERAND(kind, TILE_READ, 0, TILE_ALLOWS_LOW, at)
#define SPREAD_HIGH(kind, at)          OPERAND(kind, TILE_READ, 0, TILE_ALLOWS_HIGH, at)
#define STEP(kind, at)                 OPERAND(kind, TILE_READ | TILE_WRITTEN, TILE_STEP, 0, at)
#define INC(kind, at)                  OPERAND(kind, TILE_READ | TILE_WRITTEN, TILE_INC, 0, at)
#define SHIFT(kind, at)                OPERAND(kind, TILE_READ | TILE_WRITTEN, TILE_SHIFT, 0, at)
#define DELTA(kind, at)                OPERAND(kind, TILE_READ | TILE_WRITTEN, TILE_DELTA, 0, at)
#define IMM(k, pos)                    { .kind = TILE_##k, .at = pos },
#define IN_PACE(k)                     { .kind = TILE_##k, .split = TILE_IN_PACE },
#define IN_RUN(k)                      { .kind = TILE_##k, .split = TILE_IN_RUN },
#define IN_STORE(k)                    { .kind = TILE_##k, .split = TILE_IN_STORE },
#define IN_STORE_STEP(k)               { .kind = TILE_##k, .split = TILE_IN_STORE_STEP },
#define OPERANDS(...)                  (sizeof((struct tile_operand[]){ __VA_ARGS__ }) / sizeof(struct tile_operand))
#define TILE_FORM(form, side, bits, list, set, run)                                                                    \
    { #form, bits, (uint32_t)MASK_##run##_##bits, INDEX_##form, TILE_##side, set, OPERANDS(list), { list } },
const struct tile_form tile_forms[] = {
#include "tile/forms.def"
};
const size_t tile_form_count = sizeof(tile_forms) / sizeof(tile_forms[0]);

const struct tile_mnemonic tile_mnemonics[] = {
#define TILE_MNEMONIC(name, section, slots, what) { #name, #section, what, slots },
#include "tile/mnemonics.def"
};
const size_t tile_mnemonic_count = MNEMONICS;

#define READ  TILE_READ
#define WRITE TILE_WRITTEN
const struct tile_csr tile_csrs[] = {
#define TILE_CSR(name, space, number, access, from) { #name, TILE_SPACE_##space, number, access, TILE_##from },
#include "tile/csr.def"
};
const size_t tile_csr_count = sizeof(tile_csrs) / sizeof(tile_csrs[0]);

/* ---- look-up ---- */

static int compare_form(const void *name, const void *form)
{
    return strcmp(name, ((const struct tile_form *)form)->name);
}

const struct tile_form *tile_forms_named(const char *name, size_t *count)
{
    const struct tile_form *found = bsearch(name, tile_forms, tile_form_count, sizeof(*found), compare_form);
    *count = 0;
    if (!found)
        return NULL;
    const struct tile_form *end = found;
    while (found > tile_forms && strcmp(found[-1].name, name) == 0)
        --found;
    while (end < tile_forms + tile_form_count && strcmp(end->name, name) == 0)
        ++end;
    *count = (size_t)(end - found);
    return found;
}

bool tile_arch_has(enum tile_arch arch, const struct tile_form *form)
{
    return form->flags & TILE_FROM_IPU21 ? arch == TILE_IPU21 : !(form->flags & TILE_FROM_IPU2) || arch != TILE_IPU1;
}

unsigned tile_operand_registers(const struct tile_operand *operand)
{
    static const uint8_t registers[] = { [TILE_M] = 1, [TILE_M2] = 2, [TILE_A] = 1, [TILE_A2] = 2, [TILE_A4] = 4 };
    return operand->kind < TILE_FIRST_IMMEDIATE ? registers[operand->kind] : 0;
}

const struct tile_csr *tile_csr_named(const char *name, enum tile_space space)
{
    for (size_t i = 0; i < tile_csr_count; ++i)
        if (tile_csrs[i].space == space && strcmp(tile_csrs[i].name, name) == 0)
            return tile_csrs + i;
    return NULL;
}

const struct tile_csr *tile_csr_numbered(unsigned number, enum tile_space space)
{
    for (size_t i = 0; i < tile_csr_count; ++i)
        if (tile_csrs[i].space == space && tile_csrs[i].number == number)
            return tile_csrs + i;
    return NULL;
}

struct immediate_range tile_immediate_range(enum tile_kind kind)
{
    int64_t size = INT64_C(1) << widths[kind];
    switch (kind) {
    case TILE_S8:
    case TILE_S16:
        return (struct immediate_range){ -size / 2, size / 2 - 1, 1 };
    case TILE_IZ12:
        return (struct immediate_range){ 0, (size - 1) << 20, 1 << 20 };
    case TILE_TARGET19:
    case TILE_TARGET20:
        return (struct immediate_range){ 0, TILE_ADDRESS_MASK & ~3, 4 };
    default:
        return (struct immediate_range){ 0, size - 1, 1 };
    }
}

bool tile_fits(const struct tile_operand *operand, int64_t value)
{
    const struct immediate_range range = tile_immediate_range((enum tile_kind)operand->kind);
    return value >= range.low && value <= range.high && value % range.multiple == 0;
}

/* ---- words ---- */

struct bit_piece {
    uint8_t at, bits;
};
/* The pieces of a split immediate, most significant first. */
static const struct bit_piece splits[][3] = { [TILE_IN_PACE] = { { 8, 2 }, { 0, 4 } },
                                              [TILE_IN_RUN] = { { 16, 4 }, { 0, 12 } },
                                              [TILE_IN_STORE] = { { 8, 4 }, { 16, 4 }, { 0, 4 } },
                                              [TILE_IN_STORE_STEP] = { { 0, 4 }, { 16, 4 } } };

static uint32_t scatter(const struct bit_piece *pieces, uint32_t value, unsigned width)
{
    uint32_t word = 0;
    for (unsigned left = width; left; ++pieces) {
        left -= pieces->bits;
        word |= (value >> left & ((1u << pieces->bits) - 1)) << pieces->at;
    }
    return word;
}

static uint32_t gather(const struct bit_piece *pieces, uint32_t word, unsigned width)
{
    uint32_t value = 0;
    for (unsigned left = width; left; left -= pieces->bits, ++pieces)
        value = value << pieces->bits | (word >> pieces->at & ((1u << pieces->bits) - 1));
    return value;
}

static unsigned shift_of(unsigned kind)
{
    return kind == TILE_IZ12 ? 20 : kind == TILE_TARGET19 || kind == TILE_TARGET20 ? 2 : 0;
}

uint32_t tile_encode(const struct tile_instruction *instruction)
{
    const struct tile_form *form = instruction->form;
    uint32_t word = form->word;
    for (unsigned i = 0; i < form->operands; ++i) {
        const struct tile_operand *operand = form->operand + i;
        unsigned width = widths[operand->kind];
        uint32_t value = (uint32_t)(instruction->value[i] >> shift_of(operand->kind)) & ((1u << width) - 1);
        word |= operand->split ? scatter(splits[operand->split], value, width) : value << operand->at;
        if (operand->spread)
            word |= (uint32_t)instruction->spread << 18;
    }
    return word;
}

static bool spread_allowed(const struct tile_operand *operand, unsigned spread)
{
    return !spread || (spread == TILE_SPREAD_LOW && (operand->spread & TILE_ALLOWS_LOW)) ||
           (spread == TILE_SPREAD_HIGH && (operand->spread & TILE_ALLOWS_HIGH));
}

static bool decode_operand(const struct tile_operand *operand, uint32_t word, struct tile_instruction *to, unsigned i)
{
    unsigned width = widths[operand->kind], registers = tile_operand_registers(operand);
    uint32_t field =
        operand->split ? gather(splits[operand->split], word, width) : word >> operand->at & ((1u << width) - 1);
    int64_t value = field;
    if ((operand->kind == TILE_S8 || operand->kind == TILE_S16) && field >> (width - 1))
        value -= INT64_C(1) << width;
    to->value[i] = value * (1 << shift_of(operand->kind));
    if (operand->spread) {
        to->spread = word >> 18 & 3;
        if (!spread_allowed(operand, to->spread))
            return false;
        registers = to->spread ? 1 : registers;
    }
    return !registers || value % registers == 0;
}

bool tile_decode(uint32_t word, struct tile_instruction *instruction)
{
    word &= ~TILE_BUNDLED;
    for (size_t f = 0; f < tile_form_count; ++f) {
        const struct tile_form *form = tile_forms + f;
        if ((word & form->mask) != form->word)
            continue;
        *instruction = (struct tile_instruction){ .form = form };
        bool good = true;
        for (unsigned i = 0; i < form->operands && good; ++i)
            good = decode_operand(form->operand + i, word, instruction, i);
        if (good)
            return true;
    }
    return false;
}

/* ---- text ---- */

static void print_register(struct str *text, const struct tile_operand *operand, int64_t number, unsigned spread,
                           bool halves)
{
    static const char *const suffixes[] = { "", "+=", "++", ">>", "@" };
    char file = operand->kind <= TILE_M2 ? 'm' : 'a';
    unsigned registers = operand->spread && spread ? 1 : tile_operand_registers(operand);
    str_format(text, "$%c%d", file, (int)number);
    if (registers > 1)
        str_format(text, ":%d", (int)number + (int)registers - 1);
    if (operand->spread && spread)
        str_add(text, spread == TILE_SPREAD_HIGH ? ":BU" : halves ? ":BL" : ":B");
    str_add(text, suffixes[operand->suffix]);
}

static void print_operand(struct str *text, const struct tile_instruction *instruction, unsigned i, bool supervisor)
{
    const struct tile_operand *operand = instruction->form->operand + i;
    int64_t value = instruction->value[i];
    const struct tile_csr *csr = NULL;
    if (operand->kind < TILE_FIRST_IMMEDIATE) {
        print_register(text, operand, value, instruction->spread, strncmp(instruction->form->name, "f32", 3) != 0);
        return;
    }
    if (operand->kind == TILE_UCSR)
        csr = tile_csr_numbered((unsigned)value, TILE_SPACE_UPPER);
    else if (operand->kind == TILE_CSR)
        csr = tile_csr_numbered((unsigned)value, supervisor ? TILE_SPACE_SUPERVISOR : TILE_SPACE_WORKER);
    if (csr)
        str_format(text, "$%s", csr->name);
    else if (operand->kind >= TILE_IZ12 || operand->kind == TILE_Z20)
        str_format(text, "0x%x", (unsigned)value);
    else
        str_format(text, "%d", (int)value);
}

/* Whether the name alone means the form with a signed immediate: then addz, maxz and the like are what this one is. */
static bool is_zero_extended(const struct tile_instruction *instruction)
{
    const struct tile_form *form = instruction->form;
    size_t count;
    const struct tile_form *forms = tile_forms_named(form->name, &count);
    bool other = false, fits = false;
    for (unsigned i = 0; i < form->operands; ++i)
        fits |= form->operand[i].kind == TILE_Z16 && instruction->value[i] <= INT16_MAX;
    for (size_t f = 0; f < count; ++f)
        for (unsigned i = 0; i < forms[f].operands; ++i)
            other |= forms[f].operand[i].kind == TILE_S16;
    return fits && other;
}

void tile_print(struct str *text, const struct tile_instruction *instruction, bool supervisor)
{
    const struct tile_form *form = instruction->form;
    if (form->mnemonic == INDEX_setzi && !instruction->value[1] &&
        instruction->value[0] == (form->lane == TILE_MAIN ? 14 : 13)) {
        str_add(text, form->lane == TILE_MAIN ? "nop" : "fnop");
        return;
    }
    str_add(text, form->name);
    if (is_zero_extended(instruction))
        str_add(text, "z");
    for (unsigned i = 0; i < form->operands; ++i) {
        str_add(text, i ? ", " : " ");
        print_operand(text, instruction, i, supervisor);
    }
}
