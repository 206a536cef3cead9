/* SPDX-License-Identifier: Apache-2.0 */
#include "target/copy_cost.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static pop_target machine(const char *text)
{
    pop_target target;
    assert_int_equal(pop_target_from_text(text, &target, NULL), POP_OK);
    return target;
}

static struct copy_vertex vertex_of(const pop_target *target, uint64_t bytes, uint64_t pieces, uint32_t alignment)
{
    return copy_vertex_for(target, &(struct copy_shape){ .bytes = bytes, .pieces = pieces, .alignment = alignment });
}

/* docs/reference/ipu-model.md, 1.4, 4.1. */
static void test_published_copies(void **state)
{
    (void)state;
    pop_target one = machine("ipu1");
    struct copy_vertex word = vertex_of(&one, 4, 1, 4);
    assert_string_equal(word.type, "poplar_rt::ShortMemcpy");
    assert_int_equal(63 * word.cycles, 4536); /* tutorial 7 */
    assert_int_equal(73 * word.cycles, 5256); /* the guide */
    assert_false(word.supervisor);
    struct copy_vertex column =
        copy_vertex_for(&one, &(struct copy_shape){ .bytes = 400, .pieces = 100, .alignment = 4, .scatters = true });
    assert_string_equal(column.type, "poplar_rt::DstStridedCopyDA32");
    assert_int_equal(column.vertices, 1);
    assert_int_equal(14592 * column.cycles, 11688192); /* LBM */
    struct copy_vertex block = vertex_of(&one, 8192, 1, 8);
    assert_string_equal(block.type, "poplar_rt::Memcpy64BitSupervisor");
    assert_true(block.supervisor);
    assert_int_equal(block.cycles, 1308);
}

static void test_types(void **state)
{
    (void)state;
    pop_target two = machine("ipu2");
    assert_string_equal(vertex_of(&two, 400, 1, 2).type, "poplar_rt::LongMemcpy");
    assert_string_equal(vertex_of(&two, 64, 4, 8).type, "poplar_rt::StridedCopy64BitMultiAccess");
    assert_string_equal(vertex_of(&two, 64, 4, 4).type, "poplar_rt::StridedCopyDA32");
    assert_string_equal(vertex_of(&two, 64, 4, 1).type, "poplar_rt::LongStridedCopy");
    struct copy_vertex copy = vertex_of(&two, 64, 4, 4);
    assert_int_equal(copy.state_bytes, copy.pointer_bytes + copy.descriptor_bytes);
}

/* Large copies are shared by as many vertices as there are workers, and take at least the time that all their bytes
 * need. */
static void test_shares(void **state)
{
    (void)state;
    pop_target two = machine("ipu2"), alone = machine("ipu2 workers=1");
    assert_int_equal(vertex_of(&two, 40000, 1, 4).vertices, 6);
    assert_int_equal(vertex_of(&two, 40000, 1, 4).cycles, 70 + 2 * 1667);
    assert_int_equal(vertex_of(&alone, 40000, 1, 4).vertices, 1);
    assert_int_equal(vertex_of(&two, 0, 1, 4).cycles, 70);
    assert_int_equal(vertex_of(&two, 3, 1, 0).cycles, 76);
    for (uint32_t alignment = 1; alignment < 8; alignment *= 2)
        for (uint64_t bytes = alignment; bytes < 20000; bytes += 8 * alignment) {
            struct copy_vertex now = vertex_of(&two, bytes, 3, alignment),
                               finer = vertex_of(&two, bytes, 3, alignment * 2);
            assert_in_range(now.vertices, 1, 6);
            assert_true(finer.cycles * finer.vertices <= now.cycles * now.vertices + 2 * 6 + 6 * 6);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published_copies),
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_shares),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
