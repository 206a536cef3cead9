/* SPDX-License-Identifier: Apache-2.0 */
#include "base/log.h"

#include <poplar/device.h>

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static int clear(void **state)
{
    (void)state;
    unsetenv("TREMULA_IPU");
    unsetenv("POPLAR_TARGET_OPTIONS");
    return 0;
}

/* The first test, because the message is printed once in a process. */
static void test_hardware_that_is_not_modelled_is_explained_once(void **state)
{
    (void)state;
    char path[] = "manager-log-XXXXXX", text[2000] = "";
    int file = mkstemp(path);
    assert_true(file >= 0);
    setenv("POPLAR_LOG_DEST", path, 1);
    log_reset();
    pop_device_manager *manager = pop_device_manager_create(POP_NO_OPTIONS, NULL);
    assert_int_equal(pop_device_manager_devices(manager, POP_TARGET_IPU_MODEL, 3, NULL, 0), 0);
    assert_int_equal(read(file, text, sizeof(text) - 1), 0);
    assert_int_equal(pop_device_manager_devices(manager, POP_TARGET_IPU, 4, NULL, 0), 0);
    assert_int_equal(pop_device_manager_devices(manager, POP_TARGET_IPU, 1, NULL, 0), 0);
    pop_device_manager_destroy(manager);
    unsetenv("POPLAR_LOG_DEST");
    log_reset(); /* closes the file */
    assert_true(read(file, text, sizeof(text) - 1) > 0);
    close(file);
    unlink(path);
    assert_non_null(strstr(text, "set the environment variable TREMULA_IPU, for instance to 'ipu2 x4'\n"));
    assert_ptr_equal(strchr(text, '\n'), strrchr(text, '\n'));
}

static pop_target target_of(pop_device *device)
{
    assert_non_null(device);
    pop_target target = *pop_device_target(device);
    pop_device_destroy(device);
    return target;
}

static void test_models(void **state)
{
    (void)state;
    pop_target target = target_of(pop_ipu_model_create_device(NULL, NULL));
    assert_string_equal(target.system, "ipu2");
    assert_int_equal(target.type, POP_TARGET_IPU_MODEL);
    assert_int_equal(target.num_ipus, 1);
    target = target_of(pop_ipu_model_create_device(&(pop_ipu_model){ .version = "ipu1", .num_ipus = 2 }, NULL));
    assert_int_equal(pop_target_num_tiles(&target), 2432);
    target = target_of(
        pop_ipu_model_create_device(&(pop_ipu_model){ .tiles_per_ipu = 4, .memory_bytes_per_tile = 65536 }, NULL));
    assert_int_equal(target.bytes_per_tile, 65536);
    assert_int_equal(target.interleaved_memory_element_index, 4);
    assert_true(target.supports_super_tile_send_receive);
    unsigned none = 0, large = 200;
    target = target_of(pop_ipu_model_create_device(
        &(pop_ipu_model){ .version = "ipu1", .min_ipu_sync_delay = &none, .relative_sync_delay = POP_SYNC_DELAY_NONE },
        NULL));
    assert_int_equal(pop_target_sync_delay(&target, 1215), 0);
    target = target_of(
        pop_ipu_model_create_device(&(pop_ipu_model){ .version = "ipu1", .min_ipu_sync_delay = &large }, NULL));
    assert_int_equal(pop_target_sync_delay(&target, 0), 200);
    assert_int_equal(pop_target_sync_delay(&target, 1215), 259);
}

/* Every field of the model sets its field of the target. */
static void test_every_model_field_is_used(void **state)
{
    (void)state;
    unsigned sync = 17;
    pop_exchange_flow flow = { 0, 1 };
    pop_exchange_limit limit = { 1e9, 1, &flow };
    pop_exchange_limits limits = { 1, &limit };
    pop_ipu_model model = { "bow", 2,       3,   4,    5,    65536, 2e9,
                            7,     9,       11,  true, 2,    &sync, POP_SYNC_DELAY_NONE,
                            13,    &limits, 128, 21,   22,   23,    24,
                            25,    26,      27,  28,   33,   34,    29,
                            30,    31,      32,  true, true, false };
    pop_target t = target_of(pop_ipu_model_create_device(&model, NULL));
    assert_string_equal(t.system, "bow");
    assert_true(t.num_ipus == 2 && t.tiles_per_ipu == 3 && t.tiles_per_super_tile == 4 && t.num_worker_contexts == 5 &&
                t.bytes_per_tile == 65536);
    assert_true(t.tile_clock_frequency == 2e9 && t.exchange_bytes_per_cycle == 7 && t.memcpy_bytes_per_cycle == 9 &&
                t.instruction_bytes == 11);
    assert_true(!t.supports_super_tile_send_receive && t.interleaved_memory_element_index == 2 &&
                t.min_ipu_sync_delay == 17);
    assert_true(t.relative_sync_delay == POP_SYNC_DELAY_NONE && t.global_sync_cycles == 13 && t.data_path_width == 128);
    assert_true(t.fp8_in_fp16_out_conv_units == 21 && t.fp16_in_fp16_out_conv_units == 22 &&
                t.fp16_in_fp32_out_conv_units == 23);
    assert_true(t.fp32_in_fp32_out_conv_units == 24 && t.fp8_conv_unit_input_load_elems_per_cycle == 25);
    assert_true(t.fp16_conv_unit_input_load_elems_per_cycle == 26 && t.fp32_conv_unit_input_load_elems_per_cycle == 27);
    assert_true(t.fp8_conv_unit_max_pipeline_depth == 28 && t.fp16_conv_unit_max_pipeline_depth == 33 &&
                t.fp32_conv_unit_max_pipeline_depth == 34);
    assert_int_equal(pop_target_num_global_exchange_constraints(&t), 1);
    assert_true(pop_target_global_exchange_bandwidth(&t, 0) == 1e9);
    assert_true(t.conv_unit_coeff_load_bytes_per_cycle == 29 && t.rpt_count_max == 30);
    assert_true(t.num_stride_bits == 31 && t.atomic_store_granularity == 32 && t.compile_ipu_code && t.accurate_half);
    t = target_of(pop_ipu_model_create_device(&(pop_ipu_model){ .no_global_sync = true }, NULL));
    assert_int_equal(t.global_sync_cycles, 0);
}

static void test_senseless_models_are_refused(void **state)
{
    (void)state;
    pop_error error;
    assert_null(pop_ipu_model_create_device(&(pop_ipu_model){ .version = "ipu" }, &error));
    assert_int_equal(error.status, POP_INVALID_MACHINE_MODEL);
    assert_string_equal(error.api, "pop_ipu_model_create_device");
    assert_non_null(strstr(error.text, "unknown system 'ipu' (did you mean 'ipu1'?)"));
    assert_null(pop_ipu_model_create_device(&(pop_ipu_model){ .num_worker_contexts = 1000 }, &error));
    assert_string_equal(error.text, "num_worker_contexts is 1000, it must be from 1 to 64");
    assert_null(pop_ipu_model_create_device(&(pop_ipu_model){ .interleaved_memory_element_index = 40 }, NULL));
    unsigned huge = UINT32_MAX - 3;
    assert_null(pop_ipu_model_create_device(&(pop_ipu_model){ .min_ipu_sync_delay = &huge }, NULL));
    assert_null(pop_device_create(NULL, &error));
    assert_string_equal(error.api, "pop_device_create");
}

static void test_created_devices_are_attached(void **state)
{
    (void)state;
    pop_device *devices[] = { pop_ipu_model_create_device(NULL, NULL), pop_cpu_device_create(NULL) };
    for (int i = 0; i < 2; ++i) {
        assert_true(pop_device_is_attached(devices[i]));
        assert_true(pop_device_attach(devices[i]));
        pop_device_detach(devices[i]);
        assert_false(pop_device_is_attached(devices[i]));
        assert_true(pop_device_attach(devices[i]));
        assert_int_equal(pop_device_id(devices[i]), 0);
        assert_true(pop_device_supports_remote_buffers(devices[i]));
        assert_non_null(pop_device_attribute(devices[i], "board type"));
        assert_null(pop_device_attribute(devices[i], "colour"));
        pop_device_destroy(devices[i]);
    }
}

static void test_virtual_devices(void **state)
{
    (void)state;
    pop_error error;
    pop_device *whole = pop_ipu_model_create_device(&(pop_ipu_model){ .num_ipus = 2 }, NULL);
    pop_device *part = pop_device_create_virtual(whole, 10, NULL);
    assert_null(pop_device_create_virtual(whole, 0, &error));
    assert_null(pop_device_create_virtual(whole, 1473, &error));
    assert_string_equal(error.text, "1473 tiles of each IPU were requested, it must be from 1 to the device's 1472");
    assert_null(pop_device_create_virtual(NULL, 1, &error));
    pop_device_destroy(whole);
    assert_int_equal(pop_target_num_tiles(pop_device_target(part)), 20);
    assert_true(pop_device_is_attached(part));
    pop_device_destroy(part);
}

static void test_null_devices(void **state)
{
    (void)state;
    assert_null(pop_device_target(NULL));
    assert_false(pop_device_attach(NULL) || pop_device_is_attached(NULL) || pop_device_supports_remote_buffers(NULL));
    pop_device_detach(NULL);
    pop_device_destroy(NULL);
    assert_int_equal(pop_device_id(NULL), 0);
    assert_null(pop_device_attribute(NULL, "board type"));
    pop_device_manager_destroy(NULL);
    assert_int_equal(pop_device_manager_num_devices(NULL), 0);
    assert_int_equal(pop_device_manager_devices(NULL, POP_TARGET_CPU, 1, NULL, 0), 0);
    assert_null(pop_device_manager_device(NULL, 0, NULL));
}

static size_t count(const pop_device_manager *manager, pop_target_type type, unsigned ipus)
{
    return pop_device_manager_devices(manager, type, ipus, NULL, 0);
}

static void test_without_modelled_ipus(void **state)
{
    (void)state;
    pop_device_manager *manager = pop_device_manager_create(POP_NO_OPTIONS, NULL);
    assert_int_equal(count(manager, POP_TARGET_IPU, 0), 0);
    assert_int_equal(count(manager, POP_TARGET_CPU, 0), 1);
    assert_int_equal(count(manager, POP_TARGET_IPU_MODEL, 1), 1);
    assert_int_equal(count(manager, POP_TARGET_IPU_MODEL, 4), 1);
    pop_error error;
    assert_null(pop_device_manager_device(manager, 999, &error));
    assert_int_equal(error.status, POP_INDEX_ERROR);
    assert_non_null(strstr(error.text, "there is no device 999, ids go from 0 to"));
    for (unsigned id = 0; id < pop_device_manager_num_devices(manager); ++id) {
        pop_device *device = pop_device_manager_device(manager, id, NULL);
        assert_int_equal(pop_device_id(device), id);
        assert_false(pop_device_is_attached(device));
        assert_true(pop_device_attach(device));
        assert_int_equal(pop_target_check(pop_device_target(device), NULL), POP_OK);
        pop_device_destroy(device);
    }
    pop_device_manager_destroy(manager);
}

static void test_modelled_ipus_and_groups(void **state)
{
    (void)state;
    setenv("TREMULA_IPU", "ipu2 tiles=16 x4", 1);
    pop_device_manager *manager = pop_device_manager_create(POP_NO_OPTIONS, NULL);
    assert_int_equal(count(manager, POP_TARGET_IPU, 1), 4);
    assert_int_equal(count(manager, POP_TARGET_IPU, 2), 2);
    assert_int_equal(count(manager, POP_TARGET_IPU, 4), 1);
    assert_int_equal(count(manager, POP_TARGET_IPU, 3), 0);
    assert_int_equal(count(manager, POP_TARGET_IPU, 0), 7);
    pop_device *single[4], *pair[2], *all, *again;
    assert_int_equal(pop_device_manager_devices(manager, POP_TARGET_IPU, 1, single, 4), 4);
    assert_int_equal(pop_device_manager_devices(manager, POP_TARGET_IPU, 2, pair, 2), 2);
    assert_int_equal(pop_device_manager_devices(manager, POP_TARGET_IPU, 4, &all, 1), 1);
    for (unsigned i = 0; i < 4; ++i)
        assert_int_equal(pop_device_id(single[i]), i);
    again = pop_device_manager_device(manager, 0, NULL);
    pop_device_manager_destroy(manager); /* devices stay valid */
    assert_int_equal(pop_device_target(pair[1])->num_ipus, 2);
    assert_int_equal(pop_target_num_tiles(pop_device_target(all)), 64);
    assert_int_equal(pop_device_target(all)->type, POP_TARGET_IPU);

    assert_true(pop_device_attach(single[0]));
    assert_true(pop_device_attach(single[0]));
    assert_false(pop_device_attach(again)); /* another handle of the same IPU */
    assert_false(pop_device_is_attached(again));
    assert_false(pop_device_attach(pair[0]) || pop_device_attach(all));
    assert_true(pop_device_attach(pair[1]));
    pop_device_detach(again); /* it is not attached: no effect */
    assert_true(pop_device_is_attached(single[0]));
    pop_device_detach(single[0]);
    assert_true(pop_device_attach(again));
    pop_device_destroy(again); /* detaches */
    assert_true(pop_device_attach(pair[0]));
    assert_false(pop_device_attach(single[1]) || pop_device_attach(single[3]) || pop_device_attach(all));
    pop_device_detach(pair[0]);
    pop_device_detach(pair[1]);
    assert_true(pop_device_attach(all));
    for (int i = 0; i < 4; ++i)
        pop_device_destroy(single[i]);
    pop_device_destroy(pair[0]);
    pop_device_destroy(pair[1]);
    pop_device_destroy(all);
}

static void test_the_ways_to_ask_for_ipus(void **state)
{
    (void)state;
    static const struct {
        const char *environment, *option, *json;
        size_t ipus;
        const char *system;
    } rows[] = {
        { NULL, "ipu1", NULL, 1, "ipu1" },
        { NULL, "bow ipus=3", NULL, 3, "bow" },
        { NULL, "ipu1  ipus=2 x2 ", NULL, 4, "ipu1" },
        { NULL, "ipu1", "{\"ipuModel\": \"ipu21 x2\"}", 2, "ipu21" },
        { "bow x8", "ipu1", "{\"ipuModel\": \"ipu21\"}", 8, "bow" },
        { "off", "ipu1", NULL, 0, NULL },
        { "", "ipu1", NULL, 1, "ipu1" },
        { NULL, "off", NULL, 0, NULL },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        clear(NULL);
        if (rows[i].environment)
            setenv("TREMULA_IPU", rows[i].environment, 1);
        if (rows[i].json)
            setenv("POPLAR_TARGET_OPTIONS", rows[i].json, 1);
        pop_device_manager *manager = pop_device_manager_create(POP_OPTIONS({ "ipuModel", rows[i].option }), NULL);
        assert_int_equal(count(manager, POP_TARGET_IPU, 1), rows[i].ipus);
        if (rows[i].ipus) {
            pop_device *device = pop_device_manager_device(manager, 0, NULL);
            assert_string_equal(pop_device_target(device)->system, rows[i].system);
            pop_device_destroy(device);
        }
        pop_device_manager_destroy(manager);
    }
}

static void test_wrong_requests_say_where_they_came_from(void **state)
{
    (void)state;
    static const struct {
        const char *value;
        pop_status status;
        const char *words;
    } rows[] = {
        { "ipu2 tile=4", POP_PARSE_ERROR, "TREMULA_IPU: unknown word 'tile' (did you mean 'tiles'?)" },
        { "on", POP_PARSE_ERROR, "TREMULA_IPU: unknown system 'on'" },
        { "x4", POP_PARSE_ERROR, "TREMULA_IPU: the text is empty" },
        { "cpu", POP_INVALID_MACHINE_MODEL, "TREMULA_IPU: a CPU cannot be offered as IPU" },
        { "ipu2 x0", POP_INVALID_MACHINE_MODEL, "TREMULA_IPU: the number of IPUs must be at least 1" },
        { "ipu2 x99999", POP_INVALID_MACHINE_MODEL, "the number of IPUs must be" },
        { "ipu2 x99999999999999999999", POP_INVALID_MACHINE_MODEL, "the number of IPUs must be" },
        { "ipu2 tiles=0", POP_INVALID_MACHINE_MODEL, "TREMULA_IPU: tiles_per_ipu is 0" },
    };
    pop_error error;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        setenv("TREMULA_IPU", rows[i].value, 1);
        assert_null(pop_device_manager_create(POP_NO_OPTIONS, &error));
        assert_int_equal(error.status, rows[i].status);
        assert_non_null(strstr(error.text, rows[i].words));
        assert_string_equal(error.api, "pop_device_manager_create");
    }
    clear(NULL);
    assert_null(pop_device_manager_create(POP_OPTIONS({ "ipuModl", "ipu2" }), &error));
    assert_string_equal(error.text,
                        "Unrecognised option 'ipuModl': no target option has this name (did you mean 'ipuModel'?)");
}

struct race {
    pop_device *device;
    int attached;
};

static void *race(void *user)
{
    struct race *mine = user;
    for (int i = 0; i < 500; ++i)
        if (pop_device_attach(mine->device)) {
            ++mine->attached;
            pop_device_detach(mine->device);
        }
    mine->attached += 1000 * pop_device_attach(mine->device);
    return NULL;
}

static void test_one_of_many_threads_attaches(void **state)
{
    (void)state;
    setenv("TREMULA_IPU", "ipu2", 1);
    pop_device_manager *manager = pop_device_manager_create(POP_NO_OPTIONS, NULL);
    struct race races[4] = { { 0 } };
    pthread_t threads[4];
    for (int i = 0; i < 4; ++i)
        races[i].device = pop_device_manager_device(manager, 0, NULL);
    for (int i = 0; i < 4; ++i)
        assert_int_equal(pthread_create(&threads[i], NULL, race, &races[i]), 0);
    int winners = 0;
    for (int i = 0; i < 4; ++i)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < 4; ++i) {
        winners += races[i].attached >= 1000;
        assert_int_equal(pop_device_is_attached(races[i].device), races[i].attached >= 1000);
    }
    assert_int_equal(winners, 1);
    for (int i = 0; i < 4; ++i)
        pop_device_destroy(races[i].device);
    pop_device_manager_destroy(manager);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_hardware_that_is_not_modelled_is_explained_once, clear, clear),
        cmocka_unit_test(test_models),
        cmocka_unit_test(test_every_model_field_is_used),
        cmocka_unit_test(test_senseless_models_are_refused),
        cmocka_unit_test(test_created_devices_are_attached),
        cmocka_unit_test(test_virtual_devices),
        cmocka_unit_test(test_null_devices),
        cmocka_unit_test_setup_teardown(test_without_modelled_ipus, clear, clear),
        cmocka_unit_test_setup_teardown(test_modelled_ipus_and_groups, clear, clear),
        cmocka_unit_test_setup_teardown(test_the_ways_to_ask_for_ipus, clear, clear),
        cmocka_unit_test_setup_teardown(test_wrong_requests_say_where_they_came_from, clear, clear),
        cmocka_unit_test_setup_teardown(test_one_of_many_threads_attaches, clear, clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
