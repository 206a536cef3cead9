/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes of kept pieces: equal ones are one, and a kept piece is what was kept. */
#include "graph/store/piece_shapes.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static struct kept_piece keep(struct piece_shapes *shapes, const struct piece *piece)
{
    return (struct kept_piece){ piece->variable, (uint32_t)piece->offset, piece_shapes_add(shapes, piece) };
}

static void assert_piece(const struct piece *piece, const struct piece *expected)
{
    assert_int_equal(piece->variable, expected->variable);
    assert_int_equal(piece->offset, expected->offset);
    assert_int_equal(piece->elements, expected->elements);
    assert_int_equal(piece->digits, expected->digits);
    for (uint32_t i = 0; i < piece->digits; ++i) {
        assert_int_equal(piece->digit[i].extent, expected->digit[i].extent);
        assert_int_equal(piece->digit[i].stride, expected->digit[i].stride);
    }
}

static void equal_shapes_are_one(void **state)
{
    (void)state;
    struct piece_shapes shapes = { 0 };
    struct digit digit[] = { { 3, -100 }, { 4, 1 } }, other[] = { { 3, -100 }, { 4, 2 } };
    struct piece first = { 7, 2, 1000, 12, digit }, second = first;
    uint32_t shape = piece_shapes_add(&shapes, &first);
    second.variable = 9;
    second.offset = 2000;
    assert_int_equal(piece_shapes_add(&shapes, &second), shape);
    second.digit = other;
    assert_int_not_equal(piece_shapes_add(&shapes, &second), shape);
    assert_int_equal(piece_shapes_add(&shapes, &first), shape);
    first.offset = (uint64_t)1 << 32; /* its high bits are the shape's */
    assert_int_not_equal(piece_shapes_add(&shapes, &first), shape);
    piece_shapes_free(&shapes);
}

static void pieces_are_what_was_kept(void **state)
{
    enum { PIECES = 5000 };
    (void)state;
    struct piece_shapes shapes = { 0 };
    struct piece pieces[PIECES];
    struct digit digits[PIECES];
    struct kept_piece kept[PIECES];
    for (uint32_t i = 0; i < PIECES; ++i) { /* no digits, and one of up to 2000 different ones */
        digits[i] = (struct digit){ 2 + i % 1000, i % 2 ? 1 : -3 };
        pieces[i] =
            (struct piece){ i % 17, i % 5 > 0, (uint64_t)i * 12345678901u, i % 5 ? 2 + i % 1000 : 1, &digits[i] };
        kept[i] = keep(&shapes, &pieces[i]);
    }
    struct view view = { .piece_count = PIECES, .pieces = kept, .shapes = &shapes };
    for (uint32_t i = 0; i < PIECES; ++i) {
        struct piece piece = view_piece(&view, i);
        assert_piece(&piece, &pieces[i]);
    }
    piece_shapes_free(&shapes);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(equal_shapes_are_one),
                                        cmocka_unit_test(pieces_are_what_was_kept) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
