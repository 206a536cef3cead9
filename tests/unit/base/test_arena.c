/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/vec.h"

static void arena_zero_gives_zeroed_blocks_of_any_size(void **state)
{
    (void)state;
    static const size_t sizes[] = { 0, 1, 15, 16, 4095, 4096, 4097, 100000, 3 << 20 };
    struct arena arena = { 0 };
    for (int round = 0; round < 3; ++round)
        for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); ++i) {
            unsigned char *block = arena_zero(&arena, sizes[i], 1);
            assert_true((uintptr_t)block % 16 == 0);
            for (size_t k = 0; k < sizes[i]; ++k)
                assert_int_equal(block[k], 0);
            if (sizes[i])
                memset(block, 0xff, sizes[i]);
        }
    arena_free(&arena);
}

/* The sanitizer finds what is not freed, or freed twice. */
static void arena_frees_an_adopted_array_after_reallocation(void **state)
{
    (void)state;
    struct arena arena = { 0 };
    struct numbers {
        VEC(int) list;
    } *numbers = ARENA_NEW(&arena, struct numbers);
    VEC(int) outside = { 0 };
    arena_adopt_vec(&arena, &numbers->list);
    arena_adopt_vec(&arena, &outside);
    for (int i = 0; i < 10000; ++i)
        *vec_push(&numbers->list) = *vec_push(&outside) = i;
    assert_int_equal(numbers->list.data[9999], 9999);
    vec_free(&outside); /* which leaves nothing to free */
    arena_free(&arena);
    assert_null(arena.block);
    assert_null(arena.adopted);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arena_zero_gives_zeroed_blocks_of_any_size),
        cmocka_unit_test(arena_frees_an_adopted_array_after_reallocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
