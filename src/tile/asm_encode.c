/* SPDX-License-Identifier: Apache-2.0 */
/* Pass 2: the form of each instruction, its checks, its word; and what bundles and repeats demand. */
#include "tile/asm.h"

#include "base/error.h"

#include <stdio.h>
#include <string.h>

/* ---- other spellings ---- */

static void insert_register(struct asm_instruction *i, unsigned at, char file, uint8_t number, uint8_t registers)
{
    memmove(i->operand + at + 1, i->operand + at, (i->operands - at) * sizeof(*i->operand));
    i->operand[at] = (struct asm_operand){ .file = file, .number = number, .registers = registers };
    ++i->operands;
}

static bool is_register(const struct asm_instruction *i, unsigned at, char file)
{
    return at < i->operands && !i->operand[at].value && !i->operand[at].csr && i->operand[at].file == file;
}

static void set_value(struct assembler *a, struct asm_instruction *i, unsigned at, int64_t value)
{
    i->operand[at] = (struct asm_operand){ .value = asm_number(a, value) };
    i->operands = at + 1;
}

/* Loads and stores with a base and an offset alone have $mzero as delta. */
static bool takes_delta(const char *name)
{
    static const char *const names[] = { "ld32", "ldz8", "lds8",  "ldz16", "lds16", "ldb16",
                                         "ldb8", "ld64", "ld128", "st32",  "st64" };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); ++i)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

static const char *move(struct asm_instruction *i)
{
    if (is_register(i, 0, 'm')) {
        insert_register(i, 2, 'm', 15, 1);
        return "or";
    }
    bool pair = i->operand[0].registers == 2;
    insert_register(i, 2, 'a', pair ? 14 : 15, pair ? 2 : 1);
    return pair ? "or64" : "or";
}

/* sub with an immediate last is an addition of its negative. */
static const char *subtract(struct assembler *a, struct asm_instruction *i)
{
    if (i->operands == 3 && i->operand[2].value) {
        struct asm_node *negative = arena_alloc(a->arena, sizeof(*negative));
        *negative = (struct asm_node){ .kind = NODE_UNARY, .op = '-', .left = i->operand[2].value };
        i->operand[2].value = negative;
        return "add";
    }
    return NULL;
}

static const char *plain_name(struct asm_instruction *i, struct assembler *a)
{
    const char *name = i->name;
    if (strcmp(name, "nop") == 0 || strcmp(name, "fnop") == 0) {
        i->operands = 0;
        insert_register(i, 0, *name == 'n' ? 'm' : 'a', *name == 'n' ? 14 : 13, 1);
        set_value(a, i, 1, 0);
        return "setzi";
    }
    if (strcmp(name, "zero") == 0 && i->operands == 1) {
        set_value(a, i, 1, 0);
        return "setzi";
    }
    if (strcmp(name, "mov") == 0 && i->operands == 2)
        return move(i);
    if (strcmp(name, "swap16") == 0 && i->operands == 2) {
        insert_register(i, 2, i->operand[1].file, i->operand[1].number, 1);
        return "roll16";
    }
    if (strcmp(name, "movnz") == 0)
        return "movz";
    if (strcmp(name, "f16v4sisov2amp") == 0)
        return "f16v4sisoamp";
    if (strcmp(name, "sub") == 0)
        return subtract(a, i);
    if (strcmp(name, "get") == 0 && is_register(i, 0, 'a'))
        return "uget";
    if (strcmp(name, "put") == 0 && is_register(i, 1, 'a'))
        return "uput";
    if (strcmp(name, "setzi") == 0 || i->operands != 3 || !takes_delta(name))
        return NULL;
    insert_register(i, 2, 'm', 15, 1); /* base, $mzero, offset */
    return name;
}

/* adds, addz and the like ask for the signed or the zero-extended immediate: returns the plain name. */
static const char *sign_choice(struct assembler *a, const char *name, int *choice)
{
    static const char *const names[] = { "add", "sub", "cmpeq", "max", "min" };
    size_t length = strlen(name);
    *choice = 0;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && length; ++i)
        if (strlen(names[i]) == length - 1 && strncmp(names[i], name, length - 1) == 0 &&
            (name[length - 1] == 's' || name[length - 1] == 'z')) {
            *choice = name[length - 1];
            return asm_copy(a, name, length - 1);
        }
    return name;
}

/* ---- choosing a form ---- */

static bool register_matches(const struct asm_operand *given, const struct tile_operand *wanted)
{
    static const char *const files = "mmaaa";
    if (given->value || given->csr || files[wanted->kind] != given->file || given->suffix != wanted->suffix)
        return false;
    if (given->spread)
        return wanted->spread && given->registers == 1;
    return given->registers == tile_operand_registers(wanted);
}

static bool csr_space(const struct tile_operand *wanted, const struct asm_instruction *i, enum tile_space *space)
{
    *space = wanted->kind == TILE_UCSR ? TILE_SPACE_UPPER : i->supervisor ? TILE_SPACE_SUPERVISOR : TILE_SPACE_WORKER;
    return wanted->kind == TILE_CSR || wanted->kind == TILE_UCSR;
}

/* Whether the operand is of the wanted sort, whatever its value. */
static bool sort_matches(const struct asm_operand *given, const struct tile_operand *wanted)
{
    if (wanted->kind < TILE_FIRST_IMMEDIATE)
        return register_matches(given, wanted);
    return given->value || (given->csr && (wanted->kind == TILE_CSR || wanted->kind == TILE_UCSR));
}

static bool sorts_match(const struct asm_instruction *i, const struct tile_form *form)
{
    if (i->operands != form->operands)
        return false;
    for (unsigned k = 0; k < form->operands; ++k)
        if (!sort_matches(i->operand + k, form->operand + k))
            return false;
    return true;
}

/* An immediate: its number, or a fixup's symbol. */
static bool immediate_fits(const struct assembler *a, const struct asm_operand *given,
                           const struct tile_operand *wanted)
{
    struct asm_value value =
        given->csr ? (struct asm_value){ .known = true, .symbol = -1 } : asm_evaluate(a, given->value);
    if (!value.known)
        return true; /* reported later */
    if (value.symbol >= 0)
        return wanted->kind == TILE_Z20 || wanted->kind == TILE_TARGET19 || wanted->kind == TILE_TARGET20 ||
               wanted->kind == TILE_Z16;
    return tile_fits(wanted, value.number);
}

static bool form_fits(const struct assembler *a, const struct asm_instruction *i, const struct tile_form *form)
{
    for (unsigned k = 0; k < form->operands; ++k)
        if (form->operand[k].kind >= TILE_FIRST_IMMEDIATE && !immediate_fits(a, i->operand + k, form->operand + k))
            return false;
    return true;
}

static bool wrong_sign(const struct tile_form *form, int choice)
{
    for (unsigned k = 0; choice && k < form->operands; ++k)
        if ((form->operand[k].kind == TILE_S16 && choice == 'z') ||
            (form->operand[k].kind == TILE_Z16 && choice == 's'))
            return true;
    return false;
}

static bool is_signed(const struct tile_form *form)
{
    for (unsigned k = 0; k < form->operands; ++k)
        if (form->operand[k].kind == TILE_S16)
            return true;
    return false;
}

/* The form whose operands fit; *near is one whose sorts fit. The signed form of an immediate comes first. */
static const struct tile_form *choose(const struct assembler *a, const struct asm_instruction *i,
                                      const struct tile_form *forms, size_t count, int choice,
                                      const struct tile_form **near)
{
    const struct tile_form *found = NULL;
    *near = NULL;
    for (size_t f = 0; f < count; ++f) {
        if (!sorts_match(i, forms + f) || wrong_sign(forms + f, choice))
            continue;
        *near = forms + f;
        if (form_fits(a, i, forms + f) && (!found || is_signed(forms + f)))
            found = forms + f;
    }
    return found;
}

/* ---- errors about operands ---- */

static void unknown_mnemonic(struct assembler *a, const struct asm_instruction *i)
{
    static const char *const more[] = { "mov", "nop", "fnop", "zero", "movnz", "swap16", "ldconst" };
    const char **names = mem_alloc((tile_mnemonic_count + 7) * sizeof(*names));
    char hint[128];
    for (size_t m = 0; m < tile_mnemonic_count; ++m)
        names[m] = tile_mnemonics[m].name;
    memcpy(names + tile_mnemonic_count, more, sizeof(more));
    error_hint(hint, sizeof(hint), i->name, names, tile_mnemonic_count + 7);
    asm_error(a, i->place, "there is no instruction '%s'%s", i->name, hint);
    free(names);
}

static void add_operand_text(struct str *text, const struct tile_operand *operand)
{
    static const char *const suffixes[] = { "", "+=", "++", ">>", "@" };
    static const char *const kinds[] = { "$m", "$m pair", "$a", "$a pair", "$a quad" };
    if (operand->kind == TILE_CSR || operand->kind == TILE_UCSR)
        str_add(text, "control register");
    else if (operand->kind >= TILE_TARGET19)
        str_add(text, "label");
    else if (operand->kind >= TILE_FIRST_IMMEDIATE) {
        const struct immediate_range range = tile_immediate_range((enum tile_kind)operand->kind);
        str_format(text, "%lld..%lld", (long long)range.low, (long long)range.high);
    } else
        str_format(text, "%s%s", kinds[operand->kind], suffixes[operand->suffix]);
}

static void wrong_operands(struct assembler *a, const struct asm_instruction *i, const struct tile_form *forms,
                           size_t count)
{
    struct str text = { 0 };
    for (size_t f = 0; f < count; ++f) {
        str_format(&text, "%s%s", f ? "; or " : "", forms[f].name);
        for (unsigned k = 0; k < forms[f].operands; ++k) {
            str_add(&text, k ? ", " : " ");
            add_operand_text(&text, forms[f].operand + k);
        }
    }
    asm_error(a, i->place, "these are not the operands of %s; it is: %s", i->name, str_text(&text));
    str_free(&text);
}

static void wrong_value(struct assembler *a, const struct asm_instruction *i, const struct tile_form *near)
{
    for (unsigned k = 0; k < near->operands; ++k) {
        if (near->operand[k].kind < TILE_FIRST_IMMEDIATE || immediate_fits(a, i->operand + k, near->operand + k))
            continue;
        struct asm_value value = asm_evaluate(a, i->operand[k].value);
        const struct immediate_range range = tile_immediate_range((enum tile_kind)near->operand[k].kind);
        struct asm_place place = asm_at(i->place, i->operand[k].column ? i->operand[k].column : i->place.column);
        if (value.symbol >= 0)
            asm_error(a, place, "%s: an address does not fit its operand %u", i->name, k + 1);
        else if (range.multiple > 1)
            asm_error(a, place, "%s: %lld is not a multiple of 0x%llx from %lld to 0x%llx", i->name,
                      (long long)value.number, (long long)range.multiple, (long long)range.low, (long long)range.high);
        else
            asm_error(a, place, "%s: %lld is not from %lld to %lld", i->name, (long long)value.number,
                      (long long)range.low, (long long)range.high);
        return;
    }
}

/* ---- values ---- */

static bool take_register(struct assembler *a, const struct asm_instruction *i, unsigned k,
                          const struct tile_operand *wanted, struct tile_instruction *to)
{
    const struct asm_operand *given = i->operand + k;
    struct asm_place place = asm_at(i->place, given->column ? given->column : i->place.column);
    if (given->number % given->registers) {
        asm_error(a, place, "$%c%u:%u is no register: %s begin at a multiple of %u", given->file, given->number,
                  given->number + given->registers - 1, given->registers == 2 ? "pairs" : "quads", given->registers);
        return false;
    }
    to->value[k] = given->number;
    if (!wanted->spread)
        return true;
    to->spread = given->spread;
    if (given->spread && !(wanted->spread & (given->spread == TILE_SPREAD_LOW ? TILE_ALLOWS_LOW : TILE_ALLOWS_HIGH))) {
        asm_error(a, place, "%s does not broadcast so", i->name);
        return false;
    }
    return true;
}

static bool take_csr(struct assembler *a, const struct asm_instruction *i, unsigned k, enum tile_space space,
                     struct tile_instruction *to)
{
    const struct tile_csr *csr = tile_csr_named(i->operand[k].csr, space);
    struct asm_place place = asm_at(i->place, i->operand[k].column);
    bool reads = to->form->operand[0].kind < TILE_FIRST_IMMEDIATE;
    if (!csr || csr->from > (uint8_t)a->object->arch) {
        asm_error(a, place, "a %s has no control register '%s' that %s reaches on %s",
                  i->supervisor ? "supervisor" : "worker", i->operand[k].csr, i->name,
                  tile_arch_names[a->object->arch]);
        return false;
    }
    if (!a->allow_operands && !(csr->access & (reads ? TILE_READ : TILE_WRITTEN))) {
        asm_error(a, place, "control register '%s' cannot be %s", csr->name, reads ? "read" : "written");
        return false;
    }
    to->value[k] = csr->number;
    return true;
}

static bool take_immediate(struct assembler *a, const struct asm_instruction *i, unsigned k,
                           struct tile_instruction *to)
{
    struct asm_value value = asm_evaluate(a, i->operand[k].value);
    if (!value.known) {
        asm_error(a, asm_at(i->place, i->operand[k].column ? i->operand[k].column : i->place.column),
                  "%s: operand %u is neither a number nor an address", i->name, k + 1);
        return false;
    }
    if (value.symbol < 0) {
        to->value[k] = value.number;
        return true;
    }
    *vec_push(&a->object->fixups) = (struct tile_fixup){ .section = i->section,
                                                         .offset = i->offset,
                                                         .symbol = (uint32_t)value.symbol,
                                                         .addend = (int32_t)value.number,
                                                         .kind = TILE_FIX_OPERAND,
                                                         .operand = (uint8_t)k };
    return true;
}

static bool take_values(struct assembler *a, const struct asm_instruction *i, struct tile_instruction *to)
{
    enum tile_space space;
    for (unsigned k = 0; k < to->form->operands; ++k) {
        const struct tile_operand *wanted = to->form->operand + k;
        bool good = wanted->kind < TILE_FIRST_IMMEDIATE                 ? take_register(a, i, k, wanted, to)
                    : i->operand[k].csr && csr_space(wanted, i, &space) ? take_csr(a, i, k, space, to)
                                                                        : take_immediate(a, i, k, to);
        if (!good)
            return false;
    }
    return true;
}

/* ---- checks ---- */

/* The registers an instruction writes, with those that have no storage: m0.. from bit 0, a0.. from 32. */
static uint64_t written(const struct tile_instruction *i)
{
    uint64_t set = 0;
    for (unsigned k = 0; k < i->form->operands; ++k) {
        const struct tile_operand *operand = i->form->operand + k;
        if (operand->kind < TILE_FIRST_IMMEDIATE && (operand->access & TILE_WRITTEN))
            set |= ((UINT64_C(1) << tile_operand_registers(operand)) - 1)
                   << (i->value[k] + (operand->kind >= TILE_A ? 32 : 0));
    }
    return set;
}

/* Registers with storage that two of its operands write. */
static uint64_t twice_written(const struct tile_instruction *i)
{
    uint64_t before = 0, twice = 0;
    for (unsigned k = 0; k < i->form->operands; ++k) {
        const struct tile_operand *operand = i->form->operand + k;
        if (operand->kind >= TILE_FIRST_IMMEDIATE || !(operand->access & TILE_WRITTEN))
            continue;
        uint64_t set = ((UINT64_C(1) << tile_operand_registers(operand)) - 1)
                       << (i->value[k] + (operand->kind >= TILE_A ? 32 : 0));
        twice |= before & set & (UINT64_C(0xff) << 32 | 0xfff);
        before |= set;
    }
    return twice;
}

/* The first register of a set, for a message. */
static const char *first_register(struct assembler *a, uint64_t set)
{
    char name[8];
    int number = __builtin_ctzll(set);
    int length = snprintf(name, sizeof(name), "$%c%d", number < 32 ? 'm' : 'a', number % 32);
    return asm_copy(a, name, (size_t)length);
}

static void check_alone(struct assembler *a, const struct asm_instruction *i, const struct tile_instruction *made)
{
    if (!tile_arch_has(a->object->arch, made->form))
        asm_error(a, i->place, "%s has no %s with these operands", tile_arch_names[a->object->arch], i->name);
    if (!a->allow_mode && i->supervisor && (made->form->flags & TILE_WORKER))
        asm_error(a, i->place, "%s is for workers, and this is supervisor code (.supervisor)", i->name);
    if (!a->allow_mode && !i->supervisor && (made->form->flags & TILE_SUPERVISOR))
        asm_error(a, i->place, "%s is for supervisors, and this is worker code (.worker)", i->name);
    if (!a->allow_operands && twice_written(made))
        asm_error(a, i->place, "%s writes %s twice", i->name, first_register(a, twice_written(made)));
}

static void check_bundle(struct assembler *a, const struct asm_instruction *first, const struct tile_instruction *main,
                         const struct tile_instruction *aux)
{
    const struct asm_instruction *second = first + 1;
    if (first->supervisor && !a->allow_mode)
        asm_error(a, first->place, "supervisor code has no bundles");
    else if (main->form->lane != TILE_MAIN || aux->form->lane != TILE_AUX)
        asm_error(
            a, first->place,
            "%s and %s cannot share a bundle: the first must be of the main pipeline (integers, memory, control), "
            "the second of the auxiliary one",
            first->name, second->name);
    else if ((main->form->flags | aux->form->flags) & TILE_SOLO)
        asm_error(a, first->place, "%s and %s cannot share a bundle: %s is always alone", first->name, second->name,
                  main->form->flags & TILE_SOLO ? first->name : second->name);
    else if (written(main) & written(aux))
        asm_error(a, first->place, "%s and %s cannot share a bundle: both write %s", first->name, second->name,
                  first_register(a, written(main) & written(aux)));
}

/* The body of a repeat: whole bundles, aligned to 8 bytes, without control instructions. */
static void check_repeat(struct assembler *a, const struct asm_instruction *rpt, const struct tile_instruction *made,
                         const struct tile_instruction *all)
{
    const struct asm_instruction *end = a->instructions.data + a->instructions.count;
    const struct asm_instruction *body = rpt + (rpt->bundle ? 2 : 1);
    int64_t bundles = made->value[made->form->operands - 1] + 1;
    if (a->allow_repeat)
        return;
    if (a->object->sections.data[rpt->section].alignment < 8 || (body < end && body->offset % 8))
        asm_error(a, rpt->place,
                  "the body of rpt must begin at a multiple of 8 bytes; align the function to 8 and put %s",
                  rpt->bundle ? "a nop before this bundle" : "fnop beside rpt, or a nop before it");
    for (; bundles; --bundles, body += 2) {
        if (body >= end || body->section != rpt->section || body->bundle != 1) {
            asm_error(a, body < end ? body->place : rpt->place, "the body of rpt at line %u consists of bundles alone",
                      rpt->place.line);
            return;
        }
        for (unsigned k = 0; k < 2; ++k) {
            const struct tile_form *form = all[body - a->instructions.data + k].form;
            if (form && (form->flags & TILE_CONTROL)) {
                asm_error(a, body[k].place, "%s cannot stand in the body of rpt at line %u", body[k].name,
                          rpt->place.line);
                return;
            }
        }
    }
}

/* ---- words ---- */

/* ldconst is setzi, and an or of the top 12 bits where they are not 0. */
static const struct tile_form *constant_form(struct assembler *a, struct asm_instruction *i)
{
    size_t count;
    int64_t value = asm_evaluate(a, i->operand[1].value).number;
    if (i->part == 1) {
        if (asm_evaluate(a, i->operand[1].value).symbol < 0)
            set_value(a, i, 1, value & 0xfffff);
    } else {
        insert_register(i, 1, i->operand[0].file, i->operand[0].number, 1);
        set_value(a, i, 2, (int64_t)((uint64_t)value & 0xfff00000));
    }
    const struct tile_form *forms = tile_forms_named(i->part == 1 ? "setzi" : "or", &count), *near;
    return choose(a, i, forms, count, 0, &near);
}

static const struct tile_form *find_form(struct assembler *a, struct asm_instruction *i)
{
    int choice;
    size_t count;
    const struct tile_form *near;
    if (i->part)
        return constant_form(a, i);
    const char *alias = plain_name(i, a), *name = sign_choice(a, alias ? alias : i->name, &choice);
    const struct tile_form *forms = tile_forms_named(name, &count);
    if (!forms) {
        unknown_mnemonic(a, i);
        return NULL;
    }
    const struct tile_form *form = choose(a, i, forms, count, choice, &near);
    if (!form && near)
        wrong_value(a, i, near);
    else if (!form)
        wrong_operands(a, i, forms, count);
    return form;
}

static void encode(struct assembler *a, struct asm_instruction *i, struct tile_instruction *made)
{
    *made = (struct tile_instruction){ .form = find_form(a, i) };
    if (!made->form || !take_values(a, i, made)) {
        made->form = NULL;
        return;
    }
    check_alone(a, i, made);
    uint32_t word = tile_encode(made) | (i->bundle ? TILE_BUNDLED : 0);
    memcpy(a->object->sections.data[i->section].bytes.data + i->offset, &word, 4);
}

static void encode_data(struct assembler *a, const struct asm_data *data)
{
    struct asm_value value = asm_evaluate(a, data->value);
    if (!value.known) {
        asm_error(a, data->place, "this is neither a number nor an address");
        return;
    }
    if (value.symbol < 0) {
        memcpy(a->object->sections.data[data->section].bytes.data + data->offset, &value.number, data->bytes);
        return;
    }
    if (data->bytes > 4) {
        asm_error(a, data->place, "an address has 32 bits");
        return;
    }
    *vec_push(&a->object->fixups) = (struct tile_fixup){ .section = data->section,
                                                         .offset = data->offset,
                                                         .symbol = (uint32_t)value.symbol,
                                                         .addend = (int32_t)value.number,
                                                         .kind = (uint8_t)(data->bytes == 1   ? TILE_FIX_BYTES1
                                                                           : data->bytes == 2 ? TILE_FIX_BYTES2
                                                                                              : TILE_FIX_BYTES4) };
}

void asm_encode_all(struct assembler *a)
{
    size_t count = a->instructions.count;
    struct tile_instruction *made = mem_zero(count + 1, sizeof(*made));
    for (size_t k = 0; k < count; ++k)
        encode(a, a->instructions.data + k, made + k);
    for (size_t k = 0; k < count; ++k) {
        const struct asm_instruction *i = a->instructions.data + k;
        if (i->bundle == 1 && made[k].form && made[k + 1].form)
            check_bundle(a, i, made + k, made + k + 1);
        if (made[k].form && strcmp(made[k].form->name, "rpt") == 0)
            check_repeat(a, i, made + k, made);
    }
    for (size_t k = 0; k < a->data.count; ++k)
        encode_data(a, a->data.data + k);
    mem_free(made);
}
