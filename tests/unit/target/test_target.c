/* SPDX-License-Identifier: Apache-2.0 */
#include <poplar/target.h>

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static pop_target ipu(const char *system)
{
    pop_target target;
    assert_int_equal(pop_target_create_ipu(1, system, &target, NULL), POP_OK);
    return target;
}

/* The published figures: docs/reference/ipu-model.md, 1.1. */
static void test_published_values(void **state)
{
    (void)state;
    pop_target one = ipu("ipu1"), two = ipu("ipu2"), bow = ipu("bow"), c600 = ipu("ipu21");
    assert_int_equal(pop_target_num_tiles(&one), 1216);
    assert_int_equal(pop_target_num_tiles(&two), 1472);
    assert_int_equal(one.bytes_per_tile, 256 * 1024);
    assert_int_equal(two.bytes_per_tile, 624 * 1024);
    assert_true(pop_target_memory_bytes(&one) == 304ull << 20);
    assert_true(one.tile_clock_frequency == 1.6e9 && two.tile_clock_frequency == 1.33e9 &&
                bow.tile_clock_frequency == 1.85e9);
    assert_string_equal(bow.system, "bow");
    assert_string_equal(bow.arch, "ipu2");
    assert_int_equal(pop_target_num_conv_units(&one, POP_HALF, POP_HALF), 8);
    assert_int_equal(pop_target_num_conv_units(&one, POP_FLOAT, POP_FLOAT), 8);
    assert_int_equal(pop_target_num_conv_units(&two, POP_HALF, POP_HALF), 16);
    assert_int_equal(pop_target_num_conv_units(&two, POP_HALF, POP_FLOAT), 8);
    assert_int_equal(pop_target_num_conv_units(&two, POP_FLOAT, POP_FLOAT), 16);
    assert_int_equal(pop_target_num_conv_units(&two, POP_FLOAT, POP_HALF), 0);
    assert_int_equal(pop_target_num_conv_units(&two, POP_QUARTER, POP_HALF), 0);
    assert_true(pop_target_num_conv_units(&c600, POP_QUARTER, POP_HALF) > 0);
    static const pop_type types[] = { POP_FLOAT, POP_HALF };
    for (int t = 0; t < 2; ++t) {
        assert_int_equal(pop_target_vector_width(&two, types[t]), 2 << t);
        assert_int_equal(pop_target_weights_per_conv_unit(&two, types[t]), 8 << t);
        assert_int_equal(pop_target_conv_unit_input_load_elems_per_cycle(&two, types[t]), 2 << t);
        assert_int_equal(pop_target_conv_unit_max_pipeline_depth(&two, types[t]), 4);
    }
    assert_int_equal(pop_target_weights_per_conv_unit(&two, POP_QUARTER), 0);
    assert_int_equal(pop_target_weights_per_conv_unit(&c600, POP_QUARTER), 32);
    assert_int_equal(pop_target_vector_width(&two, POP_QUARTER), 8);
    assert_int_equal(pop_target_vector_width(&two, POP_TYPE_NULL), 0);
    assert_int_equal(two.rpt_count_max, 4095);
    assert_int_equal(two.num_stride_bits, 10);
    assert_true(pop_target_supports_exchange_bus_sharing(&one));
    assert_int_equal(pop_target_tiles_per_shared_exchange_bus(&one), 2);
    assert_int_equal(pop_target_type_size(&two, POP_HALF), 2);
}

static void test_memory_elements(void **state)
{
    (void)state;
    unsigned offsets[64];
    pop_target one = ipu("ipu1"), two = ipu("ipu2");
    /* 8 elements, then 4 pairs; 13 elements, then 13 pairs. */
    assert_int_equal(pop_target_memory_element_offsets(&one, offsets, 64), 12);
    assert_int_equal(offsets[one.interleaved_memory_element_index], 0x20000);
    assert_int_equal(offsets[11], 0x20000 + 3 * 0x8000);
    assert_int_equal(pop_target_memory_element_offsets(&two, offsets, 64), 26);
    assert_int_equal(offsets[two.interleaved_memory_element_index], 0x34000);
    memset(offsets, 0xff, sizeof(offsets));
    assert_int_equal(pop_target_memory_element_offsets(&two, offsets, 3), 26);
    assert_int_equal(offsets[2], 0x8000);
    assert_int_equal(offsets[3], UINT32_MAX);
    assert_int_equal(pop_target_memory_element_offsets(&two, NULL, 0), 26);
    pop_target cpu = pop_target_create_cpu(false, 1);
    assert_int_equal(pop_target_memory_element_offsets(&cpu, offsets, 64), 1);
}

static void test_sync_delays(void **state)
{
    (void)state;
    pop_target one = ipu("ipu1"), two = ipu("ipu2");
    assert_int_equal(pop_target_sync_delay(&one, 0), 59);
    assert_int_equal(pop_target_sync_delay(&one, 391), 78);
    assert_int_equal(pop_target_sync_delay(&one, 1215), 118);
    assert_int_equal(pop_target_sync_delay(&two, 0), 63);
    assert_int_equal(pop_target_sync_delay(&two, 1471), 126);
    one.num_ipus = 2;
    assert_int_equal(pop_target_sync_delay(&one, 1216), 59); /* every IPU has the same delays */
    for (unsigned tile = 1; tile < 1216; ++tile)
        assert_true(pop_target_sync_delay(&one, tile) >= pop_target_sync_delay(&one, tile - 1));
    one.relative_sync_delay = POP_SYNC_DELAY_NONE;
    assert_int_equal(pop_target_sync_delay(&one, 1215), 59);
    one.relative_sync_delay = POP_SYNC_DELAY_AUTO;
    one.tiles_per_ipu = 1;
    assert_int_equal(pop_target_sync_delay(&one, 0), 59);
}

static void test_type_limits(void **state)
{
    (void)state;
    pop_target two = ipu("ipu2");
    static const struct {
        pop_type type;
        double low, high;
    } rows[] = {
        { POP_BOOL, 0, 1 },
        { POP_CHAR, -128, 127 },
        { POP_UNSIGNED_CHAR, 0, 255 },
        { POP_SHORT, -32768, 32767 },
        { POP_UNSIGNED_SHORT, 0, 65535 },
        { POP_INT, -2147483648.0, 2147483647 },
        { POP_UNSIGNED_INT, 0, 4294967295.0 },
        { POP_HALF, -65504, 65504 },
        { POP_FLOAT, -(double)FLT_MAX, (double)FLT_MAX },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        double low, high;
        assert_int_equal(pop_target_type_limits(&two, rows[i].type, &low, &high, NULL), POP_OK);
        assert_true(low == rows[i].low && high == rows[i].high);
    }
    double low = 7, high = 7;
    pop_error error;
    assert_int_equal(pop_target_type_limits(&two, POP_LONGLONG, &low, &high, &error), POP_OVERFLOW_ERROR);
    assert_int_equal(pop_target_type_limits(&two, POP_UNSIGNED_LONGLONG, &low, &high, NULL), POP_OVERFLOW_ERROR);
    assert_int_equal(pop_target_type_limits(&two, POP_DOUBLE, &low, &high, &error), POP_TYPE_ERROR);
    assert_string_equal(error.text, "the device has no type 'double'");
    assert_true(low == 7 && high == 7);
    assert_int_equal(pop_target_type_limits(&two, POP_INT, NULL, NULL, NULL), POP_OK);
}

static void test_type_limits_as_another_type(void **state)
{
    (void)state;
    pop_target two = ipu("ipu2");
    int64_t low = 7, low_of_int = 7;
    uint64_t high = 7;
    float real = 7;
    int16_t small = 7;
    assert_int_equal(pop_target_type_limits_as(&two, POP_LONGLONG, POP_LONGLONG, &low, NULL, NULL), POP_OK);
    assert_true(low == INT64_MIN);
    assert_int_equal(pop_target_type_limits_as(&two, POP_UNSIGNED_LONGLONG, POP_UNSIGNED_LONG, NULL, &high, NULL),
                     POP_OK);
    assert_true(high == UINT64_MAX);
    assert_int_equal(pop_target_type_limits_as(&two, POP_INT, POP_LONG, &low_of_int, NULL, NULL), POP_OK);
    assert_true(low_of_int == INT32_MIN);
    assert_int_equal(pop_target_type_limits_as(&two, POP_HALF, POP_FLOAT, NULL, &real, NULL), POP_OK);
    assert_true(real == 65504);
    assert_int_equal(pop_target_type_limits_as(&two, POP_CHAR, POP_SHORT, &small, NULL, NULL), POP_OK);
    assert_int_equal(small, -128);
    static const struct {
        pop_type type, as;
        bool exact;
    } rows[] = {
        { POP_INT, POP_INT, true },
        { POP_INT, POP_UNSIGNED_INT, false },
        { POP_UNSIGNED_INT, POP_INT, false },
        { POP_INT, POP_FLOAT, false },
        { POP_SHORT, POP_FLOAT, true },
        { POP_SHORT, POP_HALF, false },
        { POP_CHAR, POP_HALF, true },
        { POP_UNSIGNED_CHAR, POP_HALF, true },
        { POP_BOOL, POP_BOOL, true },
        { POP_BOOL, POP_HALF, true },
        { POP_CHAR, POP_BOOL, false },
        { POP_FLOAT, POP_HALF, false },
        { POP_FLOAT, POP_DOUBLE, true },
        { POP_HALF, POP_INT, false },
        { POP_LONGLONG, POP_UNSIGNED_LONGLONG, false },
        { POP_UNSIGNED_LONGLONG, POP_LONGLONG, false },
        { POP_UNSIGNED_LONGLONG, POP_DOUBLE, false },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        unsigned char a[8] = { 1, 2, 3, 4, 5, 6, 7, 8 }, b[8] = { 1, 2, 3, 4, 5, 6, 7, 8 }, same[8];
        memcpy(same, a, 8);
        pop_status status = pop_target_type_limits_as(&two, rows[i].type, rows[i].as, a, b, NULL);
        if (status != (rows[i].exact ? POP_OK : POP_OVERFLOW_ERROR))
            fail_msg("%s as %s", pop_type_name(rows[i].type), pop_type_name(rows[i].as));
        if (!rows[i].exact)
            assert_true(memcmp(a, same, 8) == 0 && memcmp(b, same, 8) == 0);
    }
    pop_error error;
    assert_int_equal(pop_target_type_limits_as(&two, POP_INT, POP_QUARTER, NULL, NULL, &error), POP_TYPE_ERROR);
    assert_int_equal(pop_target_type_limits_as(&two, POP_QUARTER, POP_FLOAT, NULL, NULL, &error), POP_TYPE_ERROR);
    assert_string_equal(error.text, "the limits of 'quarter' depend on its metadata");
    assert_int_equal(pop_target_type_limits_as(&two, POP_INT, POP_TYPE_NULL, NULL, NULL, &error), POP_TYPE_ERROR);
    assert_int_equal(pop_target_type_limits_as(&two, POP_INT, POP_FLOAT, NULL, NULL, &error), POP_OVERFLOW_ERROR);
    assert_string_equal(error.text, "the limits of 'int' are not exact as float");
}

static void test_targets_have_an_order(void **state)
{
    (void)state;
    pop_target targets[] = { ipu("ipu1"),
                             ipu("ipu2"),
                             ipu("bow"),
                             ipu("ipu21"),
                             pop_target_create_cpu(false, 1),
                             pop_target_create_cpu(true, 1),
                             ipu("ipu2"),
                             ipu("ipu2") };
    enum { COUNT = sizeof(targets) / sizeof(targets[0]) };
    targets[6].tile_clock_frequency = 1e9;
    targets[7].num_ipus = 256; /* numbers, not bytes, are compared */
    assert_true(pop_target_compare(&targets[1], &targets[7]) < 0);
    assert_true(pop_target_compare(&targets[6], &targets[1]) < 0);
    for (int i = 0; i < COUNT; ++i) {
        assert_int_equal(pop_target_compare(&targets[i], &targets[i]), 0);
        assert_int_equal(pop_target_compare(NULL, &targets[i]), -1);
        assert_int_equal(pop_target_compare(&targets[i], NULL), 1);
        for (int k = 0; k < COUNT; ++k) {
            int order = pop_target_compare(&targets[i], &targets[k]);
            assert_int_equal(order, -pop_target_compare(&targets[k], &targets[i]));
            assert_int_equal(order == 0, i == k);
            for (int l = 0; l < COUNT; ++l)
                if (order < 0 && pop_target_compare(&targets[k], &targets[l]) < 0)
                    assert_true(pop_target_compare(&targets[i], &targets[l]) < 0);
        }
    }
    assert_int_equal(pop_target_compare(NULL, NULL), 0);
}

/* Pods have chips of one kind, a number of IPUs, and racks of at most 64 that links join. */
static void test_systems_of_several(void **state)
{
    (void)state;
    static const struct {
        const char *name, *system;
        unsigned ipus, all, linked;
    } rows[] = { { "IPU-POD16", "ipu2", 4, 16, 16 },
                 { "IPU-POD64", "ipu2", 64, 64, 64 },
                 { "IPU-POD128", "ipu2", 128, 128, 64 },
                 { "IPU-POD128", "ipu2", 32, 128, 64 },
                 { "BOW-POD16", "bow", 16, 16, 16 },
                 { "bow_pod256", "bow", 65, 256, 64 },
                 { "pod4", "ipu2", 1, 4, 4 },
                 { "C600", "ipu21", 1, 1, 1 },
                 { "IPU-M2000", "ipu2", 4, 4, 4 },
                 { "", "ipu2", 2, 1, 1 } };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        pop_target some, whole;
        pop_error error;
        if (pop_target_create_ipu(rows[i].ipus, rows[i].name, &some, &error) != POP_OK)
            fail_msg("%s: %s", rows[i].name, error.text);
        assert_int_equal(some.num_ipus, rows[i].ipus);
        assert_string_equal(some.system, rows[i].system);
        unsigned linked = rows[i].ipus < rows[i].linked || !*rows[i].name ? rows[i].ipus : rows[i].linked;
        assert_int_equal(pop_target_ipu_link_domain_size(&some), linked);
        assert_int_equal(pop_target_create_ipu_options(0, 0, rows[i].name, (pop_options){ 0 }, &whole, &error), POP_OK);
        assert_int_equal(whole.num_ipus, rows[i].all);
    }
    pop_target target;
    pop_error error;
    assert_int_equal(pop_target_create_ipu(17, "IPU-POD16", &target, &error), POP_INVALID_MACHINE_MODEL);
    assert_string_equal(error.text, "IPU-POD16 has 16 IPUs, and 17 were asked for");
    assert_int_equal(pop_target_create_ipu(1, "IPU-POD17", &target, &error), POP_INVALID_MACHINE_MODEL);
    assert_non_null(strstr(error.text, "unknown system 'IPU-POD17' (did you mean 'IPU-POD16'?)"));
    assert_non_null(strstr(error.text, "BOW-POD1024"));
}

static void test_unknown_systems(void **state)
{
    (void)state;
    pop_target target = { 0 };
    pop_error error;
    assert_int_equal(pop_target_create_ipu(1, "ipu3", &target, &error), POP_INVALID_MACHINE_MODEL);
    static const char start[] =
        "unknown system 'ipu3' (did you mean 'ipu1'?), it can be ipu1, ipu2, bow or ipu21, or a "
        "system of several: IPU-M2000, IPU-POD4, ";
    assert_int_equal(strncmp(error.text, start, strlen(start)), 0);
    assert_string_equal(error.api, "pop_target_create_ipu");
    assert_int_equal(pop_target_create_ipu(1, "cpu", &target, NULL), POP_INVALID_MACHINE_MODEL);
    assert_int_equal(pop_target_create_ipu(1, NULL, &target, NULL), POP_INVALID_MACHINE_MODEL);
    assert_int_equal(pop_target_create_ipu(0, "ipu2", &target, &error), POP_INVALID_MACHINE_MODEL);
    assert_string_equal(error.text, "num_ipus is 0, it must be from 1 to 65536");
    assert_int_equal(target.tiles_per_ipu, 0);
}

static void test_check_names_the_field(void **state)
{
    (void)state;
    pop_error error;
#define REFUSED(change, words)                                                                                         \
    do {                                                                                                               \
        pop_target t = ipu("ipu2");                                                                                    \
        change;                                                                                                        \
        assert_int_equal(pop_target_check(&t, &error), POP_INVALID_MACHINE_MODEL);                                     \
        assert_non_null(strstr(error.text, words));                                                                    \
    } while (0)
    REFUSED(t.tiles_per_ipu = 0, "tiles_per_ipu is 0, it must be from 1");
    REFUSED(t.num_worker_contexts = 0, "num_worker_contexts is 0, it must be from 1 to 64");
    REFUSED(t.num_worker_contexts = 65, "num_worker_contexts is 65");
    REFUSED(t.tile_clock_frequency = 0, "tile_clock_frequency is 0, it must be from 1000 to 1e+12");
    REFUSED(t.tile_clock_frequency = NAN, "tile_clock_frequency is");
    REFUSED(t.tile_clock_frequency = 1e15, "tile_clock_frequency is 1e+15");
    REFUSED(t.num_ipus = 713, "is 1049536 tiles, there must be at most 1048576");
    REFUSED((t.num_ipus = 65536, t.tiles_per_ipu = 1048576), "68719476736 tiles");
    REFUSED(t.interleaved_memory_element_index = 40,
            "interleaved_memory_element_index is 40, beyond the 39 memory elements");
    REFUSED(t.memory_element_bytes = 0, "memory_element_bytes is 0");
    REFUSED(t.memory_element_bytes = 638977, "more than the 638976 of bytes_per_tile");
    REFUSED(t.min_ipu_sync_delay = 127, "min_ipu_sync_delay is 127, more than max_ipu_sync_delay, 126");
    REFUSED(t.exchange_bytes_per_cycle = 0, "exchange_bytes_per_cycle is 0");
    REFUSED(t.host_bytes_per_kilocycle = 0, "host_bytes_per_kilocycle is 0");
    REFUSED(t.data_path_width = 65, "multiple of 8 bits");
    REFUSED(t.atomic_store_granularity = 3, "power of two");
    REFUSED(t.type = (pop_target_type)3, "type is 3, which is none of ipu|ipu_model|cpu");
    REFUSED(memset(t.system, 'x', sizeof(t.system)), "system does not end");
    REFUSED(strcpy(t.arch, "two words"), "arch has a character that is not allowed");
    REFUSED(t.system[0] = 0, "system is empty");
    assert_int_equal(pop_target_check(NULL, &error), POP_INVALID_MACHINE_MODEL);
    assert_int_equal(pop_target_check(NULL, NULL), POP_INVALID_MACHINE_MODEL);
    static const char *const systems[] = { "ipu1", "ipu2", "bow", "ipu21" };
    for (int i = 0; i < 4; ++i) {
        pop_target t = ipu(systems[i]);
        assert_int_equal(pop_target_check(&t, NULL), POP_OK);
    }
    pop_target cpu = pop_target_create_cpu(true, 0);
    assert_int_equal(pop_target_check(&cpu, NULL), POP_OK);
    assert_true(cpu.accurate_half && cpu.num_worker_contexts == 1 && pop_target_num_tiles(&cpu) == 1);
}

static void test_virtual_targets(void **state)
{
    (void)state;
    pop_target two = ipu("ipu2");
    two.num_ipus = 4;
    pop_target part = pop_target_create_virtual(&two, 2, 100);
    assert_int_equal(pop_target_num_tiles(&part), 200);
    assert_int_equal(part.bytes_per_tile, two.bytes_per_tile);
    part = pop_target_create_virtual(&two, 9, 9999);
    assert_true(pop_target_equal(&part, &two));
}

static void test_equality_and_hash(void **state)
{
    (void)state;
    pop_target a = ipu("ipu2"), b = ipu("ipu2");
    memset(b.system + strlen(b.system) + 1, 'x', 3); /* bytes after the name's end are ignored */
    assert_true(pop_target_equal(&a, &b));
    assert_true(pop_target_hash(&a) == pop_target_hash(&b));
    b.num_stride_bits = 11;
    assert_false(pop_target_equal(&a, &b));
    assert_true(pop_target_hash(&a) != pop_target_hash(&b));
    b = ipu("bow");
    assert_false(pop_target_equal(&a, &b) || pop_target_equal(&a, NULL));
    assert_true(pop_target_equal(NULL, NULL));
}

static void test_null_targets(void **state)
{
    (void)state;
    assert_int_equal(pop_target_num_tiles(NULL), 0);
    assert_int_equal(pop_target_memory_bytes(NULL), 0);
    assert_int_equal(pop_target_vector_width(NULL, POP_FLOAT), 0);
    assert_int_equal(pop_target_type_size(NULL, POP_FLOAT), 0);
    assert_int_equal(pop_target_weights_per_conv_unit(NULL, POP_FLOAT), 0);
    assert_int_equal(pop_target_conv_unit_input_load_elems_per_cycle(NULL, POP_FLOAT), 0);
    assert_int_equal(pop_target_conv_unit_max_pipeline_depth(NULL, POP_FLOAT), 0);
    assert_int_equal(pop_target_num_conv_units(NULL, POP_FLOAT, POP_FLOAT), 0);
    assert_false(pop_target_supports_exchange_bus_sharing(NULL));
    assert_int_equal(pop_target_tiles_per_shared_exchange_bus(NULL), 0);
    assert_int_equal(pop_target_memory_element_offsets(NULL, NULL, 0), 0);
    assert_int_equal(pop_target_sync_delay(NULL, 0), 0);
    assert_int_equal(pop_target_hash(NULL), 0);
    pop_target none = pop_target_create_virtual(NULL, 1, 1);
    assert_int_equal(pop_target_num_tiles(&none), 0);
    char text[8] = "rubbish";
    assert_int_equal(pop_target_to_text(NULL, text, sizeof(text)), 0);
    assert_string_equal(text, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published_values),
        cmocka_unit_test(test_memory_elements),
        cmocka_unit_test(test_sync_delays),
        cmocka_unit_test(test_type_limits),
        cmocka_unit_test(test_systems_of_several),
        cmocka_unit_test(test_unknown_systems),
        cmocka_unit_test(test_check_names_the_field),
        cmocka_unit_test(test_virtual_targets),
        cmocka_unit_test(test_equality_and_hash),
        cmocka_unit_test(test_null_targets),
        cmocka_unit_test(test_type_limits_as_another_type),
        cmocka_unit_test(test_targets_have_an_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
