/* SPDX-License-Identifier: Apache-2.0 */
#include "target/device.h"
#include "target/target.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int clear(void **state)
{
    (void)state;
    unsetenv("TREMULA_IPU");
    unsetenv("POPLAR_TARGET_OPTIONS");
    return 0;
}

#define ALL_OPTIONS                                                                                                    \
    POP_OPTIONS({ "ipuLinkConfiguration", "SlidingWindow" }, { "ipuLinkTopology", "Torus" },                           \
                { "ipuLinkDomainSize", "64" }, { "syncConfiguration", "ipuAndAll" }, { "gatewayMode", "1" },           \
                { "instanceSize", "16" })

static void assert_all_options(const pop_target *target)
{
    assert_string_equal(target->ipu_link_configuration, "SlidingWindow");
    assert_string_equal(target->ipu_link_topology, "Torus");
    assert_string_equal(target->sync_configuration, "ipuAndAll");
    assert_int_equal(pop_target_ipu_link_domain_size(target), 64);
    assert_int_equal(pop_target_instance_size(target), 16);
    assert_true(target->gateway_mode);
}

static void test_targets_with_options(void **state)
{
    (void)state;
    pop_target target, plain;
    assert_int_equal(pop_target_create_ipu_options(4, 10, "ipu1", ALL_OPTIONS, &target, NULL), POP_OK);
    assert_int_equal(pop_target_num_tiles(&target), 40);
    assert_all_options(&target);
    assert_int_equal(pop_target_create_ipu_options(0, 0, "ipu1", POP_NO_OPTIONS, &target, NULL), POP_OK);
    assert_int_equal(pop_target_create_ipu(1, "ipu1", &plain, NULL), POP_OK);
    assert_true(pop_target_equal(&target, &plain));
    plain.num_ipus = 8;
    assert_int_equal(pop_target_ipu_link_domain_size(&plain), 8); /* all options, unless the variable is changed */
    assert_int_equal(pop_target_instance_size(&plain), 8);
    assert_int_equal(pop_target_ipu_link_domain_size(NULL), 0);
    assert_int_equal(pop_target_instance_size(NULL), 0);
}

static void test_the_environment_overrides(void **state)
{
    (void)state;
    pop_target target;
    setenv("POPLAR_TARGET_OPTIONS", "{\"ipuLinkDomainSize\": 4, \"gatewayMode\": false}", 1);
    assert_int_equal(pop_target_create_ipu_options(4, 0, "ipu2", ALL_OPTIONS, &target, NULL), POP_OK);
    assert_int_equal(pop_target_ipu_link_domain_size(&target), 4);
    assert_false(target.gateway_mode);
    assert_string_equal(target.ipu_link_topology, "Torus");
    pop_device *device = pop_ipu_model_create_device_options(NULL, POP_NO_OPTIONS, NULL);
    assert_int_equal(pop_target_ipu_link_domain_size(pop_device_target(device)), 4);
    pop_device_destroy(device);
}

static void test_wrong_options_are_named(void **state)
{
    (void)state;
    static const struct {
        pop_option option;
        const char *words;
    } rows[] = {
        { { "ipuLinkDomian", "4" }, "Unrecognised option 'ipuLinkDomian': no target option has this name" },
        { { "ipuLinkDomainSize", "four" }, "the value of option 'ipuLinkDomainSize' is 'four', it must be an integer" },
        { { "ipuLinkDomainSize", "65537" }, "the value of option 'ipuLinkDomainSize' is 65537, it must be from 0" },
        { { "instanceSize", "4294967297" }, "the value of option 'instanceSize' is 4294967297" },
        { { "gatewayMode", "maybe" }, "the value of option 'gatewayMode' is 'maybe', it must be true or false" },
        { { "ipuLinkTopology", "" }, "it must be one word of at most 31 characters" },
        { { "ipuLinkTopology", "two words" }, "the value of option 'ipuLinkTopology' is 'two words'" },
        { { "syncConfiguration", "0123456789abcdef0123456789abcdef" }, "it must be one word" },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        pop_target target = { .num_ipus = 77 };
        pop_error error = { 0 };
        pop_options options = { &rows[i].option, 1 };
        assert_int_equal(pop_target_create_ipu_options(1, 0, "ipu2", options, &target, &error), POP_INVALID_OPTION);
        assert_non_null(strstr(error.text, rows[i].words));
        assert_string_equal(error.api, "pop_target_create_ipu_options");
        assert_int_equal(target.num_ipus, 77);
        assert_null(pop_ipu_model_create_device_options(NULL, options, &error));
        assert_string_equal(error.api, "pop_ipu_model_create_device_options");
        assert_null(pop_device_manager_create(options, &error));
        assert_string_equal(error.api, "pop_device_manager_create");
    }
    pop_error error;
    pop_target target = { .num_ipus = 77 };
    assert_int_equal(pop_target_create_ipu_options(1, 0, "ipu", POP_NO_OPTIONS, &target, &error),
                     POP_INVALID_MACHINE_MODEL);
    assert_string_equal(error.api, "pop_target_create_ipu_options");
    assert_int_equal(pop_target_create_ipu_options(9999, 9999, "ipu2", POP_NO_OPTIONS, &target, &error),
                     POP_INVALID_MACHINE_MODEL);
    assert_string_equal(error.api, "pop_target_create_ipu_options");
    assert_int_equal(target.num_ipus, 77);
}

static void test_release_of_poplibs(void **state)
{
    (void)state;
    char text[200];
    pop_target target;
    pop_error error = { 0 };
    pop_target_create_ipu_options(1, 0, "ipu2", POP_NO_OPTIONS, &target, NULL);
    assert_int_equal(target.poplibs_release, POP_POPLIBS_1_2);
    pop_target_create_ipu_options(1, 0, "ipu2", POP_OPTIONS({ "poplibsRelease", "2021" }), &target, NULL);
    assert_int_equal(target.poplibs_release, POP_POPLIBS_2021);
    pop_target_options(&target, text, sizeof(text));
    assert_string_equal(text, "{\"poplibsRelease\":\"2021\"}");
    pop_target_to_text(&target, text, sizeof(text));
    assert_string_equal(text, "ipu2 poplibs=2021");
    assert_int_equal(
        pop_target_create_ipu_options(1, 0, "ipu2", POP_OPTIONS({ "poplibsRelease", "2020" }), &target, &error),
        POP_INVALID_OPTION);
    assert_non_null(strstr(error.text, "2021"));
}

static void test_options_are_returned_as_json(void **state)
{
    (void)state;
    char text[400];
    pop_target target, back;
    assert_int_equal(
        pop_target_create_ipu_options(1, 0, "ipu2", POP_OPTIONS({ "ipuLinkDomainSize", "4" }), &target, NULL), POP_OK);
    assert_int_equal(pop_target_options(&target, text, sizeof(text)), strlen("{\"ipuLinkDomainSize\":\"4\"}"));
    assert_string_equal(text, "{\"ipuLinkDomainSize\":\"4\"}");
    pop_target_create_ipu_options(1, 0, "ipu2", ALL_OPTIONS, &target, NULL);
    strcpy(target.ipu_link_topology, "a\"b\\c");
    pop_target_options(&target, text, sizeof(text));
    setenv("POPLAR_TARGET_OPTIONS", text, 1); /* printed options can be parsed again */
    assert_int_equal(pop_target_create_ipu_options(1, 0, "ipu2", POP_NO_OPTIONS, &back, NULL), POP_OK);
    assert_true(pop_target_equal(&target, &back));
    assert_int_equal(pop_target_options(NULL, text, sizeof(text)), 2);
    assert_string_equal(text, "{}");
    assert_int_equal(pop_target_options(&back, text, 2), pop_target_options(&back, NULL, 0));
    assert_string_equal(text, "{");
}

static void test_options_of_a_manager_and_of_its_devices(void **state)
{
    (void)state;
    setenv("TREMULA_IPU", "ipu2 tiles=4 x2", 1);
    pop_device_manager *manager =
        pop_device_manager_create(POP_OPTIONS({ "ipuLinkDomainSize", "64" }, { "gatewayMode", "true" }), NULL);
    pop_device *plain = NULL, *other = NULL;
    pop_error error = { 0 };
    assert_int_equal(pop_device_manager_devices(manager, POP_TARGET_IPU, 2, &plain, 1), 1);
    assert_int_equal(pop_target_ipu_link_domain_size(pop_device_target(plain)), 64);
    assert_true(pop_device_has_gateway(plain));
    pop_options options = POP_OPTIONS({ "ipuLinkDomainSize", "16" });
    assert_int_equal(pop_device_manager_devices_options(manager, POP_TARGET_IPU, 2, options, &other, 1, &error), 1);
    assert_int_equal(pop_target_ipu_link_domain_size(pop_device_target(other)), 16);
    assert_true(pop_device_has_gateway(other));
    assert_non_null(strstr(pop_device_attribute(other, "target"), "link_domain=16"));
    assert_true(pop_device_attach(plain));
    assert_false(pop_device_attach(other)); /* it is the same device */
    pop_device_destroy(other);
    other = NULL;
    options = POP_OPTIONS({ "ipuLinkDomainSize", "many" });
    assert_int_equal(pop_device_manager_devices_options(manager, POP_TARGET_IPU, 2, options, &other, 1, &error), 0);
    assert_int_equal(error.status, POP_INVALID_OPTION);
    assert_string_equal(error.api, "pop_device_manager_devices_options");
    assert_null(other);
    assert_int_equal(pop_device_manager_devices_options(NULL, POP_TARGET_IPU, 2, POP_NO_OPTIONS, NULL, 0, NULL), 0);
    pop_device_destroy(plain);
    pop_device_manager_destroy(manager);
}

static void test_children_and_driver_ids(void **state)
{
    (void)state;
    setenv("TREMULA_IPU", "ipu2 tiles=4 x4", 1);
    pop_device_manager *manager = pop_device_manager_create(POP_NO_OPTIONS, NULL);
    unsigned ids[8], pairs[2] = { 4, 5 }; /* 0-3 are the IPUs, 4 and 5 the pairs, 6 all of them */
    assert_int_equal(pop_device_manager_child_ids(manager, 6, 0, ids, 8), 4);
    for (unsigned i = 0; i < 4; ++i)
        assert_int_equal(ids[i], i);
    assert_int_equal(pop_device_manager_child_ids(manager, 6, 2, ids, 8), 2);
    assert_memory_equal(ids, pairs, sizeof(pairs));
    assert_int_equal(pop_device_manager_child_ids(manager, 5, 1, ids, 1), 2);
    assert_int_equal(ids[0], 2);
    assert_int_equal(pop_device_manager_child_ids(manager, 6, 4, ids, 8), 0);
    for (unsigned id = 0; id < 4; ++id)
        assert_int_equal(pop_device_manager_child_ids(manager, id, 0, ids, 8), 0);
    assert_int_equal(pop_device_manager_child_ids(manager, 7, 0, ids, 8), 0); /* a model */
    assert_int_equal(pop_device_manager_child_ids(manager, 999, 0, ids, 8), 0);
    assert_int_equal(pop_device_manager_child_ids(NULL, 0, 0, ids, 8), 0);
    for (unsigned id = 0; id < pop_device_manager_num_devices(manager); ++id) {
        pop_device *device = pop_device_manager_device(manager, id, NULL);
        size_t count = pop_device_driver_ids(device, ids, 8);
        assert_int_equal(count, id < 4 ? 1 : id < 6 ? 2 : id < 7 ? 4 : 1);
        assert_int_equal(ids[0], id == 4 || id == 6 ? 0 : id == 5 ? 2 : id);
        assert_int_equal(ids[count - 1], id == 5 || id == 6 ? 3 : id == 4 ? 1 : id);
        pop_device_destroy(device);
    }
    pop_device_manager_destroy(manager);
    assert_int_equal(pop_device_driver_ids(NULL, ids, 8), 0);
}

static void test_attributes_of_a_device(void **state)
{
    (void)state;
    pop_device *ipu = pop_ipu_model_create_device(NULL, NULL), *cpu = pop_cpu_device_create(NULL);
    pop_device *devices[] = { ipu, cpu };
    for (int i = 0; i < 2; ++i) {
        size_t count = 0;
        for (; pop_device_attribute_name(devices[i], count); ++count)
            assert_non_null(pop_device_attribute(devices[i], pop_device_attribute_name(devices[i], count)));
        assert_int_equal(count, i ? 3 : 4); /* the host has no IPU architecture */
        unsigned version[3] = { 9, 9, 9 };
        assert_false(pop_device_driver_version(devices[i], &version[0], &version[1], &version[2]));
        assert_true(version[0] == 0 && version[1] == 0 && version[2] == 0);
        assert_false(pop_device_has_gateway(devices[i]));
        int nodes[64] = { -1 };
        size_t seen = pop_device_numa_topology(devices[i], nodes, 64);
        assert_true(seen >= 1 && nodes[0] >= 0);
        assert_int_equal(pop_device_numa_topology(devices[i], NULL, 0), seen);
        assert_int_equal(pop_device_reset(devices[i], NULL), POP_OK);
    }
    pop_error error;
    pop_device_detach(ipu);
    assert_int_equal(pop_device_reset(ipu, &error), POP_RUNTIME_ERROR);
    assert_string_equal(error.text, "device 0 is not attached: call pop_device_attach first");
    assert_int_equal(pop_device_reset(NULL, &error), POP_RUNTIME_ERROR);
    assert_null(pop_device_attribute_name(NULL, 0));
    assert_false(pop_device_has_gateway(NULL));
    assert_int_equal(pop_device_numa_topology(NULL, NULL, 0), 0);
    pop_device_destroy(ipu);
    pop_device_destroy(cpu);
}

static void test_lists_of_numa_nodes(void **state)
{
    (void)state;
    static const struct {
        const char *list;
        size_t count;
        int last;
    } rows[] = { { "0\n", 1, 0 },  { "0-1\n", 2, 1 }, { "0-2,5,7-8\n", 6, 8 }, { "", 0, -1 },
                 { "\n", 0, -1 },  { "x", 0, -1 },    { "3-1", 0, -1 },        { "0,", 1, 0 },
                 { "0,,2", 1, 0 }, { "4,0-1", 3, 1 }, { "0-", 1, 0 } };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        int nodes[16] = { 0 };
        size_t count = device_read_nodes(rows[i].list, nodes, 16);
        assert_int_equal(count, rows[i].count);
        if (count)
            assert_int_equal(nodes[count - 1], rows[i].last);
    }
    int two[3] = { -1, -1, -1 };
    assert_int_equal(device_read_nodes("0-7", two, 2), 8);
    assert_true(two[1] == 1 && two[2] == -1);
    assert_true(device_read_nodes("0-99999999999999999999999", NULL, 0) <= 1 << 16);
}

static void test_floating_point_control(void **state)
{
    (void)state;
    pop_target target;
    pop_target_create_ipu(1, "ipu2", &target, NULL);
    assert_int_equal(pop_target_make_fp_ictl_value(&target, false, false, false, false, false), 0);
    unsigned each[] = { pop_target_make_fp_ictl_value(&target, true, false, false, false, false),
                        pop_target_make_fp_ictl_value(&target, false, true, false, false, false),
                        pop_target_make_fp_ictl_value(&target, false, false, true, false, false),
                        pop_target_make_fp_ictl_value(&target, false, false, false, true, false),
                        pop_target_make_fp_ictl_value(&target, false, false, false, false, true) };
    unsigned all = 0;
    for (int i = 0; i < 5; ++i) {
        assert_true(each[i] && !(each[i] & (each[i] - 1)) && !(all & each[i]));
        all |= each[i];
    }
    assert_int_equal(pop_target_make_fp_ictl_value(&target, true, true, true, true, true), all);
    assert_int_equal(pop_target_make_fp_ictl_value(NULL, true, true, true, true, true), 0);
    /* Unpublished values are 0. */
    assert_true(!target.fp_ictl_reg_index && !target.dbg_data_reg_index && !target.tiles_per_xb_context &&
                !target.contexts_per_xb);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_targets_with_options, clear, clear),
        cmocka_unit_test_setup_teardown(test_the_environment_overrides, clear, clear),
        cmocka_unit_test_setup_teardown(test_wrong_options_are_named, clear, clear),
        cmocka_unit_test_setup_teardown(test_release_of_poplibs, clear, clear),
        cmocka_unit_test_setup_teardown(test_options_are_returned_as_json, clear, clear),
        cmocka_unit_test_setup_teardown(test_options_of_a_manager_and_of_its_devices, clear, clear),
        cmocka_unit_test_setup_teardown(test_children_and_driver_ids, clear, clear),
        cmocka_unit_test(test_attributes_of_a_device),
        cmocka_unit_test(test_lists_of_numa_nodes),
        cmocka_unit_test(test_floating_point_control),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
