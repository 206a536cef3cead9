/* SPDX-License-Identifier: Apache-2.0 */
#include "poplin/convolution/conv_program.h"
#include "poplin/params/params.h"

#include "poplibs/copies.h"

#include <assert.h>

struct conv_program_phase {
    uint32_t number;
    struct poplibs_copies copies;
    pop_compute_set set;
    pop_program after;
    bool has_after; /* whether `after` exists */
};

struct conv_program conv_program_begin(const struct call *call, const char *name)
{
    return (struct conv_program){ .call = call, .name = name };
}

/* Finds or inserts a phase; phases are sorted by number. */
static struct conv_program_phase *phase_of(struct conv_program *program, uint32_t number)
{
    size_t at = program->count;
    while (at && program->phases[at - 1].number > number)
        --at;
    if (at && program->phases[at - 1].number == number)
        return &program->phases[at - 1];
    program->phases = poplibs_grown(program->phases, &program->capacity, program->count + 1, sizeof(*program->phases));
    assert(at == program->count || program->phases[at].number > number);
    memmove(program->phases + at + 1, program->phases + at, (program->count++ - at) * sizeof(*program->phases));
    program->phases[at] = (struct conv_program_phase){ .number = number };
    return &program->phases[at];
}

void conv_program_copy(struct conv_program *program, uint32_t number, pop_tensor from, pop_tensor to)
{
    poplibs_copies_add(&phase_of(program, number)->copies, from, to);
}

void conv_program_fill(struct conv_program *program, uint32_t number, pop_tensor to)
{
    const struct call *call = program->call;
    pop_graph *graph = call->graph;
    pop_interval_lists pieces;
    size_t total = 0, at = 0;
    if (!call_ready(call))
        return;
    to = pop_tensor_flatten(to);
    if (!pop_graph_get_tile_mapping(graph, to, NULL, &pieces))
        return;
    size_t *longest = poplibs_zeros(pieces.count, sizeof(*longest)); /* by tile */
    for (size_t tile = 0; tile < pieces.count; total += longest[tile++])
        for (size_t i = pieces.first[tile]; i < pieces.first[tile + 1]; ++i)
            longest[tile] = poplibs_max(longest[tile], pieces.intervals[i].end - pieces.intervals[i].begin);
    pop_tensor zeros = pop_graph_add_constant_float(graph, pop_tensor_type(to), POP_SHAPE(total), 0,
                                                    call_path(call, program->name, "zeros"));
    for (size_t tile = 0; tile < pieces.count; at += longest[tile++]) {
        if (!longest[tile])
            continue;
        pop_tensor own = pop_tensor_slice(zeros, at, at + longest[tile], 0);
        pop_graph_set_tile_mapping(graph, own, (unsigned)tile);
        for (size_t i = pieces.first[tile]; i < pieces.first[tile + 1]; ++i) {
            pop_interval piece = pieces.intervals[i];
            conv_program_copy(program, number, pop_tensor_slice(own, 0, piece.end - piece.begin, 0),
                              pop_tensor_slice(to, piece.begin, piece.end, 0));
        }
    }
    free(longest);
    pop_interval_lists_free(&pieces);
}

pop_compute_set conv_program_set(struct conv_program *program, uint32_t number, const char *name, const char *step)
{
    const struct call *call = program->call;
    struct conv_program_phase *phase = phase_of(program, number);
    if (!phase->set.id)
        phase->set = pop_graph_add_compute_set(call->graph, call_path(call, name, step));
    return phase->set;
}

pop_program conv_program_sequence(struct conv_program *program, uint32_t number)
{
    const struct call *call = program->call;
    struct conv_program_phase *phase = phase_of(program, number);
    if (!phase->has_after)
        phase->after = pop_sequence(call->graph, program->name);
    phase->has_after = true;
    return phase->after;
}

/* Adds one copy for each element type. */
static void add_copies(const struct conv_program *program, struct poplibs_copies *copies, pop_program sequence)
{
    const struct call *call = program->call;
    while (copies->from.count && call_ready(call)) {
        const pop_tensor *from = copies->from.list, *to = copies->to.list;
        const pop_type type = pop_tensor_type(from[0]);
        struct poplibs_copies alike = { 0 }, others = { 0 };
        for (size_t i = 0; i < copies->from.count; ++i)
            if (pop_tensor_type(from[i]) == type)
                poplibs_copies_add(&alike, pop_tensor_flatten(from[i]), pop_tensor_flatten(to[i]));
            else
                poplibs_copies_add(&others, from[i], to[i]);
        call_copies(call, &alike, sequence, program->name);
        poplibs_copies_free(copies);
        *copies = others;
    }
    poplibs_copies_free(copies);
}

void conv_program_end(struct conv_program *program, pop_program sequence)
{
    const struct call *call = program->call;
    for (struct conv_program_phase *phase = program->phases; phase < program->phases + program->count; ++phase) {
        /* this compute set is created before it is known whether anything is transposed */
        bool executes = phase->set.id && (phase->number != CONV_TRANSPOSE || phase->copies.from.count);
        add_copies(program, &phase->copies, sequence);
        if (executes && call_ready(call))
            pop_sequence_add(sequence, pop_execute(phase->set, program->name));
        if (phase->has_after && call_ready(call))
            pop_sequence_add(sequence, phase->after);
    }
    free(program->phases);
    *program = (struct conv_program){ 0 };
}
