/* SPDX-License-Identifier: Apache-2.0 */
/* Copy between views: with any kind of overlap the source is read first. */
#include "views.h"

#include <stdlib.h>
#include <string.h>

static void slices_shifted_by_one_in_both_directions(struct fixture *w)
{
    pop_tensor v = fixture_variable(w, POP_INT, POP_SHAPE(7), "v");
    pop_tensor head = pop_tensor_slice(v, 0, 6, 0), tail = pop_tensor_slice(v, 1, 7, 0);
    fixture_start(w, POP_PROGRAMS(pop_copy(head, tail, false, "up"), pop_copy(tail, head, false, "down")));
    FIXTURE_PUT(w, "v", ((const int[]){ 0, 1, 2, 3, 4, 5, 6 }));
    fixture_run(w, 0);
    FIXTURE_INTS(w, "v", 0, 0, 1, 2, 3, 4, 5);
    fixture_run(w, 1);
    fixture_run(w, 1);
    FIXTURE_INTS(w, "v", 1, 2, 3, 4, 5, 5, 5);
}

static void a_reverse_onto_itself(struct fixture *w)
{
    pop_tensor v = fixture_variable(w, POP_INT, POP_SHAPE(5), "v"),
               one = fixture_variable(w, POP_INT, POP_SHAPE(1), "one");
    fixture_start(w, POP_PROGRAMS(pop_copy(pop_tensor_reverse(v, 0), v, false, NULL),
                                  pop_copy(v, pop_tensor_reverse(v, 0), false, NULL),
                                  pop_copy(pop_tensor_reverse(one, 0), one, false, NULL), pop_copy(v, v, false, NULL)));
    FIXTURE_PUT(w, "v", ((const int[]){ 1, 2, 3, 4, 5 }));
    fixture_run(w, 0);
    FIXTURE_INTS(w, "v", 5, 4, 3, 2, 1);
    fixture_run(w, 1);
    FIXTURE_INTS(w, "v", 1, 2, 3, 4, 5);
    fixture_run(w, 3);
    FIXTURE_INTS(w, "v", 1, 2, 3, 4, 5);
    fixture_run(w, 2);
    FIXTURE_INTS(w, "one", 0);
}

static void a_transpose_onto_itself(struct fixture *w)
{
    enum { N = 5 };
    pop_tensor m = fixture_variable(w, POP_SHORT, POP_SHAPE(N, N), "m"),
               flat = fixture_variable(w, POP_INT, POP_SHAPE(2, 3), "flat");
    pop_tensor as_columns = pop_tensor_transpose(pop_tensor_reshape(flat, POP_SHAPE(3, 2)));
    fixture_start(
        w, POP_PROGRAMS(pop_copy(pop_tensor_transpose(m), m, false, NULL), pop_copy(as_columns, flat, false, NULL)));
    short values[N][N], expected[N][N];
    for (short i = 0; i < N; ++i)
        for (short j = 0; j < N; ++j) {
            values[i][j] = (short)(10 * i + j);
            expected[i][j] = (short)(10 * j + i);
        }
    FIXTURE_PUT(w, "m", values);
    fixture_run(w, 0);
    fixture_expect(w, "m", POP_SHORT, expected, sizeof(expected));
    FIXTURE_PUT(w, "flat", ((const int[]){ 0, 1, 2, 3, 4, 5 }));
    fixture_run(w, 1);
    FIXTURE_INTS(w, "flat", 0, 2, 4, 1, 3, 5);
}

static void swapped_halves(struct fixture *w)
{
    pop_tensor a = fixture_variable(w, POP_FLOAT, POP_SHAPE(3), "a"),
               b = fixture_variable(w, POP_FLOAT, POP_SHAPE(3), "b");
    pop_tensor ab = pop_tensor_concat(POP_TENSORS(a, b), 0), ba = pop_tensor_concat(POP_TENSORS(b, a), 0);
    fixture_start(w, POP_PROGRAMS(pop_copy(ab, ba, false, NULL)));
    FIXTURE_PUT(w, "a", ((const float[]){ 1, 2, 3 }));
    FIXTURE_PUT(w, "b", ((const float[]){ 4, 5, 6 }));
    fixture_run(w, 0);
    FIXTURE_FLOATS(w, "a", 4, 5, 6);
    FIXTURE_FLOATS(w, "b", 1, 2, 3);
}

static void broadcasts_and_constants_are_sources(struct fixture *w)
{
    pop_tensor v = fixture_variable(w, POP_INT, POP_SHAPE(2, 3), "v"),
               row = fixture_variable(w, POP_INT, POP_SHAPE(3), "row");
    pop_tensor rows = pop_tensor_broadcast(pop_tensor_reshape(row, POP_SHAPE(1, 3)), 2, 0);
    pop_tensor first = pop_tensor_broadcast(pop_tensor_reshape(pop_tensor_at(row, 0), POP_SHAPE(1)), 6, 0);
    fixture_start(w, POP_PROGRAMS(pop_copy(rows, v, false, NULL), pop_copy(first, v, false, NULL),
                                  pop_copy(fixture_constant(w, POP_INT, POP_SHAPE(6), 4), v, true, NULL),
                                  pop_copy(fixture_ints(w, 3, (const int[]){ 7, 8, 9 }), row, true, NULL)));
    fixture_run(w, 3);
    FIXTURE_INTS(w, "row", 7, 8, 9);
    fixture_run(w, 0);
    FIXTURE_INTS(w, "v", 7, 8, 9, 7, 8, 9);
    fixture_run(w, 1);
    FIXTURE_INTS(w, "v", 7, 7, 7, 7, 7, 7);
    fixture_run(w, 2);
    FIXTURE_INTS(w, "v", 4, 4, 4, 4, 4, 4);
}

static void rank_0_and_rank_8(struct fixture *w)
{
    pop_tensor scalar = fixture_variable(w, POP_LONGLONG, POP_SHAPE(), "scalar");
    pop_tensor deep = fixture_variable(w, POP_LONGLONG, POP_SHAPE(1, 2, 1, 1, 3, 1, 1, 1), "deep");
    pop_tensor rolled = pop_tensor_transpose(deep);
    fixture_start(
        w, POP_PROGRAMS(pop_copy(rolled, deep, false, NULL),
                        pop_copy(pop_tensor_index(deep, POP_SHAPE(0, 1, 0, 0, 2, 0, 0, 0)), scalar, false, NULL)));
    FIXTURE_PUT(w, "deep", ((const int64_t[]){ 0, 1, 2, 3, 4, (int64_t)1 << 40 }));
    fixture_run(w, 1);
    fixture_expect(w, "scalar", POP_LONGLONG, (const int64_t[]){ (int64_t)1 << 40 }, 8);
    fixture_run(w, 0);
    fixture_expect(w, "deep", POP_LONGLONG, (const int64_t[]){ 0, 3, 1, 4, 2, (int64_t)1 << 40 }, 48);
}

/* ---- random programs of copies against arrays ---- */

enum { VARIABLES = 3, CELLS = 400, COPIES = 12 };

struct random_program {
    struct dice dice;
    struct fixture *w;
    pop_type type;
    size_t size;
    pop_tensor variable[VARIABLES];
    size_t first[VARIABLES], cells;
    unsigned char memory[CELLS * 8]; /* the naive machine */
    struct twin source, destination, extra;
};

static void random_view(struct random_program *p, struct twin *twin, bool aliases)
{
    size_t v = dice_roll(&p->dice, VARIABLES);
    twin_of_variable(twin, p->variable[v], (uint32_t)p->first[v]);
    for (uint32_t steps = dice_roll(&p->dice, 7); steps > 0; --steps)
        twin_step(twin, &p->dice, aliases);
}

static void random_variables(struct random_program *p)
{
    static const char *const names[] = { "v0", "v1", "v2" };
    for (size_t v = 0; v < VARIABLES; ++v) {
        size_t dims[3], rank = 1 + dice_roll(&p->dice, 3);
        for (size_t d = 0; d < rank; ++d)
            dims[d] = 1 + dice_roll(&p->dice, rank == 1 ? 120 : rank == 2 ? 11 : 5);
        p->variable[v] = fixture_variable(p->w, p->type, ((pop_shape){ rank, dims }), names[v]);
        p->first[v] = p->cells;
        p->cells += pop_tensor_num_elements(p->variable[v]);
    }
    assert_true(p->cells <= CELLS);
    for (size_t i = 0; i < p->cells * p->size; ++i)
        p->memory[i] = (unsigned char)dice_roll(&p->dice, 256);
}

/* One copy between random views of equal size, on the device and in the naive machine. */
static pop_program random_copy(struct random_program *p, unsigned char *memory)
{
    random_view(p, &p->source, true);
    if (dice_roll(&p->dice, 3) == 0) {
        random_view(p, &p->extra, true);
        twin_concat(&p->source, &p->extra);
    }
    do {
        random_view(p, &p->destination, false);
        if (dice_roll(&p->dice, 3) == 0) {
            random_view(p, &p->extra, false);
            twin_concat(&p->destination, &p->extra);
        }
    } while (twin_has_aliases(&p->destination));
    size_t count = p->source.count < p->destination.count ? p->source.count : p->destination.count;
    if (p->source.count != p->destination.count) {
        twin_cut(&p->source, dice_roll(&p->dice, (uint32_t)(p->source.count - count) + 1), count);
        twin_cut(&p->destination, dice_roll(&p->dice, (uint32_t)(p->destination.count - count) + 1), count);
    }
    unsigned char read[TWIN_ELEMENTS * 8];
    for (size_t i = 0; i < count; ++i)
        memcpy(read + i * p->size, memory + p->source.cell[i] * p->size, p->size);
    for (size_t i = 0; i < count; ++i)
        memcpy(memory + p->destination.cell[i] * p->size, read + i * p->size, p->size);
    return pop_copy(p->source.tensor, p->destination.tensor, false, NULL);
}

static void random_copies_of(struct fixture *w, pop_type type, uint64_t seed)
{
    static const char *const names[] = { "v0", "v1", "v2" };
    struct random_program *p = calloc(1, sizeof(*p));
    *p = (struct random_program){ .dice = { seed * 977 + type }, .w = w, .type = type, .size = pop_type_size(type) };
    random_variables(p);
    unsigned char start[CELLS * 8];
    memcpy(start, p->memory, sizeof(start));
    pop_program sequence = pop_sequence(w->graph, NULL);
    for (int i = 0; i < COPIES; ++i)
        pop_sequence_add(sequence, random_copy(p, p->memory));
    fixture_start(w, POP_PROGRAMS(sequence));
    for (size_t v = 0; v < VARIABLES; ++v)
        fixture_put(w, names[v], start + p->first[v] * p->size, pop_tensor_num_elements(p->variable[v]) * p->size);
    fixture_run(w, 0);
    for (size_t v = 0; v < VARIABLES; ++v) {
        unsigned char seen[CELLS * 8];
        size_t bytes = pop_tensor_num_elements(p->variable[v]) * p->size;
        fixture_get(w, names[v], seen, bytes);
        for (size_t i = 0; i < bytes; ++i)
            if (seen[i] != p->memory[p->first[v] * p->size + i])
                fail_msg("seed %llu, type %s: byte %zu of %s differs", (unsigned long long)seed, pop_type_name(type), i,
                         names[v]);
    }
    free(p);
}

static void random_programs_of_copies(void **state)
{
    (void)state;
    static const pop_type types[] = { POP_CHAR, POP_HALF, POP_FLOAT, POP_UNSIGNED_LONGLONG };
    const char *rounds = getenv("TREMULA_ROUNDS");
    uint64_t seeds = 60 * (rounds ? strtoull(rounds, NULL, 0) : 1);
    for (uint64_t seed = 1; seed <= seeds; ++seed)
        for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); ++i) {
            struct fixture w;
            fixture_open(&w, seed % 3 == 0 ? "cpu" : seed % 3 == 1 ? "ipu1" : "ipu2", seed % 2);
            random_copies_of(&w, types[i], seed);
            fixture_close(&w);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCENARIO(slices_shifted_by_one_in_both_directions),
        SCENARIO(a_reverse_onto_itself),
        SCENARIO(a_transpose_onto_itself),
        SCENARIO(swapped_halves),
        SCENARIO(broadcasts_and_constants_are_sources),
        SCENARIO(rank_0_and_rank_8),
        cmocka_unit_test(random_programs_of_copies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
