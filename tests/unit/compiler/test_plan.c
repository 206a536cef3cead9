/* SPDX-License-Identifier: Apache-2.0 */
/* Copy plans: a plan moves the bytes of the naive element lists, for random views; a transpose is one move. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "compiler/lower/plan.h"
#include "graph/store/store.h"
#include "graph/view/view.h"
#include "image/move.h"
#include "rounds.h"

#include <poplar/poplar.h>

enum { VARIABLES = 2, ELEMENTS = 2 * 3 * 4 * 5 * 7, ELEMENT_BYTES = 4 };

struct fixture {
    pop_graph *graph;
    pop_tensor variable[VARIABLES];
    uint64_t storage[VARIABLES];
    uint64_t bytes;
    struct image *image;
    struct moves moves;
};

static void begin(struct fixture *f)
{
    pop_target target;
    pop_error error;
    assert_int_equal(pop_target_create_ipu(1, "ipu1", &target, &error), POP_OK);
    f->graph = pop_graph_create(&target);
    for (unsigned v = 0; v < VARIABLES; ++v) {
        f->variable[v] = pop_graph_add_variable(f->graph, POP_INT, POP_SHAPE(ELEMENTS), "v");
        f->storage[v] = 64 + v * (ELEMENTS * ELEMENT_BYTES + 64);
    }
    f->bytes = 64 + VARIABLES * (ELEMENTS * ELEMENT_BYTES + 64);
    f->image = image_create();
    f->moves = (struct moves){ .image = f->image };
}

static void end(struct fixture *f)
{
    assert_null(pop_graph_error(f->graph));
    moves_free(&f->moves);
    image_release(f->image);
    pop_graph_destroy(f->graph);
}

/* xorshift: the same views on every machine */
static uint64_t random_below(uint64_t *state, uint64_t limit)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state % limit;
}

/* ---- running a plan ---- */

static void move_digits(const struct image *image, const struct image_move *move, uint32_t digit, int64_t source,
                        int64_t destination, const unsigned char *from, unsigned char *to)
{
    const struct image_move_shape *shape = move_shape(image, move);
    if (digit == shape->digits) {
        memmove(to + destination, from + source, shape->bytes);
        return;
    }
    const struct image_digit *d = &image->move_digits.data[shape->first_digit + digit];
    for (uint64_t i = 0; i < d->extent; ++i)
        move_digits(image, move, digit + 1, source + (int64_t)i * d->source, destination + (int64_t)i * d->destination,
                    from, to);
}

static void run_copy(const struct image *image, uint32_t index, const unsigned char *from, size_t from_bytes,
                     unsigned char *to)
{
    const struct image_copy *copy = &image->copies.data[index];
    unsigned char *snapshot = copy->overlaps ? mem_copy(from, from_bytes) : NULL;
    uint64_t bytes = 0;
    for (uint32_t m = 0; m < copy->moves; ++m) {
        const struct image_move *move = &image->moves.data[copy->first_move + m];
        const struct image_move_shape *shape = move_shape(image, move);
        uint64_t moved = shape->bytes;
        for (uint32_t d = 0; d < shape->digits; ++d)
            moved *= image->move_digits.data[shape->first_digit + d].extent;
        bytes += moved;
        move_digits(image, move, 0, (int64_t)move_source(move), (int64_t)move_destination(move),
                    snapshot ? snapshot : from, to);
    }
    assert_int_equal(bytes, copy->bytes);
    free(snapshot);
}

/* ---- naive element lists ---- */

struct list {
    VEC(uint64_t) at; /* byte offsets in storage */
    const uint64_t *storage;
};

static bool add_elements(const struct run *run, void *context)
{
    struct list *list = context;
    for (uint64_t i = 0; i < run->count; ++i)
        *vec_push(&list->at) = list->storage[run->variable] + (run->offset + i) * ELEMENT_BYTES;
    return true;
}

static struct list list_of(const struct fixture *f, pop_tensor t)
{
    struct list list = { .storage = f->storage };
    tensor_each_run(t, add_elements, &list);
    assert_int_equal(list.at.count, pop_tensor_num_elements(t));
    return list;
}

static unsigned char *new_storage(const struct fixture *f)
{
    unsigned char *storage = mem_alloc(f->bytes);
    for (uint64_t i = 0; i < f->bytes; ++i)
        storage[i] = (unsigned char)(i * 131 + (i >> 8) * 7);
    return storage;
}

static uint32_t plan(struct fixture *f, pop_tensor source, pop_tensor destination)
{
    return plan_copy(&f->moves, f->storage, plan_side_of_view(view_keep(source)),
                     plan_side_of_view(view_keep(destination)), pop_tensor_num_elements(source), ELEMENT_BYTES);
}

static void check_copy(struct fixture *f, pop_tensor source, pop_tensor destination)
{
    uint32_t copy = plan(f, source, destination);
    unsigned char *storage = new_storage(f), *expected = new_storage(f), *before = new_storage(f);
    struct list from = list_of(f, source), to = list_of(f, destination);
    assert_int_equal(from.at.count, to.at.count);
    for (size_t i = 0; i < from.at.count; ++i)
        memcpy(expected + to.at.data[i], before + from.at.data[i], ELEMENT_BYTES);
    run_copy(f->image, copy, storage, f->bytes, storage);
    assert_memory_equal(storage, expected, f->bytes);

    /* the same two views as source and destination of a buffer */
    size_t bytes = from.at.count * ELEMENT_BYTES;
    unsigned char *buffer = mem_alloc(bytes), *gathered = mem_alloc(bytes);
    for (size_t i = 0; i < from.at.count; ++i)
        memcpy(gathered + i * ELEMENT_BYTES, before + from.at.data[i], ELEMENT_BYTES);
    copy = plan_copy(&f->moves, f->storage, plan_side_of_view(view_keep(source)), PLAN_BUFFER, from.at.count,
                     ELEMENT_BYTES);
    run_copy(f->image, copy, before, f->bytes, buffer);
    assert_memory_equal(buffer, gathered, bytes);
    copy = plan_copy(&f->moves, f->storage, PLAN_BUFFER, plan_side_of_view(view_keep(destination)), to.at.count,
                     ELEMENT_BYTES);
    run_copy(f->image, copy, buffer, bytes, before);
    assert_memory_equal(before, expected, f->bytes);

    free(buffer), free(gathered), free(storage), free(expected), free(before);
    vec_free(&from.at), vec_free(&to.at);
}

/* ---- random views ---- */

static pop_tensor random_shape(uint64_t *state, pop_tensor t)
{
    size_t dims[8], rank = 0, left = pop_tensor_num_elements(t);
    static const size_t factors[] = { 2, 3, 4, 5, 7, 6, 10, 14 };
    for (unsigned tries = 0; left > 1 && tries < 6 && rank < 7; ++tries) {
        size_t factor = factors[random_below(state, 8)];
        if (left % factor == 0) {
            dims[rank++] = factor;
            left /= factor;
        }
    }
    dims[rank++] = left;
    return pop_tensor_reshape(t, ((pop_shape){ rank, dims }));
}

static pop_tensor random_step(uint64_t *state, pop_tensor t)
{
    size_t rank = pop_tensor_rank(t);
    if (!rank)
        return t;
    unsigned dim = (unsigned)random_below(state, rank);
    size_t extent = pop_tensor_dim(t, dim);
    switch (random_below(state, 6)) {
    case 0:
        return pop_tensor_reverse(t, dim);
    case 1:
        return pop_tensor_dim_roll(t, dim, (unsigned)random_below(state, rank));
    case 2: {
        size_t first = random_below(state, extent + 1), last = first + random_below(state, extent - first + 1);
        return last - first >= extent / 2 ? pop_tensor_slice(t, first, last, dim) : t;
    }
    case 3:
        return extent > 3 && random_below(state, 3) == 0 ? pop_tensor_sub_sample(t, 2, dim) : t;
    case 4:
        return random_shape(state, t);
    default: { /* swaps the two parts of t: a concatenation without aliases */
        size_t cut = random_below(state, extent + 1);
        return pop_tensor_concat(POP_TENSORS(pop_tensor_slice(t, cut, extent, dim), pop_tensor_slice(t, 0, cut, dim)),
                                 dim);
    }
    }
}

static pop_tensor random_view(uint64_t *state, pop_tensor t)
{
    t = random_shape(state, t);
    for (uint64_t steps = random_below(state, 6); steps; --steps)
        t = random_step(state, t);
    return t;
}

/* A view of exactly n elements: cut, or repeated (aliases, as sources may have). */
static pop_tensor of_size(pop_tensor t, size_t n)
{
    t = pop_tensor_flatten(t);
    size_t have = pop_tensor_num_elements(t);
    if (have && have < n)
        t = pop_tensor_broadcast(t, (unsigned)(n / have + 1), 0);
    return pop_tensor_slice(t, 0, n, 0);
}

static void test_random_copies(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    uint64_t seed = 0x9e3779b97f4a7c15u;
    for (unsigned round = 0; round < rounds(3000); ++round) {
        pop_mark mark = pop_graph_mark(f.graph);
        pop_tensor destination = random_view(&seed, f.variable[random_below(&seed, VARIABLES)]);
        pop_tensor source = random_view(&seed, f.variable[random_below(&seed, VARIABLES)]);
        if (!pop_tensor_num_elements(source))
            continue;
        source = of_size(source, pop_tensor_num_elements(destination));
        check_copy(&f, source, destination);
        pop_graph_release(f.graph, mark);
    }
    end(&f);
}

static void test_small_copies(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    pop_tensor a = f.variable[0], b = f.variable[1];
    check_copy(&f, pop_tensor_slice(a, 3, 3, 0), pop_tensor_slice(b, 9, 9, 0));   /* nothing */
    check_copy(&f, pop_tensor_at(a, 5), pop_tensor_at(b, ELEMENTS - 1));          /* rank 0 */
    check_copy(&f, pop_tensor_slice(a, 1, 14, 0), pop_tensor_slice(a, 2, 15, 0)); /* overlapping by all but one */
    check_copy(&f, pop_tensor_slice(a, 2, 15, 0), pop_tensor_slice(a, 1, 14, 0));
    check_copy(&f, pop_tensor_reverse(pop_tensor_slice(a, 0, 13, 0), 0),
               pop_tensor_slice(a, 0, 13, 0)); /* onto itself, reversed */
    check_copy(&f, a, a);
    check_copy(&f, pop_tensor_broadcast(pop_tensor_slice(a, 7, 8, 0), 11, 0), pop_tensor_slice(b, 1, 12, 0));
    end(&f);
}

/* Extents that do not divide each other: 6 x 4 read by columns into 4 x 6 written by columns. */
static void test_unlike_shapes(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    pop_tensor a = pop_tensor_transpose(pop_tensor_reshape(pop_tensor_slice(f.variable[0], 0, 24, 0), POP_SHAPE(6, 4)));
    pop_tensor b = pop_tensor_transpose(pop_tensor_reshape(pop_tensor_slice(f.variable[1], 0, 24, 0), POP_SHAPE(4, 6)));
    check_copy(&f, a, b);
    check_copy(&f, b, a);
    end(&f);
}

static void test_transpose_is_one_move(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    pop_tensor a = pop_graph_add_variable(f.graph, POP_INT, POP_SHAPE(4096, 4096), "a");
    pop_tensor b = pop_graph_add_variable(f.graph, POP_INT, POP_SHAPE(4096, 4096), "b");
    uint64_t storage[] = { 0, 0, 64, 64 + 4096ull * 4096 * 4 + 64 };
    const struct view *source = view_keep(pop_tensor_transpose(a)), *destination = view_keep(b);
    uint32_t copy =
        plan_copy(&f.moves, storage, plan_side_of_view(source), plan_side_of_view(destination), 4096ull * 4096, 4);
    assert_int_equal(f.image->copies.data[copy].moves, 1);
    assert_int_equal(move_shape(f.image, &f.image->moves.data[0])->digits, 2);
    assert_int_equal(f.image->copies.data[copy].overlaps, 0);
    /* its inverse, and a copy of a block of columns, whose rows are contiguous */
    copy = plan_copy(&f.moves, storage, plan_side_of_view(destination), plan_side_of_view(source), 4096ull * 4096, 4);
    assert_int_equal(f.image->copies.data[copy].moves, 1);
    const struct view *columns = view_keep(pop_tensor_slice(a, 100, 200, 1)),
                      *others = view_keep(pop_tensor_slice(b, 0, 100, 1));
    copy = plan_copy(&f.moves, storage, plan_side_of_view(columns), plan_side_of_view(others), 4096ull * 100, 4);
    assert_int_equal(f.image->copies.data[copy].moves, 1);
    const struct image_move_shape *shape =
        move_shape(f.image, &f.image->moves.data[f.image->copies.data[copy].first_move]);
    assert_int_equal(shape->bytes, 400);
    assert_int_equal(shape->digits, 1);
    /* one element more at the start misaligns everything, and costs a few moves */
    const struct view *shifted = view_keep(
        pop_tensor_concat(POP_TENSORS(pop_tensor_flatten(pop_tensor_slice_nd(b, POP_SHAPE(0, 0), POP_SHAPE(1, 1))),
                                      pop_tensor_flatten(pop_tensor_transpose(a))),
                          0));
    copy = plan_copy(&f.moves, storage, plan_side_of_view(shifted), PLAN_BUFFER, 4096ull * 4096 + 1, 4);
    assert_in_range(f.image->copies.data[copy].moves, 2, 4);
    end(&f);
}

/* Nor does a contiguous move leave a shape behind for each of its parts. */
static void test_equal_moves_share_a_shape(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    pop_tensor a = pop_tensor_reshape(f.variable[0], POP_SHAPE(7, 120)),
               b = pop_tensor_reshape(f.variable[1], POP_SHAPE(120, 7));
    for (size_t row = 0; row < 7; ++row)
        plan(&f, pop_tensor_slice(a, row, row + 1, 0), pop_tensor_transpose(pop_tensor_slice(b, row, row + 1, 1)));
    assert_int_equal(f.image->moves.count, 7);
    assert_int_equal(f.image->move_shapes.count, 1);
    assert_int_equal(f.image->move_digits.count, 1);
    pop_tensor flat = pop_tensor_flatten(a), first = pop_tensor_slice(flat, 0, 10, 0),
               second = pop_tensor_slice(flat, 10, 30, 0), third = pop_tensor_slice(flat, 30, 60, 0);
    plan(&f, pop_tensor_concat(POP_TENSORS(first, second, third), 0), pop_tensor_slice(f.variable[1], 0, 60, 0));
    assert_int_equal(f.image->moves.count, 8);
    assert_int_equal(f.image->move_shapes.count, 2);
    end(&f);
}

static void test_overlap_flag(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    pop_tensor a = f.variable[0], b = f.variable[1];
    uint32_t apart = plan(&f, pop_tensor_slice(a, 0, 10, 0), pop_tensor_slice(a, 10, 20, 0));
    uint32_t other = plan(&f, pop_tensor_slice(a, 0, 10, 0), pop_tensor_slice(b, 0, 10, 0));
    uint32_t meet = plan(&f, pop_tensor_slice(a, 0, 10, 0), pop_tensor_slice(a, 9, 19, 0));
    assert_false(f.image->copies.data[apart].overlaps);
    assert_false(f.image->copies.data[other].overlaps);
    assert_true(f.image->copies.data[meet].overlaps);
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_copies),
        cmocka_unit_test(test_unlike_shapes),
        cmocka_unit_test(test_equal_moves_share_a_shape),
        cmocka_unit_test(test_transpose_is_one_move),
        cmocka_unit_test(test_overlap_flag),
        cmocka_unit_test(test_random_copies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
