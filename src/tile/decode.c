/* SPDX-License-Identifier: Apache-2.0 */
/* Decodes the words of a program to steps. */
#include "tile/exec.h"
#include "tile/program.h"
#include "tile/tile.h"

#include <assert.h>

static const tile_exec functions[] = {
#define TILE_FORM(name, lane, word, operands, flags, run) exec_##run,
#include "tile/forms.def"
#undef TILE_FORM
};

/* ---- operations ---- */

static uint8_t place_read(const struct tile_operand *operand, int64_t number)
{
    return (uint8_t)(operand->kind <= TILE_M2 ? number : REG_A + number);
}

static uint8_t place_written(const struct tile_operand *operand, int64_t number)
{
    bool m = operand->kind <= TILE_M2;
    if (number >= (m ? REG_M_WRITABLE : REG_A_WRITABLE))
        return m ? REG_LOST_M : REG_LOST_A;
    return place_read(operand, number);
}

static void make_op(struct tile_op *op, const struct tile_instruction *instruction, uint32_t address)
{
    const struct tile_form *form = instruction->form;
    bool first = true;
    *op = (struct tile_op){
        .run = functions[form - tile_forms], .spread = instruction->spread, .address = address, .form = form
    };
    for (unsigned i = 0; i < form->operands; ++i) {
        const struct tile_operand *operand = form->operand + i;
        if (operand->kind >= TILE_FIRST_IMMEDIATE) {
            *(first ? &op->value : &op->second) = (int32_t)(uint32_t)instruction->value[i];
            first = false;
        } else {
            op->from[i] = place_read(operand, instruction->value[i]);
            op->to[i] = place_written(operand, instruction->value[i]);
        }
    }
    if (strcmp(form->name, "rpt") == 0 && form->operand[0].kind < TILE_FIRST_IMMEDIATE)
        op->second = op->value; /* the count is in a register */
}

/* The registers that an instruction reads or writes, a bit for each place. */
static uint64_t places(const struct tile_op *op, unsigned access)
{
    uint64_t set = 0;
    for (unsigned i = 0; i < op->form->operands; ++i) {
        const struct tile_operand *operand = op->form->operand + i;
        if (operand->kind >= TILE_FIRST_IMMEDIATE || !(operand->access & access))
            continue;
        unsigned registers = operand->spread && op->spread ? 1 : tile_operand_registers(operand);
        uint8_t place = access == TILE_WRITTEN ? op->to[i] : op->from[i];
        set |= ((UINT64_C(1) << registers) - 1) << place;
    }
    return set;
}

/* ---- steps ---- */

static const struct tile_step *run_lone(struct tile_context *c, const struct tile_step *s)
{
    s->main.run(c, &s->main);
    c->slots += s->slots;
    return s->next;
}

static const struct tile_step *run_lone_control(struct tile_context *c, const struct tile_step *s)
{
    c->next = s->next;
    s->main.run(c, &s->main);
    c->slots += s->slots;
    return c->next;
}

/* A bundle whose other instruction does nothing. */
static const struct tile_step *run_main_only(struct tile_context *c, const struct tile_step *s)
{
    s->main.run(c, &s->main);
    c->slots += s->slots;
    return tile_after(c, s->next);
}

static const struct tile_step *run_aux_only(struct tile_context *c, const struct tile_step *s)
{
    s->aux.run(c, &s->aux);
    c->slots += s->slots;
    return tile_after(c, s->next);
}

static const struct tile_step *run_main_first(struct tile_context *c, const struct tile_step *s)
{
    s->main.run(c, &s->main);
    s->aux.run(c, &s->aux);
    c->slots += s->slots;
    return tile_after(c, s->next);
}

static const struct tile_step *run_aux_first(struct tile_context *c, const struct tile_step *s)
{
    s->aux.run(c, &s->aux);
    s->main.run(c, &s->main);
    c->slots += s->slots;
    return tile_after(c, s->next);
}

/* The main instruction reads what the aux one writes, and writes what that reads: both begin from the old registers. */
static const struct tile_step *run_crossed(struct tile_context *c, const struct tile_step *s)
{
    uint32_t old[REG_A_WRITABLE], after[REG_A_WRITABLE];
    memcpy(old, c->r + REG_A, sizeof(old));
    s->aux.run(c, &s->aux);
    memcpy(after, c->r + REG_A, sizeof(after));
    memcpy(c->r + REG_A, old, sizeof(old));
    s->main.run(c, &s->main);
    uint64_t written = places(&s->aux, TILE_WRITTEN) >> REG_A;
    for (unsigned i = 0; i < REG_A_WRITABLE; ++i)
        if (written >> i & 1)
            c->r[REG_A + i] = after[i];
    c->slots += s->slots;
    return tile_after(c, s->next);
}

/* A branch or the like beside an aux instruction, which does not touch what it reads. */
static const struct tile_step *run_control(struct tile_context *c, const struct tile_step *s)
{
    c->next = s->next;
    s->aux.run(c, &s->aux);
    s->main.run(c, &s->main);
    c->slots += s->slots;
    return c->next;
}

static const struct tile_step *run_invalid(struct tile_context *c, const struct tile_step *s)
{
    struct tile_op op = { .address = s->address };
    tile_raise(c, &op, TILE_INVALID_INSTR, 0, "there is no valid instruction");
}

static const struct tile_step *run_past_end(struct tile_context *c, const struct tile_step *s)
{
    struct tile_op op = { .address = s->address };
    tile_raise(c, &op, TILE_INVALID_PC, 0, "execution runs past the end of the code");
}

/* setzi of a register that is not there: nop and fnop. */
static bool does_nothing(const struct tile_op *op)
{
    return strcmp(op->form->name, "setzi") == 0 && (op->to[0] == REG_LOST_M || op->to[0] == REG_LOST_A);
}

static unsigned slots_of(const struct tile_form *form)
{
    return tile_mnemonics[form->mnemonic].slots;
}

static void decode_lone(const struct tile_program *program, struct tile_step *step, uint32_t word)
{
    struct tile_instruction instruction;
    if (!tile_decode(word, &instruction) || !tile_arch_has(program->arch, instruction.form))
        return;
    make_op(&step->main, &instruction, step->address);
    step->slots = slots_of(instruction.form);
    step->run = instruction.form->flags & TILE_CONTROL ? run_lone_control : run_lone;
}

static void decode_bundle(const struct tile_program *program, struct tile_step *step, const uint32_t *words)
{
    struct tile_instruction main, aux;
    if (!(words[1] & TILE_BUNDLED) || !tile_decode(words[0], &main) || !tile_decode(words[1], &aux) ||
        main.form->lane != TILE_MAIN || aux.form->lane != TILE_AUX ||
        ((main.form->flags | aux.form->flags) & TILE_SOLO) || !tile_arch_has(program->arch, main.form) ||
        !tile_arch_has(program->arch, aux.form))
        return;
    make_op(&step->main, &main, step->address);
    make_op(&step->aux, &aux, step->address);
    bool main_feeds = places(&step->main, TILE_WRITTEN) & places(&step->aux, TILE_READ),
         aux_feeds = places(&step->aux, TILE_WRITTEN) & places(&step->main, TILE_READ);
    step->slots = slots_of(main.form) > slots_of(aux.form) ? slots_of(main.form) : slots_of(aux.form);
    step->run = main.form->flags & TILE_CONTROL ? run_control
                : does_nothing(&step->aux)      ? run_main_only
                : does_nothing(&step->main)     ? run_aux_only
                : main_feeds && aux_feeds       ? run_crossed
                : main_feeds                    ? run_aux_first
                                                : run_main_first;
    bool aux_leads = step->run == run_aux_only || step->run == run_aux_first,
         simple = aux_leads || step->run == run_main_only || step->run == run_main_first;
    step->first = !simple ? NULL : aux_leads ? &step->aux : &step->main;
    step->second = step->run == run_main_first ? &step->aux : step->run == run_aux_first ? &step->main : NULL;
    step->repeatable = !((main.form->flags | aux.form->flags) & TILE_CONTROL) && step->address % 8 == 0;
}

static void find_body(struct tile_step *step, const struct tile_step *end)
{
    if (!step->main.form || strcmp(step->main.form->name, "rpt") != 0)
        return;
    const struct tile_step *at = step->next;
    uint64_t slots = 0;
    for (int32_t i = 0; i <= step->main.second; ++i, at += 2) {
        if (at >= end || !at->repeatable)
            return;
        slots += at->slots;
    }
    step->body_end = at;
    step->body_slots = slots;
}

void tile_program_decode(struct tile_program *program)
{
    size_t words = program->code_bytes / 4;
    struct tile_step *steps = arena_zero(&program->arena, words + 2, sizeof(*steps));
    program->steps = steps;
    for (size_t i = 0; i < words + 2; ++i) {
        uint32_t word[2] = { 0, 0 };
        steps[i].address = program->base + (uint32_t)(4 * i);
        steps[i].run = i < words ? run_invalid : run_past_end;
        if (i >= words)
            continue;
        memcpy(word, program->image + 4 * i, i + 1 < words ? 8 : 4);
        steps[i].words = word[0] & TILE_BUNDLED ? 2 : 1;
        steps[i].next = steps + i + steps[i].words;
        (word[0] & TILE_BUNDLED ? decode_bundle(program, steps + i, word) : decode_lone(program, steps + i, word[0]));
    }
    for (size_t i = 0; i < words; ++i)
        find_body(steps + i, steps + words);
}
