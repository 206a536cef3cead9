/* SPDX-License-Identifier: Apache-2.0 */
/* The size of a vertex on the device follows docs/reference/ipu-model.md, 3.2. */
#include "popc/device/device_layout.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
/* cmocka needs the above first */
#include <cmocka.h>

static pop_target machine(const char *system)
{
    pop_target target;
    pop_error error;
    assert_int_equal(pop_target_create_ipu(1, system, &target, &error), POP_OK);
    return target;
}

static struct codelet_field edge(enum field_shape shape, pop_type type, enum vector_layout layout, unsigned inner,
                                 unsigned alignment)
{
    uint32_t natural = (uint32_t)pop_type_size(type);
    return (struct codelet_field){ .direction = FIELD_INPUT,
                                   .shape = (uint8_t)shape,
                                   .type = (uint8_t)type,
                                   .layout = (uint8_t)layout,
                                   .inner_layout = (uint8_t)inner,
                                   .alignment = alignment > natural ? alignment : natural };
}

static struct codelet_field state(enum field_shape shape, pop_type type, enum vector_layout layout, unsigned inner,
                                  unsigned alignment)
{
    struct codelet_field field = edge(shape, type, layout, inner, alignment);
    field.direction = FIELD_STATE;
    return field;
}

static struct device_layout layout_of(struct codelet_field *fields, size_t count, const pop_target *target)
{
    struct device_layout layout;
    device_layout_make(&layout, &(struct codelet){ .fields = fields, .field_count = (uint32_t)count }, target);
    assert_int_equal(layout.fields_bytes + layout.edge_pointer_bytes + layout.padding_bytes, layout.state_bytes);
    return layout;
}
#define LAYOUT(fields, target) layout_of(fields, sizeof(fields) / sizeof(*(fields)), target)

static uint32_t bytes_of(const char *system, unsigned memory, enum vector_layout layout, unsigned alignment)
{
    pop_target target = machine(system);
    if (memory)
        target.bytes_per_tile = memory;
    struct codelet_field field = edge(SHAPE_VECTOR, POP_HALF, layout, 0, alignment);
    struct device_layout one = layout_of(&field, 1, &target);
    uint32_t bytes = one.fields[0].bytes;
    assert_int_equal(one.edge_pointer_bytes, bytes);
    device_layout_free(&one);
    return bytes;
}

static void vectors_have_the_sizes_of_the_table(void **unused)
{
    (void)unused;
    static const char *const systems[] = { "ipu1", "ipu2", "ipu21", "bow" };
    for (int i = 0; i < 4; ++i) {
        assert_int_equal(bytes_of(systems[i], 0, LAYOUT_SPAN, 0), 8);
        assert_int_equal(bytes_of(systems[i], 0, LAYOUT_SHORT_SPAN, 0), 4);
        assert_int_equal(bytes_of(systems[i], 0, LAYOUT_ONE_PTR, 0), 4);
        assert_int_equal(bytes_of(systems[i], 0, LAYOUT_SCALED_PTR32, 4), i ? 4 : 2);
        assert_int_equal(bytes_of(systems[i], 0, LAYOUT_SCALED_PTR64, 8), i ? 4 : 2);
        assert_int_equal(bytes_of(systems[i], 0, LAYOUT_SCALED_PTR128, 16), 2);
        /* layouts that the alignment of the data does not allow */
        assert_int_equal(bytes_of(systems[i], 0, LAYOUT_SCALED_PTR32, 2), 4);
        assert_int_equal(bytes_of(systems[i], 0, LAYOUT_SCALED_PTR128, 8), 4);
    }
}

static void a_compact_pointer_is_the_smallest_that_reaches_all_memory(void **unused)
{
    (void)unused;
    assert_int_equal(bytes_of("ipu1", 0, LAYOUT_COMPACT_PTR, 2), 4);
    assert_int_equal(bytes_of("ipu1", 0, LAYOUT_COMPACT_PTR, 4), 2);
    assert_int_equal(bytes_of("ipu1", (256 << 10) + 1, LAYOUT_COMPACT_PTR, 4), 4);
    assert_int_equal(bytes_of("ipu1", 512 << 10, LAYOUT_COMPACT_PTR, 8), 2);
    assert_int_equal(bytes_of("ipu1", (512 << 10) + 1, LAYOUT_COMPACT_PTR, 8), 4);
    assert_int_equal(bytes_of("ipu2", 0, LAYOUT_COMPACT_PTR, 8), 4);
    assert_int_equal(bytes_of("ipu2", 0, LAYOUT_COMPACT_PTR, 16), 2);
    assert_int_equal(bytes_of("ipu2", 1 << 20, LAYOUT_COMPACT_PTR, 16), 2);
    assert_int_equal(bytes_of("ipu2", (1 << 20) + 1, LAYOUT_COMPACT_PTR, 16), 4);
    assert_int_equal(bytes_of("ipu2", (1 << 20) + 1, LAYOUT_SHORT_SPAN, 0), 8);
}

/* 3.2's worked examples: 8 bytes of state and a pointer make 12; the guide's Doubler is one pointer; ScaledAdd has 16.
 */
static void sizes_match_the_published_ones(void **unused)
{
    (void)unused;
    pop_target target = machine("ipu1");
    struct codelet_field seed[] = { edge(SHAPE_VECTOR, POP_UNSIGNED_INT, LAYOUT_ONE_PTR, 0, 8),
                                    state(SHAPE_SCALAR, POP_UNSIGNED_INT, 0, 0, 0),
                                    state(SHAPE_SCALAR, POP_UNSIGNED_INT, 0, 0, 0) };
    struct device_layout layout = LAYOUT(seed, &target);
    assert_int_equal(layout.state_bytes, 12);
    assert_int_equal(layout.fields_bytes, 8);
    assert_int_equal(layout.edge_pointer_bytes, 4);
    device_layout_free(&layout);

    struct codelet_field doubler = edge(SHAPE_SCALAR, POP_FLOAT, 0, 0, 0);
    layout = layout_of(&doubler, 1, &target);
    assert_int_equal(layout.state_bytes, 4);
    assert_int_equal(layout.edge_pointer_bytes, 4);
    device_layout_free(&layout);

    struct codelet_field add[] = { edge(SHAPE_VECTOR, POP_FLOAT, LAYOUT_ONE_PTR, 0, 8),
                                   state(SHAPE_SCALAR, POP_UNSIGNED_SHORT, 0, 0, 0),
                                   edge(SHAPE_VECTOR, POP_FLOAT, LAYOUT_ONE_PTR, 0, 8),
                                   state(SHAPE_SCALAR, POP_FLOAT, 0, 0, 0) };
    layout = LAYOUT(add, &target);
    assert_int_equal(layout.state_bytes, 16);
    assert_int_equal(layout.padding_bytes, 2);
    assert_int_equal(layout.fields[2].offset, 8);
    device_layout_free(&layout);
}

static void plain_fields_are_aligned_as_in_c(void **unused)
{
    (void)unused;
    pop_target target = machine("ipu2");
    struct codelet_field fields[] = { state(SHAPE_SCALAR, POP_CHAR, 0, 0, 0), edge(SHAPE_SCALAR, POP_HALF, 0, 0, 0),
                                      state(SHAPE_SCALAR, POP_LONGLONG, 0, 0, 0),
                                      edge(SHAPE_VECTOR, POP_FLOAT, LAYOUT_SCALED_PTR128, 0, 16),
                                      state(SHAPE_SCALAR, POP_BOOL, 0, 0, 0) };
    struct device_layout layout = LAYOUT(fields, &target);
    const uint32_t offsets[] = { 0, 4, 8, 16, 18 };
    for (int i = 0; i < 5; ++i)
        assert_int_equal(layout.fields[i].offset, offsets[i]);
    assert_int_equal(layout.state_bytes, 24);
    assert_int_equal(layout.state_alignment, 8);
    assert_int_equal(layout.fields_bytes, 10);
    assert_int_equal(layout.edge_pointer_bytes, 6);
    assert_int_equal(layout.padding_bytes, 8);
    device_layout_free(&layout);

    layout = layout_of(NULL, 0, &target);
    assert_int_equal(layout.state_bytes, 1);
    device_layout_free(&layout);
}

/* Tables of inner pointers and vectors of state are field data, tables of vector lists are descriptors, data of edges
 * is neither. */
static void data_outside_the_state_is_counted_by_category(void **unused)
{
    (void)unused;
    pop_target mk1 = machine("ipu1"), mk2 = machine("ipu2");
    struct codelet_field fields[] = {
        edge(SHAPE_VECTORS, POP_FLOAT, LAYOUT_SPAN, LAYOUT_SPAN, 0),
        edge(SHAPE_VECTORS, POP_FLOAT, LAYOUT_ONE_PTR, LAYOUT_SCALED_PTR32, 0),
        edge(SHAPE_SCALARS, POP_HALF, LAYOUT_SPAN, 0, 0),
        edge(SHAPE_VECTOR_LIST, POP_HALF, LAYOUT_SPAN, LIST_COMPACT_DELTAN, 8),
        state(SHAPE_VECTOR, POP_CHAR, LAYOUT_SPAN, 0, 0),
        state(SHAPE_VECTORS, POP_LONGLONG, LAYOUT_SHORT_SPAN, LAYOUT_ONE_PTR, 0),
        edge(SHAPE_VECTOR, POP_FLOAT, LAYOUT_SPAN, 0, 0),
    };
    struct device_layout layout = LAYOUT(fields, &mk1);
    assert_int_equal(layout.edge_pointer_bytes, 8 + 4 + 8 + 6 + 8);
    assert_int_equal(layout.fields_bytes, 8 + 4);
    assert_int_equal(layout.fields[3].inner_layout, LIST_DELTAN);
    struct device_extra extra = { 0 };
    device_extra_add(&extra, layout.fields + 0, 3, 100);
    assert_int_equal(extra.edge_pointer_bytes, 24);
    device_extra_add(&extra, layout.fields + 1, 3, 100);
    assert_int_equal(extra.edge_pointer_bytes, 24 + 6);
    assert_int_equal(extra.padding_bytes, 2);
    device_extra_add(&extra, layout.fields + 2, 5, 5);
    assert_int_equal(extra.edge_pointer_bytes, 30 + 20);
    assert_int_equal(extra.descriptor_bytes, 0);
    device_extra_add(&extra, layout.fields + 3, 7, 70);
    assert_int_equal(extra.descriptor_bytes, 28);
    assert_int_equal(extra.fields_bytes, 0);
    device_extra_add(&extra, layout.fields + 4, 0, 5);
    assert_int_equal(extra.fields_bytes, 5);
    assert_int_equal(extra.padding_bytes, 2 + 3);
    device_extra_add(&extra, layout.fields + 5, 3, 4);
    assert_int_equal(extra.fields_bytes, 5 + 12 + 32);
    assert_int_equal(extra.padding_bytes, 5 + 4);
    device_extra_add(&extra, layout.fields + 6, 1, 1000);
    assert_int_equal(device_extra_field_data(&extra), 50 + 49 + 9);
    device_layout_free(&layout);

    layout = LAYOUT(fields, &mk2);
    assert_int_equal(layout.fields[3].inner_layout, LIST_DELTANELEMENTS);
    assert_int_equal(layout.fields[1].entry_bytes, 4); /* that machine has no SCALED_PTR32 */
    device_layout_free(&layout);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_have_the_sizes_of_the_table),
        cmocka_unit_test(a_compact_pointer_is_the_smallest_that_reaches_all_memory),
        cmocka_unit_test(sizes_match_the_published_ones),
        cmocka_unit_test(plain_fields_are_aligned_as_in_c),
        cmocka_unit_test(data_outside_the_state_is_counted_by_category),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
