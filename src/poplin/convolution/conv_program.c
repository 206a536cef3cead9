/* SPDX-License-Identifier: Apache-2.0 */
#include "poplin/convolution/conv_program.h"
#include "poplin/params/params.h"

struct conv_program_phase {
    uint32_t number;
    pop_tensor *from, *to;
    size_t count, capacity; /* copies */
    pop_compute_set set;
};

struct conv_program conv_program_begin(pop_where where, pop_graph *graph, const char *name)
{
    return (struct conv_program){ .where = where, .graph = graph, .name = name };
}

/* Phases are kept in order. */
static struct conv_program_phase *phase_of(struct conv_program *program, uint32_t number)
{
    size_t at = program->count;
    while (at && program->phases[at - 1].number > number)
        --at;
    if (at && program->phases[at - 1].number == number)
        return &program->phases[at - 1];
    if (program->count == program->capacity) {
        program->capacity = program->capacity ? 2 * program->capacity : 16;
        program->phases = poplibs_resize(program->phases, program->capacity, sizeof(*program->phases));
    }
    memmove(program->phases + at + 1, program->phases + at, (program->count++ - at) * sizeof(*program->phases));
    program->phases[at] = (struct conv_program_phase){ .number = number };
    return &program->phases[at];
}

void conv_program_copy(struct conv_program *program, uint32_t number, pop_tensor from, pop_tensor to)
{
    struct conv_program_phase *phase = phase_of(program, number);
    if (phase->count == phase->capacity) {
        phase->capacity = phase->capacity ? 2 * phase->capacity : 4;
        phase->from = poplibs_resize(phase->from, phase->capacity, sizeof(*phase->from));
        phase->to = poplibs_resize(phase->to, phase->capacity, sizeof(*phase->to));
    }
    phase->from[phase->count] = from;
    phase->to[phase->count++] = to;
}

pop_compute_set conv_program_set(struct conv_program *program, uint32_t number, const char *name, const char *step)
{
    struct conv_program_phase *phase = phase_of(program, number);
    if (!phase->set.id) {
        char *path = poplin_path(name, step);
        phase->set = pop_graph_add_compute_set_at(program->where, program->graph, path);
        free(path);
    }
    return phase->set;
}

/* One copy for each type. */
static void add_copies(const struct conv_program *program, struct conv_program_phase *phase, pop_program sequence)
{
    while (phase->count && poplibs_ready(program->graph)) {
        pop_type type = pop_tensor_type(phase->from[0]);
        pop_tensor *from = poplibs_new(2 * phase->count, sizeof(*from)), *to = from + phase->count;
        size_t together = 0, others = 0;
        for (size_t i = 0; i < phase->count; ++i)
            if (pop_tensor_type(phase->from[i]) == type) {
                from[together] = pop_tensor_flatten_at(program->where, phase->from[i]);
                to[together++] = pop_tensor_flatten_at(program->where, phase->to[i]);
            } else {
                phase->from[others] = phase->from[i];
                phase->to[others++] = phase->to[i];
            }
        pop_tensor source = pop_tensor_concat_at(program->where, (pop_tensors){ together, from }, 0);
        pop_tensor destination = pop_tensor_concat_at(program->where, (pop_tensors){ together, to }, 0);
        pop_sequence_add_at(program->where, sequence,
                            pop_copy_at(program->where, source, destination, false, program->name));
        phase->count = others;
        free(from);
    }
}

void conv_program_end(struct conv_program *program, pop_program sequence)
{
    for (struct conv_program_phase *phase = program->phases; phase < program->phases + program->count; ++phase) {
        /* that set is there before it is known whether there is something to transpose */
        bool executes = phase->set.id && (phase->number != CONV_TRANSPOSE || phase->count);
        add_copies(program, phase, sequence);
        if (executes && poplibs_ready(program->graph))
            pop_sequence_add_at(program->where, sequence, pop_execute_at(program->where, phase->set, program->name));
        free(phase->from);
        free(phase->to);
    }
    free(program->phases);
    *program = (struct conv_program){ 0 };
}
